// SPDX-License-Identifier: Apache-2.0
#include "emit_metadata.h"

#include <config.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "io/json.h"
#include "cli/framework/report.h"

const char *emit_kind_name(kn_param_kind kind)
{
    static const char *const names[] = {
        [KN_PARAM_GLOBAL] = "global", [KN_PARAM_CONSTANT] = "constant", [KN_PARAM_LOCAL] = "local",
        [KN_PARAM_VALUE] = "value",   [KN_PARAM_IMAGE] = "image",       [KN_PARAM_SAMPLER] = "sampler",
    };

    return names[kind];
}

// ---- tunable macros ----

static bool add_macro(struct emit_macros *macros, const char *name, size_t name_length, const char *value,
                      size_t value_length, bool was_given)
{
    struct emit_macro macro = {NULL, NULL, was_given};

    for (size_t i = 0; i < macros->count; i++)
        if (strlen(macros->items[i].name) == name_length &&
            memcmp(macros->items[i].name, name, name_length) == 0)
            return true; // the first definition counts
    macro.name = strndup(name, name_length);
    macro.value = strndup(value, value_length);
    if (macro.name && macro.value && KI_ARRAY_PUSH(macros->items, macros->count, macros->capacity, macro))
        return true;
    free(macro.name);
    free(macro.value);
    return false;
}

// Reads "#  word NAME rest": the name, and the position of the rest. False if the line is not such a
// directive.
static bool read_directive(const char *line, const char *word, const char **name, size_t *length)
{
    const char *at = line + strspn(line, " \t");

    if (*at++ != '#')
        return false;
    at += strspn(at, " \t");
    if (strncmp(at, word, strlen(word)) != 0)
        return false;
    at += strlen(word);
    *name = at + strspn(at, " \t");
    for (*length = 0; isalnum((unsigned char)(*name)[*length]) || (*name)[*length] == '_'; ++*length)
        ;
    return *name > at && *length > 0;
}

