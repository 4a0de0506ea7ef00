// SPDX-License-Identifier: Apache-2.0
// Tests kn_select, kn_quantiles and kn_median against a sorted copy, and their values in buffers.
#include "support/buffers.h"

#include <koine/experimental.h>
#include "support/run.h"

#include <math.h>

enum { MOST = 1 << 21 };

// ---- columns of any type, as stored ----

static const kn_type types[] = {KN_I8, KN_U8, KN_I16, KN_U16, KN_I32, KN_U32, KN_I64, KN_U64, KN_F32, KN_F64};
#define TYPES (sizeof types / sizeof *types)

union element {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
};

#define COMPARE(name, member)                                                                                \
    static int by_##name(const void *a, const void *b)                                                       \
    {                                                                                                        \
        const union element *left = a, *right = b;                                                           \
                                                                                                             \
        return (left->member > right->member) - (left->member < right->member);                              \
    }
COMPARE(i8, i8)
COMPARE(u8, u8)
COMPARE(i16, i16)
COMPARE(u16, u16)
COMPARE(i32, i32)
COMPARE(u32, u32)
COMPARE(i64, i64)
COMPARE(u64, u64)

// Compares numbers, with -0 before +0, and NaN last.
static int by_real(double left, double right)
{
    if (isnan(left) || isnan(right))
        return !!isnan(left) - !!isnan(right);
    if (left == 0 && right == 0)
        return !!signbit(right) - !!signbit(left);
    return (left > right) - (left < right);
}

static int by_f32(const void *a, const void *b)
{
    return by_real((double)((const union element *)a)->f32, (double)((const union element *)b)->f32);
}

static int by_f64(const void *a, const void *b)
{
    return by_real(((const union element *)a)->f64, ((const union element *)b)->f64);
}

static int (*const by_type[])(const void *, const void *) = {by_i8,  by_u8,  by_i16, by_u16, by_i32,
                                                             by_u32, by_i64, by_u64, by_f32, by_f64};

static double value_of(const union element *element, kn_type type)
{
    const double values[] = {element->i8,          element->u8,  element->i16,         element->u16,
                             element->i32,         element->u32, (double)element->i64, (double)element->u64,
                             (double)element->f32, element->f64};

    return values[type];
}

static bool is_nan(const union element *element, kn_type type)
{
    return type >= KN_F32 && isnan(type == KN_F32 ? (double)element->f32 : element->f64);
}

enum pattern {
    ANY_BITS,
    FINITE,
    FEW_VALUES,
    ALL_EQUAL,
    MOSTLY_TIES,
    ASCENDING,
    PERIODIC,
    DESCENDING,
    TWO_VALUES, // for floats, -0 and 0
    INFINITIES, // for integers, the least and the greatest values
    DENORMALS,
    NEIGHBOURS, // two adjacent values, and some others
    PATTERNS
};

static union element *column, *sorted; // one element in each cell
static char *packed;
static uint64_t state;

// Special floats, given by their bits; the same bits as integers are the ends of their ranges.
static union element make_special(kn_type type, enum pattern pattern, union element bits)
{
    const unsigned width = 8 * (unsigned)kn_type_size(type);
    const uint64_t sign = (uint64_t)1 << (width - 1),
                   mantissa = ((uint64_t)1 << (type == KN_F32 ? 23 : 52)) - 1;
    const uint64_t chosen = bits.u64 & sign, least = (type - KN_I8) % 2 ? 0 : sign;

    if (pattern == TWO_VALUES)
        bits.u64 = chosen;
    else if (pattern == NEIGHBOURS)
        bits.u64 = bits.u64 >> 32 & 7 ? sign / 2 + (chosen != 0) : bits.u64;
    else if (pattern == DENORMALS)
        bits.u64 = chosen | (bits.u64 & mantissa & (sign - 1));
    else if (bits.u64 >> 32 & 3)
        bits.u64 = type >= KN_F32 ? chosen | (sign - 1 - mantissa) : chosen ? least : ~least;
    return bits;
}

static union element make(kn_type type, enum pattern pattern, size_t i)
{
    union element made = {.u64 = test_random(&state)};
    double normal = test_uniform(&state) + test_uniform(&state) + test_uniform(&state) - 1.5;

