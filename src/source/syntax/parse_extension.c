// SPDX-License-Identifier: Apache-2.0
// What clang accepts beyond C99 and programs use: ({ ... }), _Generic, _Static_assert, __builtin_astype,
// __builtin_convertvector and asm.
#include "parse.h"

// The value of ({ ... }) is its last statement's.
static const struct syn_type *last_type(struct syn_parser *parser, const struct syn_statement *statement)
{
    while (statement && statement->next)
        statement = statement->next;
    return statement && statement->kind == SYN_ST_EXPR ? ki_syn_decayed(parser, statement->a->type)
                                                       : &ki_syn_void_type;
}

// parser->at is at the "(" of "({".
struct syn_expr *ki_syn_parse_statements(struct syn_parser *parser, const struct syn_token *location)
{
    struct syn_expr *expr = ki_syn_new_expr(parser, SYN_E_STATEMENTS, location), *literals = parser->literals;
    struct syn_tag *tags = parser->tags, **tags_end = parser->tags_end;
    bool in_expression = parser->in_expression;
    int loops = parser->loops;

    if (!parser->function)
        ki_syn_fail(parser, KN_ERROR_BUILD, location->token, "({ ... }) stands outside of a function");
    if (!ki_syn_descend(parser))
        return expr;
    parser->at++;
    parser->literals = NULL;
    parser->tags = NULL;
    parser->tags_end = &parser->tags;
    parser->in_expression = true;
    parser->loops = 0;
    expr->body = ki_syn_parse_block(parser);
    parser->literals = literals;
    parser->tags = tags;
    parser->tags_end = tags ? tags_end : &parser->tags;
    parser->in_expression = in_expression;
    parser->loops = loops;
    ki_syn_expect(parser, ')', "to close \"({\"");
    if (!parser->status)
        expr->type = last_type(parser, expr->body);
    syn_ascend(parser);
    return expr;
}

// _Generic(x, int: a, float: b, default: c) is the choice that fits x's type.
static struct syn_expr *parse_generic(struct syn_parser *parser, const struct syn_token *location)
{
    struct syn_expr *expr = ki_syn_new_expr(parser, SYN_E_PAREN, location), *chosen = NULL, *otherwise = NULL;
    const struct syn_type *type;

    ki_syn_expect(parser, '(', "behind _Generic");
    type = ki_syn_decayed(parser, ki_syn_parse_assignment(parser)->type);
    if (!type)
        ki_syn_fail(parser, KN_ERROR_BUILD, location->token,
                    "the type that _Generic chooses by cannot be told");
    while (ki_syn_take_op(parser, ',')) {
        const struct syn_type *named = NULL;
        struct syn_expr *choice;
        if (ki_syn_at_keyword(parser, SYN_DEFAULT))
            parser->at++;
        else
            named = ki_syn_parse_type_name(parser);
        ki_syn_expect(parser, ':', "behind a type of _Generic");
        choice = ki_syn_parse_assignment(parser);
        if (!named)
            otherwise = choice;
        else if (!parser->status && ki_syn_same_type(named, type))
            chosen = choice;
    }
    ki_syn_expect(parser, ')', "at the end of _Generic");
    expr->a = chosen ? chosen : otherwise;
    if (!expr->a)
        ki_syn_fail(parser, KN_ERROR_BUILD, location->token, "no choice of _Generic fits");
    else
        expr->type = expr->a->type;
    if (!parser->status)
        ki_syn_expr_above(parser, expr);
    return expr;
}

// __builtin_astype(value, type) and __builtin_convertvector(value, type)
static struct syn_expr *parse_with_type(struct syn_parser *parser, const struct syn_token *location,
                                        enum syn_expr_kind kind)
{
    struct syn_expr *expr = ki_syn_new_expr(parser, kind, location);

    ki_syn_expect(parser, '(', "behind a built-in function");
    expr->a = ki_syn_parse_assignment(parser);
    ki_syn_expect(parser, ',', "before the type");
    expr->named = expr->type = ki_syn_parse_type_name(parser);
    ki_syn_expect(parser, ')', "behind the type");
    if (!parser->status)
        ki_syn_expr_above(parser, expr);
    return expr;
}

