// SPDX-License-Identifier: Apache-2.0
// Transforms of neighbouring lines. Compiled for every instruction set and width (src/host/simd/simd.h).
#include "host_fft.h"

#include "host/simd/simd.h"

typedef struct {
    reals re, im;
} complexes;

enum {
    POINT = 2 * LANES, // numbers of a block's point
    HALF = HOST_FFT_RADIX / 2
};

VECTOR_OPERATION complexes load_point(const real *from)
{
    return (complexes){load_reals(from), load_reals(from + LANES)};
}

VECTOR_OPERATION void store_point(real *to, complexes z)
{
    store_reals(to, z.re);
    store_reals(to + LANES, z.im);
}

VECTOR_OPERATION complexes plus(complexes a, complexes b)
{
    return (complexes){a.re + b.re, a.im + b.im};
}

VECTOR_OPERATION complexes minus(complexes a, complexes b)
{
    return (complexes){a.re - b.re, a.im - b.im};
}

// a - i b.
VECTOR_OPERATION complexes minus_i(complexes a, complexes b)
{
    return (complexes){a.re + b.im, a.im - b.re};
}

// a + i b.
VECTOR_OPERATION complexes plus_i(complexes a, complexes b)
{
    return (complexes){a.re - b.im, a.im + b.re};
}

VECTOR_OPERATION complexes turned(complexes z, const real *turn)
{
    const reals c = set_reals(turn[0]), s = set_reals(turn[1]);

    return (complexes){less_product(z.re * c, z.im, s), plus_product(z.im * c, z.re, s)};
}

// ---- butterflies: x[k] = sum of x[j] exp(-2 pi i j k / radix) ----

VECTOR_OPERATION void butterfly_2(complexes *x)
{
    const complexes a = x[0];

    x[0] = plus(a, x[1]);
    x[1] = minus(a, x[1]);
}

VECTOR_OPERATION void butterfly_4(complexes *x)
{
    const complexes a = plus(x[0], x[2]), b = minus(x[0], x[2]);
    const complexes c = plus(x[1], x[3]), d = minus(x[1], x[3]);

    x[0] = plus(a, c);
    x[1] = minus_i(b, d);
    x[2] = minus(a, c);
    x[3] = plus_i(b, d);
}

VECTOR_OPERATION void butterfly_8(complexes *x)
{
    const reals half = set_reals((real)0.70710678118654752440);
    complexes even[HALF] = {x[0], x[2], x[4], x[6]}, odd[HALF] = {x[1], x[3], x[5], x[7]};

    butterfly_4(even);
    butterfly_4(odd);
    // exp(-pi i / 4) and exp(-3 pi i / 4)
    odd[1] = (complexes){(odd[1].re + odd[1].im) * half, (odd[1].im - odd[1].re) * half};
    odd[3] = (complexes){(odd[3].im - odd[3].re) * half, (odd[3].re + odd[3].im) * half};
    x[0] = plus(even[0], odd[0]);
    x[1] = plus(even[1], odd[1]);
    x[2] = minus_i(even[2], odd[2]);
    x[3] = (complexes){even[3].re + odd[3].re, even[3].im - odd[3].im};
    x[4] = minus(even[0], odd[0]);
    x[5] = minus(even[1], odd[1]);
    x[6] = plus_i(even[2], odd[2]);
    x[7] = (complexes){even[3].re - odd[3].re, even[3].im + odd[3].im};
}

// Tables of cos and sin(2 pi k / radix), k up to half the radix.
static const real cosines[HOST_FFT_RADIX][HALF] = {
    [3] = {1, (real)-0.5},
    [5] = {1, (real)0.30901699437494742410, (real)-0.80901699437494742410},
    [7] = {1, (real)0.62348980185873353053, (real)-0.22252093395631440429, (real)-0.90096886790241912624},
};
static const real sines[HOST_FFT_RADIX][HALF] = {
    [3] = {0, (real)0.86602540378443864676},
    [5] = {0, (real)0.95105651629515357212, (real)0.58778525229247312917},
    [7] = {0, (real)0.78183148246802980871, (real)0.97492791218182360702, (real)0.43388373911755812048},
};

