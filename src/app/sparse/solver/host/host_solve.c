// SPDX-License-Identifier: Apache-2.0
#include "host_solve.h"

#include "app/sparse/product/host/host_internal.h"

static kn_status product(void *data, bool adjoint, const void *x, void *y, double *squares, kn_error *err)
{
    struct sparse_host *host = data;

    (void)err;
    *squares = ki_sparse_host_product(host, adjoint ? &host->backward : &host->forward, x, y);
    return KN_OK;
}

kn_status ki_sparse_host_solve(struct sparse_host *host, const void *b,
                               const struct host_cgnr_options *options, void *x,
                               struct host_cgnr_result *result, kn_error *err)
{
    const struct host_cgnr_operator a = {.rows = host->rows,
                                         .columns = host->columns,
                                         .vectors = &host->vectors,
                                         .row_order = host->row_order,
                                         .column_order = host->column_order,
                                         .product = product,
                                         .data = host};

    return ki_host_cgnr(&a, b, options, x, result, err);
}
