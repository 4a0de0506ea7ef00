// SPDX-License-Identifier: Apache-2.0
// Statements (C99 6.8).
#include "parse.h"

static struct syn_statement *parse_statement(struct syn_parser *parser);

static bool at_case(const struct syn_parser *parser)
{
    return ki_syn_at_keyword(parser, SYN_CASE) || ki_syn_at_keyword(parser, SYN_DEFAULT);
}

static struct syn_expr *parse_condition(struct syn_parser *parser)
{
    struct syn_expr *expr;

    ki_syn_expect(parser, '(', "before a condition");
    expr = ki_syn_parse_expression(parser);
    ki_syn_expect(parser, ')', "behind a condition");
    return expr;
}

// Collects what a statement's parts say about labels.
static void take_labels(struct syn_statement *statement, const struct syn_statement *part)
{
    for (; part; part = part->next) {
        statement->has_label = statement->has_label || part->has_label;
        statement->has_case = statement->has_case || part->has_case;
    }
}

// What a statement's own expressions need before it; taken before its body, which is another statement.
static void take_needs(struct syn_parser *parser, struct syn_statement *statement)
{
    struct syn_expr **literals = &statement->literals;
    struct syn_tag **tags = &statement->tags;

    while (*literals)
        literals = &(*literals)->next_literal;
    *literals = parser->literals;
    parser->literals = NULL;
    while (*tags)
        tags = &(*tags)->next;
    *tags = parser->tags;
    parser->tags = NULL;
    parser->tags_end = &parser->tags;
}

static void parse_for(struct syn_parser *parser, struct syn_statement *statement)
{
    ki_syn_expect(parser, '(', "behind for");
    if (ki_syn_starts_type(parser, parser->at))
        statement->declaration = ki_syn_parse_declaration(parser);
    else if (!ki_syn_take_op(parser, ';')) {
        statement->a = ki_syn_parse_expression(parser);
        ki_syn_expect(parser, ';', "in a for's brackets");
    }
    if (!ki_syn_at(parser, ';'))
        statement->b = ki_syn_parse_expression(parser);
    ki_syn_expect(parser, ';', "in a for's brackets");
    if (!ki_syn_at(parser, ')'))
        statement->c = ki_syn_parse_expression(parser);
    ki_syn_expect(parser, ')', "at the end of a for's brackets");
    take_needs(parser, statement);
    statement->body = parse_statement(parser);
}

static void parse_loop(struct syn_parser *parser, struct syn_statement *statement, enum syn_keyword keyword)
{
    parser->at++;
    parser->loops++;
    ki_syn_enter(parser);
    if (keyword == SYN_FOR) {
        statement->kind = SYN_ST_FOR;
        parse_for(parser, statement);
    } else if (keyword == SYN_WHILE) {
        statement->kind = SYN_ST_WHILE;
        statement->a = parse_condition(parser);
        take_needs(parser, statement);
        statement->body = parse_statement(parser);
    } else {
        statement->kind = SYN_ST_DO;
        statement->body = parse_statement(parser);
        if (!ki_syn_at_keyword(parser, SYN_WHILE))
            ki_syn_unexpected(parser, "\"while\" behind the body of do");
        else
            parser->at++;
        statement->a = parse_condition(parser);
        ki_syn_expect(parser, ';', "behind do ... while (...)");
    }
    ki_syn_leave(parser);
    parser->loops--;
}

static void parse_choice(struct syn_parser *parser, struct syn_statement *statement, enum syn_keyword keyword)
{
    statement->kind = keyword == SYN_IF ? SYN_ST_IF : SYN_ST_SWITCH;
    parser->at++;
    statement->a = parse_condition(parser);
    take_needs(parser, statement);
    ki_syn_enter(parser);
    parser->loops += keyword == SYN_SWITCH;
    statement->body = parse_statement(parser);
    parser->loops -= keyword == SYN_SWITCH;
    ki_syn_leave(parser);
    if (keyword == SYN_IF && ki_syn_at_keyword(parser, SYN_ELSE)) {
        parser->at++;
        ki_syn_enter(parser);
        statement->otherwise = parse_statement(parser);
        ki_syn_leave(parser);
    }
}

// In a block, a label before another one is a statement by itself: thousands of them do not nest.
static void parse_case(struct syn_parser *parser, struct syn_statement *statement, enum syn_keyword keyword)
{
    statement->kind = keyword == SYN_CASE ? SYN_ST_CASE : SYN_ST_DEFAULT;
    parser->at++;
    if (keyword == SYN_CASE)
        statement->a = ki_syn_parse_conditional(parser);
    if (keyword == SYN_CASE && ki_syn_take_op(parser, SYN_OP3('.', '.', '.')))
        statement->b = ki_syn_parse_conditional(parser);
    ki_syn_expect(parser, ':', "behind a case");
    statement->has_case = true;
    if (!ki_syn_at(parser, '}') && !(statement->in_block && at_case(parser)))
        statement->body = parse_statement(parser);
}