// An expression that begins with the keyword at parser->at.
struct syn_expr *ki_syn_parse_extension(struct syn_parser *parser, enum syn_keyword keyword)
{
    const struct syn_token *location = parser->at++;

    if (keyword == SYN_GENERIC)
        return parse_generic(parser, location);
    if (keyword == SYN_BUILTIN_AS)
        return parse_with_type(parser, location, SYN_E_BUILTIN_AS);
    if (keyword == SYN_BUILTIN_CONVERT)
        return parse_with_type(parser, location, SYN_E_BUILTIN_CONVERT);
    parser->at = location;
    ki_syn_unexpected(parser, "an expression");
    return ki_syn_new_expr(parser, SYN_E_NUMBER, location);
}

// With its ';'.
void ki_syn_parse_static_assert(struct syn_parser *parser)
{
    const struct syn_token *location = parser->at++;
    struct syn_expr *condition;
    long long value = 0;

    ki_syn_expect(parser, '(', "behind _Static_assert");
    condition = ki_syn_parse_conditional(parser);
    if (ki_syn_take_op(parser, ','))
        while (parser->at->token->kind == SRC_STRING)
            parser->at++;
    ki_syn_expect(parser, ')', "at the end of _Static_assert");
    ki_syn_expect(parser, ';', "behind _Static_assert");
    if (parser->status)
        return;
    if (!ki_syn_evaluate(condition, &value))
        ki_syn_fail(parser, KN_ERROR_BUILD, location->token, "this is no integer constant that can be told");
    else if (!value)
        ki_syn_fail(parser, KN_ERROR_BUILD, location->token, "this _Static_assert does not hold");
}

static const struct syn_expr *parse_asm_text(struct syn_parser *parser)
{
    if (parser->at->token->kind == SRC_STRING)
        return ki_syn_parse_string(parser);
    ki_syn_unexpected(parser, "a string of asm");
    return NULL;
}

// "=r"(a), "r"(b + 1); or clobbers, strings alone.
static struct syn_asm_operand *parse_asm_section(struct syn_parser *parser, bool is_clobbers)
{
    struct syn_asm_operand *first = NULL, **end = &first;

    if (ki_syn_at(parser, ':') || ki_syn_at(parser, ')'))
        return NULL;
    do {
        struct syn_asm_operand *operand = ki_syn_take(parser, sizeof *operand);
        if (ki_syn_at(parser, '['))
            ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, parser->at->token,
                        "operands of asm with names cannot be had in CUDA: number them, %%0, %%1, ...");
        operand->text = parse_asm_text(parser);
        if (!is_clobbers) {
            ki_syn_expect(parser, '(', "before an operand of asm");
            operand->value = ki_syn_parse_expression(parser);
            ki_syn_expect(parser, ')', "behind an operand of asm");
        }
        *end = operand;
        end = &operand->next;
    } while (ki_syn_take_op(parser, ',') && !parser->status);
    return first;
}

// The text is for the compiler: PTX under NVRTC, as in NVIDIA's OpenCL.
struct syn_asm *ki_syn_parse_asm(struct syn_parser *parser)
{
    struct syn_asm *assembly = ki_syn_take(parser, sizeof *assembly);

    parser->at++;
    if (ki_syn_at_keyword(parser, SYN_VOLATILE)) {
        assembly->is_volatile = true;
        parser->at++;
    }
    ki_syn_expect(parser, '(', "behind asm");
    assembly->text = parse_asm_text(parser);
    while (assembly->section_count < 3 && ki_syn_take_op(parser, ':') && !parser->status) {
        assembly->sections[assembly->section_count] = parse_asm_section(parser, assembly->section_count == 2);
        assembly->section_count++;
    }
    ki_syn_expect(parser, ')', "at the end of asm");
    ki_syn_expect(parser, ';', "behind asm");
    return assembly;
}
