// SPDX-License-Identifier: Apache-2.0
// Transforms by the vendors' libraries, where the queue's path to the device has one.
#include "fft.h"

#include <stdlib.h>
#include <string.h>

#include "backend/fft.h"
#include "base/array.h"
#include "base/error.h"

struct vendor_plan {
    const struct be_fft *library;
    struct be_fft_plan *plan;
    size_t kept_bytes; // of the input, which the library would write over
};

static void vendor_free(void *data)
{
    struct vendor_plan *plan = data;

    plan->library->free(plan->plan);
    free(plan);
}

// What these libraries have no word for.
static kn_status check_whole(const struct be_fft *library, const struct fft_shape *shape, kn_error *err)
{
    if (shape->resized)
        return kn_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s neither pads nor crops: take KN_FFT_OWN, or whole arrays", library->name);
    if (shape->given.input_bits)
        return kn_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s transforms no integers: take KN_FFT_OWN, or input_bits 0", library->name);
    if (shape->given.scale != 1)
        return kn_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s does not scale: take KN_FFT_OWN, or scale 1 (here it is %g)", library->name,
                       shape->given.scale);
    return KN_OK;
}

// Axes of length 1 are left out: not every library takes them. Along x a real line stays one.
static struct be_fft_shape without_short_axes(const kn_fft_shape *given)
{
    struct be_fft_shape shape = {0, {1, 1, 1}, given->batch, given->type == KN_F64, (unsigned)given->kind};

    for (unsigned i = 0; i < 3; i++)
        if (given->dims[i] > 1 || (i == 0 && given->kind != KN_FFT_COMPLEX))
            shape.dims[shape.rank++] = given->dims[i];
    shape.rank = shape.rank ? shape.rank : 1;
    return shape;
}

static kn_status vendor_create(kn_queue *queue, const struct be_fft *library, const char *backend,
                               const struct fft_shape *shape, void **plan, struct kn_text *text,
                               kn_error *err)
{
    const kn_fft_shape *given = &shape->given;
    struct be_fft_shape whole = without_short_axes(given);
    const kn_device_info *info = &queue->context->device.info;
    struct vendor_plan *made;
    struct flight_task *task;
    char version[32];
    kn_status status = check_whole(library, shape, err);

    if (status)
        return status;
    if (strcmp(queue->context->backend->name, backend) != 0)
        return kn_fail(err, KN_ERROR_UNSUPPORTED, "%s transforms through %s, and %s is a path of %s",
                       library->name, backend, info->spec, queue->context->backend->title);
    made = calloc(1, sizeof *made);
    if (!made)
        return kn_fail_memory(err, sizeof *made, "preparing a transform");
    made->library = library;
    if (library->spoils_half_spectrum && given->kind == KN_FFT_COMPLEX_TO_REAL && whole.rank > 1)
        made->kept_bytes = (size_t)shape->in_bytes;
    task = flight_begin("preparing a transform of %s for %s (%s)", library->name, info->spec, info->name);
    status = library->create(queue->native, &whole, &made->plan, version, err);
    flight_end(task);
    if (status) {
        free(made);
        return status;
    }
    kn_text_format(text, "%s %s", library->name, version);
    *plan = made;
    return KN_OK;
}

// The transform, in the queue's profile too.
static kn_status run(kn_queue *queue, const struct vendor_plan *plan, const struct be_transform *transform,
                     kn_error *err)
{
    struct be_event *done = NULL;
    kn_status status;

    flight_depart(queue->flight, flight_label("a transform", plan->library->name));
    status =
        plan->library->execute(queue->native, plan->plan, transform, queue->profile.on ? &done : NULL, err);
    if (status || !done)
        return status;
    return engine_profile_add(&queue->profile, queue->context->backend, plan->library->name, done, err);
}

static kn_status vendor_execute(kn_queue *queue, void *data, kn_fft_direction direction, kn_buffer *in,
                                kn_buffer *out, kn_error *err)
{
    const struct vendor_plan *plan = data;
    struct engine_scratch scratch = engine_scratch_open(queue, ENGINE_SCRATCH_ALGORITHM, 1, "kn_fft_execute");
    kn_status status = engine_check_runs(queue, "kn_fft_execute", err);

    if (!status && plan->kept_bytes) {
        kn_buffer *copy = NULL;
        status = engine_scratch_get(&scratch, 0, plan->kept_bytes, &copy, err);
        if (!status)
            status = kn_buffer_copy(queue, in, 0, copy, 0, plan->kept_bytes, NO_EVENT, err);
        in = copy;
    }
    if (!status)
        status = run(queue, plan,
                     &(struct be_transform){direction == KN_FFT_INVERSE, in->native, out->native}, err);
    engine_scratch_close(&scratch);
    return status;
}

static kn_status cufft_create(kn_queue *queue, const struct fft_shape *shape, const kn_fft_options *options,
                              void **plan, struct kn_text *text, kn_error *err)
{
    (void)options;
    return vendor_create(queue, &kn_be_cufft, "cuda", shape, plan, text, err);
}

static kn_status clfft_create(kn_queue *queue, const struct fft_shape *shape, const kn_fft_options *options,
                              void **plan, struct kn_text *text, kn_error *err)
{
    (void)options;
    return vendor_create(queue, &kn_be_clfft, "opencl", shape, plan, text, err);
}

const struct fft_library fft_clfft = {KN_FFT_CLFFT, "clFFT", clfft_create, vendor_execute, vendor_free};
const struct fft_library fft_cufft = {KN_FFT_CUFFT, "cuFFT", cufft_create, vendor_execute, vendor_free};
