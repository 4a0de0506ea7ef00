// SPDX-License-Identifier: Apache-2.0
// Sparse products by the host's own code: A x and A^T y, both stored by rows, with vectors and threads.
#ifndef KN_APP_SPARSE_PRODUCT_HOST_HOST_H
#define KN_APP_SPARSE_PRODUCT_HOST_HOST_H

#include <stdbool.h>

#include <koine/host.h>

#include "app/sparse/matrix.h"

enum sparse_host_format {
    SPARSE_HOST_CSR, // a row's nonzeros one after the other
    // SELL-C-sigma (Kreutzer, Hager, Wellein, Fehske and Bishop 2014): 16 rows side by side, filled up to the
    // longest of them; sigma: all rows are sorted by length, so that next to nothing is filled up
    SPARSE_HOST_SELL
};

struct sparse_host;

// Prepares a matrix and its transposed one in `type`, KN_F32 or KN_F64, for the processor's level and the
// threads of `options` (NULL: the best, all). KN_ERROR_ARGUMENT: another type; KN_ERROR_UNSUPPORTED: a level
// that this processor has not; KN_ERROR_MEMORY. Memory: two of (4 + bytes of the type) a nonzero, and three
// times 12 for a while.
kn_status ki_sparse_host_create(const struct sparse_matrix *matrix, kn_type type,
                                enum sparse_host_format format, const kn_host_options *options,
                                struct sparse_host **host, kn_error *err);

// y = A x, or x = A^T y with `transposed`, in the type. A line's sum is in one order: the bits are the same
// in every run and with any number of threads; levels and formats differ in rounding. One pass over the
// nonzeros. Not by two threads at once for one `host`, which has room for the numbers in its own order.
void ki_sparse_host_multiply(struct sparse_host *host, bool transposed, const void *from, void *to);

// "scalar", "AVX2" or "AVX-512": the code that runs.
const char *ki_sparse_host_level(const struct sparse_host *host);

// Values stored for one of the two, those that fill up counted.
size_t ki_sparse_host_stored(const struct sparse_host *host, bool transposed);

// Bytes that it holds; and those that one will hold of a matrix and its transpose, of which only sizes and
// starts are looked at: at least as many, by next to nothing more. KN_ERROR_MEMORY.
size_t ki_sparse_host_memory(const struct sparse_host *host);
kn_status ki_sparse_host_estimate(const struct sparse_matrix *matrix, const struct sparse_matrix *transposed,
                                  kn_type type, enum sparse_host_format format, size_t *bytes, kn_error *err);

void ki_sparse_host_free(struct sparse_host *host);

#endif
