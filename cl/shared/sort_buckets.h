// SPDX-License-Identifier: Apache-2.0
// Constants shared by cl/algo/sort/sort_buckets.cl and its host.
#ifndef KN_SHARED_SORT_BUCKETS_H
#define KN_SHARED_SORT_BUCKETS_H

// The largest number of buckets.
#define BUCKETS_MOST 1024

// Bytes of keys that are gathered for a bucket before they are written.
#define LINE 128

// What the launches do besides moving keys; a sum of flags.
#define IOTA 1u    // the values are the elements' numbers
#define NO_KEYS 2u // the keys stay as they are
#define LARGE 4u   // more is written than fits the caches

#endif
