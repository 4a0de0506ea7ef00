// SPDX-License-Identifier: Apache-2.0
// Tests the reference of the reconstruction: forward and adjoint sums against the formula in long double,
// against each other, and against results that others computed from a real scan; measures of quality with
// known answers.
#include "support/support.h"

#include <float.h>
#include <math.h>

#include "cli/inputs/mri_files.h"
#include "app/mri/reference.h"
#include "io/array/cfl.h"
#include "io/array/parboil.h"
#include "support/run.h"

// Unequal, odd, prime, single.
static const kn_recon_matrix matrices[] = {
    {2, {1, 1, 1}}, {2, {2, 3, 1}}, {2, {7, 5, 1}}, {2, {13, 1, 1}},
    {3, {4, 4, 4}}, {3, {3, 5, 2}}, {3, {1, 1, 7}}, {2, {8, 6, 1}},
};
enum { MATRICES = sizeof matrices / sizeof *matrices, VOXELS_MAX = 128, SAMPLES_MAX = 40 };

struct problem {
    kn_recon_matrix matrix;
    size_t voxels, samples;
    double k[3 * SAMPLES_MAX], weights[SAMPLES_MAX];
    double complex image[VOXELS_MAX], data[SAMPLES_MAX];
};

// k in the whole band, some of it on the edges.
static void make(struct problem *problem, const kn_recon_matrix *matrix, size_t samples, uint64_t *state)
{
    problem->matrix = *matrix;
    problem->samples = samples;
    ck_assert_int_eq(ki_mri_matrix_count(matrix, &problem->voxels, NULL), KN_OK);
    ck_assert_uint_le(problem->voxels, VOXELS_MAX);
    for (size_t m = 0; m < samples; m++) {
        for (size_t axis = 0; axis < 3; axis++) {
            double edge = (double)matrix->size[axis] / 2;

            problem->k[3 * m + axis] = test_random(state) % 8 ? edge * (2 * test_uniform(state) - 1) : -edge;
        }
        problem->weights[m] = test_uniform(state);
        problem->data[m] = test_complex(state);
    }
    for (size_t n = 0; n < problem->voxels; n++)
        problem->image[n] = test_complex(state);
}

// The definition, in long double; sign -1 is the forward sum's.
static long double complex term(const struct problem *problem, size_t m, size_t n, int sign)
{
    long double turns = 0;

    for (size_t axis = 0, rest = n; axis < 3; rest /= problem->matrix.size[axis], axis++) {
        size_t size = problem->matrix.size[axis];
        long double j = rest % size;

        turns += (long double)problem->k[3 * m + axis] * (j - (long double)(size / 2)) / (long double)size;
    }
    turns *= 2 * acosl(-1);
    return cosl(turns) + sign * sinl(turns) * I;
}

// Of a sum of `count` terms of modulus `a` each: a term's turns, under 8, carry 10 roundings of 8 units at
// most, which 2 pi makes of its phase, and each addition half a unit of what is summed so far.
static double bound(size_t count, double a)
{
    return (double)count * a * DBL_EPSILON * (2 * M_PI * 80 + (double)count);
}

