// SPDX-License-Identifier: Apache-2.0
// Transforms: the request is checked, and a library is chosen.
#include "fft.h"

#include <koine/experimental.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"

struct kn_fft_plan {
    kn_context *context;
    struct fft_shape shape;
    const struct fft_library *library;
    void *plan;
    char *text;
};

static const struct fft_library *const libraries[] = {&ki_fft_own, &ki_fft_clfft, &ki_fft_cufft};

static kn_status check_type(const kn_device_info *info, kn_type type, kn_error *err)
{
    return type == KN_F64 && !info->fp64
               ? ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) has no double precision; use float", info->spec,
                         info->name)
               : KN_OK;
}

static kn_status check_tuning(const kn_fft_tuning *tuning, kn_error *err)
{
    if (tuning->held && (tuning->held < 4 || tuning->held > 32))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_fft_plan_create: held %u; it goes from 4 to 32",
                       tuning->held);
    if (tuning->rows > 64 || tuning->columns > 64)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_fft_plan_create: rows %u and columns %u; they go up to 64",
                       tuning->rows, tuning->columns);
    return KN_OK;
}

// ---- the plan ----

static const struct fft_library *find_library(kn_fft_library id)
{
    for (size_t i = 0; i < KI_COUNT(libraries); i++)
        if (libraries[i]->id == id)
            return libraries[i];
    return NULL;
}

static kn_status make_plan(kn_queue *queue, const kn_fft_shape *shape, const kn_fft_options *options,
                           kn_fft_plan **plan, kn_error *err)
{
    kn_fft_plan made = {.library = find_library(options->library), .context = queue->context}, *kept;
    struct ki_text text = KI_TEXT_INIT;
    kn_status status;

    if (!made.library && options->library != KN_FFT_AUTO)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_fft_plan_create: there is no library %d; see kn_fft_library",
                       (int)options->library);
    status = ki_fft_check_shape("kn_fft_plan_create", shape, &made.shape, err);
    if (!status)
        status = check_type(&queue->context->device.info, shape->type, err);
    if (!status && options->tuning)
        status = check_tuning(options->tuning, err);
    if (status)
        return status;
    status = made.library ? made.library->create(queue, &made.shape, options->tuning, &made.plan, &text, err)
                          : ki_fft_choose(queue, &made.shape, &made.library, &made.plan, &text, err);
    if (status) {
        ki_text_free(&text);
        return status;
    }
    made.text = ki_text_take(&text);
    kept = made.text ? malloc(sizeof *kept) : NULL;
    if (!kept) {
        made.library->free(made.plan);
        free(made.text);
        return ki_fail_memory(err, sizeof *kept, "preparing a transform");
    }
    *kept = made;
    ki_engine_hold(kept->context);
    *plan = kept;
    return KN_OK;
}

kn_status kn_fft_plan_create(kn_queue *queue, const kn_fft_shape *shape, const kn_fft_options *options,
                             kn_fft_plan **plan, kn_error *err)
{
    kn_fft_shape asked;
    kn_fft_options how;
    kn_status status;

    if (!queue || !shape || !plan)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_fft_plan_create: queue, shape or plan is NULL");
    status = KI_SIZED_READ("kn_fft_plan_create", kn_fft_shape, shape, &asked, err);
    if (!status)
        status = KI_SIZED_READ("kn_fft_plan_create", kn_fft_options, options, &how, err);
    return status ? status : make_plan(queue, &asked, &how, plan, err);
}

void kn_fft_plan_free(kn_fft_plan *plan)
{
    if (!plan)
        return;
    plan->library->free(plan->plan);
    ki_engine_release(plan->context);
    free(plan->text);
    free(plan);
}

const char *kn_fft_plan_get_text(const kn_fft_plan *plan)
{
    return plan ? plan->text : "";
}

kn_fft_library kn_fft_plan_get_library(const kn_fft_plan *plan)
{
    return plan ? plan->library->id : KN_FFT_AUTO;
}

static kn_status check_buffer(const kn_queue *queue, const kn_buffer *buffer, uint64_t bytes,
                              const char *name, kn_error *err)
{
    if (buffer->context != queue->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_fft_execute: %s belongs to another context than the queue",
                       name);
    if (buffer->bytes < bytes)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_fft_execute: %s holds %zu bytes; the plan's shape has %llu", name, buffer->bytes,
                       (unsigned long long)bytes);
    if (kn_buffer_get_part_count(buffer) > 1)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "kn_fft_execute: %s, of %zu bytes, is held in parts; one allocation of %s holds %llu",
                       name, buffer->bytes, queue->context->device.info.spec,
                       (unsigned long long)queue->context->device.info.max_alloc);
    return KN_OK;
}

kn_status kn_fft_execute(kn_queue *queue, kn_fft_plan *plan, kn_fft_direction direction, const kn_buffer *in,
                         kn_buffer *out, kn_error *err)
{
    static const char *const names[] = {"forward", "inverse"};
    kn_status status;

    if (!queue || !plan || !in || !out)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_fft_execute: queue, plan, in or out is NULL");
    if (queue->context != plan->context)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_fft_execute: the plan belongs to another context than the queue");
    if ((unsigned)direction > KN_FFT_INVERSE)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_fft_execute: there is no direction %d; see kn_fft_direction", (int)direction);
    if (plan->shape.given.kind != KN_FFT_COMPLEX &&
        (direction == KN_FFT_INVERSE) != (plan->shape.given.kind == KN_FFT_COMPLEX_TO_REAL))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_fft_execute: %s, but the plan is %s only",
                       names[direction], names[direction == KN_FFT_FORWARD]);
    if (in == out && (plan->shape.given.kind != KN_FFT_COMPLEX || plan->shape.resized))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_fft_execute: in place, which only a complex transform without padding or cropping "
                       "can be; give "
                       "two buffers");
    status = check_buffer(queue, in, plan->shape.in_bytes, "in", err);
    if (!status)
        status = check_buffer(queue, out, plan->shape.out_bytes, "out", err);
    return status ? status : plan->library->execute(queue, plan->plan, direction, in, out, err);
}
