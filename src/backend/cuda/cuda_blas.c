// SPDX-License-Identifier: Apache-2.0
// cuBLAS, opened at run time: NVIDIA's library is proprietary and may be absent. Its types, numbers and entry
// points are declared here, as cuda_api.h does for the driver.
//
// cuBLAS counts in columns: it sees the rows of C as the columns of C^T. So it is asked for C^T = op(B)^T
// op(A)^T, whose operands are, to it, already transposed.
#include "backend/library.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "cuda.h"

typedef int cublasStatus_t;
typedef struct cublasContext *cublasHandle_t;

enum { CUBLAS_STATUS_ALLOC_FAILED = 3 };
enum { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };

// alpha and beta are in host memory: cuBLAS's default.
#define GEMM_ARGUMENTS                                                                                       \
    (cublasHandle_t handle, int a_op, int b_op, int64_t m, int64_t n, int64_t k, const void *alpha,          \
     CUdeviceptr a, int64_t a_pitch, CUdeviceptr b, int64_t b_pitch, const void *beta, CUdeviceptr c,        \
     int64_t c_pitch)
#define BATCH_ARGUMENTS                                                                                      \
    (cublasHandle_t handle, int a_op, int b_op, int64_t m, int64_t n, int64_t k, const void *alpha,          \
     CUdeviceptr a, int64_t a_pitch, long long a_stride, CUdeviceptr b, int64_t b_pitch, long long b_stride, \
     const void *beta, CUdeviceptr c, int64_t c_pitch, long long c_stride, int64_t batch)

// X(result, name, arguments). The calls with 64-bit sizes came with cuBLAS 12.
#define CUBLAS_CALLS(X)                                                                                      \
    X(cublasStatus_t, cublasCreate_v2, (cublasHandle_t * handle))                                            \
    X(cublasStatus_t, cublasDestroy_v2, (cublasHandle_t handle))                                             \
    X(cublasStatus_t, cublasSetStream_v2, (cublasHandle_t handle, CUstream stream))                          \
    X(const char *, cublasGetStatusString, (cublasStatus_t status))                                          \
    X(cublasStatus_t, cublasSgemm_v2_64, GEMM_ARGUMENTS)                                                     \
    X(cublasStatus_t, cublasDgemm_v2_64, GEMM_ARGUMENTS)                                                     \
    X(cublasStatus_t, cublasCgemm_v2_64, GEMM_ARGUMENTS)                                                     \
    X(cublasStatus_t, cublasZgemm_v2_64, GEMM_ARGUMENTS)                                                     \
    X(cublasStatus_t, cublasSgemmStridedBatched_64, BATCH_ARGUMENTS)                                         \
    X(cublasStatus_t, cublasDgemmStridedBatched_64, BATCH_ARGUMENTS)                                         \
    X(cublasStatus_t, cublasCgemmStridedBatched_64, BATCH_ARGUMENTS)                                         \
    X(cublasStatus_t, cublasZgemmStridedBatched_64, BATCH_ARGUMENTS)

struct cublas {
    CUBLAS_CALLS(CUDA_MEMBER)
};

#define CUBLAS_SYMBOL(result, name, arguments) {#name, offsetof(struct cublas, name)},
static const struct cuda_symbol symbols[] = {CUBLAS_CALLS(CUBLAS_SYMBOL)};

static const struct cuda_toolkit toolkit = {
    "cuBLAS", {{13, "libcublas.so.13"}, {12, "libcublas.so.12"}}, symbols, KI_COUNT(symbols)};

struct be_plan {
    struct be_context *context;
    void *library;
    struct cublas cublas;
    cublasHandle_t handle; // of one queue's stream
};

static kn_status fail(const struct be_plan *plan, cublasStatus_t code, const char *call, kn_error *err)
{
    kn_status status = code == CUBLAS_STATUS_ALLOC_FAILED ? KN_ERROR_MEMORY : KN_ERROR_DEVICE;
    const char *name = plan->cublas.cublasGetStatusString(code);

    ki_fail(err, status, "%s: cuBLAS: %s: %s (%d)", plan->context->spec, call, name ? name : "failed", code);
    ki_error_native(err, code, name ? name : "cuBLAS error");
    return status;
}

static kn_status cublas_find(kn_error *err)
{
    struct cublas cublas;

    return ki_cuda_toolkit_find(&toolkit, &cublas, err);
}

static void cublas_free(struct be_plan *plan)
{
    bool entered = plan->handle && ki_cuda_enter_to_free(plan->context);

    if (entered) {
        (void)plan->cublas.cublasDestroy_v2(plan->handle);
        ki_cuda_leave(plan->context);
    }
    if (plan->library)
        dlclose(plan->library);
    free(plan);
}

