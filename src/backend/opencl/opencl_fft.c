// SPDX-License-Identifier: Apache-2.0
// clFFT, if libkoine is built with it.
#include <config.h>

#include "backend/fft.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "opencl.h"

#if HAVE_CLFFT

#include <clFFT.h>
#include <stdio.h>

enum { OUT_OF_PLACE, IN_PLACE };

struct be_fft_plan {
    struct be_context *context;
    struct be_fft_shape shape;
    clfftPlanHandle handles[2]; // clFFT's plans are of one or the other
    bool baked[2];
};

// clFFT itself is one to a process: its first user starts it, its last one ends it.
static pthread_mutex_t users_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;

static clfftStatus begin_use(void)
{
    clfftSetupData data;
    clfftStatus code = CLFFT_SUCCESS;

    pthread_mutex_lock(&users_lock);
    if (users == 0) {
        clfftInitSetupData(&data);
        code = clfftSetup(&data);
    }
    users += code == CLFFT_SUCCESS;
    pthread_mutex_unlock(&users_lock);
    return code;
}

static void end_use(void)
{
    pthread_mutex_lock(&users_lock);
    if (--users == 0)
        (void)clfftTeardown();
    pthread_mutex_unlock(&users_lock);
}

static kn_status fail(const struct be_context *context, clfftStatus code, const char *what, kn_error *err)
{
    if (code == CLFFT_NOTIMPLEMENTED || code == CLFFT_TRANSPOSED_NOTIMPLEMENTED)
        return kn_fail(
            err, KN_ERROR_UNSUPPORTED,
            "clFFT does not do this shape: its lengths have no prime factor above 13; take KN_FFT_OWN");
    if (code == CLFFT_DEVICE_NO_DOUBLE)
        return kn_fail(err, KN_ERROR_UNSUPPORTED, "%s: clFFT: no double precision", context->spec);
    if (code >= CLFFT_BUGCHECK)
        return kn_fail(err, KN_ERROR_DEVICE, "%s: %s: clFFT's error %d", context->spec, what, (int)code);
    return opencl_fail(err, (cl_int)code, context->spec, what);
}

// Compact arrays: numbers from one line to the next, for lines of `length` numbers.
static void set_strides(const struct be_fft_shape *shape, size_t length, size_t strides[3], size_t *distance)
{
    strides[0] = 1;
    strides[1] = length;
    strides[2] = strides[1] * shape->dims[1];
    *distance = length;
    for (unsigned i = 1; i < shape->rank; i++)
        *distance *= shape->dims[i];
}

static clfftStatus describe(clfftPlanHandle handle, const struct be_fft_shape *shape, int placement)
{
    static const clfftLayout layouts[][2] = {{CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED},
                                             {CLFFT_REAL, CLFFT_HERMITIAN_INTERLEAVED},
                                             {CLFFT_HERMITIAN_INTERLEAVED, CLFFT_REAL}};
    size_t half = shape->dims[0] / 2 + 1, strides[3], in_distance, out_distance;
    clfftStatus code = clfftSetPlanPrecision(handle, shape->fp64 ? CLFFT_DOUBLE : CLFFT_SINGLE);

    if (!code)
        code = clfftSetLayout(handle, layouts[shape->kind][0], layouts[shape->kind][1]);
    if (!code)
        code = clfftSetResultLocation(handle, placement == IN_PLACE ? CLFFT_INPLACE : CLFFT_OUTOFPLACE);
    if (!code)
        code = clfftSetPlanBatchSize(handle, shape->batch);
    if (!code)
        code = clfftSetPlanScale(handle, CLFFT_BACKWARD, 1);
    set_strides(shape, shape->kind == BE_FFT_COMPLEX_TO_REAL ? half : shape->dims[0], strides, &in_distance);
    if (!code)
        code = clfftSetPlanInStride(handle, (clfftDim)shape->rank, strides);
    set_strides(shape, shape->kind == BE_FFT_REAL_TO_COMPLEX ? half : shape->dims[0], strides, &out_distance);
    if (!code)
        code = clfftSetPlanOutStride(handle, (clfftDim)shape->rank, strides);
    return code ? code : clfftSetPlanDistance(handle, in_distance, out_distance);
}

