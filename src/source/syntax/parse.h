// SPDX-License-Identifier: Apache-2.0
// What the parser's files, parser.c and parse_*.c, share: parse_expression.c reads operands, parse_operator.c
// the operators between them, parse_extension.c what clang accepts beyond C99.
#ifndef KN_SOURCE_SYNTAX_PARSE_H
#define KN_SOURCE_SYNTAX_PARSE_H

#include "syntax.h"

struct syn_expr *ki_syn_parse_expression(struct syn_parser *parser); // with commas
struct syn_expr *ki_syn_parse_assignment(struct syn_parser *parser);
struct syn_expr *ki_syn_parse_conditional(struct syn_parser *parser);
struct syn_expr *ki_syn_parse_unary(struct syn_parser *parser); // without operators between two operands
struct syn_expr *ki_syn_new_expr(struct syn_parser *parser, enum syn_expr_kind kind,
                                 const struct syn_token *location);
void ki_syn_expr_above(struct syn_parser *parser, struct syn_expr *expr); // its height from its parts
// The token after the ')' that belongs to the '(' at `at`.
const struct syn_token *ki_syn_behind_group(struct syn_parser *parser, const struct syn_token *at);
bool ki_syn_starts_type(const struct syn_parser *parser, const struct syn_token *token);
const struct syn_type *ki_syn_parse_type_name(struct syn_parser *parser);
struct syn_init *ki_syn_parse_init(struct syn_parser *parser);
struct syn_declaration *ki_syn_parse_declaration(struct syn_parser *parser); // in a block, with its ';'
void ki_syn_parse_items(struct syn_parser *parser);
struct syn_statement *ki_syn_parse_block(struct syn_parser *parser);
void ki_syn_parse_attributes(struct syn_parser *parser, struct syn_attributes *attributes);
struct syn_expr *ki_syn_parse_statements(struct syn_parser *parser, const struct syn_token *location);
struct syn_expr *ki_syn_parse_extension(struct syn_parser *parser, enum syn_keyword keyword);
void ki_syn_parse_static_assert(struct syn_parser *parser);
struct syn_expr *ki_syn_parse_string(struct syn_parser *parser); // and adjacent strings
struct syn_asm *ki_syn_parse_asm(struct syn_parser *parser);     // with its ';'

struct syn_specifiers {
    const struct src_token *location;
    const struct syn_type *base;
    struct syn_tag *tag; // named or defined by them
    unsigned qualifiers;
    bool is_typedef, is_kernel;
    bool is_auto; // __auto_type: the type of the initialiser
    struct syn_attributes attributes;
};
void ki_syn_parse_specifiers(struct syn_parser *parser, struct syn_specifiers *specifiers);
const struct syn_type *ki_syn_parse_declarator(struct syn_parser *parser, const struct syn_type *base,
                                               const struct syn_token **name,
                                               struct syn_attributes *attributes);
const struct syn_type *ki_syn_parse_tag(struct syn_parser *parser, struct syn_tag **found);

bool ki_syn_at(const struct syn_parser *parser, uint32_t op);
bool ki_syn_at_keyword(const struct syn_parser *parser, enum syn_keyword keyword);
bool ki_syn_take_op(struct syn_parser *parser, uint32_t op); // moves on if it is the next token
void ki_syn_expect(struct syn_parser *parser, uint32_t op, const char *where);
void ki_syn_unexpected(struct syn_parser *parser, const char *expected);
bool ki_syn_descend(struct syn_parser *parser); // false, and a failure, if too deep
#define syn_ascend(parser) ((parser)->depth--)

#endif
