// SPDX-License-Identifier: Apache-2.0
// The parts that the host's sparse code shares: the stored lines, the inner loops for every SIMD level, and
// sums in fixed blocks.
#ifndef KN_APP_SPARSE_PRODUCT_HOST_HOST_INTERNAL_H
#define KN_APP_SPARSE_PRODUCT_HOST_HOST_INTERNAL_H

#include "host/simd/levels.h"
#include "host/vectors/host_vectors.h"
#include "host.h"

enum {
    SPARSE_LANES = HOST_VECTORS_LANES, // rows side by side in SELL
    SPARSE_TASK = 16384                // approximate number of values in a task
};

// A matrix in lines of 1 row (CSR) or SPARSE_LANES rows (SELL).
struct sparse_lines {
    size_t rows, columns, lines;
    uint64_t *starts; // lines + 1: where each line's values begin. SELL: element j of row r of a line is at
                      // SPARSE_LANES * j + r
    uint32_t *indices;
    void *values;
    size_t tasks, *cuts; // tasks + 1: the first line of each; the same for any number of threads
};

// For the rows of lines first to last - 1: y = their products with x; returns the sum of y^2.
typedef double sparse_product(const struct sparse_lines *lines, size_t first, size_t last, const void *x,
                              void *y);

struct sparse_code {
    const char *level; // "scalar", "AVX2", "AVX-512"
    sparse_product *csr, *sell;
};

HOST_DECLARE_LEVELS(const struct sparse_code, sparse);

// SELL sorts its rows and columns by length: row_order[i] is the row at position i. CSR: NULL.
struct sparse_host {
    enum sparse_host_format format;
    struct host_vectors vectors; // whose plan also serves the products
    const struct sparse_code *code;
    size_t rows, columns;
    struct sparse_lines forward, backward; // A and A^T
    uint32_t *row_order, *column_order;
    double *sums; // one for each task
    void *x, *y;  // `columns` and `rows` numbers in the host's order, padded to whole lines
};

// y = A x or A^T x in the host's order, with room for whole lines in y; returns the sum of y^2.
double ki_sparse_host_product(struct sparse_host *host, const struct sparse_lines *lines, const void *x,
                              void *y);

#endif
