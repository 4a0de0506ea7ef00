// SPDX-License-Identifier: Apache-2.0
// What the device's conjugate gradients are made of: cgnr.c makes them, cgnr_solve.c has what is done before
// the iterations and after them, cgnr_launch.c the iterations.
#ifndef KN_OPERATOR_CGNR_CGNR_INTERNAL_H
#define KN_OPERATOR_CGNR_CGNR_INTERNAL_H

#include "algo/columns.h"
#include "cgnr.h"
#include "cgnr_white.h"
#include "operator/loop.h"

enum {
    CGNR_RESIDUAL,
    CGNR_CURVE,
    CGNR_STEP,
    CGNR_TURN,
    CGNR_REST, // these are made where they are asked for
    CGNR_PRINTED_MOVE,
    CGNR_PRINTED_RESIDUAL,
    CGNR_PRINTED_GRADIENT,
    CG_BEGIN, // of a self-adjoint operator's equation
    CG_CURVE,
    CG_DIFFERENCE,
    CG_STEP,
    CG_TURN,
    CGNR_KERNELS
};

// Vectors of columns, of rows, and the scalars. V and E are one buffer, unless the loop is as it is printed;
// of a self-adjoint operator there are X, H, D and V.
enum {
    CGNR_X,
    CGNR_H,
    CGNR_D,
    CGNR_E,
    CGNR_V,
    CGNR_NEXT_X, // of fused iterations, which leave x, h and d elsewhere than they read them from
    CGNR_NEXT_H,
    CGNR_NEXT_D,
    CGNR_W,
    CGNR_R,
    CGNR_RIGHT, // b, for the loop as it is printed
    CGNR_STATE,
    CGNR_BUFFERS
};

struct cgnr {
    kn_context *context; // the operator's
    kn_operator *a;      // held
    kn_type type;        // of vectors: the operator's
    struct cgnr_options options;
    struct cgnr_image image; // options.image's
    bool is_fused;
    struct cgnr_fused fused;
    uint32_t rows, columns, most; // numbers; iterations
    kn_kernel *kernels[CGNR_KERNELS];
    uint32_t parts;
    size_t group;
    struct cgnr_terms terms;
    kn_buffer *buffers[CGNR_BUFFERS]; // some are the same ones
    struct cgnr_white white;
    kn_recording *recording; // of a block of iterations; NULL: each is launched
};

// Bytes of a number of a vector.
static inline size_t cgnr_number(const struct cgnr *s)
{
    return kn_type_size(s->type);
}

// An argument that kernels take as a number of the type.
static inline kn_arg cgnr_scalar(const struct cgnr *s, double value)
{
    return s->type == KN_F64 ? KN_VALUE(value) : KN_VALUE((float)value);
}

static inline bool cgnr_has_image(const struct cgnr *s)
{
    return s->options.image && s->options.smooth > 0;
}

// r = A x - b, in the products' order, of W = A x; squares of it and of b are left in the state.
kn_status ki_cgnr_launch_residual(kn_queue *queue, const struct cgnr *s, const kn_buffer *right,
                                  kn_error *err);
// e = v + L d, and sums.
kn_status ki_cgnr_launch_curve(kn_queue *queue, const struct cgnr *s, kn_buffer *d, kn_buffer *h,
                               kn_buffer *e, kn_error *err);

// Of a self-adjoint operator: h = (A + L) x - b, of V = A x, with squares of it and of b; then an iteration's
// parts, as cl/operator/cg.cl has them.
kn_status ki_cg_launch_begin(kn_queue *queue, const struct cgnr *s, const kn_buffer *right, kn_error *err);
kn_status ki_cg_launch_curve(kn_queue *queue, const struct cgnr *s, kn_error *err);
kn_status ki_cg_launch_step(kn_queue *queue, const struct cgnr *s, kn_error *err);
kn_status ki_cg_launch_turn(kn_queue *queue, const struct cgnr *s, kn_error *err);

// What the loop as it is printed has in place of the step: x, and A x - b and the gradient anew from it.
kn_status ki_cgnr_launch_printed(kn_queue *queue, const struct cgnr *s, kn_error *err);
// Launches of that, but for A and A^T.
enum { CGNR_PRINTED_LAUNCHES = 3 };

// The block of iterations that is replayed, if there are as many.
kn_status ki_cgnr_record(kn_queue *queue, struct cgnr *s, kn_error *err);
// At most `most` iterations; the host looks now and then whether the device has stopped.
kn_status ki_cgnr_iterate_all(kn_queue *queue, const struct cgnr *s, size_t most, size_t *launched,
                              kn_error *err);
// All of them, at which nobody looks.
kn_status ki_cgnr_launch_all(kn_queue *queue, const struct cgnr *s, kn_error *err);

// Where iteration k's cells begin in the state.
size_t ki_cgnr_cell_of(const struct cgnr *s, size_t k);

#endif
