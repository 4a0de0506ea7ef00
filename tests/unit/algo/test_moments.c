// SPDX-License-Identifier: Apache-2.0
// Tests kn_reduce_moments: floats against kn_reduce_sums, whose tree is written out in test_reduce, on the
// column without its NaN; integers against exact sums.
#include "algo/moments.h"
#include "support/buffers.h"
#include "support/run.h"

#include <float.h>
#include <math.h>

enum { MOST = 300007 };

static double *x;
static uint64_t *cells;
static uint64_t state;

static void set_up(void)
{
    test_open();
    state = test_seed("moments");
    x = malloc(MOST * sizeof *x);
    cells = malloc(MOST * sizeof *cells);
    ck_assert(x && cells);
}

static void tear_down(void)
{
    free(x);
    free(cells);
    test_close();
}

static const size_t sizes[] = {0,    1,    2,    3,    31,   32,    33,    63,    64,     65,    1000,
                               4095, 4096, 4097, 8191, 8193, 65535, 65536, 65537, 100003, 300007};
#define SIZES (sizeof sizes / sizeof *sizes)

// Oclgrind 21.10 reports scratch memory that a kernel has written as uninitialised (device_support.h): no
// sums there.
static bool is_tried(size_t n)
{
    return !test_is_slow() || n == 0;
}

// ---- floats ----

// Numbers around `centre`; every `nth` one is not-a-number (0: none).
static void fill(size_t n, kn_type type, double centre, size_t nth)
{
    for (size_t i = 0; i < n; i++)
        x[i] = nth && test_random(&state) % nth == 0
                   ? NAN
                   : test_rounded(centre + test_uniform(&state) - 0.5, type);
}

static kn_moments moments_of(size_t n, kn_type type, const double *shift)
{
    kn_buffer *buffer = test_upload_column(x, n, type);
    kn_moments moments;

    memset(&moments, 0xa5, sizeof moments);
    EXPECT_OK(kn_reduce_moments(queue, buffer, type, n, shift, &moments, &err));
    kn_buffer_free(buffer);
    return moments;
}

// The plain sums of the column with NaN replaced by the shift.
static kn_sums sums_without_nan(size_t n, kn_type type, double shift)
{
    double *numbers = malloc((n + 1) * sizeof *numbers);
    kn_sums sums = {-1, -1};
    kn_buffer *buffer;

    ck_assert_ptr_nonnull(numbers);
    for (size_t i = 0; i < n; i++)
        numbers[i] = isnan(x[i]) ? shift : x[i];
    buffer = test_upload_column(numbers, n, type);
    EXPECT_OK(kn_reduce_sums(queue, buffer, type, n, shift, &sums, &err));
    kn_buffer_free(buffer);
    free(numbers);
    return sums;
}

static void expect_same(const char *what, double found, double expected, size_t n)
{
    ck_assert_msg(test_same(found, expected), "n %zu: %s %.17g, expected %.17g", n, what, found, expected);
}

static void expect_moments(size_t n, kn_type type, const double *shift)
{
    kn_moments found = moments_of(n, type, shift);
    size_t nans = 0;
    double least = NAN, greatest = NAN;
    long double sum = 0, squares = 0, count;
    kn_sums sums = sums_without_nan(n, type, n ? found.shift : 0);

    for (size_t i = 0; i < n; i++) {
        nans += isnan(x[i]) ? 1 : 0;
        least = fmin(least, x[i]);
        greatest = fmax(greatest, x[i]);
        sum += isnan(x[i]) ? 0 : (long double)x[i];
    }
    count = (long double)(n - nans);
    for (size_t i = 0; i < n; i++)
        squares += isnan(x[i]) ? 0 : ((long double)x[i] - sum / count) * ((long double)x[i] - sum / count);
    ck_assert_uint_eq(found.n, n - nans);
    ck_assert_uint_eq(found.nan_count, nans);
    expect_same("min", found.min, least + 0.0, n);
    expect_same("max", found.max, greatest + 0.0, n);
    if (shift)
        expect_same("shift", found.shift, test_rounded(*shift, type), n);
    expect_same("sum", found.sum, sums.sum, n);
    expect_same("squares", found.squares, sums.squares, n);
    if (found.n == 0) {
        ck_assert(isnan(found.mean) && isnan(found.variance));
        return;
    }
    // The tree's depth of 82 additions, each within 2^-53 of a sum of one sign at most;
    // the difference that makes the variance loses a factor 1 + (mean - shift)^2 / variance.
    double unit = 0x1p-53, spread = greatest - least;
    double lost =
        (greatest - found.shift) * (greatest - found.shift) + (least - found.shift) * (least - found.shift);
    ck_assert_msg(fabs(found.mean - (double)(sum / count)) <=
                      100 * unit * (fabs(found.shift) + spread + sqrt(lost)),
                  "n %zu: mean %.17g, expected %.17Lg", n, found.mean, sum / count);
    ck_assert_msg(fabs(found.variance - (double)(squares / count)) <= 200 * unit * lost,
                  "n %zu: variance %.17g, expected %.17Lg", n, found.variance, squares / count);
}

