// SPDX-License-Identifier: Apache-2.0
// Ranks of a column between brackets from a sample (Floyd and Rivest 1975).
#include "select.h"

#include <math.h>
#include <string.h>

#include "base/array.h"

// At most this many candidates of a job are left to the launch that finds the ranks among them.
enum { NARROWED_MOST = 1 << 17 };

// The ranks among the sample's points between which a job's ranks lie, except for about one in 10^5 columns:
// 4.5 standard deviations of the binomial distribution to either side, and 8 for its tail where that is
// short. Cutting a list at arbitrary places adds to the deviation.
static void bracket_ranks(const struct select *s, uint64_t ranks[2 * SELECT_JOBS], uint32_t *open,
                          uint64_t *widest)
{
    double step = s->step, samples = (double)s->samples, cut = s->lists * (step * step - 1) / 12;
    uint64_t points = s->samples / s->step;

    memset(ranks, 0, 2 * SELECT_JOBS * sizeof *ranks);
    *open = 0;
    *widest = 0;
    for (unsigned j = 0; j < s->count; j++) {
        for (unsigned k = 0; k < 2; k++) {
            double q = ((double)s->ranks[2 * j + k] + 0.5) / (double)s->n;
            double spread = 4.5 * sqrt(samples * q * (1 - q) + cut) + 8;
            double rank = (q * samples + (k ? spread : -spread)) / step;
            rank = k ? ceil(rank) : floor(rank);
            if (rank < 0 || rank >= (double)points)
                *open |= 1u << (2 * j + k);
            ranks[2 * j + k] = rank < 0 ? 0 : rank >= (double)points ? points - 1 : (uint64_t)rank;
        }
        if (ranks[2 * j + 1] - ranks[2 * j] + 1 > *widest)
            *widest = ranks[2 * j + 1] - ranks[2 * j] + 1;
    }
}

// Each job's bracket, by the digits of the sample.
static kn_status bracket_by_digits(struct select *s, const uint64_t *ranks, uint32_t open, kn_error *err)
{
    struct element_piece piece = {.buffer = NULL};
    uint32_t count = (uint32_t)s->samples;
    kn_status status = ki_select_prepare(s, ranks, err);

    while (!status && ki_element_next_piece(s->x, s->type, s->n, &piece)) {
        const kn_arg args[] = {KN_BUFFER(piece.buffer), KN_VALUE(piece.skip), KN_VALUE(piece.first),
                               KN_VALUE(piece.count),   KN_VALUE(s->n),       KN_BUFFER(s->candidates),
                               KN_VALUE(count)};
        status =
            ki_select_launch(s, s->sample, 64, (size_t)(s->samples + 63) / 64, 1, args, KI_COUNT(args), err);
    }
    return status ? status : ki_select_digits(s, SELECT_OF_SAMPLE, open, err);
}

// The same by its points, in two launches that replace `prepare`.
static kn_status bracket_by_points(struct select *s, uint64_t *ranks, uint32_t open, kn_error *err)
{
    struct element_piece piece = {.buffer = NULL};
    uint32_t samples = (uint32_t)s->samples, points = samples / s->step, count = s->count;
    uint64_t counters = ki_select_counters(s);
    kn_status status = ki_select_get_jobs(s, err);

    while (!status && ki_element_next_piece(s->x, s->type, s->n, &piece)) {
        uint32_t last = piece.first + piece.count == s->n;
        const kn_arg args[] = {KN_BUFFER(piece.buffer),
                               KN_VALUE(piece.skip),
                               KN_VALUE(piece.first),
                               KN_VALUE(piece.count),
                               KN_VALUE(s->n),
                               KN_VALUE(samples),
                               KN_BUFFER(s->candidates),
                               KN_VALUE(s->step),
                               KN_BUFFER(s->narrowed),
                               KN_VALUE(last),
                               KN_VALUE_AT(s->ranks, sizeof s->ranks),
                               KN_VALUE(count),
                               KN_BUFFER(s->jobs),
                               KN_BUFFER(s->counters),
                               KN_VALUE(counters)};
        status = ki_select_launch(s, s->sort_lists, s->list_group, s->lists, 1, args, KI_COUNT(args), err);
    }
    for (unsigned e = 0; e < 2 * SELECT_JOBS; e++)
        if (e >= 2 * count || (open >> e & 1))
            ranks[e] = UINT64_MAX;
    if (!status) {
        const kn_arg args[] = {KN_BUFFER(s->narrowed), KN_VALUE(points),
                               KN_VALUE_AT(ranks, 2 * SELECT_JOBS * sizeof *ranks), KN_VALUE(count),
                               KN_BUFFER(s->jobs)};
        size_t groups = (points + s->single - 1) / s->single;
        status = ki_select_launch(s, s->points, s->single,
                                  groups > SELECT_RANK_GROUPS ? groups : SELECT_RANK_GROUPS, 1, args,
                                  KI_COUNT(args), err);
    }
    return status;
}

