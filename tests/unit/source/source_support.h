// SPDX-License-Identifier: Apache-2.0
// Helpers for the tests of the source layer: they read a text and compare its tokens, or its error, with the
// expected ones.
#ifndef KN_TESTS_UNIT_SOURCE_SOURCE_SUPPORT_H
#define KN_TESTS_UNIT_SOURCE_SOURCE_SUPPORT_H

#include "support/run.h"
#include "support/support.h"

#include "base/text/text.h"
#include "source/preprocess/lexer.h"
#include "source/source.h"

// The tokens with one space between them; a pragma becomes "#pragma ...". The caller frees the string.
static inline char *tokens_of(const struct src_unit *unit)
{
    struct ki_text text = KI_TEXT_INIT;
    char *string;

    for (size_t i = 0; i < unit->token_count; i++) {
        const struct src_token *token = &unit->tokens[i];
        ki_text_add(&text, i ? " " : "");
        ki_text_add(&text, token->kind == SRC_PRAGMA ? "#pragma " : "");
        ki_text_add_bytes(&text, token->text, token->length);
    }
    string = ki_text_take(&text);
    ck_assert_ptr_nonnull(string);
    return string;
}

static inline struct src_unit *read_text(const char *text, const struct src_options *options)
{
    struct src_unit *unit = NULL;
    kn_error err = KN_ERROR_INIT;

    ck_assert_msg(ki_src_read("main.cl", text, options, &unit, &err) == KN_OK, "%s", err.text);
    ck_assert_int_eq(err.code, KN_OK);
    return unit;
}

static inline void expect_tokens_with(const struct src_options *options, const char *text,
                                      const char *expected)
{
    struct src_unit *unit = read_text(text, options);
    char *found = tokens_of(unit);

    ck_assert_msg(strcmp(found, expected) == 0, "of\n%s\ncame     %s\nexpected %s", text, found, expected);
    free(found);
    ki_src_free(unit);
}

static inline void expect_tokens(const char *text, const char *expected)
{
    expect_tokens_with(NULL, text, expected);
}

// The text must be refused with this status, file and line, and with `what` in the message.
static inline void expect_error_with(const struct src_options *options, const char *text, kn_status code,
                                     const char *file, long line, const char *what)
{
    struct src_unit *unit = NULL;
    kn_error err = KN_ERROR_INIT;
    kn_status status = ki_src_read("main.cl", text, options, &unit, &err);

    ck_assert_msg(status == code, "%s came instead of %s, for\n%.2000s\n%s", kn_status_name(status),
                  kn_status_name(code), text, err.text);
    ck_assert_ptr_null(unit);
    ck_assert_int_eq(err.code, code);
    ck_assert_msg(strcmp(err.file, file) == 0 && err.line == line, "expected at %s:%ld: %s", file, line,
                  err.text);
    ck_assert_msg(strstr(err.text, what) != NULL, "\"%s\" is not in: %s", what, err.text);
    // Without a kn_error to fill in, the status is the same.
    ck_assert_int_eq(ki_src_read("main.cl", text, options, &unit, NULL), code);
}

static inline void expect_error(const char *text, long line, const char *what)
{
    expect_error_with(NULL, text, KN_ERROR_BUILD, "main.cl", line, what);
}

static inline void write_file(const char *folder, const char *name, const char *bytes, size_t length)
{
    char path[4200];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    test_write(path, bytes, length);
}

#endif
