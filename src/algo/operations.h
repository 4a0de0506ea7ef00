// SPDX-License-Identifier: Apache-2.0
// The usual operations of reductions and scans as expressions of OpenCL C.
#ifndef KN_ALGO_OPERATIONS_H
#define KN_ALGO_OPERATIONS_H

#include <stdbool.h>

#include <koine/reduce.h>

// The expression for `op` with results of `to`'s width and kind for elements of `type`, and the type `as` to
// compute in, as wide as `to`: sums of signed integers wrap like unsigned ones.
kn_status ki_operation_find(const char *function, kn_reduce_op op, kn_type type, kn_type to, kn_combine *how,
                            kn_type *as, kn_error *err);

#endif
