// SPDX-License-Identifier: Apache-2.0
#include "bytes.h"

#include <string.h>

#include "host/host.h"
#ifdef KI_HAS_VECTORS
#include <immintrin.h>
#endif

struct range {
    int32_t least, most;
};

static void widen(struct range *range, int32_t value)
{
    range->least = value < range->least ? value : range->least;
    range->most = value > range->most ? value : range->most;
}

static bool fits(const struct range *range)
{
    return range->least >= 0 ? range->most <= 255 : range->least >= -128 && range->most <= 127;
}

// Returns how many values at the beginning are integers that fit.
static size_t convert_each(const double *values, size_t n, uint8_t *bytes, struct range *range)
{
    size_t i = 0;

    for (; i < n && values[i] >= -128 && values[i] <= 255 && values[i] == (double)(int32_t)values[i] &&
           fits(range);
         i++) {
        bytes[i] = (uint8_t)(int32_t)values[i];
        widen(range, (int32_t)values[i]);
    }
    return fits(range) ? i : 0;
}

#ifdef KI_HAS_VECTORS
KI_TARGET("avx2")
static size_t convert_avx2(const double *values, size_t n, uint8_t *bytes, struct range *range)
{
    enum { BLOCK = 4096 };
    const __m128i low_bytes = _mm_set_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 12, 8, 4, 0);
    size_t first = 0;

    for (; n - first >= BLOCK; first += BLOCK) {
        __m256d whole = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
        __m128i least = _mm_setzero_si128(), most = least;

        for (size_t i = first; i < first + BLOCK; i += 4) {
            __m256d v = _mm256_loadu_pd(values + i);
            __m128i integers = _mm256_cvttpd_epi32(v); // values that do not fit become INT32_MIN
            int32_t packed = _mm_cvtsi128_si32(_mm_shuffle_epi8(integers, low_bytes));
            whole = _mm256_and_pd(whole, _mm256_cmp_pd(v, _mm256_cvtepi32_pd(integers), _CMP_EQ_OQ));
            least = _mm_min_epi32(least, integers);
            most = _mm_max_epi32(most, integers);
            memcpy(bytes + i, &packed, sizeof packed);
        }
        for (int i = 0; i < 4; i++) {
            int32_t lanes[2][4];
            _mm_storeu_si128((__m128i *)lanes[0], least);
            _mm_storeu_si128((__m128i *)lanes[1], most);
            widen(range, lanes[0][i]);
            widen(range, lanes[1][i]);
        }
        if (_mm256_movemask_pd(whole) != 15 || !fits(range))
            return first;
    }
    return first;
}
#endif

bool ki_stats_to_bytes(const double *values, size_t n, uint8_t *bytes, kn_type *type)
{
    struct range range = {0, 0};
    size_t done = 0;

#ifdef KI_HAS_VECTORS
    if (__builtin_cpu_supports("avx2"))
        done = convert_avx2(values, n, bytes, &range);
#endif
    // A block that does not fit is checked again value by value.
    if (fits(&range))
        done += convert_each(values + done, n - done, bytes + done, &range);
    if (done < n || !fits(&range))
        return false;
    *type = range.most > 127 ? KN_U8 : KN_I8;
    return true;
}
