// SPDX-License-Identifier: Apache-2.0
// Merging on one kind of processor: sorted keys of 32 or 64 bits, encoded as in src/host/host.h.
#ifndef KN_APP_STATS_MERGE_CODE_H
#define KN_APP_STATS_MERGE_CODE_H

#include "host/simd/levels.h"

struct merge_code {
    kn_host_level level;
    size_t run; // keys that a sorting network sorts: where merging begins
    // Merges two ascending pieces; `to` overlaps neither, and nothing past a_count + b_count keys is written.
    void (*merge)(const void *a, size_t a_count, const void *b, size_t b_count, void *to);
};

HOST_DECLARE_LEVELS(const struct merge_code, merge_code);

#endif
