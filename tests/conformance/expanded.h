// SPDX-License-Identifier: Apache-2.0
// A program with its macros expanded. OpenCL C 1.2 (6.9) has no variadic macros, and NVIDIA's compiler
// refuses them; the kernels of the tests have many. The output of Koine's preprocessor is OpenCL C again.
// Other compilers get the kernels as written, so that their preprocessors are compared with Koine's too.
#ifndef KN_TESTS_CONFORMANCE_EXPANDED_H
#define KN_TESTS_CONFORMANCE_EXPANDED_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <koine/program.h>

#include "base/error.h"
#include "base/text/text.h"
#include "source/preprocess/lexer.h"
#include "source/source.h"

static inline bool expanded_is_needed(kn_context *on, const struct src_unit *unit)
{
    return strcmp(kn_context_get_device(on)->platform, "NVIDIA CUDA") == 0 && strstr(unit->opencl, "...)");
}

// Blanks separate tokens that would otherwise join: "- -x".
static inline bool expanded_may_touch(const struct src_token *left, const struct src_token *right)
{
    return ki_src_is(left, "(") || ki_src_is(right, ",") || ki_src_is(right, ";") || ki_src_is(right, ")");
}

// The tokens as text, one line for each source line that had some, pragmas on separate lines; NULL if memory
// ran out. The caller frees it.
static inline char *expanded_text(const struct src_unit *unit)
{
    const struct src_token *last = NULL;
    struct ki_text text = KI_TEXT_INIT;

    for (size_t i = 0; i < unit->token_count; i++) {
        const struct src_token *token = &unit->tokens[i];
        bool starts = !last || last->kind == SRC_PRAGMA || token->kind == SRC_PRAGMA ||
                      last->line != token->line || strcmp(last->file, token->file) != 0;
        ki_text_add(&text, starts ? "\n" : expanded_may_touch(last, token) ? "" : " ");
        ki_text_add(&text, token->kind == SRC_PRAGMA ? "#pragma " : "");
        ki_text_add_bytes(&text, token->text, token->length);
        last = token;
    }
    ki_text_add(&text, "\n");
    return ki_text_take(&text);
}

// The program of the text, or without a text of the file `name` from which `unit` was read. The tokens
// already include the macros of the options.
static inline kn_status expanded_program(kn_context *on, const char *name, const char *text,
                                         const struct src_unit *unit, const kn_program_options *options,
                                         kn_program **program, kn_error *error)
{
    kn_program_options without = *options;
    kn_status status;
    char *expanded;

    if (!expanded_is_needed(on, unit))
        return text ? kn_program_from_text(on, text, name, options, program, error)
                    : kn_program_from_file(on, name, options, program, error);
    without.defines = NULL;
    without.define_count = 0;
    expanded = expanded_text(unit);
    status = expanded ? kn_program_from_text(on, expanded, name, &without, program, error) : KN_ERROR_MEMORY;
    free(expanded);
    return status;
}

// Whether reading the text again gives other tokens than those it was made of, or a macro.
static inline bool expanded_differs(const char *path, const struct src_unit *unit,
                                    const struct src_options *options, kn_error *error)
{
    char *text = expanded_text(unit);
    struct src_unit *again = NULL;
    kn_status status = text ? ki_src_read(path, text, options, &again, error) : KN_ERROR_MEMORY;

    if (!status && (strstr(text, "#define") || again->token_count != unit->token_count))
        status = ki_fail(error, KN_ERROR_BUILD, "%s: %zu tokens, expanded %zu", path, unit->token_count,
                         again->token_count);
    for (size_t i = 0; !status && i < unit->token_count; i++) {
        const struct src_token *before = &unit->tokens[i], *after = &again->tokens[i];
        if (before->kind != after->kind || before->length != after->length ||
            memcmp(before->text, after->text, before->length) != 0)
            status =
                ki_fail(error, KN_ERROR_BUILD, "%s:%u: '%.*s' is '%.*s' in the expanded text", before->file,
                        before->line, (int)before->length, before->text, (int)after->length, after->text);
    }
    ki_src_free(again);
    free(text);
    return status != KN_OK;
}

#endif
