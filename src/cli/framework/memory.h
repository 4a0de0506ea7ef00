// SPDX-License-Identifier: Apache-2.0
// --memory-limit: how much of the host's memory a command may take, and the message if that is too little.
#ifndef KN_CLI_FRAMEWORK_MEMORY_H
#define KN_CLI_FRAMEWORK_MEMORY_H

#include "options.h"

// A number of bytes as in options: an integer from 1, alone or with k, M, G or T (1,000 and its powers; kB,
// MB, ... are the same) or Ki, Mi, Gi or Ti (1,024; KiB, MiB, ...). False if the text has another form, or
// the number is too large.
bool memory_parse(const char *text, size_t *bytes);

// What the process holds in memory now, including libraries and drivers.
size_t memory_resident(void);

// The most that it has held so far; 0: unknown.
size_t memory_peak(void);

// From now on large pieces return to the system when they are freed; otherwise the C library keeps some of
// them.
void memory_keep_nothing(void);

// What the process may still take: --memory-limit less what it holds now. Without the option, three quarters
// of what the system has available, taking into account the limits of the control group (version 2) and of
// the address space.
size_t memory_left(const struct common_arguments *common);

// The part of that which data may take: less by this much, for files' buffers, stacks of threads, and code
// that is not in memory before it runs. A caller that computes what its data need adds it for memory_check.
enum { MEMORY_BESIDE = 4 << 20 };
size_t memory_for_data(const struct common_arguments *common);

// Refuses work that needs more than is left (KN_ERROR_MEMORY), and names a --memory-limit that is enough.
// `what` begins the sentence: "the reconstruction". Without the option nothing is refused.
kn_status memory_check(const struct common_arguments *common, size_t needs, const char *what, kn_error *err);

#endif
