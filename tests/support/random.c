// SPDX-License-Identifier: Apache-2.0
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t test_seed(const char *test)
{
    const char *given = getenv("KOINE_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);

    fprintf(stderr, "%s: KOINE_TEST_SEED=%llu\n", test, (unsigned long long)seed);
    return seed;
}

uint64_t test_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double test_uniform(uint64_t *state)
{
    return (double)(test_random(state) >> 11) * 0x1p-53;
}

double complex test_complex(uint64_t *state)
{
    double parts[2] = {2 * test_uniform(state) - 1, 0};
    double complex number;

    parts[1] = 2 * test_uniform(state) - 1;
    memcpy(&number, parts, sizeof number);
    return number;
}
