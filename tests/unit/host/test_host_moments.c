// SPDX-License-Identifier: Apache-2.0
// kn_host_moments and kn_host_reduce: integers against exact sums, floats against the sums of the column with
// the shift in place of NaN; the same bits at every level and with any number of threads. test_host_device
// compares them with the device.
#include "host_support.h"

#include <float.h>
#include <math.h>

#include "support/run.h"

// The exact value of an integer of up to 64 bits.
static __int128 integer_of(const void *element)
{
    uint64_t bits = 0;
    size_t size = kn_type_size(host_type);
    bool is_signed = host_type == KN_I8 || host_type == KN_I16 || host_type == KN_I32 || host_type == KN_I64;

    memcpy(&bits, element, size);
    if (is_signed && bits >> (8 * size - 1))
        return (__int128)bits - ((__int128)1 << 8 * size);
    return (__int128)bits;
}

// Whether `found` is `expected` up to one rounding to double and a few of long double.
static bool near(double found, long double expected)
{
    return fabsl((long double)found - expected) <= 2 * (long double)DBL_EPSILON * fabsl(expected);
}

static const char *at(const void *x, size_t i)
{
    return (const char *)x + i * kn_type_size(host_type);
}

// ---- integers ----

// The sum of the squares of 64-bit integers may need more than 128 bits, so it is computed in long double: n
// squares then have a relative error of at most n roundings.
static void check_integers(const void *x, size_t n, const kn_moments *m)
{
    __int128 sum = 0, least = integer_of(x), greatest = least, shift = (__int128)m->shift;
    long double squares = 0, variance = 0, mean, count = (long double)n;

    // The sums are relative to an element of the column, and m->shift is this element, rounded to double. For
    // 64-bit types the two may differ, and the sums are not checked.
    bool exact = kn_type_size(host_type) < 8;
    for (size_t i = 0; i < n; i++) {
        __int128 value = integer_of(at(x, i));
        sum += value;
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
        squares += (long double)(value - shift) * (long double)(value - shift);
    }
    mean = (long double)sum / count;
    // Relative to the least element: a long double cannot hold a 64-bit integer and a half.
    long double middle = (long double)(sum - (__int128)n * least) / count;
    for (size_t i = 0; i < n; i++) {
        long double distance = (long double)(integer_of(at(x, i)) - least) - middle;
        variance += distance * distance;
    }
    variance /= count;
    ck_assert_uint_eq(m->n, n);
    ck_assert_uint_eq(m->nan_count, 0);
    ck_assert(near(m->mean, mean));
    ck_assert(m->min == (double)least && m->max == (double)greatest);
    ck_assert_msg(!exact || m->sum == (double)(sum - (__int128)n * shift), "sum %.17g", m->sum);
    // Twice n roundings of long double, 2^-64 each, and a few of double.
    long double bound = (long double)DBL_EPSILON * 2 + count * 0x1p-63L,
                spread = (long double)(greatest - least);
    ck_assert(!exact || fabsl((long double)m->squares - squares) <= bound * squares);
    ck_assert_msg(fabsl((long double)m->variance - variance) <= bound * spread * spread,
                  "%s, n %zu: %.17g, %.17Lg", kn_type_name(host_type), n, m->variance, variance);
}

static void check_reductions(const void *x, size_t n, const kn_host_options *options)
{
    uint64_t expected[4] = {0, 1, 0, 0};
    kn_number found;

    for (size_t i = 0; i < n; i++) {
        uint64_t value = (uint64_t)integer_of(at(x, i)); // negative ones modulo 2^64
        expected[KN_REDUCE_SUM] += value;
        expected[KN_REDUCE_PRODUCT] *= value;
        if (i == 0 || integer_of(at(x, i)) < integer_of(at(x, expected[KN_REDUCE_MIN])))
            expected[KN_REDUCE_MIN] = i;
        if (i == 0 || integer_of(at(x, i)) > integer_of(at(x, expected[KN_REDUCE_MAX])))
            expected[KN_REDUCE_MAX] = i;
    }
    for (int op = KN_REDUCE_SUM; op <= KN_REDUCE_MAX; op++) {
        if (n == 0 && op >= KN_REDUCE_MIN)
            continue;
        if (op >= KN_REDUCE_MIN)
            expected[op] = (uint64_t)integer_of(at(x, expected[op]));
        memset(&found, 0xa5, sizeof found);
        EXPECT_OK(kn_host_reduce(x, host_type, n, (kn_reduce_op)op, &found, options, &err));
        ck_assert_msg(found.u64 == expected[op], "%s, n %zu, op %d: %llx, expected %llx",
                      kn_type_name(host_type), n, op, (unsigned long long)found.u64,
                      (unsigned long long)expected[op]);
    }
}

