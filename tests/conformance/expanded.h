// SPDX-License-Identifier: Apache-2.0
// A program without its macros. OpenCL C 1.2 (6.9) has no variadic ones, and NVIDIA's compiler keeps to that;
// the kernels of the tests have many. What is left when Koine's preprocessor is done is OpenCL C again.
#ifndef KN_TESTS_EXPANDED_H
#define KN_TESTS_EXPANDED_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <koine/program.h>

#include "../../src/base/text.h"
#include "../../src/source/lexer.h"
#include "../../src/source/source.h"

static inline bool expanded_is_needed(const struct src_unit *unit)
{
    return strstr(unit->opencl, "...)") != NULL;
}

// Blanks keep tokens apart that would join: "- -x".
static inline bool expanded_may_touch(const struct src_token *left, const struct src_token *right)
{
    return src_is(left, "(") || src_is(right, ",") || src_is(right, ";") || src_is(right, ")");
}

// The tokens as text, a line for each that had some, pragmas on their own; NULL if memory ran out. The caller
// frees it.
static inline char *expanded_text(const struct src_unit *unit)
{
    const struct src_token *last = NULL;
    struct kn_text text = KN_TEXT_INIT;

    for (size_t i = 0; i < unit->token_count; i++) {
        const struct src_token *token = &unit->tokens[i];
        bool starts = !last || last->kind == SRC_PRAGMA || token->kind == SRC_PRAGMA ||
                      last->line != token->line || strcmp(last->file, token->file) != 0;
        if (token->kind == SRC_END)
            continue;
        kn_text_add(&text, starts ? "\n" : expanded_may_touch(last, token) ? "" : " ");
        kn_text_add(&text, token->kind == SRC_PRAGMA ? "#pragma " : "");
        kn_text_add_bytes(&text, token->text, token->length);
        last = token;
    }
    kn_text_add(&text, "\n");
    return kn_text_take(&text);
}

// The program of the file that `unit` was read from, for the device: expanded where OpenCL could not take it
// as it is. The options' macros are in the tokens already.
static inline kn_status expanded_program(kn_context *on, const char *path, const struct src_unit *unit,
                                         const kn_program_options *options, kn_program **program,
                                         kn_error *error)
{
    kn_program_options without = *options;
    kn_status status;
    char *text;

    if (strcmp(kn_context_device(on)->backend, "opencl") != 0 || !expanded_is_needed(unit))
        return kn_program_from_file(on, path, options, program, error);
    without.defines = NULL;
    without.define_count = 0;
    text = expanded_text(unit);
    status = text ? kn_program_from_text(on, text, strrchr(path, '/') + 1, &without, program, error)
                  : KN_ERROR_MEMORY;
    free(text);
    return status;
}

#endif
