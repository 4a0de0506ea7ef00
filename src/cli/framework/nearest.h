// SPDX-License-Identifier: Apache-2.0
// "did you mean": the known word nearest to one that was mistyped.
#ifndef KN_CLI_FRAMEWORK_NEAREST_H
#define KN_CLI_FRAMEWORK_NEAREST_H

#include <stddef.h>

// Edits (insert, delete, replace, swap of neighbours) that lead from one word to the other. Words longer than
// 63 letters are compared in their first 63.
size_t nearest_distance(const char *from, const char *to);

// Keeps, over several calls, the candidate nearest to `word`. Start with best = NULL and distance = 0.
struct nearest {
    const char *word;
    const char *best; // NULL as long as nothing is near enough to be suggested
    size_t distance;
};

void nearest_offer(struct nearest *nearest, const char *candidate);

#endif
