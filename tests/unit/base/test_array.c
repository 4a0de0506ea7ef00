// SPDX-License-Identifier: Apache-2.0
// Growing arrays.
#include "support/run.h"
#include "support/support.h"

#include "base/array.h"

struct item {
    int number;
    char text[20];
};

START_TEST(pushing)
{
    struct item *items = NULL;
    size_t count = 0, capacity = 0;

    for (int i = 0; i < 10000; i++) {
        struct item item = {i, ""};

        snprintf(item.text, sizeof item.text, "%d", i * 7);
        ck_assert(KI_ARRAY_PUSH(items, count, capacity, item));
        ck_assert_uint_eq(count, (size_t)i + 1);
        ck_assert_uint_le(count, capacity);
    }
    for (int i = 0; i < 10000; i++) {
        char text[20];

        snprintf(text, sizeof text, "%d", i * 7);
        ck_assert_int_eq(items[i].number, i);
        ck_assert_str_eq(items[i].text, text);
    }
    ck_assert_uint_lt(capacity, 20001); // in proportion
    free(items);
}
END_TEST

// The array is unchanged.
START_TEST(too_large)
{
    char *items = malloc(3);
    size_t capacity = 3;
    char *before = items;

    ck_assert_ptr_nonnull(items);
    memcpy(items, "abc", 3);
    ck_assert(ki_array_grow(&items, &capacity, 2, 1)); // there is room
    ck_assert_ptr_eq(items, before);
    ck_assert(!ki_array_grow(&items, &capacity, 3, (size_t)-1 / 2 + 2)); // times 6 overflows to 6
    ck_assert_ptr_eq(items, before);
    ck_assert_uint_eq(capacity, 3);
    ck_assert_int_eq(memcmp(items, "abc", 3), 0);
    free(items);
}
END_TEST

START_TEST(counting)
{
    const int five[5] = {0};

    ck_assert_uint_eq(KI_COUNT(five), 5);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {pushing, too_large, counting};

    return TEST_RUN("array", CK_FORK_GETENV, tests);
}
