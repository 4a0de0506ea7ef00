// SPDX-License-Identifier: Apache-2.0
#include "explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "tools/compare/measure.h"

void explain_row_free(struct explain_row *row)
{
    free(row->ptx);
    free(row->report_text);
    row->ptx = row->report_text = NULL;
}

// ---- watching ----

enum { VARIANTS = 16 };

// A kernel with the requested name. Programs with other definitions have different kernels of the same name.
struct variant {
    const kn_kernel *kernel;
    size_t launches;
    double seconds;
};

struct watch {
    const char *kernel;
    struct variant variants[VARIANTS];
    size_t count;
    size_t *order; // the index of the variant of each launch
    size_t order_count, order_capacity;
    bool failed;             // memory ran out
    struct explain_row *row; // receives the description of the variant `wanted`; NULL: not now
    size_t wanted;
};

static size_t group_items(const kn_range *range)
{
    size_t items = 1;

    for (unsigned d = 0; d < range->dims; d++)
        items *= range->local[d];
    return items;
}

// Queries that must be made while the program is guaranteed to exist.
static void describe(const kn_launch_notice *notice, struct explain_row *row)
{
    kn_error why = KN_ERROR_INIT;
    const char *report = kn_program_get_report(notice->program);

    row->range = notice->range;
    row->group = group_items(&notice->range);
    row->local_bytes = notice->local_bytes;
    row->most_group = kn_kernel_get_limits(notice->kernel)->work_group;
    if (kn_kernel_get_resources(notice->kernel, row->group ? row->group : 1, row->local_bytes,
                                &row->resources, &why))
        row->resources = (kn_kernel_resources){KN_RESOURCE_UNKNOWN, KN_RESOURCE_UNKNOWN, KN_RESOURCE_UNKNOWN,
                                               KN_RESOURCE_UNKNOWN};
    row->report_text = strdup(report);
    row->has_report =
        !row->is_loaded && ki_ptxas_read(report, kn_kernel_get_name(notice->kernel), &row->report);
    if (!row->is_loaded && kn_program_get_ptx(notice->program, &row->ptx, &why))
        snprintf(row->no_ptx, sizeof row->no_ptx, "%.255s", why.text);
    row->has_mix = row->ptx && ptx_mix_read(row->ptx, kn_kernel_get_name(notice->kernel), &row->mix);
}

static void notice_launch(void *user, const kn_launch_notice *notice)
{
    struct watch *watch = user;
    size_t v = 0;

    if (strcmp(kn_kernel_get_name(notice->kernel), watch->kernel) != 0)
        return;
    while (v < watch->count && watch->variants[v].kernel != notice->kernel)
        v++;
    if (v == VARIANTS) // no job has this many kernels of one name
        return;
    if (v == watch->count)
        watch->variants[watch->count++] = (struct variant){notice->kernel, 0, 0};
    watch->variants[v].launches++;
    if (watch->row && v == watch->wanted && !watch->row->range.dims)
        describe(notice, watch->row);
    if (!KI_ARRAY_PUSH(watch->order, watch->order_count, watch->order_capacity, v))
        watch->failed = true;
}

// Runs the work once, by the device's clock, and adds the times of the launches to their variants.
static kn_status run_watched(kn_queue *queue, const struct explain_work *work, struct watch *watch,
                             double *span, kn_error *err)
{
    kn_profile_entry *entries = NULL;
    size_t count = 0, launch = 0;
    kn_status status = kn_profile_start(queue, err);

    watch->order_count = watch->count = 0;
    memset(watch->variants, 0, sizeof watch->variants);
    if (!status)
        status = kn_queue_watch(queue, notice_launch, watch, err);
    if (status)
        return status;
    status = work->run(work->user, err);
    kn_queue_watch(queue, NULL, NULL, NULL);
    if (kn_profile_stop(queue, &entries, &count, status ? NULL : err) && !status)
        status = err ? err->code : KN_ERROR_DEVICE;
    if (!status && watch->failed)
        status = ki_fail_memory(err, 0, "watching launches");
    for (size_t i = 0; i < count && !status; i++)
        if (strncmp(entries[i].kernel, watch->kernel, sizeof entries[i].kernel - 1) == 0 &&
            launch < watch->order_count)
            watch->variants[watch->order[launch++]].seconds +=
                1e-9 * (double)(entries[i].end - entries[i].start);
    *span = kn_profile_span(entries, count);
    kn_free(entries);
    return status;
}

