// SPDX-License-Identifier: Apache-2.0
// Columns with runs, and the result of == for two elements.
#ifndef KN_TESTS_UNIT_ALGO_RUNS_SUPPORT_H
#define KN_TESTS_UNIT_ALGO_RUNS_SUPPORT_H

#include <math.h>

#include "support/support.h"

#include <koine/types.h>

static inline bool runs_equal(const unsigned char *column, size_t i, size_t j, kn_type type)
{
    float a, b;
    double c, d;
    size_t size = kn_type_size(type);

    if (type == KN_F32) {
        memcpy(&a, column + i * size, size);
        memcpy(&b, column + j * size, size);
        return a == b;
    }
    if (type == KN_F64) {
        memcpy(&c, column + i * size, size);
        memcpy(&d, column + j * size, size);
        return c == d;
    }
    return memcmp(column + i * size, column + j * size, size) == 0;
}

static inline bool runs_begin(const unsigned char *column, size_t i, kn_type type)
{
    return i == 0 || !runs_equal(column, i - 1, i, type);
}

// Runs of 1 to 2 * length - 1 elements; length 0: a single run. Every fourth run of floats consists of zeros
// of both signs, of NaN, of infinities, or of numbers too small for a full mantissa.
static inline void runs_fill(unsigned char *column, kn_type type, size_t n, size_t length, uint64_t *state)
{
    size_t size = kn_type_size(type);
    uint64_t sign = (uint64_t)1 << (8 * size - 1);
    uint64_t infinity = type == KN_F32 ? 0x7f800000u : UINT64_C(0x7ff0000000000000);
    const uint64_t special[] = {0, infinity + 1, infinity, 1 + test_random(state) % 3};

    for (size_t i = 0; i < n;) {
        size_t run = length ? 1 + test_random(state) % (2 * length - 1) : n;
        uint64_t bits = test_random(state);
        bool is_special = type >= KN_F32 && bits % 4 == 0;
        bits = is_special ? special[bits / 4 % 4] : length ? bits : 7;
        for (run = run < n - i ? run : n - i; run > 0; run--, i++) {
            uint64_t element = is_special && bits == 0 && test_random(state) % 2 ? sign : bits;
            memcpy(column + i * size, &element, size);
        }
    }
}

static const size_t runs_lengths[] = {1, 8, 1000, 0};

#endif
