// SPDX-License-Identifier: Apache-2.0
// Sparse matrices, and their products A x and A^T y as linear operators (koine/operator.h), on the host or on
// a device: what `koine spmv` multiplies and `koine solve` solves with.
//
// A matrix of `rows` x `columns` is kept by rows (CSR), in double precision: the nonzeros of row i are
// elements starts[i] to starts[i + 1] - 1 of `indices`, their columns, and of `values`. Columns ascend in a
// row, each at most once. Rows and columns count from 0. An explicit zero is a nonzero like others.
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

// It does not change: several threads may use it at the same time.
typedef struct kn_sparse kn_sparse;

// A copy of a matrix by rows: rows + 1 `starts`, and `nonzeros` indices and values; `values` NULL: every one
// is 1. Takes 12 bytes a nonzero and 8 a row; reads each of them twice. Errors: KN_ERROR_ARGUMENT for arrays
// that are not as described above (the message names the row), for values that are not finite, for more than
// 2^32 - 1 rows or columns, and for more than 2^24 rows or columns with fewer than one nonzero for 64 of
// them, which is more likely a damaged size than a matrix.
KN_API kn_status kn_sparse_create_csr(size_t rows, size_t columns, size_t nonzeros, const uint64_t *starts,
                                      const uint32_t *indices, const double *values, kn_sparse **made,
                                      kn_error *err);

// A matrix of `count` entries in any order: entry k is at row i[k], column j[k]; those of one place are
// added, in their order. `values` NULL: every one is 1. Takes 12 bytes an entry and 8 a row, and, unless
// entries come by rows and columns, for a while as much again with 8 bytes a column. Cost: one or two
// counting sorts. Errors: as above; KN_ERROR_ARGUMENT for an entry outside of the matrix, which is named, and
// for sums that are not finite.
KN_API kn_status kn_sparse_create_coo(size_t rows, size_t columns, size_t count, const uint32_t *i,
                                      const uint32_t *j, const double *values, kn_sparse **made,
                                      kn_error *err);

// The transposed matrix, in memory of its own. Cost: two passes over the nonzeros.
KN_API kn_status kn_sparse_create_transposed(const kn_sparse *matrix, kn_sparse **made, kn_error *err);

// NULL is fine. Operators made from the matrix do not need it.
KN_API void kn_sparse_free(kn_sparse *matrix);

// Of NULL: 0, and NULL. The arrays are the matrix's own, and there as long as it is.
KN_API size_t kn_sparse_get_rows(const kn_sparse *matrix);
KN_API size_t kn_sparse_get_columns(const kn_sparse *matrix);
KN_API size_t kn_sparse_get_nonzeros(const kn_sparse *matrix);
KN_API const uint64_t *kn_sparse_get_starts(const kn_sparse *matrix);
KN_API const uint32_t *kn_sparse_get_indices(const kn_sparse *matrix);
KN_API const double *kn_sparse_get_values(const kn_sparse *matrix);

// ---- formats ----

// How a matrix is kept, and multiplied. The format that is named runs or is refused, and no other takes its
// place. All add in a fixed order, so that repeated products have the same bits, but for those of
// KN_SPARSE_BACKPROJECTION. Simple, memory-layout, local-memory, on-the-fly and backprojection are those of
// Stock and Koch (A Fast GPU Implementation for Solving Sparse Ill-Posed Linear Equation Systems); ELL,
// csr-vector, COO and HYB Bell's and Garland's (2009), SELL Kreutzer's and others' (2014), merge Merrill's
// and Garland's (2016). The host has AUTO, SIMPLE, SELL, and for geometries ON_THE_FLY.
typedef enum kn_sparse_format {
    // On a device the fastest for this matrix, for A and A^T each, of those below that can be fast: measured
    // once, which takes some hundreds of products, and remembered in the cache on disk; of a geometry the
    // faster one of those on the fly. On the host SELL, and of a geometry ON_THE_FLY, but SELL for KN_F32.
    KN_SPARSE_AUTO = 0,
    KN_SPARSE_SIMPLE = 1,              // rows (CSR), a work-item each
    KN_SPARSE_MEMORY_LAYOUT = 2,       // neighbouring rows' nonzeros side by side, a work-item a row
    KN_SPARSE_LOCAL_MEMORY = 3,        // rows, and the vector in local memory, a chunk at a time
    KN_SPARSE_MEMORY_LAYOUT_LOCAL = 4, // both
    KN_SPARSE_ON_THE_FLY = 5,          // computed from a geometry (koine/tomography.h): not from a matrix
    KN_SPARSE_ON_THE_FLY_LOCAL = 6,    // the same, and the vector in local memory
    KN_SPARSE_BACKPROJECTION = 7,      // a work-item scatters a column, by atomic additions
    KN_SPARSE_ELL = 8,                 // as memory-layout, every row as long as the longest
    KN_SPARSE_CSR_VECTOR = 9,          // rows, up to 32 work-items each
    KN_SPARSE_COO = 10,                // nonzeros with their rows, in segments of equal size
    KN_SPARSE_HYB = 11,                // ELL for what a third of the rows have, COO for the rest
    // ELL in slices of rows of like length: on a device of 32, with columns in 16 bits where they
    // suffice; on the host of 16, with vectors
    KN_SPARSE_SELL = 12,
    KN_SPARSE_MERGE = 13 // rows in segments of equal work, whatever their lengths
} kn_sparse_format;

