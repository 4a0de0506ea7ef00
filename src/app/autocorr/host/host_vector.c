// SPDX-License-Identifier: Apache-2.0
// autocorr_multiply with vectors. Compiled for every instruction set that has them (src/host/simd/simd.h).
#if defined(SIMD_AVX512)
#define SIMD_MORE ",avx512vnni"
#endif
#include "host/simd/simd.h"
#include "host_kernel.h"

#if defined(SIMD_AVX512)
#define TITLE "AVX-512 VNNI"
enum { PIXELS = 4, BIAS = 128 };

// Bytes with a sign times bytes without one.
VECTOR_OPERATION vector plus_pixels(vector sum, vector others, vector pixels)
{
    return _mm512_dpbusd_epi32(sum, others, pixels);
}
#else
#define TITLE SIMD_TITLE
enum { PIXELS = 2, BIAS = 0 };

// 16 bits a pixel, two of them at a time.
VECTOR_OPERATION vector plus_pixels(vector sum, vector others, vector pixels)
{
    return sum_of_keys(sum, _mm256_madd_epi16(others, pixels));
}
#endif

// Sums in registers, two a group, beside 2 units, a product and the lanes.
enum { ROOM = (REGISTERS - 4) / 2, AT_ONCE = ROOM < AUTOCORR_GROUPS ? ROOM : AUTOCORR_GROUPS };

// `at_once` is a constant where this is inlined.
VECTOR_OPERATION void multiply_groups(const vector *spread, const int32_t *row0, const int32_t *row1,
                                      size_t units, const size_t at_once, uint32_t *sums0, uint32_t *sums1)
{
    vector sum0[AUTOCORR_GROUPS], sum1[AUTOCORR_GROUPS];

    _Pragma("GCC unroll 8") for (size_t g = 0; g < at_once; g++)
    {
        sum0[g] = load((const key *)sums0 + g * LANES);
        sum1[g] = load((const key *)sums1 + g * LANES);
    }
    for (size_t i = 0; i < units; i++) {
        vector pixels0 = broadcast(row0[i]), pixels1 = broadcast(row1[i]);

        _Pragma("GCC unroll 8") for (size_t g = 0; g < at_once; g++)
        {
            vector others = load((const key *)(spread + i + g * AUTOCORR_GROUP_STEP));

            sum0[g] = plus_pixels(sum0[g], others, pixels0);
            sum1[g] = plus_pixels(sum1[g], others, pixels1);
        }
    }
    _Pragma("GCC unroll 8") for (size_t g = 0; g < at_once; g++)
    {
        store((key *)sums0 + g * LANES, sum0[g]);
        store((key *)sums1 + g * LANES, sum1[g]);
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

const struct autocorr_kernel SIMD_SET_NAME(autocorr) = {TITLE, LANES, PIXELS, BIAS, multiply};
