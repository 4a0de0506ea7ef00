// SPDX-License-Identifier: Apache-2.0
// Compilers of devices that need not be there: a program is compiled for them, and nothing runs. Each is
// another program (clang, ocloc) that PATH has, or a library (NVRTC). koine check is made of it. Not promised
// (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_OFFLINE_H
#define KOINE_EXPERIMENTAL_OFFLINE_H

#include <koine/error.h>
#include <koine/experimental/source.h>
#include <koine/program.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// A target whose compiler is here. To be used by one thread at a time.
typedef struct kn_offline_target kn_offline_target;

// `name`: "cuda:sm_90", "amd:gfx90a", "intel:dg2", "spirv", and others that begin in the same way. Finds the
// compiler and tries it with a kernel that does nothing. The caller closes *target. Errors: KN_ERROR_ARGUMENT
// if there is no such target, or the compiler knows no such architecture; KN_ERROR_NO_DEVICE if the compiler
// is not installed, with what is missing and the packages that have it; KN_ERROR_DEVICE if it does not work
// here. Cost: a compiler run, 0.1 s.
KN_API kn_status kn_offline_open(const char *name, kn_offline_target **target, kn_error *err);
// NULL is fine.
KN_API void kn_offline_close(kn_offline_target *target);

// The targets that koine check takes where none is named: "cuda:sm_75", ...; NULL past the end.
KN_API const char *kn_offline_get_default(size_t index);

// The architectures that the newest NVRTC here compiles for, 90 for sm_90, rising: `count` of them, of which
// `archs` receives as many as it has room for. Errors: KN_ERROR_NO_DEVICE if there is no NVRTC, with the
// reason; KN_ERROR_ARGUMENT.
KN_API kn_status kn_offline_get_cuda_archs(int archs[], size_t capacity, size_t *count, kn_error *err);

// What is to be known of the target besides its name ("front end only: llvm-spirv is not installed"), "" if
// nothing; its own, as the macros that its compiler defines, for kn_source_options.predefined.
KN_API const char *kn_offline_get_note(const kn_offline_target *target);
KN_API const kn_define *kn_offline_get_predefined(const kn_offline_target *target, size_t *count);

// Whether kn_offline_compile works in a temporary folder: a process that is to end must not be stopped in it,
// or the folder stays.
KN_API bool kn_offline_get_uses_folder(const kn_offline_target *target);

typedef enum kn_offline_outcome {
    KN_OFFLINE_OK = 0,
    KN_OFFLINE_FAILED = 1,
    KN_OFFLINE_NOT_APPLICABLE = 2 // the program needs double precision, and the target has none
} kn_offline_outcome;

#define KN_OFFLINE_UNKNOWN (-1L)

// What the compiler tells of a kernel; KN_OFFLINE_UNKNOWN for what it does not tell.
typedef struct kn_offline_kernel {
    char *name;
    long registers;   // a work-item's (AMD: vector registers; Intel: of a hardware thread)
    long local_bytes; // of __local variables
    long spill_bytes; // of a work-item's registers that went to memory (Intel: of a hardware thread)
} kn_offline_kernel;

typedef struct kn_offline_result {
    kn_offline_outcome outcome;
    // What the compiler said, never NULL: files and lines are those of the source, and behind each message
    // stands the line of which it speaks.
    char *log;
    kn_offline_kernel *kernels; // none unless the outcome is KN_OFFLINE_OK
    size_t kernel_count;
} kn_offline_result;

// Compiles the program, which should have been read with the target's macros. That it does not compile is a
// result and no error, also where it cannot be written for CUDA. The caller frees *result. Errors:
// KN_ERROR_DEVICE if the compiler cannot be started, KN_ERROR_OUTPUT if there can be no temporary folder,
// KN_ERROR_ARGUMENT, KN_ERROR_MEMORY. Cost: a compiler run, 0.1 to 10 s.
KN_API kn_status kn_offline_compile(const kn_offline_target *target, const kn_source *source,
                                    kn_policy policy, kn_offline_result **result, kn_error *err);
// NULL is fine.
KN_API void kn_offline_result_free(kn_offline_result *result);

#ifdef __cplusplus
}
#endif
#endif
