// SPDX-License-Identifier: Apache-2.0
// Tests the messages of errors.
#include "support/run.h"
#include "support/support.h"

#include <errno.h>

#include "base/error.h"

static kn_error err;

static void poison(void)
{
    memset(&err, 0x55, sizeof err);
}

static void expect_error(kn_status status, kn_status code, const char *file, long line, const char *text)
{
    ck_assert_int_eq(status, code);
    ck_assert_int_eq(err.code, code);
    ck_assert_str_eq(err.file, file);
    ck_assert_int_eq(err.line, line);
    ck_assert_str_eq(err.text, text);
}

START_TEST(sentences)
{
    poison();
    expect_error(ki_fail(&err, KN_ERROR_LIMIT, "%d of %s", 3, "them"), KN_ERROR_LIMIT, "", 0, "3 of them");
    ck_assert_int_eq(err.native, 0);
    ck_assert_str_eq(err.native_name, "");
    poison();
    expect_error(ki_fail_at(&err, KN_ERROR_BUILD, "a.cl", 12, "no %c", 'x'), KN_ERROR_BUILD, "a.cl", 12,
                 "a.cl:12: no x");
    expect_error(ki_fail_at(&err, KN_ERROR_BUILD, "a.cl", 0, "no"), KN_ERROR_BUILD, "a.cl", 0, "a.cl: no");
    expect_error(ki_fail_at(&err, KN_ERROR_BUILD, NULL, 5, "no"), KN_ERROR_BUILD, "", 0, "no");
    expect_error(ki_fail_at(&err, KN_ERROR_BUILD, "", 5, "no"), KN_ERROR_BUILD, "", 0, "no");
    expect_error(ki_fail_memory(&err, 12, "a queue"), KN_ERROR_MEMORY, "", 0,
                 "out of memory: 12 bytes for a queue");
    expect_error(ki_fail_memory(&err, 0, "reading"), KN_ERROR_MEMORY, "", 0, "out of memory while reading");
}
END_TEST

START_TEST(the_systems_words)
{
    poison();
    expect_error(ki_fail_errno(&err, KN_ERROR_OUTPUT, "out.csv", ENOSPC, "cannot be written"),
                 KN_ERROR_OUTPUT, "out.csv", 0, "out.csv: cannot be written: No space left on device");
    ck_assert_int_eq(err.native, ENOSPC);
    ck_assert_str_eq(err.native_name, "ENOSPC");
    ck_assert_int_eq(ki_fail_errno(&err, KN_ERROR_INPUT, "x", 999999, "no"), KN_ERROR_INPUT);
    ck_assert_int_eq(err.native, 999999);
    ck_assert_str_eq(err.native_name, "");
}
END_TEST

START_TEST(native_codes)
{
    char name[100];

    ki_fail(&err, KN_ERROR_DEVICE, "x");
    ck_assert_int_eq(ki_error_native(&err, -5, "CL_OUT_OF_RESOURCES"), KN_ERROR_DEVICE);
    ck_assert_int_eq(err.native, -5);
    ck_assert_str_eq(err.native_name, "CL_OUT_OF_RESOURCES");
    ki_error_native(&err, 1, NULL);
    ck_assert_str_eq(err.native_name, "");
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    ki_error_native(&err, 1, name);
    ck_assert_uint_eq(strlen(err.native_name), sizeof err.native_name - 1);
}
END_TEST

// Messages of any length are truncated to the available space, and statuses are returned even without an
// error to fill.
START_TEST(long_messages)
{
    static char words[5000];

    memset(words, 'w', sizeof words - 1);
    for (size_t length = 200; length < sizeof words; length += 97) {
        struct {
            kn_error error;
            char guard[16];
        } guarded;

        memset(&guarded, 0x55, sizeof guarded);
        words[length] = '\0';
        ki_fail_at(&guarded.error, KN_ERROR_INPUT, words, 7, "%s", words);
        ck_assert_uint_eq(strlen(guarded.error.file), length < 256 ? length : 255);
        ck_assert_uint_le(strlen(guarded.error.text), sizeof guarded.error.text - 1);
        ki_fail_errno(&guarded.error, KN_ERROR_INPUT, "f", ENOENT, "%s", words);
        ck_assert_uint_le(strlen(guarded.error.text), sizeof guarded.error.text - 1);
        ck_assert_str_eq(guarded.error.native_name, "ENOENT");
        for (size_t i = 0; i < sizeof guarded.guard; i++)
            ck_assert_int_eq(guarded.guard[i], 0x55);
        words[length] = 'w';
    }
}
END_TEST

START_TEST(nobody_asks)
{
    ck_assert_int_eq(ki_fail(NULL, KN_ERROR_LIMIT, "%s", "x"), KN_ERROR_LIMIT);
    ck_assert_int_eq(ki_fail_at(NULL, KN_ERROR_BUILD, "f", 1, "x"), KN_ERROR_BUILD);
    ck_assert_int_eq(ki_fail_errno(NULL, KN_ERROR_INPUT, "f", ENOENT, "x"), KN_ERROR_INPUT);
    ck_assert_int_eq(ki_fail_memory(NULL, 1, "x"), KN_ERROR_MEMORY);
    ck_assert_int_eq(ki_error_native(NULL, 1, "x"), KN_OK);
}
END_TEST

START_TEST(names)
{
    ck_assert_str_eq(kn_status_name(KN_OK), "KN_OK");
    ck_assert_str_eq(kn_status_name(KN_ERROR_LIMIT), "KN_ERROR_LIMIT");
    for (int status = KN_OK; status <= KN_ERROR_INTERRUPTED; status++)
        ck_assert_int_eq(strncmp(kn_status_name((kn_status)status), "KN_", 3), 0);
    ck_assert_str_eq(kn_status_name((kn_status)(KN_ERROR_INTERRUPTED + 1)), "unknown status");
    ck_assert_str_eq(kn_status_name((kn_status)-1), "unknown status");
}
END_TEST

START_TEST(without_the_functions_name)
{
    static const struct {
        const char *text, *left;
    } cases[] = {
        {"kn_sort_2: n is 0: expected more", "n is 0: expected more"},
        {"kn_sort says: no", "kn_sort says: no"},
        {"a.csv: kn_sort: no", "a.csv: kn_sort: no"},
        {"kn_sort", "kn_sort"},
        {"", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ki_fail(&err, KN_ERROR_LIMIT, "%s", cases[i].text);
        ck_assert_int_eq(ki_error_unname(KN_OK, &err), KN_OK);
        ck_assert_str_eq(err.text, cases[i].text);
        ck_assert_int_eq(ki_error_unname(KN_ERROR_LIMIT, &err), KN_ERROR_LIMIT);
        ck_assert_str_eq(err.text, cases[i].left);
    }
    ck_assert_int_eq(ki_error_unname(KN_ERROR_LIMIT, NULL), KN_ERROR_LIMIT);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        sentences, the_systems_words,         native_codes, long_messages, nobody_asks,
        names,     without_the_functions_name};

    return TEST_RUN("error", CK_FORK_GETENV, tests);
}
