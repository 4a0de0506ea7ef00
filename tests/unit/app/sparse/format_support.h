// SPDX-License-Identifier: Apache-2.0
// The kernels that each format of a sparse matrix runs.
#ifndef KN_TESTS_APP_SPARSE_FORMAT_SUPPORT_H
#define KN_TESTS_APP_SPARSE_FORMAT_SUPPORT_H

#include <koine/sparse.h>

enum { FORMATS = KN_SPARSE_MERGE + 1 };

// The launches of each format, in order; empty for formats without a stored matrix, and for the automatic
// choice.
static const char *const format_kernels[FORMATS][3] = {
    [KN_SPARSE_SIMPLE] = {"spmv_simple"},
    [KN_SPARSE_MEMORY_LAYOUT] = {"spmv_layout"},
    [KN_SPARSE_LOCAL_MEMORY] = {"spmv_local"},
    [KN_SPARSE_MEMORY_LAYOUT_LOCAL] = {"spmv_layout_local"},
    [KN_SPARSE_BACKPROJECTION] = {"spmv_scatter"},
    [KN_SPARSE_ELL] = {"spmv_ell"},
    [KN_SPARSE_CSR_VECTOR] = {"spmv_vector"},
    [KN_SPARSE_COO] = {"spmv_coo", "spmv_carry"},
    [KN_SPARSE_HYB] = {"spmv_ell", "spmv_coo", "spmv_carry"},
    [KN_SPARSE_SELL] = {"spmv_sell"},
    [KN_SPARSE_MERGE] = {"spmv_merge", "spmv_carry"},
};

#endif