// "auto", "simple", "memory-layout", "local-memory", "memory-layout+local-memory", "on-the-fly",
// "on-the-fly+local-memory", "backprojection", "ell", "csr-vector", "coo", "hyb", "sell", "merge"; NULL for a
// number that is none.
KN_API const char *kn_sparse_format_name(kn_sparse_format format);

// ---- operators ----

typedef struct kn_sparse_operator_options {
    size_t struct_size; // KN_INIT sets it
    kn_sparse_format format;
    // Of the vectors, and of the sums: KN_F32, which devices take where this is 0, or KN_F64, which the host
    // takes then. Devices with double precision have KN_F64 in all formats but backprojection and those on
    // the fly; the matrix of a geometry is then kept.
    kn_type type;
    // The host's; on a device they must be 0.
    unsigned threads;    // 0: as many as OMP_NUM_THREADS says, else as there are processors
    kn_host_level level; // on the fly there is but KN_HOST_SCALAR
    // How a device's kernels are cut, 0: what is best known; on the host they must be 0.
    unsigned group; // work-items: a power of two from 32 on
    unsigned lanes; // work-items a row of csr-vector or a column of backprojection, views a group of
                    // on-the-fly: a power of two, at most `group`, or 32 where that is 0
    unsigned items; // nonzeros or steps a work-item of coo, hyb and merge; pixels of on-the-fly's transpose:
                    // at most 64
    unsigned chunk; // numbers of x in local memory
} kn_sparse_operator_options;

// A matrix as an operator, to be freed by kn_operator_free: with buffers in the context of `queue`,
// which need not stay open, or, where that is NULL, in the host's memory. The adjoint is the exact transpose,
// kept in the same format. `options` may be NULL. An operator is applied by one thread, and in one queue, at
// a time; two operators may be applied by two threads.
//
// An element of a product is a sum in the type of the vectors, off by at most (terms + 3) roundings of the
// sum of its terms' moduli. Applying the operator enqueues 1 to 3 launches, and for coo and backprojection a
// fill before them. Cost: a pass over the matrix as it is kept, kn_sparse_operator_get_bytes; making it some
// passes over the matrix, its transposing, compiling, and what AUTO measures. Waits. While the operator is
// made, the host holds the transposed matrix and a copy of what a device is given. For A and A^T each, the
// operator keeps 8 bytes a nonzero and 4 a row (simple, local-memory, csr-vector, merge, backprojection), 12
// a nonzero (coo), or 8 a place, those that fill rows up included (the others; sell of fewer than 65,536
// columns: 6), in KN_F64 4 more; on the host 4 bytes and a number a place. kn_sparse_estimate_memory has the
// exact sum.
//
// Errors: KN_ERROR_ARGUMENT for NULL, a matrix without rows or columns, a value beyond single precision where
// floats are kept, options that cannot be, formats on the fly; KN_ERROR_UNSUPPORTED for KN_F64 where
// the device or the format has none, other types, a format that the host has not, a level that the processor
// has not; KN_ERROR_LIMIT for 2^32 - 1 rows, columns or nonzeros or more on a device (the host: 2^31 rows or
// columns), for more padding than a device's largest allocation holds, for rows longer than its loops, and
// for tuning beyond it.
KN_API kn_status kn_sparse_operator_create(kn_queue *queue, const kn_sparse *matrix,
                                           const kn_sparse_operator_options *options, kn_operator **made,
                                           kn_error *err);

// Bytes.
typedef struct kn_sparse_memory {
    size_t host, device;
} kn_sparse_memory;

// The memory that an operator of these arguments will hold once it is made; nothing is made. The figure is
// exact on a device, where for AUTO it is that of the largest candidate; on the host it leaves out some
// bytes a task of 16,384 numbers. Cost: a pass
// over the nonzeros; 8 bytes a column and 4 a row for a while. Errors: KN_ERROR_ARGUMENT and
// KN_ERROR_UNSUPPORTED as kn_sparse_operator_create has them for options.
KN_API kn_status kn_sparse_estimate_memory(kn_queue *queue, const kn_sparse *matrix, kn_sparse_memory *memory,
                                           const kn_sparse_operator_options *options, kn_error *err);

// Of an operator of this header or of koine/tomography.h; of NULL and of operators of any other kind these
// are KN_SPARSE_AUTO, "" and 0.
//
// The format of A, or with `adjoint` of A^T; never KN_SPARSE_AUTO.
KN_API kn_sparse_format kn_sparse_operator_get_format(const kn_operator *a, bool adjoint);
// Why AUTO took it on a device: what each format took when it was measured; else "". The operator's own.
KN_API const char *kn_sparse_operator_get_why(const kn_operator *a, bool adjoint);
// The host's code that runs, "scalar", "AVX2" or "AVX-512"; on a device "".
KN_API const char *kn_sparse_operator_get_level(const kn_operator *a);
// Bytes that a product has to move at least: of the matrix as it is kept the elements that are read, and both
// vectors once.
KN_API size_t kn_sparse_operator_get_bytes(const kn_operator *a, bool adjoint);
// What it holds.
KN_API kn_sparse_memory kn_sparse_operator_get_memory(const kn_operator *a);

#ifdef __cplusplus
}
#endif
#endif
