// SPDX-License-Identifier: Apache-2.0
#include "host_solve.h"

#include "app/sparse/product/host/host_internal.h"
#include "app/sparse/product/reference.h"
#include "base/error.h"
#include "operator/bounded/host_bounded.h"
#include "operator/bounded/host_tv.h"
#include "operator/bounded/limits.h"

static kn_status product(void *data, bool adjoint, const void *x, void *y, double *squares, kn_error *err)
{
    struct sparse_host *host = data;

    (void)err;
    *squares = ki_sparse_host_product(host, adjoint ? &host->backward : &host->forward, x, y);
    return KN_OK;
}

kn_status ki_sparse_host_solve(struct sparse_host *host, const void *b,
                               const struct host_cgnr_options *options, void *x,
                               struct host_cgnr_result *result, kn_error *err)
{
    const struct host_cgnr_operator a = {.rows = host->rows,
                                         .columns = host->columns,
                                         .vectors = &host->vectors,
                                         .row_order = host->row_order,
                                         .column_order = host->column_order,
                                         .product = product,
                                         .data = host};

    return ki_host_cgnr(&a, b, options, x, result, err);
}

// ---- within bounds ----

// A kn_operator_host_function for a matrix.
static kn_status apply_plainly(void *data, bool adjoint, const void *from, void *to, kn_error *err)
{
    (void)err;
    (adjoint ? ki_sparse_reference_multiply_transposed : ki_sparse_reference_multiply)(data, from, to);
    return KN_OK;
}

kn_status ki_sparse_check_signs(const struct sparse_matrix *matrix, kn_error *err)
{
    for (size_t i = 0; i < matrix->nonzeros; i++)
        if (matrix->values[i] < 0)
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "SIRT divides by sums of rows and columns: an element of %g; take FISTA",
                           matrix->values[i]);
    return KN_OK;
}

static kn_status check_method(const struct sparse_matrix *matrix, enum sparse_bounded_method method,
                              kn_error *err)
{
    if ((unsigned)method > SPARSE_TV)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no method %d; see sparse_bounded_method",
                       (int)method);
    return method == SPARSE_SIRT ? ki_sparse_check_signs(matrix, err) : KN_OK;
}

// For a solution within bounds, which has no tolerance.
static enum sparse_bounded_stop stopped_by(kn_solve_stopped stopped)
{
    return stopped == KN_SOLVE_STOPPED_ITERATIONS ? SPARSE_BOUNDED_ITERATIONS
           : stopped == KN_SOLVE_STOPPED_NOISE    ? SPARSE_BOUNDED_DISCREPANCY
                                                  : SPARSE_BOUNDED_GRADIENT;
}

kn_status ki_sparse_bounded_solve(const struct sparse_matrix *matrix, const double *b,
                                  const struct sparse_bounded_options *options, double *x,
                                  struct sparse_bounded_result *result, kn_error *err)
{
    static const kn_solve_method methods[] = {[SPARSE_FISTA] = KN_SOLVE_FISTA,
                                              [SPARSE_BB] = KN_SOLVE_BB,
                                              [SPARSE_SIRT] = KN_SOLVE_SIRT,
                                              [SPARSE_TV] = KN_SOLVE_TV};
    struct sparse_matrix products = *matrix; // its functions take a pointer that is not const
    const kn_operator_functions functions =
        KN_INIT(kn_operator_functions, .rows = matrix->rows, .columns = matrix->columns, .type = KN_F64,
                .apply_host = apply_plainly, .data = &products);
    struct host_bounded_options how = {.iterations = options->iterations,
                                       .low = options->low,
                                       .high = options->high,
                                       .noise = options->noise,
                                       .floor = 1e-12,
                                       .correction = options->correction,
                                       .shape = options->shape,
                                       .lambda = options->lambda,
                                       .squared_norm = options->squared_norm,
                                       .look = options->look,
                                       .look_data = options->data,
                                       .progress = options->progress,
                                       .progress_data = options->progress_data};
    struct host_bounded_result found = {.iterations = 0};
    kn_operator *a = NULL;
    kn_status status = ki_bounded_limits(KN_F64, &how.low, &how.high, err);

    *result = (struct sparse_bounded_result){.iterations = 0};
    if (!status)
        status = check_method(matrix, options->method, err);
    if (!status)
        status = kn_operator_create(NULL, &functions, &a, err);
    if (status)
        return status;
    how.method = methods[options->method];
    status = (options->method == SPARSE_TV ? ki_host_tv : ki_host_bounded)(a, b, &how, x, &found, err);
    kn_operator_free(a);
    *result = (struct sparse_bounded_result){found.iterations, stopped_by(found.stopped), found.residual,
                                             found.gradient};
    return status;
}
