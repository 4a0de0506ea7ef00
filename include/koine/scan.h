// SPDX-License-Identifier: Apache-2.0
// Prefix sums (scans) on the device, by addition or any other associative operation.
#ifndef KOINE_SCAN_H
#define KOINE_SCAN_H

#include <koine/launch.h>
#include <koine/reduce.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_scan_kind {
    KN_SCAN_INCLUSIVE = 0, // out[i] reduces x[0..i]
    KN_SCAN_EXCLUSIVE = 1  // without x[i]: out[0] is the identity
} kn_scan_kind;

// Writes the prefixes of the first n elements of `x`, of any type, to `out` in the same type; asynchronous.
// out may be x. Sums and products of integers are modulo 2^bits. The minimum and maximum of floats are NaN
// from the first NaN on. Floats are combined in a fixed order, so that results are bitwise identical on every
// device; prefixes differ from the exact ones by at most about 40 roundings, and an exclusive prefix equals
// the preceding inclusive one up to these. Method: reduce, then scan (Blelloch 1990). Cost: reads x twice,
// writes out once. Errors: KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (KN_F64 without double precision),
// KN_ERROR_LIMIT (a buffer held in parts; groups of less than 256 work-items).
KN_API kn_status kn_scan(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_reduce_op op,
                         kn_scan_kind kind, kn_buffer *out, kn_error *err);

// By any associative operation; it need not be commutative: a stands before b. All expressions of `how` have
// the type of x, including its map. Errors: as above; KN_ERROR_BUILD, with the compiler's messages, for an
// expression that does not compile.
KN_API kn_status kn_scan_with(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                              const kn_combine *how, kn_scan_kind kind, kn_buffer *out, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
