// SPDX-License-Identifier: Apache-2.0
#include "parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/threads.h"

#define PI 3.14159265358979323846
enum { BLOCK = 256 }; // elements that a thread computes at a time

// ---- geometries ----

static kn_status check_counts(const struct sparse_parallel *parallel, kn_error *err)
{
    const struct {
        const char *what;
        size_t count, most;
    } counts[] = {{"projections", parallel->angles, SPARSE_PARALLEL_ANGLES},
                  {"detectors", parallel->detectors, SPARSE_PARALLEL_DETECTORS},
                  {"pixels a line of the picture", parallel->size, SPARSE_PARALLEL_SIZE}};

    for (size_t i = 0; i < KI_COUNT(counts); i++)
        if (counts[i].count == 0 || counts[i].count > counts[i].most)
            return ki_fail(err, KN_ERROR_ARGUMENT, "a geometry of %zu %s; expected from 1 to %zu",
                           counts[i].count, counts[i].what, counts[i].most);
    if (ki_sparse_parallel_rows(parallel) >= UINT32_MAX)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%zu projections of %zu detectors are %zu rays; expected fewer than %lu",
                       parallel->angles, parallel->detectors, ki_sparse_parallel_rows(parallel),
                       (unsigned long)UINT32_MAX);
    return KN_OK;
}

kn_status ki_sparse_parallel_check(const struct sparse_parallel *parallel, kn_error *err)
{
    double middle = ((double)parallel->detectors - 1) / 2;
    kn_status status = check_counts(parallel, err);

    if (status)
        return status;
    if (!(fabs(parallel->axis - middle) <= 2 * (double)parallel->detectors))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "the axis of rotation is at detector %g; expected one near the middle of %zu detectors, %g, "
            "within %g",
            parallel->axis, parallel->detectors, middle, 2 * (double)parallel->detectors);
    for (size_t t = 0; t < parallel->angles && parallel->theta; t++)
        if (!isfinite(parallel->theta[t]))
            return ki_fail(err, KN_ERROR_ARGUMENT, "the angle of projection %zu is %g", t,
                           parallel->theta[t]);
    return KN_OK;
}

void ki_sparse_parallel_free(struct sparse_parallel *parallel)
{
    free(parallel->theta);
    memset(parallel, 0, sizeof *parallel);
}

size_t ki_sparse_parallel_rows(const struct sparse_parallel *parallel)
{
    return parallel->angles * parallel->detectors;
}

size_t ki_sparse_parallel_columns(const struct sparse_parallel *parallel)
{
    return parallel->size * parallel->size;
}

double ki_sparse_parallel_theta(const struct sparse_parallel *parallel, size_t projection)
{
    return parallel->theta ? parallel->theta[projection] : PI * (double)projection / (double)parallel->angles;
}

// ---- views ----

struct sparse_view *ki_sparse_parallel_views(const struct sparse_parallel *parallel, kn_error *err)
{
    double half = ((double)parallel->size - 1) / 2;
    struct sparse_view *views = malloc(parallel->angles * sizeof *views);

    if (!views) {
        ki_fail_memory(err, parallel->angles * sizeof *views, "projections");
        return NULL;
    }
    for (size_t t = 0; t < parallel->angles; t++) {
        double theta = ki_sparse_parallel_theta(parallel, t), c = cos(theta), s = sin(theta);

        views[t] = (struct sparse_view){c, s, parallel->axis - half * (c + s), fmax(fabs(c), fabs(s)),
                                        fabs(c) >= fabs(s)};
    }
    return views;
}

size_t ki_sparse_parallel_memory(const struct sparse_parallel *parallel)
{
    return parallel->angles * (sizeof(struct sparse_view) + (parallel->theta ? sizeof *parallel->theta : 0));
}

static ptrdiff_t floor_of(double x)
{
    ptrdiff_t whole = (ptrdiff_t)x;

    return whole - ((double)whole > x);
}

// ---- along rays ----

// The sum over the picture along the ray to detector k.
static double sum_ray(const struct sparse_parallel *parallel, const struct sparse_view *view, size_t k,
                      const double *picture)
{
    ptrdiff_t size = (ptrdiff_t)parallel->size;
    ptrdiff_t along = view->steep ? size : 1, across = view->steep ? 1 : size; // strides
    double over = view->steep ? view->cosine : view->sine, drift = view->steep ? view->sine : view->cosine;
    double sum = 0;

    for (ptrdiff_t i = 0; i < size; i++) {
        double at = ((double)k - view->origin - (double)i * drift) / over;
        ptrdiff_t j = floor_of(at);
        double part = at - (double)j;

        if (j >= 0 && j < size)
            sum += (1 - part) * picture[i * along + j * across];
        if (j >= -1 && j < size - 1)
            sum += part * picture[i * along + (j + 1) * across];
    }
    return sum / view->greatest;
}

