// SPDX-License-Identifier: Apache-2.0
// cuFFT, opened at run time: NVIDIA's library is proprietary and may be absent. Its types, numbers and entry
// points are declared here, as cuda_api.h does for the driver.
#include "backend/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "cuda.h"

typedef int cufftResult;
typedef int cufftHandle;

enum {
    CUFFT_C2C = 0x29,
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_Z2Z = 0x69,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c
};
enum { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };

#define CUFFT_CALLS(CALL)                                                                                    \
    CALL(cufftGetVersion, (int *version))                                                                    \
    CALL(cufftCreate, (cufftHandle * plan))                                                                  \
    CALL(cufftDestroy, (cufftHandle plan))                                                                   \
    CALL(cufftSetStream, (cufftHandle plan, CUstream stream))                                                \
    CALL(cufftMakePlanMany64,                                                                                \
         (cufftHandle plan, int rank, long long *n, long long *in_embed, long long in_stride,                \
          long long in_distance, long long *out_embed, long long out_stride, long long out_distance,         \
          int type, long long batch, size_t *work_bytes))                                                    \
    CALL(cufftExecC2C, (cufftHandle plan, void *in, void *out, int direction))                               \
    CALL(cufftExecZ2Z, (cufftHandle plan, void *in, void *out, int direction))                               \
    CALL(cufftExecR2C, (cufftHandle plan, void *in, void *out))                                              \
    CALL(cufftExecD2Z, (cufftHandle plan, void *in, void *out))                                              \
    CALL(cufftExecC2R, (cufftHandle plan, void *in, void *out))                                              \
    CALL(cufftExecZ2D, (cufftHandle plan, void *in, void *out))

#define CUFFT_MEMBER(name, arguments) cufftResult(*name) arguments;
struct cufft {
    CUFFT_CALLS(CUFFT_MEMBER)
};

#define CUFFT_SYMBOL(name, arguments) {#name, offsetof(struct cufft, name)},
static const struct cuda_symbol symbols[] = {CUFFT_CALLS(CUFFT_SYMBOL)};

static const struct cuda_toolkit toolkit = {
    "cuFFT",
    {{13, "libcufft.so.12"}, {12, "libcufft.so.11"}, {11, "libcufft.so.10"}},
    symbols,
    KI_COUNT(symbols)};

struct be_plan {
    struct be_context *context;
    void *library;
    struct cufft cufft;
    cufftHandle handle;
    bool made;
    struct be_fft_shape shape;
};

// cuFFT's numbers, from its manual.
static const char *result_name(cufftResult code)
{
    static const char *const names[] = {"CUFFT_SUCCESS",       "CUFFT_INVALID_PLAN",  "CUFFT_ALLOC_FAILED",
                                        "CUFFT_INVALID_TYPE",  "CUFFT_INVALID_VALUE", "CUFFT_INTERNAL_ERROR",
                                        "CUFFT_EXEC_FAILED",   "CUFFT_SETUP_FAILED",  "CUFFT_INVALID_SIZE",
                                        "CUFFT_UNALIGNED_DATA"};

    return code >= 0 && (size_t)code < KI_COUNT(names) ? names[code] : "cuFFT error";
}

static kn_status fail(const struct be_plan *plan, cufftResult code, const char *call, kn_error *err)
{
    const cufftResult alloc_failed = 2;

    ki_fail(err, code == alloc_failed ? KN_ERROR_MEMORY : KN_ERROR_DEVICE, "%s: %s: %s (%d)",
            plan->context->spec, call, result_name(code), code);
    ki_error_native(err, code, result_name(code));
    return code == alloc_failed ? KN_ERROR_MEMORY : KN_ERROR_DEVICE;
}

static kn_status cufft_find(kn_error *err)
{
    struct cufft cufft;

    return ki_cuda_toolkit_find(&toolkit, &cufft, err);
}

