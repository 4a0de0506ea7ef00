// SPDX-License-Identifier: Apache-2.0
// Tests the host's NUFFT against the exact sums in double precision: its error is within the tolerance, in
// one, two and three dimensions, at every level of instructions; its bits do not depend on the number of
// threads.
#include "support/expect.h"
#include "support/random.h"
#include "support/run.h"

#include <math.h>
#include <stdlib.h>

#include "app/mri/gridding/host_nufft.h"
#include "app/mri/reference.h"
#include "base/array.h"

static const kn_host_level levels[] = {KN_HOST_SCALAR, KN_HOST_AVX2, KN_HOST_AVX512};

struct problem {
    kn_recon_matrix matrix;
    size_t voxels, samples;
    double *k, *weights;
    double complex *data, *basis, *image, *right_image, *right_data;
};

// In the band, on its edges, at 0, on a cell, and outside.
static double random_k(size_t size, uint64_t *state)
{
    double edge = (double)size / 2;
    const double odd_ones[] = {-edge, edge, 0, 0.5, edge - 0.5, nextafter(edge, 0), -nextafter(edge, 0)};
    uint64_t kind = test_random(state) % 8;

    return kind == 0   ? odd_ones[test_random(state) % KI_COUNT(odd_ones)]
           : kind == 1 ? 4 * edge * (2 * test_uniform(state) - 1)
                       : edge * (2 * test_uniform(state) - 1);
}

static void *new_array(size_t count, size_t size)
{
    void *array = calloc(count, size);

    ck_assert_ptr_nonnull(array);
    return array;
}

static struct problem make(const kn_recon_matrix *matrix, size_t samples, uint64_t *state)
{
    struct problem p = {.matrix = *matrix, .samples = samples};
    double complex *turned = new_array(samples, sizeof *turned);

    EXPECT_OK(ki_mri_matrix_count(matrix, &p.voxels, &err));
    p.k = new_array(MRI_AXES * samples, sizeof *p.k);
    p.weights = new_array(samples, sizeof *p.weights);
    p.data = new_array(samples, sizeof *p.data);
    p.basis = new_array(samples, sizeof *p.basis);
    p.right_data = new_array(samples, sizeof *p.right_data);
    p.image = new_array(p.voxels, sizeof *p.image);
    p.right_image = new_array(p.voxels, sizeof *p.right_image);
    for (size_t i = 0; i < MRI_AXES * samples; i++)
        p.k[i] = random_k(matrix->size[i % MRI_AXES], state);
    for (size_t m = 0; m < samples; m++) {
        p.weights[m] = test_uniform(state);
        p.data[m] = test_complex(state);
        p.basis[m] = test_complex(state);
        turned[m] = conj(p.basis[m]) * p.data[m];
    }
    for (size_t n = 0; n < p.voxels; n++)
        p.image[n] = test_complex(state);
    EXPECT_OK(ki_mri_reference_adjoint(matrix, p.k, samples, turned, p.weights, KN_RECON_SCALE_NONE,
                                       p.right_image, &err));
    EXPECT_OK(
        ki_mri_reference_forward(matrix, p.k, samples, p.image, KN_RECON_SCALE_NONE, p.right_data, &err));
    free(turned);
    return p;
}

static void discard(struct problem *p)
{
    free(p->k);
    free(p->weights);
    free(p->data);
    free(p->basis);
    free(p->image);
    free(p->right_image);
    free(p->right_data);
}

// NULL if this processor lacks the instructions.
static struct mri_host_nufft *create(const struct problem *p, const struct mri_nufft_options *how,
                                     kn_host_level level, unsigned threads)
{
    const kn_host_options host = KN_INIT(kn_host_options, .level = level, .threads = threads);
    struct mri_host_nufft *nufft = NULL;
    kn_status status = ki_mri_host_nufft_create(&p->matrix, p->k, p->samples, how, &host, NULL, &nufft, &err);

    ck_assert_msg(!status || status == KN_ERROR_UNSUPPORTED, "%s", err.text);
    return nufft;
}

static double distance(const double complex *x, const double complex *right, size_t count)
{
    return ki_mri_quality(x, right, count, 1).error_percent / 100;
}

static void expect_tolerance(const struct problem *p, const struct mri_nufft_options *how,
                             kn_host_level level)
{
    struct mri_host_nufft *nufft = create(p, how, level, 2);
    double complex *image = new_array(p->voxels, sizeof *image), *data = new_array(p->samples, sizeof *data);
    const size_t *size = p->matrix.size;
    double error;

    if (nufft) {
        EXPECT_OK(ki_mri_host_nufft_adjoint(nufft, p->data, p->weights, p->basis, image, &err));
        EXPECT_OK(ki_mri_host_nufft_forward(nufft, p->image, data, &err));
        error = distance(image, p->right_image, p->voxels);
        ck_assert_msg(error <= how->tolerance, "%zu x %zu x %zu, level %d, tolerance %g: adjoint %.3g",
                      size[0], size[1], size[2], (int)level, how->tolerance, error);
        error = distance(data, p->right_data, p->samples);
        ck_assert_msg(error <= how->tolerance, "%zu x %zu x %zu, level %d, tolerance %g: forward %.3g",
                      size[0], size[1], size[2], (int)level, how->tolerance, error);
    }
    ki_mri_host_nufft_free(nufft);
    free(image);
    free(data);
}

