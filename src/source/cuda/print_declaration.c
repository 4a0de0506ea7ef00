// SPDX-License-Identifier: Apache-2.0
// Declarations: structs and unions before their uses, variables by their address space.
#include <stdio.h>

#include "print.h"

static void print_attributes(struct printer *printer, const struct syn_attributes *attributes)
{
    if (!attributes->packed && !attributes->aligned && !attributes->is_aligned)
        return;
    print_text(printer, " __attribute__((");
    print_text(printer, attributes->packed ? "packed" : "");
    print_text(printer, attributes->packed && (attributes->aligned || attributes->is_aligned) ? ", " : "");
    if (attributes->aligned) {
        print_text(printer, "aligned(");
        ki_print_expr(printer, attributes->aligned);
        print_text(printer, ")");
    } else if (attributes->is_aligned) {
        print_text(printer, "aligned");
    }
    print_text(printer, "))");
}

static void print_record(struct printer *printer, const struct syn_tag *tag);

static void print_member(struct printer *printer, const struct syn_member *member)
{
    struct syn_symbol symbol = {.kind = SYN_SYMBOL_MEMBER, .word = member->name};

    if (member->type->kind == SYN_T_ARRAY &&
        (member->type->count == 0 || (member->type->count < 0 && !member->type->length)))
        ki_syn_fail(printer->parser, KN_ERROR_UNSUPPORTED, member->location,
                    "an array without elements as a struct's member cannot be had in CUDA");
    if (member->is_anonymous)
        print_record(printer, member->type->tag);
    else if (member->name)
        ki_print_typed_symbol(printer, member->type, &symbol, true); // a const one would want a value in C++
    else
        ki_print_type(printer, member->type, NULL, false);
    if (member->bits) {
        print_text(printer, " : ");
        ki_print_expr(printer, member->bits);
    }
    print_attributes(printer, &member->attributes);
    print_text(printer, ";");
}

static void print_record(struct printer *printer, const struct syn_tag *tag)
{
    if (ki_syn_is_packed_otherwise(tag))
        ki_syn_fail(
            printer->parser, KN_ERROR_UNSUPPORTED, tag->location,
            "a vector stands unaligned in this packed struct, which cannot be had in CUDA; make it an array "
            "of its elements and use vload");
    print_text(printer, tag->kind == SYN_TAG_UNION ? "union" : "struct");
    print_attributes(printer, &tag->attributes);
    if (!tag->is_inline) {
        print_text(printer, " ");
        ki_print_tag(printer, tag);
    }
    print_text(printer, " {");
    printer->indent++;
    for (const struct syn_member *m = tag->members; m; m = m->next) {
        ki_print_location(printer, m->location);
        print_text(printer, " ");
        print_member(printer, m);
    }
    printer->indent--;
    print_text(printer, " }");
}

void ki_print_tags(struct printer *printer, const struct syn_tag *tags)
{
    for (; tags; tags = tags->next) {
        if (tags->kind == SYN_TAG_ENUM || tags->is_inline)
            continue;
        ki_print_location(printer, tags->location);
        print_record(printer, tags);
        print_text(printer, "; ");
    }
}

static unsigned variable_space(const struct syn_type *type)
{
    while (type && type->kind == SYN_T_ARRAY)
        type = type->of;
    return type ? type->qualifiers & (SYN_Q_LOCAL | SYN_Q_CONSTANT) : 0;
}

static void print_value(struct printer *printer, const struct syn_declarator *declarator)
{
    const struct syn_slot *value = declarator->value;

    if (!value)
        return;
    print_text(printer, " = ");
    // A list, a vector from pieces, or a string that fills its array; otherwise a plain value.
    if (!value->expr || (ki_syn_is_text(value) && value->type->kind == SYN_T_ARRAY))
        ki_rewrite_slot(printer, value);
    else
        ki_print_converted(printer, declarator->type, value->expr);
}

// KN_CONSTANT_VAR may add const itself: a pointer, which has its own const, gets a type name.
static void print_constant_type(struct printer *printer, const struct syn_declarator *declarator,
                                const char *space)
{
    const struct syn_type *element = declarator->type;
    const char *name = declarator->symbol->word->name->text;
    char pointer[128];

    while (element->kind == SYN_T_ARRAY)
        element = element->of;
    if (element->kind != SYN_T_POINTER) {
        // Another constant's value may depend on it.
        bool folds = declarator->symbol->is_folded && element == declarator->type && declarator->value;
        ki_text_format(printer->out, "%s %s", space, folds ? "constexpr " : "");
        ki_print_typed_symbol(printer, declarator->type, declarator->symbol, true);
        return;
    }
    snprintf(pointer, sizeof pointer, "kn_pointer_%.100s", name);
    print_text(printer, "typedef ");
    ki_print_type(printer, element, pointer, true);
    ki_text_format(printer->out, "; %s %s ", space, pointer);
    ki_print_declarator(printer, declarator->type, element, declarator->symbol);
}

