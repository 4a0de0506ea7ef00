// SPDX-License-Identifier: Apache-2.0
// 16 offsets a vector, 4 pixels each, with AVX-512 VNNI: bytes with a sign times bytes without one.
#include "host_kernel.h"

#include "host/host.h"

#ifdef KN_HAS_VECTORS
#include <immintrin.h>

#define VECTOR_CODE __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define VECTOR_WORD VECTOR_CODE static inline __attribute__((always_inline))

typedef __m512i vector;
enum { LANES = 16, AT_ONCE = 8 };

VECTOR_WORD vector load(const void *from)
{
    return _mm512_loadu_si512(from);
}

VECTOR_WORD void store(void *to, vector v)
{
    _mm512_storeu_si512(to, v);
}

VECTOR_WORD vector broadcast(int32_t unit)
{
    return _mm512_set1_epi32(unit);
}

VECTOR_WORD vector multiply_add(vector sum, vector others, vector pixels)
{
    return _mm512_dpbusd_epi32(sum, others, pixels);
}

#include "host_kernel_vector.h"

const struct autocorr_kernel autocorr_avx512 = {"AVX-512 VNNI", LANES, 4, 128, multiply};
#endif
