// SPDX-License-Identifier: Apache-2.0
#include "emit_metadata.h"

#include <config.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "io/json.h"
#include "cli/framework/report.h"

static const char *const kind_names[] = {
    [KN_PARAM_GLOBAL] = "global", [KN_PARAM_CONSTANT] = "constant", [KN_PARAM_LOCAL] = "local",
    [KN_PARAM_VALUE] = "value",   [KN_PARAM_IMAGE] = "image",       [KN_PARAM_SAMPLER] = "sampler",
};

// ---- tunable macros ----

static bool add_macro(struct emit_macros *macros, const char *name, size_t name_length, const char *value,
                      size_t value_length, bool was_given)
{
    struct emit_macro macro = {NULL, NULL, was_given};

    for (size_t i = 0; i < macros->count; i++)
        if (strlen(macros->items[i].name) == name_length &&
            memcmp(macros->items[i].name, name, name_length) == 0)
            return true; // the first one holds
    macro.name = strndup(name, name_length);
    macro.value = strndup(value, value_length);
    if (macro.name && macro.value && KI_ARRAY_PUSH(macros->items, macros->count, macros->capacity, macro))
        return true;
    free(macro.name);
    free(macro.value);
    return false;
}

// "#  word NAME rest": the name, and where the rest begins. False if the line is no such directive.
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

bool emit_macros_find(const struct src_unit *unit, const kn_define *given, size_t given_count,
                      struct emit_macros *macros)
{
    bool kept = true;

    memset(macros, 0, sizeof *macros);
    for (size_t i = 0; i < given_count && kept; i++) {
        const char *value = given[i].value ? given[i].value : "1";

        kept = add_macro(macros, given[i].name, strlen(given[i].name), value, strlen(value), true);
    }
    for (size_t i = 0; i < unit->file_count && kept; i++)
        kept = find_in(unit->files[i].text, macros);
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

#define CUDA_SYMBOL_PREFIX "koine_"

// How an argument of each kind arrives.
static const char *const cuda_names[] = {
    [KN_PARAM_GLOBAL] = "pointer", [KN_PARAM_CONSTANT] = "pointer", [KN_PARAM_LOCAL] = "offset",
    [KN_PARAM_VALUE] = "value",    [KN_PARAM_IMAGE] = "image",      [KN_PARAM_SAMPLER] = "sampler",
};

const struct emit_source *emit_cuda_source(const struct emit_metadata *metadata)
{
    for (size_t i = 0; i < metadata->source_count; i++)
        if (metadata->sources[i].cuda)
            return &metadata->sources[i];
    return NULL;
}

// What the rewrite says of a kernel; zeros if there is none of that name.
static struct src_cuda_kernel rewritten(const struct emit_source *source, const char *name)
{
    for (size_t i = 0; source && i < source->unit->kernel_count; i++)
        if (strcmp(source->unit->kernels[i].name, name) == 0)
            return source->cuda->kernels[i];
    return (struct src_cuda_kernel){0, false};
}

// How this argument arrives.
static const char *cuda_name(const kn_param *param, const struct emit_source *source, const char *kernel)
{
    if (param->kind == KN_PARAM_CONSTANT && source->cuda->bank_bytes)
        return "bank offset";
    if (param->kind == KN_PARAM_IMAGE && rewritten(source, kernel).image_addresses)
        return "image address";
    return cuda_names[param->kind];
}

static const char *access_name(const kn_param *param)
{
    return param->is_const ? "read_only" : "write_only";
}

// ---- JSON ----

static json_t *param_json(const struct src_kernel *kernel, size_t index, const struct emit_source *cuda)
{
    const kn_param *param = &kernel->params[index];
    json_t *object = json_object();

    report_put(&object, "index", json_integer((json_int_t)index));
    report_put(&object, "name", ki_json_string(param->name));
    report_put(&object, "kind", ki_json_string(kind_names[param->kind]));
    report_put(&object, "type", ki_json_string(param->type));
    report_put(&object, "size", param->size ? json_integer((json_int_t)param->size) : json_null());
    if (param->kind == KN_PARAM_GLOBAL || param->kind == KN_PARAM_CONSTANT)
        report_put(&object, "const", json_boolean(param->is_const));
    if (param->kind == KN_PARAM_IMAGE)
        report_put(&object, "access", ki_json_string(access_name(param)));
    if (param->kind == KN_PARAM_LOCAL)
        report_put(&object, "local_bytes", ki_json_string("elements * size"));
    if (cuda)
        report_put(&object, "cuda", ki_json_string(cuda_name(param, cuda, kernel->name)));
    return object;
}

static json_t *kernel_json(const struct src_kernel *kernel, const struct emit_source *cuda)
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
                   json_integer((json_int_t)rewritten(cuda, kernel->name).arena_bytes));
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
    if (source->cuda) {
        report_put(&object, "bank_bytes", json_integer((json_int_t)source->cuda->bank_bytes));
        report_put(&object, "contract_off", json_boolean(source->cuda->contract_off));
    }
    return object;
}

