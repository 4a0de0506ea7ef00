// SPDX-License-Identifier: Apache-2.0
// kn_host_robust with NaN and without elements, kn_host_robust_prefixes against each prefix alone, the
// statistics of a published recording, and invalid arguments.
#include "host_robust_support.h"

#include <koine/experimental.h>

static void expect_nothing(const kn_robust *r, size_t n, size_t nan_count)
{
    ck_assert_uint_eq(r->n, n);
    ck_assert_uint_eq(r->nan_count, nan_count);
    ck_assert(isnan(r->mean) && isnan(r->variance) && isnan(r->shift) && isnan(r->sum) && isnan(r->squares) &&
              isnan(r->median) && isnan(r->mad));
    ck_assert(r->method != KN_ROBUST_AUTO && !r->missed);
}

// Columns with one NaN, with NaN for about a third of their elements, and of NaN only; and empty columns.
START_TEST(not_numbers)
{
    static const size_t sizes[] = {1, 2, 3, 100, 4096, 5000, 100003};
    uint64_t state = test_seed("not_numbers");
    kn_robust found;

    host_find_levels();
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < KI_COUNT(sizes); i++)
            for (int many = 0; many < 3; many++) {
                struct column c = make_column(&patterns[19], types[t], sizes[i], &state);
                size_t count = 0;
                for (size_t k = 0; k < c.n && many; k++)
                    if (many == 2 || test_random(&state) % 3 == 0)
                        put(&c, k, test_random(&state) % 2 ? NAN : -NAN);
                if (!many)
                    put(&c, test_random(&state) % c.n, NAN);
                for (size_t k = 0; k < c.n; k++)
                    count += isnan(c.values[k]) ? 1 : 0;
                HOST_FOR_OPTIONS(host)
                for (int method = KN_ROBUST_AUTO; method <= KN_ROBUST_SELECT && count > 0; method++) {
                    const kn_robust_options options =
                        KN_INIT(kn_robust_options, .method = (kn_robust_method)method);
                    EXPECT_OK(kn_host_robust(c.x, c.type, c.n, &found, &options, &host, &err));
                    expect_nothing(&found, c.n, count);
                }
                free_column(&c);
            }
    for (size_t t = 0; t < KI_COUNT(types); t++) {
        EXPECT_OK(kn_host_robust(NULL, types[t], 0, &found, NULL, NULL, &err));
        expect_nothing(&found, 0, 0);
    }
}
END_TEST

// Each prefix has the results that kn_host_robust gives for it alone with the same shift.
static void check_prefixes(const struct column *c, const size_t *ends, size_t count)
{
    kn_robust *found = malloc(count * sizeof *found), alone;

    ck_assert_ptr_nonnull(found);
    HOST_FOR_OPTIONS(host)
    {
        memset(found, 0xa5, count * sizeof *found);
        EXPECT_OK(kn_host_robust_prefixes(c->x, c->type, ends, count, found, NULL, &host, &err));
        for (size_t i = 0; i < count; i++) {
            const double shift = isnan(found[count - 1].shift) ? 0 : found[count - 1].shift;
            EXPECT_OK(kn_host_robust(c->x, c->type, ends[i], &alone,
                                     &KN_INIT(kn_robust_options, .shift = &shift), &host, &err));
            if (isnan(found[count - 1].shift) && !isnan(found[i].shift)) // a later NaN hides the shift
                alone.shift = found[i].shift, alone.sum = found[i].sum, alone.squares = found[i].squares,
                alone.mean = found[i].mean, alone.variance = found[i].variance;
            ck_assert_msg(
                test_same(alone.median, found[i].median) && test_same(alone.mad, found[i].mad) &&
                    test_same(alone.mean, found[i].mean) && test_same(alone.variance, found[i].variance) &&
                    test_same(alone.sum, found[i].sum) && test_same(alone.squares, found[i].squares) &&
                    test_same(alone.shift, found[i].shift),
                "%s, prefix %zu of %zu elements: mean %.17g, alone %.17g", kn_type_name(c->type), i, ends[i],
                found[i].mean, alone.mean);
            ck_assert(alone.n == found[i].n && alone.nan_count == found[i].nan_count &&
                      alone.method == found[i].method && alone.missed == found[i].missed);
        }
    }
    free(found);
}

