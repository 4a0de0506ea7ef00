// SPDX-License-Identifier: Apache-2.0
// Merges two sorted parts, which koine sort sorted on several devices, on all threads of the host.
#ifndef KN_TOOLS_SORT_MERGE_H
#define KN_TOOLS_SORT_MERGE_H

#include "runs.h"

struct sort_part {
    const char *keys, *values; // values: `value_size` bytes each; NULL: none
    size_t count;
};

// Writes both parts in order to `keys` and `values`, which have room for them. Of equal keys, those of `left`
// come first. It allocates no memory. Cost: each record is read and written once.
void sort_merge(const struct sort_order *order, size_t value_size, const struct sort_part *left,
                const struct sort_part *right, char *keys, char *values);

#endif
