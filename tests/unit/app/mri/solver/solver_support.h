// SPDX-License-Identifier: Apache-2.0
// What the tests of the solver share: a small problem, written out as a dense system and solved in double
// precision, and the error of the device's answer.
#ifndef KN_TESTS_UNIT_APP_MRI_SOLVER_SOLVER_SUPPORT_H
#define KN_TESTS_UNIT_APP_MRI_SOLVER_SOLVER_SUPPORT_H

#include "unit/app/mri/mri_support.h"
#include "support/elimination.h"

static const double eps = 0x1p-24;

struct system {
    struct scan scan;
    struct mri_toeplitz *toeplitz;
    size_t n;
    double complex *normal;   // F^H W F, n x n, row by row
    double complex *matrix;   // with lambda R added
    double complex *right;    // made of floats
    double complex *solution; // of the dense system
    double lambda, norm;      // norm: an upper bound on the matrix's
    struct mri_solver_options options;
};

// Column i of R: the result of R for a unit voxel.
static void regularizer_column(const struct system *s, size_t i, double complex *column)
{
    double complex *unit = calloc(s->n, sizeof *unit), *each = test_allocate(3 * s->n * sizeof *each);
    double complex *own = test_allocate(3 * s->n * sizeof *own);

    unit[i] = 1;
    test_differences(&s->scan.matrix, s->options.boundary, unit, own);
    for (size_t j = 0; j < s->n; j++) { // (D^H D)_ji = <D e_i, D e_j>
        unit[i] = 0;
        unit[j] = 1;
        test_differences(&s->scan.matrix, s->options.boundary, unit, each);
        unit[j] = 0;
        column[j] = s->options.regularizer == KN_RECON_REGULARIZER_TIKHONOV
                        ? i == j
                        : test_product(own, each, 3 * s->n);
    }
    free(unit);
    free(each);
    free(own);
}

static void multiply(const double complex *matrix, const double complex *x, size_t n, double complex *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t j = 0; j < n; j++)
            y[i] += matrix[i * n + j] * x[j];
    }
}

static void solve_dense(const double complex *matrix, const double complex *right, size_t n,
                        double complex *x)
{
    double complex *a = test_allocate(n * n * sizeof *a);

    memcpy(a, matrix, n * n * sizeof *a);
    memcpy(x, right, n * sizeof *x);
    test_eliminate(n, a, x);
    free(a);
}

static struct system system_make(const kn_recon_matrix *matrix, size_t samples,
                                 const struct mri_solver_options *options, uint64_t *state)
{
    struct system s = {.scan = scan_make(matrix, samples, state), .options = *options};
    size_t n = s.n = s.scan.voxels;
    double complex *column = test_allocate(n * sizeof *column), *unit = calloc(n, sizeof *unit);

    EXPECT_OK(ki_mri_toeplitz_compute(queue, matrix, s.scan.k, samples, s.scan.weights, MRI_HOST_DOUBLE,
                                      &s.toeplitz, NULL, &err));
    s.lambda = options->lambda * (options->relative_lambda ? ki_mri_toeplitz_bound(s.toeplitz) : 1);
    s.lambda = (double)(float)s.lambda;
    s.norm = ki_mri_toeplitz_bound(s.toeplitz) + s.lambda * 12; // D^H D has at most 4 an axis
    s.normal = test_allocate(n * n * sizeof *s.normal);
    s.matrix = test_allocate(n * n * sizeof *s.matrix);
    for (size_t i = 0; i < n; i++) {
        unit[i] = 1;
        scan_normal(&s.scan, true, unit, column);
        unit[i] = 0;
        for (size_t j = 0; j < n; j++)
            s.normal[j * n + i] = column[j];
        regularizer_column(&s, i, column);
        for (size_t j = 0; j < n; j++)
            s.matrix[j * n + i] = s.normal[j * n + i] + s.lambda * column[j];
    }
    s.right = test_image(n, state);
    s.solution = test_allocate(n * sizeof *s.solution);
    solve_dense(s.matrix, s.right, n, s.solution);
    free(column);
    free(unit);
    return s;
}

static void system_free(struct system *s)
{
    ki_mri_toeplitz_free(s->toeplitz);
    scan_free(&s->scan);
    free(s->normal);
    free(s->matrix);
    free(s->right);
    free(s->solution);
}

static inline kn_status test_solve(struct mri_toeplitz *toeplitz, kn_buffer *right,
                                   const struct mri_solver_options *options, kn_buffer *start,
                                   kn_buffer *image, struct mri_solver_result *result)
{
    struct mri_solver *solver = NULL;
    kn_status status = ki_mri_solver_create(queue, ki_mri_toeplitz_normal(toeplitz), options, &solver, &err);

    if (!status)
        status = ki_mri_solver_solve(queue, solver, right, start, image, result, &err);
    ki_mri_solver_free(solver);
    return status;
}

// Solves with the system's options; returns the image.
static double complex *solve(const struct system *s, const double complex *start,
                             struct mri_solver_result *result)
{
    enum { ROOM = 64 };
    kn_buffer *right = test_upload_image(s->right, s->n, 0), *image = test_upload_image(NULL, s->n, ROOM),
              *from = start ? test_upload_image(start, s->n, 0) : NULL;
    double complex *x, *kept;

    memset(result, 0xff, sizeof *result);
    EXPECT_OK(test_solve(s->toeplitz, right, &s->options, from, image, result));
    x = test_download_image(image, s->n);
    kept = test_download_image(right, s->n);
    ck_assert_int_eq(memcmp(kept, s->right, s->n * sizeof *kept), 0);
    test_expect_poison(image, s->n * 2 * sizeof(float));
    kn_buffer_free(right);
    kn_buffer_free(image);
    kn_buffer_free(from);
    free(kept);
    return x;
}

// ||b - A x||, in double precision.
static double residual_of(const struct system *s, const double complex *x)
{
    double complex *image = test_allocate(s->n * sizeof *image);
    double residual;

    multiply(s->matrix, x, s->n, image);
    residual = test_distance(image, s->right, s->n);
    free(image);
    return residual;
}

// By how much what the method carries along as the residual may be off after k iterations (Greenbaum 1997):
// an application of A and two additions of vectors are rounded in each, all relative to ||A|| and to the
// largest image there was, which of conjugate gradients from 0 is the solution. A has the error of two
// transforms and of its eigenvalues (test_mri_toeplitz), here at most 4 times eps (log2 n + 2) / 2 of the
// norm.
static double drift(const struct system *s, size_t iterations)
{
    double points = 8 * (double)s->n;

    return (double)(iterations + 1) * eps * (2 * (log2(points) + 2) + 8) * s->norm *
           test_norm(s->solution, s->n);
}

static const kn_recon_matrix matrices[] = {
    {2, {1, 1, 1}}, {2, {2, 3, 1}}, {2, {7, 5, 1}}, {2, {1, 13, 1}}, {3, {3, 5, 2}}, {3, {4, 4, 4}},
};
enum { MATRICES = sizeof matrices / sizeof *matrices };

#endif
