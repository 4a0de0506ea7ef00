// SPDX-License-Identifier: Apache-2.0
// Absolute deviations.
#ifndef KOINE_DEVIATION_H
#define KOINE_DEVIATION_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// out[i] = |x[i] - centre| for the first n elements (KN_F32 or KN_F64), computed in double (without
// double precision in integers) and rounded to the type. `out` may be `x`. Asynchronous. Cost: one read and
// one write of n elements.
KN_API kn_status kn_abs_diff(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double centre,
                             kn_buffer *out, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