static const size_t sizes[] = {0,   1,   2,   3,   31,   32,   33,   63,   64,   65,    255,   256,
                               257, 511, 513, 999, 4095, 4096, 4097, 8191, 8193, 70001, 300007};

START_TEST(integers)
{
    uint64_t state = test_seed("integers");

    host_find_levels();
    for (host_type = KN_I8; host_type < KN_F32; host_type++)
        for (size_t i = 0; i < KI_COUNT(sizes); i++) {
            enum host_pattern pattern = (enum host_pattern)(test_random(&state) % HOST_FEW_VALUES);
            void *x = host_column(sizes[i], i % 2 ? HOST_ANY_BITS : pattern, &state);
            kn_moments first;
            EXPECT_OK(kn_host_moments(x, host_type, sizes[i], NULL, &first, NULL, &err));
            HOST_FOR_OPTIONS(options)
            {
                kn_moments found;
                memset(&found, 0xa5, sizeof found);
                EXPECT_OK(kn_host_moments(x, host_type, sizes[i], NULL, &found, &options, &err));
                if (sizes[i] > 0)
                    ck_assert_mem_eq(&found, &first, sizeof found);
                if (options.threads == 2)
                    check_reductions(x, sizes[i], &options);
            }
            if (sizes[i] > 0)
                check_integers(x, sizes[i], &first);
            free(x);
        }
}
END_TEST

// ---- floats ----

// The product in the order of the tree: 64 lanes for each leaf, lanes folded by halves, then leaves in pairs.
static double product_of(const double *x, size_t n, size_t leaves)
{
    double lanes[64];
    size_t half = leaves / 2 * 4096;

    if (n == 0)
        return 1;
    if (leaves > 1)
        return product_of(x, n < half ? n : half, leaves / 2) *
               product_of(x + half, n < half ? 0 : n - half, leaves / 2);
    for (size_t lane = 0; lane < 64; lane++) {
        lanes[lane] = 1;
        for (size_t i = lane; i < n; i += 64)
            lanes[lane] *= x[i];
    }
    for (size_t distance = 32; distance > 0; distance /= 2)
        for (size_t lane = 0; lane < distance; lane++)
            lanes[lane] *= lanes[lane + distance];
    return lanes[0];
}

struct floats {
    kn_type type;
    size_t n, nan_count;
    void *x;
    double *values, *numbers; // as doubles; the same with the shift in place of NaN
};

// Values within 0.5 of `centre`. One element in `nth` is NaN and one in `infinite` is infinite, on average;
// 0: none.
static struct floats make_floats(kn_type type, size_t n, double centre, size_t nth, size_t infinite,
                                 uint64_t *state)
{
    struct floats f = {type, n, 0, malloc(n * 8 + 8), malloc(n * 8 + 8), malloc(n * 8 + 8)};

    ck_assert(f.x && f.values && f.numbers);
    for (size_t i = 0; i < n; i++) {
        double value = centre + test_uniform(state) - 0.5;
        if (infinite && test_random(state) % infinite == 0)
            value = test_random(state) % 2 ? INFINITY : -INFINITY;
        if (nth && test_random(state) % nth == 0)
            value = test_random(state) % 2 ? NAN : -NAN;
        if (type == KN_F32)
            ((float *)f.x)[i] = (float)value;
        else
            ((double *)f.x)[i] = value;
        f.values[i] = type == KN_F32 ? (double)((float *)f.x)[i] : value;
        f.nan_count += isnan(value) ? 1 : 0;
    }
    return f;
}

static void free_floats(struct floats *f)
{
    free(f->x);
    free(f->values);
    free(f->numbers);
}

