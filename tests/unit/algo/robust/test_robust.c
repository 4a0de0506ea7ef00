// SPDX-License-Identifier: Apache-2.0
// Tests kn_robust_stats and kn_robust_to_buffer of floats: median and MAD must equal those of sorted copies
// in double precision; sums are compared with kn_reduce_moments.
#include "robust_support.h"

#include <koine/experimental.h>

// kn_robust_to_buffer writes the same values, and nothing else, if the device has double precision.
static void expect_in_buffer(const kn_robust *expected, kn_buffer *buffer, kn_type type, size_t n,
                             int pattern, const kn_robust_options *options)
{
    const kn_robust_options fused =
        KN_INIT(kn_robust_options, .shift = options->shift, .tuning = options->tuning);
    kn_buffer *there;
    kn_robust found;

    if (!kn_context_get_device(context)->fp64)
        return;
    there = test_upload_with_room(expected, sizeof *expected, 16);
    EXPECT_OK(kn_robust_to_buffer(queue, buffer, type, n, there, &fused, &err));
    EXPECT_OK(kn_buffer_read(queue, there, 0, &found, sizeof found, &err));
    test_expect_poison(there, sizeof found);
    kn_buffer_free(there);
    ck_assert_uint_eq(found.n, n);
    ck_assert_uint_eq(found.nan_count, expected->nan_count);
    expect_same("median in a buffer", found.median, expected->median, n, pattern, (int)found.method);
    expect_same("MAD in a buffer", found.mad, expected->mad, n, pattern, (int)found.method);
    expect_same("sum in a buffer", found.sum, expected->sum, n, pattern, (int)found.method);
    expect_same("squares in a buffer", found.squares, expected->squares, n, pattern, (int)found.method);
    expect_same("mean in a buffer", found.mean, expected->mean, n, pattern, (int)found.method);
    expect_same("variance in a buffer", found.variance, expected->variance, n, pattern, (int)found.method);
    expect_same("shift in a buffer", found.shift, expected->shift, n, pattern, (int)found.method);
    if (options->method == KN_ROBUST_FUSED)
        ck_assert(found.method == expected->method && found.missed == expected->missed);
}

static void expect_stats(kn_type type, size_t n, enum pattern pattern, const kn_robust_options *options)
{
    kn_buffer *buffer;
    kn_robust found;
    kn_moments moments;

    if (pattern == DENORMALS && test_flushes_denormals())
        return;
    fill(n, type, pattern);
    buffer = test_upload_column(x, n, type);
    memset(&found, 0xa5, sizeof found);
    EXPECT_OK(kn_robust_stats(queue, buffer, type, n, &found, options, &err));
    expect_result(&found, buffer, type, n, (int)pattern, (int)options->method);
    if (options->shift && n > 0)
        expect_same("shift", found.shift, test_rounded(*options->shift, type) + 0.0, n, (int)pattern,
                    (int)options->method);
    EXPECT_OK(kn_reduce_moments(queue, buffer, type, n, NULL, &moments, &err));
    if (!options->shift && n > 0)
        expect_same("shift", found.shift, moments.shift + 0.0, n, (int)pattern, (int)options->method);
    if (options->method == KN_ROBUST_SELECT)
        ck_assert(found.method == KN_ROBUST_SELECT && !found.missed);
    else if (!options->tuning && pattern != GAP && pattern != HALVES) // brackets may then contain everything
        ck_assert_msg(found.method == KN_ROBUST_FUSED && !found.missed, "n %zu, pattern %d: missed", n,
                      (int)pattern);
    else
        ck_assert_int_eq(found.method, found.missed ? KN_ROBUST_SELECT : KN_ROBUST_FUSED);
    if (options->method == KN_ROBUST_FUSED)
        expect_in_buffer(&found, buffer, type, n, (int)pattern, options);
    kn_buffer_free(buffer);
}

// One pattern in this many is tried in a run, for columns of this length.
static uint64_t one_of(size_t n)
{
    return test_is_slow() ? 6 : n < 100 ? 1 : 3;
}

static void check(kn_type type, kn_robust_method method)
{
    const double shift = 0.1;

    for (size_t i = 0; i < SIZES && test_takes(type); i++)
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            const kn_robust_options options = KN_INIT(kn_robust_options, .method = method,
                                                      .shift = test_random(&state) & 1 ? &shift : NULL);
            if (is_tried(sizes[i]) && test_random(&state) % one_of(sizes[i]) == 0)
                expect_stats(type, sizes[i], (enum pattern)pattern, &options);
        }
}

