// SPDX-License-Identifier: Apache-2.0
// What the tests of gridding share: a problem of random numbers, and gridding by its formulas in double
// precision.
#ifndef KN_TESTS_UNIT_APP_MRI_GRIDDING_SUPPORT_H
#define KN_TESTS_UNIT_APP_MRI_GRIDDING_SUPPORT_H

#include "bessel.h"
#include "support/buffers.h"
#include "support/run.h"

#include <float.h>
#include <math.h>

#include "app/mri/gridding/gridding.h"
#include "app/mri/reference.h"

struct problem {
    kn_recon_matrix matrix;
    size_t voxels, samples;
    double *k, *weights;
    double complex *data, *image;
};

// k in the whole band; an eighth of the numbers on its edges, at 0 or on a cell, and an eighth outside it.
static double random_k(size_t size, uint64_t *state)
{
    double edge = (double)size / 2;
    const double odd_ones[] = {-edge, edge, 0, 0.5, 1, edge - 0.5, nextafter(edge, 0), -nextafter(edge, 0)};

    switch (test_random(state) % 8) {
    case 0:
        return odd_ones[test_random(state) % 8];
    case 1:
        return 4 * edge * (2 * test_uniform(state) - 1);
    default:
        return edge * (2 * test_uniform(state) - 1);
    }
}

static struct problem make(const kn_recon_matrix *matrix, size_t samples, uint64_t *state)
{
    struct problem p = {.matrix = *matrix, .samples = samples};

    ck_assert_int_eq(ki_mri_matrix_count(matrix, &p.voxels, NULL), KN_OK);
    p.k = test_poisoned(samples * MRI_AXES * sizeof *p.k);
    p.weights = test_poisoned(samples * sizeof *p.weights);
    p.data = test_poisoned(samples * sizeof *p.data);
    p.image = test_poisoned(p.voxels * sizeof *p.image);
    for (size_t i = 0; i < MRI_AXES * samples; i++)
        p.k[i] = i % MRI_AXES < matrix->axes ? random_k(matrix->size[i % MRI_AXES], state) : 0;
    for (size_t m = 0; m < samples; m++) {
        p.weights[m] = test_uniform(state);
        p.data[m] = test_complex(state);
    }
    for (size_t n = 0; n < p.voxels; n++)
        p.image[n] = test_complex(state);
    return p;
}

static void discard(struct problem *p)
{
    free(p->k);
    free(p->weights);
    free(p->data);
    free(p->image);
}

// ---- by the formulas, in double ----

// The factors of gridding along an axis: the weight of each cell for samples and voxels.
struct axis {
    size_t size, cells;
    double width, beta;
};

static struct axis axis_of(const struct mri_gridding *gridding, const struct problem *p, size_t axis,
                           double oversampling, unsigned width)
{
    size_t cells[MRI_AXES];
    double ratio = width / oversampling * (oversampling - 0.5);

    ki_mri_gridding_grid(gridding, cells);
    return (struct axis){p->matrix.size[axis], cells[axis], width, M_PI * sqrt(ratio * ratio - 0.8)};
}

// The weight kb of cell g for a sample at k, summed over all that wrap onto the cell: the `width` cells from
// ceil(u - J/2) on. If u differs from an integer only by the rounding of k, it is that integer.
static double window(const struct axis *a, double k, size_t g)
{
    double u = fmod(k, (double)a->size) * ((double)a->cells / (double)a->size), sum = 0;
    double first = ceil(u - a->width / 2 - (double)a->cells * 0x1p-32);

    if (a->size == 1)
        return 1;
    for (double cell = first; cell < first + a->width; cell++) {
        double wrapped = cell - (double)a->cells * floor(cell / (double)a->cells),
               x = 2 * (cell - u) / a->width;
        if (wrapped == (double)g)
            sum += test_bessel(a->beta * sqrt(fmax(1 - x * x, 0)));
    }
    return sum;
}

static double transform(const struct axis *a, double n)
{
    double t = M_PI * a->width * n / (double)a->cells, square = a->beta * a->beta - t * t,
           s = sqrt(fabs(square));

    if (a->size == 1)
        return 1;
    return a->width * (square > 0 ? sinh(s) / s : s > 0 ? sin(s) / s : 1);
}

// The sum over all cells of exp(i 2 pi g n / K) kb / A: the factor between a sample at k and voxel j of the
// axis.
static double complex kernel(const struct axis *a, double k, size_t j)
{
    double n = (double)j - (double)(a->size / 2);
    double complex sum = 0;

    for (size_t g = 0; g < a->cells; g++) {
        double weight = window(a, k, g);
        if (weight != 0) {
            double angle = 2 * M_PI * fmod((double)g * n, (double)a->cells) / (double)a->cells;
            sum += weight * mri_complex(cos(angle), sin(angle));
        }
    }
    return sum / transform(a, n);
}

