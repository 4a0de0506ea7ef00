// SPDX-License-Identifier: Apache-2.0
// The products of every format side by side, as table 2 of the source has them: times, shares of the device's
// bandwidth, and whether they are right.
#ifndef KN_TOOLS_SPMV_PRODUCTS_H
#define KN_TOOLS_SPMV_PRODUCTS_H

#include <koine/tomography.h>

enum { SPMV_FORMATS = KN_SPARSE_MERGE + 1 };

struct spmv_variant {
    kn_sparse_format asked, format; // they differ for KN_SPARSE_AUTO
    bool ran;
    char why[512];  // why it did not run; of KN_SPARSE_AUTO what each format took
    double seconds; // of one product of many, enqueued back to back: the median
    size_t bytes;   // what it moves at least: the matrix as it is kept, both vectors
    double share;   // of the rate of a copy on the device; small matrices in a cache may have more than 1
    double error;   // the greatest over all elements, as a part of its bound: more than 1 is wrong
};

// Bytes a second, read and written, of a copy larger than caches: on the queue's device, or without a queue
// by all threads of the host.
kn_status spmv_copy_rate(kn_queue *queue, double *rate, kn_error *err);

// Numbers from -1 to 1, always the same ones.
void spmv_fill(float *x, size_t count);

// What is multiplied.
struct spmv_problem {
    const kn_sparse *matrix;
    const kn_tomography_geometry *geometry; // whose matrix it is, for the formats on the fly; NULL: of none
    float *vectors[2];                      // x of A x, and y of A^T y
    double rate;                            // bytes a second of spmv_copy_rate
};

// A x, or with `transposed` A^T y, in one format: timed, and compared with double precision, where a sum of n
// terms may be off by n + 2 roundings of its terms' moduli; on the fly also by what its weights are, 5 *
// 2^-24 of the longest step (test_parallel.c has the terms). `product` may be NULL. What a format refuses is
// no error: `variant` tells. KN_SPARSE_AUTO of a geometry is the faster one of those on the fly. Without a
// queue it is the host's code, in single precision, which has KN_SPARSE_SELL (AUTO) and KN_SPARSE_SIMPLE; of
// these `why` is the level that ran. Errors: KN_ERROR_MEMORY, the device's.
kn_status spmv_time_format(kn_queue *queue, const struct spmv_problem *problem, kn_sparse_format format,
                           bool transposed, float *product, struct spmv_variant *variant, kn_error *err);

#endif
