// SPDX-License-Identifier: Apache-2.0
// Sparse least squares on a device: conjugate gradients (src/operator/cgnr/cgnr.h) with a stored matrix or a
// geometry, with the iteration in two launches if that is possible.
#ifndef KN_APP_SPARSE_SOLVER_DEVICE_SOLVER_H
#define KN_APP_SPARSE_SOLVER_DEVICE_SOLVER_H

#include "app/sparse/product/spmv.h"
#include "operator/cgnr/cgnr.h"

// How an iteration is launched.
enum sparse_launches {
    SPARSE_LAUNCHES_AUTO,     // fused for few columns if no format was chosen, but not on a CPU
    SPARSE_LAUNCHES_FUSED,    // two: the step of all vectors with A (in slices of rows), then A^T
    SPARSE_LAUNCHES_SEPARATE, // three for the vectors, and those of the format's products
};

// How A is stored, and how its products are launched.
struct sparse_storage {
    kn_sparse_format format; // for separate launches
    enum sparse_launches launches;
    struct sparse_tuning tuning; // of the products; for fused launches `group` and `lanes` of cgnr_backward
};

struct sparse_solver;

// Uploads A and A^T, and allocates the solver's memory. The matrix may be freed after that. `storage` may be
// NULL for the best known choice. Errors: those of ki_sparse_operator_create and ki_cgnr_create;
// KN_ERROR_LIMIT for fused launches with more columns than local memory holds; KN_ERROR_ARGUMENT for fused
// launches of a loop as printed, or with a stop at the whiteness.
kn_status ki_sparse_solver_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                  const struct sparse_storage *storage, const struct cgnr_options *options,
                                  struct sparse_solver **solver, kn_error *err);
// The same for a geometry, with separate launches: products on the fly, or in the chosen format of its
// matrix. Errors: as above; KN_ERROR_ARGUMENT for fused launches.
kn_status ki_sparse_solver_create_parallel(kn_queue *queue, const struct sparse_parallel *geometry,
                                           const struct sparse_storage *storage,
                                           const struct cgnr_options *options, struct sparse_solver **solver,
                                           kn_error *err);
void ki_sparse_solver_free(struct sparse_solver *solver); // NULL is fine

// The iterations, for ki_cgnr_solve, ki_cgnr_go_on and ki_cgnr_recording.
struct cgnr *ki_sparse_solver_cgnr(const struct sparse_solver *solver);

bool ki_sparse_solver_is_fused(const struct sparse_solver *solver);

// The solver's products, for checks: y = A x, or with `transposed` y = A^T x. With fused launches, rows are
// in the solver's own order, the same for both. Asynchronous. The next function returns the format of each.
kn_status ki_sparse_solver_apply(kn_queue *queue, const struct sparse_solver *solver, bool transposed,
                                 const kn_buffer *x, kn_buffer *y, kn_error *err);
kn_sparse_format ki_sparse_solver_format(const struct sparse_solver *solver, bool transposed);

#endif
