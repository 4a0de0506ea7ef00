// SPDX-License-Identifier: Apache-2.0
// Tests magnitudes of acceleration on the host and on a device, and intervals between beats.
#include "stats_api_support.h"

enum { N = 3001 };

static double axes_of[3][N];

static void make_axes(void)
{
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 3; k++)
            axes_of[k][i] = (double)(int32_t)test_random(&state) * 0x1p-30;
    axes_of[1][5] = NAN;
    axes_of[0][7] = axes_of[1][7] = axes_of[2][7] = 0;
}

static double expected_at(size_t i, double g)
{
    const double x = axes_of[0][i], y = axes_of[1][i], z = axes_of[2][i];
    const double over = sqrt(x * x + y * y + z * z) - g;

    return over < 0 ? 0 : over;
}

static void expect_lengths(const void *found, kn_type type, double g)
{
    for (size_t i = 0; i < N; i++) {
        const double value = type == KN_F64 ? ((const double *)found)[i] : (double)((const float *)found)[i];
        const double expected = expected_at(i, g);

        // Exact in double precision.
        ck_assert_msg((isnan(expected) && isnan(value)) ||
                          fabs(value - expected) <= (type == KN_F64 ? 0 : 1e-6),
                      "%s %zu: %.17g, expected %.17g", kn_type_name(type), i, value, expected);
    }
}

static void expect_type(kn_type type)
{
    struct column columns[3];
    const void *axes[3];
    kn_buffer *buffers[3], *made;
    void *out = test_allocate(N * sizeof(double));

    for (size_t k = 0; k < 3; k++) {
        columns[k] = column_of(type, axes_of[k], N);
        axes[k] = columns[k].x;
        buffers[k] = test_takes(type) ? test_upload_column(axes_of[k], N, type) : NULL;
    }
    EXPECT_OK(kn_stats_magnitude(axes, type, N, out, &err));
    expect_lengths(out, type, 0);
    EXPECT_OK(kn_stats_enmo(axes, type, N, 1.25, out, &err));
    expect_lengths(out, type, 1.25);
    if (test_takes(type)) {
        const kn_buffer *const given[3] = {buffers[0], buffers[1], buffers[2]};

        made = test_upload_with_room(out, N * kn_type_size(type), 64);
        EXPECT_OK(kn_stats_magnitude_buffer(queue, given, type, N, made, &err));
        EXPECT_OK(kn_buffer_read(queue, made, 0, out, N * kn_type_size(type), &err));
        expect_lengths(out, type, 0);
        EXPECT_OK(kn_stats_enmo_buffer(queue, given, type, N, 1.25, made, &err));
        EXPECT_OK(kn_buffer_read(queue, made, 0, out, N * kn_type_size(type), &err));
        expect_lengths(out, type, 1.25);
        test_expect_poison(made, N * kn_type_size(type));
        kn_buffer_free(made);
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_stats_enmo_buffer: g is -1",
                       kn_stats_enmo_buffer(queue, given, type, N, -1, buffers[0], &err));
    }
    for (size_t k = 0; k < 3; k++) {
        kn_buffer_free(buffers[k]);
        free_column(&columns[k]);
    }
    free(out);
}

START_TEST(lengths)
{
    make_axes();
    expect_type(KN_F64);
    expect_type(KN_F32);
}
END_TEST

START_TEST(refused_lengths)
{
    const void *axes[3] = {axes_of[0], NULL, axes_of[2]};
    double out[4];

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "an axis", kn_stats_magnitude(axes, KN_F64, 4, out, &err));
    EXPECT_OK(kn_stats_magnitude(axes, KN_F64, 0, NULL, &err));
    axes[1] = axes_of[1];
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "KN_F64 and KN_F32", kn_stats_magnitude(axes, KN_I8, 4, out, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "g is nan", kn_stats_enmo(axes, KN_F64, 4, NAN, out, &err));
}
END_TEST

START_TEST(intervals)
{
    static const double seconds[] = {0.8, 0.9, 0.85, 0.8, 0.75}, times[] = {21, 21.9, 22.75, 30, 30.75};
    static const double zero[] = {1, 0};
    kn_stats_intervals found;

    EXPECT_OK(kn_stats_compute_intervals(seconds, NULL, 5, &found, &err));
    ck_assert_uint_eq(found.pairs, 4);
    ck_assert_double_eq_tol(found.mean, 0.82, 1e-15);
    ck_assert_double_eq_tol(found.sdnn, sqrt(0.013 / 4), 1e-15);
    ck_assert_double_eq_tol(found.rmssd, sqrt((0.01 + 3 * 0.0025) / 4), 1e-15);
    // In double precision, a difference of 0.05 s is sometimes greater than that and sometimes less.
    ck_assert(found.pnn50 >= 25 && found.pnn50 <= 100);
    // No difference is computed where a beat was lost.
    EXPECT_OK(kn_stats_compute_intervals(seconds, times, 5, &found, &err));
    ck_assert_uint_eq(found.pairs, 3);
    ck_assert_double_eq_tol(found.rmssd, sqrt((0.01 + 2 * 0.0025) / 3), 1e-15);
    EXPECT_OK(kn_stats_compute_intervals(seconds, times, 1, &found, &err));
    ck_assert(isnan(found.sdnn) && isnan(found.rmssd) && isnan(found.pnn50) && found.mean == 0.8);
    EXPECT_OK(kn_stats_compute_intervals(NULL, NULL, 0, &found, &err));
    ck_assert(isnan(found.mean));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "interval 1 is 0 s",
                   kn_stats_compute_intervals(zero, NULL, 2, &found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "time 1 is 0 s",
                   kn_stats_compute_intervals(seconds, zero, 2, &found, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {lengths, refused_lengths, intervals};

    return test_run("stats: movement", tests, sizeof tests / sizeof *tests, set_up, test_close);
}
