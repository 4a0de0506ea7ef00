// SPDX-License-Identifier: Apache-2.0
// Compilers of devices that need not be there: a program is compiled for them, and nothing runs. Each is
// another program (clang, ocloc), found in PATH, or a library (NVRTC).
#ifndef KN_BACKEND_OFFLINE_OFFLINE_H
#define KN_BACKEND_OFFLINE_OFFLINE_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>
#include <koine/program.h>

#include "source/source.h"

struct offline_target;

enum offline_outcome {
    OFFLINE_OK,
    OFFLINE_FAILED,
    OFFLINE_NOT_APPLICABLE // it needs double precision, and the target has none
};

enum { OFFLINE_UNKNOWN = -1 };

// What the compiler tells of a kernel; OFFLINE_UNKNOWN for what it does not tell.
struct offline_kernel {
    char *name;
    long registers;   // a work-item's (AMD: vector registers; Intel: of a hardware thread)
    long local_bytes; // __local variables
    long spill_bytes; // a work-item's registers that went to memory (Intel: of a hardware thread)
};

struct offline_result {
    enum offline_outcome outcome;
    char *log; // what the compiler said, places as #line has them; never NULL
    struct offline_kernel *kernels;
    size_t kernel_count;
};

// What is compiled for where no target is named; ends in NULL.
extern const char *const ki_offline_defaults[];

// Whether `name` begins like one of these targets ("cuda:sm_90", "amd:gfx90a", "intel:dg2", "spirv").
bool ki_offline_knows(const char *name);

// Finds the compiler and tries it with a kernel that does nothing.
// Errors: KN_ERROR_ARGUMENT if the compiler knows no such architecture; KN_ERROR_NO_DEVICE if it is not
// installed, with what is missing and the packages that have it; KN_ERROR_DEVICE if it does not work here.
kn_status ki_offline_open(const char *name, struct offline_target **target, kn_error *err);
// The architectures that the newest NVRTC here compiles for, 90 for sm_90, rising; 0 of them with the reason
// if there is no NVRTC.
size_t ki_offline_cuda_archs(int archs[], size_t capacity, char why[], size_t why_bytes);
void ki_offline_close(struct offline_target *target); // NULL is fine
const char *ki_offline_name(const struct offline_target *target);
// What is to be known of it besides its name ("front end only: llvm-spirv is not installed"); "" if nothing.
const char *ki_offline_note(const struct offline_target *target);

// Whether compiling takes place in a temporary folder, which must not be left behind.
bool ki_offline_uses_folder(const struct offline_target *target);

// The macros that its compiler defines, for ki_src_read. The target's.
const kn_define *ki_offline_predefined(const struct offline_target *target, size_t *count);

// Compiles the unit, which was read with `options`. A program that does not compile is a result, no error.
// Among these are programs that the rewriter refuses for CUDA.
// Errors: KN_ERROR_DEVICE (the compiler cannot be started), KN_ERROR_OUTPUT (no temporary folder),
// KN_ERROR_MEMORY.
kn_status ki_offline_compile(const struct offline_target *target, const struct src_unit *unit,
                             const struct src_options *options, kn_policy policy,
                             struct offline_result *result, kn_error *err);
void ki_offline_result_free(struct offline_result *result);

#endif