START_TEST(definition)
{
    uint64_t state = test_seed("definition");

    for (size_t i = 0; i < MATRICES; i++)
        for (size_t samples = 0; samples <= SAMPLES_MAX; samples += i % 3 + 1) {
            double complex data[SAMPLES_MAX], image[VOXELS_MAX], weighted[VOXELS_MAX];
            struct problem p;

            make(&p, &matrices[i], samples, &state);
            memset(data, 0xff, sizeof data);
            memset(image, 0xff, sizeof image);
            ck_assert_int_eq(
                ki_mri_reference_forward(&p.matrix, p.k, samples, p.image, KN_RECON_SCALE_NONE, data, NULL),
                KN_OK);
            ck_assert_int_eq(ki_mri_reference_adjoint(&p.matrix, p.k, samples, p.data, NULL,
                                                      KN_RECON_SCALE_NONE, image, NULL),
                             KN_OK);
            ck_assert_int_eq(ki_mri_reference_adjoint(&p.matrix, p.k, samples, p.data, p.weights,
                                                      KN_RECON_SCALE_UNITARY, weighted, NULL),
                             KN_OK);
            for (size_t m = 0; m < samples; m++) {
                long double complex sum = 0;

                for (size_t n = 0; n < p.voxels; n++)
                    sum += (long double complex)p.image[n] * term(&p, m, n, -1);
                ck_assert_double_le((double)cabsl(sum - data[m]), bound(p.voxels, M_SQRT2));
            }
            for (size_t n = 0; n < p.voxels; n++) {
                long double complex sum = 0, weighted_sum = 0;

                for (size_t m = 0; m < samples; m++) {
                    sum += (long double complex)p.data[m] * term(&p, m, n, 1);
                    weighted_sum += p.weights[m] * (long double complex)p.data[m] * term(&p, m, n, 1);
                }
                ck_assert_double_le((double)cabsl(sum - image[n]), bound(samples, M_SQRT2));
                ck_assert_double_le((double)cabsl(weighted_sum / sqrtl((long double)p.voxels) - weighted[n]),
                                    bound(samples + 1, M_SQRT2));
            }
        }
}
END_TEST

// <F x, y> = <x, F^H y>, both sums within the bound for samples x voxels terms of modulus 2.
START_TEST(adjoint)
{
    uint64_t state = test_seed("adjoint");

    for (size_t i = 0; i < MATRICES; i++)
        for (int scale = KN_RECON_SCALE_NONE; scale <= KN_RECON_SCALE_UNITARY; scale++) {
            double complex data[SAMPLES_MAX], image[VOXELS_MAX], left = 0, right = 0;
            struct problem p;

            make(&p, &matrices[i], SAMPLES_MAX - i, &state);
            ck_assert_int_eq(ki_mri_reference_forward(&p.matrix, p.k, p.samples, p.image,
                                                      (kn_recon_scale)scale, data, NULL),
                             KN_OK);
            ck_assert_int_eq(ki_mri_reference_adjoint(&p.matrix, p.k, p.samples, p.data, NULL,
                                                      (kn_recon_scale)scale, image, NULL),
                             KN_OK);
            for (size_t m = 0; m < p.samples; m++)
                left += data[m] * conj(p.data[m]);
            for (size_t n = 0; n < p.voxels; n++)
                right += p.image[n] * conj(image[n]);
            ck_assert_double_gt(cabs(left), 0);
            ck_assert_double_le(cabs(left - right), 2 * bound(p.samples * p.voxels, 2));
        }
}
END_TEST

// A full Cartesian grid of even and odd sizes: the sums are unitary, so the adjoint inverts the forward sum.
START_TEST(unitary)
{
    static const kn_recon_matrix matrix = {3, {4, 3, 5}};
    double complex image[60], data[60], back[60];
    double k[3 * 60];
    uint64_t state = test_seed("unitary");

    for (size_t m = 0; m < 60; m++) {
        k[3 * m] = (double)(m % 4) - 2;
        k[3 * m + 1] = (double)(m / 4 % 3) - 1;
        k[3 * m + 2] = (double)(m / 12) - 2;
        image[m] = test_complex(&state);
    }
    ck_assert_int_eq(ki_mri_reference_forward(&matrix, k, 60, image, KN_RECON_SCALE_UNITARY, data, NULL),
                     KN_OK);
    ck_assert_int_eq(ki_mri_reference_adjoint(&matrix, k, 60, data, NULL, KN_RECON_SCALE_UNITARY, back, NULL),
                     KN_OK);
    for (size_t n = 0; n < 60; n++)
        ck_assert_double_le(cabs(back[n] - image[n]), 2 * bound(60, M_SQRT2));
}
END_TEST

