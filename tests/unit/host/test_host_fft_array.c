// SPDX-License-Identifier: Apache-2.0
// kn_host_fft: random shapes of every kind, padded, cropped, scaled and with integers as input, against sums
// in double precision along one axis after the other; in place; at every level and with any number of
// threads; with a NaN in one line; and invalid arguments.
#include "support/expect.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#include <koine/host.h>

#include "support/run.h"

enum { ROUNDS = 60, LONGEST = 90, MOST = 4000 };

static size_t pick(uint64_t *state, size_t least, size_t most)
{
    return least + (size_t)(test_uniform(state) * (double)(most - least + 1));
}

// A transform, with its input and output as the reference stores them: complex numbers without gaps.
struct problem {
    kn_fft_shape shape;
    kn_fft_direction direction;
    size_t in[3], out[3], ins, outs; // extents and numbers of elements of the caller's arrays
    double complex *from, *to;
    void *memory, *result;
};

static size_t bytes_of(const struct problem *p, bool out)
{
    size_t real = kn_type_size(p->shape.type);
    bool is_real = p->shape.kind == (out ? KN_FFT_COMPLEX_TO_REAL : KN_FFT_REAL_TO_COMPLEX);

    if (!out && p->shape.input_bits)
        return p->ins * p->shape.input_bits / 8;
    return (out ? p->outs : p->ins) * (is_real ? real : 2 * real);
}

static void put(const struct problem *p, size_t i, double complex z)
{
    bool real = p->shape.kind == KN_FFT_REAL_TO_COMPLEX;

    if (p->shape.input_bits == 8)
        ((uint8_t *)p->memory)[i] = (uint8_t)creal(z);
    else if (p->shape.input_bits == 16)
        ((uint16_t *)p->memory)[i] = (uint16_t)creal(z);
    else if (p->shape.type == KN_F64)
        memcpy((double *)p->memory + (real ? i : 2 * i), &z, real ? sizeof(double) : sizeof z);
    else {
        float complex narrow = (float complex)z;
        memcpy((float *)p->memory + (real ? i : 2 * i), &narrow, real ? sizeof(float) : sizeof narrow);
    }
}

static double complex result_at(const struct problem *p, size_t i)
{
    bool real = p->shape.kind == KN_FFT_COMPLEX_TO_REAL;

    if (p->shape.type == KN_F64)
        return real ? ((double *)p->result)[i] : ((double complex *)p->result)[i];
    return real ? ((float *)p->result)[i] : ((float complex *)p->result)[i];
}

static void choose_extents(struct problem *p, uint64_t *state)
{
    kn_fft_shape *shape = &p->shape;
    bool resizes = test_uniform(state) < 0.4;

    p->ins = p->outs = shape->batch ? shape->batch : 1;
    for (unsigned i = 0; i < 3; i++) {
        size_t n = i < shape->rank ? shape->dims[i] : 1, half = i == 0 ? n / 2 + 1 : n;
        bool half_in = i == 0 && shape->kind == KN_FFT_COMPLEX_TO_REAL,
             half_out = i == 0 && shape->kind == KN_FFT_REAL_TO_COMPLEX;

        if (resizes && i < shape->rank && !half_in)
            shape->in_dims[i] = pick(state, 1, n);
        if (resizes && i < shape->rank && !half_out)
            shape->out_dims[i] = pick(state, 1, n);
        p->in[i] = half_in ? half : shape->in_dims[i] ? shape->in_dims[i] : n;
        p->out[i] = half_out ? half : shape->out_dims[i] ? shape->out_dims[i] : n;
        p->ins *= p->in[i];
        p->outs *= p->out[i];
    }
}

static struct problem make_problem(uint64_t *state)
{
    struct problem p = {.shape = KN_INIT(kn_fft_shape, .rank = (unsigned)pick(state, 1, 3),
                                         .batch = pick(state, 0, 4),
                                         .type = test_uniform(state) < 0.5 ? KN_F32 : KN_F64,
                                         .kind = (kn_fft_kind)pick(state, 0, 2))};
    size_t points = 1;