struct product {
    const struct sparse_parallel *parallel;
    const struct sparse_view *views;
    const double *x;
    double *y;
};

static void project_block(void *context, size_t block)
{
    const struct product *product = context;
    const struct sparse_parallel *parallel = product->parallel;
    size_t rows = ki_sparse_parallel_rows(parallel);

    for (size_t row = block * BLOCK; row < rows && row < (block + 1) * BLOCK; row++)
        product->y[row] = sum_ray(parallel, &product->views[row / parallel->detectors],
                                  row % parallel->detectors, product->x);
}

// ---- from pixels ----

// The weights of a pixel in a projection: returns how many detectors see it, 0 to 2, and the first one.
static size_t weigh(const struct sparse_parallel *parallel, const struct sparse_view *view, size_t x,
                    size_t y, size_t *first, double weights[2])
{
    double u = view->origin + (double)x * view->cosine + (double)y * view->sine;
    ptrdiff_t k = floor_of(u), detectors = (ptrdiff_t)parallel->detectors;
    size_t count = 0;

    for (ptrdiff_t i = k; i <= k + 1; i++) {
        double weight = (1 - fabs((double)i - u) / view->greatest) / view->greatest;

        if (i < 0 || i >= detectors || !(weight > 0))
            continue;
        if (count == 0)
            *first = (size_t)i;
        weights[count++] = weight;
    }
    return count;
}

static void backproject_line(void *context, size_t line)
{
    const struct product *product = context;
    const struct sparse_parallel *parallel = product->parallel;
    const struct sparse_view *views = product->views;
    const double *x = product->x;
    double *y = product->y + line * parallel->size;

    for (size_t at = 0; at < parallel->size; at++) {
        double sum = 0;

        for (size_t t = 0; t < parallel->angles; t++) {
            size_t first = 0;
            double weights[2];
            size_t count = weigh(parallel, &views[t], at, line, &first, weights);

            for (size_t i = 0; i < count; i++)
                sum += weights[i] * x[t * parallel->detectors + first + i];
        }
        y[at] = sum;
    }
}

void ki_sparse_parallel_multiply_by(const struct sparse_parallel *parallel, const struct sparse_view *views,
                                    bool transposed, const double *x, double *y, unsigned threads)
{
    struct product product = {parallel, views, x, y};

    if (transposed)
        ki_parallel(ki_threads(threads), parallel->size, KI_DYNAMIC, backproject_line, &product);
    else
        ki_parallel(ki_threads(threads), (ki_sparse_parallel_rows(parallel) + BLOCK - 1) / BLOCK, KI_DYNAMIC,
                    project_block, &product);
}

kn_status ki_sparse_parallel_multiply(const struct sparse_parallel *parallel, bool transposed,
                                      const double *x, double *y, unsigned threads, kn_error *err)
{
    kn_status status = ki_sparse_parallel_check(parallel, err);
    struct sparse_view *views;

    if (status)
        return status;
    views = ki_sparse_parallel_views(parallel, err);
    if (!views)
        return KN_ERROR_MEMORY;
    ki_sparse_parallel_multiply_by(parallel, views, transposed, x, y, threads);
    free(views);
    return KN_OK;
}

// ---- the matrix ----

// The nonzeros of a pixel, which is a row of the transposed matrix: returns their number, and stores them if
// wanted.
static size_t list_pixel(const struct sparse_parallel *parallel, const struct sparse_view *views,
                         size_t pixel, uint32_t *indices, double *values)
{
    size_t found = 0;

    for (size_t t = 0; t < parallel->angles; t++) {
        size_t first = 0;
        double weights[2];
        size_t count =
            weigh(parallel, &views[t], pixel % parallel->size, pixel / parallel->size, &first, weights);

        for (size_t i = 0; i < count; i++, found++)
            if (indices) {
                indices[found] = (uint32_t)(t * parallel->detectors + first + i);
                values[found] = weights[i];
            }
    }
    return found;
}

