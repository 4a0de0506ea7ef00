// SPDX-License-Identifier: Apache-2.0
// What the tests of sorts of every type share: keys in many patterns, numpy's order by qsort, and a sort of
// keys, of keys with values, and of indices, compared with it.
#ifndef KN_TESTS_UNIT_ALGO_SORT_SORT_SUPPORT_H
#define KN_TESTS_UNIT_ALGO_SORT_SORT_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"

#define MAX_KEYS ((size_t)1 << 17)
#define COUNT(a) (sizeof(a) / sizeof *(a))

enum pattern {
    ANY_BITS,
    SPECIAL,
    SMALL_INTEGERS,
    ALL_EQUAL,
    TWO_VALUES,
    MOSTLY_TIES,
    DENORMAL,
    ONLY_NAN,
    ASCENDING,
    DESCENDING,
    PATTERN_COUNT
};

static const kn_type types[] = {KN_I8, KN_U8, KN_I16, KN_U16, KN_I32, KN_U32, KN_I64, KN_U64, KN_F32, KN_F64};

// Keys of any type are kept as bits in 64-bit cells until they go to the device.
static uint64_t keys[MAX_KEYS], order[MAX_KEYS], found[MAX_KEYS], expected[MAX_KEYS];
static unsigned char packed[MAX_KEYS * 16];

// The type of the keys being compared.
static kn_type sorted_type;
static bool sorted_down;

static inline bool is_float(kn_type type)
{
    return type == KN_F32 || type == KN_F64;
}

static inline double real_value(kn_type type, uint64_t bits)
{
    float single;
    double real;
    uint32_t low = (uint32_t)bits;

    memcpy(&single, &low, sizeof single);
    memcpy(&real, &bits, sizeof real);
    return type == KN_F32 ? (double)single : real;
}

static inline int64_t signed_value(kn_type type, uint64_t bits)
{
    switch (type) {
    case KN_I8:
        return (int8_t)bits;
    case KN_I16:
        return (int16_t)bits;
    case KN_I32:
        return (int32_t)bits;
    default:
        return (int64_t)bits;
    }
}

// numpy's order; in descending order numbers are reversed, and NaN are still last.
static inline int compare_values(uint64_t a, uint64_t b)
{
    int sign = sorted_down ? -1 : 1;

    if (is_float(sorted_type)) {
        double x = real_value(sorted_type, a), y = real_value(sorted_type, b);
        if (x != x || y != y)
            return (x != x) - (y != y);
        return sign * ((x > y) - (x < y));
    }
    if (sorted_type == KN_I8 || sorted_type == KN_I16 || sorted_type == KN_I32 || sorted_type == KN_I64) {
        int64_t x = signed_value(sorted_type, a), y = signed_value(sorted_type, b);
        return sign * ((x > y) - (x < y));
    }
    return sign * ((a > b) - (a < b));
}

static inline int compare_positions(const void *a, const void *b)
{
    uint64_t i = *(const uint64_t *)a, j = *(const uint64_t *)b;
    int values = compare_values(keys[i], keys[j]);

    return values ? values : (i > j) - (i < j);
}

// The stable order of the keys, as indices.
static inline void order_on_host(size_t n, kn_type type, bool down)
{
    sorted_type = type;
    sorted_down = down;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    qsort(order, n, sizeof *order, compare_positions);
}

static inline void pack(const uint64_t *cells, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++)
        memcpy(packed + i * size, &cells[i], size); // little-endian
}

static inline void unpack(uint64_t *cells, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        cells[i] = 0;
        memcpy(&cells[i], packed + i * size, size);
    }
}

static inline uint64_t special_key(kn_type type, uint64_t *state)
{
    unsigned bits = (unsigned)kn_type_size(type) * 8;
    unsigned mantissa = type == KN_F32 ? 23 : 52;
    uint64_t sign = (uint64_t)1 << (bits - 1), one = (uint64_t)1 << mantissa;
    uint64_t infinity = is_float(type) ? sign - one : sign - 1;
    const uint64_t magnitudes[] = {0,
                                   0,
                                   1,
                                   2,
                                   sign - 1,
                                   infinity,
                                   infinity,
                                   (infinity + 1) & (sign - 1),
                                   (infinity + 12345) & (sign - 1),
                                   infinity - 1,
                                   infinity / 2};

    return magnitudes[test_random(state) % COUNT(magnitudes)] | (test_random(state) % 2 ? sign : 0);
}

