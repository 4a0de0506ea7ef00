// SPDX-License-Identifier: Apache-2.0
// Where a file's text comes from: the including file's folder, the -I folders, KOINE_KERNEL_PATH, and the
// table of files that is compiled into the library. Each file is read once.
#ifndef KN_SOURCE_PREPROCESS_INCLUDE_H
#define KN_SOURCE_PREPROCESS_INCLUDE_H

#include <sys/types.h>

#include "base/text/text.h"
#include "lexer.h"
#include "source/source.h"

// A text that was read, and what is remembered about it.
struct src_input {
    struct src_text text;
    struct src_input *next;
    bool embedded;          // from the table: its folder is one of the table's
    const char *stands_for; // for a file of the kernel path: its name in the table; else NULL
    bool once;              // #pragma once
    bool shown;             // a file of the program; the host's macros are not
    struct src_name *guard; // all of it is inside an #ifndef of this name
    dev_t device;           // of a file on disk
    ino_t inode;
    bool on_disk;
};

struct src_inputs {
    struct ki_arena *arena;
    const struct src_options *options;
    struct src_input *first, **last;
    size_t count;
};

enum src_found {
    SRC_FOUND,
    SRC_MISSING,    // not found; the note lists where it was looked for
    SRC_UNREADABLE, // found, but it cannot be used; the note says why, and names it
    SRC_NO_MEMORY
};

void ki_src_inputs_init(struct src_inputs *inputs, const struct src_options *options, struct ki_arena *arena);

// A text that is available already, under this name.
enum src_found ki_src_input_add(struct src_inputs *inputs, const char *name, const char *bytes, size_t length,
                                struct src_input **input);

// The main file: the one at path `name`, else the embedded one, whose folder may be left out ("reduce.cl" for
// "algo/reduce.cl"); a built-in only from the kernel path and the table.
enum src_found ki_src_input_open(struct src_inputs *inputs, const char *name, struct src_input **input,
                                 struct ki_text *note, int *number);

// What `includer` means by #include "name", or <name> if `angled`. `number` gets errno if that was the
// reason.
enum src_found ki_src_input_find(struct src_inputs *inputs, const struct src_input *includer,
                                 const char *name, bool angled, struct src_input **input,
                                 struct ki_text *note, int *number);

// Whether this file, under any of its paths, said #pragma once.
bool ki_src_input_is_once(const struct src_inputs *inputs, const struct src_input *input);

#endif
