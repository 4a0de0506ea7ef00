// SPDX-License-Identifier: Apache-2.0
// A vendor's or somebody's library of dense linear algebra: one const table of functions, as backend.h has
// for devices. The caller has checked the product.
#ifndef KN_BACKEND_BLAS_H
#define KN_BACKEND_BLAS_H

#include "backend.h"

// The library, ready to work in one queue.
struct be_blas;

enum be_transpose { BE_AS_IS, BE_TRANSPOSED, BE_CONJUGATED, BE_TRANSPOSES };

// In row order and elements, as kn_gemm_matrix; pitches are filled in.
struct be_matrix {
    struct be_memory *memory; // NULL: not read
    size_t offset, pitch, stride;
};

// C = alpha op(A) op(B) + beta C; nothing is 0 but k, offsets and strides.
struct be_product {
    bool fp64, is_complex;
    enum be_transpose transpose_a, transpose_b;
    size_t m, n, k, batch;
    double alpha[2], beta[2];
    struct be_matrix a, b, c;
};

struct be_blas_library {
    const char *name;
    // Whether it is there: KN_OK, or KN_ERROR_UNSUPPORTED in words.
    kn_status (*find)(kn_error *err);
    // KN_ERROR_UNSUPPORTED, in words, if the library is not there.
    kn_status (*open)(struct be_queue *queue, struct be_blas **blas, kn_error *err);
    // `event` may be NULL.
    kn_status (*gemm)(struct be_blas *blas, const struct be_product *product, struct be_event **event,
                      kn_error *err);
    void (*close)(struct be_blas *blas);
};

extern const struct be_blas_library kn_be_cublas;
extern const struct be_blas_library kn_be_clblast;

#endif
