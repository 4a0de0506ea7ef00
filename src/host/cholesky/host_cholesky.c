// SPDX-License-Identifier: Apache-2.0
#include "host_cholesky.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "host_cholesky_internal.h"

// Columns that are updated together, and the number of columns before them that are applied at a time.
enum { STRIP = CHOLESKY_STRIP, BLOCK = 128, DEPTH = 256 };

// The matrix is padded to whole strips with a diagonal of ones. L is stored below the diagonal; above it,
// L^T, so that both substitutions go along rows.
struct host_cholesky {
    struct host_plan plan;
    cholesky_update *update;
    size_t n, size, pitch;
    double *elements;
    double *work; // the original diagonal, and a block's strips
};

static cholesky_update *const levels[] = {[KN_HOST_SCALAR] = ki_cholesky_update_scalar,
                                          HOST_SET_VECTORS(cholesky_update)};

// ---- memory ----

// Memory of whole cache lines.
static double *allocate(size_t count)
{
    return aligned_alloc(64, (count * sizeof(double) / 64 + 1) * 64);
}

// The number of rows and columns, and the pitch of a row: rows do not fall on the same cache lines.
static size_t size_of(size_t n)
{
    return (n + STRIP - 1) / STRIP * STRIP;
}

static size_t pitch_of(size_t n)
{
    return size_of(n) + 8;
}

size_t ki_host_cholesky_bytes(size_t n)
{
    return (size_of(n) * pitch_of(n) + size_of(n) + BLOCK * DEPTH) * sizeof(double);
}

kn_status ki_host_cholesky_create(size_t n, const kn_host_options *options, struct host_cholesky **cholesky,
                                  kn_error *err)
{
    struct host_cholesky *c = calloc(1, sizeof *c);
    size_t size = size_of(n), pitch = pitch_of(n);
    kn_status status = c ? ki_host_plan("host_cholesky_create", KN_F64, 0, options, &c->plan, err)
                         : ki_fail_memory(err, sizeof *c, "a dense system");

    if (!status) {
        c->n = n;
        c->size = size;
        c->pitch = pitch;
        c->update = levels[c->plan.level];
        c->elements = n < (size_t)1 << 24 ? allocate(size * pitch) : NULL;
        c->work = allocate(size + BLOCK * DEPTH);
        if (c->elements && c->work)
            memset(c->elements, 0, size * pitch * sizeof *c->elements);
        else
            status = ki_fail_memory(err, size * pitch * sizeof *c->elements, "a dense system");
    }
    if (status)
        ki_host_cholesky_free(c);
    else
        *cholesky = c;
    return status;
}

void ki_host_cholesky_free(struct host_cholesky *cholesky)
{
    if (!cholesky)
        return;
    free(cholesky->elements);
    free(cholesky->work);
    free(cholesky);
}

double *ki_host_cholesky_row(struct host_cholesky *cholesky, size_t i)
{
    return cholesky->elements + i * cholesky->pitch;
}

// ---- factors ----

// Copies rows `strip` to strip + 15 of L, columns first to last - 1, as strips one after the other.
static void pack(const struct host_cholesky *c, size_t strip, size_t first, size_t last, double *packed)
{
    for (size_t k = first; k < last; k++)
        for (size_t i = 0; i < STRIP; i++)
            packed[(k - first) * STRIP + i] = c->elements[(strip + i) * c->pitch + k];
}

// Columns first to last - 1 of L, and the strips of columns from..to - 1 from which they are subtracted.
struct update {
    const struct host_cholesky *c;
    size_t from, to, first, depth;
    const double *packed;
};

static void update_rows(void *context, size_t b)
{
    const struct update *u = context;
    const struct host_cholesky *c = u->c;
    size_t row = u->from + b * BLOCK, rows = c->size - row < BLOCK ? c->size - row : BLOCK;

    for (size_t strip = u->from; strip < u->to && strip < row + rows; strip += STRIP) {
        size_t at = strip > row ? strip : row;

        c->update(c->elements + at * c->pitch + u->first, u->packed + (strip - u->from) * DEPTH, u->depth,
                  c->elements + at * c->pitch + strip, row + rows - at, c->pitch, c->pitch);
    }
}