static void check_floats(kn_type type)
{
    static const double centres[] = {0, -3, 1e4};
    static const size_t nans[] = {0, 1, 2, 100};

    if (!test_takes(type))
        return;
    for (size_t i = 0; i < SIZES; i++) {
        double shift = 0.1;
        if (!is_tried(sizes[i]))
            continue;
        fill(sizes[i], type, centres[test_random(&state) % 3], nans[i % 4]);
        expect_moments(sizes[i], type, NULL);
        fill(sizes[i], type, centres[test_random(&state) % 3], nans[test_random(&state) % 4]);
        expect_moments(sizes[i], type, &shift);
    }
}

START_TEST(single)
{
    check_floats(KN_F32);
}
END_TEST

START_TEST(doubles)
{
    check_floats(KN_F64);
}
END_TEST

// Without double precision: exactly the same.
START_TEST(soft)
{
    const int fp64 = context->device.info.fp64;

    context->device.info.fp64 = 0;
    check_floats(KN_F32);
    context->device.info.fp64 = fp64;
}
END_TEST

// With a GPU's shape, whose kernel finds the shift itself: the same moments as with a CPU's.
START_TEST(as_a_gpu)
{
    const kn_device_type own = context->device.info.type;
    static const kn_type types[] = {KN_F32, KN_F64};

    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < SIZES && test_takes(types[t]); i++) {
            kn_moments cpu, gpu;
            if (!is_tried(sizes[i]))
                continue;
            fill(sizes[i], types[t], 3, sizes[i] % 5);
            context->device.info.type = KN_DEVICE_CPU;
            cpu = moments_of(sizes[i], types[t], NULL);
            context->device.info.type = KN_DEVICE_GPU;
            expect_moments(sizes[i], types[t], NULL);
            gpu = moments_of(sizes[i], types[t], NULL);
            context->device.info.type = own;
            if (cpu.n > 0)
                expect_same("shift", gpu.shift, cpu.shift, sizes[i]);
            expect_same("sum", gpu.sum, cpu.sum, sizes[i]);
            expect_same("squares", gpu.squares, cpu.squares, sizes[i]);
        }
}
END_TEST

// Whatever launch a GPU chooses, the moments are exactly the same.
START_TEST(every_tuning)
{
    // The first folds in two launches; the groups of the second are too small for a single launch, so it gets
    // larger ones.
    static const struct moments_tuning tunings[] = {
        {.group = 32, .width = 2, .unroll = 8, .ahead = 1, .turns = 3, .fold = 4, .registers = 64},
        {.group = 4, .width = 16, .unroll = 2, .ahead = 1}};
    static const size_t lengths[] = {1, 4095, 4097, 65537, 300007};
    const kn_device_type own = context->device.info.type;

    if (test_is_slow())
        return;
    context->device.info.type = KN_DEVICE_GPU;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        fill(lengths[i], KN_F32, -2, i % 2 ? 50000 : 0);
        kn_moments usual = moments_of(lengths[i], KN_F32, NULL);
        kn_buffer *buffer = test_upload_column(x, lengths[i], KN_F32);
        for (size_t t = 0; t < sizeof tunings / sizeof *tunings; t++) {
            kn_moments found;
            memset(&found, 0xa5, sizeof found);
            EXPECT_OK(ki_moments_tuned(queue, buffer, KN_F32, lengths[i], NULL, &tunings[t], &found, &err));
            expect_same("shift", found.shift, usual.shift, lengths[i]);
            expect_same("sum", found.sum, usual.sum, lengths[i]);
            expect_same("squares", found.squares, usual.squares, lengths[i]);
            expect_same("min", found.min, usual.min, lengths[i]);
            expect_same("max", found.max, usual.max, lengths[i]);
            ck_assert_uint_eq(found.n, usual.n);
            ck_assert_uint_eq(found.nan_count, usual.nan_count);
        }
        kn_buffer_free(buffer);
    }
    context->device.info.type = own;
}
END_TEST

START_TEST(special_values)
{
    const size_t n = 5000;
    kn_moments found;

    if (test_is_slow())
        return;
    fill(n, KN_F32, 0, 3);
    x[n / 3] = INFINITY;
    found = moments_of(n, KN_F32, NULL);
    ck_assert(found.mean == INFINITY && found.max == INFINITY && isfinite(found.min) &&
              isnan(found.variance));
    ck_assert(isfinite(found.shift));
    x[n / 2] = -INFINITY;
    found = moments_of(n, KN_F32, NULL);
    ck_assert(isnan(found.mean) && found.max == INFINITY && found.min == -INFINITY);
    for (size_t i = 0; i < n; i++)
        x[i] = -0.0;
    found = moments_of(n, KN_F32, NULL);
    expect_same("mean", found.mean, 0, n);
    expect_same("variance", found.variance, 0, n);
    expect_same("min", found.min, 0, n);
    expect_same("max", found.max, 0, n);
    // With a shift near the data, the variance of numbers far from 0 is accurate.
    for (size_t i = 0; i < n; i++)
        x[i] = 16777216 - (double)(i % 2);
    found = moments_of(n, KN_F32, NULL);
    ck_assert_msg(found.variance == 0.25, "variance %.17g", found.variance);
}
END_TEST

