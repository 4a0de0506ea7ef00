// SPDX-License-Identifier: Apache-2.0
// clFFT, opened at run time, because it may be absent. Its types, numbers and entry points are declared here,
// so that its headers are not needed to build.
#include "backend/library.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "opencl.h"

typedef int clfftStatus;
typedef size_t clfftPlanHandle;

enum {
    CLFFT_SUCCESS = 0,
    CLFFT_BUGCHECK = 4096,
    CLFFT_NOTIMPLEMENTED = 4097,
    CLFFT_TRANSPOSED_NOTIMPLEMENTED = 4098,
    CLFFT_DEVICE_NO_DOUBLE = 4103
};
typedef enum { CLFFT_1D = 1, CLFFT_2D, CLFFT_3D } clfftDim;
typedef enum { CLFFT_COMPLEX_INTERLEAVED = 1, CLFFT_HERMITIAN_INTERLEAVED = 3, CLFFT_REAL = 5 } clfftLayout;
typedef enum { CLFFT_SINGLE = 1, CLFFT_DOUBLE } clfftPrecision;
typedef enum { CLFFT_FORWARD = -1, CLFFT_BACKWARD = 1 } clfftDirection;
typedef enum { CLFFT_INPLACE = 1, CLFFT_OUTOFPLACE } clfftResultLocation;
typedef struct {
    cl_uint major, minor, patch; // of the interface that the caller knows
    cl_ulong flags;
} clfftSetupData;

// X(name, arguments)
#define CLFFT_CALLS(X)                                                                                       \
    X(clfftSetup, (const clfftSetupData *data))                                                              \
    X(clfftTeardown, (void))                                                                                 \
    X(clfftGetVersion, (cl_uint * major, cl_uint * minor, cl_uint * patch))                                  \
    X(clfftCreateDefaultPlan,                                                                                \
      (clfftPlanHandle * plan, cl_context context, clfftDim rank, const size_t *lengths))                    \
    X(clfftSetPlanPrecision, (clfftPlanHandle plan, clfftPrecision precision))                               \
    X(clfftSetLayout, (clfftPlanHandle plan, clfftLayout in, clfftLayout out))                               \
    X(clfftSetResultLocation, (clfftPlanHandle plan, clfftResultLocation location))                          \
    X(clfftSetPlanBatchSize, (clfftPlanHandle plan, size_t batch))                                           \
    X(clfftSetPlanScale, (clfftPlanHandle plan, clfftDirection direction, cl_float scale))                   \
    X(clfftSetPlanInStride, (clfftPlanHandle plan, clfftDim rank, size_t * strides))                         \
    X(clfftSetPlanOutStride, (clfftPlanHandle plan, clfftDim rank, size_t * strides))                        \
    X(clfftSetPlanDistance, (clfftPlanHandle plan, size_t in, size_t out))                                   \
    X(clfftBakePlan, (clfftPlanHandle plan, cl_uint queue_count, cl_command_queue * queues,                  \
                      void (*done)(clfftPlanHandle plan, void *data), void *data))                           \
    X(clfftDestroyPlan, (clfftPlanHandle * plan))                                                            \
    X(clfftEnqueueTransform,                                                                                 \
      (clfftPlanHandle plan, clfftDirection direction, cl_uint queue_count, cl_command_queue * queues,       \
       cl_uint wait_count, const cl_event *wait, cl_event *events, cl_mem *in, cl_mem *out, cl_mem scratch))

#define CLFFT_MEMBER(name, arguments) clfftStatus(*name) arguments;
struct clfft {
    CLFFT_CALLS(CLFFT_MEMBER)
};

#define CLFFT_SYMBOL(name, arguments) {#name, offsetof(struct clfft, name)},
static const struct opencl_symbol symbols[] = {CLFFT_CALLS(CLFFT_SYMBOL)};

enum { OUT_OF_PLACE, IN_PLACE };

