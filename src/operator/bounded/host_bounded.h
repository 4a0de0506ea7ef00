// SPDX-License-Identifier: Apache-2.0
// Least squares within bounds that hold exactly, low <= x <= high, for any operator of real numbers in the
// host's memory: KN_SOLVE_FISTA, KN_SOLVE_BB and KN_SOLVE_SIRT of koine/solve.h; and the parts that
// KN_SOLVE_TV (host_tv.h) and KN_SOLVE_WAVELET (host_wavelet.h) share with them.
#ifndef KN_OPERATOR_BOUNDED_HOST_BOUNDED_H
#define KN_OPERATOR_BOUNDED_HOST_BOUNDED_H

#include <koine/solve.h>

#include "base/kept.h"
#include "operator/operator.h"
#include "operator/terms.h"

struct host_bounded_options {
    kn_solve_method method; // one of these five
    size_t iterations;
    double low, high;                          // as returned by ki_bounded_limits
    double tolerance, noise;                   // 0: no stop
    double floor;                              // stops at this fraction of the first projected gradient
    const struct solve_correction *correction; // linear; for KN_SOLVE_FISTA and KN_SOLVE_BB. NULL: none
    const size_t *shape;                       // for KN_SOLVE_TV and _WAVELET: three lengths, and
    double lambda;                             // the weight
    bool normal;                               // for these two: as in struct bounded_options (bounded.h)
    // The greatest eigenvalue of A^T A with the correction. KN_SOLVE_FISTA and KN_SOLVE_TV compute it if it
    // is below 0, and store it for the next solution. NULL: computed each time.
    double *squared_norm;
    struct ki_kept *kept; // where the solution takes its memory; NULL: it is allocated for this solution only
    // Called with x before the first iteration (k = 0) and after each one; `residual` is |A x - b|. NULL:
    // none.
    void (*look)(void *data, size_t k, const double *x, double residual);
    void *look_data;
    kn_solve_progress *progress; // as in kn_solve_options; NULL: none
    void *progress_data;
};

struct host_bounded_result {
    size_t iterations;
    kn_solve_stopped stopped;
    double residual;    // |A x - b|
    double right;       // |b|
    double gradient;    // length of the projected gradient, as in kn_solve_plan_get_gradients
    double *gradients;  // that of x before the first iteration and after each one: room for iterations + 1
                        // numbers, given by the caller (NULL: not wanted)
    double *objectives; // for KN_SOLVE_TV and KN_SOLVE_WAVELET, likewise
};

// The reason to stop before `iterations`, or KN_SOLVE_STOPPED_ITERATIONS. `first`: the first gradient, of
// which the tolerance is a fraction with a normal operator, whose residual is not known.
kn_solve_stopped ki_host_bounded_reason(const struct host_bounded_options *options,
                                        const struct host_bounded_result *result, double first);

// x holds the start, which is projected into the bounds, and then the solution. b and x are of the operator's
// type; vectors between products are in double precision, computed by one thread, with x always rounded to
// the type. x is written only on success. Cost: one product with A and one with A^T per iteration, with
// KN_SOLVE_SIRT one more with A^T; before the first iteration, 30 products with both for KN_SOLVE_FISTA and
// KN_SOLVE_TV, one with A for KN_SOLVE_BB, two with A and one with A^T for KN_SOLVE_SIRT. Errors:
// KN_ERROR_ARGUMENT for sums that prove that A has negative elements, with KN_SOLVE_SIRT, and for numbers
// beyond the type; KN_ERROR_INTERRUPTED if `progress` returns false; KN_ERROR_MEMORY; those of the operator.
kn_status ki_host_bounded(const kn_operator *a, const void *b, const struct host_bounded_options *options,
                          void *x, struct host_bounded_result *result, kn_error *err);

#endif
