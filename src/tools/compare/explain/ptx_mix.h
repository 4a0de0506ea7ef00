// SPDX-License-Identifier: Apache-2.0
// What a kernel's PTX consists of: its instructions, counted by class as they stand in the text.
#ifndef KN_TOOLS_COMPARE_EXPLAIN_PTX_MIX_H
#define KN_TOOLS_COMPARE_EXPLAIN_PTX_MIX_H

#include <stdbool.h>
#include <stddef.h>

enum ptx_class {
    PTX_GLOBAL_LOAD,
    PTX_GLOBAL_STORE,
    PTX_SHARED_LOAD,
    PTX_SHARED_STORE,
    PTX_LOCAL_LOAD, // of a work-item's own memory
    PTX_LOCAL_STORE,
    PTX_CONSTANT_LOAD,
    PTX_GENERIC_LOAD, // through a pointer whose space the compiler does not know
    PTX_GENERIC_STORE,
    PTX_PARAM_LOAD, // of arguments
    PTX_ATOMIC,
    PTX_IMAGE,
    PTX_FMA, // fused, in any precision
    PTX_FP16,
    PTX_FP32,
    PTX_FP64,
    PTX_SPECIAL, // sine, exponential, reciprocal, root
    PTX_INTEGER,
    PTX_CONVERSION,
    PTX_BRANCH,
    PTX_BARRIER, // barriers and fences
    PTX_WARP,    // shuffles, votes, matches
    PTX_CALL,
    PTX_OTHER, // moves, returns, matrix instructions
    PTX_CLASSES
};

// "global loads", for one and for many.
extern const char *const ptx_class_names[PTX_CLASSES];

enum { PTX_WIDTHS = 6 }; // 1, 2, 4, 8, 16 and 32 bytes

struct ptx_mix {
    size_t total;
    size_t counts[PTX_CLASSES];
    size_t load_widths[PTX_WIDTHS], store_widths[PTX_WIDTHS]; // of global memory, by bytes a work-item
    int target;                                               // 90 for .target sm_90; 0: not stated
};

// Counts the instructions of the entry `kernel`, or `koine_kernel` as Koine's own CUDA text has it. Functions
// that it calls are not followed. False if the text has no such entry, or ends in the middle of it.
bool ptx_mix_read(const char *ptx, const char *kernel, struct ptx_mix *mix);

#endif
