// SPDX-License-Identifier: Apache-2.0
// Tests the sums on the host, directly and as products of matrices: double and single precision, at every
// level of instructions and with any number of threads, against the reference.
#include "support/expect.h"
#include "sum_support.h"

#include <float.h>
#include <math.h>

#include "cli/inputs/mri_files.h"
#include "app/mri/reference.h"
#include "app/mri/sum/sum.h"
#include "base/array.h"
#include "io/array/cfl.h"
#include "support/run.h"

// Unequal, odd, prime, single, more than a block.
static const kn_recon_matrix matrices[] = {
    {2, {1, 1, 1}}, {2, {2, 3, 1}}, {2, {7, 5, 1}},   {2, {31, 1, 1}},  {3, {4, 4, 4}},
    {3, {3, 5, 2}}, {3, {1, 1, 7}}, {2, {13, 10, 1}}, {3, {33, 3, 11}},
};

static const kn_host_level levels[] = {KN_HOST_SCALAR, KN_HOST_AVX2, KN_HOST_AVX512};

// A problem with any slab of voxels.
static struct problem make_slab(const kn_recon_matrix *matrix, size_t samples, unsigned given,
                                uint64_t *state)
{
    struct problem p = make(matrix, samples, given, state);

    p.sum.first = test_random(state) % p.voxels;
    p.sum.count = test_random(state) % (p.voxels - p.sum.first + 1);
    p.count = p.sum.count ? p.sum.count : p.voxels - p.sum.first;
    refer(&p);
    return p;
}

// Of a voxel, with `unit` half of the precision's epsilon: each term's phase has five roundings of turns and
// two of half a turn; its sine and cosine, from those of half the angle, have the polynomials' errors four
// times and six roundings; mu and the product six more; and each sum one a term, over chunks of 1,024 in
// single precision. A product of matrices has two such factors. Turns count as one where they are fractions
// of 2^-32.
static double bound(const struct problem *p, enum mri_kernel kernel)
{
    bool single = !mri_kernel_is_double(kernel), product = mri_kernel_is_separable(kernel);
    double unit = (single ? (double)FLT_EPSILON : DBL_EPSILON) / 2, turns = 0, magnitude = 0;
    double terms = (double)(single && p->sum.samples > 1024 ? 1024 : p->sum.samples);

    for (size_t m = 0; m < p->sum.samples; m++) {
        double most = (fabs(p->k[3 * m]) + fabs(p->k[3 * m + 1]) + fabs(p->k[3 * m + 2])) / 2;

        turns = most > turns ? most : turns;
        magnitude += cabs(p->mu[m]);
    }
    if (single && !p->sum.positions)
        turns = 1;
    return magnitude * unit * ((2 * M_PI * (5 * turns + 2) + 16) * (product ? 2 : 1) + terms) * M_SQRT2;
}

// The result of a kernel; nothing after the image may be written. NULL if this processor lacks the
// instructions.
static double complex *run(const struct problem *p, enum mri_kernel kernel, kn_host_level level,
                           unsigned threads)
{
    const kn_host_options options = KN_INIT(kn_host_options, .threads = threads, .level = level);
    double complex *image = test_zeros(p->count + 1, sizeof *image);
    kn_status status;

    memset(image, 0xff, (p->count + 1) * sizeof *image); // not a number
    image[p->count] = 7;
    err = (kn_error)KN_ERROR_INIT;
    status = ki_mri_sum_host(&p->sum, kernel, &options, image, NULL, &err);
    if (status == KN_ERROR_UNSUPPORTED) {
        free(image);
        return NULL;
    }
    ck_assert_msg(status == KN_OK, "%s", err.text);
    ck_assert(image[p->count] == 7);
    return image;
}