    for (unsigned i = 0; i < p.shape.rank; i++) {
        size_t most = MOST / points < LONGEST ? MOST / points : LONGEST;

        p.shape.dims[i] = pick(state, 1, most ? most : 1);
        points *= p.shape.dims[i];
    }
    p.direction = p.shape.kind == KN_FFT_COMPLEX_TO_REAL ? KN_FFT_INVERSE
                  : p.shape.kind == KN_FFT_COMPLEX       ? (kn_fft_direction)pick(state, 0, 1)
                                                         : KN_FFT_FORWARD;
    if (p.shape.kind == KN_FFT_REAL_TO_COMPLEX && test_uniform(state) < 0.4)
        p.shape.input_bits = test_uniform(state) < 0.5 ? 8 : 16;
    if (test_uniform(state) < 0.5)
        p.shape.scale = 0.25 + test_uniform(state);
    choose_extents(&p, state);
    p.from = malloc(p.ins * sizeof *p.from);
    p.memory = malloc(bytes_of(&p, false));
    p.result = malloc(bytes_of(&p, true));
    ck_assert(p.from && p.memory && p.result);
    for (size_t i = 0; i < p.ins; i++) {
        double re = 2 * test_uniform(state) - 1, im = 2 * test_uniform(state) - 1;

        if (p.shape.input_bits)
            re = floor(test_uniform(state) * (p.shape.input_bits == 8 ? 256 : 65536));
        p.from[i] = p.shape.kind == KN_FFT_REAL_TO_COMPLEX ? re : re + im * I;
        if (p.shape.type == KN_F32)
            p.from[i] = (double complex)(float complex)p.from[i];
        put(&p, i, p.from[i]);
    }
    memset(p.result, 0xff, bytes_of(&p, true)); // NaN
    return p;
}

static void free_problem(struct problem *p)
{
    free(p->from);
    free(p->to);
    free(p->memory);
    free(p->result);
}

// ---- the reference ----

// Transforms one axis to n points, of which the first `kept` are returned, and updates `dims`; frees x.
// Elements that the input lacks are 0 or, if it is half a spectrum, the conjugates of those that it has.
static double complex *sum_axis(double complex *x, size_t dims[3], size_t batch, unsigned axis, size_t n,
                                size_t kept, double sign, bool half)
{
    size_t step = axis == 0 ? 1 : axis == 1 ? dims[0] : dims[0] * dims[1], there = dims[axis];
    size_t outer = dims[0] * dims[1] * dims[2] * batch / (step * there);
    double complex *y = malloc(outer * step * kept * sizeof *y);

    ck_assert_ptr_nonnull(y);
    for (size_t line = 0; line < outer * step; line++)
        for (size_t k = 0; k < kept; k++) {
            const double complex *from = x + line / step * step * there + line % step;
            double complex sum = 0;

            for (size_t j = 0; j < (half ? n : there); j++) {
                bool other = half && j > n / 2;
                double complex z = from[(other ? n - j : j) * step];

                z = half && 2 * j % n == 0 ? creal(z) : other ? conj(z) : z;
                sum += z * cexp(sign * 2 * M_PI * I * (double)(j * k % n) / (double)n);
            }
            y[line / step * step * kept + line % step + k * step] = sum;
        }
    free(x);
    dims[axis] = kept;
    return y;
}

static void solve(struct problem *p)
{
    const kn_fft_shape *shape = &p->shape;
    double sign = p->direction == KN_FFT_INVERSE ? 1 : -1, scale = shape->scale != 0 ? shape->scale : 1;
    size_t dims[3] = {p->in[0], p->in[1], p->in[2]}, batch = shape->batch ? shape->batch : 1;
    bool half = shape->kind == KN_FFT_COMPLEX_TO_REAL;

    p->to = malloc(p->ins * sizeof *p->to);
    ck_assert_ptr_nonnull(p->to);
    memcpy(p->to, p->from, p->ins * sizeof *p->to);
    for (unsigned i = 0; i < shape->rank; i++) {
        unsigned axis = half ? shape->rank - 1 - i : i;

        p->to = sum_axis(p->to, dims, batch, axis, shape->dims[axis], p->out[axis], sign, half && axis == 0);
    }
    for (size_t i = 0; i < p->outs; i++)
        p->to[i] = scale * (half ? creal(p->to[i]) : p->to[i]);
}

static bool is_smooth(size_t n)
{
    for (size_t prime = 2; prime <= 7; prime++)
        while (n % prime == 0)
            n /= prime;
    return n == 1;
}