START_TEST(fused_single)
{
    check(KN_F32, KN_ROBUST_FUSED);
}
END_TEST

START_TEST(fused_double)
{
    check(KN_F64, KN_ROBUST_FUSED);
}
END_TEST

START_TEST(select_single)
{
    check(KN_F32, KN_ROBUST_SELECT);
}
END_TEST

START_TEST(select_double)
{
    check(KN_F64, KN_ROBUST_SELECT);
}
END_TEST

// Without double precision: exactly the same.
START_TEST(soft)
{
    const int fp64 = context->device.info.fp64;

    context->device.info.fp64 = 0;
    check(KN_F32, KN_ROBUST_FUSED);
    check(KN_F32, KN_ROBUST_SELECT);
    context->device.info.fp64 = fp64;
}
END_TEST

// Local memory of 32 KB, as on many devices: a smaller sample, for doubles too. With less local memory, the
// fused method is refused by name.
START_TEST(small_local_memory)
{
    uint64_t *local = &context->device.info.local_memory, was = *local;
    kn_buffer *buffer = test_upload_with_room(x, 80, 0);
    kn_robust found;

    *local = 32 << 10;
    check(KN_F64, KN_ROBUST_FUSED);
    check(KN_F32, KN_ROBUST_FUSED);
    *local = 27 << 10;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "it takes 28 KB",
                   kn_robust_stats(queue, buffer, KN_F32, 20, &found,
                                   &KN_INIT(kn_robust_options, .method = KN_ROBUST_FUSED), &err));
    fill(20, KN_F32, NORMAL);
    kn_buffer_free(buffer);
    buffer = test_upload_column(x, 20, KN_F32);
    EXPECT_OK(kn_robust_stats(queue, buffer, KN_F32, 20, &found, NULL, &err));
    ck_assert_int_eq(found.method, KN_ROBUST_SELECT);
    ck_assert_int_eq(found.missed, 0);
    kn_buffer_free(buffer);
    *local = was;
}
END_TEST

// ---- NaN, misses, which kernels run ----

START_TEST(not_a_number)
{
    size_t n = test_is_slow() ? 50 : 9001;
    kn_robust found;
    kn_buffer *buffer;

    for (int method = KN_ROBUST_FUSED; method <= KN_ROBUST_SELECT; method++) {
        const kn_robust_options options = KN_INIT(kn_robust_options, .method = (kn_robust_method)method);
        size_t nans = 0;
        fill(n, KN_F32, NORMAL);
        for (size_t i = 0; i < n; i++)
            if (i == n / 2 || test_random(&state) % 40 == 0) {
                x[i] = NAN;
                nans++;
            }
        buffer = test_upload_column(x, n, KN_F32);
        EXPECT_OK(kn_robust_stats(queue, buffer, KN_F32, n, &found, &options, &err));
        ck_assert_uint_eq(found.n, n);
        ck_assert_uint_eq(found.nan_count, nans);
        ck_assert(isnan(found.mean) && isnan(found.variance) && isnan(found.shift) && isnan(found.sum) &&
                  isnan(found.squares) && isnan(found.median) && isnan(found.mad));
        ck_assert(!found.missed);
        expect_in_buffer(&found, buffer, KN_F32, n, NORMAL, &options);
        kn_buffer_free(buffer);
    }
}
END_TEST