static kn_status gather(struct select *s, uint64_t room, kn_error *err)
{
    struct element_piece piece = {.buffer = NULL};
    uint64_t number = 0;
    kn_status status = KN_OK;

    while (!status && ki_element_next_piece(s->x, s->type, s->n, &piece)) {
        const kn_arg args[] = {KN_BUFFER(piece.buffer),  KN_VALUE(piece.skip),   KN_VALUE(piece.count),
                               KN_BUFFER(s->jobs),       KN_BUFFER(s->counters), KN_VALUE(number),
                               KN_BUFFER(s->candidates), KN_VALUE(room)};
        status =
            ki_select_launch(s, s->gather, s->shape.group, s->shape.groups, 1, args, KI_COUNT(args), err);
        number++;
    }
    return status;
}

// Finds the ranks among the gathered elements.
static kn_status narrow(const struct select *s, kn_error *err)
{
    uint64_t base = ki_select_narrow_base(s);
    uint32_t parts = (uint32_t)s->pieces, brackets = s->brackets;
    const kn_arg count[] = {KN_BUFFER(s->candidates), KN_VALUE(s->room), KN_BUFFER(s->jobs),
                            KN_BUFFER(s->counters),   KN_VALUE(base),    KN_VALUE(parts),
                            KN_VALUE(brackets)};
    const kn_arg args[] = {KN_BUFFER(s->candidates), KN_VALUE(s->room), KN_BUFFER(s->jobs),
                           KN_BUFFER(s->counters),   KN_VALUE(base),    KN_BUFFER(s->narrowed),
                           KN_VALUE(s->narrow_room)};
    kn_status status =
        ki_select_launch(s, s->bins, s->kept.group, s->kept.groups, s->count, count, KI_COUNT(count), err);

    if (!status)
        status = ki_select_launch(s, s->narrow, s->kept.group, s->kept.groups, s->count, args, KI_COUNT(args),
                                  err);
    return status ? status : ki_select_small(s, s->narrowed, 0, s->narrow_room, err);
}

kn_status ki_select_brackets(struct select *s, kn_error *err)
{
    uint64_t samples = s->samples, room, most, widest, ranks[2 * SELECT_JOBS];
    size_t bytes;
    uint32_t open;
    kn_status status;

    bracket_ranks(s, ranks, &open, &widest);
    room = (uint64_t)(1.5 * (double)s->n * (double)widest * s->step / (double)samples) + 4096;
    room = room < s->n ? room : s->n;
    // More candidates than one allocation holds are not gathered, but searched by digits.
    most = s->queue->context->device.info.max_alloc / kn_type_size(s->type) / s->brackets;
    room = (room + 16 < most ? room : most - 16) / 16 * 16 + 16;
    s->room = room;
    s->narrow_room = room < NARROWED_MOST ? room : NARROWED_MOST;
    bytes = (size_t)(room * s->brackets > samples ? room * s->brackets : samples) * kn_type_size(s->type);
    status = ki_engine_scratch_get(&s->scratch, SELECT_CANDIDATES, bytes, &s->candidates, err);
    if (!status)
        status = ki_engine_scratch_get(&s->scratch, SELECT_NARROWED,
                                       (size_t)(s->narrow_room * s->count) * kn_type_size(s->type),
                                       &s->narrowed, err);
    if (!status)
        status = s->lists ? bracket_by_points(s, ranks, open, err) : bracket_by_digits(s, ranks, open, err);
    if (!status)
        status = gather(s, room, err);
    return status ? status : narrow(s, err);
}
