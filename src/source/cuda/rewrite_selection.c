// SPDX-License-Identifier: Apache-2.0
// Components of vectors, and members. A selection of a selection (v.hi.xy) becomes one; the selections that
// the program uses are recorded, because the prelude declares only those.
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "print.h"
#include "source/syntax/swizzle.h"

static void note(struct printer *printer, int lanes, const int *components, int count, const char *name)
{
    struct print_selector selector = {.lanes = lanes, .count = count};

    for (size_t i = 0; i < printer->selector_count; i++)
        if (printer->selectors[i].lanes == lanes && strcmp(printer->selectors[i].name, name) == 0)
            return;
    memcpy(selector.components, components, (size_t)count * sizeof *components);
    memcpy(selector.name, name, strlen(name));
    if (!KI_ARRAY_PUSH(printer->selectors, printer->selector_count, printer->selector_capacity, selector))
        printer->out->failed = true;
}

// On a vector of unknown type: every possible meaning of the word.
static void note_everywhere(struct printer *printer, const struct syn_word *word)
{
    static const int widths[] = {2, 3, 4, 8, 16};
    int components[16], count;

    for (size_t i = 0; i < KI_COUNT(widths); i++) {
        count = ki_syn_selector(word->name->text, word->name->length, widths[i], components);
        if (count > 1 && strlen(word->name->text) < 20)
            note(printer, widths[i], components, count, word->name->text);
    }
}

static void print_member(struct printer *printer, const struct syn_expr *expr)
{
    ki_print_expr(printer, expr->a);
    print_text(printer, expr->kind == SYN_E_ARROW ? "->" : ".");
    ki_print_member_name(printer, expr->word);
}

void ki_rewrite_selection(struct printer *printer, const struct syn_expr *expr)
{
    const struct syn_expr *chain[64], *base = expr, *inner;
    const struct syn_type *type = NULL;
    int components[16], chosen[16], count = 0;
    size_t length = 0;
    char name[20];

    for (;;) {
        type = base->a->type;
        if (base->kind == SYN_E_ARROW)
            type = type && (type->kind == SYN_T_POINTER || type->kind == SYN_T_ARRAY) ? type->of : NULL;
        if (!ki_syn_is_vector(type) || length == KI_COUNT(chain))
            break;
        chain[length++] = base;
        inner = ki_print_unwrapped(base->a);
        if (base->kind == SYN_E_ARROW || (inner->kind != SYN_E_DOT && inner->kind != SYN_E_ARROW) ||
            !ki_print_is_selection(inner))
            break;
        base = inner;
    }
    if (!length || !ki_syn_is_vector(type)) {
        if (!type)
            note_everywhere(printer, expr->word);
        print_member(printer, expr);
        return;
    }
    for (size_t i = length; i-- > 0;) {
        int width = i + 1 == length ? type->lanes : count, found;
        found = ki_syn_selector(chain[i]->word->name->text, chain[i]->word->name->length, width, chosen);
        for (int k = 0; k < found && i + 1 < length; k++)
            chosen[k] = chosen[k] < count ? components[chosen[k]] : 0;
        count = found;
        memcpy(components, chosen, sizeof components);
    }
    ki_syn_selector_name(type->lanes, components, count, name);
    if (count > 1)
        note(printer, type->lanes, components, count, name);
    ki_print_expr(printer, base->a);
    print_text(printer, base->kind == SYN_E_ARROW ? "->" : ".");
    print_text(printer, name);
}
