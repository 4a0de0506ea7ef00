// SPDX-License-Identifier: Apache-2.0
// amd:ARCH and spirv: clang compiles OpenCL C for AMD's GPUs (with ROCm's device libraries, to a complete
// code object), and to SPIR-V (through llvm-spirv, checked by spirv-val; only the front end runs if there is
// no llvm-spirv).
#define _GNU_SOURCE // memmem
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "offline_compiler.h"

// Suffixes of the versions' names. ROCm's libraries and llvm-spirv are made for one of them; 15 is that of
// Debian 12.
static const char *const versions[] = {"-15", "-16", "-17", "-18", "-19", "-20", "-21", ""};

static const char *const library_folders[] = {
    "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/aarch64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/amdgcn/bitcode",
    "/opt/rocm/amdgcn/bitcode",
};

static const char *const language[] = {
    "-x",
    "cl",
    "-cl-std=CL1.2",
    "-D__OPENCL_VERSION__=120",
    "-fno-caret-diagnostics", // the source line is shown by whoever prints the log
    NULL};
static const char *const built_ins[] = {"-Xclang", "-finclude-default-header", NULL};
static const char *const amd_arguments[] = {"-target", "amdgcn-amd-amdhsa", "-nogpulib", NULL};
static const char *const amd_output[] = {"-O3", "-mcode-object-version=4",
                                         "-Rpass-analysis=kernel-resource-usage", NULL};
static const char *const spirv_arguments[] = {"-target", "spir64", NULL};

static const char *const policy_arguments[][2] = {
    [KN_POLICY_DEFAULT] = {NULL},
    [KN_POLICY_STRICT] = {"-cl-fp32-correctly-rounded-divide-sqrt", NULL},
    [KN_POLICY_FAST] = {"-cl-fast-relaxed-math", NULL},
};

// ---- the macros that clang defines ----

static bool keep_define(kn_offline_target *target, const char *line, size_t length)
{
    static const char directive[] = "#define ";
    const char *name = line + sizeof directive - 1, *end = line + length, *at = name;

    if (length < sizeof directive || memcmp(line, directive, sizeof directive - 1) != 0)
        return true;
    while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
        at++;
    if (at < end && *at == '(') {
        while (at < end && *at != ')')
            at++;
        at += at < end;
    }
    return ki_offline_define(target, name, (size_t)(at - name), at + (at < end),
                             (size_t)(end - at - (at < end)));
}

static kn_status ask_defines(kn_offline_target *target, const char *const *target_arguments, kn_error *err)
{
    struct offline_arguments arguments = {.count = 0};
    kn_offline_result result = {.log = NULL};
    char cpu[64];
    int exit_status = 0;
    bool kept = true;
    kn_status status;

    snprintf(cpu, sizeof cpu, "-mcpu=%s", target->arch);
    ki_offline_argument(&arguments, target->program);
    ki_offline_add(&arguments, language);
    ki_offline_add(&arguments, target_arguments);
    if (target->arch[0])
        ki_offline_argument(&arguments, cpu);
    ki_offline_add(&arguments, (const char *const[]){"-dM", "-E", "/dev/null", NULL});
    status = ki_offline_run(&arguments, NULL, &result, &exit_status, err);
    for (const char *line = status ? "" : result.log; kept && *line;) {
        size_t length = strcspn(line, "\n");

        kept = keep_define(target, line, length);
        line += length + (line[length] == '\n');
    }
    ki_offline_result_clear(&result);
    return kept ? status : ki_fail_memory(err, 0, "keeping a compiler's macros");
}

static bool find_version(const char *program, size_t version, char path[PATH_MAX])
{
    char name[64];

    snprintf(name, sizeof name, "%s%s", program, versions[version]);
    return ki_process_find(name, path);
}

// ---- AMD ----

static bool has_library(const char *folder, const char *name, char path[PATH_MAX])
{
    int written = snprintf(path, PATH_MAX, "%s/%s.bc", folder, name);

    return written > 0 && written < PATH_MAX && access(path, R_OK) == 0;
}

