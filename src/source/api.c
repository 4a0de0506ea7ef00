// SPDX-License-Identifier: Apache-2.0
#include "api.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/env.h"
#include "base/sized.h"
#include "source/preprocess/language.h"

// What every OpenCL C 1.2 compiler defines, and the extensions that a program may ask for; the last ones are
// for CUDA only.
enum { CUDA_ONLY = 5 };
static const kn_define predefined[] = {
    SRC_LANGUAGE_MACROS,
    {"__OPENCL_VERSION__", "120"},
    {"cl_khr_byte_addressable_store", "1"},
    {"cl_khr_fp64", "1"},
    {"cl_khr_global_int32_base_atomics", "1"},
    {"cl_khr_global_int32_extended_atomics", "1"},
    {"cl_khr_local_int32_base_atomics", "1"},
    {"cl_khr_local_int32_extended_atomics", "1"},
    {"cl_khr_int64_base_atomics", "1"},
    {"cl_khr_int64_extended_atomics", "1"},
    {"cl_khr_3d_image_writes", "1"},
    {"__IMAGE_SUPPORT__", "1"},
    {"KN_CPU", "0"},
};

// ---- reading ----

static kn_status check_options(const char *function, const kn_source_options *options, kn_error *err)
{
    if ((options->define_count && !options->defines) ||
        (options->include_dir_count && !options->include_dirs) ||
        (options->predefined_count && !options->predefined))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the options count what is NULL", function);
    if (options->macros != KN_SOURCE_MACROS_OPENCL && options->macros != KN_SOURCE_MACROS_CUDA)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %d is not a kn_source_macros", function,
                       (int)options->macros);
    for (size_t i = 0; i < options->define_count; i++)
        if (!options->defines[i].name)
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s: define %zu has no name", function, i);
    return KN_OK;
}

static struct src_options reading_of(const kn_source_options *options, bool builtin)
{
    struct src_options reading = {.predefined = options->predefined,
                                  .predefined_count = options->predefined_count,
                                  .defines = options->defines,
                                  .define_count = options->define_count,
                                  .include_dirs = options->include_dirs,
                                  .include_dir_count = options->include_dir_count,
                                  .kernel_path = ki_env_get(KI_ENV_KERNEL_PATH),
                                  .embedded = ki_src_embedded_kernels,
                                  .builtin = builtin};

    if (!reading.predefined) {
        reading.predefined = predefined;
        reading.predefined_count =
            KI_COUNT(predefined) - (options->macros == KN_SOURCE_MACROS_CUDA ? 0 : CUDA_ONLY);
    }
    return reading;
}

static const char *copy_string(struct ki_arena *arena, const char *string)
{
    return ki_arena_copy(arena, string, strlen(string));
}

// The host's macros are needed again if the program is written for CUDA.
static kn_status keep_defines(kn_source *source, const kn_source_options *options, kn_error *err)
{
    kn_define *defines = ki_arena_take(&source->arena, (options->define_count + 1) * sizeof *defines);
    bool kept = defines != NULL;

    for (size_t i = 0; i < options->define_count && kept; i++) {
        const char *value = options->defines[i].value;

        defines[i].name = copy_string(&source->arena, options->defines[i].name);
        defines[i].value = value ? copy_string(&source->arena, value) : NULL;
        kept = defines[i].name && (!value || defines[i].value);
    }
    source->reading.defines = defines;
    source->reading.define_count = options->define_count;
    return kept ? KN_OK : ki_fail_memory(err, 0, "a kernel's source");
}

static kn_status create(const char *function, const char *name, const char *text, bool builtin,
                        const kn_source_options *given, kn_source **source, kn_error *err)
{
    kn_source_options options;
    struct src_options reading;
    kn_source *made;
    kn_status status;

    if (!source)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: source is NULL", function);
    *source = NULL;
    if (!name)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no source", function);
    status = KI_SIZED_READ(function, kn_source_options, given, &options, err);
    if (!status)
        status = check_options(function, &options, err);
    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a kernel's source");
    reading = reading_of(&options, builtin);
    status = ki_src_read(name, text, &reading, &made->unit, err);
    if (!status)
        status = keep_defines(made, &options, err);
    if (status)
        kn_source_free(made);
    else
        *source = made;
    return status;
}

kn_status kn_source_from_text(const char *text, const char *name, const kn_source_options *options,
                              kn_source **source, kn_error *err)
{
    return create("kn_source_from_text", text ? name : NULL, text, false, options, source, err);
}

kn_status kn_source_from_file(const char *path, const kn_source_options *options, kn_source **source,
                              kn_error *err)
{
    return create("kn_source_from_file", path, NULL, false, options, source, err);
}

kn_status kn_source_from_builtin(const char *name, const kn_source_options *options, kn_source **source,
                                 kn_error *err)
{
    return create("kn_source_from_builtin", name, NULL, true, options, source, err);
}

void kn_source_free(kn_source *source)
{
    if (!source)
        return;
    ki_src_cuda_free(source->cuda);
    ki_src_free(source->unit);
    ki_arena_free(&source->arena);
    free(source);
}

// ---- its parts ----

const char *kn_source_get_builtin_name(size_t index)
{
    for (const struct src_embedded *file = ki_src_embedded_kernels; file->name; file++)
        if (index-- == 0)
            return file->name;
    return NULL;
}

const char *kn_source_get_text(const kn_source *source, size_t *length)
{
    if (length)
        *length = source ? source->unit->opencl_length : 0;
    return source ? source->unit->opencl : "";
}

const char *kn_source_get_warnings(const kn_source *source)
{
    return source ? source->unit->warnings : "";
}

bool kn_source_get_uses_double(const kn_source *source)
{
    return source && source->unit->double_line != 0;
}

size_t kn_source_get_file_count(const kn_source *source)
{
    return source ? source->unit->file_count : 0;
}

const kn_source_file *kn_source_get_file(const kn_source *source, size_t index)
{
    return source && index < source->unit->file_count ? &source->unit->files[index] : NULL;
}

size_t kn_source_get_kernel_count(const kn_source *source)
{
    return source ? source->unit->kernel_count : 0;
}

const kn_source_kernel *kn_source_get_kernel(const kn_source *source, size_t index)
{
    return source && index < source->unit->kernel_count ? &source->unit->kernels[index] : NULL;
}

// ---- CUDA ----

kn_status kn_source_make_cuda(kn_source *source, kn_error *err)
{
    kn_status status;

    if (!source)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_source_make_cuda: source is NULL");
    if (source->cuda)
        return KN_OK;
    status = ki_src_cuda_program(source->unit, &source->reading, &source->cuda, err);
    for (size_t i = 0; i < source->unit->kernel_count && !status; i++)
        source->unit->kernels[i].cuda = source->cuda->kernels[i];
    return status;
}

const char *kn_source_get_cuda_text(const kn_source *source, size_t *length)
{
    const struct src_cuda *cuda = source ? source->cuda : NULL;

    if (length)
        *length = cuda ? cuda->length : 0;
    return cuda ? cuda->text : "";
}

size_t kn_source_get_cuda_bank_bytes(const kn_source *source)
{
    return source && source->cuda ? source->cuda->bank_bytes : 0;
}

bool kn_source_get_cuda_contract_off(const kn_source *source)
{
    return source && source->cuda && source->cuda->contract_off;
}
