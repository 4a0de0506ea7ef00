// SPDX-License-Identifier: Apache-2.0
// "did you mean": the known word nearest to a mistyped one.
#ifndef KN_CLI_FRAMEWORK_NEAREST_H
#define KN_CLI_FRAMEWORK_NEAREST_H

#include <stddef.h>

// The number of edits (insert, delete, replace, swap of neighbours) between two words. Only the first 63
// letters of longer words are compared.
size_t nearest_distance(const char *from, const char *to);

// Keeps, over several calls, the candidate nearest to `word`. Start with best = NULL and distance = 0.
struct nearest {
    const char *word;
    const char *best; // NULL as long as nothing is near enough to suggest
    size_t distance;
};

void nearest_offer(struct nearest *nearest, const char *candidate);

#endif
