// SPDX-License-Identifier: Apache-2.0
// What became of a kernel: the compiler's report, its PTX, the registers and memory it takes, who launches
// it; and PTX from elsewhere in its place. koine compare --explain is made of it. Not promised
// (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_EXPLAIN_H
#define KOINE_EXPERIMENTAL_EXPLAIN_H

#include <koine/error.h>
#include <koine/launch.h>
#include <koine/program.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// From now on the context's programs are compiled, whatever the cache on disk has, and are not kept there.
// NVIDIA's compilers are asked for their report (kn_program_get_report), and kn_program_get_ptx works. To be
// called before the first program; by one thread. Error: KN_ERROR_ARGUMENT.
KN_API kn_status kn_context_explain(kn_context *context, kn_error *err);

// What the compiler said when it made the program, with ptxas's lines on each kernel's registers and spills
// where it is NVIDIA's; "" for NULL, for a program that came from the cache, and where nothing was said.
KN_API const char *kn_program_get_report(const kn_program *program);

// The program as PTX: of NVIDIA's OpenCL its binary, of CUDA what NVRTC makes on the way to the machine code.
// To be freed with kn_free. Errors: KN_ERROR_UNSUPPORTED, with the reason, where there is none: another
// driver, or CUDA without kn_context_explain; KN_ERROR_DEVICE, KN_ERROR_ARGUMENT, KN_ERROR_MEMORY. Cost: with
// CUDA a run of the compiler.
KN_API kn_status kn_program_get_ptx(kn_program *program, char **ptx, kn_error *err);

#define KN_RESOURCE_UNKNOWN (-1L)

// As the driver says; KN_RESOURCE_UNKNOWN for what it does not say.
typedef struct kn_kernel_resources {
    long registers;     // a work-item's
    long private_bytes; // a work-item's in memory: arrays, and registers that were spilled
    long local_bytes;   // of a work-group, those for arguments included
    long groups;        // work-groups that a multiprocessor holds at once (CUDA)
} kn_kernel_resources;

// For work-groups of `group_items` work-items with `local_bytes` for __local arguments. Errors:
// KN_ERROR_ARGUMENT, KN_ERROR_DEVICE.
KN_API kn_status kn_kernel_get_resources(kn_kernel *kernel, size_t group_items, size_t local_bytes,
                                         kn_kernel_resources *resources, kn_error *err);

// A launch that was made.
typedef struct kn_launch_notice {
    kn_program *program; // of the kernel; both live on as they did
    kn_kernel *kernel;
    kn_range range;     // local all 0: the device's choice
    size_t local_bytes; // for __local arguments, each rounded up to 16
} kn_launch_notice;

typedef void kn_launch_function(void *user, const kn_launch_notice *notice);

// Calls `function` after each launch in the queue, algorithms' own and replays of recordings among them while
// the queue is profiled (kn_profile_start); NULL ends it. It launches nothing itself. Error:
// KN_ERROR_ARGUMENT.
KN_API kn_status kn_queue_watch(kn_queue *queue, kn_launch_function *function, void *user, kn_error *err);

// From now on each kernel of this name in the context's programs runs the entry of this PTX instead: `kernel`
// or `koine_kernel`. PTX of NVIDIA's OpenCL is fitted to CUDA's launches: local memory, sizes and ids are
// what they are there. The programs are compiled all the same, as their source says what the arguments are.
// To be called before the first program; a later call takes other PTX. Errors: KN_ERROR_UNSUPPORTED on paths
// other than CUDA and for PTX that needs what a CUDA launch does not give (images, __constant arguments in
// constant memory, get_work_dim); KN_ERROR_INPUT for text that has no such entry, with those it has.
// Arguments that do not fit the kernel's, and what ptxas says of PTX that it refuses, are errors of the
// program's (kn_program_from_text and its like): KN_ERROR_INPUT. A launch with an offset, or of more groups
// than one grid holds, is refused with KN_ERROR_UNSUPPORTED.
KN_API kn_status kn_context_load_ptx(kn_context *context, const char *kernel, const char *ptx, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
