// SPDX-License-Identifier: Apache-2.0
// Tests absolute deviations, and medians of sorted columns and of their deviations, against a host
// computation that sorts everything.
#include "support/buffers.h"

#include <koine/experimental.h>
#include "support/run.h"

#include <float.h>
#include <math.h>

#include "base/number.h"

enum { MOST = 3000 };

static uint64_t state;

static void set_up(void)
{
    test_open();
    state = test_seed("deviation");
}

// The mean of two numbers; the only difficulty is a sum above the largest number.
static double mean_of(double a, double b)
{
    return isfinite(a) && isfinite(b) && isinf(a + b) ? a / 2 + b / 2 : (a + b) / 2;
}

static double median_of(double *x, size_t n)
{
    qsort(x, n, sizeof *x, test_by_value);
    return 0.0 + (n % 2 ? x[n / 2] : mean_of(x[n / 2 - 1], x[n / 2]));
}

static double mad_of(const double *x, size_t n, double median)
{
    double deviations[MOST];

    for (size_t i = 0; i < n; i++)
        deviations[i] = fabs(x[i] - median);
    return isfinite(median) ? median_of(deviations, n) : NAN;
}

// Rounds x to the type and sorts it in place.
static void expect_medians(double *x, size_t n, kn_type type)
{
    double median = -1, mad = -1, expected, expected_mad;
    kn_buffer *buffer;

    ck_assert_uint_le(n, MOST);
    for (size_t i = 0; i < n && type == KN_F32; i++)
        x[i] = ki_as_float(x[i]);
    expected = median_of(x, n);
    expected_mad = mad_of(x, n, expected);
    buffer = test_upload_column(x, n, type);
    EXPECT_OK(kn_median_sorted(queue, buffer, type, n, &median, &err));
    ck_assert_msg(test_same(median, expected), "n %zu: median %.17g, expected %.17g", n, median, expected);
    EXPECT_OK(kn_mad_sorted(queue, buffer, type, n, median, &mad, &err));
    ck_assert_msg(test_same(mad, expected_mad), "n %zu, median %.17g: MAD %.17g, expected %.17g", n, median,
                  mad, expected_mad);
    kn_buffer_free(buffer);
}

// On all three paths: in both types, and as if the device had no double precision.
static void expect_medians_all_paths(const double *x, size_t n)
{
    const int fp64 = context->device.info.fp64;
    double copy[MOST];

    for (int path = fp64 ? 0 : 2; path < 3; path++) {
        memcpy(copy, x, n * sizeof *x);
        context->device.info.fp64 = path < 2;
        expect_medians(copy, n, path == 0 ? KN_F64 : KN_F32);
    }
    context->device.info.fp64 = fp64;
}

