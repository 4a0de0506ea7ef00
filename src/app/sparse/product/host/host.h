// SPDX-License-Identifier: Apache-2.0
// Sparse products by the host's own code: A x and A^T y, both matrices stored by rows, with SIMD and threads.
#ifndef KN_APP_SPARSE_PRODUCT_HOST_HOST_H
#define KN_APP_SPARSE_PRODUCT_HOST_HOST_H

#include <stdbool.h>

#include <koine/host.h>

#include "app/sparse/matrix.h"

enum sparse_host_format {
    SPARSE_HOST_CSR, // the nonzeros of a row one after another
    // SELL-C-sigma (Kreutzer, Hager, Wellein, Fehske and Bishop 2014): 16 rows side by side, padded to the
    // longest of them; sigma: all rows are sorted by length, so that there is hardly any padding
    SPARSE_HOST_SELL
};

struct sparse_host;

// Prepares a matrix and its transpose in `type`, KN_F32 or KN_F64, for the SIMD level and the threads of
// `options` (NULL: the best level, all threads). KN_ERROR_ARGUMENT: another type; KN_ERROR_UNSUPPORTED: a
// level that this processor does not have; KN_ERROR_MEMORY. Memory: twice (4 + bytes of the type) per
// nonzero, and temporarily three times 12.
kn_status ki_sparse_host_create(const struct sparse_matrix *matrix, kn_type type,
                                enum sparse_host_format format, const kn_host_options *options,
                                struct sparse_host **host, kn_error *err);

// y = A x, or x = A^T y with `transposed`, in the type. The sum of a line has a fixed order: the bits are the
// same in every run and with any number of threads; levels and formats differ in rounding. Cost: one pass
// over the nonzeros. Not by two threads at once for one `host`, which has one workspace.
void ki_sparse_host_multiply(struct sparse_host *host, bool transposed, const void *from, void *to);

// "scalar", "AVX2" or "AVX-512": the SIMD level of the code that runs.
const char *ki_sparse_host_level(const struct sparse_host *host);

// The number of values stored for A or A^T, including padding.
size_t ki_sparse_host_stored(const struct sparse_host *host, bool transposed);

// The bytes that a `host` holds; and an upper bound, hardly above that, for a matrix and its transpose, of
// which only sizes and starts are read. KN_ERROR_MEMORY.
size_t ki_sparse_host_memory(const struct sparse_host *host);
kn_status ki_sparse_host_estimate(const struct sparse_matrix *matrix, const struct sparse_matrix *transposed,
                                  kn_type type, enum sparse_host_format format, size_t *bytes, kn_error *err);

void ki_sparse_host_free(struct sparse_host *host);

#endif
