// SPDX-License-Identifier: Apache-2.0
// kn_sort on n keys, held against the order of their bits.
#include <stdlib.h>
#include <string.h>

#include "jobs.h"

enum { DIGIT_BITS = 16, DIGITS = 1 << DIGIT_BITS };

struct problem {
    void *keys, *sorted;
};

struct work {
    kn_buffer *given, *keys;
};

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t bytes = n * kn_type_size(which->type);

    // The least there is to do: each key read once and written once. The pristine copy is memory too.
    *cost = (struct compare_cost){
        .amount = (double)n, .ceiling = 2.0 * (double)bytes, .memory = 3 * bytes, .largest = bytes};
}

// ---- the reference: a counting sort by digits of the keys' bits, turned so that they sort as integers ----

static uint64_t load_key(const char *keys, size_t size, size_t i)
{
    uint32_t narrow;
    uint64_t wide;

    if (size == sizeof wide) {
        memcpy(&wide, keys + i * size, size);
        return wide >> 63 ? ~wide : wide | (uint64_t)1 << 63;
    }
    memcpy(&narrow, keys + i * size, size);
    return narrow >> 31 ? (uint32_t)~narrow : narrow | (uint32_t)1 << 31;
}

static void store_key(char *keys, size_t size, size_t i, uint64_t key)
{
    uint32_t narrow;

    if (size == sizeof key) {
        key = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
        memcpy(keys + i * size, &key, size);
        return;
    }
    narrow = key >> 31 ? (uint32_t)key & ~((uint32_t)1 << 31) : ~(uint32_t)key;
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

static kn_status sort_reference(const char *keys, char *sorted, size_t size, size_t n, kn_error *err)
{
    uint64_t *from = NULL, *to = NULL;
    size_t *places = NULL;
    kn_status status = job_memory(n * sizeof *from, &from, err);

    if (!status)
        status = job_memory(n * sizeof *to, &to, err);
    if (!status)
        status = job_memory(DIGITS * sizeof *places, &places, err);
    for (size_t i = 0; i < n && !status; i++)
        from[i] = load_key(keys, size, i);
    for (unsigned shift = 0; shift < 8 * size && !status; shift += DIGIT_BITS) {
        uint64_t *swapped = from;

        sort_by_digit(from, to, n, shift, places);
        from = to;
        to = swapped;
    }
    for (size_t i = 0; i < n && !status; i++)
        store_key(sorted, size, i, from[i]);
    free(from);
    free(to);
    free(places);
    return status;
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    struct problem *own = problem->own;
    size_t size = kn_type_size(problem->which->type);
    kn_status status = job_memory(problem->n * size, &own->keys, err);

    if (!status)
        status = job_memory(problem->n * size, &own->sorted, err);
    if (status)
        return status;
    job_fill(own->keys, problem->which->type, problem->n, problem->n);
    return sort_reference(own->keys, own->sorted, size, problem->n, err);
}

static void unmake(struct compare_problem *problem)
{
    struct problem *own = problem->own;

    free(own->keys);
    free(own->sorted);
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    struct work *own = work->own;
    size_t bytes = work->problem->n * kn_type_size(work->problem->which->type);
    kn_status status = job_buffer(work->queue, given->keys, bytes, &own->given, err);

    return status ? status : job_buffer(work->queue, NULL, bytes, &own->keys, err);
}

static void leave(struct compare_work *work)
{
    struct work *own = work->own;

    kn_buffer_free(own->given);
    kn_buffer_free(own->keys);
}

static kn_status reset(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    return kn_buffer_copy(work->queue, own->given, 0, own->keys, 0, kn_buffer_size(own->keys), NULL, err);
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    return kn_sort(work->queue, own->keys, work->problem->which->type, work->problem->n, NULL, err);
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    struct work *own = work->own;
    size_t size = kn_type_size(work->problem->which->type), bytes = kn_buffer_size(own->keys), differing = 0;
    const char *right = given->sorted;
    char *keys = NULL;
    kn_status status = job_memory(bytes, &keys, err);

    if (!status)
        status = kn_buffer_read(work->queue, own->keys, 0, keys, bytes, err);
    for (size_t at = 0; at < bytes && !status; at += size)
        differing += memcmp(keys + at, right + at, size) != 0;
    work->error = (double)differing;
    work->bound = 0;
    free(keys);
    return status;
}

const struct compare_job compare_job_sort = {
    .name = "sort",
    .what = "sorts random keys",
    .size = "keys",
    .unit = "Mkeys/s",
    .scale = 1e-6,
    .error_is = "keys out of place",
    .cases = {{"f32", KN_F32, 0}, {"f64", KN_F64, 0}},
    .quick = {(size_t)1 << 16, (size_t)1 << 20},
    .full = {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24, (size_t)1 << 26},
    .ceiling = COMPARE_COPY,
    .problem_bytes = sizeof(struct problem),
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .make = make,
    .unmake = unmake,
    .enter = enter,
    .leave = leave,
    .reset = reset,
    .run = run,
    .check = check,
};
