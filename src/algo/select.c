// SPDX-License-Identifier: Apache-2.0
// Ranks of a column with cl/algo/select.cl.
#include <koine/experimental.h>
#include <koine/select.h>

#include <math.h>
#include <string.h>

#include "shared/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "engine/answer.h"
#include "engine/cost/crossovers.h"
#include "elements.h"

// Places of scratch memory.
enum { CANDIDATES, NARROWED, JOB_STATE, COUNTERS, SLOTS };

// So many candidates of a job at most are left to the group that finds the ranks among them.
enum { NARROWED_MOST = 1 << 17 };

// As in cl/algo/select.cl.
struct job {
    uint64_t target[2];
    uint64_t at[SELECT_DIGITS + 1][4];
    uint64_t low, high, count, value[2];
    uint32_t known[2], tied[2], failed, nan;
};
struct answer {
    uint64_t value[2];
    uint32_t failed, nan;
};

struct select {
    kn_queue *queue;
    const kn_buffer *x;
    kn_type type;
    uint64_t n, pieces, samples;
    kn_select_options options;
    kn_select_tuning tuning;
    struct tile_shape shape;
    struct tile_shape few;  // of the sample
    struct tile_shape kept; // of the candidates
    unsigned single;        // work-items of a group that works alone
    unsigned digit;         // bits of one
    unsigned brackets;      // BRACKETS of select_gather
    kn_kernel *prepare, *sample, *small, *gather, *settle, *histogram, *histogram_few, *bracket, *pick;
    kn_kernel *bins, *narrow;
    struct engine_scratch scratch;
    kn_buffer *jobs, *counters, *candidates, *narrowed, *answer;
    uint64_t room, narrow_room; // places that each job has for what is gathered, and gathered of that
    uint64_t ranks[2 * SELECT_JOBS];
    unsigned count; // jobs of this batch
    bool nan_ends;  // if there is a NaN, no more is wanted
    struct answer found[SELECT_JOBS];
};

// ---- shape ----

// The column in tiles; of few elements, in small ones, so that more groups share them.
static void choose_tiles(struct select *s)
{
    const kn_device_info *info = &s->queue->context->device.info;

    s->shape = (struct tile_shape){s->tuning.group, s->tuning.loads, 0};
    ki_tile_choose(s->queue, s->type, s->n, s->tuning.groups_unit, &s->shape);
    if (s->shape.group > 1 && s->tuning.loads == 0 && s->shape.groups < info->compute_units / 4) {
        s->shape.loads = 1;
        ki_tile_choose(s->queue, s->type, s->n, s->tuning.groups_unit, &s->shape);
    }
}

static void choose_shape(struct select *s)
{
    const kn_device_info *info = &s->queue->context->device.info;

    s->digit = ki_element_bits(s->type) <= 16 || info->local_memory < (44u << 10) ? 8 : 11;
    choose_tiles(s);
    s->single = s->shape.group == 1 ? 1 : ki_engine_sizes(info, SHAPE_SELECT_ALONE)->group;
    while (s->single > 1 && (s->single > info->max_work_group || s->single > 1u << s->digit))
        s->single /= 2;
}

// The sample in small tiles, and the candidates.
static void choose_few(struct select *s)
{
    s->few = (struct tile_shape){s->shape.group, s->shape.group > 1 ? 1 : 0, 0};
    ki_tile_choose(s->queue, s->type, s->samples, 0, &s->few);
    s->kept = (struct tile_shape){s->shape.group, s->shape.group > 1 ? 2 : 0, 0};
    ki_tile_choose(s->queue, s->type, s->n / 16, 0, &s->kept);
}

static kn_status check_options(const struct select *s, const char *function, kn_error *err)
{
    const kn_select_options *options = &s->options;
    const kn_select_tuning *tuning = &s->tuning;

    if ((unsigned)options->method > KN_SELECT_BRACKETS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no method %d; see kn_select_method", function,
                       (int)options->method);
    if (tuning->group > 1024 || (tuning->group & (tuning->group - 1)) || tuning->loads > 16)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: group %u and loads %u; they are a power of two up to 1024, and up to 16",
                       function, tuning->group, tuning->loads);
    if (tuning->samples > 1u << 20)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %zu samples; at most %u are taken", function,
                       tuning->samples, 1u << 20);
    return KN_OK;
}

// A kernel of one group, of the column's shape, the same for so many brackets, of the sample's shape; or one
// of select_narrow.cl, of the candidates' shape.
enum shape_of { ALONE, WHOLE, BRACKETED, FEW, KEPT };

