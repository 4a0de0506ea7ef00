// SPDX-License-Identifier: Apache-2.0
#include "parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/threads.h"
#include "fan.h"

#define PI 3.14159265358979323846
enum {
    BLOCK = 256, // elements that a thread computes at a time
    SEEN = 3     // the most detectors of parallel rays that see one pixel
};

// ---- geometries ----

static kn_status check_counts(const struct sparse_parallel *parallel, kn_error *err)
{
    const struct {
        const char *what;
        size_t count, most;
    } counts[] = {{"projections", parallel->angles, SPARSE_PARALLEL_ANGLES},
                  {"detectors", parallel->detectors, SPARSE_PARALLEL_DETECTORS},
                  {"pixels a line of the picture", parallel->size, SPARSE_PARALLEL_SIZE},
                  {"lines of detectors", parallel->lines, SPARSE_PARALLEL_DETECTORS},
                  {"slices of the volume", parallel->slices, SPARSE_PARALLEL_SIZE}};
    const size_t used = ki_sparse_is_cone(parallel) ? KI_COUNT(counts) : KI_COUNT(counts) - 2;

    for (size_t i = 0; i < used; i++)
        if (counts[i].count == 0 || counts[i].count > counts[i].most)
            return ki_fail(err, KN_ERROR_ARGUMENT, "a geometry of %zu %s; expected from 1 to %zu",
                           counts[i].count, counts[i].what, counts[i].most);
    if (parallel->angles * parallel->detectors >= UINT32_MAX)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%zu projections of %zu detectors are %zu rays; expected fewer than %lu",
                       parallel->angles, parallel->detectors, parallel->angles * parallel->detectors,
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
    return ki_sparse_fan_check(parallel, err);
}

void ki_sparse_parallel_free(struct sparse_parallel *parallel)
{
    free(parallel->theta);
    memset(parallel, 0, sizeof *parallel);
}

size_t ki_sparse_parallel_rows(const struct sparse_parallel *parallel)
{
    const size_t rays = parallel->angles * parallel->detectors;

    return ki_sparse_is_cone(parallel) ? rays * parallel->lines : rays;
}

size_t ki_sparse_parallel_columns(const struct sparse_parallel *parallel)
{
    const size_t pixels = parallel->size * parallel->size;

    return ki_sparse_is_cone(parallel) ? pixels * parallel->slices : pixels;
}

double ki_sparse_parallel_theta(const struct sparse_parallel *parallel, size_t projection)
{
    const double range = ki_sparse_is_fan(parallel) ? 2 * PI : PI;

    return parallel->theta ? parallel->theta[projection]
                           : range * (double)projection / (double)parallel->angles;
}

// ---- views ----

static size_t bytes_of_views(const struct sparse_parallel *parallel, bool with_rays)
{
    const size_t rays = with_rays && ki_sparse_is_fan(parallel) ? ki_sparse_parallel_rows(parallel) : 0;

    return parallel->angles * sizeof(struct sparse_view) + rays * sizeof(struct sparse_ray);
}

static struct sparse_view *make_views(const struct sparse_parallel *parallel, bool with_rays, kn_error *err)
{
    double half = ((double)parallel->size - 1) / 2;
    struct sparse_view *views = malloc(bytes_of_views(parallel, with_rays));
    struct sparse_ray *rays;

    if (!views) {
        ki_fail_memory(err, bytes_of_views(parallel, with_rays), "projections");
        return NULL;
    }
    rays = (struct sparse_ray *)(views + parallel->angles);
    for (size_t t = 0; t < parallel->angles; t++) {
        double theta = ki_sparse_parallel_theta(parallel, t), c = cos(theta), s = sin(theta);

        views[t] = (struct sparse_view){
            c, s, parallel->axis - half * (c + s), fmax(fabs(c), fabs(s)), fabs(c) >= fabs(s), NULL};
        if (!with_rays || !ki_sparse_is_fan(parallel))
            continue;
        views[t].rays = rays + t * parallel->detectors;
        ki_sparse_fan_rays(parallel, theta, rays + t * parallel->detectors);
    }
    return views;
}

struct sparse_view *ki_sparse_parallel_views(const struct sparse_parallel *parallel, kn_error *err)
{
    return make_views(parallel, true, err);
}

struct sparse_view *ki_sparse_parallel_turns(const struct sparse_parallel *parallel, kn_error *err)
{
    return make_views(parallel, false, err);
}

size_t ki_sparse_parallel_memory(const struct sparse_parallel *parallel)
{
    return bytes_of_views(parallel, true) +
           (parallel->theta ? parallel->angles * sizeof *parallel->theta : 0);
}

