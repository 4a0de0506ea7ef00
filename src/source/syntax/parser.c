// SPDX-License-Identifier: Apache-2.0
// The parser's beginning and end, its tokens, and its failures.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "parse.h"

void ki_syn_fail(struct syn_parser *parser, kn_status status, const struct src_token *location,
                 const char *format, ...)
{
    char sentence[1024];
    va_list args;

    if (parser->status)
        return;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (!location)
        location = parser->at->token;
    parser->status = ki_fail_at(parser->err, status, location->file, (long)location->line, "%s", sentence);
}

void ki_syn_unexpected(struct syn_parser *parser, const char *expected)
{
    const struct src_token *token = parser->at->token;

    if (token->kind == SRC_END)
        ki_syn_fail(parser, KN_ERROR_BUILD, token, "the file ends here, but %s is expected", expected);
    else
        ki_syn_fail(parser, KN_ERROR_BUILD, token, "\"%.*s\" stands where %s is expected",
                    token->length < 80 ? (int)token->length : 80, token->text, expected);
}

void *ki_syn_take(struct syn_parser *parser, size_t size)
{
    // Large enough for any piece of the tree: after a failure it is not used any more.
    void *piece = parser->status ? NULL : ki_arena_take(parser->arena, size);

    if (piece)
        return piece;
    if (!parser->status)
        parser->status = ki_fail_memory(parser->err, size, "reading a kernel for CUDA");
    return memset(parser->spare, 0, sizeof parser->spare);
}

bool ki_syn_at(const struct syn_parser *parser, uint32_t op)
{
    return parser->at->op == op && !parser->status;
}

bool ki_syn_at_keyword(const struct syn_parser *parser, enum syn_keyword keyword)
{
    return !parser->status && parser->at->word && parser->at->word->keyword == keyword;
}

bool ki_syn_take_op(struct syn_parser *parser, uint32_t op)
{
    if (!ki_syn_at(parser, op))
        return false;
    parser->at++;
    return true;
}

void ki_syn_expect(struct syn_parser *parser, uint32_t op, const char *where)
{
    char expected[120];

    if (ki_syn_take_op(parser, op))
        return;
    snprintf(expected, sizeof expected, "\"%c\" %s", (int)op, where);
    ki_syn_unexpected(parser, expected);
}

bool ki_syn_descend(struct syn_parser *parser)
{
    if (parser->status)
        return false;
    if (++parser->depth <= SYN_MOST_DEPTH)
        return true;
    ki_syn_fail(parser, KN_ERROR_BUILD, parser->at->token,
                "brackets, operators or statements stand more than %d deep inside one another here",
                SYN_MOST_DEPTH);
    return false;
}

static uint32_t op_of(const struct src_token *token)
{
    uint32_t op = 0;

    if (token->flags & SRC_DIGRAPH) {
        static const char meanings[] = "[]{}";
        for (size_t i = 0; i < 4; i++)
            if (ki_src_is(token, (char[]){meanings[i], '\0'}))
                return (uint32_t)meanings[i];
    }
    for (uint32_t i = 0; i < token->length && i < 3; i++)
        op |= (uint32_t)(unsigned char)token->text[i] << 8 * i;
    return op;
}

// Pragmas leave the stream of tokens: "unroll" stays with the token after it.
static bool take_pragma(struct syn_parser *parser, const struct src_token *token)
{
    if (token->length >= 6 && memcmp(token->text, "unroll", 6) == 0)
        return true;
    if ((token->length >= 6 && memcmp(token->text, "OPENCL", 6) == 0) ||
        (token->length >= 4 && memcmp(token->text, "STDC", 4) == 0)) {
        char text[128];
        snprintf(text, sizeof text, "%.*s", token->length < 120 ? (int)token->length : 120, token->text);
        if (strstr(text, "FP_CONTRACT"))
            parser->contract_off = parser->contract_off || strstr(text, "OFF");
    }
    return false;
}

