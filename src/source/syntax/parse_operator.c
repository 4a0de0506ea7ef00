// SPDX-License-Identifier: Apache-2.0
// Operators between operands (C99 6.5.5 to 6.5.17), and the types of their results.
#include <string.h>

#include "base/array.h"
#include "parse.h"

static int precedence(uint32_t op)
{
    static const struct {
        uint32_t op;
        int precedence;
    } operators[] = {
        {'*', 10},
        {'/', 10},
        {'%', 10},
        {'+', 9},
        {'-', 9},
        {SYN_OP2('<', '<'), 8},
        {SYN_OP2('>', '>'), 8},
        {'<', 7},
        {'>', 7},
        {SYN_OP2('<', '='), 7},
        {SYN_OP2('>', '='), 7},
        {SYN_OP2('=', '='), 6},
        {SYN_OP2('!', '='), 6},
        {'&', 5},
        {'^', 4},
        {'|', 3},
        {SYN_OP2('&', '&'), 2},
        {SYN_OP2('|', '|'), 1},
    };

    for (size_t i = 0; op && i < KI_COUNT(operators); i++)
        if (operators[i].op == op)
            return operators[i].precedence;
    return 0;
}

static const struct syn_type *binary_type(struct syn_parser *parser, const struct syn_expr *expr)
{
    const struct syn_type *a = ki_syn_decayed(parser, expr->a->type),
                          *b = ki_syn_decayed(parser, expr->b->type);
    int level = precedence(expr->op);

    if ((a && a->kind == SYN_T_SCALAR && a->scalar == SYN_S_HALF) ||
        (b && b->kind == SYN_T_SCALAR && b->scalar == SYN_S_HALF))
        ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, expr->location->token,
                    "arithmetic in half precision (cl_khr_fp16) cannot be had in CUDA yet");
    if (level <= 2 || level == 6 || level == 7)
        return ki_syn_truth(a, b);
    if (level == 8)
        return a ? ki_syn_promoted(a) : NULL;
    if (level == 9 && a && a->kind == SYN_T_POINTER)
        return !b ? NULL : b->kind == SYN_T_POINTER ? ki_syn_scalar_type(SYN_S_LONG) : a;
    if (level == 9 && b && b->kind == SYN_T_POINTER)
        return b;
    return ki_syn_common(a, b);
}

static struct syn_expr *parse_binary(struct syn_parser *parser, int lowest)
{
    struct syn_expr *left = ki_syn_parse_unary(parser);
    int level;

    while (!parser->status && (level = precedence(parser->at->op)) >= lowest && level > 0) {
        struct syn_expr *expr = ki_syn_new_expr(parser, SYN_E_BINARY, parser->at);
        expr->op = parser->at->op;
        parser->at++;
        expr->a = left;
        expr->b = parse_binary(parser, level + 1);
        expr->type = binary_type(parser, expr);
        ki_syn_expr_above(parser, expr);
        left = expr;
    }
    return left;
}

static const struct syn_type *ternary_type(struct syn_parser *parser, const struct syn_expr *expr)
{
    const struct syn_type *b = ki_syn_decayed(parser, expr->b ? expr->b->type : expr->a->type);
    const struct syn_type *c = ki_syn_decayed(parser, expr->c->type);

    if (b && b->kind == SYN_T_POINTER)
        return b;
    if (c && c->kind == SYN_T_POINTER)
        return c;
    if (b && c && b->kind == SYN_T_RECORD)
        return b;
    if (ki_syn_is_vector(expr->a->type) && (ki_syn_is_scalar(b) || ki_syn_is_scalar(c)))
        return ki_syn_is_vector(b)   ? b
               : ki_syn_is_vector(c) ? c
               : b                   ? ki_syn_vector_type(b->scalar, expr->a->type->lanes)
                                     : NULL;
    if (b && b->kind == SYN_T_VOID)
        return b;
    return ki_syn_common(b, c);
}

struct syn_expr *ki_syn_parse_conditional(struct syn_parser *parser)
{
    struct syn_expr *condition, *expr;

    if (!ki_syn_descend(parser))
        return ki_syn_new_expr(parser, SYN_E_NUMBER, parser->at);
    condition = parse_binary(parser, 1);
    if (ki_syn_at(parser, '?')) {
        expr = ki_syn_new_expr(parser, SYN_E_TERNARY, parser->at++);
        expr->a = condition;
        if (!ki_syn_at(parser, ':'))
            expr->b = ki_syn_parse_expression(parser);
        ki_syn_expect(parser, ':', "behind the first choice of \"?\"");
        expr->c = ki_syn_parse_conditional(parser);
        expr->type = ternary_type(parser, expr);
        ki_syn_expr_above(parser, expr);
        condition = expr;
    }
    syn_ascend(parser);
    return condition;
}

static bool is_assignment(uint32_t op)
{
    return op == '=' || (op >> 8 == '=' && strchr("*/%+-&^|", (int)(op & 0xff))) ||
           op == SYN_OP3('<', '<', '=') || op == SYN_OP3('>', '>', '=');
}

struct syn_expr *ki_syn_parse_assignment(struct syn_parser *parser)
{
    struct syn_expr *left = ki_syn_parse_conditional(parser), *expr;

    if (parser->status || !is_assignment(parser->at->op))
        return left;
    if (!ki_syn_descend(parser))
        return left;
    expr = ki_syn_new_expr(parser, SYN_E_ASSIGN, parser->at);
    expr->op = parser->at->op;
    parser->at++;
    expr->a = left;
    expr->b = ki_syn_parse_assignment(parser);
    expr->type = left->type;
    ki_syn_expr_above(parser, expr);
    syn_ascend(parser);
    return expr;
}

struct syn_expr *ki_syn_parse_expression(struct syn_parser *parser)
{
    struct syn_expr *left = ki_syn_parse_assignment(parser);

    while (!parser->status && ki_syn_at(parser, ',')) {
        struct syn_expr *expr = ki_syn_new_expr(parser, SYN_E_COMMA, parser->at++);
        expr->a = left;
        expr->b = ki_syn_parse_assignment(parser);
        expr->type = ki_syn_decayed(parser, expr->b->type);
        ki_syn_expr_above(parser, expr);
        left = expr;
    }
    return left;
}
