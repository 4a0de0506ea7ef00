// SPDX-License-Identifier: Apache-2.0
// The host's Fourier transforms of blocks of lines (host/fft/host_fft.h), at each level, in floats and
// doubles: every radix and many lengths against the defining sums in double precision, long lines by a round
// trip and by their energy; the choice of lengths; and the conversions between rows and blocks.
#include "support/expect.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#include "algo/fft/fft.h"
#include "host/fft/host_fft.h"
#include "support/run.h"

static bool has_level(kn_host_level level)
{
    const kn_host_options options = KN_INIT(kn_host_options, .threads = 1, .level = level);
    struct host_plan plan;

    return ki_host_plan("test", KN_F32, 0, &options, &plan, NULL) == KN_OK;
}

// A block, or the scratch memory for two blocks: numbers of the type of `code`, random or all NaN.
struct block {
    const struct host_fft_code *code;
    size_t points;
    void *numbers;
};

static double get(const struct block *block, size_t at)
{
    return block->code->number == 8 ? ((double *)block->numbers)[at] : (double)((float *)block->numbers)[at];
}

static void set(const struct block *block, size_t at, double value)
{
    if (block->code->number == 8)
        ((double *)block->numbers)[at] = value;
    else
        ((float *)block->numbers)[at] = (float)value;
}

static double complex get_point(const struct block *block, size_t point, size_t lane)
{
    size_t lanes = block->code->lanes;

    return get(block, 2 * point * lanes + lane) + get(block, (2 * point + 1) * lanes + lane) * I;
}

static struct block make_block(const struct host_fft_code *code, size_t points, uint64_t *state)
{
    size_t bytes = (2 * points * code->lanes * code->number + 63) / 64 * 64;
    struct block block = {code, points, aligned_alloc(64, bytes)};

    ck_assert_ptr_nonnull(block.numbers);
    memset(block.numbers, 0xff, bytes); // NaN
    for (size_t i = 0; state && i < 2 * points * code->lanes; i++)
        set(&block, i, 2 * test_uniform(state) - 1);
    return block;
}

static void *number_at(const struct block *block, size_t number)
{
    return (unsigned char *)block->numbers + number * block->code->number;
}

// Fails unless `found` is within `bound` of `expected`, and says for which transform and point.
static void expect_near(double complex found, double complex expected, double bound, const char *what,
                        const struct host_fft_code *code, size_t n, size_t point)
{
    ck_assert_msg(cabs(found - expected) <= bound,
                  "%s, %s of %zu bytes, %zu points: %g + %g i instead of %g + %g i at %zu, bound %g", what,
                  code->name, code->number, n, creal(found), cimag(found), creal(expected), cimag(expected),
                  point, bound);
}

typedef void code_check(const struct host_fft_code *code, kn_type type, kn_host_level level, uint64_t *state);

static void each_code(const char *name, code_check *check)
{
    static const kn_type types[] = {KN_F32, KN_F64};
    uint64_t state = test_seed(name);

    for (kn_host_level level = KN_HOST_SCALAR; level <= KN_HOST_AVX512; level++)
        for (size_t i = 0; i < 2 && has_level(level); i++)
            check(ki_host_fft_code_for(types[i], level), types[i], level, &state);
}

// ---- transforms ----

// Compares a lane with the defining sums, at every point, or at about 100 points of a long line. The
// tolerance includes the error of the reference, some n roundings of double precision.
static void expect_sums(const struct host_fft *fft, const struct block *x, const struct block *y, size_t lane)
{
    size_t n = fft->length, step = n > 300 ? n / 97 : 1;
    double complex *roots = malloc(n * sizeof *roots);
    double moduli = 0;

    ck_assert_ptr_nonnull(roots);
    for (size_t j = 0; j < n; j++) {
        double turn[2];

        ki_fft_root_of_unity(j, n, turn);
        roots[j] = turn[0] + turn[1] * I;
        moduli += cabs(get_point(x, j, lane));
    }
    for (size_t k = 0; k < n; k += step) {
        double complex sum = 0;

        for (size_t j = 0; j < n; j++)
            sum += get_point(x, j, lane) * roots[j * k % n];
        expect_near(get_point(y, k, lane), sum,
                    moduli * (ki_host_fft_error(fft) + (double)(n + 4) * DBL_EPSILON), "transform", fft->code,
                    n, k);
    }
    free(roots);
}