// A macro's value: what follows its name, without a comment and the blanks around it.
static size_t value_length(const char *value)
{
    size_t length = strcspn(value, "\n");

    for (size_t i = 0; i + 1 < length; i++)
        if (value[i] == '/' && (value[i + 1] == '/' || value[i + 1] == '*'))
            length = i;
    while (length && isspace((unsigned char)value[length - 1]))
        length--;
    return length;
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

static bool find_in(const char *text, struct emit_macros *macros)
{
    bool kept = true;

    for (const char *line = text; kept && *line; line = next_line(line)) {
        const char *next = next_line(line), *asked, *name, *value;
        size_t asked_length, length;

        if (!read_directive(line, "ifndef", &asked, &asked_length) ||
            !read_directive(next, "define", &name, &length) || asked_length != length ||
            memcmp(asked, name, length) != 0 || name[length] == '(')
            continue;
        value = name + length + strspn(name + length, " \t");
        if (value_length(value) > 0) // without a value it is an include guard
            kept = add_macro(macros, name, length, value, value_length(value), false);
    }
    return kept;
}

bool emit_macros_find(const kn_source *program, const kn_define *given, size_t given_count,
                      struct emit_macros *macros)
{
    bool kept = true;

    memset(macros, 0, sizeof *macros);
    for (size_t i = 0; i < given_count && kept; i++) {
        const char *value = given[i].value ? given[i].value : "1";

        kept = add_macro(macros, given[i].name, strlen(given[i].name), value, strlen(value), true);
    }
    for (size_t i = 0; i < kn_source_get_file_count(program) && kept; i++)
        kept = find_in(kn_source_get_file(program, i)->text, macros);
    return kept;
}

void emit_macros_free(struct emit_macros *macros)
{
    for (size_t i = 0; i < macros->count; i++) {
        free(macros->items[i].name);
        free(macros->items[i].value);
    }
    free(macros->items);
}

// ---- CUDA ----

// How an argument of each kind is passed.
static const char *const cuda_names[] = {
    [KN_PARAM_GLOBAL] = "pointer", [KN_PARAM_CONSTANT] = "pointer", [KN_PARAM_LOCAL] = "offset",
    [KN_PARAM_VALUE] = "value",    [KN_PARAM_IMAGE] = "image",      [KN_PARAM_SAMPLER] = "sampler",
};

const struct emit_source *emit_cuda_source(const struct emit_metadata *metadata)
{
    for (size_t i = 0; i < metadata->source_count; i++)
        if (metadata->sources[i].is_cuda)
            return &metadata->sources[i];
    return NULL;
}

kn_source_cuda_kernel emit_rewritten(const struct emit_source *source, const char *name)
{
    for (size_t i = 0; source && i < kn_source_get_kernel_count(source->program); i++) {
        const kn_source_kernel *kernel = kn_source_get_kernel(source->program, i);

        if (strcmp(kernel->name, name) == 0)
            return kernel->cuda;
    }
    return (kn_source_cuda_kernel){0, false};
}

// How this argument is passed.
static const char *cuda_name(const kn_param *param, const struct emit_source *source, const char *kernel)
{
    if (param->kind == KN_PARAM_CONSTANT && kn_source_get_cuda_bank_bytes(source->program))
        return "bank offset";
    if (param->kind == KN_PARAM_IMAGE && emit_rewritten(source, kernel).image_addresses)
        return "image address";
    return cuda_names[param->kind];
}

const char *emit_access_name(const kn_param *param)
{
    return param->is_const ? "read_only" : "write_only";
}

// ---- JSON ----

static json_t *param_json(const kn_source_kernel *kernel, size_t index, const struct emit_source *cuda)
{
    const kn_param *param = &kernel->params[index];
    json_t *object = json_object();

    report_put(&object, "index", json_integer((json_int_t)index));
    report_put(&object, "name", ki_json_string(param->name));
    report_put(&object, "kind", ki_json_string(emit_kind_name(param->kind)));
    report_put(&object, "type", ki_json_string(param->type));
    report_put(&object, "size", param->size ? json_integer((json_int_t)param->size) : json_null());
    if (param->kind == KN_PARAM_GLOBAL || param->kind == KN_PARAM_CONSTANT)
        report_put(&object, "const", json_boolean(param->is_const));
    if (param->kind == KN_PARAM_IMAGE)
        report_put(&object, "access", ki_json_string(emit_access_name(param)));
    if (param->kind == KN_PARAM_LOCAL)
        report_put(&object, "local_bytes", ki_json_string("elements * size"));
    if (cuda)
        report_put(&object, "cuda", ki_json_string(cuda_name(param, cuda, kernel->name)));
    return object;
}

static json_t *kernel_json(const kn_source_kernel *kernel, const struct emit_source *cuda)
{
    json_t *object = json_object(), *params = json_array(), *group = json_array();

    for (size_t i = 0; i < kernel->param_count; i++)
        report_append(&params, param_json(kernel, i, cuda));
    for (size_t d = 0; d < 3; d++)
        report_append(&group, json_integer((json_int_t)kernel->required_group[d]));
    report_put(&object, "name", ki_json_string(kernel->name));
    if (cuda) {
        struct ki_text symbol = KI_TEXT_INIT;

        ki_text_format(&symbol, CUDA_SYMBOL_PREFIX "%s", kernel->name);
        report_put(&object, "cuda_symbol", symbol.failed ? NULL : ki_json_string(ki_text_string(&symbol)));
        ki_text_free(&symbol);
        report_put(&object, "cuda_local_bytes",
                   json_integer((json_int_t)emit_rewritten(cuda, kernel->name).arena_bytes));
    }
    report_put(&object, "arguments", params);
    if (kernel->required_group[0]) {
        report_put(&object, "required_work_group", group);
    } else {
        json_decref(group);
        report_put(&object, "required_work_group", json_null());
    }
    report_put(&object, "file", ki_json_string(kernel->file));
    report_put(&object, "line", json_integer(kernel->line));
    return object;
}

static json_t *source_json(const struct emit_source *source)
{
    json_t *object = json_object();

    report_put(&object, "target", json_string(source->target));
    report_put(&object, "file", ki_json_string(source->file));
    if (source->is_cuda) {
        report_put(&object, "bank_bytes",
                   json_integer((json_int_t)kn_source_get_cuda_bank_bytes(source->program)));
        report_put(&object, "contract_off", json_boolean(kn_source_get_cuda_contract_off(source->program)));
    }
    return object;
}

json_t *emit_json(const struct emit_metadata *metadata)
{
    json_t *root = json_object(), *kernels = json_array(), *macros = json_array(), *sources = json_array();
    const struct emit_source *cuda = emit_cuda_source(metadata);

    for (size_t i = 0; i < metadata->source_count; i++)
        report_append(&sources, source_json(&metadata->sources[i]));

    for (size_t i = 0; i < kn_source_get_kernel_count(metadata->program); i++)
        report_append(&kernels, kernel_json(kn_source_get_kernel(metadata->program, i), cuda));
    for (size_t i = 0; i < metadata->macros->count; i++) {
        const struct emit_macro *macro = &metadata->macros->items[i];
        json_t *item = json_object();

        report_put(&item, "name", ki_json_string(macro->name));
        report_put(&item, "value", ki_json_string(macro->value));
        report_put(&item, "given", json_boolean(macro->was_given));
        report_append(&macros, item);
    }
    report_put(&root, "koine", json_string(PACKAGE_VERSION));
    report_put(&root, "command", json_string("emit"));
    report_put(&root, "target", json_string(metadata->sources[0].target));
    report_put(&root, "source", ki_json_string(metadata->sources[0].file));
    report_put(&root, "sources", sources);
    report_put(&root, "uses_double", json_boolean(kn_source_get_uses_double(metadata->program)));
    report_put(&root, "macros", macros);
    report_put(&root, "kernels", kernels);
    return root;
}
