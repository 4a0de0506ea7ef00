// SPDX-License-Identifier: Apache-2.0
// The launches of cl/algo/select.cl that find ranks by digits.
#include "select.h"

#include "base/array.h"
#include "engine/answer.h"

kn_status ki_select_launch(const struct select *s, kn_kernel *kernel, unsigned group, size_t groups,
                           size_t rows, const kn_arg *args, size_t arg_count, kn_error *err)
{
    const kn_range range = {rows > 1 ? 2 : 1, {groups * group, rows}, {group, 1}, {0}};

    return kn_launch(s->queue, kernel, &range, args, arg_count, NO_EVENT, err);
}

static unsigned next_shift(const struct select *s, unsigned previous)
{
    return previous > s->digit ? previous - s->digit : 0;
}

static unsigned count_digits(const struct select *s)
{
    unsigned digits = 0;

    for (unsigned previous = ki_element_bits(s->type); previous > 0; previous = next_shift(s, previous))
        digits++;
    return digits;
}

// The counters: a cursor a job, then those of select_gather, then those of the digits of the sample, and of
// each digit.
static uint64_t gather_counters(const struct select *s)
{
    return SELECT_JOBS + 4 * SELECT_JOBS * s->pieces;
}

// Of a digit and a job, in one part.
static uint64_t digit_counters(const struct select *s)
{
    return 2 * ((uint64_t)1 << s->digit);
}

static uint64_t sample_counters(const struct select *s)
{
    return s->lists ? 0 : count_digits(s) * s->count * digit_counters(s);
}

uint64_t ki_select_narrow_base(const struct select *s)
{
    return gather_counters(s) + sample_counters(s) +
           count_digits(s) * s->pieces * s->count * digit_counters(s);
}

// Of select_narrow.cl.
static uint64_t narrow_counters(const struct select *s)
{
    return s->count * (1 + ((uint64_t)1 << s->digit));
}

uint64_t ki_select_counters(const struct select *s)
{
    return ki_select_narrow_base(s) + narrow_counters(s);
}

kn_status ki_select_get_jobs(struct select *s, kn_error *err)
{
    kn_status status = ki_engine_scratch_get(&s->scratch, SELECT_STATE,
                                             SELECT_JOBS * sizeof(struct select_job), &s->jobs, err);

    if (!status)
        status = ki_engine_scratch_get(&s->scratch, SELECT_COUNTERS,
                                       (size_t)ki_select_counters(s) * sizeof(uint32_t), &s->counters, err);
    if (!status && s->to)
        return ki_engine_scratch_get(&s->scratch, SELECT_ANSWERS, SELECT_JOBS * sizeof(struct select_answer),
                                     &s->answer, err);
    return status ? status : ki_engine_answer_get(s->queue, &s->answer, err);
}

kn_status ki_select_prepare(struct select *s, const uint64_t first[2 * SELECT_JOBS], kn_error *err)
{
    uint64_t counters = ki_select_counters(s);
    uint64_t groups = counters / (16 * s->single) + 1;
    uint32_t count = s->count;
    kn_status status = ki_select_get_jobs(s, err);

    if (!status) {
        const kn_arg args[] = {KN_VALUE_AT(s->ranks, sizeof s->ranks),
                               KN_VALUE_AT(first, sizeof s->ranks),
                               KN_VALUE(count),
                               KN_BUFFER(s->jobs),
                               KN_BUFFER(s->counters),
                               KN_VALUE(counters)};
        status = ki_select_launch(s, s->prepare, s->single, (size_t)groups, 1, args, KI_COUNT(args), err);
    }
    return status;
}

kn_status ki_select_small(const struct select *s, const kn_buffer *x, uint64_t n, uint64_t few, kn_error *err)
{
    uint64_t base = ki_select_narrow_base(s);
    const kn_arg args[] = {KN_BUFFER(x),           KN_VALUE(n),    KN_VALUE(few),       KN_BUFFER(s->jobs),
                           KN_BUFFER(s->counters), KN_VALUE(base), KN_BUFFER(s->answer)};

    return ki_select_launch(s, s->small, s->single, few && s->single > 1 ? SELECT_RANK_GROUPS : 1, s->count,
                            args, KI_COUNT(args), err);
}

