// SPDX-License-Identifier: Apache-2.0
// koine check: whether kernel files compile, for installed devices and for others.
#include "cmd_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/log.h"
#include "cli/framework/progress.h"
#include "cli/framework/report.h"

#define FIELD(type, field) OPTION_FIELD(type, struct check_arguments, field)

static const struct option_row options[] = {
    {"target", 't', FIELD(OPTION_STRINGS, targets), .metavar = "T",
     .help = "opencl (every installed device), opencl:0.0, cuda:sm_XX, cuda:all, amd:ARCH, intel:DEVICE or "
             "spirv; may be repeated (default: all that are available)"},
    BUILD_OPTION_ROWS(struct check_arguments, build),
    {.name = NULL},
};

// ---- one file on one target ----

static kn_status keep_kernel(struct check_row *row, const struct check_kernel *values, const char *name,
                             kn_error *err)
{
    struct check_kernel *kernels = realloc(row->kernels, (row->kernel_count + 1) * sizeof *kernels);

    if (!kernels)
        return ki_fail_memory(err, 0, "listing kernels");
    row->kernels = kernels;
    kernels[row->kernel_count] = *values;
    kernels[row->kernel_count].name = strdup(name);
    if (!kernels[row->kernel_count].name)
        return ki_fail_memory(err, 0, "listing kernels");
    row->kernel_count++;
    return KN_OK;
}

// A text that could not be read or compiled is a result; a missing file, and lack of memory, are not.
static kn_status keep_failure(struct check_row *row, const kn_error *why, kn_error *err)
{
    if (why->code == KN_ERROR_MEMORY || (why->code == KN_ERROR_INPUT && why->line == 0)) {
        if (err)
            *err = *why;
        return why->code;
    }
    row->outcome = why->code == KN_ERROR_UNSUPPORTED ? KN_OFFLINE_NOT_APPLICABLE : KN_OFFLINE_FAILED;
    free(row->log);
    row->log = strdup(why->text);
    return row->log ? KN_OK : ki_fail_memory(err, 0, "keeping a compiler's words");
}

static void keep_log(void *user, const char *output)
{
    struct check_row *row = user;

    free(row->log);
    row->log = strdup(output);
}

static kn_status check_on_device(const struct check_run *run, kn_context *context, struct check_row *row,
                                 kn_error *err)
{
    kn_program_options build = build_program_options(&run->defines, run->arguments->common.policy);
    kn_program *program = NULL;
    kn_error why = KN_ERROR_INIT;
    kn_status status;

    build.build_log = keep_log;
    build.build_log_user = row;
    status = row->text ? kn_program_from_text(context, row->text, row->file, &build, &program, &why)
                       : kn_program_from_file(context, row->file, &build, &program, &why);
    if (status)
        return keep_failure(row, &why, err);
    row->outcome = KN_OFFLINE_OK;
    for (size_t i = 0; i < kn_program_get_kernel_count(program) && !status; i++) {
        kn_kernel *kernel = kn_program_get_kernel_at(program, i);
        struct check_kernel values = {.registers = KN_OFFLINE_UNKNOWN, .spill_bytes = KN_OFFLINE_UNKNOWN};
        const kn_kernel_limits *limits = kn_kernel_get_limits(kernel);

        values.local_bytes = (long)limits->local_bytes;
        values.work_group = (long)limits->work_group;
        status = keep_kernel(row, &values, kn_kernel_get_name(kernel), err);
    }
    kn_program_free(program);
    return status;
}

static kn_status keep_result(const kn_source *source, const kn_offline_result *result, struct check_row *row,
                             kn_error *err)
{
    struct ki_text log = KI_TEXT_INIT;
    kn_status status = KN_OK;

    row->outcome = result->outcome;
    ki_text_add(&log, kn_source_get_warnings(source));
    ki_text_add(&log, result->log);
    row->log = ki_text_take(&log);
    if (!row->log)
        status = ki_fail_memory(err, 0, "keeping a compiler's words");
    for (size_t i = 0; i < result->kernel_count && !status; i++) {
        const kn_offline_kernel *kernel = &result->kernels[i];
        const struct check_kernel values = {NULL, kernel->registers, kernel->local_bytes, kernel->spill_bytes,
                                            KN_OFFLINE_UNKNOWN};

        status = keep_kernel(row, &values, kernel->name, err);
    }
    return status;
}

