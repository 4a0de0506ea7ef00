// SPDX-License-Identifier: Apache-2.0
// What the device's solver is made of, and its launches.
#ifndef KN_APP_SPARSE_SOLVER_DEVICE_SOLVER_INTERNAL_H
#define KN_APP_SPARSE_SOLVER_DEVICE_SOLVER_INTERNAL_H

#include "solver.h"
#include "solver_white.h"
#include "app/sparse/product/spmv_internal.h"

// Of `state`: how many groups leave a part at most; bytes of a cell, and cells of an iteration; cells of
// |b|^2 and of which iteration it is, between parts and iterations.
enum { SOLVER_MOST_PARTS = 1024, SOLVER_CELL = sizeof(double), SOLVER_CELLS = 4, SOLVER_START = 5 };

enum {
    SOLVER_FORWARD,
    SOLVER_BACKWARD,
    SOLVER_RESIDUAL,
    SOLVER_CURVE,
    SOLVER_STEP,
    SOLVER_REST,
    SOLVER_TURN,
    SOLVER_PRINTED_MOVE, // these are made where they are asked for
    SOLVER_PRINTED_RESIDUAL,
    SOLVER_PRINTED_GRADIENT,
    SOLVER_KERNELS
};
enum {
    SOLVER_X,
    SOLVER_H,
    SOLVER_D,
    SOLVER_E,
    SOLVER_V,
    SOLVER_NEXT_X,
    SOLVER_NEXT_H,
    SOLVER_NEXT_D,
    SOLVER_W,
    SOLVER_R,
    SOLVER_STATE,
    SOLVER_ROW_ORDER,
    SOLVER_RIGHT, // b, for the loop as it is printed
    SOLVER_BUFFERS
};

// Options as kernels take them: `gradient` and `residual` squared, or below 0 for never.
struct solver_terms {
    uint32_t order;
    float lambda, smooth, weight, gradient, residual;
};

struct sparse_solver {
    kn_context *context;
    struct sparse_solver_options options;
    bool fused;
    uint32_t rows, columns, most;    // iterations
    struct spmv_product products[2]; // rows in the order of SOLVER_ROW_ORDER
    kn_kernel *kernels[SOLVER_KERNELS];
    uint32_t parts;
    size_t group, back_group, lanes; // of cgnr_forward and the vectors' kernels; of cgnr_backward
    struct solver_terms terms;
    kn_buffer *buffers[SOLVER_BUFFERS];
    struct solver_white white;
    kn_recording *recording; // of a block of iterations; NULL: each is launched
};

kn_status ki_solver_check_options(const struct sparse_solver_options *options, kn_error *err);
struct solver_terms ki_solver_terms_of(const struct sparse_solver_options *options);
// What kernels that iterate have in common: the correction, and the device's abilities.
kn_status ki_solver_define(struct engine_defines *defines, kn_context *context,
                           const struct sparse_solver_options *options, kn_error *err);

// How an image ended whose STOP_ code of cl/shared/sparse.h was left at `iteration`: stopped, iterations.
void ki_solver_take_end(unsigned code, size_t iteration, struct sparse_solver_result *result);
// Its history, steps and normal residual, from |g|^2 and the step's length of every iteration, `stride`
// numbers apart.
kn_status ki_solver_take_history(const double *squares, const double *steps, size_t stride,
                                 struct sparse_solver_result *result, kn_error *err);

// r = A x - b, in the products' order, of W = A x; squares of it and of b are left in the state.
kn_status ki_solver_launch_residual(kn_queue *queue, const struct sparse_solver *solver, kn_buffer *right,
                                    kn_error *err);

// e = v + L d, and sums.
kn_status ki_solver_launch_curve(kn_queue *queue, const struct sparse_solver *solver, kn_buffer *d,
                                 kn_buffer *h, kn_buffer *e, kn_error *err);

// Whether r = A x - b is kept.
static inline bool solver_keeps_residual(const struct sparse_solver_options *options)
{
    return options->residual > 0 || options->white;
}

// What the loop as it is printed has in place of the step: x, and A x - b and the gradient anew from it.
kn_status ki_solver_launch_printed(kn_queue *queue, const struct sparse_solver *solver, kn_error *err);
// Launches of that, but for A and A^T.
enum { SOLVER_PRINTED_LAUNCHES = 3 };

// The block of iterations that is replayed, if there are as many.
kn_status ki_solver_record(kn_queue *queue, struct sparse_solver *solver, kn_error *err);
// All iterations; the host looks now and then whether the device has stopped.
kn_status ki_solver_iterate_all(kn_queue *queue, const struct sparse_solver *solver, size_t *launched,
                                kn_error *err);

// Where iteration k's cells begin in the state.
size_t ki_solver_cell_of(const struct sparse_solver *solver, size_t k);

#endif
