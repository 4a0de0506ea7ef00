// SPDX-License-Identifier: Apache-2.0
// Constants shared by the kernels on columns of elements and their hosts.
#ifndef KN_SHARED_COLUMNS_H
#define KN_SHARED_COLUMNS_H

// The number of elements from which the shift of a column's moments is chosen (cl/lib/shift.clh), and where
// their keys stand in the state of cl/algo/moments.cl, in cells of 8 bytes.
#define SHIFT_SAMPLES 64
#define MOMENTS_FIRST_SAMPLE 8

// Ranks that cl/algo/select.cl looks for at once.
#define SELECT_JOBS 8
// The largest number of digits: 8 bits each, of 64.
#define SELECT_DIGITS 8
// Why the ranks were not found: the sample misled, or too many elements are alike to be gathered a second
// time.
#define SELECT_MISSED 1
#define SELECT_CROWDED 2

// Elements of a block of cl/algo/top_k.cl.
#define TOP_K_BLOCK 4096

// Work-items of a group of cl/algo/scan.cl. It determines the bits of scans of floats.
#define SCAN_GROUP 256

#endif
