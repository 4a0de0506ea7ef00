// SPDX-License-Identifier: Apache-2.0
// A library of matrix products or Fourier transforms for the devices of a path: one const table of functions,
// like backend.h for devices. src/engine/library.c lists the libraries, opens and calls them; the caller has
// checked shapes and buffers, so that a library never checks again.
#ifndef KN_BACKEND_LIBRARY_H
#define KN_BACKEND_LIBRARY_H

#include "backend.h"

enum be_field { BE_PRODUCTS, BE_TRANSFORMS, BE_FIELDS };

enum be_transpose { BE_AS_IS, BE_TRANSPOSED, BE_CONJUGATED, BE_TRANSPOSES };

// In row order and in elements, like kn_gemm_matrix; pitches are filled in.
struct be_matrix {
    struct be_memory *memory; // NULL: not read
    size_t offset, pitch, stride;
};

// C = alpha op(A) op(B) + beta C; nothing is 0 except k, offsets and strides.
struct be_product {
    bool fp64, is_complex;
    enum be_transpose transpose_a, transpose_b;
    size_t m, n, k, batch;
    double alpha[2], beta[2];
    struct be_matrix a, b, c;
};

struct be_fft_shape {
    unsigned rank;
    size_t dims[3]; // x, the fastest, first
    size_t batch;
    bool fp64;
    enum { BE_FFT_COMPLEX, BE_FFT_REAL_TO_COMPLEX, BE_FFT_COMPLEX_TO_REAL } kind; // like kn_fft_kind
};

// In place if `in` is `out`.
struct be_transform {
    bool inverse;
    struct be_memory *in, *out;
};

// What a plan is executed on: the member for its library's field.
union be_task {
    const struct be_product *product;
    const struct be_transform *transform;
};

// A library made ready for work in a context: for all products, or for the transforms of one shape.
struct be_plan;

#define BE_VERSION_BYTES 32

struct be_library {
    const char *name;
    enum be_field field;
    const struct ki_backend *path; // the path of the devices it works on
    // For transforms: whether one of several axes from the half spectrum overwrites its input.
    bool spoils_half_spectrum;
    // Whether it is there: KN_OK, or KN_ERROR_UNSUPPORTED, with a reason that begins with its name.
    kn_status (*find)(kn_error *err);
    // `shape` is NULL for products. `version` receives the library's version, "" if it reports none.
    // KN_ERROR_UNSUPPORTED if the library is not there or does not support the shape.
    kn_status (*prepare)(struct be_queue *queue, const struct be_fft_shape *shape, struct be_plan **plan,
                         char version[BE_VERSION_BYTES], kn_error *err);
    // In a queue of the context. If `event` is NULL, nothing is timed; otherwise the event spans everything
    // that is enqueued.
    kn_status (*execute)(struct be_queue *queue, struct be_plan *plan, union be_task task,
                         struct be_event **event, kn_error *err);
    void (*free)(struct be_plan *plan);
};

extern const struct be_library ki_be_clblast, ki_be_clfft, ki_be_cublas, ki_be_cufft;

#endif