static kn_status cublas_prepare(struct be_queue *queue, const struct be_fft_shape *shape,
                                struct be_plan **plan, char version[BE_VERSION_BYTES], kn_error *err)
{
    struct be_plan *made = calloc(1, sizeof *made);
    const char *call = "cublasCreate";
    cublasStatus_t code;
    kn_status status;

    (void)shape;
    if (!made)
        return ki_fail_memory(err, sizeof *made, "cuBLAS");
    made->context = queue->context;
    status = ki_cuda_toolkit_load(&toolkit, queue->context->cuda_major, &made->library, &made->cublas, err);
    if (!status)
        status = ki_cuda_enter(queue->context, err);
    if (status) {
        cublas_free(made);
        return status;
    }
    code = made->cublas.cublasCreate_v2(&made->handle);
    if (!code) {
        call = "cublasSetStream";
        code = made->cublas.cublasSetStream_v2(made->handle, queue->stream);
    }
    ki_cuda_leave(queue->context);
    if (code) {
        status = fail(made, code, call, err);
        cublas_free(made);
        return status;
    }
    version[0] = '\0';
    *plan = made;
    return KN_OK;
}

// A number or a pair of numbers in the product's type.
union scalar {
    float f32[2];
    double f64[2];
};

static union scalar scalar_of(const struct be_product *p, const double value[2])
{
    union scalar scalar;

    for (int i = 0; i < 2; i++)
        if (p->fp64)
            scalar.f64[i] = value[i];
        else
            scalar.f32[i] = (float)value[i];
    return scalar;
}

static CUdeviceptr begin_of(const struct be_product *p, const struct be_matrix *matrix)
{
    size_t element = (p->fp64 ? sizeof(double) : sizeof(float)) * (p->is_complex ? 2 : 1);

    return matrix->memory ? matrix->memory->pointer + matrix->offset * element : 0;
}

static cublasStatus_t call_gemm(const struct be_plan *plan, const struct be_product *p)
{
    static const int ops[BE_TRANSPOSES] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
    const struct cublas *cublas = &plan->cublas;
    cublasStatus_t(*const single[2][2])
        GEMM_ARGUMENTS = {{cublas->cublasSgemm_v2_64, cublas->cublasDgemm_v2_64},
                          {cublas->cublasCgemm_v2_64, cublas->cublasZgemm_v2_64}};
    cublasStatus_t(*const batched[2][2])
        BATCH_ARGUMENTS = {{cublas->cublasSgemmStridedBatched_64, cublas->cublasDgemmStridedBatched_64},
                           {cublas->cublasCgemmStridedBatched_64, cublas->cublasZgemmStridedBatched_64}};
    const union scalar alpha = scalar_of(p, p->alpha), beta = scalar_of(p, p->beta);
    CUdeviceptr a = begin_of(p, &p->a), b = begin_of(p, &p->b), c = begin_of(p, &p->c);
    const int64_t m = (int64_t)p->m, n = (int64_t)p->n, k = (int64_t)p->k;
    const int64_t a_pitch = (int64_t)p->a.pitch, b_pitch = (int64_t)p->b.pitch, c_pitch = (int64_t)p->c.pitch;

    if (p->batch == 1)
        return single[p->is_complex][p->fp64](plan->handle, ops[p->transpose_b], ops[p->transpose_a], n, m, k,
                                              &alpha, b, b_pitch, a, a_pitch, &beta, c, c_pitch);
    return batched[p->is_complex][p->fp64](plan->handle, ops[p->transpose_b], ops[p->transpose_a], n, m, k,
                                           &alpha, b, b_pitch, (long long)p->b.stride, a, a_pitch,
                                           (long long)p->a.stride, &beta, c, c_pitch, (long long)p->c.stride,
                                           (int64_t)p->batch);
}

static kn_status cublas_execute(struct be_queue *queue, struct be_plan *plan, union be_task task,
                                struct be_event **event, kn_error *err)
{
    const struct cuda_outcome enqueued = {CUDA_SUCCESS, "cublasGemm"};
    const struct be_product *product = task.product;
    struct cuda_work work;
    cublasStatus_t code;
    kn_status status = ki_cuda_work_begin(&work, queue, event != NULL, err);

    if (status)
        return status;
    ki_cuda_memory_written(product->c.memory);
    code = call_gemm(plan, product);
    if (!code)
        return ki_cuda_work_end(&work, enqueued, false, "multiplying matrices", event, err);
    ki_cuda_work_abandon(&work);
    return fail(plan, code, product->batch == 1 ? "cublasGemm" : "cublasGemmStridedBatched", err);
}

const struct be_library ki_be_cublas = {
    .name = "cuBLAS",
    .field = BE_PRODUCTS,
    .path = &ki_backend_cuda,
    .find = cublas_find,
    .prepare = cublas_prepare,
    .execute = cublas_execute,
    .free = cublas_free,
};