static inline uint64_t small_integer(kn_type type, uint64_t *state)
{
    int value = (int)(test_random(state) % 256) - 128;
    uint64_t mask = ~(uint64_t)0 >> (64 - kn_type_size(type) * 8);
    float single = (float)value;
    double real = value;
    uint32_t low;
    uint64_t bits;

    memcpy(&low, &single, sizeof low);
    memcpy(&bits, &real, sizeof bits);
    return type == KN_F32 ? low : type == KN_F64 ? bits : (uint64_t)(int64_t)value & mask;
}

static inline uint64_t any_key(kn_type type, enum pattern pattern, uint64_t *state)
{
    unsigned width = (unsigned)kn_type_size(type) * 8, mantissa = type == KN_F32 ? 23 : 52;
    uint64_t bits = test_random(state) >> (64 - width), sign = (uint64_t)1 << (width - 1);

    switch (pattern) {
    case SPECIAL:
        return test_random(state) % 2 ? special_key(type, state) : bits;
    case SMALL_INTEGERS:
        return small_integer(type, state);
    case ALL_EQUAL:
        return sign / 2 + 7;
    case TWO_VALUES: // of floats, -0 and 0
        return bits & sign;
    case MOSTLY_TIES:
        return test_random(state) % 100 ? sign / 2 : bits;
    case DENORMAL:
        return is_float(type) ? bits & (sign | (((uint64_t)1 << mantissa) - 1)) : bits & 0x3f;
    case ONLY_NAN:
        return is_float(type) ? bits | (sign - ((uint64_t)1 << mantissa)) | 1 : bits;
    default:
        return bits;
    }
}

static inline void make_keys(size_t n, kn_type type, enum pattern pattern, uint64_t *state)
{
    ck_assert_uint_le(n, MAX_KEYS);
    for (size_t i = 0; i < n; i++)
        keys[i] = any_key(type, pattern, state);
    if (pattern == ASCENDING || pattern == DESCENDING) {
        order_on_host(n, type, pattern == DESCENDING);
        for (size_t i = 0; i < n; i++)
            found[i] = keys[order[i]];
        memcpy(keys, found, n * sizeof *keys);
    }
}

// ---- keys alone ----

static inline bool is_nan(kn_type type, uint64_t bits)
{
    return is_float(type) && real_value(type, bits) != real_value(type, bits);
}

// -0 comes before +0, or after it in descending order; NaN are compared as a set.
static inline void expect_keys(size_t n, kn_type type, bool down)
{
    uint64_t sign = (uint64_t)1 << (kn_type_size(type) * 8 - 1);

    for (size_t i = 1; i < n; i++) {
        int values = compare_values(found[i - 1], found[i]);
        ck_assert_msg(values <= 0, "n %zu, %s: key %zu, %llx, stands before %llx", n, kn_type_name(type),
                      i - 1, (unsigned long long)found[i - 1], (unsigned long long)found[i]);
        if (values == 0 && is_float(type) && !is_nan(type, found[i]) && found[i] != found[i - 1])
            ck_assert_msg(found[i] == (down ? sign : 0), "n %zu, %s: zeros in the wrong order at %zu", n,
                          kn_type_name(type), i);
    }
    memcpy(expected, keys, n * sizeof *keys);
    qsort(expected, n, sizeof *expected, test_by_bits);
    qsort(found, n, sizeof *found, test_by_bits);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(found[i] == expected[i], "n %zu, %s: found %llx for %llx: not the keys that there were",
                      n, kn_type_name(type), (unsigned long long)found[i], (unsigned long long)expected[i]);
}

