// SPDX-License-Identifier: Apache-2.0
// Sparse matrices and their products.
#ifndef KOINE_SPARSE_H
#define KOINE_SPARSE_H

#ifdef __cplusplus
extern "C" {
#endif

// How a matrix is kept, and multiplied. Devices keep floats and add in a fixed order: repeated, products have
// the same bits, but for those of KN_SPARSE_BACKPROJECTION.
typedef enum kn_sparse_format {
    KN_SPARSE_AUTO = 0,   // of those below the fastest, measured once on a device; remembered in the cache
    KN_SPARSE_SIMPLE = 1, // rows (CSR), a work-item each
    KN_SPARSE_MEMORY_LAYOUT = 2,       // neighbouring rows' nonzeros side by side, a work-item a row
    KN_SPARSE_LOCAL_MEMORY = 3,        // rows, and the vector in local memory, a chunk at a time
    KN_SPARSE_MEMORY_LAYOUT_LOCAL = 4, // both
    KN_SPARSE_ON_THE_FLY = 5,          // rows computed from a geometry: not from a matrix
    KN_SPARSE_ON_THE_FLY_LOCAL = 6,    // the same, and the vector in local memory
    KN_SPARSE_BACKPROJECTION =
        7,                    // a work-item scatters a column, by atomic additions: its bits are not repeated
    KN_SPARSE_ELL = 8,        // as memory-layout, every row as long as the longest
    KN_SPARSE_CSR_VECTOR = 9, // rows, up to 32 work-items each
    KN_SPARSE_COO = 10,       // nonzeros with their rows, in segments of equal size
    KN_SPARSE_HYB = 11,       // ELL for what a third of the rows have, COO for the rest
    KN_SPARSE_SELL = 12, // ELL in slices of rows of like length, of 32 rows on a device, whose columns have
                         // 16 bits where they suffice
    KN_SPARSE_MERGE = 13 // rows in segments of equal work, whatever their lengths
} kn_sparse_format;

#ifdef __cplusplus
}
#endif
#endif
