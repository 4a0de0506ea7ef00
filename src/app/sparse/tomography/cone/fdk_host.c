// SPDX-License-Identifier: Apache-2.0
#include "fdk_host.h"

#include <math.h>
#include <stdlib.h>

#include "app/sparse/tomography/filter.h"
#include "base/error.h"
#include "base/kept.h"
#include "base/threads.h"
#include "fdk.h"
#include "host/fft/host_fft_lines.h"

enum { MOST_NUMBERS = 1 << 24 }; // of spectra at a time

static const struct sparse_fdk_code *const codes[][2] = {HOST_LEVELS(sparse_fdk)};

struct sparse_fdk_host {
    kn_type type;
    unsigned threads;
    size_t angles, batch; // batch: projections at a time
    const struct sparse_fdk_code *code;
    struct sparse_view *views;
    struct sparse_fdk_columns columns;
    struct host_fft_line line;
    double *factors;          // of the filter
    double *weights;          // of the projections
    void *weighted, *spectra; // of a batch of projections
    void *numbers;            // the filtered ones, which `columns` describes
    void *column;             // a column for each thread
    void *room;               // workspace of the transforms
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

static size_t half_of(const struct sparse_parallel *geometry)
{
    return ki_sparse_filter_length(geometry->detectors) / 2 + 1;
}

static size_t batch_of(const struct sparse_parallel *geometry)
{
    const size_t spectra = 2 * half_of(geometry) * geometry->lines,
                 columns = (geometry->detectors + 2) * stride_of(geometry);

    return ki_sparse_fdk_batch(geometry->angles, spectra > columns ? spectra : columns, MOST_NUMBERS);
}

static size_t filtered_numbers(const struct sparse_parallel *geometry, size_t batch)
{
    return batch * (geometry->detectors + 2) * stride_of(geometry);
}

size_t ki_sparse_fdk_host_memory(const struct sparse_parallel *geometry, kn_type type)
{
    const size_t size = kn_type_size(type), half = half_of(geometry), batch = batch_of(geometry),
                 block = 2 * half * SPARSE_FDK_LANES * size, // points of a line in the workspace of a thread
        panels = batch * geometry->lines * (geometry->detectors + 2 * half),
                 numbers = filtered_numbers(geometry, batch) + panels + ki_threads(0) * stride_of(geometry);

    return numbers * size + half * sizeof(double) +
           geometry->angles * (sizeof(struct sparse_view) + sizeof(double)) + (6 * ki_threads(0) + 1) * block;
}

// ---- preparation ----

static kn_status allocate(struct sparse_fdk_host *host, const struct sparse_parallel *geometry, kn_error *err)
{
    const size_t size = kn_type_size(host->type), half = half_of(geometry),
                 panels = host->batch * geometry->lines;

    host->factors = malloc(half * sizeof *host->factors);
    host->weights = malloc(geometry->angles * sizeof *host->weights);
    host->weighted = malloc(panels * geometry->detectors * size);
    host->spectra = malloc(2 * panels * half * size);
    host->numbers = ki_kept_take_zeros(NULL, filtered_numbers(geometry, host->batch), size);
    host->column = ki_kept_take_array(NULL, host->threads * stride_of(geometry), size);
    host->room = ki_kept_take_zeros(NULL, host->threads, host->line.room);
    if (!host->factors || !host->weights || !host->weighted || !host->spectra || !host->numbers ||
        !host->column || !host->room)
        return ki_fail_memory(err, ki_sparse_fdk_host_memory(geometry, host->type), "filtered projections");
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
    const size_t length = ki_sparse_filter_length(geometry->detectors);
    struct host_plan plan;
    kn_status status = host ? ki_host_plan("fbp", type, geometry->angles, options, &plan, err)
                            : ki_fail_memory(err, sizeof *host, "filtered back-projection");

    if (!status) {
        host->type = type;
        host->threads = plan.threads;
        host->angles = geometry->angles;
        host->batch = batch && batch < geometry->angles ? batch : batch_of(geometry);
        host->code = codes[plan.level][type == KN_F64];
        host->views = ki_sparse_parallel_turns(geometry, err);
        status = host->views ? ki_host_fft_line_create(length, type, plan.level, &host->line, err)
                             : KN_ERROR_MEMORY;
    }
    if (!status)
        status = allocate(host, geometry, err);
    // Both transforms are unscaled.
    if (!status)
        status = ki_sparse_filter_fill(geometry, filter, length, 1 / (double)length, host->factors, err);
    if (!status)
        status = ki_sparse_filter_weights(geometry, host->weights, err);
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
    ki_host_fft_line_free(&host->line);
    free(host->views);
    free(host->factors);
    free(host->weights);
    free(host->weighted);
    free(host->spectra);
    ki_kept_give(NULL, host->numbers);
    ki_kept_give(NULL, host->column);
    ki_kept_give(NULL, host->room);
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

        if (host->type == KN_F64)
            ((double *)host->weighted)[first + k] = doubles[first + k] * cosine;
        else
            ((float *)host->weighted)[first + k] = (float)((double)singles[first + k] * cosine);
    }
}

