// SPDX-License-Identifier: Apache-2.0
// Least squares within bounds that hold exactly, low <= x <= high, with any operator of real numbers in the
// host's memory: KN_SOLVE_FISTA, KN_SOLVE_BB and KN_SOLVE_SIRT of koine/solve.h; what KN_SOLVE_TV
// (host_tv.h) has in common with them.
#ifndef KN_OPERATOR_BOUNDED_HOST_BOUNDED_H
#define KN_OPERATOR_BOUNDED_HOST_BOUNDED_H

#include <koine/solve.h>

#include "base/kept.h"
#include "operator/operator.h"
#include "operator/terms.h"

struct host_bounded_options {
    kn_solve_method method; // one of the four
    size_t iterations;
    double low, high;                          // as ki_bounded_limits has them
    double tolerance, noise;                   // 0: not looked at
    double floor;                              // part of the first projected gradient to stop at
    const struct solve_correction *correction; // a linear one; of KN_SOLVE_FISTA and KN_SOLVE_BB. NULL: none
    const size_t *shape;                       // of KN_SOLVE_TV: three lengths, and
    double lambda;                             // the weight
    // The greatest eigenvalue of A^T A with the correction, which KN_SOLVE_FISTA and KN_SOLVE_TV
    // find where it is below 0, and leave for the next solution. NULL: found each time.
    double *squared_norm;
    struct ki_kept *kept; // whence the solution's memory; NULL: allocated for it alone
    // Called, where it is not NULL, with x before the first iteration (k = 0) and after each; `residual` is
    // |A x - b|.
    void (*look)(void *data, size_t k, const double *x, double residual);
    void *look_data;
    kn_solve_progress *progress; // as kn_solve_options has it; NULL: none
    void *progress_data;
};

struct host_bounded_result {
    size_t iterations;
    kn_solve_stopped stopped;
    double residual;   // |A x - b|
    double right;      // |b|
    double gradient;   // the projected gradient's length, as kn_solve_plan_get_gradients has it
    double *gradients; // that of x before the first iteration and after each: iterations + 1 places, given by
                       // the caller (NULL: not wanted)
    double *objectives; // of KN_SOLVE_TV, likewise
};

// Why to stop before `iterations`; KN_SOLVE_STOPPED_ITERATIONS if not. `first`: the first gradient.
kn_solve_stopped ki_host_bounded_reason(const struct host_bounded_options *options,
                                        const struct host_bounded_result *result, double first);

// x, in and out; the start is projected. b and x are of the operator's type; vectors between products are in
// double precision, by one thread, x always rounded to the type. x is written only on success. Cost: an A
// and an A^T an iteration, with KN_SOLVE_SIRT an A^T more; before the first, 30 of both with KN_SOLVE_FISTA
// and KN_SOLVE_TV, an A with KN_SOLVE_BB, two A and an A^T with KN_SOLVE_SIRT. Errors: KN_ERROR_ARGUMENT for
// sums that an A without negative elements does not have, with KN_SOLVE_SIRT, and for numbers beyond the
// type; KN_ERROR_INTERRUPTED by `progress`; KN_ERROR_MEMORY; those of the operator.
kn_status ki_host_bounded(const kn_operator *a, const void *b, const struct host_bounded_options *options,
                          void *x, struct host_bounded_result *result, kn_error *err);

#endif
