// SPDX-License-Identifier: Apache-2.0
// 8 offsets a vector, 2 pixels each as words, with AVX2.
#include "host_kernel.h"

#include "host/host.h"

#ifdef KN_HAS_VECTORS
#include <immintrin.h>

#define VECTOR_CODE __attribute__((target("avx2")))
#define VECTOR_WORD VECTOR_CODE static inline __attribute__((always_inline))

typedef __m256i vector;
enum { LANES = 8, AT_ONCE = 6 }; // 12 sums, 2 units, a product and the lanes: 16 registers

VECTOR_WORD vector load(const void *from)
{
    return _mm256_loadu_si256(from);
}

VECTOR_WORD void store(void *to, vector v)
{
    _mm256_storeu_si256(to, v);
}

VECTOR_WORD vector broadcast(int32_t unit)
{
    return _mm256_set1_epi32(unit);
}

VECTOR_WORD vector multiply_add(vector sum, vector others, vector pixels)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(others, pixels));
}

#include "host_kernel_vector.h"

const struct autocorr_kernel autocorr_avx2 = {"AVX2", LANES, 2, 0, multiply};
#endif