// One, two and three dimensions, even, odd, of a few voxels, with axes of one; one and many tiles.
START_TEST(keeps_to_tolerance)
{
    static const kn_recon_matrix matrices[] = {
        {2, {33, 1, 1}},  {2, {1, 64, 1}},  {3, {1, 1, 7}},    {2, {2, 3, 1}},
        {2, {24, 17, 1}}, {2, {90, 75, 1}}, {3, {9, 8, 11}},   {3, {31, 1, 12}},
        {3, {40, 19, 9}}, {2, {1, 1, 1}},   {2, {5001, 1, 1}},
    };
    static const struct mri_nufft_options hows[] = {{1e-2, false}, {1e-3, false}, {1e-4, false},
                                                    {1e-5, false}, {1e-6, false}, {1e-2, true},
                                                    {1e-6, true},  {1e-9, true},  {1e-12, true}};
    uint64_t state = test_seed("nufft");

    for (size_t i = 0; i < KI_COUNT(matrices); i++) {
        struct problem p = make(&matrices[i], 101, &state);

        for (size_t how = 0; how < KI_COUNT(hows); how++)
            for (size_t level = 0; level < KI_COUNT(levels); level++)
                expect_tolerance(&p, &hows[how], levels[level]);
        discard(&p);
    }
}
END_TEST

// The same bits with any number of threads, and in every run.
START_TEST(repeats)
{
    static const kn_recon_matrix matrices[] = {{2, {150, 70, 1}}, {3, {33, 40, 21}}, {3, {1, 3000, 1}}};
    uint64_t state = test_seed("repeats");

    for (size_t i = 0; i < KI_COUNT(matrices); i++)
        for (int is_double = 0; is_double < 2; is_double++) {
            const struct mri_nufft_options how = {1e-5, is_double};
            struct problem p = make(&matrices[i], 40, &state);
            double complex *images[3], *data[3];

            for (size_t run = 0; run < 3; run++) {
                struct mri_host_nufft *nufft = create(&p, &how, KN_HOST_AUTO, run == 0 ? 1 : 3);

                images[run] = new_array(p.voxels, sizeof *images[run]);
                data[run] = new_array(p.samples, sizeof *data[run]);
                EXPECT_OK(ki_mri_host_nufft_forward(nufft, p.image, data[run], &err));
                EXPECT_OK(ki_mri_host_nufft_adjoint(nufft, p.data, NULL, NULL, images[run], &err));
                ck_assert_mem_eq(images[run], images[0], p.voxels * sizeof *images[run]);
                ck_assert_mem_eq(data[run], data[0], p.samples * sizeof *data[run]);
                ki_mri_host_nufft_free(nufft);
            }
            for (size_t run = 0; run < 3; run++) {
                free(images[run]);
                free(data[run]);
            }
            discard(&p);
        }
}
END_TEST

static bool stop(void *data, double done)
{
    (void)data;
    (void)done;
    return false;
}

// Not-a-number propagates to the result; values out of range; and a caller who stops.
START_TEST(edges)
{
    static const kn_recon_matrix matrix = {2, {8, 9, 1}}, none = {2, {0, 9, 1}};
    static const struct mri_nufft_options how = {1e-5, false};
    static const struct mri_nufft_options bad[] = {{0, true},  {9e-7, false}, {9e-13, true},   {0.11, true},
                                                   {-1, true}, {NAN, true},   {INFINITY, true}};
    uint64_t state = test_seed("edges");
    struct problem p = make(&matrix, 20, &state);
    struct mri_host_nufft *nufft = create(&p, &how, KN_HOST_AUTO, 0), *other = NULL;
    struct ki_ask ask = {.go_on = stop, .to = 1};

    p.data[3] = NAN;
    EXPECT_OK(ki_mri_host_nufft_adjoint(nufft, p.data, NULL, NULL, p.right_image, &err));
    for (size_t n = 0; n < p.voxels; n++)
        ck_assert_msg(isnan(creal(p.right_image[n])) || isnan(cimag(p.right_image[n])), "voxel %zu", n);
    ki_mri_host_nufft_free(nufft);
    for (size_t i = 0; i < KI_COUNT(bad); i++)
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "tolerance",
                       ki_mri_host_nufft_create(&matrix, p.k, p.samples, &bad[i], NULL, NULL, &other, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "0 x 9 x 1",
                   ki_mri_host_nufft_create(&none, p.k, p.samples, &how, NULL, NULL, &other, &err));
    EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "",
                   ki_mri_host_nufft_create(&matrix, p.k, p.samples, &how, NULL, &ask, &other, &err));
    p.k[4] = NAN;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "ky of sample 1",
                   ki_mri_host_nufft_create(&matrix, p.k, p.samples, &how, NULL, NULL, &other, &err));
    ck_assert_ptr_null(other);
    ki_mri_host_nufft_free(NULL);
    // No samples: an image of zeros.
    EXPECT_OK(ki_mri_host_nufft_create(&matrix, p.k, 0, &how, NULL, NULL, &other, &err));
    EXPECT_OK(ki_mri_host_nufft_adjoint(other, NULL, NULL, NULL, p.image, &err));
    for (size_t n = 0; n < p.voxels; n++)
        ck_assert(p.image[n] == 0);
    ki_mri_host_nufft_free(other);
    discard(&p);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {keeps_to_tolerance, repeats, edges};

    return TEST_RUN("mri nufft", CK_FORK_GETENV, tests);
}
