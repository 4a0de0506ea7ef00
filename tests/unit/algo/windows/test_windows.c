// SPDX-License-Identifier: Apache-2.0
// Tests kn_windows and kn_rolling against windows that are sorted one by one in double precision.
#include "support/buffers.h"

#include "unit/host/windows_support.h"

static kn_buffer *upload(const struct column *c)
{
    return test_upload_with_room(c->x, c->n * kn_type_size(c->type), 64);
}

static kn_buffer *make_results(const struct column *c)
{
    char *poison = malloc(c->n * kn_type_size(c->type) + 1);
    kn_buffer *made;

    ck_assert_ptr_nonnull(poison);
    memset(poison, 0x5a, c->n * kn_type_size(c->type));
    made = test_upload_with_room(poison, c->n * kn_type_size(c->type), 64);
    free(poison);
    return made;
}

static void *download(const struct column *c, kn_buffer *buffer)
{
    const size_t bytes = c->n * kn_type_size(c->type);
    void *to = malloc(bytes + 1);

    ck_assert_ptr_nonnull(to);
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, to, bytes, &err));
    test_expect_poison(buffer, bytes);
    return to;
}

static void check_windows(const struct column *c, size_t width, size_t step)
{
    static const double q[] = {0.1, 0.95};
    const size_t count = kn_window_count(c->n, width, step, true);
    kn_stats *found = malloc((count + 1) * sizeof *found);
    double *quantiles = malloc((count + 1) * sizeof q);
    kn_buffer *x = upload(c);

    ck_assert(found && quantiles);
    EXPECT_OK(kn_windows(queue, x, c->type, c->n, width, step, found, quantiles,
                         &KN_INIT(kn_window_options, .partial = true, .quantiles = q, .quantile_count = 2),
                         &err));
    for (size_t i = 0; i < count; i++) {
        size_t rest = c->n - i * step;
        expect_window(c, i, i * step, rest < width ? rest : width, q, &found[i], &quantiles[2 * i]);
    }
    free(found);
    free(quantiles);
    kn_buffer_free(x);
}

START_TEST(windows)
{
    static const size_t widths[] = {1, 2, 7, 64, 301, 1920, 5000};
    uint64_t state = test_seed("windows");

    for (size_t i = 0; i < KI_COUNT(widths); i++) {
        const kn_type type = i % 2 && context->device.info.fp64 ? KN_F64 : KN_F32;
        const size_t width = widths[i], n = width * 3 + test_random(&state) % (2 * width);
        struct column c = make_column(&patterns[i % 6], type, n, &state);
        if (i % 3 == 0)
            put_nan(&c, &state);
        check_windows(&c, width, 1 + test_random(&state) % (2 * width));
        free_column(&c);
    }
}
END_TEST

// Returns false after checking the refusal, if the driver ends the kernel's loops too early.
static bool takes_rolling(void)
{
    const float value = 1;
    kn_buffer *x, *to;

    if (context->device.info.loop_limit == 0)
        return true;
    x = test_upload_with_room(&value, sizeof value, 64);
    to = test_upload_with_room(&value, sizeof value, 64);
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "limits loops",
                   kn_rolling(queue, x, KN_F32, 1, 1, to, NULL, NULL, &err));
    kn_buffer_free(x);
    kn_buffer_free(to);
    return false;
}

static void check_rolling(const char *name, const struct column *c, size_t width,
                          const kn_rolling_options *options)
{
    kn_buffer *x = upload(c), *medians = make_results(c), *mads = make_results(c);
    const bool has_mads = context->device.info.fp64;
    void *found, *found_mads;

    EXPECT_OK(kn_rolling(queue, x, c->type, c->n, width, medians, has_mads ? mads : NULL, options, &err));
    found = download(c, medians);
    found_mads = download(c, mads);
    if (has_mads) {
        expect_rolling(name, c, width, options, found, found_mads);
    } else {
        EXPECT_OK(kn_host_rolling(c->x, c->type, c->n, width, NULL, found_mads, options, NULL, &err));
        expect_rolling(name, c, width, options, found, found_mads);
    }
    free(found);
    free(found_mads);
    kn_buffer_free(x);
    kn_buffer_free(medians);
    kn_buffer_free(mads);
}

START_TEST(rolling)
{
    static const size_t widths[] = {1, 2, 3, 4, 31, 32, 33, 100, 301};
    uint64_t state = test_seed("rolling");
    size_t p = test_random(&state) % KI_COUNT(patterns);

    for (size_t t = 0; t < 2; t++) {
        const kn_type type = t ? KN_F64 : KN_F32;
        for (size_t i = 0; i < KI_COUNT(widths) * 2 && test_takes(type) && takes_rolling(); i++) {
            const size_t width = widths[i % KI_COUNT(widths)], n = 1 + test_random(&state) % (4 * width + 40);
            const struct pattern *pattern = &patterns[p++ % KI_COUNT(patterns)];
            const kn_rolling_options options =
                KN_INIT(kn_rolling_options, .position = (kn_window_position)(test_random(&state) % 2),
                        .edges = (kn_window_edges)(test_random(&state) % 2),
                        .mad_scale = (kn_stats_mad_scale)(test_random(&state) % 2));
            struct column c = make_column(pattern, type, n, &state);
            if (strcmp(pattern->name, "tiny") != 0 || !test_flushes_denormals()) {
                if (i % 3 == 0)
                    put_nan(&c, &state);
                check_rolling(pattern->name, &c, width, &options);
            }
            free_column(&c);
        }
    }
}
END_TEST

// Medians without MADs use a different program.
START_TEST(rolling_medians)
{
    uint64_t state = test_seed("rolling_medians");
    struct column c = make_column(&patterns[1], KN_F32, 2000, &state);
    kn_buffer *x = upload(&c), *medians = make_results(&c);
    void *found, *expected = malloc(c.n * sizeof(float));

    ck_assert_ptr_nonnull(expected);
    for (size_t width = 200; width < 202 && takes_rolling(); width++) {
        EXPECT_OK(kn_rolling(queue, x, KN_F32, c.n, width, medians, NULL, NULL, &err));
        EXPECT_OK(kn_host_rolling(c.x, KN_F32, c.n, width, expected, NULL, NULL, NULL, &err));
        found = download(&c, medians);
        ck_assert_mem_eq(found, expected, c.n * sizeof(float));
        free(found);
    }
    free(expected);
    free_column(&c);
    kn_buffer_free(x);
    kn_buffer_free(medians);
}
END_TEST

START_TEST(refused)
{
    const float values[4] = {1, 2, 3, 4};
    kn_buffer *x = test_upload_with_room(values, sizeof values, 64), *to;

    EXPECT_OK(kn_buffer_create(context, 8, &to, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "windows of 0 elements",
                   kn_rolling(queue, x, KN_F32, 4, 0, to, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "4 elements", kn_rolling(queue, x, KN_F32, 4, 3, to, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not three buffers",
                   kn_rolling(queue, x, KN_F32, 4, 3, x, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "not on char",
                   kn_rolling(queue, x, KN_I8, 4, 3, to, NULL, NULL, &err));
    kn_buffer_free(x);
    kn_buffer_free(to);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {windows, rolling, rolling_medians, refused};

    return test_run("windows", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
