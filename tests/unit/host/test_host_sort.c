// SPDX-License-Identifier: Apache-2.0
// The host's sorts at every level and with 1, 2 and 7 threads, bit by bit: unstable ones against qsort,
// stable ones against a plain merge sort.
#include "host_support.h"

#include <math.h>

#include "host/sort/host_sort.h"
#include "support/run.h"

// Includes the source to test its static functions; what it exports is called `own` here.
#define SIMD_SCALAR
#define KEY_BITS                    32
#define ki_host_quicksort_scalar_32 own
#include "host/sort/host_quicksort.c"
#undef ki_host_quicksort_scalar_32

static void expect_same(const void *found, const void *expected, size_t n, const kn_host_options *options,
                        const char *what)
{
    size_t size = kn_type_size(host_type);

    if (memcmp(found, expected, n * size) == 0)
        return;
    for (size_t i = 0; i < n; i++)
        if (memcmp((const char *)found + i * size, (const char *)expected + i * size, size) != 0)
            ck_abort_msg("%s: %s, n %zu, level %d, %u threads%s: element %zu", what, kn_type_name(host_type),
                         n, (int)options->level, options->threads, options->order ? ", descending" : "", i);
}

// In the first result, NaN are compared with the expected ones as a set; all other results must have them in
// the same order as the first.
static void check_sort(size_t n, enum host_pattern pattern, uint64_t *state)
{
    size_t size = kn_type_size(host_type), numbers = 0;
    void *x = host_column(n, pattern, state), *expected = host_copy(x, n), *first = NULL;

    qsort(expected, n, size, host_compare_bits);
    while (numbers < n && !host_is_nan((char *)expected + numbers * size))
        numbers++;
    HOST_FOR_OPTIONS(options)
    {
        void *found = host_copy(x, n);
        options.order = host_descending;
        EXPECT_OK(kn_host_sort(found, host_type, n, &options, &err));
        host_expect_poison(found, n);
        expect_same(found, expected, numbers, &options, "sort");
        if (!first) {
            first = host_copy(found, n);
            qsort((char *)found + numbers * size, n - numbers, size, host_compare_bits);
            expect_same(found, expected, n, &options, "NaN");
        } else {
            expect_same(found, first, n, &options, "NaN in order");
        }
        free(found);
    }
    free(first);
    free(expected);
    free(x);
}

static size_t *stable_order(const void *x, size_t n)
{
    size_t size = kn_type_size(host_type), *order = malloc((n + 1) * sizeof *order),
           *spare = malloc((n + 1) * sizeof *spare);

    ck_assert(order && spare);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t run = 1; run < n; run *= 2) { // a plain merge sort
        for (size_t start = 0; start < n; start += 2 * run) {
            size_t middle = start + run < n ? start + run : n,
                   end = start + 2 * run < n ? start + 2 * run : n;
            size_t left = start, right = middle;
            for (size_t i = start; i < end; i++) {
                bool from_left = left < middle &&
                                 (right == end || host_compare((const char *)x + order[left] * size,
                                                               (const char *)x + order[right] * size) <= 0);
                spare[i] = from_left ? order[left++] : order[right++];
            }
        }
        size_t *swapped = order;
        order = spare;
        spare = swapped;
    }
    free(spare);
    return order;
}

static void check_argsort(const void *x, const size_t *order, size_t n, const kn_host_options *options)
{
    uint64_t *wide = malloc(n * sizeof *wide + 8);
    uint32_t *narrow = malloc(n * sizeof *narrow + 4);

    ck_assert(wide && narrow);
    wide[n] = narrow[n] = 0xa5a5a5a5u;
    EXPECT_OK(kn_host_argsort(x, host_type, n, wide, KN_U64, options, &err));
    EXPECT_OK(kn_host_argsort(x, host_type, n, narrow, KN_U32, options, &err));
    for (size_t i = 0; i < n; i++)
        if (wide[i] != order[i] || narrow[i] != order[i])
            ck_abort_msg("%s, n %zu, %u threads: index %zu is %llu and %u, expected %zu",
                         kn_type_name(host_type), n, options->threads, i, (unsigned long long)wide[i],
                         narrow[i], order[i]);
    ck_assert(wide[n] == 0xa5a5a5a5u && narrow[n] == 0xa5a5a5a5u);
    free(wide);
    free(narrow);
}

