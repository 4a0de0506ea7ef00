// SPDX-License-Identifier: Apache-2.0
// Growing strings.
#include "support/run.h"
#include "support/support.h"

#include "base/text/text.h"

START_TEST(empty)
{
    struct ki_text text = KI_TEXT_INIT;
    char *taken;

    ck_assert_str_eq(ki_text_string(&text), "");
    taken = ki_text_take(&text);
    ck_assert_str_eq(taken, "");
    free(taken);
    ki_text_free(&text);
    ki_text_free(&text);
    ki_text_add(&text, "");
    ck_assert_str_eq(ki_text_string(&text), "");
    ki_text_free(&text);
}
END_TEST

// Pieces of random length by each function, against a plain array.
START_TEST(appending)
{
    static char expected[200000];
    uint64_t seed = test_seed("appending");
    struct ki_text text = KI_TEXT_INIT;
    size_t length = 0;
    char *taken;

    while (length < sizeof expected - 400) {
        char piece[340];
        size_t count = test_random(&seed) % 300;

        for (size_t i = 0; i < count; i++)
            piece[i] = (char)('a' + test_random(&seed) % 26);
        piece[count] = '\0';
        switch (test_random(&seed) % 4) {
        case 0:
            ki_text_add(&text, piece);
            break;
        case 1:
            ki_text_add_bytes(&text, piece, count);
            break;
        case 2:
            ki_text_format(&text, "%s%%%zu", piece, count);
            count += (size_t)snprintf(piece + count, sizeof piece - count, "%%%zu", count);
            break;
        default:
            ki_text_add_char(&text, '#');
            count = 1;
            piece[0] = '#';
        }
        memcpy(expected + length, piece, count);
        length += count;
        ck_assert_uint_eq(text.length, length);
        ck_assert_uint_gt(text.capacity, length);
        ck_assert_int_eq(text.data[length], '\0');
    }
    ck_assert_int_eq(memcmp(ki_text_string(&text), expected, length + 1), 0);
    ck_assert(!text.failed);
    taken = ki_text_take(&text);
    ck_assert_int_eq(memcmp(taken, expected, length + 1), 0);
    ck_assert_ptr_null(text.data);
    ck_assert_uint_eq(text.length, 0);
    free(taken);
}
END_TEST

START_TEST(bytes_with_nul)
{
    struct ki_text text = KI_TEXT_INIT;

    ki_text_add_bytes(&text, "a\0b", 3);
    ki_text_add_bytes(&text, NULL, 0);
    ck_assert_uint_eq(text.length, 3);
    ck_assert_int_eq(memcmp(text.data, "a\0b", 4), 0);
    ki_text_free(&text);
}
END_TEST

// More memory than is available: the failure persists, and the contents are released.
START_TEST(too_long)
{
    struct ki_text text = KI_TEXT_INIT;

    ki_text_add(&text, "abc");
    ki_text_add_bytes(&text, "x", (size_t)-1); // its length overflows
    ck_assert(text.failed);
    ki_text_add(&text, "def");
    ck_assert(text.failed);
    ck_assert_str_eq(ki_text_string(&text), "abc");
    ck_assert_ptr_null(ki_text_take(&text));
    ck_assert(!text.failed);
    ki_text_free(&text);
}
END_TEST

// The memory is kept, even after a failure.
START_TEST(clearing)
{
    struct ki_text text = KI_TEXT_INIT;
    const char *data;

    ki_text_clear(&text);
    ck_assert_str_eq(ki_text_string(&text), "");
    ki_text_add(&text, "abc");
    data = text.data;
    ki_text_add_bytes(&text, "x", (size_t)-1);
    ki_text_clear(&text);
    ck_assert(!text.failed);
    ck_assert_uint_eq(text.length, 0);
    ck_assert_str_eq(ki_text_string(&text), "");
    ki_text_add(&text, "de");
    ck_assert_str_eq(ki_text_string(&text), "de");
    ck_assert_ptr_eq(text.data, data);
    ki_text_free(&text);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {empty, appending, bytes_with_nul, too_long, clearing};

    return TEST_RUN("text", CK_FORK_GETENV, tests);
}
