// SPDX-License-Identifier: Apache-2.0
#include "autocorr.h"

#include <stdbool.h>
#include <string.h>

// The pixels of a task as the reference sees them: one by one.
static uint64_t pixel(const struct autocorr_image *image, size_t x, size_t y)
{
    size_t at = y * image->stride + x;

    return image->type == KN_U8 ? ((const uint8_t *)image->pixels)[at]
                                : ((const uint16_t *)image->pixels)[at];
}

static bool counts(const struct autocorr_task *task, size_t x, size_t y)
{
    return !task->mask || task->mask[y * task->mask_stride + x];
}

// What one offset's overlap adds up to.
static void add_overlap(const struct autocorr_task *task, ptrdiff_t x0, size_t y0, uint64_t *product,
                        struct autocorr_window *window)
{
    const struct autocorr_image *first = &task->first, *second = autocorr_second(task);
    ptrdiff_t width = (ptrdiff_t)first->width;

    *product = 0;
    *window = (struct autocorr_window){.n = 0};
    for (size_t y = 0; y + y0 < first->height; y++)
        for (ptrdiff_t x = 0; x < width; x++) {
            uint64_t a, b;

            if (x + x0 < 0 || x + x0 >= width || !counts(task, (size_t)x, y) ||
                !counts(task, (size_t)(x + x0), y + y0))
                continue;
            a = pixel(first, (size_t)x, y);
            b = pixel(second, (size_t)(x + x0), y + y0);
            *product += a * b;
            window->n++;
            window->s1 += a;
            window->s2 += b;
            window->q1 += a * a;
            window->q2 += b * b;
        }
}

// Either array may be NULL.
static kn_status add_all(const struct autocorr_task *task, uint64_t *products,
                         struct autocorr_window *windows, kn_error *err)
{
    size_t max_offset = task->max_offset;
    kn_status status = ki_autocorr_check(task, err);

    for (size_t y0 = 0; y0 <= max_offset && !status; y0++)
        for (ptrdiff_t x0 = -(ptrdiff_t)max_offset; x0 <= (ptrdiff_t)max_offset; x0++) {
            struct autocorr_window window;
            uint64_t product;

            add_overlap(task, x0, y0, &product, &window);
            if (products)
                products[autocorr_at(max_offset, x0, y0)] = product;
            if (windows)
                windows[autocorr_at(max_offset, x0, y0)] = window;
        }
    return status;
}

kn_status ki_autocorr_reference(const struct autocorr_task *task, uint64_t *products, kn_error *err)
{
    return add_all(task, products, NULL, err);
}

kn_status ki_autocorr_reference_windows(const struct autocorr_task *task, struct autocorr_window *windows,
                                        kn_error *err)
{
    return add_all(task, NULL, windows, err);
}