    if (pattern == FEW_VALUES || (pattern == MOSTLY_TIES && made.u64 % 50) || pattern == ALL_EQUAL)
        normal = pattern == FEW_VALUES ? (double)(made.u64 % 5) - 2 : 0.375;
    else if (pattern == ASCENDING)
        normal = (double)i / MOST;
    else if (pattern == PERIODIC)
        normal = (double)(i % 4096);
    else if (pattern == DESCENDING)
        normal = -(double)i / MOST;
    else if (pattern == ANY_BITS)
        return made;
    else if (pattern > DESCENDING)
        return make_special(type, pattern, made);
    if (type == KN_F32)
        made.f32 = (float)normal;
    else if (type == KN_F64)
        made.f64 = normal;
    else if (pattern != FINITE)
        made.u64 = (uint64_t)(int64_t)(normal * 8);
    return made;
}

static void fill(kn_type type, size_t n, enum pattern pattern)
{
    size_t size = kn_type_size(type);

    for (size_t i = 0; i < n; i++) {
        column[i] = make(type, pattern, i);
        memcpy(packed + i * size, &column[i], size);
    }
    memcpy(sorted, column, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_type[type]);
}

static void set_up(void)
{
    test_open();
    state = test_seed("select");
    column = malloc(MOST * sizeof *column);
    sorted = malloc(MOST * sizeof *sorted);
    packed = malloc(MOST * sizeof *column);
    ck_assert(column && sorted && packed);
}

static void tear_down(void)
{
    free(column);
    free(sorted);
    free(packed);
    test_close();
}

// ---- ranks ----

// The same bits, or another NaN.
static void expect_rank(const char *found, size_t rank, size_t n, kn_type type, enum pattern pattern,
                        int method)
{
    size_t size = kn_type_size(type);
    union element element = {.u64 = 0};

    memcpy(&element, found, size);
    if (is_nan(&element, type) && is_nan(&sorted[rank], type))
        return;
    ck_assert_msg(memcmp(&element, &sorted[rank], size) == 0,
                  "%s, %zu elements, pattern %d, method %d, rank %zu: %.17g, expected %.17g",
                  kn_type_name(type), n, pattern, method, rank, value_of(&element, type),
                  value_of(&sorted[rank], type));
}

// Uses kn_select and kn_select_to_buffer, which writes the same bytes and nothing else.
static void select_either_way(kn_buffer *buffer, kn_type type, size_t n, const size_t *ranks, size_t count,
                              char *found, const kn_select_options *options)
{
    size_t bytes = count * kn_type_size(type);
    kn_buffer *there;

    if (test_random(&state) % 2) {
        EXPECT_OK(kn_select(queue, buffer, type, n, ranks, count, found, options, &err));
        return;
    }
    there = test_upload_with_room(found, bytes, 16);
    EXPECT_OK(kn_select_to_buffer(queue, buffer, type, n, ranks, count, there, options, &err));
    EXPECT_OK(kn_buffer_read(queue, there, 0, found, bytes, &err));
    test_expect_poison(there, bytes);
    kn_buffer_free(there);
}

static void expect_ranks(kn_type type, size_t n, enum pattern pattern, const kn_select_options *options,
                         size_t count)
{
    size_t size = kn_type_size(type), ranks[32];
    char found[32 * 8];
    kn_buffer *buffer;

    fill(type, n, pattern);
    buffer = test_upload_with_room(packed, n * size, 16);
    for (size_t i = 0; i < count; i++)
        ranks[i] = test_random(&state) % n;
    ranks[0] = n / 2;
    ranks[count > 2 ? 1 : 0] = 0;
    ranks[count - 1] = n - 1;
    memset(found, 0xa5, sizeof found);
    select_either_way(buffer, type, n, ranks, count, found, options);
    for (size_t i = 0; i < count; i++)
        expect_rank(found + i * size, ranks[i], n, type, pattern, options ? (int)options->method : 0);
    test_expect_poison(buffer, n * size);
    kn_buffer_free(buffer);
}

static const size_t sizes[] = {1,    2,    3,    31,   32,    33,    255,   256,   257,
                               1000, 4095, 4096, 4097, 65535, 65536, 65537, 100003};

// On slow devices, only some of the small sizes.
static bool is_tried(size_t n)
{
    return !test_is_slow() || (n <= 257 && test_random(&state) % 3 == 0);
}