// Points j and radix - j have the same cosines, and opposite sines.
VECTOR_OPERATION void butterfly_odd(complexes *x, const unsigned radix)
{
    const unsigned half = radix / 2;
    complexes sum[HALF], difference[HALF], first = x[0];

    _Pragma("GCC unroll 4") for (unsigned j = 1; j <= half; j++)
    {
        sum[j] = plus(x[j], x[radix - j]);
        difference[j] = minus(x[j], x[radix - j]);
        x[0] = plus(x[0], sum[j]);
    }
    _Pragma("GCC unroll 4") for (unsigned k = 1; k <= half; k++)
    {
        complexes even = first, odd = {set_reals(0), set_reals(0)};

        _Pragma("GCC unroll 4") for (unsigned j = 1; j <= half; j++)
        {
            const unsigned at = j * k % radix, near = at <= half ? at : radix - at;
            const reals c = set_reals(cosines[radix][near]);
            const reals s = set_reals(at <= half ? sines[radix][near] : -sines[radix][near]);

            even = (complexes){plus_product(even.re, sum[j].re, c), plus_product(even.im, sum[j].im, c)};
            odd = j == 1 ? (complexes){difference[j].re * s, difference[j].im * s}
                         : (complexes){plus_product(odd.re, difference[j].re, s),
                                       plus_product(odd.im, difference[j].im, s)};
        }
        x[k] = minus_i(even, odd);
        x[radix - k] = plus_i(even, odd);
    }
}

VECTOR_OPERATION void butterfly(complexes *x, const unsigned radix)
{
    if (radix == 2)
        butterfly_2(x);
    else if (radix == 4)
        butterfly_4(x);
    else if (radix == 8)
        butterfly_8(x);
    else if (radix > 1)
        butterfly_odd(x, radix);
}

// ---- stages ----

// Stockham: span is the product of the radices before, rest that of the radices after.
struct stage {
    size_t span, rest;
    size_t in_step, out_step; // distance of neighbouring points, in numbers
    const real *turns;        // radix for each butterfly of a span; in the first stage, for each of the rest
};

typedef void stage_code(const struct stage *stage, const real *in, real *out);

// Points from `first_turned` on are multiplied by roots of unity.
VECTOR_OPERATION void run_stage(const unsigned radix, const unsigned first_turned, const struct stage *stage,
                                const real *in, real *out)
{
    const size_t stride = stage->rest * stage->span * stage->in_step;

    for (size_t i = 0; i < stage->rest; i++)
        for (size_t q = 0; q < stage->span; q++) {
            const real *from = in + (i * stage->span + q) * stage->in_step;
            const real *turns =
                first_turned < radix ? stage->turns + (i * (stage->span == 1) + q) * radix * 2 : NULL;
            real *to = out + (i * radix * stage->span + q) * stage->out_step;
            complexes x[HOST_FFT_RADIX];

            _Pragma("GCC unroll 8") for (unsigned j = 0; j < radix; j++)
            {
                x[j] = load_point(from + j * stride);
                if (j >= first_turned)
                    x[j] = turned(x[j], turns + 2 * j);
            }
            butterfly(x, radix);
            _Pragma("GCC unroll 8") for (unsigned j = 0; j < radix; j++)
                store_point(to + j * stage->span * stage->out_step, x[j]);
        }
}

#define STAGES(radix)                                                                                        \
    VECTOR_CODE static void first_##radix(const struct stage *stage, const real *in, real *out)              \
    {                                                                                                        \
        run_stage(radix, radix, stage, in, out);                                                             \
    }                                                                                                        \
    VECTOR_CODE static void later_##radix(const struct stage *stage, const real *in, real *out)              \
    {                                                                                                        \
        run_stage(radix, 1, stage, in, out);                                                                 \
    }                                                                                                        \
    VECTOR_CODE static void turned_##radix(const struct stage *stage, const real *in, real *out)             \
    {                                                                                                        \
        run_stage(radix, 0, stage, in, out);                                                                 \
    }