json_t *emit_json(const struct emit_metadata *metadata)
{
    json_t *root = json_object(), *kernels = json_array(), *macros = json_array(), *sources = json_array();
    const struct emit_source *cuda = emit_cuda_source(metadata);

    for (size_t i = 0; i < metadata->source_count; i++)
        report_append(&sources, source_json(&metadata->sources[i]));

    for (size_t i = 0; i < metadata->unit->kernel_count; i++)
        report_append(&kernels, kernel_json(&metadata->unit->kernels[i], cuda));
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
    report_put(&root, "uses_double", json_boolean(metadata->unit->double_line != 0));
    report_put(&root, "macros", macros);
    report_put(&root, "kernels", kernels);
    return root;
}

// ---- the header ----

// As a C identifier in capitals.
static void add_capitals(struct ki_text *text, const char *name)
{
    if (isdigit((unsigned char)*name))
        ki_text_add_char(text, '_');
    for (; *name; name++)
        ki_text_add_char(text, (char)(isalnum((unsigned char)*name) ? toupper((unsigned char)*name) : '_'));
}

// Inside "" or a comment of C.
static void add_quoted(struct ki_text *text, const char *string)
{
    for (; *string; string++) {
        if (*string == '"' || *string == '\\')
            ki_text_add_char(text, '\\');
        ki_text_add_char(text, (unsigned char)*string < ' ' ? ' ' : *string);
    }
}

static bool is_image_or_const(const kn_param *param)
{
    return param->kind == KN_PARAM_IMAGE || param->is_const;
}

static void add_param(struct ki_text *text, const struct src_kernel *kernel, size_t index)
{
    static const char *const meanings[] = {
        [KN_PARAM_GLOBAL] = "bytes of an element",
        [KN_PARAM_CONSTANT] = "bytes of an element",
        [KN_PARAM_LOCAL] = "local memory: it takes this times the elements",
        [KN_PARAM_VALUE] = "bytes of the value",
        [KN_PARAM_IMAGE] = "",
        [KN_PARAM_SAMPLER] = "",
    };
    const kn_param *param = &kernel->params[index];
    bool is_pointer =
        param->kind == KN_PARAM_GLOBAL || param->kind == KN_PARAM_CONSTANT || param->kind == KN_PARAM_LOCAL;

    ki_text_format(text, "#define %s_ARG_%s %zu // %s %s%s%s %s%s\n", kernel->name, param->name, index,
                   kind_names[param->kind],
                   param->kind == KN_PARAM_IMAGE ? access_name(param)
                   : param->is_const             ? "const"
                                                 : "",
                   is_image_or_const(param) ? " " : "", param->type, is_pointer ? "*" : "", param->name);
    if (param->size)
        ki_text_format(text, "#define %s_BYTES_%s %zu // %s\n", kernel->name, param->name, param->size,
                       meanings[param->kind]);
}

// The argument that stands for an image, where there are images.
static void add_image(struct ki_text *text, const struct src_unit *unit)
{
    static const char image[] =
        "//   image      a struct koine_image by value; of a kernel with NAME_IMAGE_ADDRESSES, which has "
        "more than\n"
        "//              CUDA passes by value, the device pointer to one\n"
        "//   sampler    unsigned: the CLK_ bits of its coordinates, addressing and filter, or-ed\n"
        "#ifndef KOINE_IMAGE_DEFINED\n"
        "#define KOINE_IMAGE_DEFINED\n"
        "struct koine_image {\n"
        "    unsigned long long surface;      // a surface object, to write; an image1d_buffer_t's address\n"
        "    unsigned long long textures[12]; // texture objects, to read. Unnormalised coordinates: edge,\n"
        "                                     // border; linear edge, border. Normalised: edge, border, "
        "wrap,\n"
        "                                     // mirror; linear edge, border, wrap, mirror. Border zeros;\n"
        "                                     // normalised integers read as float, all else as it is\n"
        "    int width, height, depth;        // depth: an array's layers; 1 for what it does not have\n"
        "    int order, type;                 // OpenCL's CL_RGBA, CL_FLOAT, ...\n"
        "    int texel_bytes;\n"
        "};\n"
        "#endif\n";
    bool any = false;

    for (size_t k = 0; k < unit->kernel_count; k++)
        for (size_t i = 0; i < unit->kernels[k].param_count; i++)
            any = any || unit->kernels[k].params[i].kind >= KN_PARAM_IMAGE;
    ki_text_add(text, any ? image : "");
}