#define EXPECT_MEDIANS(...)                                                                                  \
    expect_medians_all_paths((const double[]){__VA_ARGS__},                                                  \
                             sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

START_TEST(small_columns)
{
    EXPECT_MEDIANS(5);
    EXPECT_MEDIANS(-3, 8);
    EXPECT_MEDIANS(1, 2, 4);
    EXPECT_MEDIANS(1, 2, 3, 10);
    EXPECT_MEDIANS(7, 7, 7, 7);
    EXPECT_MEDIANS(7, 7, 7, 7, 7);
    EXPECT_MEDIANS(1, 2, 2, 2, 3); // ties at the median
    EXPECT_MEDIANS(1, 2, 2, 2, 2, 30);
    EXPECT_MEDIANS(0, 0, 0, 0, 0, 1, 2, 3); // all deviations on one side
    EXPECT_MEDIANS(-9, -5, -4, 0, 0, 0, 0, 0);
    EXPECT_MEDIANS(-1, 1, 1, 3, 3, 5, 5, 7); // equal deviations on both sides
    EXPECT_MEDIANS(-0.0);
    EXPECT_MEDIANS(-0.0, -0.0);
    EXPECT_MEDIANS(-0.0, 0.0, 0.0);
    EXPECT_MEDIANS(-1, 0.0, 1);
}
END_TEST

START_TEST(extreme_columns)
{
    EXPECT_MEDIANS(INFINITY);
    EXPECT_MEDIANS(-INFINITY);
    EXPECT_MEDIANS(-INFINITY, INFINITY);
    EXPECT_MEDIANS(-INFINITY, 1, INFINITY);
    EXPECT_MEDIANS(-INFINITY, 1, 2, INFINITY);
    EXPECT_MEDIANS(1, 2, INFINITY);
    EXPECT_MEDIANS(1, INFINITY, INFINITY);
    EXPECT_MEDIANS(-INFINITY, -INFINITY, 1, 2, 3);
    EXPECT_MEDIANS(-INFINITY, -INFINITY, 1, 2);
    EXPECT_MEDIANS(FLT_MAX, FLT_MAX);
    EXPECT_MEDIANS(-FLT_MAX, FLT_MAX);
    EXPECT_MEDIANS(-FLT_MAX, -FLT_MAX, -FLT_MAX / 2, FLT_MAX / 2,
                   FLT_MAX); // deviations above the largest float
    EXPECT_MEDIANS(-FLT_MAX, -0x1p127, -1, 0x1.8p127, FLT_MAX);
    EXPECT_MEDIANS(0x1p-149, 0x1p-148, 0x1.8p-148); // denormal floats
    EXPECT_MEDIANS(-0x1p-149, 0x1p-149, 0x1.8p-148, 0x1p-126);
    EXPECT_MEDIANS(0x1p-149, 0x1.8p-148); // a median that a float cannot represent
    EXPECT_MEDIANS(-1, 0x1.234567p-30);   // one that two floats cannot represent
    EXPECT_MEDIANS(-2, -1, 0x1.234566p-30, 1);
    EXPECT_MEDIANS(-1e30, -1, 1e-30, 1e30);
    EXPECT_MEDIANS(DBL_MAX, DBL_MAX);
    EXPECT_MEDIANS(-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX);
    EXPECT_MEDIANS(0x1p1022, 0x1.fffffffffffffp1023);
    EXPECT_MEDIANS(DBL_TRUE_MIN, 3 * DBL_TRUE_MIN, 4 * DBL_TRUE_MIN, 100 * DBL_TRUE_MIN);
    EXPECT_MEDIANS(DBL_TRUE_MIN, 2 * DBL_TRUE_MIN);
}
END_TEST

static double random_element(int kind)
{
    uint64_t bits = test_random(&state);
    float single;
    double value;

    switch (kind) {
    case 0: // ties
        return (double)(bits % 7) - 3;
    case 1:
        return test_uniform(&state) * 100 - 50;
    case 2: // a far cluster and a near one
        return bits % 3 ? 1e6 + (double)(bits % 10) : test_uniform(&state);
    case 3: // any float
        bits = bits % 50 ? bits & 0xbfffffff : 0x7f800000;
        memcpy(&single, &(uint32_t){(uint32_t)bits}, sizeof single);
        return isnan(single) ? 0 : (double)single;
    case 4: // any double
        memcpy(&value, &bits, sizeof value);
        return isnan(value) ? 0 : value;
    default: // denormal floats
        return ldexp((double)(bits % 1000) - 500, -149);
    }
}

START_TEST(random_columns)
{
    double x[MOST];

    for (int i = 0; i < (test_is_slow() ? 60 : 400); i++) {
        size_t n = 1 + test_random(&state) % (i % 10 ? 40 : MOST);
        for (size_t k = 0; k < n; k++)
            x[k] = random_element(i % 6);
        expect_medians_all_paths(x, n);
    }
}
END_TEST

// ---- kn_abs_diff ----

static kn_buffer *deviations_of(const double *x, size_t n, kn_type type, double centre)
{
    kn_buffer *buffer = test_upload_column(x, n, type), *out = NULL;

    EXPECT_OK(kn_buffer_create(context, n * kn_type_size(type), &out, &err));
    EXPECT_OK(kn_abs_diff(queue, buffer, type, n, centre, out, &err));
    // In place, the result is the same.
    EXPECT_OK(kn_abs_diff(queue, buffer, type, n, centre, buffer, &err));
    char *one = malloc(2 * n * kn_type_size(type) + 1), *other = one + n * kn_type_size(type);
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, one, n * kn_type_size(type), &err));
    EXPECT_OK(kn_buffer_read(queue, out, 0, other, n * kn_type_size(type), &err));
    ck_assert(memcmp(one, other, n * kn_type_size(type)) == 0);
    free(one);
    kn_buffer_free(buffer);
    return out;
}

