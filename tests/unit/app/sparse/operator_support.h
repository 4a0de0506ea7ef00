// SPDX-License-Identifier: Apache-2.0
// Products of a sparse operator on a device, for tests.
#ifndef KN_TESTS_UNIT_APP_SPARSE_OPERATOR_SUPPORT_H
#define KN_TESTS_UNIT_APP_SPARSE_OPERATOR_SUPPORT_H

#include "sparse_support.h"

#include "app/sparse/product/spmv.h"

enum { TEST_ROOM = 64 };

// A x, or A^T x with `transposed`, with `rows` numbers; nothing after them may be written. The caller frees
// the result.
static inline float *test_apply(const struct sparse_operator *a, bool transposed, const float *x,
                                size_t columns, size_t rows)
{
    char *poison = malloc(rows * sizeof(float) + 1);
    float *y = malloc(rows * sizeof *y + 1);
    kn_buffer *from = test_upload_with_room(x, columns * sizeof *x, 0), *to;

    ck_assert(y && poison);
    memset(poison, 0xff, rows * sizeof(float)); // not-a-number
    to = test_upload_with_room(poison, rows * sizeof *y, TEST_ROOM);
    EXPECT_OK(ki_sparse_operator_apply(queue, a, transposed, from, to, &err));
    EXPECT_OK(kn_buffer_read(queue, to, 0, y, rows * sizeof *y, &err));
    test_expect_poison(to, rows * sizeof *y);
    kn_buffer_free(from);
    kn_buffer_free(to);
    free(poison);
    return y;
}

#endif