static kn_status bake(struct be_queue *queue, struct be_fft_plan *plan, int placement, kn_error *err)
{
    clfftPlanHandle *handle = &plan->handles[placement];
    clfftStatus code =
        clfftCreateDefaultPlan(handle, plan->context->context, (clfftDim)plan->shape.rank, plan->shape.dims);

    if (!code) {
        code = describe(*handle, &plan->shape, placement);
        if (!code)
            code = clfftBakePlan(*handle, 1, &queue->queue, NULL, NULL);
        plan->baked[placement] = code == CLFFT_SUCCESS;
        if (code)
            (void)clfftDestroyPlan(handle);
    }
    return code ? fail(plan->context, code, "preparing a transform", err) : KN_OK;
}

static void clfft_free(struct be_fft_plan *plan)
{
    for (size_t i = 0; i < KN_COUNT(plan->handles); i++)
        if (plan->baked[i])
            (void)clfftDestroyPlan(&plan->handles[i]);
    free(plan);
    end_use();
}

static kn_status clfft_create(struct be_queue *queue, const struct be_fft_shape *shape,
                              struct be_fft_plan **plan, char version[32], kn_error *err)
{
    struct be_fft_plan *made = calloc(1, sizeof *made);
    cl_uint major = 0, minor = 0, patch = 0;
    clfftStatus code = made ? begin_use() : CLFFT_SUCCESS;
    kn_status status;

    if (!made)
        return kn_fail_memory(err, sizeof *made, "a clFFT plan");
    made->context = queue->context;
    made->shape = *shape;
    if (code) {
        free(made);
        return fail(queue->context, code, "starting clFFT", err);
    }
    status = bake(queue, made, OUT_OF_PLACE, err);
    if (status) {
        clfft_free(made);
        return status;
    }
    (void)clfftGetVersion(&major, &minor, &patch);
    snprintf(version, 32, "%u.%u.%u", major, minor, patch);
    *plan = made;
    return KN_OK;
}

static kn_status clfft_execute(struct be_queue *queue, struct be_fft_plan *plan, bool inverse,
                               struct be_memory *in, struct be_memory *out, kn_error *err)
{
    int placement = in == out ? IN_PLACE : OUT_OF_PLACE;
    kn_status status = plan->baked[placement] ? KN_OK : bake(queue, plan, placement, err);
    clfftStatus code;

    if (status)
        return status;
    code = clfftEnqueueTransform(plan->handles[placement], inverse ? CLFFT_BACKWARD : CLFFT_FORWARD, 1,
                                 &queue->queue, 0, NULL, NULL, &in->memory,
                                 placement == IN_PLACE ? NULL : &out->memory, NULL);
    return code ? fail(plan->context, code, "transforming", err) : KN_OK;
}

#else

static kn_status clfft_create(struct be_queue *queue, const struct be_fft_shape *shape,
                              struct be_fft_plan **plan, char version[32], kn_error *err)
{
    (void)queue;
    (void)shape;
    (void)plan;
    (void)version;
    return kn_fail(err, KN_ERROR_UNSUPPORTED,
                   "libkoine was built without clFFT (configure did not find it, or --without-clfft): take "
                   "another library");
}

static kn_status clfft_execute(struct be_queue *queue, struct be_fft_plan *plan, bool inverse,
                               struct be_memory *in, struct be_memory *out, kn_error *err)
{
    (void)in;
    (void)out;
    (void)inverse;
    return clfft_create(queue, NULL, &plan, NULL, err);
}

static void clfft_free(struct be_fft_plan *plan)
{
    (void)plan;
}

#endif

const struct be_fft kn_be_clfft = {"clFFT", false, clfft_create, clfft_execute, clfft_free};
