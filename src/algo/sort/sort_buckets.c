// SPDX-License-Identifier: Apache-2.0
// The launches of cl/algo/sort/sort_buckets.cl, and the intervals of its buckets.
#include <koine/experimental.h>
#include <koine/host.h>

#include <string.h>

#include "shared/sort_buckets.h"
#include "base/array.h"
#include "base/error.h"
#include "engine/cost/crossovers.h"
#include "sort.h"

enum {
    WANTED_MOST = 512,        // so that they need not be equally large
    WANTED_LEAST = 32,        // so that all threads have something to do
    BUCKET_BYTES = 128 << 10, // wanted: several arrays of them fit a core's second-level cache
    ROWS_LOG2 = 12,           // of the table
    ROWS = 1 << ROWS_LOG2,
    SAMPLES_A_BUCKET = 16,
    SAMPLE_GROUPS = 8,
    CHUNKS = 4 // a compute unit
};

// A bucket with more than this part of all keys leaves too little for the other threads.
enum { LARGEST_PART = 8 };

// Slots of scratch memory.
enum { COUNTS, STARTS, ROWS_SLOT, STATE, KEYS, SPARE, VALUES, SPARE_VALUES, SLOTS };

// What the host keeps.
struct tables {
    uint64_t sample[WANTED_MOST * SAMPLES_A_BUCKET];
    uint32_t rows[ROWS];
    uint32_t state[1 + BUCKETS_MOST + 1]; // 0, and the buckets' bounds
};

struct buckets {
    const struct sort_job *job;
    kn_queue *queue;
    struct tables *tables;
    struct engine_scratch scratch;
    kn_buffer *slots[SLOTS];
    uint64_t chunk, least, most; // keys a group; the range of keys that the intervals cover
    uint32_t n, wanted, groups, flags;
    uint32_t shift, used, largest; // bits of a key below those for a row; buckets; keys of the largest one
};

static kn_status get_slot(struct buckets *b, unsigned slot, uint64_t bytes, kn_error *err)
{
    return ki_engine_scratch_get(&b->scratch, slot, (size_t)bytes, &b->slots[slot], err);
}

static kn_status launch(const struct buckets *b, const char *name, size_t groups, const kn_arg *args,
                        size_t count, kn_error *err)
{
    const kn_range range = {1, {groups}, {1}, {0}};
    struct engine_defines defines = {.count = 0};
    kn_kernel *kernel = NULL;
    kn_status status;

    ki_sort_define_keys(&defines, b->job);
    ki_engine_define(&defines, "VALUE_BYTES", (unsigned)b->job->value_size);
    ki_engine_define(&defines, "BUCKETS", BUCKETS_MOST);
    status = ki_engine_builtin_kernel(b->queue->context, "algo/sort/sort_buckets.cl", defines.items,
                                      defines.count, KN_POLICY_DEFAULT, name, &kernel, err);
    return status ? status : kn_launch(b->queue, kernel, &range, args, count, NO_EVENT, err);
}

// ---- intervals ----

static kn_status read_sample(struct buckets *b, uint32_t count, kn_error *err)
{
    const kn_host_options alone = KN_INIT(kn_host_options, .threads = 1);
    uint32_t seed = b->n;
    uint64_t n = b->n;
    kn_status status = get_slot(b, COUNTS, count * sizeof(uint64_t), err);

    if (!status) {
        const kn_arg args[] = {KN_BUFFER(b->job->keys), KN_VALUE(n), KN_VALUE(count), KN_VALUE(seed),
                               KN_BUFFER(b->slots[COUNTS])};
        status = launch(b, "sample_keys", SAMPLE_GROUPS, args, KI_COUNT(args), err);
    }
    if (!status)
        status =
            kn_buffer_read(b->queue, b->slots[COUNTS], 0, b->tables->sample, count * sizeof(uint64_t), err);
    return status ? status : kn_host_sort(b->tables->sample, KN_U64, count, &alone, err);
}

