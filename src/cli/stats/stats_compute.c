// SPDX-License-Identifier: Apache-2.0
// koine stats: computes columns, whole and their prefixes, in each configuration, and times it.
#include "cmd_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "tools/compare/measure.h"

// A column, or several, in the work: how far the whole work is, and where this part of it begins.
struct work {
    const struct stats_run *run;
    const struct stats_config *config;
    kn_stats_times *times; // of the configuration
    kn_stats_plan *plan;
    const struct csv_column *spooled; // the column that is computed, where it is in a file
    double *seconds;                  // of the repetitions
    struct progress *progress;
    double before, share;
};

// What is computed: the first n elements; `count` prefixes at once (`ends` not NULL); or all columns that the
// plan holds (`columns`).
struct task {
    size_t n;
    const size_t *ends;
    size_t count;
    kn_stats *results;
    bool columns;
};

static kn_status compute_once(const struct work *work, const struct task *task, kn_error *err)
{
    kn_status status =
        work->spooled   ? stats_compute_spooled(work->plan, work->spooled, task->n, task->results, err)
        : task->columns ? kn_stats_plan_compute_columns(work->plan, task->results, err)
        : task->ends ? kn_stats_plan_compute_prefixes(work->plan, task->ends, task->count, task->results, err)
                     : kn_stats_plan_compute(work->plan, task->n, task->results, err);

    return ki_error_unname(status, err);
}

// Whether a time is one of several that are compared, and a device's: drivers compile parts of a kernel at
// its first launch, and at that of each new size.
static bool warms_up(const struct work *work)
{
    const struct stats_run *run = work->run;

    return run->places[work->config->place].queue &&
           (run->arguments->repetitions > 1 || run->config_count > 1 || run->cuts.parts || run->cuts.step);
}

// Computes it as often as was asked for; the median of the seconds, in which no kernel is compiled.
static kn_status compute(struct work *work, const struct task *task, double *median, kn_error *err)
{
    size_t repetitions = work->run->arguments->repetitions;
    kn_status status = warms_up(work) ? compute_once(work, task, err) : KN_OK;

    for (size_t i = 0; i < repetitions && !status; i++) {
        double build = kn_stats_plan_get_times(work->plan).build, start = ki_clock_seconds();

        status = compute_once(work, task, err);
        work->seconds[i] = ki_clock_seconds() - start - (kn_stats_plan_get_times(work->plan).build - build);
        work->seconds[i] = fmax(work->seconds[i], 0);
        work->times->compute += work->seconds[i];
    }
    if (!status)
        *median = measure_times(work->seconds, repetitions).median;
    return status;
}

static void show(const struct work *work, double done)
{
    if (work->progress)
        progress_step(work->progress, done);
}

// Each prefix by itself. The last one is the whole column, which is computed already.
static kn_status compute_prefixes(struct work *work, struct stats_row *row, kn_error *err)
{
    size_t n = row->result.n, last = row->prefix_count - 1;
    kn_status status = KN_OK;

    for (size_t i = 0; i < last && !status; i++) {
        const struct task task = {.n = stats_prefix_end(work->run->cuts, n, i), .results = &row->prefixes[i]};

        status = compute(work, &task, &row->prefix_seconds[i], err);
        show(work, work->before + work->share * (double)(i + 1) / (double)row->prefix_count);
    }
    row->prefixes[last] = row->result;
    row->prefix_seconds[last] = row->seconds;
    return status;
}

static kn_status sweep_prefixes(struct work *work, struct stats_row *row, kn_error *err)
{
    if (work->spooled)
        return ki_fail(
            err, KN_ERROR_MEMORY,
            "--sweep needs the whole column %s in memory, %.0f MB and as much again, which is more than is "
            "free or --memory-limit allows; without --sweep its prefixes are computed one by one",
            row->column, (double)row->result.n * sizeof(double) * 1e-6);

    size_t *ends = calloc(row->prefix_count, sizeof *ends);
    const struct task task = {.ends = ends, .count = row->prefix_count, .results = row->prefixes};
    kn_status status;

    if (!ends)
        return ki_fail_memory(err, row->prefix_count * sizeof *ends, "the ends of the prefixes");
    for (size_t i = 0; i < row->prefix_count; i++)
        ends[i] = stats_prefix_end(work->run->cuts, row->result.n, i);
    status = compute(work, &task, &row->sweep_seconds, err);
    free(ends);
    return status;
}

void stats_row_free(struct stats_row *row)
{
    stats_windows_free(&row->windows);
    free(row->column);
    free(row->prefixes);
    free(row->prefix_seconds);
}

static kn_status allocate_row(const struct stats_run *run, const struct csv_column *column,
                              struct stats_row *row, kn_error *err)
{
    size_t count = stats_prefix_count(run->cuts, column->count);

