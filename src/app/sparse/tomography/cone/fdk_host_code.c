// SPDX-License-Identifier: Apache-2.0
// The back-projection of fdk_host.h, for neighbouring slices at once. Compiled for every instruction set,
// including plain C, and every width of numbers (src/host/simd/simd.h).
#include "host/simd/simd.h"
#include "fdk_host.h"

#include <math.h>

enum { VECTORS = SPARSE_FDK_VECTORS, SLICES = VECTORS * LANES, TILE = SPARSE_FDK_TILE };

_Static_assert((int)LANES <= (int)SPARSE_FDK_LANES, "columns are padded to whole vectors");

// A pixel as one projection sees it: between columns `first` and the next, with these weights; slice 0 at
// place `v` of a column, and the next ones `step` apart.
struct seen {
    const real *first;
    real weight[2];
    double v, step;
};

// False if no detector sees it.
VECTOR_OPERATION bool see(const struct sparse_fdk_columns *c, size_t t, double right, double down,
                          struct seen *seen)
{
    const struct sparse_view *view = &c->views[t];
    const double across = right * view->cosine + down * view->sine,
                 along = c->source + right * view->sine - down * view->cosine, enlarged = c->length / along,
                 u = c->axis + enlarged * across, low = floor(u), part = u - low,
                 weight = c->weights[t] * enlarged * (c->source / along);

    if (!(u > -1 && u < (double)c->detectors))
        return false;
    seen->first = (const real *)c->numbers + (t * (c->detectors + 2) + (size_t)(low + 1)) * c->stride;
    seen->weight[0] = (real)(weight * (1 - part));
    seen->weight[1] = (real)(weight * part);
    seen->v = SPARSE_FDK_FIRST + ((double)c->lines - 1) / 2 - enlarged * ((double)c->slices - 1) / 2;
    seen->step = enlarged;
    return true;
}

// Between both columns: numbers `first` to at least `end` - 1.
VECTOR_OPERATION void interpolate(const struct seen *seen, size_t stride, size_t first, size_t end, real *to)
{
    const real *a = seen->first, *b = seen->first + stride;
    const reals of_a = set_reals(seen->weight[0]), of_b = set_reals(seen->weight[1]);

    for (size_t i = first; i < end; i += LANES)
        store_reals(to + i, plus_product(of_a * load_reals(a + i), of_b, load_reals(b + i)));
}

// Adds what a projection has for the slices of a chunk, from `z` on.
VECTOR_OPERATION void add_view(const struct sparse_fdk_columns *c, const struct seen *seen, size_t z,
                               const reals *count, real *column, reals *sums)
{
    const double last = (double)(c->lines + SPARSE_FDK_FIRST), low = seen->v + (double)z * seen->step,
                 high = low + (SLICES - 1) * seen->step, whole = low > 0 ? floor(low) : 0;
    const reals first = set_reals((real)(low - whole)), step = set_reals((real)seen->step),
                least = set_reals(0), most = set_reals((real)(last - whole));

    if (low >= last || high <= 0)
        return; // no line sees the chunk
    interpolate(seen, c->stride, (size_t)whole, (size_t)(high < last ? high : last) + SPARSE_FDK_MORE,
                column);
    column += (size_t)whole;
    _Pragma("GCC unroll 8") for (size_t v = 0; v < VECTORS; v++)
    {
        const reals at = lesser(greater(plus_product(first, step, count[v]), least), most);

        sums[v] = sums[v] + between_reals(column, at);
    }
}

// The sums of a pixel in the slices of a chunk.
VECTOR_OPERATION void sum_views(const struct sparse_fdk_columns *c, size_t x, size_t y, size_t z,
                                const reals *count, real *column, real *to)
{
    const double half = ((double)c->size - 1) / 2, right = (double)x - half, down = (double)y - half;
    reals sums[VECTORS];

    for (size_t v = 0; v < VECTORS; v++)
        sums[v] = set_reals(0);
    for (size_t t = 0; t < c->angles; t++) {
        struct seen seen;

        if (see(c, t, right, down, &seen))
            add_view(c, &seen, z, count, column, sums);
    }
    for (size_t v = 0; v < VECTORS; v++)
        store_reals(to + v * LANES, sums[v]);
}

// Pixels `x` to x + width - 1 of the slices from `z` on.
static void store_tile(const struct sparse_fdk_columns *c, real tile[TILE][SLICES], size_t x, size_t width,
                       size_t y, size_t z, real *volume)
{
    const size_t left = c->slices - z, count = left < SLICES ? left : SLICES;

    for (size_t s = 0; s < count; s++) {
        real *to = volume + ((z + s) * c->size + y) * c->size + x;

        for (size_t i = 0; i < width; i++)
            to[i] = c->adds ? to[i] + tile[i][s] : tile[i][s];
    }
}

VECTOR_CODE static void back(const struct sparse_fdk_columns *c, size_t y, void *column, void *volume)
{
    real tile[TILE][SLICES];
    reals count[VECTORS];

    for (size_t i = 0; i < SLICES; i++)
        tile[0][i] = (real)i;
    for (size_t v = 0; v < VECTORS; v++)
        count[v] = load_reals(tile[0] + v * LANES);
    for (size_t x = 0; x < c->size; x += TILE) {
        const size_t width = c->size - x < TILE ? c->size - x : TILE;

        for (size_t z = 0; z < c->slices; z += SLICES) {
            for (size_t i = 0; i < width; i++)
                sum_views(c, x + i, y, z, count, column, tile[i]);
            store_tile(c, tile, x, width, y, z, volume);
        }
    }
}

const struct sparse_fdk_code SIMD_NAME(sparse_fdk) = {SIMD_TITLE, back};
