// SPDX-License-Identifier: Apache-2.0
// Calls koine/least_squares.h with small matrices, and gives access to the members of the result.
#ifndef KN_TESTS_UNIT_APP_SPARSE_LEAST_SQUARES_SUPPORT_H
#define KN_TESTS_UNIT_APP_SPARSE_LEAST_SQUARES_SUPPORT_H

#include <stdlib.h>

#include "support/expect.h"

#include "app/sparse/api/sparse_internal.h"
#include "app/sparse/solver/solve_internal.h"

struct solved {
    double *x;
    kn_least_squares_result *result;
    const kn_least_squares_solution *solutions; // the result's
};

static inline struct solved solve_task(kn_queue *where, kn_least_squares_task task, size_t columns,
                                       kn_least_squares_options options)
{
    struct solved solved = {.x = calloc(columns * task.count + 1, sizeof *solved.x)};

    ck_assert_ptr_nonnull(solved.x);
    task.struct_size = sizeof task;
    options.struct_size = sizeof options;
    EXPECT_OK(kn_least_squares(where, &task, solved.x, &options, &solved.result, &err));
    solved.solutions = solved.result->solutions;
    return solved;
}

// Solves from a start of 0.
static inline struct solved solve_matrix(kn_queue *where, const struct sparse_matrix *matrix, const double *b,
                                         size_t count, const kn_least_squares_options *options)
{
    const kn_sparse view = {*matrix};

    return solve_task(where, (kn_least_squares_task){.matrix = &view, .b = b, .count = count},
                      matrix->columns, *options);
}

static inline struct solved solve_rays(kn_queue *where, const kn_tomography_geometry *geometry,
                                       const double *b, const kn_least_squares_options *options)
{
    return solve_task(where, (kn_least_squares_task){.geometry = geometry, .b = b, .count = 1},
                      geometry->size * geometry->size, *options);
}

static inline void solved_free(struct solved *solved)
{
    kn_least_squares_result_free(solved->result);
    free(solved->x);
}

static inline const char *stopped_by(const kn_least_squares_solution *solution)
{
    return kn_least_squares_stopped_name(solution->stopped);
}

static inline bool is_reached(const kn_least_squares_solution *solution)
{
    return solution->tolerance_reached && solution->noise_reached;
}

#endif
