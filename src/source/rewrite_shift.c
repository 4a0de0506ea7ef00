// SPDX-License-Identifier: Apache-2.0
// Shifts: OpenCL C counts modulo the width of the left operand; C++ leaves that undefined.
#include "print.h"

// A number that is certainly within the width of a scalar.
static bool is_plain(const struct syn_expr *expr)
{
    const struct syn_type *left = syn_promoted(expr->a->type);
    long long count;

    return syn_is_integer(left) && syn_evaluate(expr->b, &count) && count >= 0 &&
           count < 8 * syn_scalar_bytes(left->scalar);
}

void rewrite_shift(struct printer *printer, const struct syn_expr *expr)
{
    bool left = (expr->op & 0xff) == '<', assigns = expr->kind == SYN_E_ASSIGN, plain = is_plain(expr);

    if (!plain)
        kn_text_format(printer->out, "kn_%s%s(", left ? "shl" : "shr", assigns ? "_assign" : "");
    print_expr(printer, expr->a);
    if (plain)
        kn_text_format(printer->out, " %s%s ", left ? "<<" : ">>", assigns ? "=" : "");
    else
        print_text(printer, ", ");
    print_expr(printer, expr->b);
    if (!plain)
        print_text(printer, ")");
}
