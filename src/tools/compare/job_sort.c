// SPDX-License-Identifier: Apache-2.0
// kn_sort on n keys, compared with the order of their bits; kn_sort_by_key, whose values are the keys'
// indices. On the host kn_host_sort and kn_host_sort_by_key.
#include <stdlib.h>
#include <string.h>

#include "jobs.h"

enum { DIGIT_BITS = 16, DIGITS = 1 << DIGIT_BITS };
enum { ALONE, BY_KEY };            // the cases' variants
enum { KEYS, SORTED, VALUES };     // the columns; values: only for BY_KEY
enum { VALUE = sizeof(uint32_t) }; // bytes

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t largest = n * kn_type_size(which->type),
           bytes = largest + (which->variant == BY_KEY ? n * VALUE : 0);

    // The least possible traffic: each key is read once and written once. The pristine copy takes memory too.
    *cost = (struct compare_cost){.amount = (double)n,
                                  .ceiling = 2.0 * (double)bytes,
                                  .bytes = 2.0 * (double)bytes,
                                  .memory = 3 * bytes,
                                  .largest = largest};
}

// ---- the reference: a counting sort by digits of the keys' bits, transformed so that they sort as integers
// ----

static uint64_t load_key(const char *keys, kn_type type, size_t i)
{
    const size_t size = kn_type_size(type);
    uint32_t narrow;
    uint64_t wide;

    if (size == sizeof wide) {
        memcpy(&wide, keys + i * size, size);
        return wide >> 63 ? ~wide : wide | (uint64_t)1 << 63;
    }
    memcpy(&narrow, keys + i * size, size);
    if (type == KN_U32)
        return narrow;
    return narrow >> 31 ? (uint32_t)~narrow : narrow | (uint32_t)1 << 31;
}

static void store_key(char *keys, kn_type type, size_t i, uint64_t key)
{
    const size_t size = kn_type_size(type);
    uint32_t narrow = (uint32_t)key;

    if (size == sizeof key) {
        key = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
        memcpy(keys + i * size, &key, size);
        return;
    }
    if (type != KN_U32)
        narrow = narrow >> 31 ? narrow & ~((uint32_t)1 << 31) : ~narrow;
    memcpy(keys + i * size, &narrow, size);
}

static void sort_by_digit(const uint64_t *from, uint64_t *to, size_t n, unsigned shift, size_t *places)
{
    size_t before = 0;

    memset(places, 0, DIGITS * sizeof *places);
    for (size_t i = 0; i < n; i++)
        places[from[i] >> shift & (DIGITS - 1)]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t count = places[digit];

        places[digit] = before;
        before += count;
    }
    for (size_t i = 0; i < n; i++)
        to[places[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

static kn_status sort_reference(const char *keys, char *sorted, kn_type type, size_t n, kn_error *err)
{
    uint64_t *from = NULL, *to = NULL;
    size_t *places = NULL;
    kn_status status = job_memory(n * sizeof *from, &from, err);

    if (!status)
        status = job_memory(n * sizeof *to, &to, err);
    if (!status)
        status = job_memory(DIGITS * sizeof *places, &places, err);
    for (size_t i = 0; i < n && !status; i++)
        from[i] = load_key(keys, type, i);
    for (unsigned shift = 0; shift < 8 * kn_type_size(type) && !status; shift += DIGIT_BITS) {
        uint64_t *swapped = from;

        sort_by_digit(from, to, n, shift, places);
        from = to;
        to = swapped;
    }
    for (size_t i = 0; i < n && !status; i++)
        store_key(sorted, type, i, from[i]);
    free(from);
    free(to);
    free(places);
    return status;
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    const kn_type type = problem->which->type;
    size_t n = problem->n, bytes = n * kn_type_size(type);
    kn_status status = job_column(problem, COMPARE_WORKED, bytes, err);

    if (!status)
        status = job_column(problem, COMPARE_REFERENCE, bytes, err);
    if (!status && problem->which->variant == BY_KEY)
        status = job_column(problem, COMPARE_WORKED, n * VALUE, err);
    if (status)
        return status;
    job_fill(problem->columns[KEYS].data, type, n, n);
    for (size_t i = 0; i < n && problem->which->variant == BY_KEY; i++)
        ((uint32_t *)problem->columns[VALUES].data)[i] = (uint32_t)i;
    return sort_reference(problem->columns[KEYS].data, problem->columns[SORTED].data, type, n, err);
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    const struct compare_held *held = work->held;
    kn_type type = work->problem->which->type;
    size_t n = work->problem->n;

    return work->problem->which->variant == BY_KEY
               ? kn_sort_by_key(work->queue, held[KEYS].buffer, type, n, held[VALUES].buffer, VALUE, NULL,
                                err)
               : kn_sort(work->queue, held[KEYS].buffer, type, n, NULL, err);
}

static kn_status run_host(struct compare_work *work, kn_error *err)
{
    const struct compare_held *held = work->held;
    kn_type type = work->problem->which->type;
    size_t n = work->problem->n;

    return work->problem->which->variant == BY_KEY
               ? kn_host_sort_by_key(held[KEYS].memory, type, n, held[VALUES].memory, VALUE, NULL, err)
               : kn_host_sort(held[KEYS].memory, type, n, NULL, err);
}

// Counts values that are not the index of a key equal to the one beside them, or that do not exceed the value
// before among equal keys. If there are none, each index occurs once, and the sort was stable.
static size_t misplaced(const struct compare_problem *problem, const uint32_t *values)
{
    const char *keys = problem->columns[KEYS].data, *sorted = problem->columns[SORTED].data;
    size_t size = kn_type_size(problem->which->type), count = 0;

    for (size_t i = 0; i < problem->n; i++) {
        const bool ties = i > 0 && memcmp(sorted + (i - 1) * size, sorted + i * size, size) == 0;

        count += values[i] >= problem->n || memcmp(keys + values[i] * size, sorted + i * size, size) != 0 ||
                 (ties && values[i] <= values[i - 1]);
    }
    return count;
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct compare_problem *problem = work->problem;
    size_t size = kn_type_size(problem->which->type), differing = 0;
    const char *right = problem->columns[SORTED].data;
    uint32_t *values = NULL;
    char *keys = NULL;
    kn_status status = job_read(work, KEYS, &keys, err);

    if (!status && problem->which->variant == BY_KEY)
        status = job_read(work, VALUES, &values, err);
    for (size_t at = 0; at < problem->n * size && !status; at += size)
        differing += memcmp(keys + at, right + at, size) != 0;
    if (!status && values)
        differing += misplaced(problem, values);
    work->error = (double)differing;
    work->bound = 0;
    free(keys);
    free(values);
    return status;
}

const struct compare_job compare_job_sort = {
    .name = "sort",
    .what = "sorts random keys, alone and with values of 32 bits",
    .size = "keys",
    .unit = "Mkeys/s",
    .scale = 1e-6,
    .error_is = "keys, and values, out of place",
    .cases = {{"f32", KN_F32, ALONE},
              {"f64", KN_F64, ALONE},
              {"u32", KN_U32, ALONE},
              {"u32 by key", KN_U32, BY_KEY}},
    .quick = {(size_t)1 << 16, (size_t)1 << 20},
    .full = {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24, (size_t)1 << 26},
    .ceiling = COMPARE_COPY,
    .cost = cost,
    .make = make,
    .run = run,
    .run_host = run_host,
    .check = check,
};
