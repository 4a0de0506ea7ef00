// SPDX-License-Identifier: Apache-2.0
// kn_robust_stats, kn_robust_columns and kn_robust_prefixes: median and MAD against sorted copies in double,
// to the bit; sums against kn_reduce_moments, whose tree test_reduce has written out, to the bit; 8 bits
// against exact integers.
#include "../device_support.h"

#include <float.h>
#include <math.h>

enum { MOST = 1 << 20 };

static double *x, *sorted;
static uint64_t state;

static void set_up(void)
{
    test_open();
    state = test_seed("robust");
    x = malloc(MOST * sizeof *x);
    sorted = malloc(MOST * sizeof *sorted);
    ck_assert(x && sorted);
}

static void tear_down(void)
{
    free(x);
    free(sorted);
    test_close();
}

static const size_t sizes[] = {0,   1,    2,    3,    31,   32,   33,   63,    64,    65,    255,    256,
                               257, 1000, 4095, 4096, 4097, 8191, 8192, 65535, 65536, 65537, 100003, 262147};
#define SIZES (sizeof sizes / sizeof *sizes)

// Oclgrind interprets: short columns there.
static bool is_tried(size_t n)
{
    return !test_is_slow() || n <= 65;
}

// ---- the reference ----

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double middle_of_sorted(size_t n)
{
    double lower = sorted[(n - 1) / 2], upper = sorted[n / 2], sum = lower + upper;

    if (isinf(sum) && isfinite(lower) && isfinite(upper))
        return lower / 2 + upper / 2;
    return sum / 2 + 0.0;
}

static double rounded(double value, kn_type type)
{
    return type == KN_F32 ? (double)(float)value : value;
}

// Of x[0..n), without NaN.
static void reference(size_t n, double *median, double *mad)
{
    memcpy(sorted, x, n * sizeof *x);
    qsort(sorted, n, sizeof *sorted, by_value);
    *median = middle_of_sorted(n);
    *mad = NAN;
    if (!isfinite(*median))
        return;
    for (size_t i = 0; i < n; i++)
        sorted[i] = fabs(x[i] - *median);
    qsort(sorted, n, sizeof *sorted, by_value);
    *mad = middle_of_sorted(n);
}

// ---- columns ----

enum pattern {
    NORMAL,
    UNIFORM,
    FAR_FROM_ZERO, // no digit of the first ones tells one from another
    HEAVY_TAILED,
    GRID, // as a sensor of 8 bits has them
    MOSTLY_TIES,
    ALL_EQUAL,
    TWO_VALUES,
    ASCENDING,
    DESCENDING,
    PERIODIC,
    ZEROS,  // of both signs
    GAP,    // two clusters, and the middle between them
    HALVES, // as many of either sign: the middle two are as far apart as keys can be
    DENORMALS,
    LARGEST,    // squares overflow float
    INFINITIES, // some
    MANY_INFINITIES,
    PATTERNS
};

static double normal(void)
{
    return sqrt(-2 * log(1 - test_uniform(&state))) * cos(6.283185307179586 * test_uniform(&state));
}