double ki_sparse_parallel_seen(const struct sparse_parallel *parallel)
{
    return ki_sparse_is_fan(parallel) ? ki_sparse_fan_seen_most(parallel) : SEEN;
}

static ptrdiff_t floor_of(double x)
{
    ptrdiff_t whole = (ptrdiff_t)x;

    return whole - ((double)whole > x);
}

// ---- along rays ----

static struct sparse_ray ray_of(const struct sparse_view *view, size_t k)
{
    if (view->rays)
        return view->rays[k];
    return (struct sparse_ray){.start = (double)k - view->origin,
                               .drift = view->steep ? view->sine : view->cosine,
                               .over = view->steep ? view->cosine : view->sine,
                               .greatest = view->greatest,
                               .steep = view->steep};
}

// The sum over the picture along a ray.
static double sum_ray(const struct sparse_parallel *parallel, const struct sparse_ray *ray,
                      const double *picture)
{
    ptrdiff_t size = (ptrdiff_t)parallel->size;
    ptrdiff_t along = ray->steep ? size : 1, across = ray->steep ? 1 : size; // strides
    double sum = 0;

    for (ptrdiff_t i = 0; i < size; i++) {
        double at = (ray->start - (double)i * ray->drift) / ray->over;
        ptrdiff_t j = floor_of(at);
        double part = at - (double)j;

        if (j >= 0 && j < size)
            sum += (1 - part) * picture[i * along + j * across];
        if (j >= -1 && j < size - 1)
            sum += part * picture[i * along + (j + 1) * across];
    }
    return sum / ray->greatest;
}

static double factor_of(const struct sparse_parallel *parallel, size_t row)
{
    return parallel->factors ? parallel->factors[row] : 1;
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

    for (size_t row = block * BLOCK; row < rows && row < (block + 1) * BLOCK; row++) {
        const struct sparse_ray ray =
            ray_of(&product->views[row / parallel->detectors], row % parallel->detectors);

        product->y[row] = factor_of(parallel, row) * sum_ray(parallel, &ray, product->x);
    }
}

// ---- from pixels ----

// The detectors of a projection that may see a pixel, first to end - 1.
struct seen {
    size_t first, end;
    double at; // of parallel rays: where the pixel is seen
};

static size_t clip(ptrdiff_t detector, size_t detectors)
{
    return detector < 0 ? 0 : (size_t)detector < detectors ? (size_t)detector : detectors;
}

static struct seen see(const struct sparse_parallel *parallel, const struct sparse_view *view, size_t x,
                       size_t y)
{
    struct seen seen = {.at = 0};
    ptrdiff_t k;

    if (view->rays) {
        ki_sparse_fan_seen(parallel, view, x, y, &seen.first, &seen.end);
        return seen;
    }
    seen.at = view->origin + (double)x * view->cosine + (double)y * view->sine;
    k = floor_of(seen.at);
    seen.first = clip(k, parallel->detectors);
    seen.end = clip(k + 2, parallel->detectors);
    return seen;
}

// The weight of a pixel in detector k, one of those that may see it; not above 0: it does not.
static double weigh(const struct sparse_view *view, const struct seen *seen, size_t k, size_t x, size_t y)
{
    const struct sparse_ray *ray;
    double at;

    if (!view->rays)
        return (1 - fabs((double)k - seen->at) / view->greatest) / view->greatest;
    ray = &view->rays[k];
    at = (ray->start - (double)(ray->steep ? y : x) * ray->drift) / ray->over;
    return (1 - fabs((double)(ray->steep ? x : y) - at)) / ray->greatest;
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
            const struct seen seen = see(parallel, &views[t], at, line);

            for (size_t k = seen.first; k < seen.end; k++) {
                double weight = weigh(&views[t], &seen, k, at, line);

                size_t row = t * parallel->detectors + k;

                if (weight > 0)
                    sum += factor_of(parallel, row) * weight * x[row];
            }
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
        const size_t x = pixel % parallel->size, y = pixel / parallel->size;
        const struct seen seen = see(parallel, &views[t], x, y);

        for (size_t k = seen.first; k < seen.end; k++) {
            double weight = weigh(&views[t], &seen, k, x, y);

            if (!(weight > 0))
                continue;
            if (indices) {
                size_t row = t * parallel->detectors + k;

                indices[found] = (uint32_t)row;
                values[found] = factor_of(parallel, row) * weight;
            }
            found++;
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
            const size_t x = pixel % parallel->size, y = pixel / parallel->size;
            const struct seen seen = see(parallel, &views[t], x, y);

            for (size_t k = seen.first; k < seen.end; k++)
                if (weigh(&views[t], &seen, k, x, y) > 0) {
                    transposed->starts[pixel + 1]++;
                    matrix->starts[t * parallel->detectors + k + 1]++;
                }
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