static kn_status take_tokens(struct syn_parser *parser, const struct src_unit *unit)
{
    static const struct src_token end = {.kind = SRC_END, .text = "", .file = "", .line = 1};
    const struct src_token *pragma = NULL;
    struct syn_token *to;
    struct src_token *last = ki_arena_take(parser->arena, sizeof *last);

    parser->tokens = calloc(unit->token_count + 2, sizeof *parser->tokens);
    if (!parser->tokens || !last)
        return ki_fail_memory(parser->err, 0, "reading a kernel for CUDA");
    *last = unit->token_count ? unit->tokens[unit->token_count - 1] : end;
    last->kind = SRC_END;
    last->text = "";
    last->length = 0;
    to = parser->tokens;
    for (size_t i = 0; i < unit->token_count && !parser->status; i++) {
        const struct src_token *token = &unit->tokens[i];
        if (token->kind == SRC_END)
            continue;
        if (token->kind == SRC_PRAGMA) {
            pragma = take_pragma(parser, token) ? token : pragma;
            continue;
        }
        *to = (struct syn_token){.token = token, .pragma = pragma};
        pragma = NULL;
        if (token->kind == SRC_PUNCTUATOR)
            to->op = op_of(token);
        else if (token->kind == SRC_IDENTIFIER)
            to->word = ki_syn_word(parser, token->name);
        to++;
    }
    // Two ends, so that looking one token ahead is always possible.
    to[0] = to[1] = (struct syn_token){.token = last};
    return parser->status;
}

// Depth-first; functions on the current path are marked 1, finished ones 2.
static bool finds_recursion(struct syn_parser *parser, struct syn_function *function, int depth)
{
    function->visited = 1;
    for (const struct syn_call *call = function->calls; call; call = call->next) {
        if (!call->callee || call->callee->visited == 2)
            continue;
        if (call->callee->visited == 1 || depth > SYN_MOST_DEPTH) {
            ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, call->location,
                        "\"%s\" comes to call itself here: OpenCL C has no recursion",
                        call->callee->symbol->word->name->text);
            return true;
        }
        if (finds_recursion(parser, call->callee, depth + 1))
            return true;
    }
    function->visited = 2;
    return false;
}

// What a kernel calls has to be defined in the program: programs are not linked.
static void find_undefined(struct syn_parser *parser, struct syn_function *function)
{
    if (function->is_reached)
        return;
    function->is_reached = true;
    for (const struct syn_call *call = function->calls; call; call = call->next) {
        if (!call->callee)
            continue;
        if (!call->callee->is_defined)
            ki_syn_fail(parser, KN_ERROR_BUILD, call->location,
                        "\"%s\" is declared and nowhere defined: define it, or #include the file that does",
                        call->callee->symbol->word->name->text);
        find_undefined(parser, call->callee);
    }
}

kn_status ki_syn_parse(struct syn_parser *parser, const struct src_unit *unit, struct ki_arena *arena,
                       kn_error *err)
{
    *parser = (struct syn_parser){.arena = arena, .err = err};
    parser->tags_end = &parser->tags;
    parser->items_end = &parser->items;
    parser->status = take_tokens(parser, unit);
    parser->at = parser->tokens;
    if (!parser->status)
        ki_syn_parse_items(parser);
    for (const struct syn_item *item = parser->items; item && !parser->status; item = item->next)
        if (item->definition && !item->definition->visited)
            finds_recursion(parser, item->definition, 0);
    for (const struct syn_item *item = parser->items; item && !parser->status; item = item->next)
        if (item->definition && item->definition->is_kernel)
            find_undefined(parser, item->definition);
    if (!parser->status)
        ki_syn_place_locals(parser);
    return parser->status;
}

void ki_syn_parser_free(struct syn_parser *parser)
{
    free(parser->tokens);
    free(parser->words);
    free(parser->undos);
}
