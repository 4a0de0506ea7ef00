// SPDX-License-Identifier: Apache-2.0
// Least squares within bounds that hold exactly, low <= x <= high, for any operator of floats on a device:
// KN_SOLVE_FISTA, KN_SOLVE_BB and KN_SOLVE_SIRT of koine/solve.h; and with total variation or a sparse
// wavelet transform, KN_SOLVE_TV and KN_SOLVE_WAVELET. Scalars stay on the device (cl/operator/bounded.cl,
// tv.cl, wavelet.cl).
#ifndef KN_OPERATOR_BOUNDED_BOUNDED_H
#define KN_OPERATOR_BOUNDED_BOUNDED_H

#include <koine/launch.h>
#include <koine/solve.h>

#include "operator/operator.h"

struct bounded_options {
    kn_solve_method method; // one of these five
    size_t iterations;
    double low, high;        // as returned by ki_bounded_limits
    double tolerance, noise; // 0: no stop; ki_bounded_set_noise changes noise
    double floor;            // stops at this fraction of the first projected gradient
    double lambda, smooth;   // not used by KN_SOLVE_SIRT; for KN_SOLVE_TV and KN_SOLVE_WAVELET, lambda
                             // weights the total variation or the details
    const size_t *shape;     // for these two: three lengths, read only by ki_bounded_create
    unsigned order;          // order of the differences that smooth weights: 1 or 2
    // For these two: the operator is A^H A, and the right-hand side is A^H b. An iteration then takes one
    // product. There is no noise; `tolerance` is the fraction of the first gradient at which to stop; the
    // residual is 0; and objectives lack |b|^2 / 2.
    bool normal;
    // Room for iterations + 1 numbers each, in which every solution stores the length of the projected
    // gradient and |A x - b|. NULL: not stored.
    double *gradients, *residuals;
    double *objectives;          // for these two: likewise
    kn_solve_progress *progress; // as in kn_solve_options; NULL: none
    void *progress_data;
};

struct bounded;

// Creates a solver for any number of right-hand sides. It holds the operator. Errors: KN_ERROR_LIMIT for
// vectors of 2^32 - 1 numbers or more; KN_ERROR_MEMORY.
kn_status ki_bounded_create(kn_queue *queue, kn_operator *a, const struct bounded_options *options,
                            struct bounded **made, kn_error *err);
void ki_bounded_free(struct bounded *s); // NULL is fine

// For the following solutions.
void ki_bounded_set_noise(struct bounded *bounded, double noise);
// The number of launches of a step, including those of the operator; 0 if the operator does not know its own.
unsigned ki_bounded_launches(const struct bounded *bounded);
// How blocks of iterations are launched; NULL if they are launched one by one.
const kn_recording *ki_bounded_recording(const struct bounded *bounded);

// x holds the start, which is projected into the bounds, and then the solution. Waits. x is written only on
// success. The first solution computes the greatest eigenvalue of A^T A (FISTA, TV and WAVELET, 30 products
// with A and with A^T) or the sums of rows and columns (SIRT, 2 products with A and one with A^T); every
// solution with BB takes one product with A and two with A^T for its first step. Errors: KN_ERROR_ARGUMENT
// for numbers that are not finite or exceed single precision, and with KN_SOLVE_SIRT for sums that prove that
// A has negative elements; KN_ERROR_INTERRUPTED if `progress` returns false; those of the operator.
kn_status ki_bounded_solve(kn_queue *queue, struct bounded *s, const kn_buffer *right, kn_buffer *x,
                           kn_solve_result *result, kn_error *err);

// Whether the host takes part in every solution.
bool ki_bounded_asks_host(const struct bounded *s);
// For a solver that does not need the host: ki_bounded_solve without a result. Launches all iterations; only
// the first solution waits, for the properties of the operator that it computes. x is undefined if numbers
// are not finite. Errors: as above, except for these.
kn_status ki_bounded_enqueue(kn_queue *queue, struct bounded *s, const kn_buffer *right, kn_buffer *x,
                             kn_error *err);

#endif
