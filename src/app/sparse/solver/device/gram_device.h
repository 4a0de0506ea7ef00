// SPDX-License-Identifier: Apache-2.0
// Solutions with a Gram matrix (gram.h) for many right-hand sides on a device: A^T b, and its product with
// the inverse (kn_gemm).
#ifndef KN_APP_SPARSE_SOLVER_DEVICE_GRAM_DEVICE_H
#define KN_APP_SPARSE_SOLVER_DEVICE_GRAM_DEVICE_H

#include "batch.h"
#include "app/sparse/solver/host/gram.h"

struct sparse_gram_device;

// Uploads A^T and G^-1 as floats. The relative error of solutions is about cond(G) 2^-24, so that G should
// have a lambda. `matrix` is the one from which `gram` was made; both may be freed after that. Errors: those
// of ki_sparse_batch_create and kn_gemm; KN_ERROR_LIMIT if the square of the columns exceeds one allocation
// of the device. Cost: as many solutions on the host as there are columns.
kn_status ki_sparse_gram_device_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                       const struct sparse_gram *gram, struct sparse_gram_device **made,
                                       kn_error *err);
void ki_sparse_gram_device_free(struct sparse_gram_device *made); // NULL is fine

// b: `count` right-hand sides with one float per row, one after another; x: as many solutions with one float
// per column. Asynchronous. Errors: KN_ERROR_ARGUMENT for buffers that are too small or in another context.
// Cost: for 128 of them, A^T and G^-1 are read a few times, and 2 columns^2 operations each.
kn_status ki_sparse_gram_device_solve(kn_queue *queue, struct sparse_gram_device *made, kn_buffer *b,
                                      size_t count, kn_buffer *x, kn_error *err);

// to = G^-1 from, for `count` vectors with one float per column, one after another. Asynchronous. Errors: as
// above.
kn_status ki_sparse_gram_device_inverse(kn_queue *queue, struct sparse_gram_device *made, kn_buffer *from,
                                        size_t count, kn_buffer *to, kn_error *err);

// to = A from, or A^T from, for one right-hand side, like ki_sparse_batch_apply.
kn_status ki_sparse_gram_device_apply(kn_queue *queue, struct sparse_gram_device *made, bool transposed,
                                      kn_buffer *from, kn_buffer *to, kn_error *err);

#endif
