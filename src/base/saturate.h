// SPDX-License-Identifier: Apache-2.0
// Estimates of bytes; SIZE_MAX if the number is too large.
#ifndef KN_BASE_SATURATE_H
#define KN_BASE_SATURATE_H

#include <stddef.h>
#include <stdint.h>

static inline size_t saturate_times(size_t a, size_t b)
{
    size_t product;

    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

static inline size_t saturate_plus(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

#endif
