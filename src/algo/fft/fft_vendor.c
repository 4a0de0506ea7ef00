// SPDX-License-Identifier: Apache-2.0
// Transforms by the vendors' libraries, if the queue's path to the device has one.
#include "fft.h"

#include <koine/experimental.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/library.h"

struct vendor_plan {
    const struct be_library *library;
    struct be_plan *plan;
    size_t kept_bytes; // of the input, which the library would overwrite
};

static void vendor_free(void *data)
{
    struct vendor_plan *plan = data;

    plan->library->free(plan->plan);
    free(plan);
}

// Refuses what these libraries do not support.
static kn_status check_whole(const struct be_library *library, const struct fft_shape *shape, kn_error *err)
{
    if (shape->resized)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s neither pads nor crops: take KN_FFT_OWN, or whole arrays", library->name);
    if (shape->given.input_bits)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s transforms no integers: take KN_FFT_OWN, or input_bits 0", library->name);
    if (shape->given.scale != 1)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s does not scale: take KN_FFT_OWN, or scale 1 (here it is %g)", library->name,
                       shape->given.scale);
    return KN_OK;
}

// Axes of length 1 are left out, because some libraries refuse them. Along x a real line stays.
static struct be_fft_shape without_short_axes(const kn_fft_shape *given)
{
    struct be_fft_shape shape = {0, {1, 1, 1}, given->batch, given->type == KN_F64, (unsigned)given->kind};

    for (unsigned i = 0; i < 3; i++)
        if (given->dims[i] > 1 || (i == 0 && given->kind != KN_FFT_COMPLEX))
            shape.dims[shape.rank++] = given->dims[i];
    shape.rank = shape.rank ? shape.rank : 1;
    return shape;
}

static kn_status vendor_create(kn_queue *queue, const struct be_library *library,
                               const struct fft_shape *shape, void **plan, struct ki_text *text,
                               kn_error *err)
{
    const kn_fft_shape *given = &shape->given;
    struct be_fft_shape whole = without_short_axes(given);
    struct vendor_plan *made;
    char version[BE_VERSION_BYTES];
    kn_status status = check_whole(library, shape, err);

    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "preparing a transform");
    made->library = library;
    if (library->spoils_half_spectrum && given->kind == KN_FFT_COMPLEX_TO_REAL && whole.rank > 1)
        made->kept_bytes = (size_t)shape->in_bytes;
    status = ki_engine_library_prepare(queue, library, &whole, &made->plan, version, err);
    if (status) {
        free(made);
        return status;
    }
    ki_text_format(text, "%s %s", library->name, version);
    *plan = made;
    return KN_OK;
}

static kn_status vendor_execute(kn_queue *queue, void *data, kn_fft_direction direction, const kn_buffer *in,
                                kn_buffer *out, kn_error *err)
{
    const struct vendor_plan *plan = data;
    struct engine_scratch scratch =
        ki_engine_scratch_open(queue, ENGINE_SCRATCH_ALGORITHM, 1, "kn_fft_execute");
    kn_status status = ki_engine_check_runs(queue, "kn_fft_execute", err);

    if (!status && plan->kept_bytes) {
        kn_buffer *copy = NULL;
        status = ki_engine_scratch_get(&scratch, 0, plan->kept_bytes, &copy, err);
        if (!status)
            status = kn_buffer_copy(queue, in, 0, copy, 0, plan->kept_bytes, NO_EVENT, err);
        in = copy;
    }
    if (!status) {
        const struct be_transform transform = {direction == KN_FFT_INVERSE, in->native, out->native};
        status = ki_engine_library_execute(queue, plan->library, plan->plan, NULL,
                                           (union be_task){.transform = &transform}, err);
    }
    ki_engine_scratch_close(&scratch);
    return status;
}

static kn_status cufft_create(kn_queue *queue, const struct fft_shape *shape, const kn_fft_tuning *tuning,
                              void **plan, struct ki_text *text, kn_error *err)
{
    (void)tuning;
    return vendor_create(queue, &ki_be_cufft, shape, plan, text, err);
}

static kn_status clfft_create(kn_queue *queue, const struct fft_shape *shape, const kn_fft_tuning *tuning,
                              void **plan, struct ki_text *text, kn_error *err)
{
    (void)tuning;
    return vendor_create(queue, &ki_be_clfft, shape, plan, text, err);
}

const struct fft_library ki_fft_clfft = {KN_FFT_CLFFT, "clFFT", clfft_create, vendor_execute, vendor_free};
const struct fft_library ki_fft_cufft = {KN_FFT_CUFFT, "cuFFT", cufft_create, vendor_execute, vendor_free};