// A single read if the brackets hold the median, and the other method if they are made too narrow.
START_TEST(kernels)
{
    size_t n = test_is_slow() ? 64 : 100003, missed = 0;
    const kn_robust_options narrow = KN_INIT(kn_robust_options, .method = KN_ROBUST_FUSED,
                                             .tuning = &(kn_robust_tuning){.width = 1e-9}),
                            select = KN_INIT(kn_robust_options, .method = KN_ROBUST_SELECT),
                            fused = KN_INIT(kn_robust_options, .method = KN_ROBUST_FUSED);
    const kn_robust_options *const each[] = {&fused, &select, &narrow};

    for (size_t i = 0; i < 3 + 10; i++) {
        const kn_robust_options *options = each[i < 3 ? i : 2];
        kn_profile_entry *entries = NULL;
        size_t count = 0;
        kn_robust found;
        kn_buffer *buffer;
        fill(n, KN_F32, NORMAL);
        buffer = test_upload_column(x, n, KN_F32);
        EXPECT_OK(kn_profile_start(queue, &err));
        EXPECT_OK(kn_robust_stats(queue, buffer, KN_F32, n, &found, options, &err));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        ck_assert_uint_eq(test_count_kernel(entries, count, "robust_pass"), options != &select);
        ck_assert_uint_eq(test_count_kernel(entries, count, "moments_leaves"),
                          options == &select || found.missed);
        ck_assert(options == &narrow || !found.missed);
        ck_assert_uint_le(i == 0 ? count : 0, 11);
        missed += (size_t)found.missed;
        expect_result(&found, buffer, KN_F32, n, NORMAL, (int)i);
        if (options == &narrow)
            expect_in_buffer(&found, buffer, KN_F32, n, NORMAL, options);
        kn_free(entries);
        kn_buffer_free(buffer);
    }
    ck_assert(missed > 0 || test_is_slow());
}
END_TEST

// The method that is chosen, and the way in which a CPU selects the deviations.
START_TEST(automatic)
{
    const size_t n = test_is_slow() ? 64 : 100003;
    const kn_device_info *info = kn_context_get_device(context);
    const bool is_cpu = info->type == KN_DEVICE_CPU;
    const double shift = 0.25;

    for (int i = 0; i < 3; i++) { // without a shift, with one, and with not-a-number
        const kn_robust_options options = KN_INIT(kn_robust_options, .shift = i > 0 ? &shift : NULL);
        kn_profile_entry *entries = NULL;
        size_t count = 0;
        kn_robust found;
        kn_buffer *buffer;

        fill(n, KN_F32, NORMAL);
        if (i == 2)
            x[0] = NAN;
        buffer = test_upload_column(x, n, KN_F32);
        EXPECT_OK(kn_profile_start(queue, &err));
        EXPECT_OK(kn_robust_stats(queue, buffer, KN_F32, n, &found, &options, &err));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        ck_assert_int_eq(found.method, is_cpu ? KN_ROBUST_SELECT : KN_ROBUST_FUSED);
        ck_assert_uint_eq(found.nan_count, i == 2);
        ck_assert_uint_eq(test_count_kernel(entries, count, "distances"), is_cpu && info->fp64 && i < 2);
        ck_assert_uint_eq(test_count_kernel(entries, count, "moments_leaves"), is_cpu && i != 1);
        if (i < 2)
            expect_result(&found, buffer, KN_F32, n, NORMAL, i);
        kn_free(entries);
        kn_buffer_free(buffer);
    }
}
END_TEST

// Methods that need the host cannot leave their result on the device.
START_TEST(refused_in_buffer)
{
    kn_device_info *info = &context->device.info;
    const kn_device_info was = *info;
    const kn_robust_options select = KN_INIT(kn_robust_options, .method = KN_ROBUST_SELECT),
                            counted = KN_INIT(kn_robust_options, .method = KN_ROBUST_COUNTED);
    kn_buffer *column = test_upload_with_room(x, 40, 0), *result;
    const kn_robust nothing = {.n = 77};
    const kn_robust_options *const none = NULL;
    const struct {
        const char *words;
        kn_type type;
        const kn_robust_options *options;
    } refused[] = {{"statistics of 256 counts", KN_I8, none},
                   {"statistics of 256 counts", KN_U8, none},
                   {"statistics of 256 counts", KN_U8, &counted},
                   {"not on int", KN_I32, none},
                   {"not on ulong", KN_U64, none},
                   {"asks the host", KN_F32, &select},
                   {"256 bins", KN_F32, &counted}};
    kn_robust found;

    result = test_upload_with_room(&nothing, sizeof nothing, 0);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        EXPECT_REFUSED(
            KN_ERROR_UNSUPPORTED, refused[i].words,
            kn_robust_to_buffer(queue, column, refused[i].type, 5, result, refused[i].options, &err));
    info->fp64 = false;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "no double precision to leave results in",
                   kn_robust_to_buffer(queue, column, KN_F32, 5, result, NULL, &err));
    *info = was;
    info->local_memory = 27 << 10;
    if (info->fp64)
        EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "it takes 28 KB",
                       kn_robust_to_buffer(queue, column, KN_F32, 5, result, NULL, &err));
    *info = was;
    EXPECT_OK(kn_buffer_read(queue, result, 0, &found, sizeof found, &err));
    ck_assert_uint_eq(found.n, nothing.n); // nothing was written
    kn_buffer_free(result);
    kn_buffer_free(column);
}
END_TEST

