// SPDX-License-Identifier: Apache-2.0
// Tests what the variants run: columns in bytes, kernels in the queue's profile, plans of the host; failures
// of the driver; refusals.
#include "variants_support.h"

#include "support/failing_backend.h"

#include "app/stats/bytes.h"

// ---- whole numbers of 8 bits ----

static void expect_bytes(const double *x, size_t n, int type)
{
    uint8_t *bytes = malloc(n + 1);
    kn_type found = KN_F64;

    ck_assert_ptr_nonnull(bytes);
    bytes[n] = 0xa5;
    ck_assert_int_eq(ki_stats_to_bytes(x, n, bytes, &found), type >= 0);
    ck_assert_int_eq((int)found, type >= 0 ? type : KN_F64);
    for (size_t i = 0; i < n && type >= 0; i++)
        ck_assert_msg((type == KN_I8 ? (int8_t)bytes[i] : bytes[i]) == x[i], "element %zu: %g", i, x[i]);
    ck_assert_uint_eq(bytes[n], 0xa5);
    free(bytes);
}

// A single value that does not fit is found at any position.
START_TEST(what_fits_bytes)
{
    static const double strangers[] = {-129,      256,   0.5,           NAN,   INFINITY,
                                       -INFINITY, 1e300, -2147483648.0, 255.5, -128.25};
    static const size_t sizes[] = {0, 1, 2, 4095, 4096, 4097, 9001};
    double x[9001];

    for (size_t s = 0; s < KI_COUNT(sizes); s++)
        for (int kind = 0; kind < 3; kind++) { // -128..127, 0..255, both
            size_t n = sizes[s], at = n ? (size_t)(test_random(&state) % n) : 0;
            for (size_t i = 0; i < n; i++)
                x[i] = (double)(test_random(&state) % 256) - (kind == 1 ? 0 : 128);
            if (n > 2) {
                x[0] = kind == 1 ? 255 : -128;
                x[n / 2] = -0.0;
                x[n - 1] = kind == 1 ? 200 : kind == 2 ? 128 : 127;
            }
            if (n > 2 || kind == 0)
                expect_bytes(x, n, kind == 2 ? -1 : kind == 1 ? KN_U8 : KN_I8);
            for (size_t k = 0; k < KI_COUNT(strangers) && n > 0; k++) {
                double held = x[at];
                x[at] = strangers[k];
                expect_bytes(x, n, -1);
                x[at] = held;
            }
        }
}
END_TEST

// With and without counting, the bits are the same: the fused path on floats against the counted one, also
// for prefixes.
START_TEST(counted_columns)
{
    enum { N = 50021 };
    size_t n = test_is_slow() ? 40 : N, ends[] = {0, 1, 2, 3, n / 2, n - 1, n};
    double *x = malloc(N * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (int kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < n; i++)
            x[i] = (double)(test_random(&state) % 256) - (kind ? 0 : 128);
        x[0] = kind ? 200 : -128;
        expect_column(x, n);
        for (size_t w = 0; w < KI_COUNT(configs); w++) {
            kn_stats found[KI_COUNT(ends)];
            if (!can_run(&configs[w], true))
                continue;
            struct stats_column *column = open_config(&configs[w], KN_STATS_AUTO, true, x, n);
            ck_assert(ki_stats_column_in_bytes(column));
            ck_assert_int_eq(column->type, kind ? KN_U8 : KN_I8);
            EXPECT_OK(ki_stats_column_sweep(column, ends, KI_COUNT(ends), found, &err));
            ck_assert_int_eq(column->ran.robust, KN_ROBUST_COUNTED);
            ck_assert_uint_eq(column->ran.sweep, KI_COUNT(ends));
            for (size_t i = 0; i < KI_COUNT(ends); i++) {
                kn_stats expected = expected_of(x, ends[i], KN_STATS_FUSED, true);
                expect_all(&found[i], &expected, ki_stats_variant_names[configs[w].variant]);
            }
            ki_stats_column_close(column);
        }
    }
    free(x);
}
END_TEST

START_TEST(held_in_bytes)
{
    static const double whole[] = {1, -128, 127, -0.0}, other[] = {1, 0.5};

    for (size_t w = 0; w < KI_COUNT(configs); w++)
        for (size_t m = 0; m < KI_COUNT(methods); m++) {
            if (!can_run(&configs[w], true))
                continue;
            struct stats_column *column = open_config(&configs[w], methods[m], true, whole, 4);
            ck_assert_int_eq(ki_stats_column_in_bytes(column), methods[m] == KN_STATS_FUSED);
            ki_stats_column_close(column);
            column = open_config(&configs[w], methods[m], true, other, 2);
            ck_assert(!ki_stats_column_in_bytes(column));
            ki_stats_column_close(column);
        }
}
END_TEST

