// SPDX-License-Identifier: Apache-2.0
// kn_select, kn_quantiles and kn_median against a sorted copy.
#include "../device_support.h"

#include <math.h>

enum { MOST = 1 << 21 };

// ---- columns of any type, as stored ----

static const kn_type types[] = {KN_I8,  KN_U8,  KN_I16, KN_U16, KN_I32,
                                KN_U32, KN_I64, KN_U64, KN_F32, KN_F64};
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

// Numbers, -0 before +0, and NaN last.
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
    const double values[] = {element->i8,          element->u8,          element->i16,
                             element->u16,         element->i32,         element->u32,
                             (double)element->i64, (double)element->u64, (double)element->f32,
                             element->f64};

    return values[type];
}

static bool is_nan(const union element *element, kn_type type)
{
    return type >= KN_F32 && isnan(type == KN_F32 ? (double)element->f32 : element->f64);
}

enum pattern { ANY_BITS, FINITE, FEW_VALUES, ALL_EQUAL, MOSTLY_TIES, ASCENDING, PERIODIC, PATTERNS };

static union element *column, *sorted; // one a cell
static char *packed;
static uint64_t state;

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
    else if (pattern == ANY_BITS)
        return made;
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
static void expect_rank(const char *found, size_t rank, size_t n, kn_type type, enum pattern pattern, int method)
{
    size_t size = kn_type_size(type);
    union element element = {.u64 = 0};

    memcpy(&element, found, size);
    if (is_nan(&element, type) && is_nan(&sorted[rank], type))
        return;
    ck_assert_msg(memcmp(&element, &sorted[rank], size) == 0,
                  "%s, %zu elements, pattern %d, method %d, rank %zu: %.17g, expected %.17g", kn_type_name(type), n,
                  pattern, method, rank, value_of(&element, type), value_of(&sorted[rank], type));
}

static void expect_ranks(kn_type type, size_t n, enum pattern pattern, const kn_select_options *options, size_t count)
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
    EXPECT_OK(kn_select(queue, buffer, type, n, ranks, count, options, found, &err));
    for (size_t i = 0; i < count; i++)
        expect_rank(found + i * size, ranks[i], n, type, pattern, options ? (int)options->method : 0);
    test_expect_poison(buffer, n * size);
    kn_buffer_free(buffer);
}

static const size_t sizes[] = {1, 2, 3, 31, 32, 33, 255, 256, 257, 1000, 4095, 4096, 4097, 65535, 65536, 65537, 100003};

static void check_method(kn_select_method method)
{
    kn_select_options options = {.method = method};

    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && test_takes(types[t]); i++)
            if (sizes[i] <= (test_is_slow() ? 257 : MOST))
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

// Large enough for brackets to be chosen, in every pattern.
START_TEST(patterns)
{
    for (size_t t = 0; t < TYPES && !test_is_slow(); t++)
        for (int pattern = 0; pattern < PATTERNS && test_takes(types[t]); pattern++)
            expect_ranks(types[t], (1 << 20) + (size_t)(test_random(&state) % 70000), (enum pattern)pattern, NULL,
                         1 + test_random(&state) % 19);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {automatic, by_digits, by_brackets, patterns};

    return test_run("select", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
