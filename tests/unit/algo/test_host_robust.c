// SPDX-License-Identifier: Apache-2.0
// kn_host_robust against a sorted copy: medians and MADs exact, sums those of kn_host_sums, which
// test_host_reduce compares with the written-out tree; all the same bits at every level and with any number
// of threads.
#include "host_support.h"

#include <float.h>
#include <math.h>

#include <koine/robust.h>

#include "../run.h"

// ---- columns ----

static double normal(uint64_t *state) // about
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += test_uniform(state);
    return sum;
}

static double uniform(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_uniform(state);
}

static double around_zero(size_t i, size_t n, uint64_t *state)
{
    (void)n;
    return i % 2 ? normal(state) : -normal(state);
}

static double negative(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return normal(state) * 3 - 1e4;
}

static double long_tails(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return tan(3.14159 * (test_uniform(state) - 0.5));
}

static double one_sided(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return -log(1 - test_uniform(state));
}

static double bytes(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return floor(normal(state) * 20);
}

static double ten_values(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return (double)(test_random(state) % 10);
}

static double all_equal(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n, (void)state;
    return -17.25;
}

static double mostly_ties(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 100 ? 3 : normal(state) * 100;
}

static double half_and_half(size_t i, size_t n, uint64_t *state)
{
    (void)state;
    return i < n / 2 ? -1 : 1;
}

static double two_values(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 2 ? 1e6 : -1e-6;
}

// The median lies anywhere in a gap.
static double two_heaps(size_t i, size_t n, uint64_t *state)
{
    (void)n;
    return (i % 2 ? 1000 : -1000) + normal(state);
}

static double sorted_up(size_t i, size_t n, uint64_t *state)
{
    (void)n, (void)state;
    return (double)i * 0.001 - 7;
}

static double sorted_down(size_t i, size_t n, uint64_t *state)
{
    (void)state;
    return (double)(n - i) * (double)(n - i);
}

// Of the stretch that a sample is taken from.
static double period(size_t i, size_t n, uint64_t *state)
{
    size_t samples = n / 16 < 2048    ? 2048
                     : n / 16 > 65536 ? 65536
                                      : n / 16,
           stride = n / samples + (n < samples);

    (void)state;
    return (double)(i % stride) + 0.25 * (double)(i % (2 * stride));
}

static double tiny(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return (test_uniform(state) - 0.5) * (double)FLT_MIN;
}

static double huge(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 3 ? (double)FLT_MAX : -(double)FLT_MAX * test_uniform(state);
}

static double hugest(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 3 ? DBL_MAX * test_uniform(state) : -DBL_MAX;
}

static double zeros(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 4 == 0 ? 1 : test_random(state) % 2 ? 0.0 : -0.0;
}

static double some_infinite(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 9 ? normal(state) : test_random(state) % 2 ? INFINITY : -INFINITY;
}

// The deviations' median is infinite where the median is not.
static double much_infinite(size_t i, size_t n, uint64_t *state)
{
    (void)n;
    return i % 10 < 3 ? -INFINITY : i % 10 < 6 ? INFINITY : normal(state);
}

static double mostly_infinite(size_t i, size_t n, uint64_t *state)
{
    (void)i, (void)n;
    return test_random(state) % 3 ? INFINITY : normal(state);
}

static double both_infinite(size_t i, size_t n, uint64_t *state)
{
    (void)n, (void)state;
    return i % 2 ? INFINITY : -INFINITY;
}

static const struct pattern {
    const char *name;
    double (*element)(size_t i, size_t n, uint64_t *state);
} patterns[] = {
    {"uniform", uniform},
    {"around 0", around_zero},
    {"negative", negative},
    {"long tails", long_tails},
    {"one-sided", one_sided},
    {"bytes", bytes},
    {"ten values", ten_values},
    {"all equal", all_equal},
    {"99 % ties", mostly_ties},
    {"half and half", half_and_half},
    {"two values", two_values},
    {"two heaps", two_heaps},
    {"sorted", sorted_up},
    {"reversed", sorted_down},
    {"period", period},
    {"tiny", tiny},
    {"huge", huge},
    {"hugest", hugest},
    {"zeros", zeros},
    {"some infinite", some_infinite},
    {"much infinite", much_infinite},
    {"mostly infinite", mostly_infinite},
    {"both infinite", both_infinite},
};

