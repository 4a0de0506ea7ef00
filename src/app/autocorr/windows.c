// SPDX-License-Identifier: Apache-2.0
// An overlap is the image less a strip at one side, left or right, and one at the bottom (of the first image)
// or the top (of the second). So one walk over the rows gives all windows' sums, beginning at the side that
// stays: each row is added to the sums of the columns, and for each Y0 all of these but the first k and all
// but the last k are added up.
#include "autocorr.h"

#include <stdbool.h>

#include "base/error.h"
#include "base/vector.h"
#include "app/autocorr/host/host_fourier.h"

// Sums of pixels and of their squares.
struct sums {
    uint64_t s, q;
};

// Of the rows so far: without[k] lack the first k columns, or the last.
struct edges {
    struct sums *without_first, *without_last;
    size_t count;                // k = 0 to count - 1; what has fewer columns is 0
    uint64_t *columns, *squares; // of the columns so far
    size_t width;
};

static void add_row(const struct autocorr_image *image, size_t y, uint64_t *columns, uint64_t *squares)
{
    const uint8_t *bytes = (const uint8_t *)image->pixels + (image->type == KN_U8 ? y * image->stride : 0);
    const uint16_t *shorts =
        (const uint16_t *)image->pixels + (image->type == KN_U16 ? y * image->stride : 0);

    if (image->type == KN_U8) {
        KI_SIMD
        for (size_t x = 0; x < image->width; x++) {
            columns[x] += bytes[x];
            squares[x] += (uint32_t)bytes[x] * bytes[x];
        }
    } else {
        KI_SIMD
        for (size_t x = 0; x < image->width; x++) {
            columns[x] += shorts[x];
            squares[x] += (uint32_t)shorts[x] * shorts[x];
        }
    }
}

static void subtract_column(struct sums *sums, const struct edges *edges, size_t x)
{
    sums->s -= edges->columns[x];
    sums->q -= edges->squares[x];
}

static void add_columns(struct edges *edges)
{
    struct sums first = {0, 0}, last;

    for (size_t x = 0; x < edges->width; x++) {
        first.s += edges->columns[x];
        first.q += edges->squares[x];
    }
    last = first;
    for (size_t k = 0; k < edges->count && k < edges->width; k++) {
        edges->without_first[k] = first;
        edges->without_last[k] = last;
        subtract_column(&first, edges, k);
        subtract_column(&last, edges, edges->width - 1 - k);
    }
}

// The rows so far are those of offset y0. At X0 = k the first image lacks its last k columns, the second one
// its first.
static void store(const struct edges *edges, size_t max_offset, size_t y0, bool is_second,
                  struct autocorr_window *windows)
{
    for (size_t k = 0; k < edges->count; k++) {
        struct autocorr_window *right = &windows[autocorr_at(max_offset, (ptrdiff_t)k, y0)];
        struct autocorr_window *left = &windows[autocorr_at(max_offset, -(ptrdiff_t)k, y0)];

        if (is_second) {
            right->s2 = edges->without_first[k].s;
            right->q2 = edges->without_first[k].q;
            left->s2 = edges->without_last[k].s;
            left->q2 = edges->without_last[k].q;
        } else {
            right->s1 = edges->without_last[k].s;
            right->q1 = edges->without_last[k].q;
            left->s1 = edges->without_first[k].s;
            left->q1 = edges->without_first[k].q;
        }
    }
}

// The first image from the top, the second one from the bottom.
static kn_status walk(const struct autocorr_task *task, bool is_second, struct autocorr_window *windows,
                      kn_error *err)
{
    const struct autocorr_image *image = is_second ? autocorr_second(task) : &task->first;
    size_t count = task->max_offset + 1;
    struct sums *memory = ki_kept_take_zeros(task->kept, 2 * count, sizeof *memory);
    struct edges edges = {memory, memory ? memory + count : NULL, count, NULL, NULL, image->width};
    kn_status status = KN_OK;

    edges.columns = ki_kept_take_zeros(task->kept, image->width, sizeof *edges.columns);
    edges.squares = ki_kept_take_zeros(task->kept, image->width, sizeof *edges.squares);
    if (!memory || !edges.columns || !edges.squares)
        status =
            ki_fail_memory(err, 2 * (count + image->width) * sizeof *memory, "the sums of an image's edges");
    for (size_t left = image->height; left-- > 0 && !status;) {
        add_row(image, is_second ? left : image->height - 1 - left, edges.columns, edges.squares);
        if (left > task->max_offset)
            continue;
        add_columns(&edges);
        store(&edges, task->max_offset, left, is_second, windows);
    }
    ki_kept_give(task->kept, memory);
    ki_kept_give(task->kept, edges.columns);
    ki_kept_give(task->kept, edges.squares);
    return status;
}

kn_status ki_autocorr_masked_windows(struct autocorr_fourier *fourier, const struct autocorr_task *task,
                                     struct autocorr_window *windows, kn_error *err)
{
    kn_error inexact = KN_ERROR_INIT;
    kn_status status = ki_autocorr_fourier_exact(fourier, task, NULL, windows, NULL, &inexact);

    if (status == KN_ERROR_UNSUPPORTED)
        return ki_autocorr_reference_windows(task, windows, err);
    if (status && err)
        *err = inexact;
    return status;
}

// With tables and room of its own.
static kn_status masked_windows(const struct autocorr_task *task, struct autocorr_window *windows,
                                kn_error *err)
{
    struct autocorr_fourier *fourier;
    kn_status status = ki_autocorr_fourier_create(NULL, &fourier, err);

    if (!status)
        status = ki_autocorr_masked_windows(fourier, task, windows, err);
    ki_autocorr_fourier_free(fourier);
    return status;
}

void ki_autocorr_spread_window(size_t max_offset, struct autocorr_window *windows)
{
    const struct autocorr_window whole = windows[autocorr_at(max_offset, 0, 0)];

    for (size_t i = 0; i < autocorr_offsets(max_offset); i++)
        windows[i] = whole;
}

kn_status ki_autocorr_windows(const struct autocorr_task *task, struct autocorr_window *windows,
                              kn_error *err)
{
    size_t width = task->first.width, height = task->first.height, max_offset = task->max_offset;
    kn_status status;

    if (task->mask)
        return masked_windows(task, windows, err);
    status = ki_autocorr_check(task, err);
    for (size_t y0 = 0; y0 <= max_offset && !status; y0++)
        for (size_t column = 0; column <= 2 * max_offset; column++) {
            size_t x0 = column < max_offset ? max_offset - column : column - max_offset;
            uint64_t pairs = x0 < width && y0 < height ? (width - x0) * (height - y0) : 0;

            windows[y0 * (2 * max_offset + 1) + column] = (struct autocorr_window){.n = pairs};
        }
    if (!status)
        status = walk(task, false, windows, err);
    if (!status)
        status = walk(task, true, windows, err);
    if (!status && task->periodic)
        ki_autocorr_spread_window(max_offset, windows);
    return status;
}