// As for a GPU, unless -D says otherwise.
static kn_status read_source(const struct check_run *run, const struct check_row *row, kn_source **source,
                             kn_error *err)
{
    static const char *const not_cpu = "KN_CPU";
    kn_source_options how = build_source_options(&run->defines);
    kn_define *defines = calloc(how.define_count + 1, sizeof *defines);
    size_t count = 1;
    kn_status status;

    if (!defines)
        return ki_fail_memory(err, 0, "reading a kernel file");
    defines[0] = (kn_define){not_cpu, "0"};
    for (size_t i = 0; i < how.define_count; i++)
        defines[strcmp(how.defines[i].name, not_cpu) == 0 ? 0 : count++] = how.defines[i];
    how.defines = defines;
    how.define_count = count;
    how.predefined = kn_offline_get_predefined(row->target->offline, &how.predefined_count);
    status = row->text ? kn_source_from_text(row->text, row->file, &how, source, err)
                       : kn_source_from_file(row->file, &how, source, err);
    free(defines);
    return status;
}

static kn_status check_offline(const struct check_run *run, struct check_row *row, kn_error *err)
{
    const kn_offline_target *target = row->target->offline;
    const bool uses_folder = kn_offline_get_uses_folder(target);
    kn_offline_result *result = NULL;
    kn_source *source = NULL;
    kn_error why = KN_ERROR_INIT;
    kn_status status = read_source(run, row, &source, &why);

    if (status)
        return keep_failure(row, &why, err);
    fputs(kn_source_get_warnings(source), stderr); // a device's context prints them itself
    if (uses_folder)
        interrupt_hold(); // its compiler, another process, is interrupted at once, and then its folder
                          // removed
    status = kn_offline_compile(target, source, (kn_policy)run->arguments->common.policy, &result, err);
    if (uses_folder)
        interrupt_release();
    if (!status)
        status = keep_result(source, result, row, err);
    kn_offline_result_free(result);
    kn_source_free(source);
    return status;
}

// ---- all of them ----

static void complain(const struct check_run *run, const struct check_row *row)
{
    if (row->outcome == KN_OFFLINE_FAILED)
        fprintf(stderr, "%s: %s, %s: does not compile\n%s%s", run->arguments->common.command, row->file,
                row->target->name, row->log, *row->log && row->log[strlen(row->log) - 1] != '\n' ? "\n" : "");
}

// All files on one target. A device's context is open no longer than that.
static kn_status check_target(struct check_run *run, size_t index, struct progress *progress, kn_error *err)
{
    const struct string_list *files = &run->arguments->common.operands;
    const struct check_target *target = &run->targets.items[index];
    kn_context_options how = KN_INIT(kn_context_options);
    kn_context *context = NULL;
    kn_status status = log_options(&how, err);

    how.cache_dir = ""; // what is checked is compiled
    if (!status && !target->offline)
        status = kn_context_open(target->device.spec, &how, &context, err);
    for (size_t i = 0; i < files->count && !status; i++) {
        struct check_row *row = &run->rows[i * run->targets.count + index];

        row->file = build_input_name(files->items[i]);
        row->text = strcmp(files->items[i], "-") == 0 ? run->text : NULL;
        row->target = target;
        status = context ? check_on_device(run, context, row, err) : check_offline(run, row, err);
        progress_step(progress,
                      (double)(index * files->count + i + 1) / (double)(files->count * run->targets.count));
    }
    kn_context_close(context);
    return status;
}

static kn_status check_all(struct check_run *run, kn_error *err)
{
    struct progress progress;
    kn_status status = KN_OK;

    run->rows = calloc(run->file_count * run->targets.count + 1, sizeof *run->rows);
    if (!run->rows)
        return ki_fail_memory(err, 0, "checking");
    progress_begin(&progress, run->arguments->common.quiet);
    for (size_t i = 0; i < run->targets.count && !status; i++)
        status = check_target(run, i, &progress, err);
    progress_end(&progress);
    for (size_t i = 0; i < run->file_count * run->targets.count && !status; i++)
        complain(run, &run->rows[i]);
    return status;
}

// A missing target does not pass: it is reported, and if it was named it decides the exit status.
static void name_skipped(const struct check_run *run)
{
    for (size_t i = 0; i < run->targets.skipped_count; i++)
        fprintf(stderr, "%s: %s is skipped: %s\n", run->arguments->common.command,
                run->targets.skipped[i].name, run->targets.skipped[i].why);
}

