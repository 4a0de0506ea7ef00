// SPDX-License-Identifier: Apache-2.0
// The back-projection of fbp_host.h, for neighbouring pixels of a line at once. Compiled for every
// instruction set, including plain C, and every width of numbers (src/host/simd/simd.h).
#include "host/simd/simd.h"
#include "fbp_host.h"

#include <math.h>
#include <string.h>

enum { VECTORS = SPARSE_FBP_VECTORS, PIXELS = VECTORS * LANES };

_Static_assert((int)PIXELS <= (int)SPARSE_FBP_CHUNK, "the margins are wide enough");

// Adds the values of a projection at the positions of a chunk: its first pixel is at `at`, in detectors from
// 0.
VECTOR_OPERATION void add_view(const struct sparse_fbp_rows *rows, size_t t, double at, double step,
                               const reals *count, reals *sums)
{
    const double low = step < 0 ? at + (PIXELS - 1) * step : at, whole = floor(low);
    const real *row = (const real *)rows->rows + t * rows->stride + SPARSE_FBP_MARGIN;
    const reals first = set_reals((real)(at - whole)), next = set_reals((real)step);

    if (low >= (double)rows->detectors || whole < -(PIXELS + 1))
        return; // the chunk is outside the detectors
    row += (ptrdiff_t)whole;
    _Pragma("GCC unroll 8") for (size_t v = 0; v < VECTORS; v++) sums[v] =
        sums[v] + between_reals(row, plus_product(first, next, count[v]));
}

VECTOR_CODE static void back(const struct sparse_fbp_rows *rows, size_t line, void *to)
{
    real *y = to, numbers[PIXELS];
    reals count[VECTORS];

    for (size_t i = 0; i < PIXELS; i++)
        numbers[i] = (real)i;
    for (size_t v = 0; v < VECTORS; v++)
        count[v] = load_reals(numbers + v * LANES);
    for (size_t x = 0; x < rows->size; x += PIXELS) {
        const size_t left = rows->size - x;
        reals sums[VECTORS];

        for (size_t v = 0; v < VECTORS; v++)
            sums[v] = set_reals(0);
        for (size_t t = 0; t < rows->angles; t++) {
            const struct sparse_view *view = &rows->views[t];

            add_view(rows, t, view->origin + (double)line * view->sine + (double)x * view->cosine,
                     view->cosine, count, sums);
        }
        for (size_t v = 0; v < VECTORS; v++)
            store_reals(numbers + v * LANES, sums[v]);
        memcpy(y + x, numbers, (left < PIXELS ? left : PIXELS) * sizeof *y);
    }
}

const struct sparse_fbp_code SIMD_NAME(sparse_fbp) = {SIMD_TITLE, back};