static kn_status find_amd(kn_offline_target *target, size_t attempt, kn_error *err)
{
    char path[PATH_MAX];

    if (strncmp(target->arch, "gfx", 3) != 0)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "target %s: AMD's architectures are called gfx90a, gfx1030 and the like",
                       target->name);
    target->libraries[0] = '\0';
    for (size_t i = 0; i < KI_COUNT(library_folders) && !target->libraries[0]; i++)
        if (has_library(library_folders[i], "ockl", path))
            snprintf(target->libraries, PATH_MAX, "%s", library_folders[i]);
    if (!target->libraries[0])
        return ki_fail(
            err, KN_ERROR_NO_DEVICE,
            "target %s: ROCm's device libraries (amdgcn/bitcode/ockl.bc) are not installed (Debian, "
            "Ubuntu: apt-get install clang-15 lld-15 rocm-device-libs)",
            target->name);
    for (size_t i = 0; i < KI_COUNT(versions); i++)
        if (find_version("clang", i, target->program) && attempt-- == 0)
            return ask_defines(target, amd_arguments, err);
    return ki_fail(err, KN_ERROR_NO_DEVICE,
                   "target %s: clang is not installed (Debian, Ubuntu: apt-get install clang-15 lld-15 "
                   "rocm-device-libs)",
                   target->name);
}

// The libraries' names for an architecture and a policy.
static size_t amd_libraries(const kn_offline_target *target, kn_policy policy, char names[][PATH_MAX])
{
    const char *digits = target->arch + strlen("gfx");
    const bool is_rdna = strlen(digits) >= 4; // gfx10 and later have wavefronts of 32
    const bool is_fast = policy == KN_POLICY_FAST;
    const struct {
        const char *name, *ending;
    } wanted[] = {
        {"opencl", ""},
        {"ocml", ""},
        {"ockl", ""},
        {"oclc_daz_opt", "_off"},
        {"oclc_unsafe_math", is_fast ? "_on" : "_off"},
        {"oclc_finite_only", is_fast ? "_on" : "_off"},
        {"oclc_correctly_rounded_sqrt", policy == KN_POLICY_STRICT ? "_on" : "_off"},
        {"oclc_wavefrontsize64", is_rdna ? "_off" : "_on"},
        {"oclc_isa_version_", digits},
        {"oclc_abi_version_400", ""},
    };
    size_t count = 0;

    for (size_t i = 0; i < KI_COUNT(wanted); i++) {
        char name[96];

        snprintf(name, sizeof name, "%s%s", wanted[i].name, wanted[i].ending);
        if (has_library(target->libraries, name, names[count]))
            count++;
        else if (wanted[i].ending == digits && is_rdna && // ROCm 5.2's libraries end before gfx11
                 has_library(target->libraries, "oclc_isa_version_1036", names[count]))
            count++;
    }
    return count;
}

static const char remark[] = "[-Rpass-analysis=kernel-resource-usage]";

static bool is_remark(const char *line, size_t length)
{
    return memmem(line, length, remark, sizeof remark - 1) ||
           memmem(line, length, "could not determine the original source location", 48);
}

// "...: remark:     VGPRs: 63 [-Rpass...]": about the kernel whose "Function Name" came before.
static bool read_remark(const char *line, size_t length, kn_offline_result *result,
                        kn_offline_kernel **kernel)
{
    static const struct {
        const char *label;
        size_t offset;
        long unit;
    } numbers[] = {
        {"    VGPRs: ", offsetof(kn_offline_kernel, registers), 1},
        {"VGPRs Spill: ", offsetof(kn_offline_kernel, spill_bytes), 4},
        {"LDS Size [bytes/block]: ", offsetof(kn_offline_kernel, local_bytes), 1},
    };
    static const char function[] = "Function Name: ";
    const char *at = memmem(line, length, function, sizeof function - 1);

    if (at) {
        at += sizeof function - 1;
        *kernel = ki_offline_kernel_named(result, at, strcspn(at, " \n"));
        return *kernel != NULL;
    }
    for (size_t i = 0; i < KI_COUNT(numbers) && *kernel; i++) {
        at = memmem(line, length, numbers[i].label, strlen(numbers[i].label));
        if (at)
            *(long *)((char *)*kernel + numbers[i].offset) =
                strtol(at + strlen(numbers[i].label), NULL, 10) * numbers[i].unit;
    }
    return true;
}

