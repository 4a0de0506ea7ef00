// SPDX-License-Identifier: Apache-2.0
// What a kn_sparse (koine/sparse.h) is.
#ifndef KN_APP_SPARSE_API_SPARSE_INTERNAL_H
#define KN_APP_SPARSE_API_SPARSE_INTERNAL_H

#include <koine/sparse.h>

#include "app/sparse/matrix.h"

struct kn_sparse {
    struct sparse_matrix matrix;
};

// Around a matrix, which it takes over: on failure it is freed.
kn_status ki_sparse_wrap(struct sparse_matrix *matrix, kn_sparse **made, kn_error *err);

#endif
