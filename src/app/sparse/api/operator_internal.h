// SPDX-License-Identifier: Apache-2.0
// The sources and the contents of the operators of koine/sparse.h and koine/tomography.h.
#ifndef KN_APP_SPARSE_API_OPERATOR_INTERNAL_H
#define KN_APP_SPARSE_API_OPERATOR_INTERNAL_H

#include <koine/tomography.h>

#include "app/sparse/product/host/host.h"
#include "app/sparse/product/spmv.h"

// A matrix or a geometry; the other one is NULL.
struct sparse_source {
    const struct sparse_matrix *matrix;
    const struct sparse_parallel *geometry;
};

// The caller's options, checked, with the host's format and the type filled in.
struct sparse_choice {
    kn_sparse_format format; // KN_SPARSE_AUTO only on a device
    kn_type type;
    kn_host_options host;
    struct sparse_tuning tuning;
};

// One of three: a device's products, the host's with a stored matrix, or the host's on the fly.
struct sparse_applied {
    struct sparse_operator *device;
    struct sparse_host *host;
    struct sparse_parallel geometry; // its own copy
    struct sparse_view *views;       // of the geometry, if the host computes on the fly
    kn_sparse_format format;         // on the host
    size_t bytes[2];                 // on the host: of A and of A^T
    unsigned threads;                // if the host computes on the fly
};

// Checks the options as koine/sparse.h describes them; `queue` NULL: for the host.
kn_status ki_sparse_choose(const char *function, const kn_queue *queue, const struct sparse_source *source,
                           const kn_sparse_operator_options *given, struct sparse_choice *choice,
                           kn_error *err);

// Copies the geometry with its angles; free it with ki_sparse_parallel_free. KN_ERROR_MEMORY.
kn_status ki_sparse_parallel_copy(const struct sparse_parallel *given, struct sparse_parallel *out,
                                  kn_error *err);

// The same for a geometry from the caller, which it checks. KN_ERROR_ARGUMENT; KN_ERROR_UNSUPPORTED for a
// cone, which has no projector.
kn_status ki_sparse_read_geometry(const char *function, const kn_tomography_geometry *given,
                                  struct sparse_parallel *out, kn_error *err);
// The same of all beams.
kn_status ki_sparse_read_beam(const char *function, const kn_tomography_geometry *given,
                              struct sparse_parallel *out, kn_error *err);

// `function` is the name of the caller's function, for messages.
kn_status ki_sparse_make_operator(const char *function, kn_queue *queue, const struct sparse_source *source,
                                  const kn_sparse_operator_options *options, kn_operator **made,
                                  kn_error *err);

// The memory that an operator with these options will hold, without creating it.
kn_status ki_sparse_estimate_operator(const char *function, kn_queue *queue,
                                      const struct sparse_source *source,
                                      const kn_sparse_operator_options *options, kn_sparse_memory *memory,
                                      kn_error *err);

#endif
