// SPDX-License-Identifier: Apache-2.0
// A function for each kernel in the emitted header: it takes the kernel's arguments with their types, in
// order, and launches it.
#include "emit_metadata.h"

#include <string.h>

#include "base/array.h"

// The types of OpenCL C numbers in a host program; CUDA's headers have no types of fixed width.
static const struct {
    const char *name, *host;
} numbers[] = {
    {"char", "signed char"},
    {"uchar", "unsigned char"},
    {"short", "short"},
    {"ushort", "unsigned short"},
    {"int", "int"},
    {"uint", "unsigned"},
    {"long", "long long"},
    {"ulong", "unsigned long long"},
    {"half", "unsigned short"},
    {"float", "float"},
    {"double", "double"},
};

static const char *host_number(const char *name)
{
    for (size_t i = 0; i < KI_COUNT(numbers); i++)
        if (strcmp(numbers[i].name, name) == 0)
            return numbers[i].host;
    return "int"; // not reached: the list has all of them
}

// Whether an address and a size are passed: for a struct, whose type only the source defines.
static bool is_foreign(const kn_source_kernel *kernel, size_t index)
{
    return kernel->params[index].kind == KN_PARAM_VALUE && !kernel->numbers[index].name;
}

static const char *kind_word(const kn_source_kernel *kernel, size_t index)
{
    return is_foreign(kernel, index) ? "struct" : emit_kind_name(kernel->params[index].kind);
}

// Begins a part that the header contains once: two headers may have the same kernel, emitted from one file or
// from one with other macros. The guard's name includes the types, so that launchers that differ give a
// compiler error.
static void begin_launcher(struct ki_text *text, const char *prefix, const kn_source_kernel *kernel,
                           const struct emit_source *source)
{
    struct ki_text guard = KI_TEXT_INIT;

    ki_text_format(&guard, "%s_%s", prefix, kernel->name);
    for (size_t i = 0; i < kernel->param_count; i++) {
        bool is_value = kernel->params[i].kind == KN_PARAM_VALUE && !is_foreign(kernel, i);

        ki_text_format(&guard, "_%s", is_value ? kernel->numbers[i].name : kind_word(kernel, i));
        if (is_value && kernel->numbers[i].lanes > 1)
            ki_text_format(&guard, "%u", kernel->numbers[i].lanes);
    }
    if (source) {
        const kn_source_cuda_kernel made = emit_rewritten(source, kernel->name);

        ki_text_format(&guard, "_%zu%s%s", made.arena_bytes, made.image_addresses ? "_addresses" : "",
                       kn_source_get_cuda_bank_bytes(source->program) ? "_bank" : "");
    }
    ki_text_format(text, "\n#ifndef %s\n#define %s\n", ki_text_string(&guard), ki_text_string(&guard));
    text->failed = text->failed || guard.failed;
    ki_text_free(&guard);
}

// ---- OpenCL ----

static void add_opencl_param(struct ki_text *text, const kn_source_kernel *kernel, size_t index)
{
    const char *name = kernel->params[index].name;
    const kn_source_number *number = &kernel->numbers[index];

    if (kernel->params[index].kind == KN_PARAM_LOCAL)
        ki_text_format(text, "size_t bytes_%s", name);
    else if (kernel->params[index].kind == KN_PARAM_SAMPLER)
        ki_text_format(text, "cl_sampler arg_%s", name);
    else if (kernel->params[index].kind != KN_PARAM_VALUE)
        ki_text_format(text, "cl_mem arg_%s", name);
    else if (is_foreign(kernel, index))
        ki_text_format(text, "const void *arg_%s, size_t bytes_%s", name, name);
    else if (number->lanes > 1)
        ki_text_format(text, "cl_%s%u arg_%s", number->name, number->lanes, name);
    else
        ki_text_format(text, "cl_%s arg_%s", number->name, name);
}

static void add_opencl_launcher(struct ki_text *text, const kn_source_kernel *kernel)
{
    begin_launcher(text, "KOINE_LAUNCH", kernel, NULL);
    ki_text_format(text,
                   "static inline cl_int koine_launch_%s(cl_command_queue queue, cl_kernel kernel,\n"
                   "    cl_uint dims, const size_t *global, const size_t *local,\n    ",
                   kernel->name);
    for (size_t i = 0; i < kernel->param_count; i++) {
        add_opencl_param(text, kernel, i);
        ki_text_add(text, ", ");
    }
    ki_text_format(text, "cl_event *event)\n{\n    cl_int status%s;\n\n",
                   kernel->param_count ? "" : " = CL_SUCCESS");
    for (size_t i = 0; i < kernel->param_count; i++) {
        const char *name = kernel->params[i].name;

        ki_text_format(text, "%s    status = clSetKernelArg(kernel, %zu, ",
                       i ? "    if (status == CL_SUCCESS)\n    " : "", i);
        if (kernel->params[i].kind == KN_PARAM_LOCAL)
            ki_text_format(text, "bytes_%s, NULL);\n", name);
        else if (is_foreign(kernel, i))
            ki_text_format(text, "bytes_%s, arg_%s);\n", name, name);
        else
            ki_text_format(text, "sizeof arg_%s, &arg_%s);\n", name, name);
    }
    ki_text_add(text,
                "    if (status == CL_SUCCESS)\n"
                "        status = clEnqueueNDRangeKernel(queue, kernel, dims, NULL, global, local, 0, NULL, "
                "event);\n"
                "    return status;\n"
                "}\n#endif\n");
}

