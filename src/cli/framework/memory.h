// SPDX-License-Identifier: Apache-2.0
// --memory-limit: how much of the host's memory a command may take, and what is said where that is too
// little.
#ifndef KN_CLI_FRAMEWORK_MEMORY_H
#define KN_CLI_FRAMEWORK_MEMORY_H

#include "options.h"

// A number of bytes as an option has it: a whole number from 1, alone or with k, M, G or T (1,000 and its
// powers; kB, MB, ... are the same) or Ki, Mi, Gi or Ti (1,024; KiB, MiB, ...). False if the text is none of
// that, or is more than there can be.
bool memory_parse(const char *text, size_t *bytes);

// What the process holds in memory now: libraries and drivers too.
size_t memory_resident(void);

// The most that it has held so far; 0: not known.
size_t memory_peak(void);

// From now on large pieces go back to the system where they are freed; the C library keeps some else, in
// case.
void memory_keep_nothing(void);

// What the process may still take: --memory-limit less what it holds now. Without the option three quarters
// of what the system has available, the control group's limit (version 2) and that of the address space
// included.
size_t memory_left(const struct common_arguments *common);

// Of that, what data may take: less than it by so much, for files' buffers, stacks of threads, and code that
// is not in memory before it runs. Who measures what data need adds it for memory_check.
enum { MEMORY_BESIDE = 4 << 20 };
size_t memory_for_data(const struct common_arguments *common);

// Refuses what needs more than is left (KN_ERROR_MEMORY), and says which --memory-limit is enough. `what` is
// the beginning of a sentence: "the reconstruction". Without the option nothing is refused.
kn_status memory_check(const struct common_arguments *common, size_t needs, const char *what, kn_error *err);

#endif