// ---- the device ----

static size_t launches_of(const char *kernel, const struct config *config, kn_stats_method method,
                          const double *x, size_t n)
{
    struct stats_column *column = open_config(config, method, true, x, n);
    kn_stats result;
    kn_profile_entry *entries = NULL;
    size_t count = 0, found = 0;

    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(ki_stats_column_compute(column, n, &result, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        found += strncmp(entries[i].kernel, kernel, strlen(kernel)) == 0;
    kn_free(entries);
    ki_stats_column_close(column);
    return found;
}

// The number of launches of the bitonic sort grows when the length passes a power of two: the staircase.
START_TEST(kernels_that_ran)
{
    enum { N = 1 << 16 };
    const struct config gpu = {.variant = STATS_GPU};
    double *x = malloc((N + 1) * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i <= N; i++)
        x[i] = random_double(&state, 1);
    if (!test_is_slow()) {
        size_t launches = launches_of("merge_local", &gpu, KN_STATS_SORT, x, N);
        ck_assert_uint_gt(launches, 0);
        ck_assert_uint_eq(launches_of("merge_local", &gpu, KN_STATS_SORT, x, N - 1), launches);
        ck_assert_uint_eq(launches_of("merge_local", &gpu, KN_STATS_SORT, x, N / 2 + 1), launches);
        ck_assert_uint_gt(launches_of("merge_local", &gpu, KN_STATS_SORT, x, N + 1), launches);
        ck_assert_uint_eq(launches_of("merge_local", &gpu, KN_STATS_SELECT, x, N), 0);
        ck_assert_uint_eq(launches_of("merge_local", &gpu, KN_STATS_FUSED, x, N), 0);
    }
    free(x);
}
END_TEST

// A column in several parts on the device: sorted there and merged here, with the same bits.
START_TEST(parts)
{
    enum { N = 70001 };
    const struct config gpu = {.variant = STATS_GPU};
    size_t n = test_is_slow() ? 4200 : N;
    double *x = malloc(N * sizeof *x);
    const uint64_t max_alloc = context->device.info.max_alloc;

    ck_assert_ptr_nonnull(x);
    for (int kind = 0; kind < (test_is_slow() ? 1 : 5); kind++) {
        for (size_t i = 0; i < n; i++)
            x[i] = random_double(&state, kind);
        kn_stats expected = expected_of(x, n, KN_STATS_SORT, true);
        for (size_t bytes = 4096 * sizeof(float); bytes <= (test_is_slow() ? 16384 : 1 << 18); bytes *= 4) {
            kn_stats found;
            context->device.info.max_alloc = bytes + 100;
            struct stats_column *column = open_config(&gpu, KN_STATS_SORT, true, x, n);
            EXPECT_OK(ki_stats_column_compute(column, n, &found, &err));
            ck_assert_uint_gt(kn_buffer_get_part_count(column->work), 1);
            expect_all(&found, &expected, "parts");
            n = n - 1;
            expected = expected_of(x, n, KN_STATS_SORT, true);
            EXPECT_OK(ki_stats_column_compute(column, n, &found, &err));
            expect_all(&found, &expected, "parts, a prefix");
            ki_stats_column_close(column);
            context->device.info.max_alloc = max_alloc;
        }
    }
    free(x);
}
END_TEST

START_TEST(times)
{
    const struct config gpu = {.variant = STATS_GPU};
    double x[] = {1, 2, 4};
    kn_stats found;
    struct stats_column *column = open_config(&gpu, KN_STATS_SORT, true, x, 3);

    ck_assert(ki_stats_column_times(column).upload > 0 && ki_stats_column_times(column).compute == 0);
    EXPECT_OK(ki_stats_column_compute(column, 3, &found, &err));
    ck_assert(ki_stats_column_times(column).compute > 0 && ki_stats_column_times(column).build > 0);
    ki_stats_column_close(column);
}
END_TEST

// ---- failures: whichever call of the driver fails, its error comes back and nothing leaks ----

// Opens and computes while each call fails in turn, until none does.
static void fail_every_call(kn_stats_method method, const double *x, size_t n)
{
    const struct stats_options options = {.single = true, .mad_scale = 1, .method = method};
    kn_stats expected = expected_of(x, n, method, true), found;
    kn_status status = KN_ERROR_DEVICE;
    long call = 0;

    for (; status && call < 500; call++) {
        struct stats_column *column = NULL;
        failing_begin(call);
        status = ki_stats_column_open(STATS_GPU, queue, x, n, &options, &column, &err);
        if (!status)
            status = ki_stats_column_compute(column, n, &found, &err);
        failing_end(status);
        ki_stats_column_close(column);
    }
    ck_assert_msg(status == KN_OK && call > 5, "%ld calls and still not done", call);
    expect_medians(&found, &expected, ki_stats_method_names[method]);
}

START_TEST(failures)
{
    enum { N = 9000 };
    double x[N];
    size_t n = test_is_slow() ? 50 : N;

    for (size_t i = 0; i < N; i++)
        x[i] = random_double(&state, 1);
    for (size_t m = 0; m < KI_COUNT(methods); m++)
        fail_every_call(methods[m], x, n);
    if (test_is_slow())
        return;
    context->device.info.max_alloc = 4096 * sizeof(float);
    fail_every_call(KN_STATS_SORT, x, n);
}
END_TEST

// ---- what a variant is ----

// Vectors if the name says so, the best available; all threads, or the requested number, if it says that.
START_TEST(plans)
{
    const double x[] = {1, 0.5};

    for (enum stats_variant variant = STATS_SERIAL; variant < STATS_GPU; variant++)
        for (unsigned threads = 0; threads < 4; threads += 3) {
            const bool vectors = strstr(ki_stats_variant_names[variant], "vectorized") != NULL;
            const bool parallel = strstr(ki_stats_variant_names[variant], "parallel") != NULL;
            const struct stats_options options = {.mad_scale = 1, .threads = threads};
            const kn_host_options all = KN_INIT(kn_host_options, .threads = threads);
            struct stats_column *column = NULL;
            struct host_plan plan;
            kn_status status = ki_stats_column_open(variant, NULL, x, 2, &options, &column, &err);
            if (vectors && best == KN_HOST_SCALAR) {
                ck_assert_int_eq(status, KN_ERROR_UNSUPPORTED);
                ck_assert(strstr(err.text, "needs AVX2") != NULL);
                continue;
            }
            EXPECT_OK(status);
            EXPECT_OK(ki_host_plan("test", KN_F64, 0, &all, &plan, &err));
            ck_assert_int_eq(column->plan.level, vectors ? best : KN_HOST_SCALAR);
            ck_assert_uint_eq(column->plan.threads, parallel ? plan.threads : 1);
            ck_assert_int_eq(ki_stats_column_method(column), KN_STATS_FUSED);
            ki_stats_column_close(column);
        }
}
END_TEST

// ---- refusals ----

static kn_status try_open(enum stats_variant variant, kn_queue *with, struct stats_options options)
{
    static const double x[] = {1, 2};
    struct stats_column *column = NULL;
    kn_status status;

    options.mad_scale = 1;
    status = ki_stats_column_open(variant, with, x, 2, &options, &column, &err);
    ki_stats_column_close(column);
    return status;
}

START_TEST(refusals)
{
    const struct stats_options plain = STATS_OPTIONS_INIT;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the variant gpu needs", try_open(STATS_GPU, NULL, plain));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the variant vectorized computes on the host",
                   try_open(STATS_VECTORIZED, queue, plain));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no variant 5", try_open(STATS_VARIANTS, NULL, plain));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no method 4",
                   try_open(STATS_SERIAL, NULL, (struct stats_options){.method = STATS_METHODS}));
    context->device.info.fp64 = 0;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "has no double precision", try_open(STATS_GPU, queue, plain));
    ki_stats_column_close(NULL);
}
END_TEST

START_TEST(names)
{
    static const char *const variants[] = {"serial", "vectorized", "parallel", "parallel-vectorized",
                                           "gpu",    NULL};
    static const char *const all_methods[] = {"auto", "sort", "select", "fused", NULL};

    for (size_t i = 0; i < STATS_VARIANTS; i++)
        ck_assert_str_eq(ki_stats_variant_names[i], variants[i]);
    for (size_t i = 0; i < STATS_METHODS; i++)
        ck_assert_str_eq(ki_stats_method_names[i], all_methods[i]);
    ck_assert(!ki_stats_variant_names[STATS_VARIANTS] && !ki_stats_method_names[STATS_METHODS]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {what_fits_bytes, counted_columns, held_in_bytes, kernels_that_ran, parts,
                                  times,           failures,        plans,         refusals,         names};

    return test_run("stats: what variants run", tests, sizeof tests / sizeof *tests, set_up, test_close);
}
