// SPDX-License-Identifier: Apache-2.0
#include "fbp_fan.h"

#include <math.h>

#include "fan.h"

void ki_sparse_fan_cosines(const struct sparse_parallel *geometry, double *cosines)
{
    for (size_t k = 0; k < geometry->detectors; k++)
        cosines[k] = cos(ki_sparse_fan_angle(geometry, k));
}

void ki_sparse_fan_weigh(const struct sparse_parallel *geometry, const double *cosines, kn_type type,
                         size_t line, const void *sinogram, void *to)
{
    const size_t first = line * geometry->detectors;

    for (size_t k = 0; k < geometry->detectors; k++)
        if (type == KN_F64)
            ((double *)to)[first + k] = ((const double *)sinogram)[first + k] * cosines[k];
        else
            ((float *)to)[first + k] = (float)((double)((const float *)sinogram)[first + k] * cosines[k]);
}

// Between two detectors of a row, which has zeros on both sides.
static double between(const void *rows, kn_type type, size_t first, double u)
{
    const double low = floor(u), part = u - low;
    const size_t at = first + (size_t)((ptrdiff_t)low + SPARSE_FBP_MARGIN);
    double a, b;

    if (type == KN_F64) {
        a = ((const double *)rows)[at];
        b = ((const double *)rows)[at + 1];
    } else {
        a = (double)((const float *)rows)[at];
        b = (double)((const float *)rows)[at + 1];
    }
    return (1 - part) * a + part * b;
}

static double sum_views(const struct sparse_parallel *geometry, const struct sparse_fbp_rows *rows,
                        kn_type type, double right, double down)
{
    const double length = geometry->source + geometry->detector;
    const bool is_arc = geometry->beam == KN_TOMOGRAPHY_FAN_CURVED;
    double sum = 0;

    for (size_t t = 0; t < rows->angles; t++) {
        const struct sparse_view *view = &rows->views[t];
        const double across = right * view->cosine + down * view->sine,
                     along = geometry->source + right * view->sine - down * view->cosine,
                     u = geometry->axis + length * (is_arc ? atan2(across, along) : across / along);

        if (u > -1 && u < (double)rows->detectors)
            sum += between(rows->rows, type, t * rows->stride, u) /
                   (along * along + (is_arc ? across * across : 0));
    }
    return sum * length * geometry->source;
}

void ki_sparse_fan_back(const struct sparse_parallel *geometry, const struct sparse_fbp_rows *rows,
                        kn_type type, size_t line, void *to)
{
    const double half = ((double)rows->size - 1) / 2;

    for (size_t x = 0; x < rows->size; x++) {
        const double sum = sum_views(geometry, rows, type, (double)x - half, (double)line - half);

        if (type == KN_F64)
            ((double *)to)[x] = sum;
        else
            ((float *)to)[x] = (float)sum;
    }
}
