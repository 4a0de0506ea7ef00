// SPDX-License-Identifier: Apache-2.0
// Sums, moments and other reductions on the device, also by key, with bitwise identical results on every
// device.
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

// The sum of the first n elements of `x` (KN_F32 or KN_F64), added in double in one fixed tree (leaves of
// 4,096 elements in 64 lanes, then pairwise): bitwise identical on every device, whatever the sizes of
// launches. On devices without double precision, the bits of the doubles are computed in integers (some 100
// 64-bit operations per element, and 60 more for its square). n = 0 gives 0. Waits. Cost: reads x once.
// Errors: KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (KN_F64 without double precision, other types).
KN_API kn_status kn_reduce_sum(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double *sum,
                               kn_error *err);

// The sums of x - shift and of its square in one read. `shift` is first rounded to the type, and must then be
// finite (KN_ERROR_ARGUMENT).
KN_API kn_status kn_reduce_sums(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double shift,
                                kn_sums *sums, kn_error *err);

typedef struct kn_moments {
    size_t n;              // elements that are not NaN
    size_t nan_count;      // elements that are NaN; everything below is about the other n alone
    double mean, variance; // population variance: divided by n
    double min, max;
    double shift, sum, squares; // sum of x - shift, and of its square
} kn_moments;

// The moments of the first n elements of `x`, of any type, in one read. If all elements are NaN, or n is 0,
// mean, variance, min and max are NaN; an infinity makes mean and variance infinite or NaN. A result of 0 is
// never -0. KN_F32, KN_F64: the sums are added in kn_reduce_sum's tree, without NaN, and are therefore
// bitwise identical on every device; from them mean = shift + sum / n and variance = (squares - sum^2 / n) /
// n. `shift`, if not NULL, is rounded to the type and must then be finite; NULL takes the median of 64
// elements, the same on every device, so that cancellation in that difference costs about one bit, whatever
// the data. Integers: the sums are exact, and mean and variance are the doubles nearest to the exact values;
// `shift` is not used. min and max of 64-bit integers are rounded to double (kn_reduce gives them exactly).
// Waits. Cost: reads x once. Errors: as kn_reduce_sum, but every type is supported; KN_ERROR_ARGUMENT for a
// shift that is not finite.
KN_API kn_status kn_reduce_moments(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                   const double *shift, kn_moments *moments, kn_error *err);

typedef enum kn_reduce_op {
    KN_REDUCE_SUM = 0,
    KN_REDUCE_PRODUCT = 1,
    KN_REDUCE_MIN = 2,
    KN_REDUCE_MAX = 3
} kn_reduce_op;

// A result: i64 for signed integers, u64 for unsigned ones, f64 for KN_F32 and KN_F64.
typedef union kn_number {
    int64_t i64;
    uint64_t u64;
    double f64;
} kn_number;

// Reduces the first n elements of `x`, of any type, by `op`. Sums and products of integers are exact modulo
// 2^64; the sum of floats is that of kn_reduce_sum, and their product is formed in the same tree, in double
// (in float on devices without double precision). The minimum or maximum of floats is NaN if there is a NaN,
// as in numpy, and 0 for -0. n = 0 gives the sum 0 and the product 1; a minimum or maximum of no elements is
// an error. Waits. Cost: reads x once. Errors: as kn_reduce_sum, but every type is supported.
KN_API kn_status kn_reduce(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_reduce_op op,
                           kn_number *result, kn_error *err);

// A reduction operation, in OpenCL C.
typedef struct kn_combine {
    size_t struct_size;   // set by KN_INIT
    const char *combine;  // an expression in a and b, both of the result's type: "a + b"; associative and
                          // commutative, for floats up to rounding
    const char *identity; // the identity element of the operation: "0"
    // an expression in x, applied to each element first: "x * x"; NULL: the element, converted
    const char *map;
} kn_combine;

// Reduces the first n elements of `x`, of any type, by any operation to one element of type `to` at `result`,
// in kn_reduce_sum's tree: if the operation is bitwise identical on every device, so is the result. Waits.
// Cost: reads x once; a compiler run at the first use of an operation. Errors: KN_ERROR_ARGUMENT (also n =
// 0), KN_ERROR_BUILD with the compiler's messages, for an expression that does not compile,
// KN_ERROR_UNSUPPORTED.
KN_API kn_status kn_reduce_with(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                const kn_combine *how, kn_type to, void *result, kn_error *err);

// As kn_reduce and kn_reduce_with, but the result stays on the device, at the start of `result`, which must
// not be x: that of kn_reduce in 8 bytes, laid out as kn_number (a product of floats may be -0), and that of
// kn_reduce_with as one element of type `to`. Asynchronous. Cost: as above, without the wait. Errors: as
// above; KN_ERROR_ARGUMENT for a result that is too small or of another context; on devices without double
// precision, kn_reduce_to_buffer of floats is KN_ERROR_UNSUPPORTED for operations other than sums, where
// kn_reduce_with_to_buffer leaves a float.
KN_API kn_status kn_reduce_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                     kn_reduce_op op, kn_buffer *result, kn_error *err);
KN_API kn_status kn_reduce_with_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                          const kn_combine *how, kn_type to, kn_buffer *result,
                                          kn_error *err);

// ---- by key ----

// Reduces the values of each run of equal keys by `op` (group by, for sorted keys); runs, `counted`, `count`,
// the outputs, and errors are as in kn_unique (koine/select.h). Takes the first n elements of `keys` and of
// `values`, each of any type; writes the first key of each run to `unique_keys`, and the reduction of its
// values to `results`, in the type of the values. Sums and products of integers are modulo 2^bits. The
// minimum and maximum of floats are NaN if there is a NaN. Floats are combined in a fixed order: results are
// bitwise identical on every device, and differ from the exact ones by at most about 40 roundings for each
// factor of 2^11 in the run's length. Cost: reads the keys twice and the values once, writes both outputs
// once.
KN_API kn_status kn_reduce_by_key(kn_queue *queue, const kn_buffer *keys, kn_type key_type, size_t n,
                                  const kn_buffer *values, kn_type value_type, kn_reduce_op op,
                                  kn_buffer *unique_keys, kn_buffer *results, kn_buffer *counted,
                                  size_t *count, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
