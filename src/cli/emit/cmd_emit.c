// SPDX-License-Identifier: Apache-2.0
// koine emit: writes a kernel file as one self-contained text, with the information that a host program needs
// to launch it.
#include <config.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "base/os/output.h"
#include "base/text/text.h"
#include "io/json.h"
#include "cli/commands.h"
#include "cli/defines.h"
#include "emit_metadata.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/nearest.h"
#include "cli/framework/progress.h"
#include "cli/framework/report.h"

// The languages that can be written.
static const struct {
    const char *name, *ending;
} languages[] = {{"opencl", ".cl"}, {"cuda", ".cu"}};

enum { OPENCL, CUDA, LANGUAGE_COUNT };

struct emit_arguments {
    struct common_arguments common;
    struct build_options build;
    struct string_list targets;
    bool list;
};

#define FIELD(type, field) OPTION_FIELD(type, struct emit_arguments, field)

static const struct option_row options[] = {
    {"target", 't', FIELD(OPTION_STRINGS, targets), .metavar = "opencl|cuda",
     .help = "the language to write; may be repeated (default: opencl)"},
    {"list", 'l', FIELD(OPTION_FLAG, list), .help = "print the names of Koine's own kernels, one per line"},
    BUILD_OPTION_ROWS(struct emit_arguments, build),
    {.name = NULL},
};

static kn_source_options source_options(const struct build_defines *defines, size_t language)
{
    kn_source_options how = build_source_options(defines);

    how.macros = language == CUDA ? KN_SOURCE_MACROS_CUDA : KN_SOURCE_MACROS_OPENCL;
    return how;
}

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), ending_length = strlen(ending);

    return length >= ending_length && strcmp(name + length - ending_length, ending) == 0;
}

// ---- Koine's own kernels ----

static kn_status read_builtin(const char *file, const struct build_defines *defines, size_t language,
                              kn_source **source, kn_error *err)
{
    const kn_source_options how = source_options(defines, language);

    return kn_source_from_builtin(file, &how, source, err);
}

// Lists their names, one per line, and adds them to `names`.
static kn_status list_kernels(const struct build_defines *defines, bool shows_text, json_t **names,
                              kn_error *err)
{
    const char *file;
    kn_status status = KN_OK;

    for (size_t f = 0; (file = kn_source_get_builtin_name(f)) && !status; f++) {
        kn_source *source = NULL;

        if (!ends_in(file, ".cl"))
            continue;
        status = read_builtin(file, defines, OPENCL, &source, err);
        for (size_t i = 0; i < kn_source_get_kernel_count(source); i++) {
            const char *name = kn_source_get_kernel(source, i)->name;

            report_append(names, ki_json_string(name));
            if (shows_text)
                puts(name);
        }
        kn_source_free(source);
    }
    return status;
}

// The built-in file that has a kernel of that name.
static kn_status read_kernel(const char *name, const struct build_defines *defines, size_t language,
                             kn_source **source, kn_error *err)
{
    struct nearest nearest = {name, NULL, 0};
    char best[128] = "";
    const char *file;

    for (size_t f = 0; (file = kn_source_get_builtin_name(f)); f++) {
        kn_status status;

        if (!ends_in(file, ".cl"))
            continue;
        status = read_builtin(file, defines, language, source, err);
        if (status)
            return status;
        for (size_t i = 0; i < kn_source_get_kernel_count(*source); i++) {
            const kn_source_kernel *kernel = kn_source_get_kernel(*source, i);

            if (strcmp(kernel->name, name) == 0)
                return KN_OK;
            nearest_offer(&nearest, kernel->name);
        }
        if (nearest.best && nearest.best != best)
            snprintf(best, sizeof best, "%s", nearest.best);
        nearest.best = *best ? best : NULL; // the name found last is freed with the source
        kn_source_free(*source);
        *source = NULL;
    }
    return ki_fail(
        err, KN_ERROR_ARGUMENT,
        "'%s' is not a kernel of Koine's%s%s%s; 'koine emit --list' has their names, and a file's name ends "
        "in .cl",
        name, *best ? ", did you mean '" : "", best, *best ? "'?" : "");
}

// ---- writing ----

