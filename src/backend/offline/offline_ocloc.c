// SPDX-License-Identifier: Apache-2.0
// intel:DEVICE: ocloc, Intel's offline compiler. Registers and spills are reported in the assembler texts
// that its code generator writes on request.
#define _GNU_SOURCE // asprintf
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "offline_compiler.h"

// Devices without double precision, by the beginning of their names. For them ocloc turns double constants
// into float with a warning, and refuses the type.
static const char *const without_fp64[] = {"icl", "lkf", "ehl", "jsl",    "tgl", "rkl", "adl",
                                           "dg1", "dg2", "acm", "xe-hpg", "rpl", "mtl"};

// The macros that ocloc defines (as of 22.43).
static const kn_define always[] = {
    {"__OPENCL_VERSION__", "120"},
    {"__OPENCL_C_VERSION__", "120"},
    {"CL_VERSION_1_0", "100"},
    {"CL_VERSION_1_1", "110"},
    {"CL_VERSION_1_2", "120"},
    {"__ENDIAN_LITTLE__", "1"},
    {"__IMAGE_SUPPORT__", "1"},
    {"__SPIR__", "1"},
    {"__SPIR64__", "1"},
    {"__clang__", "1"},
    {"__kernel_exec(X, typen)", "__kernel"},
    {"cl_khr_fp16", "1"},
    {"cl_khr_3d_image_writes", "1"},
    {"cl_khr_byte_addressable_store", "1"},
    {"cl_khr_global_int32_base_atomics", "1"},
    {"cl_khr_global_int32_extended_atomics", "1"},
    {"cl_khr_local_int32_base_atomics", "1"},
    {"cl_khr_local_int32_extended_atomics", "1"},
    {"cl_khr_int64_base_atomics", "1"},
    {"cl_khr_int64_extended_atomics", "1"},
    {"cl_khr_subgroups", "1"},
    {"cl_intel_subgroups", "1"},
    {"cl_intel_subgroups_short", "1"},
    {"cl_intel_required_subgroup_size", "1"},
};

static const char *const policy_arguments[] = {
    [KN_POLICY_DEFAULT] = "-cl-std=CL1.2",
    [KN_POLICY_STRICT] = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt",
    [KN_POLICY_FAST] = "-cl-std=CL1.2 -cl-fast-relaxed-math",
};

static kn_status find_intel(kn_offline_target *target, size_t attempt, kn_error *err)
{
    bool kept = true;

    if (attempt > 0 || !ki_process_find("ocloc", target->program))
        return ki_fail(err, KN_ERROR_NO_DEVICE,
                       "target %s: ocloc is not installed (Debian, Ubuntu: apt-get install intel-opencl-icd)",
                       target->name);
    for (size_t i = 0; i < KI_COUNT(without_fp64); i++)
        if (strncmp(target->arch, without_fp64[i], strlen(without_fp64[i])) == 0)
            target->no_fp64 = true;
    for (size_t i = 0; i < KI_COUNT(always) && kept; i++)
        kept = ki_offline_define(target, always[i].name, strlen(always[i].name), always[i].value,
                                 strlen(always[i].value));
    if (kept && !target->no_fp64)
        kept = ki_offline_define(target, "cl_khr_fp64", strlen("cl_khr_fp64"), "1", 1);
    return kept ? KN_OK : ki_fail_memory(err, 0, "keeping a compiler's macros");
}

// The contents of one assembler text; the name is empty if it is not one.
struct assembler {
    char kernel[256];
    long registers;
    long spill;
};

static void read_assembler(const char *path, struct assembler *found)
{
    FILE *file = fopen(path, "r");
    char line[4096];

    *found = (struct assembler){.registers = KN_OFFLINE_UNKNOWN};
    // The header's lines begin with "//."; the first other line that is not empty ends it.
    while (file && fgets(line, sizeof line, file) && (strncmp(line, "//", 2) == 0 || line[0] == '\n')) {
        sscanf(line, "//.kernel %255[^\n]", found->kernel);
        sscanf(line, "//.thread_config numGRF=%ld", &found->registers);
        sscanf(line, "//.spill size %ld", &found->spill);
    }
    if (file)
        fclose(file);
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec >= b->tv_nsec;
}

