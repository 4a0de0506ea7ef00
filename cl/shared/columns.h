// SPDX-License-Identifier: Apache-2.0
// What kernels on columns of elements and their hosts agree on.
#ifndef KN_SHARED_COLUMNS_H
#define KN_SHARED_COLUMNS_H

// Elements from which the shift of a column's moments is chosen (cl/lib/shift.clh), and where they stand in the state of
// cl/algo/moments.cl, in cells of 8 bytes.
#define SHIFT_SAMPLES 64
#define MOMENTS_FIRST_SAMPLE 8

// Ranks that cl/algo/select.cl looks for at once.
#define SELECT_JOBS 8
// Digits that it takes at most: 8 bits each, of 64.
#define SELECT_DIGITS 8
// Why it did not find them: its sample misled, or too many elements are alike to be gathered a second time.
#define SELECT_MISSED 1
#define SELECT_CROWDED 2

// Elements of a block of cl/algo/top_k.cl.
#define TOP_K_BLOCK 4096

// Work-items of a group of cl/algo/scan.cl: it decides the bits of scans of floats.
#define SCAN_GROUP 256

#endif
