// SPDX-License-Identifier: Apache-2.0
// KN_FFT_AUTO: the project's own transform or the vendor's, whichever a measurement on this device found
// faster. What it found stands in the cache on disk, beside the programs.
#include "fft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "engine/device/choice.h"

enum { CANDIDATES = 2, WARM_UPS = 1, REPETITIONS = 3, EACH = 4 };

struct candidate {
    const struct fft_library *library;
    void *plan; // NULL: it does not do this shape
    struct ki_text text;
    double seconds;
};

// What the measurement is of.
static struct engine_choice choice_of(const struct fft_shape *shape)
{
    const kn_fft_shape *given = &shape->given;
    const uint64_t numbers[] = {given->rank,  given->dims[0],        given->dims[1],       given->dims[2],
                                given->batch, (uint64_t)given->type, (uint64_t)given->kind};
    const struct ki_field field = {numbers, sizeof numbers};

    return (struct engine_choice){"fft choice", ki_hash_fields(&field, 1)};
}

// ---- measuring ----

static kn_status time_plan(kn_queue *queue, const struct fft_shape *shape, struct candidate *candidate,
                           kn_buffer *in, kn_buffer *out, kn_error *err)
{
    kn_fft_direction direction =
        shape->given.kind == KN_FFT_COMPLEX_TO_REAL ? KN_FFT_INVERSE : KN_FFT_FORWARD;
    kn_status status = KN_OK;

    for (int i = -WARM_UPS; i < REPETITIONS && !status; i++) {
        double start = ki_clock_seconds();
        for (int k = 0; k < EACH && !status; k++)
            status = candidate->library->execute(queue, candidate->plan, direction, in, out, err);
        if (!status)
            status = kn_queue_finish(queue, err);
        double seconds = (ki_clock_seconds() - start) / EACH;
        if (i <= 0 || seconds < candidate->seconds)
            candidate->seconds = seconds;
    }
    return status;
}

// A vendor's library may compile its kernels at the first run only: one that does not compile counts as
// infinitely slow. (Intel's CPU runtime refuses clFFT's assignment of a float2 * to a float4 *.)
static kn_status time_vendor(kn_queue *queue, const struct fft_shape *shape, struct candidate *candidate,
                             kn_buffer *in, kn_buffer *out, kn_error *err)
{
    kn_error reason = KN_ERROR_INIT;
    kn_status status = time_plan(queue, shape, candidate, in, out, &reason);

    if (status == KN_ERROR_MEMORY || status == KN_ERROR_LIMIT) {
        if (err)
            *err = reason;
        return status;
    }
    if (status) {
        candidate->seconds = INFINITY;
        ki_engine_log(queue->context, KN_LOG_WARNING,
                      "transforms are by Koine's own kernels: %s fails here: %s", candidate->library->name,
                      reason.text);
    }
    return KN_OK;
}

static kn_status measure(kn_queue *queue, const struct fft_shape *shape, struct candidate *candidates,
                         kn_error *err)
{
    const unsigned char zero = 0;
    kn_buffer *in = NULL, *out = NULL;
    kn_status status = kn_buffer_create(queue->context, (size_t)shape->in_bytes, &in, err);

    if (!status)
        status = kn_buffer_create(queue->context, (size_t)shape->out_bytes, &out, err);
    if (!status)
        status = kn_buffer_fill(queue, in, &zero, 1, 0, (size_t)shape->in_bytes, NULL, err);
    if (!status && (kn_buffer_get_part_count(in) > 1 || kn_buffer_get_part_count(out) > 1))
        status = ki_fail(
            err, KN_ERROR_LIMIT, "kn_fft_plan_create: %llu bytes are more than one allocation of %s holds",
            (unsigned long long)(shape->in_bytes > shape->out_bytes ? shape->in_bytes : shape->out_bytes),
            queue->context->device.info.spec);
    if (!status)
        status = kn_queue_finish(queue, err);
    if (!status)
        status = time_plan(queue, shape, &candidates[0], in, out, err);
    if (!status)
        status = time_vendor(queue, shape, &candidates[1], in, out, err);
    kn_buffer_free(in);
    kn_buffer_free(out);
    return status;
}

// ---- choosing ----

static kn_status create(kn_queue *queue, const struct fft_shape *shape, struct candidate *candidate,
                        kn_error *err)
{
    ki_text_add(&candidate->text, "");
    return candidate->library->create(queue, shape, NULL, &candidate->plan, &candidate->text, err);
}

// Of the two that can do the shape, the faster one.
static kn_status compare(kn_queue *queue, const struct fft_shape *shape, struct candidate *candidates,
                         size_t *winner, struct ki_text *summary, kn_error *err)
{
    const struct engine_choice choice = choice_of(shape);
    kn_error reason = KN_ERROR_INIT;
    kn_status status = measure(queue, shape, candidates, &reason);

    if (status == KN_ERROR_MEMORY ||
        status == KN_ERROR_LIMIT) { // no room to measure in, which is no reason to give up
        ki_text_format(summary, "not, for want of memory");
        return KN_OK;
    }
    if (status) {
        if (err)
            *err = reason;
        return status;
    }
    *winner = candidates[1].seconds < candidates[0].seconds;
    ki_text_format(summary, "%s %.4g ms, %s ", candidates[0].library->name, candidates[0].seconds * 1e3,
                   candidates[1].library->name);
    if (isinf(candidates[1].seconds))
        ki_text_add(summary, "fails");
    else
        ki_text_format(summary, "%.4g ms", candidates[1].seconds * 1e3);
    ki_engine_remember(queue->context, &choice, *winner, summary);
    return KN_OK;
}

// Plans of all that can do the shape; the vendor's may be missing, and the project's own not.
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

// What the vendors' libraries have no word for, a numeric policy among it; and half spectra, which they take
// for granted are of real numbers.
static bool is_ours_alone(const kn_queue *queue, const struct fft_shape *shape)
{
    return shape->resized || shape->given.scale != 1 || shape->given.input_bits ||
           shape->given.kind == KN_FFT_COMPLEX_TO_REAL || queue->context->options.policy != KN_POLICY_DEFAULT;
}

// Whether an earlier measurement is known, and its winner still there; then with its plan.
static bool recall(kn_queue *queue, const struct fft_shape *shape, struct candidate *candidates,
                   size_t *winner, struct ki_text *summary)
{
    const struct engine_choice choice = choice_of(shape);

    if (ki_engine_recall(queue->context, &choice, CANDIDATES, winner, summary) &&
        !create(queue, shape, &candidates[*winner], NULL))
        return true;
    ki_text_free(summary);
    ki_text_free(&candidates[*winner].text);
    *winner = 0;
    return false;
}

// The one that can do the shape, or the faster of two; with plans of all that can.
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
    struct candidate candidates[CANDIDATES] = {{&ki_fft_own, NULL, KI_TEXT_INIT, 0},
                                               {cuda ? &ki_fft_cufft : &ki_fft_clfft, NULL, KI_TEXT_INIT, 0}};
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
