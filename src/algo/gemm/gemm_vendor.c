// SPDX-License-Identifier: Apache-2.0
// Products by the library that a device's path has: CLBlast on OpenCL, cuBLAS on CUDA.
#include "base/error.h"
#include "engine/blas.h"
#include "gemm.h"

// Refuses a library that is not the one of this path, or does not open.
static kn_status open_library(kn_queue *queue, const struct be_blas_library *library, const char *path,
                              kn_error *err)
{
    if (engine_blas_library(queue->context) != library)
        return kn_fail(err, KN_ERROR_UNSUPPORTED, "it works on devices reached through %s", path);
    return engine_blas_open(queue, err);
}

static kn_status clblast_serves(kn_queue *queue, const kn_gemm_task *task, kn_error *err)
{
    if (task->k == 0)
        return kn_fail(err, KN_ERROR_UNSUPPORTED, "it multiplies no matrices without columns (k = 0)");
    return open_library(queue, &kn_be_clblast, "OpenCL", err);
}

static kn_status cublas_serves(kn_queue *queue, const kn_gemm_task *task, kn_error *err)
{
    (void)task;
    return open_library(queue, &kn_be_cublas, "CUDA", err);
}

static struct be_matrix matrix_of(const kn_gemm_matrix *matrix)
{
    struct kn_buffer *buffer = matrix->buffer;

    return (struct be_matrix){buffer ? buffer->native : NULL, matrix->offset, matrix->pitch, matrix->stride};
}

static kn_status run(kn_queue *queue, const kn_gemm_task *task, const kn_gemm_tile *tile, kn_error *err)
{
    const struct be_product product = {
        .fp64 = task->type == KN_F64,
        .is_complex = task->is_complex,
        .transpose_a = (enum be_transpose)task->transpose_a,
        .transpose_b = (enum be_transpose)task->transpose_b,
        .m = task->m,
        .n = task->n,
        .k = task->k,
        .batch = task->batch,
        .alpha = {task->alpha[0], task->alpha[1]},
        .beta = {task->beta[0], task->beta[1]},
        .a = matrix_of(&task->a),
        .b = matrix_of(&task->b),
        .c = matrix_of(&task->c),
    };

    (void)tile;
    return engine_blas_gemm(queue, &product, err);
}

_Static_assert((int)BE_AS_IS == KN_GEMM_AS_IS && (int)BE_TRANSPOSED == KN_GEMM_TRANSPOSED &&
                   (int)BE_CONJUGATED == KN_GEMM_CONJUGATED,
               "one is cast to the other");

const struct gemm_library gemm_clblast = {"CLBlast", clblast_serves, run};
const struct gemm_library gemm_cublas = {"cuBLAS", cublas_serves, run};
