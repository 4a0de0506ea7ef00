// SPDX-License-Identifier: Apache-2.0
// Places, names and types in C++.
#include "print.h"

#include <string.h>

void ki_print_trim(struct printer *printer)
{
    struct ki_text *out = printer->out;

    while (out->length && out->data[out->length - 1] == ' ')
        out->data[--out->length] = '\0';
}

void ki_print_space(struct printer *printer)
{
    const struct ki_text *out = printer->out;

    if (out->length && out->data[out->length - 1] != ' ' && out->data[out->length - 1] != '\n')
        print_text(printer, " ");
}

void ki_print_location(struct printer *printer, const struct src_token *location)
{
    long line = (long)location->line;

    if (printer->file && strcmp(printer->file, location->file) == 0 && line == printer->line)
        return;
    ki_print_trim(printer);
    if (printer->file && strcmp(printer->file, location->file) == 0 && line > printer->line &&
        line < printer->line + 8) {
        for (; printer->line < line; printer->line++)
            print_text(printer, "\n");
    } else {
        ki_text_format(printer->out, "\n#line %ld \"", line);
        for (const char *c = location->file; *c; c++) {
            if (*c == '"' || *c == '\\')
                ki_text_add_char(printer->out, '\\');
            ki_text_add_char(printer->out, *c);
        }
        print_text(printer, "\"\n");
        printer->file = location->file;
        printer->line = line;
    }
    for (int i = 0; i < printer->indent; i++)
        print_text(printer, "    ");
}

void ki_print_word(struct printer *printer, const struct syn_word *word)
{
    if (word->reserved)
        print_text(printer, "kn_id_");
    for (const char *c = word->name->text; *c; c++)
        if ((unsigned char)*c >= 0x80)
            ki_text_format(printer->out, "_%02x", (unsigned)(unsigned char)*c);
        else
            ki_text_add_char(printer->out, *c == '$' ? '_' : *c);
}

// In C++ a member that is named like a type hides it from the members after it.
void ki_print_member_name(struct printer *printer, const struct syn_word *word)
{
    if (word->is_type && !word->reserved)
        print_text(printer, "kn_id_");
    ki_print_word(printer, word);
}

void ki_print_symbol(struct printer *printer, const struct syn_symbol *symbol)
{
    if (symbol->kind == SYN_SYMBOL_MEMBER) {
        ki_print_member_name(printer, symbol->word);
        return;
    }
    if (symbol->renamed)
        ki_text_format(printer->out, "kn_constant_%u_", symbol->renamed);
    else if (!symbol->word->reserved && symbol->kind == SYN_SYMBOL_FUNCTION && symbol->word->result)
        print_text(printer, "kn_id_"); // named like a built-in function
    ki_print_word(printer, symbol->word);
}

void ki_print_tag(struct printer *printer, const struct syn_tag *tag)
{
    if (!tag->name) {
        ki_text_format(printer->out, "kn_type_%u", tag->number);
        return;
    }
    if (tag->name->is_ordinary)
        print_text(printer, "kn_tag_");
    ki_print_word(printer, tag->name);
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
    if (qualifiers & SYN_Q_CONST && !bare && type->kind != SYN_T_IMAGE) // an image is a reference
        print_text(printer, "const ");
    if (qualifiers & SYN_Q_VOLATILE &&
        (type->kind == SYN_T_SCALAR || type->kind == SYN_T_POINTER || type->kind == SYN_T_VOID))
        print_text(printer, "volatile ");
    if (type->alias) {
        ki_print_symbol(printer, type->alias);
    } else if (type->kind == SYN_T_RECORD) {
        print_text(printer, type->tag->kind == SYN_TAG_UNION ? "union " : "struct ");
        ki_print_tag(printer, type->tag);
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
            ki_print_typed_symbol(printer, p->type, p->symbol, false);
        else
            ki_print_type(printer, p->type, NULL, false);
    }
    print_text(printer, ")");
}

// The declarator is built from the name outwards; `stop` is where the base begins.
static void add_declarator(struct printer *printer, const struct syn_type *type, const struct syn_type *stop,
                           const char *name, bool bare)
{
    struct ki_text text = KI_TEXT_INIT, wider = KI_TEXT_INIT, *out = printer->out;

    ki_text_add(&text, name ? name : "");
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
            ki_text_add(&wider, ki_text_string(&text));
            print_text(printer, brackets ? ")" : "");
        } else if (type->kind == SYN_T_ARRAY) {
            ki_text_add(&wider, ki_text_string(&text));
            print_text(printer, "[");
            if (type->length && (type->count < 0 || ki_syn_is_spelled_out(type->length)))
                ki_print_expr(printer, type->length);
            else if (type->count >= 0)
                ki_text_format(&wider, "%ld", type->count);
            print_text(printer, "]");
        } else {
            ki_text_add(&wider, ki_text_string(&text));
            print_parameters(printer, type);
        }
        ki_text_free(&text);
        text = wider;
        wider = (struct ki_text)KI_TEXT_INIT;
        bare = bare && type->kind == SYN_T_ARRAY;
    }
    printer->out = out;
    if (type != stop || !stop)
        print_base(printer, type, bare);
    if (text.length && (type != stop || !stop))
        print_text(printer, " ");
    ki_text_add(out, ki_text_string(&text));
    out->failed = out->failed || text.failed;
    ki_text_free(&text);
}

void ki_print_type(struct printer *printer, const struct syn_type *type, const char *name, bool bare)
{
    add_declarator(printer, type, NULL, name, bare);
}

static void with_symbol(struct printer *printer, const struct syn_type *type, const struct syn_type *stop,
                        const struct syn_symbol *symbol, bool bare)
{
    struct ki_text name = KI_TEXT_INIT, *out = printer->out;

    printer->out = &name;
    ki_print_symbol(printer, symbol);
    printer->out = out;
    add_declarator(printer, type, stop, ki_text_string(&name), bare);
    out->failed = out->failed || name.failed;
    ki_text_free(&name);
}

void ki_print_typed_symbol(struct printer *printer, const struct syn_type *type,
                           const struct syn_symbol *symbol, bool bare)
{
    with_symbol(printer, type, NULL, symbol, bare);
}

void ki_print_declarator(struct printer *printer, const struct syn_type *type, const struct syn_type *base,
                         const struct syn_symbol *symbol)
{
    with_symbol(printer, type, base, symbol, false);
}