START_TEST(prefixes)
{
    uint64_t state = test_seed("prefixes");
    size_t n = 60000, ends[12];

    host_find_levels();
    for (size_t p = 0; p < 12; p += 5)
        for (size_t t = 0; t < KI_COUNT(types); t++) {
            struct column c = make_column(&patterns[p], types[t], n, &state);
            for (size_t i = 0; i < KI_COUNT(ends); i++)
                ends[i] = i < 2     ? 0
                          : i == 4  ? ends[3]
                          : i == 5  ? 8192
                          : i == 11 ? n
                                    : i * n / 12 + test_random(&state) % 9;
            ends[4] = ends[3] = ends[2];
            ends[5] = ends[4] + 4096;
            check_prefixes(&c, ends, KI_COUNT(ends));
            if (types[t] >= KN_F32) {
                put(&c, n / 2, NAN);
                check_prefixes(&c, ends, KI_COUNT(ends));
            }
            free_column(&c);
        }
}
END_TEST

// The statistics of a published recording, as bytes, floats and doubles.
START_TEST(recording)
{
    static const double cv[3] = {-0.72210659, 0, 0}, median[3] = {-33, -7, 45}, mad[3] = {11, 17, 11};
    static double values[3][200000];
    char path[4096], line[256];
    size_t n = 0;
    FILE *file;

    host_find_levels();
    if (!test_data_path("acc/ACC_msr2023.csv", path, sizeof path))
        return;
    file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    while (n < KI_COUNT(values[0]) && fgets(line, sizeof line, file))
        n += sscanf(line, "%lf,%lf,%lf", &values[0][n], &values[1][n], &values[2][n]) == 3;
    fclose(file);
    ck_assert_uint_gt(n, 2);
    n -= 2; // two header lines: the time and the rate, three times each
    for (size_t axis = 0; axis < 3; axis++)
        for (size_t t = 0; t < 3; t++) {
            struct column c = make_column(&patterns[0], types[t], n, &(uint64_t){0});
            kn_robust found;
            for (size_t i = 0; i < n; i++)
                put(&c, i, values[axis][i + 2]);
            ck_assert_uint_eq(check_column("recording", &c, NULL), 0);
            EXPECT_OK(kn_host_robust(c.x, c.type, n, &found, NULL, NULL, &err));
            ck_assert_msg(found.median == median[axis] && found.mad == mad[axis], "median %g, mad %g",
                          found.median, found.mad);
            ck_assert(cv[axis] == 0 || fabs(sqrt(found.variance) / found.mean - cv[axis]) < 1e-8);
            free_column(&c);
        }
}
END_TEST

START_TEST(refusals)
{
    double x[2] = {1, 2}, shift = 1e300;
    int8_t few[2] = {1, 2};
    size_t ends[2] = {2, 1};
    kn_robust found[2];

    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "not on int", kn_host_robust(x, KN_I32, 2, found, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_host_robust(NULL, KN_F64, 2, found, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_host_robust(x, KN_F64, 2, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "they grow",
                   kn_host_robust_prefixes(x, KN_F64, ends, 2, found, NULL, NULL, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "not finite in float",
        kn_host_robust(x, KN_F32, 2, found, &KN_INIT(kn_robust_options, .shift = &shift), NULL, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "from -128 to 127",
        kn_host_robust(few, KN_I8, 2, found, &KN_INIT(kn_robust_options, .shift = &shift), NULL, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "not counted",
                   kn_host_robust(x, KN_F64, 2, found,
                                  &KN_INIT(kn_robust_options, .method = KN_ROBUST_COUNTED), NULL, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "nothing else",
                   kn_host_robust(few, KN_I8, 2, found,
                                  &KN_INIT(kn_robust_options, .method = KN_ROBUST_FUSED), NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no method",
                   kn_host_robust(x, KN_F64, 2, found,
                                  &KN_INIT(kn_robust_options, .method = (kn_robust_method)9), NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "width",
                   kn_host_robust(x, KN_F64, 2, found,
                                  &KN_INIT(kn_robust_options, .tuning = &(kn_robust_tuning){.width = -1}),
                                  NULL, &err));
    EXPECT_OK(kn_host_robust_prefixes(NULL, KN_F64, NULL, 0, NULL, NULL, NULL, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {not_numbers, prefixes, recording, refusals};

    return TEST_RUN("host_robust_prefixes", CK_NOFORK, tests);
}
