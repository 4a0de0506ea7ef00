// SPDX-License-Identifier: Apache-2.0
#include "verify.h"

// Steele, Lea and Flood's splitmix64.
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t pixel(const struct autocorr_image *image, size_t x, size_t y)
{
    size_t at = y * image->stride + x;

    return image->type == KN_U8 ? ((const uint8_t *)image->pixels)[at]
                                : ((const uint16_t *)image->pixels)[at];
}

static uint64_t periodic_sum_at(const struct autocorr_task *task, ptrdiff_t x0, size_t y0)
{
    const struct autocorr_image *first = &task->first, *second = autocorr_second(task);
    const ptrdiff_t width = (ptrdiff_t)first->width;
    uint64_t sum = 0;

    for (size_t y = 0; y < first->height; y++)
        for (ptrdiff_t x = 0; x < width; x++)
            sum += pixel(first, (size_t)x, y) *
                   pixel(second, (size_t)(((x + x0) % width + width) % width), (y + y0) % first->height);
    return sum;
}

static uint64_t sum_at(const struct autocorr_task *task, ptrdiff_t x0, size_t y0)
{
    const struct autocorr_image *first = &task->first, *second = autocorr_second(task);
    size_t begin = x0 < 0 ? (size_t)-x0 : 0, right = x0 > 0 ? (size_t)x0 : 0;
    uint64_t sum = 0;

    if (task->periodic)
        return periodic_sum_at(task, x0, y0);
    for (size_t y = 0; y + y0 < first->height; y++)
        for (size_t x = begin; x + right < first->width; x++) {
            size_t other = (size_t)((ptrdiff_t)x + x0);

            if (!task->mask ||
                (task->mask[y * task->mask_stride + x] && task->mask[(y + y0) * task->mask_stride + other]))
                sum += pixel(first, x, y) * pixel(second, other, y + y0);
        }
    return sum;
}

void ki_autocorr_verify(const struct autocorr_task *task, const uint64_t *products, double bound,
                        size_t count, uint64_t *state, kn_autocorr_verified *verified)
{
    size_t columns = 2 * task->max_offset + 1;

    *verified = (kn_autocorr_verified){.count = count};
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)(draw(state) % autocorr_offsets(task->max_offset)), y0 = at / columns;
        ptrdiff_t x0 = (ptrdiff_t)(at % columns) - (ptrdiff_t)task->max_offset;
        uint64_t expected = sum_at(task, x0, y0), found = products[at];
        uint64_t difference = found > expected ? found - expected : expected - found;

        verified->most = difference > verified->most ? difference : verified->most;
        if ((double)difference <= bound)
            continue;
        if (!verified->wrong++) {
            verified->x0 = x0;
            verified->y0 = y0;
            verified->found = found;
            verified->expected = expected;
        }
    }
}
