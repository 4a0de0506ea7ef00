// SPDX-License-Identifier: Apache-2.0
#include "host.h"

// One offset's sum. The pixels' type is a constant where this is inlined.
static inline __attribute__((always_inline)) uint64_t sum_of(const struct autocorr_task *task, ptrdiff_t x0,
                                                             size_t y0, bool is_byte)
{
    const struct autocorr_image *first = &task->first, *second = autocorr_second(task);
    ptrdiff_t width = (ptrdiff_t)first->width, begin = x0 < 0 ? -x0 : 0, end = x0 > 0 ? width - x0 : width;
    const uint8_t *mask = task->mask;
    uint64_t sum = 0;

    for (size_t y = 0; y + y0 < first->height; y++) {
        const ptrdiff_t a = (ptrdiff_t)(y * first->stride), b = (ptrdiff_t)((y + y0) * second->stride) + x0;
        const ptrdiff_t m = (ptrdiff_t)(y * task->mask_stride),
                        n = (ptrdiff_t)((y + y0) * task->mask_stride) + x0;

        for (ptrdiff_t x = begin; x < end; x++) {
            if (mask && !(mask[m + x] && mask[n + x]))
                continue;
            if (is_byte)
                sum += (uint32_t)((const uint8_t *)first->pixels)[a + x] *
                       ((const uint8_t *)second->pixels)[b + x];
            else
                sum += (uint32_t)((const uint16_t *)first->pixels)[a + x] *
                       ((const uint16_t *)second->pixels)[b + x];
        }
    }
    return sum;
}

kn_status ki_autocorr_naive(const struct autocorr_task *task, uint64_t *products, kn_error *err)
{
    ptrdiff_t most = (ptrdiff_t)task->max_offset;
    kn_status status = ki_autocorr_check(task, err);

    for (ptrdiff_t y0 = 0; y0 <= most && !status; y0++)
        for (ptrdiff_t x0 = -most; x0 <= most; x0++)
            products[autocorr_at(task->max_offset, x0, (size_t)y0)] =
                task->first.type == KN_U8 ? sum_of(task, x0, (size_t)y0, true)
                                          : sum_of(task, x0, (size_t)y0, false);
    return status;
}