// The digits of a source while they are counted, one after the other.
struct digits {
    enum select_source of;
    uint64_t n, room; // elements of the sample or the column; places that each job has for gathered elements
    uint64_t parts;
    uint32_t level, previous;      // the next digit, and how many bits are unknown before it
    uint64_t base, before, stride; // counters of that digit; of the one before, and how many a part has
};

static struct digits begin(const struct select *s, enum select_source of)
{
    return (struct digits){.of = of,
                           .n = of == SELECT_OF_SAMPLE   ? s->samples
                                : of == SELECT_OF_COLUMN ? s->n
                                                         : 0,
                           .room = of == SELECT_OF_GATHERED ? s->room : 0,
                           .parts = of == SELECT_OF_COLUMN ? s->pieces : 1,
                           .previous = ki_element_bits(s->type),
                           .base = gather_counters(s) + (of == SELECT_OF_SAMPLE ? 0 : sample_counters(s))};
}

// False past the last.
static bool next_source(const struct select *s, const struct digits *d, struct element_piece *piece)
{
    if (d->of == SELECT_OF_COLUMN)
        return ki_element_next_piece(s->x, s->type, s->n, piece);
    if (piece->buffer)
        return false;
    *piece = (struct element_piece){.buffer = s->candidates, .count = d->n};
    return true;
}

// Counts one digit. The first digit of the column is counted once for all jobs.
static kn_status digit(const struct select *s, struct digits *d, kn_error *err)
{
    uint64_t jobs = d->of == SELECT_OF_COLUMN && d->level == 0 ? 1 : s->count, number = 0;
    const struct tile_shape *shape = d->of == SELECT_OF_SAMPLE ? &s->few : &s->shape;
    kn_kernel *kernel = d->of == SELECT_OF_SAMPLE ? s->histogram_few : s->histogram;
    struct element_piece piece = {.buffer = NULL};
    uint32_t again = s->to != NULL;
    kn_status status = KN_OK;

    while (!status && next_source(s, d, &piece)) {
        const kn_arg args[] = {KN_BUFFER(piece.buffer), KN_VALUE(piece.skip),   KN_VALUE(piece.count),
                               KN_VALUE(d->room),       KN_BUFFER(s->jobs),     KN_VALUE(d->previous),
                               KN_VALUE(d->level),      KN_BUFFER(s->counters), KN_VALUE(d->before),
                               KN_VALUE(d->stride),     KN_VALUE(d->parts),     KN_VALUE(d->base),
                               KN_VALUE(number),        KN_VALUE(again)};
        status =
            ki_select_launch(s, kernel, shape->group, shape->groups, (size_t)jobs, args, KI_COUNT(args), err);
        number++;
    }
    d->before = d->base;
    d->stride = jobs * digit_counters(s);
    d->base += d->parts * s->count * digit_counters(s);
    d->previous = next_shift(s, d->previous);
    d->level++;
    return status;
}

kn_status ki_select_digits(const struct select *s, enum select_source of, uint32_t open, kn_error *err)
{
    struct digits d = begin(s, of);
    kn_status status = KN_OK;
    uint32_t level, again = s->to != NULL;

    while (d.previous > 0 && !status)
        status = digit(s, &d, err);
    level = d.level - 1;
    if (!status && of == SELECT_OF_SAMPLE) {
        const kn_arg args[] = {KN_BUFFER(s->jobs),     KN_VALUE(level),    KN_VALUE(open),
                               KN_BUFFER(s->counters), KN_VALUE(d.before), KN_VALUE(d.stride),
                               KN_VALUE(d.parts)};
        status = ki_select_launch(s, s->bracket, s->single, s->count, 1, args, KI_COUNT(args), err);
    } else if (!status) {
        const kn_arg args[] = {KN_BUFFER(s->jobs),     KN_VALUE(level),    KN_BUFFER(s->answer),
                               KN_BUFFER(s->counters), KN_VALUE(d.before), KN_VALUE(d.stride),
                               KN_VALUE(d.parts),      KN_VALUE(again)};
        status = ki_select_launch(s, s->pick, s->single, s->count, 1, args, KI_COUNT(args), err);
    }
    return status;
}
