// SPDX-License-Identifier: Apache-2.0
// Tests kn_sort_large_array and kn_sort_large, and the merge on the host that they use, against qsort.
#include "small_block.h"

#include <koine/experimental.h>
#include "support/buffers.h"
#include "support/run.h"

#include <math.h>

#include "algo/sort/merge_runs.h"

#define MAX_N ((size_t)1 << 18)

// ---- numpy's order ----

#define DEFINE_ORDER(name, type)                                                                             \
    static int name(const void *left, const void *right)                                                     \
    {                                                                                                        \
        type a = *(const type *)left, b = *(const type *)right;                                              \
        return (a > b) - (a < b);                                                                            \
    }
#define DEFINE_REAL_ORDER(name, type)                                                                        \
    static int name(const void *left, const void *right)                                                     \
    {                                                                                                        \
        type a = *(const type *)left, b = *(const type *)right;                                              \
        if (isnan(a) || isnan(b))                                                                            \
            return (isnan(a) != 0) - (isnan(b) != 0);                                                        \
        return (a > b) - (a < b);                                                                            \
    }
DEFINE_ORDER(order_i8, int8_t)
DEFINE_ORDER(order_u8, uint8_t)
DEFINE_ORDER(order_i16, int16_t)
DEFINE_ORDER(order_u16, uint16_t)
DEFINE_ORDER(order_i32, int32_t)
DEFINE_ORDER(order_u32, uint32_t)
DEFINE_ORDER(order_i64, int64_t)
DEFINE_ORDER(order_u64, uint64_t)
DEFINE_REAL_ORDER(order_f32, float)
DEFINE_REAL_ORDER(order_f64, double)

typedef int order_function(const void *left, const void *right);
static order_function *const orders[] = {order_i8,  order_u8,  order_i16, order_u16, order_i32,
                                         order_u32, order_i64, order_u64, order_f32, order_f64};

// Random bits with a few ties, zeros, infinities and NaN of both signs.
static void make_keys(char *keys, kn_type type, size_t n, uint64_t *state)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 1, 1};

    for (size_t i = 0; i < n; i++) {
        uint64_t bits = test_random(state);
        double real = special[bits % 8];
        float single = (float)real;
        if (type == KN_F64 && bits >> 60 == 0)
            memcpy(&bits, &real, sizeof real);
        else if (type == KN_F32 && bits >> 60 == 0)
            memcpy(&bits, &single, sizeof single);
        memcpy(keys + i * kn_type_size(type), &bits, kn_type_size(type));
    }
}

static char keys[MAX_N * 8], found[MAX_N * 8], expected[MAX_N * 8];
static uint64_t before[MAX_N], after[MAX_N];

// found[0..n) must be keys[0..n) in order: each element equal to qsort's, and the same bits overall.
static void expect_sorted(kn_type type, size_t n)
{
    size_t size = kn_type_size(type);

    memcpy(expected, keys, n * size);
    qsort(expected, n, size, orders[type]);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(orders[type](found + i * size, expected + i * size) == 0,
                      "%s, n %zu: key %zu is not what it should be", kn_type_name(type), n, i);
    for (size_t i = 0; i < n; i++) {
        before[i] = after[i] = 0;
        memcpy(&before[i], keys + i * size, size);
        memcpy(&after[i], found + i * size, size);
    }
    qsort(before, n, sizeof *before, test_by_bits);
    qsort(after, n, sizeof *after, test_by_bits);
    ck_assert_msg(memcmp(before, after, n * sizeof *before) == 0, "%s, n %zu: not the same keys",
                  kn_type_name(type), n);
}

// ---- merging alone ----

static void swap_ends(char *elements, size_t n, size_t size)
{
    for (size_t i = 0; i < n / 2; i++)
        for (size_t byte = 0; byte < size; byte++) {
            char *low = elements + i * size + byte, *high = elements + (n - 1 - i) * size + byte, kept = *low;
            *low = *high;
            *high = kept;
        }
}

// Reverses the numbers; NaN stay at the end.
static void turn_round(char *elements, kn_type type, size_t n)
{
    const double nan64 = NAN;
    const float nan32 = NAN;
    size_t numbers = n;

    while (numbers > 0 && ((type == KN_F64 && orders[type](elements + (numbers - 1) * 8, &nan64) == 0) ||
                           (type == KN_F32 && orders[type](elements + (numbers - 1) * 4, &nan32) == 0)))
        numbers--;
    swap_ends(elements, numbers, kn_type_size(type));
}