static double make(kn_type type, enum pattern pattern, size_t i, size_t n)
{
    uint64_t random = test_random(&state);
    double sign = random & 1 ? 1 : -1, u = test_uniform(&state), scale = type == KN_F32 ? FLT_MAX : DBL_MAX;

    switch (pattern) {
    case UNIFORM:
        return u;
    case FAR_FROM_ZERO:
        return (type == KN_F32 ? 1e6 : 1e12) + normal() * (type == KN_F32 ? 10 : 1);
    case HEAVY_TAILED:
        return sign / (1e-6 + u);
    case GRID:
        return rint(fmax(-128, fmin(127, 20 * normal() - 33)));
    case MOSTLY_TIES:
        return random % 100 ? 0.375 : normal();
    case ALL_EQUAL:
        return -4.25;
    case TWO_VALUES:
        return random & 2 ? 1.5 : -7;
    case ASCENDING:
        return (double)i - (double)n / 3;
    case DESCENDING:
        return (double)n / 3 - (double)i;
    case PERIODIC:
        return (double)(i % 64);
    case ZEROS:
        return sign * 0.0;
    case GAP:
        return sign * (1000 + u);
    case HALVES:
        return (i % 2 ? 1 : -1) * (1000 + u);
    case DENORMALS:
        return sign * u * (type == KN_F32 ? FLT_MIN : DBL_MIN) / 4;
    case LARGEST:
        return random % 3 ? sign * u * scale : sign * scale;
    case INFINITIES:
        return random % 50 ? normal() : sign * (double)INFINITY;
    case MANY_INFINITIES:
        return random % 3 ? (double)INFINITY : normal();
    default:
        return normal();
    }
}

static void fill(size_t n, kn_type type, enum pattern pattern)
{
    for (size_t i = 0; i < n; i++)
        x[i] = rounded(make(type, pattern, i, n), type);
}

static void expect_same(const char *what, double found, double expected, size_t n, int pattern, int method)
{
    ck_assert_msg(test_same(found, expected), "n %zu, pattern %d, method %d: %s %.17g, expected %.17g", n,
                  pattern, method, what, found, expected);
}

// About x[0..n), as it stands in the buffer.
static void expect_result(const kn_robust *found, kn_buffer *buffer, kn_type type, size_t n, int pattern,
                          int method)
{
    double median, mad;
    kn_moments moments;

    ck_assert_uint_eq(found->n, n);
    ck_assert_uint_eq(found->nan_count, 0);
    if (n == 0) {
        ck_assert(isnan(found->mean) && isnan(found->variance) && isnan(found->shift) && isnan(found->sum) &&
                  isnan(found->squares) && isnan(found->median) && isnan(found->mad));
        return;
    }
    reference(n, &median, &mad);
    EXPECT_OK(kn_reduce_moments(queue, buffer, type, n, &found->shift, &moments, &err));
    expect_same("median", found->median, median, n, pattern, method);
    expect_same("MAD", found->mad, mad, n, pattern, method);
    expect_same("sum", found->sum, moments.sum, n, pattern, method);
    expect_same("squares", found->squares, moments.squares, n, pattern, method);
    expect_same("mean", found->mean, moments.mean, n, pattern, method);
    expect_same("variance", found->variance, moments.variance, n, pattern, method);
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
    EXPECT_OK(kn_robust_stats(queue, buffer, type, n, options, &found, &err));
    expect_result(&found, buffer, type, n, (int)pattern, (int)options->method);
    if (options->shift && n > 0)
        expect_same("shift", found.shift, rounded(*options->shift, type) + 0.0, n, (int)pattern,
                    (int)options->method);
    EXPECT_OK(kn_reduce_moments(queue, buffer, type, n, NULL, &moments, &err));
    if (!options->shift && n > 0)
        expect_same("shift", found.shift, moments.shift + 0.0, n, (int)pattern, (int)options->method);
    if (options->method == KN_ROBUST_SELECT)
        ck_assert(found.method == KN_ROBUST_SELECT && !found.missed);
    else if (options->width == 0 && pattern != GAP &&
             pattern != HALVES) // whose brackets may have to hold everything
        ck_assert_msg(found.method == KN_ROBUST_FUSED && !found.missed, "n %zu, pattern %d: missed", n,
                      (int)pattern);
    else
        ck_assert_int_eq(found.method, found.missed ? KN_ROBUST_SELECT : KN_ROBUST_FUSED);
    kn_buffer_free(buffer);
}