// The largest number of keys of a sorted sample that agree in all bits from `low` up.
static uint32_t largest_part(const uint64_t *sample, uint32_t count, unsigned low)
{
    uint32_t most = 0;

    for (uint32_t i = 0, run = 0; i < count; i++) {
        run = i > 0 && sample[i] >> low == sample[i - 1] >> low ? run + 1 : 1;
        most = run > most ? run : most;
    }
    return most;
}

// The lowest bit needed to divide the `count` keys of a row so that no bucket has more than `most` of the
// sample, or as far as there are buckets.
static unsigned divide_row(const struct buckets *b, const uint64_t *sample, uint32_t count, uint32_t most)
{
    unsigned low = b->shift;

    while (low > 0 && largest_part(sample, count, low) > most &&
           b->used + ((uint64_t)1 << (b->shift - low + 1)) < BUCKETS_MOST)
        low--;
    return low;
}

// A few keys beyond the range of most keys do not decide how the others are divided.
static void choose_range(struct buckets *b, uint32_t count)
{
    uint64_t *sample = b->tables->sample;
    uint32_t beyond = count / 1024;

    b->least = sample[beyond];
    b->most = sample[count - 1 - beyond];
    b->shift = 0;
    while ((b->most >> b->shift) - (b->least >> b->shift) >= ROWS)
        b->shift++;
    b->least = b->least >> b->shift << b->shift; // the keys of a bucket have their high bits in common
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = sample[i] < b->most ? sample[i] : b->most;
        sample[i] = key > b->least ? key - b->least : 0;
    }
}

// Rows with many keys of the sample are divided into buckets; neighbouring rows with few keys share one.
// Returns the number of sample keys in the largest bucket.
static uint32_t draw_intervals(struct buckets *b, uint32_t count)
{
    const uint64_t *sample = b->tables->sample;
    uint32_t most = count / b->wanted * 3 / 2, open = UINT32_MAX,
             largest = 0; // open: keys of the open bucket

    choose_range(b, count);
    b->used = 0;
    for (uint32_t row = 0, i = 0, end; row <= (b->most - b->least) >> b->shift; row++, i = end) {
        unsigned low;
        for (end = i; end < count && sample[end] >> b->shift == row;)
            end++;
        low = divide_row(b, sample + i, end - i, most);
        if (low < b->shift) {
            uint32_t part = largest_part(sample + i, end - i, low);
            b->tables->rows[row] = b->used | low << 16;
            b->used += 1u << (b->shift - low);
            largest = part > largest ? part : largest;
            open = UINT32_MAX;
            continue;
        }
        if (open == UINT32_MAX || (open > 0 && open + (end - i) > most && b->used < BUCKETS_MOST)) {
            b->used++;
            open = 0;
        }
        b->tables->rows[row] = (b->used - 1) | low << 16;
        open += end - i;
        largest = open > largest ? open : largest;
    }
    return largest;
}

// ---- the buckets ----

// Computes where each group's keys of each bucket go from their counts.
static void place_buckets(struct buckets *b, uint32_t *counts)
{
    uint32_t position = 0, *bounds = b->tables->state + 1;

    b->largest = 0;
    for (uint32_t bucket = 0; bucket < b->used; bucket++) {
        bounds[bucket] = position;
        for (uint32_t group = 0; group < b->groups; group++) {
            uint32_t count = counts[group * BUCKETS_MOST + bucket];
            counts[group * BUCKETS_MOST + bucket] = position;
            position += count;
        }
        if (position - bounds[bucket] > b->largest)
            b->largest = position - bounds[bucket];
    }
    bounds[b->used] = position;
    b->tables->state[0] = 0;
}

