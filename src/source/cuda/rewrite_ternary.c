// SPDX-License-Identifier: Apache-2.0
// c ? a : b with a vector c chooses for each component; with a scalar one it evaluates one side alone.
#include "print.h"

// Whether C++'s own operator does the same.
static bool is_plain(const struct syn_expr *expr, const struct syn_type *b, const struct syn_type *c)
{
    if (!syn_is_scalar(expr->a->type) || !b || !c)
        return false;
    if (syn_is_scalar(b) && syn_is_scalar(c))
        return true;
    if (b->kind != c->kind || print_is_selection(expr->b) || print_is_selection(expr->c))
        return false;
    return b->kind == SYN_T_VOID || b->kind == SYN_T_EVENT || syn_same_type(b, c);
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
    print_expr(printer, expr->a);
    print_text(printer, " ? ");
    if (expr->b->kind == SYN_E_COMMA)
        print_text(printer, "(");
    print_expr(printer, expr->b);
    print_text(printer, expr->b->kind == SYN_E_COMMA ? ") : " : " : ");
    if (pointers && !print_is_null(expr->b) && !syn_same_type(b, c))
        print_converted(printer, b, expr->c);
    else
        print_expr(printer, expr->c);
    print_text(printer, small ? ")" : "");
}

static void print_arm(struct printer *printer, const struct syn_expr *arm)
{
    print_text(printer, printer->function ? ", [&]" : ", []");
    // A selection is part of its vector: what is handed back is its value.
    if (print_is_selection(arm) && arm->type) {
        print_text(printer, "() -> ");
        print_type(printer, arm->type, NULL, true);
    }
    print_text(printer, " { return ");
    print_expr(printer, arm);
    print_text(printer, "; }");
}

void rewrite_ternary(struct printer *printer, const struct syn_expr *expr)
{
    const struct syn_type *b, *c;

    if (!expr->b) {
        print_text(printer, "kn_elvis(");
        print_expr(printer, expr->a);
        print_arm(printer, expr->c);
        print_text(printer, ")");
        return;
    }
    b = syn_decayed(printer->parser, expr->b->type);
    c = syn_decayed(printer->parser, expr->c->type);
    if (is_plain(expr, b, c)) {
        print_plain(printer, expr, b, c);
        return;
    }
    print_text(printer, "kn_ternary(");
    print_expr(printer, expr->a);
    print_arm(printer, expr->b);
    print_arm(printer, expr->c);
    print_text(printer, ")");
}
