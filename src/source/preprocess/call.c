// SPDX-License-Identifier: Apache-2.0
// Calls of function-like macros: their arguments, and the body with the arguments in it (C99 6.10.3.1
// to 6.10.3.3).
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "preprocess.h"

struct argument {
    size_t first, count;      // of the call's tokens
    struct src_list expanded; // with its macros expanded, once that is needed
    bool is_expanded;
};

struct call {
    const struct src_macro *macro;
    const struct src_token *name;
    struct src_list tokens; // of all arguments, unexpanded
    struct argument *arguments;
    size_t count, capacity;
    bool omits_rest; // it has nothing for "...", not even a comma
};

static void free_call(struct src_preprocessor *pp, struct call *call)
{
    for (size_t i = 0; i < call->count; i++)
        ki_src_list_free(pp, &call->arguments[i].expanded);
    free(call->arguments);
    ki_src_list_free(pp, &call->tokens);
}

static kn_status fail_count(struct src_preprocessor *pp, const struct call *call, const char *given)
{
    const struct src_macro *macro = call->macro;
    size_t named = macro->parameter_count - macro->variadic;

    return ki_src_fail_token(
        pp, call->name, "macro %.100s takes %s%zu argument%s, and %s given (it is defined at %.200s:%ld)",
        macro->name->text, macro->variadic ? "at least " : "", named, named == 1 ? "" : "s", given,
        macro->file, macro->line);
}

static kn_status begin_argument(struct src_preprocessor *pp, struct call *call)
{
    struct argument argument = {.first = call->tokens.count};

    return KI_ARRAY_PUSH(call->arguments, call->count, call->capacity, argument) ? KN_OK
                                                                                 : ki_src_no_memory(pp);
}

// Reads up to the ')' that ends the call.
static kn_status read_arguments(struct src_preprocessor *pp, struct call *call, struct src_token *last)
{
    const struct src_macro *macro = call->macro;
    size_t depth = 0;
    kn_status status = begin_argument(pp, call);

    while (!status && !(status = ki_src_next_raw(pp, last))) {
        if (last->kind == SRC_END)
            return ki_src_fail_token(pp, call->name,
                                     "the call of macro %.100s is never closed: \")\" is missing",
                                     macro->name->text);
        if (depth == 0 && ki_src_is(last, ")"))
            return KN_OK;
        if (depth == 0 && ki_src_is(last, ",") &&
            !(macro->variadic && call->count == macro->parameter_count)) {
            if (call->count >= macro->parameter_count)
                return fail_count(pp, call, "more are");
            status = begin_argument(pp, call);
            continue;
        }
        depth += ki_src_is(last, "(");
        depth -= ki_src_is(last, ")");
        status = ki_src_list_add(pp, &call->tokens, last);
        call->arguments[call->count - 1].count++;
    }
    return status;
}

static kn_status check_count(struct src_preprocessor *pp, struct call *call)
{
    const struct src_macro *macro = call->macro;
    char given[40];

    if (macro->parameter_count == 0 && call->count == 1 && call->arguments[0].count == 0)
        return KN_OK;
    // Compilers allow nothing at all for "...".
    if (macro->variadic && call->count == macro->parameter_count - 1) {
        call->omits_rest = true;
        return begin_argument(pp, call);
    }
    if (call->count == macro->parameter_count)
        return KN_OK;
    snprintf(given, sizeof given, "%zu %s", call->count, call->count == 1 ? "is" : "are");
    return fail_count(pp, call, given);
}

// An argument's unexpanded tokens; NULL if it has none.
static const struct src_token *tokens_of(const struct call *call, const struct argument *argument)
{
    return argument->count ? call->tokens.items + argument->first : NULL;
}

// An argument with its macros expanded.
static kn_status expanded(struct src_preprocessor *pp, struct call *call, struct argument *argument)
{
    kn_status status = KN_OK;

    if (!argument->is_expanded)
        status = ki_src_expand_list(pp, tokens_of(call, argument), argument->count, &argument->expanded);
    argument->is_expanded = true;
    return status;
}

static kn_status add_all(struct src_preprocessor *pp, struct src_list *out, const struct src_token *tokens,
                         size_t count, const struct src_token *location)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; i++) {
        struct src_token token = tokens[i];
        // The first one takes the parameter's place; the start of a line inside a call is only white space.
        if (i == 0)
            token.flags = (uint8_t)((token.flags & ~SRC_SPACE) | (location->flags & SRC_SPACE));
        token.flags &= (uint8_t)~SRC_LINE_START;
        status = ki_src_list_add(pp, out, &token);
    }
    pp->steps += count;
    return status;
}

