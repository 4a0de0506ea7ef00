// SPDX-License-Identifier: Apache-2.0
// cuda:sm_XX: NVRTC compiles the CUDA text of a program (src/source/cuda/cuda.h) to a cubin, without a
// driver.
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/ptx.h"
#include "source/cuda/cuda.h"
#include "source/preprocess/language.h"
#include "backend/cuda/cuda.h"
#include "offline_compiler.h"

// As on a CUDA device.
static const kn_define language[] = {
    SRC_LANGUAGE_MACROS, {"__OPENCL_VERSION__", "120"}, {"__IMAGE_SUPPORT__", "1"}};

// ---- finding NVRTC ----

static bool keep_macros(kn_offline_target *target)
{
    bool kept = true;

    for (size_t i = 0; i < KI_COUNT(language) && kept; i++)
        kept = ki_offline_define(target, language[i].name, strlen(language[i].name), language[i].value,
                                 strlen(language[i].value));
    for (const char *name = ki_cuda_extensions; *name && kept;) {
        size_t length = strcspn(name, " ");

        kept = ki_offline_define(target, name, length, "1", 1);
        name += length + strspn(name + length, " ");
    }
    return kept;
}

kn_status kn_offline_get_cuda_archs(int archs[], size_t capacity, size_t *count, kn_error *err)
{
    char reason[CUDA_WHY_BYTES];
    struct cuda_nvrtc nvrtc;

    if (count)
        *count = 0;
    if (!count || (capacity && !archs))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_offline_get_cuda_archs: %s is NULL",
                       count ? "archs" : "count");
    if (!ki_cuda_nvrtc_load(&nvrtc, INT_MAX, reason))
        return ki_fail(err, KN_ERROR_NO_DEVICE, "%s", reason);
    *count = (size_t)nvrtc.arch_count;
    for (size_t i = 0; i < *count && i < capacity; i++)
        archs[i] = nvrtc.archs[i];
    ki_cuda_nvrtc_unload(&nvrtc);
    return KN_OK;
}

// "sm_90" is 90; 0 if it has another form.
static int arch_number(const char *arch)
{
    char *end = NULL;
    long number =
        strncmp(arch, "sm_", 3) == 0 && isdigit((unsigned char)arch[3]) ? strtol(arch + 3, &end, 10) : 0;

    return end && !*end && number < 10000 ? (int)number : 0;
}

static bool compiles_for(const struct cuda_nvrtc *nvrtc, int arch)
{
    for (int i = 0; i < nvrtc->arch_count; i++)
        if (nvrtc->archs[i] == arch)
            return true;
    return false;
}

static kn_status refuse_arch(const char *name, const struct ki_text *archs, kn_error *err)
{
    return ki_fail(err, KN_ERROR_ARGUMENT, "target %s: there is no such architecture; %s", name,
                   ki_text_string(archs));
}

// The newest NVRTC that lists the architecture and does compile for it.
static kn_status find_nvrtc(kn_offline_target *target, kn_error *err)
{
    static const char nothing[] = "extern \"C\" __global__ void koine_nothing() {}\n";
    const int arch = arch_number(target->arch);
    struct ki_text archs = KI_TEXT_INIT;
    char why[CUDA_WHY_BYTES];
    kn_status status = KN_OK;

    for (int newest = INT_MAX; ki_cuda_nvrtc_load(&target->nvrtc, newest, why);) {
        if (compiles_for(&target->nvrtc, arch))
            break;
        newest = target->nvrtc.major - 1;
        ki_text_format(&archs, "%sNVRTC %d.%d compiles for", archs.length ? "; " : "", target->nvrtc.major,
                       target->nvrtc.minor);
        for (int i = 0; i < target->nvrtc.arch_count; i++)
            ki_text_format(&archs, "%s sm_%d", i ? "," : "", target->nvrtc.archs[i]);
        ki_cuda_nvrtc_unload(&target->nvrtc);
    }
    if (!target->nvrtc.library) {
        status = archs.length ? refuse_arch(target->name, &archs, err)
                              : ki_fail(err, KN_ERROR_NO_DEVICE, "target %s: %s", target->name, why);
    } else {
        struct cuda_cubin cubin = {NULL, 0};
        char *log = NULL;

        status = ki_cuda_compile(&target->nvrtc, nothing, "", arch, &cubin, &log, err);
        free(cubin.data);
        free(log);
    }
    ki_text_free(&archs);
    return status;
}

