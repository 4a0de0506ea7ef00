// SPDX-License-Identifier: Apache-2.0
// Solves a system on a device by conjugate gradients, twice, which must give the same bits.
#ifndef KN_TESTS_UNIT_APP_SPARSE_SOLVER_SUPPORT_H
#define KN_TESTS_UNIT_APP_SPARSE_SOLVER_SUPPORT_H

#include "system_support.h"

#include "app/sparse/solver/device/solver.h"
#include "operator/cgnr/cgnr_internal.h"

#define ROOM 64 // poisoned bytes after the solution

// The way in which a system is solved.
struct solver_case {
    struct cgnr_options cgnr;
    struct sparse_storage storage;
};

// The solution, or NULL if it is refused; the caller frees it and the history.
static inline float *solve(const struct system *s, const struct solver_case *options,
                           struct cgnr_result *result)
{
    size_t rows = s->matrix.rows, columns = s->matrix.columns;
    struct sparse_solver *solver = NULL;
    float *x = malloc(columns * sizeof *x + 1), *again = malloc(columns * sizeof *x + 1);
    kn_buffer *b = test_upload_with_room(s->b, rows * sizeof *x, 0);
    kn_buffer *at = test_upload_with_room(s->x, columns * sizeof *x, ROOM);
    struct cgnr_result repeated;

    ck_assert(x && again);
    EXPECT_OK(ki_sparse_solver_create(queue, &s->matrix, &options->storage, &options->cgnr, &solver, &err));
    if (options->storage.launches != SPARSE_LAUNCHES_AUTO)
        ck_assert_int_eq(ki_sparse_solver_is_fused(solver),
                         options->storage.launches == SPARSE_LAUNCHES_FUSED);
    EXPECT_OK(ki_cgnr_solve(queue, ki_sparse_solver_cgnr(solver), b, at, at, result, &err));
    EXPECT_OK(kn_buffer_read(queue, at, 0, x, columns * sizeof *x, &err));
    test_expect_poison(at, columns * sizeof *x);
    // A second run of the same solver must give the same bits.
    EXPECT_OK(kn_buffer_write(queue, at, 0, s->x, columns * sizeof *x, &err));
    EXPECT_OK(ki_cgnr_solve(queue, ki_sparse_solver_cgnr(solver), b, at, at, &repeated, &err));
    EXPECT_OK(kn_buffer_read(queue, at, 0, again, columns * sizeof *x, &err));
    if (options->storage.format != KN_SPARSE_BACKPROJECTION) {
        ck_assert_int_eq(memcmp(x, again, columns * sizeof *x), 0);
        ck_assert_uint_eq(repeated.iterations, result->iterations);
        ck_assert_int_eq(
            memcmp(repeated.history, result->history, (repeated.iterations + 1) * sizeof *repeated.history),
            0);
    }
    free(repeated.history);
    free(again);
    ki_sparse_solver_free(solver);
    kn_buffer_free(b);
    kn_buffer_free(at);
    return x;
}

#endif