static inline void expect_sorts(size_t n, kn_type type, enum pattern pattern, const kn_sort_options *options,
                                uint64_t *state)
{
    size_t size = kn_type_size(type);
    kn_buffer *buffer;

    make_keys(n, type, pattern, state);
    pack(keys, n, size);
    buffer = test_upload_with_room(packed, n * size, 200);
    EXPECT_OK(kn_sort(queue, buffer, type, n, options, &err));
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, packed, n * size, &err));
    test_expect_poison(buffer, n * size);
    kn_buffer_free(buffer);
    unpack(found, n, size);
    sorted_type = type;
    sorted_down = options->order;
    expect_keys(n, type, options->order);
}

// ---- with values, and indices ----

static inline void expect_same(const uint64_t *wanted, size_t n, const char *what, kn_type type)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(found[i] == wanted[i], "n %zu, %s: %s %zu is %llx, expected %llx", n,
                      kn_type_name(type), what, i, (unsigned long long)found[i],
                      (unsigned long long)wanted[i]);
}

// A value that identifies the position of its element, in the available bytes.
static inline void make_value(unsigned char *value, size_t i, size_t size)
{
    uint64_t words[2] = {(i + 1) * UINT64_C(0x9e3779b97f4a7c15), i};

    memcpy(value, (char *)words + (size < 16 ? 8 - (size < 8 ? size : 8) : 0), size);
}

static inline void expect_moves(size_t n, kn_type type, size_t value_size, enum pattern pattern,
                                const kn_sort_options *options, uint64_t *state)
{
    size_t size = kn_type_size(type);
    unsigned char *values = malloc(n * value_size + 1), wanted[16];
    kn_buffer *key_buffer, *value_buffer;

    ck_assert_ptr_nonnull(values);
    make_keys(n, type, pattern, state);
    order_on_host(n, type, options->order);
    pack(keys, n, size);
    key_buffer = test_upload_with_room(packed, n * size, 200);
    for (size_t i = 0; i < n; i++)
        make_value(values + i * value_size, i, value_size);
    value_buffer = test_upload_with_room(values, n * value_size, 200);
    EXPECT_OK(kn_sort_by_key(queue, key_buffer, type, n, value_buffer, value_size, options, &err));
    EXPECT_OK(kn_buffer_read(queue, key_buffer, 0, packed, n * size, &err));
    EXPECT_OK(kn_buffer_read(queue, value_buffer, 0, values, n * value_size, &err));
    test_expect_poison(key_buffer, n * size);
    test_expect_poison(value_buffer, n * value_size);
    unpack(found, n, size);
    for (size_t i = 0; i < n; i++) {
        expected[i] = keys[order[i]];
        make_value(wanted, order[i], value_size);
        ck_assert_msg(memcmp(wanted, values + i * value_size, value_size) == 0,
                      "n %zu, %s: value %zu of %zu bytes is wrong", n, kn_type_name(type), i, value_size);
    }
    expect_same(expected, n, "key", type);
    free(values);
    kn_buffer_free(key_buffer);
    kn_buffer_free(value_buffer);
}

static inline void expect_indices(size_t n, kn_type type, kn_type index_type, enum pattern pattern,
                                  const kn_sort_options *options, uint64_t *state)
{
    size_t size = kn_type_size(type), index_size = kn_type_size(index_type);
    kn_buffer *key_buffer, *index_buffer;

    make_keys(n, type, pattern, state);
    order_on_host(n, type, options->order);
    pack(keys, n, size);
    key_buffer = test_upload_with_room(packed, n * size, 0);
    memset(packed, 0x5a, n * index_size);
    index_buffer = test_upload_with_room(packed, n * index_size, 200);
    EXPECT_OK(kn_argsort(queue, key_buffer, type, n, index_buffer, index_type, options, &err));
    EXPECT_OK(kn_buffer_read(queue, index_buffer, 0, packed, n * index_size, &err));
    unpack(found, n, index_size);
    expect_same(order, n, "index", type);
    EXPECT_OK(kn_buffer_read(queue, key_buffer, 0, packed, n * size, &err));
    unpack(found, n, size);
    expect_same(keys, n, "key, which was to stay,", type);
    test_expect_poison(index_buffer, n * index_size);
    kn_buffer_free(key_buffer);
    kn_buffer_free(index_buffer);
}

#endif