static kn_status find_cuda(kn_offline_target *target, size_t attempt, kn_error *err)
{
    kn_status status;

    if (attempt > 0)
        return ki_fail(err, KN_ERROR_NO_DEVICE, "target %s: there is no other NVRTC", target->name);
    status = find_nvrtc(target, err);
    if (status)
        return status;
    target->cuda_arch = arch_number(target->arch);
    snprintf(target->note, sizeof target->note, "NVRTC %d.%d", target->nvrtc.major, target->nvrtc.minor);
    return keep_macros(target) ? KN_OK : ki_fail_memory(err, 0, "keeping a compiler's macros");
}

// ---- its messages ----

// "file.cl(6): error: ..." becomes "file.cl:6: error: ...".
static void add_line(struct ki_text *text, const char *line, size_t length)
{
    size_t open = 0, close = 0;

    for (size_t i = 0; i + 1 < length && !close; i++) {
        size_t digits = 0;

        if (line[i] != '(')
            continue;
        while (i + 1 + digits < length && isdigit((unsigned char)line[i + 1 + digits]))
            digits++;
        if (digits && i + 2 + digits < length && line[i + 1 + digits] == ')' && line[i + 2 + digits] == ':') {
            open = i;
            close = i + 1 + digits;
        }
    }
    if (close)
        ki_text_format(text, "%.*s:%.*s%.*s\n", (int)open, line, (int)(close - open - 1), line + open + 1,
                       (int)(length - close - 1), line + close + 1);
    else
        ki_text_format(text, "%.*s\n", (int)length, line);
}

static void take_report(const char *log, kn_offline_kernel *kernel)
{
    struct ki_ptxas_report report;

    if (!ki_ptxas_read(log, kernel->name, &report))
        return;
    kernel->registers = report.registers;
    kernel->local_bytes = report.shared_bytes;
    if (report.spill_bytes >= 0)
        kernel->spill_bytes = report.spill_bytes;
}

// Moves the resource report out of the log; the rest is the result's.
static kn_status read_log(const char *log, kn_offline_result *result, kn_error *err)
{
    struct ki_text rest = KI_TEXT_INIT;

    log = log ? log : "";
    for (size_t i = 0; i < result->kernel_count; i++)
        take_report(log, &result->kernels[i]);
    ki_text_add(&rest, "");
    for (const char *line = log; *line;) {
        size_t length = strcspn(line, "\n");

        if (!ki_ptxas_is_report(line, length))
            add_line(&rest, line, length);
        line += length + (line[length] == '\n');
    }
    free(result->log);
    result->log = ki_text_take(&rest);
    return result->log ? KN_OK : ki_fail_memory(err, 0, "keeping a compiler's words");
}

// ---- compiling ----

// A program that does not compile is a result.
static kn_status keep_refusal(kn_status refused, const kn_error *why, kn_offline_result *result,
                              kn_error *err)
{
    if (refused != KN_ERROR_BUILD && refused != KN_ERROR_UNSUPPORTED && refused != KN_ERROR_LIMIT) {
        if (err)
            *err = *why;
        return refused;
    }
    result->outcome = KN_OFFLINE_FAILED;
    if (result->log && *result->log)
        return KN_OK; // the compiler's message is in the log
    return read_log(why->text, result, err);
}

// Compiles with the resources of every kernel in the log. With them, NVRTC drops the messages of ptxas (about
// a kernel with too much local memory): then it compiles once more without them.
static kn_status compile_text(const kn_offline_target *target, const char *text, const char *options,
                              struct cuda_cubin *cubin, char **log, kn_error *err)
{
    struct ki_text with_report = KI_TEXT_INIT;
    kn_status status;

