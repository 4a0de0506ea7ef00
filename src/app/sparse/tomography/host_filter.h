// SPDX-License-Identifier: Apache-2.0
// What filtered back-projection on the host is prepared with, whatever the beam: the transform of a row, the
// factors of the filter, the weights of the projections, and the memory of the transforms.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_HOST_FILTER_H
#define KN_APP_SPARSE_TOMOGRAPHY_HOST_FILTER_H

#include "filter.h"
#include "host/fft/host_fft_lines.h"

struct sparse_host_filter {
    kn_type type; // KN_F32 or KN_F64
    kn_host_level level;
    unsigned threads;
    struct sparse_view *views; // of the projections
    double *weights;           // of the projections
    double *factors;           // of half a spectrum, for transforms that are unscaled
    struct host_fft_line line; // the transform
    void *room;                // its workspace for all threads
};

// `options` may be NULL. On failure it has to be freed, too. Errors: those of ki_host_plan and of
// ki_sparse_filter_weights; KN_ERROR_MEMORY.
kn_status ki_sparse_host_filter_prepare(const struct sparse_parallel *geometry, kn_tomography_filter filter,
                                        kn_type type, const kn_host_options *options,
                                        struct sparse_host_filter *host, kn_error *err);
void ki_sparse_host_filter_free(struct sparse_host_filter *host); // not the struct
// The bytes that it holds, with all threads.
size_t ki_sparse_host_filter_memory(const struct sparse_parallel *geometry, kn_type type);

#endif
