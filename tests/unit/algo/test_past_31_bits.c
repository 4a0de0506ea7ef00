// SPDX-License-Identifier: Apache-2.0
// Tests more elements than 31 bits can count: bytes that are all equal except for a few, at both ends and on
// both sides of element 2^31. Runs only if the device and the host have the memory.
#include "support/buffers.h"
#include "support/run.h"

#include <unistd.h>

#include <koine/host.h>
#include <koine/robust.h>

#include "base/array.h"

enum { USUAL = 7, WINDOW = 64 };

static const size_t n = ((size_t)1 << 31) + 54321, needed = (size_t)9 << 30; // bytes

static const struct {
    size_t position;
    unsigned char value;
} others[] = {{0, 200}, {((size_t)1 << 31) - 1, 3}, {(size_t)1 << 31, 250}, {((size_t)1 << 31) + 54320, 1}};

static bool has_room(void)
{
    const kn_device_info *device = kn_context_get_device(context);
    size_t free_bytes = (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);

    if (!test_is_slow() && !device->loop_limit && device->global_memory >= needed && device->max_alloc >= n &&
        free_bytes >= needed)
        return true;
    fprintf(stderr, "skipped: %zu GiB are not free on %s and on the host, or the device is slow\n",
            needed >> 30, device->name);
    return false;
}

static kn_buffer *make_column(void)
{
    const unsigned char usual = USUAL;
    kn_buffer *buffer = NULL;

    EXPECT_OK(kn_buffer_create(context, n, &buffer, &err));
    EXPECT_OK(kn_buffer_fill(queue, buffer, &usual, 1, 0, n, NULL, &err));
    for (size_t i = 0; i < KI_COUNT(others); i++)
        EXPECT_OK(kn_buffer_write(queue, buffer, others[i].position, &others[i].value, 1, &err));
    return buffer;
}

static uint64_t sum_upto(size_t last)
{
    uint64_t sum = USUAL * (uint64_t)(last + 1);

    for (size_t i = 0; i < KI_COUNT(others); i++)
        if (others[i].position <= last)
            sum += (uint64_t)others[i].value - USUAL;
    return sum;
}

START_TEST(reductions)
{
    kn_number number = {.u64 = 0};
    kn_buffer *column;

    if (!has_room())
        return;
    column = make_column();
    EXPECT_OK(kn_reduce(queue, column, KN_U8, n, KN_REDUCE_SUM, &number, &err));
    ck_assert_uint_eq(number.u64, sum_upto(n - 1));
    EXPECT_OK(kn_reduce(queue, column, KN_U8, n, KN_REDUCE_MIN, &number, &err));
    ck_assert_uint_eq(number.u64, 1);
    EXPECT_OK(kn_reduce(queue, column, KN_U8, n, KN_REDUCE_MAX, &number, &err));
    ck_assert_uint_eq(number.u64, 250);
    kn_buffer_free(column);
}
END_TEST

START_TEST(prefixes)
{
    const size_t starts[] = {0, ((size_t)1 << 31) - WINDOW / 2, n - WINDOW};
    unsigned char found[WINDOW];
    kn_buffer *column;

    if (!has_room())
        return;
    column = make_column();
    EXPECT_OK(kn_scan(queue, column, KN_U8, n, KN_REDUCE_SUM, KN_SCAN_INCLUSIVE, column, &err));
    for (size_t w = 0; w < KI_COUNT(starts); w++) {
        EXPECT_OK(kn_buffer_read(queue, column, starts[w], found, WINDOW, &err));
        for (size_t i = 0; i < WINDOW; i++)
            ck_assert_msg(found[i] == (unsigned char)sum_upto(starts[w] + i), "prefix %zu is %u",
                          starts[w] + i, found[i]);
    }
    kn_buffer_free(column);
}
END_TEST

START_TEST(ranks)
{
    const size_t wanted[] = {0, 1, 2, n / 2, n - 3, n - 2, n - 1};
    const unsigned char right[] = {1, 3, USUAL, USUAL, USUAL, 200, 250};
    unsigned char found[KI_COUNT(wanted)] = {0};
    kn_buffer *column;

    if (!has_room())
        return;
    column = make_column();
    EXPECT_OK(kn_select(queue, column, KN_U8, n, wanted, KI_COUNT(wanted), found, NULL, &err));
    ck_assert_mem_eq(found, right, sizeof right);
    kn_buffer_free(column);
}
END_TEST

START_TEST(first_k)
{
    static const uint32_t largest[] = {(uint32_t)1 << 31, 0, 1, 2},
                          smallest[] = {((uint32_t)1 << 31) + 54320, ((uint32_t)1 << 31) - 1, 1, 2};
    uint32_t found[4];
    kn_buffer *column, *numbers = NULL;

    if (!has_room())
        return;
    column = make_column();
    EXPECT_OK(kn_buffer_create(context, sizeof found, &numbers, &err));
    EXPECT_OK(kn_top_k(queue, column, KN_U8, n, 4, KN_DESCENDING, NULL, numbers, KN_U32, &err));
    EXPECT_OK(kn_buffer_read(queue, numbers, 0, found, sizeof found, &err));
    ck_assert_mem_eq(found, largest, sizeof found);
    EXPECT_OK(kn_top_k(queue, column, KN_U8, n, 4, KN_ASCENDING, NULL, numbers, KN_U32, &err));
    EXPECT_OK(kn_buffer_read(queue, numbers, 0, found, sizeof found, &err));
    ck_assert_mem_eq(found, smallest, sizeof found);
    kn_buffer_free(column);
    kn_buffer_free(numbers);
}
END_TEST