// The output of one operand.
struct emit_work {
    bool is_wanted[LANGUAGE_COUNT];
    kn_source *programs[LANGUAGE_COUNT];
    struct ki_text texts[LANGUAGE_COUNT];
    char *name; // the common name of the files
    char *sources[LANGUAGE_COUNT];
    char *json, *header;
};

static void free_work(struct emit_work *work)
{
    for (size_t i = 0; i < LANGUAGE_COUNT; i++) {
        kn_source_free(work->programs[i]);
        ki_text_free(&work->texts[i]);
        free(work->sources[i]);
    }
    free(work->name);
    free(work->json);
    free(work->header);
}

// ---- the texts ----

static kn_status choose_languages(const struct string_list *targets, struct emit_work *work, kn_error *err)
{
    work->is_wanted[OPENCL] = targets->count == 0;
    for (size_t i = 0; i < targets->count; i++) {
        size_t language = 0;

        while (language < LANGUAGE_COUNT && strcmp(targets->items[i], languages[language].name) != 0)
            language++;
        if (language == LANGUAGE_COUNT)
            return ki_fail(err, KN_ERROR_ARGUMENT, "--target: '%s' is not one of opencl, cuda",
                           targets->items[i]);
        work->is_wanted[language] = true;
    }
    return KN_OK;
}

// A program that CUDA does not support counts as one that does not compile.
static kn_status write_cuda(struct emit_work *work, kn_error *err)
{
    const char *text;
    size_t length;
    kn_status status = kn_source_make_cuda(work->programs[CUDA], err);

    if (status == KN_ERROR_UNSUPPORTED && err)
        err->code = KN_ERROR_BUILD;
    if (status)
        return status == KN_ERROR_UNSUPPORTED ? KN_ERROR_BUILD : status;
    ki_text_format(&work->texts[CUDA], "// CUDA C++17, written by koine emit " PACKAGE_VERSION
                                       ". Compiles with nvcc -std=c++17, and with NVRTC --std=c++17 "
                                       "--device-as-default-execution-space.\n");
    text = kn_source_get_cuda_text(work->programs[CUDA], &length);
    ki_text_add_bytes(&work->texts[CUDA], text, length);
    return KN_OK;
}

static kn_status read_file(const char *operand, const char *text, const struct build_defines *defines,
                           size_t language, kn_source **source, kn_error *err)
{
    const kn_source_options how = source_options(defines, language);

    return text ? kn_source_from_text(text, build_input_name(operand), &how, source, err)
                : kn_source_from_file(operand, &how, source, err);
}

static void add_opencl(struct emit_work *work)
{
    size_t length;
    const char *text = kn_source_get_text(work->programs[OPENCL], &length);

    ki_text_add_bytes(&work->texts[OPENCL], text, length);
}

// `text` is the text of the file; NULL: read it.
static kn_status read_operand(const char *operand, bool is_file, const char *text,
                              const struct build_defines *defines, struct emit_work *work, kn_error *err)
{
    kn_status status = KN_OK;
    bool warned = false;

    for (size_t i = 0; i < LANGUAGE_COUNT && !status; i++) {
        if (!work->is_wanted[i])
            continue;
        status = is_file ? read_file(operand, text, defines, i, &work->programs[i], err)
                         : read_kernel(operand, defines, i, &work->programs[i], err);
        if (!status && !warned)
            warned = fputs(kn_source_get_warnings(work->programs[i]), stderr) >= 0;
        if (!status && i == CUDA)
            status = write_cuda(work, err);
        else if (!status)
            add_opencl(work);
        if (!status && work->texts[i].failed)
            status = ki_fail_memory(err, 0, "emitting a kernel");
    }
    return status;
}

// ---- the files ----

static char *path_of(const char *folder, const char *name, const char *ending)
{
    struct ki_text path = KI_TEXT_INIT;

    ki_text_format(&path, "%s%s%s%s", folder ? folder : "", folder ? "/" : "", name, ending);
    return ki_text_take(&path);
}