static void expect_merges(kn_type type, size_t n, size_t run, bool descending, unsigned threads)
{
    size_t size = kn_type_size(type);
    char *odd = malloc(n * size + 1), *begin = ki_merge_levels(n, run) % 2 ? odd : found;

    ck_assert_ptr_nonnull(odd);
    memset(found, 0x5a, n * size);
    memset(odd, 0x5a, n * size);
    memcpy(begin, keys, n * size);
    for (size_t done = 0; done < n; done += run) {
        size_t elements = n - done < run ? n - done : run;
        qsort(begin + done * size, elements, size, orders[type]);
        if (descending)
            turn_round(begin + done * size, type, elements);
    }
    ki_merge_runs(found, odd, type, n, run, descending, threads);
    free(odd);
    if (descending)
        turn_round(found, type, n);
    expect_sorted(type, n);
}

START_TEST(merging)
{
    static const size_t sizes[][2] = {{1, 1},          {2, 1},          {3, 1},       {5, 2},
                                      {1000, 7},       {4096, 64},      {4097, 4096}, {4096, 10000},
                                      {200001, 30000}, {200000, 100000}};
    uint64_t state = test_seed("merging");

    for (kn_type type = KN_I8; type <= KN_F64; type++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            make_keys(keys, type, sizes[i][0], &state);
            expect_merges(type, sizes[i][0], sizes[i][1], i % 2, (unsigned)(test_random(&state) % 6));
        }
}
END_TEST

// Equal keys keep their order: -0 and +0 can be told apart.
START_TEST(merging_is_stable)
{
    static const float signs[] = {-0.0F, 0.0F};
    float runs[12], spare[12];

    for (size_t i = 0; i < 12; i++)
        runs[i] = signs[(i * 5 + i / 3) % 2];
    for (int descending = 0; descending < 2; descending++) {
        float sorted[12];
        memcpy(sorted, runs, sizeof runs);
        ck_assert_uint_eq(ki_merge_levels(12, 3), 2);
        ki_merge_runs(sorted, spare, KN_F32, 12, 3, descending, 1);
        ck_assert(memcmp(sorted, runs, sizeof runs) == 0);
    }
}
END_TEST

START_TEST(levels)
{
    static const size_t cases[][3] = {{1, 1, 0}, {2, 1, 1}, {3, 1, 2}, {4, 1, 2},
                                      {5, 1, 3}, {8, 8, 0}, {9, 8, 1}, {17, 8, 2}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_uint_eq(ki_merge_levels(cases[i][0], cases[i][1]), cases[i][2]);
    ck_assert_uint_eq(ki_merge_levels(SIZE_MAX, 1), 64);
    ck_assert_uint_eq(ki_merge_levels(SIZE_MAX, SIZE_MAX - 1), 1);
}
END_TEST

// ---- host memory ----

static void expect_sorts_host(kn_type type, size_t n, const kn_sort_large_options *options, uint64_t *state)
{
    size_t bytes = n * kn_type_size(type);

    make_keys(keys, type, n, state);
    memcpy(found, keys, bytes);
    memset(found + bytes, 0xa5, 16);
    EXPECT_OK(kn_sort_large_array(queue, found, type, n, options, &err));
    for (size_t i = 0; i < 16; i++)
        ck_assert_msg((unsigned char)found[bytes + i] == 0xa5, "byte %zu past the end was written", i);
    if (options && options->sort && options->sort->order)
        turn_round(found, type, n);
    expect_sorted(type, n);
}

START_TEST(host_sizes)
{
    static const size_t small[] = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129};
    uint64_t state = test_seed("host_sizes");

    test_prepare_numbers();
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        for (size_t chunk = 0; chunk < 3; chunk++)
            expect_sorts_host(KN_F32, small[i],
                              &KN_INIT(kn_sort_large_options, .sort = small_block(), .chunk = chunk * 32),
                              &state);
    for (int i = 0; i < 20 && !test_is_slow(); i++)
        expect_sorts_host(KN_F32, 1 + test_random(&state) % 20000,
                          &KN_INIT(kn_sort_large_options, .chunk = 1000 + test_random(&state) % 5000,
                                   .threads = (unsigned)i % 4),
                          &state);
    expect_sorts_host(KN_F32, test_is_slow() ? 100 : 60000,
                      &KN_INIT(kn_sort_large_options, .sort = small_block()), &state);
}
END_TEST

START_TEST(host_types)
{
    uint64_t state = test_seed("host_types");

    for (kn_type type = KN_I8; type <= KN_F64; type++)
        for (int descending = 0; descending < 2 && test_takes(type); descending++) {
            kn_sort_options sort =
                KN_INIT(kn_sort_options, .order = descending ? KN_DESCENDING : KN_ASCENDING);
            if (small_block())
                sort = KN_INIT(kn_sort_options, .order = descending ? KN_DESCENDING : KN_ASCENDING,
                               .tuning = &(kn_sort_tuning){.log2_group = 5, .log2_keys = 2});
            size_t n = test_is_slow() ? 100 : 10000;
            expect_sorts_host(type, n, &KN_INIT(kn_sort_large_options, .sort = &sort, .chunk = n / 30),
                              &state);
        }
}
END_TEST