static size_t slowest(const struct watch *watch)
{
    size_t found = 0;

    for (size_t v = 1; v < watch->count; v++)
        if (watch->variants[v].seconds > watch->variants[found].seconds)
            found = v;
    return found;
}

static void conclude(struct explain_row *row)
{
    long registers = row->resources.registers >= 0 ? row->resources.registers : row->report.registers;

    if (row->has_mix && registers >= 0 && row->group && row->resources.local_bytes >= 0)
        row->has_occupancy = occupancy_of(row->mix.target, (size_t)registers,
                                          (size_t)row->resources.local_bytes, row->group, &row->occupancy);
    // The driver's answer is more reliable than the rules.
    if (row->has_occupancy && row->resources.groups >= 0) {
        row->occupancy.groups = (unsigned)row->resources.groups;
        row->occupancy.warps = row->occupancy.groups * (unsigned)((row->group + 31) / 32);
    }
}

kn_status explain_measure(kn_queue *queue, const char *kernel, const struct explain_work *work,
                          size_t repetitions, struct explain_row *row, kn_error *err)
{
    struct watch watch = {.kernel = kernel};
    double *seconds = calloc(2 * repetitions + 2, sizeof *seconds), *spans = seconds + repetitions + 1, span;
    kn_status status = seconds ? KN_OK : ki_fail_memory(err, 0, "explaining a kernel");

    row->report = (struct ki_ptxas_report){-1, -1, -1, -1};
    if (!status)
        status = run_watched(queue, work, &watch, &span, err); // also warms up
    if (!status && !watch.count)
        snprintf(row->why, sizeof row->why, "does not launch %s", kernel);
    if (!status && watch.count) {
        row->programs = watch.count;
        watch.wanted = slowest(&watch);
        watch.row = row;
        status = run_watched(queue, work, &watch, &span, err);
        watch.row = NULL;
        row->launches = watch.variants[watch.wanted].launches;
    }
    for (size_t i = 0; i < repetitions && !status && watch.count; i++) {
        status = run_watched(queue, work, &watch, &spans[i], err);
        seconds[i] = watch.variants[watch.wanted].seconds;
    }
    if (!status && watch.count) {
        row->seconds = measure_times(seconds, repetitions).median;
        row->run_seconds = measure_times(spans, repetitions).median;
        conclude(row);
    }
    free(watch.order);
    free(seconds);
    return status;
}

// ---- in words ----

static void compare_numbers(struct ki_text *words, const char *label, const char *other, const char *what,
                            long mine, long its)
{
    if (mine >= 0 && its >= 0 && mine != its)
        ki_text_format(words, "%s has %ld %s, %s %ld.\n", label, mine, what, other, its);
}

static void add_widths(struct ki_text *words, const char *label, const char *what,
                       const size_t widths[PTX_WIDTHS])
{
    const char *between = " ";
    size_t total = 0;

    for (size_t i = 0; i < PTX_WIDTHS; i++)
        total += widths[i];
    ki_text_format(words, "%s has%s", label, total ? "" : " no ");
    for (size_t i = 0; i < PTX_WIDTHS; i++)
        if (widths[i]) {
            ki_text_format(words, "%s%zu %s of %zu byte%s", between, widths[i], what, (size_t)1 << i,
                           i ? "s" : "");
            between = " and ";
        }
    if (!total)
        ki_text_add(words, what);
}

static void compare_widths(struct ki_text *words, const struct explain_row *row,
                           const struct explain_row *first, const char *what, const size_t mine[PTX_WIDTHS],
                           const size_t its[PTX_WIDTHS])
{
    if (memcmp(mine, its, PTX_WIDTHS * sizeof *mine) == 0)
        return;
    add_widths(words, row->label, what, mine);
    ki_text_add(words, "; ");
    add_widths(words, first->label, what, its);
    ki_text_add(words, ".\n");
}