static void check_method(kn_select_method method)
{
    kn_select_options options = KN_INIT(kn_select_options, .method = method);

    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && test_takes(types[t]); i++)
            if (is_tried(sizes[i]))
                expect_ranks(types[t], sizes[i], (enum pattern)(test_random(&state) % PATTERNS), &options,
                             1 + test_random(&state) % 5);
}

START_TEST(automatic)
{
    check_method(KN_SELECT_AUTO);
}
END_TEST

START_TEST(by_digits)
{
    check_method(KN_SELECT_DIGITS);
}
END_TEST

START_TEST(by_brackets)
{
    check_method(KN_SELECT_BRACKETS);
}
END_TEST

// Large enough that brackets are chosen.
START_TEST(patterns)
{
    for (size_t t = 0; t < TYPES && !test_is_slow(); t++)
        for (int pattern = 0; pattern < DESCENDING && test_takes(types[t]); pattern++)
            expect_ranks(types[t], (1 << 20) + (size_t)(test_random(&state) % 70000), (enum pattern)pattern,
                         NULL, 1 + test_random(&state) % 19);
}
END_TEST

// With both methods, as far as each of them applies.
START_TEST(special_patterns)
{
    static const kn_type some[] = {KN_F32, KN_F64, KN_I32, KN_I8, KN_U16};
    static const kn_select_method methods_here[] = {KN_SELECT_DIGITS, KN_SELECT_BRACKETS};

    for (size_t t = 0; t < sizeof some / sizeof *some; t++)
        for (int pattern = DESCENDING; pattern < PATTERNS && test_takes(some[t]); pattern++)
            for (size_t m = 0; m < 2; m++) {
                const kn_select_options options = KN_INIT(kn_select_options, .method = methods_here[m]);

                expect_ranks(some[t], test_is_slow() ? 65 : 4097, (enum pattern)pattern, &options, 5);
                if (!test_is_slow())
                    expect_ranks(some[t], 70001, (enum pattern)pattern, &options, 5);
            }
}
END_TEST

// ---- quantiles ----

// As numpy's default, in double precision.
static double expected_quantile(double q, size_t n, kn_type type)
{
    double position = q * (double)(n - 1), low, high;
    size_t rank = (size_t)position;

    if (is_nan(&sorted[n - 1], type))
        return NAN;
    low = value_of(&sorted[rank], type);
    high = value_of(&sorted[rank + 1 < n ? rank + 1 : rank], type);
    return low + (high - low) * (position - (double)rank);
}

// kn_quantiles_to_buffer must give the bits of kn_quantiles, or another NaN.
static void expect_in_buffer(kn_buffer *buffer, kn_type type, size_t n, const double *q, size_t count,
                             const double *expected, enum pattern pattern)
{
    const kn_select_options options =
        KN_INIT(kn_select_options, .method = n > 3 ? KN_SELECT_BRACKETS : KN_SELECT_AUTO);
    kn_buffer *there = test_upload_with_room(expected, 0, count * sizeof(double));
    double found[32];

    EXPECT_OK(kn_quantiles_to_buffer(queue, buffer, type, n, q, count, there, &options, &err));
    EXPECT_OK(kn_buffer_read(queue, there, 0, found, count * sizeof *found, &err));
    for (size_t i = 0; i < count; i++)
        ck_assert_msg((isnan(found[i]) && isnan(expected[i])) || !memcmp(&found[i], &expected[i], 8),
                      "%s, n %zu, pattern %d: in a buffer quantile %.17g is %.17g, expected %.17g",
                      kn_type_name(type), n, pattern, q[i], found[i], expected[i]);
    kn_buffer_free(there);
}

