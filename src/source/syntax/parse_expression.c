// SPDX-License-Identifier: Apache-2.0
// The operands of expressions (C99 6.5.1 to 6.5.4), with vector literals and component access; types are
// determined on the way.
#include <string.h>

#include "base/array.h"
#include "parse.h"
#include "swizzle.h"

struct syn_expr *ki_syn_new_expr(struct syn_parser *parser, enum syn_expr_kind kind,
                                 const struct syn_token *location)
{
    struct syn_expr *expr = ki_syn_take(parser, sizeof *expr);

    expr->kind = kind;
    expr->location = location;
    return expr;
}

void ki_syn_expr_above(struct syn_parser *parser, struct syn_expr *expr)
{
    const struct syn_expr *parts[] = {expr->a, expr->b, expr->c};

    for (size_t i = 0; i < KI_COUNT(parts); i++)
        if (parts[i] && parts[i]->height >= expr->height)
            expr->height = parts[i]->height + 1;
    for (const struct syn_expr *part = expr->arguments; part; part = part->next)
        if (part->height >= expr->height)
            expr->height = part->height + 1;
    if (expr->height > SYN_MOST_HEIGHT)
        ki_syn_fail(parser, KN_ERROR_BUILD, expr->location->token,
                    "this expression has more than %d operators in a row; split it into several statements",
                    SYN_MOST_HEIGHT);
}

static struct syn_expr *make_unary(struct syn_parser *parser, enum syn_expr_kind kind,
                                   const struct syn_token *location, struct syn_expr *a)
{
    struct syn_expr *expr = ki_syn_new_expr(parser, kind, location);

    expr->op = location->op;
    expr->a = a;
    ki_syn_expr_above(parser, expr);
    return expr;
}

static const struct syn_type *number_type(const struct src_token *token)
{
    const char *text = token->text, *last = text + token->length - 1;
    bool hex = token->length > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    bool is_unsigned = false, is_long = false;
    long long value = 0;
    struct syn_token location = {.token = token};
    struct syn_expr number = {.kind = SYN_E_NUMBER, .location = &location};

    if (memchr(text, '.', token->length) || memchr(text, 'p', token->length) ||
        memchr(text, 'P', token->length) ||
        (!hex && (memchr(text, 'e', token->length) || memchr(text, 'E', token->length))))
        return ki_syn_scalar_type(*last == 'f' || *last == 'F'   ? SYN_S_FLOAT
                                  : *last == 'h' || *last == 'H' ? SYN_S_HALF
                                                                 : SYN_S_DOUBLE);
    for (; last > text && strchr("uUlL", *last); last--) {
        is_unsigned = is_unsigned || *last == 'u' || *last == 'U';
        is_long = is_long || *last == 'l' || *last == 'L';
    }
    if (!ki_syn_evaluate(&number, &value))
        return NULL;
    if (!is_long && value >= 0 && value <= 0x7fffffff)
        return ki_syn_scalar_type(is_unsigned ? SYN_S_UINT : SYN_S_INT);
    if (!is_long && value >= 0 && value <= 0xffffffffLL && (is_unsigned || text[0] == '0'))
        return ki_syn_scalar_type(SYN_S_UINT);
    return ki_syn_scalar_type(is_unsigned || value < 0 ? SYN_S_ULONG : SYN_S_LONG);
}

struct syn_expr *ki_syn_parse_string(struct syn_parser *parser)
{
    struct syn_expr *expr = ki_syn_new_expr(parser, SYN_E_STRING, parser->at);
    struct syn_type *type = ki_syn_take(parser, sizeof *type);

    for (; parser->at->token->kind == SRC_STRING; parser->at++)
        expr->token_count++;
    type->kind = SYN_T_ARRAY;
    type->of = ki_syn_qualified(parser, ki_syn_scalar_type(SYN_S_CHAR), SYN_Q_CONST);
    type->count = -1;
    expr->type = type;
    return expr;
}

static struct syn_expr *parse_name(struct syn_parser *parser)
{
    const struct syn_token *location = parser->at;
    struct syn_expr *expr = ki_syn_new_expr(parser, SYN_E_NAME, location);

    if (location->word->keyword == SYN_REFUSED && !location->word->symbol) {
        ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, location->token, "\"%s\": %s cannot be had in CUDA",
                    location->word->name->text, location->word->why);
        return expr;
    }
    if ((location->word->keyword && !location->word->symbol) ||
        (location->word->symbol && location->word->symbol->kind == SYN_SYMBOL_TYPEDEF)) {
        ki_syn_unexpected(parser, "an expression");
        return expr;
    }
    parser->at++;
    expr->word = location->word;
    expr->symbol = location->word->symbol;
    expr->type = expr->symbol ? expr->symbol->type : ki_syn_constant_type(location->word);
    if (expr->symbol && parser->in_constant)
        expr->symbol->is_folded = true;
    return expr;
}