static void check(kn_type type, kn_robust_method method)
{
    const double shift = 0.1;

    for (size_t i = 0; i < SIZES && test_takes(type); i++)
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            const kn_robust_options options = {.method = method,
                                               .shift = test_random(&state) & 1 ? &shift : NULL};
            // Each size has some of the patterns in each run.
            if (is_tried(sizes[i]) && (sizes[i] < 100 || test_random(&state) % 3 == 0))
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

// Without double precision: the same, to the bit.
START_TEST(soft)
{
    const int fp64 = context->device.info.fp64;

    context->device.info.fp64 = 0;
    check(KN_F32, KN_ROBUST_FUSED);
    check(KN_F32, KN_ROBUST_SELECT);
    context->device.info.fp64 = fp64;
}
END_TEST

// Local memory of 32 KB, as many devices have it: a smaller sample, also of doubles. With less fused is
// refused by name.
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
                   kn_robust_stats(queue, buffer, KN_F32, 20, &(kn_robust_options){.method = KN_ROBUST_FUSED},
                                   &found, &err));
    fill(20, KN_F32, NORMAL);
    kn_buffer_free(buffer);
    buffer = test_upload_column(x, 20, KN_F32);
    EXPECT_OK(kn_robust_stats(queue, buffer, KN_F32, 20, NULL, &found, &err));
    ck_assert_int_eq(found.method, KN_ROBUST_SELECT);
    ck_assert_int_eq(found.missed, 0);
    kn_buffer_free(buffer);
    *local = was;
}
END_TEST

// ---- 8 bits ----

static unsigned char *bytes_of(size_t n, kn_type type, unsigned spread)
{
    unsigned char *packed = malloc(n + 1);

    ck_assert_ptr_nonnull(packed);
    for (size_t i = 0; i < n; i++) {
        int value = (int)(test_random(&state) % spread) + (type == KN_I8 ? -(int)(spread / 2) : 0);
        packed[i] = (unsigned char)value;
        x[i] = value;
    }
    return packed;
}

// About x[0..n), integers relative to `shift`.
static void expect_counted(const kn_robust *found, size_t n, int shift)
{
    __int128 sum = 0, squares = 0;
    double median, mad;

    ck_assert_int_eq(found->method, KN_ROBUST_COUNTED);
    ck_assert_int_eq(found->missed, 0);
    ck_assert_uint_eq(found->n, n);
    if (n == 0) {
        ck_assert(isnan(found->mean) && isnan(found->median) && isnan(found->mad));
        return;
    }
    for (size_t i = 0; i < n; i++) {
        sum += (int)x[i] - shift;
        squares += ((int)x[i] - shift) * ((int)x[i] - shift);
    }
    reference(n, &median, &mad);
    expect_same("median", found->median, median, n, 0, KN_ROBUST_COUNTED);
    expect_same("MAD", found->mad, mad, n, 0, KN_ROBUST_COUNTED);
    expect_same("shift", found->shift, shift, n, 0, KN_ROBUST_COUNTED);
    expect_same("sum", found->sum, (double)sum, n, 0, KN_ROBUST_COUNTED);
    expect_same("squares", found->squares, (double)squares, n, 0, KN_ROBUST_COUNTED);
    // Both from exact sums: one rounding in long double, one to double.
    ck_assert(fabs(found->mean - (double)((long double)sum / (long double)n + shift)) <=
              0x1p-52 * (fabs(found->mean) + 1));
}

START_TEST(counted)
{
    static const kn_type types[] = {KN_I8, KN_U8};
    static const unsigned spreads[] = {256, 1, 2, 7};

    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < SIZES; i++) {
            const double shift = 3.25;
            const kn_robust_options options = {.shift = i % 2 ? &shift : NULL};
            unsigned char *packed;
            kn_robust found;
            kn_buffer *buffer;
            if (!is_tried(sizes[i]))
                continue;
            packed = bytes_of(sizes[i], types[t], spreads[test_random(&state) % 4]);
            buffer = test_upload_with_room(packed, sizes[i], 16);
            memset(&found, 0xa5, sizeof found);
            EXPECT_OK(kn_robust_stats(queue, buffer, types[t], sizes[i], &options, &found, &err));
            expect_counted(&found, sizes[i], i % 2 ? 3 : 0);
            kn_buffer_free(buffer);
            free(packed);
        }
}
END_TEST

