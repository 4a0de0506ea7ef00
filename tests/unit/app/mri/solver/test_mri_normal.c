// SPDX-License-Identifier: Apache-2.0
// Tests the normal operator by both sums on a device: against both in double precision, and for symmetry;
// which kernels run. test_mri_recon.c tests the solver's results with it.
#include "unit/app/mri/mri_support.h"

#include "app/mri/solver/normal.h"

// Unequal, odd, prime, single; rows longer than a run of the forward sum.
static const kn_recon_matrix matrices[] = {
    {2, {1, 1, 1}}, {2, {2, 3, 1}}, {2, {7, 5, 1}},  {2, {13, 1, 1}},  {2, {1, 13, 1}},
    {3, {4, 4, 4}}, {3, {3, 5, 2}}, {3, {11, 1, 6}}, {2, {32, 31, 1}}, {2, {67, 33, 1}},
};
enum { MATRICES = sizeof matrices / sizeof *matrices };

static const size_t sample_counts[] = {1, 2, 3, 31, 32, 33, 127, 129};
enum { COUNTS = sizeof sample_counts / sizeof *sample_counts };

static const double eps = 0x1p-24;

// Of a voxel, at most, in units of sum |x| sum w. A term of the forward sum is off by its phase (a fraction's
// 2^-24 of a turn twice, and 2^-33 for each step along an axis), by sine and cosine, and by the roundings of
// a run of 64 voxels, of a share of 64 runs and of some factors (test_mri_forward.c); one of the adjoint by
// its own phase (five roundings of k . r in turns and two of what is left; a fraction's are fewer), by sine
// and cosine, and by a rounding for each of `samples` terms and some factors (test_mri_sum.c). sqrt(2): real
// and imaginary part.
static double error_of(const struct scan *scan)
{
    double steps = 0, forward, back, samples = (double)scan->samples;

    for (size_t axis = 0; axis < 3; axis++)
        steps += (double)scan->matrix.size[axis] / 2;
    forward = 2 * M_PI * (2 * eps + 0x1p-33 * steps) + 0x1p-21 + (64 + 64 + 20) * eps;
    // |k| <= N / 2 and |r| <= 1 / 2 on each axis.
    back = 2 * M_PI * eps * (5 * steps / 2 + 2) + 0x1p-21 + (10 + samples) * eps;
    return (forward + back) * M_SQRT2;
}

static struct mri_forward_normal *create(const struct scan *scan, bool weighted, enum mri_kernel kernel)
{
    struct mri_forward_normal *forward = NULL;

    EXPECT_OK(ki_mri_forward_normal_create(queue, &scan->matrix, scan->k, scan->samples,
                                           weighted ? scan->weights : NULL, kernel, 0, &forward, &err));
    ck_assert(isnan(ki_mri_forward_normal_of(forward)->bound));
    return forward;
}

static void check(const kn_recon_matrix *matrix, size_t samples, bool weighted, enum mri_kernel kernel,
                  uint64_t *state)
{
    struct scan scan = scan_make(matrix, samples, state);
    struct mri_forward_normal *forward = create(&scan, weighted, kernel);
    double complex *x = test_image(scan.voxels, state),
                   *y = test_apply_normal(ki_mri_forward_normal_of(forward), x, scan.voxels);
    double complex *wanted = test_image(scan.voxels, state);
    double magnitude = 0, weight = 0, most;

    for (size_t n = 0; n < scan.voxels; n++)
        magnitude += cabs(x[n]);
    for (size_t m = 0; m < samples; m++)
        weight += weighted ? scan.weights[m] : 1;
    most = error_of(&scan) * magnitude * weight;
    scan_normal(&scan, weighted, x, wanted);
    for (size_t n = 0; n < scan.voxels; n++)
        ck_assert_msg(cabs(y[n] - wanted[n]) <= most,
                      "%s, %zu x %zu x %zu, %zu samples, voxel %zu: off by %g, bound %g",
                      ki_mri_kernel_names[kernel], matrix->size[0], matrix->size[1], matrix->size[2], samples,
                      n, cabs(y[n] - wanted[n]), most);
    ki_mri_forward_normal_free(forward);
    scan_free(&scan);
    free(x);
    free(y);
    free(wanted);
}

START_TEST(both_sums)
{
    uint64_t state = test_seed("both_sums");

    for (size_t i = 0; i < (test_is_slow() ? 8 : MATRICES); i++)
        for (size_t c = i % 2; c < COUNTS; c += test_is_slow() ? 5 : 2)
            check(&matrices[i], sample_counts[c], c % 3, i % 3 == 1 ? MRI_REGISTER : MRI_TUNED, &state);
}
END_TEST

