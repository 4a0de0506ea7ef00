// SPDX-License-Identifier: Apache-2.0
// What the operators of koine/sparse.h and koine/tomography.h are made from, and what they hold.
#ifndef KN_APP_SPARSE_API_OPERATOR_INTERNAL_H
#define KN_APP_SPARSE_API_OPERATOR_INTERNAL_H

#include <koine/tomography.h>

#include "app/sparse/product/host/host.h"
#include "app/sparse/product/spmv.h"

// One of both; the other one is NULL.
struct sparse_source {
    const struct sparse_matrix *matrix;
    const struct sparse_parallel *geometry;
};

// The caller's options, checked, with the host's format and the type settled.
struct sparse_choice {
    kn_sparse_format format; // KN_SPARSE_AUTO only on a device
    kn_type type;
    kn_host_options host;
    struct sparse_tuning tuning;
};

// One of the three: a device's products, the host's with a stored matrix, or the host's on the fly.
struct sparse_applied {
    struct sparse_operator *device;
    struct sparse_host *host;
    struct sparse_parallel geometry; // its own
    struct sparse_view *views;       // of the geometry, on the fly
    kn_sparse_format format;         // the host's
    size_t bytes[2];                 // the host's: of A and of A^T
    unsigned threads;                // on the fly
};

// What koine/sparse.h says of options; `queue` NULL: of the host's.
kn_status ki_sparse_choose(const char *function, const kn_queue *queue, const struct sparse_source *source,
                           const kn_sparse_operator_options *given, struct sparse_choice *choice,
                           kn_error *err);

// The geometry with angles of its own, to be freed by ki_sparse_parallel_free. KN_ERROR_MEMORY.
kn_status ki_sparse_parallel_copy(const struct sparse_parallel *given, struct sparse_parallel *out,
                                  kn_error *err);

// The same of what a caller gave, checked. KN_ERROR_ARGUMENT.
kn_status ki_sparse_read_geometry(const char *function, const kn_tomography_geometry *given,
                                  struct sparse_parallel *out, kn_error *err);

// `function` is that of the caller.
kn_status ki_sparse_make_operator(const char *function, kn_queue *queue, const struct sparse_source *source,
                                  const kn_sparse_operator_options *options, kn_operator **made,
                                  kn_error *err);

// What an operator of these options will hold, without making it.
kn_status ki_sparse_estimate_operator(const char *function, kn_queue *queue,
                                      const struct sparse_source *source,
                                      const kn_sparse_operator_options *options, kn_sparse_memory *memory,
                                      kn_error *err);

#endif
