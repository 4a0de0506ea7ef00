// SPDX-License-Identifier: Apache-2.0
// The parts of the host's sort and selection: quicksort with vectors.
#ifndef KN_HOST_SORT_HOST_SORT_H
#define KN_HOST_SORT_HOST_SORT_H

#include "host/simd/levels.h"

// Encoded bounds, low <= high, and the numbers of keys relative to them.
struct host_bracket {
    int64_t low, high, limit;
    size_t below, at_low, at_high, beyond; // beyond: above the limit, whatever the bounds
};

// For keys of one width on one kind of processor. `codec` is NULL if the keys are encoded already.
struct host_quicksort {
    // An approximate median of n > 0 keys: that of a sample, encoded. *chance, never 0, is the state of a
    // random generator.
    int64_t (*pivot)(const void *keys, size_t n, const struct host_codec *codec, uint64_t *chance);
    // Encodes the keys and puts those up to the threshold first; returns how many there are.
    size_t (*divide)(void *keys, size_t n, int64_t threshold, const struct host_codec *codec);
    // Sorts encoded keys that lie within [least, most], and decodes them.
    void (*sort)(void *keys, size_t n, int64_t least, int64_t most, const struct host_codec *codec);
    void (*encode)(void *keys, size_t n, const struct host_codec *codec);
    void (*decode)(void *keys, size_t n, const struct host_codec *codec);
    // Encodes n stored elements, adds to the bracket's counts, and writes the keys strictly between its
    // bounds; returns how many. There must be room for n keys and a vector.
    size_t (*keep_between)(const void *elements, size_t n, const struct host_codec *codec,
                           struct host_bracket *bracket, void *to);
};

// kn_host_sort, with a plan.
kn_status ki_host_sort(void *keys, kn_type type, size_t n, const struct host_plan *plan, kn_error *err);

// Sorts elements of 1 or 2 bytes by counting.
kn_status ki_host_sort_counted(void *keys, kn_type type, size_t n, const struct host_plan *plan,
                               kn_error *err);

// Counts the elements of 1 or 2 bytes with each key: counts[key - least], of 256 or 65,536. The caller gives
// *counts back to the plan's kept memory.
kn_status ki_host_count(const void *x, size_t n, const struct host_codec *codec, const struct host_plan *plan,
                        size_t **counts, kn_error *err);

// For elements of 4 or 8 bytes.
const struct host_quicksort *ki_host_quicksort_for(const struct host_plan *plan);

HOST_DECLARE_LEVELS(const struct host_quicksort, host_quicksort);

#endif
