// SPDX-License-Identifier: Apache-2.0
// The flow of tokens: from the expansions under way, then from the innermost file. A macro is disabled while
// its expansion is read; if its name appears meanwhile, the token is painted and never expanded again (C99
// 6.10.3.4).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "preprocess.h"

static struct src_context *top_context(struct src_preprocessor *pp)
{
    return pp->context_count ? &pp->contexts[pp->context_count - 1] : NULL;
}

static void pop_context(struct src_preprocessor *pp)
{
    struct src_context *context = top_context(pp);

    if (context->macro)
        context->macro->disabled = false;
    pp->held -= context->owned_capacity;
    free(context->owned);
    pp->context_count--;
}

static kn_status push_context(struct src_preprocessor *pp, const struct src_context *context)
{
    if (!KI_ARRAY_PUSH(pp->contexts, pp->context_count, pp->context_capacity, *context)) {
        free(context->owned);
        return ki_src_no_memory(pp);
    }
    if (context->macro)
        context->macro->disabled = true;
    return KN_OK;
}

// The next token of the expansions under way; false if all of them have been read.
static bool take_from_contexts(struct src_preprocessor *pp, struct src_token *token)
{
    struct src_context *context;

    while ((context = top_context(pp)) && context->next == context->count) {
        if (context->barrier) {
            *token = (struct src_token){
                .kind = SRC_END, .text = "", .file = context->file, .line = (uint32_t)context->line};
            return true;
        }
        pop_context(pp);
    }
    if (!context)
        return false;
    *token = context->tokens[context->next];
    if (context->macro && !context->owned) {
        token->file = context->file;
        token->line = (uint32_t)context->line;
    }
    if (context->next == 0 && !context->barrier)
        token->flags = (uint8_t)((token->flags & ~(SRC_SPACE | SRC_LINE_START)) | context->flags);
    context->next++;
    pp->steps++;
    return true;
}

// The next token of the files; executes directives on the way.
static kn_status take_from_files(struct src_preprocessor *pp, struct src_token *token)
{
    kn_status status = KN_OK;

    while (!status) {
        struct src_frame *frame = ki_src_top(pp);
        bool skipping = ki_src_is_skipping(pp);
        frame->lexer.lenient = skipping;
        ki_src_lex(&frame->lexer, token);
        frame->lexer.lenient = false;
        if (token->kind == SRC_FAULT)
            return ki_src_fail_fault(pp, token);
        if (token->kind == SRC_END) {
            // A call's arguments end with the file at the latest.
            if (pp->frame_count == 1 || pp->collecting)
                return KN_OK;
            status = ki_src_pop_input(pp);
        } else if ((token->flags & SRC_LINE_START) && ki_src_is(token, "#")) {
            struct src_token hash = *token;
            status = ki_src_directive(pp, &hash);
        } else if (!skipping) {
            if (frame->guard_state != SRC_GUARD_OPEN)
                frame->guard_state = SRC_GUARD_NONE;
            return KN_OK;
        }
    }
    return status;
}

kn_status ki_src_next_raw(struct src_preprocessor *pp, struct src_token *token)
{
    kn_status status;

    if (!take_from_contexts(pp, token)) {
        status = take_from_files(pp, token);
        if (status)
            return status;
    }
    if (pp->steps > SRC_MOST_STEPS)
        return ki_src_fail_token(
            pp, token, "macros expand to more than %d tokens: one of them multiplies itself", SRC_MOST_STEPS);
    if (token->name && token->name->macro && token->name->macro->disabled)
        token->flags |= SRC_PAINTED;
    if (pp->carry_space && token->kind != SRC_END) {
        token->flags |= SRC_SPACE;
        pp->carry_space = false;
    }
    return KN_OK;
}

// Whether the next token is '(': only then is the name of a function-like macro a call.
static bool is_call(struct src_preprocessor *pp)
{
    struct src_context *context;
    struct src_lexer ahead;
    struct src_token token;

    while ((context = top_context(pp)) && context->next == context->count && !context->barrier)
        pop_context(pp);
    if (context)
        return context->next < context->count && ki_src_is(&context->tokens[context->next], "(");
    ahead = ki_src_top(pp)->lexer;
    ahead.lenient = true;
    ki_src_lex(&ahead, &token);
    // The end of the next file and a directive end the search, as in other compilers.
    return ki_src_is(&token, "(");
}

static kn_status expand_builtin(struct src_preprocessor *pp, enum src_macro_kind kind,
                                struct src_token *token)
{
    const struct src_context *context = top_context(pp);
    struct src_token made = *token;
    char digits[24];
    unsigned long value = kind == SRC_MACRO_COUNTER ? pp->counter++ : token->line;
    kn_status status;

