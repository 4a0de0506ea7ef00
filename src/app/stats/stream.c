// SPDX-License-Identifier: Apache-2.0
// Reading a source, pass by pass, and the moments of what it gives.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "stream_internal.h"

// ---- room ----

static size_t device_bytes(const struct stats_column *column)
{
    return column->variant != STATS_GPU ? 0
                                        : STREAM_BLOCK * kn_type_size(ki_stats_column_real(column)) +
                                              2 * STREAM_BINS * sizeof(uint64_t);
}

struct stats_room ki_stats_stream_wants(const struct stats_column *column)
{
    return (struct stats_room){sizeof(struct stats_stream) + column->capacity * sizeof(double) +
                                   STREAM_BLOCK * kn_type_size(ki_stats_column_real(column)) +
                                   2 * (2 * STREAM_BINS + 1) * sizeof(double) +
                                   3 * 2 * STREAM_BINS * sizeof(uint64_t),
                               device_bytes(column)};
}

static kn_status take_room(struct stats_stream *s, kn_error *err)
{
    const struct stats_column *column = s->column;

    s->held = malloc(column->capacity * sizeof(double) + 1);
    s->block = malloc(STREAM_BLOCK * kn_type_size(s->type));
    s->edges = malloc(2 * (2 * STREAM_BINS + 1) * sizeof *s->edges);
    s->counts = malloc(2 * 2 * STREAM_BINS * sizeof *s->counts);
    s->block_counts = malloc(2 * STREAM_BINS * sizeof *s->block_counts);
    if (!s->held || !s->block || !s->edges || !s->counts || !s->block_counts)
        return ki_fail_memory(err, ki_stats_stream_wants(column).host, "reading a column in chunks");
    for (size_t t = 0; t < 2; t++) {
        s->targets[t].edges = s->edges + t * (2 * STREAM_BINS + 1);
        s->targets[t].counts = s->counts + t * 2 * STREAM_BINS;
    }
    return KN_OK;
}

static kn_status take_device_room(struct stats_stream *s, kn_error *err)
{
    kn_context *context = kn_queue_get_context(s->column->queue);
    kn_status status = kn_buffer_create(context, STREAM_BLOCK * kn_type_size(s->type), &s->device_block, err);

    return status ? status
                  : kn_buffer_create(context, 2 * STREAM_BINS * sizeof(uint64_t), &s->device_counts, err);
}

kn_status ki_stats_stream_create(struct stats_column *column, struct stats_stream **stream, kn_error *err)
{
    struct stats_stream *s = calloc(1, sizeof *s);
    kn_status status;

    if (!s)
        return ki_fail_memory(err, sizeof *s, "reading a column in chunks");
    s->column = column;
    s->type = ki_stats_column_real(column);
    status = take_room(s, err);
    if (!status && column->variant == STATS_GPU)
        status = take_device_room(s, err);
    if (status)
        ki_stats_stream_free(s);
    else
        *stream = s;
    return status;
}

void ki_stats_stream_free(struct stats_stream *stream)
{
    if (!stream)
        return;
    kn_buffer_free(stream->device_counts);
    kn_buffer_free(stream->device_block);
    free(stream->block_counts);
    free(stream->counts);
    free(stream->edges);
    free(stream->block);
    free(stream->held);
    free(stream);
}

// ---- passes ----

kn_status ki_stats_stream_changed(const struct stats_stream *s, kn_error *err)
{
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "%s: pass %u of the source gave other elements than the first; it must begin anew when it "
                   "is rewound, and not change meanwhile",
                   s->now->function, s->now->passes);
}

static kn_status refuse_length(const struct stats_stream *s, kn_error *err)
{
    return ki_fail(err, KN_ERROR_UNSUPPORTED,
                   "%s: the column has more than the plan's %zu elements, and the method %s needs it whole; "
                   "take select or auto, or a plan of more elements",
                   s->now->function, s->column->capacity, ki_stats_method_names[s->column->options.method]);
}

// Elements of a chunk to the block, in its type.
static void append(struct stats_stream *s, const void *chunk, size_t from, size_t count, size_t to)
{
    const kn_type type = s->column->from;
    float *singles = (float *)(void *)s->block + to;

    if (type == s->type) {
        size_t size = kn_type_size(type);
        memcpy(s->block + to * size, (const char *)chunk + from * size, count * size);
        return;
    }
    for (size_t i = 0; i < count; i++)
        singles[i] = type == KN_F64  ? (float)((const double *)chunk)[from + i]
                     : type == KN_I8 ? (float)((const int8_t *)chunk)[from + i]
                                     : (float)((const uint8_t *)chunk)[from + i];
}