// Subtracts columns first to last - 1 of L from what is below the diagonal in the strips of columns from..to
// - 1.
static void update_block(const struct host_cholesky *c, size_t from, size_t to, size_t first, size_t last,
                         double *packed)
{
    size_t depth = last - first, blocks = (c->size - from + BLOCK - 1) / BLOCK;
    unsigned threads = ki_host_threads(&c->plan, (c->size - from) * depth * sizeof *packed);

    for (size_t strip = from; strip < to; strip += STRIP)
        pack(c, strip, first, last, packed + (strip - from) * DEPTH);
    ki_parallel(threads, blocks, KI_DYNAMIC, update_rows,
                &(struct update){c, from, to, first, depth, packed});
}

// Factors the strip's triangle on the diagonal; false at a pivot that is nothing but rounding.
static bool factor_triangle(const struct host_cholesky *c, size_t strip, const double *diagonal,
                            size_t *column)
{
    double *a = c->elements + strip * c->pitch + strip;

    for (size_t j = 0; j < STRIP; j++) {
        double pivot = a[j * c->pitch + j];

        for (size_t k = 0; k < j; k++)
            pivot -= a[j * c->pitch + k] * a[j * c->pitch + k];
        if (!(pivot > (double)c->n * DBL_EPSILON * diagonal[strip + j]) || !isfinite(pivot)) {
            *column = strip + j;
            return false;
        }
        a[j * c->pitch + j] = sqrt(pivot);
        for (size_t i = j + 1; i < STRIP; i++) {
            double sum = a[i * c->pitch + j];

            for (size_t k = 0; k < j; k++)
                sum -= a[i * c->pitch + k] * a[j * c->pitch + k];
            a[i * c->pitch + j] = sum / a[j * c->pitch + j];
        }
    }
    return true;
}

struct strip {
    const struct host_cholesky *c;
    size_t at;
};

static void factor_rows(void *context, size_t b)
{
    const struct strip *strip = context;
    const struct host_cholesky *c = strip->c;
    const double *triangle = c->elements + strip->at * c->pitch + strip->at;
    size_t row = strip->at + STRIP + b * BLOCK, end = c->size - row < BLOCK ? c->size : row + BLOCK;

    for (; row < end; row++) {
        double *a = c->elements + row * c->pitch + strip->at;

        for (size_t j = 0; j < STRIP; j++) {
            for (size_t k = 0; k < j; k++)
                a[j] -= a[k] * triangle[j * c->pitch + k];
            a[j] /= triangle[j * c->pitch + j];
        }
    }
}

// Computes the strip's columns of L below its triangle.
static void factor_strip(const struct host_cholesky *c, size_t strip)
{
    size_t rows = c->size - strip - STRIP, blocks = (rows + BLOCK - 1) / BLOCK;
    unsigned threads = ki_host_threads(&c->plan, rows * STRIP * sizeof *c->elements);

    ki_parallel(threads, blocks, KI_STATIC, factor_rows, &(struct strip){c, strip});
}

// Copies L^T above the diagonal.
static void mirror_strip(void *context, size_t b)
{
    const struct host_cholesky *c = context;

    for (size_t strip = b * STRIP; strip < c->size; strip += STRIP)
        for (size_t i = b * STRIP; i < (b + 1) * STRIP; i++)
            for (size_t k = strip > i ? strip : i + 1; k < strip + STRIP; k++)
                c->elements[i * c->pitch + k] = c->elements[k * c->pitch + i];
}

static bool factor_all(struct host_cholesky *c, const double *diagonal, double *packed, size_t *column)
{
    for (size_t from = 0; from < c->size; from += BLOCK) {
        size_t to = c->size - from < BLOCK ? c->size : from + BLOCK;

        for (size_t first = 0; first < from; first += DEPTH)
            update_block(c, from, to, first, from - first < DEPTH ? from : first + DEPTH, packed);
        for (size_t strip = from; strip < to; strip += STRIP) {
            if (strip > from)
                update_block(c, strip, strip + STRIP, from, strip, packed);
            if (!factor_triangle(c, strip, diagonal, column))
                return false;
            factor_strip(c, strip);
        }
    }
    ki_parallel(c->plan.threads, c->size / STRIP, KI_DYNAMIC, mirror_strip, c);
    return true;
}

