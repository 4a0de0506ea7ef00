// SPDX-License-Identifier: Apache-2.0
// Kernel sources without a device: an OpenCL C 1.2 program, preprocessed into one text that needs no other
// file, with what a host program has to know about its kernels; and the same program translated to CUDA
// C++17. koine emit uses this. Unstable (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_SOURCE_H
#define KOINE_EXPERIMENTAL_SOURCE_H

#include <koine/error.h>
#include <koine/program.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// A program that has been read. Whatever the functions below return belongs to it and lives as long as it
// does.
typedef struct kn_source kn_source;

// The macros and extensions of a target if kn_source_options.predefined is NULL.
typedef enum kn_source_macros {
    KN_SOURCE_MACROS_OPENCL = 0, // any device of OpenCL 1.2 with double precision
    KN_SOURCE_MACROS_CUDA = 1    // what Koine offers on NVIDIA's GPUs, with KN_CPU 0
} kn_source_macros;

typedef struct kn_source_options {
    size_t struct_size; // set by KN_INIT
    // Macros defined by the caller: they become the first lines of the OpenCL text. KN_CONSTANT=bank also has
    // a meaning for CUDA (kn_source_make_cuda).
    const kn_define *defines;
    size_t define_count;
    const char *const *include_dirs; // searched after the including file's own folder
    size_t include_dir_count;
    // Macros that the target's compiler predefines: known while the program is read, but not written into its
    // text. NULL: those of `macros`.
    const kn_define *predefined;
    size_t predefined_count;
    kn_source_macros macros;
} kn_source_options;

// A program can be read in three ways, as for kn_program (koine/program.h): from a text, called `name` in
// messages; from a file, or, if there is no such file, one of Koine's own of that name; or from one of
// Koine's own ("algo/reduce.cl", "reduce.cl"), of which a version in KOINE_KERNEL_PATH takes precedence.
// `options` may be NULL, and are not needed afterwards. The caller frees *source. Errors: KN_ERROR_INPUT for
// a file that is missing (with the chain of includes), cannot be read or is not text; KN_ERROR_BUILD with
// file and line for what the preprocessor refuses and for a kernel signature that cannot be parsed;
// KN_ERROR_ARGUMENT; KN_ERROR_MEMORY. Cost: some milliseconds.
KN_API kn_status kn_source_from_text(const char *text, const char *name, const kn_source_options *options,
                                     kn_source **source, kn_error *err);
KN_API kn_status kn_source_from_file(const char *path, const kn_source_options *options, kn_source **source,
                                     kn_error *err);
KN_API kn_status kn_source_from_builtin(const char *name, const kn_source_options *options,
                                        kn_source **source, kn_error *err);
// NULL is fine.
KN_API void kn_source_free(kn_source *source);

// The names of the files built into the library, kernels ("algo/reduce.cl") and what they include
// ("lib/tree.clh"); NULL past the end.
KN_API const char *kn_source_get_builtin_name(size_t index);

// The OpenCL text: as it was written, with includes expanded in place and a #line at every switch between
// files. `length` receives its bytes without the terminating NUL, and may be NULL.
KN_API const char *kn_source_get_text(const kn_source *source, size_t *length);
// Warnings for the author of the program, one per line ("FILE:LINE: warning: ..."); "" if there are none.
KN_API const char *kn_source_get_warnings(const kn_source *source);
// Whether it uses the type double after preprocessing.
KN_API bool kn_source_get_uses_double(const kn_source *source);

// A file that is part of the program.
typedef struct kn_source_file {
    const char *name; // as in #line
    const char *text;
} kn_source_file;
KN_API size_t kn_source_get_file_count(const kn_source *source);
KN_API const kn_source_file *kn_source_get_file(const kn_source *source, size_t index); // NULL past the end

// A scalar or vector type by its name in OpenCL C, with typedefs resolved: for uint4, "uint" and 4.
typedef struct kn_source_number {
    const char *name; // NULL: a struct, or a type that only a compiler knows
    unsigned lanes;   // 1 for a scalar
} kn_source_number;

// A kernel in the CUDA text.
typedef struct kn_source_cuda_kernel {
    size_t arena_bytes;   // at the beginning of the launch's dynamic shared memory, for the kernel's own
                          // __local variables
    bool image_addresses; // it takes each image as the address of its descriptor, since there are too many to
                          // pass by value
} kn_source_cuda_kernel;

// A kernel's parameters and attributes.
typedef struct kn_source_kernel {
    const char *name;
    const kn_param *params;
    size_t param_count;
    const kn_source_number *numbers; // for each parameter: the type of the value, or of an element
    size_t required_group[3];        // reqd_work_group_size; zeros if it is not given
    const char *file;                // where the kernel is defined
    long line;
    kn_source_cuda_kernel cuda; // zeros before kn_source_make_cuda
} kn_source_kernel;
KN_API size_t kn_source_get_kernel_count(const kn_source *source);
KN_API const kn_source_kernel *kn_source_get_kernel(const kn_source *source,
                                                    size_t index); // NULL past the end

// Translates the program to CUDA C++17, the text that Koine itself compiles with NVRTC; a second call changes
// nothing. With KN_CONSTANT=bank defined, __constant arguments are offsets into a bank of constant memory,
// which takes the space that the program's own tables leave. Errors: KN_ERROR_UNSUPPORTED for what CUDA does
// not support (pipes, device-side enqueue, recursion, function pointers) and KN_ERROR_BUILD for what is not
// OpenCL C, both with file and line; KN_ERROR_LIMIT if the tables leave no room for a bank;
// KN_ERROR_ARGUMENT; KN_ERROR_MEMORY. Cost: some milliseconds.
KN_API kn_status kn_source_make_cuda(kn_source *source, kn_error *err);
// The CUDA text; "" and 0 before kn_source_make_cuda. `length` may be NULL.
KN_API const char *kn_source_get_cuda_text(const kn_source *source, size_t *length);
// Bytes of the bank for __constant arguments; 0: they are pointers.
KN_API size_t kn_source_get_cuda_bank_bytes(const kn_source *source);
// Whether #pragma OPENCL FP_CONTRACT OFF was given: then nothing in the program may be contracted.
KN_API bool kn_source_get_cuda_contract_off(const kn_source *source);

#ifdef __cplusplus
}
#endif
#endif
