// SPDX-License-Identifier: Apache-2.0
// Tests covariances, whitening and compression of coils, which precede the reconstruction, against their
// definitions.
#include "unit/app/mri/recon_api_support.h"

#include "app/mri/mri.h"

enum { COILS = 5, SAMPLES = 400 };

// Noise that is correlated between coils.
static double complex *make_noise(void)
{
    uint64_t state = test_seed("coils");
    double complex *noise = test_allocate(COILS * SAMPLES * sizeof *noise);

    for (size_t m = 0; m < SAMPLES; m++)
        for (size_t c = 0; c < COILS; c++) {
            double re = 2 * test_uniform(&state) - 1, im = 2 * test_uniform(&state) - 1;

            noise[c * SAMPLES + m] = (double)(c + 1) * mri_complex(re, im);
            for (size_t other = 0; other < c; other++)
                noise[c * SAMPLES + m] += mri_complex(0.3, 0.1 * (double)c) * noise[other * SAMPLES + m];
        }
    return noise;
}

static void expect_identity(const double complex *matrix, size_t n, double bound)
{
    for (size_t i = 0; i < n * n; i++)
        ck_assert_double_le(cabs(matrix[i] - (i / n == i % n)), bound);
}

// Whitened noise has the identity as covariance.
START_TEST(whitening)
{
    double complex *noise = make_noise(), *white = test_allocate(COILS * SAMPLES * sizeof *white);
    double complex covariance[COILS * COILS], matrix[COILS * COILS], sum = 0;

    EXPECT_OK(kn_recon_coils_covariance((double *)noise, SAMPLES, COILS, (double *)covariance, &err));
    for (size_t m = 0; m < SAMPLES; m++)
        sum += noise[3 * SAMPLES + m] * conj(noise[SAMPLES + m]) / SAMPLES;
    ck_assert_double_lt(cabs(covariance[3 * COILS + 1] - sum), 1e-12 * cabs(sum));
    EXPECT_OK(kn_recon_coils_whiten((double *)covariance, COILS, (double *)matrix, &err));
    for (size_t c = 0; c < COILS; c++)
        for (size_t other = c + 1; other < COILS; other++)
            ck_assert(matrix[c * COILS + other] == 0);
    EXPECT_OK(
        kn_recon_coils_mix((double *)matrix, COILS, COILS, (double *)noise, SAMPLES, (double *)white, &err));
    EXPECT_OK(kn_recon_coils_covariance((double *)white, SAMPLES, COILS, (double *)covariance, &err));
    expect_identity(covariance, COILS, 1e-12);
    free(noise);
    free(white);
}
END_TEST

// Data of two sources can be represented by two coils, with orthonormal rows; all coils together represent
// any data.
START_TEST(compression)
{
    double complex *data = make_noise(), *few = test_allocate(COILS * SAMPLES * sizeof *few);
    double complex covariance[COILS * COILS], matrix[COILS * COILS], product[COILS * COILS];
    double energy, before = 0, after = 0;

    for (size_t c = 2; c < COILS; c++)
        for (size_t m = 0; m < SAMPLES; m++)
            data[c * SAMPLES + m] = (double)c * data[m] - mri_complex(0, 1) * data[SAMPLES + m];
    EXPECT_OK(kn_recon_coils_covariance((double *)data, SAMPLES, COILS, (double *)covariance, &err));
    EXPECT_OK(kn_recon_coils_compress((double *)covariance, COILS, 2, (double *)matrix, &energy, &err));
    ck_assert_double_eq_tol(energy, 1, 1e-12);
    EXPECT_OK(kn_recon_coils_mix((double *)matrix, 2, COILS, (double *)data, SAMPLES, (double *)few, &err));
    for (size_t i = 0; i < COILS * SAMPLES; i++)
        before += pow(cabs(data[i]), 2);
    for (size_t i = 0; i < 2 * SAMPLES; i++)
        after += pow(cabs(few[i]), 2);
    ck_assert_double_eq_tol(after / before, 1, 1e-12);
    EXPECT_OK(kn_recon_coils_compress((double *)covariance, COILS, 1, (double *)matrix, &energy, &err));
    ck_assert(energy > 0.5 && energy < 1);
    EXPECT_OK(kn_recon_coils_compress((double *)covariance, COILS, COILS, (double *)matrix, NULL, &err));
    for (size_t i = 0; i < COILS * COILS; i++) {
        product[i] = 0;
        for (size_t c = 0; c < COILS; c++)
            product[i] += matrix[i / COILS * COILS + c] * conj(matrix[i % COILS * COILS + c]);
    }
    expect_identity(product, COILS, 1e-12);
    free(data);
    free(few);
}
END_TEST

START_TEST(refused)
{
    double complex *noise = make_noise(), covariance[COILS * COILS], matrix[COILS * COILS];
    double *psi = (double *)covariance, *made = (double *)matrix;

#define REFUSED(words, call) EXPECT_REFUSED(KN_ERROR_ARGUMENT, words, call)
    EXPECT_OK(kn_recon_coils_covariance((double *)noise, SAMPLES, COILS, psi, &err));
    REFUSED("5 coils cannot become 6", kn_recon_coils_compress(psi, COILS, 6, made, NULL, &err));
    REFUSED("5 coils cannot become 0", kn_recon_coils_compress(psi, COILS, 0, made, NULL, &err));
    REFUSED("data and mixed are one array",
            kn_recon_coils_mix(psi, COILS, COILS, (double *)noise, SAMPLES, (double *)noise, &err));
    covariance[1] *= 2;
    REFUSED("expected a Hermitian matrix", kn_recon_coils_whiten(psi, COILS, made, &err));
    covariance[1] = NAN;
    REFUSED("the covariance of coils 0 and 1 is nan", kn_recon_coils_whiten(psi, COILS, made, &err));
    memcpy(noise + 3 * SAMPLES, noise + SAMPLES, SAMPLES * sizeof *noise);
    EXPECT_OK(kn_recon_coils_covariance((double *)noise, SAMPLES, COILS, psi, &err));
    REFUSED("the noise covariance is singular: the noise of coil 3 is made of that of the coils before it",
            kn_recon_coils_whiten(psi, COILS, made, &err));
    memset(noise + 2 * SAMPLES, 0, SAMPLES * sizeof *noise);
    EXPECT_OK(kn_recon_coils_covariance((double *)noise, SAMPLES, COILS, psi, &err));
    REFUSED("the noise covariance is singular: the noise of coil 2 is 0;",
            kn_recon_coils_whiten(psi, COILS, made, &err));
    noise[SAMPLES + 7] = INFINITY;
    REFUSED("sample 7 of coil 1 is inf",
            kn_recon_coils_covariance((double *)noise, SAMPLES, COILS, psi, &err));
    REFUSED("there are no samples", kn_recon_coils_covariance((double *)noise, 0, COILS, psi, &err));
    REFUSED("there are no coils", kn_recon_coils_whiten(psi, 0, made, &err));
#undef REFUSED
    free(noise);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {whitening, compression, refused};

    return TEST_RUN("coils before they are reconstructed", CK_FORK_GETENV, tests);
}
