// SPDX-License-Identifier: Apache-2.0
// What cl/algo/sort/sort_buckets.cl and its host agree on.
#ifndef KN_SHARED_SORT_BUCKETS_H
#define KN_SHARED_SORT_BUCKETS_H

// Buckets at most.
#define BUCKETS_MOST 1024

// Bytes of the keys that are gathered for a bucket before they are written.
#define LINE 128

// What the launches do beside moving keys; a sum of flags.
#define IOTA 1u    // the values are the elements' numbers
#define NO_KEYS 2u // the keys stay as they are
#define LARGE 4u   // what is written is too much for the caches

#endif
