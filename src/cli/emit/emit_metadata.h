// SPDX-License-Identifier: Apache-2.0
// The information that a host program needs to launch emitted kernels: as JSON, and as a C header.
#ifndef KN_CLI_EMIT_EMIT_METADATA_H
#define KN_CLI_EMIT_EMIT_METADATA_H

#include <stdbool.h>

#include <jansson.h>
#include <koine/experimental/source.h>

#include "base/text/text.h"

// A macro with a default that the host may set: `#ifndef NAME`, `#define NAME VALUE`.
struct emit_macro {
    char *name;
    char *value;    // as in the file, or as given by -D
    bool was_given; // with -D
};

struct emit_macros {
    struct emit_macro *items;
    size_t count, capacity;
};

// The tunable macros of all files of the program, and those given. False if memory ran out.
bool emit_macros_find(const kn_source *program, const kn_define *given, size_t given_count,
                      struct emit_macros *macros);
void emit_macros_free(struct emit_macros *macros);

// A source that was written.
struct emit_source {
    const char *target;       // "opencl"
    const char *file;         // its name: "scale.cl"
    bool is_cuda;             // CUDA C++ and not OpenCL C
    const kn_source *program; // from which it was written
};

struct emit_metadata {
    const char *name; // of the files, without endings
    const struct emit_source *sources;
    size_t source_count;      // at least one
    const kn_source *program; // that of the first source
    const struct emit_macros *macros;
};

// The source for CUDA; NULL if there is none.
const struct emit_source *emit_cuda_source(const struct emit_metadata *metadata);

#define CUDA_SYMBOL_PREFIX "koine_" // before a kernel's name

// What the rewrite for CUDA reports about a kernel; zeros if there is none of that name.
kn_source_cuda_kernel emit_rewritten(const struct emit_source *source, const char *name);

const char *emit_kind_name(kn_param_kind kind);      // "global"
const char *emit_access_name(const kn_param *param); // "read_only"

// NULL: out of memory.
json_t *emit_json(const struct emit_metadata *metadata);
void emit_header(const struct emit_metadata *metadata, struct ki_text *text);
void emit_launchers(const struct emit_metadata *metadata, struct ki_text *text); // the header's functions

#endif
