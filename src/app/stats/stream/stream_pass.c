// SPDX-License-Identifier: Apache-2.0
// Reading a source, pass by pass, and the errands that are done during passes.
#include <string.h>

#include "base/error.h"
#include "stream_internal.h"

// ---- passes ----

kn_status ki_stats_stream_changed(const struct stats_stream *s, kn_error *err)
{
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "%s: pass %u of the source gave other elements than the first; it must begin anew when it "
                   "is rewound, and not change meanwhile",
                   s->now->function, s->now->passes);
}

kn_status ki_stats_stream_refuse_length(const struct stats_stream *s, kn_error *err)
{
    return ki_fail(err, KN_ERROR_UNSUPPORTED,
                   "%s: the column has more than the plan's %zu elements, and the method %s needs it whole; "
                   "take select or auto, or a plan of more elements",
                   s->now->function, s->column->capacity, ki_stats_method_names[s->column->options.method]);
}

// Copies elements of a chunk to the block, in its type.
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
        singles[i] = (float)stats_element(chunk, type, from + i);
}

// The first pass keeps the column as it is read, as far as there is room.
static kn_status hold(struct stats_stream *s, const void *chunk, size_t done, size_t count, kn_error *err)
{
    size_t size = kn_type_size(s->column->from);

    if (count > s->column->capacity - done)
        return s->now->streams ? KN_OK : ki_stats_stream_refuse_length(s, err);
    memcpy((char *)s->held + done * size, chunk, count * size);
    return KN_OK;
}

// The source's own error message, if it has one.
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

// Handles a chunk, block by block; the rest, which does not fill one, stays in the block.
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
        if (s->now->passes == 1 && done <= s->column->capacity &&
            s->now->source->count <= s->column->capacity)
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

// ---- errands ----

static void sample(struct stats_stream *s, size_t first, size_t count)
{
    size_t positions[STATS_SHIFT_SAMPLES], samples = ki_stats_shift_positions(s->n, positions);

    for (size_t k = 0; k < samples; k++)
        if (positions[k] >= first && positions[k] - first < count)
            s->sample[k] = stream_element(s, positions[k] - first);
}

// Combines subtrees of equal size, as in a binary counter.
static void add_subtree(struct stats_stream *s, struct stats_sums sums)
{
    size_t k = 0;

    for (; s->blocks >> k & 1; k++)
        sums = (struct stats_sums){s->subtrees[k].sum + sums.sum, s->subtrees[k].squares + sums.squares};
    s->subtrees[k] = sums;
    s->blocks++;
}

// The whole tree: a subtree without a partner waits until it meets a greater one.
struct stats_sums ki_stats_stream_sums(const struct stats_stream *s)
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

kn_status ki_stats_stream_take_along(struct stats_stream *s, size_t first, size_t count, kn_error *err)
{
    kn_status status = KN_OK;

    if (s->device_block && s->errand == ERRAND_SUMS)
        status = kn_buffer_write(s->column->queue, s->device_block, 0, s->block,
                                 count * kn_type_size(s->type), err);
    return status ? status : ki_stats_stream_errand(s, first, count, err);
}

void ki_stats_stream_next_errand(struct stats_stream *s)
{
    size_t positions[STATS_SHIFT_SAMPLES];

    if (s->errand == ERRAND_SAMPLE)
        s->shift = ki_stats_shift_of(s->sample, ki_stats_shift_positions(s->n, positions));
    if (s->errand != ERRAND_NONE)
        s->errand++;
}