// How the CUDA kernels are launched, and the argument that OpenCL does not have.
static void add_cuda(struct ki_text *text, const struct src_unit *unit, const struct emit_source *source)
{
    static const char item[] =
        "// The last argument of every kernel, passed by value: 64 bytes. For a launch of `grid` blocks of\n"
        "// `block` threads it is {{0}, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, {0}, 0, 0}.\n"
        "#ifndef KOINE_ITEM_DEFINED\n"
        "#define KOINE_ITEM_DEFINED\n"
        "struct koine_item {\n"
        "    unsigned long long offset[3]; // get_global_offset(): what global ids begin with\n"
        "    unsigned groups[3];           // get_num_groups()\n"
        "    unsigned local[3];            // get_local_size()\n"
        "    unsigned first[2];            // groups in y and z begin here: above 65535, launch several "
        "grids\n"
        "    unsigned fold;                // 0; or, if block.y counts work-items of y and z (z above 64),\n"
        "                                  // 65536 / local[1] rounded up\n"
        "    unsigned dims;                // get_work_dim(); 0: it is inferred\n"
        "};\n"
        "#endif\n";

    ki_text_format(
        text,
        "\n// %s: CUDA C++17, for nvcc -std=c++17 and for NVRTC --std=c++17\n"
        "// --device-as-default-execution-space%s. The macros have the values above: with others it\n"
        "// is emitted anew. A kernel's symbol is its name with the prefix " CUDA_SYMBOL_PREFIX ".\n"
        "// Its arguments, in OpenCL's order:\n"
        "//   global     a device pointer\n",
        source->file, source->cuda->contract_off ? ", both with --fmad=false" : "");
    if (source->cuda->bank_bytes)
        ki_text_format(
            text,
            "//   constant   unsigned: where the data begin, in bytes, in the symbol kn_bank, which has\n"
            "//              %zu of them; a multiple of the type's alignment\n",
            source->cuda->bank_bytes);
    else
        ki_text_add(text, "//   constant   a device pointer\n");
    ki_text_add(
        text,
        "//   local      unsigned: where it begins, in bytes, in the dynamic shared memory of the launch; a\n"
        "//              multiple of 16, and the launch asks for the bytes of all of them together. Where "
        "there is\n"
        "//              a NAME_LOCAL_BYTES, so many bytes before them are the kernel's own: the launch asks "
        "for these,\n"
        "//              too, and above 49152 bytes in all the host first allows the kernel so many\n"
        "//              (cudaFuncAttributeMaxDynamicSharedMemorySize)\n"
        "//   value      the value itself; a vector of 3 is one of 4\n");
    add_image(text, unit);
    ki_text_add(text, item);
}

static void add_kernel(struct ki_text *text, const struct src_kernel *kernel, const struct emit_source *cuda)
{
    const struct src_cuda_kernel made = rewritten(cuda, kernel->name);

    ki_text_format(text, "\n#define %s_NAME \"%s\"\n#define %s_ARGS %zu\n", kernel->name, kernel->name,
                   kernel->name, kernel->param_count);
    if (cuda)
        ki_text_format(text, "#define %s_SYMBOL \"" CUDA_SYMBOL_PREFIX "%s\"\n", kernel->name, kernel->name);
    if (made.arena_bytes)
        ki_text_format(text, "#define %s_LOCAL_BYTES %zu // of dynamic shared memory, its own\n",
                       kernel->name, made.arena_bytes);
    if (made.image_addresses)
        ki_text_format(text, "#define %s_IMAGE_ADDRESSES 1\n", kernel->name);
    for (size_t i = 0; i < kernel->param_count; i++)
        add_param(text, kernel, i);
    if (kernel->required_group[0])
        ki_text_format(text,
                       "#define %s_GROUP_X %zu // the work-group it requires\n#define %s_GROUP_Y %zu\n"
                       "#define %s_GROUP_Z %zu\n",
                       kernel->name, kernel->required_group[0], kernel->name, kernel->required_group[1],
                       kernel->name, kernel->required_group[2]);
}

void emit_header(const struct emit_metadata *metadata, struct ki_text *text)
{
    const struct emit_source *cuda = emit_cuda_source(metadata);

    ki_text_format(text,
                   "// Launch metadata of %s's kernels, written by koine emit " PACKAGE_VERSION ".\n#ifndef ",
                   metadata->sources[0].file);
    add_capitals(text, metadata->name);
    ki_text_add(text, "_LAUNCH_H\n#define ");
    add_capitals(text, metadata->name);
    ki_text_add(text, "_LAUNCH_H\n");
    if (metadata->macros->count)
        ki_text_add(text, "\n// The macros that the source is compiled with.\n");
    for (size_t i = 0; i < metadata->macros->count; i++) {
        const struct emit_macro *macro = &metadata->macros->items[i];

        ki_text_add(text, "#define ");
        add_capitals(text, metadata->name);
        ki_text_format(text, "_MACRO_%.*s \"", (int)strcspn(macro->name, "("), macro->name);
        add_quoted(text, macro->value);
        ki_text_add(text, "\"\n");
    }
    if (cuda)
        add_cuda(text, metadata->unit, cuda);
    for (size_t i = 0; i < metadata->unit->kernel_count; i++)
        add_kernel(text, &metadata->unit->kernels[i], cuda);
    ki_text_add(text, "\n#endif\n");
}
