// SPDX-License-Identifier: Apache-2.0
// Lists of definitions ("-D NAME=VALUE") for a kernel's program, in the order in which they were added.
#ifndef KN_ENGINE_DEFINES_H
#define KN_ENGINE_DEFINES_H

#include <stddef.h>

#include <koine/program.h>

#define ENGINE_DEFINES 32

struct engine_defines {
    kn_define items[ENGINE_DEFINES];
    char values[ENGINE_DEFINES][12];
    size_t count;
};

// Adds a number. There must be room for it: the number of definitions of a kernel is known when its host code
// is written.
void ki_engine_define(struct engine_defines *defines, const char *name, unsigned value);
// Adds a text, which is borrowed.
void ki_engine_define_text(struct engine_defines *defines, const char *name, const char *text);

#endif
