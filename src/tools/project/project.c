// SPDX-License-Identifier: Apache-2.0
#include "project.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

static kn_status narrow(const double *from, size_t count, float *to, kn_error *err)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = (float)from[i];
        if (!isfinite(to[i]))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "element %zu is %g, which single precision has not; use --device host", i,
                           from[i]);
    }
    return KN_OK;
}

static kn_status apply(kn_queue *queue, const kn_operator *a, bool adjoint, const float *from, float *to,
                       kn_error *err)
{
    kn_context *context = kn_queue_get_context(queue);
    size_t rows = kn_operator_get_rows(a), columns = kn_operator_get_columns(a);
    size_t given = (adjoint ? rows : columns) * sizeof *from, made = (adjoint ? columns : rows) * sizeof *to;
    kn_buffer *x = NULL, *y = NULL;
    kn_status status = kn_buffer_create(context, given, &x, err);

    if (!status)
        status = kn_buffer_create(context, made, &y, err);
    if (!status)
        status = kn_buffer_write(queue, x, 0, from, given, err);
    if (!status)
        status = kn_operator_apply(queue, a, adjoint, x, y, err);
    if (!status)
        status = kn_buffer_read(queue, y, 0, to, made, err);
    kn_buffer_free(x);
    kn_buffer_free(y);
    return status;
}

static kn_status apply_on_device(kn_queue *queue, struct projection *projection, const double *from,
                                 double *to, kn_error *err)
{
    const kn_sparse_operator_options options =
        KN_INIT(kn_sparse_operator_options, .format = projection->format);
    const kn_tomography_geometry *geometry = &projection->geometry;
    size_t rays = geometry->angles * geometry->detectors, pixels = geometry->size * geometry->size;
    size_t rows = projection->adjoint ? pixels : rays, columns = projection->adjoint ? rays : pixels;
    kn_operator *a = NULL;
    float *singles = malloc((rows + columns) * sizeof *singles);
    kn_status status = singles ? narrow(from, columns, singles, err)
                               : ki_fail_memory(err, (rows + columns) * sizeof *singles, "a projection");

    if (!status)
        status = kn_tomography_operator_create(queue, geometry, &options, &a, err);
    if (!status)
        status = apply(queue, a, projection->adjoint, singles, singles + columns, err);
    if (!status) {
        projection->format = kn_sparse_operator_get_format(a, projection->adjoint);
        ki_text_add(&projection->why, kn_sparse_operator_get_why(a, projection->adjoint));
    }
    for (size_t i = 0; i < rows && !status; i++)
        to[i] = (double)singles[columns + i];
    kn_operator_free(a);
    free(singles);
    return status;
}

kn_status project_apply(kn_queue *queue, struct projection *projection, const double *from, double *to,
                        kn_error *err)
{
    kn_status status;

    if (queue) {
        status = apply_on_device(queue, projection, from, to, err);
    } else {
        projection->format = KN_SPARSE_ON_THE_FLY;
        status = kn_tomography_project(NULL, &projection->geometry, projection->adjoint, from, to,
                                       projection->format, err);
    }
    return ki_error_unname(status, err);
}
