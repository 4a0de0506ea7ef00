// SPDX-License-Identifier: Apache-2.0
// The parsers of numbers in CSV files give the same bits as strtod.
#define _GNU_SOURCE // newlocale
#include "support/run.h"
#include "support/support.h"

#include <math.h>

#include "io/csv/csv_number.h"

static locale_t c_locale;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    ck_assert(c_locale != (locale_t)0);
}

static void free_locale(void)
{
    freelocale(c_locale);
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// Reads the number with each parser, followed by a comma and further bytes, and compares the result with
// strtod's. `text` must have room for 12 more bytes.
static void expect_as_strtod(char *text)
{
    size_t length = strlen(text);
    double expected = strtod(text, NULL), value = NAN;

    memcpy(text + length, ",1.5,\n.7-8e", 12);
    ck_assert_msg(csv_number_at(text, c_locale, &value) == text + length, "%.*s: ends elsewhere", (int)length,
                  text);
    ck_assert_msg(same_bits(value, expected), "%.*s: %a, expected %a", (int)length, text, value, expected);
    value = NAN;
    ck_assert_msg(csv_long_number_at(text, c_locale, &value) == text + length && same_bits(value, expected),
                  "%.*s, long: %a, expected %a", (int)length, text, value, expected);
    value = NAN;
    if (csv_short_number(text, length, '.', &value))
        ck_assert_msg(same_bits(value, expected), "%.*s, short: %a, expected %a", (int)length, text, value,
                      expected);
    text[length] = '\0';
}

// Random digits, with or without a decimal point and an exponent.
static void random_text(uint64_t *state, char *text)
{
    size_t digits = 1 + test_random(state) % 22, point = test_random(state) % (digits + 4);
    char *end = text;

    if (test_random(state) % 2)
        *end++ = '-';
    for (size_t i = 0; i < digits; i++) {
        if (i == point)
            *end++ = '.';
        *end++ = (char)('0' + (test_random(state) % 4 ? test_random(state) % 10 : i % 2 * 9));
    }
    *end = '\0';
    if (test_random(state) % 3 == 0)
        sprintf(end, "%c%s%d", test_random(state) % 2 ? 'e' : 'E', test_random(state) % 2 ? "+" : "-",
                (int)(test_random(state) % (test_random(state) % 8 ? 25 : 340)));
}

START_TEST(random_texts)
{
    uint64_t state = test_seed("random_texts");
    char text[96];

    for (int i = 0, count = test_cases(1500000); i < count; i++) {
        random_text(&state, text);
        expect_as_strtod(text);
    }
}
END_TEST

// Random doubles, printed with 1 to 19 digits.
START_TEST(random_doubles)
{
    uint64_t state = test_seed("random_doubles");
    char text[512];

    for (int i = 0, count = test_cases(600000); i < count; i++) {
        uint64_t bits = test_random(&state);
        double any;

        memcpy(&any, &bits, sizeof any);
        if (!isfinite(any) || i % 2)
            any = (double)(int64_t)bits * ldexp(1, -(int)(test_random(&state) % 90));
        snprintf(text, sizeof text, "%.*g", 1 + (int)(test_random(&state) % 19), any);
        expect_as_strtod(text);
    }
}
END_TEST

// Numbers halfway between two doubles, or next to such a number: integers of 54 to 63 bits, and smaller ones
// with a fraction.
START_TEST(ties)
{
    uint64_t state = test_seed("ties");
    char text[512];

    for (int i = 0, count = test_cases(600000); i < count; i++) {
        int extra = 1 + (int)(test_random(&state) % 10);
        uint64_t kept = test_random(&state) >> 11 | UINT64_C(1) << 52;
        uint64_t tie = (2 * kept + 1) << (extra - 1);

        sprintf(text, "%llu", (unsigned long long)(tie + test_random(&state) % 3 - 1));
        expect_as_strtod(text);
        sprintf(text, "%llu%s", (unsigned long long)((2 * kept + 1) >> 1),
                test_random(&state) % 2 ? ".5" : ".50000001");
        expect_as_strtod(text);
        sprintf(text, "%llu%s", (unsigned long long)(kept / 4), test_random(&state) % 2 ? ".125" : ".375");
        expect_as_strtod(text);
    }
}
END_TEST

// Every integer below 1,000 and every 97th one below 10,000, padded with zeros to up to 9 digits, without a
// decimal point and with one in every position; then texts that csv_short_number must refuse.
START_TEST(short_numbers)
{
    char text[64], digits[32];
    double value;

    for (int number = 0; number < 10000; number++)
        for (int length = 1; length <= 9; length++)
            for (int point = -1; point <= length; point++)
                for (int negative = 0; negative < 2; negative++) {
                    int before = point < 0 ? length : point;

                    if (number >= 1000 && number % 97)
                        continue;
                    snprintf(digits, sizeof digits, "%0*d", length, number);
                    snprintf(text, sizeof text, "%s%.*s%s%s", negative ? "-" : "", before, digits,
                             point < 0 ? "" : ".", digits + before);
                    expect_as_strtod(text);
                }
    for (size_t i = 0; i < 8; i++) {
        static const char *const others[] = {"", "-", ".", "-.", "1..", "--1", "1e5", "+1"};

        memset(text, 0, sizeof text);
        strcpy(text, others[i]);
        ck_assert_msg(!csv_short_number(text, strlen(others[i]), '.', &value), "'%s'", others[i]);
    }
}
END_TEST

START_TEST(no_numbers)
{
    static const char *const texts[] = {"",    " ",   "-",   "+",   ".",   "-.", "e5",
                                        ".e5", "inf", "nan", "abc", "--1", "\t"};
    double value;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(!csv_number_at(texts[i], c_locale, &value), "'%s'", texts[i]);
    // An exponent without digits is not part of the number.
    ck_assert_str_eq(csv_number_at("1e+,", c_locale, &value), "e+,");
    ck_assert_double_eq(value, 1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_texts, random_doubles, ties, short_numbers, no_numbers};

    return TEST_RUN_WITH("csv number", CK_FORK_GETENV, make_locale, free_locale, tests);
}
