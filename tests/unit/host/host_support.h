// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the host's algorithms: columns of any type in many patterns, comparisons in numpy's
// order, and loops over types, sizes, numbers of threads and the levels that this processor has.
#ifndef KN_TESTS_UNIT_HOST_HOST_SUPPORT_H
#define KN_TESTS_UNIT_HOST_HOST_SUPPORT_H

#include "support/expect.h"

#include <koine/host.h>

#include "base/array.h"
#include "support/run.h"

#define HOST_TYPES (KN_F64 + 1)

static const unsigned host_thread_counts[] = {1, 2, 7};

// The type and order of the current column: global, because qsort passes nothing else to its comparison.
static kn_type host_type;
static bool host_descending;

static bool host_takes(kn_host_level level)
{
    kn_error why = KN_ERROR_INIT;
    char key = 0;

    if (kn_host_sort(&key, KN_I8, 1, &KN_INIT(kn_host_options, .level = level), &why) == KN_OK)
        return true;
    ck_assert_int_eq(why.code, KN_ERROR_UNSUPPORTED);
    fprintf(stderr, "skipped: %s\n", why.text);
    return false;
}

static double host_real(const void *element)
{
    float single;
    double value;

    if (host_type == KN_F64)
        return memcpy(&value, element, sizeof value), value;
    return memcpy(&single, element, sizeof single), (double)single;
}

static bool host_is_nan(const void *element)
{
    return host_type >= KN_F32 && host_real(element) != host_real(element);
}

static inline int host_compare_integers(const void *a, const void *b)
{
#define HOST_COMPARE_AS(type, c_type)                                                                        \
    case type: {                                                                                             \
        c_type left, right;                                                                                  \
        memcpy(&left, a, sizeof left);                                                                       \
        memcpy(&right, b, sizeof right);                                                                     \
        return (left > right) - (left < right);                                                              \
    }
    switch (host_type) {
        HOST_COMPARE_AS(KN_I8, int8_t)
        HOST_COMPARE_AS(KN_U8, uint8_t)
        HOST_COMPARE_AS(KN_I16, int16_t)
        HOST_COMPARE_AS(KN_U16, uint16_t)
        HOST_COMPARE_AS(KN_I32, int32_t)
        HOST_COMPARE_AS(KN_U32, uint32_t)
        HOST_COMPARE_AS(KN_I64, int64_t)
        HOST_COMPARE_AS(KN_U64, uint64_t)
    default:
        ck_abort_msg("type %d is not of integers", (int)host_type);
    }
#undef HOST_COMPARE_AS
}

// numpy's order: all NaN are equal and come last; -0 and +0 are equal.
static inline int host_compare(const void *a, const void *b)
{
    int order;

    if (host_type < KN_F32) {
        order = host_compare_integers(a, b);
        return host_descending ? -order : order;
    }
    if (host_is_nan(a) || host_is_nan(b))
        return host_is_nan(a) - host_is_nan(b);
    order = (host_real(a) > host_real(b)) - (host_real(a) < host_real(b));
    return host_descending ? -order : order;
}

// The same, except that -0 comes before +0 (after it if descending), and NaN are ordered by their bytes.
static inline int host_compare_bits(const void *a, const void *b)
{
    int order = host_compare(a, b);
    bool negative_a, negative_b;

    if (order || host_type < KN_F32)
        return order;
    if (host_is_nan(a))
        return memcmp(a, b, kn_type_size(host_type));
    negative_a = __builtin_signbit(host_real(a));
    negative_b = __builtin_signbit(host_real(b));
    return host_descending ? negative_a - negative_b : negative_b - negative_a;
}

enum host_pattern {
    HOST_ANY_BITS,
    HOST_SPECIAL, // zeros, infinities, NaN, denormals; of integers, 0, -1, the least and the greatest
    HOST_ALL_EQUAL,
    HOST_TWO_VALUES,
    HOST_MOSTLY_TIES,
    HOST_FEW_VALUES,
    HOST_ASCENDING,
    HOST_DESCENDING,
    HOST_ONLY_NAN,
    HOST_PATTERNS
};

static void host_put(void *x, size_t i, uint64_t bits)
{
    memcpy((char *)x + i * kn_type_size(host_type), &bits, kn_type_size(host_type));
}

static uint64_t host_special(uint64_t *state)
{
    size_t bits = 8 * kn_type_size(host_type);
    uint64_t sign = (uint64_t)1 << (bits - 1);
    uint64_t infinity = host_type == KN_F32 ? 0x7f800000u : UINT64_C(0x7ff0000000000000);
    const uint64_t integers[] = {0, 1, sign, sign - 1, sign + 1, sign * 2 - 1, 100};
    const uint64_t reals[] = {
        0, 0, 1, 2, infinity, infinity - 1, infinity + 1, infinity + infinity / 100, infinity / 2, sign - 1};

    if (host_type < KN_F32)
        return integers[test_random(state) % KI_COUNT(integers)];
    return reals[test_random(state) % KI_COUNT(reals)] | (test_random(state) % 2 ? sign : 0);
}