static kn_status judge_skipped(const struct check_run *run, kn_error *err)
{
    for (size_t i = 0; i < run->targets.skipped_count; i++)
        if (run->targets.skipped[i].named)
            return ki_fail(err, KN_ERROR_NO_DEVICE, "%s was asked for, but not checked",
                           run->targets.skipped[i].name);
    if (run->targets.count == 0)
        return ki_fail(err, KN_ERROR_NO_DEVICE,
                       "nothing was checked: no compiler was found; install pocl-opencl-icd, clang-15, "
                       "intel-opencl-icd or NVRTC");
    return KN_OK;
}

static bool any_failed(const struct check_run *run)
{
    for (size_t i = 0; i < run->file_count * run->targets.count; i++)
        if (run->rows[i].outcome == KN_OFFLINE_FAILED)
            return true;
    return false;
}

static void free_run(struct check_run *run)
{
    for (size_t i = 0; run->rows && i < run->file_count * run->targets.count; i++) {
        for (size_t k = 0; k < run->rows[i].kernel_count; k++)
            free(run->rows[i].kernels[k].name);
        free(run->rows[i].kernels);
        free(run->rows[i].log);
    }
    free(run->rows);
    free(run->text);
    check_targets_free(&run->targets);
    build_defines_free(&run->defines);
}

static kn_status run_check(void *given, kn_error *err)
{
    struct check_arguments *arguments = given;
    struct common_arguments *common = &arguments->common;
    struct check_run run = {.arguments = arguments, .file_count = common->operands.count};
    double start = ki_clock_seconds();
    kn_status status = build_defines_read(&arguments->build, &run.defines, err);

    if (!status && run.file_count == 0)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "no kernel file named; try 'koine check --help'");
    for (size_t i = 0; i < run.file_count && !status && !run.text; i++)
        status = build_input_read(common->operands.items[i], &run.text, err);
    if (!status)
        status = report_try(common, err);
    if (!status)
        status = check_targets_find(&arguments->targets, &run.targets, err);
    if (!status) {
        name_skipped(&run);
        status = check_all(&run, err);
    }
    run.seconds = ki_clock_seconds() - start;
    if (!status && common->json)
        status = check_write_json(&run, err);
    if (!status && report_shows_text(common) && run.targets.count && !check_print(&run))
        status = ki_fail_memory(err, 0, "printing the results");
    if (!status)
        common->check_failed = any_failed(&run);
    if (!status && !common->check_failed)
        status = judge_skipped(&run, err);
    free_run(&run);
    return status;
}

const struct command command_check = {
    .name = "check",
    .summary = "Compiles kernel files for installed devices and for devices that are not present",
    .operands = "FILE.cl...",
    .description =
        "Each file is compiled for each target: for every installed OpenCL device by its driver; for "
        "NVIDIA's GPUs by NVRTC (cuda:sm_75, cuda:sm_90, ..., and cuda:all, which is every architecture it "
        "knows); for AMD's by clang with ROCm's device libraries (amd:gfx90a, amd:gfx1030, ...); for Intel's "
        "by ocloc (intel:skl, intel:dg2, ...); to SPIR-V by clang and llvm-spirv. No hardware is needed for "
        "the last four. Nothing comes from the cache of compiled kernels, and nothing runs. The name of a "
        "file that does not exist may be that of one of Koine's own, such as reduce.cl.\n\n"
        "A table shows ok, failed or n/a: n/a is a file that needs double precision on a target without it. "
        "A second table shows what the compilers report about each kernel: registers, __local bytes, bytes "
        "of registers spilled to memory, and the largest work-group. Registers are per work-item for NVIDIA "
        "and AMD (AMD: vector registers), and per hardware thread for Intel. Diagnostics of the compilers go "
        "to standard error, with the line in the original file.\n\n"
        "A target whose compiler is not installed is named and skipped. If it was asked for with --target, "
        "the exit status is then 4.",
    .common = COMMON_POLICY | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine check -D TILE=32 -I include kernels.cl", "for every available target"},
                 {"koine check --target amd:gfx90a --target intel:dg2 *.cl",
                  "does it compile for these two? Neither needs to be present"}},
    .arguments_size = sizeof(struct check_arguments),
    .run = run_check,
};
