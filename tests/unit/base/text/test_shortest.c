// SPDX-License-Identifier: Apache-2.0
// The shortest text of a number: it reads back to the same number, the C library has no shorter one, and no
// nearer one of the same length.
#include "support/run.h"
#include "support/support.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "base/array.h"
#include "base/text/shortest.h"

enum { NUMBERS = 20000 };

static const double neighbours[] = {0,
                                    5e-324,
                                    DBL_MIN,
                                    DBL_MAX,
                                    0.1,
                                    0.3,
                                    1e22,
                                    1e23,
                                    9007199254740993.0,
                                    123456789012345680.0,
                                    99999999999999990.0,
                                    5e-5,
                                    4.35,
                                    0x1p-1022,
                                    0x1p-1021,
                                    0x1p-1023,
                                    0x1p60,
                                    9.5367431640625e-7};

static void expect_shortest(double value, bool single)
{
    struct ki_decimal found = single ? ki_shortest_float((float)value) : ki_shortest_double(value);
    char text[KI_SHORTEST_TEXT], digits[KI_SHORTEST_TEXT], rounded[40];
    size_t length = ki_shortest_write(found, text), fewest = 0;
    double back = single ? (double)strtof(text, NULL) : strtod(text, NULL);

    ck_assert_uint_eq(length, strlen(text));
    ck_assert_msg(back == value, "%.17g became %s", value, text);
    ck_assert_msg(strpbrk(text, ".e") != NULL, "%s looks like an integer", text);
    ck_assert(found.digits == 0 ? found.exponent == 0 : found.digits % 10 != 0);
    // printf rounds to the nearest decimal with a given number of digits: the first that reads back is the
    // shortest and nearest.
    do {
        snprintf(rounded, sizeof rounded, "%.*e", (int)fewest++, value);
        back = single ? (double)strtof(rounded, NULL) : strtod(rounded, NULL);
    } while (back != value);
    snprintf(digits, sizeof digits, "%" PRIu64, found.digits);
    ck_assert_msg(strlen(digits) <= fewest, "%s is longer than %s", text, rounded);
    if (strlen(digits) == fewest)
        ck_assert_msg(strtod(text, NULL) == strtod(rounded, NULL), "%s is not as near to %.17g as %s", text,
                      value, rounded);
}

START_TEST(special_numbers)
{
    for (size_t i = 0; i < KI_COUNT(neighbours); i++) {
        expect_shortest(neighbours[i], false);
        expect_shortest(nextafter(neighbours[i], INFINITY) < INFINITY ? nextafter(neighbours[i], INFINITY)
                                                                      : DBL_MAX,
                        false);
        expect_shortest(fabs(nextafter(neighbours[i], 0)), false);
    }
    for (int power = -1074; power < 1024; power++)
        expect_shortest(ldexp(1, power), false);
    for (int power = -149; power < 128; power++)
        expect_shortest(ldexp(1, power), true);
    expect_shortest((double)FLT_MAX, true);
}
END_TEST

START_TEST(random_numbers)
{
    uint64_t state = test_seed("random_numbers");

    for (int i = 0; i < NUMBERS; i++) {
        uint64_t bits = test_random(&state) >> 1;
        uint32_t single_bits = (uint32_t)test_random(&state) >> 1;
        double value;
        float single;

        memcpy(&value, &bits, sizeof value);
        memcpy(&single, &single_bits, sizeof single);
        if (isfinite(value))
            expect_shortest(value, false);
        if (isfinite(single))
            expect_shortest((double)single, true);
        expect_shortest(round((double)(bits % 1000000)) / 1000, false); // with few digits
    }
}
END_TEST

START_TEST(texts)
{
    static const struct {
        struct ki_decimal decimal;
        const char *text;
    } expected[] = {{{0, 0}, "0.0"},
                    {{3, 0}, "3.0"},
                    {{125, -1}, "12.5"},
                    {{1, -3}, "0.001"},
                    {{1, -4}, "0.0001"},
                    {{1, -5}, "1e-5"},
                    {{12, -6}, "1.2e-5"},
                    {{1, 16}, "10000000000000000.0"},
                    {{1, 17}, "1e17"},
                    {{12345678901234568, 0}, "12345678901234568.0"},
                    {{12345678901234568, 1}, "1.2345678901234568e17"},
                    {{17976931348623157, 292}, "1.7976931348623157e308"}};

    for (size_t i = 0; i < KI_COUNT(expected); i++) {
        char text[KI_SHORTEST_TEXT];

        ki_shortest_write(expected[i].decimal, text);
        ck_assert_str_eq(text, expected[i].text);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {texts, special_numbers, random_numbers};

    return TEST_RUN("shortest", CK_FORK_GETENV, tests);
}