static kn_status get_kernel(const struct select *s, const char *name, enum shape_of of, kn_kernel **kernel,
                            kn_error *err)
{
    const struct tile_shape *shape = of == FEW ? &s->few : of == KEPT ? &s->kept : &s->shape;
    bool narrows = of == KEPT;
    struct engine_defines defines = {.count = 0};

    ki_element_define(&defines, s->type);
    ki_engine_define(&defines, "DIGIT", s->digit);
    ki_engine_define(&defines, "GROUP", of == ALONE ? s->single : shape->group);
    ki_engine_define(&defines, "LOADS", shape->loads);
    if (!narrows)
        ki_engine_define(&defines, "BRACKETS", of == BRACKETED ? s->brackets : 1);
    return ki_engine_builtin_kernel(s->queue->context, narrows ? "algo/select_narrow.cl" : "algo/select.cl",
                                    defines.items, defines.count,
                                    narrows ? KN_POLICY_STRICT : KN_POLICY_DEFAULT, name, kernel, err);
}

static kn_status get_kernels(struct select *s, enum kn_select_method method, kn_error *err)
{
    const struct {
        const char *name;
        enum shape_of of;
        bool brackets;
        kn_kernel **kernel;
    } wanted[] = {{"select_prepare", ALONE, false, &s->prepare},
                  {"select_histogram", WHOLE, false, &s->histogram},
                  {"select_pick", ALONE, false, &s->pick},
                  {"select_sample", ALONE, true, &s->sample},
                  {"select_histogram", FEW, true, &s->histogram_few},
                  {"select_bracket", ALONE, true, &s->bracket},
                  {"select_bins", KEPT, true, &s->bins},
                  {"select_narrow", KEPT, true, &s->narrow},
                  {"select_small", ALONE, true, &s->small},
                  {"select_gather", BRACKETED, true, &s->gather},
                  {"select_settle", BRACKETED, true, &s->settle}};
    kn_status status = KN_OK;

    for (size_t i = 0; i < KI_COUNT(wanted) && !status; i++)
        if (method == KN_SELECT_BRACKETS || !wanted[i].brackets)
            status = get_kernel(s, wanted[i].name, wanted[i].of, wanted[i].kernel, err);
    return status;
}

// ---- launches ----

static kn_status launch(const struct select *s, kn_kernel *kernel, unsigned group, size_t groups, size_t rows,
                        const kn_arg *args, size_t arg_count, kn_error *err)
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

// The counters: a cursor a job, then select_gather's, then those of the digits of the sample, and of each
// digit.
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
    return count_digits(s) * s->count * digit_counters(s);
}

// Where those of select_narrow.cl begin, and those of a job.
static uint64_t narrow_base(const struct select *s)
{
    return gather_counters(s) + sample_counters(s) +
           count_digits(s) * s->pieces * s->count * digit_counters(s);
}

static uint64_t narrow_counters(const struct select *s)
{
    return s->count * (1 + ((uint64_t)1 << s->digit));
}

static kn_status prepare(struct select *s, const uint64_t first[2 * SELECT_JOBS], kn_error *err)
{
    uint64_t counters = narrow_base(s) + narrow_counters(s);
    uint64_t groups = counters / (16 * s->single) + 1;
    uint32_t count = s->count;
    kn_status status =
        ki_engine_scratch_get(&s->scratch, JOB_STATE, SELECT_JOBS * sizeof(struct job), &s->jobs, err);

    if (!status)
        status = ki_engine_scratch_get(&s->scratch, COUNTERS, (size_t)counters * sizeof(uint32_t),
                                       &s->counters, err);
    if (!status)
        status = ki_engine_answer_get(s->queue, &s->answer, err);
    if (!status) {
        const kn_arg args[] = {KN_VALUE_AT(s->ranks, sizeof s->ranks),
                               KN_VALUE_AT(first, sizeof s->ranks),
                               KN_VALUE(count),
                               KN_BUFFER(s->jobs),
                               KN_BUFFER(s->counters),
                               KN_VALUE(counters)};
        status = launch(s, s->prepare, s->single, (size_t)groups, 1, args, KI_COUNT(args), err);
    }
    return status;
}

static kn_status read_answers(struct select *s, kn_error *err)
{
    return ki_engine_answer_read(s->queue, s->found, s->count * sizeof s->found[0], err);
}

