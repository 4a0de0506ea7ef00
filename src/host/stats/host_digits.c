// SPDX-License-Identifier: Apache-2.0
// Exact sums of integers: loops of a fixed length, which the compiler vectorises as VECTOR_CODE allows.
// Compiled for every instruction set (src/host/simd/simd.h).
#include "host_digits.h"

#include "host/simd/simd.h"

typedef uint64_t __attribute__((may_alias)) key64;

enum { BLOCK = 256 }; // keys

// add_all_8 and so on. A square has two digits; for keys of up to 16 bits, the second is always 0.
#define KEY         uint8_t
#define SQUARE      uint32_t
#define KEY_NAME(x) x##8
#include "host_digits_keys.h"
#define KEY         uint16_t
#define SQUARE      uint32_t
#define KEY_NAME(x) x##16
#include "host_digits_keys.h"
#define KEY         uint32_t
#define SQUARE      uint64_t
#define KEY_NAME(x) x##32
#include "host_digits_keys.h"

// No vector instruction multiplies 64 bits by 64.
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