static void expect_quantiles(kn_type type, size_t n, enum pattern pattern)
{
    double q[20], found[20], median = -1, expected;
    kn_buffer *buffer;

    fill(type, n, pattern);
    buffer = test_upload_with_room(packed, n * kn_type_size(type), 0);
    for (size_t i = 0; i < 20; i++)
        q[i] = i == 0 ? 0 : i == 1 ? 1 : i == 2 ? 0.5 : test_uniform(&state);
    EXPECT_OK(kn_quantiles(queue, buffer, type, n, q, 20, found, NULL, &err));
    for (size_t i = 0; i < 20; i++) {
        expected = expected_quantile(q[i], n, type);
        // Interpolated from the nearer end or not: three roundings of the larger end.
        ck_assert_msg(isnan(expected)
                          ? isnan(found[i])
                          : fabs(found[i] - expected) <=
                                4 * 0x1p-53 *
                                    (fabs(value_of(&sorted[0], type)) + fabs(value_of(&sorted[n - 1], type))),
                      "%s, n %zu, pattern %d: quantile %.17g is %.17g, expected %.17g", kn_type_name(type), n,
                      pattern, q[i], found[i], expected);
    }
    if (test_takes(KN_F64))
        expect_in_buffer(buffer, type, n, q, 20, found, pattern);
    EXPECT_OK(kn_median(queue, buffer, type, n, &median, NULL, &err));
    expected = (value_of(&sorted[(n - 1) / 2], type) + value_of(&sorted[n / 2], type)) / 2;
    expected = is_nan(&sorted[n - 1], type) ? NAN : expected;
    ck_assert_msg(median == expected || (isnan(median) && isnan(expected)),
                  "%s, n %zu, pattern %d: median %.17g, expected %.17g", kn_type_name(type), n, pattern,
                  median, expected);
    kn_buffer_free(buffer);
}

// Moderate numbers, with NaN in some columns.
START_TEST(quantiles)
{
    static const kn_type some[] = {KN_U8, KN_I16, KN_I32, KN_F32, KN_F64};
    static const size_t lengths[] = {1, 2, 3, 64, 1001, 65537, 1100000};

    for (size_t t = 0; t < 5; t++)
        for (size_t i = 0; i < 7 && test_takes(some[t]); i++)
            if (lengths[i] <= (test_is_slow() ? 64 : MOST)) {
                expect_quantiles(some[t], lengths[i], FEW_VALUES);
                expect_quantiles(some[t], lengths[i], some[t] == KN_F32 && i % 2 ? ANY_BITS : FINITE);
            }
}
END_TEST

// ---- which kernels run ----

