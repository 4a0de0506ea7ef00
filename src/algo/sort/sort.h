// SPDX-License-Identifier: Apache-2.0
// What the sorts share: what is asked of one, and the types as cl/lib/key.clh knows them.
#ifndef KN_ALGO_SORT_SORT_H
#define KN_ALGO_SORT_SORT_H

#include <koine/experimental.h>
#include <koine/sort.h>

#include "engine/device/tuning.h"
#include "algo/elements.h"

struct sort_job {
    const char *function; // for messages
    kn_queue *queue;
    kn_type type;
    size_t n; // 2 or more, but 1 or more with `indices`
    kn_buffer *keys;
    kn_buffer *values; // that move along, or the indices; NULL for keys alone
    size_t value_size; // 0 for keys alone
    bool indices;      // the values are made here, and the keys stay
    kn_sort_options options;
    kn_sort_tuning tuning;
};

// KEY_BITS, KEY_KIND, KEY_DESCENDING.
static inline void ki_sort_define_keys(struct engine_defines *defines, const struct sort_job *job)
{
    ki_element_define(defines, job->type);
    ki_engine_define(defines, "KEY_DESCENDING", job->options.order == KN_DESCENDING);
}

kn_status ki_sort_bitonic(const struct sort_job *job, kn_error *err); // keys alone
kn_status ki_sort_radix(const struct sort_job *job, kn_error *err);
// Into buckets that fit a core's cache: fewer than 2^32 keys, on a device without a limit of loops. *done is
// false, and nothing changed, where one of them would have too many keys and KN_SORT_DIGITS_HIGHEST was not
// asked for.
kn_status ki_sort_buckets(const struct sort_job *job, bool *done, kn_error *err);
kn_status ki_sort_whole(const struct sort_job *job, kn_error *err); // few keys, by one work-item
kn_status ki_sort_merge(const struct sort_job *job, kn_error *err); // no indices

#endif
