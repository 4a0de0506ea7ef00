// SPDX-License-Identifier: Apache-2.0
// A x and A^T y on a device, A kept in one of the source's variants (Stock and Koch, A Fast GPU
// Implementation for Solving Sparse Ill-Posed Linear Equation Systems) or in one of those that came after.
#ifndef KN_APP_SPARSE_PRODUCT_SPMV_H
#define KN_APP_SPARSE_PRODUCT_SPMV_H

#include <stdbool.h>

#include <koine/koine.h>

#include "app/sparse/tomography/parallel.h"

enum { SPARSE_FORMATS = KN_SPARSE_MERGE + 1 };

extern const char *const ki_sparse_format_names[]; // "auto", "simple", "memory-layout", ...; ends with NULL

// What launches are made of; 0 for what is best known.
struct sparse_tuning {
    unsigned group; // work-items; on the fly a multiple of 32, or what is left of it
    unsigned lanes; // work-items a row of csr-vector, or a column of backprojection: a power of two, at most
                    // `group`; on-the-fly: views whose rays a group has, so that it divides `group`
    unsigned items; // nonzeros or steps a work-item, of coo, hyb and merge; pixels of on-the-fly's transpose
    unsigned chunk; // numbers of x in local memory
    bool is_double; // values, vectors and sums are doubles, not floats
};

struct sparse_operator;

// A in `format`, and its transpose in the same. A may be freed after that. `tuning` may be NULL.
// Errors: KN_ERROR_ARGUMENT for a value beyond single precision, and for the formats on the fly;
// KN_ERROR_UNSUPPORTED for doubles on a device that has none, and for backprojection and the formats on the
// fly in double; KN_ERROR_LIMIT for more than 2^32 - 2 rows, columns or nonzeros, for more padding than the
// device's largest allocation holds, and for rows longer than the device's loops, with the formats that can
// serve; KN_ERROR_MEMORY. Cost: the matrix's bytes twice.
kn_status ki_sparse_operator_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                    kn_sparse_format format, const struct sparse_tuning *tuning,
                                    struct sparse_operator **made, kn_error *err);
// The same for a geometry: on the fly nothing is stored but a few numbers a projection; other formats keep
// its matrix, and KN_SPARSE_AUTO measures those on the fly. Errors: as above, and as
// ki_sparse_parallel_check.
kn_status ki_sparse_operator_create_parallel(kn_queue *queue, const struct sparse_parallel *geometry,
                                             kn_sparse_format format, const struct sparse_tuning *tuning,
                                             struct sparse_operator **made, kn_error *err);
// A geometry's way back alone, `transposed`: a pixel sums, over all projections, what lies where it is seen,
// interpolated between two detectors (0 beyond the first and the last one), times the projection's factor.
// On the fly, the faster way of two. Errors: as above.
kn_status ki_sparse_operator_create_interpolated(kn_queue *queue, const struct sparse_parallel *geometry,
                                                 const double *factors, struct sparse_operator **made,
                                                 kn_error *err);
void ki_sparse_operator_free(struct sparse_operator *made); // NULL is fine

// Whether the device and the format have doubles: KN_ERROR_UNSUPPORTED says what has none.
kn_status ki_spmv_check_double(const kn_device_info *info, kn_sparse_format format, kn_error *err);

// y = A x, or with `transposed` y = A^T x: numbers of the type, as many as the matrix has columns and rows.
// Asynchronous. The buffers are two. Errors: KN_ERROR_ARGUMENT for buffers too small, of another context, or
// one and the same.
kn_status ki_sparse_operator_apply(kn_queue *queue, const struct sparse_operator *a, bool transposed,
                                   const kn_buffer *x, kn_buffer *y, kn_error *err);
// Whether applying it either way only enqueues launches, always the same ones, and nothing else; and what it
// enqueues for both ways together.
bool ki_sparse_operator_only_launches(const struct sparse_operator *a);
unsigned ki_sparse_operator_launches(const struct sparse_operator *a);

// Bytes of the device that it holds; and those that one will hold of a matrix and its transpose, of which
// only sizes and starts are looked at, or of a geometry, where both are NULL for the formats on the fly.
size_t ki_sparse_operator_memory(const struct sparse_operator *a);
kn_status ki_sparse_operator_estimate(kn_queue *queue, const struct sparse_matrix *matrix,
                                      const struct sparse_matrix *transposed,
                                      const struct sparse_parallel *geometry, kn_sparse_format format,
                                      const struct sparse_tuning *tuning, size_t *bytes, kn_error *err);

// The format that is used, and in words why (of KN_SPARSE_AUTO, what each took when it was measured; else
// "").
kn_sparse_format ki_sparse_operator_format(const struct sparse_operator *a, bool transposed);
const char *ki_sparse_operator_why(const struct sparse_operator *a, bool transposed);
// What an application has to move at least: of the matrix as it is kept the elements that are read, both
// vectors once. Of what fills rows up, memory-layout reads nothing; ell, hyb and sell read its indices, but
// no values.
size_t ki_sparse_operator_bytes(const struct sparse_operator *a, bool transposed);

#endif