    // For a call over several lines, the line is the one where it ends.
    if (kind == SRC_MACRO_LINE && context && !context->barrier)
        value = (unsigned long)context->last_line;
    if (kind == SRC_MACRO_FILE) {
        status = ki_src_make_string(pp, token->file, &made);
    } else {
        snprintf(digits, sizeof digits, "%lu", value);
        status = ki_src_make_token(pp, digits, strlen(digits), &made);
    }
    made.flags = token->flags;
    *token = made;
    return status;
}

// Puts a macro's expansion before what follows its name.
static kn_status expand(struct src_preprocessor *pp, struct src_macro *macro, const struct src_token *name)
{
    struct src_context context = {.tokens = macro->body,
                                  .count = macro->body_count,
                                  .macro = macro,
                                  .file = name->file,
                                  .line = (long)name->line,
                                  .last_line = (long)name->line,
                                  .flags = name->flags & (SRC_SPACE | SRC_LINE_START)};
    const struct src_context *outer = top_context(pp);
    struct src_list made = {NULL, 0, 0};
    kn_status status = KN_OK;

    if (outer && !outer->barrier)
        context.last_line = outer->last_line;
    if (macro->kind == SRC_MACRO_FUNCTION)
        status = ki_src_call(pp, macro, name, outer && !outer->barrier ? NULL : &context.last_line, &made);
    else if (macro->pastes)
        status = ki_src_paste_body(pp, macro, name, &made);
    if (status) {
        ki_src_list_free(pp, &made);
        return status;
    }
    if (macro->kind == SRC_MACRO_FUNCTION || macro->pastes) {
        context.tokens = made.items;
        context.owned = made.items;
        context.owned_capacity = made.capacity;
        context.count = made.count;
    }
    pp->steps++;
    if (!context.count) {
        pp->carry_space = pp->carry_space || (name->flags & SRC_SPACE);
        ki_src_list_free(pp, &made);
        return KN_OK;
    }
    return push_context(pp, &context);
}

// `defined NAME` or `defined(NAME)`, after the word: becomes 1 or 0.
static kn_status expand_defined(struct src_preprocessor *pp, struct src_token *token)
{
    struct src_token location = *token, next;
    bool bracket;
    kn_status status = ki_src_next_raw(pp, &next);
    struct src_name *name;

    bracket = !status && ki_src_is(&next, "(");
    if (bracket)
        status = ki_src_next_raw(pp, &next);
    name = next.name;
    if (!status && (next.kind != SRC_IDENTIFIER || !name))
        status = ki_src_fail_token(pp, &location, "\"defined\" needs a macro's name");
    if (!status && bracket)
        status = ki_src_next_raw(pp, &next);
    if (!status && bracket && !ki_src_is(&next, ")"))
        status = ki_src_fail_token(pp, &location, "\")\" is missing after \"defined(%.100s\"", name->text);
    if (!status)
        *token = (struct src_token){.kind = SRC_NUMBER,
                                    .text = name->macro ? "1" : "0",
                                    .length = 1,
                                    .file = location.file,
                                    .line = location.line,
                                    .flags = location.flags};
    return status;
}

kn_status ki_src_next(struct src_preprocessor *pp, struct src_token *token)
{
    for (;;) {
        struct src_macro *macro;
        struct src_token name;
        kn_status status = ki_src_next_raw(pp, token);
        if (status || token->kind != SRC_IDENTIFIER)
            return status;
        if (pp->in_condition && ki_src_is_word(token, "defined"))
            return expand_defined(pp, token);
        macro = token->name->macro;
        if (!macro || (token->flags & SRC_PAINTED))
            return KN_OK;
        if (macro->kind == SRC_MACRO_FUNCTION && !is_call(pp))
            return KN_OK;
        if (macro->kind > SRC_MACRO_FUNCTION)
            return expand_builtin(pp, macro->kind, token);
        name = *token;
        status = expand(pp, macro, &name);
        if (status)
            return status;
    }
}

kn_status ki_src_expand_list(struct src_preprocessor *pp, const struct src_token *tokens, size_t count,
                             struct src_list *out)
{
    struct src_context barrier = {.tokens = tokens, .count = count, .barrier = true};
    bool carried = pp->carry_space;
    int collecting = pp->collecting;
    struct src_token token;
    kn_status status;

    if (!count)
        return KN_OK;
    if (pp->call_depth >= SRC_CALL_DEPTH)
        return ki_src_fail_token(pp, tokens, "macro calls are nested more than %d deep in arguments",
                                 SRC_CALL_DEPTH);
    barrier.file = tokens[count - 1].file;
    barrier.line = (long)tokens[count - 1].line;
    pp->carry_space = false;
    pp->collecting = 0;
    pp->call_depth++;
    status = push_context(pp, &barrier);
    while (!status && !(status = ki_src_next(pp, &token)) && token.kind != SRC_END)
        status = ki_src_list_add(pp, out, &token);
    // After an error the contexts are freed with the preprocessor; otherwise only the barrier is left.
    if (!status)
        pop_context(pp);
    pp->call_depth--;
    pp->collecting = collecting;
    pp->carry_space = carried;
    return status;
}