static bool name_files(const char *operand, const char *folder, struct emit_work *work)
{
    char *copy = strdup(operand);
    bool named;

    work->name = copy ? strdup(basename(copy)) : NULL;
    free(copy);
    if (!work->name)
        return false;
    if (ends_in(work->name, ".cl"))
        work->name[strlen(work->name) - strlen(".cl")] = '\0';
    work->json = path_of(folder, work->name, ".json");
    work->header = path_of(folder, work->name, ".h");
    named = work->json && work->header;
    for (size_t i = 0; i < LANGUAGE_COUNT && named; i++)
        if (work->is_wanted[i])
            named = (work->sources[i] = path_of(folder, work->name, languages[i].ending)) != NULL;
    return named;
}

// The source itself is not overwritten, not even with --force.
static kn_status spare_input(const char *input, const struct emit_work *work, kn_error *err)
{
    struct stat from, to;

    for (size_t i = 0; i < LANGUAGE_COUNT; i++)
        if (work->sources[i] && stat(input, &from) == 0 && stat(work->sources[i], &to) == 0 &&
            from.st_ino == to.st_ino && from.st_dev == to.st_dev)
            return ki_fail_at(
                err, KN_ERROR_OUTPUT, work->sources[i], 0,
                "is the source itself and would be overwritten; name another folder with --output");
    return KN_OK;
}

static kn_status try_files(const struct emit_work *work, bool force, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < LANGUAGE_COUNT && !status; i++)
        if (work->sources[i])
            status = report_try_file(work->sources[i], force, err);
    if (!status)
        status = report_try_file(work->json, force, err);
    return status ? status : report_try_file(work->header, force, err);
}

static kn_status write_files(const struct emit_work *work, const struct emit_metadata *metadata, bool force,
                             kn_error *err)
{
    struct ki_text header = KI_TEXT_INIT;
    json_t *json = emit_json(metadata);
    kn_status status = KN_OK;

    emit_header(metadata, &header);
    if (header.failed || !json)
        status = ki_fail_memory(err, 0, "writing the metadata");
    if (!status)
        status = try_files(work, force, err);
    interrupt_hold();
    for (size_t i = 0; i < LANGUAGE_COUNT && !status; i++)
        if (work->sources[i])
            status =
                ki_output_write(work->sources[i], work->texts[i].data, work->texts[i].length, force, err);
    if (!status)
        status = ki_json_write(json, work->json, force, err);
    if (!status)
        status = ki_output_write(work->header, header.data, header.length, force, err);
    interrupt_release();
    json_decref(json);
    ki_text_free(&header);
    return status;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

// The metadata describe the first language.
static kn_status write_work(const struct emit_work *work, const struct build_defines *defines, bool force,
                            kn_error *err)
{
    struct emit_source sources[LANGUAGE_COUNT];
    struct emit_metadata metadata = {.name = work->name, .sources = sources};
    struct emit_macros macros = {NULL, 0, 0};
    kn_status status = KN_OK;

    for (size_t i = 0; i < LANGUAGE_COUNT; i++) {
        if (!work->is_wanted[i])
            continue;
        if (metadata.source_count == 0)
            metadata.program = work->programs[i];
        sources[metadata.source_count++] = (struct emit_source){
            languages[i].name, file_name(work->sources[i]), i == CUDA, work->programs[i]};
    }
    metadata.macros = &macros;
    if (!emit_macros_find(metadata.program, defines->defines, defines->count, &macros))
        status = ki_fail_memory(err, 0, "emitting a kernel");
    if (!status)
        status = write_files(work, &metadata, force, err);
    emit_macros_free(&macros);
    return status;
}

// Lists the names of the files, one per line, and adds them to `names`.
static void list_files(const struct emit_work *work, bool shows_text, json_t **names)
{
    const char *files[LANGUAGE_COUNT + 2];
    size_t count = 0;

    for (size_t i = 0; i < LANGUAGE_COUNT; i++)
        if (work->sources[i])
            files[count++] = work->sources[i];
    files[count++] = work->json;
    files[count++] = work->header;
    for (size_t i = 0; i < count; i++) {
        report_append(names, ki_json_string(files[i]));
        if (shows_text)
            puts(files[i]);
    }
}

static kn_status emit(const struct emit_arguments *arguments, const struct build_defines *defines,
                      const char *operand, json_t **names, kn_error *err)
{
    const bool is_input = strcmp(operand, "-") == 0, is_file = is_input || strpbrk(operand, "./") != NULL;
    const char *folder = arguments->common.output;
    struct emit_work work = {.name = NULL};
    char *text = NULL;
    kn_status status = choose_languages(&arguments->targets, &work, err);

    if (!status)
        status = build_input_read(operand, &text, err);
    if (!status)
        status = read_operand(operand, is_file, text, defines, &work, err);
    if (!status && !name_files(is_input ? "stdin" : operand, folder, &work))
        status = ki_fail_memory(err, 0, "emitting a kernel");
    if (!status && folder)
        status = ki_output_folder(folder, err);
    if (!status && is_file)
        status = spare_input(operand, &work, err);
    if (!status)
        status = write_work(&work, defines, arguments->common.force, err);
    if (!status)
        list_files(&work, report_shows_text(&arguments->common), names);
    free_work(&work);
    free(text);
    return status;
}

static kn_status run_emit(void *given, kn_error *err)
{
    struct emit_arguments *arguments = given;
    const struct string_list *operands = &arguments->common.operands;
    const struct common_arguments *common = &arguments->common;
    struct ki_json_seconds times = {-1, -1, -1, -1, -1, -1};
    const double start = ki_clock_seconds();
    struct build_defines defines = {.count = 0};
    json_t *root = NULL, *names = json_array();
    kn_status status = options_at_most(common, arguments->list ? 0 : 1, err);

    if (!status && !arguments->list && operands->count == 0)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "name a kernel or a file; try 'koine emit --help'");
    if (!status)
        status = build_defines_read(&arguments->build, &defines, err);
    if (!status)
        status = report_try(common, err);
    if (!status)
        status = arguments->list ? list_kernels(&defines, report_shows_text(common), &names, err)
                                 : emit(arguments, &defines, operands->items[0], &names, err);
    build_defines_free(&defines);
    if (status) {
        json_decref(names);
        return status;
    }
    times.total = ki_clock_seconds() - start;
    root = report_begin("emit", NULL, NULL, NULL, &times);
    report_put(&root, arguments->list ? "kernels" : "files", names);
    return report_write(root, common, err);
}