    row->column = strdup(column->name);
    row->prefix_count = count;
    row->prefixes = count ? calloc(count, sizeof *row->prefixes) : NULL;
    row->prefix_seconds = count && !run->arguments->sweep ? calloc(count, sizeof *row->prefix_seconds) : NULL;
    if (!row->column || (count && !row->prefixes) ||
        (count && !run->arguments->sweep && !row->prefix_seconds))
        return ki_fail_memory(err, count * sizeof *row->prefixes, "the results of the prefixes");
    return KN_OK;
}

static kn_status compute_all(struct work *work, const struct csv_column *column, struct stats_row *row,
                             kn_error *err)
{
    const struct task whole = {.n = column->count, .results = &row->result};
    kn_status status = compute(work, &whole, &row->seconds, err);

    row->passes = work->spooled ? kn_stats_plan_get_passes(work->plan) : 0;
    if (!status && row->prefix_count)
        status =
            work->run->arguments->sweep ? sweep_prefixes(work, row, err) : compute_prefixes(work, row, err);
    return status;
}

kn_stats_options stats_plan_options(const struct stats_run *run, const struct stats_config *config)
{
    const struct stats_arguments *arguments = run->arguments;

    return KN_INIT(
        kn_stats_options, .method = run->method, .variant = config->variant, .single = config->single,
        .mad_scale = arguments->mad_scale == MAD_SCALE_NORMAL ? KN_STATS_MAD_NORMAL : KN_STATS_MAD_RAW,
        .policy = (kn_policy)arguments->common.policy);
}

// A plan for a column, and others that are not longer.
static kn_status open_plan(struct work *work, const struct csv_column *column, kn_error *err)
{
    const kn_stats_options how = stats_plan_options(work->run, work->config);
    size_t held = column->count;
    kn_status status =
        column->spool ? stats_choose_held(work->run, work->config, &how, held, &held, err) : KN_OK;

    work->spooled = column->spool ? column : NULL;
    return status ? status
                  : ki_error_unname(kn_stats_plan_create(work->run->places[work->config->place].queue, KN_F64,
                                                         held, &how, &work->plan, err),
                                    err);
}

static void close_plan(struct work *work)
{
    const kn_stats_times times = kn_stats_plan_get_times(work->plan);

    work->times->build += times.build;
    work->times->upload += times.upload;
    work->times->download += times.download;
    kn_stats_plan_free(work->plan);
    work->plan = NULL;
}

// Columns of a table in one configuration: `columns` + i belongs to rows[i * stride].
struct stretch {
    const struct csv_column *columns;
    size_t count;
    struct stats_row *rows;
    size_t stride;
};

static kn_status compute_column(struct work *work, const struct stretch *one, kn_error *err)
{
    struct stats_row *row = one->rows;
    kn_status status = work->spooled
                           ? KN_OK
                           : kn_stats_plan_load(work->plan, one->columns->values, one->columns->count, err);

    status = ki_error_unname(status, err);
    if (!status)
        status = compute_all(work, one->columns, row, err);
    row->method = kn_stats_plan_get_method(work->plan);
    row->in_bytes = kn_stats_plan_get_in_bytes(work->plan);
    return status;
}

// A column's time is its share of the time that all take.
static kn_status compute_together(struct work *work, const struct stretch *several, kn_error *err)
{
    kn_stats *results = calloc(several->count, sizeof *results);
    const void **values = calloc(several->count, sizeof *values);
    const struct task all = {.results = results, .columns = true};
    double seconds = 0;
    kn_status status = results && values ? KN_OK
                                         : ki_fail_memory(err, several->count * sizeof *results,
                                                          "the statistics of columns");

    for (size_t i = 0; i < several->count && !status; i++)
        values[i] = several->columns[i].values;
    if (!status)
        status = ki_error_unname(
            kn_stats_plan_load_columns(work->plan, values, several->columns->count, several->count, err),
            err);
    if (!status)
        status = compute(work, &all, &seconds, err);
    for (size_t i = 0; i < several->count && !status; i++) {
        struct stats_row *row = &several->rows[i * several->stride];

        row->result = results[i];
        row->seconds = seconds / (double)several->count;
        row->method = kn_stats_plan_get_method(work->plan);
        row->in_bytes = kn_stats_plan_get_column_in_bytes(work->plan, i);
    }
    free(results);
    free(values);
    return status;
}

// How many of the columns are computed together: those of the first one's length, if they have no prefixes.
static size_t count_together(const struct work *work, const struct stretch *all)
{
    size_t n = all->columns->count, most = kn_stats_plan_get_columns_together(work->plan, n), count = 1;

    if (all->rows->prefix_count || work->spooled)
        return 1;
    while (count < all->count && count < most && all->columns[count].count == n)
        count++;
    return count;
}

// The whole table in one configuration. `done`: of the whole work.
static kn_status compute_config(struct work *work, struct stretch left, double *done, kn_error *err)
{
    kn_status status = KN_OK;

    while (left.count && !status) {
        struct stretch some = left;

        work->before = *done;
        status = open_plan(work, left.columns, err);
        some.count = status ? 0 : count_together(work, &left);
        if (!status)
            status = (some.count > 1 ? compute_together : compute_column)(work, &some, err);
        close_plan(work);
        left.columns += some.count;
        left.rows += some.count * left.stride;
        left.count -= some.count;
        *done += work->share * (double)some.count;
        show(work, *done);
    }
    return status;
}

