// SPDX-License-Identifier: Apache-2.0
#include "shortest.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

// ---- powers of ten ----

enum { LEAST_POWER = -292, MOST_POWER = 324, WORDS = 21, START = 1300 };

// 10^k = power 2^(e - 127), rounded up, with the highest bit of `power` set and e = floor(log2 10^k).
static struct power {
    uint64_t high, low;
} powers[MOST_POWER - LEAST_POWER + 1];
static pthread_once_t powers_once = PTHREAD_ONCE_INIT;

// The 128 highest bits of a number of WORDS words, the lowest one first. `rounds`: rounded up if bits are cut
// off.
static struct power highest_bits(const uint64_t *words, bool rounds)
{
    int top = WORDS - 1, shift;
    uint64_t third, rest = 0;
    wide bits;

    while (!words[top])
        top--;
    shift = __builtin_clzll(words[top]);
    bits = (wide)words[top] << 64 | (top > 0 ? words[top - 1] : 0);
    third = top > 1 ? words[top - 2] : 0;
    if (shift)
        bits = bits << shift | third >> (64 - shift);
    for (int i = 0; i < top - 2; i++)
        rest |= words[i];
    if (rounds || rest || third << shift)
        bits++;
    return (struct power){(uint64_t)(bits >> 64), (uint64_t)bits};
}

static void make_powers(void)
{
    uint64_t up[WORDS] = {1}, down[WORDS] = {0};

    for (int k = 0; k <= MOST_POWER; k++) {
        wide carry = 0;

        powers[k - LEAST_POWER] = highest_bits(up, false);
        for (int i = 0; i < WORDS; i++) {
            carry += (wide)up[i] * 10;
            up[i] = (uint64_t)carry;
            carry >>= 64;
        }
    }
    down[START / 64] = UINT64_C(1) << START % 64;
    for (int k = -1; k >= LEAST_POWER; k--) {
        uint64_t rest = 0;

        for (int i = WORDS - 1; i >= 0; i--) {
            wide number = (wide)rest << 64 | down[i];
            down[i] = (uint64_t)(number / 10);
            rest = (uint64_t)(number % 10);
        }
        powers[k - LEAST_POWER] = highest_bits(down, true); // 2^START / 10^-k is not an integer
    }
}

// floor(log2 10^k) for -1233 <= k <= 1233.
static int log2_of_power(int k)
{
    return (k * 1741647) >> 19;
}

// ---- digits ----