START_TEST(all_levels)
{
    uint64_t state = test_seed("all_levels");

    for (size_t i = 0; i < 20 * KI_COUNT(matrices); i++)
        for (int kernel = MRI_HOST_DOUBLE; kernel < MRI_EXACT; kernel++) {
            static const size_t samples[] = {0, 1, 2, 3, 31, 33, 127, 300, 1023, 1025, 2050};
            unsigned given =
                (unsigned)test_random(&state) % (mri_kernel_is_separable((enum mri_kernel)kernel) ? 8 : 16);
            struct problem p = make_slab(&matrices[i % KI_COUNT(matrices)],
                                         samples[test_random(&state) % KI_COUNT(samples)], given, &state);

            for (size_t l = 0; l < KI_COUNT(levels); l++) {
                double complex *one = run(&p, (enum mri_kernel)kernel, levels[l], 1);
                double complex *three = run(&p, (enum mri_kernel)kernel, levels[l], 3);

                for (size_t n = 0; one && n < p.count; n++) {
                    ck_assert_msg(cabs(one[n] - p.wanted[n]) <= bound(&p, (enum mri_kernel)kernel),
                                  "%s, level %d, %zu x %zu x %zu, %zu samples, given %u, voxel %zu: off by "
                                  "%g, bound %g",
                                  ki_mri_kernel_names[kernel], (int)levels[l], p.sum.matrix.size[0],
                                  p.sum.matrix.size[1], p.sum.matrix.size[2], p.sum.samples, given, n,
                                  cabs(one[n] - p.wanted[n]), bound(&p, (enum mri_kernel)kernel));
                    ck_assert_int_eq(memcmp(&one[n], &three[n], sizeof *one), 0);
                }
                free(one);
                free(three);
            }
            free_problem(&p);
        }
}
END_TEST

// The forward sum as a product of matrices: at every level, and the same with any number of threads.
START_TEST(forward)
{
    static const size_t samples[] = {1, 2, 255, 257, 600};
    uint64_t state = test_seed("forward");

    for (size_t i = 0; i < KI_COUNT(matrices); i++)
        for (int kernel = MRI_HOST_DOUBLE_SEPARABLE; kernel < MRI_EXACT; kernel++) {
            struct problem p =
                make(&matrices[i], samples[test_random(&state) % KI_COUNT(samples)], 0, &state);
            size_t count = p.sum.samples;
            double complex *image = test_allocate(p.voxels * sizeof *image),
                           *wanted = test_allocate(count * sizeof *wanted);
            double magnitude = 0;

            for (size_t n = 0; n < p.voxels; n++) {
                image[n] = mri_complex(test_uniform(&state), test_uniform(&state) - 0.5);
                magnitude += cabs(image[n]);
            }
            EXPECT_OK(ki_mri_reference_forward(&p.sum.matrix, p.k, count, image, KN_RECON_SCALE_NONE, wanted,
                                               &err));
            for (size_t l = 0; l < KI_COUNT(levels); l++) {
                double complex *found[2] = {NULL, NULL};
                kn_status status = KN_OK;

                for (unsigned t = 0; t < 2 && !status; t++) {
                    const kn_host_options options =
                        KN_INIT(kn_host_options, .threads = 1 + 2 * t, .level = levels[l]);

                    found[t] = test_poisoned(count * sizeof **found);
                    status = ki_mri_forward_host(&p.sum.matrix, p.k, count, image, (enum mri_kernel)kernel,
                                                 &options, NULL, NULL, found[t], &err);
                    ck_assert_msg(status == KN_OK || status == KN_ERROR_UNSUPPORTED, "%s", err.text);
                }
                for (size_t m = 0; m < count && !status; m++)
                    ck_assert_msg(
                        cabs(found[0][m] - wanted[m]) <=
                            (mri_kernel_is_double((enum mri_kernel)kernel) ? 1e-13 : 2e-6) * magnitude,
                        "%s, level %d, %zu x %zu x %zu, sample %zu of %zu: off by %g",
                        ki_mri_kernel_names[kernel], (int)levels[l], p.sum.matrix.size[0],
                        p.sum.matrix.size[1], p.sum.matrix.size[2], m, count, cabs(found[0][m] - wanted[m]));
                if (!status)
                    ck_assert_mem_eq(found[0], found[1], count * sizeof **found);
                free(found[0]);
                free(found[1]);
            }
            free(image);
            free(wanted);
            free_problem(&p);
        }
}
END_TEST

START_TEST(not_a_number)
{
    uint64_t state = test_seed("not_a_number");

    for (int kernel = MRI_HOST_DOUBLE; kernel < MRI_EXACT; kernel++)
        for (size_t l = 0; l < KI_COUNT(levels); l++) {
            struct problem p = make_slab(&matrices[7], 40, DATA, &state);
            double complex *image;

            p.data[test_random(&state) % 40] = l % 2 ? mri_complex(NAN, 0) : mri_complex(0, NAN);
            image = run(&p, (enum mri_kernel)kernel, levels[l], 0);
            for (size_t n = 0; image && n < p.count; n++)
                ck_assert(isnan(creal(image[n])) && isnan(cimag(image[n])));
            free(image);
            free_problem(&p);
        }
}
END_TEST