// ", ## __VA_ARGS__" pastes nothing: compilers drop the comma if the call ends before "...".
static bool is_comma_rule(const struct src_macro *macro, size_t i)
{
    return macro->variadic && macro->body[i].parameter == macro->parameter_count && i >= 2 &&
           ki_src_is(&macro->body[i - 2], ",") && ki_src_is(&macro->body[i - 1], "##");
}

// Appends the tokens that body token `i` stands for, next to a ## or not, to `out`.
static kn_status add_operand(struct src_preprocessor *pp, struct call *call, size_t i, bool beside_paste,
                             struct src_list *out)
{
    struct src_token token = call->macro->body[i];
    struct argument *argument = token.parameter ? &call->arguments[token.parameter - 1] : NULL;
    struct src_token empty = {
        .kind = SRC_PLACEMARKER, .text = "", .file = call->name->file, .line = call->name->line};
    kn_status status;

    token.file = call->name->file;
    token.line = call->name->line;
    token.parameter = 0;
    if (!argument)
        return ki_src_list_add(pp, out, &token);
    if (beside_paste && !argument->count) {
        empty.flags = token.flags & SRC_SPACE;
        return ki_src_list_add(pp, out, &empty);
    }
    if (beside_paste)
        return add_all(pp, out, tokens_of(call, argument), argument->count, &token);
    status = expanded(pp, call, argument);
    return status ? status : add_all(pp, out, argument->expanded.items, argument->expanded.count, &token);
}

static kn_status add_string(struct src_preprocessor *pp, struct call *call, size_t *i, struct src_list *out)
{
    const struct src_token *hash = &call->macro->body[*i];
    const struct argument *argument = &call->arguments[call->macro->body[++*i].parameter - 1];
    struct src_token made = {.file = call->name->file, .line = call->name->line};
    kn_status status = ki_src_stringify(pp, tokens_of(call, argument), argument->count, &made);

    made.flags = hash->flags & SRC_SPACE;
    return status ? status : ki_src_list_add(pp, out, &made);
}

// What replaces "..." after a comma and ##.
static kn_status add_rest(struct src_preprocessor *pp, struct call *call, size_t i, struct src_list *out)
{
    const struct src_macro *macro = call->macro;

    if (call->arguments[macro->parameter_count - 1].count)
        return add_operand(pp, call, i, true, out);
    if (call->omits_rest)
        out->count--;
    return KN_OK;
}

static void drop_placemarkers(struct src_list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].kind != SRC_PLACEMARKER)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

static kn_status substitute(struct src_preprocessor *pp, struct call *call, struct src_list *out)
{
    const struct src_macro *macro = call->macro;
    const struct src_token *body = macro->body;
    struct src_list operand = {NULL, 0, 0};
    bool pasting = false;
    kn_status status = KN_OK;

    for (size_t i = 0; i < macro->body_count && !status; i++) {
        bool before_paste = i + 1 < macro->body_count && ki_src_is(&body[i + 1], "##");
        if (ki_src_is(&body[i], "##") && !pasting) {
            pasting = true;
            continue;
        }
        operand.count = 0;
        if (pasting && is_comma_rule(macro, i)) {
            status = add_rest(pp, call, i, out);
            pasting = false;
            continue;
        }
        if (macro->kind == SRC_MACRO_FUNCTION && ki_src_is(&body[i], "#"))
            status = add_string(pp, call, &i, &operand);
        else
            status = add_operand(pp, call, i, pasting || before_paste, &operand);
        if (!status && pasting && operand.count)
            status = ki_src_paste(pp, &out->items[out->count - 1], &operand.items[0]);
        for (size_t k = pasting; k < operand.count && !status; k++)
            status = ki_src_list_add(pp, out, &operand.items[k]);
        pasting = false;
    }
    drop_placemarkers(out);
    ki_src_list_free(pp, &operand);
    return status;
}

kn_status ki_src_call(struct src_preprocessor *pp, const struct src_macro *macro,
                      const struct src_token *name, long *last_line, struct src_list *out)
{
    struct call call = {.macro = macro, .name = name};
    struct src_token token;
    kn_status status;

    pp->collecting++;
    status = ki_src_next_raw(pp, &token); // the '('
    if (!status)
        status = read_arguments(pp, &call, &token);
    pp->collecting--;
    if (!status && last_line)
        *last_line = (long)token.line;
    if (!status)
        status = check_count(pp, &call);
    if (!status)
        status = substitute(pp, &call, out);
    free_call(pp, &call);
    return status;
}

kn_status ki_src_paste_body(struct src_preprocessor *pp, const struct src_macro *macro,
                            const struct src_token *name, struct src_list *out)
{
    struct call call = {.macro = macro, .name = name};

    return substitute(pp, &call, out);
}
