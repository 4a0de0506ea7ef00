// SPDX-License-Identifier: Apache-2.0
#include "host_solver.h"

#include <math.h>
#include <stdlib.h>

#include "../../base/clock.h"
#include "../../base/error.h"
#include "host_fft.h"

struct mri_host_normal {
    struct mri_matrix matrix;
    size_t voxels;
    struct mri_toeplitz_size size;
    double *spectrum; // over the points, so that both transforms together have no scale
    double complex *grid;
    double bound;
    struct mri_fft fft;
};

// ---- the operator ----

// Where voxel n lies in the grid's numbering.
static size_t grid_index(const struct mri_matrix *matrix, const size_t length[MRI_AXES], size_t n)
{
    size_t x = n % matrix->size[0], y = n / matrix->size[0] % matrix->size[1],
           z = n / matrix->size[0] / matrix->size[1];

    return x + length[0] * (y + length[1] * z);
}

// q of half of the differences, d_a = j - N_a on a matrix of 2 N (an axis of 1: 0), up to d = 0.
static kn_status differences(const struct mri_matrix *matrix, const double *k, size_t samples,
                             const double *weights, enum mri_kernel kernel, const kn_host_options *options,
                             const struct mri_sum *shape, double complex *q, struct mri_sum_rate *rate,
                             kn_error *err)
{
    struct mri_sum sum = *shape;
    double *doubled = malloc((samples + 1) * MRI_AXES * sizeof *doubled);
    kn_status status;

    if (!doubled)
        return kn_fail_memory(err, samples * MRI_AXES * sizeof *doubled, "a trajectory");
    for (size_t i = 0; i < MRI_AXES * samples; i++)
        doubled[i] = k[i] * (matrix->size[i % MRI_AXES] > 1 ? 2 : 1);
    sum.k = doubled;
    sum.samples = samples;
    sum.weights = weights;
    status = mri_sum_host(&sum, kernel, options, q, rate, err);
    free(doubled);
    return status;
}

// The circulant's first column: q(d) and, opposite, its conjugate.
static void place(struct mri_host_normal *normal, const struct mri_sum *shape, const double complex *q)
{
    const size_t *length = normal->size.length;

    for (size_t i = 0; i < normal->size.points; i++)
        normal->grid[i] = 0;
    for (size_t i = 0; i < shape->count; i++) {
        size_t at = 0, opposite = 0, step = 1, rest = i;
        bool edge = false;

        for (size_t axis = 0; axis < MRI_AXES; axis++, rest /= shape->matrix.size[axis - 1]) {
            size_t j = rest % shape->matrix.size[axis], n = shape->matrix.size[axis] / 2;

            edge = edge || (n && j == 0);
            at += step * ((j + length[axis] - n) % length[axis]);
            opposite += step * ((length[axis] + n - j) % length[axis]);
            step *= length[axis];
        }
        if (edge)
            continue;
        normal->grid[at] = q[i];
        normal->grid[opposite] = at == opposite ? creal(q[i]) : conj(q[i]);
    }
}

static kn_status make_spectrum(struct mri_host_normal *normal, const struct mri_sum *shape,
                               const double complex *q, const kn_host_options *options, kn_error *err)
{
    struct mri_fft whole;
    kn_status status = mri_fft_create(normal->size.length, normal->size.length, options, &whole, err);

    if (status)
        return status;
    place(normal, shape, q);
    mri_fft_forward(&whole, normal->grid);
    mri_fft_free(&whole);
    for (size_t i = 0; i < normal->size.points; i++) {
        double value = creal(normal->grid[i]);

        normal->bound = fmax(normal->bound, fabs(value));
        normal->spectrum[i] = value / (double)normal->size.points;
        normal->grid[i] = 0;
    }
    return mri_fft_create(normal->size.length, normal->matrix.size, options, &normal->fft, err);
}

kn_status mri_host_normal_create(const struct mri_matrix *matrix, const double *k, size_t samples,
                                 const double *weights, enum mri_kernel kernel,
                                 const kn_host_options *options, struct mri_host_normal **normal,
                                 struct mri_sum_rate *rate, kn_error *err)
{
    struct mri_host_normal *made = calloc(1, sizeof *made);
    struct mri_sum shape = {.matrix = *matrix};
    double complex *q = NULL;
    size_t centre = 0, step = 1;
    kn_status status = made ? mri_toeplitz_measure(matrix, &made->size, err)
                            : kn_fail_memory(err, sizeof *made, "the normal operator");

    *normal = made;
    if (!status)
        status = mri_matrix_count(matrix, &made->voxels, err);
    if (status)
        goto fail;
    made->matrix = *matrix;
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        shape.matrix.size[axis] = matrix->size[axis] > 1 ? 2 * matrix->size[axis] : 1;
        centre += step * (shape.matrix.size[axis] / 2);
        step *= shape.matrix.size[axis];
    }
    shape.count = centre + 1;
    q = malloc(shape.count * sizeof *q);
    made->spectrum = malloc(made->size.points * sizeof *made->spectrum);
    made->grid = malloc(made->size.points * sizeof *made->grid);
    status = q && made->spectrum && made->grid
                 ? differences(matrix, k, samples, weights, kernel, options, &shape, q, rate, err)
                 : kn_fail_memory(err, made->size.points * sizeof *made->grid, "the normal operator");
    if (!status)
        status = make_spectrum(made, &shape, q, options, err);
    free(q);
    if (!status)
        return KN_OK;
fail:
    mri_host_normal_free(made);
    *normal = NULL;
    return status;
}