STAGES(1)
STAGES(2)
STAGES(3)
STAGES(4)
STAGES(5)
STAGES(7)
STAGES(8)

// A part's first stage, its later ones, and a first stage with roots of unity before it.
enum { FIRST, LATER, TURNED, STAGE_KINDS };
#define STAGE_CODE(radix) [radix] = {first_##radix, later_##radix, turned_##radix}
static stage_code *const stage_codes[HOST_FFT_RADIX + 1][STAGE_KINDS] = {
    STAGE_CODE(1), STAGE_CODE(2), STAGE_CODE(3), STAGE_CODE(4), STAGE_CODE(5), STAGE_CODE(7), STAGE_CODE(8),
};

VECTOR_CODE static void run_part(const struct host_fft_part *part, const real *turns, const real *in,
                                 size_t in_step, real *out, size_t out_step)
{
    real room[2][HOST_FFT_PART * POINT] __attribute__((aligned(64)));
    struct stage stage = {.span = 1, .in_step = in_step};

    for (unsigned s = 0; s < part->stages; s++) {
        const bool is_last = s + 1 == part->stages;
        const unsigned radix = part->radices[s];
        real *to = is_last ? out : room[s % 2];

        stage.rest = part->length / (stage.span * radix);
        stage.out_step = is_last ? out_step : POINT;
        stage.turns = s > 0 ? part->turns[s] : turns;
        stage_codes[radix][s > 0 ? LATER : turns ? TURNED : FIRST](&stage, in, to);
        stage.span *= radix;
        stage.in_step = POINT;
        in = to;
    }
}

VECTOR_CODE static void transform(const struct host_fft *fft, const void *x, void *scratch, void *y)
{
    real *const rooms[2] = {scratch, (real *)scratch + fft->length * POINT};
    const real *from = x;
    size_t span = 1;

    for (unsigned p = 0; p < fft->parts; p++) {
        const struct host_fft_part *part = &fft->part[p];
        const size_t rest = fft->length / (span * part->length);
        const real *turns = part->turns[0];
        real *to = p + 1 == fft->parts ? y : rooms[p % 2];

        for (size_t i = 0; i < rest; i++)
            for (size_t q = 0; q < span; q++)
                run_part(part, turns ? turns + 2 * q * part->length : NULL, from + (i * span + q) * POINT,
                         rest * span * POINT, to + (i * part->length * span + q) * POINT, span * POINT);
        span *= part->length;
        from = to;
    }
}

// ---- between rows and blocks ----

VECTOR_CODE static void spread(const int32_t *rows, size_t stride, size_t count, void *to)
{
    for (size_t first = 0; first < count; first += LANES) {
        reals tile[LANES];

        _Pragma("GCC unroll 16") for (size_t i = 0; i < LANES; i++) tile[i] =
            reals_of_integers(rows + i * stride + first);
        transpose_reals(tile);
        _Pragma("GCC unroll 16") for (size_t i = 0; i < LANES; i++)
            store_reals((real *)to + (first + i) * POINT, tile[i]);
    }
}

VECTOR_OPERATION void halves_at(const real *block, size_t n, size_t k, complexes *x, complexes *x2)
{
    const complexes z = load_point(block + k * POINT), m = load_point(block + (k ? n - k : 0) * POINT);

    *x = (complexes){z.re + m.re, z.im - m.im};
    *x2 = (complexes){z.im + m.im, m.re - z.re};
}

