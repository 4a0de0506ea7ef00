// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients (src/operator/cgnr/host_cgnr.h) with the host's products of a sparse matrix, in their
// own order of rows and columns.
#ifndef KN_APP_SPARSE_SOLVER_HOST_HOST_SOLVE_H
#define KN_APP_SPARSE_SOLVER_HOST_HOST_SOLVE_H

#include "app/sparse/product/host/host.h"
#include "operator/cgnr/host_cgnr.h"

// ki_host_cgnr of that matrix, in the host's type.
kn_status ki_sparse_host_solve(struct sparse_host *host, const void *b,
                               const struct host_cgnr_options *options, void *x,
                               struct host_cgnr_result *result, kn_error *err);

#endif
