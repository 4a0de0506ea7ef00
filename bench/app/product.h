// SPDX-License-Identifier: Apache-2.0
// Timing of sparse products: alone, by the device's events, and many back to back.
#ifndef KN_BENCH_PRODUCT_H
#define KN_BENCH_PRODUCT_H

#include "app/sparse/product/spmv.h"
#include "bench/bench.h"

struct bench_product {
    kn_queue *queue;
    const struct sparse_operator *a;
    bool transposed;
    kn_buffer *from, *to;
};

struct bench_product_times {
    struct bench_times many; // of one, as enqueued back to back
    double alone;            // seconds, the median
};

// Enqueues it once.
void bench_product_apply(const struct bench_product *product);
struct bench_product_times bench_product_measure(struct bench_product *product);

#endif
