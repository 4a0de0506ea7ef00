// SPDX-License-Identifier: Apache-2.0
// What the device's solutions within bounds are made of: bounded.c makes them, bounded_solve.c has what is
// done before the iterations and after them, bounded_launch.c the launches.
#ifndef KN_OPERATOR_BOUNDED_BOUNDED_INTERNAL_H
#define KN_OPERATOR_BOUNDED_BOUNDED_INTERNAL_H

#include "bounded.h"
#include "engine/engine.h"
#include "operator/loop.h"
#include "operator/proximal/tv.h"

enum {
    BOUNDED_RESIDUAL,
    BOUNDED_GRADIENT,
    BOUNDED_STEP, // of the method
    BOUNDED_PROJECT,
    BOUNDED_WEIGH,   // of SIRT and BB
    BOUNDED_NORMAL,  // of all but SIRT
    BOUNDED_SCALE,   // of FISTA and TV
    BOUNDED_TV_ROWS, // of TV
    BOUNDED_TV_DIFFERENCES,
    BOUNDED_KERNELS
};

// Vectors of columns, of rows, and the scalars.
enum {
    BOUNDED_X,
    BOUNDED_V,        // A^T of something
    BOUNDED_G,        // the gradient
    BOUNDED_X_BEFORE, // of TV: x, where BOUNDED_X is x' (cl/operator/tv.cl)
    BOUNDED_G_BEFORE,
    BOUNDED_DUAL,       // of TV: t y
    BOUNDED_OF_COLUMNS, // of SIRT: inverse sums
    BOUNDED_RIGHT,      // b, so that launches that are recorded find it
    BOUNDED_W,          // A of something
    BOUNDED_R,          // of TV: A x
    BOUNDED_P,          // of TV
    BOUNDED_OF_ROWS,
    BOUNDED_STATE,
    BOUNDED_BUFFERS
};

struct bounded {
    kn_context *context; // the operator's
    kn_operator *a;      // held
    struct bounded_options options;
    uint32_t rows, columns, most; // numbers; iterations
    uint32_t parts;
    size_t group;
    kn_kernel *kernels[BOUNDED_KERNELS];
    kn_buffer *buffers[BOUNDED_BUFFERS]; // NULL: the method has none
    kn_recording *recording;             // of a block of iterations; NULL: each is launched
    double squared_norm;                 // of A with the terms, of TV without; below 0 until it is known
    bool has_weights;                    // the inverse sums are there
    struct tv_grid grid;                 // of TV
};

// Bytes from the start of the state: of partial sums of a kind, of |b|^2, of iteration k's cells, and of what
// comes behind those of the last iteration (cl/operator/bounded.cl).
size_t ki_bounded_partial(const struct bounded *s, unsigned kind);
size_t ki_bounded_goal(const struct bounded *s);
size_t ki_bounded_cell(const struct bounded *s, size_t k);

// A launch of all groups.
kn_status ki_bounded_launch(kn_queue *queue, const struct bounded *s, unsigned kernel, const kn_arg *args,
                            size_t count, kn_error *err);
// r = A x - b of W = A x.
kn_status ki_bounded_launch_residual(kn_queue *queue, const struct bounded *s, kn_error *err);
// g = A^T r + L x, of V = A^T r.
kn_status ki_bounded_launch_gradient(kn_queue *queue, const struct bounded *s, kn_error *err);
// to = weights from, `count` numbers.
kn_status ki_bounded_launch_weigh(kn_queue *queue, const struct bounded *s, const kn_buffer *from,
                                  const kn_buffer *weights, kn_buffer *to, uint32_t count, kn_error *err);
// V += L d, of V = A^T A d; partial sums of V's squares, d.V and d.d. Then d = V d.d / d.V.
kn_status ki_bounded_launch_normal(kn_queue *queue, const struct bounded *s, const kn_buffer *d,
                                   kn_error *err);
kn_status ki_bounded_launch_scale(kn_queue *queue, const struct bounded *s, kn_buffer *d, kn_error *err);
// x = P(x); the third partial sums are not finite where x is not.
kn_status ki_bounded_launch_project(kn_queue *queue, const struct bounded *s, kn_error *err);

// An iteration, of TV (tv_launch.c) or another method, as struct operator_loop has it.
kn_status ki_bounded_iterate(const void *data, kn_queue *queue, size_t k, bool last, kn_error *err);
kn_status ki_bounded_iterate_tv(const void *data, kn_queue *queue, size_t k, bool last, kn_error *err);

// All iterations.
struct operator_loop ki_bounded_loop(const struct bounded *s);

#endif
