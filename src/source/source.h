// SPDX-License-Identifier: Apache-2.0
// The kernel-source layer: OpenCL C 1.2 text in; flat text and what must be known about its kernels out. It
// needs no device. The steps, one file each: lexer.h (tokens with their locations), include.h (where #include
// looks), preprocess.h (C99 directives and macros), signature.h (kernels and their arguments), flatten.h (the
// OpenCL text).
#ifndef KN_SOURCE_SOURCE_H
#define KN_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>
#include <koine/experimental/source.h>
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
    // but not written into the OpenCL text. The source may redefine them, as in compilers.
    const kn_define *predefined;
    size_t predefined_count;
    // The host's macros: the first lines of the OpenCL text. A source that redefines one gets a warning.
    const kn_define *defines;
    size_t define_count;
    const char *const *include_dirs; // -I
    size_t include_dir_count;
    const char *kernel_path;             // KOINE_KERNEL_PATH: folders separated by ':'; may be NULL
    const struct src_embedded *embedded; // ends in {NULL, NULL}; may be NULL
    // Without a text, `name` is a built-in: it is looked for in kernel_path, then in the table, not in the
    // current folder.
    bool builtin;
};

struct src_token;

struct src_unit {
    const char *opencl; // the text as written, includes resolved, #line at every switch
    size_t opencl_length;
    kn_source_kernel *kernels;
    size_t kernel_count;
    const kn_source_file *files;
    size_t file_count;
    const char
        *warnings; // for the author of the text, one a line: "FILE:LINE: warning: ..."; "" if there are none
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