// ---- columns and prefixes ----

// Columns at any place of the buffer have what each alone has.
START_TEST(columns)
{
    enum { COLUMNS = 5 };
    static const size_t shapes[][2] = {{37, 37}, {61, 64}, {5000, 5003}, {70000, 70016}};

    for (size_t i = 0; i < (test_is_slow() ? 1 : 4); i++) {
        size_t n = shapes[i][0], stride = shapes[i][1], all = stride * COLUMNS;
        float *packed = malloc(all * sizeof *packed);
        kn_robust found[COLUMNS], one;
        kn_buffer *buffer;

        ck_assert_ptr_nonnull(packed);
        for (size_t k = 0; k < all; k++)
            packed[k] = (float)(normal() + (double)(k / stride));
        packed[3 * stride + n / 2] = NAN;
        buffer = test_upload_with_room(packed, all * sizeof *packed, 16);
        memset(found, 0xa5, sizeof found);
        EXPECT_OK(kn_robust_columns(queue, buffer, KN_F32, n, stride, COLUMNS, NULL, found, &err));
        test_expect_poison(buffer, all * sizeof *packed);
        kn_buffer_free(buffer);
        for (size_t c = 0; c < COLUMNS; c++) {
            buffer = test_upload_with_room(packed + c * stride, n * sizeof *packed, 0);
            EXPECT_OK(kn_robust_stats(queue, buffer, KN_F32, n, NULL, &one, &err));
            ck_assert_uint_eq(found[c].nan_count, c == 3);
            ck_assert_int_eq(found[c].method, KN_ROBUST_FUSED);
            expect_same("median", found[c].median, one.median, n, 0, (int)c);
            expect_same("MAD", found[c].mad, one.mad, n, 0, (int)c);
            expect_same("sum", found[c].sum, one.sum, n, 0, (int)c);
            expect_same("variance", found[c].variance, one.variance, n, 0, (int)c);
            ck_assert(c != 3 || isnan(found[c].median));
            kn_buffer_free(buffer);
        }
        free(packed);
    }
}
END_TEST

