// SPDX-License-Identifier: Apache-2.0
// NVIDIA's two texts: PTX, down to its tokens (PTX ISA, chapter 4), and what ptxas reports about kernels.
#ifndef KN_BASE_TEXT_PTX_H
#define KN_BASE_TEXT_PTX_H

#include <stdbool.h>
#include <stddef.h>

#define KI_PTX_KERNEL_PREFIX "koine_" // begins the symbol of a kernel that was rewritten to CUDA

// Skips blanks and comments.
const char *ki_ptx_skip_blanks(const char *at);
// A name of letters, digits and the characters _, $ and %.
size_t ki_ptx_name_length(const char *at);

// A kernel's resources from ptxas's report ("ptxas info    : Used 14 registers, ..."), as it appears in the
// build logs of NVRTC and NVIDIA's OpenCL. -1: not stated.
struct ki_ptxas_report {
    long registers;
    long stack_bytes, spill_bytes; // of a work-item; the stack holds the spills too
    long shared_bytes;             // static, of a work-group
};

// `kernel` is the name with or without the prefix. False if the report does not mention it.
bool ki_ptxas_read(const char *report, const char *kernel, struct ki_ptxas_report *found);
// Whether a line of a build log is part of such a report.
bool ki_ptxas_is_report(const char *line, size_t length);

#endif
