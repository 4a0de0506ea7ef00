// SPDX-License-Identifier: Apache-2.0
// Prefix sums, and prefixes of any associative operation, on the device.
#ifndef KOINE_SCAN_H
#define KOINE_SCAN_H

#include <koine/launch.h>
#include <koine/reduce.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_scan_kind {
    KN_SCAN_INCLUSIVE = 0, // out[i] is what x[0..i] come to
    KN_SCAN_EXCLUSIVE = 1  // without x[i]: out[0] is the identity
} kn_scan_kind;

// The prefixes of the first n elements of `x`, of any type, come to `out` in the same type; asynchronous. out
// may be x. Sums and products of integers are modulo 2^bits. The least and greatest floats are NaN from the
// first NaN on. Floats are combined in a fixed order: they have the same bits on every device; two prefixes
// differ from exact ones by at most about 40 roundings, and an exclusive prefix is the inclusive one before
// it up to those. Method: reduce, then scan (Blelloch 1990). Cost: reads x twice, writes out once. Errors:
// KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (KN_F64 without double precision), KN_ERROR_LIMIT (a buffer held in
// parts; groups of less than 256 work-items).
KN_API kn_status kn_scan(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_reduce_op op,
                         kn_scan_kind kind, kn_buffer *out, kn_error *err);

// By any associative operation; it need not be commutative: a stands before b. `how` works on x's type
// throughout, its map too. Errors: KN_ERROR_BUILD, too, with the compiler's words for an expression that does
// not compile.
KN_API kn_status kn_scan_with(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                              const kn_combine *how, kn_scan_kind kind, kn_buffer *out, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
