// SPDX-License-Identifier: Apache-2.0
// autocorr_multiply, after the file's own words: VECTOR_CODE, VECTOR_WORD, LANES, vector, load, store,
// broadcast and multiply_add. `at_once` groups have their sums in registers; a constant where this is
// inlined.

VECTOR_WORD void multiply_groups(const vector *spread, const int32_t *row0, const int32_t *row1, size_t units,
                                 const size_t at_once, uint32_t *sums0, uint32_t *sums1)
{
    vector sum0[AUTOCORR_GROUPS], sum1[AUTOCORR_GROUPS];

    _Pragma("GCC unroll 8") for (size_t g = 0; g < at_once; g++)
    {
        sum0[g] = load(sums0 + g * LANES);
        sum1[g] = load(sums1 + g * LANES);
    }
    for (size_t i = 0; i < units; i++) {
        vector pixels0 = broadcast(row0[i]), pixels1 = broadcast(row1[i]);

        _Pragma("GCC unroll 8") for (size_t g = 0; g < at_once; g++)
        {
            vector others = load(spread + i + g * AUTOCORR_GROUP_STEP);

            sum0[g] = multiply_add(sum0[g], others, pixels0);
            sum1[g] = multiply_add(sum1[g], others, pixels1);
        }
    }
    _Pragma("GCC unroll 8") for (size_t g = 0; g < at_once; g++)
    {
        store(sums0 + g * LANES, sum0[g]);
        store(sums1 + g * LANES, sum1[g]);
    }
}

VECTOR_CODE static void multiply(const void *spread, const int32_t *row0, const int32_t *row1, size_t units,
                                 size_t groups, uint32_t *sums0, uint32_t *sums1)
{
    for (size_t g = 0, done; g < groups; g += done) {
        const vector *from = (const vector *)spread + g * AUTOCORR_GROUP_STEP;
        uint32_t *to0 = sums0 + g * LANES, *to1 = sums1 + g * LANES;

        done = groups - g >= AT_ONCE ? AT_ONCE : groups - g >= 4 ? 4 : groups - g >= 2 ? 2 : 1;
        if (done == AT_ONCE)
            multiply_groups(from, row0, row1, units, AT_ONCE, to0, to1);
        else if (done == 4)
            multiply_groups(from, row0, row1, units, 4, to0, to1);
        else if (done == 2)
            multiply_groups(from, row0, row1, units, 2, to0, to1);
        else
            multiply_groups(from, row0, row1, units, 1, to0, to1);
    }
}
