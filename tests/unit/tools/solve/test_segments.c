// SPDX-License-Identifier: Apache-2.0
// Tests matrices of segments of rays through an image: lengths in pixels, the pixels' places, and the number
// of nonzeros beside that of the paper's matrix (segments.h).
#include "support/run.h"
#include "support/sparse_inputs.h"
#include "tools/solve/segments.h"
#include "unit/app/sparse/host/sparse_support.h"

static struct sparse_matrix make(const struct solve_segments *segments)
{
    kn_sparse *made;

    EXPECT_OK(solve_segments_create(segments, &made, &err));
    return sparse_take(made);
}

// The lengths in a row's pixels sum to the segment's length, or to less if the segment leaves the image; in a
// pixel, a segment is at most as long as the longest chord at its angle.
START_TEST(lengths)
{
    static const struct solve_segments tried[] = {
        {1, 1, 33, 0.3, 1}, {3, 2, 200, 1.7, 2}, {64, 48, 1000, 7.95, 3}, {5, 1, 720, 40, 4}};

    for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
        struct sparse_matrix matrix;
        size_t whole = 0;

        matrix = make(&tried[t]);
        EXPECT_OK(ki_sparse_check(&matrix, "segments", &err));
        ck_assert_uint_eq(matrix.rows, tried[t].rows);
        ck_assert_uint_eq(matrix.columns, tried[t].width * tried[t].height);
        for (size_t row = 0; row < matrix.rows; row++) {
            double sum = 0, along[2] = {cos(acos(-1) * (double)(row * 7 % 360) / 360),
                                        sin(acos(-1) * (double)(row * 7 % 360) / 360)};

            ck_assert_uint_gt(matrix.starts[row + 1], matrix.starts[row]);
            for (size_t k = matrix.starts[row]; k < matrix.starts[row + 1]; k++) {
                sum += matrix.values[k];
                ck_assert_double_le(matrix.values[k], 1 / fmax(fabs(along[0]), fabs(along[1])) + 1e-9);
            }
            ck_assert_double_le(sum, tried[t].length * (1 + 1e-12));
            whole += sum > tried[t].length * (1 - 1e-6);
        }
        if (t == 2) // most segments do not leave the image
            ck_assert_uint_gt(whole, matrix.rows / 2);
        if (t == 3) // segments are longer than the image
            ck_assert_uint_eq(whole, 0);
        ki_sparse_free(&matrix);
    }
}
END_TEST

// The pixels of a row are along its segment: their centres are near the line through their centroid at the
// segment's angle.
START_TEST(centroids)
{
    const struct solve_segments segments = {64, 48, 720, 12.5, 5};
    struct sparse_matrix matrix;

    matrix = make(&segments);
    for (size_t row = 0; row < matrix.rows; row++) {
        double angle = acos(-1) * (double)(row * 7 % 360) / 360, sum = 0, mean[2] = {0}, spread = 0;

        for (size_t k = matrix.starts[row]; k < matrix.starts[row + 1]; k++) {
            sum += matrix.values[k];
            mean[0] += matrix.values[k] * (matrix.indices[k] % 64 + 0.5);
            mean[1] += matrix.values[k] * (matrix.indices[k] / 64 + 0.5);
        }
        for (size_t k = matrix.starts[row]; k < matrix.starts[row + 1]; k++) {
            double x = matrix.indices[k] % 64 + 0.5 - mean[0] / sum,
                   y = matrix.indices[k] / 64 + 0.5 - mean[1] / sum;

            // The distance of the pixel's centre from that line, less than a pixel's diagonal.
            spread = fmax(spread, fabs(x * sin(angle) - y * cos(angle)));
        }
        ck_assert_double_le(spread, sqrt(2));
    }
    ki_sparse_free(&matrix);
}
END_TEST

START_TEST(like_the_source)
{
    const struct solve_segments segments = {64, 48, 81545, 7.95, 3};
    struct sparse_matrix matrix, again;

    matrix = make(&segments);
    again = make(&segments);
    // The paper's matrix has 854,129 nonzeros. On average, a segment of length 7.95 crosses 4 / pi times as
    // many lines of the grid, and is in one pixel more: 11.1, less those outside the image.
    ck_assert_uint_gt(matrix.nonzeros, 820000);
    ck_assert_uint_lt(matrix.nonzeros, 900000);
    ck_assert_uint_eq(matrix.nonzeros, again.nonzeros);
    ck_assert_int_eq(memcmp(matrix.values, again.values, matrix.nonzeros * sizeof *matrix.values), 0);
    ck_assert_int_eq(memcmp(matrix.indices, again.indices, matrix.nonzeros * sizeof *matrix.indices), 0);
    ki_sparse_free(&matrix);
    ki_sparse_free(&again);
}
END_TEST

START_TEST(refused)
{
    kn_sparse *made;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "0 x 3 pixels",
                   solve_segments_create(&(struct solve_segments){0, 3, 1, 1, 1}, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "pieces of nan",
                   solve_segments_create(&(struct solve_segments){3, 3, 1, NAN, 1}, &made, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {lengths, centroids, like_the_source, refused};

    return TEST_RUN("segments", CK_FORK, tests);
}