// |x - centre| as computed in double precision, rounded to nearest, even without double precision on the
// device.
static void expect_single(float found, double x, double centre)
{
    float expected = (float)fabs(x - centre);

    ck_assert_msg(found == expected, "|%.9g - %.17g| is %.9g, expected %.9g", x, centre, (double)found,
                  (double)expected);
    ck_assert(!signbit(found));
}

START_TEST(deviations_single)
{
    enum { N = 333 };
    const int fp64 = context->device.info.fp64;
    double x[N];
    float found[N];

    for (int i = 0; i < (test_is_slow() ? 12 : 100); i++)
        for (int soft = !fp64; soft < 2; soft++) {
            size_t n = 1 + test_random(&state) % N;
            for (size_t k = 0; k < n; k++)
                x[k] = (double)(float)random_element(i % 4);
            double centre = i % 2 ? x[n / 2] : mean_of(x[n / 2], x[0]);
            context->device.info.fp64 = !soft;
            if (isinf(centre))
                centre = 0x1p127;
            kn_buffer *out = deviations_of(x, n, KN_F32, centre);
            EXPECT_OK(kn_buffer_read(queue, out, 0, found, n * sizeof *found, &err));
            for (size_t k = 0; k < n; k++)
                expect_single(found[k], x[k], centre);
            kn_buffer_free(out);
        }
    context->device.info.fp64 = fp64;
}
END_TEST

START_TEST(deviations_double)
{
    enum { N = 333 };
    double x[N], found[N];

    if (!test_takes(KN_F64))
        return;
    for (int i = 0; i < (test_is_slow() ? 12 : 100); i++) {
        size_t n = 1 + test_random(&state) % N;
        for (size_t k = 0; k < n; k++)
            x[k] = random_element(i % 5);
        double centre = isfinite(x[0]) ? x[0] : 0.1;
        kn_buffer *out = deviations_of(x, n, KN_F64, centre);
        EXPECT_OK(kn_buffer_read(queue, out, 0, found, n * sizeof *found, &err));
        for (size_t k = 0; k < n; k++)
            ck_assert_msg(test_same(found[k], fabs(x[k] - centre)), "|%.17g - %.17g| is %.17g", x[k], centre,
                          found[k]);
        kn_buffer_free(out);
    }
}
END_TEST

// The direct way: deviations, sorted, and their middle element.
START_TEST(same_as_sorting_deviations)
{
    const kn_sort_options options = KN_INIT(kn_sort_options, .algorithm = KN_SORT_BITONIC,
                                            .tuning = &(kn_sort_tuning){.log2_group = 5, .log2_keys = 2});
    double x[MOST];

    for (int i = 0; i < (test_is_slow() ? 6 : 60); i++)
        for (kn_type type = KN_F32; type <= (context->device.info.fp64 ? KN_F64 : KN_F32); type++) {
            size_t n = 1 + test_random(&state) % (test_is_slow() ? 200 : MOST);
            double median, mad, sorted_mad;
            for (size_t k = 0; k < n; k++)
                x[k] = random_element(i % 3);
            kn_buffer *buffer = test_upload_column(x, n, type), *out = NULL;
            EXPECT_OK(kn_sort(queue, buffer, type, n, &options, &err));
            EXPECT_OK(kn_median_sorted(queue, buffer, type, n, &median, &err));
            EXPECT_OK(kn_mad_sorted(queue, buffer, type, n, median, &mad, &err));
            EXPECT_OK(kn_buffer_create(context, n * kn_type_size(type), &out, &err));
            EXPECT_OK(kn_abs_diff(queue, buffer, type, n, median, out, &err));
            EXPECT_OK(kn_sort(queue, out, type, n, &options, &err));
            EXPECT_OK(kn_median_sorted(queue, out, type, n, &sorted_mad, &err));
            // Deviations of floats are rounded to float before they are sorted.
            ck_assert_msg(fabs(mad - sorted_mad) <= (type == KN_F64 ? 0 : fabs(mad) * (double)FLT_EPSILON),
                          "n %zu: MAD %.17g, by sorting %.17g", n, mad, sorted_mad);
            kn_buffer_free(buffer);
            kn_buffer_free(out);
        }
}
END_TEST

