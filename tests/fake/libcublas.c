// SPDX-License-Identifier: Apache-2.0
// A fake cuBLAS for the fake driver (fake.h), whose device memory is the host's: column-major products, in
// double precision, as cuBLAS's manual defines them.
#include "fake.h"

#include <complex.h>
#include <stdint.h>

#define INVALID_VALUE 7

struct cublasContext {
    void *stream;
};

static _Atomic long injected;

#define MAY_FAIL(name)                                                                                       \
    do {                                                                                                     \
        int failure = fake_failure(#name, &injected);                                                        \
        if (failure)                                                                                         \
            return failure;                                                                                  \
    } while (0)

int cublasCreate_v2(struct cublasContext **handle)
{
    MAY_FAIL(cublasCreate_v2);
    *handle = calloc(1, sizeof **handle);
    return 0;
}

int cublasDestroy_v2(struct cublasContext *handle)
{
    free(handle);
    return 0;
}

int cublasSetStream_v2(struct cublasContext *handle, void *stream)
{
    MAY_FAIL(cublasSetStream_v2);
    handle->stream = stream;
    return 0;
}

const char *cublasGetStatusString(int status)
{
    return status == 13 ? "CUBLAS_STATUS_EXECUTION_FAILED" : "CUBLAS_STATUS_FAKE";
}

enum { SINGLE, DOUBLE, SINGLE_PAIR, DOUBLE_PAIR };

static double complex get(unsigned long long memory, int type, int64_t i)
{
    const void *at = (const void *)(uintptr_t)memory;

    switch (type) {
    case SINGLE:
        return (double)((const float *)at)[i];
    case DOUBLE:
        return ((const double *)at)[i];
    case SINGLE_PAIR:
        return (double complex)((const float complex *)at)[i];
    default:
        return ((const double complex *)at)[i];
    }
}

static void set(unsigned long long memory, int type, int64_t i, double complex value)
{
    void *at = (void *)(uintptr_t)memory;

    switch (type) {
    case SINGLE:
        ((float *)at)[i] = (float)creal(value);
        break;
    case DOUBLE:
        ((double *)at)[i] = creal(value);
        break;
    case SINGLE_PAIR:
        ((float complex *)at)[i] = (float complex)value;
        break;
    default:
        ((double complex *)at)[i] = value;
    }
}

// op(X)(i, j) of a column-major matrix.
static double complex entry(unsigned long long x, int type, int64_t pitch, int op, int64_t i, int64_t j)
{
    double complex value = get(x, type, op ? i * pitch + j : j * pitch + i);

    return op == 2 ? conj(value) : value;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int product(int type, int a_op, int b_op, int64_t m, int64_t n, int64_t k, const void *alpha,
                   unsigned long long a, int64_t a_pitch, unsigned long long b, int64_t b_pitch,
                   const void *beta, unsigned long long c, int64_t c_pitch)
{
    double complex scale = get((uintptr_t)alpha, type, 0), keep = get((uintptr_t)beta, type, 0);

    if (m < 0 || n < 0 || k < 0 || a_pitch < most(1, a_op ? k : m) || b_pitch < most(1, b_op ? n : k) ||
        c_pitch < most(1, m))
        return INVALID_VALUE;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double complex sum = 0;
            for (int64_t l = 0; l < k && scale != 0; l++)
                sum += entry(a, type, a_pitch, a_op, i, l) * entry(b, type, b_pitch, b_op, l, j);
            double complex old = keep != 0 ? keep * get(c, type, j * c_pitch + i) : 0;
            set(c, type, j * c_pitch + i, scale * sum + old);
        }
    return 0;
}

#define GEMM(name, batched, type)                                                                            \
    int name(struct cublasContext *handle, int a_op, int b_op, int64_t m, int64_t n, int64_t k,              \
             const void *alpha, unsigned long long a, int64_t a_pitch, unsigned long long b,                 \
             int64_t b_pitch, const void *beta, unsigned long long c, int64_t c_pitch)                       \
    {                                                                                                        \
        MAY_FAIL(name);                                                                                      \
        return handle->stream                                                                                \
                   ? product(type, a_op, b_op, m, n, k, alpha, a, a_pitch, b, b_pitch, beta, c, c_pitch)     \
                   : INVALID_VALUE;                                                                          \
    }                                                                                                        \
    int batched(struct cublasContext *handle, int a_op, int b_op, int64_t m, int64_t n, int64_t k,           \
                const void *alpha, unsigned long long a, int64_t a_pitch, long long a_stride,                \
                unsigned long long b, int64_t b_pitch, long long b_stride, const void *beta,                 \
                unsigned long long c, int64_t c_pitch, long long c_stride, int64_t batch)                    \
    {                                                                                                        \
        static const unsigned sizes[] = {4, 8, 8, 16};                                                       \
        int code = handle->stream ? 0 : INVALID_VALUE;                                                       \
        MAY_FAIL(batched);                                                                                   \
        for (int64_t i = 0; i < batch && !code; i++)                                                         \
            code = product(type, a_op, b_op, m, n, k, alpha, a + (uint64_t)(i * a_stride) * sizes[type],     \
                           a_pitch, b + (uint64_t)(i * b_stride) * sizes[type], b_pitch, beta,               \
                           c + (uint64_t)(i * c_stride) * sizes[type], c_pitch);                             \
        return code;                                                                                         \
    }
GEMM(cublasSgemm_v2_64, cublasSgemmStridedBatched_64, SINGLE)
GEMM(cublasDgemm_v2_64, cublasDgemmStridedBatched_64, DOUBLE)
GEMM(cublasCgemm_v2_64, cublasCgemmStridedBatched_64, SINGLE_PAIR)
GEMM(cublasZgemm_v2_64, cublasZgemmStridedBatched_64, DOUBLE_PAIR)