static void add_opencl(struct ki_text *text, const kn_source *program)
{
    ki_text_add(
        text,
        "\n// Launchers for OpenCL, where there is CL/cl.h: koine_launch_KERNEL sets the arguments, in\n"
        "// their order, and enqueues the kernel as clEnqueueNDRangeKernel does; `local` and `event`\n"
        "// may be NULL. Buffers and images are a cl_mem; values have their types; of local memory\n"
        "// the bytes are given, and of a struct where it is and its bytes. KOINE_NO_LAUNCHERS,\n"
        "// defined before, leaves them out.\n"
        "#if !defined KOINE_NO_LAUNCHERS && defined __has_include\n"
        "#if __has_include(<CL/cl.h>)\n"
        "#include <stddef.h>\n"
        "#include <CL/cl.h>\n");
    for (size_t i = 0; i < kn_source_get_kernel_count(program); i++)
        add_opencl_launcher(text, kn_source_get_kernel(program, i));
    ki_text_add(text, "\n#endif\n#endif\n");
}

// ---- CUDA ----

static void add_cuda_param(struct ki_text *text, const kn_source_kernel *kernel, size_t index,
                           const struct emit_source *source)
{
    const char *name = kernel->params[index].name;
    const kn_source_number *number = &kernel->numbers[index];
    kn_param_kind kind = kernel->params[index].kind;

    if (kind == KN_PARAM_LOCAL)
        ki_text_format(text, "size_t bytes_%s", name);
    else if (kind == KN_PARAM_SAMPLER ||
             (kind == KN_PARAM_CONSTANT && kn_source_get_cuda_bank_bytes(source->program)))
        ki_text_format(text, "unsigned arg_%s", name);
    else if (kind == KN_PARAM_IMAGE && !emit_rewritten(source, kernel->name).image_addresses)
        ki_text_format(text, "const struct koine_image *arg_%s", name);
    else if (kind != KN_PARAM_VALUE)
        ki_text_format(text, "CUdeviceptr arg_%s", name);
    else if (is_foreign(kernel, index))
        ki_text_format(text, "const void *arg_%s", name);
    else if (number->lanes > 1)
        ki_text_format(text, "const %s arg_%s[%u]", host_number(number->name), name,
                       number->lanes == 3 ? 4 : number->lanes);
    else
        ki_text_format(text, "%s arg_%s", host_number(number->name), name);
}

// Whether the host's parameter is already the address of the value that the kernel gets.
static bool is_address(const kn_source_kernel *kernel, size_t index, const struct emit_source *source)
{
    return kernel->params[index].kind == KN_PARAM_IMAGE
               ? !emit_rewritten(source, kernel->name).image_addresses
               : kernel->params[index].kind == KN_PARAM_VALUE &&
                     (is_foreign(kernel, index) || kernel->numbers[index].lanes > 1);
}

static void add_cuda_launcher(struct ki_text *text, const kn_source_kernel *kernel,
                              const struct emit_source *source)
{
    bool has_local = emit_rewritten(source, kernel->name).arena_bytes > 0;

    begin_launcher(text, "KOINE_CUDA_LAUNCH", kernel, source);
    ki_text_format(text,
                   "static inline CUresult koine_cuda_launch_%s(CUstream stream, CUfunction function,\n"
                   "    unsigned dims, const size_t *global, const size_t *local",
                   kernel->name);
    for (size_t i = 0; i < kernel->param_count; i++) {
        ki_text_add(text, i ? ", " : ",\n    ");
        add_cuda_param(text, kernel, i, source);
    }
    ki_text_add(text, ")\n{\n    struct koine_item item;\n");
    if (has_local)
        ki_text_format(text, "    size_t shared = (%s_LOCAL_BYTES + (size_t)15) / 16 * 16;\n", kernel->name);
    else
        ki_text_add(text, "    size_t shared = 0;\n");
    for (size_t i = 0; i < kernel->param_count; i++)
        if (kernel->params[i].kind == KN_PARAM_LOCAL)
            ki_text_format(text, "    unsigned offset_%s = koine_cuda_local(&shared, bytes_%s);\n",
                           kernel->params[i].name, kernel->params[i].name);
    ki_text_add(text, "    void *params[] = {");
    for (size_t i = 0; i < kernel->param_count; i++)
        ki_text_format(text, is_address(kernel, i, source) ? "(void *)%s_%s, " : "&%s_%s, ",
                       kernel->params[i].kind == KN_PARAM_LOCAL ? "offset" : "arg", kernel->params[i].name);
    ki_text_add(
        text, "&item};\n\n"
              "    return koine_cuda_enqueue(stream, function, dims, global, local, shared, &item, params);\n"
              "}\n#endif\n");
}

