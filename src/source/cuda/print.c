// SPDX-License-Identifier: Apache-2.0
// Places, names and types in C++.
#include "print.h"

#include <string.h>

void print_trim(struct printer *printer)
{
    struct kn_text *out = printer->out;

    while (out->length && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
}

void print_space(struct printer *printer)
{
    const struct kn_text *out = printer->out;

    if (out->length && out->data[out->length - 1] != ' ' && out->data[out->length - 1] != '\n')
        print_text(printer, " ");
}

void print_place(struct printer *printer, const struct src_token *place)
{
    long line = (long)place->line;

    if (printer->file && strcmp(printer->file, place->file) == 0 && line == printer->line)
        return;
    print_trim(printer);
    if (printer->file && strcmp(printer->file, place->file) == 0 && line > printer->line &&
        line < printer->line + 8) {
        for (; printer->line < line; printer->line++)
            print_text(printer, "\n");
    } else {
        kn_text_format(printer->out, "\n#line %ld \"", line);
        for (const char *c = place->file; *c; c++) {
            if (*c == '"' || *c == '\\')
                kn_text_add_char(printer->out, '\\');
            kn_text_add_char(printer->out, *c);
        }
        print_text(printer, "\"\n");
        printer->file = place->file;
        printer->line = line;
    }
    for (int i = 0; i < printer->indent; i++)
        print_text(printer, "    ");
}

void print_word(struct printer *printer, const struct syn_word *word)
{
    if (word->reserved)
        print_text(printer, "kn_id_");
    for (const char *c = word->name->text; *c; c++)
        if ((unsigned char)*c >= 0x80)
            kn_text_format(printer->out, "_%02x", (unsigned)(unsigned char)*c);
        else
            kn_text_add_char(printer->out, *c == '$' ? '_' : *c);
}

// In C++ a member that is named like a type hides it from the members behind.
void print_member_name(struct printer *printer, const struct syn_word *word)
{
    if (word->is_type && !word->reserved)
        print_text(printer, "kn_id_");
    print_word(printer, word);
}

void print_symbol(struct printer *printer, const struct syn_symbol *symbol)
{
    if (symbol->kind == SYN_SYMBOL_MEMBER) {
        print_member_name(printer, symbol->word);
        return;
    }
    if (symbol->renamed)
        kn_text_format(printer->out, "kn_constant_%u_", symbol->renamed);
    else if (!symbol->word->reserved && symbol->kind == SYN_SYMBOL_FUNCTION && symbol->word->result)
        print_text(printer, "kn_id_"); // named like a built-in function
    print_word(printer, symbol->word);
}

void print_tag(struct printer *printer, const struct syn_tag *tag)
{
    if (!tag->name) {
        kn_text_format(printer->out, "kn_type_%u", tag->number);
        return;
    }
    if (tag->name->is_ordinary)
        print_text(printer, "kn_tag_");
    print_word(printer, tag->name);
}

static bool is_base(const struct syn_type *type)
{
    return !type || type->alias || type->kind < SYN_T_POINTER || type->kind > SYN_T_FUNCTION;
}

static void print_base(struct printer *printer, const struct syn_type *type, bool bare)
{
    unsigned qualifiers;

    if (!type) {
        print_text(printer, "void");
        return;
    }
    qualifiers = type->alias ? type->outer : type->qualifiers;
    if (qualifiers & SYN_Q_CONST && !bare && type->kind != SYN_T_IMAGE) // that is a reference
        print_text(printer, "const ");
    if (qualifiers & SYN_Q_VOLATILE &&
        (type->kind == SYN_T_SCALAR || type->kind == SYN_T_POINTER || type->kind == SYN_T_VOID))
        print_text(printer, "volatile ");
    if (type->alias) {
        print_symbol(printer, type->alias);
    } else if (type->kind == SYN_T_RECORD) {
        print_text(printer, type->tag->kind == SYN_TAG_UNION ? "union " : "struct ");
        print_tag(printer, type->tag);
    } else {
        print_text(printer, type->spelling);
    }
}

static void print_parameters(struct printer *printer, const struct syn_type *type)
{
    print_text(printer, "(const kn_item &kn_me");
    for (const struct syn_parameter *p = type->parameters; p; p = p->next) {
        print_text(printer, ", ");
        if (p->symbol)
            print_typed_symbol(printer, p->type, p->symbol, false);
        else
            print_type(printer, p->type, NULL, false);
    }
    print_text(printer, ")");
}

// The declarator is made from the name outwards; `stop` is where the base begins.
static void add_declarator(struct printer *printer, const struct syn_type *type, const struct syn_type *stop,
                           const char *name, bool bare)
{
    struct kn_text text = KN_TEXT_INIT, wider = KN_TEXT_INIT, *out = printer->out;

    kn_text_add(&text, name ? name : "");
    for (; type != stop && !is_base(type); type = type->of) {
        printer->out = &wider;
        if (type->kind == SYN_T_POINTER) {
            bool brackets = !is_base(type->of) && type->of->kind != SYN_T_POINTER && type->of != stop;
            print_text(printer, brackets ? "(*" : "*");
            if (type->qualifiers & SYN_Q_CONST && !bare)
                print_text(printer, "const ");
            if (type->qualifiers & SYN_Q_VOLATILE)
                print_text(printer, "volatile ");
            if (type->qualifiers & SYN_Q_RESTRICT)
                print_text(printer, "__restrict__ ");
            kn_text_add(&wider, kn_text_string(&text));
            print_text(printer, brackets ? ")" : "");
        } else if (type->kind == SYN_T_ARRAY) {
            kn_text_add(&wider, kn_text_string(&text));
            print_text(printer, "[");
            if (type->length && (type->count < 0 || syn_is_spelled_out(type->length)))
                print_expr(printer, type->length);
            else if (type->count >= 0)
                kn_text_format(&wider, "%ld", type->count);
            print_text(printer, "]");
        } else {
            kn_text_add(&wider, kn_text_string(&text));
            print_parameters(printer, type);
        }
        kn_text_free(&text);
        text = wider;
        wider = (struct kn_text)KN_TEXT_INIT;
        bare = bare && type->kind == SYN_T_ARRAY;
    }
    printer->out = out;
    if (type != stop || !stop)
        print_base(printer, type, bare);
    if (text.length && (type != stop || !stop))
        print_text(printer, " ");
    kn_text_add(out, kn_text_string(&text));
    out->failed = out->failed || text.failed;
    kn_text_free(&text);
}

void print_type(struct printer *printer, const struct syn_type *type, const char *name, bool bare)
{
    add_declarator(printer, type, NULL, name, bare);
}

static void with_symbol(struct printer *printer, const struct syn_type *type, const struct syn_type *stop,
                        const struct syn_symbol *symbol, bool bare)
{
    struct kn_text name = KN_TEXT_INIT, *out = printer->out;

    printer->out = &name;
    print_symbol(printer, symbol);
    printer->out = out;
    add_declarator(printer, type, stop, kn_text_string(&name), bare);
    out->failed = out->failed || name.failed;
    kn_text_free(&name);
}

void print_typed_symbol(struct printer *printer, const struct syn_type *type, const struct syn_symbol *symbol,
                        bool bare)
{
    with_symbol(printer, type, NULL, symbol, bare);
}

void print_declarator(struct printer *printer, const struct syn_type *type, const struct syn_type *base,
                      const struct syn_symbol *symbol)
{
    with_symbol(printer, type, base, symbol, false);
}
