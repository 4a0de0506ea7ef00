// SPDX-License-Identifier: Apache-2.0
// Least squares within bounds that hold exactly, low <= x <= high, with any operator of floats on a device:
// KN_SOLVE_FISTA, KN_SOLVE_BB and KN_SOLVE_SIRT of koine/solve.h; and with total variation, KN_SOLVE_TV.
// Scalars stay on the device (cl/operator/bounded.cl, tv.cl).
#ifndef KN_OPERATOR_BOUNDED_BOUNDED_H
#define KN_OPERATOR_BOUNDED_BOUNDED_H

#include <koine/launch.h>
#include <koine/solve.h>

#include "operator/operator.h"

struct bounded_options {
    kn_solve_method method; // one of the four
    size_t iterations;
    double low, high;        // as ki_bounded_limits has them
    double tolerance, noise; // 0: not looked at; noise until ki_bounded_set_noise
    double floor;            // part of the first projected gradient to stop at
    double lambda, smooth;   // not of KN_SOLVE_SIRT; of KN_SOLVE_TV, lambda is of the variation
    const size_t *shape;     // of KN_SOLVE_TV: three lengths, read as it is made
    unsigned order;          // of the differences that smooth is for: 1 or 2
    // iterations + 1 places, where each solution leaves the projected gradient's length, and where they are
    // not NULL |A x - b|.
    double *gradients, *residuals;
    double *objectives;          // of KN_SOLVE_TV: likewise
    kn_solve_progress *progress; // as kn_solve_options has it; NULL: none
    void *progress_data;
};

struct bounded;

// Made once, for any number of right-hand sides. It holds the operator. Errors: KN_ERROR_LIMIT for vectors of
// 2^32 - 1 numbers or more; KN_ERROR_MEMORY.
kn_status ki_bounded_create(kn_queue *queue, kn_operator *a, const struct bounded_options *options,
                            struct bounded **made, kn_error *err);
void ki_bounded_free(struct bounded *s); // NULL is fine

// Of solutions from now on.
void ki_bounded_set_noise(struct bounded *bounded, double noise);
// Launches of a step, those of the operator included; 0 where the operator does not know its own.
unsigned ki_bounded_launches(const struct bounded *bounded);
// Of blocks of iterations; NULL: each is launched.
const kn_recording *ki_bounded_recording(const struct bounded *bounded);

// x, in and out; the start is projected. Waits. x is written only on success. The first solution finds the
// greatest eigenvalue of A^T A (FISTA and TV, 30 A and A^T) or the sums of rows and columns (SIRT, 2 A and an
// A^T); each one of BB takes an A and two A^T for its first step. Errors: KN_ERROR_ARGUMENT for numbers that
// are not finite, or get beyond single precision, and for sums that an A without negative elements does not
// have, with KN_SOLVE_SIRT; KN_ERROR_INTERRUPTED by `progress`; those of the operator.
kn_status ki_bounded_solve(kn_queue *queue, struct bounded *s, const kn_buffer *right, kn_buffer *x,
                           kn_solve_result *result, kn_error *err);

// Whether something of every solution is decided by the host.
bool ki_bounded_asks_host(const struct bounded *s);
// Where it is not, ki_bounded_solve without a result: all iterations are launched, and only the first
// solution waits, for what it finds out about the operator. With numbers that are not finite x is undefined.
// Errors: as above, but for these.
kn_status ki_bounded_enqueue(kn_queue *queue, struct bounded *s, const kn_buffer *right, kn_buffer *x,
                             kn_error *err);

#endif
