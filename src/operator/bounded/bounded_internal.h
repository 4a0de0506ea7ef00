// SPDX-License-Identifier: Apache-2.0
// The internals of the device's solver within bounds: bounded.c creates it, bounded_solve.c prepares the
// iterations and takes their result, bounded_launch.c has the launches.
#ifndef KN_OPERATOR_BOUNDED_BOUNDED_INTERNAL_H
#define KN_OPERATOR_BOUNDED_BOUNDED_INTERNAL_H

#include "bounded.h"
#include "engine/engine.h"
#include "operator/loop.h"
#include "operator/proximal/tv.h"
#include "operator/proximal/wavelet.h"

enum {
    BOUNDED_RESIDUAL,
    BOUNDED_GRADIENT,
    BOUNDED_STEP, // the step of the method
    BOUNDED_PROJECT,
    BOUNDED_WEIGH,   // for SIRT and BB
    BOUNDED_NORMAL,  // for all methods but SIRT
    BOUNDED_SCALE,   // for FISTA, TV and WAVELET
    BOUNDED_TV_ROWS, // for TV, of A or of A^H A
    BOUNDED_TV_DIFFERENCES,
    BOUNDED_WAVELET_POINT, // for WAVELET
    BOUNDED_WAVELET_SPLIT,
    BOUNDED_WAVELET_JOIN,
    BOUNDED_WAVELET_COMPARE,
    BOUNDED_KERNELS
};

// Vectors with a number per column, vectors with a number per row, and the scalars.
enum {
    BOUNDED_X,
    BOUNDED_V,        // the last product with A^T
    BOUNDED_G,        // the gradient; for WAVELET the next x (cl/operator/wavelet.cl)
    BOUNDED_X_BEFORE, // for TV: x, while BOUNDED_X is x' (cl/operator/tv.cl)
    BOUNDED_G_BEFORE,
    BOUNDED_DUAL,       // for TV: t y; for WAVELET the other side of the transform
    BOUNDED_OF_COLUMNS, // for SIRT: the inverse sums of columns
    BOUNDED_RIGHT,      // a copy of b, so that recorded launches always read the same buffer
    BOUNDED_W,          // the last product with A
    BOUNDED_R,          // for TV: A x
    BOUNDED_P,          // for TV
    BOUNDED_OF_ROWS,
    BOUNDED_STATE,
    BOUNDED_BUFFERS
};

struct bounded {
    kn_context *context; // the context of the operator
    kn_operator *a;      // held
    struct bounded_options options;
    uint32_t rows, columns, most; // lengths of the vectors; the most iterations
    uint32_t parts;
    size_t group;
    kn_kernel *kernels[BOUNDED_KERNELS];
    kn_buffer *buffers[BOUNDED_BUFFERS]; // NULL if the method does not use the buffer
    kn_recording *recording;             // a block of iterations; NULL: they are launched one by one
    double squared_norm;    // of A with the terms, for TV without them; below 0 until it is computed
    bool has_weights;       // the inverse sums have been computed
    struct tv_grid grid;    // for TV
    struct wavelet wavelet; // for WAVELET
};

// Offsets in bytes into the state: partial sums of a kind, |b|^2, the cells of iteration k, and what follows
// those of the last iteration (cl/operator/bounded.cl).
size_t ki_bounded_partial(const struct bounded *s, unsigned kind);
size_t ki_bounded_goal(const struct bounded *s);
size_t ki_bounded_cell(const struct bounded *s, size_t k);

// The fraction of the first gradient at which the iterations end.
double ki_bounded_end(const struct bounded *s);

// Launches a kernel with all groups.
kn_status ki_bounded_launch(kn_queue *queue, const struct bounded *s, unsigned kernel, const kn_arg *args,
                            size_t count, kn_error *err);
// r = A x - b, with A x in W.
kn_status ki_bounded_launch_residual(kn_queue *queue, const struct bounded *s, kn_error *err);
// g = A^T r + L x, with A^T r in V.
kn_status ki_bounded_launch_gradient(kn_queue *queue, const struct bounded *s, kn_error *err);
// to = weights * from, for `count` numbers.
kn_status ki_bounded_launch_weigh(kn_queue *queue, const struct bounded *s, const kn_buffer *from,
                                  const kn_buffer *weights, kn_buffer *to, uint32_t count, kn_error *err);
// V += L d, with A^T A d in V; partial sums of the squares of V, of d.V and of d.d. Then d = V d.d / d.V.
kn_status ki_bounded_launch_normal(kn_queue *queue, const struct bounded *s, const kn_buffer *d,
                                   kn_error *err);
kn_status ki_bounded_launch_scale(kn_queue *queue, const struct bounded *s, kn_buffer *d, kn_error *err);
// x = P(x); the third partial sums are not finite if x is not.
kn_status ki_bounded_launch_project(kn_queue *queue, const struct bounded *s, kn_error *err);

// The levels of the wavelet transform, from G, whose details are shortened by lambda times the step; the sum
// of their lengths is that of the x `ahead` iterations later.
kn_status ki_bounded_launch_splits(kn_queue *queue, const struct bounded *s, double lambda, unsigned ahead,
                                   kn_error *err);

// One iteration, for TV (tv_launch.c), WAVELET (wavelet_launch.c) or another method, in the form of struct
// operator_loop.
kn_status ki_bounded_iterate(const void *data, kn_queue *queue, size_t k, bool last, kn_error *err);
kn_status ki_bounded_iterate_tv(const void *data, kn_queue *queue, size_t k, bool last, kn_error *err);
kn_status ki_bounded_iterate_wavelet(const void *data, kn_queue *queue, size_t k, bool last, kn_error *err);

// The loop over all iterations.
struct operator_loop ki_bounded_loop(const struct bounded *s);

#endif
