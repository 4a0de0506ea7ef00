// SPDX-License-Identifier: Apache-2.0
// What follows a '#' at the start of a line, except conditionals and #include.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "preprocess.h"

typedef kn_status handler(struct src_preprocessor *pp, const struct src_token *hash);

static handler line_directive, error_directive, warning_directive, pragma_directive;

// `always`: also where text is skipped. `lenient`: the rest is words for people or for the compiler.
static const struct directive {
    const char *name;
    handler *handle; // NULL: #include
    bool always, lenient;
} directives[] = {
    {"include", NULL, true, false},
    {"define", ki_src_define, false, false},
    {"undef", ki_src_undefine, false, false},
    {"if", ki_src_if, true, false},
    {"ifdef", ki_src_ifdef, true, false},
    {"ifndef", ki_src_ifndef, true, false},
    {"elif", ki_src_elif, true, true},
    {"else", ki_src_else, true, true},
    {"endif", ki_src_endif, true, true},
    {"line", line_directive, false, false},
    {"error", error_directive, false, true},
    {"warning", warning_directive, false, true},
    {"ident", warning_directive, false, true},
    {"pragma", pragma_directive, false, true},
};

static const struct directive *find(const struct src_token *name)
{
    for (size_t i = 0; i < KI_COUNT(directives); i++)
        if (ki_src_is_word(name, directives[i].name))
            return &directives[i];
    return NULL;
}

// The rest of the line as written; "" if it is empty. In the arena.
static const char *rest_of_line(struct src_preprocessor *pp)
{
    struct ki_text text = KI_TEXT_INIT;
    const char *kept;

    for (size_t i = 0; i < pp->line.count; i++) {
        if (i && (pp->line.items[i].flags & SRC_SPACE))
            ki_text_add_char(&text, ' ');
        ki_text_add_bytes(&text, pp->line.items[i].text, pp->line.items[i].length);
    }
    kept = text.failed ? NULL : ki_arena_copy(pp->arena, ki_text_string(&text), text.length);
    ki_text_free(&text);
    return kept;
}

// #line: from the next line on, lines count from the number, and the file has the given name.
static kn_status set_line(struct src_preprocessor *pp, const struct src_token *hash,
                          const struct src_token *tokens, size_t count)
{
    struct src_lexer *lexer = &ki_src_top(pp)->lexer;
    char digits[24];
    long line;

    if (!count || tokens[0].kind != SRC_NUMBER || tokens[0].length > 10)
        return ki_src_fail_token(pp, hash, "#line needs a line number from 1 to 2147483647");
    memcpy(digits, tokens[0].text, tokens[0].length);
    digits[tokens[0].length] = '\0';
    line = strtol(digits, NULL, 10);
    if (strspn(digits, "0123456789") != tokens[0].length || line > 2147483647)
        return ki_src_fail_token(pp, hash, "#line needs a line number from 1 to 2147483647");
    if (count > 1) {
        const char *name;
        if (tokens[1].kind != SRC_STRING || *tokens[1].text == 'L')
            return ki_src_fail_token(pp, hash, "#line needs a file name in double quotes after the number");
        name = ki_src_string_text(pp, &tokens[1]);
        if (!name)
            return ki_src_no_memory(pp);
        lexer->file = name;
    }
    // The lexer is at the end of this line.
    lexer->line_shift = line - (lexer->line + 1);
    return KN_OK;
}

static kn_status line_directive(struct src_preprocessor *pp, const struct src_token *hash)
{
    struct src_list expanded = {NULL, 0, 0};
    kn_status status = ki_src_read_line(pp);

    if (!status)
        status = ki_src_expand_list(pp, pp->line.items, pp->line.count, &expanded);
    if (!status)
        status = set_line(pp, hash, expanded.items, expanded.count);
    ki_src_list_free(pp, &expanded);
    return status;
}

// # 12 "file" 1: the form that other preprocessors leave.
static kn_status line_marker(struct src_preprocessor *pp, const struct src_token *hash,
                             struct src_token number)
{
    struct src_token tokens[2] = {number};
    kn_status status = ki_src_read_line(pp);
    size_t count = pp->line.count ? 2 : 1;

    if (count == 2)
        tokens[1] = pp->line.items[0];
    return status ? status : set_line(pp, hash, tokens, count);
}

static kn_status error_directive(struct src_preprocessor *pp, const struct src_token *hash)
{
    kn_status status = ki_src_read_line(pp);
    const char *text;

    if (status)
        return status;
    text = rest_of_line(pp);
    if (!text)
        return ki_src_no_memory(pp);
    return ki_src_fail_token(pp, hash, "#error %.1000s", text);
}

// Left to the device's compiler, which shows it.
static kn_status warning_directive(struct src_preprocessor *pp, const struct src_token *hash)
{
    (void)hash;
    return ki_src_read_line(pp);
}

kn_status ki_src_make_pragma(struct src_preprocessor *pp, const struct src_token *tokens, size_t count,
                             struct src_token *made)
{
    struct src_list expanded = {NULL, 0, 0};
    kn_status status = KN_OK;
    const char *text;