START_TEST(box)
{
    static const kn_recon_matrix matrix = {2, {8, 6, 1}};
    static const double k[] = {0, 0, 0, -4, 0, 0, 2, -3, 0};
    double complex basis[3];

    ki_mri_basis_box(&matrix, k, 3, basis);
    ck_assert_double_eq(creal(basis[0]), 1);
    ck_assert_double_eq_tol(creal(basis[1]), 2 / M_PI, 1e-15); // half a cycle over a voxel
    ck_assert_double_eq_tol(creal(basis[2]), 4 / M_PI * M_SQRT1_2 * 2 / M_PI, 1e-15);
    ck_assert_double_eq(cimag(basis[2]), 0);
}
END_TEST

START_TEST(refused)
{
    uint64_t state = test_seed("refused");
    struct problem p = make_slab(&matrices[2], 5, DATA, &state);
    double complex image[35];

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kernel 6",
                   ki_mri_sum_host(&p.sum, MRI_TUNED, NULL, image, NULL, &err));
    p.sum.positions = p.positions;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "positions of their own, but the kernel host-single-separable",
                   ki_mri_sum_host(&p.sum, MRI_HOST_SINGLE_SEPARABLE, NULL, image, NULL, &err));
    p.sum.positions = NULL;
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "kernel 8 is not a product of matrices of the host",
        ki_mri_forward_host(&p.sum.matrix, p.k, 5, image, MRI_HOST_DOUBLE, NULL, NULL, NULL, image, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL",
                   ki_mri_sum_host(&p.sum, MRI_HOST_DOUBLE, NULL, NULL, NULL, &err));
    p.k[3] = INFINITY;
    EXPECT_REFUSED(KN_ERROR_INPUT, "sample 1 ",
                   ki_mri_sum_host(&p.sum, MRI_HOST_DOUBLE, NULL, image, NULL, &err));
    free_problem(&p);
}
END_TEST

// A brain and one spiral: the adjoint that others computed in double precision, kept as floats.
START_TEST(spiral)
{
    char path[4200], data_path[4200], reference_path[4200];
    struct mri_trajectory trajectory;
    struct npy ksp, reference;
    double complex *data, *wanted, *image;

    if (!test_data_path("mri/impatient-64x64x1/traj.cfl", path, sizeof path) ||
        !test_data_path("mri/impatient-64x64x1/ksp.cfl", data_path, sizeof data_path) ||
        !test_data_path("mri/impatient-64x64x1/ref_fhd.cfl", reference_path, sizeof reference_path))
        return;
    EXPECT_OK(mri_trajectory_read(path, &trajectory, &err));
    EXPECT_OK(cfl_read(data_path, &ksp, &err));
    EXPECT_OK(cfl_read(reference_path, &reference, &err));
    data = test_zeros(3770, sizeof *data);
    wanted = test_zeros(4096, sizeof *wanted);
    image = test_zeros(4096, sizeof *image);
    for (size_t m = 0; m < 3770; m++)
        data[m] = ((float complex *)ksp.data)[m];
    for (size_t n = 0; n < 4096; n++)
        wanted[n] = ((float complex *)reference.data)[n];
    for (int kernel = MRI_HOST_DOUBLE; kernel < MRI_EXACT; kernel++) {
        const struct mri_sum sum = {
            .matrix = {2, {64, 64, 1}}, .k = trajectory.k, .samples = 3770, .data = data};
        kn_recon_rate rate;
        double error;

        EXPECT_OK(ki_mri_sum_host(&sum, (enum mri_kernel)kernel, NULL, image, &rate, &err));
        error = ki_mri_quality(image, wanted, 4096, 1).error_percent / 100;
        fprintf(stderr, "spiral: %s: relative error %.2g\n", ki_mri_kernel_names[kernel], error);
        ck_assert_double_le(error, mri_kernel_is_double((enum mri_kernel)kernel) ? 1e-7 : 5e-7);
        ck_assert_double_eq(rate.pairs, 3770.0 * 4096);
        ck_assert_double_gt(rate.seconds, 0);
    }
    free(data);
    free(wanted);
    free(image);
    free(trajectory.k);
    npy_free(&ksp);
    npy_free(&reference);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {all_levels, forward, not_a_number, box, refused, spiral};

    return TEST_RUN("mri sum on the host", CK_FORK_GETENV, tests);
}
