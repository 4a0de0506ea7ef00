// SPDX-License-Identifier: Apache-2.0
// A x and A^T y on a device, with A stored in one of the formats of Stock and Koch (A Fast GPU Implementation
// for Solving Sparse Ill-Posed Linear Equation Systems) or in a later one.
#ifndef KN_APP_SPARSE_PRODUCT_SPMV_H
#define KN_APP_SPARSE_PRODUCT_SPMV_H

#include <stdbool.h>

#include <koine/koine.h>

#include "app/sparse/tomography/parallel.h"

enum { SPARSE_FORMATS = KN_SPARSE_MERGE + 1 };

extern const char *const ki_sparse_format_names[]; // "auto", "simple", "memory-layout", ...; ends with NULL

// The sizes of launches; 0 for the best known value.
struct sparse_tuning {
    unsigned group; // work-items of a group; on the fly rounded down to a multiple of 32, unless it is less
    unsigned lanes; // work-items per row for csr-vector, or per column for backprojection: a power of two, at
                    // most `group`; on-the-fly: the number of views whose rays a group computes, so that it
                    // divides `group`
    unsigned items; // nonzeros or steps per work-item (coo, hyb, merge); pixels (on-the-fly's transpose)
    unsigned chunk; // numbers of x in local memory
    bool is_double; // values, vectors and sums are doubles instead of floats
};

struct sparse_operator;

// Uploads A and its transpose, both in `format`. A may be freed after that. `tuning` may be NULL. Errors:
// KN_ERROR_ARGUMENT for a value beyond single precision, and for the formats on the fly; KN_ERROR_UNSUPPORTED
// for doubles on a device without double precision, and for backprojection and the formats on the fly in
// double precision; KN_ERROR_LIMIT for more than 2^32 - 2 rows, columns or nonzeros, for padding that exceeds
// the device's largest allocation, and for rows longer than the device's loops allow, with the formats that
// can be used instead; KN_ERROR_MEMORY. Cost: the bytes of the matrix, twice.
kn_status ki_sparse_operator_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                    kn_sparse_format format, const struct sparse_tuning *tuning,
                                    struct sparse_operator **made, kn_error *err);
// The same for a geometry: on the fly, only a few numbers per projection are stored; other formats store its
// matrix; KN_SPARSE_AUTO measures the formats on the fly. Errors: as above, and those of
// ki_sparse_parallel_check.
kn_status ki_sparse_operator_create_parallel(kn_queue *queue, const struct sparse_parallel *geometry,
                                             kn_sparse_format format, const struct sparse_tuning *tuning,
                                             struct sparse_operator **made, kn_error *err);
// Only the back-projection of a geometry, for products with `transposed`: a pixel sums, over all projections,
// the values at its position on the detector, interpolated between two detectors (0 beyond the first and the
// last one), times the projection's factor. Computed on the fly, in the faster of two formats. Errors: as
// above.
kn_status ki_sparse_operator_create_interpolated(kn_queue *queue, const struct sparse_parallel *geometry,
                                                 const double *factors, struct sparse_operator **made,
                                                 kn_error *err);
void ki_sparse_operator_free(struct sparse_operator *made); // NULL is fine

// Whether the device and the format support doubles: KN_ERROR_UNSUPPORTED names what does not.
kn_status ki_spmv_check_double(const kn_device_info *info, kn_sparse_format format, kn_error *err);

// y = A x, or with `transposed` y = A^T x: numbers of the type, as many as the matrix has columns and rows.
// Asynchronous. Errors: KN_ERROR_ARGUMENT for buffers that are too small or in another context, and if both
// are the same buffer.
kn_status ki_sparse_operator_apply(kn_queue *queue, const struct sparse_operator *a, bool transposed,
                                   const kn_buffer *x, kn_buffer *y, kn_error *err);
// Whether products only enqueue launches, always the same ones, so that they can be recorded; and the number
// of launches of A and A^T together.
bool ki_sparse_operator_only_launches(const struct sparse_operator *a);
unsigned ki_sparse_operator_launches(const struct sparse_operator *a);

// The bytes that it holds on the device; and those that it will hold for a matrix and its transpose, of which
// only sizes and starts are read, or for a geometry. For the formats on the fly, both matrices are NULL.
size_t ki_sparse_operator_memory(const struct sparse_operator *a);
kn_status ki_sparse_operator_estimate(kn_queue *queue, const struct sparse_matrix *matrix,
                                      const struct sparse_matrix *transposed,
                                      const struct sparse_parallel *geometry, kn_sparse_format format,
                                      const struct sparse_tuning *tuning, size_t *bytes, kn_error *err);

// The format in use, and the reason as a text: for KN_SPARSE_AUTO, the measured time of each candidate;
// otherwise "".
kn_sparse_format ki_sparse_operator_format(const struct sparse_operator *a, bool transposed);
const char *ki_sparse_operator_why(const struct sparse_operator *a, bool transposed);
// The least memory traffic of a product: the elements of the stored matrix that are read, and both vectors
// once. Of the padding, memory-layout reads nothing; ell, hyb and sell read its indices, but not its values.
size_t ki_sparse_operator_bytes(const struct sparse_operator *a, bool transposed);

#endif
