// SPDX-License-Identifier: Apache-2.0
#include "fbp_host.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/kept.h"
#include "base/threads.h"
#include "fan.h"
#include "fbp.h"
#include "fbp_fan.h"
#include "filter.h"
#include "host/fft/host_fft_lines.h"

static const struct sparse_fbp_code *const codes[][2] = {HOST_LEVELS(sparse_fbp)};

struct sparse_fbp_host {
    kn_type type;
    unsigned threads;
    const struct sparse_fbp_code *code;
    struct sparse_view *views;
    struct sparse_fbp_rows rows;
    struct host_fft_line line;
    double *factors;            // of the filter
    double *weights;            // of the projections
    struct sparse_parallel fan; // the geometry, without its angles
    double *cosines;            // of a fan's rays
    void *weighted;             // a fan's sinogram, times these
    void *filtered, *spectra;   // of all projections
    void *room;                 // workspace of the transforms
    const void *sinogram;       // the current run's
    unsigned char *picture;
};

// ---- sizes ----

static size_t stride_of(const struct sparse_parallel *geometry)
{
    return (geometry->detectors + 2 * SPARSE_FBP_MARGIN + 15) / 16 * 16;
}

static size_t half_of(const struct sparse_parallel *geometry)
{
    return ki_sparse_filter_length(geometry->detectors) / 2 + 1;
}

static size_t filtered_numbers(const struct sparse_parallel *geometry)
{
    return geometry->angles * stride_of(geometry);
}

size_t ki_sparse_fbp_host_memory(const struct sparse_parallel *geometry, kn_type type)
{
    const size_t size = kn_type_size(type), half = half_of(geometry),
                 block = 2 * half * SPARSE_FBP_LANES * size, // points of a line in the workspace of a thread
        weighted = ki_sparse_is_fan(geometry) ? ki_sparse_parallel_rows(geometry) : 0,
                 cosines = weighted ? geometry->detectors * sizeof(double) : 0,
                 numbers = filtered_numbers(geometry) + 2 * geometry->angles * half + weighted;

    return cosines + numbers * size + half * sizeof(double) +
           geometry->angles * (sizeof(struct sparse_view) + sizeof(double)) + (6 * ki_threads(0) + 1) * block;
}

// ---- preparation ----

static kn_status allocate(struct sparse_fbp_host *host, const struct sparse_parallel *geometry, kn_error *err)
{
    const size_t size = kn_type_size(host->type), half = half_of(geometry);

    host->factors = malloc(half * sizeof *host->factors);
    host->weights = malloc(geometry->angles * sizeof *host->weights);
    host->filtered = ki_kept_take_zeros(NULL, filtered_numbers(geometry), size);
    host->spectra = malloc(2 * geometry->angles * half * size);
    host->room = ki_kept_take_zeros(NULL, host->threads, host->line.room);
    if (!host->factors || !host->weights || !host->filtered || !host->spectra || !host->room)
        return ki_fail_memory(err, ki_sparse_fbp_host_memory(geometry, host->type), "filtered projections");
    if (ki_sparse_is_fan(geometry)) {
        host->cosines = malloc(geometry->detectors * sizeof *host->cosines);
        host->weighted = malloc(ki_sparse_parallel_rows(geometry) * size);
        if (!host->cosines || !host->weighted)
            return ki_fail_memory(err, ki_sparse_fbp_host_memory(geometry, host->type),
                                  "a fan's projections");
        ki_sparse_fan_cosines(geometry, host->cosines);
    }
    host->rows = (struct sparse_fbp_rows){host->views,    geometry->angles,    geometry->detectors,
                                          geometry->size, stride_of(geometry), host->filtered};
    return KN_OK;
}

kn_status ki_sparse_fbp_host_create(const struct sparse_parallel *geometry, kn_tomography_filter filter,
                                    kn_type type, const kn_host_options *options,
                                    struct sparse_fbp_host **made, kn_error *err)
{
    struct sparse_fbp_host *host = calloc(1, sizeof *host);
    const size_t length = ki_sparse_filter_length(geometry->detectors);
    struct host_plan plan;
    kn_status status = host ? ki_host_plan("fbp", type, geometry->angles, options, &plan, err)
                            : ki_fail_memory(err, sizeof *host, "filtered back-projection");