static void check_sums(const struct host_fft_code *code, kn_type type, kn_host_level level, uint64_t *state)
{
    // lengths of one part, with one stage or several, of two parts and of three; every radix comes first and
    // last
    static const size_t lengths[] = {
        1,  2,   3,   4,   5,   6,   7,   8,   9,   10,   12,   14,   15,   16,   18,   20,   21,  24, 25,
        27, 28,  30,  32,  35,  36,  40,  42,  45,  48,   49,   50,   56,   60,   63,   64,   70,  75, 81,
        98, 105, 125, 128, 210, 243, 343, 500, 625, 1000, 1024, 1750, 2187, 2401, 4096, 4200, 5000};

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct block x = make_block(code, lengths[i], state), y = make_block(code, lengths[i], NULL);
        struct block scratch = make_block(code, 2 * lengths[i], NULL);
        struct host_fft *fft;

        EXPECT_OK(ki_host_fft_create(lengths[i], type, level, &fft, &err));
        ck_assert_ptr_eq(fft->code, code);
        code->transform(fft, x.numbers, scratch.numbers, y.numbers);
        for (size_t lane = 0; lane<code->lanes; lane += lengths[i]> 300 ? 3 : 1)
            expect_sums(fft, &x, &y, lane);
        code->transform(fft, x.numbers, scratch.numbers, x.numbers); // in place
        ck_assert_mem_eq(x.numbers, y.numbers, 2 * lengths[i] * code->lanes * code->number);
        ki_host_fft_free(fft);
        free(x.numbers);
        free(y.numbers);
        free(scratch.numbers);
    }
}

START_TEST(sums)
{
    each_code("sums", check_sums);
}
END_TEST

static void swap_parts(const struct block *block)
{
    size_t lanes = block->code->lanes;

    for (size_t i = 0; i < 2 * block->points * lanes; i += 2 * lanes)
        for (size_t lane = i; lane < i + lanes; lane++) {
            double re = get(block, lane);

            set(block, lane, get(block, lane + lanes));
            set(block, lane + lanes, re);
        }
}

static double energy_of(const struct block *block, size_t lane)
{
    double energy = 0;

    for (size_t k = 0; k < block->points; k++)
        energy += creal(get_point(block, k, lane) * conj(get_point(block, k, lane)));
    return energy;
}

// A transform and its inverse give n times the line, and the energy of the spectrum is n times that of the
// line. ki_host_fft_error also bounds the relative error of a transform in the 2-norm: so if e is this bound,
// energies are off by at most e (2 + e), and a round trip by about 2 e.
static void check_round_trip(const struct host_fft_code *code, kn_type type, kn_host_level level,
                             uint64_t *state)
{
    // the last length, of four parts, is for codes with one lane only
    static const size_t lengths[] = {7, 1000, 1800, 1 << 13, 15625, 33600, 300000};

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths - (code->lanes > 1); i++) {
        size_t n = lengths[i];
        struct block x = make_block(code, n, state), y = make_block(code, n, NULL);
        struct block scratch = make_block(code, 2 * n, NULL);
        struct host_fft *fft;

        EXPECT_OK(ki_host_fft_create(n, type, level, &fft, &err));
        code->transform(fft, x.numbers, scratch.numbers, y.numbers);
        for (size_t lane = 0; lane < code->lanes; lane += 5) {
            double energy = energy_of(&x, lane),
                   relative = ki_host_fft_error(fft) * (2 + ki_host_fft_error(fft));

            // 3 n DBL_EPSILON: the energies are sums of n squares
            ck_assert_double_eq_tol(energy_of(&y, lane) / (double)n, energy,
                                    energy * (relative + 3 * (double)n * DBL_EPSILON));
        }
        swap_parts(&y);
        code->transform(fft, y.numbers, scratch.numbers, y.numbers);
        swap_parts(&y);
        for (size_t lane = 0; lane < code->lanes; lane += 5) {
            double bound = 2.1 * ki_host_fft_error(fft) * sqrt(energy_of(&x, lane));

            for (size_t k = 0; k < n; k++)
                expect_near(get_point(&y, k, lane) / (double)n, get_point(&x, k, lane), bound, "round trip",
                            code, n, k);
        }
        ki_host_fft_free(fft);
        free(x.numbers);
        free(y.numbers);
        free(scratch.numbers);
    }
}

