// SPDX-License-Identifier: Apache-2.0
// The emitted header: a kernel's arguments as macros, followed by the launchers (emit_launchers.c).
#include "emit_metadata.h"

#include <config.h>
#include <ctype.h>
#include <string.h>

// Adds the name as a C identifier in capitals.
static void add_capitals(struct ki_text *text, const char *name)
{
    if (isdigit((unsigned char)*name))
        ki_text_add_char(text, '_');
    for (; *name; name++)
        ki_text_add_char(text, (char)(isalnum((unsigned char)*name) ? toupper((unsigned char)*name) : '_'));
}

// Adds text for use in a string or a comment of C.
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

static void add_param(struct ki_text *text, const kn_source_kernel *kernel, size_t index)
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
                   emit_kind_name(param->kind),
                   param->kind == KN_PARAM_IMAGE ? emit_access_name(param)
                   : param->is_const             ? "const"
                                                 : "",
                   is_image_or_const(param) ? " " : "", param->type, is_pointer ? "*" : "", param->name);
    if (param->size)
        ki_text_format(text, "#define %s_BYTES_%s %zu // %s\n", kernel->name, param->name, param->size,
                       meanings[param->kind]);
}

// Adds the argument that represents an image, if the kernel has images.
static void add_image(struct ki_text *text, const kn_source *program)
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

    for (size_t k = 0; k < kn_source_get_kernel_count(program); k++) {
        const kn_source_kernel *kernel = kn_source_get_kernel(program, k);

        for (size_t i = 0; i < kernel->param_count; i++)
            any = any || kernel->params[i].kind >= KN_PARAM_IMAGE;
    }
    ki_text_add(text, any ? image : "");
}

// Adds how the CUDA kernels are launched, and the argument that OpenCL does not have.
static void add_cuda(struct ki_text *text, const kn_source *program, const struct emit_source *source)
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
        source->file, kn_source_get_cuda_contract_off(source->program) ? ", both with --fmad=false" : "");
    if (kn_source_get_cuda_bank_bytes(source->program))
        ki_text_format(
            text,
            "//   constant   unsigned: where the data begin, in bytes, in the symbol kn_bank, which has\n"
            "//              %zu of them; a multiple of the type's alignment\n",
            kn_source_get_cuda_bank_bytes(source->program));
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
    add_image(text, program);
    ki_text_add(text, item);
}

static void add_kernel(struct ki_text *text, const kn_source_kernel *kernel, const struct emit_source *cuda)
{
    const kn_source_cuda_kernel made = emit_rewritten(cuda, kernel->name);

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
        add_cuda(text, metadata->program, cuda);
    for (size_t i = 0; i < kn_source_get_kernel_count(metadata->program); i++)
        add_kernel(text, kn_source_get_kernel(metadata->program, i), cuda);
    emit_launchers(metadata, text);
    ki_text_add(text, "\n#endif\n");
}
