// SPDX-License-Identifier: Apache-2.0
// Writing the tree as C++ for CUDA. Every function appends to printer->out.
#ifndef KN_SOURCE_CUDA_PRINT_H
#define KN_SOURCE_CUDA_PRINT_H

#include "base/text/text.h"
#include "source/syntax/syntax.h"

struct print_selector {
    int lanes, count;
    int components[16];
    char name[20];
};

struct printer {
    struct ki_text *out;
    struct syn_parser *parser;
    const char *file; // where the next character is, as the compiler counts; NULL: nowhere yet
    long line;
    int indent;
    const struct syn_function *function; // being printed; NULL at file level
    const struct syn_type *switched;     // the type of the innermost switch; NULL if unknown
    struct print_selector *selectors;    // seen in the program
    size_t selector_count, selector_capacity;
    size_t table_bytes;   // of program-scope __constant data
    size_t largest_table; // larger ones are in global memory instead
    bool uses_constant_args;
    const struct syn_expr *argument; // of the call being printed: an image may appear there
};

// print.c: locations, names, types.
// Adds a blank between two things, if there is none; removes blanks at the end, before a line ends.
void ki_print_space(struct printer *printer);
void ki_print_trim(struct printer *printer);
void ki_print_location(struct printer *printer, const struct src_token *location);
void ki_print_word(struct printer *printer, const struct syn_word *word);
void ki_print_symbol(struct printer *printer, const struct syn_symbol *symbol);
void ki_print_member_name(struct printer *printer, const struct syn_word *word);
void ki_print_tag(struct printer *printer, const struct syn_tag *tag);
// A declaration of `name` (NULL for a type alone); `bare` omits the outermost const.
void ki_print_type(struct printer *printer, const struct syn_type *type, const char *name, bool bare);
void ki_print_typed_symbol(struct printer *printer, const struct syn_type *type,
                           const struct syn_symbol *symbol, bool bare);
// Its declarator alone, as it follows the base of a declaration.
void ki_print_declarator(struct printer *printer, const struct syn_type *type, const struct syn_type *base,
                         const struct syn_symbol *symbol);

// print_expression.c
void ki_print_expr(struct printer *printer, const struct syn_expr *expr);
// As a value of a type: with the cast that C does implicitly and C++ does not.
void ki_print_converted(struct printer *printer, const struct syn_type *type, const struct syn_expr *expr);
const struct syn_expr *ki_print_unwrapped(const struct syn_expr *expr); // without its brackets
bool ki_print_is_null(const struct syn_expr *expr);                     // a null pointer constant
bool ki_print_is_bit_field(const struct syn_expr *expr);
bool ki_print_is_selection(const struct syn_expr *expr); // several components of a vector

// One file each.
void ki_rewrite_call(struct printer *printer, const struct syn_expr *call);
bool ki_rewrite_builtin(struct printer *printer, const struct syn_expr *call, const char *name);
void ki_rewrite_printf(struct printer *printer, const struct syn_expr *call);
void ki_rewrite_ternary(struct printer *printer, const struct syn_expr *expr);
void ki_rewrite_shift(struct printer *printer, const struct syn_expr *expr); // with its assignment
void ki_rewrite_selection(struct printer *printer, const struct syn_expr *expr);
void ki_rewrite_slot(struct printer *printer, const struct syn_slot *slot);
// Whether it becomes an expression of the whole type, because it sets a later member of a union.
bool ki_rewrite_sets_other_member(const struct syn_slot *slot);
void ki_rewrite_function(struct printer *printer, const struct syn_item *item);
// Whether a kernel of this type takes the addresses of its images: by value, its arguments would exceed what
// CUDA passes.
bool ki_rewrite_takes_addresses(const struct syn_type *type);
void ki_rewrite_prototype(struct printer *printer, const struct syn_symbol *symbol,
                          const struct syn_type *type);

// print_declaration.c, print_statement.c
void ki_print_tags(struct printer *printer, const struct syn_tag *tags);
void ki_print_declaration(struct printer *printer, const struct syn_declaration *declaration, bool split);
void ki_print_for_declaration(struct printer *printer, const struct syn_declaration *declaration);
void ki_print_constant(struct printer *printer, const struct syn_declarator *declarator);
// Compound literals that are objects: their variables are declared before the statement, and are assigned
// where the literals are. Arrays are wrapped, so that they can be assigned.
void ki_print_literal_type(struct printer *printer, const struct syn_type *type);
void ki_print_literals(struct printer *printer, const struct syn_expr *literals);
void ki_print_value_block(struct printer *printer, const struct syn_expr *statements); // of ({ ... })
void ki_print_block(struct printer *printer, const struct syn_statement *first, const struct src_token *open,
                    const struct src_token *end);

#define print_text(printer, text) ki_text_add((printer)->out, text)

#endif