START_TEST(round_trip)
{
    each_code("round_trip", check_round_trip);
}
END_TEST

START_TEST(cut_lengths)
{
    static const size_t refused[] = {0, 11, 13, 22, 1001, 7 * 17};
    struct host_fft *fft;

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "prime factors above 7",
                       ki_host_fft_create(refused[i], KN_F32, KN_HOST_SCALAR, &fft, &err));
    for (size_t n = 0; n < 3000; n++) {
        size_t length = ki_host_fft_length(n);

        ck_assert_uint_ge(length, n ? n : 1);
        ck_assert_uint_le(length, 8 + n + n / 4);
        EXPECT_OK(ki_host_fft_create(length, KN_F32, KN_HOST_SCALAR, &fft, &err));
        for (unsigned p = 0, rest = (unsigned)length; p < fft->parts; p++) {
            unsigned product = 1;

            for (unsigned s = 0; s < fft->part[p].stages; s++)
                product *= fft->part[p].radices[s];
            ck_assert_uint_eq(product, fft->part[p].length);
            ck_assert_uint_le(product, HOST_FFT_PART);
            rest /= product;
            ck_assert(p + 1 < fft->parts || rest == 1);
        }
        ki_host_fft_free(fft);
    }
    ki_host_fft_free(NULL);
}
END_TEST

// ---- rows and blocks ----

// Fills a block with integers, so that sums are exact.
static void make_whole(const struct block *block, uint64_t *state)
{
    for (size_t i = 0; i < 2 * block->points * block->code->lanes; i++)
        set(block, i, (double)(test_random(state) % 2001) - 1000);
}

static void check_rows(const struct host_fft_code *code, kn_type type, kn_host_level level, uint64_t *state)
{
    enum { COUNT = 37, STRIDE = 70, N = 61 };
    size_t lanes = code->lanes, padded = (COUNT + lanes - 1) / lanes * lanes;
    struct block to = make_block(code, padded, NULL), z = make_block(code, N, NULL);
    struct block x = make_block(code, N + lanes, NULL), x2 = make_block(code, N + lanes, NULL);
    int32_t *rows = malloc(STRIDE * lanes * sizeof *rows);
    double *gathered = malloc(STRIDE * lanes * sizeof *gathered);

    (void)type, (void)level;
    ck_assert(rows && gathered);
    for (size_t i = 0; i < STRIDE * lanes; i++)
        rows[i] = (int32_t)(test_random(state) % 131071) - 65535;
    for (size_t part = 0; part < 2; part++) {
        code->spread(rows, STRIDE, COUNT, number_at(&to, part * lanes));
        for (size_t i = 0; i < COUNT; i++)
            for (size_t lane = 0; lane < lanes; lane++)
                ck_assert_double_eq(get(&to, (2 * i + part) * lanes + lane), rows[lane * STRIDE + i]);
        for (size_t i = 0; i < padded; i += lanes)
            code->gather(number_at(&to, (2 * i + part) * lanes), gathered + i, STRIDE);
        for (size_t i = 0; i < COUNT * lanes; i++)
            ck_assert_double_eq(gathered[i % lanes * STRIDE + i / lanes],
                                rows[i % lanes * STRIDE + i / lanes]);
    }
    make_whole(&z, state);
    for (size_t first = 0; first + 20 < N; first += 20) {
        code->halves(z.numbers, N, first, N - first, x.numbers, x2.numbers);
        for (size_t k = 0; k < N - first; k++)
            for (size_t lane = 0; lane < lanes; lane++) {
                double complex one = get_point(&z, first + k, lane);
                double complex other = conj(get_point(&z, (N - first - k) % N, lane));

                ck_assert(get_point(&x, k, lane) == one + other);
                ck_assert(get_point(&x2, k, lane) * I == one - other);
            }
    }
    free(to.numbers);
    free(z.numbers);
    free(x.numbers);
    free(x2.numbers);
    free(rows);
    free(gathered);
}

START_TEST(rows)
{
    each_code("rows", check_rows);
}
END_TEST