const struct command command_emit = {
    .name = "emit",
    .summary = "Writes a kernel as one self-contained source file, with the metadata that a host program "
               "needs to launch it",
    .operands = "KERNEL|FILE.cl",
    .description =
        "Writes NAME.cl, the source with all includes expanded, which compiles as it stands with any OpenCL "
        "compiler; with --target cuda NAME.cu, the same program in CUDA C++17, which compiles by itself with "
        "NVRTC and with nvcc; and NAME.json and NAME.h, the launch metadata: the arguments of each kernel in "
        "their order, with kind, type and size, and its required work-group size; the macros with their "
        "values; and for CUDA the symbols, how arguments are passed, and the additional last argument of "
        "every kernel. NAME.h also has a function for each kernel, koine_launch_KERNEL for OpenCL and "
        "koine_cuda_launch_KERNEL for CUDA's driver: it takes the kernel's arguments with their types, in "
        "order, and enqueues the kernel; a program with these files does not need libkoine. The files are "
        "written into the folder of --output, or into the current one, and their names are printed.\n\n"
        "A name that ends in .cl is a file. Any other name is that of one of Koine's own kernels (--list), "
        "and the file that contains it is written.\n\n"
        "For an argument in local memory, an OpenCL host passes a number of bytes: the number of elements "
        "times the size in the metadata. The macros are those of -D, which are the first lines of the OpenCL "
        "text and are already expanded in the CUDA text, and those for which the source has a default "
        "(#ifndef, #define).",
    .common = COMMON_JSON | COMMON_OUTPUT | COMMON_FORCE,
    .options = options,
    .examples = {{"koine emit --output kernels -D GROUP=128 reduce_leaves",
                  "Koine's reduction, for use in another program"},
                 {"koine emit -I include --output flat filter.cl",
                  "a file of your own, with its includes expanded"}},
    .arguments_size = sizeof(struct emit_arguments),
    .run = run_emit,
};