static void expect_moments(const struct floats *f, const kn_moments *m, const kn_moments *first)
{
    double least = INFINITY, greatest = -INFINITY, count = (double)m->n;
    kn_sums sums;

    for (size_t i = 0; i < f->n; i++) {
        f->numbers[i] = isnan(f->values[i]) ? m->shift : f->values[i];
        least = f->values[i] < least ? f->values[i] : least;
        greatest = f->values[i] > greatest ? f->values[i] : greatest;
    }
    EXPECT_OK(kn_host_sums(f->numbers, KN_F64, f->n, m->shift, &sums, NULL, &err));
    ck_assert_uint_eq(m->nan_count, f->nan_count);
    ck_assert_uint_eq(m->n, f->n - f->nan_count);
    ck_assert(test_same(m->sum, sums.sum) && test_same(m->squares, sums.squares));
    ck_assert(test_same(m->shift, first->shift) && test_same(m->mean, first->mean) &&
              test_same(m->variance, first->variance));
    if (m->n == 0) {
        ck_assert(isnan(m->mean) && isnan(m->variance) && isnan(m->min) && isnan(m->max));
        return;
    }
    ck_assert(test_same(m->min, least + 0.0) && test_same(m->max, greatest + 0.0));
    ck_assert(test_same(m->mean, m->shift + sums.sum / count + 0.0));
    double variance = fma(-(sums.sum / count), sums.sum, sums.squares) / count;
    ck_assert(test_same(m->variance, variance < 0 ? 0 : variance + 0.0));
}

START_TEST(floats)
{
    static const double centres[] = {0, -3, 1e4};
    static const size_t nths[] = {0, 0, 1, 2, 100};
    uint64_t state = test_seed("floats");

    host_find_levels();
    for (kn_type type = KN_F32; type <= KN_F64; type++)
        for (size_t i = 0; i < KI_COUNT(sizes); i++)
            for (size_t k = 0; k < KI_COUNT(nths); k++) {
                const double shift = 0.1;
                struct floats f =
                    make_floats(type, sizes[i], centres[i % 3], nths[k], k == 1 ? 50 : 0, &state);
                kn_moments first, found;
                EXPECT_OK(kn_host_moments(f.x, type, f.n, i % 2 ? &shift : NULL, &first, NULL, &err));
                if (i % 2)
                    ck_assert(first.shift == (type == KN_F32 ? (double)(float)shift : shift));
                HOST_FOR_OPTIONS(options)
                {
                    memset(&found, 0xa5, sizeof found);
                    EXPECT_OK(kn_host_moments(f.x, type, f.n, i % 2 ? &shift : NULL, &found, &options, &err));
                    expect_moments(&f, &found, &first);
                }
                free_floats(&f);
            }
}
END_TEST

// The shift is near the middle of the column although an eighth of the elements are NaN and an eighth
// infinite; it is 0 if no element is finite.
START_TEST(shift)
{
    uint64_t state = test_seed("shift");

    for (size_t n = 100; n < 100000; n *= 7) {
        struct floats f = make_floats(KN_F64, n, 5, 8, 8, &state);
        kn_moments m;
        EXPECT_OK(kn_host_moments(f.x, KN_F64, n, NULL, &m, NULL, &err));
        ck_assert_msg(fabs(m.shift - 5) < 0.4, "n %zu: shift %g", n, m.shift);
        for (size_t i = 0; i < n; i++)
            ((double *)f.x)[i] = i % 2 ? INFINITY : NAN;
        EXPECT_OK(kn_host_moments(f.x, KN_F64, n, NULL, &m, NULL, &err));
        ck_assert(m.shift == 0 && m.min == INFINITY && m.mean == INFINITY && isnan(m.variance));
        free_floats(&f);
    }
}
END_TEST

