// SPDX-License-Identifier: Apache-2.0
// What the host's sparse code shares: the stored lines, the inner loops of every level, and sums in fixed
// blocks.
#ifndef KN_APP_SPARSE_PRODUCT_HOST_HOST_INTERNAL_H
#define KN_APP_SPARSE_PRODUCT_HOST_HOST_INTERNAL_H

#include "host/simd/levels.h"
#include "host/vectors/host_vectors.h"
#include "host.h"

enum {
    SPARSE_LANES = HOST_VECTORS_LANES, // rows side by side in SELL
    SPARSE_TASK = 16384                // values of a task, about
};

// A matrix by lines of 1 row (CSR) or SPARSE_LANES (SELL).
struct sparse_lines {
    size_t rows, columns, lines;
    uint64_t *starts; // lines + 1: of a line's values. SELL: element j of row r of a line is at SPARSE_LANES
                      // * j + r
    uint32_t *indices;
    void *values;
    size_t tasks, *cuts; // tasks + 1: the first line of each; fixed, so that sums do not depend on threads
};

// The rows of lines first to last - 1: y = their products with x; returns the sum of y^2.
typedef double sparse_product(const struct sparse_lines *lines, size_t first, size_t last, const void *x,
                              void *y);

struct sparse_code {
    const char *level; // "scalar", "AVX2", "AVX-512"
    sparse_product *csr, *sell;
};

HOST_DECLARE_LEVELS(const struct sparse_code, sparse);

// SELL's rows and columns stand in the order of their lengths: row_order[i] is the row that is i-th there.
// CSR: NULL.
struct sparse_host {
    enum sparse_host_format format;
    struct host_vectors vectors; // whose plan is that of the products, too
    const struct sparse_code *code;
    size_t rows, columns;
    struct sparse_lines forward, backward; // A and A^T
    uint32_t *row_order, *column_order;
    double *sums; // a task's
    void *x, *y;  // `columns` and `rows` numbers in this order, up to whole lines
};

// y = A x or A^T x in the host's own order, with room for whole lines in y; returns the sum of y^2.
double ki_sparse_host_product(struct sparse_host *host, const struct sparse_lines *lines, const void *x,
                              void *y);

#endif
