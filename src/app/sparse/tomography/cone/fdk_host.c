// SPDX-License-Identifier: Apache-2.0
#include "fdk_host.h"

#include <math.h>
#include <stdlib.h>

#include "app/sparse/tomography/host_filter.h"
#include "base/error.h"
#include "base/kept.h"
#include "base/threads.h"
#include "fdk.h"

enum { MOST_NUMBERS = 1 << 24 }; // of spectra at a time

static const struct sparse_fdk_code *const codes[][2] = {HOST_LEVELS(sparse_fdk)};

struct sparse_fdk_host {
    struct sparse_host_filter filter;
    size_t angles, batch; // batch: projections at a time
    const struct sparse_fdk_code *code;
    struct sparse_fdk_columns columns;
    void *weighted, *spectra; // of a batch of projections
    void *numbers;            // the filtered ones, which `columns` describes
    void *column;             // a column for each thread
    const void *projections;  // the current run's, from the batch's first
    void *volume;
};

// ---- sizes ----

size_t ki_sparse_fdk_batch(size_t angles, size_t numbers, size_t most)
{
    const size_t fit = most > numbers ? most / numbers : 1, batches = (angles + fit - 1) / fit;

    return (angles + batches - 1) / batches;
}

static size_t stride_of(const struct sparse_parallel *geometry)
{
    return (geometry->lines + SPARSE_FDK_FIRST + SPARSE_FDK_MORE + 2 * SPARSE_FDK_LANES - 1) /
           SPARSE_FDK_LANES * SPARSE_FDK_LANES;
}

static size_t batch_of(const struct sparse_parallel *geometry)
{
    const size_t spectra = 2 * ki_sparse_filter_points(geometry->detectors) * geometry->lines,
                 columns = (geometry->detectors + 2) * stride_of(geometry);

    return ki_sparse_fdk_batch(geometry->angles, spectra > columns ? spectra : columns, MOST_NUMBERS);
}

static size_t filtered_numbers(const struct sparse_parallel *geometry, size_t batch)
{
    return batch * (geometry->detectors + 2) * stride_of(geometry);
}

size_t ki_sparse_fdk_host_memory(const struct sparse_parallel *geometry, kn_type type)
{
    const size_t half = ki_sparse_filter_points(geometry->detectors), batch = batch_of(geometry),
                 panels = batch * geometry->lines * (geometry->detectors + 2 * half),
                 numbers = filtered_numbers(geometry, batch) + panels + ki_threads(0) * stride_of(geometry);

    return numbers * kn_type_size(type) + ki_sparse_host_filter_memory(geometry, type);
}

// ---- preparation ----

static kn_status allocate(struct sparse_fdk_host *host, const struct sparse_parallel *geometry, kn_error *err)
{
    const size_t size = kn_type_size(host->filter.type), half = ki_sparse_filter_points(geometry->detectors),
                 panels = host->batch * geometry->lines;

    host->weighted = malloc(panels * geometry->detectors * size);
    host->spectra = malloc(2 * panels * half * size);
    host->numbers = ki_kept_take_zeros(NULL, filtered_numbers(geometry, host->batch), size);
    host->column = ki_kept_take_array(NULL, host->filter.threads * stride_of(geometry), size);
    if (!host->weighted || !host->spectra || !host->numbers || !host->column)
        return ki_fail_memory(err, ki_sparse_fdk_host_memory(geometry, host->filter.type),
                              "filtered projections");
    host->columns = (struct sparse_fdk_columns){.detectors = geometry->detectors,
                                                .lines = geometry->lines,
                                                .size = geometry->size,
                                                .slices = geometry->slices,
                                                .stride = stride_of(geometry),
                                                .source = geometry->source,
                                                .length = geometry->source + geometry->detector,
                                                .axis = geometry->axis,
                                                .numbers = host->numbers};
    return KN_OK;
}

kn_status ki_sparse_fdk_host_create(const struct sparse_parallel *geometry, kn_tomography_filter filter,
                                    kn_type type, const kn_host_options *options, size_t batch,
                                    struct sparse_fdk_host **made, kn_error *err)
{
    struct sparse_fdk_host *host = calloc(1, sizeof *host);
    kn_status status =
        host ? ki_sparse_host_filter_prepare(geometry, filter, type, options, &host->filter, err)
             : ki_fail_memory(err, sizeof *host, "filtered back-projection");

    if (!status) {
        host->angles = geometry->angles;
        host->batch = batch && batch < geometry->angles ? batch : batch_of(geometry);
        host->code = codes[host->filter.level][type == KN_F64];
        status = allocate(host, geometry, err);
    }
    if (status)
        ki_sparse_fdk_host_free(host);
    else
        *made = host;
    return status;
}