bool ki_host_cholesky_factor(struct host_cholesky *cholesky, size_t *column)
{
    double *diagonal = cholesky->work, *packed = cholesky->work + cholesky->size;

    for (size_t i = 0; i < cholesky->size; i++) {
        double *element = &cholesky->elements[i * cholesky->pitch + i];

        if (i >= cholesky->n)
            *element = 1;
        diagonal[i] = *element;
    }
    return factor_all(cholesky, diagonal, packed, column);
}

// ---- solutions ----

// Solves for a strip's rows of y with its triangle: below the diagonal (step 1), or above (step -1).
static void solve_triangle(const struct host_cholesky *c, size_t strip, int step, double *y)
{
    const double *a = c->elements + strip * c->pitch + strip;
    size_t first = step > 0 ? 0 : STRIP - 1;

    for (size_t done = 0, i = first; done < STRIP; done++, i += (size_t)step) {
        double *to = y + i * STRIP;

        for (size_t before = 0, k = first; before < done; before++, k += (size_t)step)
            for (size_t lane = 0; lane < STRIP; lane++)
                to[lane] -= a[i * c->pitch + k] * y[k * STRIP + lane];
        for (size_t lane = 0; lane < STRIP; lane++)
            to[lane] /= a[i * c->pitch + i];
    }
}

// 16 vectors side by side.
static void solve_strip(const struct host_cholesky *c, double *y)
{
    for (size_t strip = 0; strip < c->size; strip += STRIP) {
        c->update(c->elements + strip * c->pitch, y, strip, y + strip * STRIP, STRIP, c->pitch, STRIP);
        solve_triangle(c, strip, 1, y + strip * STRIP);
    }
    for (size_t end = c->size; end > 0; end -= STRIP) {
        size_t strip = end - STRIP;

        c->update(c->elements + strip * c->pitch + end, y + end * STRIP, c->size - end, y + strip * STRIP,
                  STRIP, c->pitch, STRIP);
        solve_triangle(c, strip, -1, y + strip * STRIP);
    }
}

struct right_sides {
    const struct host_cholesky *c;
    double *x, *rooms; // rooms: one a thread
    size_t count;
};

// Sixteen of them, or the rest.
static void solve_some(void *context, size_t s)
{
    const struct right_sides *sides = context;
    const struct host_cholesky *c = sides->c;
    size_t room = c->size * STRIP, rest = sides->count - s * STRIP, lanes = rest < STRIP ? rest : STRIP;
    double *y = sides->rooms + ki_thread() * room, *from = sides->x + s * STRIP * c->n;

    memset(y, 0, room * sizeof *y);
    for (size_t lane = 0; lane < lanes; lane++)
        for (size_t i = 0; i < c->n; i++)
            y[i * STRIP + lane] = from[lane * c->n + i];
    solve_strip(c, y);
    for (size_t lane = 0; lane < lanes; lane++)
        for (size_t i = 0; i < c->n; i++)
            from[lane * c->n + i] = y[i * STRIP + lane];
}

kn_status ki_host_cholesky_solve(const struct host_cholesky *cholesky, double *x, size_t count, kn_error *err)
{
    const struct host_cholesky *c = cholesky;
    size_t strips = (count + STRIP - 1) / STRIP, room = c->size * STRIP;
    unsigned threads = c->plan.threads < strips ? c->plan.threads : (unsigned)strips;
    double *all;

    if (count == 0)
        return KN_OK;
    all = allocate(threads * room);
    if (!all)
        return ki_fail_memory(err, threads * room * sizeof *all, "solving a dense system");
    ki_parallel(threads, strips, KI_STATIC, solve_some, &(struct right_sides){c, x, all, count});
    free(all);
    return KN_OK;
}
