// SPDX-License-Identifier: Apache-2.0
// The input of `koine cache build`: files of random numbers, large enough for a command to use its kernels
// for large ones.
#ifndef KN_CLI_CACHE_SAMPLES_H
#define KN_CLI_CACHE_SAMPLES_H

#include <koine/error.h>

// Writes all of them into the folder. Errors: KN_ERROR_OUTPUT, KN_ERROR_MEMORY.
//
//     floats.npy, doubles.npy, longs.npy   a column of 2^21 numbers
//     few-floats.npy, few-doubles.npy      a column of 1,000 numbers
//     complex.npy                          512 x 512 complex numbers
//     table.csv                            three columns of 2^18 rows
//     frame.png                            a picture of 1,024 x 1,024 pixels
//     picture.npy                          256 x 256 doubles
//     matrix.mtx, right.npy                20,000 x 4,000 with ten nonzeros a row; a column of 20,000 numbers
kn_status cache_samples_write(const char *folder, kn_error *err);

#endif