void ki_sparse_fdk_host_free(struct sparse_fdk_host *host)
{
    if (!host)
        return;
    ki_sparse_host_filter_free(&host->filter);
    free(host->weighted);
    free(host->spectra);
    ki_kept_give(NULL, host->numbers);
    ki_kept_give(NULL, host->column);
    free(host);
}

const char *ki_sparse_fdk_host_level(const struct sparse_fdk_host *host)
{
    return host->code->name;
}

// ---- filtering ----

// Multiplies line `line` of the batch's panels by the cosines of its rays.
static void weigh_line(void *context, size_t line)
{
    const struct sparse_fdk_host *host = context;
    const struct sparse_fdk_columns *c = &host->columns;
    const size_t first = line * c->detectors;
    const double v = (double)(line % c->lines) - ((double)c->lines - 1) / 2,
                 square = c->length * c->length + v * v;
    const float *singles = host->projections;
    const double *doubles = host->projections;

    for (size_t k = 0; k < c->detectors; k++) {
        const double u = (double)k - c->axis, cosine = c->length / sqrt(square + u * u);

        if (host->filter.type == KN_F64)
            ((double *)host->weighted)[first + k] = doubles[first + k] * cosine;
        else
            ((float *)host->weighted)[first + k] = (float)((double)singles[first + k] * cosine);
    }
}

static void multiply_line(void *context, size_t line)
{
    struct sparse_fdk_host *host = context;
    const size_t count = host->filter.line.length + 2, first = line * count;
    float *singles = host->spectra;
    double *doubles = host->spectra;

    for (size_t k = 0; k < count; k++)
        if (host->filter.type == KN_F64)
            doubles[first + k] *= host->filter.factors[k / 2];
        else
            singles[first + k] *= (float)host->filter.factors[k / 2];
}

static void filter(struct sparse_fdk_host *host)
{
    const struct sparse_fdk_columns *c = &host->columns;
    const size_t half = host->filter.line.length / 2 + 1, lines = c->angles * c->lines;
    const struct host_fft_side spectra = {.at = host->spectra,
                                          .points = HOST_FFT_HALF,
                                          .count = half,
                                          .step = 1,
                                          .across = {half, c->lines * half}};
    struct host_fft_lines transform = {.line = &host->filter.line,
                                       .from = {.at = host->weighted,
                                                .points = HOST_FFT_REAL,
                                                .count = c->detectors,
                                                .step = 1,
                                                .across = {c->detectors, c->lines * c->detectors}},
                                       .to = spectra,
                                       .count = {c->lines, c->angles, 1},
                                       .scale = 1};

    ki_parallel(host->filter.threads, lines, KI_DYNAMIC, weigh_line, host);
    ki_host_fft_lines(&transform, host->filter.threads, host->filter.room);
    ki_parallel(host->filter.threads, lines, KI_DYNAMIC, multiply_line, host);
    transform.from = spectra;
    transform.to =
        (struct host_fft_side){.at = (unsigned char *)host->numbers +
                                     (c->stride + SPARSE_FDK_FIRST) * kn_type_size(host->filter.type),
                               .points = HOST_FFT_REAL,
                               .count = c->detectors,
                               .step = c->stride,
                               .across = {1, (c->detectors + 2) * c->stride}};
    transform.back = true;
    ki_host_fft_lines(&transform, host->filter.threads, host->filter.room);
}

// ---- back-projection ----

static void back_lines(void *context, size_t tile)
{
    const struct sparse_fdk_host *host = context;
    const struct sparse_fdk_columns *c = &host->columns;

    host->code->back(c, tile * SPARSE_FDK_TILE,
                     (unsigned char *)host->column +
                         ki_thread() * c->stride * kn_type_size(host->filter.type),
                     host->volume);
}

void ki_sparse_fdk_host_run(struct sparse_fdk_host *host, const void *projections, void *volume)
{
    struct sparse_fdk_columns *c = &host->columns;
    const size_t panel = c->lines * c->detectors * kn_type_size(host->filter.type);

    host->volume = volume;
    for (size_t first = 0; first < host->angles; first += host->batch) {
        const size_t left = host->angles - first;

        host->projections = (const unsigned char *)projections + first * panel;
        c->angles = left < host->batch ? left : host->batch;
        c->views = host->filter.views + first;
        c->weights = host->filter.weights + first;
        c->adds = first > 0;
        filter(host);
        ki_parallel(host->filter.threads, (c->size + SPARSE_FDK_TILE - 1) / SPARSE_FDK_TILE, KI_DYNAMIC,
                    back_lines, host);
    }
}