static size_t count_launches(kn_buffer *buffer, size_t n, kn_select_method method, const char *kernel)
{
    const kn_select_options options = KN_INIT(kn_select_options, .method = method);
    kn_profile_entry *entries = NULL;
    size_t count = 0, launches = 0;
    float median;

    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_select(queue, buffer, KN_F32, n, (size_t[]){n / 2}, 1, &median, &options, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        launches += strcmp(entries[i].kernel, kernel) == 0;
    kn_free(entries);
    return launches;
}

START_TEST(methods)
{
    const size_t n = test_is_slow() ? 200 : 70000;
    size_t of_sample; // CPUs use digits, other devices sorted lists
    kn_buffer *buffer;

    fill(KN_F32, n, FINITE);
    buffer = test_upload_with_room(packed, n * 4, 0);
    ck_assert_uint_eq(count_launches(buffer, n, KN_SELECT_DIGITS, "select_gather"), 0);
    ck_assert_uint_ge(count_launches(buffer, n, KN_SELECT_DIGITS, "select_histogram"), 3);
    ck_assert_uint_eq(count_launches(buffer, n, KN_SELECT_BRACKETS, "select_gather"), 1);
    of_sample = count_launches(buffer, n, KN_SELECT_BRACKETS, "select_histogram");
    ck_assert_uint_eq(count_launches(buffer, 100, KN_SELECT_AUTO, "select_small"), 1);
    ck_assert_uint_eq(count_launches(buffer, 100, KN_SELECT_AUTO, "select_histogram"), 0);
    // A misleading sample: its elements occur nowhere else. Then the method by digits finds the same result.
    for (size_t i = 0; i < n; i++)
        column[i].f32 = NAN;
    for (size_t i = 0; i < n; i++)
        memcpy(packed + i * 4, &column[i], 4);
    EXPECT_OK(kn_buffer_write(queue, buffer, 0, packed, n * 4, &err));
    ck_assert_uint_ge(count_launches(buffer, n, KN_SELECT_BRACKETS, "select_histogram"), of_sample + 3);
    kn_buffer_free(buffer);
}
END_TEST

// ---- the first k ----

static kn_type ranked_type;
static bool ranked_descending;

// Orders cell indices like a stable sort: NaN last in both directions, -0 equal to 0.
static int by_rank(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    const union element *x = &column[left], *y = &column[right];
    int nans = is_nan(x, ranked_type) - is_nan(y, ranked_type), order = by_type[ranked_type](x, y);

    if (nans == 0 && ranked_type >= KN_F32 &&
        (is_nan(x, ranked_type) || value_of(x, ranked_type) == value_of(y, ranked_type)))
        order = 0;
    order = nans ? nans : ranked_descending ? -order : order;
    return order ? order : (left > right) - (left < right);
}

static void expect_top(kn_type type, size_t n, size_t k, kn_order which, enum pattern pattern)
{
    size_t size = kn_type_size(type);
    uint32_t *order = malloc(n * sizeof *order), *indices = malloc((k + 1) * sizeof *indices);
    char *found = malloc(k * size + 1);
    kn_buffer *buffer, *values, *numbers;

    ck_assert(order && indices && found);
    fill(type, n, pattern);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    ranked_type = type;
    ranked_descending = which == KN_DESCENDING;
    qsort(order, n, sizeof *order, by_rank);
    buffer = test_upload_with_room(packed, n * size, 16);
    memset(found, 0xa5, k * size);
    values = test_upload_with_room(found, k * size, 16);
    numbers = test_upload_with_room(found, 0, k * 4 + 16);
    EXPECT_OK(kn_top_k(queue, buffer, type, n, k, which, values, numbers, KN_U32, &err));
    EXPECT_OK(kn_buffer_read(queue, values, 0, found, k * size, &err));
    EXPECT_OK(kn_buffer_read(queue, numbers, 0, indices, k * 4, &err));
    for (size_t i = 0; i < k; i++) {
        ck_assert_msg(indices[i] == order[i],
                      "%s, n %zu, k %zu, which %d, pattern %d: number %zu is %u, expected %u",
                      kn_type_name(type), n, k, which, pattern, i, indices[i], order[i]);
        ck_assert_msg(memcmp(found + i * size, &column[order[i]], size) == 0,
                      "element %zu of %zu has other bits", i, k);
    }
    test_expect_poison(values, k * size);
    test_expect_poison(numbers, k * 4);
    kn_buffer_free(buffer);
    kn_buffer_free(values);
    kn_buffer_free(numbers);
    free(order);
    free(indices);
    free(found);
}

START_TEST(first_k)
{
    static const size_t lengths[][2] = {{1, 1},          {2, 1},         {33, 33},     {1000, 10},
                                        {4097, 4096},    {65537, 100},   {100003, 17}, {100003, 0},
                                        {100003, 60000}, {1048579, 1000}};

    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths && test_takes(types[t]); i++)
            if (lengths[i][0] <= (test_is_slow() ? 33 : MOST) && (t >= 8 || (t + i) % 3 == 0))
                expect_top(types[t], lengths[i][0], lengths[i][1], (kn_order)(test_random(&state) % 2),
                           (enum pattern)(test_random(&state) % PATTERNS));
}
END_TEST