    if (!status) {
        host->type = type;
        host->threads = plan.threads;
        host->fan = *geometry;
        host->fan.theta = NULL;
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
        ki_sparse_fbp_host_free(host);
    else
        *made = host;
    return status;
}

void ki_sparse_fbp_host_free(struct sparse_fbp_host *host)
{
    if (!host)
        return;
    ki_host_fft_line_free(&host->line);
    free(host->views);
    free(host->factors);
    free(host->weights);
    free(host->cosines);
    free(host->weighted);
    ki_kept_give(NULL, host->filtered);
    free(host->spectra);
    ki_kept_give(NULL, host->room);
    free(host);
}

const char *ki_sparse_fbp_host_level(const struct sparse_fbp_host *host)
{
    return ki_sparse_is_fan(&host->fan) ? "scalar" : host->code->name;
}

// ---- filtering ----

static void multiply(struct sparse_fbp_host *host)
{
    const size_t half = host->line.length / 2 + 1;
    float *singles = host->spectra;
    double *doubles = host->spectra;

    for (size_t t = 0; t < host->rows.angles; t++)
        for (size_t k = 0; k < 2 * half; k++) {
            const size_t i = 2 * t * half + k;
            const double factor = host->weights[t] * host->factors[k / 2];

            if (host->type == KN_F64)
                doubles[i] *= factor;
            else
                singles[i] *= (float)factor;
        }
}

static void filter(struct sparse_fbp_host *host)
{
    const struct sparse_fbp_rows *rows = &host->rows;
    const size_t half = host->line.length / 2 + 1;
    const struct host_fft_side spectra = {
        .at = host->spectra, .points = HOST_FFT_HALF, .count = half, .step = 1, .across = {half}};
    struct host_fft_lines lines = {.line = &host->line,
                                   .from = {.at = (void *)host->sinogram, // only read
                                            .points = HOST_FFT_REAL,
                                            .count = rows->detectors,
                                            .step = 1,
                                            .across = {rows->detectors}},
                                   .to = spectra,
                                   .count = {rows->angles, 1, 1},
                                   .scale = 1};

    ki_host_fft_lines(&lines, host->threads, host->room);
    multiply(host);
    lines.from = spectra;
    lines.to = (struct host_fft_side){.at = (unsigned char *)host->filtered +
                                            SPARSE_FBP_MARGIN * kn_type_size(host->type),
                                      .points = HOST_FFT_REAL,
                                      .count = rows->detectors,
                                      .step = 1,
                                      .across = {rows->stride}};
    lines.back = true;
    ki_host_fft_lines(&lines, host->threads, host->room);
}

// ---- back-projection ----

static void back_line(void *context, size_t line)
{
    const struct sparse_fbp_host *host = context;

    host->code->back(&host->rows, line, host->picture + line * host->rows.size * kn_type_size(host->type));
}

static void back_fan_line(void *context, size_t line)
{
    const struct sparse_fbp_host *host = context;

    ki_sparse_fan_back(&host->fan, &host->rows, host->type, line,
                       host->picture + line * host->rows.size * kn_type_size(host->type));
}

static void weigh_line(void *context, size_t line)
{
    const struct sparse_fbp_host *host = context;

    ki_sparse_fan_weigh(&host->fan, host->cosines, host->type, line, host->sinogram, host->weighted);
}

void ki_sparse_fbp_host_run(struct sparse_fbp_host *host, const void *sinogram, void *picture)
{
    host->sinogram = sinogram;
    host->picture = picture;
    if (host->weighted) {
        ki_parallel(host->threads, host->rows.angles, KI_DYNAMIC, weigh_line, host);
        host->sinogram = host->weighted;
    }
    filter(host);
    ki_parallel(host->threads, host->rows.size, KI_DYNAMIC, host->weighted ? back_fan_line : back_line, host);
}