// <T x, y> = <x, T y>, within the errors of both.
START_TEST(symmetric)
{
    uint64_t state = test_seed("symmetric");
    struct scan scan = scan_make(&matrices[2], 50, &state);
    struct mri_forward_normal *forward = create(&scan, true, MRI_TUNED);
    double complex *x = test_image(scan.voxels, &state), *y = test_image(scan.voxels, &state);
    double complex *tx = test_apply_normal(ki_mri_forward_normal_of(forward), x, scan.voxels),
                   *ty = test_apply_normal(ki_mri_forward_normal_of(forward), y, scan.voxels);
    double complex left = test_product(tx, y, scan.voxels), right = test_product(x, ty, scan.voxels);
    double sum_x = 0, sum_y = 0, weight = 0;

    for (size_t n = 0; n < scan.voxels; n++) {
        sum_x += cabs(x[n]);
        sum_y += cabs(y[n]);
    }
    for (size_t m = 0; m < scan.samples; m++)
        weight += scan.weights[m];
    ck_assert_double_gt(cabs(left), 0);
    ck_assert_double_le(cabs(left - right), 2 * error_of(&scan) * sum_x * sum_y * weight);
    ki_mri_forward_normal_free(forward);
    scan_free(&scan);
    free(x);
    free(y);
    free(tx);
    free(ty);
}
END_TEST

// An application is one forward sum, and the adjoint by the named kernel; its terms are counted. Checks the
// kernels of both sums.
static void check_what_ran(enum mri_kernel kernel, const char *there, const char *back, uint64_t *state)
{
    struct scan scan = scan_make(&matrices[5], 20, state);
    struct mri_forward_normal *forward = create(&scan, false, kernel);
    double complex *x = test_image(scan.voxels, state);
    size_t count, times_there = 0, times_back = 0;
    kn_recon_rate rate;
    kn_profile_entry *entries;

    EXPECT_OK(kn_profile_start(queue, &err));
    for (size_t i = 0; i < 3; i++)
        free(test_apply_normal(ki_mri_forward_normal_of(forward), x, scan.voxels));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t i = 0; i < count; i++) {
        times_there += strcmp(entries[i].kernel, there) == 0;
        times_back += strcmp(entries[i].kernel, back) == 0;
        ck_assert_msg(!strstr(entries[i].kernel, "toeplitz") && !strstr(entries[i].kernel, "fft"), "%s ran",
                      entries[i].kernel);
    }
    ck_assert_uint_eq(times_there, 3);
    ck_assert_uint_eq(times_back, 3);
    rate = ki_mri_forward_normal_rate(forward);
    ck_assert_double_eq(rate.pairs, 3 * 2 * 64 * 20);
    ck_assert_double_eq(rate.flops, 13 * rate.pairs);
    ck_assert_double_gt(rate.seconds, 0);
    kn_free(entries);
    ki_mri_forward_normal_free(forward);
    scan_free(&scan);
    free(x);
}

START_TEST(what_ran)
{
    uint64_t state = test_seed("what_ran");

    check_what_ran(MRI_REGISTER, "mri_forward", "mri_register", &state);
    check_what_ran(MRI_SEPARABLE, "mri_forward_separable", "mri_separable", &state);
}
END_TEST

// Images and samples in parts.
START_TEST(in_parts)
{
    const kn_context_options options = KN_INIT(kn_context_options, .max_alloc = 4096);
    uint64_t state = test_seed("in_parts");

    if (test_is_slow())
        return;
    test_close();
    test_open_with(&options);
    check(&matrices[8], 600, true, MRI_TUNED, &state);
}
END_TEST

START_TEST(refused)
{
    static const kn_recon_matrix empty = {2, {4, 0, 1}};
    uint64_t state = test_seed("refused");
    struct scan scan = scan_make(&matrices[2], 20, &state);
    struct mri_forward_normal *forward = create(&scan, false, MRI_TUNED), *none;
    const struct mri_normal *normal = ki_mri_forward_normal_of(forward);
    struct mri_solver *solver = NULL;
    const struct mri_solver_options relative = {.iterations = 1, .lambda = 0.1, .relative_lambda = true};
    struct mri_sum sum = {.matrix = scan.matrix, .k = scan.k, .samples = 20};
    kn_buffer *x = test_upload_image(scan.room, 0, 0), *image = test_upload_image(NULL, scan.voxels, 0);
    double complex *right = test_image(scan.voxels, &state), host[7 * 5];
    kn_buffer *b = test_upload_image(right, scan.voxels, 0);

    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "not one of a device",
        ki_mri_forward_normal_create(queue, &scan.matrix, scan.k, 20, NULL, MRI_HOST_DOUBLE, 0, &none, &err));
    ck_assert_ptr_null(none);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "4 x 0 x 1",
                   ki_mri_forward_normal_create(queue, &empty, scan.k, 20, NULL, MRI_TUNED, 0, &none, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "same buffer",
                   kn_operator_apply(queue, normal->a, false, image, image, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "units of a bound that this operator does not have",
                   ki_mri_solver_create(queue, normal, &relative, &solver, &err));
    // Data on the device: there must be enough, they exclude other data, and they are not for the host.
    sum.device_data = x;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not of 20 samples",
                   ki_mri_sum_device(queue, &sum, MRI_TUNED, image, NULL, &err));
    sum.device_data = b;
    sum.data = right;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "others beside them",
                   ki_mri_sum_device(queue, &sum, MRI_TUNED, image, NULL, &err));
    sum.data = NULL;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "a device's",
                   ki_mri_sum_host(&sum, MRI_HOST_DOUBLE, NULL, host, NULL, &err));
    ki_mri_forward_normal_free(NULL);
    ki_mri_forward_normal_free(forward);
    kn_buffer_free(x);
    kn_buffer_free(b);
    kn_buffer_free(image);
    scan_free(&scan);
    free(right);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {both_sums, symmetric, what_ran, in_parts, refused};

    return test_run("mri normal", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