static uint64_t host_any(enum host_pattern pattern, uint64_t *state)
{
    uint64_t bits = test_random(state),
             infinity = host_type == KN_F32 ? 0x7f800000u : UINT64_C(0x7ff0000000000000);

    switch (pattern) {
    case HOST_SPECIAL:
        return bits % 3 ? host_special(state) : bits >> 3;
    case HOST_ALL_EQUAL:
        return 0x4142434445464748u;
    case HOST_TWO_VALUES:
        return bits % 2 ? 0x4142434445464748u : 0xc1c2c3c4c5c6c7c8u;
    case HOST_MOSTLY_TIES:
        return bits % 100 ? 0x4142434445464748u : test_random(state);
    case HOST_FEW_VALUES:
        return bits % 50 * 0x0101010101010101u;
    case HOST_ONLY_NAN:
        return host_type < KN_F32 ? bits : bits | infinity | 1;
    default:
        return bits;
    }
}

// n elements of host_type, followed by 64 bytes of poison that host_expect_poison checks. The caller frees
// them.
static inline void *host_column(size_t n, enum host_pattern pattern, uint64_t *state)
{
    size_t size = kn_type_size(host_type);
    char *x = malloc(n * size + 64);
    bool descending = host_descending;

    ck_assert_ptr_nonnull(x);
    memset(x + n * size, 0xa5, 64);
    for (size_t i = 0; i < n; i++)
        host_put(x, i, host_any(pattern, state));
    host_descending = pattern == HOST_DESCENDING;
    if (pattern == HOST_ASCENDING || pattern == HOST_DESCENDING)
        qsort(x, n, size, host_compare_bits);
    host_descending = descending;
    return x;
}

static inline void host_expect_poison(const void *x, size_t n)
{
    const unsigned char *end = (const unsigned char *)x + n * kn_type_size(host_type);

    for (size_t i = 0; i < 64; i++) // not ck_assert: Check writes to a file at every assertion
        if (end[i] != 0xa5)
            ck_abort_msg("byte %zu past the end was written", i);
}

static inline void *host_copy(const void *x, size_t n)
{
    size_t bytes = n * kn_type_size(host_type) + 64;
    void *copy = malloc(bytes);

    ck_assert_ptr_nonnull(copy);
    return memcpy(copy, x, bytes);
}

// Loops over every level that this processor has, and for each over host_thread_counts.
#define HOST_FOR_OPTIONS(options)                                                                            \
    for (kn_host_options options = KN_INIT(kn_host_options, .level = KN_HOST_SCALAR);                        \
         options.level <= KN_HOST_AVX512; options.level++)                                                   \
        for (size_t options##_i = 0;                                                                         \
             options##_i < KI_COUNT(host_thread_counts) && host_has[options.level] &&                        \
             (options.threads = host_thread_counts[options##_i], true);                                      \
             options##_i++)

static bool host_has[KN_HOST_AVX512 + 1];

static inline void host_find_levels(void)
{
    for (kn_host_level level = KN_HOST_SCALAR; level <= KN_HOST_AVX512; level++)
        host_has[level] = host_takes(level);
}

// Calls `check` for every type, size and pattern, ascending or descending at random; unless `all_patterns` is
// set, for HOST_SPECIAL and a random choice of the other patterns. `sizes` must ascend: under an emulator,
// those above 10,000 are left out.
static inline void host_for_all_types(void (*check)(size_t n, enum host_pattern pattern, uint64_t *state),
                                      const char *name, const size_t *sizes, size_t count, bool all_patterns)
{
    uint64_t state = test_seed(name);

    host_find_levels();
    for (; count > 0 && sizes[count - 1] > 10000 && test_is_emulated(); count--)
        fprintf(stderr, "left out under an emulator: %s of %zu elements\n", name, sizes[count - 1]);
    for (host_type = 0; host_type < HOST_TYPES; host_type++)
        for (size_t i = 0; i < count; i++)
            for (enum host_pattern pattern = 0; pattern < HOST_PATTERNS; pattern++) {
                host_descending = test_random(&state) % 2;
                if (all_patterns || pattern == HOST_SPECIAL || pattern == test_random(&state) % HOST_PATTERNS)
                    check(sizes[i], pattern, &state);
            }
    host_descending = false;
}

#endif
