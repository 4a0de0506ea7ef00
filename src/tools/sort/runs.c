// SPDX-License-Identifier: Apache-2.0
// Runs are merged with a heap of their first keys, as 64-bit integers in the requested order.
#include "runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/spool.h"
#include "rank.h"

struct run {
    size_t next, end; // records in the files that are not yet in memory
    char *keys, *values;
    size_t at, have; // position and number of those in memory
    uint64_t rank;   // of the key at that position
};

struct sort_runs {
    struct sort_order order;
    size_t key_size, value_size;
    struct ki_spool *keys, *values;
    struct run *items;
    size_t count, capacity, records;
};

static const char what[] = "a sorted piece";

kn_status sort_runs_create(const struct sort_order *order, size_t value_size, const char *beside,
                           struct sort_runs **runs, kn_error *err)
{
    struct sort_runs *made = calloc(1, sizeof *made);
    kn_status status;

    *runs = made;
    if (!made)
        return ki_fail_memory(err, sizeof *made, what);
    made->order = *order;
    made->key_size = kn_type_size(order->type);
    made->value_size = value_size;
    status = ki_spool_open(beside, &made->keys, err);
    return status || !value_size ? status : ki_spool_open(beside, &made->values, err);
}

void sort_runs_free(struct sort_runs *runs)
{
    if (!runs)
        return;
    ki_spool_close(runs->keys);
    ki_spool_close(runs->values);
    free(runs->items);
    free(runs);
}

kn_status sort_runs_add(struct sort_runs *runs, const void *keys, const void *values, size_t count,
                        kn_error *err)
{
    const struct run run = {.next = runs->records, .end = runs->records + count};
    kn_status status =
        ki_spool_write(runs->keys, run.next * runs->key_size, keys, count * runs->key_size, err);

    if (!status && runs->values)
        status =
            ki_spool_write(runs->values, run.next * runs->value_size, values, count * runs->value_size, err);
    if (!status && !KI_ARRAY_PUSH(runs->items, runs->count, runs->capacity, run))
        status = ki_fail_memory(err, sizeof run, what);
    runs->records = run.end;
    return status;
}

// ---- merging ----

struct merge {
    struct sort_runs *runs;
    size_t buffer;
    char *memory;
    struct run **heap; // a heap: the least run is at 0, the children of i are at 2 i + 1 and 2 i + 2
    size_t heap_count;
    char *keys, *values; // the merged records
    size_t merged;
};

// Reads a run's next records if some are left and none are in memory.
static kn_status fill(const struct merge *merge, struct run *run, kn_error *err)
{
    const struct sort_runs *runs = merge->runs;
    const size_t left = run->end - run->next, count = left < merge->buffer ? left : merge->buffer;
    kn_status status = KN_OK;

    if (run->at < run->have || !count)
        return KN_OK;
    status = ki_spool_read(runs->keys, run->next * runs->key_size, run->keys, count * runs->key_size, err);
    if (!status && runs->values)
        status = ki_spool_read(runs->values, run->next * runs->value_size, run->values,
                               count * runs->value_size, err);
    run->next += count;
    run->at = 0;
    run->have = count;
    return status;
}

static bool is_before(const struct run *a, const struct run *b)
{
    return a->rank != b->rank ? a->rank < b->rank : a < b;
}

static void sift_down(const struct merge *merge, size_t i)
{
    struct run **heap = merge->heap, *run = heap[i];

    for (size_t below; (below = 2 * i + 1) < merge->heap_count; i = below) {
        if (below + 1 < merge->heap_count && is_before(heap[below + 1], heap[below]))
            below++;
        if (!is_before(heap[below], run))
            break;
        heap[i] = heap[below];
    }
    heap[i] = run;
}

static kn_status begin(struct merge *merge, kn_error *err)
{
    struct sort_runs *runs = merge->runs;
    const size_t key_bytes = merge->buffer * runs->key_size, value_bytes = merge->buffer * runs->value_size;
    const size_t bytes = (runs->count + 1) * (key_bytes + value_bytes);
    kn_status status = KN_OK;
    char *free_from;

    merge->memory = free_from = malloc(bytes);
    merge->heap = malloc(runs->count * sizeof *merge->heap);
    if (!merge->memory || !merge->heap)
        return ki_fail_memory(err, bytes, "merging");
    merge->keys = free_from;
    merge->values = free_from + key_bytes;
    for (size_t i = 0; i < runs->count && !status; i++) {
        struct run *run = &runs->items[i];

        free_from += key_bytes + value_bytes;
        run->keys = free_from;
        run->values = free_from + key_bytes;
        status = fill(merge, run, err);
        if (run->at < run->have) {
            run->rank = sort_rank(&runs->order, run->keys);
            merge->heap[merge->heap_count++] = run;
        }
    }
    for (size_t i = merge->heap_count; i-- > 0;)
        sift_down(merge, i);
    return status;
}

// Moves the first of all records to the result.
static kn_status step(struct merge *merge, kn_error *err)
{
    const struct sort_runs *runs = merge->runs;
    const size_t key_size = runs->key_size, value_size = runs->value_size;
    struct run *run = merge->heap[0];
    kn_status status;

    memcpy(merge->keys + merge->merged * key_size, run->keys + run->at * key_size, key_size);
    if (value_size)
        memcpy(merge->values + merge->merged * value_size, run->values + run->at * value_size, value_size);
    merge->merged++;
    run->at++;
    status = fill(merge, run, err);
    if (run->at < run->have)
        run->rank = sort_rank(&runs->order, run->keys + run->at * key_size);
    else
        merge->heap[0] = merge->heap[--merge->heap_count];
    if (merge->heap_count)
        sift_down(merge, 0);
    return status;
}

kn_status sort_runs_merge(struct sort_runs *runs, size_t buffer, size_t wanted, sort_take *take,
                          void *context, kn_error *err)
{
    struct merge merge = {.runs = runs, .buffer = buffer};
    kn_status status = begin(&merge, err);

    for (size_t done = 0; done < wanted && merge.heap_count && !status; done++) {
        status = step(&merge, err);
        if (!status && (merge.merged == buffer || done + 1 == wanted || !merge.heap_count)) {
            status = take(context, merge.keys, runs->value_size ? merge.values : NULL, merge.merged, err);
            merge.merged = 0;
        }
    }
    free(merge.memory);
    free(merge.heap);
    return status;
}
