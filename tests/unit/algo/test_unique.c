// SPDX-License-Identifier: Apache-2.0
// Tests kn_unique and kn_run_lengths against a loop, and for equality with the host's functions.
#include "runs_support.h"
#include "support/buffers.h"
#include "support/run.h"

#include <koine/host.h>
#include <koine/select.h>

enum { MOST = 300007, POISON = 64 };

static unsigned char *column, *values, *found;
static uint64_t *lengths, state;

static void set_up(void)
{
    test_open();
    state = test_seed("unique");
    column = test_allocate(MOST * 8);
    values = test_allocate(MOST * 8);
    found = test_allocate(MOST * 8);
    lengths = test_allocate(MOST * 8);
}

static void tear_down(void)
{
    free(column);
    free(values);
    free(found);
    free(lengths);
    test_close();
}

static const size_t sizes[] = {1,    2,    3,    31,    32,    33,    127,   128,   255,    256,
                               257,  1023, 1024, 1025,  2047,  2048,  2049,  4095,  4096,   4097,
                               8191, 8192, 8193, 16384, 16385, 65535, 65536, 65537, 100003, 300007};
#define SIZES (sizeof sizes / sizeof *sizes)

static bool is_tried(size_t n)
{
    return !test_is_slow() || n == 1 || n == 33 || n == 257 || n == 4097;
}

// Finds the runs of column[0..n) one after the other.
static size_t find_runs(kn_type type, size_t n)
{
    size_t size = kn_type_size(type), count = 0;

    for (size_t i = 0; i < n; i++) {
        if (runs_begin(column, i, type)) {
            memcpy(values + count * size, column + i * size, size);
            lengths[count++] = 0;
        }
        lengths[count - 1]++;
    }
    return count;
}

// A poisoned output with room for n elements of `size` bytes.
static kn_buffer *poisoned(size_t n, size_t size)
{
    memset(found, 0xa5, n * size);
    return test_upload_with_room(found, n * size, POISON);
}

// The buffer must begin with `count` expected elements, followed by poison.
static void expect(kn_buffer *buffer, const void *expected, size_t count, size_t size, const char *what)
{
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, found, count * size, &err));
    for (size_t i = 0; i < count; i++)
        if (!(memcmp(found + i * size, (const char *)expected + i * size, size) == 0))
            ck_abort_msg("%s: element %zu of %zu is wrong", what, i, count);
    test_expect_poison(buffer, count * size);
    kn_buffer_free(buffer);
}

static void expect_number(kn_buffer *counted, uint64_t expected)
{
    uint64_t number = 0;

    EXPECT_OK(kn_buffer_read(queue, counted, 0, &number, sizeof number, &err));
    ck_assert_uint_eq(number, expected);
    test_expect_poison(counted, sizeof number);
    kn_buffer_free(counted);
}

static void check_unique(kn_type type, size_t n, size_t length)
{
    size_t size = kn_type_size(type), count = find_runs(type, n), number = SIZE_MAX;
    kn_buffer *x = test_upload_with_room(column, n * size, 0), *out = poisoned(n, size), *counted = NULL;
    bool to_buffer = test_random(&state) % 2, to_host = !to_buffer || test_random(&state) % 2;
    char what[96];

    snprintf(what, sizeof what, "%s, n %zu, runs of %zu", kn_type_name(type), n, length);
    if (to_buffer)
        counted = poisoned(1, 8);
    EXPECT_OK(kn_unique(queue, x, type, n, out, counted, to_host ? &number : NULL, &err));
    ck_assert_msg(!to_host || number == count, "%s: %zu of %zu", what, number, count);
    expect(out, values, count, size, what);
    if (to_buffer)
        expect_number(counted, count);
    EXPECT_OK(kn_host_unique(column, type, n, found, &number, NULL, &err));
    ck_assert_msg(number == count && memcmp(found, values, count * size) == 0, "%s: the host's", what);
    kn_buffer_free(x);
}

static void check_lengths(kn_type type, size_t n, size_t length)
{
    size_t size = kn_type_size(type), count = find_runs(type, n), number = SIZE_MAX;
    bool wide = test_random(&state) % 2, wanted = test_random(&state) % 4 > 0;
    kn_type length_type = wide ? KN_U64 : KN_U32;
    kn_buffer *x = test_upload_with_room(column, n * size, 0), *out = wanted ? poisoned(n, size) : NULL;
    kn_buffer *lengths_out = poisoned(n, wide ? 8 : 4);
    char what[96];

    snprintf(what, sizeof what, "lengths, %s, n %zu, runs of %zu", kn_type_name(type), n, length);
    EXPECT_OK(kn_run_lengths(queue, x, type, n, out, lengths_out, length_type, NULL, &number, &err));
    ck_assert_msg(number == count, "%s: %zu of %zu", what, number, count);
    if (wanted)
        expect(out, values, count, size, what);
    if (!wide)
        for (size_t i = 0; i < count; i++)
            ((uint32_t *)(void *)lengths)[i] = (uint32_t)lengths[i];
    expect(lengths_out, lengths, count, wide ? 8 : 4, what);
    EXPECT_OK(kn_host_run_lengths(column, type, n, NULL, found, length_type, &number, NULL, &err));
    ck_assert_msg(number == count && memcmp(found, lengths, count * (wide ? 8 : 4)) == 0, "%s: the host's",
                  what);
    kn_buffer_free(x);
}

