// SPDX-License-Identifier: Apache-2.0
// koine emit: a kernel file as one text that needs nothing else, and what a host program must know to launch
// it.
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/array.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../io/json.h"
#include "../io/output.h"
#include "commands.h"
#include "defines.h"
#include "emit_metadata.h"
#include "interrupt.h"
#include "nearest.h"
#include "report.h"

// The languages that are written: cuda belongs here when src/source/cuda.h has the text for it.
static const char *const target_words[] = {"opencl", NULL};

struct emit_arguments {
    struct common_arguments common;
    struct build_words build;
    int target;
    bool list;
};

#define FIELD(field) offsetof(struct emit_arguments, field)

static const struct option_row options[] = {
    {"target", 't', OPTION_CHOICE, NULL, target_words, "opencl", FIELD(target), "the language to write"},
    {"list", 'l', OPTION_FLAG, NULL, NULL, NULL, FIELD(list),
     "print the names of Koine's own kernels, one a line"},
    BUILD_OPTION_ROWS(FIELD(build)),
    {.name = NULL},
};

// What every OpenCL C 1.2 compiler defines, and the extensions that a program may ask for.
static const kn_define predefined[] = {
    {"__OPENCL_VERSION__", "120"},
    {"__OPENCL_C_VERSION__", "120"},
    {"CL_VERSION_1_0", "100"},
    {"CL_VERSION_1_1", "110"},
    {"CL_VERSION_1_2", "120"},
    {"__ENDIAN_LITTLE__", "1"},
    {"__kernel_exec(X, typen)", "__kernel"},
    {"cl_khr_byte_addressable_store", "1"},
    {"cl_khr_fp64", "1"},
    {"cl_khr_global_int32_base_atomics", "1"},
    {"cl_khr_global_int32_extended_atomics", "1"},
    {"cl_khr_local_int32_base_atomics", "1"},
    {"cl_khr_local_int32_extended_atomics", "1"},
};

static struct src_options source_options(const struct build_defines *defines)
{
    struct src_options how = build_source_options(defines);

    how.predefined = predefined;
    how.predefined_count = KN_COUNT(predefined);
    return how;
}

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), ending_length = strlen(ending);

    return length >= ending_length && strcmp(name + length - ending_length, ending) == 0;
}

// ---- Koine's own kernels ----

static kn_status read_builtin(const char *file, const struct build_defines *defines, struct src_unit **unit,
                              kn_error *err)
{
    struct src_options how = source_options(defines);

    how.builtin = true;
    return src_read(file, NULL, &how, unit, err);
}

static kn_status list_kernels(const struct build_defines *defines, kn_error *err)
{
    kn_status status = KN_OK;

    for (const struct src_embedded *file = src_embedded_kernels; file->name && !status; file++) {
        struct src_unit *unit = NULL;

        if (!ends_in(file->name, ".cl"))
            continue;
        status = read_builtin(file->name, defines, &unit, err);
        for (size_t i = 0; !status && i < unit->kernel_count; i++)
            puts(unit->kernels[i].name);
        src_free(unit);
    }
    return status;
}

// The file of ours that has a kernel of that name.
static kn_status read_kernel(const char *name, const struct build_defines *defines, struct src_unit **unit,
                             kn_error *err)
{
    struct nearest nearest = {name, NULL, 0};
    char best[128] = "";

    for (const struct src_embedded *file = src_embedded_kernels; file->name; file++) {
        kn_status status;

        if (!ends_in(file->name, ".cl"))
            continue;
        status = read_builtin(file->name, defines, unit, err);
        if (status)
            return status;
        for (size_t i = 0; i < (*unit)->kernel_count; i++) {
            if (strcmp((*unit)->kernels[i].name, name) == 0)
                return KN_OK;
            nearest_offer(&nearest, (*unit)->kernels[i].name);
        }
        if (nearest.best && nearest.best != best)
            snprintf(best, sizeof best, "%s", nearest.best);
        nearest.best = *best ? best : NULL; // the unit's goes with it
        src_free(*unit);
        *unit = NULL;
    }
    return kn_fail(
        err, KN_ERROR_ARGUMENT,
        "'%s' is no kernel of Koine's%s%s%s; 'koine emit --list' has their names, and a file's name ends "
        "in .cl",
        name, *best ? ", did you mean '" : "", best, *best ? "'?" : "");
}

// ---- writing ----

// The paths of the three files, and the name they share.
struct emit_files {
    char *name;
    char *paths[3]; // the source, .json, .h
};

static void free_files(struct emit_files *files)
{
    free(files->name);
    for (size_t i = 0; i < KN_COUNT(files->paths); i++)
        free(files->paths[i]);
}

static bool name_files(const char *operand, const char *folder, struct emit_files *files)
{
    static const char *const endings[] = {".cl", ".json", ".h"};
    char *copy = strdup(operand);
    bool named = copy != NULL;

    files->name = copy ? strdup(basename(copy)) : NULL;
    free(copy);
    if (files->name && ends_in(files->name, ".cl"))
        files->name[strlen(files->name) - strlen(".cl")] = '\0';
    named = files->name != NULL;
    for (size_t i = 0; i < KN_COUNT(files->paths) && named; i++) {
        struct kn_text text = KN_TEXT_INIT;

        kn_text_format(&text, "%s%s%s%s", folder ? folder : "", folder ? "/" : "", files->name, endings[i]);
        files->paths[i] = kn_text_take(&text);
        named = files->paths[i] != NULL;
    }
    return named;
}

