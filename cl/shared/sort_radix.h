// SPDX-License-Identifier: Apache-2.0
// Constants shared by cl/algo/sort/sort_radix.cl and its host.
#ifndef KN_SHARED_SORT_RADIX_H
#define KN_SHARED_SORT_RADIX_H

// Number of values of a digit.
#define DIGITS 256

// Work-items of a group of scan_counts.
#define RADIX_SCAN_GROUP 256

// Classes of keys that the masks tell apart: negative, in the middle, positive.
#define CLASSES 3

// Words of the state of a sort that reads the elements once a pass: the masks, a ticket for each pass, and
// the number of keys with each digit in each place.
#define ONCE_TICKETS 16
#define ONCE_TOTALS 32

// What a pass does besides moving keys; a sum of flags.
#define FIRST 1u    // encodes the keys
#define LAST 2u     // decodes them
#define FOLDED 4u   // scan_counts did not run
#define MASKS 8u    // count_digits gathers the masks
#define IOTA 16u    // the values are the elements' numbers
#define NO_KEYS 32u // the keys are not written

#endif
