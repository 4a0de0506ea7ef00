// SPDX-License-Identifier: Apache-2.0
#include "offline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "offline_compiler.h"

static const char *const defaults[] = {"cuda:sm_75", "cuda:sm_90", "amd:gfx90a", "amd:gfx1030",
                                       "intel:skl",  "intel:dg2",  "spirv"};

static const struct offline_compiler *const compilers[] = {&ki_offline_cuda, &ki_offline_amd,
                                                           &ki_offline_intel, &ki_offline_spirv};

static const char empty_kernel[] = "__kernel void nothing(__global int *p) { p[get_global_id(0)] = 0; }\n";

// ---- targets ----

// The compiler of a target's name, and where the architecture begins in it.
static const struct offline_compiler *compiler_of(const char *name, const char **arch)
{
    for (size_t i = 0; i < KI_COUNT(compilers); i++) {
        size_t length = strlen(compilers[i]->prefix);

        if (strncmp(name, compilers[i]->prefix, length) != 0 || (name[length] && name[length] != ':'))
            continue;
        *arch = name[length] ? name + length + 1 : "";
        return compilers[i];
    }
    return NULL;
}

const char *kn_offline_get_default(size_t index)
{
    return index < KI_COUNT(defaults) ? defaults[index] : NULL;
}

static kn_status check_arch(const struct offline_compiler *compiler, const char *name, const char *arch,
                            const kn_offline_target *target, kn_error *err)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyz0123456789-_.";

    if (compiler->example && !*arch)
        return ki_fail(err, KN_ERROR_ARGUMENT, "target %s: an architecture must follow, as in %s", name,
                       compiler->example);
    if (!compiler->example && *arch)
        return ki_fail(err, KN_ERROR_ARGUMENT, "target %s: '%s' has no architectures", name,
                       compiler->prefix);
    if (strlen(name) >= sizeof target->name || strlen(arch) >= sizeof target->arch ||
        arch[strspn(arch, letters)])
        return ki_fail(err, KN_ERROR_ARGUMENT, "target %s: there is no such architecture", name);
    return KN_OK;
}

// The first line of a log that is not empty.
static void first_line(const char *log, const char **line, int *length)
{
    *line = log + strspn(log, "\n ");
    *length = (int)strcspn(*line, "\n");
}

// Compiles a kernel that does nothing: a compiler that fails at that is useless.
static kn_status try_target(const kn_offline_target *target, kn_error *err)
{
    const struct src_unit unit = {.opencl = empty_kernel, .opencl_length = sizeof empty_kernel - 1};
    kn_offline_result result;
    const char *line;
    int length;
    kn_status status = ki_offline_compile(target, &unit, NULL, KN_POLICY_DEFAULT, &result, err);

    if (status)
        return status;
    if (result.outcome != KN_OFFLINE_OK) {
        first_line(result.log, &line, &length);
        status = ki_fail(err, target->arch[0] ? KN_ERROR_ARGUMENT : KN_ERROR_DEVICE,
                         "target %s: %s does not compile for it: %.*s", target->name, target->program, length,
                         line);
    }
    ki_offline_result_clear(&result);
    return status;
}

// The first installed compiler that works. If none does, the first one's reason is reported.
static kn_status find_working(kn_offline_target *target, kn_error *err)
{
    kn_error first = KN_ERROR_INIT, reason = KN_ERROR_INIT;

    for (size_t attempt = 0; target->compiler->find(target, attempt, &reason) == KN_OK; attempt++) {
        if (target->compiler->is_library || try_target(target, &reason) == KN_OK)
            return KN_OK;
        if (first.code == KN_OK)
            first = reason;
        target->predefined_count = 0;
    }
    if (err)
        *err = first.code ? first : reason;
    return first.code ? first.code : reason.code;
}