// Moves the resource report out of the log.
static kn_status read_remarks(kn_offline_result *result, kn_error *err)
{
    struct ki_text rest = KI_TEXT_INIT;
    kn_offline_kernel *kernel = NULL;
    bool kept = true;

    for (const char *line = result->log; kept && *line;) {
        size_t length = strcspn(line, "\n");

        if (is_remark(line, length))
            kept = read_remark(line, length, result, &kernel);
        else
            ki_text_format(&rest, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    ki_text_add(&rest, "");
    free(result->log);
    result->log = ki_text_take(&rest);
    return kept && result->log ? KN_OK : ki_fail_memory(err, 0, "reading a compiler's words");
}

static kn_status compile_amd(const kn_offline_target *target, const struct offline_job *job,
                             kn_offline_result *result, kn_error *err)
{
    enum { LIBRARIES_MAX = 12 };
    char(*libraries)[PATH_MAX] = calloc(LIBRARIES_MAX, sizeof *libraries);
    struct offline_arguments arguments = {.count = 0};
    char cpu[64], output[PATH_MAX + 16];
    int exit_status = 0;
    size_t count;
    kn_status status;

    if (!libraries)
        return ki_fail_memory(err, LIBRARIES_MAX * sizeof *libraries, "compiling");
    snprintf(cpu, sizeof cpu, "-mcpu=%s", target->arch);
    snprintf(output, sizeof output, "%s/program.hsaco", job->folder);
    ki_offline_argument(&arguments, target->program);
    ki_offline_add(&arguments, language);
    ki_offline_add(&arguments, built_ins);
    ki_offline_add(&arguments, amd_arguments);
    ki_offline_add(&arguments, amd_output);
    ki_offline_add(&arguments, policy_arguments[job->policy]);
    ki_offline_argument(&arguments, cpu);
    count = amd_libraries(target, job->policy, libraries);
    for (size_t i = 0; i < count; i++)
        ki_offline_add(&arguments, (const char *const[]){"-Xclang", "-mlink-builtin-bitcode", "-Xclang",
                                                         libraries[i], NULL});
    ki_offline_add(&arguments, (const char *const[]){job->source, "-o", output, NULL});
    status = ki_offline_run(&arguments, NULL, result, &exit_status, err);
    if (!status)
        status = read_remarks(result, err);
    result->outcome = exit_status == 0 ? KN_OFFLINE_OK : KN_OFFLINE_FAILED;
    free(libraries);
    return status;
}

const struct offline_compiler ki_offline_amd = {"amd", "amd:gfx90a", false, find_amd, compile_amd};

// ---- SPIR-V ----

static kn_status find_spirv(kn_offline_target *target, size_t attempt, kn_error *err)
{
    bool found = false;

    for (size_t i = 0; i < KI_COUNT(versions) && !found && attempt == 0; i++)
        found =
            find_version("clang", i, target->program) && find_version("llvm-spirv", i, target->translator);
    if (!found)
        target->translator[0] = '\0';
    if (found && !ki_process_find("spirv-val", target->validator))
        target->validator[0] = '\0';
    for (size_t i = 0; i < KI_COUNT(versions) && !found && attempt == 0; i++)
        found = find_version("clang", i, target->program);
    if (!found)
        return ki_fail(err, KN_ERROR_NO_DEVICE,
                       "target spirv: clang is not installed (Debian, Ubuntu: apt-get install clang-15 "
                       "llvm-spirv-15 spirv-tools)");
    snprintf(target->note, sizeof target->note, "%s",
             !target->translator[0]  ? "front end only: no llvm-spirv of clang's version is installed"
             : !target->validator[0] ? "not validated: spirv-val (spirv-tools) is not installed"
                                     : "");
    return ask_defines(target, spirv_arguments, err);
}

static kn_status compile_spirv(const kn_offline_target *target, const struct offline_job *job,
                               kn_offline_result *result, kn_error *err)
{
    char bitcode[PATH_MAX + 16], spirv[PATH_MAX + 16];
    struct offline_arguments front = {.count = 0}, translate = {.count = 0}, validate = {.count = 0};
    int exit_status = 0;
    kn_status status;

    snprintf(bitcode, sizeof bitcode, "%s/program.bc", job->folder);
    snprintf(spirv, sizeof spirv, "%s/program.spv", job->folder);
    ki_offline_argument(&front, target->program);
    ki_offline_add(&front, language);
    ki_offline_add(&front, built_ins);
    ki_offline_add(&front, spirv_arguments);
    ki_offline_add(&front, policy_arguments[job->policy]);
    // Optimised loops are valid for drivers, but not for spirv-val.
    ki_offline_add(&front,
                   (const char *const[]){"-O0", "-emit-llvm", "-c", job->source, "-o", bitcode, NULL});
    ki_offline_add(&translate, (const char *const[]){target->translator, "--spirv-max-version=1.1", bitcode,
                                                     "-o", spirv, NULL});
    ki_offline_add(&validate,
                   (const char *const[]){target->validator, "--target-env", "opencl2.1", spirv, NULL});
    status = ki_offline_run(&front, NULL, result, &exit_status, err);
    if (!status && exit_status == 0 && target->translator[0])
        status = ki_offline_run(&translate, NULL, result, &exit_status, err);
    if (!status && exit_status == 0 && target->validator[0])
        status = ki_offline_run(&validate, NULL, result, &exit_status, err);
    result->outcome = exit_status == 0 ? KN_OFFLINE_OK : KN_OFFLINE_FAILED;
    return status;
}

const struct offline_compiler ki_offline_spirv = {"spirv", NULL, false, find_spirv, compile_spirv};
