// SPDX-License-Identifier: Apache-2.0
// Statements in C++, on the lines that they have in the source. A declaration that a jump may pass over is
// separated from its value, because C++ forbids the jump.
#include <string.h>

#include "print.h"

static void print_statement(struct printer *printer, const struct syn_statement *statement, bool split);

// As the body of another statement: on the same line if the source has it there.
static void print_body(struct printer *printer, const struct syn_statement *statement)
{
    bool braces = statement->literals || statement->tags ||
                  (statement->kind == SYN_ST_DECLARATION && statement->declaration);

    print_text(printer, braces ? " {" : "");
    if (statement->kind != SYN_ST_BLOCK)
        printer->indent++;
    print_text(printer, " ");
    print_statement(printer, statement, false);
    if (statement->kind != SYN_ST_BLOCK)
        printer->indent--;
    print_text(printer, braces ? " }" : "");
}

static void print_pragma(struct printer *printer, const struct syn_statement *statement)
{
    long unroll = statement->unroll;

    if (!statement->pragma && !unroll)
        return;
    ki_print_trim(printer);
    if (statement->pragma) {
        ki_text_format(printer->out, "\n#pragma %.*s", (int)statement->pragma->length,
                       statement->pragma->text);
    } else if (unroll > 0) {
        ki_text_format(printer->out, "\n#pragma unroll %ld", unroll);
    } else {
        print_text(printer, "\n#pragma unroll");
    }
    printer->file = NULL;
}

static void print_if(struct printer *printer, const struct syn_statement *statement)
{
    print_text(printer, "if (");
    ki_print_expr(printer, statement->a);
    print_text(printer, ")");
    print_body(printer, statement->body);
    if (statement->otherwise) {
        print_text(printer, " else");
        print_body(printer, statement->otherwise);
    }
}

static void print_condition_loop(struct printer *printer, const struct syn_statement *statement)
{
    const char *word = statement->kind == SYN_ST_WHILE ? "while (" : "switch (";
    const struct syn_type *around = printer->switched, *type = statement->a->type;

    print_text(printer, word);
    ki_print_expr(printer, statement->a);
    print_text(printer, ")");
    if (statement->kind == SYN_ST_SWITCH)
        printer->switched = type && type->kind == SYN_T_SCALAR ? ki_syn_promoted(type) : NULL;
    print_body(printer, statement->body);
    printer->switched = around;
}

static void print_do(struct printer *printer, const struct syn_statement *statement)
{
    print_text(printer, "do");
    print_body(printer, statement->body);
    print_text(printer, " while (");
    ki_print_expr(printer, statement->a);
    print_text(printer, ");");
}

static bool redeclares(const struct syn_statement *body, const struct syn_symbol *symbol)
{
    if (body->kind != SYN_ST_BLOCK)
        return false;
    for (const struct syn_statement *s = body->body; s; s = s->next)
        for (const struct syn_declarator *d = s->declaration ? s->declaration->declarators : NULL; d;
             d = d->next)
            if (d->symbol->word == symbol->word)
                return true;
    return false;
}

// Whether a for's declaration has to come before the loop: C++ forbids jumping past it, declaring its names
// again in the body, and defining a struct in it.
static bool declares_outside(const struct syn_statement *statement)
{
    const struct syn_declaration *declaration = statement->declaration;

    if (statement->kind != SYN_ST_FOR || !declaration)
        return false;
    if (declaration->tags || statement->has_label || statement->has_case)
        return true;
    for (const struct syn_declarator *d = declaration->declarators; d; d = d->next)
        if (redeclares(statement->body, d->symbol))
            return true;
    return false;
}

static void print_for(struct printer *printer, const struct syn_statement *statement)
{
    bool outside = declares_outside(statement);

    if (outside) {
        print_text(printer, "{ ");
        ki_print_declaration(printer, statement->declaration, statement->has_label || statement->has_case);
        ki_print_space(printer);
        print_pragma(printer, statement);
        ki_print_location(printer, statement->location);
    }
    print_text(printer, "for (");
    if (statement->declaration && !outside)
        ki_print_for_declaration(printer, statement->declaration);
    else if (statement->a)
        ki_print_expr(printer, statement->a);
    print_text(printer, ";");
    if (statement->b) {
        print_text(printer, " ");
        ki_print_expr(printer, statement->b);
    }
    print_text(printer, ";");
    if (statement->c) {
        print_text(printer, " ");
        ki_print_expr(printer, statement->c);
    }
    print_text(printer, ")");
    print_body(printer, statement->body);
    print_text(printer, outside ? " }" : "");
}

// C converts the constant to the type of the switch; C++ refuses one that does not fit.
static void print_case(struct printer *printer, const struct syn_expr *constant)
{
    long long value;
    bool fits = ki_syn_evaluate(constant, &value) && value >= 0 && value <= 0x7fffffff;

    print_text(printer, "case ");
    if (!fits && printer->switched) {
        print_text(printer, "(");
        ki_print_type(printer, printer->switched, NULL, true);
        print_text(printer, ")(");
        ki_print_expr(printer, constant);
        print_text(printer, ")");
    } else {
        ki_print_expr(printer, constant);
    }
}