static kn_status count_buckets(struct buckets *b, kn_error *err)
{
    uint64_t n = b->n;
    size_t bytes = (size_t)b->groups * BUCKETS_MOST * sizeof(uint32_t);
    uint32_t *counts = ki_kept_take(&b->queue->kept, bytes);
    kn_status status = counts ? get_slot(b, COUNTS, bytes, err)
                              : ki_fail_memory(err, bytes, "the counts of a sort's buckets");

    if (!status)
        status = get_slot(b, ROWS_SLOT, sizeof b->tables->rows, err);
    if (!status)
        status =
            kn_buffer_write(b->queue, b->slots[ROWS_SLOT], 0, b->tables->rows, sizeof b->tables->rows, err);
    if (!status) {
        const kn_arg args[] = {
            KN_BUFFER(b->job->keys), KN_VALUE(n),       KN_VALUE(b->chunk), KN_BUFFER(b->slots[ROWS_SLOT]),
            KN_VALUE(b->least),      KN_VALUE(b->most), KN_VALUE(b->shift), KN_BUFFER(b->slots[COUNTS])};
        status = launch(b, "count_buckets", b->groups, args, KI_COUNT(args), err);
    }
    if (!status)
        status = kn_buffer_read(b->queue, b->slots[COUNTS], 0, counts, bytes, err);
    if (!status) {
        place_buckets(b, counts);
        status = kn_buffer_write(b->queue, b->slots[COUNTS], 0, counts, bytes, err);
    }
    ki_kept_give(&b->queue->kept, counts);
    return status;
}

// Bytes of the lines that scatter_buckets gathers.
static uint64_t lines_bytes(const struct sort_job *job)
{
    return (uint64_t)BUCKETS_MOST * LINE * (job->value_size ? 2 : 1);
}

static kn_status scatter_buckets(struct buckets *b, kn_error *err)
{
    uint64_t n = b->n;
    uint32_t flags = b->flags | (b->job->indices ? IOTA : 0);
    kn_status status = get_slot(b, KEYS, n * kn_type_size(b->job->type), err);
    kn_arg args[14];
    size_t count = 0;

    if (!status && b->job->values)
        status = get_slot(b, VALUES, n * b->job->value_size, err);
    if (status)
        return status;
    args[count++] = KN_BUFFER(b->job->keys);
    args[count++] = KN_BUFFER(b->slots[KEYS]);
    if (b->job->values) {
        args[count++] = KN_BUFFER(b->job->values);
        args[count++] = KN_BUFFER(b->slots[VALUES]);
    }
    args[count++] = KN_VALUE(n);
    args[count++] = KN_VALUE(b->chunk);
    args[count++] = KN_BUFFER(b->slots[ROWS_SLOT]);
    args[count++] = KN_VALUE(b->least);
    args[count++] = KN_VALUE(b->most);
    args[count++] = KN_VALUE(b->shift);
    args[count++] = KN_VALUE(flags);
    args[count++] = KN_BUFFER(b->slots[COUNTS]);
    args[count++] = KN_LOCAL(b->flags & LARGE ? (size_t)lines_bytes(b->job) : LINE);
    return launch(b, "scatter_buckets", b->groups, args, count, err);
}

// As many groups as there are compute units, if their spare memory does not exceed that of the keys.
static kn_status sort_each(struct buckets *b, kn_error *err)
{
    uint32_t units = b->queue->context->device.info.compute_units,
             flags = b->flags | (b->job->indices ? NO_KEYS : 0);
    uint64_t most = b->n / 2 / (b->largest ? b->largest : 1), groups = units < most ? units : most;
    uint64_t spare;
    kn_status status = get_slot(b, STATE, sizeof b->tables->state, err);
    kn_arg args[12];
    size_t count = 0;

    groups = groups ? groups : 1;
    spare = 2 * groups * b->largest;
    if (!status)
        status =
            kn_buffer_write(b->queue, b->slots[STATE], 0, b->tables->state, sizeof b->tables->state, err);
    if (!status)
        status = get_slot(b, SPARE, spare * kn_type_size(b->job->type), err);
    if (!status && b->job->values)
        status = get_slot(b, SPARE_VALUES, spare * b->job->value_size, err);
    if (status)
        return status;
    args[count++] = KN_BUFFER(b->slots[KEYS]);
    args[count++] = KN_BUFFER(b->job->keys);
    args[count++] = KN_BUFFER(b->slots[SPARE]);
    if (b->job->values) {
        args[count++] = KN_BUFFER(b->slots[VALUES]);
        args[count++] = KN_BUFFER(b->job->values);
        args[count++] = KN_BUFFER(b->slots[SPARE_VALUES]);
    }
    args[count++] = KN_VALUE(b->largest);
    args[count++] = KN_VALUE(b->used);
    args[count++] = KN_VALUE(flags);
    args[count++] = KN_BUFFER(b->slots[STATE]);
    return launch(b, "sort_buckets", (size_t)groups, args, count, err);
}

