// SPDX-License-Identifier: Apache-2.0
// Products by the library of a device's path: CLBlast on OpenCL, cuBLAS on CUDA.
#include "base/error.h"

#include <koine/experimental.h>
#include "engine/library.h"
#include "gemm.h"

static kn_status open_library(kn_queue *queue, const struct be_library *library, struct be_plan **plan,
                              kn_error *err)
{
    kn_status status = ki_engine_check_runs(queue, "kn_gemm", err);

    return status ? status : ki_engine_library_products(queue, library, plan, err);
}

static kn_status clblast_serves(kn_queue *queue, const kn_gemm_task *task, kn_error *err)
{
    struct be_plan *plan;

    if (task->k == 0)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "it multiplies no matrices without columns (k = 0)");
    return open_library(queue, &ki_be_clblast, &plan, err);
}

static kn_status cublas_serves(kn_queue *queue, const kn_gemm_task *task, kn_error *err)
{
    struct be_plan *plan;

    (void)task;
    return open_library(queue, &ki_be_cublas, &plan, err);
}

static struct be_matrix matrix_of(const kn_gemm_matrix *matrix)
{
    struct kn_buffer *buffer = matrix->buffer;

    return (struct be_matrix){buffer ? buffer->native : NULL, matrix->offset, matrix->pitch, matrix->stride};
}

static kn_status run(kn_queue *queue, const struct be_library *library, const kn_gemm_task *task,
                     kn_error *err)
{
    static const char *const names[2][2] = {{"SGEMM", "DGEMM"}, {"CGEMM", "ZGEMM"}};
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

    struct be_plan *plan;
    kn_status status = open_library(queue, library, &plan, err);

    return status ? status
                  : ki_engine_library_execute(queue, library, plan, names[product.is_complex][product.fp64],
                                              (union be_task){.product = &product}, err);
}

static kn_status clblast_run(kn_queue *queue, const kn_gemm_task *task, const kn_gemm_tile *tile,
                             kn_error *err)
{
    (void)tile;
    return run(queue, &ki_be_clblast, task, err);
}

static kn_status cublas_run(kn_queue *queue, const kn_gemm_task *task, const kn_gemm_tile *tile,
                            kn_error *err)
{
    (void)tile;
    return run(queue, &ki_be_cublas, task, err);
}

_Static_assert((int)BE_AS_IS == KN_GEMM_AS_IS && (int)BE_TRANSPOSED == KN_GEMM_TRANSPOSED &&
                   (int)BE_CONJUGATED == KN_GEMM_CONJUGATED,
               "one is cast to the other");

const struct gemm_library ki_gemm_clblast = {"CLBlast", clblast_serves, clblast_run};
const struct gemm_library ki_gemm_cublas = {"cuBLAS", cublas_serves, cublas_run};