// The source itself is not overwritten, not even with --force.
static kn_status spare_input(const char *input, const struct emit_files *files, kn_error *err)
{
    struct stat from, to;

    if (stat(input, &from) != 0 || stat(files->paths[0], &to) != 0 || from.st_ino != to.st_ino ||
        from.st_dev != to.st_dev)
        return KN_OK;
    return kn_fail_at(err, KN_ERROR_OUTPUT, files->paths[0], 0,
                      "is the source itself; name another folder with --output");
}

static kn_status write_files(const struct emit_arguments *arguments, const struct emit_files *files,
                             const struct emit_metadata *metadata, kn_error *err)
{
    const bool force = arguments->common.force;
    struct kn_text header = KN_TEXT_INIT;
    json_t *json = emit_json(metadata);
    kn_status status = KN_OK;

    emit_header(metadata, &header);
    if (header.failed || !json)
        status = kn_fail_memory(err, 0, "writing the metadata");
    for (size_t i = 0; i < KN_COUNT(files->paths) && !status; i++)
        status = report_try_file(files->paths[i], force, err);
    interrupt_hold();
    if (!status)
        status = kn_output_write(files->paths[0], metadata->unit->opencl, metadata->unit->opencl_length,
                                 force, err);
    if (!status)
        status = kn_json_write(json, files->paths[1], force, err);
    if (!status)
        status = kn_output_write(files->paths[2], header.data, header.length, force, err);
    interrupt_release();
    json_decref(json);
    kn_text_free(&header);
    return status;
}

static kn_status emit(const struct emit_arguments *arguments, const struct build_defines *defines,
                      const char *operand, kn_error *err)
{
    const bool is_input = strcmp(operand, "-") == 0, is_file = is_input || strpbrk(operand, "./") != NULL;
    struct src_options how = source_options(defines);
    struct emit_files files = {NULL, {NULL}};
    struct emit_macros macros = {NULL, 0, 0};
    struct src_unit *unit = NULL;
    char *text = NULL;
    kn_status status = build_input_read(operand, &text, err);

    if (!status && is_file)
        status = src_read(build_input_name(operand), text, &how, &unit, err);
    else if (!status)
        status = read_kernel(operand, defines, &unit, err);
    if (status) {
        free(text);
        return status;
    }
    if (!emit_macros_find(unit, defines->defines, defines->count, &macros) ||
        !name_files(is_input ? "stdin" : operand, arguments->common.output, &files))
        status = kn_fail_memory(err, 0, "emitting a kernel");
    if (!status && arguments->common.output)
        status = kn_output_folder(arguments->common.output, err);
    if (!status && is_file)
        status = spare_input(operand, &files, err);
    if (!status) {
        struct kn_text source = KN_TEXT_INIT;
        struct emit_metadata metadata = {files.name, NULL, target_words[arguments->target], unit, &macros};

        kn_text_format(&source, "%s.cl", files.name);
        metadata.source = kn_text_string(&source);
        status = write_files(arguments, &files, &metadata, err);
        kn_text_free(&source);
    }
    for (size_t i = 0; i < KN_COUNT(files.paths) && !status; i++)
        puts(files.paths[i]);
    free_files(&files);
    emit_macros_free(&macros);
    src_free(unit);
    free(text);
    return status;
}

static kn_status run_emit(void *given, kn_error *err)
{
    struct emit_arguments *arguments = given;
    const struct string_list *operands = &arguments->common.operands;
    struct build_defines defines = {.count = 0};
    kn_status status = options_at_most(&arguments->common, arguments->list ? 0 : 1, err);

    if (!status && !arguments->list && operands->count == 0)
        status = kn_fail(err, KN_ERROR_ARGUMENT, "name a kernel or a file; try 'koine emit --help'");
    if (!status)
        status = build_defines_read(&arguments->build, &defines, err);
    if (!status)
        status = arguments->list ? list_kernels(&defines, err)
                                 : emit(arguments, &defines, operands->items[0], err);
    build_defines_free(&defines);
    return status;
}

const struct command command_emit = {
    .name = "emit",
    .summary = "Writes a kernel as one stand-alone source, with what a host program must know to launch it",
    .operands = "KERNEL|FILE.cl",
    .description = "Writes NAME.cl, the source with all its includes in place, which compiles as it stands "
                   "with any OpenCL "
                   "compiler; NAME.json and NAME.h, the launch metadata: of each kernel the arguments in "
                   "their order, with "
                   "kind, type and size, and the work-group it requires; and the macros with their values. "
                   "The files go into "
                   "the folder of --output, else into the current one, and their names are printed.\n\n"
                   "A file's name ends in .cl. Any other name is that of one of Koine's own kernels "
                   "(--list), and the file "
                   "that holds it is written.\n\n"
                   "For an argument in local memory the host passes a number of bytes: its elements times "
                   "the size that the "
                   "metadata give. The macros are those of -D, which stand at the head of the source, and "
                   "those that the "
                   "source gives a default (#ifndef, #define).",
    .common = COMMON_OUTPUT | COMMON_FORCE,
    .options = options,
    .examples = {{"koine emit --output kernels -D GROUP=128 reduce_leaves",
                  "Koine's reduction, for another program"},
                 {"koine emit -I include --output flat filter.cl",
                  "a file of your own, its includes in place"}},
    .arguments_size = sizeof(struct emit_arguments),
    .run = run_emit,
};