kn_status kn_offline_open(const char *name, kn_offline_target **target, kn_error *err)
{
    const struct offline_compiler *compiler;
    const char *arch = "";
    kn_offline_target *made;
    kn_status status;

    if (!target)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_offline_open: target is NULL");
    *target = NULL;
    if (!name)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_offline_open: no target is named");
    compiler = compiler_of(name, &arch);
    if (!compiler)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no target '%s'", name);
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a target");
    status = check_arch(compiler, name, arch, made, err);
    if (!status) {
        made->compiler = compiler;
        snprintf(made->name, sizeof made->name, "%s", name);
        snprintf(made->arch, sizeof made->arch, "%s", arch);
        status = find_working(made, err);
    }
    if (status)
        kn_offline_close(made);
    else
        *target = made;
    return status;
}

void kn_offline_close(kn_offline_target *target)
{
    if (!target)
        return;
    ki_cuda_nvrtc_unload(&target->nvrtc);
    free(target->predefined);
    ki_arena_free(&target->arena);
    free(target);
}

const char *kn_offline_get_note(const kn_offline_target *target)
{
    return target ? target->note : "";
}

const kn_define *kn_offline_get_predefined(const kn_offline_target *target, size_t *count)
{
    if (count)
        *count = target ? target->predefined_count : 0;
    return target ? target->predefined : NULL;
}

// ---- compiling ----

static kn_status write_source(const struct src_unit *unit, const char *path, kn_policy policy, kn_error *err)
{
    FILE *file = fopen(path, "w");
    bool written = file &&
                   (policy != KN_POLICY_STRICT || fputs("#pragma OPENCL FP_CONTRACT OFF\n", file) >= 0) &&
                   fwrite(unit->opencl, 1, unit->opencl_length, file) == unit->opencl_length;
    int number = errno;

    if (file && fclose(file) != 0) {
        number = errno;
        written = false;
    }
    return written ? KN_OK : ki_fail_errno(err, KN_ERROR_OUTPUT, path, number, "cannot be written");
}

static kn_status not_applicable(const kn_offline_target *target, const struct src_unit *unit,
                                kn_offline_result *result, kn_error *err)
{
    struct ki_text log = KI_TEXT_INIT;

    ki_text_format(&log, "%s:%ld: uses double precision, which %s does not have\n", unit->double_file,
                   unit->double_line, target->name);
    result->outcome = KN_OFFLINE_NOT_APPLICABLE;
    result->log = ki_text_take(&log);
    return result->log ? KN_OK : ki_fail_memory(err, 0, "keeping a compiler's words");
}

bool kn_offline_get_uses_folder(const kn_offline_target *target)
{
    return target && !target->compiler->is_library;
}

// For a compiler that is a program: in a separate folder, which is removed.
static kn_status compile_in_folder(const kn_offline_target *target, struct offline_job *job,
                                   kn_offline_result *result, kn_error *err)
{
    char folder[PATH_MAX];
    struct ki_text source = KI_TEXT_INIT;
    kn_status status = ki_process_folder(folder, err);

    if (status)
        return status;
    ki_text_format(&source, "%s/program.cl", folder);
    job->folder = folder;
    job->source = ki_text_string(&source);
    status = source.failed ? ki_fail_memory(err, 0, "naming a file")
                           : write_source(job->unit, job->source, job->policy, err);
    if (!status)
        status = target->compiler->compile(target, job, result, err);
    ki_process_folder_remove(folder);
    ki_text_free(&source);
    return status;
}

kn_status ki_offline_compile(const kn_offline_target *target, const struct src_unit *unit,
                             const struct src_options *options, kn_policy policy, kn_offline_result *result,
                             kn_error *err)
{
    struct offline_job job = {.unit = unit, .options = options, .policy = policy};
    kn_status status = KN_OK;

    memset(result, 0, sizeof *result);
    if (target->no_fp64 && unit->double_line)
        return not_applicable(target, unit, result, err);
    for (size_t i = 0; i < unit->kernel_count && !status; i++)
        if (!ki_offline_kernel_named(result, unit->kernels[i].name, strlen(unit->kernels[i].name)))
            status = ki_fail_memory(err, 0, "listing kernels");
    if (!status)
        status = target->compiler->is_library ? target->compiler->compile(target, &job, result, err)
                                              : compile_in_folder(target, &job, result, err);
    if (!status && result->outcome != KN_OFFLINE_OK)
        ki_offline_drop_kernels(result);
    if (status)
        ki_offline_result_clear(result);
    return status;
}