static void check_by_key(const void *x, const size_t *order, size_t n, size_t value_size,
                         const kn_host_options *options)
{
    size_t size = kn_type_size(host_type);
    unsigned char *keys = host_copy(x, n), *given = malloc(n * value_size + 1),
                  *values = malloc(n * value_size + 1);
    uint64_t state = n;

    ck_assert(given && values);
    for (size_t i = 0; i < n * value_size; i++)
        values[i] = given[i] = (unsigned char)test_random(&state);
    values[n * value_size] = 0xa5;
    EXPECT_OK(kn_host_sort_by_key(keys, host_type, n, values, value_size, options, &err));
    host_expect_poison(keys, n);
    ck_assert_uint_eq(values[n * value_size], 0xa5);
    for (size_t i = 0; i < n; i++) {
        if (memcmp(keys + i * size, (const char *)x + order[i] * size, size) != 0)
            ck_abort_msg("%s, n %zu, %u threads: key %zu", kn_type_name(host_type), n, options->threads, i);
        if (memcmp(values + i * value_size, given + order[i] * value_size, value_size) != 0)
            ck_abort_msg("%s, n %zu, %u threads: value %zu", kn_type_name(host_type), n, options->threads, i);
    }
    free(keys);
    free(given);
    free(values);
}

static void check_stable(size_t n, enum host_pattern pattern, uint64_t *state)
{
    static const size_t value_sizes[] = {1, 2, 3, 4, 8, 16};
    void *x = host_column(n, pattern, state);
    size_t *order = stable_order(x, n);

    for (size_t i = 0; i < KI_COUNT(host_thread_counts); i++) {
        kn_host_options options =
            KN_INIT(kn_host_options, .threads = host_thread_counts[i], .order = host_descending);
        check_argsort(x, order, n, &options);
        check_by_key(x, order, n, value_sizes[test_random(state) % KI_COUNT(value_sizes)], &options);
    }
    free(order);
    free(x);
}

// Around the widths of vectors and the sizes of sorting networks and of partitioned blocks, then around those
// of pieces and of what several threads partition together (from 1 MiB on).
static const size_t sizes[] = {0,    1,    2,    3,    4,    5,    7,    8,     9,     15,   16,
                               17,   31,   32,   33,   63,   64,   65,   127,   128,   129,  255,
                               256,  257,  383,  384,  385,  511,  512,  513,   1023,  1024, 1025,
                               2047, 2048, 2049, 4095, 4096, 4097, 9973, 65535, 65536, 65537};
// The last one is for elements of 32 bits and less: of 64 bits, half as many are as large.
static const size_t large_sizes[] = {131073, 300007};

static void check_large_sort(size_t n, enum host_pattern pattern, uint64_t *state)
{
    if (n <= large_sizes[0] || kn_type_size(host_type) < sizeof(uint64_t))
        check_sort(n, pattern, state);
}

static void check_large_stable(size_t n, enum host_pattern pattern, uint64_t *state)
{
    check_stable(kn_type_size(host_type) < sizeof(uint64_t) ? n : n / 2, pattern, state);
}

START_TEST(sort_sizes)
{
    host_for_all_types(check_sort, "sort_sizes", sizes, KI_COUNT(sizes), false);
}
END_TEST

START_TEST(sort_large)
{
    host_for_all_types(check_large_sort, "sort_large", large_sizes, KI_COUNT(large_sizes), false);
}
END_TEST

START_TEST(sort_patterns)
{
    static const size_t some[] = {100, 777, 5000};

    host_for_all_types(check_sort, "sort_patterns", some, KI_COUNT(some), true);
}
END_TEST

// Every size up to more than twice that of the largest network, 256 keys.
START_TEST(every_small_size)
{
    uint64_t state = test_seed("every_small_size");

    host_find_levels();
    host_type = KN_F32;
    for (size_t n = 0; n < 600; n++)
        check_sort(n, HOST_SPECIAL, &state);
    host_type = KN_I64;
    for (size_t n = 0; n < 600; n++)
        check_sort(n, HOST_ANY_BITS, &state);
}
END_TEST