static void check_types(kn_type first, kn_type last)
{
    for (kn_type type = first; type <= last; type++)
        for (size_t k = 0; k < SIZES && test_takes(type); k++)
            for (size_t l = 0; l < 4; l++)
                if (is_tried(sizes[k]) && (!test_is_slow() || (l + k + type) % 4 == 0)) {
                    runs_fill(column, type, sizes[k], runs_lengths[l], &state);
                    if ((k + l) % 2)
                        check_unique(type, sizes[k], runs_lengths[l]);
                    else
                        check_lengths(type, sizes[k], runs_lengths[l]);
                }
}

START_TEST(narrow_types)
{
    check_types(KN_I8, KN_U16);
}
END_TEST

START_TEST(wide_types)
{
    check_types(KN_I32, KN_U64);
}
END_TEST

START_TEST(floats)
{
    check_types(KN_F32, KN_F64);
}
END_TEST

// Each NaN is a separate run; zeros of both signs form one run, which keeps the first sign.
START_TEST(nan_and_zeros)
{
    const float x[] = {NAN, NAN, -0.0f, 0.0f, -0.0f, 1.0f, 1.0f, NAN}, first[] = {NAN, NAN, -0.0f, 1.0f, NAN};
    const uint32_t expected[] = {1, 1, 3, 2, 1};
    kn_buffer *in = test_upload_with_room(x, sizeof x, 0), *out = poisoned(8, 4), *numbers = poisoned(8, 4);
    size_t count = 0;

    EXPECT_OK(kn_run_lengths(queue, in, KN_F32, 8, out, numbers, KN_U32, NULL, &count, &err));
    ck_assert_uint_eq(count, 5);
    expect(out, first, 5, 4, "values");
    expect(numbers, expected, 5, 4, "lengths");
    kn_buffer_free(in);
}
END_TEST

START_TEST(nothing)
{
    kn_buffer *x = poisoned(1, 8), *out = poisoned(1, 8), *counted = poisoned(1, 8);
    size_t count = 5;

    EXPECT_OK(kn_unique(queue, x, KN_I32, 0, out, counted, &count, &err));
    ck_assert_uint_eq(count, 0);
    expect_number(counted, 0);
    expect(out, NULL, 0, 4, "out");
    kn_buffer_free(x);
}
END_TEST

START_TEST(refusals)
{
    kn_buffer *x = poisoned(10, 4), *out = poisoned(10, 4), *small = poisoned(5, 4), *tiny = poisoned(1, 1);
    kn_context_options parts = KN_INIT(kn_context_options, .max_alloc = 4096);

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the buffer holds",
                   kn_unique(queue, x, KN_I32, 1000, out, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the input", kn_unique(queue, x, KN_I32, 10, x, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "out is NULL", kn_unique(queue, x, KN_I32, 10, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "as many as there are in the input",
                   kn_unique(queue, x, KN_I64, 13, small, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no type", kn_unique(queue, x, (kn_type)10, 10, out, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "lengths of type int",
                   kn_run_lengths(queue, x, KN_I32, 10, NULL, out, KN_I32, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "same buffer",
                   kn_run_lengths(queue, x, KN_I32, 10, out, out, KN_U32, NULL, NULL, &err));
    kn_buffer_free(tiny);
    tiny = NULL;
    EXPECT_OK(kn_buffer_create(context, 4, &tiny, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "counted holds 4",
                   kn_unique(queue, x, KN_I32, 10, out, tiny, NULL, &err));
    kn_buffer_free(x);
    kn_buffer_free(out);
    kn_buffer_free(small);
    kn_buffer_free(tiny);
    x = out = NULL;
    test_close();
    test_open_with(&parts);
    EXPECT_OK(kn_buffer_create(context, 5000, &x, &err));
    EXPECT_OK(kn_buffer_create(context, 4000, &out, &err));
    EXPECT_REFUSED(KN_ERROR_LIMIT, "in parts", kn_unique(queue, x, KN_I32, 10, out, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_LIMIT, "in parts", kn_unique(queue, out, KN_I32, 10, x, NULL, NULL, &err));
    kn_buffer_free(x);
    kn_buffer_free(out);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {narrow_types, wide_types, floats, nan_and_zeros, nothing, refusals};

    return test_run("unique", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