static size_t count_launches(size_t n, size_t chunk)
{
    kn_profile_entry *entries = NULL;
    size_t count = 0;

    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_sort_large_array(queue, found, KN_F32, n,
                                  &KN_INIT(kn_sort_large_options, .sort = small_block(), .chunk = chunk),
                                  &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    kn_free(entries);
    return count;
}

// Each chunk is sorted on the device, and nothing else is done there.
START_TEST(host_launches)
{
    size_t once;

    test_prepare_numbers();
    memset(found, 0, sizeof found);
    once = count_launches(100, 0);
    ck_assert_uint_gt(once, 0);
    ck_assert_uint_eq(count_launches(700, 100), 7 * once);
    ck_assert_uint_eq(count_launches(1, 0), 0);
}
END_TEST

// The size of chunks follows from the device's largest allocation.
START_TEST(host_on_a_small_device)
{
    static const kn_sort_tuning groups = {.radix_chunks = 64};
    const kn_sort_options many_groups = KN_INIT(kn_sort_options, .tuning = &groups);
    kn_context_options small = KN_INIT(kn_context_options, .max_alloc = 4096); // 1,024 floats
    uint64_t state = test_seed("host_on_a_small_device");

    test_open_with(&small);
    for (size_t n = 50; n < (test_is_slow() ? 2000 : 100000); n *= 3) {
        expect_sorts_host(KN_F32, n,
                          test_is_slow() ? &KN_INIT(kn_sort_large_options, .sort = small_block()) : NULL,
                          &state);
        expect_sorts_host(KN_F32, n, &KN_INIT(kn_sort_large_options, .sort = small_block(), .threads = 3),
                          &state);
        // As if the device had many compute units: the counts of all groups do not fit into one allocation.
        expect_sorts_host(KN_F32, n, &KN_INIT(kn_sort_large_options, .sort = &many_groups), &state);
    }
    test_close();
}
END_TEST

// ---- buffers ----

static void expect_sorts_buffer(kn_type type, size_t n, size_t room, uint64_t *state)
{
    size_t bytes = n * kn_type_size(type);
    kn_buffer *buffer;

    make_keys(keys, type, n, state);
    buffer = test_upload_with_room(keys, bytes, room);
    EXPECT_OK(
        kn_sort_large(queue, buffer, type, n, &KN_INIT(kn_sort_large_options, .sort = small_block()), &err));
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, found, bytes, &err));
    test_expect_poison(buffer, bytes);
    kn_buffer_free(buffer);
    expect_sorted(type, n);
}

START_TEST(buffers_in_parts)
{
    kn_context_options small = KN_INIT(kn_context_options, .max_alloc = 4096); // 1,024 floats a part
    static const size_t sizes[] = {0, 1, 2, 1000, 1023, 1024, 1025, 2048, 2049, 5000, 8192, 10001};
    uint64_t state = test_seed("buffers_in_parts");

    test_open_with(&small);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += test_is_slow() ? 5 : 1)
        expect_sorts_buffer(KN_F32, sizes[i], i % 2 ? 900 : 0, &state);
    for (kn_type type = KN_I8; type <= KN_F64 && !test_is_slow(); type++)
        if (test_takes(type))
            expect_sorts_buffer(type, 7777, 100, &state);
    test_close();
}
END_TEST

START_TEST(refusals)
{
    const kn_sort_options sort = {.order = KN_DESCENDING};
    const kn_sort_large_options not_made = KN_INIT(kn_sort_large_options, .sort = &sort);
    kn_buffer *buffer = test_upload_with_room(keys, 1000, 0);

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_sort_large_array(NULL, keys, KN_F32, 10, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_sort_large_array(queue, NULL, KN_F32, 10, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no type 77",
                   kn_sort_large_array(queue, keys, (kn_type)77, 10, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "more than memory can hold",
                   kn_sort_large_array(queue, keys, KN_F32, SIZE_MAX / 2, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_sort_large(queue, NULL, KN_F32, 10, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 250", kn_sort_large(queue, buffer, KN_F32, 251, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no type 77", kn_sort_large(queue, buffer, (kn_type)77, 1, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_sort_large: the kn_sort_options has a struct_size of 0",
                   kn_sort_large(queue, buffer, KN_F32, 10, &not_made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_sort_large_array: the kn_sort_options has a struct_size of 0",
                   kn_sort_large_array(queue, keys, KN_F32, 10, &not_made, &err));
    kn_buffer_free(buffer);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {merging,    merging_is_stable, levels,  host_sizes,
                                  host_types, host_launches,     refusals};
    const TTest *const own_device[] = {host_on_a_small_device, buffers_in_parts};
    int status =
        test_run("sort beyond the device", tests, sizeof tests / sizeof *tests, test_open, test_close);

    return status ? status
                  : test_run("sort beyond the device, devices of their own", own_device, 2, NULL, NULL);
}
