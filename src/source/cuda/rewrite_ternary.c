// SPDX-License-Identifier: Apache-2.0
// c ? a : b with a vector c chooses for each component; with a scalar c only one side is evaluated.
#include "print.h"

// Whether C++'s own operator does the same.
static bool is_plain(const struct syn_expr *expr, const struct syn_type *b, const struct syn_type *c)
{
    if (!ki_syn_is_scalar(expr->a->type) || !b || !c)
        return false;
    if (ki_syn_is_scalar(b) && ki_syn_is_scalar(c))
        return true;
    if (b->kind != c->kind || ki_print_is_selection(expr->b) || ki_print_is_selection(expr->c))
        return false;
    return b->kind == SYN_T_VOID || b->kind == SYN_T_EVENT || ki_syn_same_type(b, c);
}

static bool is_small(const struct syn_type *type)
{
    return type->kind == SYN_T_SCALAR && type->scalar < SYN_S_INT;
}

static void print_plain(struct printer *printer, const struct syn_expr *expr, const struct syn_type *b,
                        const struct syn_type *c)
{
    bool small = is_small(b) && is_small(c), pointers = b->kind == SYN_T_POINTER && c->kind == SYN_T_POINTER;

    print_text(printer, small ? "(int)(" : "");
    ki_print_expr(printer, expr->a);
    print_text(printer, " ? ");
    if (expr->b->kind == SYN_E_COMMA)
        print_text(printer, "(");
    ki_print_expr(printer, expr->b);
    print_text(printer, expr->b->kind == SYN_E_COMMA ? ") : " : " : ");
    if (pointers && !ki_print_is_null(expr->b) && !ki_syn_same_type(b, c))
        ki_print_converted(printer, b, expr->c);
    else
        ki_print_expr(printer, expr->c);
    print_text(printer, small ? ")" : "");
}

static void print_arm(struct printer *printer, const struct syn_expr *arm)
{
    print_text(printer, printer->function ? ", [&]" : ", []");
    // A selection is part of its vector: its value is returned.
    if (ki_print_is_selection(arm) && arm->type) {
        print_text(printer, "() -> ");
        ki_print_type(printer, arm->type, NULL, true);
    }
    print_text(printer, " { return ");
    ki_print_expr(printer, arm);
    print_text(printer, "; }");
}

void ki_rewrite_ternary(struct printer *printer, const struct syn_expr *expr)
{
    const struct syn_type *b, *c;

    if (!expr->b) {
        print_text(printer, "kn_elvis(");
        ki_print_expr(printer, expr->a);
        print_arm(printer, expr->c);
        print_text(printer, ")");
        return;
    }
    b = ki_syn_decayed(printer->parser, expr->b->type);
    c = ki_syn_decayed(printer->parser, expr->c->type);
    if (is_plain(expr, b, c)) {
        print_plain(printer, expr, b, c);
        return;
    }
    print_text(printer, "kn_ternary(");
    ki_print_expr(printer, expr->a);
    print_arm(printer, expr->b);
    print_arm(printer, expr->c);
    print_text(printer, ")");
}