static kn_status sort_in_buckets(struct buckets *b, bool *done, kn_error *err)
{
    bool asked = b->job->tuning.digits == KN_SORT_DIGITS_HIGHEST;
    uint32_t wanted = b->wanted * SAMPLES_A_BUCKET, samples = wanted < b->n ? wanted : b->n;
    kn_status status = read_sample(b, samples, err);

    if (status)
        return status;
    *done = draw_intervals(b, samples) <= samples / LARGEST_PART || asked;
    if (!*done)
        return KN_OK;
    status = count_buckets(b, err);
    *done = b->largest <= b->n / LARGEST_PART * 2 || asked;
    if (status || !*done)
        return status;
    status = scatter_buckets(b, err);
    return status ? status : sort_each(b, err);
}

kn_status ki_sort_buckets(const struct sort_job *job, bool *done, kn_error *err)
{
    uint64_t bytes = job->n * (kn_type_size(job->type) + job->value_size), wanted = bytes / BUCKET_BYTES + 1,
             chunks = (uint64_t)CHUNKS * job->queue->context->device.info.compute_units;
    struct buckets b = {.job = job, .queue = job->queue, .n = (uint32_t)job->n};
    kn_status status;

    b.flags = bytes >= ki_engine_crossover(job->queue->context, CROSSOVER_SORT_LINES) &&
                      lines_bytes(job) <= job->queue->context->device.info.local_memory
                  ? LARGE
                  : 0;
    b.wanted = wanted < WANTED_LEAST ? WANTED_LEAST : wanted > WANTED_MOST ? WANTED_MOST : (uint32_t)wanted;
    while (b.wanted > 1 && b.wanted * SAMPLES_A_BUCKET > job->n)
        b.wanted--;
    b.chunk = (job->n - 1) / chunks + 1;
    b.groups = (uint32_t)((job->n - 1) / b.chunk + 1);
    b.tables = ki_kept_take(&job->queue->kept, sizeof *b.tables);
    if (!b.tables)
        return ki_fail_memory(err, sizeof *b.tables, "a sort's buckets");
    b.scratch = ki_engine_scratch_open(job->queue, ENGINE_SCRATCH_ALGORITHM, SLOTS, job->function);
    status = sort_in_buckets(&b, done, err);
    ki_engine_scratch_close(&b.scratch);
    ki_kept_give(&job->queue->kept, b.tables);
    return status;
}

static kn_status sort_by_one(struct buckets *b, kn_error *err)
{
    const struct sort_job *job = b->job;
    uint32_t flags = job->indices ? IOTA | NO_KEYS : 0;
    kn_status status = get_slot(b, SPARE, 2 * job->n * kn_type_size(job->type), err);
    kn_arg args[6];
    size_t count = 0;

    if (!status && job->values)
        status = get_slot(b, SPARE_VALUES, 2 * job->n * job->value_size, err);
    if (status)
        return status;
    args[count++] = KN_BUFFER(job->keys);
    args[count++] = KN_BUFFER(b->slots[SPARE]);
    if (job->values) {
        args[count++] = KN_BUFFER(job->values);
        args[count++] = KN_BUFFER(b->slots[SPARE_VALUES]);
    }
    args[count++] = KN_VALUE(b->n);
    args[count++] = KN_VALUE(flags);
    return launch(b, "sort_whole", 1, args, count, err);
}

kn_status ki_sort_whole(const struct sort_job *job, kn_error *err)
{
    struct buckets b = {
        .job = job,
        .queue = job->queue,
        .n = (uint32_t)job->n,
        .scratch = ki_engine_scratch_open(job->queue, ENGINE_SCRATCH_ALGORITHM, SLOTS, job->function)};
    kn_status status = sort_by_one(&b, err);

    ki_engine_scratch_close(&b.scratch);
    return status;
}
