// SPDX-License-Identifier: Apache-2.0
// Tests kn_robust_columns and kn_robust_prefixes, and columns of 8 bits, against exact integers.
#include "robust_support.h"

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
    // Both come from exact sums: one rounding in long double, one to double.
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
            const kn_robust_options options = KN_INIT(kn_robust_options, .shift = i % 2 ? &shift : NULL);
            unsigned char *packed;
            kn_robust found;
            kn_buffer *buffer;
            if (!is_tried(sizes[i]))
                continue;
            packed = bytes_of(sizes[i], types[t], spreads[test_random(&state) % 4]);
            buffer = test_upload_with_room(packed, sizes[i], 16);
            memset(&found, 0xa5, sizeof found);
            EXPECT_OK(kn_robust_stats(queue, buffer, types[t], sizes[i], &found, &options, &err));
            expect_counted(&found, sizes[i], i % 2 ? 3 : 0);
            kn_buffer_free(buffer);
            free(packed);
        }
}
END_TEST

// ---- columns and prefixes ----

// Columns at any position of the buffer have the same results as each of them alone.
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
        EXPECT_OK(kn_robust_columns(queue, buffer, KN_F32, n, stride, COLUMNS, found, NULL, &err));
        test_expect_poison(buffer, all * sizeof *packed);
        kn_buffer_free(buffer);
        for (size_t c = 0; c < COLUMNS; c++) {
            buffer = test_upload_with_room(packed + c * stride, n * sizeof *packed, 0);
            EXPECT_OK(kn_robust_stats(queue, buffer, KN_F32, n, &one, NULL, &err));
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

static const struct ki_backend *real;
static size_t fills;

static kn_status count_fill(struct be_queue *native, struct be_memory *memory, const void *pattern,
                            size_t pattern_size, size_t offset, size_t bytes, struct be_event **event,
                            kn_error *why)
{
    fills++;
    return real->fill(native, memory, pattern, pattern_size, offset, bytes, event, why);
}

// As many launches as for one column, and no more fills, also with a given shift.
START_TEST(launches_of_columns)
{
    enum { COLUMNS = 37, N = 50 };
    const double shift = -0.1;
    const kn_robust_options options = KN_INIT(kn_robust_options, .shift = &shift);
    struct ki_backend counting = *context->backend;
    kn_robust found[COLUMNS];
    kn_profile_entry *entries = NULL;
    size_t count = 0;
    kn_buffer *buffer;

    fill(COLUMNS * N, KN_F32, NORMAL);
    buffer = test_upload_column(x, COLUMNS * N, KN_F32);
    real = context->backend;
    counting.fill = count_fill;
    context->backend = &counting;
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_robust_columns(queue, buffer, KN_F32, N, N, COLUMNS, found, &options, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    context->backend = real;
    ck_assert_uint_le(count, 11);
    ck_assert_uint_eq(fills, 0);
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
    EXPECT_OK(kn_robust_prefixes(queue, buffer, KN_I8, ends, count, found, NULL, &err));
    for (size_t i = 0; i < count; i++)
        expect_counted(&found[i], ends[i], 0);
    memset(found, 0xa5, sizeof found);
    EXPECT_OK(kn_robust_columns(queue, buffer, KN_I8, stride - 1, stride, 3, found, NULL, &err));
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
    EXPECT_OK(kn_robust_prefixes(queue, buffer, KN_F32, ends, count, found, NULL, &err));
    for (size_t i = 0; i < count; i++) {
        expect_result(&found[i], buffer, KN_F32, ends[i], HEAVY_TAILED, (int)i);
        ck_assert(i == 0 || found[i].shift == found[count - 1].shift);
    }
    kn_buffer_free(buffer);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {counted, columns, launches_of_columns, byte_columns_and_prefixes, prefixes};

    return test_run("robust: columns", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
