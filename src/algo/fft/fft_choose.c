// SPDX-License-Identifier: Apache-2.0
// KN_FFT_AUTO: the project's own transform or the vendor's, whichever a measurement on this device found
// faster. The result is kept in the cache on disk, beside the programs.
#include "fft.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/cost/contest.h"

enum { CANDIDATES = 2, EACH = 4 };

struct candidate {
    const struct fft_library *library;
    void *plan; // NULL: it does not support this shape
    struct ki_text text;
};

// What is measured.
static struct engine_choice choice_of(const struct fft_shape *shape)
{
    const kn_fft_shape *given = &shape->given;
    const uint64_t numbers[] = {given->rank,  given->dims[0],        given->dims[1],       given->dims[2],
                                given->batch, (uint64_t)given->type, (uint64_t)given->kind};
    const struct ki_field field = {numbers, sizeof numbers};

    return (struct engine_choice){"fft seconds", ki_hash_fields(&field, 1)};
}

// ---- measuring ----

struct measurement {
    kn_queue *queue;
    const struct fft_shape *shape;
    const struct candidate *candidates;
    kn_buffer *in, *out;
};

static const char *name_of(const void *data, size_t way)
{
    const struct measurement *m = data;

    return m->candidates[way].library->name;
}

static kn_status begin(void *data, size_t way, kn_error *err)
{
    const struct measurement *m = data;

    return m->candidates[way].plan ? KN_OK : ki_fail(err, KN_ERROR_UNSUPPORTED, "there is no plan");
}

static void end(void *data, size_t way)
{
    (void)data;
    (void)way;
}

// A vendor's library may compile its kernels only in the first run: if they do not compile, it is not used.
// (Intel's CPU runtime refuses clFFT's assignment of a float2 * to a float4 *.)
static kn_status run(void *data, size_t way, kn_error *err)
{
    const struct measurement *m = data;
    const struct candidate *candidate = &m->candidates[way];
    kn_fft_direction direction =
        m->shape->given.kind == KN_FFT_COMPLEX_TO_REAL ? KN_FFT_INVERSE : KN_FFT_FORWARD;
    kn_error reason = KN_ERROR_INIT;
    kn_status status =
        candidate->library->execute(m->queue, candidate->plan, direction, m->in, m->out, &reason);

    if (status && err)
        *err = reason;
    if (!status || way == 0 || status == KN_ERROR_MEMORY || status == KN_ERROR_LIMIT)
        return status;
    ki_engine_log(m->queue->context, KN_LOG_WARNING,
                  "transforms are by Koine's own kernels: %s fails here: %s", candidate->library->name,
                  reason.text);
    return KN_ERROR_UNSUPPORTED;
}

static kn_status open_measurement(struct measurement *m, kn_error *err)
{
    const unsigned char zero = 0;
    const struct fft_shape *shape = m->shape;
    kn_context *context = m->queue->context;
    kn_status status = kn_buffer_create(context, (size_t)shape->in_bytes, &m->in, err);

    if (!status)
        status = kn_buffer_create(context, (size_t)shape->out_bytes, &m->out, err);
    if (!status)
        status = kn_buffer_fill(m->queue, m->in, &zero, 1, 0, (size_t)shape->in_bytes, NULL, err);
    if (!status && (kn_buffer_get_part_count(m->in) > 1 || kn_buffer_get_part_count(m->out) > 1))
        status = ki_fail(
            err, KN_ERROR_LIMIT, "kn_fft_plan_create: %llu bytes are more than one allocation of %s holds",
            (unsigned long long)(shape->in_bytes > shape->out_bytes ? shape->in_bytes : shape->out_bytes),
            context->device.info.spec);
    return status ? status : kn_queue_finish(m->queue, err);
}

static struct engine_contest contest_of(struct measurement *m)
{
    return (struct engine_contest){.choice = choice_of(m->shape),
                                   .count = CANDIDATES,
                                   .error = 1,
                                   .each = EACH,
                                   .data = m,
                                   .name = name_of,
                                   .begin = begin,
                                   .run = run,
                                   .end = end};
}

// ---- choosing ----

static kn_status create(kn_queue *queue, const struct fft_shape *shape, struct candidate *candidate,
                        kn_error *err)
{
    ki_text_add(&candidate->text, "");
    return candidate->library->create(queue, shape, NULL, &candidate->plan, &candidate->text, err);
}

