// SPDX-License-Identifier: Apache-2.0
// Sums, moments and other reductions on the device, also by key, the same bits on every device.
#ifndef KOINE_REDUCE_H
#define KOINE_REDUCE_H

#include <stdint.h>

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_sums {
    double sum;     // of x - shift
    double squares; // of (x - shift)^2
} kn_sums;

// Sum of the first n elements of `x` (KN_F32 or KN_F64), folded in double in one fixed tree (leaves of 4,096
// elements in 64 lanes, then pairs): bit-equal on every device, whatever its launch. Without double
// precision the doubles' bits are computed in integers (some 100 operations on 64 bits an element, and 60
// more for its square). n = 0 gives 0. Waits. Cost: reads x once. Errors: KN_ERROR_ARGUMENT,
// KN_ERROR_UNSUPPORTED (KN_F64 without double precision, other types).
KN_API kn_status kn_reduce_sum(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double *sum,
                               kn_error *err);

// Both sums of x - shift in one read. `shift` is rounded to the type first, and is
// finite then (KN_ERROR_ARGUMENT).
KN_API kn_status kn_reduce_sums(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double shift,
                                kn_sums *sums, kn_error *err);

typedef struct kn_moments {
    size_t n;              // elements that are numbers
    size_t nan_count;      // and those that are not; the rest is about the n numbers alone
    double mean, variance; // the population's variance: divided by n
    double min, max;
    double shift, sum, squares; // sum of x - shift, and of its square
} kn_moments;

// The moments of the first n elements of `x`, of any type, in one read. Without numbers mean, variance, min
// and max are NaN; an infinity makes mean and variance infinite or NaN. 0 is never -0. KN_F32, KN_F64: the
// sums are folded in kn_reduce_sum's tree, with NaN left out, and so have the same bits on every device;
// from them mean = shift + sum / n, variance = (squares - sum^2 / n) / n. `shift`, if not
// NULL, is rounded to the type and must be finite then; NULL takes a median of 64 elements, the same on every
// device, so that about a bit is lost in that difference whatever the data are. Integers: the sums are exact,
// mean and variance are the doubles nearest to the exact ones; `shift` is not used. min and max of 64 bits
// are rounded to double (kn_reduce gives them whole). Waits. Cost: reads x once. Errors: as kn_reduce_sum,
// but every type is supported; KN_ERROR_ARGUMENT for a shift that is not finite.
KN_API kn_status kn_reduce_moments(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                   const double *shift, kn_moments *moments, kn_error *err);

typedef enum kn_reduce_op {
    KN_REDUCE_SUM = 0,
    KN_REDUCE_PRODUCT = 1,
    KN_REDUCE_MIN = 2,
    KN_REDUCE_MAX = 3
} kn_reduce_op;

// A result: i64 of signed integers, u64 of unsigned ones, f64 of KN_F32 and KN_F64.
typedef union kn_number {
    int64_t i64;
    uint64_t u64;
    double f64;
} kn_number;

// The first n elements of `x`, of any type, reduced by `op`. Sums and products of integers are exact modulo
// 2^64; a float's sum is kn_reduce_sum's, its product is folded in the same tree, in double (without double
// precision in float). The least or greatest float is NaN if there is a NaN, as numpy's, and 0 for -0. n = 0
// gives the sum 0 and the product 1; there is no least or greatest of nothing. Waits. Cost: reads x once.
// Errors: as kn_reduce_sum, but every type is supported.
KN_API kn_status kn_reduce(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_reduce_op op,
                           kn_number *result, kn_error *err);

// An operation, in OpenCL C.
typedef struct kn_combine {
    size_t struct_size;   // KN_INIT sets it
    const char *combine;  // an expression of a and b, both of the result's type: "a + b"; associative and
                          // commutative, for floats up to rounding
    const char *identity; // what changes nothing there: "0"
    const char *map; // an expression of x, what an element counts as: "x * x"; NULL: the element, converted
} kn_combine;

// The first n elements of `x`, of any type, reduced by any operation to one element of type `to` at `result`,
// folded in kn_reduce_sum's tree: if the operation has the same bits on every device, so has the result.
// Waits. Cost: reads x once; at the first use of an operation a compiler run. Errors: KN_ERROR_ARGUMENT (also
// n = 0), KN_ERROR_BUILD with the compiler's words for an expression that does not compile,
// KN_ERROR_UNSUPPORTED.
KN_API kn_status kn_reduce_with(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                const kn_combine *how, kn_type to, void *result, kn_error *err);

// kn_reduce and kn_reduce_with whose result stays on the device, at the start of `result`, which is another
// buffer than x: kn_reduce's in 8 bytes, as kn_number has it (a product of floats may be -0), and one element
// of type `to`. Asynchronous. Cost: as above, without the wait. Errors: as above; KN_ERROR_ARGUMENT for a
// result of fewer bytes or another context; kn_reduce_to_buffer is KN_ERROR_UNSUPPORTED for other operations
// than sums on floats without double precision, of which kn_reduce_with_to_buffer leaves a float.
KN_API kn_status kn_reduce_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                     kn_reduce_op op, kn_buffer *result, kn_error *err);
KN_API kn_status kn_reduce_with_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                          const kn_combine *how, kn_type to, kn_buffer *result,
                                          kn_error *err);

// ---- by key ----

// The values of each run of equal keys reduced by `op`, where runs, `counted`, `count`, the outputs, and
// errors are as in kn_unique (koine/select.h): the first n elements of `keys`, of any type, and of `values`,
// of any type; the first key of each run to `unique_keys`, what its values come to to `results`, in the
// values' type. Sums and products of integers are modulo 2^bits. The least and greatest floats are NaN if
// there is a NaN. Floats are combined in a fixed order: they have the same bits on every device; a result
// differs from the exact one by at most about 40 roundings for each factor of 2^11 in the run's length. Cost:
// reads the keys twice and the values once, writes both outputs once.
KN_API kn_status kn_reduce_by_key(kn_queue *queue, const kn_buffer *keys, kn_type key_type, size_t n,
                                  const kn_buffer *values, kn_type value_type, kn_reduce_op op,
                                  kn_buffer *unique_keys, kn_buffer *results, kn_buffer *counted,
                                  size_t *count, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
