// SPDX-License-Identifier: Apache-2.0
// What clang accepts beyond C99 and people write: ({ ... }), _Generic, _Static_assert, __builtin_astype,
// __builtin_convertvector and asm.
#include "syntax.h"

// The value of ({ ... }) is its last statement's.
static const struct syn_type *last_type(struct syn_parser *parser, const struct syn_statement *statement)
{
    while (statement && statement->next)
        statement = statement->next;
    return statement && statement->kind == SYN_ST_EXPR ? syn_decayed(parser, statement->a->type)
                                                       : &syn_void_type;
}

// parser->at stands at the "(" of "({".
struct syn_expr *syn_parse_statements(struct syn_parser *parser, const struct syn_token *place)
{
    struct syn_expr *expr = syn_new_expr(parser, SYN_E_STATEMENTS, place), *literals = parser->literals;
    struct syn_tag *tags = parser->tags, **tags_end = parser->tags_end;
    bool in_expression = parser->in_expression;
    int loops = parser->loops;

    if (!parser->function)
        syn_fail(parser, KN_ERROR_BUILD, place->token, "({ ... }) stands outside of a function");
    if (!syn_descend(parser))
        return expr;
    parser->at++;
    parser->literals = NULL;
    parser->tags = NULL;
    parser->tags_end = &parser->tags;
    parser->in_expression = true;
    parser->loops = 0;
    expr->body = syn_parse_block(parser);
    parser->literals = literals;
    parser->tags = tags;
    parser->tags_end = tags ? tags_end : &parser->tags;
    parser->in_expression = in_expression;
    parser->loops = loops;
    syn_expect(parser, ')', "to close \"({\"");
    if (!parser->status)
        expr->type = last_type(parser, expr->body);
    syn_ascend(parser);
    return expr;
}

// _Generic(x, int: a, float: b, default: c) is the one choice that fits x's type.
static struct syn_expr *parse_generic(struct syn_parser *parser, const struct syn_token *place)
{
    struct syn_expr *expr = syn_new_expr(parser, SYN_E_PAREN, place), *chosen = NULL, *otherwise = NULL;
    const struct syn_type *type;

    syn_expect(parser, '(', "behind _Generic");
    type = syn_decayed(parser, syn_parse_assignment(parser)->type);
    if (!type)
        syn_fail(parser, KN_ERROR_BUILD, place->token, "the type that _Generic chooses by cannot be told");
    while (syn_take_op(parser, ',')) {
        const struct syn_type *named = NULL;
        struct syn_expr *choice;
        if (syn_at_keyword(parser, SYN_DEFAULT))
            parser->at++;
        else
            named = syn_parse_type_name(parser);
        syn_expect(parser, ':', "behind a type of _Generic");
        choice = syn_parse_assignment(parser);
        if (!named)
            otherwise = choice;
        else if (!parser->status && syn_same_type(named, type))
            chosen = choice;
    }
    syn_expect(parser, ')', "at the end of _Generic");
    expr->a = chosen ? chosen : otherwise;
    if (!expr->a)
        syn_fail(parser, KN_ERROR_BUILD, place->token, "no choice of _Generic fits");
    else
        expr->type = expr->a->type;
    if (!parser->status)
        syn_expr_above(parser, expr);
    return expr;
}

// __builtin_astype(value, type) and __builtin_convertvector(value, type)
static struct syn_expr *parse_with_type(struct syn_parser *parser, const struct syn_token *place,
                                        enum syn_expr_kind kind)
{
    struct syn_expr *expr = syn_new_expr(parser, kind, place);

    syn_expect(parser, '(', "behind a built-in function");
    expr->a = syn_parse_assignment(parser);
    syn_expect(parser, ',', "before the type");
    expr->named = expr->type = syn_parse_type_name(parser);
    syn_expect(parser, ')', "behind the type");
    if (!parser->status)
        syn_expr_above(parser, expr);
    return expr;
}

// An expression that begins with the keyword at parser->at.
struct syn_expr *syn_parse_extension(struct syn_parser *parser, enum syn_keyword keyword)
{
    const struct syn_token *place = parser->at++;

    if (keyword == SYN_GENERIC)
        return parse_generic(parser, place);
    if (keyword == SYN_BUILTIN_AS)
        return parse_with_type(parser, place, SYN_E_BUILTIN_AS);
    if (keyword == SYN_BUILTIN_CONVERT)
        return parse_with_type(parser, place, SYN_E_BUILTIN_CONVERT);
    parser->at = place;
    syn_unexpected(parser, "an expression");
    return syn_new_expr(parser, SYN_E_NUMBER, place);
}

// With its ';'.
void syn_parse_static_assert(struct syn_parser *parser)
{
    const struct syn_token *place = parser->at++;
    struct syn_expr *condition;
    long long value = 0;

    syn_expect(parser, '(', "behind _Static_assert");
    condition = syn_parse_conditional(parser);
    if (syn_take_op(parser, ','))
        while (parser->at->token->kind == SRC_STRING)
            parser->at++;
    syn_expect(parser, ')', "at the end of _Static_assert");
    syn_expect(parser, ';', "behind _Static_assert");
    if (parser->status)
        return;
    if (!syn_evaluate(condition, &value))
        syn_fail(parser, KN_ERROR_BUILD, place->token, "this is no integer constant that can be told");
    else if (!value)
        syn_fail(parser, KN_ERROR_BUILD, place->token, "this _Static_assert does not hold");
}

static const struct syn_expr *parse_asm_text(struct syn_parser *parser)
{
    if (parser->at->token->kind == SRC_STRING)
        return syn_parse_string(parser);
    syn_unexpected(parser, "a string of asm");
    return NULL;
}

// "=r"(a), "r"(b + 1); or clobbers, strings alone.
static struct syn_asm_operand *parse_asm_section(struct syn_parser *parser, bool is_clobbers)
{
    struct syn_asm_operand *first = NULL, **end = &first;

    if (syn_at(parser, ':') || syn_at(parser, ')'))
        return NULL;
    do {
        struct syn_asm_operand *operand = syn_take(parser, sizeof *operand);
        if (syn_at(parser, '['))
            syn_fail(parser, KN_ERROR_UNSUPPORTED, parser->at->token,
                     "operands of asm with names cannot be had in CUDA: number them, %%0, %%1, ...");
        operand->text = parse_asm_text(parser);
        if (!is_clobbers) {
            syn_expect(parser, '(', "before an operand of asm");
            operand->value = syn_parse_expression(parser);
            syn_expect(parser, ')', "behind an operand of asm");
        }
        *end = operand;
        end = &operand->next;
    } while (syn_take_op(parser, ',') && !parser->status);
    return first;
}

// The text is the compiler's affair: PTX under NVRTC, as in NVIDIA's OpenCL.
struct syn_asm *syn_parse_asm(struct syn_parser *parser)
{
    struct syn_asm *assembly = syn_take(parser, sizeof *assembly);

    parser->at++;
    if (syn_at_keyword(parser, SYN_VOLATILE)) {
        assembly->is_volatile = true;
        parser->at++;
    }
    syn_expect(parser, '(', "behind asm");
    assembly->text = parse_asm_text(parser);
    while (assembly->section_count < 3 && syn_take_op(parser, ':') && !parser->status) {
        assembly->sections[assembly->section_count] = parse_asm_section(parser, assembly->section_count == 2);
        assembly->section_count++;
    }
    syn_expect(parser, ')', "at the end of asm");
    syn_expect(parser, ';', "behind asm");
    return assembly;
}