static void compare_occupancy(struct ki_text *words, const struct explain_row *row,
                              const struct explain_row *first)
{
    const struct occupancy *mine = &row->occupancy, *its = &first->occupancy;

    if (!row->has_occupancy || !first->has_occupancy || mine->groups == its->groups)
        return;
    ki_text_format(words,
                   "%s: a multiprocessor holds %u groups at once (%u of %u warps, limited by %s), of %s %u "
                   "(%u of %u, by %s).\n",
                   row->label, mine->groups, mine->warps, mine->most, mine->limited_by, first->label,
                   its->groups, its->warps, its->most, its->limited_by);
}

static void compare_mixes(struct ki_text *words, const struct explain_row *row,
                          const struct explain_row *first)
{
    if (!row->has_mix || !first->has_mix)
        return;
    compare_widths(words, row, first, "global loads", row->mix.load_widths, first->mix.load_widths);
    compare_widths(words, row, first, "global stores", row->mix.store_widths, first->mix.store_widths);
    for (size_t c = 0; c < PTX_CLASSES; c++) {
        size_t mine = row->mix.counts[c], its = first->mix.counts[c];
        size_t apart = mine > its ? mine - its : its - mine;

        // Loads and stores are reported above; small differences in large counts mean nothing.
        if (c == PTX_GLOBAL_LOAD || c == PTX_GLOBAL_STORE || c == PTX_OTHER || 10 * apart <= mine + its)
            continue;
        ki_text_format(words, "%s has %zu %s in its code, %s %zu.\n", row->label, mine, ptx_class_names[c],
                       first->label, its);
    }
}

static void compare_rows(struct ki_text *words, const struct explain_row *row,
                         const struct explain_row *first)
{
    long mine = row->resources.registers >= 0 ? row->resources.registers : row->report.registers;
    long its = first->resources.registers >= 0 ? first->resources.registers : first->report.registers;
    size_t before = words->length;

    if (row->seconds > 0 && first->seconds > 0 &&
        (row->seconds > 1.02 * first->seconds || first->seconds > 1.02 * row->seconds))
        ki_text_format(words, "%s takes %.3g times as long as %s.\n", row->label,
                       row->seconds / first->seconds, first->label);
    if (row->group && first->group && row->group != first->group)
        ki_text_format(words, "%s runs in groups of %zu work-items, %s of %zu.\n", row->label, row->group,
                       first->label, first->group);
    if (row->launches != first->launches)
        ki_text_format(words, "%s launches it %zu times, %s %zu times.\n", row->label, row->launches,
                       first->label, first->launches);
    compare_numbers(words, row->label, first->label, "registers a work-item", mine, its);
    compare_numbers(words, row->label, first->label, "bytes of spilled registers", row->report.spill_bytes,
                    first->report.spill_bytes);
    compare_numbers(words, row->label, first->label, "bytes of local memory", row->resources.local_bytes,
                    first->resources.local_bytes);
    compare_occupancy(words, row, first);
    compare_mixes(words, row, first);
    if (words->length == before)
        ki_text_format(words, "%s does not differ from %s in anything that is told.\n", row->label,
                       first->label);
}

void explain_words(const struct explain_row *rows, size_t count, struct ki_text *words)
{
    const struct explain_row *first = NULL;

    for (size_t i = 0; i < count; i++) {
        const struct explain_row *row = &rows[i];

        if (*row->why)
            ki_text_format(words, "%s: %s.\n", row->label, row->why);
        else if (!row->ptx)
            ki_text_format(words, "%s.\n", row->no_ptx);
        if (row->programs > 1)
            ki_text_format(
                words, "%s: %zu programs have this kernel, with other definitions; this is the slowest.\n",
                row->label, row->programs);
        if (*row->differs)
            ki_text_format(words, "%s: %s.\n", row->label, row->differs);
        if (row->is_wrong)
            ki_text_format(words, "%s: the answer is WRONG.\n", row->label);
        if (*row->why)
            continue;
        if (first)
            compare_rows(words, row, first);
        else
            first = row;
    }
}