    // Compilers expand macros in these and leave the others as they are: cl_khr_fp64, for one, is a macro
    // itself.
    if (count && (ki_src_is_word(&tokens[0], "unroll") || ki_src_is_word(&tokens[0], "clang"))) {
        status = ki_src_expand_list(pp, tokens, count, &expanded);
        tokens = expanded.items;
        count = expanded.count;
    }
    pp->line.count = 0;
    for (size_t i = 0; i < count && !status; i++)
        status = ki_src_list_add(pp, &pp->line, &tokens[i]);
    ki_src_list_free(pp, &expanded);
    text = status ? NULL : rest_of_line(pp);
    if (!status && !text)
        status = ki_src_no_memory(pp);
    if (status)
        return status;
    made->kind = SRC_PRAGMA;
    made->name = NULL;
    made->text = text;
    made->length = (uint32_t)strlen(text);
    made->flags |= SRC_LINE_START | SRC_SPACE;
    return KN_OK;
}

static kn_status pragma_directive(struct src_preprocessor *pp, const struct src_token *hash)
{
    struct src_list tokens = {NULL, 0, 0};
    struct src_token made = *hash;
    kn_status status = ki_src_read_line(pp);

    if (status)
        return status;
    if (pp->line.count && ki_src_is_word(&pp->line.items[0], "once")) {
        ki_src_top(pp)->input->once = true;
        // Compilers warn about it outside a header, and they get everything as one file: the line is left
        // out.
        return ki_src_cut_line(pp);
    }
    for (size_t i = 0; i < pp->line.count && !status; i++)
        status = ki_src_list_add(pp, &tokens, &pp->line.items[i]);
    if (!status)
        status = ki_src_make_pragma(pp, tokens.items, tokens.count, &made);
    if (!status)
        status = ki_src_list_add(pp, &pp->output, &made);
    ki_src_list_free(pp, &tokens);
    return status;
}

// The #include of a branch that is not taken: its line is removed, so that no compiler looks for the file.
static kn_status drop_include(struct src_preprocessor *pp)
{
    kn_status status;

    ki_src_top(pp)->lexer.lenient = true;
    status = ki_src_read_line(pp);
    return status ? status : ki_src_cut_line(pp);
}

// Tracks whether the file may be one big #ifndef.
static void note_directive(struct src_frame *frame, const struct directive *directive)
{
    if (frame->guard_state == SRC_GUARD_START)
        frame->guard_state =
            directive && (directive->handle == ki_src_ifndef || directive->handle == ki_src_if)
                ? SRC_GUARD_OPEN
                : SRC_GUARD_NONE;
    else if (frame->guard_state == SRC_GUARD_CLOSED)
        frame->guard_state = SRC_GUARD_NONE;
}

static kn_status dispatch(struct src_preprocessor *pp, const struct src_token *hash)
{
    struct src_frame *frame = ki_src_top(pp);
    bool skipping = ki_src_is_skipping(pp);
    const struct directive *directive;
    struct src_token name;

    ki_src_lex(&frame->lexer, &name);
    if (name.kind == SRC_FAULT)
        return ki_src_fail_fault(pp, &name);
    if (name.kind == SRC_END)
        return KN_OK;
    directive = find(&name);
    note_directive(frame, directive);
    if (skipping && (!directive || !directive->always))
        return KN_OK;
    if (name.kind == SRC_NUMBER)
        return line_marker(pp, hash, name);
    if (!directive)
        return ki_src_fail_token(pp, hash, "#%.*s is no directive of C",
                                 name.length < 60 ? (int)name.length : 60, name.text);
    frame->lexer.lenient = directive->lenient || skipping;
    if (pp->collecting && (!directive->handle || directive->handle == pragma_directive))
        return ki_src_fail_token(pp, hash, "#%s cannot stand among a macro's arguments", directive->name);
    if (directive->handle)
        return directive->handle(pp, hash);
    return skipping ? drop_include(pp) : ki_src_include(pp, hash);
}

kn_status ki_src_directive(struct src_preprocessor *pp, const struct src_token *hash)
{
    struct src_frame *frame = ki_src_top(pp);
    size_t frame_index = pp->frame_count - 1;
    struct src_token token;
    kn_status status;

    frame->directive =
        ki_src_written_offset(frame->lexer.text, (size_t)(hash->text - frame->lexer.text->joined));
    frame->lexer.directive = true;
    status = dispatch(pp, hash);
    frame = &pp->frames[frame_index];
    if (!status && pp->frame_count == frame_index + 1) {
        // What is left of the line: comments, or text that need not be read.
        frame->lexer.lenient = true;
        do
            ki_src_lex(&frame->lexer, &token);
        while (token.kind != SRC_END && token.kind != SRC_FAULT);
        if (token.kind == SRC_FAULT)
            status = ki_src_fail_fault(pp, &token);
    }
    frame->lexer.directive = false;
    frame->lexer.lenient = false;
    return status;
}