START_TEST(stable)
{
    static const size_t some[] = {0, 1, 2, 3, 31, 33, 257, 4099};

    host_for_all_types(check_stable, "stable", some, KI_COUNT(some), true);
}
END_TEST

START_TEST(stable_large)
{
    static const size_t some[] = {270001};

    host_for_all_types(check_large_stable, "stable_large", some, KI_COUNT(some), false);
}
END_TEST

// No threshold is a pivot: with no tries left, each is the middle of the bounds.
START_TEST(without_pivots)
{
    static const size_t some[] = {17, 100, 129, 1000, 30000};
    uint64_t state = test_seed("without_pivots");

    host_type = KN_I32;
    host_descending = false;
    for (size_t i = 0; i < KI_COUNT(some); i++)
        for (enum host_pattern pattern = 0; pattern < HOST_PATTERNS; pattern++) {
            key *x = host_column(some[i], pattern, &state), *expected = host_copy(x, some[i]);
            qsort(expected, some[i], sizeof *x, host_compare_bits);
            quicksort(x, some[i], (struct piece){INT32_MIN, INT32_MAX, 0, 1});
            ck_assert_mem_eq(x, expected, some[i] * sizeof *x);
            free(x);
            free(expected);
        }
}
END_TEST

// Every level has its own code for keys of 32 and of 64 bits.
START_TEST(levels)
{
    const struct host_quicksort *seen[8] = {&own};
    size_t count = 1;

    host_find_levels();
    for (kn_host_level level = KN_HOST_SCALAR; level <= KN_HOST_AVX512; level++)
        for (size_t size = 4; size <= 8 && host_has[level]; size += 4) {
            seen[count++] = ki_host_quicksort_for(&(struct host_plan){.level = level, .size = size});
            for (size_t i = 0; i + 1 < count; i++) {
                ck_assert_ptr_ne(seen[i], seen[count - 1]);
                ck_assert(seen[i]->sort != seen[count - 1]->sort &&
                          seen[i]->divide != seen[count - 1]->divide);
            }
        }
    ck_assert_ptr_eq(seen[1], &ki_host_quicksort_scalar_32);
    ck_assert_ptr_eq(seen[2], &ki_host_quicksort_scalar_64);
}
END_TEST

START_TEST(refusals)
{
    float keys[2] = {2, 1};
    uint32_t indices[2];

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no type 99", kn_host_sort(keys, (kn_type)99, 2, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_host_sort(NULL, KN_F32, 2, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no level 9",
                   kn_host_sort(keys, KN_F32, 2, &KN_INIT(kn_host_options, .level = 9), &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no order 2",
                   kn_host_sort(keys, KN_F32, 2, &KN_INIT(kn_host_options, .order = 2), &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "uint or ulong",
                   kn_host_argsort(keys, KN_F32, 2, indices, KN_I32, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_host_argsort(keys, KN_F32, 2, NULL, KN_U32, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "take KN_U64",
                   kn_host_argsort(keys, KN_F32, (size_t)1 << 33, indices, KN_U32, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no bytes",
                   kn_host_sort_by_key(keys, KN_F32, 2, indices, 0, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_LIMIT, "address space",
                   kn_host_sort_by_key(keys, KN_F32, SIZE_MAX / 4, indices, 4, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_MEMORY, "memory",
                   kn_host_sort_by_key(keys, KN_F32, SIZE_MAX / 8, indices, 4, NULL, &err));
    ck_assert(keys[0] == 2 && keys[1] == 1);
    EXPECT_OK(kn_host_sort(NULL, KN_F32, 0, NULL, &err));
    EXPECT_OK(kn_host_sort(keys, KN_F32, 2, NULL, NULL));
    ck_assert(keys[0] == 1 && keys[1] == 2);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sort_sizes,   sort_large,     sort_patterns, every_small_size, stable,
                                  stable_large, without_pivots, levels,        refusals};

    return TEST_RUN("host_sort", CK_NOFORK, tests);
}