// By one group a job: the column's n elements, or with `few` of each of what was narrowed.
static kn_status small(const struct select *s, const kn_buffer *x, uint64_t n, uint64_t few, kn_error *err)
{
    uint64_t base = narrow_base(s);
    const kn_arg args[] = {KN_BUFFER(x),           KN_VALUE(n),    KN_VALUE(few),       KN_BUFFER(s->jobs),
                           KN_BUFFER(s->counters), KN_VALUE(base), KN_BUFFER(s->answer)};

    return launch(s, s->small, s->single, s->count, 1, args, KI_COUNT(args), err);
}

// What digits are counted of.
enum source { SAMPLE, COLUMN, GATHERED };

// The digits of a source while they are counted, one after the other.
struct digits {
    enum source of;
    uint64_t n, room; // elements of the sample or the column; places that each job has for what was gathered
    uint64_t parts;
    uint32_t level, previous;      // the next digit, and how many bits are not known before it
    uint64_t base, before, stride; // counters of that digit; of the one before, and how many a part has
};

static struct digits begin_digits(const struct select *s, enum source of, uint64_t n, uint64_t room)
{
    return (struct digits){.of = of,
                           .n = n,
                           .room = room,
                           .parts = of == COLUMN ? s->pieces : 1,
                           .previous = ki_element_bits(s->type),
                           .base = gather_counters(s) + (of == SAMPLE ? 0 : sample_counters(s))};
}

// False past the last.
static bool next_source(const struct select *s, const struct digits *d, struct element_piece *piece)
{
    if (d->of == COLUMN)
        return ki_element_next_piece(s->x, s->type, s->n, piece);
    if (piece->buffer)
        return false;
    *piece = (struct element_piece){.buffer = s->candidates, .count = d->n};
    return true;
}

// One digit. The first of the column is counted once for all jobs.
static kn_status digit(const struct select *s, struct digits *d, kn_error *err)
{
    uint64_t jobs = d->of == COLUMN && d->level == 0 ? 1 : s->count, number = 0;
    const struct tile_shape *shape = d->of == SAMPLE ? &s->few : &s->shape;
    kn_kernel *kernel = d->of == SAMPLE ? s->histogram_few : s->histogram;
    struct element_piece piece = {.buffer = NULL};
    kn_status status = KN_OK;

    while (!status && next_source(s, d, &piece)) {
        const kn_arg args[] = {KN_BUFFER(piece.buffer), KN_VALUE(piece.skip),   KN_VALUE(piece.count),
                               KN_VALUE(d->room),       KN_BUFFER(s->jobs),     KN_VALUE(d->previous),
                               KN_VALUE(d->level),      KN_BUFFER(s->counters), KN_VALUE(d->before),
                               KN_VALUE(d->stride),     KN_VALUE(d->parts),     KN_VALUE(d->base),
                               KN_VALUE(number)};
        status = launch(s, kernel, shape->group, shape->groups, (size_t)jobs, args, KI_COUNT(args), err);
        number++;
    }
    d->before = d->base;
    d->stride = jobs * digit_counters(s);
    d->base += d->parts * s->count * digit_counters(s);
    d->previous = next_shift(s, d->previous);
    d->level++;
    return status;
}

// All of a source. They end with each job's bracket, or with the answers.
static kn_status digits(const struct select *s, struct digits d, uint32_t open, kn_error *err)
{
    kn_status status = KN_OK;
    uint32_t level;

    while (d.previous > 0 && !status)
        status = digit(s, &d, err);
    level = d.level - 1;
    if (!status && d.of == SAMPLE) {
        const kn_arg args[] = {KN_BUFFER(s->jobs),     KN_VALUE(level),    KN_VALUE(open),
                               KN_BUFFER(s->counters), KN_VALUE(d.before), KN_VALUE(d.stride),
                               KN_VALUE(d.parts)};
        status = launch(s, s->bracket, s->single, s->count, 1, args, KI_COUNT(args), err);
    } else if (!status) {
        const kn_arg args[] = {KN_BUFFER(s->jobs),     KN_VALUE(level),    KN_BUFFER(s->answer),
                               KN_BUFFER(s->counters), KN_VALUE(d.before), KN_VALUE(d.stride),
                               KN_VALUE(d.parts)};
        status = launch(s, s->pick, s->single, s->count, 1, args, KI_COUNT(args), err);
    }
    return status;
}

// ---- brackets ----

