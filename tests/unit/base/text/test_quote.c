// SPDX-License-Identifier: Apache-2.0
// Tests unusual bytes in messages, and the recognition of UTF-8 characters.
#include "support/support.h"

#include "base/text/quote.h"
#include "support/run.h"

static void expect_quoted(const char *bytes, size_t count, size_t size, const char *expected)
{
    char out[64];

    memset(out, '#', sizeof out);
    ck_assert_uint_lt(size, sizeof out);
    ck_assert_ptr_eq(ki_quote(out, size, bytes, count), out);
    ck_assert_str_eq(out, expected);
    for (size_t i = size; i < sizeof out; i++)
        ck_assert_int_eq(out[i], '#');
}

START_TEST(quoting)
{
    expect_quoted("abc", 3, 32, "\"abc\"");
    expect_quoted("", 0, 32, "\"\"");
    expect_quoted("a\"\\\n\r\t\x1b\0\x7f", 9, 48, "\"a\\\"\\\\\\n\\r\\t\\x1b\\x00\\x7f\"");
    expect_quoted("\xc2\xb5m \xc2\x85 \xff\xc3", 9, 48, "\"\xc2\xb5m \\xc2\\x85 \\xff\\xc3\"");
}
END_TEST

// With any space available, the quotes are closed, nothing is written past the end, and no character is
// truncated.
START_TEST(cutting)
{
    expect_quoted("abcdef", 6, 9, "\"abcdef\"");
    expect_quoted("abcdef", 6, 8, "\"ab...\"");
    expect_quoted("abcdefgh", 8, 9, "\"abc...\"");
    expect_quoted("a\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 10, 10, "\"a\xe2\x82\xac...\"");
    expect_quoted("a\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 10, 9, "\"a...\"");
    for (size_t size = 8; size < 40; size++) {
        char out[64];

        ki_quote(out, size, "a\x01\xe2\x82\xac\"\n\xff\xf0\x9f\x98\x80xyz\x02\x03\x04", 18);
        ck_assert_uint_lt(strlen(out), size);
        ck_assert_int_eq(out[strlen(out) - 1], '"');
    }
}
END_TEST

START_TEST(utf8)
{
    static const struct {
        const char *bytes;
        size_t count, length;
    } cases[] = {{"a", 1, 1},
                 {"\0", 1, 1},
                 {"\xc3\xa4", 2, 2},
                 {"\xe2\x82\xac", 3, 3},
                 {"\xf0\x9f\x98\x80", 4, 4},
                 {"\xf4\x8f\xbf\xbf", 4, 4},
                 {"\xc3\xa4", 1, 0},         // incomplete
                 {"\xe2\x82", 2, 0},         // incomplete
                 {"\xc0\x80", 2, 0},         // overlong
                 {"\xe0\x9f\xbf", 3, 0},     // overlong
                 {"\xf0\x8f\xbf\xbf", 4, 0}, // overlong
                 {"\xed\xa0\x80", 3, 0},     // surrogate
                 {"\xf4\x90\x80\x80", 4, 0}, // beyond U+10FFFF
                 {"\xe2\x82\x61", 3, 0},
                 {"\x80", 1, 0},
                 {"\xff", 1, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_uint_eq(ki_utf8_length(cases[i].bytes, cases[i].count), cases[i].length);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {quoting, cutting, utf8};

    return TEST_RUN("quote", CK_FORK_GETENV, tests);
}