// The factors of all samples and voxels on all axes: factors[axis][sample * size + j].
static void fill_factors(const struct problem *p, const struct mri_gridding *gridding, double oversampling,
                         unsigned width, double complex *factors[MRI_AXES])
{
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        struct axis a = axis_of(gridding, p, axis, oversampling, width);

        factors[axis] = test_poisoned(p->samples * a.size * sizeof **factors);
        for (size_t m = 0; m < p->samples; m++)
            for (size_t j = 0; j < a.size; j++)
                factors[axis][m * a.size + j] = kernel(&a, p->k[MRI_AXES * m + axis], j);
    }
}

static double complex factor(const struct problem *p, double complex *const factors[MRI_AXES], size_t m,
                             size_t n)
{
    const size_t *size = p->matrix.size;

    return factors[0][m * size[0] + n % size[0]] * factors[1][m * size[1] + n / size[0] % size[1]] *
           factors[2][m * size[2] + n / size[0] / size[1]];
}

static void by_formula(const struct problem *p, const struct mri_gridding *gridding, double oversampling,
                       unsigned width, double complex *image, double complex *data)
{
    double complex *factors[MRI_AXES];

    fill_factors(p, gridding, oversampling, width, factors);
    for (size_t n = 0; n < p->voxels; n++) {
        image[n] = 0;
        for (size_t m = 0; m < p->samples; m++)
            image[n] += p->weights[m] * p->data[m] * factor(p, factors, m, n);
    }
    for (size_t m = 0; m < p->samples; m++) {
        data[m] = 0;
        for (size_t n = 0; n < p->voxels; n++)
            data[m] += p->image[n] * conj(factor(p, factors, m, n));
    }
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        free(factors[axis]);
}

// ||x - r|| over the square root of `count` times the sum of squares of the terms of r: for random numbers,
// r's own norm on average, without the effect of cancellation.
static double distance_of_sums(const double complex *x, const double complex *r, size_t count, double squares)
{
    double error = 0;

    for (size_t i = 0; i < count; i++)
        error += pow(cabs(x[i] - r[i]), 2);
    return error > 0 || isnan(error) ? sqrt(error / squares / (double)count) : 0;
}

// What single precision adds, relative, in the 2-norm, with eps = 2^-24. The transform of n cells: its bound,
// eps (log2 n + 2) / 2. A sample's distance to its cell, up to 4, is rounded by 2 eps and the phase turns by
// 2 pi times that times a share under 1/2 of the band: 2 pi eps. The weights along each axis: eps for the
// polynomial's coefficients, 2 for its last steps, which are the largest, 1 for the product. Data, phases,
// their products, and A(n) beside the voxel: 8 eps. A cell's sum of t terms: sqrt(t) eps / 2 for roundings of
// either sign, with t of TERMS at most.
// Cells have these errors with no regard to n, and the division by A(n) makes those at the image's edges
// larger: along an axis by the 2-norm of the window's cells times the mean square of 1/A(n), under a root.
static double floor_error(const struct problem *p, const struct mri_gridding *gridding, double oversampling,
                          unsigned width)
{
    enum { TERMS = 256 };
    double cells = 1, larger = 1, axes = (double)p->matrix.axes;

    for (size_t i = 0; i < MRI_AXES; i++) {
        struct axis a = axis_of(gridding, p, i, oversampling, width);
        double squares = 0, mean = 0;

        cells *= (double)a.cells;
        for (size_t g = 0; g < a.cells; g++)
            squares += window(&a, 0, g) * window(&a, 0, g);
        for (size_t j = 0; j < a.size; j++)
            mean += 1 / pow(transform(&a, (double)j - (double)(a.size / 2)), 2) / (double)a.size;
        larger *= sqrt(squares * mean);
    }
    return 0x1p-24 * larger * ((log2(cells) + 2) / 2 + axes * (2 * M_PI + 4) + 8 + sqrt(TERMS) / 2);
}

// ||x - r|| / ||r||.
static double distance(const double complex *x, const double complex *r, size_t count)
{
    double error = 0, energy = 0;

    for (size_t i = 0; i < count; i++) {
        double complex difference = x[i] - r[i];
        error += creal(difference * conj(difference));
        energy += creal(r[i] * conj(r[i]));
    }
    return energy > 0 ? sqrt(error / energy) : sqrt(error);
}

#endif
