// SPDX-License-Identifier: Apache-2.0
// Bounds as numbers of a type, so that values rounded to the type stay within them.
#ifndef KN_OPERATOR_BOUNDED_LIMITS_H
#define KN_OPERATOR_BOUNDED_LIMITS_H

#include <koine/types.h>

// For KN_F32, `low` becomes the smallest float that is not below it, and `high` the greatest one that is not
// above it; infinite bounds do not change. KN_ERROR_ARGUMENT: low is above high, a bound is NaN, or there is
// no finite number of the type between them.
kn_status ki_bounded_limits(kn_type type, double *low, double *high, kn_error *err);

#endif
