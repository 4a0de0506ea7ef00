// SPDX-License-Identifier: Apache-2.0
// Exact sums of integers: loops of a fixed length, which the compiler turns into vectors of what VECTOR_CODE
// allows. Compiled for every instruction set (src/host/simd/simd.h).
#include "host_digits.h"

#include "host/simd/simd.h"

typedef uint8_t __attribute__((may_alias)) key8;
typedef uint16_t __attribute__((may_alias)) key16;
typedef uint32_t __attribute__((may_alias)) key32;
typedef uint64_t __attribute__((may_alias)) key64;

enum { BLOCK = 256 }; // keys

// The loops of three widths differ in their types alone. A square has two digits, of which keys of up to 16
// bits have but one.
#define ADD_KEYS(name, key_type, square_type)                                                                \
    VECTOR_OPERATION void name(const key_type *x, const size_t count, key_type sign, key_type shift,         \
                               const bool wants_squares, uint64_t sums[3], key_type extremes[2])             \
    {                                                                                                        \
        uint64_t keys = 0, low = 0, high = 0;                                                                \
        key_type least = extremes[0], greatest = extremes[1];                                                \
                                                                                                             \
        for (size_t i = 0; i < count; i++) {                                                                 \
            key_type value = (key_type)(x[i] ^ sign);                                                        \
            least = value < least ? value : least;                                                           \
            greatest = value > greatest ? value : greatest;                                                  \
            keys += value;                                                                                   \
            if (wants_squares) {                                                                             \
                square_type d = (key_type)(value > shift ? value - shift : shift - value);                   \
                square_type square = d * d;                                                                  \
                low += (uint32_t)square;                                                                     \
                if (sizeof(square_type) > 4)                                                                 \
                    high += (uint64_t)square >> 32;                                                          \
            }                                                                                                \
        }                                                                                                    \
        sums[0] += keys;                                                                                     \
        sums[1] += low;                                                                                      \
        sums[2] += high;                                                                                     \
        extremes[0] = least;                                                                                 \
        extremes[1] = greatest;                                                                              \
    }

ADD_KEYS(add_8, key8, uint32_t)
ADD_KEYS(add_16, key16, uint32_t)
ADD_KEYS(add_32, key32, uint64_t)

// At most 2^31 keys at a time: 64 bits hold the sums of their digits.
#define ADD_ALL(name, add, key_type)                                                                         \
    VECTOR_OPERATION void name(const key_type *x, size_t n, key_type sign, key_type shift,                   \
                               const bool wants_squares, struct moments_exact *to)                           \
    {                                                                                                        \
        uint64_t sums[3] = {0};                                                                              \
        key_type extremes[2] = {(key_type)-1, 0};                                                            \
        size_t i = 0;                                                                                        \
                                                                                                             \
        for (; n - i >= BLOCK; i += BLOCK)                                                                   \
            add(x + i, BLOCK, sign, shift, wants_squares, sums, extremes);                                   \
        add(x + i, n - i, sign, shift, wants_squares, sums, extremes);                                       \
        to->keys += sums[0];                                                                                 \
        to->squares[0] += sums[1];                                                                           \
        to->squares[1] += sums[2];                                                                           \
        to->least = extremes[0] < to->least ? extremes[0] : to->least;                                       \
        to->greatest = extremes[1] > to->greatest ? extremes[1] : to->greatest;                              \
    }

ADD_ALL(add_all_8, add_8, key8)
ADD_ALL(add_all_16, add_16, key16)
ADD_ALL(add_all_32, add_32, key32)

// No vector multiplies 64 bits by 64.
VECTOR_OPERATION void add_all_64(const key64 *x, size_t n, uint64_t sign, uint64_t shift,
                                 const bool wants_squares, struct moments_exact *to)
{
    uint64_t digits[4] = {0}, least = to->least, greatest = to->greatest;
    unsigned __int128 keys = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t value = x[i] ^ sign, d = value > shift ? value - shift : shift - value;
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
        keys += value;
        if (wants_squares) {
            unsigned __int128 square = (unsigned __int128)d * d;
            for (int digit = 0; digit < 4; digit++)
                digits[digit] += (uint32_t)(square >> 32 * digit);
        }
    }
    to->keys += keys;
    for (int digit = 0; digit < 4; digit++)
        to->squares[digit] += digits[digit];
    to->least = least;
    to->greatest = greatest;
}

#define ADD(bits)                                                                                            \
    if (integers->wants_squares)                                                                             \
        add_all_##bits((const key##bits *)integers->x + first, n, (key##bits)integers->sign,                 \
                       (key##bits)integers->shift, true, sums);                                              \
    else                                                                                                     \
        add_all_##bits((const key##bits *)integers->x + first, n, (key##bits)integers->sign,                 \
                       (key##bits)integers->shift, false, sums);

VECTOR_CODE void SIMD_SET_NAME(host_digits)(const struct host_integers *integers, size_t first, size_t n,
                                            struct moments_exact *sums)
{
    if (integers->size == 1) {
        ADD(8)
    } else if (integers->size == 2) {
        ADD(16)
    } else if (integers->size == 4) {
        ADD(32)
    } else {
        ADD(64)
    }
}