START_TEST(refused)
{
    static const kn_recon_matrix empty = {2, {4, 0, 1}};
    static const kn_recon_matrix huge = {3, {SIZE_MAX / 8, 2, 1}};
    kn_error err = KN_ERROR_INIT;
    size_t voxels = 7;

    ck_assert_int_eq(ki_mri_reference_forward(&empty, NULL, 0, NULL, KN_RECON_SCALE_NONE, NULL, &err),
                     KN_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "4 x 0 x 1"));
    ck_assert_int_eq(ki_mri_reference_adjoint(&huge, NULL, 0, NULL, NULL, KN_RECON_SCALE_NONE, NULL, &err),
                     KN_ERROR_ARGUMENT);
    ck_assert_int_eq(ki_mri_matrix_count(&empty, &voxels, NULL), KN_ERROR_ARGUMENT);
    ck_assert_uint_eq(voxels, 7);
}
END_TEST

START_TEST(measures)
{
    static const double complex reference[] = {3, 4 * I, 0, 0};
    static const double complex x[] = {3.3, 4 * I, 0, 0.4};
    static const double complex nothing[] = {0, 0, 0, 0};
    double complex factor;
    kn_recon_quality q = ki_mri_quality(x, reference, 4, 1); // the error's norm is 0.5, the reference's 5

    ck_assert_double_eq_tol(q.error_percent, 10, 1e-12);
    ck_assert_double_eq_tol(q.snr_db, 20, 1e-12);
    ck_assert_double_eq_tol(q.psnr_db, 20 * log10(4 / 0.25), 1e-12);
    q = ki_mri_quality(reference, reference, 4, 1);
    ck_assert_double_eq(q.error_percent, 0);
    ck_assert(isinf(q.snr_db) && isinf(q.psnr_db));
    q = ki_mri_quality(x, nothing, 4, 1);
    ck_assert(isnan(q.error_percent) && isnan(q.snr_db) && isnan(q.psnr_db));
    ck_assert(isnan(ki_mri_quality(x, nothing, 0, 1).error_percent));
    // A phase counts as an error: the difference is twice the reference here.
    q = ki_mri_quality((const double complex[]){-3, -4 * I}, reference, 2, 1);
    ck_assert_double_eq_tol(q.error_percent, 200, 1e-12);
    // If x has nothing of the reference, no factor helps.
    factor = ki_mri_best_factor((const double complex[]){2 * I, 2, 0}, (const double complex[]){1, -I, 3}, 3);
    ck_assert_double_eq_tol(creal(factor), 0, 1e-15);
    ck_assert_double_eq_tol(cimag(factor), -0.5, 1e-15);
    q = ki_mri_quality((const double complex[]){2 * I, 2, 0}, (const double complex[]){1, -I, 3}, 3, factor);
    ck_assert_double_eq_tol(q.error_percent, 100 * 3 / sqrt(11), 1e-12);
    ck_assert(mri_complex(q.factor[0], q.factor[1]) == factor);
    ck_assert(ki_mri_best_factor(nothing, reference, 4) == 1);
}
END_TEST

