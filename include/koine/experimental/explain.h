// SPDX-License-Identifier: Apache-2.0
// How a kernel was compiled: the compiler's report, its PTX, the registers and memory it takes, its launches;
// and replacing it with other PTX. koine compare --explain uses this. Unstable (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_EXPLAIN_H
#define KOINE_EXPERIMENTAL_EXPLAIN_H

#include <koine/error.h>
#include <koine/launch.h>
#include <koine/program.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// From now on the context's programs are always compiled, without reading or writing the cache on disk.
// NVIDIA's compilers are asked for their report (kn_program_get_report), and kn_program_get_ptx works. Call
// it before the first program, from one thread. Error: KN_ERROR_ARGUMENT.
KN_API kn_status kn_context_explain(kn_context *context, kn_error *err);

// The compiler's output for the program, with ptxas's lines on each kernel's registers and spills if it is
// NVIDIA's; "" for NULL, for a program that came from the cache, and if there was no output.
KN_API const char *kn_program_get_report(const kn_program *program);

// The program as PTX: its binary with NVIDIA's OpenCL; with CUDA, what NVRTC generates on the way to machine
// code. Free it with kn_free. Errors: KN_ERROR_UNSUPPORTED, with the reason, if there is none: with another
// driver, or with CUDA without kn_context_explain; KN_ERROR_DEVICE, KN_ERROR_ARGUMENT, KN_ERROR_MEMORY. Cost:
// with CUDA, a compiler run.
KN_API kn_status kn_program_get_ptx(kn_program *program, char **ptx, kn_error *err);

#define KN_RESOURCE_UNKNOWN (-1L)

// As the driver reports them; KN_RESOURCE_UNKNOWN for what it does not report.
typedef struct kn_kernel_resources {
    long registers;     // per work-item
    long private_bytes; // memory per work-item: arrays, and registers that were spilled
    long local_bytes;   // per work-group, including those for arguments
    long groups;        // work-groups that a multiprocessor holds at once (CUDA)
} kn_kernel_resources;

// For work-groups of `group_items` work-items with `local_bytes` for __local arguments. Errors:
// KN_ERROR_ARGUMENT, KN_ERROR_DEVICE.
KN_API kn_status kn_kernel_get_resources(kn_kernel *kernel, size_t group_items, size_t local_bytes,
                                         kn_kernel_resources *resources, kn_error *err);

// A launch, as reported to the function below.
typedef struct kn_launch_notice {
    kn_program *program; // of the kernel; the lifetime of both is unchanged
    kn_kernel *kernel;
    kn_range range;     // local all 0: the device's choice
    size_t local_bytes; // for __local arguments, each rounded up to 16
} kn_launch_notice;

typedef void kn_launch_function(void *user, const kn_launch_notice *notice);

// Calls `function` after each launch in the queue, including those of algorithms, and those of replayed
// recordings while the queue is profiled (kn_profile_start); NULL ends it. The function must not launch
// anything. Error: KN_ERROR_ARGUMENT.
KN_API kn_status kn_queue_watch(kn_queue *queue, kn_launch_function *function, void *user, kn_error *err);

// From now on each kernel of this name in the context's programs runs an entry of this PTX instead: `kernel`
// or `koine_kernel`. PTX from NVIDIA's OpenCL is adapted to CUDA's launches: local memory, sizes and ids work
// as they do there. The programs are still compiled, since their source says what the arguments are. Call it
// before the first program; a later call replaces the PTX. Errors: KN_ERROR_UNSUPPORTED on paths other than
// CUDA and for PTX that needs what a CUDA launch does not give (images, __constant arguments in constant
// memory, get_work_dim); KN_ERROR_INPUT for text without such an entry, with a list of its entries. Arguments
// that do not match the kernel's, and PTX that ptxas refuses, are errors of the program (kn_program_from_text
// and its siblings): KN_ERROR_INPUT. A launch with an offset, or of more groups than one grid holds, is
// refused with KN_ERROR_UNSUPPORTED.
KN_API kn_status kn_context_load_ptx(kn_context *context, const char *kernel, const char *ptx, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
