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
    KN_FFT_COMPLEX,         // complex to complex, both directions
    KN_FFT_REAL_TO_COMPLEX, // forward: the half spectrum, dims[0] / 2 + 1 numbers a line, as numpy's rfftn
    // Inverse: from the half spectrum, as numpy's irfftn times the product of dims. KN_FFT_OWN takes any
    // numbers there, as numpy does; the libraries only those that real numbers transform to.
    KN_FFT_COMPLEX_TO_REAL
} kn_fft_kind;

typedef enum kn_fft_direction {
    KN_FFT_FORWARD, // sum over j of x[j] exp(-2 pi i j k / n)
    KN_FFT_INVERSE  // the same with +; not divided by n unless `scale` says so
} kn_fft_direction;

typedef enum kn_fft_library {
    // The faster of the own one and the path's vendor's: measured when a shape is first planned on a device
    // (which takes buffers for it, and clFFT seconds to prepare) and remembered in the cache on disk; without
    // a cache, measured at every plan. What only the own one does is done by it: padding, cropping, a scale,
    // integers, any half spectrum.
    KN_FFT_AUTO,
    KN_FFT_OWN,   // cl/fft.cl
    KN_FFT_CLFFT, // OpenCL devices, if libkoine was built with clFFT
    KN_FFT_CUFFT  // CUDA devices, if libcufft.so.12 or .11 is there
} kn_fft_library;

// Arrays are compact: x runs fastest, then y, z, and the transforms of a batch follow one another.
typedef struct kn_fft_shape {
    unsigned rank;  // 1 to 3
    size_t dims[3]; // dims[0] is x, the fastest: numpy's shape backwards
    size_t batch;   // so many transforms; 0 is 1
    kn_type type;   // KN_F32 or KN_F64: what a complex number has two of
    kn_fft_kind kind;
    double scale; // multiplies the result; 0 is 1
    // KN_FFT_REAL_TO_COMPLEX, KN_FFT_OWN: the input is unsigned integers of 8 or 16 bits, converted as they
    // are read. 0: numbers of `type`.
    unsigned input_bits;
    // Zero padding and cropping, which only KN_FFT_OWN does without touching the zeros. Only the first
    // in_dims[i] of dims[i] numbers are in the input (an array of those dims), the rest are zeros; only the
    // first out_dims[i] numbers are in the output. 0: all. For the half spectrum, out of dims[0] / 2 + 1 they
    // are always all.
    size_t in_dims[3], out_dims[3];
} kn_fft_shape;

typedef struct kn_fft_options {
    kn_fft_library library;
    // For KN_FFT_OWN; 0: the device's default.
    unsigned held; // points a work-item holds at most, 4 to 32
    unsigned rows,
        columns; // lines a work-group takes when its neighbours in memory are of a line, or are lines
} kn_fft_options;

// Prepares transforms of a shape: programs (from the cache on disk, or compiled) and tables of roots of
// unity. KN_FFT_OWN: lengths whose prime factors are at most 13 in mixed radix (Stockham's autosort), a pass
// over memory an axis, or two where a line does not fit into local memory; other lengths by Bluestein's chirp
// transform (1970), twice the work and more. `options` may be NULL. What `options` names runs or is refused,
// never another. Error of a transform in float: below 0.5 eps log2 n relative in the 2-norm (eps = 2^-24), 3
// times that with Bluestein. Errors: KN_ERROR_ARGUMENT; KN_ERROR_UNSUPPORTED for KN_F64 without double
// precision, other types, a library that is not there or does not do this shape; KN_ERROR_LIMIT for lines too
// long for two passes.
KN_API kn_status kn_fft_plan_create(kn_queue *queue, const kn_fft_shape *shape, const kn_fft_options *options,
                                    kn_fft_plan **plan, kn_error *err);
// NULL is fine.
KN_API void kn_fft_plan_free(kn_fft_plan *plan);

// Transforms `in` to `out`, asynchronously. The first inverse transform of a complex plan compiles its
// programs. A complex transform without padding or cropping may be done in place (in == out); else `in` is
// not changed. To be used by one thread at a time, on queues of the plan's context. Errors: KN_ERROR_ARGUMENT
// for buffers too small or a direction that the kind does not have; KN_ERROR_LIMIT for a buffer held in
// parts.
KN_API kn_status kn_fft_execute(kn_queue *queue, kn_fft_plan *plan, kn_fft_direction direction, kn_buffer *in,
                                kn_buffer *out, kn_error *err);

// What the plan runs, in words: "own: x 256 = 16 * 16; y 256 = 16 * 16". The plan's own.
KN_API const char *kn_fft_plan_text(const kn_fft_plan *plan);
KN_API kn_fft_library kn_fft_plan_library(const kn_fft_plan *plan); // never KN_FFT_AUTO

#ifdef __cplusplus
}
#endif
#endif