// Functions that the launchers share, also across several headers.
static const char cuda_enqueue[] =
    "\n#ifndef KOINE_CUDA_ENQUEUE_DEFINED\n"
    "#define KOINE_CUDA_ENQUEUE_DEFINED\n"
    "// Where the next argument in local memory begins.\n"
    "static inline unsigned koine_cuda_local(size_t *shared, size_t bytes)\n"
    "{\n"
    "    unsigned offset = (unsigned)*shared;\n"
    "\n"
    "    *shared += (bytes + 15) / 16 * 16;\n"
    "    return offset;\n"
    "}\n"
    "\n"
    "// OpenCL's range as grids, of at most 65535 groups in y and in z each.\n"
    "static inline CUresult koine_cuda_enqueue(CUstream stream, CUfunction function, unsigned dims,\n"
    "    const size_t *global, const size_t *local, size_t shared, struct koine_item *item, void **params)\n"
    "{\n"
    "    CUresult status = CUDA_SUCCESS;\n"
    "    unsigned block[3], grid[3];\n"
    "    int allowed = 0;\n"
    "\n"
    "    if (dims < 1 || dims > 3 || !global || !local || shared > 0x7fffffff)\n"
    "        return CUDA_ERROR_INVALID_VALUE;\n"
    "    for (unsigned d = 0; d < 3; d++) {\n"
    "        size_t items = d < dims ? global[d] : 1, size = d < dims ? local[d] : 1;\n"
    "\n"
    "        if (items == 0 || size == 0 || size > 1024 || items % size ||\n"
    "            items / size > (d ? 0xffffffffu : 0x7fffffffu))\n"
    "            return CUDA_ERROR_INVALID_VALUE;\n"
    "        item->offset[d] = 0;\n"
    "        item->groups[d] = (unsigned)(items / size);\n"
    "        item->local[d] = block[d] = (unsigned)size;\n"
    "    }\n"
    "    item->dims = dims;\n"
    "    item->fold = 0;\n"
    "    if (block[2] > 64) {\n"
    "        item->fold = (65536 + block[1] - 1) / block[1];\n"
    "        block[1] *= block[2];\n"
    "        block[2] = 1;\n"
    "    }\n"
    "    if (shared > 0)\n"
    "        status = cuFuncGetAttribute(&allowed, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, "
    "function);\n"
    "    if (status == CUDA_SUCCESS && (int)shared > allowed)\n"
    "        status = cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, "
    "(int)shared);\n"
    "    grid[0] = item->groups[0];\n"
    "    for (item->first[1] = 0; item->first[1] < item->groups[2]; item->first[1] += grid[2]) {\n"
    "        grid[2] = item->groups[2] - item->first[1];\n"
    "        grid[2] = grid[2] < 65535 ? grid[2] : 65535;\n"
    "        for (item->first[0] = 0; item->first[0] < item->groups[1]; item->first[0] += grid[1]) {\n"
    "            grid[1] = item->groups[1] - item->first[0];\n"
    "            grid[1] = grid[1] < 65535 ? grid[1] : 65535;\n"
    "            if (status == CUDA_SUCCESS)\n"
    "                status = cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], "
    "block[2],\n"
    "                                        (unsigned)shared, stream, params, NULL);\n"
    "        }\n"
    "    }\n"
    "    return status;\n"
    "}\n"
    "#endif\n";

static void add_cuda(struct ki_text *text, const kn_source *program, const struct emit_source *source)
{
    ki_text_add(
        text,
        "\n// Launchers for CUDA, where there is cuda.h: koine_cuda_launch_KERNEL takes OpenCL's range\n"
        "// (`dims` numbers in `global` and in `local`, which divide them), makes of its own the\n"
        "// arguments described above, in their order, and calls cuLaunchKernel. Of local memory the\n"
        "// bytes are given; a vector is an array; of a struct or an image the address is passed.\n"
        "// KOINE_NO_LAUNCHERS, defined before, leaves them out.\n"
        "#if !defined KOINE_NO_LAUNCHERS && defined __has_include\n"
        "#if __has_include(<cuda.h>)\n"
        "#include <stddef.h>\n"
        "#include <cuda.h>\n");
    ki_text_add(text, cuda_enqueue);
    for (size_t i = 0; i < kn_source_get_kernel_count(program); i++)
        add_cuda_launcher(text, kn_source_get_kernel(program, i), source);
    ki_text_add(text, "\n#endif\n#endif\n");
}

void emit_launchers(const struct emit_metadata *metadata, struct ki_text *text)
{
    for (size_t i = 0; i < metadata->source_count; i++)
        if (metadata->sources[i].is_cuda)
            add_cuda(text, metadata->program, &metadata->sources[i]);
        else
            add_opencl(text, metadata->program);
}
