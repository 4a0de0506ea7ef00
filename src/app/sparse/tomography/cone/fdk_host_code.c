// SPDX-License-Identifier: Apache-2.0
// The back-projection of fdk_host.h, for neighbouring slices at once. Compiled for every instruction set,
// including plain C, and every width of numbers (src/host/simd/simd.h).
#include "host/simd/simd.h"
#include "fdk_host.h"

#include <math.h>
#include <string.h>

// Neighbouring slices are summed together: a tile of them fits into the first cache, with the columns that it
// sees.
enum { SLICES = 512 / sizeof(real), VECTORS = SLICES / LANES, TILE = SPARSE_FDK_TILE };

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

// Adds what a projection has for the slices of a chunk, from `z` on, to their sums; `count` is 0, 1, 2, ...
VECTOR_OPERATION void add_view(const struct sparse_fdk_columns *c, const struct seen *seen, size_t z,
                               const real *count, real *column, real *sums)
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
    for (size_t i = 0; i < SLICES; i += LANES) {
        const reals at = lesser(greater(plus_product(first, step, load_reals(count + i)), least), most);

        store_reals(sums + i, load_reals(sums + i) + between_reals(column, at));
    }
}

// Where a tile begins, and how many pixels it has along lines and across.
struct tile {
    size_t x, y, z, width, height;
};

// The sums of a tile's pixels.
VECTOR_CODE static void sum_tile(const struct sparse_fdk_columns *c, const struct tile *tile,
                                 const real *count, real *column, real sums[TILE * TILE][SLICES])
{
    const double half = ((double)c->size - 1) / 2;

    memset(sums, 0, TILE * TILE * sizeof *sums);
    for (size_t t = 0; t < c->angles; t++)
        for (size_t i = 0; i < tile->width * tile->height; i++) {
            const size_t x = tile->x + i % tile->width, y = tile->y + i / tile->width;
            struct seen seen;

            if (see(c, t, (double)x - half, (double)y - half, &seen))
                add_view(c, &seen, tile->z, count, column, sums[i]);
        }
}

static void store_tile(const struct sparse_fdk_columns *c, const struct tile *tile,
                       real sums[TILE * TILE][SLICES], real *volume)
{
    const size_t left = c->slices - tile->z, count = left < SLICES ? left : SLICES;

    for (size_t s = 0; s < count; s++)
        for (size_t j = 0; j < tile->height; j++) {
            real *to = volume + ((tile->z + s) * c->size + tile->y + j) * c->size + tile->x;

            for (size_t i = 0; i < tile->width; i++)
                to[i] = sums[j * tile->width + i][s] + (c->adds ? to[i] : 0);
        }
}

static size_t side(size_t from, size_t size)
{
    return size - from < TILE ? size - from : TILE;
}

static void back(const struct sparse_fdk_columns *c, size_t y, void *column, void *volume)
{
    real sums[TILE * TILE][SLICES], count[SLICES];

    for (size_t i = 0; i < SLICES; i++)
        count[i] = (real)i;
    for (size_t z = 0; z < c->slices; z += SLICES)
        for (size_t x = 0; x < c->size; x += TILE) {
            const struct tile tile = {x, y, z, side(x, c->size), side(y, c->size)};

            sum_tile(c, &tile, count, column, sums);
            store_tile(c, &tile, sums, volume);
        }
}

const struct sparse_fdk_code SIMD_NAME(sparse_fdk) = {SIMD_TITLE, back};