// part_rows gives the same points as `halves`, transposed; join_rows assembles twice the block from them.
static void check_join(const struct host_fft_code *code, kn_type type, kn_host_level level, uint64_t *state)
{
    static const size_t lengths[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 60};
    size_t lanes = code->lanes;

    (void)type, (void)level;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t n = lengths[i], columns = n / 2 + 1;
        struct block z = make_block(code, n, NULL), joined = make_block(code, n, NULL);
        struct block x = make_block(code, lanes, NULL), x2 = make_block(code, lanes, NULL);
        struct block r = make_block(code, lanes, NULL), r2 = make_block(code, lanes, NULL);

        make_whole(&z, state);
        for (size_t first = 0; first < columns; first += lanes) {
            size_t count = columns - first < lanes ? columns - first : lanes;

            code->halves(z.numbers, n, first, lanes, x.numbers, x2.numbers);
            code->part_rows(z.numbers, n, first, r.numbers, r2.numbers);
            for (size_t k = 0; k < lanes; k++)
                for (size_t lane = 0; lane < lanes; lane++) {
                    ck_assert(get_point(&r, lane, k) == get_point(&x, k, lane));
                    ck_assert(get_point(&r2, lane, k) == get_point(&x2, k, lane));
                }
            code->join_rows(r.numbers, r2.numbers, n, first, count, joined.numbers);
        }
        for (size_t k = 0; k < n; k++)
            for (size_t lane = 0; lane < lanes; lane++)
                ck_assert_msg(get_point(&joined, k, lane) == 2 * get_point(&z, k, lane), "%s, %zu of %zu",
                              code->name, k, n);
        free(z.numbers);
        free(joined.numbers);
        free(x.numbers);
        free(x2.numbers);
        free(r.numbers);
        free(r2.numbers);
    }
}

START_TEST(join)
{
    each_code("join", check_join);
}
END_TEST

static void check_points(const struct host_fft_code *code, kn_type type, kn_host_level level, uint64_t *state)
{
    enum { N = 33 };
    struct block a = make_block(code, N, NULL), b = make_block(code, N, NULL);
    struct block c = make_block(code, N, NULL), e = make_block(code, N, NULL);
    struct block m = make_block(code, N, NULL), m2 = make_block(code, N, NULL);

    (void)type, (void)level;
    make_whole(&a, state);
    make_whole(&b, state);
    code->correlate(a.numbers, b.numbers, N, c.numbers);
    code->energies(a.numbers, b.numbers, N, e.numbers);
    code->mirror(a.numbers, N, N, m.numbers, m2.numbers);
    for (size_t k = 0; k < N; k++)
        for (size_t lane = 0; lane < code->lanes; lane++) {
            double complex x = get_point(&a, k, lane), y = get_point(&b, k, lane);

            ck_assert(get_point(&c, k, lane) == x * conj(y));
            ck_assert(get_point(&e, k, lane) == x * conj(x) + I * (y * conj(y)));
            ck_assert(get_point(&m, k, lane) == x);
            ck_assert(get_point(&m2, k, lane) == conj(get_point(&a, (N - k) % N, lane)));
        }
    free(a.numbers);
    free(b.numbers);
    free(c.numbers);
    free(e.numbers);
    free(m.numbers);
    free(m2.numbers);
}

START_TEST(points)
{
    each_code("points", check_points);
}
END_TEST

START_TEST(levels)
{
    static const char *const names[] = {
        [KN_HOST_SCALAR] = "scalar", [KN_HOST_AVX2] = "AVX2", [KN_HOST_AVX512] = "AVX-512"};
    static const size_t bytes[] = {[KN_HOST_SCALAR] = 0, [KN_HOST_AVX2] = 32, [KN_HOST_AVX512] = 64};

    for (kn_host_level level = KN_HOST_SCALAR; level <= KN_HOST_AVX512; level++) {
        const struct host_fft_code *code = ki_host_fft_code_for(KN_F32, level);

        if (!has_level(level))
            continue;
        ck_assert_str_eq(code->name, names[level]);
        ck_assert_str_eq(ki_host_fft_code_for(KN_F64, level)->name, names[level]);
        ck_assert_uint_eq(code->lanes, bytes[level] ? bytes[level] / 4 : 1);
        ck_assert_uint_eq(ki_host_fft_code_for(KN_F64, level)->lanes, bytes[level] ? bytes[level] / 8 : 1);
        fprintf(stderr, "level %d: %s\n", (int)level, code->name);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sums, round_trip, cut_lengths, rows, join, points, levels};

    return TEST_RUN("host fft", CK_FORK_GETENV, tests);
}
