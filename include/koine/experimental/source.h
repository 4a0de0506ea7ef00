// SPDX-License-Identifier: Apache-2.0
// Kernel sources without a device: an OpenCL C 1.2 program, preprocessed, as one text that needs no other
// file, with what a host program has to know of its kernels; and the same program as CUDA C++17. koine emit
// is made of it. Not promised (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_SOURCE_H
#define KOINE_EXPERIMENTAL_SOURCE_H

#include <koine/error.h>
#include <koine/program.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// A program that was read. Whatever the functions below return of it belongs to it and lives as long.
typedef struct kn_source kn_source;

// The macros and extensions of a target where kn_source_options.predefined is NULL.
typedef enum kn_source_macros {
    KN_SOURCE_MACROS_OPENCL = 0, // any device of OpenCL 1.2 with double precision
    KN_SOURCE_MACROS_CUDA = 1    // what Koine offers on NVIDIA's GPUs, KN_CPU being 0
} kn_source_macros;

typedef struct kn_source_options {
    size_t struct_size; // KN_INIT sets it
    // The host's macros: the first lines of the OpenCL text. KN_CONSTANT=bank also counts for CUDA
    // (kn_source_make_cuda).
    const kn_define *defines;
    size_t define_count;
    const char *const *include_dirs; // searched after the including file's own folder
    size_t include_dir_count;
    // What the target's compiler defines by itself: known while the program is read, and not written into its
    // text. NULL: those of `macros`.
    const kn_define *predefined;
    size_t predefined_count;
    kn_source_macros macros;
} kn_source_options;

// The three ways to a program, as those of kn_program (koine/program.h): a text, which `name` stands for in
// messages; a file, which may be one of Koine's own where there is none of that name; one of Koine's own
// ("algo/reduce.cl", "reduce.cl"), or another version of it that KOINE_KERNEL_PATH has. `options` may be
// NULL, and is not needed afterwards. The caller frees *source. Errors: KN_ERROR_INPUT for a file that is
// missing (with the chain of includes), cannot be read or is no text; KN_ERROR_BUILD with file and line for
// what the preprocessor refuses and for a kernel's signature that cannot be read; KN_ERROR_ARGUMENT;
// KN_ERROR_MEMORY. Cost: some milliseconds.
KN_API kn_status kn_source_from_text(const char *text, const char *name, const kn_source_options *options,
                                     kn_source **source, kn_error *err);
KN_API kn_status kn_source_from_file(const char *path, const kn_source_options *options, kn_source **source,
                                     kn_error *err);
KN_API kn_status kn_source_from_builtin(const char *name, const kn_source_options *options,
                                        kn_source **source, kn_error *err);
// NULL is fine.
KN_API void kn_source_free(kn_source *source);

// Names of the files that are in the library, kernels ("algo/reduce.cl") and what they include
// ("lib/tree.clh"); NULL past the end.
KN_API const char *kn_source_get_builtin_name(size_t index);

// The OpenCL text: as it was written, with the includes in their places and #line at every switch between
// files. `length`, its bytes without the end, may be NULL.
KN_API const char *kn_source_get_text(const kn_source *source, size_t *length);
// Warnings for whoever wrote the program, a line each ("FILE:LINE: warning: ..."); "" if there are none.
KN_API const char *kn_source_get_warnings(const kn_source *source);
// Whether it has the type double, once preprocessed.
KN_API bool kn_source_get_uses_double(const kn_source *source);

// A file that took part.
typedef struct kn_source_file {
    const char *name; // as it stands in #line
    const char *text;
} kn_source_file;
KN_API size_t kn_source_get_file_count(const kn_source *source);
KN_API const kn_source_file *kn_source_get_file(const kn_source *source, size_t index); // NULL past the end

// A number or a vector by OpenCL C's own names, whatever typedefs call it: of uint4 "uint" and 4.
typedef struct kn_source_number {
    const char *name; // NULL: a struct, or what only a compiler knows
    unsigned lanes;   // 1 of a scalar
} kn_source_number;

// What CUDA's text has of a kernel.
typedef struct kn_source_cuda_kernel {
    size_t arena_bytes;   // at the beginning of the launch's dynamic shared memory, for the kernel's own
                          // __local variables
    bool image_addresses; // it takes each image as the address of its description: by value there are too
                          // many
} kn_source_cuda_kernel;

// What a kernel's parameter list and attributes say.
typedef struct kn_source_kernel {
    const char *name;
    const kn_param *params;
    size_t param_count;
    const kn_source_number *numbers; // of each parameter: of a value, or of an element
    size_t required_group[3];        // of reqd_work_group_size; zeros if it is not given
    const char *file;                // where the kernel is defined
    long line;
    kn_source_cuda_kernel cuda; // zeros before kn_source_make_cuda
} kn_source_kernel;
KN_API size_t kn_source_get_kernel_count(const kn_source *source);
KN_API const kn_source_kernel *kn_source_get_kernel(const kn_source *source,
                                                    size_t index); // NULL past the end

// Writes the program as CUDA C++17, the text that Koine compiles itself with NVRTC; a second call changes
// nothing. Defined KN_CONSTANT=bank, __constant arguments are offsets into a bank of constant memory, which
// takes what the program's own tables leave. Errors: KN_ERROR_UNSUPPORTED for what CUDA cannot have (pipes,
// device-side enqueue, recursion, function pointers) and KN_ERROR_BUILD for what is no OpenCL C, both with
// file and line; KN_ERROR_LIMIT if the tables leave no room for a bank; KN_ERROR_ARGUMENT; KN_ERROR_MEMORY.
// Cost: some milliseconds.
KN_API kn_status kn_source_make_cuda(kn_source *source, kn_error *err);
// The CUDA text; "" and 0 before kn_source_make_cuda. `length` may be NULL.
KN_API const char *kn_source_get_cuda_text(const kn_source *source, size_t *length);
// Bytes of the bank for __constant arguments; 0: they are pointers.
KN_API size_t kn_source_get_cuda_bank_bytes(const kn_source *source);
// Whether #pragma OPENCL FP_CONTRACT OFF was given: nothing in the program may be contracted then.
KN_API bool kn_source_get_cuda_contract_off(const kn_source *source);

#ifdef __cplusplus
}
#endif
#endif
