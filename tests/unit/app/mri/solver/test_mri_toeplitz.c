// SPDX-License-Identifier: Apache-2.0
// Tests the normal operator as a convolution: against both sums in double precision, for symmetry, and
// against the differences that others computed from a real scan; and the file that stores it.
#include "unit/app/mri/mri_support.h"

#include <float.h>

// Unequal, odd, prime, single; axes of 1 in every place.
static const kn_recon_matrix matrices[] = {
    {2, {1, 1, 1}}, {2, {2, 3, 1}}, {2, {7, 5, 1}},  {2, {13, 1, 1}},  {2, {1, 13, 1}},  {3, {4, 4, 4}},
    {3, {3, 5, 2}}, {3, {1, 1, 7}}, {3, {11, 1, 6}}, {2, {32, 31, 1}}, {2, {33, 16, 1}}, {3, {9, 8, 7}},
};
enum { MATRICES = sizeof matrices / sizeof *matrices, ROOM = 64 };

static const size_t sample_counts[] = {1, 2, 37, 150};

static size_t case_count(void)
{
    return test_is_slow() ? 7 : MATRICES;
}

static const double eps = 0x1p-24;

// What an application may be off by in the 2-norm, for ||x|| = 1. A transform of n numbers is right to eps
// (log2 n + 2) / 2 of its 2-norm (koine/fft.h); the eigenvalues, of which `bound` is the greatest, are
// multiplied and divided once: 2 eps. The eigenvalues' own error, in the maximum and so in the 2-norm, is a
// transform's of q, whose 2-norm is sqrt(n) ||q||; its floats are rounded once.
static double apply_error(const struct scan *scan, bool weighted, const struct mri_toeplitz *toeplitz)
{
    struct mri_toeplitz_size size;
    double transform, squares = 0;

    EXPECT_OK(ki_mri_toeplitz_measure(&scan->matrix, &size, &err));
    transform = eps * (log2((double)size.points) + 2) / 2;
    for (size_t m = 0; m < scan->samples; m++) // |q| <= the sum of the weights
        squares += weighted ? scan->weights[m] : 1;
    squares *= squares * (double)(8 * scan->voxels);
    return (2 * transform + 2 * eps) * ki_mri_toeplitz_bound(toeplitz) +
           (transform + 2 * eps) * sqrt((double)size.points * squares);
}

static struct mri_toeplitz *compute_by(const struct scan *scan, bool weighted, enum mri_kernel kernel)
{
    struct mri_toeplitz *toeplitz = NULL;

    EXPECT_OK(ki_mri_toeplitz_compute(queue, &scan->matrix, scan->k, scan->samples,
                                      weighted ? scan->weights : NULL, kernel, &toeplitz, NULL, &err));
    ck_assert_str_eq(ki_mri_toeplitz_kernel(toeplitz), ki_mri_kernel_names[kernel]);
    return toeplitz;
}

static struct mri_toeplitz *compute(const struct scan *scan, bool weighted)
{
    return compute_by(scan, weighted, MRI_HOST_DOUBLE);
}

START_TEST(sizes)
{
    static const size_t lengths[][2] = {{1, 1},   {2, 4},    {3, 6},     {4, 8},    {5, 10},
                                        {6, 12},  {7, 16},   {8, 16},    {9, 18},   {13, 30},
                                        {31, 64}, {64, 128}, {127, 256}, {128, 256}};
    static const kn_recon_matrix empty = {2, {4, 0, 1}}, huge = {3, {1 << 29, 1, 1}};
    struct mri_toeplitz_size size;

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const kn_recon_matrix matrix = {3, {3, lengths[i][0], 1}};
        size_t n = lengths[i][0];

        EXPECT_OK(ki_mri_toeplitz_measure(&matrix, &size, &err));
        ck_assert_uint_eq(size.length[0], 6);
        ck_assert_uint_eq(size.length[1], lengths[i][1]);
        ck_assert_uint_eq(size.length[2], 1);
        ck_assert_uint_eq(size.points, 6 * lengths[i][1]);
        ck_assert_uint_eq(size.differences, (n == 1 ? 0 : 6 * n) + 3 + 1);
        ck_assert_uint_ge(size.bytes, 12 * size.points);
    }
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "4 x 0 x 1", ki_mri_toeplitz_measure(&empty, &size, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "536870912 voxels along x",
                   ki_mri_toeplitz_measure(&huge, &size, &err));
}
END_TEST