// As many launches as of one column, with a shift that is given, too.
START_TEST(launches_of_columns)
{
    enum { COLUMNS = 37, N = 50 };
    const double shift = -0.1;
    const kn_robust_options options = {.shift = &shift};
    kn_robust found[COLUMNS];
    kn_profile_entry *entries = NULL;
    size_t count = 0;
    kn_buffer *buffer;

    fill(COLUMNS * N, KN_F32, NORMAL);
    buffer = test_upload_column(x, COLUMNS * N, KN_F32);
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_robust_columns(queue, buffer, KN_F32, N, N, COLUMNS, &options, found, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert_uint_le(count, 11);
    for (size_t c = 0; c < COLUMNS; c++) {
        ck_assert(found[c].shift == (double)-0.1F);
        ck_assert(fabs(found[c].sum / N - 0.1) < 1);
    }
    kn_free(entries);
    kn_buffer_free(buffer);
}
END_TEST

START_TEST(byte_columns_and_prefixes)
{
    static const size_t ends[] = {0, 1, 1, 17, 40, 63, 5000, 5001, 70000};
    size_t count = test_is_slow() ? 6 : 9, n = ends[count - 1], stride = n / 3;
    unsigned char *packed = bytes_of(n, KN_I8, 200);
    kn_buffer *buffer = test_upload_with_room(packed, n, 16);
    double *all = x;
    kn_robust found[9];

    memset(found, 0xa5, sizeof found);
    EXPECT_OK(kn_robust_prefixes(queue, buffer, KN_I8, ends, count, NULL, found, &err));
    for (size_t i = 0; i < count; i++)
        expect_counted(&found[i], ends[i], 0);
    memset(found, 0xa5, sizeof found);
    EXPECT_OK(kn_robust_columns(queue, buffer, KN_I8, stride - 1, stride, 3, NULL, found, &err));
    for (size_t i = 0; i < 3; i++) {
        x = all + i * stride;
        expect_counted(&found[i], stride - 1, 0);
    }
    x = all;
    kn_buffer_free(buffer);
    free(packed);
}
END_TEST

START_TEST(prefixes)
{
    static const size_t ends[] = {0, 3, 64, 4097, 4097, 60001};
    size_t count = test_is_slow() ? 3 : 6, n = ends[count - 1];
    kn_robust found[6];
    kn_buffer *buffer;

    fill(n, KN_F32, HEAVY_TAILED);
    buffer = test_upload_column(x, n, KN_F32);
    memset(found, 0xa5, sizeof found);
    EXPECT_OK(kn_robust_prefixes(queue, buffer, KN_F32, ends, count, NULL, found, &err));
    for (size_t i = 0; i < count; i++) {
        expect_result(&found[i], buffer, KN_F32, ends[i], HEAVY_TAILED, (int)i);
        ck_assert(i == 0 || found[i].shift == found[count - 1].shift);
    }
    kn_buffer_free(buffer);
}
END_TEST

// ---- NaN, misses, which kernels run ----

START_TEST(not_a_number)
{
    size_t n = test_is_slow() ? 50 : 9001;
    kn_robust found;
    kn_buffer *buffer;

    for (int method = KN_ROBUST_FUSED; method <= KN_ROBUST_SELECT; method++) {
        const kn_robust_options options = {.method = (kn_robust_method)method};
        size_t nans = 0;
        fill(n, KN_F32, NORMAL);
        for (size_t i = 0; i < n; i++)
            if (i == n / 2 || test_random(&state) % 40 == 0) {
                x[i] = NAN;
                nans++;
            }
        buffer = test_upload_column(x, n, KN_F32);
        EXPECT_OK(kn_robust_stats(queue, buffer, KN_F32, n, &options, &found, &err));
        ck_assert_uint_eq(found.n, n);
        ck_assert_uint_eq(found.nan_count, nans);
        ck_assert(isnan(found.mean) && isnan(found.variance) && isnan(found.shift) && isnan(found.sum) &&
                  isnan(found.squares) && isnan(found.median) && isnan(found.mad));
        ck_assert(!found.missed);
        kn_buffer_free(buffer);
    }
}
END_TEST

static size_t count_launches(const kn_profile_entry *entries, size_t count, const char *kernel)
{
    size_t launches = 0;

    for (size_t i = 0; i < count; i++)
        launches += strcmp(entries[i].kernel, kernel) == 0;
    return launches;
}

// One read; no more if the brackets hold, and the other way if they are made too narrow.
START_TEST(kernels)
{
    size_t n = test_is_slow() ? 64 : 100003, missed = 0;
    const kn_robust_options narrow = {.width = 1e-9}, select = {.method = KN_ROBUST_SELECT};
    const kn_robust_options *const each[] = {NULL, &select, &narrow};

    for (size_t i = 0; i < 3 + 10; i++) {
        const kn_robust_options *options = each[i < 3 ? i : 2];
        kn_profile_entry *entries = NULL;
        size_t count = 0;
        kn_robust found;
        kn_buffer *buffer;
        fill(n, KN_F32, NORMAL);
        buffer = test_upload_column(x, n, KN_F32);
        EXPECT_OK(kn_profile_start(queue, &err));
        EXPECT_OK(kn_robust_stats(queue, buffer, KN_F32, n, options, &found, &err));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        ck_assert_uint_eq(count_launches(entries, count, "robust_pass"), options != &select);
        ck_assert_uint_eq(count_launches(entries, count, "moments_leaves"),
                          options == &select || found.missed);
        ck_assert(options == &narrow || !found.missed);
        ck_assert_uint_le(i == 0 ? count : 0, 11);
        missed += (size_t)found.missed;
        expect_result(&found, buffer, KN_F32, n, NORMAL, (int)i);
        kn_free(entries);
        kn_buffer_free(buffer);
    }
    ck_assert(missed > 0 || test_is_slow());
}
END_TEST

START_TEST(refusals)
{
    kn_buffer *buffer = test_upload_with_room(x, 80, 0);
    const double shift = 1e300, far = 300;
    kn_robust found;

    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "not on int",
                   kn_robust_stats(queue, buffer, KN_I32, 10, NULL, &found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 20",
                   kn_robust_stats(queue, buffer, KN_F32, 21, NULL, &found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "is NULL",
                   kn_robust_stats(queue, buffer, KN_F32, 20, NULL, NULL, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "not finite",
        kn_robust_stats(queue, buffer, KN_F32, 20, &(kn_robust_options){.shift = &shift}, &found, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "from -128 to 127",
        kn_robust_stats(queue, buffer, KN_I8, 20, &(kn_robust_options){.shift = &far}, &found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no method",
                   kn_robust_stats(queue, buffer, KN_F32, 20,
                                   &(kn_robust_options){.method = (kn_robust_method)4}, &found, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "256 bins",
                   kn_robust_stats(queue, buffer, KN_F32, 20,
                                   &(kn_robust_options){.method = KN_ROBUST_COUNTED}, &found, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "width of -1",
        kn_robust_stats(queue, buffer, KN_F32, 20, &(kn_robust_options){.width = -1}, &found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "overlap",
                   kn_robust_columns(queue, buffer, KN_F32, 10, 5, 2, NULL, &found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "they grow",
                   kn_robust_prefixes(queue, buffer, KN_F32, (size_t[]){5, 4}, 2, NULL, &found, &err));
    kn_buffer_free(buffer);
}
END_TEST

// A buffer in parts: the same answers.
START_TEST(parts)
{
    kn_context_options small = {.max_alloc = 1 << 18};
    const size_t n = 200003;
    kn_robust found;
    kn_buffer *buffer;

    test_open_with(&small);
    state = test_seed("parts");
    if (!test_is_slow()) {
        x = malloc(n * sizeof *x);
        sorted = malloc(n * sizeof *sorted);
        ck_assert(x && sorted);
        fill(n, KN_F32, NORMAL);
        buffer = test_upload_column(x, n, KN_F32);
        ck_assert_uint_gt(kn_buffer_part_count(buffer), 1);
        for (int method = KN_ROBUST_FUSED; method <= KN_ROBUST_SELECT; method++) {
            const kn_robust_options options = {.method = (kn_robust_method)method};
            EXPECT_OK(kn_robust_stats(queue, buffer, KN_F32, n, &options, &found, &err));
            expect_result(&found, buffer, KN_F32, n, NORMAL, method);
        }
        EXPECT_REFUSED(KN_ERROR_LIMIT, "in parts",
                       kn_robust_columns(queue, buffer, KN_F32, 5, 5, 2, NULL, &found, &err));
        kn_buffer_free(buffer);
        free(x);
        free(sorted);
    }
    test_close();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {fused_single,
                                  fused_double,
                                  select_single,
                                  select_double,
                                  soft,
                                  small_local_memory,
                                  launches_of_columns,
                                  counted,
                                  columns,
                                  prefixes,
                                  byte_columns_and_prefixes,
                                  not_a_number,
                                  kernels,
                                  refusals};
    const TTest *const own_device[] = {parts};
    int status = test_run("robust", tests, sizeof tests / sizeof *tests, set_up, tear_down);

    return status ? status : test_run("robust, devices of their own", own_device, 1, NULL, NULL);
}