// power count / 2^128, with the last bit set if anything is cut off.
static uint64_t multiply(const struct power *power, uint64_t count)
{
    wide low = (wide)power->low * count, high = (wide)power->high * count + (uint64_t)(low >> 64);

    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

static struct ki_decimal without_zeros(uint64_t digits, int exponent)
{
    if (digits && digits % 100000000 == 0) { // as for most numbers with few digits
        digits /= 100000000;
        exponent += 8;
    }
    while (digits && digits % 10 == 0) {
        digits /= 10;
        exponent++;
    }
    return (struct ki_decimal){digits, digits ? exponent : 0};
}

// For c 2^q. `closer`: the next number below is half as far away as the next above.
static struct ki_decimal shortest(uint64_t c, int q, bool closer)
{
    // Four times the number and the ends of the interval that rounds to it, in units of 10^k; for odd c the
    // ends are excluded.
    int k = (q * 1262611 - (closer ? 524031 : 0)) >> 22, h = q + log2_of_power(-k) + 1;
    const struct power *power = &powers[-k - LEAST_POWER];
    uint64_t odd = c % 2, number = multiply(power, 4 * c << h);
    uint64_t least = multiply(power, (4 * c - 2 + closer) << h) + odd;
    uint64_t most = multiply(power, (4 * c + 2) << h) - odd;
    uint64_t below = number / 4, middle = 4 * below + 2, tens = below / 10;
    bool low_fits = least <= 40 * tens, high_fits = 40 * tens + 40 <= most;

    if (below >= 10 && low_fits != high_fits)
        return without_zeros(tens + high_fits, k + 1);
    low_fits = least <= 4 * below;
    high_fits = 4 * below + 4 <= most;
    if (low_fits != high_fits)
        return without_zeros(below + high_fits, k);
    return without_zeros(below + (number > middle || (number == middle && below % 2)), k);
}

struct ki_decimal ki_shortest_double(double value)
{
    uint64_t bits, fraction;
    int exponent;

    memcpy(&bits, &value, sizeof bits);
    fraction = bits & ((UINT64_C(1) << 52) - 1);
    exponent = (int)(bits >> 52 & 0x7ff);
    if (value == 0)
        return (struct ki_decimal){0, 0};
    (void)pthread_once(&powers_once, make_powers);
    if (!exponent)
        return shortest(fraction, -1074, false);
    return shortest(fraction | UINT64_C(1) << 52, exponent - 1075, fraction == 0 && exponent > 1);
}

struct ki_decimal ki_shortest_float(float value)
{
    uint32_t bits, fraction;
    int exponent;

    memcpy(&bits, &value, sizeof bits);
    fraction = bits & ((UINT32_C(1) << 23) - 1);
    exponent = (int)(bits >> 23 & 0xff);
    if (value == 0)
        return (struct ki_decimal){0, 0};
    (void)pthread_once(&powers_once, make_powers);
    if (!exponent)
        return shortest(fraction, -149, false);
    return shortest(fraction | UINT32_C(1) << 23, exponent - 150, fraction == 0 && exponent > 1);
}

// ---- text ----

enum { MOST_DIGITS = 20, LEAST_PLAIN = -4, MOST_PLAIN = 16 };

// Writes the digits of a number; returns how many there are.
static int write_digits(uint64_t number, char *text)
{
    char backwards[MOST_DIGITS];
    int count = 0;

    for (; number > UINT32_MAX; number /= 100000000) {
        uint32_t eight = (uint32_t)(number % 100000000); // divisions of 32 bits are faster
        for (int i = 0; i < 8; i++, eight /= 10)
            backwards[count++] = (char)('0' + eight % 10);
    }
    for (uint32_t rest = (uint32_t)number; rest || !count; rest /= 10)
        backwards[count++] = (char)('0' + rest % 10);
    for (int i = 0; i < count; i++)
        text[i] = backwards[count - 1 - i];
    return count;
}

static char *write_zeros(char *at, int count)
{
    for (int i = 0; i < count; i++)
        *at++ = '0';
    return at;
}

static char *copy(char *at, const char *digits, int count)
{
    for (int i = 0; i < count; i++)
        *at++ = digits[i];
    return at;
}

static char *write_plain(char *at, const char *digits, int count, int point)
{
    if (point <= 0) {
        at = write_zeros(copy(at, "0.", 2), -point);
        return copy(at, digits, count);
    }
    if (point >= count)
        return copy(write_zeros(copy(at, digits, count), point - count), ".0", 2);
    at = copy(copy(at, digits, point), ".", 1);
    return copy(at, digits + point, count - point);
}

static char *write_scaled(char *at, const char *digits, int count, int exponent)
{
    at = copy(at, digits, 1);
    if (count > 1)
        at = copy(copy(at, ".", 1), digits + 1, count - 1);
    at = copy(at, "e-", exponent < 0 ? 2 : 1);
    return at + write_digits((uint64_t)(exponent < 0 ? -exponent : exponent), at);
}

size_t ki_shortest_write(struct ki_decimal decimal, char text[KI_SHORTEST_TEXT])
{
    char digits[MOST_DIGITS], *end;
    int count = write_digits(decimal.digits, digits), first = decimal.exponent + count - 1;

    end = first >= LEAST_PLAIN && first <= MOST_PLAIN ? write_plain(text, digits, count, first + 1)
                                                      : write_scaled(text, digits, count, first);
    *end = '\0';
    return (size_t)(end - text);
}
