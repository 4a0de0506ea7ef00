// SPDX-License-Identifier: Apache-2.0
// #define and #undef.
#include <string.h>

#include "preprocess.h"

// What the language itself defines. __kernel_exec: OpenCL C 1.2, 6.10.
static const char builtin_lines[] =
    "#define __kernel_exec(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) "
    "__attribute__((vec_type_hint(typen)))\n"
    "#define kernel_exec(X, typen) __kernel __attribute__((work_group_size_hint(X, 1, 1))) "
    "__attribute__((vec_type_hint(typen)))\n"
    // Compiler features that clang lets a program test for: none of them needs to exist here.
    "#define __has_attribute(x) 0\n"
    "#define __has_builtin(x) 0\n"
    "#define __has_extension(x) 0\n"
    "#define __has_feature(x) 0\n"
    "#define __has_include(x) 0\n"
    // A fixed date: the same text is the same program on every day.
    "#define __DATE__ \"Jan  1 1970\"\n"
    "#define __TIME__ \"00:00:00\"\n";

static const struct computed {
    const char *name;
    enum src_macro_kind kind;
} computed[] = {
    {"__LINE__", SRC_MACRO_LINE},
    {"__FILE__", SRC_MACRO_FILE},
    {"__COUNTER__", SRC_MACRO_COUNTER},
};

static size_t index_of_parameter(const struct src_macro *macro, const struct src_name *name)
{
    for (size_t i = 0; i < macro->parameter_count; i++)
        if (macro->parameters[i] == name)
            return i + 1;
    return 0;
}

static kn_status add_parameter(struct src_preprocessor *pp, struct src_macro *macro,
                               const struct src_token *token, struct src_name *name)
{
    if (index_of_parameter(macro, name))
        return ki_src_fail_token(pp, token, "macro %.100s has two parameters named %.100s", macro->name->text,
                                 name->text);
    if (macro->parameter_count == SRC_MOST_PARAMETERS)
        return ki_src_fail_token(pp, token, "macro %.100s has more than %d parameters", macro->name->text,
                                 SRC_MOST_PARAMETERS);
    macro->parameters[macro->parameter_count++] = name;
    return KN_OK;
}

// The parameters from pp->line.items[*at], which is after '('. `*at` moves past the ')'.
static kn_status read_parameters(struct src_preprocessor *pp, struct src_macro *macro, size_t *at)
{
    const struct src_token *tokens = pp->line.items, *name = &tokens[0];
    size_t count = pp->line.count, i = *at;
    kn_status status = KN_OK;

    macro->parameters = ki_arena_take(pp->arena, (count < SRC_MOST_PARAMETERS ? count : SRC_MOST_PARAMETERS) *
                                                     sizeof *macro->parameters);
    if (!macro->parameters)
        return ki_src_no_memory(pp);
    if (i < count && ki_src_is(&tokens[i], ")")) {
        *at = i + 1;
        return KN_OK;
    }
    while (!status && !macro->variadic && i < count) {
        struct src_name *parameter = tokens[i].name;
        if (ki_src_is(&tokens[i], "...")) {
            macro->variadic = true;
            parameter = ki_src_intern(&pp->names, "__VA_ARGS__", strlen("__VA_ARGS__"));
        }
        if (!parameter)
            break;
        status = add_parameter(pp, macro, &tokens[i++], parameter);
        // "args...", as compilers have it
        if (!macro->variadic && i < count && ki_src_is(&tokens[i], "...")) {
            macro->variadic = true;
            i++;
        }
        if (!status && i < count && ki_src_is(&tokens[i], ")")) {
            *at = i + 1;
            return KN_OK;
        }
        if (i >= count || !ki_src_is(&tokens[i], ","))
            break;
        i++;
    }
    if (status)
        return status;
    return ki_src_fail_token(
        pp, name, "macro %.100s: its parameters should be names with commas between them, then \")\"",
        macro->name->text);
}

static kn_status read_body(struct src_preprocessor *pp, struct src_macro *macro, size_t at)
{
    const struct src_token *from = pp->line.items + at;
    size_t count = pp->line.count - at;
    struct src_token *body = ki_arena_take(pp->arena, count * sizeof *body);

    if (!body)
        return ki_src_no_memory(pp);
    for (size_t i = 0; i < count; i++) {
        body[i] = from[i];
        body[i].flags &= (uint8_t)~SRC_LINE_START;
        if (body[i].name)
            body[i].parameter = (uint16_t)index_of_parameter(macro, body[i].name);
    }
    macro->body = body;
    macro->body_count = count;
    for (size_t i = 0; i < count; i++) {
        if (ki_src_is(&body[i], "##")) {
            macro->pastes = true;
            if (i == 0 || i + 1 == count)
                return ki_src_fail_token(pp, &body[i], "macro %.100s: ## needs something on both sides",
                                         macro->name->text);
        } else if (macro->kind == SRC_MACRO_FUNCTION && ki_src_is(&body[i], "#") &&
                   (i + 1 == count || !body[i + 1].parameter)) {
            return ki_src_fail_token(pp, &body[i], "macro %.100s: # needs one of its parameters after it",
                                     macro->name->text);
        }
    }
    return KN_OK;
}

