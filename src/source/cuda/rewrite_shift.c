// SPDX-License-Identifier: Apache-2.0
// Shifts: OpenCL C counts modulo the width of the left operand; C++ leaves that undefined.
#include "print.h"

// A number that is certainly below the width of a scalar.
static bool is_plain(const struct syn_expr *expr)
{
    const struct syn_type *left = ki_syn_promoted(expr->a->type);
    long long count;

    return ki_syn_is_integer(left) && ki_syn_evaluate(expr->b, &count) && count >= 0 &&
           count < 8 * ki_syn_scalar_bytes(left->scalar);
}

// A reference to a bit-field is impossible: s.f = kn_shl(s.f, n), with s named once and evaluated once.
static void print_bit_field(struct printer *printer, const struct syn_expr *expr, bool left)
{
    const struct syn_expr *field = ki_print_unwrapped(expr->a);

    print_text(printer, "[&](auto &kn_s) { return kn_s.");
    ki_print_member_name(printer, field->word);
    ki_text_format(printer->out, " = kn_%s(kn_s.", left ? "shl" : "shr");
    ki_print_member_name(printer, field->word);
    print_text(printer, ", ");
    ki_print_expr(printer, expr->b);
    print_text(printer, field->kind == SYN_E_ARROW ? "); }(*(" : "); }(");
    ki_print_expr(printer, field->a);
    print_text(printer, field->kind == SYN_E_ARROW ? "))" : ")");
}

// 6.3.j: both operands are integers. The functions that replace shifts would accept others.
static void expect_integers(struct printer *printer, const struct syn_expr *expr)
{
    const struct syn_type *types[] = {expr->a->type, expr->b->type};

    for (size_t i = 0; i < 2; i++)
        if (types[i] && (types[i]->kind == SYN_T_SCALAR || types[i]->kind == SYN_T_VECTOR) &&
            types[i]->scalar > SYN_S_ULONG)
            ki_syn_fail(printer->parser, KN_ERROR_BUILD, expr->location->token,
                        "a shift takes integers; its %s operand is none", i == 0 ? "left" : "right");
}

void ki_rewrite_shift(struct printer *printer, const struct syn_expr *expr)
{
    bool left = (expr->op & 0xff) == '<', assigns = expr->kind == SYN_E_ASSIGN, plain = is_plain(expr);

    expect_integers(printer, expr);
    if (assigns && !plain && ki_print_is_bit_field(expr->a)) {
        print_bit_field(printer, expr, left);
        return;
    }
    if (!plain)
        ki_text_format(printer->out, "kn_%s%s(", left ? "shl" : "shr", assigns ? "_assign" : "");
    ki_print_expr(printer, expr->a);
    if (plain)
        ki_text_format(printer->out, " %s%s ", left ? "<<" : ">>", assigns ? "=" : "");
    else
        print_text(printer, ", ");
    ki_print_expr(printer, expr->b);
    if (!plain)
        print_text(printer, ")");
}
