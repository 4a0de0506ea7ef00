// SPDX-License-Identifier: Apache-2.0
#include "job_matrix.h"

#include <math.h>
#include <stdlib.h>

// A row has one number in each of 16 blocks of columns: its own block and those around it. Within a block of
// columns, the rows of a block use the columns in a permuted order, so each column also has 16 numbers. The
// matrix wraps around at its end, and indices ascend.
static void fill_row(uint32_t *indices, double *values, size_t n, size_t i, uint64_t *state)
{
    size_t blocks = n / JOB_MATRIX_BLOCK, block = i / JOB_MATRIX_BLOCK, before = JOB_MATRIX_ROW / 2;
    size_t first = block < before                             ? before - block
                   : block - before + JOB_MATRIX_ROW > blocks ? blocks - (block - before)
                                                              : 0;

    for (size_t j = 0; j < JOB_MATRIX_ROW; j++) {
        size_t k = (first + j) % JOB_MATRIX_ROW, other = (block + blocks - before + k) % blocks;
        uint64_t order =
            (block * JOB_MATRIX_ROW + k) * 0x9e3779b97f4a7c15u; // the same for all rows of the block
        size_t place = (i * (order >> 33 | 1) + (order >> 8)) % JOB_MATRIX_BLOCK;

        indices[j] = (uint32_t)(k == before ? i : other * JOB_MATRIX_BLOCK + place);
        // Floats represent these values exactly.
        values[j] = k == before ? 1 : ((double)(job_random(state) % 2049) - 1024) / 65536;
    }
}

kn_status job_matrix_make(struct compare_problem *problem, kn_error *err)
{
    size_t nonzeros = problem->n * JOB_MATRIX_ROW, first = problem->column_count;
    uint64_t state = problem->n;
    kn_status status = job_column(problem, COMPARE_REFERENCE, nonzeros * sizeof(uint32_t), err);

    if (!status)
        status = job_column(problem, COMPARE_REFERENCE, nonzeros * sizeof(double), err);
    for (size_t i = 0; i < problem->n && !status; i++)
        fill_row((uint32_t *)problem->columns[first].data + i * JOB_MATRIX_ROW,
                 (double *)problem->columns[first + 1].data + i * JOB_MATRIX_ROW, problem->n, i, &state);
    return status;
}

kn_status job_matrix_operator(const struct compare_work *work, size_t indices, kn_operator **made,
                              kn_error *err)
{
    const struct compare_problem *problem = work->problem;
    const kn_sparse_operator_options options =
        KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_SELL, .type = problem->which->type);
    kn_sparse *matrix = NULL;
    uint64_t *starts;
    kn_status status = job_memory((problem->n + 1) * sizeof *starts, &starts, err);

    for (size_t i = 0; i <= problem->n && !status; i++)
        starts[i] = i * JOB_MATRIX_ROW;
    if (!status)
        status = kn_sparse_create_csr(problem->n, problem->n, problem->n * JOB_MATRIX_ROW, starts,
                                      problem->columns[indices].data, problem->columns[indices + 1].data,
                                      &matrix, err);
    free(starts);
    if (!status)
        status = kn_sparse_operator_create(work->queue, matrix, &options, made, err);
    kn_sparse_free(matrix);
    return status;
}

double job_matrix_element(const struct compare_problem *problem, size_t indices, const double *x, size_t i,
                          double *terms)
{
    const uint32_t *index = (const uint32_t *)problem->columns[indices].data + i * JOB_MATRIX_ROW;
    const double *value = (const double *)problem->columns[indices + 1].data + i * JOB_MATRIX_ROW;
    long double sum = 0, moduli = 0;

    for (size_t k = 0; k < JOB_MATRIX_ROW; k++) {
        long double term = (long double)value[k] * x[index[k]];

        sum += term;
        moduli += fabsl(term);
    }
    if (terms)
        *terms = (double)moduli;
    return (double)sum;
}