// The exceptional elements are at their ends, and between them are all the equal ones, checked by their sum,
// least and greatest.
static void expect_sorted(const unsigned char head[3], const unsigned char tail[3], uint64_t sum)
{
    const unsigned char first[] = {1, 3, USUAL}, last[] = {USUAL, 200, 250};

    ck_assert_mem_eq(head, first, sizeof first);
    ck_assert_mem_eq(tail, last, sizeof last);
    ck_assert_uint_eq(sum, sum_upto(n - 1));
}

// Bytes are counted; nearly all are equal, and so is the median.
static void expect_robust(const kn_robust *found)
{
    double squares = USUAL * USUAL * (double)n;

    for (size_t i = 0; i < KI_COUNT(others); i++)
        squares += others[i].value * others[i].value - USUAL * USUAL;
    ck_assert_uint_eq(found->n, n);
    ck_assert_int_eq(found->method, KN_ROBUST_COUNTED);
    ck_assert_double_eq(found->median, USUAL);
    ck_assert_double_eq(found->mad, 0);
    ck_assert_double_eq(found->sum, (double)sum_upto(n - 1));
    ck_assert_double_eq(found->squares, squares);
}

START_TEST(medians)
{
    const size_t ends[] = {((size_t)1 << 31) - 1, ((size_t)1 << 31) + 1, n};
    kn_robust found[KI_COUNT(ends)];
    kn_buffer *column;

    if (!has_room())
        return;
    column = make_column();
    EXPECT_OK(kn_robust_stats(queue, column, KN_U8, n, &found[0], NULL, &err));
    expect_robust(&found[0]);
    memset(found, 0xa5, sizeof found);
    EXPECT_OK(kn_robust_prefixes(queue, column, KN_U8, ends, KI_COUNT(ends), found, NULL, &err));
    expect_robust(&found[2]);
    for (size_t i = 0; i < 2; i++) {
        ck_assert_uint_eq(found[i].n, ends[i]);
        ck_assert_double_eq(found[i].sum, (double)sum_upto(ends[i] - 1));
    }
    kn_buffer_free(column);
}
END_TEST

START_TEST(sorting)
{
    unsigned char head[3], tail[3];
    kn_number sum = {.u64 = 0};
    uint64_t usual = 0;
    const kn_combine count = KN_INIT(kn_combine, .combine = "a + b", .identity = "0", .map = "x == 7");
    kn_buffer *column;

    if (!has_room())
        return;
    column = make_column();
    EXPECT_OK(kn_sort(queue, column, KN_U8, n, NULL, &err));
    EXPECT_OK(kn_buffer_read(queue, column, 0, head, sizeof head, &err));
    EXPECT_OK(kn_buffer_read(queue, column, n - sizeof tail, tail, sizeof tail, &err));
    EXPECT_OK(kn_reduce(queue, column, KN_U8, n, KN_REDUCE_SUM, &sum, &err));
    expect_sorted(head, tail, sum.u64);
    EXPECT_OK(kn_reduce_with(queue, column, KN_U8, n, &count, KN_U64, &usual, &err));
    ck_assert_uint_eq(usual, n - KI_COUNT(others));
    kn_buffer_free(column);
}
END_TEST

START_TEST(on_the_host)
{
    const size_t rank = n - 2;
    unsigned char *column, found = 0;
    uint32_t numbers[2] = {0, 0};
    uint64_t sum = 0;
    kn_robust robust;

    if (!has_room())
        return;
    column = malloc(n);
    ck_assert_ptr_nonnull(column);
    memset(column, USUAL, n);
    for (size_t i = 0; i < KI_COUNT(others); i++)
        column[others[i].position] = others[i].value;
    EXPECT_OK(kn_host_select(column, KN_U8, n, &rank, 1, &found, NULL, &err));
    ck_assert_uint_eq(found, 200);
    EXPECT_OK(kn_host_top_k(column, KN_U8, n, 2, NULL, numbers, KN_U32, NULL, &err));
    ck_assert_uint_eq(numbers[0], others[3].position);
    ck_assert_uint_eq(numbers[1], others[1].position);
    EXPECT_OK(kn_host_robust(column, KN_U8, n, &robust, NULL, NULL, &err));
    expect_robust(&robust);
    EXPECT_OK(kn_host_sort(column, KN_U8, n, NULL, &err));
    for (size_t i = 0; i < n; i++)
        sum += column[i];
    expect_sorted(column, column + n - 3, sum);
    for (size_t i = 2; i < n - 2; i += 4096)
        ck_assert_msg(column[i] == USUAL, "key %zu is %u", i, column[i]);
    free(column);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {reductions, prefixes, ranks, first_k, medians, sorting, on_the_host};

    return test_run("past_31_bits", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
