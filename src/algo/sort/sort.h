// SPDX-License-Identifier: Apache-2.0
// What the sorts share: the request, and the types as cl/lib/key.clh knows them.
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
    size_t n; // at least 2, or at least 1 with `indices`
    kn_buffer *keys;
    kn_buffer *values; // moved along, or the indices; NULL for keys alone
    size_t value_size; // 0 for keys alone
    bool indices;      // the values are created here, and the keys stay
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
// Into buckets that fit a core's cache: for fewer than 2^32 keys, on a device without a limit of loops. *done
// is false, and nothing has changed, if a bucket would get too many keys and KN_SORT_DIGITS_HIGHEST was not
// requested.
kn_status ki_sort_buckets(const struct sort_job *job, bool *done, kn_error *err);
kn_status ki_sort_whole(const struct sort_job *job, kn_error *err); // few keys, by one work-item
kn_status ki_sort_merge(const struct sort_job *job, kn_error *err); // no indices

#endif