// When the assembler texts of the result's kernels were written; 0 if none was read yet.
struct dates {
    struct timespec *items;
    size_t count;
};

static struct timespec *date_of(struct dates *dates, size_t kernel)
{
    while (dates->count <= kernel) {
        struct timespec *items = realloc(dates->items, (dates->count + 1) * sizeof *items);

        if (!items)
            return NULL;
        dates->items = items;
        items[dates->count++] = (struct timespec){0, 0};
    }
    return &dates->items[kernel];
}

// A kernel may be generated several times (for 32 lanes, then for 16 because that spilled): the last one
// counts.
static bool keep_assembler(const char *path, kn_offline_result *result, struct dates *dates)
{
    struct assembler found;
    kn_offline_kernel *kernel;
    struct timespec *date;
    struct stat info;

    read_assembler(path, &found);
    if (!found.kernel[0] || stat(path, &info) != 0)
        return true;
    kernel = ki_offline_kernel_named(result, found.kernel, strlen(found.kernel));
    date = kernel ? date_of(dates, (size_t)(kernel - result->kernels)) : NULL;
    if (!date)
        return false;
    if (is_newer(&info.st_mtim, date)) {
        *date = info.st_mtim;
        kernel->registers = found.registers;
        kernel->spill_bytes = found.spill;
    }
    return true;
}

static kn_status read_dump(const char *folder, kn_offline_result *result, kn_error *err)
{
    DIR *dir = opendir(folder);
    struct dates dates = {NULL, 0};
    bool kept = true;

    for (struct dirent *entry; kept && dir && (entry = readdir(dir));) {
        const char *ending = strrchr(entry->d_name, '.');
        char *path = NULL;

        if (!ending || strcmp(ending, ".asm") != 0)
            continue;
        kept = asprintf(&path, "%s/%s", folder, entry->d_name) >= 0 && keep_assembler(path, result, &dates);
        free(path);
    }
    if (dir)
        closedir(dir);
    free(dates.items);
    return kept ? KN_OK : ki_fail_memory(err, 0, "reading what ocloc wrote");
}

// Removes lines without information from the log.
static kn_status clean_log(kn_offline_result *result, kn_error *err)
{
    static const char *const noise[] = {"Build succeeded.", "Command was:"};
    struct ki_text rest = KI_TEXT_INIT;

    for (const char *line = result->log; *line;) {
        size_t length = strcspn(line, "\n");
        bool says = length > 0;

        for (size_t i = 0; i < KI_COUNT(noise); i++)
            says = says && strncmp(line, noise[i], strlen(noise[i])) != 0;
        if (says)
            ki_text_format(&rest, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    ki_text_add(&rest, "");
    free(result->log);
    result->log = ki_text_take(&rest);
    return result->log ? KN_OK : ki_fail_memory(err, 0, "reading a compiler's words");
}

static kn_status compile_intel(const kn_offline_target *target, const struct offline_job *job,
                               kn_offline_result *result, kn_error *err)
{
    char dump[PATH_MAX + 64];
    const char *const variables[] = {"IGC_ShaderDumpEnable=1", dump, NULL};
    struct offline_arguments arguments = {.count = 0};
    int exit_status = 0;
    kn_status status;

    snprintf(dump, sizeof dump, "IGC_DumpToCustomDir=%s/dump", job->folder);
    ki_offline_add(&arguments, (const char *const[]){
                                   target->program, "compile", "-file", job->source, "-device", target->arch,
                                   "-options", policy_arguments[job->policy], "-out_dir", job->folder, NULL});
    status = ki_offline_run(&arguments, variables, result, &exit_status, err);
    if (!status)
        status = clean_log(result, err);
    result->outcome = exit_status == 0 ? KN_OFFLINE_OK : KN_OFFLINE_FAILED;
    if (!status && exit_status == 0)
        status = read_dump(strchr(dump, '=') + 1, result, err);
    return status;
}

const struct offline_compiler ki_offline_intel = {"intel", "intel:dg2", false, find_intel, compile_intel};
