// SPDX-License-Identifier: Apache-2.0
// Solutions by a Gram matrix (gram.h) for many right-hand sides on a device: A^T b, and the product of the
// inverse with it (kn_gemm).
#ifndef KN_APP_SPARSE_SOLVER_DEVICE_GRAM_DEVICE_H
#define KN_APP_SPARSE_SOLVER_DEVICE_GRAM_DEVICE_H

#include "batch.h"
#include "app/sparse/solver/host/gram.h"

struct sparse_gram_device;

// A^T and G^-1 on the device, in floats: solutions are off by some cond(G) 2^-24 of their size, so that G
// wants a lambda. `matrix` is the one `gram` was made from; both may be freed after that. Errors: those of
// ki_sparse_batch_create and kn_gemm; KN_ERROR_LIMIT for more columns than one allocation of the device has
// squares for. Cost: as many solutions on the host as there are columns.
kn_status ki_sparse_gram_device_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                       const struct sparse_gram *gram, struct sparse_gram_device **made,
                                       kn_error *err);
void ki_sparse_gram_device_free(struct sparse_gram_device *made); // NULL is fine

// b: `count` right-hand sides of a float a row, one after the other; x: as many solutions of a float a
// column. Asynchronous. Errors: KN_ERROR_ARGUMENT for buffers too small or of another context. Cost: for 128
// of them A^T and G^-1 are read a few times, and 2 columns^2 operations each.
kn_status ki_sparse_gram_device_solve(kn_queue *queue, struct sparse_gram_device *made, kn_buffer *b,
                                      size_t count, kn_buffer *x, kn_error *err);

// to = G^-1 from, of `count` vectors of a float a column, one after the other. Asynchronous. Errors: as
// above.
kn_status ki_sparse_gram_device_inverse(kn_queue *queue, struct sparse_gram_device *made, kn_buffer *from,
                                        size_t count, kn_buffer *to, kn_error *err);

// to = A from, or A^T from, of one right-hand side, as ki_sparse_batch_apply.
kn_status ki_sparse_gram_device_apply(kn_queue *queue, struct sparse_gram_device *made, bool transposed,
                                      kn_buffer *from, kn_buffer *to, kn_error *err);

#endif