static struct syn_expr *parse_primary(struct syn_parser *parser)
{
    const struct syn_token *location = parser->at;
    struct syn_expr *expr;

    switch (location->token->kind) {
    case SRC_IDENTIFIER:
        if (!location->word->symbol && location->word->keyword >= SYN_GENERIC &&
            location->word->keyword <= SYN_BUILTIN_CONVERT)
            return ki_syn_parse_extension(parser, location->word->keyword);
        return parse_name(parser);
    case SRC_NUMBER:
        expr = ki_syn_new_expr(parser, SYN_E_NUMBER, parser->at++);
        expr->type = number_type(location->token);
        return expr;
    case SRC_CHARACTER:
        expr = ki_syn_new_expr(parser, SYN_E_CHARACTER, parser->at++);
        expr->type = ki_syn_scalar_type(SYN_S_INT);
        return expr;
    case SRC_STRING:
        return ki_syn_parse_string(parser);
    default:
        break;
    }
    if (ki_syn_at(parser, '(') && parser->at[1].op == '{')
        return ki_syn_parse_statements(parser, location);
    if (ki_syn_take_op(parser, '(')) {
        expr = make_unary(parser, SYN_E_PAREN, location, ki_syn_parse_expression(parser));
        expr->type = expr->a->type;
        ki_syn_expect(parser, ')', "to close \"(\"");
        return expr;
    }
    if (ki_syn_at(parser, '^'))
        ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, location->token, "blocks (\"^\") cannot be had in CUDA");
    else
        ki_syn_unexpected(parser, "an expression");
    return ki_syn_new_expr(parser, SYN_E_NUMBER, location);
}

// Records that the function being read calls another, and refuses calls of anything else.
static void note_call(struct syn_parser *parser, const struct syn_expr *call)
{
    const struct syn_expr *callee = call->a;
    struct syn_call *noted;

    if (parser->status)
        return;
    while (callee->kind == SYN_E_PAREN)
        callee = callee->a;
    if (callee->kind != SYN_E_NAME || (callee->symbol && callee->symbol->kind != SYN_SYMBOL_FUNCTION)) {
        ki_syn_fail(
            parser, KN_ERROR_UNSUPPORTED, call->location->token,
            "only a function can be called here by its name: function pointers cannot be had in CUDA");
        return;
    }
    if (!callee->symbol || !parser->function || callee->word->is_overloaded)
        return;
    noted = ki_syn_take(parser, sizeof *noted);
    *noted = (struct syn_call){parser->function->calls, callee->symbol->function, call->location->token};
    parser->function->calls = noted;
}

static struct syn_expr *parse_call(struct syn_parser *parser, struct syn_expr *callee)
{
    struct syn_expr *call = ki_syn_new_expr(parser, SYN_E_CALL, callee->location), **end = &call->arguments;

    call->a = callee;
    parser->at++;
    while (!ki_syn_at(parser, ')') && !parser->status) {
        *end = ki_syn_parse_assignment(parser);
        end = &(*end)->next;
        if (!ki_syn_at(parser, ')'))
            ki_syn_expect(parser, ',', "between the arguments of a call");
    }
    ki_syn_expect(parser, ')', "at the end of a call");
    note_call(parser, call);
    if (!parser->status)
        call->type = ki_syn_call_type(parser, call);
    ki_syn_expr_above(parser, call);
    return call;
}

static const struct syn_type *member_type(struct syn_parser *parser, const struct syn_type *type,
                                          struct syn_word *word, const struct syn_token *location)
{
    const struct syn_member *member;
    int components[16], count;

    if (ki_syn_is_vector(type)) {
        count = ki_syn_selector(word->name->text, word->name->length, type->lanes, components);
        if (!count)
            ki_syn_fail(parser, KN_ERROR_BUILD, location->token, "\"%s\" names no components of a %s",
                        word->name->text, type->spelling);
        return count ? ki_syn_vector_type(type->scalar, count) : NULL;
    }
    if (!type || type->kind != SYN_T_RECORD)
        return NULL;
    member = ki_syn_find_member(type->tag, word);
    if (!member) {
        ki_syn_fail(parser, KN_ERROR_BUILD, location->token, "there is no member \"%s\" here",
                    word->name->text);
        return NULL;
    }
    return ki_syn_qualified(parser, member->type, type->qualifiers & (SYN_Q_CONST | SYN_Q_VOLATILE));
}

static struct syn_expr *parse_member(struct syn_parser *parser, struct syn_expr *base)
{
    bool arrow = ki_syn_at(parser, SYN_OP2('-', '>'));
    struct syn_expr *expr = ki_syn_new_expr(parser, arrow ? SYN_E_ARROW : SYN_E_DOT, parser->at++);
    const struct syn_type *type = base->type;

