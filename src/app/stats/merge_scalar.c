// SPDX-License-Identifier: Apache-2.0
// Merging in plain C, a key at a time. Compiled for every width (src/host/simd/simd.h).
#include <string.h>

#include "host/simd/simd.h"
#include "merge_code.h"

enum { RUN = 16 };

// No branch depends on a key: half of them would be mispredicted.
static void merge(const void *left, size_t a_count, const void *right, size_t b_count, void *to)
{
    const key *a = left, *b = right, *a_end = a + a_count, *b_end = b + b_count;
    key *out = to;

    while (a < a_end && b < b_end) {
        key low = *a, high = *b;
        size_t from_b = high < low;

        *out++ = from_b ? high : low;
        b += from_b;
        a += 1 - from_b;
    }
    memcpy(out, a, (size_t)(a_end - a) * sizeof *a);
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

const struct merge_code SIMD_NAME(merge_code) = {SIMD_LEVEL, RUN, merge};
