// SPDX-License-Identifier: Apache-2.0
// Statistics on a device against the serial reference: to the bit with double precision, within a bound
// without.
#include "../device_support.h"

#include <float.h>
#include <math.h>

#include "../../../src/app/stats/device.h"
#include "../../../src/app/stats/moments.h"
#include "../../../src/io/csv.h"

static uint64_t state;

static void set_up(void)
{
    test_open();
    if (test_is_slow()) // smaller blocks to sort
        context->device.info.max_work_group = 32;
    state = test_seed("stats_device");
}

static struct stats_result device_of(const double *x, size_t n, const struct stats_options *options)
{
    struct stats_times times = {1, 2, 3, 4};
    struct stats_result result;

    test_prepare_numbers();
    EXPECT_OK(stats_device(queue, x, n, options, &result, &times, &err));
    ck_assert_msg(times.build >= 1 && times.upload >= 2 && times.compute >= 3 && times.download >= 4,
                  "times were not added: %g %g %g %g", times.build, times.upload, times.compute,
                  times.download);
    return result;
}

static struct stats_result reference_of(const double *x, size_t n, const struct stats_options *options)
{
    struct stats_result result;

    EXPECT_OK(stats_reference(x, n, options, &result, &err));
    return result;
}

static void expect_same(double found, double expected, size_t n, const char *what)
{
    ck_assert_msg(test_same(found, expected), "n %zu: %s %.17g, expected %.17g", n, what, found, expected);
}

static void expect_medians(struct stats_result found, struct stats_result expected)
{
    ck_assert_uint_eq(found.n, expected.n);
    expect_same(found.median, expected.median, expected.n, "median");
    expect_same(found.mad, expected.mad, expected.n, "MAD");
}

static void expect_all(struct stats_result found, struct stats_result expected)
{
    expect_medians(found, expected);
    expect_same(found.mean, expected.mean, expected.n, "mean");
    expect_same(found.std, expected.std, expected.n, "std");
    expect_same(found.cv, expected.cv, expected.n, "CV");
}

// With u = 2^-24 and a depth of 70 + log2(leaves) additions, sums in pairs err by at most 4 u^2 depth sum |d|
// and 8 u^2 (depth + 1) sum d^2 (tests/unit/algo/test_reduce.c). Divided by n, and with the variance's second
// term (mean d)^2: that much in the mean and in the variance, of which the CV has half the relative error.
static void expect_within_bound(struct stats_result found, struct stats_result expected, const double *x,
                                size_t n)
{
    double shift = stats_shift(x, n, true), magnitude = 0, squares = 0;
    double count = (double)n, depth = 70 + ceil(log2(count / 4096 + 1)), mean_error, variance_error;

    for (size_t i = 0; i < n; i++) {
        double d = fabs((double)(float)x[i] - shift);
        magnitude += d / count;
        squares += d * d / count;
    }
    mean_error = 4 * 0x1p-48 * depth * magnitude + DBL_EPSILON * fabs(expected.mean);
    variance_error = 8 * 0x1p-48 * (depth + 1) * squares + 2 * magnitude * mean_error;
    expect_medians(found, expected);
    ck_assert_msg(fabs(found.mean - expected.mean) <= mean_error,
                  "n %zu: mean %.17g, expected %.17g within %g", n, found.mean, expected.mean, mean_error);
    ck_assert_msg(fabs(found.std * found.std - expected.std * expected.std) <= variance_error,
                  "n %zu: std %.17g, expected %.17g", n, found.std, expected.std);
    expect_same(found.cv, found.std / found.mean + 0.0, n, "CV");
}

// In double, in float, and in float as on a device without double precision.
static void expect_stats(const double *x, size_t n)
{
    const int fp64 = context->device.info.fp64;
    struct stats_options options = {.single = false, .mad_scale = 1};

    if (fp64) {
        expect_all(device_of(x, n, &options), reference_of(x, n, &options));
        options.mad_scale = STATS_MAD_SCALE_NORMAL;
        options.single = true;
        expect_all(device_of(x, n, &options), reference_of(x, n, &options));
    }
    options.single = true;
    context->device.info.fp64 = 0;
    expect_within_bound(device_of(x, n, &options), reference_of(x, n, &options), x, n);
    context->device.info.fp64 = fp64;
}

// ---- columns ----

static double random_element(int kind)
{
    switch (kind) {
    case 0:
        return (double)(test_random(&state) % 21) - 10;
    case 1:
        return test_uniform(&state);
    case 2:
        return 1000 + test_uniform(&state);
    default:
        return ldexp(test_uniform(&state) - 0.3, (int)(test_random(&state) % 20));
    }
}

