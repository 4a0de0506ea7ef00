// SPDX-License-Identifier: Apache-2.0
// Statistics of a column that a device holds, on its queue and without a copy to the host, and of an array on
// the host: the same bits.
#include <stdio.h>
#include <string.h>

#include <koine/koine.h>

enum { N = 9 };

static void print(const char *where, const kn_stats *s)
{
    printf("%s: n %zu, mean %g, std %g, CV %g, median %g, MAD %g\n", where, s->n, s->mean, s->std, s->cv,
           s->median, s->mad);
}

static kn_status on_device(const float *x, kn_stats *result, kn_error *err)
{
    kn_context *ctx = NULL;
    kn_queue *q = NULL;
    kn_buffer *buf = NULL;
    kn_stats_plan *plan = NULL;

    // What is in the queue already, kernels of your own for instance, is done first.
    if (kn_context_open(NULL, NULL, &ctx, err) ||
        kn_queue_open(ctx, &q, err) ||
        kn_buffer_create(ctx, N * sizeof *x, &buf, err) ||
        kn_buffer_write(q, buf, 0, x, N * sizeof *x, err) ||
        kn_stats_plan_create(q, KN_F32, N, NULL, &plan, err) ||
        kn_stats_compute_buffer(plan, buf, N, result, err))
        fprintf(stderr, "stats: %s\n", err->text);

    kn_stats_plan_free(plan);
    kn_buffer_free(buf);
    kn_queue_close(q);
    kn_context_close(ctx);
    return err->code;
}

static kn_status on_host(const float *x, kn_stats *result, kn_error *err)
{
    kn_stats_options options = KN_INIT(kn_stats_options, .variant = KN_STATS_SERIAL);
    kn_stats_plan *plan = NULL;
    kn_status status = kn_stats_plan_create(NULL, KN_F32, N, &options, &plan, err);

    if (!status)
        status = kn_stats_compute(plan, x, N, result, err);
    if (status)
        fprintf(stderr, "stats: %s\n", err->text);
    kn_stats_plan_free(plan);
    return status;
}

int main(void)
{
    const float x[N] = {2, 4, 4, 4, 5, 5, 7, 9, 1000};
    kn_error err = KN_ERROR_INIT;
    kn_stats device, host;

    if (on_device(x, &device, &err) || on_host(x, &host, &err))
        return (int)err.code;
    print("device", &device);
    print("host", &host);
    return memcmp(&device, &host, sizeof host) != 0;
}