// T x against F^H W F x.
START_TEST(normal)
{
    uint64_t state = test_seed("normal");
    double worst = 0;

    for (size_t i = 0; i < case_count(); i++)
        for (size_t c = 0; c < sizeof sample_counts / sizeof *sample_counts; c++) {
            struct scan scan = scan_make(&matrices[i], sample_counts[c], &state);
            bool weighted = (i + c) % 2;
            struct mri_toeplitz *toeplitz = compute(&scan, weighted);
            double complex *x = test_image(scan.voxels, &state);
            double complex *y = test_apply_normal(ki_mri_toeplitz_normal(toeplitz), x, scan.voxels),
                           *wanted = test_image(scan.voxels, &state);
            double norm = test_norm(x, scan.voxels), error, bound = apply_error(&scan, weighted, toeplitz);

            scan_normal(&scan, weighted, x, wanted);
            error = test_distance(y, wanted, scan.voxels) / norm;
            ck_assert_msg(error <= bound, "%zu x %zu x %zu, %zu samples: off by %g of %g",
                          scan.matrix.size[0], scan.matrix.size[1], scan.matrix.size[2], scan.samples, error,
                          bound);
            // The bound holds: no image grows by more.
            ck_assert_double_le(test_norm(wanted, scan.voxels),
                                ki_mri_toeplitz_bound(toeplitz) * norm * (1 + 1e-5));
            error /= ki_mri_toeplitz_bound(toeplitz);
            worst = error > worst ? error : worst;
            ki_mri_toeplitz_free(toeplitz);
            scan_free(&scan);
            free(x);
            free(y);
            free(wanted);
        }
    fprintf(stderr, "normal: greatest error %.2g of the bound times ||x||\n", worst);
}
END_TEST

// The differences from every kernel: none changes the operator by more than its own error.
START_TEST(kernels)
{
    static const kn_recon_matrix tried[] = {{2, {7, 5, 1}}, {3, {3, 5, 2}}};
    uint64_t state = test_seed("kernels");

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        for (int kernel = 0; kernel < (test_is_slow() ? 1 : MRI_EXACT); kernel++) {
            struct scan scan = scan_make(&tried[i], 60, &state);
            struct mri_toeplitz *toeplitz = compute_by(&scan, i == 0, (enum mri_kernel)kernel);
            double complex *x = test_image(scan.voxels, &state);
            double complex *y = test_apply_normal(ki_mri_toeplitz_normal(toeplitz), x, scan.voxels),
                           *wanted = test_image(scan.voxels, &state);
            // Of a difference: a float's rounding of some turns, 2 pi eps each, and of the sum (sum.h: 3e-6
            // for turns by the dozen); their sums over all differences bound the eigenvalues'.
            double error = 3e-6 * (double)(8 * scan.voxels * scan.samples);

            scan_normal(&scan, i == 0, x, wanted);
            ck_assert_double_le(test_distance(y, wanted, scan.voxels) / test_norm(x, scan.voxels),
                                error + apply_error(&scan, i == 0, toeplitz));
            ki_mri_toeplitz_free(toeplitz);
            scan_free(&scan);
            free(x);
            free(y);
            free(wanted);
        }
}
END_TEST