VECTOR_CODE static void halves(const void *block, size_t n, size_t first, size_t count, void *x, void *x2)
{
    for (size_t i = 0; i < count; i++) {
        complexes one, other;

        halves_at(block, n, (first + i) % n, &one, &other);
        store_point((real *)x + i * POINT, one);
        store_point((real *)x2 + i * POINT, other);
    }
}

// Transposes a part of LANES points to the same part of LANES rows, or back.
VECTOR_OPERATION void transpose_part(const real *from, real *to)
{
    reals tile[LANES];

    _Pragma("GCC unroll 16") for (size_t i = 0; i < LANES; i++) tile[i] = load_reals(from + i * POINT);
    transpose_reals(tile);
    _Pragma("GCC unroll 16") for (size_t i = 0; i < LANES; i++) store_reals(to + i * POINT, tile[i]);
}

VECTOR_CODE static void part_rows(const void *block, size_t n, size_t first, void *rows, void *rows2)
{
    real points[2][LANES * POINT] __attribute__((aligned(64)));
    real *const to[2] = {rows, rows2};

    halves(block, n, first, LANES, points[0], points[1]);
    for (size_t half = 0; half < 2; half++) {
        transpose_part(points[half], to[half]);
        transpose_part(points[half] + LANES, to[half] + LANES);
    }
}

VECTOR_CODE static void join_rows(const void *rows, const void *rows2, size_t n, size_t first, size_t count,
                                  void *block)
{
    real points[2][LANES * POINT] __attribute__((aligned(64)));
    const real *const from[2] = {rows, rows2};

    for (size_t half = 0; half < 2; half++) {
        transpose_part(from[half], points[half]);
        transpose_part(from[half] + LANES, points[half] + LANES);
    }
    for (size_t i = 0; i < count; i++) {
        const complexes a = load_point(points[0] + i * POINT), b = load_point(points[1] + i * POINT);
        const size_t k = first + i;

        store_point((real *)block + (k ? n - k : 0) * POINT, (complexes){a.re + b.im, b.re - a.im});
        store_point((real *)block + k * POINT, plus_i(a, b));
    }
}

VECTOR_CODE static void gather(const void *from, double *rows, size_t stride)
{
    reals tile[LANES];

    _Pragma("GCC unroll 16") for (size_t i = 0; i < LANES; i++) tile[i] =
        load_reals((const real *)from + i * POINT);
    transpose_reals(tile);
    _Pragma("GCC unroll 16") for (size_t i = 0; i < LANES; i++) store_doubles(rows + i * stride, tile[i]);
}

// ---- point by point ----

VECTOR_CODE static void mirror(const void *block, size_t n, size_t count, void *x, void *x2)
{
    for (size_t k = 0; k < count; k++) {
        const complexes m = load_point((const real *)block + (k ? n - k : 0) * POINT);

        store_point((real *)x + k * POINT, load_point((const real *)block + k * POINT));
        store_point((real *)x2 + k * POINT, (complexes){m.re, set_reals(0) - m.im});
    }
}

VECTOR_CODE static void correlate(const void *a, const void *b, size_t points, void *to)
{
    for (size_t k = 0; k < points * POINT; k += POINT) {
        const complexes x = load_point((const real *)a + k), y = load_point((const real *)b + k);

        store_point((real *)to + k, (complexes){plus_product(x.re * y.re, x.im, y.im),
                                                less_product(x.im * y.re, x.re, y.im)});
    }
}

VECTOR_CODE static void energies(const void *a, const void *b, size_t points, void *to)
{
    for (size_t k = 0; k < points * POINT; k += POINT) {
        const complexes x = load_point((const real *)a + k), y = load_point((const real *)b + k);

        store_point((real *)to + k, (complexes){plus_product(x.re * x.re, x.im, x.im),
                                                plus_product(y.re * y.re, y.im, y.im)});
    }
}

const struct host_fft_code SIMD_NAME(host_fft) = {
    SIMD_TITLE, LANES,     sizeof(real), transform, spread,   halves,
    part_rows,  join_rows, mirror,       correlate, energies, gather,
};
