// SPDX-License-Identifier: Apache-2.0
// Offline compilers, for devices that need not be present: a program is compiled for them, and nothing runs.
// Each is another program in PATH (clang, ocloc), or a library (NVRTC). koine check uses this. Unstable
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

// A target whose compiler is installed. May be used by one thread at a time.
typedef struct kn_offline_target kn_offline_target;

// `name`: "cuda:sm_90", "amd:gfx90a", "intel:dg2", "spirv", and others that begin in the same way. Finds the
// compiler and tries it with an empty kernel. The caller closes *target. Errors: KN_ERROR_ARGUMENT if there
// is no such target, or the compiler does not know the architecture; KN_ERROR_NO_DEVICE if the compiler is
// not installed, with what is missing and the packages that contain it; KN_ERROR_DEVICE if it does not work.
// Cost: a compiler run, 0.1 s.
KN_API kn_status kn_offline_open(const char *name, kn_offline_target **target, kn_error *err);
// NULL is fine.
KN_API void kn_offline_close(kn_offline_target *target);

// The targets that koine check uses by default: "cuda:sm_75", ...; NULL past the end.
KN_API const char *kn_offline_get_default(size_t index);

// The architectures that the newest installed NVRTC compiles for, 90 for sm_90, in ascending order: `count`
// of them, of which `archs` receives as many as it has room for. Errors: KN_ERROR_NO_DEVICE if there is no
// NVRTC, with the reason; KN_ERROR_ARGUMENT.
KN_API kn_status kn_offline_get_cuda_archs(int archs[], size_t capacity, size_t *count, kn_error *err);

// A note about the target ("front end only: llvm-spirv is not installed"), "" if there is none; and the
// macros that its compiler defines, for kn_source_options.predefined. Both are owned by the target.
KN_API const char *kn_offline_get_note(const kn_offline_target *target);
KN_API const kn_define *kn_offline_get_predefined(const kn_offline_target *target, size_t *count);

// Whether kn_offline_compile works in a temporary folder: if the process is killed while it compiles, the
// folder is left behind.
KN_API bool kn_offline_get_uses_folder(const kn_offline_target *target);

typedef enum kn_offline_outcome {
    KN_OFFLINE_OK = 0,
    KN_OFFLINE_FAILED = 1,
    KN_OFFLINE_NOT_APPLICABLE = 2 // the program needs double precision, and the target has none
} kn_offline_outcome;

#define KN_OFFLINE_UNKNOWN (-1L)

// What the compiler reports about a kernel; KN_OFFLINE_UNKNOWN for what it does not report.
typedef struct kn_offline_kernel {
    char *name;
    long registers;   // per work-item (AMD: vector registers; Intel: per hardware thread)
    long local_bytes; // of __local variables
    long spill_bytes; // registers spilled to memory, per work-item (Intel: per hardware thread)
} kn_offline_kernel;

typedef struct kn_offline_result {
    kn_offline_outcome outcome;
    // The compiler's output, never NULL: files and lines are those of the source, and each message is
    // followed by the source line that it refers to.
    char *log;
    kn_offline_kernel *kernels; // none unless the outcome is KN_OFFLINE_OK
    size_t kernel_count;
} kn_offline_result;

// Compiles the program, which should have been read with the target's macros. A program that does not
// compile, or that cannot be translated to CUDA, is a result and not an error. The caller frees *result.
// Errors: KN_ERROR_DEVICE if the compiler cannot be started, KN_ERROR_OUTPUT if no temporary folder can be
// made, KN_ERROR_ARGUMENT, KN_ERROR_MEMORY. Cost: a compiler run, 0.1 to 10 s.
KN_API kn_status kn_offline_compile(const kn_offline_target *target, const kn_source *source,
                                    kn_policy policy, kn_offline_result **result, kn_error *err);
// NULL is fine.
KN_API void kn_offline_result_free(kn_offline_result *result);

#ifdef __cplusplus
}
#endif
#endif