// ({ ... }) becomes a separate function: nothing may jump out of it.
static void refuse_jump(struct syn_parser *parser, enum syn_keyword keyword)
{
    bool inner = keyword == SYN_BREAK || keyword == SYN_CONTINUE;

    if (parser->in_expression && keyword >= SYN_BREAK && keyword <= SYN_GOTO && !(inner && parser->loops))
        ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, parser->at->token,
                    "\"%s\" out of ({ ... }) cannot be had in CUDA", parser->at->word->name->text);
}

static void parse_simple(struct syn_parser *parser, struct syn_statement *statement, enum syn_keyword keyword)
{
    refuse_jump(parser, keyword);
    switch (keyword) {
    case SYN_BREAK:
    case SYN_CONTINUE:
        statement->kind = keyword == SYN_BREAK ? SYN_ST_BREAK : SYN_ST_CONTINUE;
        parser->at++;
        break;
    case SYN_RETURN:
        statement->kind = SYN_ST_RETURN;
        parser->at++;
        if (!ki_syn_at(parser, ';'))
            statement->a = ki_syn_parse_expression(parser);
        break;
    case SYN_GOTO:
        statement->kind = SYN_ST_GOTO;
        parser->at++;
        statement->label = parser->at->word;
        if (!statement->label)
            ki_syn_unexpected(parser, "a label");
        else
            parser->at++;
        break;
    default:
        statement->kind = SYN_ST_EXPR;
        statement->a = ki_syn_parse_expression(parser);
        break;
    }
    ki_syn_expect(parser, ';', "at the end of a statement");
}

static void parse_kind(struct syn_parser *parser, struct syn_statement *statement)
{
    enum syn_keyword keyword =
        parser->at->word && !parser->at->word->symbol ? parser->at->word->keyword : SYN_NO_KEYWORD;

    if (ki_syn_at(parser, '{')) {
        statement->kind = SYN_ST_BLOCK;
        statement->body = ki_syn_parse_block(parser);
        statement->end = parser->at[-1].token;
    } else if (ki_syn_at(parser, '(') && parser->at[1].op == '{' &&
               ki_syn_behind_group(parser, parser->at)->op == ';') {
        // ({ ... }); is a block, which may be left by a jump.
        parser->at++;
        statement->location = parser->at->token;
        statement->kind = SYN_ST_BLOCK;
        statement->body = ki_syn_parse_block(parser);
        statement->end = parser->at[-1].token;
        ki_syn_expect(parser, ')', "to close \"({\"");
        ki_syn_expect(parser, ';', "at the end of a statement");
    } else if (ki_syn_take_op(parser, ';')) {
        statement->kind = SYN_ST_EMPTY;
    } else if (keyword == SYN_FOR || keyword == SYN_WHILE || keyword == SYN_DO) {
        parse_loop(parser, statement, keyword);
    } else if (keyword == SYN_IF || keyword == SYN_SWITCH) {
        parse_choice(parser, statement, keyword);
    } else if (keyword == SYN_CASE || keyword == SYN_DEFAULT) {
        parse_case(parser, statement, keyword);
    } else if (parser->at->word && !keyword && parser->at[1].op == ':') {
        statement->kind = SYN_ST_LABEL;
        statement->label = parser->at->word;
        statement->has_label = true;
        parser->at += 2;
        if (!ki_syn_at(parser, '}'))
            statement->body = parse_statement(parser);
    } else if (keyword == SYN_ASM) {
        statement->kind = SYN_ST_ASM;
        statement->assembly = ki_syn_parse_asm(parser);
    } else if (keyword == SYN_STATIC_ASSERT) {
        ki_syn_parse_static_assert(parser);
        statement->kind = SYN_ST_EMPTY;
    } else if (ki_syn_starts_type(parser, parser->at)) {
        statement->kind = SYN_ST_DECLARATION;
        statement->declaration = ki_syn_parse_declaration(parser);
    } else {
        parse_simple(parser, statement, keyword);
    }
}

static struct syn_statement *parse_one(struct syn_parser *parser, bool in_block)
{
    struct syn_statement *statement = ki_syn_take(parser, sizeof *statement);
    struct syn_attributes attributes = {0};

    statement->in_block = in_block;
    if (!ki_syn_descend(parser))
        return statement;
    statement->pragma = parser->at->pragma;
    ki_syn_parse_attributes(parser, &attributes);
    if (parser->at->pragma)
        statement->pragma = parser->at->pragma;
    statement->unroll = attributes.unroll;
    statement->location = parser->at->token;
    parse_kind(parser, statement);
    take_labels(statement, statement->body);
    take_labels(statement, statement->otherwise);
    if (statement->kind == SYN_ST_SWITCH)
        statement->has_case = false;
    take_needs(parser, statement);
    syn_ascend(parser);
    return statement;
}

static struct syn_statement *parse_statement(struct syn_parser *parser)
{
    return parse_one(parser, false);
}

struct syn_statement *ki_syn_parse_block(struct syn_parser *parser)
{
    struct syn_statement *first = NULL, **end = &first;

    ki_syn_expect(parser, '{', "to begin a block");
    ki_syn_enter(parser);
    while (!ki_syn_at(parser, '}') && !parser->status) {
        *end = parse_one(parser, true);
        end = &(*end)->next;
    }
    ki_syn_leave(parser);
    ki_syn_expect(parser, '}', "at the end of a block");
    return first;
}
