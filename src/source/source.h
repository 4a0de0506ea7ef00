// SPDX-License-Identifier: Apache-2.0
// The kernel-source layer: OpenCL C 1.2 text in, flat text and what must be known about its kernels out.
// It needs no device. The steps, a file each: lexer.h (tokens with their locations), include.h (where
// #include looks), preprocess.h (C99 directives and macros), signature.h (kernels and their arguments),
// flatten.h (the OpenCL text).
#ifndef KN_SOURCE_SOURCE_H
#define KN_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>
#include <koine/program.h>

// A file of the table that is compiled into the library (scripts/embed writes it).
struct src_embedded {
    const char *name; // "algo/reduce.cl", "lib/real.clh"
    const char *text;
};

// Koine's own kernels; ends in {NULL, NULL}.
extern const struct src_embedded ki_src_embedded_kernels[];

struct src_options {
    // What the target's compiler defines by itself (__OPENCL_VERSION__, the device's extensions): known here,
    // but not written into the OpenCL text. The source may redefine them, as compilers let it.
    const kn_define *predefined;
    size_t predefined_count;
    // The host's macros: the first lines of the OpenCL text. A source that redefines one earns a warning.
    const kn_define *defines;
    size_t define_count;
    const char *const *include_dirs; // -I
    size_t include_dir_count;
    const char *kernel_path;             // KOINE_KERNEL_PATH: folders separated by ':'; may be NULL
    const struct src_embedded *embedded; // ends in {NULL, NULL}; may be NULL
    // Without a text, `name` is a built-in: looked for in kernel_path, then in the table, not in the current
    // folder.
    bool builtin;
};

struct src_token;

// What the rewrite for CUDA makes of a kernel (cuda.h), beside its text.
struct src_cuda_kernel {
    size_t
        arena_bytes; // at the beginning of the launch's dynamic shared memory, for its own __local variables
    bool image_addresses; // it takes each image as the address of its kn_image_data: by value there are too
                          // many
};

// A number or a vector in OpenCL C's own words, whatever typedefs call it: of uint4 "uint" and 4. NULL: a
// struct, or what only a compiler knows.
struct src_number {
    const char *name;
    unsigned lanes; // 1 of a scalar
};

// What __attribute__((reqd_work_group_size)) and the parameter list say.
struct src_kernel {
    const char *name;
    const kn_param *params;
    size_t param_count;
    const struct src_number *numbers; // of each parameter: a value, or an element
    size_t required_group[3];         // zeros if not given
    const char *file;                 // where it is defined
    long line;
    struct src_cuda_kernel cuda; // zeros, until who compiles for CUDA enters what src_cuda says
};

// A file that took part, kept so that a compiler's message can be shown with its source line.
struct src_file {
    const char *name; // as it stands in #line
    const char *text;
};

struct src_unit {
    const char *opencl; // the text as written, includes resolved, #line at every switch
    size_t opencl_length;
    struct src_kernel *kernels;
    size_t kernel_count;
    const struct src_file *files;
    size_t file_count;
    const char *warnings; // for whoever wrote the text, a line each: "FILE:LINE: warning: ..."; "" if nothing
    // The first use of a type that a device may lack, after preprocessing; line 0 if there is none.
    const char *double_file;
    long double_line;
    // The preprocessed program (lexer.h), for the rewriters.
    const struct src_token *tokens;
    size_t token_count;
};

// Reads `name` with `text` (or, if text is NULL, the file at path `name`, or an embedded one of that name).
// Errors: KN_ERROR_INPUT for a file that is missing (with the include chain), unreadable or contains a NUL
// byte; KN_ERROR_BUILD with file:line for a bad directive, an unterminated comment, string or conditional,
// #error, an include cycle, or a kernel signature that cannot be read; KN_ERROR_MEMORY.
kn_status ki_src_read(const char *name, const char *text, const struct src_options *options,
                      struct src_unit **unit, kn_error *err);
void ki_src_free(struct src_unit *unit);

// The text of line `line` (from 1) of a file of the unit, without its end; false if there is no such line.
bool ki_src_line(const struct src_unit *unit, const char *file, long line, const char **start,
                 size_t *length);

#endif