// A column of a type, and its elements as doubles.
struct column {
    kn_type type;
    size_t n;
    void *x;
    double *values;
};

static void put(struct column *c, size_t i, double value)
{
    if (c->type == KN_F32)
        ((float *)c->x)[i] = (float)value;
    else if (c->type == KN_F64)
        ((double *)c->x)[i] = value;
    else if (c->type == KN_I8)
        ((int8_t *)c->x)[i] = (int8_t)(value < -128 ? -128 : value > 127 ? 127 : value);
    else
        ((uint8_t *)c->x)[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    c->values[i] = c->type == KN_F32   ? (double)((float *)c->x)[i]
                   : c->type == KN_F64 ? value
                   : c->type == KN_I8  ? ((int8_t *)c->x)[i]
                                       : ((uint8_t *)c->x)[i];
}

static struct column make_column(const struct pattern *pattern, kn_type type, size_t n, uint64_t *state)
{
    struct column c = {type, n, malloc(n * kn_type_size(type) + 1), malloc((n + 1) * sizeof(double))};

    ck_assert(c.x && c.values);
    for (size_t i = 0; i < n; i++)
        put(&c, i, pattern->element(i, n, state));
    return c;
}

static void free_column(struct column *c)
{
    free(c->x);
    free(c->values);
}

// ---- the reference ----

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

// Sorts x.
static double median_of(double *x, size_t n)
{
    double lower, upper;

    qsort(x, n, sizeof *x, compare_doubles);
    lower = x[(n - 1) / 2];
    upper = x[n / 2];
    if (n % 2)
        return lower + 0.0;
    return (isfinite(lower) && isfinite(upper) && isinf(lower + upper) ? lower / 2 + upper / 2
                                                                       : (lower + upper) / 2) +
           0.0;
}

static kn_robust reference(const struct column *c, double shift)
{
    double *sorted = malloc((c->n + 1) * sizeof *sorted), count = (double)c->n;
    kn_robust r = {.n = c->n, .shift = shift + 0.0};
    kn_sums sums;

    ck_assert_ptr_nonnull(sorted);
    memcpy(sorted, c->values, c->n * sizeof *sorted);
    r.median = median_of(sorted, c->n);
    for (size_t i = 0; i < c->n; i++)
        sorted[i] = fabs(c->values[i] - r.median);
    r.mad = isfinite(r.median) ? median_of(sorted, c->n) : NAN;
    free(sorted);
    // Of bytes all sums are exact.
    EXPECT_OK(kn_host_sums(c->values, KN_F64, c->n, shift, &sums, NULL, &err));
    r.sum = sums.sum;
    r.squares = sums.squares;
    r.mean = shift + sums.sum / count + 0.0;
    r.variance = fma(-(sums.sum / count), sums.sum, sums.squares) / count;
    r.variance = r.variance < 0 ? 0 : r.variance + 0.0;
    return r;
}

static void expect_value(const char *name, const char *what, const struct column *c, double found,
                         double expected)
{
    ck_assert_msg(test_same(found, expected), "%s, %s, n %zu: %s %.17g, expected %.17g", name,
                  kn_type_name(c->type), c->n, what, found, expected);
}

static void expect_robust(const char *name, const struct column *c, const kn_robust *found,
                          const kn_robust *expected)
{
    bool floats = c->type == KN_F32 || c->type == KN_F64;

    ck_assert_uint_eq(found->n, expected->n);
    ck_assert_uint_eq(found->nan_count, expected->nan_count);
    expect_value(name, "median", c, found->median, expected->median);
    expect_value(name, "mad", c, found->mad, expected->mad);
    expect_value(name, "shift", c, found->shift, expected->shift);
    expect_value(name, "sum", c, found->sum, expected->sum);
    expect_value(name, "squares", c, found->squares, expected->squares);
    if (floats) {
        expect_value(name, "mean", c, found->mean, expected->mean);
        expect_value(name, "variance", c, found->variance, expected->variance);
    } else { // rounded once there; in the reference the quotient, its product and the difference are
        double size = expected->squares / (double)c->n + 1;
        ck_assert(fabs(found->mean - expected->mean) <= 4 * DBL_EPSILON * (fabs(expected->mean) + 256));
        ck_assert(fabs(found->variance - expected->variance) <= 8 * DBL_EPSILON * size);
    }
}

// With every level and number of threads. Returns how often the brackets missed.
static size_t check_column(const char *name, const struct column *c, const kn_robust_options *options)
{
    kn_robust expected = {0}, first;
    size_t missed = 0;

    EXPECT_OK(kn_host_robust(c->x, c->type, c->n, options, NULL, &first, &err));
    expected = reference(c, first.shift);
    HOST_FOR_OPTIONS(host)
    {
        kn_robust found;
        memset(&found, 0xa5, sizeof found);
        EXPECT_OK(kn_host_robust(c->x, c->type, c->n, options, &host, &found, &err));
        expect_robust(name, c, &found, &expected);
        ck_assert_msg(found.method == first.method && found.missed == first.missed,
                      "%s, n %zu: method %d, missed %d", name, c->n, (int)found.method, found.missed);
        ck_assert_int_eq(found.method == KN_ROBUST_SELECT,
                         found.missed || (options && options->method == KN_ROBUST_SELECT));
        missed += found.missed == 1;
    }
    return missed;
}

static const kn_type types[] = {KN_F32, KN_F64, KN_I8, KN_U8};

START_TEST(columns)
{
    static const size_t sizes[] = {1,    2,    3,    4,    5,    31,   32,   33,    64,    1023,   1024,
                                   1025, 2047, 2048, 2049, 4095, 4096, 4097, 32769, 65536, 100003, 140001};
    uint64_t state = test_seed("columns");

    host_find_levels();
    for (size_t p = 0; p < KN_COUNT(patterns); p++)
        for (size_t t = 0; t < KN_COUNT(types); t++)
            for (size_t i = 0; i < KN_COUNT(sizes); i++) {
                // All patterns with the small ones and one that is sampled, the others by chance.
                if (sizes[i] > 5 && sizes[i] != 32769 && test_random(&state) % 8)
                    continue;
                struct column c = make_column(&patterns[p], types[t], sizes[i], &state);
                size_t missed = check_column(patterns[p].name, &c, NULL);
                ck_assert_msg(missed == 0, "%s, %s, n %zu: missed", patterns[p].name, kn_type_name(types[t]),
                              sizes[i]);
                free_column(&c);
            }
}
END_TEST

// The other method, and brackets made so narrow that their ranks lie outside them.
START_TEST(ways)
{
    uint64_t state = test_seed("ways");
    size_t missed = 0;

    host_find_levels();
    for (size_t p = 0; p < KN_COUNT(patterns); p++)
        for (size_t t = 0; t < 2; t++) {
            struct column c = make_column(&patterns[p], types[t], 9000 + test_random(&state) % 9, &state);
            check_column(patterns[p].name, &c, &(kn_robust_options){.method = KN_ROBUST_SELECT});
            missed += check_column(patterns[p].name, &c, &(kn_robust_options){.width = 1e-9});
            check_column(patterns[p].name, &c, &(kn_robust_options){.width = 0.5});
            ck_assert_uint_eq(check_column(patterns[p].name, &c,
                                           &(kn_robust_options){.method = KN_ROBUST_FUSED, .width = 30}),
                              0);
            free_column(&c);
        }
    ck_assert_msg(missed > 0, "no narrow bracket missed");
}
END_TEST

// Elements that are rare before the sample and many behind it: all from one stretch.
START_TEST(narrow_misses)
{
    uint64_t state = test_seed("narrow_misses");
    size_t found = 0;

    host_find_levels();
    for (int i = 0; i < 8; i++) {
        struct column c = make_column(&patterns[0], types[i % 2], 100003, &state);
        found += check_column("narrow", &c, &(kn_robust_options){.width = 1e-9}) > 0;
        free_column(&c);
    }
    // Such a bracket reaches over 3 of 6,250 samples; a rank's standard deviation there is 40 of them.
    ck_assert_uint_ge(found, 4);
}
END_TEST

// Brackets that hold a rank or nearly so, as it happens: what lies in them may still be the wrong elements.
START_TEST(doubtful_brackets)
{
    static const double widths[] = {1e-9, 0.03, 0.1, 0.3, 1};
    uint64_t state = test_seed("doubtful_brackets");
    size_t missed = 0, held = 0;

    for (size_t i = 0; i < 2000; i++) {
        const struct pattern *pattern = &patterns[i % 7];
        struct column c = make_column(pattern, types[i % 2], 2100 + test_random(&state) % 900, &state);
        kn_robust expected, found;
        EXPECT_OK(kn_host_robust(c.x, c.type, c.n,
                                 &(kn_robust_options){.width = widths[i % KN_COUNT(widths)]},
                                 &(kn_host_options){.threads = 1}, &found, &err));
        expected = reference(&c, found.shift);
        expect_robust(pattern->name, &c, &found, &expected);
        missed += found.missed == 1;
        held += found.missed == 0;
        free_column(&c);
    }
    ck_assert_msg(missed > 100 && held > 100, "%zu missed, %zu held", missed, held);
}
END_TEST

START_TEST(shifts)
{
    static const double tried[] = {0, -3, 0.1, 100};
    uint64_t state = test_seed("shifts");

    host_find_levels();
    for (size_t t = 0; t < KN_COUNT(types); t++)
        for (size_t i = 0; i < KN_COUNT(tried); i++) {
            const double shift = tried[i], whole = types[t] == KN_U8 ? fabs(rint(shift)) : rint(shift);
            const double *given = types[t] >= KN_F32 ? &shift : &whole;
            struct column c = make_column(&patterns[5], types[t], 5000 + i, &state);
            kn_robust found;
            EXPECT_OK(
                kn_host_robust(c.x, c.type, c.n, &(kn_robust_options){.shift = given}, NULL, &found, &err));
            ck_assert(found.shift == (types[t] == KN_F32 ? (double)(float)*given : *given));
            check_column("shifted", &c, &(kn_robust_options){.shift = given});
            free_column(&c);
        }
    for (size_t t = 0; t < 2; t++) { // without one: that of the moments
        struct column c = make_column(&patterns[2], types[t], 33333, &state);
        kn_moments moments;
        kn_robust found;
        EXPECT_OK(kn_host_moments(c.x, c.type, c.n, NULL, &moments, NULL, &err));
        EXPECT_OK(kn_host_robust(c.x, c.type, c.n, NULL, NULL, &found, &err));
        ck_assert(test_same(found.shift, moments.shift + 0.0) && test_same(found.mean, moments.mean) &&
                  test_same(found.variance, moments.variance));
        free_column(&c);
    }
}
END_TEST

static void expect_nothing(const kn_robust *r, size_t n, size_t nan_count)
{
    ck_assert_uint_eq(r->n, n);
    ck_assert_uint_eq(r->nan_count, nan_count);
    ck_assert(isnan(r->mean) && isnan(r->variance) && isnan(r->shift) && isnan(r->sum) && isnan(r->squares) &&
              isnan(r->median) && isnan(r->mad));
    ck_assert(r->method != KN_ROBUST_AUTO && !r->missed);
}

// One or many, wherever they are.
START_TEST(not_numbers)
{
    static const size_t sizes[] = {1, 2, 3, 100, 4096, 5000, 100003};
    uint64_t state = test_seed("not_numbers");
    kn_robust found;

    host_find_levels();
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < KN_COUNT(sizes); i++)
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
                    const kn_robust_options options = {.method = (kn_robust_method)method};
                    EXPECT_OK(kn_host_robust(c.x, c.type, c.n, &options, &host, &found, &err));
                    expect_nothing(&found, c.n, count);
                }
                free_column(&c);
            }
    for (size_t t = 0; t < KN_COUNT(types); t++) {
        EXPECT_OK(kn_host_robust(NULL, types[t], 0, NULL, NULL, &found, &err));
        expect_nothing(&found, 0, 0);
    }
}
END_TEST

