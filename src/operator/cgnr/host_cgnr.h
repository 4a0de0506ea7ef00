// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients by the host's own code, for any linear operator: on the normal equations with a
// correction term, or on the equation of a self-adjoint operator itself (cgnr.h has both for devices).
#ifndef KN_OPERATOR_CGNR_HOST_CGNR_H
#define KN_OPERATOR_CGNR_HOST_CGNR_H

#include "base/kept.h"
#include "host/vectors/host_vectors.h"
#include "operator/operator.h"
#include "operator/terms.h"

// An operator as the loops use it. They work in its order of elements: the element of b at position i there
// is row_order[i] (NULL: i). Vectors have room for whole lines (host_vectors_bytes).
struct host_cgnr_operator {
    size_t rows, columns; // lengths of the vectors
    struct host_vectors *vectors;
    const uint32_t *row_order, *column_order;
    // y = A x, or A^H x; `squares`: the sum of y^2. Must not be called by two threads at once.
    kn_status (*product)(void *data, bool adjoint, const void *x, void *y, double *squares, kn_error *err);
    void *data;
    struct ki_kept *kept; // where a solution takes its vectors; NULL: they are allocated each time
};

enum host_cgnr_stop {
    HOST_CGNR_ITERATIONS,  // all iterations were done
    HOST_CGNR_RESIDUAL,    // |A x - b| <= tolerance |b|; self-adjoint: |(A + lambda) x - b|
    HOST_CGNR_DISCREPANCY, // |A x - b| <= noise
    // A x - b became less white than before (ncp.h): x is the last one before that
    HOST_CGNR_NCP,
    HOST_CGNR_FLOOR // the gradient is at the precision's floor: 1e-7 (float), 1e-15 of the first one
};

struct host_cgnr_options {
    size_t iterations;
    double tolerance, noise; // 0: no stop
    bool ncp;                // stops when the residual is whitest; iterates somewhat further, as ncp.h says
    bool past_floor;         // continues at the floor of the precision, for measurements
    const struct solve_correction *correction; // NULL: none
    // to = M^-1 from, in the order of the caller's arrays. NULL: there is no preconditioner.
    void (*precondition)(const void *data, const double *from, double *to);
    const void *preconditioner;
    // Called before each iteration with the number of iterations done; returns false to stop, with
    // KN_ERROR_INTERRUPTED. NULL: none.
    bool (*progress)(void *data, size_t iteration);
    void *progress_data;
};

struct host_cgnr_result {
    size_t iterations;
    enum host_cgnr_stop stopped_by;
    double residual;        // |A x - b|, and
    double normal_residual; // |A^T (A x - b) + F(x)|, both by recurrence
    double *history; // room for iterations + 1 values of |A x - b|, given by the caller (NULL: not wanted)
    // Room for as many lengths of the gradient, and of the steps that led there, the first one 0. NULL:
    // neither is wanted.
    double *gradients, *steps;
};

// Runs on all threads if that is faster than one alone: iterations are timed.
// x, with `columns` numbers of the vectors' type, holds the start and then the solution; b has `rows`
// numbers; both are in the order of the caller's arrays. Stock and Koch's loop (cgnr.h) with one product with
// A and one with A^T per iteration: the residual by recurrence, and its gradient computed from it. Sums are
// in double precision and in fixed blocks: the same bits in every run, with any number of threads, if the
// operator's products are. A preconditioner M replaces the descent g by M^-1 g. KN_ERROR_MEMORY; those of the
// operator.
kn_status ki_host_cgnr(const struct host_cgnr_operator *a, const void *b,
                       const struct host_cgnr_options *options, void *x, struct host_cgnr_result *result,
                       kn_error *err);

// Solves (A + L) x = b for an A that is self-adjoint and positive semi-definite, where L is the correction,
// also linear and self-adjoint (Hestenes and Stiefel 1952), with one product with A per iteration. `noise`,
// `ncp` and a preconditioner are ignored, and there is no floor. The residual is that of this equation, by
// recurrence in `history`, and recomputed in `residual` and `normal_residual`. HOST_CGNR_FLOOR: d.(A + L) d
// was not positive, so that only rounding is left. Errors: as above.
kn_status ki_host_cg(const struct host_cgnr_operator *a, const void *b,
                     const struct host_cgnr_options *options, void *x, struct host_cgnr_result *result,
                     kn_error *err);

// Prepares an operator in the host's memory for the loops, with the threads and level of `options` (NULL: the
// best). Freed by ki_host_cgnr_operator_end. KN_ERROR_MEMORY.
kn_status ki_host_cgnr_operator_begin(const kn_operator *a, const kn_host_options *options,
                                      struct host_cgnr_operator *made, kn_error *err);
void ki_host_cgnr_operator_end(struct host_cgnr_operator *made);

#endif