struct be_plan {
    struct clfft clfft;
    struct be_context *context;
    struct be_fft_shape shape;
    clfftPlanHandle handles[2]; // a plan of clFFT has one of the two
    bool baked[2];
};

static kn_status load(struct clfft *clfft, kn_error *err)
{
    char why[OPENCL_WHY_BYTES];

    if (!ki_opencl_library_load("libclFFT.so.2", "libclfft2", clfft, symbols, KI_COUNT(symbols), why))
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "clFFT: %s", why);
    return KN_OK;
}

static kn_status clfft_find(kn_error *err)
{
    struct clfft clfft;

    return load(&clfft, err);
}

// clFFT has one state in a process: its first user starts it, its last one ends it.
static pthread_mutex_t users_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;

static clfftStatus begin_use(const struct clfft *clfft)
{
    const clfftSetupData data = {2, 12, 2, 0};
    clfftStatus code = CLFFT_SUCCESS;

    pthread_mutex_lock(&users_lock);
    if (users == 0)
        code = clfft->clfftSetup(&data);
    users += code == CLFFT_SUCCESS;
    pthread_mutex_unlock(&users_lock);
    return code;
}

static void end_use(const struct clfft *clfft)
{
    pthread_mutex_lock(&users_lock);
    if (--users == 0)
        (void)clfft->clfftTeardown();
    pthread_mutex_unlock(&users_lock);
}

static kn_status fail(const struct be_context *context, clfftStatus code, const char *what, kn_error *err)
{
    if (code == CLFFT_NOTIMPLEMENTED || code == CLFFT_TRANSPOSED_NOTIMPLEMENTED)
        return ki_fail(
            err, KN_ERROR_UNSUPPORTED,
            "clFFT does not do this shape: its lengths have no prime factor above 13; take KN_FFT_OWN");
    if (code == CLFFT_DEVICE_NO_DOUBLE)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: clFFT: no double precision", context->spec);
    if (code >= CLFFT_BUGCHECK)
        return ki_fail(err, KN_ERROR_DEVICE, "%s: %s: clFFT's error %d", context->spec, what, (int)code);
    return ki_opencl_fail(err, (cl_int)code, context->spec, what);
}

// Compact arrays: the distance from one line to the next, for lines of `length` numbers.
static void set_strides(const struct be_fft_shape *shape, size_t length, size_t strides[3], size_t *distance)
{
    strides[0] = 1;
    strides[1] = length;
    strides[2] = strides[1] * shape->dims[1];
    *distance = length;
    for (unsigned i = 1; i < shape->rank; i++)
        *distance *= shape->dims[i];
}

static clfftStatus describe(const struct clfft *clfft, clfftPlanHandle handle,
                            const struct be_fft_shape *shape, int placement)
{
    static const clfftLayout layouts[][2] = {{CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED},
                                             {CLFFT_REAL, CLFFT_HERMITIAN_INTERLEAVED},
                                             {CLFFT_HERMITIAN_INTERLEAVED, CLFFT_REAL}};
    size_t half = shape->dims[0] / 2 + 1, strides[3], in_distance, out_distance;
    clfftStatus code = clfft->clfftSetPlanPrecision(handle, shape->fp64 ? CLFFT_DOUBLE : CLFFT_SINGLE);

    if (!code)
        code = clfft->clfftSetLayout(handle, layouts[shape->kind][0], layouts[shape->kind][1]);
    if (!code)
        code =
            clfft->clfftSetResultLocation(handle, placement == IN_PLACE ? CLFFT_INPLACE : CLFFT_OUTOFPLACE);
    if (!code)
        code = clfft->clfftSetPlanBatchSize(handle, shape->batch);
    if (!code)
        code = clfft->clfftSetPlanScale(handle, CLFFT_BACKWARD, 1);
    set_strides(shape, shape->kind == BE_FFT_COMPLEX_TO_REAL ? half : shape->dims[0], strides, &in_distance);
    if (!code)
        code = clfft->clfftSetPlanInStride(handle, (clfftDim)shape->rank, strides);
    set_strides(shape, shape->kind == BE_FFT_REAL_TO_COMPLEX ? half : shape->dims[0], strides, &out_distance);
    if (!code)
        code = clfft->clfftSetPlanOutStride(handle, (clfftDim)shape->rank, strides);
    return code ? code : clfft->clfftSetPlanDistance(handle, in_distance, out_distance);
}