// The bound of koine/fft.h is relative to the 2-norm of the whole transform, including points that are
// cropped. That norm is at most the square root of the number of points, times the norm of the input.
static double bound_of(const struct problem *p)
{
    double eps = p->shape.type == KN_F64 ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2, bits = 2;
    double norm = 0, points = 1, scale = p->shape.scale != 0 ? p->shape.scale : 1;

    for (unsigned i = 0; i < p->shape.rank; i++) {
        double log = log2((double)p->shape.dims[i]);

        bits += log + (is_smooth(p->shape.dims[i]) ? 0 : 2 * (log + 5));
        points *= (double)p->shape.dims[i];
    }
    for (size_t i = 0; i < p->ins; i++)
        norm += creal(p->from[i] * conj(p->from[i]));
    norm *= p->shape.kind == KN_FFT_COMPLEX_TO_REAL ? 2 : 1; // the other half of the spectrum
    // One more rounding, of the result; points * DBL_EPSILON is for the error of the reference.
    return (eps * (bits / 2 + 1) + points * DBL_EPSILON) * scale * sqrt(points * norm);
}

static double error_of(const struct problem *p)
{
    double error = 0;

    for (size_t i = 0; i < p->outs; i++) {
        double complex rest = result_at(p, i) - p->to[i];

        error += creal(rest * conj(rest));
    }
    return sqrt(error);
}

// ---- the tests ----

START_TEST(sums)
{
    uint64_t state = test_seed("sums");

    for (int round = 0; round < ROUNDS; round++) {
        struct problem p = make_problem(&state);
        const kn_host_options options = KN_INIT(kn_host_options, .threads = (unsigned)pick(&state, 0, 3));
        double error;

        solve(&p);
        EXPECT_OK(kn_host_fft(&p.shape, p.direction, p.memory, p.result, &options, &err));
        error = error_of(&p);
        ck_assert_msg(error <= bound_of(&p),
                      "%zu x %zu x %zu (rank %u), batch %zu, kind %d: error %g, bound %g", p.shape.dims[0],
                      p.shape.dims[1], p.shape.dims[2], p.shape.rank, p.shape.batch, (int)p.shape.kind, error,
                      bound_of(&p));
        free_problem(&p);
    }
}
END_TEST

START_TEST(same_bits)
{
    uint64_t state = test_seed("same_bits");

    for (int round = 0; round < ROUNDS / 4; round++) {
        struct problem p = make_problem(&state);
        size_t bytes = bytes_of(&p, true);
        void *first = malloc(bytes);

        ck_assert_ptr_nonnull(first);
        for (unsigned threads = 1; threads <= 5; threads += 2) {
            const kn_host_options options = KN_INIT(kn_host_options, .threads = threads);

            EXPECT_OK(kn_host_fft(&p.shape, p.direction, p.memory, p.result, &options, &err));
            if (threads == 1)
                memcpy(first, p.result, bytes);
            ck_assert_mem_eq(first, p.result, bytes);
        }
        if (p.shape.kind == KN_FFT_COMPLEX && p.ins == p.outs && !p.shape.in_dims[0] &&
            !p.shape.out_dims[0]) {
            EXPECT_OK(kn_host_fft(&p.shape, p.direction, p.memory, p.memory, NULL, &err));
            ck_assert_mem_eq(first, p.memory, bytes);
        }
        free(first);
        free_problem(&p);
    }
}
END_TEST

// A forward and an inverse transform give the input again, at every level. The array is large enough for all
// threads, and the width of 254 takes Bluestein's algorithm.
START_TEST(round_trip)
{
    enum { WIDTH = 254, HEIGHT = 360, NUMBERS = 2 * WIDTH * HEIGHT };
    uint64_t state = test_seed("round_trip");
    kn_fft_shape shape =
        KN_INIT(kn_fft_shape, .rank = 2, .dims = {WIDTH, HEIGHT}, .batch = 2, .type = KN_F64);
    double *x = malloc(2 * sizeof *x * NUMBERS), *y = malloc(2 * sizeof *x * NUMBERS), norm = 0;

    ck_assert(x && y);
    for (size_t i = 0; i < (size_t)2 * NUMBERS; i++) {
        x[i] = 2 * test_uniform(&state) - 1;
        norm += x[i] * x[i];
    }
    for (kn_host_level level = KN_HOST_SCALAR; level <= KN_HOST_AVX512; level++) {
        const kn_host_options options = KN_INIT(kn_host_options, .level = level);
        double error = 0, energy = 0;
        kn_error why = KN_ERROR_INIT;

        shape.scale = 0;
        if (kn_host_fft(&shape, KN_FFT_FORWARD, x, y, &options, &why) == KN_ERROR_UNSUPPORTED)
            continue;
        for (size_t i = 0; i < (size_t)2 * NUMBERS; i++)
            energy += y[i] * y[i];
        ck_assert_double_eq_tol(energy / (norm * WIDTH * HEIGHT), 1, 1e-13);
        shape.scale = 1.0 / (WIDTH * HEIGHT);
        EXPECT_OK(kn_host_fft(&shape, KN_FFT_INVERSE, y, y, &options, &err));
        for (size_t i = 0; i < (size_t)2 * NUMBERS; i++)
            error += (y[i] - x[i]) * (y[i] - x[i]);
        ck_assert_double_le(sqrt(error / norm), 1e-14);
    }
    free(x);
    free(y);
}
END_TEST