    expr->a = base;
    expr->word = parser->at->word;
    ki_syn_expr_above(parser, expr);
    if (!expr->word) {
        ki_syn_unexpected(parser, "a member's name");
        return expr;
    }
    if (arrow)
        type = type && (type->kind == SYN_T_POINTER || type->kind == SYN_T_ARRAY) ? type->of : NULL;
    expr->type = member_type(parser, type, expr->word, parser->at);
    if (!parser->status)
        parser->at++;
    return expr;
}

static struct syn_expr *parse_index(struct syn_parser *parser, struct syn_expr *base)
{
    struct syn_expr *expr = ki_syn_new_expr(parser, SYN_E_INDEX, parser->at++);
    const struct syn_type *type;

    expr->a = base;
    expr->b = ki_syn_parse_expression(parser);
    ki_syn_expect(parser, ']', "to close \"[\"");
    ki_syn_expr_above(parser, expr);
    type = base->type && (base->type->kind == SYN_T_POINTER || base->type->kind == SYN_T_ARRAY)
               ? base->type
               : expr->b->type;
    if (type && (type->kind == SYN_T_POINTER || type->kind == SYN_T_ARRAY))
        expr->type = type->of;
    else if (ki_syn_is_vector(base->type))
        expr->type = ki_syn_scalar_type(base->type->scalar);
    return expr;
}

static struct syn_expr *parse_postfix(struct syn_parser *parser, struct syn_expr *expr)
{
    while (!parser->status) {
        if (ki_syn_at(parser, '(')) {
            expr = parse_call(parser, expr);
        } else if (ki_syn_at(parser, '[')) {
            expr = parse_index(parser, expr);
        } else if (ki_syn_at(parser, '.') || ki_syn_at(parser, SYN_OP2('-', '>'))) {
            expr = parse_member(parser, expr);
        } else if (ki_syn_at(parser, SYN_OP2('+', '+')) || ki_syn_at(parser, SYN_OP2('-', '-'))) {
            const struct syn_type *type = expr->type;
            expr = make_unary(parser, SYN_E_POSTFIX, parser->at, expr);
            expr->type = type;
            parser->at++;
        } else {
            return expr;
        }
    }
    return expr;
}

// A parenthesised list right after (float4): no more than its elements.
static void take_elements(struct syn_expr *literal, struct syn_expr *list)
{
    struct syn_expr *first = NULL;

    // a, b, c is ((a, b), c): from the right.
    for (list = list->a; list->kind == SYN_E_COMMA; list = list->a) {
        list->b->next = first;
        first = list->b;
    }
    list->next = first;
    literal->arguments = list;
}

// Declares a variable for a compound literal before the statement: it has an address in C, none in C++.
static void hoist(struct syn_parser *parser, struct syn_expr *literal)
{
    struct syn_expr **end = &parser->literals;

    if (literal->hoisted)
        return;
    if (!parser->function)
        ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, literal->location->token,
                    "a compound literal whose address is taken at file level; make it a variable");
    literal->hoisted = ++parser->numbers;
    while (*end)
        end = &(*end)->next_literal;
    *end = literal;
}

static struct syn_expr *parse_compound(struct syn_parser *parser, const struct syn_token *location,
                                       const struct syn_type *type)
{
    struct syn_expr *expr = ki_syn_new_expr(parser, SYN_E_COMPOUND, location);

    expr->value = ki_syn_initialise(parser, &type, ki_syn_parse_init(parser));
    expr->named = expr->type = type;
    if (type && type->kind == SYN_T_ARRAY)
        hoist(parser, expr);
    return parse_postfix(parser, expr);
}

// parser->at is after "(type)".
static struct syn_expr *parse_cast(struct syn_parser *parser, const struct syn_token *location,
                                   const struct syn_type *type)
{
    struct syn_expr *expr, *operand;

    if (ki_syn_at(parser, '{'))
        return parse_compound(parser, location, type);
    // (float4)(a, b).xy: the brackets belong to the literal, and what follows applies to its result.
    if (ki_syn_is_vector(type) && ki_syn_at(parser, '(') && !ki_syn_starts_type(parser, parser->at + 1)) {
        operand = parse_primary(parser);
        expr = ki_syn_new_expr(parser, SYN_E_VECTOR, location);
        expr->named = expr->type = type;
        if (!parser->status)
            take_elements(expr, operand);
        ki_syn_expr_above(parser, expr);
        return parse_postfix(parser, expr);
    }
    operand = ki_syn_parse_unary(parser);
    expr = ki_syn_new_expr(parser, SYN_E_CAST, location);
    expr->named = expr->type = type;
    expr->a = operand;
    ki_syn_expr_above(parser, expr);
    return expr;
}

