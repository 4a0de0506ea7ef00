// SPDX-License-Identifier: Apache-2.0
// The internals of the device's conjugate gradients: cgnr.c creates the solver, cgnr_solve.c prepares the
// iterations and takes their result, cgnr_launch.c has the iterations.
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
    CGNR_REST, // the kernels from here on are created only if the options need them
    CGNR_PRINTED_MOVE,
    CGNR_PRINTED_RESIDUAL,
    CGNR_PRINTED_GRADIENT,
    CG_BEGIN, // for the equation of a self-adjoint operator
    CG_CURVE,
    CG_DIFFERENCE,
    CG_STEP,
    CG_TURN,
    CGNR_KERNELS
};

// Vectors with a number per column, vectors with a number per row, and the scalars. V and E share one buffer,
// except in the loop as printed; a self-adjoint operator needs X, H, D and V only.
enum {
    CGNR_X,
    CGNR_H,
    CGNR_D,
    CGNR_E,
    CGNR_V,
    CGNR_NEXT_X, // for fused iterations, which do not write x, h and d to where they read them
    CGNR_NEXT_H,
    CGNR_NEXT_D,
    CGNR_W,
    CGNR_R,
    CGNR_RIGHT, // b, for the loop as printed
    CGNR_STATE,
    CGNR_BUFFERS
};

struct cgnr {
    kn_context *context; // the context of the operator
    kn_operator *a;      // held
    kn_type type;        // of the vectors and of the operator
    struct cgnr_options options;
    struct cgnr_image image; // a copy of *options.image
    bool is_fused;
    struct cgnr_fused fused;
    uint32_t rows, columns, most; // lengths of the vectors; the most iterations
    kn_kernel *kernels[CGNR_KERNELS];
    uint32_t parts;
    size_t group;
    struct cgnr_terms terms;
    kn_buffer *buffers[CGNR_BUFFERS]; // some are the same buffer
    struct cgnr_white white;
    kn_recording *recording; // a block of iterations; NULL: they are launched one by one
};

// Size in bytes of a number in a vector.
static inline size_t cgnr_number(const struct cgnr *s)
{
    return kn_type_size(s->type);
}

// A kernel argument in the type of the vectors.
static inline kn_arg cgnr_scalar(const struct cgnr *s, double value)
{
    return s->type == KN_F64 ? KN_VALUE(value) : KN_VALUE((float)value);
}

static inline bool cgnr_has_image(const struct cgnr *s)
{
    return s->options.image && s->options.smooth > 0;
}

// r = A x - b, in the order of the products, with A x in W; partial sums of its squares and of those of b go
// to the state.
kn_status ki_cgnr_launch_residual(kn_queue *queue, const struct cgnr *s, const kn_buffer *right,
                                  kn_error *err);
// e = v + L d, and its partial sums.
kn_status ki_cgnr_launch_curve(kn_queue *queue, const struct cgnr *s, kn_buffer *d, kn_buffer *h,
                               kn_buffer *e, kn_error *err);

// For a self-adjoint operator: h = (A + L) x - b, with A x in V, and partial sums of its squares and of those
// of b; then the parts of an iteration, as in cl/operator/cg.cl.
kn_status ki_cg_launch_begin(kn_queue *queue, const struct cgnr *s, const kn_buffer *right, kn_error *err);
kn_status ki_cg_launch_curve(kn_queue *queue, const struct cgnr *s, kn_error *err);
kn_status ki_cg_launch_step(kn_queue *queue, const struct cgnr *s, kn_error *err);
kn_status ki_cg_launch_turn(kn_queue *queue, const struct cgnr *s, kn_error *err);

// Replaces the step in the loop as printed: moves x, and computes A x - b and the gradient from x again.
kn_status ki_cgnr_launch_printed(kn_queue *queue, const struct cgnr *s, kn_error *err);
// The launches of ki_cgnr_launch_printed, without those of A and A^T.
enum { CGNR_PRINTED_LAUNCHES = 3 };

// Records the block of iterations that is replayed, if there are enough iterations.
kn_status ki_cgnr_record(kn_queue *queue, struct cgnr *s, kn_error *err);
// Runs at most `most` iterations; the host checks now and then whether the device has stopped.
kn_status ki_cgnr_iterate_all(kn_queue *queue, const struct cgnr *s, size_t most, size_t *launched,
                              kn_error *err);
// Launches all iterations, without checking whether they have ended.
kn_status ki_cgnr_launch_all(kn_queue *queue, const struct cgnr *s, kn_error *err);

// The offset of iteration k's cells in the state.
size_t ki_cgnr_cell_of(const struct cgnr *s, size_t k);

#endif
