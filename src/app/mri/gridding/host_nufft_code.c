// SPDX-License-Identifier: Apache-2.0
// host_nufft_code.h with vectors. A vector holds numbers of a row of cells, real and imaginary parts
// alternating, and a row of a window is a few vectors, each with a product and a sum. Compiled for every
// instruction set and every width of numbers (src/host/simd/simd.h).
#include "host/simd/simd.h"
#include "host_nufft_code.h"

enum { VECTORS = NUFFT_NUMBERS / LANES };
enum { AHEAD = 16 }; // data are prefetched this many samples ahead
_Static_assert(NUFFT_NUMBERS % LANES == 0 && (int)LANES <= (int)NUFFT_LANES, "a window is whole vectors");

#define UNROLLED _Pragma("GCC unroll 8")

// 1 where a row has real parts; where it has imaginary parts.
static const real are_real[NUFFT_NUMBERS] = {1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0,
                                             1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
static const real are_imaginary[NUFFT_NUMBERS] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
                                                  0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};

// `count` vectors of the window of a sample.
VECTOR_OPERATION void evaluate(const struct nufft_window *window, const void *offsets, size_t i, size_t count,
                               reals *values)
{
    const real *powers = (const real *)window->powers + (window->terms - 1) * NUFFT_NUMBERS;
    const reals t = set_reals(((const real *)offsets)[i]);

    UNROLLED for (size_t v = 0; v < count; v++) values[v] = load_reals(powers + v * LANES);
    for (unsigned term = window->terms - 1; term > 0; term--) {
        powers -= NUFFT_NUMBERS;
        UNROLLED for (size_t v = 0; v < count; v++) values[v] =
            plus_product(load_reals(powers + v * LANES), values[v], t);
    }
}

// A window along y or z, one number after another.
VECTOR_OPERATION void evaluate_across(const struct nufft_tile *tile, size_t axis, size_t i,
                                      real values[NUFFT_NUMBERS])
{
    const struct nufft_window *window = &tile->windows[axis];

    for (size_t v = 0; v < window->span; v += LANES) {
        const struct nufft_window part = {.terms = window->terms, .powers = (const real *)window->powers + v};
        reals value;

        evaluate(&part, tile->offsets[axis], i, 1, &value);
        store_reals(values + v, value);
    }
}

// conj(phi) w d for a sample.
VECTOR_OPERATION void take(const struct nufft_tile *tile, size_t i, real *re, real *im)
{
    size_t m = tile->samples[i];
    const double *data = tile->data ? (const double *)&tile->data[m] : NULL;
    const double *basis = tile->basis ? (const double *)&tile->basis[m] : NULL;
    double a = data ? data[0] : 1, b = data ? data[1] : 0, w = tile->weights ? tile->weights[m] : 1;

    if (basis) {
        double turned = a * basis[0] + b * basis[1];

        b = b * basis[0] - a * basis[1];
        a = turned;
    }
    *re = (real)(w * a);
    *im = (real)(w * b);
}

VECTOR_OPERATION void spread(const struct nufft_tile *tile, const size_t count)
{
    real y[NUFFT_NUMBERS], z[NUFFT_NUMBERS];
    reals x[VECTORS];

    for (size_t i = 0; i < tile->count; i++) {
        real *plane = (real *)tile->cells + tile->places[i], re, im;

        if (tile->data && i + AHEAD < tile->count)
            fetch((const key *)&tile->data[tile->samples[i + AHEAD]]);
        take(tile, i, &re, &im);
        evaluate(&tile->windows[0], tile->offsets[0], i, count, x);
        evaluate_across(tile, 1, i, y);
        evaluate_across(tile, 2, i, z);
        UNROLLED for (size_t v = 0; v < count; v++) x[v] =
            x[v] * plus_product(set_reals(re) * load_reals(are_real + v * LANES), set_reals(im),
                                load_reals(are_imaginary + v * LANES));
        for (size_t c = 0; c < tile->windows[2].span; c++, plane += tile->plane) {
            real *row = plane;

            for (size_t b = 0; b < tile->windows[1].span; b++, row += tile->row) {
                const reals weight = set_reals(y[b] * z[c]);

                UNROLLED for (size_t v = 0; v < count; v++)
                    store_reals(row + v * LANES, plus_product(load_reals(row + v * LANES), x[v], weight));
            }
        }
    }
}

VECTOR_OPERATION void read_cells(const struct nufft_tile *tile, const size_t count)
{
    real y[NUFFT_NUMBERS], z[NUFFT_NUMBERS], sums[NUFFT_NUMBERS];
    reals x[VECTORS], sum[VECTORS];

    for (size_t i = 0; i < tile->count; i++) {
        const real *plane = (const real *)tile->cells + tile->places[i];
        double *value = (double *)&tile->values[tile->samples[i]];
        real re = 0, im = 0;

        evaluate(&tile->windows[0], tile->offsets[0], i, count, x);
        evaluate_across(tile, 1, i, y);
        evaluate_across(tile, 2, i, z);
        UNROLLED for (size_t v = 0; v < count; v++) sum[v] = set_reals(0);
        for (size_t c = 0; c < tile->windows[2].span; c++, plane += tile->plane) {
            const real *row = plane;

            for (size_t b = 0; b < tile->windows[1].span; b++, row += tile->row) {
                const reals weight = set_reals(y[b] * z[c]);

                UNROLLED for (size_t v = 0; v < count; v++) sum[v] =
                    plus_product(sum[v], load_reals(row + v * LANES), weight);
            }
        }
        UNROLLED for (size_t v = 0; v < count; v++) store_reals(sums + v * LANES, sum[v] * x[v]);
        for (size_t cell = 0; cell < tile->windows[0].span; cell++) {
            re += sums[2 * cell];
            im += sums[2 * cell + 1];
        }
        value[0] = (double)re;
        value[1] = (double)im;
    }
}

// A row of a few vectors in registers; without vectors, any number that the window has.
#define FEW(n) (n) < VECTORS ? (n) : VECTORS
#define WITH_VECTORS(work, tile, vectors)                                                                    \
    if ((vectors) <= 1)                                                                                      \
        work(tile, FEW(1));                                                                                  \
    else if ((vectors) <= 2)                                                                                 \
        work(tile, FEW(2));                                                                                  \
    else if ((vectors) <= 3)                                                                                 \
        work(tile, FEW(3));                                                                                  \
    else if ((vectors) <= 4)                                                                                 \
        work(tile, FEW(4));                                                                                  \
    else if ((vectors) <= 6)                                                                                 \
        work(tile, FEW(6));                                                                                  \
    else if ((vectors) <= 8)                                                                                 \
        work(tile, FEW(8));                                                                                  \
    else                                                                                                     \
        work(tile, VECTORS > 8 ? (vectors) : VECTORS)

static size_t vectors_of(const struct nufft_tile *tile)
{
    return (2 * tile->windows[0].span + LANES - 1) / LANES;
}

VECTOR_CODE static void spread_tile(const struct nufft_tile *tile)
{
    const size_t vectors = vectors_of(tile);

    WITH_VECTORS(spread, tile, vectors);
}

VECTOR_CODE static void read_tile(const struct nufft_tile *tile)
{
    const size_t vectors = vectors_of(tile);

    WITH_VECTORS(read_cells, tile, vectors);
}

const struct nufft_code SIMD_NAME(nufft_code) = {spread_tile, read_tile};