// The faster of the two that support the shape.
static kn_status compare(kn_queue *queue, const struct fft_shape *shape, struct candidate *candidates,
                         size_t *winner, struct ki_text *summary, kn_error *err)
{
    struct measurement m = {.queue = queue, .shape = shape, .candidates = candidates};
    const struct engine_contest contest = contest_of(&m);
    double seconds[CANDIDATES];
    kn_error reason = KN_ERROR_INIT;
    kn_status status = open_measurement(&m, &reason);

    if (!status)
        status = ki_engine_contest(queue, &contest, seconds, &reason);
    kn_buffer_free(m.in);
    kn_buffer_free(m.out);
    if (status == KN_ERROR_MEMORY ||
        status == KN_ERROR_LIMIT) { // no memory to measure in, which is no reason to give up
        ki_text_format(summary, "not, for want of memory");
        return KN_OK;
    }
    if (status) {
        if (err)
            *err = reason;
        return status;
    }
    *winner = ki_engine_contest_winner(seconds, CANDIDATES);
    ki_engine_contest_tell(&contest, seconds, summary);
    return KN_OK;
}

// Plans of all libraries that support the shape; the vendor's may be missing, the project's own may not.
static kn_status create_all(kn_queue *queue, const struct fft_shape *shape, struct candidate *candidates,
                            kn_error *err)
{
    kn_error reason = KN_ERROR_INIT;
    kn_status own = create(queue, shape, &candidates[0], err);

    if (own && own != KN_ERROR_LIMIT)
        return own;
    if (create(queue, shape, &candidates[1], &reason)) {
        candidates[1].plan = NULL;
        ki_engine_log(queue->context, KN_LOG_INFO, "transforms are by Koine's own kernels: %s", reason.text);
        return own;
    }
    return KN_OK;
}

// What the vendors' libraries do not offer, such as a numeric policy; and half spectra that are not those of
// real numbers, as they assume.
static bool is_ours_alone(const kn_queue *queue, const struct fft_shape *shape)
{
    return shape->resized || shape->given.scale != 1 || shape->given.input_bits ||
           shape->given.kind == KN_FFT_COMPLEX_TO_REAL || queue->context->options.policy != KN_POLICY_DEFAULT;
}

// Whether an earlier measurement is known and its winner is still there; if so, gets its plan.
static bool recall(kn_queue *queue, const struct fft_shape *shape, struct candidate *candidates,
                   size_t *winner, struct ki_text *summary)
{
    struct measurement m = {.queue = queue, .shape = shape, .candidates = candidates};
    const struct engine_contest contest = contest_of(&m);
    double seconds[CANDIDATES];

    if (!ki_engine_recall_seconds(queue->context, &contest.choice, seconds, CANDIDATES))
        return false;
    *winner = ki_engine_contest_winner(seconds, CANDIDATES);
    if (*winner < CANDIDATES && !create(queue, shape, &candidates[*winner], NULL)) {
        ki_engine_contest_tell(&contest, seconds, summary);
        return true;
    }
    if (*winner < CANDIDATES)
        ki_text_free(&candidates[*winner].text);
    *winner = 0;
    return false;
}

// The only library that supports the shape, or the faster of two; with plans of all that do.
static kn_status find(kn_queue *queue, const struct fft_shape *shape, struct candidate *candidates,
                      size_t *winner, struct ki_text *summary, kn_error *err)
{
    kn_status status = create_all(queue, shape, candidates, err);

    if (status)
        return status;
    if (candidates[0].plan && candidates[1].plan)
        return compare(queue, shape, candidates, winner, summary, err);
    *winner = !candidates[0].plan;
    return KN_OK;
}

kn_status ki_fft_choose(kn_queue *queue, const struct fft_shape *shape, const struct fft_library **library,
                        void **plan, struct ki_text *text, kn_error *err)
{
    bool cuda = strcmp(queue->context->backend->name, "cuda") == 0;
    struct candidate candidates[CANDIDATES] = {{&ki_fft_own, NULL, KI_TEXT_INIT},
                                               {cuda ? &ki_fft_cufft : &ki_fft_clfft, NULL, KI_TEXT_INIT}};
    struct ki_text summary = KI_TEXT_INIT;
    size_t winner = 0;
    kn_status status = KN_OK;

    if (is_ours_alone(queue, shape))
        status = create(queue, shape, &candidates[0], err);
    else if (!recall(queue, shape, candidates, &winner, &summary))
        status = find(queue, shape, candidates, &winner, &summary, err);
    if (!status) {
        *library = candidates[winner].library;
        *plan = candidates[winner].plan;
        ki_text_add(text, ki_text_string(&candidates[winner].text));
        if (summary.length)
            ki_text_format(text, " (measured: %s)", summary.data);
    }
    for (size_t i = 0; i < CANDIDATES; i++) {
        if (candidates[i].plan && (status || i != winner))
            candidates[i].library->free(candidates[i].plan);
        ki_text_free(&candidates[i].text);
    }
    ki_text_free(&summary);
    return status;
}
