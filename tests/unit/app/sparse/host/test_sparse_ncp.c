// SPDX-License-Identifier: Apache-2.0
// Tests the distance from white noise against its definition, and iterations that stop automatically near the
// best image.
#include "sparse_support.h"

#include "app/sparse/solver/host/host_solve.h"
#include "operator/ncp.h"
#include "support/run.h"

// By sums of sines and cosines.
static double definition(const double *r, size_t count)
{
    size_t length = 512;
    double power[256] = {0}, all = 0, sum = 0, squares = 0;

    while (length > count)
        length /= 2;
    for (size_t begin = 0; begin + length <= count; begin += length)
        for (size_t k = 1; k <= length / 2; k++) {
            double re = 0, im = 0;

            for (size_t i = 0; i < length; i++) {
                double angle = 2 * acos(-1) * (double)(i * k % length) / (double)length;

                re += r[begin + i] * cos(angle);
                im += r[begin + i] * sin(angle);
            }
            power[k - 1] += re * re + im * im;
        }
    for (size_t k = 0; k < length / 2; k++)
        all += power[k];
    for (size_t k = 0; k < length / 2; k++) {
        sum += power[k];
        squares += pow(sum / all - (double)(k + 1) / (double)(length / 2), 2);
    }
    return sqrt(squares / (double)(length / 2));
}

START_TEST(distances)
{
    static const size_t counts[] = {8, 9, 15, 16, 17, 100, 511, 512, 513, 1023, 1024, 1700};
    double zeros[64] = {0};

    sparse_seed = test_seed("distances");
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        double *r = sparse_numbers(counts[c]);

        for (size_t i = 0; i < counts[c]; i++)
            r[i] += 3 * cos((double)i / 7) + 1;
        ck_assert_double_le(fabs(ki_ncp_distance(r, counts[c]) - definition(r, counts[c])), 1e-12);
        free(r);
    }
    ck_assert_double_eq(ki_ncp_distance(zeros, 7), 0);
    ck_assert_double_le(ki_ncp_distance(zeros, 64), 0.58); // zeros are not noise, and cause no division by 0
}
END_TEST

START_TEST(noise_and_pictures)
{
    enum { COUNT = 20000 };
    double *r;

    sparse_seed = test_seed("noise_and_pictures");
    r = sparse_numbers(COUNT);
    ck_assert_double_le(fabs(ki_ncp_of_noise(COUNT) - 1 / sqrt(6.0 * 39 * 256)), 1e-15);
    ck_assert_double_eq(ki_ncp_of_noise(7), 0);
    ck_assert_double_le(ki_ncp_distance(r, COUNT), 5 * ki_ncp_of_noise(COUNT));
    for (size_t i = 0; i < COUNT; i++)
        r[i] += 5 * cos((double)i / 50); // noise is negligible in comparison
    ck_assert_double_ge(ki_ncp_distance(r, COUNT), 0.4);
    free(r);
}
END_TEST

static double error_after(struct sparse_host *host, const float *b, const double *image,
                          const struct host_cgnr_options *options, struct host_cgnr_result *result)
{
    static float x[BEAM_PIXELS];

    memset(x, 0, sizeof x);
    EXPECT_OK(ki_sparse_host_solve(host, b, options, x, result, &err));
    return test_relative_distance_of_floats(x, image, BEAM_PIXELS);
}

// 2 % noise, which the image fits after more than some 15 iterations: whiteness stops within 15 % of the
// best.
START_TEST(stops_near_the_best)
{
    enum { MOST = 40 };
    static double image[BEAM_PIXELS];
    struct sparse_matrix matrix = sparse_parallel_beam();
    double *b = sparse_numbers(BEAM_RAYS), noise, best = INFINITY, error;
    float *narrow = malloc(BEAM_RAYS * sizeof *narrow);
    struct host_cgnr_result result = {.history = NULL};
    struct host_cgnr_options options = {.iterations = 1};
    struct sparse_host *host;
    size_t best_k = 0;

    sparse_seed = test_seed("stops_near_the_best");
    sparse_phantom(image);
    noise = sparse_measure(&matrix, image, 0.02, b);
    for (size_t i = 0; i < BEAM_RAYS; i++)
        narrow[i] = (float)b[i];
    EXPECT_OK(ki_sparse_host_create(&matrix, KN_F32, SPARSE_HOST_SELL, NULL, &host, &err));
    for (; options.iterations <= MOST; options.iterations++) {
        error = error_after(host, narrow, image, &options, &result);
        best_k = error < best ? options.iterations : best_k;
        best = fmin(best, error);
    }
    options = (struct host_cgnr_options){.iterations = 400};
    fprintf(stderr, "best: %.4f after %zu iterations; after 400, or at the floor, %.4f\n", best, best_k,
            error_after(host, narrow, image, &options, &result));
    options.ncp = true;
    error = error_after(host, narrow, image, &options, &result);
    fprintf(stderr, "ncp: %.4f after %zu\n", error, result.iterations);
    ck_assert_int_eq((int)result.stopped_by, HOST_CGNR_NCP);
    ck_assert_double_le(error, 1.15 * best);
    options = (struct host_cgnr_options){.iterations = result.iterations};
    ck_assert_double_eq(error_after(host, narrow, image, &options, &result),
                        error); // that x
    options = (struct host_cgnr_options){.iterations = 400, .noise = noise};
    error = error_after(host, narrow, image, &options, &result);
    fprintf(stderr, "discrepancy: %.4f after %zu\n", error, result.iterations);
    ck_assert_int_eq((int)result.stopped_by, HOST_CGNR_DISCREPANCY);
    ck_assert_double_le(result.residual, noise);
    ki_sparse_host_free(host);
    ki_sparse_free(&matrix);
    free(narrow);
    free(b);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {distances, noise_and_pictures, stops_near_the_best};

    return TEST_RUN("sparse_ncp", CK_FORK, tests);
}