// Compact arrays of a kind, slowest axis first.
static kn_status make(struct be_queue *queue, struct be_plan *plan, kn_error *err)
{
    static const int types[2][3] = {{CUFFT_C2C, CUFFT_R2C, CUFFT_C2R}, {CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D}};
    const struct be_fft_shape *shape = &plan->shape;
    long long n[3];
    size_t work = 0;
    const char *call = "cufftCreate";
    cufftResult code = plan->cufft.cufftCreate(&plan->handle);

    plan->made = code == 0;
    for (unsigned i = 0; i < shape->rank; i++)
        n[i] = (long long)shape->dims[shape->rank - 1 - i];
    if (!code) {
        call = "cufftSetStream";
        code = plan->cufft.cufftSetStream(plan->handle, queue->stream);
    }
    if (!code) {
        call = "cufftMakePlanMany64";
        code =
            plan->cufft.cufftMakePlanMany64(plan->handle, (int)shape->rank, n, NULL, 1, 0, NULL, 1, 0,
                                            types[shape->fp64][shape->kind], (long long)shape->batch, &work);
    }
    return code ? fail(plan, code, call, err) : KN_OK;
}

static void cufft_free(struct be_plan *plan)
{
    bool entered = plan->made && ki_cuda_enter_to_free(plan->context);

    if (entered) {
        (void)plan->cufft.cufftDestroy(plan->handle);
        ki_cuda_leave(plan->context);
    }
    if (plan->library)
        dlclose(plan->library);
    free(plan);
}

static kn_status cufft_prepare(struct be_queue *queue, const struct be_fft_shape *shape,
                               struct be_plan **plan, char version[BE_VERSION_BYTES], kn_error *err)
{
    struct be_plan *made = calloc(1, sizeof *made);
    int number = 0;
    kn_status status;

    if (!made)
        return ki_fail_memory(err, sizeof *made, "a cuFFT plan");
    made->context = queue->context;
    made->shape = *shape;
    status = ki_cuda_toolkit_load(&toolkit, queue->context->cuda_major, &made->library, &made->cufft, err);
    if (!status)
        status = ki_cuda_enter(queue->context, err);
    if (status) {
        cufft_free(made);
        return status;
    }
    status = make(queue, made, err);
    (void)made->cufft.cufftGetVersion(&number);
    ki_cuda_leave(queue->context);
    if (status) {
        cufft_free(made);
        return status;
    }
    snprintf(version, BE_VERSION_BYTES, "%d.%d.%d", number / 1000, number / 100 % 10, number % 100);
    *plan = made;
    return KN_OK;
}

static cufftResult run(const struct be_plan *plan, const struct be_transform *transform)
{
    const struct cufft *cufft = &plan->cufft;
    int direction = transform->inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    void *in = (void *)(uintptr_t)transform->in->pointer, *out = (void *)(uintptr_t)transform->out->pointer;

    if (plan->shape.kind == BE_FFT_COMPLEX)
        return (plan->shape.fp64 ? cufft->cufftExecZ2Z : cufft->cufftExecC2C)(plan->handle, in, out,
                                                                              direction);
    if (plan->shape.kind == BE_FFT_REAL_TO_COMPLEX)
        return (plan->shape.fp64 ? cufft->cufftExecD2Z : cufft->cufftExecR2C)(plan->handle, in, out);
    return (plan->shape.fp64 ? cufft->cufftExecZ2D : cufft->cufftExecC2R)(plan->handle, in, out);
}

static kn_status cufft_execute(struct be_queue *queue, struct be_plan *plan, union be_task task,
                               struct be_event **event, kn_error *err)
{
    const struct be_transform *transform = task.transform;
    const struct cuda_outcome enqueued = {CUDA_SUCCESS, "cufftExec"};
    const char *call = "cufftSetStream";
    struct cuda_work work;
    cufftResult code;
    kn_status status = ki_cuda_work_begin(&work, queue, event != NULL, err);

    if (status)
        return status;
    code = plan->cufft.cufftSetStream(plan->handle, queue->stream);
    if (!code) {
        call = enqueued.call;
        ki_cuda_memory_written(transform->out);
        code = run(plan, transform);
    }
    if (!code)
        return ki_cuda_work_end(&work, enqueued, false, "transforming", event, err);
    ki_cuda_work_abandon(&work);
    return fail(plan, code, call, err);
}

const struct be_library ki_be_cufft = {
    .name = "cuFFT",
    .field = BE_TRANSFORMS,
    .path = &ki_backend_cuda,
    .spoils_half_spectrum = true,
    .find = cufft_find,
    .prepare = cufft_prepare,
    .execute = cufft_execute,
    .free = cufft_free,
};