// The ranks in a sample between whose elements a job's ranks lie, but for once in some 10^5 columns: 4.5
// standard deviations of the binomial distribution to either side, and 8 for its tail where that is short.
static void bracket_ranks(const struct select *s, uint64_t samples, uint64_t ranks[2 * SELECT_JOBS],
                          uint32_t *open, uint64_t *widest)
{
    memset(ranks, 0, 2 * SELECT_JOBS * sizeof *ranks);
    *open = 0;
    *widest = 0;
    for (unsigned j = 0; j < s->count; j++) {
        for (unsigned k = 0; k < 2; k++) {
            double q = ((double)s->ranks[2 * j + k] + 0.5) / (double)s->n, count = (double)samples;
            double spread = 4.5 * sqrt(count * q * (1 - q)) + 8, rank = q * count + (k ? spread : -spread);
            if (rank < 0 || rank >= count)
                *open |= 1u << (2 * j + k);
            ranks[2 * j + k] = rank < 0 ? 0 : rank >= count ? samples - 1 : (uint64_t)rank;
        }
        if (ranks[2 * j + 1] - ranks[2 * j] + 1 > *widest)
            *widest = ranks[2 * j + 1] - ranks[2 * j] + 1;
    }
}

static kn_status take_sample(struct select *s, uint64_t samples, kn_error *err)
{
    struct element_piece piece = {.buffer = NULL};
    uint32_t count = (uint32_t)samples;
    kn_status status = KN_OK;

    while (!status && ki_element_next_piece(s->x, s->type, s->n, &piece)) {
        const kn_arg args[] = {KN_BUFFER(piece.buffer), KN_VALUE(piece.skip), KN_VALUE(piece.first),
                               KN_VALUE(piece.count),   KN_VALUE(s->n),       KN_BUFFER(s->candidates),
                               KN_VALUE(count)};
        status = launch(s, s->sample, 64, (size_t)(samples + 63) / 64, 1, args, KI_COUNT(args), err);
    }
    return status;
}

static kn_status gather(struct select *s, uint64_t room, kn_error *err)
{
    struct element_piece piece = {.buffer = NULL};
    uint64_t number = 0;
    uint32_t count = s->count;
    kn_status status = KN_OK;

    while (!status && ki_element_next_piece(s->x, s->type, s->n, &piece)) {
        const kn_arg args[] = {KN_BUFFER(piece.buffer),  KN_VALUE(piece.skip),   KN_VALUE(piece.count),
                               KN_BUFFER(s->jobs),       KN_BUFFER(s->counters), KN_VALUE(number),
                               KN_BUFFER(s->candidates), KN_VALUE(room)};
        status = launch(s, s->gather, s->shape.group, s->shape.groups, 1, args, KI_COUNT(args), err);
        number++;
    }
    if (!status) {
        const kn_arg args[] = {KN_BUFFER(s->jobs), KN_VALUE(count), KN_BUFFER(s->counters), KN_VALUE(number),
                               KN_VALUE(room)};
        status = launch(s, s->settle, SELECT_JOBS, 1, 1, args, KI_COUNT(args), err);
    }
    return status;
}

// The ranks among what was gathered.
static kn_status narrow(const struct select *s, kn_error *err)
{
    uint64_t base = narrow_base(s);
    const kn_arg args[] = {KN_BUFFER(s->candidates), KN_VALUE(s->room), KN_BUFFER(s->jobs),
                           KN_BUFFER(s->counters),   KN_VALUE(base),    KN_BUFFER(s->narrowed),
                           KN_VALUE(s->narrow_room)};
    kn_status status = launch(s, s->bins, s->kept.group, s->kept.groups, s->count, args, 5, err);

    if (!status)
        status = launch(s, s->narrow, s->kept.group, s->kept.groups, s->count, args, KI_COUNT(args), err);
    return status ? status : small(s, s->narrowed, 0, s->narrow_room, err);
}

static uint64_t choose_samples(const struct select *s)
{
    uint64_t samples = s->tuning.samples;
    uint64_t most = s->queue->context->device.info.max_alloc / kn_type_size(s->type);

    most = most < s->n ? most : s->n;
    if (samples == 0)
        samples = s->n / 64 < 4096 ? 4096 : s->n / 64 > 65536 ? 65536 : s->n / 64;
    return samples < most ? samples : most;
}