// The first pass holds the column as it came, as far as there is room.
static kn_status hold(struct stats_stream *s, const void *chunk, size_t done, size_t count, kn_error *err)
{
    size_t size = kn_type_size(s->column->from);

    if (count > s->column->capacity - done)
        return s->now->streams ? KN_OK : refuse_length(s, err);
    memcpy((char *)s->held + done * size, chunk, count * size);
    return KN_OK;
}

// The source's own words, if it had any.
static kn_status fail_source(const struct stats_stream *s, const char *what, kn_status status,
                             const kn_error *said, kn_error *err)
{
    if (!said->text[0])
        return ki_fail(err, status, "%s: the source's %s returned %s", s->now->function, what,
                       kn_status_name(status));
    if (err) {
        *err = *said;
        err->code = status;
    }
    return status;
}

static kn_status next_chunk(struct stats_stream *s, size_t done, const void **chunk, size_t *count,
                            kn_error *err)
{
    const kn_stats_source *source = s->now->source;
    kn_error said = KN_ERROR_INIT;
    kn_status status;

    *chunk = NULL;
    *count = 0;
    status = source->next(source->data, chunk, count, &said);
    if (status)
        return fail_source(s, "next", status, &said, err);
    if (*count > 0 && !*chunk)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the source's next gave %zu elements at NULL",
                       s->now->function, *count);
    if (*count > SIZE_MAX / sizeof(double) - done || (s->now->passes > 1 && *count > s->n - done))
        return ki_stats_stream_changed(s, err);
    return KN_OK;
}

// A chunk, block by block; what does not fill one stays in it.
static kn_status share_out(struct stats_stream *s, const void *chunk, size_t done, size_t count,
                           stream_visit *visit, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status;) {
        size_t filled = (done + i) % STREAM_BLOCK, room = STREAM_BLOCK - filled;
        size_t part = count - i < room ? count - i : room;

        append(s, chunk, i, part, filled);
        i += part;
        if (part == room)
            status = visit(s, done + i - STREAM_BLOCK, STREAM_BLOCK, err);
    }
    return status;
}

static kn_status watch(const struct stats_stream *s, size_t done, kn_error *err)
{
    const struct stats_streaming *now = s->now;

    if (!now->watch.progress ||
        now->watch.progress(now->watch.data, now->passes, done, now->passes > 1 ? s->n : 0))
        return KN_OK;
    return ki_fail(err, KN_ERROR_INTERRUPTED,
                   "%s: stopped by the progress function in pass %u, after %zu elements", now->function,
                   now->passes, done);
}

kn_status ki_stats_stream_pass(struct stats_stream *s, stream_visit *visit, kn_error *err)
{
    const void *chunk;
    size_t done = 0, count, rest;
    kn_error said = KN_ERROR_INIT;
    kn_status status;

    s->now->passes++;
    status = s->now->source->rewind(s->now->source->data, &said);
    if (status)
        return fail_source(s, "rewind", status, &said, err);
    for (;;) {
        status = next_chunk(s, done, &chunk, &count, err);
        if (status || count == 0)
            break;
        if (s->now->passes == 1 && done <= s->column->capacity)
            status = hold(s, chunk, done, count, err);
        if (!status)
            status = share_out(s, chunk, done, count, visit, err);
        done += count;
        if (!status)
            status = watch(s, done, err);
        if (status)
            break;
    }
    rest = done % STREAM_BLOCK;
    if (!status && rest > 0)
        status = visit(s, done - rest, rest, err);
    if (status)
        return status;
    if (s->now->passes == 1)
        s->n = done;
    return done == s->n ? KN_OK : ki_stats_stream_changed(s, err);
}

// ---- the first pass ----

static kn_status look(struct stats_stream *s, size_t first, size_t count, kn_error *err)
{
    (void)first;
    (void)err;
    for (size_t i = 0; i < count; i++) {
        double x = stream_element(s, i);

        s->nan_count += isnan(x) != 0;
        s->least = x < s->least ? x : s->least;
        s->most = x > s->most ? x : s->most;
    }
    return KN_OK;
}

// ---- errands ----

static void sample(struct stats_stream *s, size_t first, size_t count)
{
    size_t positions[STATS_SHIFT_SAMPLES], samples = ki_stats_shift_positions(s->n, positions);

    for (size_t k = 0; k < samples; k++)
        if (positions[k] >= first && positions[k] - first < count)
            s->sample[k] = stream_element(s, positions[k] - first);
}