static kn_status bake(struct be_queue *queue, struct be_plan *plan, int placement, kn_error *err)
{
    clfftPlanHandle *handle = &plan->handles[placement];
    clfftStatus code = plan->clfft.clfftCreateDefaultPlan(handle, plan->context->context,
                                                          (clfftDim)plan->shape.rank, plan->shape.dims);

    if (!code) {
        code = describe(&plan->clfft, *handle, &plan->shape, placement);
        if (!code)
            code = plan->clfft.clfftBakePlan(*handle, 1, &queue->queue, NULL, NULL);
        plan->baked[placement] = code == CLFFT_SUCCESS;
        if (code)
            (void)plan->clfft.clfftDestroyPlan(handle);
    }
    return code ? fail(plan->context, code, "preparing a transform", err) : KN_OK;
}

static void clfft_free(struct be_plan *plan)
{
    for (size_t i = 0; i < KI_COUNT(plan->handles); i++)
        if (plan->baked[i])
            (void)plan->clfft.clfftDestroyPlan(&plan->handles[i]);
    end_use(&plan->clfft);
    free(plan);
}

static kn_status clfft_prepare(struct be_queue *queue, const struct be_fft_shape *shape,
                               struct be_plan **plan, char version[BE_VERSION_BYTES], kn_error *err)
{
    struct be_plan *made = calloc(1, sizeof *made);
    cl_uint major = 0, minor = 0, patch = 0;
    clfftStatus code;
    kn_status status = made ? load(&made->clfft, err) : ki_fail_memory(err, sizeof *made, "a clFFT plan");

    if (status) {
        free(made);
        return status;
    }
    made->context = queue->context;
    made->shape = *shape;
    code = begin_use(&made->clfft);
    if (code) {
        free(made);
        return fail(queue->context, code, "starting clFFT", err);
    }
    status = bake(queue, made, OUT_OF_PLACE, err);
    if (status) {
        clfft_free(made);
        return status;
    }
    (void)made->clfft.clfftGetVersion(&major, &minor, &patch);
    snprintf(version, BE_VERSION_BYTES, "%u.%u.%u", major, minor, patch);
    *plan = made;
    return KN_OK;
}

static kn_status clfft_execute(struct be_queue *queue, struct be_plan *plan, union be_task task,
                               struct be_event **event, kn_error *err)
{
    const struct be_transform *transform = task.transform;
    int placement = transform->in == transform->out ? IN_PLACE : OUT_OF_PLACE;
    kn_status status = plan->baked[placement] ? KN_OK : bake(queue, plan, placement, err);
    struct opencl_work work;
    clfftStatus code;

    if (!status)
        status = ki_opencl_work_begin(&work, queue, event != NULL, err);
    if (status)
        return status;
    code = plan->clfft.clfftEnqueueTransform(
        plan->handles[placement], transform->inverse ? CLFFT_BACKWARD : CLFFT_FORWARD, 1, &queue->queue, 0,
        NULL, ki_opencl_work_last(&work), &transform->in->memory,
        placement == IN_PLACE ? NULL : &transform->out->memory, NULL);
    if (!code)
        return ki_opencl_work_end(&work, event, err);
    ki_opencl_work_abandon(&work);
    return fail(plan->context, code, "transforming", err);
}

const struct be_library ki_be_clfft = {
    .name = "clFFT",
    .field = BE_TRANSFORMS,
    .path = &ki_backend_opencl,
    .find = clfft_find,
    .prepare = clfft_prepare,
    .execute = clfft_execute,
    .free = clfft_free,
};