void mri_host_normal_free(struct mri_host_normal *normal)
{
    if (!normal)
        return;
    mri_fft_free(&normal->fft);
    free(normal->spectrum);
    free(normal->grid);
    free(normal);
}

double mri_host_normal_bound(const struct mri_host_normal *normal)
{
    return normal->bound;
}

void mri_host_normal_apply(struct mri_host_normal *normal, const double complex *x, double complex *y)
{
    for (size_t i = 0; i < normal->size.points; i++)
        normal->grid[i] = 0;
    for (size_t n = 0; n < normal->voxels; n++)
        normal->grid[grid_index(&normal->matrix, normal->size.length, n)] = x[n];
    mri_fft_forward(&normal->fft, normal->grid);
    for (size_t i = 0; i < normal->size.points; i++)
        normal->grid[i] *= normal->spectrum[i];
    mri_fft_backward(&normal->fft, normal->grid);
    for (size_t n = 0; n < normal->voxels; n++)
        y[n] = normal->grid[grid_index(&normal->matrix, normal->size.length, n)];
}

// ---- conjugate gradients ----

// y += lambda D^H D x along each axis.
static void add_differences(const struct mri_matrix *matrix, enum mri_boundary boundary, double lambda,
                            const double complex *x, double complex *y)
{
    size_t step = 1, voxels = matrix->size[0] * matrix->size[1] * matrix->size[2];

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        size_t n = matrix->size[axis];

        for (size_t i = 0; i < voxels; i++) {
            size_t j = i / step % n;
            bool wraps = j == 0;
            size_t before = wraps ? i + (n - 1) * step : i - step;
            double complex difference = lambda * (x[i] - x[before]); // (D x)_j

            if (n == 1 || (wraps && boundary == MRI_BOUNDARY_ZERO))
                continue;
            y[i] += difference;
            y[before] -= difference;
        }
        step *= n;
    }
}

static void apply(struct mri_host_normal *normal, const struct mri_solver_options *options, double lambda,
                  const double complex *x, double complex *y)
{
    mri_host_normal_apply(normal, x, y);
    if (lambda == 0)
        return;
    if (options->regularizer == MRI_DIFFERENCE)
        add_differences(&normal->matrix, options->boundary, lambda, x, y);
    else
        for (size_t i = 0; i < normal->voxels; i++)
            y[i] += lambda * x[i];
}

static double dot(const double complex *x, const double complex *y, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += creal(x[i]) * creal(y[i]) + cimag(x[i]) * cimag(y[i]);
    return sum;
}

// residual = fhd - A image.
static void remain(struct mri_host_normal *normal, const struct mri_solver_options *options, double lambda,
                   const double complex *fhd, const double complex *image, double complex *residual)
{
    apply(normal, options, lambda, image, residual);
    for (size_t i = 0; i < normal->voxels; i++)
        residual[i] = fhd[i] - residual[i];
}

// The iterations, with room for three images at `r`. `energy`: ||fhd||^2, above 0.
static void iterate(struct mri_host_normal *normal, const double complex *fhd,
                    const struct mri_solver_options *options, double energy, double complex *r,
                    double complex *image, struct mri_solver_result *result)
{
    size_t voxels = normal->voxels;
    double complex *p = r + voxels, *ap = p + voxels;
    double rr;

    remain(normal, options, result->lambda, fhd, image, r);
    rr = dot(r, r, voxels);
    result->residuals[0] = sqrt(rr / energy);
    for (size_t i = 0; i < voxels; i++)
        p[i] = r[i];
    result->converged = options->tolerance > 0 && result->residuals[0] <= options->tolerance;
    while (result->iterations < options->iterations && !result->converged && !result->stopped) {
        double pap, step, next;

        apply(normal, options, result->lambda, p, ap);
        pap = dot(p, ap, voxels);
        if (!(pap > 0)) {
            result->stopped = true;
            break;
        }
        step = rr / pap;
        for (size_t i = 0; i < voxels; i++) {
            image[i] += step * p[i];
            r[i] -= step * ap[i];
        }
        next = dot(r, r, voxels);
        for (size_t i = 0; i < voxels; i++)
            p[i] = r[i] + next / rr * p[i];
        rr = next;
        result->residuals[++result->iterations] = sqrt(rr / energy);
        result->converged = options->tolerance > 0 && sqrt(rr / energy) <= options->tolerance;
    }
    remain(normal, options, result->lambda, fhd, image, r);
    result->residual = sqrt(dot(r, r, voxels) / energy);
}

kn_status mri_host_solve(struct mri_host_normal *normal, const double complex *fhd,
                         const struct mri_solver_options *options, const double complex *start,
                         double complex *image, struct mri_solver_result *result, kn_error *err)
{
    size_t voxels = normal->voxels;
    double energy = dot(fhd, fhd, voxels), began = kn_clock_seconds();
    double complex *room = malloc(3 * voxels * sizeof *room);

    *result = (struct mri_solver_result){.lambda = options->lambda *
                                                   (options->relative_lambda ? normal->bound : 1)};
    result->residuals = calloc(options->iterations + 1, sizeof *result->residuals);
    if (!room || !result->residuals) {
        free(room);
        free(result->residuals);
        *result = (struct mri_solver_result){.residuals = NULL};
        return kn_fail_memory(err, 3 * voxels * sizeof *room, "the solver");
    }
    for (size_t i = 0; i < voxels; i++)
        image[i] = start && energy > 0 ? start[i] : 0;
    if (energy > 0)
        iterate(normal, fhd, options, energy, room, image, result);
    else
        result->converged = true;
    free(room);
    result->seconds = kn_clock_seconds() - began;
    return KN_OK;
}