// Subtrees of equal size become one, as in a binary counter.
static void add_subtree(struct stats_stream *s, struct stats_sums sums)
{
    size_t k = 0;

    for (; s->blocks >> k & 1; k++)
        sums = (struct stats_sums){s->subtrees[k].sum + sums.sum, s->subtrees[k].squares + sums.squares};
    s->subtrees[k] = sums;
    s->blocks++;
}

// The whole tree: what is left has no partner until it meets a greater subtree.
static struct stats_sums fold_subtrees(const struct stats_stream *s)
{
    struct stats_sums sums = {0, 0};

    for (size_t k = 0; s->blocks >> k; k++)
        if (s->blocks >> k & 1)
            sums = (struct stats_sums){s->subtrees[k].sum + sums.sum, s->subtrees[k].squares + sums.squares};
    return sums;
}

static kn_status sum_block(struct stats_stream *s, size_t count, kn_error *err)
{
    const struct host_plan *plan = &s->column->plan;
    const kn_host_options host = KN_INIT(kn_host_options, .threads = plan->threads, .level = plan->level);
    kn_sums sums;
    kn_status status = s->device_block ? kn_reduce_sums(s->column->queue, s->device_block, s->type, count,
                                                        s->shift, &sums, err)
                                       : kn_host_sums(s->block, s->type, count, s->shift, &sums, &host, err);

    if (!status)
        add_subtree(s, (struct stats_sums){sums.sum, sums.squares});
    return status;
}

kn_status ki_stats_stream_errand(struct stats_stream *s, size_t first, size_t count, kn_error *err)
{
    if (s->errand == ERRAND_SAMPLE)
        sample(s, first, count);
    return s->errand == ERRAND_SUMS ? sum_block(s, count, err) : KN_OK;
}

void ki_stats_stream_next_errand(struct stats_stream *s)
{
    size_t positions[STATS_SHIFT_SAMPLES];

    if (s->errand == ERRAND_SAMPLE)
        s->shift = ki_stats_shift_of(s->sample, ki_stats_shift_positions(s->n, positions));
    if (s->errand != ERRAND_NONE)
        s->errand++;
}

// A pass for the errand alone.
static kn_status run_errand(struct stats_stream *s, size_t first, size_t count, kn_error *err)
{
    kn_status status = KN_OK;

    if (s->device_block && s->errand == ERRAND_SUMS)
        status = kn_buffer_write(s->column->queue, s->device_block, 0, s->block,
                                 count * kn_type_size(s->type), err);
    return status ? status : ki_stats_stream_errand(s, first, count, err);
}

// ---- the whole ----

static kn_status medians(struct stats_stream *s, struct stats_result *result, kn_error *err)
{
    kn_status status;

    s->order = (struct stream_order){.least = s->least, .most = s->most};
    status = ki_stats_stream_median(s, &result->median, err);
    if (status || !isfinite(result->median))
        return status;
    s->order = (struct stream_order){true, result->median, 0,
                                     fmax(fabs(s->least - result->median), fabs(s->most - result->median))};
    return ki_stats_stream_median(s, &result->mad, err);
}

static kn_status compute_streamed(struct stats_stream *s, struct stats_result *result, kn_error *err)
{
    kn_status status = KN_OK;

    s->now->streamed = true;
    if (s->nan_count > 0)
        return KN_OK;
    status = medians(s, result, err);
    while (!status && s->errand != ERRAND_NONE) {
        status = ki_stats_stream_pass(s, run_errand, err);
        ki_stats_stream_next_errand(s);
    }
    if (status)
        return status;
    ki_stats_moments(fold_subtrees(s), s->shift, s->n, result);
    result->mad = result->mad / s->column->options.mad_scale;
    return KN_OK;
}

kn_status ki_stats_stream_compute(struct stats_stream *s, struct stats_streaming *streaming,
                                  struct stats_result *result, kn_error *err)
{
    kn_status status;

    s->now = streaming;
    s->n = s->nan_count = s->blocks = 0;
    s->least = INFINITY;
    s->most = -INFINITY;
    s->errand = ERRAND_SAMPLE;
    status = ki_stats_stream_pass(s, look, err);
    if (status)
        return status;
    *result = (struct stats_result){s->n, NAN, NAN, NAN, NAN, NAN};
    if (s->n > s->column->capacity)
        return compute_streamed(s, result, err);
    status = ki_stats_column_load(s->column, s->held, s->n, err);
    return status ? status : ki_stats_column_compute(s->column, s->n, result, err);
}