static void multiply_line(void *context, size_t line)
{
    struct sparse_fdk_host *host = context;
    const size_t count = host->line.length + 2, first = line * count;
    float *singles = host->spectra;
    double *doubles = host->spectra;

    for (size_t k = 0; k < count; k++)
        if (host->type == KN_F64)
            doubles[first + k] *= host->factors[k / 2];
        else
            singles[first + k] *= (float)host->factors[k / 2];
}

static void filter(struct sparse_fdk_host *host)
{
    const struct sparse_fdk_columns *c = &host->columns;
    const size_t half = host->line.length / 2 + 1, lines = c->angles * c->lines;
    const struct host_fft_side spectra = {.at = host->spectra,
                                          .points = HOST_FFT_HALF,
                                          .count = half,
                                          .step = 1,
                                          .across = {half, c->lines * half}};
    struct host_fft_lines transform = {.line = &host->line,
                                       .from = {.at = host->weighted,
                                                .points = HOST_FFT_REAL,
                                                .count = c->detectors,
                                                .step = 1,
                                                .across = {c->detectors, c->lines * c->detectors}},
                                       .to = spectra,
                                       .count = {c->lines, c->angles, 1},
                                       .scale = 1};

    ki_parallel(host->threads, lines, KI_DYNAMIC, weigh_line, host);
    ki_host_fft_lines(&transform, host->threads, host->room);
    ki_parallel(host->threads, lines, KI_DYNAMIC, multiply_line, host);
    transform.from = spectra;
    transform.to = (struct host_fft_side){.at = (unsigned char *)host->numbers +
                                                (c->stride + SPARSE_FDK_FIRST) * kn_type_size(host->type),
                                          .points = HOST_FFT_REAL,
                                          .count = c->detectors,
                                          .step = c->stride,
                                          .across = {1, (c->detectors + 2) * c->stride}};
    transform.back = true;
    ki_host_fft_lines(&transform, host->threads, host->room);
}

// ---- back-projection ----

static void back_lines(void *context, size_t tile)
{
    const struct sparse_fdk_host *host = context;
    const struct sparse_fdk_columns *c = &host->columns;

    host->code->back(c, tile * SPARSE_FDK_TILE,
                     (unsigned char *)host->column + ki_thread() * c->stride * kn_type_size(host->type),
                     host->volume);
}

void ki_sparse_fdk_host_run(struct sparse_fdk_host *host, const void *projections, void *volume)
{
    struct sparse_fdk_columns *c = &host->columns;
    const size_t panel = c->lines * c->detectors * kn_type_size(host->type);

    host->volume = volume;
    for (size_t first = 0; first < host->angles; first += host->batch) {
        const size_t left = host->angles - first;

        host->projections = (const unsigned char *)projections + first * panel;
        c->angles = left < host->batch ? left : host->batch;
        c->views = host->views + first;
        c->weights = host->weights + first;
        c->adds = first > 0;
        filter(host);
        ki_parallel(host->threads, (c->size + SPARSE_FDK_TILE - 1) / SPARSE_FDK_TILE, KI_DYNAMIC, back_lines,
                    host);
    }
}