START_TEST(float_reductions)
{
    uint64_t state = test_seed("float_reductions");

    host_find_levels();
    for (kn_type type = KN_F32; type <= KN_F64; type++)
        for (size_t i = 1; i < KI_COUNT(sizes); i++)
            for (int with_nan = 0; with_nan < 2; with_nan++) {
                struct floats f = make_floats(type, sizes[i], 1.5, with_nan ? 2 : 0, 0, &state);
                double expected[4] = {0, product_of(f.values, f.n, 128), INFINITY, -INFINITY};
                EXPECT_OK(kn_host_sum(f.x, type, f.n, &expected[KN_REDUCE_SUM], NULL, &err));
                for (size_t k = 0; k < f.n; k++) {
                    expected[KN_REDUCE_MIN] = fmin(expected[KN_REDUCE_MIN], f.values[k]);
                    expected[KN_REDUCE_MAX] = fmax(expected[KN_REDUCE_MAX], f.values[k]);
                }
                if (f.nan_count > 0)
                    expected[KN_REDUCE_MIN] = expected[KN_REDUCE_MAX] = NAN;
                HOST_FOR_OPTIONS(options)
                for (int op = KN_REDUCE_SUM; op <= KN_REDUCE_MAX; op++) {
                    kn_number found;
                    memset(&found, 0xa5, sizeof found);
                    EXPECT_OK(kn_host_reduce(f.x, type, f.n, (kn_reduce_op)op, &found, &options, &err));
                    ck_assert_msg(test_same(found.f64, expected[op] + 0.0),
                                  "%s, n %zu, op %d: %.17g, expected %.17g", kn_type_name(type), f.n, op,
                                  found.f64, expected[op]);
                }
                free_floats(&f);
            }
}
END_TEST

START_TEST(edges)
{
    const double zeros[3] = {-0.0, -0.0, -0.0}, infinite = INFINITY;
    double x[2] = {1, 2};
    kn_moments m;
    kn_number found = {.u64 = 7};

    EXPECT_OK(kn_host_moments(zeros, KN_F64, 3, NULL, &m, NULL, &err));
    ck_assert(test_same(m.mean, 0) && test_same(m.variance, 0) && test_same(m.min, 0) && test_same(m.max, 0));
    EXPECT_OK(kn_host_reduce(zeros, KN_F64, 3, KN_REDUCE_MIN, &found, NULL, &err));
    ck_assert(test_same(found.f64, 0));
    EXPECT_OK(kn_host_reduce(NULL, KN_I16, 0, KN_REDUCE_PRODUCT, &found, NULL, &err));
    ck_assert_int_eq(found.i64, 1);
    EXPECT_OK(kn_host_reduce(NULL, KN_F32, 0, KN_REDUCE_PRODUCT, &found, NULL, &err));
    ck_assert(found.f64 == 1);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no elements",
                   kn_host_reduce(x, KN_F64, 0, KN_REDUCE_MIN, &found, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no operation", kn_host_reduce(x, KN_F64, 2, 4, &found, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_host_moments(NULL, KN_F64, 2, NULL, &m, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not finite", kn_host_moments(x, KN_F64, 2, &infinite, &m, NULL, &err));
}
END_TEST

// The mean and variance of integers are rounded once, so that they have the same bits on every processor. If
// they were computed in long double, with 64 bits, and then rounded to double, each of these would become a
// neighbouring double.
START_TEST(integers_are_rounded_once)
{
    static const int32_t x[3][7] = {
        {1889719352, 1867620240, 1195694255, -1135240482, -1715059093, -270061529, -285337721},
        {1076741938, -2126376900, -1862591716, -1372870102, -1692125186, -1010679791},
        {-2141907605, 1505723777, -1412842806, 1540873023}};
    static const size_t counts[] = {7, 6, 4};
    static const double variances[] = {0x1.8d7fd1ca68ce9p+60, 0x1.f5e853689fff3p+59, 0x1.35c67aa4a839bp+61};
    const int64_t tie = ((INT64_C(1) << 53) + 1) << 9;
    int64_t above_tie[8];
    kn_moments m;

    for (size_t i = 0; i < KI_COUNT(counts); i++) {
        EXPECT_OK(kn_host_moments(x[i], KN_I32, counts[i], NULL, &m, NULL, &err));
        ck_assert_msg(m.variance == variances[i], "variance %a, expected %a", m.variance, variances[i]);
    }
    for (size_t i = 0; i < 8; i++)
        above_tie[i] = i == 5 ? tie + 1 : tie;
    EXPECT_OK(kn_host_moments(above_tie, KN_I64, 8, NULL, &m, NULL, &err));
    ck_assert_msg(m.mean == 0x1.0000000000001p+62, "mean %a", m.mean);
    ck_assert_msg(m.variance == 7.0 / 64, "variance %a", m.variance);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {integers, integers_are_rounded_once, floats,
                                  shift,    float_reductions,          edges};

    return TEST_RUN("host_moments", CK_NOFORK, tests);
}
