// SPDX-License-Identifier: Apache-2.0
// Bounds as numbers of a type: what is rounded to the type stays within them.
#ifndef KN_OPERATOR_BOUNDED_LIMITS_H
#define KN_OPERATOR_BOUNDED_LIMITS_H

#include <koine/types.h>

// Of KN_F32, `low` becomes the least float from it on, and `high` the greatest one up to it; infinite ones
// stay. KN_ERROR_ARGUMENT: low above high, or not-a-number, or no finite number of the type within.
kn_status ki_bounded_limits(kn_type type, double *low, double *high, kn_error *err);

#endif