// A brain, one spiral of 3,770 samples: the adjoint that others computed in double precision, kept as floats.
START_TEST(real_scan)
{
    static const kn_recon_matrix matrix = {2, {64, 64, 1}};
    char trajectory_path[4200], data_path[4200], path[4200];
    double complex *data, *image, *wanted;
    struct mri_trajectory trajectory;
    struct npy ksp, reference;
    kn_recon_quality q;

    if (!test_data_path("mri/impatient-64x64x1/traj.cfl", trajectory_path, sizeof trajectory_path) ||
        !test_data_path("mri/impatient-64x64x1/ksp.cfl", data_path, sizeof data_path) ||
        !test_data_path("mri/impatient-64x64x1/ref_fhd.cfl", path, sizeof path))
        return;
    ck_assert_int_eq(mri_trajectory_read(trajectory_path, &trajectory, NULL), KN_OK);
    ck_assert_int_eq(cfl_read(data_path, &ksp, NULL), KN_OK);
    ck_assert_int_eq(cfl_read(path, &reference, NULL), KN_OK);
    ck_assert_uint_eq(trajectory.samples, 3770);
    ck_assert_uint_eq(ksp.count, 3770);
    ck_assert_uint_eq(reference.count, 64 * 64);
    data = malloc(3770 * sizeof *data);
    image = malloc(64 * 64 * sizeof *image);
    wanted = malloc(64 * 64 * sizeof *wanted);
    ck_assert(data && image && wanted);
    for (size_t m = 0; m < 3770; m++)
        data[m] = ((float complex *)ksp.data)[m];
    for (size_t n = 0; n < 64 * 64; n++)
        wanted[n] = ((float complex *)reference.data)[n];
    ck_assert_int_eq(
        ki_mri_reference_adjoint(&matrix, trajectory.k, 3770, data, NULL, KN_RECON_SCALE_NONE, image, NULL),
        KN_OK);
    q = ki_mri_quality(image, wanted, 64 * 64, 1);
    fprintf(stderr, "real_scan: relative error %.2g\n", q.error_percent / 100);
    // Its floats are rounded to 2^-25 of each part at least, on average.
    ck_assert_double_le(q.error_percent / 100, 1e-7);
    free(data);
    free(image);
    free(wanted);
    free(trajectory.k);
    npy_free(&ksp);
    npy_free(&reference);
}
END_TEST

// Parboil's small problem, read like Parboil does: its published Q, at every seventh voxel.
START_TEST(published_q)
{
    char data_path[4200], path[4200];
    struct parboil data;
    struct npy q;
    kn_recon_quality quality;
    size_t count = 0;
    double *k, *positions;
    double complex *mu, *values, *wanted;

    if (!test_data_path("mri/parboil-mri-q-small/32_32_32_dataset.bin", data_path, sizeof data_path) ||
        !test_data_path("mri/parboil-mri-q-small/32_32_32_dataset.out", path, sizeof path))
        return;
    ck_assert_int_eq(parboil_read(data_path, PARBOIL_PUBLISHED, &data, NULL), KN_OK);
    ck_assert_int_eq(parboil_read_result(path, &q, NULL), KN_OK);
    ck_assert_uint_eq(q.count, data.voxels);
    k = malloc(3 * data.samples * sizeof *k);
    mu = malloc(data.samples * sizeof *mu);
    positions = malloc(3 * data.voxels * sizeof *positions);
    values = malloc(data.voxels * sizeof *values);
    wanted = malloc(data.voxels * sizeof *wanted);
    ck_assert(k && mu && positions && values && wanted);
    for (size_t m = 0; m < data.samples; m++) {
        double re = (double)data.phi[0][m], im = (double)data.phi[1][m];

        for (size_t axis = 0; axis < 3; axis++)
            k[3 * m + axis] = (double)data.k[axis][m];
        mu[m] = re * re + im * im;
    }
    for (size_t n = 0; n < data.voxels; n += 7, count++) {
        for (size_t axis = 0; axis < 3; axis++)
            positions[3 * count + axis] = (double)data.r[axis][n];
        wanted[count] = ((float complex *)q.data)[n];
    }
    ki_mri_reference_adjoint_at(k, data.samples, mu, NULL, positions, count, values);
    quality = ki_mri_quality(values, wanted, count, 1);
    fprintf(stderr, "published_q: relative error %.2g\n", quality.error_percent / 100);
    // The published sums are in single precision.
    ck_assert_double_le(quality.error_percent / 100, 5e-6);
    free(k);
    free(mu);
    free(positions);
    free(values);
    free(wanted);
    parboil_free(&data);
    npy_free(&q);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {definition, adjoint, unitary, refused, measures, real_scan, published_q};

    return TEST_RUN("mri reference", CK_FORK_GETENV, tests);
}
