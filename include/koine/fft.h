// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms on the device.
#ifndef KOINE_FFT_H
#define KOINE_FFT_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_fft_plan kn_fft_plan;

typedef enum kn_fft_kind {
    KN_FFT_COMPLEX = 0, // complex to complex, both directions
    // forward: the half spectrum, dims[0] / 2 + 1 numbers per line, as numpy's rfftn
    KN_FFT_REAL_TO_COMPLEX = 1,
    // Inverse: from the half spectrum, as numpy's irfftn times the product of dims. KN_FFT_OWN accepts any
    // numbers there, as numpy does; the vendors' libraries accept only a spectrum of real numbers.
    KN_FFT_COMPLEX_TO_REAL = 2
} kn_fft_kind;

typedef enum kn_fft_direction {
    KN_FFT_FORWARD = 0, // sum over j of x[j] exp(-2 pi i j k / n)
    KN_FFT_INVERSE = 1  // the same with +; not divided by n unless `scale` says so
} kn_fft_direction;

typedef enum kn_fft_library {
    // The faster of Koine's own kernels and the vendor's library: measured when a shape is first planned on a
    // device (which takes buffers, and seconds for clFFT to prepare) and remembered in the cache on disk;
    // without a cache, measured for every plan. Koine's own kernels do what only they can: padding, cropping,
    // a scale, integers, any half spectrum.
    KN_FFT_AUTO = 0,
    KN_FFT_OWN = 1, // Koine's own kernels
    // OpenCL devices, if libclFFT.so.2 is installed; lengths without a prime factor above 13
    KN_FFT_CLFFT = 2,
    KN_FFT_CUFFT = 3 // CUDA devices, if libcufft.so.12, .11 or .10 is installed
} kn_fft_library;

// Arrays are compact: x runs fastest, then y, z, and the transforms of a batch follow one another.
typedef struct kn_fft_shape {
    size_t struct_size; // set by KN_INIT
    unsigned rank;      // 1 to 3
    size_t dims[3];     // dims[0] is x, the fastest: numpy's shape reversed
    size_t batch;       // number of transforms; 0 is 1
    kn_type type;       // KN_F32 or KN_F64; a complex number is two of them
    kn_fft_kind kind;
    // Only KN_FFT_OWN does the rest; all 0 is the plain transform.
    double scale; // multiplies the result; 0 is 1
    // for KN_FFT_REAL_TO_COMPLEX: unsigned integers of 8 or 16 bits; 0: numbers of `type`
    unsigned input_bits;
    // Zero-padding and cropping: the input holds only the first in_dims[i] of dims[i] numbers (it is an array
    // of these dimensions), the rest are zeros that are neither stored nor read; the output holds only the
    // first out_dims[i]. 0: all. A half spectrum is always whole.
    size_t in_dims[3], out_dims[3];
} kn_fft_shape;

typedef struct kn_fft_options {
    size_t struct_size; // set by KN_INIT
    kn_fft_library library;
    const struct kn_fft_tuning
        *tuning; // koine/experimental.h; for KN_FFT_OWN only; NULL: the device's default
} kn_fft_options;

// Prepares transforms of a shape: programs (from the cache on disk, or compiled) and tables of roots of unity
// (twiddle factors). `options` may be NULL; a library that it names either runs or is refused, and no other
// is substituted for it. KN_FFT_OWN: lengths whose prime factors are at most 13 in mixed radix (Stockham's
// autosort), other lengths by Bluestein's chirp transform (1970). Cost of KN_FFT_OWN: one pass over memory
// per axis, two or three if local memory does not hold a line (more than 4,096 to 16,384 numbers);
// Bluestein's algorithm takes twice as many, on lines more than twice as long. Error in the 2-norm, relative,
// with eps = 2^-24 (float) or 2^-53: below eps (log2 n + 2) / 2 for n numbers in all; for every axis of n
// numbers done by Bluestein's algorithm, log2 n + 5 is added in the brackets, twice. Errors:
// KN_ERROR_ARGUMENT; KN_ERROR_UNSUPPORTED for KN_F64 without double precision, other types, and a library
// that is not installed or does not support this shape; KN_ERROR_LIMIT for lines too long for three passes or
// too many for a launch.
KN_API kn_status kn_fft_plan_create(kn_queue *queue, const kn_fft_shape *shape, const kn_fft_options *options,
                                    kn_fft_plan **plan, kn_error *err);
// NULL is fine.
KN_API void kn_fft_plan_free(kn_fft_plan *plan);

// Transforms `in` to `out`, asynchronously. A complex transform that neither pads nor crops may be done in
// place (in == out); otherwise `in` is not changed. The first inverse transform of a complex plan compiles
// its programs. A plan may be used by one thread at a time, on queues of its context. Errors:
// KN_ERROR_ARGUMENT for buffers too small or a direction that the kind does not have; KN_ERROR_LIMIT for a
// buffer held in parts.
KN_API kn_status kn_fft_execute(kn_queue *queue, kn_fft_plan *plan, kn_fft_direction direction,
                                const kn_buffer *in, kn_buffer *out, kn_error *err);

// What the plan runs, in words: "256 = 16 * 16 (16 items, 8 rows); ...", "cuFFT 12.0.0", and what AUTO
// measured. Owned by the plan.
KN_API const char *kn_fft_plan_get_text(const kn_fft_plan *plan);
KN_API kn_fft_library kn_fft_plan_get_library(const kn_fft_plan *plan); // never KN_FFT_AUTO

#ifdef __cplusplus
}
#endif
#endif
