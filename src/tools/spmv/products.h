// SPDX-License-Identifier: Apache-2.0
// The products in every format side by side, as in table 2 of the source: times, shares of the device's
// bandwidth, and whether they are right.
#ifndef KN_TOOLS_SPMV_PRODUCTS_H
#define KN_TOOLS_SPMV_PRODUCTS_H

#include <koine/tomography.h>

enum { SPMV_FORMATS = KN_SPARSE_MERGE + 1 };

struct spmv_variant {
    kn_sparse_format asked, format; // they differ for KN_SPARSE_AUTO
    bool ran;
    char why[512];  // the reason why it did not run; for KN_SPARSE_AUTO the time of each format
    double seconds; // median time of a product, of many that are enqueued back to back
    size_t bytes;   // the fewest bytes it moves: the matrix as stored, and both vectors
    double share;   // fraction of the rate of a copy on the device; may exceed 1 for small matrices in a
                    // cache
    double error;   // the greatest over all elements, relative to its bound: above 1 the product is wrong
};

// Bytes per second, read and written, of a copy larger than the caches: on the queue's device, or without a
// queue by all threads of the host.
kn_status spmv_copy_rate(kn_queue *queue, double *rate, kn_error *err);

// Fills x with numbers from -1 to 1, always the same ones.
void spmv_fill(float *x, size_t count);

// The problem.
struct spmv_problem {
    const kn_sparse *matrix;
    const kn_tomography_geometry *geometry; // the geometry of the matrix, for formats that are computed on
                                            // the fly; NULL: none
    float *vectors[2];                      // x in A x, and y in A^T y
    double rate;                            // from spmv_copy_rate, in bytes per second
};

// Times A x, or with `transposed` A^T y, in one format, and compares it with double precision. A sum of n
// terms may differ by n + 2 roundings of the absolute values of its terms; on the fly also by the error of
// the weights, 5 * 2^-24 of the longest step (test_parallel.c has the derivation). `product` may be NULL. If
// a format refuses the problem, that is not an error: `variant` says so. KN_SPARSE_AUTO for a geometry is the
// faster of the formats on the fly. Without a queue, the host's code runs in single precision, with
// KN_SPARSE_SELL (AUTO) or KN_SPARSE_SIMPLE; `why` is then the instruction-set level that ran. Errors:
// KN_ERROR_MEMORY, the device's.
kn_status spmv_time_format(kn_queue *queue, const struct spmv_problem *problem, kn_sparse_format format,
                           bool transposed, float *product, struct spmv_variant *variant, kn_error *err);

#endif
