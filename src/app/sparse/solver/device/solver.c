// SPDX-License-Identifier: Apache-2.0
#include "solver.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/cost/crossovers.h"
#include "fused.h"

// The products of a matrix or of a geometry, with separate or fused launches; and the iterations with them.
struct sparse_solver {
    bool is_fused;
    struct sparse_fused fused;
    struct sparse_operator *products; // for separate launches
    kn_operator *a;
    struct cgnr *cgnr;
};

struct cgnr *ki_sparse_solver_cgnr(const struct sparse_solver *solver)
{
    return solver->cgnr;
}

bool ki_sparse_solver_is_fused(const struct sparse_solver *solver)
{
    return solver->is_fused;
}

kn_status ki_sparse_solver_apply(kn_queue *queue, const struct sparse_solver *solver, bool transposed,
                                 const kn_buffer *x, kn_buffer *y, kn_error *err)
{
    return solver->is_fused ? ki_spmv_product_apply(queue, &solver->fused.products[transposed], x, y, err)
                            : ki_sparse_operator_apply(queue, solver->products, transposed, x, y, err);
}

kn_sparse_format ki_sparse_solver_format(const struct sparse_solver *solver, bool transposed)
{
    return solver->is_fused ? solver->fused.products[transposed].format
                            : ki_sparse_operator_format(solver->products, transposed);
}

// ---- the operator ----

static kn_status apply(void *data, kn_queue *queue, bool adjoint, const kn_buffer *from, kn_buffer *to,
                       kn_error *err)
{
    return ki_sparse_solver_apply(queue, data, adjoint, from, to, err);
}

static kn_status create_operator(kn_queue *queue, struct sparse_solver *s, size_t rows, size_t columns,
                                 bool is_double, kn_error *err)
{
    const kn_operator_functions functions =
        KN_INIT(kn_operator_functions, .rows = rows, .columns = columns, .apply = apply, .data = s,
                .type = is_double ? KN_F64 : KN_F32);
    kn_status status = kn_operator_create(kn_queue_get_context(queue), &functions, &s->a, err);

    if (status)
        return status;
    s->a->can_record = s->is_fused || ki_sparse_operator_only_launches(s->products);
    s->a->launches = s->is_fused ? 2 : ki_sparse_operator_launches(s->products);
    return KN_OK;
}

// ---- creation ----

static kn_status choose_launches(kn_queue *queue, struct sparse_solver *s, const struct sparse_matrix *matrix,
                                 const struct sparse_storage *storage, const struct cgnr_options *options,
                                 kn_error *err)
{
    kn_context *context = kn_queue_get_context(queue);
    bool can = !options->printed && !options->white, asked = storage->launches == SPARSE_LAUNCHES_FUSED;

    if ((unsigned)storage->launches > SPARSE_LAUNCHES_SEPARATE)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no way of launching %d; see sparse_launches",
                       (int)storage->launches);
    if (asked && !can)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s has separate launches; leave them open, or ask for those",
                       options->printed ? "the loop as it is printed" : "a stop at the whiteness of A x - b");
    if (!matrix || storage->launches == SPARSE_LAUNCHES_SEPARATE)
        return KN_OK;
    if (asked) {
        s->is_fused = true;
        return ki_sparse_fused_check(context, matrix, options, storage->tuning.is_double, err);
    }
    s->is_fused = can && storage->format == KN_SPARSE_AUTO &&
                  ki_engine_crossover(context, CROSSOVER_SPARSE_FUSED) != CROSSOVER_NEVER &&
                  !ki_sparse_fused_check(context, matrix, options, storage->tuning.is_double, NULL);
    return KN_OK;
}

// For a matrix, or, if it is NULL, for a geometry.
static kn_status create_solver(kn_queue *queue, const struct sparse_matrix *matrix,
                               const struct sparse_parallel *geometry, const struct sparse_storage *storage,
                               const struct cgnr_options *options, struct sparse_solver **solver,
                               kn_error *err)
{
    struct sparse_solver *s = calloc(1, sizeof *s);
    struct cgnr_fused fused = {.data = NULL};
    kn_status status =
        s ? ki_cgnr_check_options(options, err) : ki_fail_memory(err, sizeof *s, "a sparse solver");

    if (!status && matrix)
        status = ki_spmv_check(kn_context_get_device(kn_queue_get_context(queue)), matrix, storage->format,
                               storage->tuning.is_double, err);
    if (!status)
        status = choose_launches(queue, s, matrix, storage, options, err);
    if (!status)
        status = s->is_fused
                     ? ki_sparse_fused_create(queue, matrix, &storage->tuning, options, &s->fused, err)
                 : matrix ? ki_sparse_operator_create(queue, matrix, storage->format, &storage->tuning,
                                                      &s->products, err)
                          : ki_sparse_operator_create_parallel(queue, geometry, storage->format,
                                                               &storage->tuning, &s->products, err);
    if (!status)
        status = create_operator(queue, s, matrix ? matrix->rows : ki_sparse_parallel_rows(geometry),
                                 matrix ? matrix->columns : ki_sparse_parallel_columns(geometry),
                                 storage->tuning.is_double, err);
    if (!status && s->is_fused)
        fused = ki_sparse_fused_of(&s->fused);
    if (!status)
        status = ki_cgnr_create(queue, s->a, s->is_fused ? &fused : NULL, options, &s->cgnr, err);
    if (status)
        ki_sparse_solver_free(s);
    else
        *solver = s;
    return status;
}

static const struct sparse_storage best = {.format = KN_SPARSE_AUTO};

kn_status ki_sparse_solver_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                  const struct sparse_storage *storage, const struct cgnr_options *options,
                                  struct sparse_solver **solver, kn_error *err)
{
    return create_solver(queue, matrix, NULL, storage ? storage : &best, options, solver, err);
}

kn_status ki_sparse_solver_create_parallel(kn_queue *queue, const struct sparse_parallel *geometry,
                                           const struct sparse_storage *storage,
                                           const struct cgnr_options *options, struct sparse_solver **solver,
                                           kn_error *err)
{
    struct sparse_storage separate = storage ? *storage : best;
    struct sparse_matrix matrix = {.rows = 0};
    kn_status status = ki_sparse_parallel_check(geometry, err);

    if (!status && separate.launches == SPARSE_LAUNCHES_FUSED)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "fused launches read a stored matrix; products of a geometry are launched apart");
    separate.launches = SPARSE_LAUNCHES_SEPARATE;
    if (status)
        return status;
    if (ki_spmv_takes_geometry(separate.format) && !separate.tuning.is_double)
        return create_solver(queue, NULL, geometry, &separate, options, solver, err);
    status = ki_sparse_parallel_matrix(geometry, &matrix, err);
    if (!status)
        status = create_solver(queue, &matrix, NULL, &separate, options, solver, err);
    ki_sparse_free(&matrix);
    return status;
}

void ki_sparse_solver_free(struct sparse_solver *solver)
{
    if (!solver)
        return;
    ki_cgnr_free(solver->cgnr);
    kn_operator_free(solver->a);
    ki_sparse_fused_free(&solver->fused);
    ki_sparse_operator_free(solver->products);
    free(solver);
}