static kn_status by_brackets(struct select *s, kn_error *err)
{
    uint64_t samples = s->samples, room, most, widest, ranks[2 * SELECT_JOBS];
    size_t bytes;
    uint32_t open;
    kn_status status;

    bracket_ranks(s, samples, ranks, &open, &widest);
    room = (uint64_t)(1.5 * (double)s->n * (double)widest / (double)samples) + 4096;
    room = room < s->n ? room : s->n;
    // More than one allocation holds are not gathered, but looked for by digits.
    most = s->queue->context->device.info.max_alloc / kn_type_size(s->type) / s->brackets;
    room = (room + 16 < most ? room : most - 16) / 16 * 16 + 16;
    s->room = room;
    s->narrow_room = room < NARROWED_MOST ? room : NARROWED_MOST;
    bytes = (size_t)(room * s->brackets > samples ? room * s->brackets : samples) * kn_type_size(s->type);
    status = ki_engine_scratch_get(&s->scratch, CANDIDATES, bytes, &s->candidates, err);
    if (!status)
        status = ki_engine_scratch_get(&s->scratch, NARROWED,
                                       (size_t)(s->narrow_room * s->count) * kn_type_size(s->type),
                                       &s->narrowed, err);
    if (!status)
        status = prepare(s, ranks, err);
    if (!status)
        status = take_sample(s, samples, err);
    if (!status)
        status = digits(s, begin_digits(s, SAMPLE, samples, 0), open, err);
    if (!status)
        status = gather(s, room, err);
    return status ? status : narrow(s, err);
}

// The whole column.
static kn_status by_digits(struct select *s, kn_error *err)
{
    kn_status status = prepare(s, s->ranks, err);

    return status ? status : digits(s, begin_digits(s, COLUMN, s->n, 0), 0, err);
}

static kn_status by_one_group(struct select *s, kn_error *err)
{
    kn_status status = get_kernel(s, "select_prepare", ALONE, &s->prepare, err);

    if (!status)
        status = get_kernel(s, "select_small", ALONE, &s->small, err);
    if (!status)
        status = prepare(s, s->ranks, err);
    return status ? status : small(s, s->x, s->n, 0, err);
}

// ---- a batch of jobs ----

static bool any_failed(const struct select *s, uint32_t how)
{
    for (unsigned j = 0; j < s->count; j++)
        if (s->found[j].failed == how)
            return true;
    return false;
}

static kn_status find_jobs(struct select *s, kn_error *err)
{
    const kn_device_info *info = &s->queue->context->device.info;
    bool one =
        kn_buffer_get_part_count(s->x) == 1 && s->n <= ki_engine_sizes(info, SHAPE_SELECT_ALONE)->items;
    uint64_t brackets_from = ki_engine_crossover(s->queue->context, CROSSOVER_SELECT_BRACKETS);
    enum kn_select_method method = s->options.method;
    kn_status status;

    if (method == KN_SELECT_AUTO && one) {
        status = by_one_group(s, err);
        return status ? status : read_answers(s, err);
    }
    if (method == KN_SELECT_AUTO)
        method = s->n * kn_type_size(s->type) < brackets_from || ki_element_bits(s->type) == 8
                     ? KN_SELECT_DIGITS
                     : KN_SELECT_BRACKETS;
    s->samples = choose_samples(s);
    choose_few(s);
    status = get_kernels(s, method, err);
    if (!status)
        status = method == KN_SELECT_BRACKETS ? by_brackets(s, err) : by_digits(s, err);
    if (!status)
        status = read_answers(s, err);
    if (!status && any_failed(s, SELECT_CROWDED) && !any_failed(s, SELECT_MISSED)) {
        status = digits(s, begin_digits(s, GATHERED, 0, s->room), 0, err);
        if (!status)
            status = read_answers(s, err);
    }
    if (status || !any_failed(s, SELECT_MISSED) || (s->nan_ends && s->found[0].nan))
        return status;
    ki_engine_log(s->queue->context, KN_LOG_INFO, "kn_select: %s; again by digits",
                  s->found[0].nan ? "there is a NaN" : "the sample misled");
    status = by_digits(s, err);
    return status ? status : read_answers(s, err);
}

static kn_status begin(struct select *s, const char *function, kn_queue *queue, const kn_buffer *x,
                       kn_type type, size_t n, const kn_select_options *options, kn_error *err)
{
    kn_status status = ki_column_check_any(function, queue, x, type, n, err);

    if (status)
        return status;
    *s = (struct select){.queue = queue, .x = x, .type = type, .n = n};
    status = KI_SIZED_READ(function, kn_select_options, options, &s->options, err);
    if (!status && s->options.tuning)
        s->tuning = *s->options.tuning;
    if (!status)
        status = check_options(s, function, err);
    if (status || n == 0)
        return status;
    choose_shape(s);
    s->pieces = ki_element_pieces(x, type, n);
    return KN_OK;
}