// CUDA has no ranges of cases: each value is named.
static void print_cases(struct printer *printer, const struct syn_statement *statement)
{
    long long first = 0, last = 0;
    bool known = ki_syn_evaluate(statement->a, &first);

    if (!statement->b && (!known || ki_syn_is_spelled_out(statement->a))) {
        print_case(printer, statement->a);
        return;
    }
    last = first;
    if (statement->b &&
        (!known || !ki_syn_evaluate(statement->b, &last) || last < first || last - first > 1000))
        ki_syn_fail(printer->parser, KN_ERROR_UNSUPPORTED, statement->location,
                    "this range of cases is not one of 1 to 1000 integer constants");
    for (long long value = first; value <= last && !printer->parser->status; value++) {
        print_text(printer, "case (");
        ki_print_type(printer, printer->switched ? printer->switched : ki_syn_scalar_type(SYN_S_LONG), NULL,
                      true);
        ki_text_format(printer->out, value == last ? ")%lld" : ")%lld: ", value);
    }
}

static void print_labelled(struct printer *printer, const struct syn_statement *statement, bool split)
{
    if (statement->kind == SYN_ST_CASE) {
        print_cases(printer, statement);
    } else if (statement->kind == SYN_ST_DEFAULT) {
        print_text(printer, "default");
    } else {
        ki_print_word(printer, statement->label);
    }
    print_text(printer, ":");
    if (statement->body) {
        print_text(printer, " ");
        print_statement(printer, statement->body, split);
    } else {
        print_text(printer, ";");
    }
}

static void print_return(struct printer *printer, const struct syn_statement *statement)
{
    print_text(printer, "return");
    if (statement->a) {
        print_text(printer, " ");
        ki_print_converted(printer, printer->function->type->of, statement->a);
    }
    print_text(printer, ";");
}

static void print_asm_operand(struct printer *printer, const struct syn_asm_operand *operand)
{
    ki_print_expr(printer, operand->text);
    if (operand->value) {
        print_text(printer, "(");
        ki_print_expr(printer, operand->value);
        print_text(printer, ")");
    }
}

static void print_asm(struct printer *printer, const struct syn_asm *assembly)
{
    print_text(printer, assembly->is_volatile ? "asm volatile(" : "asm(");
    ki_print_expr(printer, assembly->text);
    for (int i = 0; i < assembly->section_count; i++) {
        print_text(printer, " : ");
        for (const struct syn_asm_operand *o = assembly->sections[i]; o; o = o->next) {
            print_asm_operand(printer, o);
            print_text(printer, o->next ? ", " : "");
        }
    }
    print_text(printer, ");");
}

static void print_simple(struct printer *printer, const struct syn_statement *statement)
{
    switch (statement->kind) {
    case SYN_ST_EXPR:
        ki_print_expr(printer, statement->a);
        break;
    case SYN_ST_BREAK:
        print_text(printer, "break");
        break;
    case SYN_ST_CONTINUE:
        print_text(printer, "continue");
        break;
    case SYN_ST_GOTO:
        print_text(printer, "goto ");
        ki_print_word(printer, statement->label);
        break;
    default:
        break;
    }
    print_text(printer, ";");
}

static void print_statement(struct printer *printer, const struct syn_statement *statement, bool split)
{
    if (!declares_outside(statement))
        print_pragma(printer, statement);
    ki_print_tags(printer, statement->tags);
    if (statement->kind != SYN_ST_DECLARATION || statement->literals)
        ki_print_location(printer, statement->location);
    ki_print_literals(printer, statement->literals);
    switch (statement->kind) {
    case SYN_ST_DECLARATION:
        ki_print_declaration(printer, statement->declaration, split);
        break;
    case SYN_ST_BLOCK:
        ki_print_block(printer, statement->body, statement->location, statement->end);
        break;
    case SYN_ST_IF:
        print_if(printer, statement);
        break;
    case SYN_ST_WHILE:
    case SYN_ST_SWITCH:
        print_condition_loop(printer, statement);
        break;
    case SYN_ST_DO:
        print_do(printer, statement);
        break;
    case SYN_ST_FOR:
        print_for(printer, statement);
        break;
    case SYN_ST_CASE:
    case SYN_ST_DEFAULT:
    case SYN_ST_LABEL:
        print_labelled(printer, statement, split);
        break;
    case SYN_ST_RETURN:
        print_return(printer, statement);
        break;
    case SYN_ST_ASM:
        print_asm(printer, statement->assembly);
        break;
    default:
        print_simple(printer, statement);
        break;
    }
}

void ki_print_block(struct printer *printer, const struct syn_statement *first, const struct src_token *open,
                    const struct src_token *end)
{
    const struct syn_statement *last_label = NULL;
    bool split;

    ki_print_location(printer, open);
    print_text(printer, "{");
    for (const struct syn_statement *s = first; s; s = s->next)
        if (s->has_label || s->has_case)
            last_label = s;
    split = last_label != NULL;
    printer->indent++;
    for (const struct syn_statement *s = first; s; s = s->next) {
        // A label's own declaration follows it: no later label can jump over it.
        split = split && s != last_label;
        ki_print_space(printer);
        print_statement(printer, s, split);
    }
    printer->indent--;
    ki_print_space(printer);
    ki_print_location(printer, end);
    print_text(printer, "}");
}

// The value of its last statement is returned.
void ki_print_value_block(struct printer *printer, const struct syn_expr *statements)
{
    print_text(printer, "{");
    printer->indent++;
    for (const struct syn_statement *s = statements->body; s; s = s->next) {
        ki_print_space(printer);
        if (s->next || s->kind != SYN_ST_EXPR) {
            print_statement(printer, s, false);
            continue;
        }
        ki_print_tags(printer, s->tags);
        ki_print_location(printer, s->location);
        ki_print_literals(printer, s->literals);
        print_text(printer, ki_print_is_selection(s->a) ? "return kn_rvalue(" : "return ");
        ki_print_expr(printer, s->a);
        print_text(printer, ki_print_is_selection(s->a) ? ");" : ";");
    }
    printer->indent--;
    print_text(printer, " }");
}