static struct syn_expr *parse_sizeof(struct syn_parser *parser)
{
    const struct syn_token *location = parser->at++;
    enum syn_keyword keyword = location->word->keyword;
    struct syn_expr *expr = ki_syn_new_expr(parser, SYN_E_SIZEOF, location);

    expr->type = &ki_syn_size_type;
    if (keyword == SYN_VEC_STEP) {
        expr->kind = SYN_E_VEC_STEP;
        expr->type = ki_syn_scalar_type(SYN_S_INT);
    }
    if (ki_syn_at(parser, '(') && ki_syn_starts_type(parser, parser->at + 1)) {
        const struct syn_token *open = parser->at++;
        const struct syn_type *type = ki_syn_parse_type_name(parser);
        ki_syn_expect(parser, ')', "behind a type's name");
        if (!ki_syn_at(parser, '{')) {
            expr->named = type;
            if (keyword != SYN_VEC_STEP)
                expr->kind = keyword == SYN_SIZEOF ? SYN_E_SIZEOF_TYPE : SYN_E_ALIGNOF_TYPE;
            return expr;
        }
        expr->a = parse_compound(parser, open, type);
    } else {
        expr->a = ki_syn_parse_unary(parser);
    }
    if (keyword != SYN_SIZEOF)
        expr->named = expr->a->type;
    if (keyword == SYN_ALIGNOF)
        expr->kind = SYN_E_ALIGNOF_TYPE;
    if (keyword != SYN_SIZEOF && !expr->named)
        ki_syn_fail(parser, KN_ERROR_BUILD, location->token,
                    "the type of this expression cannot be told; name the type");
    ki_syn_expr_above(parser, expr);
    return expr;
}

static const struct syn_type *prefix_type(struct syn_parser *parser, uint32_t op, const struct syn_type *type)
{
    switch (op) {
    case SYN_OP1('*'):
        return type && (type->kind == SYN_T_POINTER || type->kind == SYN_T_ARRAY) ? type->of : NULL;
    case SYN_OP1('&'):
        return type ? ki_syn_pointer_to(parser, type) : NULL;
    case SYN_OP1('!'):
        return ki_syn_truth(type, type);
    case SYN_OP1('+'):
    case SYN_OP1('-'):
    case SYN_OP1('~'):
        return ki_syn_promoted(type);
    default:
        return type;
    }
}

static void hoist_operand(struct syn_parser *parser, struct syn_expr *operand)
{
    if (parser->status)
        return;
    while (operand->kind == SYN_E_PAREN || operand->kind == SYN_E_DOT || operand->kind == SYN_E_INDEX)
        operand = operand->a;
    if (operand->kind == SYN_E_COMPOUND)
        hoist(parser, operand);
}

struct syn_expr *ki_syn_parse_unary(struct syn_parser *parser)
{
    const struct syn_token *location = parser->at;
    struct syn_expr *expr;

    if (!ki_syn_descend(parser))
        return ki_syn_new_expr(parser, SYN_E_NUMBER, location);
    if (ki_syn_at(parser, '(') && ki_syn_starts_type(parser, parser->at + 1)) {
        const struct syn_type *type;
        parser->at++;
        type = ki_syn_parse_type_name(parser);
        ki_syn_expect(parser, ')', "behind the type of a cast");
        expr = parse_cast(parser, location, type);
    } else if (ki_syn_at_keyword(parser, SYN_SIZEOF) || ki_syn_at_keyword(parser, SYN_ALIGNOF) ||
               ki_syn_at_keyword(parser, SYN_VEC_STEP)) {
        expr = parse_sizeof(parser);
    } else if (ki_syn_at_keyword(parser, SYN_EXTENSION)) {
        parser->at++;
        expr = ki_syn_parse_unary(parser);
    } else if (location->op && (strchr("*&+-~!", (int)(location->op & 0xff)) && location->op < 0x100)) {
        parser->at++;
        expr = make_unary(parser, SYN_E_PREFIX, location, ki_syn_parse_unary(parser));
        expr->type = prefix_type(parser, location->op, expr->a->type);
        if (location->op == '&')
            hoist_operand(parser, expr->a);
    } else if (ki_syn_at(parser, SYN_OP2('+', '+')) || ki_syn_at(parser, SYN_OP2('-', '-'))) {
        parser->at++;
        expr = make_unary(parser, SYN_E_PREFIX, location, ki_syn_parse_unary(parser));
        expr->type = expr->a->type;
    } else {
        expr = parse_postfix(parser, parse_primary(parser));
    }
    syn_ascend(parser);
    return expr;
}
