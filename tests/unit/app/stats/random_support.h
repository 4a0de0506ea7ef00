// SPDX-License-Identifier: Apache-2.0
// Random elements for the tests of statistics.
#ifndef KN_TESTS_UNIT_APP_STATS_RANDOM_SUPPORT_H
#define KN_TESTS_UNIT_APP_STATS_RANDOM_SUPPORT_H

#include "support/random.h"

#include <math.h>

enum { KINDS = 5 };

// Several kinds: few distinct integers; from 0 to 1; close together; mostly one value; of many magnitudes.
static inline double random_double(uint64_t *state, int kind)
{
    switch (kind) {
    case 0:
        return (double)(test_random(state) % 21) - 10;
    case 1:
        return test_uniform(state);
    case 2:
        return 1e6 + test_uniform(state);
    case 3:
        return test_random(state) % 100 ? 0.1 : test_uniform(state);
    default:
        return ldexp(test_uniform(state) - 0.3, (int)(test_random(state) % 20));
    }
}

#endif
