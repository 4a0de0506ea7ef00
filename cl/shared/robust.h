// SPDX-License-Identifier: Apache-2.0
// Constants shared by the kernels of the robust statistics (cl/algo/robust) and their hosts.
#ifndef KN_SHARED_ROBUST_H
#define KN_SHARED_ROBUST_H

// What is asked of a column: the ranks of its elements, and those of their distances from the median.
#define ROBUST_MEDIAN 0
#define ROBUST_DEVIATION 1

// Ends of a column's brackets, and levels of intervals.
#define ROBUST_ENDS 6
#define ROBUST_LEVELS 10

// The source of the shift of a column's sums: one for all columns, elements of the column, or one for each
// column.
#define ROBUST_SHIFT_GIVEN 0
#define ROBUST_SHIFT_FOUND 1
#define ROBUST_SHIFT_OF_EACH 2

// Counters of a column, and the one that counts NaN.
#define ROBUST_COUNTERS 17
#define ROBUST_NANS 4

// Bits that tell which bracket missed.
#define ROBUST_MISSED_MEDIAN 1
#define ROBUST_MISSED_DEVIATION 2

// Number of values of an element of 8 bits.
#define ROBUST_VALUES 256

#endif
