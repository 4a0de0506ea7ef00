// SPDX-License-Identifier: Apache-2.0
// The iteration of conjugate gradients in two launches (cl/app/sparse/sparse_cgnr.cl), which is possible for
// a sparse matrix with few columns.
#ifndef KN_APP_SPARSE_SOLVER_DEVICE_FUSED_H
#define KN_APP_SPARSE_SOLVER_DEVICE_FUSED_H

#include "app/sparse/product/spmv_internal.h"
#include "solver.h"

struct sparse_fused {
    uint32_t rows, columns;
    struct spmv_product products[2]; // A in slices; A^T by rows, with A's rows in the order of the slices
    kn_buffer *row_order;
    kn_kernel *forward, *backward;
    bool is_double;
    size_t group, back_group, lanes; // group of cgnr_forward; back_group and lanes of cgnr_backward
};

// Whether the device's local memory holds the columns. KN_ERROR_LIMIT says how much is needed.
kn_status ki_sparse_fused_check(const kn_context *context, const struct sparse_matrix *matrix,
                                const struct cgnr_options *options, bool is_double, kn_error *err);

// Creates products and kernels. On failure `made` is empty. Errors: those of products and kernels.
kn_status ki_sparse_fused_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                 const struct sparse_tuning *tuning, const struct cgnr_options *options,
                                 struct sparse_fused *made, kn_error *err);
void ki_sparse_fused_free(struct sparse_fused *fused);

// The form that ki_cgnr_create takes, valid as long as `fused`.
struct cgnr_fused ki_sparse_fused_of(struct sparse_fused *fused);

#endif
