// SPDX-License-Identifier: Apache-2.0
// Tests the differences between neighbours that regularise: D^H D on the device against the definition of D,
// with both boundaries.
#include "mri_support.h"

#include "engine/defines.h"
#include "engine/engine.h"

static const double eps = 0x1p-24;

// Adds lambda D^H D x to y, with the kernel of conjugate gradients (cl/operator/cg.cl).
static void add_differences(const kn_recon_matrix *matrix, kn_recon_boundary boundary, float lambda,
                            kn_buffer *x, kn_buffer *y)
{
    enum { GROUP = 32, PARTS = 3, CELLS = 4 * PARTS + 5 + 4 };
    const double cells[CELLS] = {0};
    const kn_range range = {1, {PARTS * GROUP}, {GROUP}, {0}};
    struct engine_defines defines = {.count = 0};
    kn_buffer *state = test_upload_with_room(cells, sizeof cells, 0);
    kn_kernel *kernel;

    ki_engine_define(&defines, "GROUP", GROUP);
    ki_engine_define(&defines, "WIDTH", 4);
    ki_engine_define(&defines, "ACC_SOFT", !kn_context_get_device(context)->fp64);
    EXPECT_OK(ki_engine_builtin_kernel(context, "operator/cg.cl", defines.items, defines.count,
                                       KN_POLICY_DEFAULT, "cg_difference", &kernel, &err));
    const kn_arg args[] = {KN_BUFFER(y),
                           KN_BUFFER(x),
                           KN_VALUE((uint32_t)matrix->size[0]),
                           KN_VALUE((uint32_t)matrix->size[1]),
                           KN_VALUE((uint32_t)matrix->size[2]),
                           KN_VALUE((uint32_t)(boundary == KN_RECON_BOUNDARY_PERIODIC)),
                           KN_VALUE(lambda),
                           KN_BUFFER(state),
                           KN_VALUE((uint32_t)PARTS),
                           KN_VALUE((uint32_t)1)};
    EXPECT_OK(kn_launch(queue, kernel, &range, args, sizeof args / sizeof *args, NULL, &err));
    EXPECT_OK(kn_queue_finish(queue, &err));
    kn_buffer_free(state);
}

START_TEST(neighbours)
{
    static const kn_recon_matrix sizes[] = {{2, {1, 1, 1}}, {2, {2, 1, 1}},   {2, {1, 3, 1}},
                                            {3, {1, 1, 2}}, {2, {33, 31, 1}}, {3, {5, 7, 3}},
                                            {3, {2, 2, 2}}, {3, {16, 1, 5}}};
    uint64_t state = test_seed("neighbours");
    const double lambda = 0.75;

    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        kn_recon_boundary boundary = i % 2 ? KN_RECON_BOUNDARY_PERIODIC : KN_RECON_BOUNDARY_ZERO;
        const kn_recon_matrix *matrix = &sizes[i / 2];
        size_t n = matrix->size[0] * matrix->size[1] * matrix->size[2];
        double complex *x = test_image(n, &state), *y = test_image(n, &state), *found;
        double complex *dx = test_allocate(3 * n * sizeof *dx), *dy = test_allocate(3 * n * sizeof *dy);
        double complex *other = test_image(n, &state), left = 0;
        kn_buffer *from = test_upload_image(x, n, 0), *to = test_upload_image(y, n, 0);

        add_differences(matrix, boundary, (float)lambda, from, to);
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
