// SPDX-License-Identifier: Apache-2.0
// printf: %v4f becomes "%f,%f,%f,%f", and its vector the four components.
#include <string.h>

#include "base/array.h"
#include "print.h"

// A conversion of the format: %-8.3v4hlf.
struct conversion {
    const char *flags; // with width and precision
    size_t flag_length;
    int lanes; // 0 without v
    char length[3];
    char letter;
    int stars;
};

static const char *read_conversion(const char *at, struct conversion *conversion)
{
    size_t count = 0;

    *conversion = (struct conversion){.flags = at, .flag_length = strspn(at, "-+ #0123456789.*")};
    for (size_t i = 0; i < conversion->flag_length; i++)
        conversion->stars += at[i] == '*';
    at += conversion->flag_length;
    if (*at == 'v')
        for (at++; *at >= '0' && *at <= '9' && conversion->lanes < 100; at++)
            conversion->lanes = conversion->lanes * 10 + (*at - '0');
    for (; (*at == 'h' || *at == 'l') && count < 2; at++)
        conversion->length[count++] = *at;
    conversion->letter = *at;
    return *at ? at + 1 : at;
}

static void add_conversion(struct ki_text *text, const struct conversion *conversion)
{
    // hl is a vector of 32-bit elements, which is plain in C; CUDA has no hh: the argument is cut to a byte
    // instead.
    const char *length = conversion->length[0] == 'h' && conversion->length[1] ? "" : conversion->length;
    bool real = conversion->letter && strchr("fFeEgGaA", conversion->letter);
    int lanes = conversion->lanes ? conversion->lanes : 1;

    for (int i = 0; i < lanes; i++) {
        ki_text_add(text, i ? ",%" : "%");
        ki_text_add_bytes(text, conversion->flags, conversion->flag_length);
        ki_text_add(text, real ? "" : length);
        ki_text_add_char(text, conversion->letter);
    }
}

static const char *byte_cast(const struct conversion *conversion)
{
    if (strcmp(conversion->length, "hh") != 0 || !conversion->letter)
        return "";
    return strchr("uxXo", conversion->letter) ? "(unsigned char)" : "(signed char)";
}

static void print_lanes(struct printer *printer, const struct syn_expr *argument,
                        const struct conversion *conversion)
{
    for (int i = 0; i < conversion->lanes; i++) {
        ki_text_format(printer->out, ", %skn_component(", byte_cast(conversion));
        ki_print_expr(printer, argument);
        ki_text_format(printer->out, ", %d)", i);
    }
}

// Whether it may be evaluated several times: it has no side effects.
static bool repeats(const struct syn_expr *expr)
{
    const struct syn_expr *parts[] = {expr->a, expr->b, expr->c};
    const char *rest;

    if (expr->kind == SYN_E_ASSIGN || expr->kind == SYN_E_POSTFIX || expr->kind == SYN_E_COMPOUND ||
        (expr->kind == SYN_E_PREFIX && expr->op > 0xff))
        return false;
    if (expr->kind == SYN_E_CALL) {
        const struct syn_expr *callee = ki_print_unwrapped(expr->a);
        bool pure = callee->word->result ? strchr("aUhsiNrSzu", callee->word->result) != NULL
                                         : ki_syn_type_in_name(callee->word, "convert_", &rest) ||
                                               ki_syn_type_in_name(callee->word, "as_", &rest);
        if (callee->symbol || !pure)
            return false;
    }
    for (size_t i = 0; i < KI_COUNT(parts); i++)
        if (parts[i] && !repeats(parts[i]))
            return false;
    for (const struct syn_expr *argument = expr->arguments; argument; argument = argument->next)
        if (!repeats(argument))
            return false;
    return true;
}

// Prints one string token's text, its conversions rewritten; the arguments go to `values`.
static const struct syn_expr *rewrite_format(struct printer *printer, const struct src_token *token,
                                             const struct syn_expr *argument, struct ki_text *values)
{
    const char *at = token->text, *end = token->text + token->length;
    struct ki_text *out = printer->out;
    struct conversion conversion;

    while (at < end) {
        ki_text_add_char(out, *at);
        if (*at++ != '%')
            continue;
        if (*at == '%') {
            ki_text_add_char(out, *at++);
            continue;
        }
        out->length--; // the '%' comes with each lane
        at = read_conversion(at, &conversion);
        add_conversion(out, &conversion);
        printer->out = values;
        for (; conversion.stars > 0 && argument; conversion.stars--, argument = argument->next) {
            print_text(printer, ", ");
            ki_print_expr(printer, argument);
        }
        if (argument && conversion.lanes) {
            if (!repeats(argument))
                ki_syn_fail(
                    printer->parser, KN_ERROR_UNSUPPORTED, argument->location->token,
                    "printf of a vector expression that does more than to compute; make it a variable first");
            print_lanes(printer, argument, &conversion);
        } else if (argument) {
            bool cut = *byte_cast(&conversion) != 0;
            ki_text_format(printer->out, ", %s%s", byte_cast(&conversion), cut ? "(" : "");
            ki_print_expr(printer, argument);
            print_text(printer, cut ? ")" : "");
        }
        printer->out = out;
        argument = argument ? argument->next : NULL;
    }
    return argument;
}

void ki_rewrite_printf(struct printer *printer, const struct syn_expr *call)
{
    const struct syn_expr *format = call->arguments ? ki_print_unwrapped(call->arguments) : NULL, *argument;
    struct ki_text values = KI_TEXT_INIT;

    if (format && format->kind == SYN_E_NAME && format->symbol && format->symbol->text)
        format = format->symbol->text;
    if (!format || format->kind != SYN_E_STRING) {
        ki_syn_fail(printer->parser, KN_ERROR_UNSUPPORTED, call->location->token,
                    "printf's format must stand in the call as a string, or be a __constant array");
        return;
    }
    argument = call->arguments->next;
    print_text(printer, "kn_printed(printf(");
    for (size_t i = 0; i < format->token_count; i++) {
        print_text(printer, i ? " " : "");
        argument = rewrite_format(printer, format->location[i].token, argument, &values);
    }
    for (; argument; argument = argument->next) {
        print_text(printer, ", ");
        ki_print_expr(printer, argument);
    }
    ki_text_add(printer->out, ki_text_string(&values));
    printer->out->failed = printer->out->failed || values.failed;
    ki_text_free(&values);
    print_text(printer, "))");
}