// Finds ranks[2 * j] <= ranks[2 * j + 1] for all j < count <= SELECT_JOBS: `found`.
static kn_status find_pairs(struct select *s, const uint64_t *ranks, size_t count, kn_error *err)
{
    kn_status status;

    s->count = (unsigned)count;
    for (s->brackets = 1; s->brackets < count;)
        s->brackets *= 2;
    memset(s->ranks, 0, sizeof s->ranks);
    memcpy(s->ranks, ranks, 2 * count * sizeof *ranks);
    s->scratch = ki_engine_scratch_open(s->queue, ENGINE_SCRATCH_ALGORITHM, SLOTS, "kn_select");
    status = find_jobs(s, err);
    ki_engine_scratch_close(&s->scratch);
    return status;
}

kn_status kn_select(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const size_t *ranks,
                    size_t count, void *values, const kn_select_options *options, kn_error *err)
{
    struct select s;
    char *to = values;
    kn_status status = begin(&s, "kn_select", queue, x, type, n, options, err);

    if (!status && count > 0 && (!ranks || !values))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_select: ranks or values is NULL");
    for (size_t i = 0; i < count && !status; i++)
        if (ranks[i] >= n)
            status =
                ki_fail(err, KN_ERROR_ARGUMENT, "kn_select: rank %zu of %zu elements; they go from 0 to %zu",
                        ranks[i], n, n ? n - 1 : 0);
    for (size_t done = 0; done < count && !status; done += SELECT_JOBS) {
        size_t batch = count - done < SELECT_JOBS ? count - done : SELECT_JOBS;
        uint64_t pairs[2 * SELECT_JOBS];
        for (size_t j = 0; j < 2 * batch; j++)
            pairs[j] = ranks[done + j / 2];
        status = find_pairs(&s, pairs, batch, err);
        for (size_t j = 0; j < batch && !status; j++, to += kn_type_size(type))
            ki_element_store(to, s.found[j].value[0], type);
    }
    return status;
}

// Element k of a job's two.
static double found_value(const struct select *s, const struct answer *found, unsigned k)
{
    return ki_element_value(found->value[k], s->type);
}

static kn_status quantiles(struct select *s, const char *function, const double *q, size_t count,
                           double *values, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < count; i++)
        if (!(q[i] >= 0 && q[i] <= 1))
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s: quantile %g; they go from 0 to 1", function, q[i]);
    for (size_t done = 0; done < count && !status; done += SELECT_JOBS) {
        size_t batch = count - done < SELECT_JOBS ? count - done : SELECT_JOBS;
        uint64_t pairs[2 * SELECT_JOBS];
        double weight[SELECT_JOBS];
        for (size_t j = 0; j < batch; j++) {
            double position = q[done + j] * (double)(s->n - 1);
            pairs[2 * j] = (uint64_t)position < s->n - 1 ? (uint64_t)position : s->n - 1;
            weight[j] = position - (double)pairs[2 * j];
            pairs[2 * j + 1] = pairs[2 * j] + (weight[j] > 0);
        }
        status = find_pairs(s, pairs, batch, err);
        for (size_t j = 0; j < batch && !status; j++)
            values[done + j] = s->found[0].nan ? NAN
                                               : ki_between(found_value(s, &s->found[j], 0),
                                                            found_value(s, &s->found[j], 1), weight[j]);
    }
    return status;
}

kn_status kn_quantiles(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const double *q,
                       size_t count, double *values, const kn_select_options *options, kn_error *err)
{
    struct select s;
    kn_status status = begin(&s, "kn_quantiles", queue, x, type, n, options, err);

    s.nan_ends = true;
    if (!status && count > 0 && (!q || !values || n == 0))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_quantiles: no elements, or q or values is NULL");
    return status ? status : quantiles(&s, "kn_quantiles", q, count, values, err);
}

kn_status kn_median(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double *median,
                    const kn_select_options *options, kn_error *err)
{
    struct select s;
    kn_status status = begin(&s, "kn_median", queue, x, type, n, options, err);

    s.nan_ends = true;
    if (!status && (!median || n == 0))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_median: no elements, or median is NULL");
    if (!status) {
        const uint64_t pair[2] = {(n - 1) / 2, n / 2};
        status = find_pairs(&s, pair, 1, err);
    }
    if (!status)
        *median = s.found[0].nan
                      ? NAN
                      : ki_middle(found_value(&s, &s.found[0], 0), found_value(&s, &s.found[0], 1));
    return status;
}
