// SPDX-License-Identifier: Apache-2.0
// What the offline compilers share, and the functions each of them has (offline.h).
#ifndef KN_BACKEND_OFFLINE_OFFLINE_COMPILER_H
#define KN_BACKEND_OFFLINE_OFFLINE_COMPILER_H

#include "base/arena.h"
#include "base/text/text.h"
#include "backend/cuda/cuda_load.h"
#include "offline.h"
#include "base/os/process.h"

enum { OFFLINE_ARGUMENTS_MAX = 96, OFFLINE_SECONDS = 120 };

// Where one compilation takes place.
struct offline_job {
    const struct src_unit *unit;
    const struct src_options *options; // with which it was read
    kn_policy policy;
    const char *folder; // NULL for a compiler that is a library
    const char *source; // the file in it
};

struct offline_compiler {
    const char *prefix;  // of the target's name, "amd"
    const char *example; // a target's name with its architecture, "amd:gfx90a"; NULL if it has none
    bool is_library;     // called in this process, and tried by `find`
    // Finds the programs it needs and fills in the target: with their first installed version, then
    // (`attempt` 1, 2, ...) with the others. KN_ERROR_NO_DEVICE if there are no more.
    kn_status (*find)(kn_offline_target *target, size_t attempt, kn_error *err);
    kn_status (*compile)(const kn_offline_target *target, const struct offline_job *job,
                         kn_offline_result *result, kn_error *err);
};

extern const struct offline_compiler ki_offline_amd, ki_offline_cuda, ki_offline_intel, ki_offline_spirv;

struct kn_offline_target {
    const struct offline_compiler *compiler;
    char name[64];
    char arch[48];             // "" if it has none
    struct cuda_nvrtc nvrtc;   // the compiler, if it is NVRTC, and
    int cuda_arch;             // 90 for sm_90
    char program[PATH_MAX];    // the compiler, if it is a program
    char translator[PATH_MAX]; // that its output goes through; "" if none
    char validator[PATH_MAX];  // that checks the output
    char libraries[PATH_MAX];  // a folder
    char note[128];
    bool no_fp64;
    kn_define *predefined;
    size_t predefined_count, predefined_capacity;
    struct ki_arena arena; // of the macros
};

// A list of arguments for ki_process_run; an argument that does not fit makes it `full`.
struct offline_arguments {
    const char *items[OFFLINE_ARGUMENTS_MAX + 1];
    size_t count;
    bool full;
};
void ki_offline_argument(struct offline_arguments *arguments, const char *argument);
// Several, up to a NULL.
void ki_offline_add(struct offline_arguments *arguments, const char *const *list);

// Runs the command. Its output is appended to the result's log; `*status` receives its exit status.
kn_status ki_offline_run(const struct offline_arguments *arguments, const char *const *variables,
                         kn_offline_result *result, int *status, kn_error *err);

// The result's record of a kernel, created if it is new. NULL: out of memory.
kn_offline_kernel *ki_offline_kernel_named(kn_offline_result *result, const char *name, size_t length);

// Drops the kernels' records of a result; the log stays.
void ki_offline_drop_kernels(kn_offline_result *result);

// Adds a macro to the target's macros; false if memory ran out.
bool ki_offline_define(kn_offline_target *target, const char *name, size_t name_length, const char *value,
                       size_t value_length);

#endif
