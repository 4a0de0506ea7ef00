// SPDX-License-Identifier: Apache-2.0
// Sparse matrices, and their products A x and A^T y as linear operators (koine/operator.h), on the host or on
// a device: what `koine spmv` multiplies by and `koine solve` solves with.
//
// A matrix of `rows` x `columns` is stored by rows (CSR, compressed sparse rows), in double precision: the
// nonzeros of row i are elements starts[i] to starts[i + 1] - 1 of `indices`, which holds their columns, and
// of `values`. Columns ascend within a row, each at most once. Rows and columns count from 0. An explicit
// zero counts as a nonzero.
//
//     kn_sparse *matrix = NULL;
//     kn_operator *a = NULL;
//
//     kn_sparse_create_coo(rows, columns, count, i, j, values, &matrix, &err);
//     kn_sparse_operator_create(queue, matrix, NULL, &a, &err);
//     kn_sparse_free(matrix);
//     kn_operator_apply(queue, a, false, x, y, &err); // y = A x
#ifndef KOINE_SPARSE_H
#define KOINE_SPARSE_H

#include <koine/context.h>
#include <koine/host.h>
#include <koine/operator.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- matrices ----

// Immutable: several threads may use it at the same time.
typedef struct kn_sparse kn_sparse;

// Makes a matrix from a copy of CSR arrays: rows + 1 `starts`, and `nonzeros` indices and values; if `values`
// is NULL, all of them are 1. Takes 12 bytes per nonzero and 8 per row; reads each of them twice. Errors:
// KN_ERROR_ARGUMENT for arrays that are not as described above (the message names the row), for values that
// are not finite, for more than 2^32 - 1 rows or columns, and for more than 2^24 rows or columns with fewer
// than one nonzero per 64 of them, which is more likely a corrupt size than a matrix.
KN_API kn_status kn_sparse_create_csr(size_t rows, size_t columns, size_t nonzeros, const uint64_t *starts,
                                      const uint32_t *indices, const double *values, kn_sparse **made,
                                      kn_error *err);

// Makes a matrix from coordinates (COO): `count` entries in any order, entry k at row i[k], column j[k];
// duplicates are added, in their order. If `values` is NULL, all of them are 1. Takes 12 bytes per entry and
// 8 per row, and, unless the entries are sorted by rows and columns, temporarily as much again and 8 bytes
// per column. Cost: one or two counting sorts. Errors: as above; KN_ERROR_ARGUMENT for an entry outside of
// the matrix, which is named, and for sums that are not finite.
KN_API kn_status kn_sparse_create_coo(size_t rows, size_t columns, size_t count, const uint32_t *i,
                                      const uint32_t *j, const double *values, kn_sparse **made,
                                      kn_error *err);

// The transposed matrix, as a copy. Cost: two passes over the nonzeros.
KN_API kn_status kn_sparse_create_transposed(const kn_sparse *matrix, kn_sparse **made, kn_error *err);

// NULL is fine. Operators made from the matrix do not need it.
KN_API void kn_sparse_free(kn_sparse *matrix);

// For NULL these return 0 and NULL. The arrays belong to the matrix, and are valid as long as it exists.
KN_API size_t kn_sparse_get_rows(const kn_sparse *matrix);
KN_API size_t kn_sparse_get_columns(const kn_sparse *matrix);
KN_API size_t kn_sparse_get_nonzeros(const kn_sparse *matrix);
KN_API const uint64_t *kn_sparse_get_starts(const kn_sparse *matrix);
KN_API const uint32_t *kn_sparse_get_indices(const kn_sparse *matrix);
KN_API const double *kn_sparse_get_values(const kn_sparse *matrix);

// ---- formats ----

// How a matrix is stored and multiplied. A format that is named either runs or is refused; no other is
// substituted for it. All add in a fixed order, so that products are bitwise reproducible, except
// KN_SPARSE_BACKPROJECTION. Simple, memory-layout, local-memory, on-the-fly and backprojection are those of
// Stock and Koch (A Fast GPU Implementation for Solving Sparse Ill-Posed Linear Equation Systems); ELL,
// csr-vector, COO and HYB are from Bell and Garland (2009), SELL from Kreutzer et al. (2014), merge from
// Merrill and Garland (2016). The host has AUTO, SIMPLE, SELL, and for geometries ON_THE_FLY.
typedef enum kn_sparse_format {
    // On a device, the fastest for this matrix of the formats below that can be fast, chosen separately for A
    // and A^T: measured once, which takes some hundreds of products, and remembered in the cache on disk; for
    // a geometry, the faster of those on the fly. On the host, SELL; for a geometry ON_THE_FLY, but SELL for
    // KN_F32.
    KN_SPARSE_AUTO = 0,
    KN_SPARSE_SIMPLE = 1,              // rows (CSR), one work-item per row
    KN_SPARSE_MEMORY_LAYOUT = 2,       // neighbouring rows' nonzeros side by side, one work-item per row
    KN_SPARSE_LOCAL_MEMORY = 3,        // rows, and the vector in local memory, a chunk at a time
    KN_SPARSE_MEMORY_LAYOUT_LOCAL = 4, // both
    KN_SPARSE_ON_THE_FLY = 5,          // computed from a geometry (koine/tomography.h); not for a matrix
    KN_SPARSE_ON_THE_FLY_LOCAL = 6,    // the same, and the vector in local memory
    KN_SPARSE_BACKPROJECTION = 7,      // one work-item scatters a column, by atomic additions
    KN_SPARSE_ELL = 8,                 // as memory-layout, with every row padded to the longest
    KN_SPARSE_CSR_VECTOR = 9,          // rows, up to 32 work-items per row
    KN_SPARSE_COO = 10,                // nonzeros with their row indices, in segments of equal size
    KN_SPARSE_HYB = 11,                // ELL for the length that a third of the rows have, COO for the rest
    // ELL in slices of rows of similar length: of 32 rows on a device, with column indices in 16 bits where
    // these suffice; of 16 rows on the host, with SIMD vectors
    KN_SPARSE_SELL = 12,
    KN_SPARSE_MERGE = 13 // rows in segments of equal work, whatever their lengths
} kn_sparse_format;