// <T x, y> = <x, T y>, and <T x, x> is real and not negative, both within the error of an application.
START_TEST(symmetric)
{
    uint64_t state = test_seed("symmetric");

    for (size_t i = 0; i < case_count(); i++) {
        struct scan scan = scan_make(&matrices[i], 50, &state);
        struct mri_toeplitz *toeplitz = compute(&scan, i % 2);
        double complex *x = test_image(scan.voxels, &state), *y = test_image(scan.voxels, &state);
        double complex *tx = test_apply_normal(ki_mri_toeplitz_normal(toeplitz), x, scan.voxels),
                       *ty = test_apply_normal(ki_mri_toeplitz_normal(toeplitz), y, scan.voxels);
        double bound = apply_error(&scan, i % 2, toeplitz), norms;
        double complex left = test_product(tx, y, scan.voxels), right = test_product(x, ty, scan.voxels);

        norms = test_norm(x, scan.voxels) * test_norm(y, scan.voxels);
        ck_assert_double_gt(cabs(left), 0);
        ck_assert_double_le(cabs(left - right), 2 * bound * norms);
        norms = test_norm(x, scan.voxels) * test_norm(x, scan.voxels);
        ck_assert_double_le(fabs(cimag(test_product(tx, x, scan.voxels))), bound * norms);
        ck_assert_double_ge(creal(test_product(tx, x, scan.voxels)), -bound * norms);
        ki_mri_toeplitz_free(toeplitz);
        scan_free(&scan);
        free(x);
        free(y);
        free(tx);
        free(ty);
    }
}
END_TEST

// The differences of a brain's spiral, that others computed in double precision and kept as floats: d in -64
// ... 63. What a kernel is off by, in the 2-norm.
enum { REAL_WIDE = 128, REAL_HALF = 64 * REAL_WIDE + 65 };
static double real_error(enum mri_kernel kernel, const double *k, size_t samples,
                         const double complex *wanted)
{
    static const kn_recon_matrix matrix = {2, {64, 64, 1}};
    kn_buffer *buffer = test_upload_image(NULL, REAL_HALF, ROOM);
    double error = 0, energy = 0;
    double complex *q;

    EXPECT_OK(ki_mri_toeplitz_differences(queue, &matrix, k, samples, NULL, kernel, 0, REAL_HALF, buffer,
                                          NULL, &err));
    q = test_download_image(buffer, REAL_HALF);
    test_expect_poison(buffer, REAL_HALF * 2 * sizeof(float));
    for (size_t i = 0; i < REAL_WIDE * REAL_WIDE; i++) {
        double complex found = i < REAL_HALF ? q[i] : conj(q[2 * (REAL_HALF - 1) - i]);

        if (i % REAL_WIDE == 0 || i / REAL_WIDE == 0)
            continue;
        error += cabs(found - wanted[i]) * cabs(found - wanted[i]);
        energy += cabs(wanted[i]) * cabs(wanted[i]);
    }
    kn_buffer_free(buffer);
    free(q);
    fprintf(stderr, "real_differences: %s: relative error %.2g\n", ki_mri_kernel_names[kernel],
            sqrt(error / energy));
    return sqrt(error / energy);
}

START_TEST(real_differences)
{
    static const kn_recon_matrix matrix = {2, {64, 64, 1}};
    double complex *wanted = test_is_slow() ? NULL : test_real_array("ref_q", REAL_WIDE * REAL_WIDE);
    size_t samples = 0;
    double *k = wanted ? test_real_trajectory(&samples) : NULL;
    struct mri_toeplitz_size size;
    kn_buffer *small;

    if (!k) {
        free(wanted);
        return;
    }
    EXPECT_OK(ki_mri_toeplitz_measure(&matrix, &size, &err));
    ck_assert_uint_eq(size.differences, REAL_HALF);
    // Both are floats of double sums: rounded to 2^-25 each.
    ck_assert_double_le(real_error(MRI_HOST_DOUBLE, k, samples, wanted), 1e-7);
    ck_assert_double_le(real_error(MRI_TUNED, k, samples, wanted), 1e-6); // sum.h: 5e-7
    small = test_upload_image(NULL, 3, 0);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "8257 differences",
                   ki_mri_toeplitz_differences(queue, &matrix, k, samples, NULL, MRI_HOST_DOUBLE, 0,
                                               REAL_HALF, small, NULL, &err));
    kn_buffer_free(small);
    free(wanted);
    free(k);
}
END_TEST

