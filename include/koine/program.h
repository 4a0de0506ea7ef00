// SPDX-License-Identifier: Apache-2.0
// Programs: OpenCL C 1.2 source, compiled for a context's device, and the kernels in it.
#ifndef KOINE_PROGRAM_H
#define KOINE_PROGRAM_H

#include <koine/context.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_program kn_program;
typedef struct kn_kernel kn_kernel;

// A macro given to a program, in order: #define NAME VALUE. A NULL value defines it as 1.
typedef struct kn_define {
    const char *name; // may carry parameters: "SQUARE(x)"
    const char *value;
} kn_define;

// Receives the compiler's whole output for each build that reached the compiler, whether it failed or not; ""
// if there was no output or the program came from the cache. The text is valid during the call.
typedef void kn_build_log_function(void *user, const char *output);

typedef struct kn_program_options {
    size_t struct_size; // set by KN_INIT
    const kn_define *defines;
    size_t define_count;
    const char *const *include_dirs; // searched after the including file's own folder
    size_t include_dir_count;
    kn_policy policy;
    kn_build_log_function *build_log; // NULL: none
    void *build_log_user;
    // The most registers per work-item; 0: the compiler's choice. Only NVIDIA's compilers use it.
    unsigned max_registers;
} kn_program_options;

// A program can be made in three ways: from a text, from a file, or from Koine's own kernels. `options` may
// be NULL. The text is preprocessed (includes, macros), every kernel's signature is parsed, and the device's
// compiler runs unless the binary cache has the same program for the same device and driver. Cost: a compiler
// run (0.05 s to several seconds), or milliseconds from the cache. Errors: KN_ERROR_BUILD with the place in
// the original file, the source line and the compiler's messages; KN_ERROR_UNSUPPORTED if a kernel needs
// double precision and the device has none; KN_ERROR_INPUT for a file that cannot be read.
KN_API kn_status kn_program_from_text(kn_context *context, const char *text, const char *name,
                                      const kn_program_options *options, kn_program **program, kn_error *err);
KN_API kn_status kn_program_from_file(kn_context *context, const char *path,
                                      const kn_program_options *options, kn_program **program, kn_error *err);
// `name` is a file of Koine's own kernels: "reduce.cl". A version of it in a folder of KOINE_KERNEL_PATH
// takes precedence.
KN_API kn_status kn_program_from_builtin(kn_context *context, const char *name,
                                         const kn_program_options *options, kn_program **program,
                                         kn_error *err);
// Frees the program and its kernels. Launches in flight are finished by the driver.
KN_API void kn_program_free(kn_program *program);

// The kernel of that name; it belongs to the program, and the caller does not free it.
KN_API kn_status kn_program_get_kernel(kn_program *program, const char *name, kn_kernel **kernel,
                                       kn_error *err);
KN_API size_t kn_program_get_kernel_count(const kn_program *program);
KN_API kn_kernel *kn_program_get_kernel_at(kn_program *program, size_t index); // NULL past the end

// Whether the binary came from the cache on disk.
KN_API bool kn_program_get_cached(const kn_program *program);

// What the source says about a kernel's parameter.
typedef enum kn_param_kind {
    KN_PARAM_GLOBAL = 0,   // a pointer to __global
    KN_PARAM_CONSTANT = 1, // a pointer to __constant
    KN_PARAM_LOCAL = 2,    // a pointer to __local
    KN_PARAM_VALUE = 3,    // a scalar, vector or struct by value
    KN_PARAM_IMAGE = 4,    // `type` is the image type itself, even if a typedef renames it
    KN_PARAM_SAMPLER = 5
} kn_param_kind;

typedef struct kn_param {
    kn_param_kind kind;
    const char *type; // as written, without qualifiers and '*': "float4", "struct body"
    size_t size;      // bytes of one element or of the value; 0 if only the compiler knows (a struct)
    const char *name;
    bool is_const; // what it points to is const; an image is read_only
} kn_param;

KN_API const char *kn_kernel_get_name(const kn_kernel *kernel);
KN_API size_t kn_kernel_get_param_count(const kn_kernel *kernel);
KN_API const kn_param *kn_kernel_get_param(const kn_kernel *kernel, size_t index); // NULL past the end

// The device's limits for this kernel; NULL for NULL.
typedef struct kn_kernel_limits {
    size_t work_group;         // most work-items in a group
    size_t required_group[3];  // reqd_work_group_size, or zeros
    size_t preferred_multiple; // 0 if unknown
    size_t local_bytes; // __local memory that the kernel itself takes, as the driver reports; PoCL 5 always
                        // reports 0
    size_t local_bytes_left; // for __local arguments
} kn_kernel_limits;
KN_API const kn_kernel_limits *kn_kernel_get_limits(const kn_kernel *kernel);

#ifdef __cplusplus
}
#endif
#endif
