// SPDX-License-Identifier: Apache-2.0
#include "host_fft_lines.h"

#include <stdlib.h>

#include "base/error.h"
#include "root_of_unity.h"

// WORTH: number of points from which more than one thread is worth waking.
enum { LANES_MAX = 16, ALIGNMENT = 64, WORTH = 1 << 17 };

// Inlined for a constant `wide`, so that no choice is left in the loops.
#define FOR_WIDTH static inline __attribute__((always_inline))

FOR_WIDTH double get(const void *numbers, size_t i, bool wide)
{
    return wide ? ((const double *)numbers)[i] : (double)((const float *)numbers)[i];
}

FOR_WIDTH void set(void *numbers, size_t i, bool wide, double value)
{
    if (wide)
        ((double *)numbers)[i] = value;
    else
        ((float *)numbers)[i] = (float)value;
}

// ---- a length ----

static size_t room_of(const struct host_fft *fft)
{
    size_t block = 2 * fft->length * fft->code->lanes * fft->code->number;

    return (3 * block + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// The transform of the chirp's conjugate on a circle of the convolution's length; it is symmetric.
static void fill_filter(const struct host_fft_line *line, const struct host_fft *exact, double *scratch)
{
    size_t n = line->length, circle = exact->length;

    for (size_t j = 0; j < n; j++)
        for (size_t part = 0; part < 2; part++) {
            double value = part ? -line->chirp[2 * j + 1] : line->chirp[2 * j];

            line->filter[2 * j + part] = value;
            line->filter[2 * ((circle - j) % circle) + part] = value;
        }
    exact->code->transform(exact, line->filter, scratch, line->filter);
    for (size_t i = 0; i < 2 * circle; i++)
        line->filter[i] /= (double)circle;
}

static kn_status make_chirp(struct host_fft_line *line, kn_error *err)
{
    size_t n = line->length, circle = line->fft->length;
    struct host_fft *exact = NULL;
    double *scratch = malloc(4 * circle * sizeof *scratch);
    kn_status status = ki_host_fft_create(circle, KN_F64, KN_HOST_SCALAR, &exact, err);

    line->chirp = malloc(2 * n * sizeof *line->chirp);
    line->filter = calloc(2 * circle, sizeof *line->filter);
    if (!status && (!scratch || !line->chirp || !line->filter))
        status = ki_fail_memory(err, (2 * n + 6 * circle) * sizeof *scratch, "a chirp transform");
    for (size_t j = 0; j < n && !status; j++)
        ki_fft_root_of_unity((uint64_t)j * j % (2 * n), 2 * n, &line->chirp[2 * j]);
    if (!status)
        fill_filter(line, exact, scratch);
    ki_host_fft_free(exact);
    free(scratch);
    return status;
}

kn_status ki_host_fft_line_create(size_t length, kn_type type, kn_host_level level,
                                  struct host_fft_line *line, kn_error *err)
{
    kn_status status;

    *line = (struct host_fft_line){.length = length};
    if (length == 0 || length > UINT32_MAX / 4)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a transform of %zu points; it goes from 1 to %u", length,
                       UINT32_MAX / 4);
    if (ki_host_fft_is_smooth(length)) {
        status = ki_host_fft_create(length, type, level, &line->fft, err);
    } else {
        status = ki_host_fft_create(ki_host_fft_length(2 * length - 1), type, level, &line->fft, err);
        if (!status)
            status = make_chirp(line, err);
    }
    if (!status)
        line->room = room_of(line->fft);
    return status;
}

void ki_host_fft_line_free(struct host_fft_line *line)
{
    ki_host_fft_free(line->fft);
    free(line->chirp);
    free(line->filter);
    *line = (struct host_fft_line){.fft = NULL};
}

// ---- between arrays and blocks ----

// Neighbouring lines that are transformed together, by the place of their first points.
struct group {
    const struct host_fft_lines *lines;
    size_t from[LANES_MAX], to[LANES_MAX], count;
};

// Point j. If half a spectrum lacks point j, it has the conjugate as point n - j; the spectrum of real
// numbers is real at points that are their own conjugates.
FOR_WIDTH void load_point(const struct host_fft_side *side, size_t line, size_t j, size_t n, bool wide,
                          double z[2])
{
    bool half = side->points == HOST_FFT_HALF, other = half && j > n / 2;
    size_t i = line + (other ? n - j : j) * side->step;

    z[1] = 0;
    switch (side->points) {
    case HOST_FFT_REAL:
        z[0] = get(side->at, i, wide);
        break;
    case HOST_FFT_U8:
        z[0] = ((const uint8_t *)side->at)[i];
        break;
    case HOST_FFT_U16:
        z[0] = ((const uint16_t *)side->at)[i];
        break;
    default:
        z[0] = get(side->at, 2 * i, wide);
        z[1] = half && 2 * j % n == 0 ? 0 : get(side->at, 2 * i + 1, wide) * (other ? -1 : 1);
    }
}

// Loads the block, with real and imaginary parts swapped for the inverse.
FOR_WIDTH void load_lines(const struct group *group, bool wide, void *block)
{
    const struct host_fft_lines *lines = group->lines;
    const size_t lanes = lines->line->fft->code->lanes, n = lines->line->length;
    const size_t re = lines->back ? lanes : 0, im = lanes - re;
    const size_t there = lines->from.points == HOST_FFT_HALF ? n : lines->from.count;

    for (size_t j = 0; j < n; j++)
        for (size_t lane = 0; lane < group->count; lane++) {
            double z[2] = {0, 0};

            if (j < there)
                load_point(&lines->from, group->from[lane], j, n, wide, z);
            set(block, 2 * j * lanes + re + lane, wide, z[0]);
            set(block, 2 * j * lanes + im + lane, wide, z[1]);
        }
}

FOR_WIDTH void store_lines(const struct group *group, bool wide, const void *block)
{
    const struct host_fft_lines *lines = group->lines;
    const struct host_fft_side *to = &lines->to;
    const size_t lanes = lines->line->fft->code->lanes, re = lines->back ? lanes : 0, im = lanes - re;
    const double scale = lines->scale;

    for (size_t j = 0; j < to->count; j++)
        for (size_t lane = 0; lane < group->count; lane++) {
            size_t i = group->to[lane] + j * to->step;
            double real = scale * get(block, 2 * j * lanes + re + lane, wide);

            if (to->points == HOST_FFT_REAL) {
                set(to->at, i, wide, real);
                continue;
            }
            set(to->at, 2 * i, wide, real);
            set(to->at, 2 * i + 1, wide, scale * get(block, 2 * j * lanes + im + lane, wide));
        }
}

// ---- Bluestein ----

// Multiplies each of the first `count` points by a number of the table; optionally with the conjugate of the
// point, or of the product.
FOR_WIDTH void multiply(void *block, size_t lanes, const double *table, size_t count, bool before, bool after,
                        bool wide)
{
    for (size_t j = 0; j < count; j++)
        for (size_t lane = 0; lane < lanes; lane++) {
            size_t re = 2 * j * lanes + lane, im = re + lanes;
            double x = get(block, re, wide), y = before ? -get(block, im, wide) : get(block, im, wide);
            double c = table[2 * j], s = table[2 * j + 1], product = x * s + y * c;

            set(block, re, wide, x * c - y * s);
            set(block, im, wide, after ? -product : product);
        }
}

FOR_WIDTH void transform(const struct host_fft_line *line, void *block, void *scratch, bool wide)
{
    const struct host_fft *fft = line->fft;
    size_t lanes = fft->code->lanes, circle = fft->length;

    if (!line->chirp) {
        fft->code->transform(fft, block, scratch, block);
        return;
    }
    multiply(block, lanes, line->chirp, line->length, false, false, wide);
    for (size_t i = 2 * line->length * lanes; i < 2 * circle * lanes; i++)
        set(block, i, wide, 0);
    fft->code->transform(fft, block, scratch, block);
    multiply(block, lanes, line->filter, circle, false, true,
             wide); // the transform of a conjugate is the inverse
    fft->code->transform(fft, block, scratch, block);
    multiply(block, lanes, line->chirp, line->length, true, false, wide);
}

// ---- all lines ----

struct work {
    const struct host_fft_lines *lines;
    unsigned char *room;
    size_t total;
};

static size_t place_of(const struct host_fft_side *side, const size_t index[HOST_FFT_ACROSS])
{
    return index[0] * side->across[0] + index[1] * side->across[1] + index[2] * side->across[2];
}

static void transform_group(void *context, size_t number)
{
    const struct work *work = context;
    const struct host_fft_lines *lines = work->lines;
    const struct host_fft *fft = lines->line->fft;
    const size_t lanes = fft->code->lanes, first = number * lanes, *counts = lines->count;
    struct group group = {.lines = lines};
    unsigned char *block = work->room + lines->line->room * ki_thread(),
                  *scratch = block + 2 * fft->length * lanes * fft->code->number;
    bool wide = fft->code->number == sizeof(double);

    for (size_t i = first; i < work->total && i < first + lanes; i++) {
        const size_t index[] = {i % counts[0], i / counts[0] % counts[1], i / counts[0] / counts[1]};

        group.from[group.count] = place_of(&lines->from, index);
        group.to[group.count++] = place_of(&lines->to, index);
    }
    if (wide) {
        load_lines(&group, true, block);
        transform(lines->line, block, scratch, true);
        store_lines(&group, true, block);
    } else {
        load_lines(&group, false, block);
        transform(lines->line, block, scratch, false);
        store_lines(&group, false, block);
    }
}

void ki_host_fft_lines(const struct host_fft_lines *lines, unsigned threads, void *room)
{
    const size_t total = lines->count[0] * lines->count[1] * lines->count[2],
                 lanes = lines->line->fft->code->lanes;
    struct work work = {lines, room, total};

    ki_parallel(total * lines->line->length < WORTH ? 1 : threads, (total + lanes - 1) / lanes, KI_STATIC,
                transform_group, &work);
}
