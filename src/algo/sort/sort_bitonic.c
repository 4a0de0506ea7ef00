// SPDX-License-Identifier: Apache-2.0
// The stages of cl/algo/sort/sort_bitonic.cl.
#include "base/array.h"

#include <koine/experimental.h>
#include "base/error.h"
#include "sort.h"

struct sorter {
    const struct sort_job *job;
    kn_queue *queue;
    kn_type type;
    uint64_t n;
    unsigned log2_group, log2_keys;
    kn_kernel *blocks, *global, *local;
};

static unsigned log2_block(const struct sorter *s)
{
    return s->log2_group + s->log2_keys;
}

// Local memory of a block, with the unused slots that avoid bank conflicts.
static uint64_t block_bytes(const struct sorter *s)
{
    uint64_t block = (uint64_t)1 << log2_block(s);

    return (block + (block >> s->log2_keys)) * kn_type_size(s->type);
}

// Only a user's own choice is that large on devices with a known limit: CPUs take 8 keys by default.
static kn_status check_compiler(const struct sorter *s, kn_error *err)
{
    const kn_context *context = s->queue->context;
    const unsigned most = context->quirks.bitonic_keys, keys = 1u << s->log2_keys;

    return !most || keys <= most ? KN_OK
                                 : ki_fail(err, KN_ERROR_UNSUPPORTED,
                                           "kn_sort: %u keys a work-item; the compiler of %s (%s, driver %s) "
                                           "crashes on more than %u: "
                                           "ask for log2_keys %u at most, or leave it 0",
                                           keys, context->device.info.spec, context->device.info.platform,
                                           context->device.info.driver, most, s->log2_keys - 1);
}

static unsigned log2_of(unsigned power)
{
    unsigned log2 = 0;

    while (power >>= 1)
        log2++;
    return log2;
}

// Sizes that the device supports: the requested ones; without a requested group, the default one, halved
// until it fits.
static kn_status choose_sizes(struct sorter *s, kn_error *err)
{
    const kn_sort_tuning *tuning = &s->job->tuning;
    const kn_device_info *info = &s->queue->context->device.info;
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_SORT_BITONIC);
    bool group_asked = tuning->log2_group;

    s->log2_group = tuning->log2_group ? tuning->log2_group : log2_of(sizes->group);
    s->log2_keys = tuning->log2_keys ? tuning->log2_keys : log2_of(sizes->items);
    if (s->log2_group < 5 || s->log2_group > 10 || s->log2_keys < 2 || s->log2_keys > 5)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_sort: log2_group %u and log2_keys %u; they go from 5 to 10 and 2 to 5",
                       s->log2_group, s->log2_keys);
    while (((uint64_t)1 << s->log2_group) > info->max_work_group ||
           block_bytes(s) > ki_engine_local_arrays(info)) {
        if (group_asked || s->log2_group == 5)
            return ki_fail(err, KN_ERROR_LIMIT,
                           "kn_sort: groups of %u work-items with %u keys each need %llu bytes of local "
                           "memory; %s takes "
                           "groups of %llu and has %llu bytes for a kernel's arrays",
                           1u << s->log2_group, 1u << s->log2_keys, (unsigned long long)block_bytes(s),
                           info->spec, (unsigned long long)info->max_work_group,
                           (unsigned long long)ki_engine_local_arrays(info));
        s->log2_group--;
    }
    return check_compiler(s, err);
}

static kn_status get_kernels(struct sorter *s, kn_error *err)
{
    const struct {
        const char *name;
        kn_kernel **kernel;
    } wanted[] = {{"sort_blocks", &s->blocks}, {"merge_global", &s->global}, {"merge_local", &s->local}};
    struct engine_defines defines = {.count = 0};
    kn_status status = KN_OK;

    ki_sort_define_keys(&defines, s->job);
    ki_engine_define(&defines, "LOG2_GROUP", s->log2_group);
    ki_engine_define(&defines, "LOG2_KEYS", s->log2_keys);
    for (size_t i = 0; i < KI_COUNT(wanted) && !status; i++)
        status =
            ki_engine_builtin_kernel(s->queue->context, "algo/sort/sort_bitonic.cl", defines.items,
                                     defines.count, KN_POLICY_DEFAULT, wanted[i].name, wanted[i].kernel, err);
    return status;
}

