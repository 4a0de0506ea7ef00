// SPDX-License-Identifier: Apache-2.0
// An overlap is the image less a strip at one side, left or right, and one at the bottom (of the first image)
// or the top (of the second). So all windows' sums come out of one walk over the rows, from the side that
// stays: each row's sums without its first and without its last k pixels are added to those of the rows
// before.
#include "autocorr.h"

#include <stdbool.h>
#include <stdlib.h>

#include "../../base/error.h"

// Sums of pixels and of their squares.
struct sums {
    uint64_t s, q;
};

// Of the rows so far: without[k] lack the first k pixels of each, or the last.
struct edges {
    struct sums *without_first, *without_last;
    size_t count; // k = 0 to count - 1; what has fewer pixels is 0
};

static uint64_t pixel_of(const struct autocorr_image *image, size_t at)
{
    return image->type == KN_U8 ? ((const uint8_t *)image->pixels)[at]
                                : ((const uint16_t *)image->pixels)[at];
}

// Squares of a row of 8 bits have 32 bits up to 66,051 pixels, and go in pieces of fewer.
static struct sums row_of_bytes(const uint8_t *row, size_t width)
{
    enum { PIECE = 1 << 16 };
    struct sums sums = {0, 0};

    for (size_t first = 0; first < width; first += PIECE) {
        size_t end = width - first < PIECE ? width : first + PIECE;
        uint32_t s = 0, q = 0;

        for (size_t x = first; x < end; x++) {
            s += row[x];
            q += (uint32_t)row[x] * row[x];
        }
        sums.s += s;
        sums.q += q;
    }
    return sums;
}

static struct sums row_of_words(const uint16_t *row, size_t width)
{
    struct sums sums = {0, 0};

    for (size_t x = 0; x < width; x++) {
        sums.s += row[x];
        sums.q += (uint32_t)row[x] * row[x];
    }
    return sums;
}

static void add(struct sums *to, struct sums row)
{
    to->s += row.s;
    to->q += row.q;
}

static void subtract_pixel(struct sums *sums, uint64_t pixel)
{
    sums->s -= pixel;
    sums->q -= pixel * pixel;
}

static void add_row(const struct autocorr_image *image, size_t y, struct edges *edges)
{
    size_t row = y * image->stride, last = row + image->width - 1;
    struct sums without_first = image->type == KN_U8
                                    ? row_of_bytes((const uint8_t *)image->pixels + row, image->width)
                                    : row_of_words((const uint16_t *)image->pixels + row, image->width);
    struct sums without_last = without_first;

    for (size_t k = 0; k < edges->count && k < image->width; k++) {
        add(&edges->without_first[k], without_first);
        add(&edges->without_last[k], without_last);
        subtract_pixel(&without_first, pixel_of(image, row + k));
        subtract_pixel(&without_last, pixel_of(image, last - k));
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
    struct sums *memory = calloc(2 * count, sizeof *memory);
    struct edges edges = {memory, memory + count, count};

    if (!memory)
        return kn_fail_memory(err, 2 * count * sizeof *memory, "the sums of an image's edges");
    for (size_t left = image->height; left-- > 0;) {
        add_row(image, is_second ? left : image->height - 1 - left, &edges);
        if (left <= task->max_offset)
            store(&edges, task->max_offset, left, is_second, windows);
    }
    free(memory);
    return KN_OK;
}

kn_status autocorr_windows(const struct autocorr_task *task, struct autocorr_window *windows, kn_error *err)
{
    size_t width = task->first.width, height = task->first.height, max_offset = task->max_offset;
    kn_status status;

    if (task->mask)
        return autocorr_reference_windows(task, windows, err);
    status = autocorr_check(task, err);
    for (size_t y0 = 0; y0 <= max_offset && !status; y0++)
        for (size_t column = 0; column <= 2 * max_offset; column++) {
            size_t x0 = column < max_offset ? max_offset - column : column - max_offset;
            uint64_t pairs = x0 < width && y0 < height ? (width - x0) * (height - y0) : 0;

            windows[y0 * (2 * max_offset + 1) + column] = (struct autocorr_window){.n = pairs};
        }
    if (!status)
        status = walk(task, false, windows, err);
    return status ? status : walk(task, true, windows, err);
}