START_TEST(refusals)
{
    kn_buffer *buffer = test_upload_with_room(packed, 40, 0), *small = test_upload_with_room(packed, 4, 0);
    float value = 0;
    double quantile = 0;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "rank 10 of 10",
                   kn_select(queue, buffer, KN_F32, 10, (size_t[]){10}, 1, &value, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 10",
                   kn_select(queue, buffer, KN_F32, 11, NULL, 0, &value, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "is NULL",
                   kn_select(queue, buffer, KN_F32, 10, NULL, 1, &value, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no method",
                   kn_select(queue, buffer, KN_F32, 10, (size_t[]){1}, 1, &value,
                             &KN_INIT(kn_select_options, .method = (kn_select_method)3), &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "group 3",
                   kn_select(queue, buffer, KN_F32, 10, (size_t[]){1}, 1, &value,
                             &KN_INIT(kn_select_options, .tuning = &(kn_select_tuning){.group = 3}), &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_select_to_buffer: x and values are one buffer",
                   kn_select_to_buffer(queue, buffer, KN_F32, 10, (size_t[]){1}, 1, buffer, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_select_to_buffer: ranks or values is NULL",
                   kn_select_to_buffer(queue, buffer, KN_F32, 10, (size_t[]){1}, 1, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "rank 10 of 10",
                   kn_select_to_buffer(queue, buffer, KN_F32, 10, (size_t[]){10}, 1, small, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_quantiles_to_buffer: no elements",
                   kn_quantiles_to_buffer(queue, buffer, KN_F32, 0, (double[]){0}, 1, small, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "quantile -1",
                   kn_quantiles_to_buffer(queue, buffer, KN_F32, 9, (double[]){-1}, 1, small, NULL, &err));
    if (test_takes(KN_F64))
        EXPECT_REFUSED(
            KN_ERROR_ARGUMENT, "holds",
            kn_quantiles_to_buffer(queue, buffer, KN_F32, 10, (double[]){1}, 1, small, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "from 0 to 1",
                   kn_quantiles(queue, buffer, KN_F32, 10, (double[]){1.5}, 1, &quantile, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no elements",
                   kn_median(queue, buffer, KN_F32, 0, &quantile, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "11 of 10",
                   kn_top_k(queue, buffer, KN_F32, 10, 11, KN_DESCENDING, NULL, NULL, KN_U32, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "KN_U64 any number",
                   kn_top_k(queue, buffer, KN_F32, 10, 1, KN_DESCENDING, NULL, NULL, KN_I32, &err));
    EXPECT_OK(kn_top_k(queue, buffer, KN_F32, 10, 0, KN_DESCENDING, NULL, NULL, KN_U32, &err));
    kn_buffer_free(small);
    kn_buffer_free(buffer);
}
END_TEST

// A column in several parts: the same elements with both methods.
START_TEST(parts)
{
    kn_context_options small = KN_INIT(kn_context_options, .max_alloc = 1 << 20);
    const size_t n = 900001;
    kn_buffer *buffer = NULL;

    test_close();
    test_open_with(&small);
    fill(KN_F32, n, FINITE);
    EXPECT_OK(kn_buffer_create(context, n * 4, &buffer, &err));
    ck_assert_uint_gt(kn_buffer_get_part_count(buffer), 1);
    EXPECT_OK(kn_buffer_write(queue, buffer, 0, packed, n * 4, &err));
    for (int method = 0; method <= KN_SELECT_BRACKETS && !test_is_slow(); method++) {
        const kn_select_options options = KN_INIT(kn_select_options, .method = (kn_select_method)method);
        const size_t ranks[] = {0, n / 3, n - 1};
        float values[3] = {-1, -1, -1};
        EXPECT_OK(kn_select(queue, buffer, KN_F32, n, ranks, 3, values, &options, &err));
        for (size_t i = 0; i < 3; i++)
            expect_rank((const char *)&values[i], ranks[i], n, KN_F32, FINITE, method);
    }
    kn_buffer_free(buffer);
}
END_TEST

// Groups of any size, on every device, with few and with many candidates in a row.
START_TEST(groups)
{
    static const unsigned work_items[] = {2, 64, 256};
    static const enum pattern drawn[] = {FINITE, ASCENDING, MOSTLY_TIES};
    const size_t n = 300001, ranks[] = {0, n / 3, n / 2, n - 1};

    for (size_t p = 0; p < 3 && !test_is_slow(); p++) {
        kn_buffer *buffer;
        fill(KN_F32, n, drawn[p]);
        buffer = test_upload_with_room(packed, n * 4, 0);
        for (size_t g = 0; g < 6; g++) {
            const kn_select_tuning tuning = {.group = work_items[g / 2], .loads = 2};
            const kn_select_options options =
                KN_INIT(kn_select_options, .tuning = &tuning,
                        .method = g % 2 ? KN_SELECT_BRACKETS : KN_SELECT_DIGITS);
            float values[] = {-1, -1, -1, -1};
            if (work_items[g / 2] > kn_context_get_device(context)->max_work_group)
                continue;
            EXPECT_OK(kn_select(queue, buffer, KN_F32, n, ranks, 4, values, &options, &err));
            for (size_t i = 0; i < 4; i++)
                expect_rank((const char *)&values[i], ranks[i], n, KN_F32, drawn[p], (int)options.method);
        }
        kn_buffer_free(buffer);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {automatic,        by_digits, by_brackets, patterns,
                                  special_patterns, quantiles, methods,     first_k,
                                  refusals,         parts,     groups};

    return test_run("select", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
