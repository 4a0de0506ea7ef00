// SPDX-License-Identifier: Apache-2.0
// Least squares with total variation (operator/proximal/tv.h), for any operator in the host's memory:
// KN_SOLVE_TV of koine/solve.h.
#ifndef KN_OPERATOR_BOUNDED_HOST_TV_H
#define KN_OPERATOR_BOUNDED_HOST_TV_H

#include "host_bounded.h"

// Arguments and errors as for ki_host_bounded.
kn_status ki_host_tv(const kn_operator *a, const void *b, const struct host_bounded_options *options, void *x,
                     struct host_bounded_result *result, kn_error *err);

#endif
