// SPDX-License-Identifier: Apache-2.0
#include "product.h"

static const double long_enough = 0.02; // seconds of one measurement
enum { MOST_EACH = 400 };

void bench_product_apply(const struct bench_product *product)
{
    kn_error err = KN_ERROR_INIT;

    bench_try(ki_sparse_operator_apply(product->queue, product->a, product->transposed, product->from,
                                       product->to, &err),
              &err);
}

static void apply(void *data)
{
    bench_product_apply(data);
}

// Seconds of one of `each`.
static double time_each(const struct bench_product *product, int each)
{
    kn_error err = KN_ERROR_INIT;
    double start;

    bench_try(kn_queue_finish(product->queue, &err), &err);
    start = bench_seconds();
    for (int i = 0; i < each; i++)
        bench_product_apply(product);
    bench_try(kn_queue_finish(product->queue, &err), &err);
    return (bench_seconds() - start) / each;
}

struct bench_product_times bench_product_measure(struct bench_product *product)
{
    double seconds[BENCH_REPETITIONS], once = 0;
    struct bench_product_times times;
    int each;

    for (int i = 0; i < 2; i++)
        once = time_each(product, 1);
    each = once > long_enough / 2           ? 1
           : once > long_enough / MOST_EACH ? (int)(long_enough / once)
                                            : MOST_EACH;
    for (int i = 0; i < BENCH_REPETITIONS; i++)
        seconds[i] = time_each(product, each);
    times.many = bench_times_of(seconds, BENCH_REPETITIONS);
    times.alone = bench_measure(product->queue, NULL, apply, product, false).device.median;
    return times;
}
