// SPDX-License-Identifier: Apache-2.0
// Tests sorted runs in files and their merge against a sort of everything in memory; and the number of pieces
// of a sort.
#include <koine/host.h>

#include "support/expect.h"
#include "support/files.h"
#include "support/random.h"
#include "support/run.h"
#include "tools/sort/merge.h"
#include "tools/sort/runs.h"

enum { RUNS = 7, MOST = 1500 };

static uint64_t seed;

// Keys with few distinct values, among floating-point ones both zeros and several NaN; the values are the
// keys' indices.
struct column {
    kn_type type;
    size_t n;
    uint64_t keys[MOST]; // room for any type
    uint32_t numbers[MOST];
};

static void fill(struct column *column)
{
    const size_t size = kn_type_size(column->type);
    char *keys = (char *)column->keys;

    for (size_t i = 0; i < column->n; i++) {
        const int number = (int)(test_random(&seed) % 40) - 20;
        const bool is_nan = number == 20 - 1, is_zero = number == 20 - 2;
        uint64_t bits = (uint64_t)(int64_t)number;

        if (column->type == KN_F32) {
            const float real = is_nan ? (float)NAN : is_zero ? -0.0f : (float)number / 3;
            memcpy(&bits, &real, sizeof real);
            bits |= is_nan ? test_random(&seed) & 0x80000007u : 0;
        } else if (column->type == KN_F64) {
            const double real = is_nan ? (double)NAN : is_zero ? -0.0 : number / 3.0;
            memcpy(&bits, &real, sizeof real);
            bits |= is_nan ? test_random(&seed) & UINT64_C(0x8000000000000007) : 0;
        }
        memcpy(keys + i * size, &bits, size);
        column->numbers[i] = (uint32_t)i;
    }
}

static void sort(struct column *column, size_t first, size_t count, bool along, kn_order order)
{
    const kn_host_options how = KN_INIT(kn_host_options, .order = order);
    char *keys = (char *)column->keys + first * kn_type_size(column->type);

    if (along)
        EXPECT_OK(kn_host_sort_by_key(keys, column->type, count, column->numbers + first,
                                      sizeof *column->numbers, &how, &err));
    else
        EXPECT_OK(kn_host_sort(keys, column->type, count, &how, &err));
}

struct taken {
    size_t key_size, count, most;
    char keys[sizeof((struct column *)0)->keys];
    uint32_t numbers[MOST];
    kn_status status;
};

static kn_status take(void *context, const void *keys, const void *values, size_t count, kn_error *error)
{
    struct taken *taken = context;

    (void)error;
    ck_assert_uint_le(count, taken->most);
    memcpy(taken->keys + taken->count * taken->key_size, keys, count * taken->key_size);
    if (values)
        memcpy(taken->numbers + taken->count, values, count * sizeof *taken->numbers);
    taken->count += count;
    return taken->status;
}

// Sorts the column in runs of random lengths, some of them empty, merges these, and compares with the whole
// column sorted.
static void merge(struct column *column, bool along, kn_order order, size_t wanted)
{
    static struct taken taken;
    const size_t size = kn_type_size(column->type), buffer = 1 + test_random(&seed) % 70;
    const size_t expected = wanted < column->n ? wanted : column->n;
    const struct sort_order how = {column->type, order == KN_DESCENDING, along};
    struct column whole = *column;
    struct sort_runs *runs;
    char *folder = test_folder(), beside[4200];

    snprintf(beside, sizeof beside, "%s/result.npy", folder);
    taken = (struct taken){.key_size = size, .most = buffer};
    EXPECT_OK(sort_runs_create(&how, along ? sizeof *column->numbers : 0, beside, &runs, &err));
    ck_assert_uint_eq(test_files_in(folder), 0); // the runs' files have no names
    for (size_t run = 0, first = 0; run < RUNS; run++) {
        const size_t end = run + 1 == RUNS ? column->n : first + test_random(&seed) % (column->n - first + 1);

        sort(column, first, end - first, along, order);
        EXPECT_OK(sort_runs_add(runs, (char *)column->keys + first * size, column->numbers + first,
                                end - first, &err));
        first = end;
    }
    EXPECT_OK(sort_runs_merge(runs, buffer, wanted, take, &taken, &err));
    sort(&whole, 0, whole.n, along, order);
    ck_assert_uint_eq(taken.count, expected);
    ck_assert_msg(memcmp(taken.keys, whole.keys, expected * size) == 0, "keys of %s, %zu of %zu, order %d",
                  kn_type_name(column->type), expected, column->n, (int)order);
    if (along)
        ck_assert(memcmp(taken.numbers, whole.numbers, expected * sizeof *taken.numbers) == 0);
    sort_runs_free(runs);
    test_remove(folder);
}

START_TEST(merged)
{
    static struct column column;

    seed = test_seed("test_runs");
    for (kn_type type = KN_I8; type <= KN_F64; type++)
        for (int i = 0; i < 8; i++) {
            column.type = type;
            column.n = i < 4 ? MOST : (size_t)i - 4;
            if (!kn_type_size(type))
                continue;
            fill(&column);
            merge(&column, i & 1, i & 2 ? KN_DESCENDING : KN_ASCENDING, i % 3 ? MOST : 33);
        }
}
END_TEST

