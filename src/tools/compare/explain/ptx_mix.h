// SPDX-License-Identifier: Apache-2.0
// The composition of a kernel's PTX: its instructions, counted by class as they appear in the text.
#ifndef KN_TOOLS_COMPARE_EXPLAIN_PTX_MIX_H
#define KN_TOOLS_COMPARE_EXPLAIN_PTX_MIX_H

#include <stdbool.h>
#include <stddef.h>

enum ptx_class {
    PTX_GLOBAL_LOAD,
    PTX_GLOBAL_STORE,
    PTX_SHARED_LOAD,
    PTX_SHARED_STORE,
    PTX_LOCAL_LOAD, // of a work-item's private memory
    PTX_LOCAL_STORE,
    PTX_CONSTANT_LOAD,
    PTX_GENERIC_LOAD, // through a pointer whose address space the compiler does not know
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

// "global loads" and so on, in the singular and the plural.
extern const char *const ptx_class_names[PTX_CLASSES];

enum { PTX_WIDTHS = 6 }; // 1, 2, 4, 8, 16 and 32 bytes

struct ptx_mix {
    size_t total;
    size_t counts[PTX_CLASSES];
    size_t load_widths[PTX_WIDTHS], store_widths[PTX_WIDTHS]; // of global memory, by bytes per work-item
    int target;                                               // 90 for .target sm_90; 0: not stated
};

// Counts the instructions of the entry `kernel`, or of `koine_kernel`, its name in Koine's own CUDA text.
// Functions that it calls are not included. False if the text has no such entry, or is truncated inside it.
bool ptx_mix_read(const char *ptx, const char *kernel, struct ptx_mix *mix);

#endif