// Each prefix as if it were alone.
static void check_prefixes(const struct column *c, const size_t *ends, size_t count)
{
    kn_robust *found = malloc(count * sizeof *found), alone;

    ck_assert_ptr_nonnull(found);
    HOST_FOR_OPTIONS(host)
    {
        memset(found, 0xa5, count * sizeof *found);
        EXPECT_OK(kn_host_robust_prefixes(c->x, c->type, ends, count, NULL, &host, found, &err));
        for (size_t i = 0; i < count; i++) {
            const double shift = isnan(found[count - 1].shift) ? 0 : found[count - 1].shift;
            EXPECT_OK(kn_host_robust(c->x, c->type, ends[i], &(kn_robust_options){.shift = &shift}, &host,
                                     &alone, &err));
            if (isnan(found[count - 1].shift) && !isnan(found[i].shift)) // one that the last does not show
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
        for (size_t t = 0; t < KN_COUNT(types); t++) {
            struct column c = make_column(&patterns[p], types[t], n, &state);
            for (size_t i = 0; i < KN_COUNT(ends); i++)
                ends[i] = i < 2     ? 0
                          : i == 4  ? ends[3]
                          : i == 5  ? 8192
                          : i == 11 ? n
                                    : i * n / 12 + test_random(&state) % 9;
            ends[4] = ends[3] = ends[2];
            ends[5] = ends[4] + 4096;
            check_prefixes(&c, ends, KN_COUNT(ends));
            if (types[t] >= KN_F32) {
                put(&c, n / 2, NAN);
                check_prefixes(&c, ends, KN_COUNT(ends));
            }
            free_column(&c);
        }
}
END_TEST

// The figures of a published recording, whose sums are known exactly, as bytes, floats and doubles.
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
    while (n < KN_COUNT(values[0]) && fgets(line, sizeof line, file))
        n += sscanf(line, "%lf,%lf,%lf", &values[0][n], &values[1][n], &values[2][n]) == 3;
    fclose(file);
    ck_assert_uint_gt(n, 2);
    n -= 2; // the header: the time and the rate, three times each
    for (size_t axis = 0; axis < 3; axis++)
        for (size_t t = 0; t < 3; t++) {
            struct column c = make_column(&patterns[0], types[t], n, &(uint64_t){0});
            kn_robust found;
            for (size_t i = 0; i < n; i++)
                put(&c, i, values[axis][i + 2]);
            ck_assert_uint_eq(check_column("recording", &c, NULL), 0);
            EXPECT_OK(kn_host_robust(c.x, c.type, n, NULL, NULL, &found, &err));
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

    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "not on int", kn_host_robust(x, KN_I32, 2, NULL, NULL, found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_host_robust(NULL, KN_F64, 2, NULL, NULL, found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_host_robust(x, KN_F64, 2, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "they grow",
                   kn_host_robust_prefixes(x, KN_F64, ends, 2, NULL, NULL, found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not finite in float",
                   kn_host_robust(x, KN_F32, 2, &(kn_robust_options){.shift = &shift}, NULL, found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "from -128 to 127",
                   kn_host_robust(few, KN_I8, 2, &(kn_robust_options){.shift = &shift}, NULL, found, &err));
    EXPECT_REFUSED(
        KN_ERROR_UNSUPPORTED, "not counted",
        kn_host_robust(x, KN_F64, 2, &(kn_robust_options){.method = KN_ROBUST_COUNTED}, NULL, found, &err));
    EXPECT_REFUSED(
        KN_ERROR_UNSUPPORTED, "nothing else",
        kn_host_robust(few, KN_I8, 2, &(kn_robust_options){.method = KN_ROBUST_FUSED}, NULL, found, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "no method",
        kn_host_robust(x, KN_F64, 2, &(kn_robust_options){.method = (kn_robust_method)9}, NULL, found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "width",
                   kn_host_robust(x, KN_F64, 2, &(kn_robust_options){.width = -1}, NULL, found, &err));
    EXPECT_OK(kn_host_robust_prefixes(NULL, KN_F64, NULL, 0, NULL, NULL, NULL, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {columns,     ways,     narrow_misses, doubtful_brackets, shifts,
                                  not_numbers, prefixes, recording,     refusals};

    return TEST_RUN("host_robust", CK_NOFORK, tests);
}
