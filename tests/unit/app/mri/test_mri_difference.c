// SPDX-License-Identifier: Apache-2.0
// Differences between neighbours, which regularize: D^H D on the device against the definition of D, with
// both boundaries.
#include "mri_support.h"

static const double eps = 0x1p-24;

START_TEST(neighbours)
{
    static const struct mri_matrix sizes[] = {{2, {1, 1, 1}}, {2, {2, 1, 1}},   {2, {1, 3, 1}},
                                              {3, {1, 1, 2}}, {2, {33, 31, 1}}, {3, {5, 7, 3}},
                                              {3, {2, 2, 2}}, {3, {16, 1, 5}}};
    uint64_t state = test_seed("neighbours");
    const double lambda = 0.75;

    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        enum mri_boundary boundary = i % 2 ? MRI_BOUNDARY_PERIODIC : MRI_BOUNDARY_ZERO;
        const struct mri_matrix *matrix = &sizes[i / 2];
        size_t n = matrix->size[0] * matrix->size[1] * matrix->size[2];
        double complex *x = test_image(n, &state), *y = test_image(n, &state), *found;
        double complex *dx = test_allocate(3 * n * sizeof *dx), *dy = test_allocate(3 * n * sizeof *dy);
        double complex *other = test_image(n, &state), left = 0;
        kn_buffer *from = test_upload_image(x, n, 0), *to = test_upload_image(y, n, 0);

        EXPECT_OK(ki_mri_difference_add(queue, matrix, boundary, lambda, from, to, &err));
        found = test_download_image(to, n);
        test_differences(matrix, boundary, x, dx);
        test_differences(matrix, boundary, other, dy);
        // <lambda D^H D x, other> = lambda <D x, D other>; and voxel by voxel with other = one of them alone.
        // A voxel is six differences of numbers up to 2, five additions, a product: 6 (2 + 1 + 5) 2 and 1
        // roundings.
        for (size_t j = 0; j < n; j++)
            left += (found[j] - y[j]) * conj(other[j]);
        ck_assert_double_le(cabs(left - lambda * test_product(dx, dy, 3 * n)), 100 * eps * (double)n * 2);
        for (size_t j = 0; j < n; j++) {
            memset(other, 0, n * sizeof *other);
            other[j] = 1;
            test_differences(matrix, boundary, other, dy);
            ck_assert_double_le(cabs(found[j] - y[j] - lambda * test_product(dx, dy, 3 * n)), 100 * eps);
        }
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "in place",
                       ki_mri_difference_add(queue, matrix, boundary, lambda, from, from, &err));
        kn_buffer_free(from);
        kn_buffer_free(to);
        free(x);
        free(y);
        free(dx);
        free(dy);
        free(other);
        free(found);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {neighbours};

    return test_run("mri difference", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