// ---- integers ----

static const kn_type integers[] = {KN_I8, KN_U8, KN_I16, KN_U16, KN_I32, KN_U32, KN_I64, KN_U64};

static __int128 integer_at(const unsigned char *packed, size_t i, kn_type type)
{
    size_t size = kn_type_size(type);
    uint64_t bits = 0, sign = (uint64_t)1 << (8 * size - 1);

    memcpy(&bits, packed + i * size, size);
    return type % 2 == 0 && bits & sign ? (__int128)bits - 2 * (__int128)sign : (__int128)bits;
}

static void expect_integers(kn_type type, size_t n, bool narrow)
{
    size_t size = kn_type_size(type);
    unsigned char *packed = (unsigned char *)cells;
    __int128 sum = 0, least = 0, greatest = 0;
    long double mean, variance = 0;
    kn_moments found;
    kn_buffer *buffer;

    for (size_t i = 0; i < n; i++) {
        uint64_t bits = test_random(&state) >> (narrow ? 61 : 0);
        memcpy(packed + i * size, &bits, size);
    }
    for (size_t i = 0; i < n; i++) {
        __int128 value = integer_at(packed, i, type);
        sum += value;
        least = i == 0 || value < least ? value : least;
        greatest = i == 0 || value > greatest ? value : greatest;
    }
    mean = (long double)sum / (long double)n;
    for (size_t i = 0; i < n; i++) {
        long double d = (long double)integer_at(packed, i, type) - mean;
        variance += d * d / (long double)n;
    }
    buffer = test_upload_with_room(packed, n * size, 16);
    EXPECT_OK(kn_reduce_moments(queue, buffer, type, n, NULL, &found, &err));
    kn_buffer_free(buffer);
    ck_assert_uint_eq(found.n, n);
    ck_assert_uint_eq(found.nan_count, 0);
    expect_same("min", found.min, (double)least, n);
    expect_same("max", found.max, (double)greatest, n);
    // The mean comes from exact sums, in long double; the reference's variance has n roundings.
    ck_assert_msg(fabsl((long double)found.mean - mean) <=
                      0x1p-52L * (fabsl(mean) + (long double)(greatest - least)),
                  "%s, n %zu: mean %.17g, expected %.17Lg", kn_type_name(type), n, found.mean, mean);
    ck_assert_msg(
        fabsl((long double)found.variance - variance) <= (0x1p-52L + 0x1p-63L * (long double)n) * variance,
        "%s, n %zu: variance %.17g, expected %.17Lg", kn_type_name(type), n, found.variance, variance);
}

START_TEST(every_integer)
{
    for (size_t t = 0; t < sizeof integers / sizeof *integers; t++)
        for (size_t i = 1; i < SIZES; i++)
            if (is_tried(sizes[i])) {
                expect_integers(integers[t], sizes[i], false);
                expect_integers(integers[t], sizes[i], true);
            }
}
END_TEST

START_TEST(refusals)
{
    kn_buffer *buffer = test_upload_column(x, 0, KN_F32);
    kn_moments found;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 0",
                   kn_reduce_moments(queue, buffer, KN_F32, 1, NULL, &found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "moments is NULL",
                   kn_reduce_moments(queue, buffer, KN_F32, 0, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not finite",
                   kn_reduce_moments(queue, buffer, KN_F32, 0, &(double){1e300}, &found, &err));
    kn_buffer_free(buffer);
}
END_TEST

// A buffer in several parts gives the same bits.
START_TEST(parts)
{
    kn_context_options small = KN_INIT(kn_context_options, .max_alloc = 1 << 16);
    const size_t n = 100003;
    kn_moments whole, found;
    kn_buffer *buffer = NULL;

    test_open();
    state = test_seed("parts");
    if (test_is_slow()) {
        test_close();
        return;
    }
    x = malloc(n * sizeof *x);
    fill(n, KN_F32, 2, 10);
    whole = moments_of(n, KN_F32, NULL);
    test_close();
    test_open_with(&small);
    EXPECT_OK(kn_buffer_create(context, n * sizeof(float), &buffer, &err));
    ck_assert_uint_gt(kn_buffer_get_part_count(buffer), 1);
    kn_buffer_free(buffer);
    found = moments_of(n, KN_F32, NULL);
    expect_same("sum", found.sum, whole.sum, n);
    expect_same("squares", found.squares, whole.squares, n);
    expect_same("min", found.min, whole.min, n);
    ck_assert_uint_eq(found.nan_count, whole.nan_count);
    test_close();
    free(x);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {single,       doubles,        soft,          as_a_gpu,
                                  every_tuning, special_values, every_integer, refusals};
    const TTest *const own_device[] = {parts};
    int status = test_run("moments", tests, sizeof tests / sizeof *tests, set_up, tear_down);

    return status ? status : test_run("moments, devices of their own", own_device, 1, NULL, NULL);
}