void ki_print_constant(struct printer *printer, const struct syn_declarator *declarator)
{
    size_t size = 0, alignment;

    // Its value is known wherever it is used, so that a texture is chosen at compile time.
    if (declarator->type->kind == SYN_T_SAMPLER) {
        print_text(printer, "static constexpr ");
        ki_print_typed_symbol(printer, declarator->type, declarator->symbol, true);
        print_value(printer, declarator);
        print_text(printer, "; ");
        return;
    }
    if (!ki_syn_size(declarator->type, &size, &alignment))
        ki_syn_fail(printer->parser, KN_ERROR_BUILD, declarator->location,
                    "the size of this __constant variable cannot be told");
    if (size <= printer->largest_table)
        printer->table_bytes += (size + 15) / 16 * 16;
    print_constant_type(printer, declarator,
                        size <= printer->largest_table ? "KN_CONSTANT_VAR" : "KN_TABLE_VAR");
    print_attributes(printer, &declarator->attributes);
    print_value(printer, declarator);
    print_text(printer, "; ");
}

// `T x; x = value;`, so that a jump may pass over it.
static void print_split(struct printer *printer, const struct syn_declarator *declarator)
{
    const struct syn_slot *value = declarator->value;
    bool plain = value->expr && !ki_syn_is_text(value);

    ki_print_typed_symbol(printer, declarator->type, declarator->symbol, true);
    print_attributes(printer, &declarator->attributes);
    if (plain || value->type->kind == SYN_T_VECTOR) {
        print_text(printer, "; ");
        ki_print_symbol(printer, declarator->symbol);
        print_value(printer, declarator);
        print_text(printer, ";");
        return;
    }
    print_text(printer, "; { const ");
    ki_print_type(printer, declarator->type, "kn_value", true);
    print_value(printer, declarator);
    print_text(printer, "; kn_copy(");
    ki_print_symbol(printer, declarator->symbol);
    print_text(printer, ", kn_value); }");
}

static void print_variable(struct printer *printer, const struct syn_declarator *declarator, bool split)
{
    unsigned space = variable_space(declarator->type);

    if (space & SYN_Q_CONSTANT || (!printer->function && !space)) {
        const struct syn_symbol *symbol = declarator->symbol;
        // C++ has no constant without a value: the definition is printed where the name is declared first.
        if (!printer->function && declarator == symbol->first)
            ki_print_constant(printer, symbol->definition ? symbol->definition : declarator);
        return; // inside a function it was moved out
    }
    if (space & SYN_Q_LOCAL && declarator->symbol->is_placed) {
        // Its type under a name that nothing hides; print_name prints the name's place.
        char type[32];
        snprintf(type, sizeof type, "kn_local_%u", declarator->symbol->local_number);
        print_text(printer, "typedef ");
        ki_print_type(printer, declarator->type, type, true);
    } else if (space & SYN_Q_LOCAL) {
        print_text(printer, "KN_LOCAL_VAR ");
        ki_print_typed_symbol(printer, declarator->type, declarator->symbol, true);
        print_attributes(printer, &declarator->attributes);
    } else if (split && declarator->value) {
        print_split(printer, declarator);
        return;
    } else {
        ki_print_typed_symbol(printer, declarator->type, declarator->symbol, !declarator->value);
        print_attributes(printer, &declarator->attributes);
        print_value(printer, declarator);
    }
    print_text(printer, ";");
}

// "struct tag;" may hide another struct of that name until it is defined.
static bool defines(const struct syn_declaration *declaration)
{
    const struct syn_tag *tag = declaration->tags;

    while (tag && tag != declaration->bare)
        tag = tag->next;
    return tag != NULL;
}

void ki_print_declaration(struct printer *printer, const struct syn_declaration *declaration, bool split)
{
    bool first = true;

    ki_print_tags(printer, declaration->tags);
    if (declaration->bare && !defines(declaration)) {
        ki_print_location(printer, declaration->location);
        print_text(printer, declaration->bare->kind == SYN_TAG_UNION ? "union " : "struct ");
        ki_print_tag(printer, declaration->bare);
        print_text(printer, ";");
    }
    for (const struct syn_declarator *d = declaration->declarators; d; d = d->next, first = false) {
        ki_print_location(printer, first ? declaration->location : d->location);
        if (!first)
            ki_print_space(printer);
        if (d->symbol->kind == SYN_SYMBOL_VARIABLE) {
            print_variable(printer, d, split);
            continue;
        }
        if (d->symbol->kind == SYN_SYMBOL_TYPEDEF) {
            print_text(printer, "typedef ");
            ki_print_typed_symbol(printer, d->type, d->symbol, false);
            print_attributes(printer, &d->attributes);
        } else {
            ki_rewrite_prototype(printer, d->symbol, d->type);
        }
        print_text(printer, ";");
    }
}

void ki_print_for_declaration(struct printer *printer, const struct syn_declaration *declaration)
{
    ki_print_type(printer, declaration->base, NULL, false);
    for (const struct syn_declarator *d = declaration->declarators; d; d = d->next) {
        print_text(printer, " ");
        ki_print_declarator(printer, d->type, declaration->base, d->symbol);
        print_value(printer, d);
        print_text(printer, d->next ? "," : "");
    }
}

void ki_print_literal_type(struct printer *printer, const struct syn_type *type)
{
    if (type->kind == SYN_T_ARRAY) {
        print_text(printer, "kn_array<");
        ki_print_type(printer, type->of, NULL, true);
        ki_text_format(printer->out, ", %ld>", type->count);
    } else {
        ki_print_type(printer, type, NULL, true);
    }
}

void ki_print_literals(struct printer *printer, const struct syn_expr *literals)
{
    for (; literals; literals = literals->next_literal) {
        ki_print_literal_type(printer, literals->named);
        ki_text_format(printer->out, " kn_literal_%u; ", literals->hoisted);
    }
}
