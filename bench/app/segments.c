// SPDX-License-Identifier: Apache-2.0
#include "segments.h"

#include <math.h>
#include <stdlib.h>

#include "bench/bench.h"

enum { MOST_PIECES = 256 };

double bench_uniform(uint64_t *seed)
{
    return (double)(bench_random(seed) >> 11) * 0x1p-53;
}

struct segments {
    size_t nx, ny, rows;
    double length;
    uint32_t *row, *column;
    double *values;
    size_t count;
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

// Where a segment of direction u from p crosses the lines of an axis, as parts of its length.
static size_t cross(double p, double u, double length, size_t lines, double *at)
{
    size_t count = 0;

    for (size_t line = 0; line <= lines && fabs(u) > 1e-12; line++) {
        double t = ((double)line - p) / u;
        if (t > 0 && t < length)
            at[count++] = t;
    }
    return count;
}

// The pixels of a segment with its length in each; false if it has none.
static bool add_segment(struct segments *s, uint32_t row, uint64_t *seed)
{
    double angle = acos(-1) * (double)(row * 7 % 360) / 360, ux = cos(angle), uy = sin(angle),
           at[MOST_PIECES];
    double px = bench_uniform(seed) * (double)s->nx - ux * s->length / 2;
    double py = bench_uniform(seed) * (double)s->ny - uy * s->length / 2;
    size_t count = 0, before = s->count;

    at[count++] = 0;
    at[count++] = s->length;
    count += cross(px, ux, s->length, s->nx, at + count);
    count += cross(py, uy, s->length, s->ny, at + count);
    qsort(at, count, sizeof *at, ascending);
    for (size_t i = 0; i + 1 < count; i++) {
        double middle = (at[i] + at[i + 1]) / 2, x = floor(px + middle * ux), y = floor(py + middle * uy);
        if (x < 0 || y < 0 || x >= (double)s->nx || y >= (double)s->ny || at[i + 1] - at[i] < 1e-9)
            continue;
        s->row[s->count] = row;
        s->column[s->count] = (uint32_t)(y * (double)s->nx + x);
        s->values[s->count++] = at[i + 1] - at[i];
    }
    return s->count > before;
}

void bench_segments(bool large, struct sparse_matrix *matrix)
{
    struct segments s = {.nx = large ? 60 : 64, .ny = large ? 50 : 48, .rows = large ? 320000 : 81545};
    struct sparse_entries entries = {.rows = s.rows, .columns = s.nx * s.ny};
    double *scale = bench_allocate(entries.columns * sizeof *scale);
    uint64_t seed = 3;
    kn_error err = KN_ERROR_INIT;
    size_t most = s.rows * 32;

    s.length = large ? 3.6 : 7.95;
    s.row = bench_allocate(most * sizeof *s.row);
    s.column = bench_allocate(most * sizeof *s.column);
    s.values = bench_allocate(most * sizeof *s.values);
    for (uint32_t row = 0; row < s.rows;)
        row += add_segment(&s, row, &seed);
    for (size_t j = 0; j < entries.columns; j++)
        scale[j] = pow(10, -2 * bench_uniform(&seed));
    for (size_t i = 0; i < s.count; i++)
        s.values[i] *= scale[s.column[i]];
    entries.count = s.count;
    entries.row = s.row;
    entries.column = s.column;
    entries.values = s.values;
    bench_try(ki_sparse_from_entries(&entries, matrix, &err), &err);
    free(s.row);
    free(s.column);
    free(s.values);
    free(scale);
}