START_TEST(random_columns)
{
    static const size_t sizes[] = {1, 2, 3, 100, 4, 15, 64, 65, 1000, 4095, 4096, 4097, 8200, 50001, 100003};
    double *x = malloc(100003 * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (size_t s = 0; s < (test_is_slow() ? 4 : sizeof sizes / sizeof *sizes); s++)
        for (int kind = 0; kind < (test_is_slow() ? 1 : 4); kind++) {
            for (size_t i = 0; i < sizes[s]; i++)
                x[i] = random_element(kind);
            expect_stats(x, sizes[s]);
        }
    free(x);
}
END_TEST

static void expect_special(const double *x, size_t n)
{
    const int fp64 = context->device.info.fp64;

    for (int way = fp64 ? 0 : 2; way < 3; way += test_is_slow() ? 2 : 1) {
        const struct stats_options options = {.single = way > 0, .mad_scale = 1};
        context->device.info.fp64 = way < 2;
        expect_all(device_of(x, n, &options), reference_of(x, n, &options));
    }
    context->device.info.fp64 = fp64;
}

#define EXPECT_SPECIAL(...)                                                                                  \
    expect_special((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

START_TEST(special_columns)
{
    expect_special(NULL, 0);
    EXPECT_SPECIAL(1, NAN, 3);
    EXPECT_SPECIAL(-0.0, -0.0);
    EXPECT_SPECIAL(-1, 1); // CV infinite
    EXPECT_SPECIAL(1, 2, INFINITY);
    if (test_is_slow())
        return;
    EXPECT_SPECIAL(-3);
    EXPECT_SPECIAL(-0.0);
    EXPECT_SPECIAL(1, 3);
    EXPECT_SPECIAL(0, 0);
    EXPECT_SPECIAL(-INFINITY, 5, 6, 7);
    EXPECT_SPECIAL(1, INFINITY);
    EXPECT_SPECIAL(-INFINITY, INFINITY);
    EXPECT_SPECIAL(INFINITY);
    EXPECT_SPECIAL(7, 7, 7);
    EXPECT_SPECIAL(16777216, 16777218);
    EXPECT_SPECIAL(3e38, 3e38);
    EXPECT_SPECIAL(1e300); // infinite in float
}
END_TEST

START_TEST(real_file)
{
    static const double cv[] = {-0.72210659, 6.57664114, 0.63885642};
    static const double median[] = {-33, -7, 45}, mad[] = {11, 17, 11};
    const int fp64 = context->device.info.fp64;
    char path[4200];
    struct csv_table table;

    if (test_is_slow() || !test_data_path("acc/ACC_msr2023.csv", path, sizeof path))
        return;
    EXPECT_OK(csv_read(path, NULL, &table, &err));
    ck_assert_uint_eq(table.column_count, 3);
    for (int way = fp64 ? 0 : 2; way < 3; way++)
        for (size_t i = 0; i < 3; i++) {
            const struct stats_options options = {.single = way > 0, .mad_scale = 1};
            context->device.info.fp64 = way < 2;
            struct stats_result r = device_of(table.columns[i].values, table.columns[i].count, &options);
            // Integers: also pairs of floats sum them exactly.
            expect_all(r, reference_of(table.columns[i].values, table.columns[i].count, &options));
            if (i == 0)
                ck_assert_double_eq_tol(r.mean, -30.056728, 0.5e-6);
            ck_assert_double_eq_tol(r.cv, cv[i], 0.5e-8);
            expect_same(r.median, median[i], r.n, "median");
            expect_same(r.mad, mad[i], r.n, "MAD");
        }
    context->device.info.fp64 = fp64;
    csv_free(&table);
}
END_TEST

// A column that the device holds in parts: the same bits as in one piece.
START_TEST(parts)
{
    enum { N = 70001 };
    size_t n = test_is_slow() ? 4200 : N;
    double *x = malloc(N * sizeof *x);
    const uint64_t max_alloc = context->device.info.max_alloc;

    ck_assert_ptr_nonnull(x);
    for (int kind = 0; kind < (test_is_slow() ? 1 : 4); kind++) {
        for (size_t i = 0; i < n; i++)
            x[i] = random_element(kind);
        if (kind == 3)
            x[5] = -INFINITY;
        for (int single = test_is_slow() || !context->device.info.fp64; single < 2; single++) {
            const struct stats_options options = {.single = single != 0, .mad_scale = 1};
            struct stats_result whole = device_of(x, n, &options);
            // Parts of one, two and eight leaves.
            for (size_t bytes = 4096 * (single ? 4 : 8); bytes <= (test_is_slow() ? 32768 : 8 * 32768);
                 bytes *= 4) {
                context->device.info.max_alloc = bytes + 100;
                expect_all(device_of(x, n, &options), whole);
                context->device.info.max_alloc = max_alloc;
            }
        }
    }
    free(x);
}
END_TEST

START_TEST(times)
{
    enum { N = 5000 };
    double x[N];
    const struct stats_options options = {.single = true, .mad_scale = 1};
    struct stats_result result;
    struct stats_times first = {0, 0, 0, 0};
    size_t n = test_is_slow() ? 50 : N;

    for (size_t i = 0; i < N; i++)
        x[i] = random_element(1);
    test_prepare_numbers();
    EXPECT_OK(stats_device(queue, x, n, &options, &result, &first, &err));
    ck_assert(first.build > 0 && first.upload > 0 && first.compute > 0 && first.download == 0);
    struct stats_times both = first;
    EXPECT_OK(stats_device(queue, x, n, &options, &result, &both, &err));
    ck_assert(both.build < 2 * first.build && both.upload > first.upload && both.compute > first.compute);
    EXPECT_OK(stats_device(queue, x, n, &options, &result, NULL, &err));
}
END_TEST

// ---- failures: whichever call of the driver fails, its error comes back and nothing leaks ----

static const struct kn_backend *real;
static long calls_left;

static bool fails(kn_error *why)
{
    if (calls_left-- > 0)
        return false;
    kn_error failure = {KN_ERROR_DEVICE, -5, "CL_OUT_OF_RESOURCES", "", 0, "made to fail"};
    if (why)
        *why = failure;
    return true;
}

static kn_status failing_alloc(struct be_context *native, size_t bytes, struct be_memory **memory,
                               kn_error *why)
{
    return fails(why) ? KN_ERROR_DEVICE : real->memory_alloc(native, bytes, memory, why);
}

static kn_status failing_launch(struct be_queue *native, struct be_kernel *kernel,
                                const struct be_range *range, const struct be_arg *args, size_t count,
                                struct be_event **event, kn_error *why)
{
    return fails(why) ? KN_ERROR_DEVICE : real->launch(native, kernel, range, args, count, event, why);
}

static kn_status failing_write(struct be_queue *native, struct be_memory *to, const void *from,
                               const struct be_copy *copy, struct be_event **event, kn_error *why)
{
    return fails(why) ? KN_ERROR_DEVICE : real->copy_to_device(native, to, from, copy, event, why);
}

static kn_status failing_read(struct be_queue *native, struct be_memory *from, void *to,
                              const struct be_copy *copy, struct be_event **event, kn_error *why)
{
    return fails(why) ? KN_ERROR_DEVICE : real->copy_to_host(native, from, to, copy, event, why);
}

static void fail_every_call(const double *x, size_t n, const struct stats_options *options)
{
    struct kn_backend broken = *context->backend;
    struct stats_result result;
    kn_status status = KN_ERROR_DEVICE;
    long call = 0;

    real = context->backend;
    broken.memory_alloc = failing_alloc;
    broken.launch = failing_launch;
    broken.copy_to_device = failing_write;
    broken.copy_to_host = failing_read;
    for (; status && call < 500; call++) {
        struct stats_times unused = {0, 0, 0, 0};
        calls_left = call;
        context->backend = &broken;
        status = stats_device(queue, x, n, options, &result, &unused, &err);
        context->backend = real;
        if (status) {
            ck_assert_int_eq(status, KN_ERROR_DEVICE);
            ck_assert_msg(strstr(err.text, "made to fail") != NULL, "%s", err.text);
            ck_assert(unused.build == 0 && unused.compute == 0);
        }
    }
    ck_assert_msg(status == KN_OK && call > 8, "%ld calls and still not done", call);
    expect_medians(result, reference_of(x, n, options));
}

START_TEST(failures)
{
    enum { N = 9000 };
    double x[N];
    const struct stats_options options = {.single = true, .mad_scale = 1};
    size_t n = test_is_slow() ? 50 : N;

    for (size_t i = 0; i < N; i++)
        x[i] = random_element(1);
    fail_every_call(x, n, &options);
    if (test_is_slow())
        return;
    context->device.info.max_alloc = 4096 * sizeof(float);
    fail_every_call(x, n, &options);
}
END_TEST

START_TEST(refusals)
{
    const struct stats_options options = STATS_OPTIONS_INIT;
    struct stats_result result;

    context->device.info.fp64 = 0;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "double precision",
                   stats_device(queue, (double[]){1, 2}, 2, &options, &result, NULL, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_columns, special_columns, real_file, parts,
                                  times,          failures,        refusals};

    return test_run("stats on a device", tests, sizeof tests / sizeof *tests, set_up, test_close);
}