START_TEST(refusals)
{
    kn_buffer *buffer = test_upload_with_room(x, 80, 0), *small = test_upload_with_room(x, 40, 0);
    const double shift = 1e300, far = 300;
    kn_robust found;

    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "not on int",
                   kn_robust_stats(queue, buffer, KN_I32, 10, &found, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 20",
                   kn_robust_stats(queue, buffer, KN_F32, 21, &found, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "is NULL",
                   kn_robust_stats(queue, buffer, KN_F32, 20, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not finite",
                   kn_robust_stats(queue, buffer, KN_F32, 20, &found,
                                   &KN_INIT(kn_robust_options, .shift = &shift), &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "from -128 to 127",
        kn_robust_stats(queue, buffer, KN_I8, 20, &found, &KN_INIT(kn_robust_options, .shift = &far), &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no method",
                   kn_robust_stats(queue, buffer, KN_F32, 20, &found,
                                   &KN_INIT(kn_robust_options, .method = (kn_robust_method)4), &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "256 bins",
                   kn_robust_stats(queue, buffer, KN_F32, 20, &found,
                                   &KN_INIT(kn_robust_options, .method = KN_ROBUST_COUNTED), &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "width of -1",
                   kn_robust_stats(queue, buffer, KN_F32, 20, &found,
                                   &KN_INIT(kn_robust_options, .tuning = &(kn_robust_tuning){.width = -1}),
                                   &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_robust_to_buffer: x and result are one buffer",
                   kn_robust_to_buffer(queue, buffer, KN_F32, 20, buffer, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_robust_to_buffer: results is NULL",
                   kn_robust_to_buffer(queue, buffer, KN_F32, 20, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds",
                   kn_robust_to_buffer(queue, buffer, KN_F32, 20, small, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "overlap",
                   kn_robust_columns(queue, buffer, KN_F32, 10, 5, 2, &found, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "they grow",
                   kn_robust_prefixes(queue, buffer, KN_F32, (size_t[]){5, 4}, 2, &found, NULL, &err));
    kn_buffer_free(small);
    kn_buffer_free(buffer);
}
END_TEST

// A buffer in parts: the same answers.
START_TEST(parts)
{
    kn_context_options small = KN_INIT(kn_context_options, .max_alloc = 1 << 18);
    const size_t n = 200003;
    kn_robust found;
    kn_buffer *buffer, *there;

    test_open_with(&small);
    state = test_seed("parts");
    if (!test_is_slow()) {
        x = malloc(n * sizeof *x);
        sorted = malloc(n * sizeof *sorted);
        ck_assert(x && sorted);
        fill(n, KN_F32, NORMAL);
        buffer = test_upload_column(x, n, KN_F32);
        ck_assert_uint_gt(kn_buffer_get_part_count(buffer), 1);
        for (int method = KN_ROBUST_FUSED; method <= KN_ROBUST_SELECT; method++) {
            const kn_robust_options options = KN_INIT(kn_robust_options, .method = (kn_robust_method)method);
            EXPECT_OK(kn_robust_stats(queue, buffer, KN_F32, n, &found, &options, &err));
            expect_result(&found, buffer, KN_F32, n, NORMAL, method);
        }
        EXPECT_REFUSED(KN_ERROR_LIMIT, "in parts",
                       kn_robust_columns(queue, buffer, KN_F32, 5, 5, 2, &found, NULL, &err));
        there = test_upload_with_room(&found, sizeof found, 0);
        EXPECT_REFUSED(KN_ERROR_LIMIT, "kn_robust_to_buffer: x is held in parts",
                       kn_robust_to_buffer(queue, buffer, KN_F32, n, there, NULL, &err));
        kn_buffer_free(there);
        kn_buffer_free(buffer);
        free(x);
        free(sorted);
    }
    test_close();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {fused_single, fused_double,       select_single,    select_double,
                                  soft,         small_local_memory, not_a_number,     kernels,
                                  automatic,    refusals,           refused_in_buffer};
    const TTest *const own_device[] = {parts};
    int status = test_run("robust", tests, sizeof tests / sizeof *tests, set_up, tear_down);

    return status ? status : test_run("robust, devices of their own", own_device, 1, NULL, NULL);
}
