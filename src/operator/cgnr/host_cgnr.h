// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients by the host's own code, with any linear operator: on the normal equations with a
// correction term, or of a self-adjoint operator on its own equation (cgnr.h has both for devices).
#ifndef KN_OPERATOR_CGNR_HOST_CGNR_H
#define KN_OPERATOR_CGNR_HOST_CGNR_H

#include "base/kept.h"
#include "host/vectors/host_vectors.h"
#include "operator/operator.h"
#include "operator/terms.h"

// An operator as the loops take it. They work in its own order of elements, row_order[i] (NULL: i) being the
// element of b that is i-th there; vectors have room up to whole lines (host_vectors_bytes).
struct host_cgnr_operator {
    size_t rows, columns; // numbers
    struct host_vectors *vectors;
    const uint32_t *row_order, *column_order;
    // y = A x, or A^H x; `squares`: the sum of y^2. Not by two threads at once.
    kn_status (*product)(void *data, bool adjoint, const void *x, void *y, double *squares, kn_error *err);
    void *data;
    struct ki_kept *kept; // where a solution takes its vectors; NULL: none are kept
};

enum host_cgnr_stop {
    HOST_CGNR_ITERATIONS,  // all of them done
    HOST_CGNR_RESIDUAL,    // |A x - b| <= tolerance |b|; self-adjoint |(A + lambda) x - b|
    HOST_CGNR_DISCREPANCY, // |A x - b| <= noise
    // A x - b has become less white than it was (ncp.h): x is the last one before
    HOST_CGNR_NCP,
    HOST_CGNR_FLOOR // the gradient is at the precision's floor: 1e-7 (float), 1e-15 of the first one
};

struct host_cgnr_options {
    size_t iterations;
    double tolerance, noise;                   // 0: not looked at
    bool ncp;                                  // stops there; looks further, as ncp.h says
    bool past_floor;                           // goes on at the precision's floor, for measurements
    const struct solve_correction *correction; // NULL: none
    // to = M^-1 from, in the order that files have; not called where the preconditioner is NULL.
    void (*precondition)(const void *data, const double *from, double *to);
    const void *preconditioner;
    // Called before each iteration with the number of those done; returns false to stop, with
    // KN_ERROR_INTERRUPTED. NULL: none.
    bool (*progress)(void *data, size_t iteration);
    void *progress_data;
};

struct host_cgnr_result {
    size_t iterations;
    enum host_cgnr_stop stopped_by;
    double residual;        // |A x - b|, and
    double normal_residual; // |A^T (A x - b) + F(x)|, as the recurrence has them
    double *history;        // iterations + 1 places for |A x - b|, given by the caller (NULL: not wanted)
    // As many for the gradient's length, and for the length of the step that led there, 0 first; NULL: both
    // are not wanted.
    double *gradients, *steps;
};

// All threads work where that is faster than one alone: iterations are timed.
// x, `columns` numbers of the vectors' type in and out, from b, `rows` of them, in the order that files have.
// Stock and Koch's loop (cgnr.h) with one A and one A^T an iteration: the residual by recurrence, its
// gradient anew from it. Sums are in double and in fixed blocks: the same bits in every run, with any number
// of threads, as far as the operator has them. A preconditioner M makes M^-1 g of the descent g.
// KN_ERROR_MEMORY; those of the operator.
kn_status ki_host_cgnr(const struct host_cgnr_operator *a, const void *b,
                       const struct host_cgnr_options *options, void *x, struct host_cgnr_result *result,
                       kn_error *err);

// (A + L) x = b for an A that is self-adjoint and positive semi-definite, where L is the correction's, linear
// and self-adjoint too (Hestenes and Stiefel 1952): one A an iteration. `noise`, `ncp` and a preconditioner
// are not looked at, and there is no floor. The residual is that of this equation, by recurrence in
// `history`, and anew in `residual` and `normal_residual`; HOST_CGNR_FLOOR: d.(A + L) d was not positive, so
// that rounding is all there is left. Errors: as above.
kn_status ki_host_cg(const struct host_cgnr_operator *a, const void *b,
                     const struct host_cgnr_options *options, void *x, struct host_cgnr_result *result,
                     kn_error *err);

// An operator of the host's memory as the loops take it, with threads and level of `options` (NULL: the
// best). Freed by ki_host_cgnr_operator_end. KN_ERROR_MEMORY.
kn_status ki_host_cgnr_operator_begin(const kn_operator *a, const kn_host_options *options,
                                      struct host_cgnr_operator *made, kn_error *err);
void ki_host_cgnr_operator_end(struct host_cgnr_operator *made);

#endif
