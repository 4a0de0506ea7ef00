// SPDX-License-Identifier: Apache-2.0
// How the device's words are compared with the host's in test_rewrite: bit by bit, or within units in the
// last place.
#ifndef KN_TESTS_CONFORMANCE_AGREEMENT_H
#define KN_TESTS_CONFORMANCE_AGREEMENT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/compare.h"
#include "source/source.h"

// Maps numbers to integers in the same order, so that adjacent numbers differ by 1; -0 and 0 are equal.
static inline int64_t rank_of(uint64_t bits, int width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);

    return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static inline bool floats_agree(uint32_t a, uint32_t b, int ulps)
{
    if (isnan(test_float_of(a)) || isnan(test_float_of(b)))
        return isnan(test_float_of(a)) && isnan(test_float_of(b));
    return llabs(rank_of(a, 32) - rank_of(b, 32)) <= ulps;
}

static inline bool doubles_agree(const uint32_t *a, const uint32_t *b, int ulps)
{
    uint64_t bits[2], distance;
    double values[2];

    memcpy(&bits[0], a, 8), memcpy(&bits[1], b, 8);
    memcpy(values, bits, sizeof values);
    if (isnan(values[0]) || isnan(values[1]))
        return isnan(values[0]) && isnan(values[1]);
    distance = (uint64_t)rank_of(bits[0], 64) - (uint64_t)rank_of(bits[1], 64);
    return distance + (uint64_t)ulps <= 2 * (uint64_t)ulps;
}

// The bound in units in the last place; -1 means that the bits must be equal.
static inline int bound_of(const kn_source_kernel *kernel, bool *doubles)
{
    const char *suffix = strstr(kernel->name, "_ulp");

    *doubles = false;
    for (size_t i = 0; i < kernel->param_count; i++)
        *doubles =
            *doubles || (!kernel->params[i].is_const && strncmp(kernel->params[i].type, "double", 6) == 0);
    return suffix ? atoi(suffix + 4) : -1;
}

// Whether the kernel checks itself: every word that it writes must be 1.
static inline bool is_self_checking(const kn_source_kernel *kernel)
{
    return strstr(kernel->name, "_holds") != NULL;
}

#endif