static bool is_same(const struct src_macro *a, const struct src_macro *b)
{
    if (a->kind != b->kind || a->variadic != b->variadic || a->parameter_count != b->parameter_count ||
        a->body_count != b->body_count)
        return false;
    for (size_t i = 0; i < a->parameter_count; i++)
        if (a->parameters[i] != b->parameters[i])
            return false;
    for (size_t i = 0; i < a->body_count; i++) {
        const struct src_token *s = &a->body[i], *t = &b->body[i];
        if (s->kind != t->kind || s->length != t->length || memcmp(s->text, t->text, s->length) != 0 ||
            (i && (s->flags & SRC_SPACE) != (t->flags & SRC_SPACE)))
            return false;
    }
    return true;
}

// The file redefines a macro of the host. The file's definition wins, as in compilers, but that is seldom
// intended; a host that contradicts itself is refused.
static kn_status replace_hosts(struct src_preprocessor *pp, const struct src_macro *old,
                               const struct src_macro *macro, const struct src_token *name)
{
    char value[200] = "";
    size_t used = 0;

    for (size_t i = 0; i < old->body_count && used + old->body[i].length + 2 < sizeof value; i++) {
        if (i && (old->body[i].flags & SRC_SPACE))
            value[used++] = ' ';
        memcpy(value + used, old->body[i].text, old->body[i].length);
        used += old->body[i].length;
        value[used] = '\0';
    }
    if (macro->origin == SRC_ORIGIN_HOST)
        return ki_src_fail_token(pp, name, "macro %.100s is defined twice, differently (-D %.100s=%s, too)",
                                 old->name->text, old->name->text, value);
    return ki_src_warn_token(
        pp, name,
        "macro %.100s is defined as something else than the host's definition (-D %.100s=%s), which no "
        "longer holds; put #ifndef %.100s around it to make it a default",
        old->name->text, old->name->text, value, old->name->text);
}

static bool is_reserved(const struct src_token *name)
{
    return ki_src_is_word(name, "defined") || ki_src_is_word(name, "__VA_ARGS__") ||
           ki_src_is_word(name, "_Pragma") ||
           (name->name->macro && name->name->macro->kind > SRC_MACRO_FUNCTION);
}

static kn_status check_name(struct src_preprocessor *pp, const struct src_token *hash, const char *directive)
{
    const struct src_token *name = pp->line.items;

    if (!pp->line.count || name->kind != SRC_IDENTIFIER)
        return ki_src_fail_token(pp, hash, "%s needs a macro's name", directive);
    if (is_reserved(name))
        return ki_src_fail_token(pp, name, "%s %.100s: this name belongs to the language", directive,
                                 name->name->text);
    return KN_OK;
}

kn_status ki_src_define(struct src_preprocessor *pp, const struct src_token *hash)
{
    kn_status status = ki_src_read_line(pp);
    const struct src_token *name;
    struct src_macro *macro, *old;
    size_t at = 1;

    if (!status)
        status = check_name(pp, hash, "#define");
    if (status)
        return status;
    name = pp->line.items;
    macro = ki_arena_take(pp->arena, sizeof *macro);
    if (!macro)
        return ki_src_no_memory(pp);
    macro->name = name->name;
    macro->origin = ki_src_top(pp)->origin;
    macro->file = name->file;
    macro->line = (long)name->line;
    if (pp->line.count > 1 && ki_src_is(&name[1], "(") && !(name[1].flags & SRC_SPACE)) {
        macro->kind = SRC_MACRO_FUNCTION;
        at = 2;
        status = read_parameters(pp, macro, &at);
    }
    if (!status)
        status = read_body(pp, macro, at);
    if (status)
        return status;
    old = macro->name->macro;
    if (old && is_same(old, macro))
        return KN_OK;
    macro->name->macro = macro;
    // The file's own is replaced without a warning.
    return old && old->origin == SRC_ORIGIN_HOST ? replace_hosts(pp, old, macro, name) : KN_OK;
}

kn_status ki_src_undefine(struct src_preprocessor *pp, const struct src_token *hash)
{
    kn_status status = ki_src_read_line(pp);

    if (!status)
        status = check_name(pp, hash, "#undef");
    if (!status)
        pp->line.items[0].name->macro = NULL;
    return status;
}

kn_status ki_src_define_builtins(struct src_preprocessor *pp)
{
    struct src_input *input;
    struct src_token token;
    kn_status status;

    for (size_t i = 0; i < sizeof computed / sizeof *computed; i++) {
        struct src_name *name = ki_src_intern(&pp->names, computed[i].name, strlen(computed[i].name));
        struct src_macro *macro = ki_arena_take(pp->arena, sizeof *macro);
        if (!name || !macro)
            return ki_src_no_memory(pp);
        *macro = (struct src_macro){.name = name, .kind = computed[i].kind, .file = "the language"};
        name->macro = macro;
    }
    if (ki_src_input_add(&pp->inputs, "the language", builtin_lines, strlen(builtin_lines), &input) !=
        SRC_FOUND)
        return ki_src_no_memory(pp);
    status = ki_src_push_input(pp, input, SRC_ORIGIN_TARGET, NULL, 0, NULL);
    if (!status)
        status = ki_src_next(pp, &token);
    return status ? status : ki_src_pop_input(pp);
}