START_TEST(refused)
{
    uint64_t state = test_seed("refused");
    struct scan scan = scan_make(&matrices[2], 5, &state);
    struct mri_toeplitz *toeplitz = NULL;
    kn_buffer *x = test_upload_image(NULL, scan.voxels, 0),
              *small = test_upload_image(NULL, scan.voxels - 1, 0);

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no kernel 99",
                   ki_mri_toeplitz_compute(queue, &scan.matrix, scan.k, 5, NULL, (enum mri_kernel)99,
                                           &toeplitz, NULL, &err));
    scan.k[3 * 4 + 1] = NAN;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "sample 4 of the trajectory: ky",
                   ki_mri_toeplitz_compute(queue, &scan.matrix, scan.k, 5, NULL, MRI_HOST_DOUBLE, &toeplitz,
                                           NULL, &err));
    scan.weights[3] = INFINITY;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "sample 3: a weight of inf",
                   ki_mri_toeplitz_compute(queue, &scan.matrix, scan.k, 4, scan.weights, MRI_HOST_DOUBLE,
                                           &toeplitz, NULL, &err));
    scan.weights[3] = 1e39;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not finite in single precision",
                   ki_mri_toeplitz_compute(queue, &scan.matrix, scan.k, 4, scan.weights, MRI_HOST_DOUBLE,
                                           &toeplitz, NULL, &err));
    ck_assert_ptr_null(toeplitz);
    toeplitz = NULL;
    EXPECT_OK(ki_mri_toeplitz_compute(queue, &scan.matrix, scan.k, 3, NULL, MRI_HOST_DOUBLE, &toeplitz, NULL,
                                      &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "in place", ki_mri_toeplitz_apply(queue, toeplitz, x, x, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds", ki_mri_toeplitz_apply(queue, toeplitz, x, small, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds", ki_mri_toeplitz_apply(queue, toeplitz, small, x, &err));
    ki_mri_toeplitz_free(toeplitz);
    ki_mri_toeplitz_free(NULL);
    kn_buffer_free(x);
    kn_buffer_free(small);
    scan_free(&scan);
}
END_TEST

// ---- files ----

static char *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = test_allocate(1 << 20);

    ck_assert_ptr_nonnull(file);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

START_TEST(kept)
{
    uint64_t state = test_seed("kept");
    char *folder = test_folder(), path[4200], *first, *second;
    size_t first_size, second_size;
    struct scan scan = scan_make(&matrices[6], 20, &state);
    struct mri_toeplitz *toeplitz = compute(&scan, true), *again = NULL;
    double complex *x = test_image(scan.voxels, &state);
    double complex *y = test_apply_normal(ki_mri_toeplitz_normal(toeplitz), x, scan.voxels), *y_again;

    snprintf(path, sizeof path, "%s/scan.q", folder);
    EXPECT_OK(ki_mri_toeplitz_save(queue, toeplitz, scan.k, scan.weights, path, false, &err));
    EXPECT_OK(
        ki_mri_toeplitz_load(queue, &scan.matrix, scan.k, scan.samples, scan.weights, path, &again, &err));
    ck_assert_str_eq(ki_mri_toeplitz_kernel(again), "host-double");
    ck_assert(test_same(ki_mri_toeplitz_bound(again), ki_mri_toeplitz_bound(toeplitz)));
    y_again = test_apply_normal(ki_mri_toeplitz_normal(again), x, scan.voxels);
    ck_assert_int_eq(memcmp(y, y_again, scan.voxels * sizeof *y), 0);

    // Not overwritten unless forced; then the bits are the same.
    first = read_bytes(path, &first_size);
    EXPECT_REFUSED(KN_ERROR_OUTPUT, "already exists",
                   ki_mri_toeplitz_save(queue, again, scan.k, scan.weights, path, false, &err));
    test_write(path, "else", 4);
    EXPECT_REFUSED(KN_ERROR_OUTPUT, "already exists",
                   ki_mri_toeplitz_save(queue, again, scan.k, scan.weights, path, false, &err));
    second = read_bytes(path, &second_size);
    ck_assert_uint_eq(second_size, 4);
    free(second);
    EXPECT_OK(ki_mri_toeplitz_save(queue, again, scan.k, scan.weights, path, true, &err));
    second = read_bytes(path, &second_size);
    ck_assert_uint_eq(second_size, first_size);
    ck_assert_int_eq(memcmp(first, second, first_size), 0);
    snprintf(path, sizeof path, "%s/missing/scan.q", folder);
    EXPECT_REFUSED(KN_ERROR_OUTPUT, "missing",
                   ki_mri_toeplitz_save(queue, again, scan.k, scan.weights, path, false, &err));
    ki_mri_toeplitz_free(toeplitz);
    ki_mri_toeplitz_free(again);
    scan_free(&scan);
    free(first);
    free(second);
    free(x);
    free(y);
    free(y_again);
    test_remove(folder);
}
END_TEST

START_TEST(refused_files)
{
    uint64_t state = test_seed("refused_files");
    char *folder = test_folder(), path[4200], *bytes;
    static const kn_recon_matrix turned = {3, {5, 3, 2}};
    struct scan scan = scan_make(&matrices[6], 20, &state);
    struct mri_toeplitz *toeplitz = compute(&scan, true), *again = NULL;
    size_t size;

#define REFUSED(words, matrix, samples, weights)                                                             \
    EXPECT_REFUSED(KN_ERROR_INPUT, words,                                                                    \
                   ki_mri_toeplitz_load(queue, matrix, scan.k, samples, weights, path, &again, &err));       \
    ck_assert_ptr_null(again);                                                                               \
    ck_assert_str_eq(err.file, path)

    snprintf(path, sizeof path, "%s/scan.q", folder);
    REFUSED("cannot be read", &scan.matrix, 20, scan.weights);
    EXPECT_OK(ki_mri_toeplitz_save(queue, toeplitz, scan.k, scan.weights, path, false, &err));
    bytes = read_bytes(path, &size);

    // Another problem.
    REFUSED("3 x 5 x 2 voxels; this one has 5 x 3 x 2", &turned, 20, scan.weights);
    REFUSED("Q of 20 samples; these are 19", &scan.matrix, 19, scan.weights);
    REFUSED("other weights", &scan.matrix, 20, NULL);
    scan.k[7] += 1e-9;
    REFUSED("other places in k-space", &scan.matrix, 20, scan.weights);
    scan.k[7] -= 1e-9;

    // A file that is shorter, longer, or changed anywhere.
    for (size_t cut = 0; cut < size; cut += cut < 8 ? 1 : 97) {
        test_write(path, bytes, cut);
        REFUSED(cut == 0    ? "ends after 0 bytes"
                : cut < 168 ? "ends after"
                            : "less than",
                &scan.matrix, 20, scan.weights);
    }
    test_write(path, "\x93NUMPY\1 and so on", 17);
    REFUSED("is not a file of Q", &scan.matrix, 20, scan.weights);
    bytes[size] = 'x';
    test_write(path, bytes, size + 1);
    REFUSED("more than", &scan.matrix, 20, scan.weights);
    bytes[7]++;
    test_write(path, bytes, size);
    REFUSED("another version", &scan.matrix, 20, scan.weights);
    bytes[7]--;
    for (size_t i = 0; i < 20; i++) {
        size_t at = 136 + test_random(&state) % (size - 136);

        bytes[at] = (char)(bytes[at] ^ 4);
        test_write(path, bytes, size);
        REFUSED("", &scan.matrix, 20, scan.weights);
        ck_assert(strstr(err.text, "damaged") || strstr(err.text, "does not end"));
        bytes[at] = (char)(bytes[at] ^ 4);
    }
    // The original file is accepted.
    test_write(path, bytes, size);
    EXPECT_OK(ki_mri_toeplitz_load(queue, &scan.matrix, scan.k, 20, scan.weights, path, &again, &err));
    ki_mri_toeplitz_free(again);
    ki_mri_toeplitz_free(toeplitz);
    scan_free(&scan);
    free(bytes);
    test_remove(folder);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sizes,   normal, kernels,      symmetric, real_differences,
                                  refused, kept,   refused_files};

    return test_run("mri toeplitz", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