// ---- buffers in parts, refusals ----

START_TEST(parts)
{
    enum { N = 1000 };
    double x[N], median, mad, expected;
    float found[N];
    kn_buffer *buffer, *out = NULL;

    for (size_t i = 0; i < N; i++)
        x[i] = (double)(float)random_element(1);
    expected = median_of(x, N);
    context->device.info.max_alloc = 1500; // parts of 1024 bytes
    buffer = test_upload_column(x, N, KN_F32);
    EXPECT_OK(kn_median_sorted(queue, buffer, KN_F32, N, &median, &err));
    EXPECT_OK(kn_mad_sorted(queue, buffer, KN_F32, N, median, &mad, &err));
    ck_assert(test_same(median, expected));
    ck_assert(test_same(mad, mad_of(x, N, expected)));
    EXPECT_OK(kn_buffer_create(context, N * sizeof(float), &out, &err));
    EXPECT_OK(kn_abs_diff(queue, buffer, KN_F32, N, median, out, &err));
    EXPECT_OK(kn_buffer_read(queue, out, 0, found, sizeof found, &err));
    for (size_t i = 0; i < N; i++)
        expect_single(found[i], x[i], median);
    kn_buffer_free(out);
    EXPECT_OK(kn_buffer_create(context, 1500, &out, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "different numbers of parts",
                   kn_abs_diff(queue, buffer, KN_F32, 300, median, out, &err));
    kn_buffer_free(out);
    kn_buffer_free(buffer);
}
END_TEST

START_TEST(refusals)
{
    kn_buffer *buffer = test_upload_column((double[]){1, 2, 3}, 3, KN_F32), *small = NULL;
    double result = 5;

    EXPECT_OK(kn_buffer_create(context, 8, &small, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no elements",
                   kn_median_sorted(queue, buffer, KN_F32, 0, &result, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no elements",
                   kn_mad_sorted(queue, buffer, KN_F32, 0, 0, &result, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_median_sorted(queue, buffer, KN_F32, 3, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_mad_sorted(queue, buffer, KN_F32, 3, 0, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 3", kn_median_sorted(queue, buffer, KN_F32, 4, &result, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 3", kn_mad_sorted(queue, buffer, KN_F32, 4, 0, &result, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 3", kn_abs_diff(queue, buffer, KN_F32, 4, 0, buffer, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 2", kn_abs_diff(queue, buffer, KN_F32, 3, 0, small, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_abs_diff(queue, buffer, KN_F32, 3, 0, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "not on int",
                   kn_abs_diff(queue, buffer, KN_I32, 3, 0, buffer, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "not on int",
                   kn_mad_sorted(queue, buffer, KN_I32, 3, 0, &result, &err));
    EXPECT_OK(kn_abs_diff(queue, buffer, KN_F32, 0, 0, buffer, &err));
    ck_assert(result == 5);
    kn_buffer_free(small);
    kn_buffer_free(buffer);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {small_columns,
                                  extreme_columns,
                                  random_columns,
                                  deviations_single,
                                  deviations_double,
                                  same_as_sorting_deviations,
                                  parts,
                                  refusals};

    return test_run("deviation", tests, sizeof tests / sizeof *tests, set_up, test_close);
}