// A launch over n rounded up to runs of 2^log2_run, a work-item for every 2^log2_keys of them.
static kn_range range_over_runs(const struct sorter *s, unsigned log2_run)
{
    size_t runs = (size_t)((s->n - 1) >> log2_run) + 1;
    kn_range range = {1, {(runs << log2_run) >> s->log2_keys}, {(size_t)1 << s->log2_group}, {0}};

    return range;
}

static kn_status launch(const struct sorter *s, kn_kernel *kernel, unsigned log2_run, kn_buffer *keys,
                        uint32_t first, uint32_t second, kn_error *err)
{
    const kn_range range = range_over_runs(s, log2_run);
    const kn_arg args[] = {KN_BUFFER(keys), KN_VALUE(s->n), KN_VALUE(first), KN_VALUE(second)};

    return kn_launch(s->queue, kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status sort_blocks(const struct sorter *s, kn_buffer *keys, uint32_t decode, kn_error *err)
{
    const kn_range range = range_over_runs(s, log2_block(s));
    const kn_arg args[] = {KN_BUFFER(keys), KN_VALUE(s->n), KN_VALUE(decode)};

    return kn_launch(s->queue, s->blocks, &range, args, KI_COUNT(args), NO_EVENT, err);
}

// Stage `stage`: runs of 2^(stage - 1) become runs of 2^stage.
static kn_status merge_stage(const struct sorter *s, kn_buffer *keys, unsigned stage, bool last,
                             kn_error *err)
{
    unsigned bits = stage - s->log2_keys; // the remaining steps are at distances 2^(bits - 1), ..., 1
    kn_status status = launch(s, s->global, stage, keys, bits, 1, err);

    while (!status && bits > log2_block(s)) {
        bits -= s->log2_keys;
        status = launch(s, s->global, stage, keys, bits, 0, err);
    }
    return status ? status : launch(s, s->local, log2_block(s), keys, bits, last, err);
}

static kn_status sort_network(const struct sorter *s, kn_buffer *keys, kn_error *err)
{
    unsigned stages = 0;
    kn_status status;

    while (stages < 63 && ((uint64_t)1 << stages) < s->n)
        stages++;
    status = sort_blocks(s, keys, stages <= log2_block(s), err);
    for (unsigned stage = log2_block(s) + 1; stage <= stages && !status; stage++)
        status = merge_stage(s, keys, stage, stage == stages, err);
    return status;
}

// The classical network: a copy padded to a power of two with NaN, which sort last.
static kn_status sort_padded(struct sorter *s, kn_buffer *keys, kn_error *err)
{
    size_t size = kn_type_size(s->type);
    uint64_t n = s->n, padded = 1;
    const uint64_t largest[2] = {0xfff0000000000001u, 0xff800001u}; // decodes from the largest key
    const void *filler = s->type == KN_F64 ? (const void *)&largest[0] : (const void *)&largest[1];
    kn_buffer *copy = NULL;
    struct engine_scratch scratch =
        ki_engine_scratch_open(s->queue, ENGINE_SCRATCH_ALGORITHM, 1, s->job->function);
    kn_status status;

    while (padded < n)
        padded *= 2;
    status = ki_engine_scratch_get(&scratch, 0, (size_t)padded * size, &copy, err);
    if (!status)
        status = kn_buffer_copy(s->queue, keys, 0, copy, 0, (size_t)n * size, NO_EVENT, err);
    if (!status && padded > n)
        status = kn_buffer_fill(s->queue, copy, filler, size, (size_t)n * size, (size_t)(padded - n) * size,
                                NO_EVENT, err);
    s->n = padded;
    if (!status)
        status = sort_network(s, copy, err);
    if (!status)
        status = kn_buffer_copy(s->queue, copy, 0, keys, 0, (size_t)n * size, NO_EVENT, err);
    ki_engine_scratch_close(&scratch);
    return status;
}

kn_status ki_sort_bitonic(const struct sort_job *job, kn_error *err)
{
    struct sorter s = {.job = job, .queue = job->queue, .type = job->type, .n = job->n};
    kn_status status = choose_sizes(&s, err);

    if (!status)
        status = get_kernels(&s, err);
    if (status)
        return status;
    return job->tuning.padding == KN_SORT_POWER_OF_TWO ? sort_padded(&s, job->keys, err)
                                                       : sort_network(&s, job->keys, err);
}
