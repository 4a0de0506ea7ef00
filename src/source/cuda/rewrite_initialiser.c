// SPDX-License-Identifier: Apache-2.0
// Initialisers by position, with every brace written; narrowing is allowed as in C.
#include <string.h>

#include "print.h"

// Whether C++ accepts the value inside braces as it is.
static bool is_plain(const struct syn_type *type, const struct syn_expr *expr)
{
    const struct syn_expr *inner = ki_print_unwrapped(expr);
    long long value;

    if (!expr->type || expr->type->kind != SYN_T_SCALAR)
        return false;
    // A comparison is int in C, but bool in C++, which fits everywhere.
    if (expr->type->scalar == type->scalar)
        return true;
    if (inner->kind == SYN_E_NUMBER && type->scalar >= SYN_S_FLOAT && expr->type->scalar >= SYN_S_FLOAT)
        return true;
    return inner->kind == SYN_E_NUMBER && ki_syn_is_integer(expr->type) && type->scalar != SYN_S_HALF &&
           ki_syn_evaluate(inner, &value) && value >= 0 && value <= (type->scalar == SYN_S_BOOL ? 1 : 127);
}

static void print_scalar(struct printer *printer, const struct syn_type *type, const struct syn_expr *expr)
{
    bool plain = type->kind != SYN_T_SCALAR || is_plain(type, expr);

    print_text(printer, plain ? "" : "kn_init(");
    ki_print_converted(printer, type, expr);
    print_text(printer, plain ? "" : ")");
}

static void print_whole_vector(struct printer *printer, const struct syn_type *type,
                               const struct syn_expr *expr)
{
    bool plain = expr->type && ki_syn_same_type(type, expr->type) && !ki_print_is_selection(expr);

    if (!plain)
        ki_text_format(printer->out, "kn_cast<%s>(", type->spelling);
    ki_print_expr(printer, expr);
    print_text(printer, plain ? "" : ")");
}

static void print_pieces(struct printer *printer, const struct syn_slot *slot)
{
    ki_text_format(printer->out, "kn_make<%s>(", slot->type->spelling);
    for (size_t i = 0; i < slot->count; i++) {
        const struct syn_slot *piece = slot->children[i];
        print_text(printer, i ? ", " : "");
        if (piece && piece->expr)
            ki_print_expr(printer, piece->expr);
        else
            print_text(printer, "0");
    }
    print_text(printer, ")");
}

// A string that fills its array without room for the '\0': character by character.
static void print_characters(struct printer *printer, const struct syn_expr *string, long count)
{
    long printed = 0;

    print_text(printer, "{ ");
    for (size_t i = 0; i < string->token_count; i++) {
        const struct src_token *token = string->location[i].token;
        for (size_t at = 1; at + 1 < token->length && printed < count; printed++) {
            size_t length = 1;
            if (token->text[at] == '\\') {
                length = 2;
                if (token->text[at + 1] == 'x')
                    length += strspn(token->text + at + 2, "0123456789abcdefABCDEF");
                else
                    while (length < 4 && token->text[at + 1] >= '0' && token->text[at + 1] <= '7' &&
                           token->text[at + length] >= '0' && token->text[at + length] <= '7')
                        length++;
            }
            print_text(printer, printed ? ", kn_init('" : "kn_init('");
            if (length == 1 && token->text[at] == '\'')
                print_text(printer, "\\");
            ki_text_add_bytes(printer->out, token->text + at, length);
            print_text(printer, "')");
            at += length;
        }
    }
    print_text(printer, " }");
}

// Only the first member of a union can be initialised in C++17.
static bool is_other_member(const struct syn_slot *slot)
{
    const struct syn_member *first = slot->type->kind == SYN_T_RECORD ? slot->type->tag->members : NULL;

    while (first && !first->name && !first->is_anonymous)
        first = first->next;
    return slot->member && slot->member != first;
}

static bool is_anonymous_record(const struct syn_slot *slot)
{
    return slot && slot->type && slot->type->kind == SYN_T_RECORD && slot->type->tag->is_inline;
}

// Whether the initialiser of a named record sets such a member, perhaps in an anonymous union inside.
bool ki_rewrite_sets_other_member(const struct syn_slot *slot)
{
    if (slot->expr || !slot->type || slot->type->kind != SYN_T_RECORD)
        return false;
    if (is_other_member(slot))
        return true;
    for (size_t i = 0; i < slot->count; i++)
        if (is_anonymous_record(slot->children[i]) && ki_rewrite_sets_other_member(slot->children[i]))
            return true;
    return false;
}

static void print_parts(struct printer *printer, const struct syn_slot *slot)
{
    if (!slot->count || is_other_member(slot)) {
        print_text(printer, "{}");
        return;
    }
    print_text(printer, "{ ");
    for (size_t i = 0; i < slot->count; i++) {
        print_text(printer, i ? ", " : "");
        if (slot->children[i])
            ki_rewrite_slot(printer, slot->children[i]);
        else
            print_text(printer, "{}");
    }
    print_text(printer, " }");
}

static void print_other_members(struct printer *printer, const struct syn_slot *slot)
{
    for (size_t i = 0; i < slot->count; i++)
        if (slot->member && is_other_member(slot) && slot->member->name) {
            print_text(printer, "{ const ");
            ki_print_type(printer, slot->member->type, "kn_value", true);
            print_text(printer, " = ");
            ki_rewrite_slot(printer, slot->children[i]);
            print_text(printer, "; kn_copy(kn_r.");
            ki_print_member_name(printer, slot->member->name);
            print_text(printer, ", kn_value); } ");
        } else if (is_anonymous_record(slot->children[i])) {
            print_other_members(printer, slot->children[i]);
        }
}

// The record's initialiser first, then assignments to the members of its unions.
static void print_made(struct printer *printer, const struct syn_slot *slot)
{
    if (!printer->function)
        ki_syn_fail(printer->parser, KN_ERROR_UNSUPPORTED,
                    slot->location ? slot->location : slot->type->tag->location,
                    "a __constant union whose first member is not the one initialised cannot be had in CUDA; "
                    "make that member the first");
    print_text(printer, "[&] { ");
    ki_print_type(printer, slot->type, "kn_r", true);
    print_text(printer, " = ");
    print_parts(printer, slot);
    print_text(printer, "; ");
    print_other_members(printer, slot);
    print_text(printer, "return kn_r; }()");
}

void ki_rewrite_slot(struct printer *printer, const struct syn_slot *slot)
{
    const struct syn_type *type = slot->type;

    if (ki_syn_is_text(slot) && type->count >= 0 && ki_syn_string_bytes(slot->expr) > type->count)
        print_characters(printer, slot->expr, type->count);
    else if (slot->expr && type->kind == SYN_T_VECTOR)
        print_whole_vector(printer, type, slot->expr);
    else if (slot->expr)
        print_scalar(printer, type, slot->expr);
    else if (type->kind == SYN_T_VECTOR && slot->count)
        print_pieces(printer, slot);
    else if (ki_rewrite_sets_other_member(slot) && !is_anonymous_record(slot))
        print_made(printer, slot);
    else
        print_parts(printer, slot);
}
