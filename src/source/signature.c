// SPDX-License-Identifier: Apache-2.0
// Declarations at file level are visited one by one; function bodies and initialisers are skipped.
#include "signature.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/text.h"
#include "source/preprocess/expression.h"
#include "type.h"

struct scan {
    struct ki_arena *arena;
    kn_error *err;
    const struct src_token *end; // of all
    kn_source_kernel *kernels;   // prototypes too, until the end
    bool *defined;               // parallel to `kernels`: a body was seen
    size_t count, kernel_capacity, defined_capacity;
};

// A declaration at file level: where it ends, and what it contains.
struct outline {
    const struct src_token *begin, *end; // without what ends it
    const struct src_token *kernel;      // the word
    const struct src_token *name;        // of a function
    const struct src_token *parameters;  // its '('
    bool has_body;
    bool is_typedef;
};

static kn_status fail(struct scan *scan, const struct src_token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static kn_status fail(struct scan *scan, const struct src_token *at, const char *format, ...)
{
    char sentence[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return ki_fail_at(scan->err, KN_ERROR_BUILD, at->file, (long)at->line, "%s", sentence);
}

static kn_status no_memory(struct scan *scan)
{
    return ki_fail_memory(scan->err, 0, "reading the kernels' signatures");
}

// Skips a group that must be closed.
static kn_status pass_group(struct scan *scan, const struct src_token **at)
{
    const struct src_token *open = *at, *close = ki_src_close_of(open, scan->end);

    if (!close)
        return fail(scan, open, "\"%.*s\" is never closed: \"%s\" is missing", (int)open->length, open->text,
                    ki_src_is(open, "(")   ? ")"
                    : ki_src_is(open, "[") ? "]"
                                           : "}");
    *at = close + 1;
    return KN_OK;
}

// Follows one declaration from *at to the end of its ';' or body.
static kn_status outline_declaration(struct scan *scan, const struct src_token **at, struct outline *outline)
{
    bool initialised = false, in_tagged = false;
    kn_status status = KN_OK;

    *outline = (struct outline){.begin = *at};
    while (!status && *at < scan->end) {
        const struct src_token *token = *at;
        outline->end = token;
        if (ki_src_is(token, ";")) {
            ++*at;
            return KN_OK;
        }
        if (ki_src_is(token, "}"))
            return fail(
                scan, token,
                "\"}\" closes nothing here: a \"{\" is missing before it, or this \"}\" is one too many");
        if (ki_src_is(token, "(") || ki_src_is(token, "[") || ki_src_is(token, "{")) {
            bool is_body = ki_src_is(token, "{") && !initialised && !in_tagged;
            if (ki_src_is(token, "(") && !initialised && !outline->parameters && token > outline->begin &&
                token[-1].kind == SRC_IDENTIFIER && !ki_src_is_attribute(&token[-1])) {
                outline->parameters = token;
                outline->name = &token[-1];
            }
            in_tagged = in_tagged && !ki_src_is(token, "{");
            status = pass_group(scan, at);
            if (is_body) {
                outline->has_body = true;
                return status;
            }
            continue;
        }
        initialised = initialised || ki_src_is(token, "=");
        if (ki_src_is_word(token, "struct") || ki_src_is_word(token, "union") ||
            ki_src_is_word(token, "enum"))
            in_tagged = true;
        // struct tag name(...): anything but a brace after the tag settles it.
        else if (in_tagged && token->kind == SRC_IDENTIFIER && !ki_src_is_attribute(token) &&
                 !(token + 1 < scan->end && (ki_src_is(token + 1, "{") || ki_src_is_attribute(token + 1))))
            in_tagged = false;
        if (ki_src_is_word(token, "__kernel") || ki_src_is_word(token, "kernel"))
            outline->kernel = token;
        outline->is_typedef = outline->is_typedef || ki_src_is_word(token, "typedef");
        ++*at;
    }
    outline->end = *at;
    return status;
}

// Records the names that a typedef defines.
static kn_status keep_typedef(struct scan *scan, const struct outline *outline)
{
    const struct src_token *at = outline->begin;
    struct src_declaration declaration;

    ki_src_read_specifiers(&at, outline->end, &declaration);
    while (at < outline->end) {
        const struct src_token *before = at, *name;
        struct src_type *type = ki_arena_take(scan->arena, sizeof *type);
        if (!type)
            return no_memory(scan);
        ki_src_read_declarator(&at, outline->end, &declaration, type, &name);
        if (name)
            name->name->type = type;
        if (at < outline->end && ki_src_is(at, ","))
            at++;
        else if (at == before)
            break;
    }
    return KN_OK;
}

// The type's words with one space between them, without qualifiers.
static const char *type_text(struct scan *scan, const struct src_declaration *declaration)
{
    struct ki_text text = KI_TEXT_INIT;
    const char *kept;

    for (const struct src_token *token = declaration->first; token <= declaration->last; token++) {
        if (ki_src_is_attribute(token)) {
            token = ki_src_skip_attributes(token, declaration->last) - 1;
            continue;
        }
        if (token->kind != SRC_IDENTIFIER || ki_src_is_qualifier(token))
            continue;
        ki_text_add(&text, text.length ? " " : "");
        ki_text_add_bytes(&text, token->text, token->length);
    }
    kept = text.failed ? NULL : ki_arena_copy(scan->arena, ki_text_string(&text), text.length);
    ki_text_free(&text);
    return kept;
}

// Why OpenCL C 1.2 (6.9) does not let a kernel have such an argument; NULL if it does.
static const char *objection(const struct src_type *type)
{
    if (type->is_function)
        return "OpenCL C has no function pointers";
    if (type->class == SRC_CLASS_EVENT)
        return "an event cannot be a kernel's argument";
    if (type->pointers > 1)
        return "a kernel's argument cannot be a pointer to a pointer; pass the inner buffers as arguments of "
               "their own";
    if (type->pointers && (type->class == SRC_CLASS_IMAGE || type->class == SRC_CLASS_SAMPLER))
        return "images and samplers are passed by value";
    if (type->pointers && type->space < SRC_SPACE_LOCAL)
        return "a kernel's pointer must point to __global, __constant or __local memory; this one names none "
               "of them";
    if (type->pointers)
        return NULL;
    if (type->class == SRC_CLASS_VOID)
        return "void is not a type for an argument";
    if (type->class == SRC_CLASS_BOOL)
        return "bool has no fixed size; pass an int or a uchar";
    if (type->class == SRC_CLASS_SIZED)
        return "its size differs between host and device; pass a uint or a ulong";
    if (type->space >= SRC_SPACE_LOCAL && type->class == SRC_CLASS_DATA)
        return "an argument by value is private; only what a pointer points to can be __global, __constant "
               "or __local";
    return NULL;
}

static kn_param_kind kind_of(const struct src_type *type)
{
    if (type->class == SRC_CLASS_IMAGE)
        return KN_PARAM_IMAGE;
    if (type->class == SRC_CLASS_SAMPLER)
        return KN_PARAM_SAMPLER;
    if (!type->pointers)
        return KN_PARAM_VALUE;
    return type->space == SRC_SPACE_LOCAL      ? KN_PARAM_LOCAL
           : type->space == SRC_SPACE_CONSTANT ? KN_PARAM_CONSTANT
                                               : KN_PARAM_GLOBAL;
}

// A parameter without a name is identified by its number.
static const char *name_of(struct scan *scan, const struct src_token *name, size_t index)
{
    char made[40];
    int length;

    if (name)
        return name->name->text;
    length = snprintf(made, sizeof made, "unnamed_%zu", index + 1);
    return ki_arena_copy(scan->arena, made, (size_t)length);
}

// One parameter, from `at` to `end` (its comma or the bracket).
static kn_status read_parameter(struct scan *scan, const kn_source_kernel *kernel, size_t index,
                                const struct src_token *at, const struct src_token *end, kn_param *param,
                                kn_source_number *number)
{
    const struct src_token *first = at, *name;
    struct src_declaration declaration;
    struct src_type type;
    const char *why;

    ki_src_read_specifiers(&at, end, &declaration);
    if (!declaration.first)
        return fail(scan, first, "kernel %.200s: argument %zu has no type", kernel->name, index + 1);
    ki_src_read_declarator(&at, end, &declaration, &type, &name);
    why = objection(&type);
    if (why)
        return fail(scan, name ? name : first, "kernel %.200s: argument %zu (\"%.*s\"): %s", kernel->name,
                    index + 1, name ? (int)name->length : 0, name ? name->text : "", why);
    if (at != end)
        return fail(
            scan, at,
            "kernel %.200s: argument %zu cannot be read from \"%.*s\" on; a type and a name are expected",
            kernel->name, index + 1, at->length < 80 ? (int)at->length : 80, at->text);
    param->kind = kind_of(&type);
    param->type = type.image ? type.image : type_text(scan, &declaration);
    param->size = type.size;
    *number = type.number;
    param->name = name_of(scan, name, index);
    param->is_const = param->kind == KN_PARAM_CONSTANT || (type.pointers && type.is_const) ||
                      (param->kind == KN_PARAM_IMAGE && !type.is_written);
    return param->type && param->name ? KN_OK : no_memory(scan);
}

// The comma or the last bracket that ends the parameter at `at`.
static const struct src_token *end_of_parameter(const struct src_token *at, const struct src_token *close)
{
    while (at < close && !ki_src_is(at, ","))
        at = ki_src_is(at, "(") || ki_src_is(at, "[") || ki_src_is(at, "{") ? ki_src_skip_group(at, close)
                                                                            : at + 1;
    return at;
}

static kn_status read_parameters(struct scan *scan, const struct src_token *open, kn_source_kernel *kernel)
{
    const struct src_token *close = ki_src_close_of(open, scan->end), *at = open + 1;
    size_t count = 1;
    kn_param *params;
    kn_source_number *numbers;
    kn_status status = KN_OK;

    if (at == close || (at + 1 == close && ki_src_is_word(at, "void")))
        return KN_OK;
    for (const struct src_token *t = end_of_parameter(at, close); t < close;
         t = end_of_parameter(t + 1, close))
        count++;
    params = ki_arena_take(scan->arena, count * sizeof *params);
    numbers = ki_arena_take(scan->arena, count * sizeof *numbers);
    if (!params || !numbers)
        return no_memory(scan);
    for (size_t i = 0; i < count && !status; i++) {
        const struct src_token *end = end_of_parameter(at, close);
        if (at == end)
            return fail(scan, end, "kernel %.200s: argument %zu is empty", kernel->name, i + 1);
        status = read_parameter(scan, kernel, i, at, end, &params[i], &numbers[i]);
        at = end + 1;
    }
    kernel->params = params;
    kernel->numbers = numbers;
    kernel->param_count = count;
    return status;
}

// The three sizes of reqd_work_group_size, from its '('.
static kn_status read_group(struct scan *scan, const struct src_token *word, kn_source_kernel *kernel)
{
    const struct src_token *close = ki_src_close_of(word + 1, scan->end), *at = word + 2;

    for (size_t i = 0; i < 3; i++) {
        const struct src_token *end = end_of_parameter(at, close);
        struct src_complaint complaint;
        struct src_value value = {0, false};
        for (const struct src_token *t = at; t < end; t++)
            if (t->kind == SRC_IDENTIFIER)
                return fail(scan, t, "reqd_work_group_size: \"%.*s\" is not a number and no macro",
                            (int)t->length, t->text);
        if ((i < 2) != (end < close) || !ki_src_evaluate(at, (size_t)(end - at), &value, &complaint) ||
            !value.bits || value.bits > UINT32_MAX)
            return fail(scan, word, "reqd_work_group_size needs three positive integers, as in (64, 1, 1)");
        kernel->required_group[i] = (size_t)value.bits;
        at = end + 1;
    }
    return KN_OK;
}

static kn_status read_attributes(struct scan *scan, const struct outline *outline, kn_source_kernel *kernel)
{
    for (const struct src_token *t = outline->begin; t + 1 < outline->end; t++) {
        kn_status status;
        if (!ki_src_is(t + 1, "(") ||
            (!ki_src_is_word(t, "reqd_work_group_size") && !ki_src_is_word(t, "__reqd_work_group_size__")))
            continue;
        status = read_group(scan, t, kernel);
        if (status)
            return status;
    }
    return KN_OK;
}

static kn_status add_kernel(struct scan *scan, struct src_name *name)
{
    kn_source_kernel kernel = {.name = name->text};
    size_t count = scan->count;

    if (!KI_ARRAY_PUSH(scan->defined, count, scan->defined_capacity, false) ||
        !KI_ARRAY_PUSH(scan->kernels, scan->count, scan->kernel_capacity, kernel))
        return no_memory(scan);
    name->kernel = (uint32_t)scan->count;
    return KN_OK;
}

static kn_status check_return(struct scan *scan, const struct outline *outline)
{
    const struct src_token *at = outline->begin;
    struct src_declaration declaration;

    ki_src_read_specifiers(&at, outline->name, &declaration);
    if (at != outline->name || declaration.base.class != SRC_CLASS_VOID || declaration.base.pointers)
        return fail(scan, outline->name, "kernel %.200s must return void", outline->name->name->text);
    return KN_OK;
}

static kn_status read_kernel(struct scan *scan, const struct outline *outline)
{
    kn_source_kernel *kernel;
    size_t index;
    kn_status status;

    if (!outline->name)
        return fail(scan, outline->kernel,
                    "this kernel cannot be read: \"void name(...)\" is expected after \"%.*s\"",
                    (int)outline->kernel->length, outline->kernel->text);
    status = check_return(scan, outline);
    if (!status && !outline->name->name->kernel)
        status = add_kernel(scan, outline->name->name);
    if (status)
        return status;
    index = outline->name->name->kernel - 1;
    kernel = &scan->kernels[index];
    status = read_attributes(scan, outline, kernel);
    if (status || !outline->has_body)
        return status;
    if (scan->defined[index])
        return fail(scan, outline->name, "kernel %.200s is defined twice; first at %.200s:%ld", kernel->name,
                    kernel->file, kernel->line);
    scan->defined[index] = true;
    kernel->file = outline->name->file;
    kernel->line = (long)outline->name->line;
    return read_parameters(scan, outline->parameters, kernel);
}

// double, doubleN, and the built-ins that make one.
static bool is_double(const struct src_token *token)
{
    static const char *const starts[] = {"double", "convert_double", "as_double"};
    static const char *const widths[] = {"", "2", "3", "4", "8", "16"};

    if (token->kind != SRC_IDENTIFIER || token->length < 6)
        return false;
    for (size_t i = 0; i < KI_COUNT(starts); i++) {
        size_t length = strlen(starts[i]);
        if (token->length < length || memcmp(token->text, starts[i], length) != 0)
            continue;
        for (size_t k = 0; k < KI_COUNT(widths); k++) {
            size_t all = length + strlen(widths[k]);
            if (token->length >= all && memcmp(token->text + length, widths[k], strlen(widths[k])) == 0 &&
                (token->length == all || (i == 1 && token->text[all] == '_')))
                return true;
        }
    }
    return false;
}

static void find_double(struct src_unit *unit)
{
    for (size_t i = 0; i < unit->token_count; i++)
        if (is_double(&unit->tokens[i])) {
            unit->double_file = unit->tokens[i].file;
            unit->double_line = (long)unit->tokens[i].line;
            return;
        }
}

// Hands the kernels that have a body to the unit.
static kn_status keep_kernels(struct scan *scan, struct src_unit *unit)
{
    kn_source_kernel *kept = ki_arena_take(scan->arena, (scan->count + 1) * sizeof *kept);

    if (!kept)
        return no_memory(scan);
    for (size_t i = 0; i < scan->count; i++)
        if (scan->defined[i])
            kept[unit->kernel_count++] = scan->kernels[i];
    unit->kernels = kept;
    return KN_OK;
}

kn_status ki_src_scan(struct src_unit *unit, struct ki_arena *arena, kn_error *err)
{
    const struct src_token *at = unit->tokens;
    struct scan scan = {.arena = arena, .err = err, .end = at ? at + unit->token_count : NULL};
    kn_status status = KN_OK;

    find_double(unit);
    while (!status && at < scan.end) {
        struct outline outline;
        if (at->kind == SRC_PRAGMA) {
            at++;
            continue;
        }
        status = outline_declaration(&scan, &at, &outline);
        if (!status && outline.is_typedef)
            status = keep_typedef(&scan, &outline);
        else if (!status && outline.kernel)
            status = read_kernel(&scan, &outline);
    }
    if (!status)
        status = keep_kernels(&scan, unit);
    free(scan.kernels);
    free(scan.defined);
    return status;
}
