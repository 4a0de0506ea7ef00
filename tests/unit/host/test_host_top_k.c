// SPDX-License-Identifier: Apache-2.0
// kn_host_top_k against the first k elements of a stable sort.
#include "host_support.h"

#include "support/run.h"

static const char *column; // whose elements by_position compares

static int by_position(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    size_t size = kn_type_size(host_type);
    int order = host_compare(column + left * size, column + right * size);

    return order ? order : (left > right) - (left < right);
}

static void expect_top(const uint64_t *order, size_t n, size_t k, const kn_host_options *options)
{
    size_t size = kn_type_size(host_type);
    char *values = malloc(k * size + 1);
    uint64_t *wide = malloc((k + 1) * sizeof *wide);
    uint32_t *narrow = malloc((k + 1) * sizeof *narrow);

    ck_assert(values && wide && narrow);
    memset(values, 0xa5, k * size + 1);
    memset(wide, 0xa5, (k + 1) * sizeof *wide);
    memset(narrow, 0xa5, (k + 1) * sizeof *narrow);
    EXPECT_OK(kn_host_top_k(column, host_type, n, k, values, wide, KN_U64, options, &err));
    EXPECT_OK(kn_host_top_k(column, host_type, n, k, NULL, narrow, KN_U32, options, &err));
    for (size_t i = 0; i < k; i++)
        if (wide[i] != order[i] || narrow[i] != order[i] ||
            memcmp(values + i * size, column + order[i] * size, size) != 0)
            ck_abort_msg("%s, n %zu, k %zu, level %d, %u threads%s: place %zu has %llu and %u, expected %llu",
                         kn_type_name(host_type), n, k, (int)options->level, options->threads,
                         options->order ? ", descending" : "", i, (unsigned long long)wide[i], narrow[i],
                         (unsigned long long)order[i]);
    ck_assert_uint_eq((unsigned char)values[k * size], 0xa5);
    ck_assert_uint_eq(wide[k], 0xa5a5a5a5a5a5a5a5u);
    ck_assert_uint_eq(narrow[k], 0xa5a5a5a5u);
    EXPECT_OK(kn_host_top_k(column, host_type, n, k, values, NULL, KN_U64, options, &err));
    for (size_t i = 0; i < k; i++)
        if (memcmp(values + i * size, column + order[i] * size, size) != 0)
            ck_abort_msg("without indices: place %zu of %zu", i, k);
    free(values);
    free(wide);
    free(narrow);
}

static void check_top(size_t n, enum host_pattern pattern, uint64_t *state)
{
    size_t size = kn_type_size(host_type);
    const size_t ks[] = {0, n > 0, n, n / 2, test_random(state) % (n + 1)};
    size_t first = n < 100000 ? 0 : 3; // k = 0, 1 and n for short columns only
    void *x = host_column(n, pattern, state), *before = host_copy(x, n);
    uint64_t *order = malloc((n + 1) * sizeof *order);

    ck_assert_ptr_nonnull(order);
    column = x;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    qsort(order, n, sizeof *order, by_position);
    HOST_FOR_OPTIONS(options)
    {
        options.order = host_descending;
        for (size_t i = first; i < KI_COUNT(ks); i++)
            expect_top(order, n, ks[i], &options);
    }
    ck_assert_mem_eq(x, before, n * size + 64);
    free(x);
    free(before);
    free(order);
}

START_TEST(sizes)
{
    static const size_t lengths[] = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 127, 128, 129, 1025, 4097};

    host_for_all_types(check_top, "sizes", lengths, KI_COUNT(lengths), false);
}
END_TEST

// Long enough for every thread to have a share.
START_TEST(threads)
{
    static const size_t lengths[] = {300007};

    host_for_all_types(check_top, "threads", lengths, KI_COUNT(lengths), false);
}
END_TEST

START_TEST(refusals)
{
    float x[2] = {2, 1}, values[2];
    uint32_t indices[2];

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "3 of 2 elements",
                   kn_host_top_k(x, KN_F32, 2, 3, values, indices, KN_U32, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "KN_U64 any number",
                   kn_host_top_k(x, KN_F32, 2, 1, values, indices, KN_I32, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "KN_U64 any number",
                   kn_host_top_k(x, KN_F32, (size_t)1 << 33, 1, values, indices, KN_U32, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "x is NULL",
                   kn_host_top_k(NULL, KN_F32, 2, 1, values, indices, KN_U32, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no type",
                   kn_host_top_k(x, (kn_type)99, 2, 1, values, indices, KN_U32, NULL, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sizes, threads, refusals};

    return TEST_RUN("host_top_k", CK_NOFORK, tests);
}
