// SPDX-License-Identifier: Apache-2.0
// Least squares with a sparse wavelet transform (operator/proximal/wavelet.h), for any operator in the host's
// memory: KN_SOLVE_WAVELET of koine/solve.h.
#ifndef KN_OPERATOR_BOUNDED_HOST_WAVELET_H
#define KN_OPERATOR_BOUNDED_HOST_WAVELET_H

#include "host_bounded.h"

// Arguments and errors as for ki_host_bounded.
kn_status ki_host_wavelet(const kn_operator *a, const void *b, const struct host_bounded_options *options,
                          void *x, struct host_bounded_result *result, kn_error *err);

#endif