// Sorts the column in two parts, either of which may be empty, and merges them in memory.
static void merge_two(struct column *column, bool along, kn_order order)
{
    static struct taken taken;
    const size_t size = kn_type_size(column->type), cut = test_random(&seed) % (column->n + 1);
    const struct sort_order how = {column->type, order == KN_DESCENDING, along};
    const char *keys = (char *)column->keys, *numbers = (char *)column->numbers;
    struct column whole = *column;
    const struct sort_part left = {keys, numbers, cut},
                           right = {keys + cut * size, numbers + cut * sizeof *column->numbers,
                                    column->n - cut};

    sort(column, 0, cut, along, order);
    sort(column, cut, column->n - cut, along, order);
    sort(&whole, 0, whole.n, along, order);
    memset(&taken, 0xa5, sizeof taken);
    sort_merge(&how, along ? sizeof *column->numbers : 0, &left, &right, taken.keys, (char *)taken.numbers);
    ck_assert(memcmp(taken.keys, whole.keys, whole.n * size) == 0);
    ck_assert(!along || memcmp(taken.numbers, whole.numbers, whole.n * sizeof *taken.numbers) == 0);
    ck_assert_uint_eq((unsigned char)taken.keys[whole.n * size], 0xa5);
}

START_TEST(merged_in_memory)
{
    static struct column column;

    seed = test_seed("test_runs");
    for (kn_type type = KN_I8; type <= KN_F64; type++)
        for (int i = 0; i < 16 && kn_type_size(type); i++) {
            column.type = type;
            column.n = i < 8 ? MOST - 1 : (size_t)i - 8;
            fill(&column);
            merge_two(&column, i & 1, i & 2 ? KN_DESCENDING : KN_ASCENDING);
        }
}
END_TEST

// Enough records for several threads, with few distinct keys.
START_TEST(merged_by_threads)
{
    enum { COUNT = 300001, LEFT = 130003 };
    const struct sort_order how = {KN_U8, false, true};
    uint8_t *keys = malloc(2 * COUNT), *both = keys + COUNT;
    uint32_t *numbers = malloc(2 * COUNT * sizeof *numbers), *both_numbers = numbers + COUNT;
    const struct sort_part left = {(char *)keys, (char *)numbers, LEFT},
                           right = {(char *)(keys + LEFT), (char *)(numbers + LEFT), COUNT - LEFT};

    ck_assert(keys && numbers);
    seed = test_seed("test_runs");
    for (uint32_t i = 0; i < COUNT; i++) {
        keys[i] = (uint8_t)(test_random(&seed) % 5);
        numbers[i] = i;
    }
    EXPECT_OK(kn_host_sort_by_key(keys, KN_U8, LEFT, numbers, 4, NULL, &err));
    EXPECT_OK(kn_host_sort_by_key(keys + LEFT, KN_U8, COUNT - LEFT, numbers + LEFT, 4, NULL, &err));
    sort_merge(&how, sizeof *numbers, &left, &right, (char *)both, (char *)both_numbers);
    for (size_t i = 1; i < COUNT; i++)
        ck_assert(both[i - 1] < both[i] || (both[i - 1] == both[i] && both_numbers[i - 1] < both_numbers[i]));
    free(numbers);
    free(keys);
}
END_TEST

// An error from the caller's function ends the merge.
START_TEST(given_up)
{
    static struct taken taken;
    const struct sort_order how = {.type = KN_I32};
    const int32_t keys[] = {1, 2, 3};
    struct sort_runs *runs;

    taken = (struct taken){.key_size = sizeof *keys, .most = 1, .status = KN_ERROR_INTERRUPTED};
    EXPECT_OK(sort_runs_create(&how, 0, "-", &runs, &err));
    EXPECT_OK(sort_runs_add(runs, keys, NULL, 3, &err));
    ck_assert_int_eq(sort_runs_merge(runs, 1, 3, take, &taken, &err), KN_ERROR_INTERRUPTED);
    ck_assert_uint_eq(taken.count, 1);
    sort_runs_free(runs);
    runs = NULL;
    EXPECT_REFUSED(KN_ERROR_OUTPUT, "temporary file for data that do not fit in memory cannot be made",
                   sort_runs_create(&how, 0, "/nowhere/at/all/result.npy", &runs, &err));
    sort_runs_free(runs);
}
END_TEST

// The memory in use stays within the limit, and limits below the least one are refused.
START_TEST(divided)
{
    static const struct sort_sizes tried[] = {
        {0, 8, 8}, {1, 8, 8}, {1000, 56, 16}, {10000000, 8, 8}, {3000000, 80, 16}};

    for (size_t t = 0; t < sizeof tried / sizeof *tried; t++) {
        const struct sort_sizes *sizes = &tried[t];
        const size_t least = sort_least_limit(sizes), all = sizes->n * sizes->piece;
        struct sort_division division;

        ck_assert(sort_divide(sizes, all, &division));
        ck_assert_uint_eq(division.pieces, 1);
        ck_assert_uint_eq(division.elements, sizes->n);
        ck_assert(!all || !sort_divide(sizes, least - 1, &division));
        for (size_t limit = least; limit < all; limit += limit / 3 + 1) {
            ck_assert(sort_divide(sizes, limit, &division));
            ck_assert_uint_le(division.elements * sizes->piece, limit);
            ck_assert_uint_ge(division.elements * division.pieces, sizes->n);
            ck_assert_uint_lt(division.elements * (division.pieces - 1), sizes->n);
            ck_assert_uint_gt(division.pieces, 1);
            ck_assert_uint_le((division.pieces + 1) * division.buffer * sizes->record, limit);
        }
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {merged, merged_in_memory, merged_by_threads, given_up, divided};

    return TEST_RUN("sort runs", CK_FORK_GETENV, tests);
}
