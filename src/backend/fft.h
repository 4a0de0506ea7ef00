// SPDX-License-Identifier: Apache-2.0
// A vendor's library of Fourier transforms: one const table of functions, as backend.h has for devices. The
// caller has checked the shape and the buffers.
#ifndef KN_BACKEND_FFT_H
#define KN_BACKEND_FFT_H

#include "backend.h"

struct be_fft_plan;

struct be_fft_shape {
    unsigned rank;
    size_t dims[3]; // x, the fastest, first
    size_t batch;
    bool fp64;
    enum { BE_FFT_COMPLEX, BE_FFT_REAL_TO_COMPLEX, BE_FFT_COMPLEX_TO_REAL } kind; // as kn_fft_kind
};

// What a plan is executed on; in place if `in` is `out`.
struct be_transform {
    bool inverse;
    struct be_memory *in, *out;
};

struct be_fft {
    const char *name;
    // Whether it is there: KN_OK, or KN_ERROR_UNSUPPORTED in words.
    kn_status (*find)(kn_error *err);
    // Whether a transform of several axes from the half spectrum writes over its input.
    bool spoils_half_spectrum;
    // A plan for transforms in this queue; `version` receives the library's. KN_ERROR_UNSUPPORTED in words if
    // the library is not there or does not do the shape.
    kn_status (*create)(struct be_queue *queue, const struct be_fft_shape *shape, struct be_fft_plan **plan,
                        char version[32], kn_error *err);
    // `event` may be NULL: then nothing is timed.
    kn_status (*execute)(struct be_queue *queue, struct be_fft_plan *plan,
                         const struct be_transform *transform, struct be_event **event, kn_error *err);
    void (*free)(struct be_fft_plan *plan);
};

extern const struct be_fft kn_be_clfft, kn_be_cufft;

#endif
