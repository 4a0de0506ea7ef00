// SPDX-License-Identifier: Apache-2.0
// The statistics of a column read from a source, pass by pass.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "stream_internal.h"

// ---- memory ----

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
                                   3 * 2 * STREAM_BINS * sizeof(uint64_t) +
                                   2 * STREAM_SAMPLE * sizeof(double),
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
    s->samples = malloc(STREAM_SAMPLE * sizeof *s->samples);
    s->deviations = malloc(STREAM_SAMPLE * sizeof *s->deviations);
    if (!s->held || !s->block || !s->samples || !s->deviations || !s->edges || !s->counts || !s->block_counts)
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
    free(stream->deviations);
    free(stream->samples);
    free(stream->block_counts);
    free(stream->counts);
    free(stream->edges);
    free(stream->block);
    free(stream->held);
    free(stream);
}

// ---- the first pass ----

static kn_status look(struct stats_stream *s, size_t first, size_t count, kn_error *err)
{
    for (size_t i = 0; i < count; i++) {
        double x = stream_element(s, i);

        s->nan_count += isnan(x) != 0;
        s->least = x < s->least ? x : s->least;
        s->most = x > s->most ? x : s->most;
    }
    ki_stats_stream_sample(s, first, count);
    // If the column's length is known beforehand, so are the elements of the errand.
    return s->now->source->count ? ki_stats_stream_errand(s, first, count, err) : KN_OK;
}

// ---- the whole column ----

static kn_status medians(struct stats_stream *s, kn_stats *result, kn_error *err)
{
    struct stream_answer answer;
    kn_status status = ki_stats_stream_brackets(s, &answer, err);

    result->median = answer.median;
    result->mad = answer.mad;
    if (!status && !answer.has_median) {
        s->order = (struct stream_order){.least = s->least, .most = s->most};
        status = ki_stats_stream_median(s, &result->median, err);
    }
    if (status || answer.has_mad)
        return status;
    if (!isfinite(result->median)) {
        result->mad = NAN;
        return KN_OK;
    }
    s->order = (struct stream_order){true, result->median, 0,
                                     fmax(fabs(s->least - result->median), fabs(s->most - result->median))};
    return ki_stats_stream_median(s, &result->mad, err);
}

static kn_status compute_streamed(struct stats_stream *s, kn_stats *result, kn_error *err)
{
    kn_status status = KN_OK;

    s->now->streamed = true;
    if (s->nan_count > 0)
        return KN_OK;
    status = medians(s, result, err);
    while (!status && s->errand != ERRAND_NONE) {
        status = ki_stats_stream_pass(s, ki_stats_stream_take_along, err);
        ki_stats_stream_next_errand(s);
    }
    if (status)
        return status;
    ki_stats_moments(ki_stats_stream_sums(s), s->shift, s->n, result);
    result->mad = result->mad / s->column->options.mad_scale;
    return KN_OK;
}

// Counts the elements, and examines them.
static kn_status first_pass(struct stats_stream *s, kn_error *err)
{
    const size_t stated = s->now->source->count;
    kn_status status;

    if (stated > s->column->capacity && !s->now->streams)
        return ki_stats_stream_refuse_length(s, err);
    s->n = stated;
    s->nan_count = s->blocks = 0;
    s->least = INFINITY;
    s->most = -INFINITY;
    s->errand = ERRAND_SAMPLE;
    ki_stats_stream_begin_sample(s);
    status = ki_stats_stream_pass(s, look, err);
    if (!status && stated && s->n != stated)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the source gave %zu elements and says that it has %zu",
                       s->now->function, s->n, stated);
    if (!status && stated)
        ki_stats_stream_next_errand(s);
    return status;
}

kn_status ki_stats_stream_compute(struct stats_stream *s, struct stats_streaming *streaming, kn_stats *result,
                                  kn_error *err)
{
    kn_status status;

    s->now = streaming;
    status = first_pass(s, err);
    if (status)
        return status;
    *result = (kn_stats){s->n, NAN, NAN, NAN, NAN, NAN};
    if (s->n > s->column->capacity)
        return compute_streamed(s, result, err);
    status = ki_stats_column_load(s->column, s->held, s->n, err);
    return status ? status : ki_stats_column_compute(s->column, s->n, result, err);
}