    ki_text_format(&with_report, "%s --ptxas-options=-v", options);
    if (with_report.failed)
        return ki_fail_memory(err, 0, "compiling a program");
    status = ki_cuda_compile(&target->nvrtc, text, ki_text_string(&with_report), target->cuda_arch, cubin,
                             log, err);
    ki_text_free(&with_report);
    if (status != KN_ERROR_BUILD || !*log || strstr(*log, "error"))
        return status;
    free(*log);
    return ki_cuda_compile(&target->nvrtc, text, options, target->cuda_arch, cubin, log, err);
}

// The shared memory that a block can opt in to (CUDA programming guide, "Technical specifications per compute
// capability"); for chips newer than the table, the largest there is.
static size_t most_shared(int arch)
{
    static const struct {
        int arch;
        size_t kibibytes;
    } table[] = {{70, 96},  {72, 96}, {75, 64},  {80, 163}, {86, 99},
                 {87, 163}, {89, 99}, {120, 99}, {121, 99}};

    for (size_t i = 0; i < KI_COUNT(table); i++)
        if (table[i].arch == arch)
            return table[i].kibibytes << 10;
    return (size_t)227 << 10;
}

static kn_offline_kernel *find_kernel(kn_offline_result *result, const char *name)
{
    for (size_t k = 0; k < result->kernel_count; k++)
        if (strcmp(result->kernels[k].name, name) == 0)
            return &result->kernels[k];
    return NULL;
}

// The compiler counts and limits only static shared memory: the arena is added here.
static kn_status add_arenas(const kn_offline_target *target, const struct src_unit *unit,
                            const struct src_cuda *cuda, kn_offline_result *result, kn_error *err)
{
    const size_t most = most_shared(target->cuda_arch);
    struct ki_text refused = KI_TEXT_INIT;
    kn_status status = KN_OK;

    for (size_t i = 0; i < unit->kernel_count; i++) {
        kn_offline_kernel *kernel = find_kernel(result, unit->kernels[i].name);

        if (!kernel || kernel->local_bytes < 0 || !cuda->kernels[i].arena_bytes)
            continue;
        kernel->local_bytes += (long)cuda->kernels[i].arena_bytes;
        if ((size_t)kernel->local_bytes > most)
            ki_text_format(
                &refused,
                "%s:%ld: error: %s has %ld bytes of __local variables; a work-group on sm_%d has at "
                "most %zu: make them smaller, or compile for a device with more\n",
                unit->kernels[i].file, unit->kernels[i].line, kernel->name, kernel->local_bytes,
                target->cuda_arch, most);
    }
    if (refused.length) {
        result->outcome = KN_OFFLINE_FAILED;
        ki_text_add(&refused, result->log ? result->log : "");
        free(result->log);
        result->log = ki_text_take(&refused);
        status = result->log ? KN_OK : ki_fail_memory(err, 0, "keeping a compiler's words");
    }
    ki_text_free(&refused);
    return status;
}

static kn_status compile_cuda(const kn_offline_target *target, const struct offline_job *job,
                              kn_offline_result *result, kn_error *err)
{
    struct cuda_cubin cubin = {NULL, 0};
    struct src_cuda *cuda = NULL;
    kn_error why = KN_ERROR_INIT;
    char *log = NULL;
    kn_status status = ki_src_cuda_program(job->unit, job->options, &cuda, &why), kept;

    if (status)
        return keep_refusal(status, &why, result, err);
    status = compile_text(target, cuda->text, ki_cuda_policy_options(job->policy, cuda->contract_off), &cubin,
                          &log, &why);
    kept = read_log(log, result, err);
    if (!status && !kept)
        kept = add_arenas(target, job->unit, cuda, result, err);
    if (status && !kept)
        kept = keep_refusal(status, &why, result, err);
    free(log);
    free(cubin.data);
    ki_src_cuda_free(cuda);
    return kept;
}

const struct offline_compiler ki_offline_cuda = {"cuda", "cuda:sm_90", true, find_cuda, compile_cuda};