static size_t count_nonzeros(const struct sparse_parallel *parallel, const struct sparse_view *views)
{
    size_t pixels = ki_sparse_parallel_columns(parallel), nonzeros = 0;

    for (size_t pixel = 0; pixel < pixels; pixel++)
        nonzeros += list_pixel(parallel, views, pixel, NULL, NULL);
    return nonzeros;
}

kn_status ki_sparse_parallel_nonzeros(const struct sparse_parallel *parallel, size_t *nonzeros, kn_error *err)
{
    kn_status status = ki_sparse_parallel_check(parallel, err);
    struct sparse_view *views;

    if (status)
        return status;
    views = ki_sparse_parallel_views(parallel, err);
    if (!views)
        return KN_ERROR_MEMORY;
    *nonzeros = count_nonzeros(parallel, views);
    free(views);
    return KN_OK;
}

// Turns the counts of nonzeros into the starts of rows.
static void add_up(struct sparse_matrix *matrix)
{
    for (size_t row = 0; row < matrix->rows; row++)
        matrix->starts[row + 1] += matrix->starts[row];
    matrix->nonzeros = (size_t)matrix->starts[matrix->rows];
}

static void count_rows(const struct sparse_parallel *parallel, const struct sparse_view *views,
                       struct sparse_matrix *matrix, struct sparse_matrix *transposed)
{
    for (size_t pixel = 0; pixel < transposed->rows; pixel++)
        for (size_t t = 0; t < parallel->angles; t++) {
            size_t first = 0;
            double weights[2];
            size_t count =
                weigh(parallel, &views[t], pixel % parallel->size, pixel / parallel->size, &first, weights);

            transposed->starts[pixel + 1] += count;
            for (size_t i = 0; i < count; i++)
                matrix->starts[t * parallel->detectors + first + i + 1]++;
        }
    add_up(matrix);
    add_up(transposed);
}

kn_status ki_sparse_parallel_starts(const struct sparse_parallel *parallel, struct sparse_matrix *matrix,
                                    struct sparse_matrix *transposed, kn_error *err)
{
    size_t rays = ki_sparse_parallel_rows(parallel), pixels = ki_sparse_parallel_columns(parallel);
    kn_status status = ki_sparse_parallel_check(parallel, err);
    struct sparse_view *views;

    *matrix = (struct sparse_matrix){.rows = rays, .columns = pixels};
    *transposed = (struct sparse_matrix){.rows = pixels, .columns = rays};
    if (status)
        return status;
    views = ki_sparse_parallel_views(parallel, err);
    if (!views)
        return KN_ERROR_MEMORY;
    matrix->starts = calloc(rays + 1, sizeof *matrix->starts);
    transposed->starts = calloc(pixels + 1, sizeof *transposed->starts);
    if (matrix->starts && transposed->starts) {
        count_rows(parallel, views, matrix, transposed);
    } else {
        ki_sparse_free(matrix);
        ki_sparse_free(transposed);
        status = ki_fail_memory(err, (rays + pixels) * sizeof *matrix->starts, "the rows of a projector");
    }
    free(views);
    return status;
}

static kn_status make_transposed(const struct sparse_parallel *parallel, const struct sparse_view *views,
                                 struct sparse_matrix *out, kn_error *err)
{
    size_t pixels = ki_sparse_parallel_columns(parallel);
    kn_status status = ki_sparse_create(pixels, ki_sparse_parallel_rows(parallel),
                                        count_nonzeros(parallel, views), out, err);

    for (size_t pixel = 0; pixel < pixels && !status; pixel++) {
        size_t at = out->starts[pixel];

        out->starts[pixel + 1] = at + list_pixel(parallel, views, pixel, out->indices + at, out->values + at);
    }
    return status;
}

kn_status ki_sparse_parallel_matrix(const struct sparse_parallel *parallel, struct sparse_matrix *out,
                                    kn_error *err)
{
    struct sparse_matrix transposed = {.rows = 0};
    struct sparse_view *views;
    kn_status status = ki_sparse_parallel_check(parallel, err);

    memset(out, 0, sizeof *out);
    if (status)
        return status;
    views = ki_sparse_parallel_views(parallel, err);
    if (!views)
        return KN_ERROR_MEMORY;
    status = make_transposed(parallel, views, &transposed, err);
    free(views);
    if (!status)
        status = ki_sparse_transpose(&transposed, out, err);
    ki_sparse_free(&transposed);
    return status;
}
