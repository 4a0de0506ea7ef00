// SPDX-License-Identifier: Apache-2.0
// Two sorted parts of what koine sort sorts on several devices become one, on all of the host's threads.
#ifndef KN_TOOLS_SORT_MERGE_H
#define KN_TOOLS_SORT_MERGE_H

#include "runs.h"

struct sort_part {
    const char *keys, *values; // values: of `value_size` bytes; NULL: none
    size_t count;
};

// Writes both parts in order to `keys` and `values`, which have room for them. Of equal keys those of `left`
// come first. Memory: none. Cost: each record is read and written once.
void sort_merge(const struct sort_order *order, size_t value_size, const struct sort_part *left,
                const struct sort_part *right, char *keys, char *values);

#endif
