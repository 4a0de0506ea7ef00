// SPDX-License-Identifier: Apache-2.0
// Histograms on the host: each thread counts separately.
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/error.h"
#include "histogram_edges.h"
#include "host/host.h"

struct histogram {
    const void *x;
    kn_type type;
    size_t n, size;
    struct histogram_edges edges;
    double low, scale; // scale 0: bins are not even
    struct host_codec codec;
    int64_t *least, top; // as keys
    unsigned threads;
    uint64_t *counts; // of each thread
};

// The bin of a key that is counted, searched from where it is expected.
static inline size_t find_bin(const struct histogram *h, int64_t key, int64_t stored)
{
    size_t low = 0, high = h->edges.used;

    if (h->scale > 0) {
        double place = (ki_element_value((uint64_t)stored, h->type) - h->low) * h->scale;
        low = place > 0 ? place < (double)(high - 1) ? (size_t)place : high - 1 : 0;
        while (key < h->least[low])
            low--;
        while (low + 1 < high && key >= h->least[low + 1])
            low++;
        return low;
    }
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (key >= h->least[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void count_share(void *context, size_t t)
{
    const struct histogram *h = context;
    size_t end = host_share(h->n, t + 1, h->threads);
    uint64_t *counts = h->counts + t * h->edges.bins;

    for (size_t i = host_share(h->n, t, h->threads); i < end; i++) {
        int64_t stored = host_stored(h->x, i, h->size), key = host_encode(stored, h->size, &h->codec);
        if (key >= h->least[0] && key <= h->top)
            counts[find_bin(h, key, stored)]++;
    }
}

static kn_status count(struct histogram *h, const struct host_plan *plan, uint64_t *counts, kn_error *err)
{
    size_t bins = h->edges.bins;
    int64_t top = 0;

    memset(counts, 0, bins * sizeof *counts);
    if (h->n == 0 || h->edges.used == 0)
        return KN_OK;
    h->threads = ki_host_threads(plan, h->n * h->size);
    while (h->threads > 1 && h->threads * bins > h->n)
        h->threads /= 2;
    h->counts = calloc(h->threads * bins, sizeof *h->counts);
    h->least = malloc(h->edges.used * sizeof *h->least);
    if (!h->counts || !h->least) {
        free(h->counts);
        free(h->least);
        return ki_fail_memory(err, h->threads * bins * sizeof *h->counts, "the bins of each thread");
    }
    ki_element_store(&top, h->edges.top, h->type);
    h->top = host_encode(host_stored(&top, 0, h->size), h->size, &h->codec);
    for (size_t i = 0; i < h->edges.used; i++)
        h->least[i] = host_encode(host_stored(h->edges.least, i, h->size), h->size, &h->codec);
    ki_parallel(h->threads, h->threads, KI_STATIC, count_share, h);
    for (size_t i = 0; i < h->threads * bins; i++)
        counts[i % bins] += h->counts[i];
    free(h->counts);
    free(h->least);
    return KN_OK;
}

static kn_status histogram(const char *function, struct histogram *h, const double *edges, double low,
                           double high, size_t bins, uint64_t *counts, const kn_host_options *options,
                           kn_error *err)
{
    struct host_plan plan;
    kn_status status = ki_host_plan(function, h->type, h->n, options, &plan, err);

    if (!status && (!counts || (!h->x && h->n > 0)))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: x or counts is NULL", function);
    if (!status)
        status = ki_histogram_edges_make(function, h->type, edges, low, high, bins, &h->edges, err);
    if (status)
        return status;
    h->size = plan.size;
    h->codec = ki_host_codec(h->type, false);
    h->low = low;
    h->scale = edges ? 0 : (double)bins / (high - low);
    status = count(h, &plan, counts, err);
    ki_histogram_edges_free(&h->edges);
    return status;
}

kn_status kn_host_histogram(const void *x, kn_type type, size_t n, const double *edges, size_t bins,
                            uint64_t *counts, const kn_host_options *options, kn_error *err)
{
    struct histogram h = {.x = x, .type = type, .n = n};

    if (!edges)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_histogram: edges is NULL");
    return histogram("kn_host_histogram", &h, edges, 0, 0, bins, counts, options, err);
}

kn_status kn_host_histogram_even(const void *x, kn_type type, size_t n, double low, double high, size_t bins,
                                 uint64_t *counts, const kn_host_options *options, kn_error *err)
{
    struct histogram h = {.x = x, .type = type, .n = n};

    return histogram("kn_host_histogram_even", &h, NULL, low, high, bins, counts, options, err);
}
