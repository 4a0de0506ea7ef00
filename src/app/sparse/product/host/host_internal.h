// SPDX-License-Identifier: Apache-2.0
// What the host's sparse code shares: the stored lines, the inner loops of every level, and sums in fixed
// blocks.
#ifndef KN_APP_SPARSE_PRODUCT_HOST_HOST_INTERNAL_H
#define KN_APP_SPARSE_PRODUCT_HOST_HOST_INTERNAL_H

#include <stdlib.h>

#include "host/simd/levels.h"
#include "host.h"

enum {
    SPARSE_LANES = 16,   // rows side by side in SELL
    SPARSE_TASK = 16384, // values of a task, about
    SPARSE_BLOCK = 4096  // elements of a block of a vector
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
    // y += factor x; returns the sum of y^2.
    double (*add)(void *y, const void *x, double factor, size_t count);
    // y = x + factor y.
    void (*turn)(void *y, const void *x, double factor, size_t count);
    double (*dot)(const void *x, const void *y, size_t count);
};

HOST_DECLARE_LEVELS(const struct sparse_code, sparse);

// SELL's rows and columns stand in the order of their lengths: row_order[i] is the row that is i-th there.
// CSR: NULL.
struct sparse_host {
    enum sparse_host_format format;
    struct host_plan plan;
    const struct sparse_code *code;
    size_t rows, columns;
    struct sparse_lines forward, backward; // A and A^T
    uint32_t *row_order, *column_order;
    double *sums; // a task's or block's, of the longest there are
    void *x, *y;  // `columns` and `rows` numbers in this order, up to whole lines
};

// y = A x or A^T x in the host's own order, with room for whole lines in y; returns the sum of y^2.
double ki_sparse_host_product(struct sparse_host *host, const struct sparse_lines *lines, const void *x,
                              void *y);

// The vectors' operations of struct sparse_code, in blocks.
double ki_sparse_host_add(struct sparse_host *host, void *y, const void *x, double factor, size_t count);
void ki_sparse_host_turn(struct sparse_host *host, void *y, const void *x, double factor, size_t count);
double ki_sparse_host_dot(struct sparse_host *host, const void *x, const void *y, size_t count);

// Numbers in the order that files have, into the host's own, and back. `order` NULL: copied.
void ki_sparse_host_arrange(const struct sparse_host *host, const uint32_t *order, const void *from, void *to,
                            size_t count);
void ki_sparse_host_restore(const struct sparse_host *host, const uint32_t *order, const void *from, void *to,
                            size_t count);

// Memory that vectors' loads do not split over two of the cache's lines.
static inline void *sparse_host_memory(size_t bytes)
{
    return aligned_alloc(64, (bytes / 64 + 1) * 64);
}

// Bytes of `count` numbers, up to whole lines.
static inline size_t sparse_host_bytes(const struct sparse_host *host, size_t count)
{
    return (count / SPARSE_LANES + 1) * SPARSE_LANES * host->plan.size;
}

#endif
