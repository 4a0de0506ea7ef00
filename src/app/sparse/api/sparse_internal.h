// SPDX-License-Identifier: Apache-2.0
// The contents of a kn_sparse (koine/sparse.h).
#ifndef KN_APP_SPARSE_API_SPARSE_INTERNAL_H
#define KN_APP_SPARSE_API_SPARSE_INTERNAL_H

#include <koine/sparse.h>

#include "app/sparse/matrix.h"

struct kn_sparse {
    struct sparse_matrix matrix;
};

// Wraps a matrix and takes ownership of it: it is freed on failure.
kn_status ki_sparse_wrap(struct sparse_matrix *matrix, kn_sparse **made, kn_error *err);

#endif