// The configurations of the place that computes them.
static const struct stats_config *configs_of(const struct stats_run *run, const struct stats_found *found)
{
    return &run->configs[found->place * run->config_count];
}

// Rows for each column in each configuration, without results.
static kn_status add_rows(const struct stats_run *run, const char *file, const struct csv_column *columns,
                          size_t count, struct stats_found *found, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < count * run->config_count && !status; i++) {
        const struct csv_column *column = &columns[i / run->config_count];
        struct stats_row row = {.file = file,
                                .config = found->place * run->config_count + i % run->config_count,
                                .missing = column->missing,
                                .sweep_seconds = NAN};

        status = allocate_row(run, column, &row, err);
        if (!status && !KI_ARRAY_PUSH(found->rows, found->row_count, found->row_capacity, row))
            status = ki_fail_memory(err, 0, "keeping the results");
        if (status)
            stats_row_free(&row);
    }
    return status;
}

// The windows of all columns, in each configuration.
static kn_status compute_windows(const struct stats_run *run, const struct csv_column *columns,
                                 const struct stats_series *series, struct stats_found *found, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < found->row_count && !status; i++) {
        const size_t way = i % run->config_count;

        status = stats_compute_windows(run, &configs_of(run, found)[way], &columns[i / run->config_count],
                                       series, &found->rows[i], err);
        found->times[way].compute += found->rows[i].windows.seconds;
    }
    found->windows_in_seconds = series->times || series->rate > 0;
    return status;
}

kn_status stats_compute_columns(const struct stats_run *run, const char *file,
                                const struct csv_column *columns, size_t count,
                                const struct stats_series *series, const struct stats_stage *stage,
                                struct stats_found *found, kn_error *err)
{
    struct work work = {
        .run = run, .progress = stage->progress, .share = stage->share / (double)(count * run->config_count)};
    double done = stage->before;
    kn_status status = add_rows(run, file, columns, count, found, err);

    found->times = calloc(run->config_count, sizeof *found->times);
    work.seconds = calloc(run->arguments->repetitions, sizeof *work.seconds);
    if (!status && (!work.seconds || !found->times))
        status = ki_fail_memory(err, run->arguments->repetitions * sizeof *work.seconds,
                                "the times of the repetitions");
    for (size_t i = 0; i < run->config_count && !status; i++) {
        const struct stretch all = {columns, count, &found->rows[i], run->config_count};

        work.config = &configs_of(run, found)[i];
        work.times = &found->times[i];
        status = compute_config(&work, all, &done, err);
    }
    free(work.seconds);
    return !status && run->window.value > 0 ? compute_windows(run, columns, series, found, err) : status;
}

void stats_found_free(struct stats_found *found)
{
    for (size_t i = 0; i < found->row_count; i++)
        stats_row_free(&found->rows[i]);
    free(found->rows);
    free(found->times);
}

const struct stats_config *stats_config_of(const struct stats_run *run, const struct stats_row *row)
{
    return &run->configs[row->config];
}

void stats_run_free(struct stats_run *run)
{
    for (size_t i = 0; i < run->place_count; i++)
        place_close(&run->places[i]);
    for (size_t i = 0; i < run->row_count; i++)
        stats_row_free(&run->rows[i]);
    for (size_t i = 0; i < run->facts_count; i++)
        free(run->facts[i].times);
    for (size_t i = 0; run->taken && i < run->place_count; i++)
        free(run->taken[i].dropped);
    choose_free(&run->chosen);
    free(run->taken);
    free(run->facts);
    free(run->quantiles);
    free(run->places);
    free(run->configs);
    free(run->rows);
}

size_t stats_groups(const struct stats_run *run)
{
    return run->row_count / run->config_count;
}

const struct stats_row *stats_row(const struct stats_run *run, size_t group, size_t config)
{
    return &run->rows[group * run->config_count + config];
}

static bool same_bits(double a, double b)
{
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are what it compares
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bool same_result(const kn_stats *a, const kn_stats *b)
{
    return a->n == b->n && same_bits(a->mean, b->mean) && same_bits(a->std, b->std) &&
           same_bits(a->cv, b->cv) && same_bits(a->median, b->median) && same_bits(a->mad, b->mad);
}

bool stats_same_results(const struct stats_row *a, const struct stats_row *b)
{
    bool same = same_result(&a->result, &b->result) && a->prefix_count == b->prefix_count;

    for (size_t i = 0; i < a->prefix_count && same; i++)
        same = same_result(&a->prefixes[i], &b->prefixes[i]);
    return same;
}

bool stats_name_is_new(const struct stats_run *run, size_t group)
{
    for (size_t i = 0; i < group; i++)
        if (strcmp(stats_row(run, i, 0)->column, stats_row(run, group, 0)->column) == 0)
            return false;
    return true;
}
