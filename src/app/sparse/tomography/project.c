// SPDX-License-Identifier: Apache-2.0
#include "sinogram.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

static kn_status narrow(const double *from, size_t count, float *to, kn_error *err)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = (float)from[i];
        if (!isfinite(to[i]))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "element %zu is %g, which single precision has not; give no queue", i, from[i]);
    }
    return KN_OK;
}

static kn_status apply(kn_queue *queue, const struct sparse_operator *a, bool transposed, float *from,
                       size_t columns, float *to, size_t rows, kn_error *err)
{
    kn_context *context = kn_queue_get_context(queue);
    kn_buffer *x = NULL, *y = NULL;
    kn_status status = kn_buffer_create(context, columns * sizeof *from, &x, err);

    if (!status)
        status = kn_buffer_create(context, rows * sizeof *to, &y, err);
    if (!status)
        status = kn_buffer_write(queue, x, 0, from, columns * sizeof *from, err);
    if (!status)
        status = ki_sparse_operator_apply(queue, a, transposed, x, y, err);
    if (!status)
        status = kn_buffer_read(queue, y, 0, to, rows * sizeof *to, err);
    kn_buffer_free(x);
    kn_buffer_free(y);
    return status;
}

kn_status ki_sparse_project(kn_queue *queue, const struct sparse_parallel *geometry, bool transposed,
                            kn_sparse_format format, const double *from, double *to, kn_error *err)
{
    size_t rays = ki_sparse_parallel_rows(geometry), pixels = ki_sparse_parallel_columns(geometry);
    size_t rows = transposed ? pixels : rays, columns = transposed ? rays : pixels;
    struct sparse_operator *a = NULL;
    float *singles;
    kn_status status;

    if (!queue)
        return ki_sparse_parallel_multiply(geometry, transposed, from, to, 0, err);
    singles = malloc((rows + columns) * sizeof *singles);
    status = singles ? narrow(from, columns, singles, err)
                     : ki_fail_memory(err, (rows + columns) * sizeof *singles, "a projection");
    if (!status)
        status = ki_sparse_operator_create_parallel(queue, geometry, format, NULL, &a, err);
    if (!status)
        status = apply(queue, a, transposed, singles, columns, singles + columns, rows, err);
    for (size_t i = 0; i < rows && !status; i++)
        to[i] = (double)singles[columns + i];
    ki_sparse_operator_free(a);
    free(singles);
    return status;
}