START_TEST(one_line)
{
    enum { LENGTH = 11, LINES = 40 };
    const kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = 1, .dims = {LENGTH}, .batch = LINES,
                                       .type = KN_F32, .kind = KN_FFT_REAL_TO_COMPLEX);
    float x[LINES][LENGTH], y[LINES][2 * (LENGTH / 2 + 1)];

    for (size_t line = 0; line < LINES; line++)
        for (size_t i = 0; i < LENGTH; i++)
            x[line][i] = line == 17 && i == 3 ? NAN : (float)(line + i);
    EXPECT_OK(kn_host_fft(&shape, KN_FFT_FORWARD, x, y, NULL, &err));
    for (size_t line = 0; line < LINES; line++)
        for (size_t i = 0; i < sizeof *y / sizeof **y; i++)
            ck_assert_msg(isnan(y[line][i]) == (line == 17), "line %zu, number %zu: %g", line, i, y[line][i]);
}
END_TEST

START_TEST(refused)
{
    float x[64] = {0}, y[64];
    const kn_fft_shape good = KN_INIT(kn_fft_shape, .rank = 1, .dims = {8}, .type = KN_F32);
    const kn_host_options level = KN_INIT(kn_host_options, .level = (kn_host_level)9);
    kn_fft_shape shape = good;

    memset(y, 0x5a, sizeof y);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "is NULL", kn_host_fft(NULL, KN_FFT_FORWARD, x, y, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "is NULL", kn_host_fft(&good, KN_FFT_FORWARD, NULL, y, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "is NULL", kn_host_fft(&good, KN_FFT_FORWARD, x, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "direction 2",
                   kn_host_fft(&good, (kn_fft_direction)2, x, y, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no level 9", kn_host_fft(&good, KN_FFT_FORWARD, x, y, &level, &err));
    shape.struct_size = 1;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "KN_INIT", kn_host_fft(&shape, KN_FFT_FORWARD, x, y, NULL, &err));
    shape = good;
    shape.dims[0] = 0;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "dims[0] is 0", kn_host_fft(&shape, KN_FFT_FORWARD, x, y, NULL, &err));
    shape = good;
    shape.rank = 4;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "rank 4", kn_host_fft(&shape, KN_FFT_FORWARD, x, y, NULL, &err));
    shape = good;
    shape.type = KN_I32;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "works on float",
                   kn_host_fft(&shape, KN_FFT_FORWARD, x, y, NULL, &err));
    shape = good;
    shape.kind = KN_FFT_REAL_TO_COMPLEX;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "direction 1", kn_host_fft(&shape, KN_FFT_INVERSE, x, y, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "in place", kn_host_fft(&shape, KN_FFT_FORWARD, x, x, NULL, &err));
    shape.kind = KN_FFT_COMPLEX_TO_REAL;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "direction 0", kn_host_fft(&shape, KN_FFT_FORWARD, x, y, NULL, &err));
    shape = good;
    shape.in_dims[0] = 9;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "in_dims[0] is 9",
                   kn_host_fft(&shape, KN_FFT_FORWARD, x, y, NULL, &err));
    for (size_t i = 0; i < sizeof y; i++)
        ck_assert_int_eq(((unsigned char *)y)[i], 0x5a);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sums, same_bits, round_trip, one_line, refused};

    return TEST_RUN("host fft of arrays", CK_FORK_GETENV, tests);
}