// "auto", "simple", "memory-layout", "local-memory", "memory-layout+local-memory", "on-the-fly",
// "on-the-fly+local-memory", "backprojection", "ell", "csr-vector", "coo", "hyb", "sell", "merge"; NULL for
// any other value.
KN_API const char *kn_sparse_format_name(kn_sparse_format format);

// ---- operators ----

typedef struct kn_sparse_operator_options {
    size_t struct_size; // set by KN_INIT
    kn_sparse_format format;
    // The type of the vectors and of the sums: KN_F32 or KN_F64; 0: KN_F32 on devices, KN_F64 on the host.
    // Devices with double precision have KN_F64 in all formats except backprojection and those on the fly;
    // the matrix of a geometry is then stored.
    kn_type type;
    // For the host; on a device these must be 0.
    unsigned threads;    // 0: as many as OMP_NUM_THREADS says, otherwise one per processor
    kn_host_level level; // on the fly only KN_HOST_SCALAR
    // Sizes of a device's kernels, 0: the best known; on the host these must be 0.
    unsigned group; // work-items: a power of two from 32 on
    unsigned lanes; // work-items per row of csr-vector or per column of backprojection, views per group of
                    // on-the-fly: a power of two, at most `group`, or 32 if that is 0
    unsigned items; // nonzeros or steps per work-item of coo, hyb and merge; pixels of on-the-fly's
                    // transpose: at most 64
    unsigned chunk; // numbers of x in local memory
} kn_sparse_operator_options;

// Makes an operator from a matrix, to be freed by kn_operator_free: with buffers in the context of `queue`,
// which need not stay open, or, if that is NULL, in host memory. The adjoint is the exact transpose, stored
// in the same format. `options` may be NULL. An operator may be applied by one thread, and in one queue, at a
// time; two threads may apply two operators.
//
// An element of a product is a sum in the type of the vectors; its error is at most (terms + 3) roundings of
// the sum of the absolute values of its terms. Applying the operator enqueues 1 to 3 launches, and for coo
// and backprojection a fill before them. Cost: one pass over the stored matrix, kn_sparse_operator_get_bytes;
// making the operator takes some passes over the matrix, its transposition, compiling, and the measurements
// of AUTO. Waits. While the operator is made, the host holds the transposed matrix and a copy of what is sent
// to the device. For A and A^T each, the operator stores 8 bytes per nonzero and 4 per row (simple,
// local-memory, csr-vector, merge, backprojection), 12 per nonzero (coo), or 8 per entry, padding included
// (the others; sell of fewer than 65,536 columns: 6), and 4 more with KN_F64; on the host, 4 bytes and a
// number per entry. kn_sparse_estimate_memory gives the exact sum.
//
// Errors: KN_ERROR_ARGUMENT for NULL, a matrix without rows or columns, a value beyond single precision if
// floats are stored, invalid options, formats on the fly; KN_ERROR_UNSUPPORTED for KN_F64 if the device or
// the format does not support it, other types, a format that the host does not have, a level that the
// processor does not have; KN_ERROR_LIMIT for 2^32 - 1 rows, columns or nonzeros or more on a device (the
// host: 2^31 rows or columns), for more padding than a device's largest allocation holds, for rows longer
// than a device's limit on loops, and for tuning values beyond the device's limits.
KN_API kn_status kn_sparse_operator_create(kn_queue *queue, const kn_sparse *matrix,
                                           const kn_sparse_operator_options *options, kn_operator **made,
                                           kn_error *err);

// Bytes.
typedef struct kn_sparse_memory {
    size_t host, device;
} kn_sparse_memory;

// The memory that an operator with these arguments would hold; no operator is made. The figure is exact on a
// device, where for AUTO it is that of the largest candidate; on the host it omits some bytes per task of
// 16,384 numbers. Cost: a pass over the nonzeros; temporarily 8 bytes per column and 4 per row. Errors:
// KN_ERROR_ARGUMENT and KN_ERROR_UNSUPPORTED for options, as in kn_sparse_operator_create.
KN_API kn_status kn_sparse_estimate_memory(kn_queue *queue, const kn_sparse *matrix, kn_sparse_memory *memory,
                                           const kn_sparse_operator_options *options, kn_error *err);

// For an operator made by this header or koine/tomography.h; for NULL and any other operator these return
// KN_SPARSE_AUTO, "" and 0.
//
// The format of A, or with `adjoint` of A^T; never KN_SPARSE_AUTO.
KN_API kn_sparse_format kn_sparse_operator_get_format(const kn_operator *a, bool adjoint);
// Why AUTO chose it on a device: the time of each format that was measured; otherwise "". Owned by the
// operator.
KN_API const char *kn_sparse_operator_get_why(const kn_operator *a, bool adjoint);
// The SIMD code that runs on the host, "scalar", "AVX2" or "AVX-512"; "" on a device.
KN_API const char *kn_sparse_operator_get_level(const kn_operator *a);
// The fewest bytes that a product has to move: the elements of the stored matrix that are read, and both
// vectors once.
KN_API size_t kn_sparse_operator_get_bytes(const kn_operator *a, bool adjoint);
// The memory that it holds.
KN_API kn_sparse_memory kn_sparse_operator_get_memory(const kn_operator *a);

#ifdef __cplusplus
}
#endif
#endif
