// SPDX-License-Identifier: Apache-2.0
#include "fbp_host.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/kept.h"
#include "base/threads.h"
#include "fan.h"
#include "fbp.h"
#include "fbp_fan.h"
#include "host_filter.h"

static const struct sparse_fbp_code *const codes[][2] = {HOST_LEVELS(sparse_fbp)};

struct sparse_fbp_host {
    struct sparse_host_filter filter;
    const struct sparse_fbp_code *code;
    struct sparse_fbp_rows rows;
    struct sparse_parallel fan; // the geometry, without its angles
    double *cosines;            // of a fan's rays
    void *weighted;             // a fan's sinogram, times these
    void *filtered, *spectra;   // of all projections
    const void *sinogram;       // the current run's
    unsigned char *picture;
};

// ---- sizes ----

static size_t stride_of(const struct sparse_parallel *geometry)
{
    return (geometry->detectors + 2 * SPARSE_FBP_MARGIN + 15) / 16 * 16;
}

static size_t filtered_numbers(const struct sparse_parallel *geometry)
{
    return geometry->angles * stride_of(geometry);
}

size_t ki_sparse_fbp_host_memory(const struct sparse_parallel *geometry, kn_type type)
{
    const size_t half = ki_sparse_filter_points(geometry->detectors),
                 weighted = ki_sparse_is_fan(geometry) ? ki_sparse_parallel_rows(geometry) : 0,
                 cosines = weighted ? geometry->detectors * sizeof(double) : 0,
                 numbers = filtered_numbers(geometry) + 2 * geometry->angles * half + weighted;

    return cosines + numbers * kn_type_size(type) + ki_sparse_host_filter_memory(geometry, type);
}

// ---- preparation ----

static kn_status allocate(struct sparse_fbp_host *host, const struct sparse_parallel *geometry, kn_error *err)
{
    const size_t size = kn_type_size(host->filter.type), half = ki_sparse_filter_points(geometry->detectors);

    host->filtered = ki_kept_take_zeros(NULL, filtered_numbers(geometry), size);
    host->spectra = malloc(2 * geometry->angles * half * size);
    if (!host->filtered || !host->spectra)
        return ki_fail_memory(err, ki_sparse_fbp_host_memory(geometry, host->filter.type),
                              "filtered projections");
    if (ki_sparse_is_fan(geometry)) {
        host->cosines = malloc(geometry->detectors * sizeof *host->cosines);
        host->weighted = malloc(ki_sparse_parallel_rows(geometry) * size);
        if (!host->cosines || !host->weighted)
            return ki_fail_memory(err, ki_sparse_fbp_host_memory(geometry, host->filter.type),
                                  "a fan's projections");
        ki_sparse_fan_cosines(geometry, host->cosines);
    }
    host->rows = (struct sparse_fbp_rows){host->filter.views, geometry->angles,    geometry->detectors,
                                          geometry->size,     stride_of(geometry), host->filtered};
    return KN_OK;
}

kn_status ki_sparse_fbp_host_create(const struct sparse_parallel *geometry, kn_tomography_filter filter,
                                    kn_type type, const kn_host_options *options,
                                    struct sparse_fbp_host **made, kn_error *err)
{
    struct sparse_fbp_host *host = calloc(1, sizeof *host);
    kn_status status =
        host ? ki_sparse_host_filter_prepare(geometry, filter, type, options, &host->filter, err)
             : ki_fail_memory(err, sizeof *host, "filtered back-projection");

    if (!status) {
        host->fan = *geometry;
        host->fan.theta = NULL;
        host->code = codes[host->filter.level][type == KN_F64];
        status = allocate(host, geometry, err);
    }
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
    ki_sparse_host_filter_free(&host->filter);
    free(host->cosines);
    free(host->weighted);
    ki_kept_give(NULL, host->filtered);
    free(host->spectra);
    free(host);
}

const char *ki_sparse_fbp_host_level(const struct sparse_fbp_host *host)
{
    return ki_sparse_is_fan(&host->fan) ? "scalar" : host->code->name;
}

// ---- filtering ----

static void multiply(struct sparse_fbp_host *host)
{
    const size_t half = host->filter.line.length / 2 + 1;
    float *singles = host->spectra;
    double *doubles = host->spectra;

    for (size_t t = 0; t < host->rows.angles; t++)
        for (size_t k = 0; k < 2 * half; k++) {
            const size_t i = 2 * t * half + k;
            const double factor = host->filter.weights[t] * host->filter.factors[k / 2];

            if (host->filter.type == KN_F64)
                doubles[i] *= factor;
            else
                singles[i] *= (float)factor;
        }
}

static void filter(struct sparse_fbp_host *host)
{
    const struct sparse_fbp_rows *rows = &host->rows;
    const size_t half = host->filter.line.length / 2 + 1;
    const struct host_fft_side spectra = {
        .at = host->spectra, .points = HOST_FFT_HALF, .count = half, .step = 1, .across = {half}};
    struct host_fft_lines lines = {.line = &host->filter.line,
                                   .from = {.at = (void *)host->sinogram, // only read
                                            .points = HOST_FFT_REAL,
                                            .count = rows->detectors,
                                            .step = 1,
                                            .across = {rows->detectors}},
                                   .to = spectra,
                                   .count = {rows->angles, 1, 1},
                                   .scale = 1};

    ki_host_fft_lines(&lines, host->filter.threads, host->filter.room);
    multiply(host);
    lines.from = spectra;
    lines.to = (struct host_fft_side){.at = (unsigned char *)host->filtered +
                                            SPARSE_FBP_MARGIN * kn_type_size(host->filter.type),
                                      .points = HOST_FFT_REAL,
                                      .count = rows->detectors,
                                      .step = 1,
                                      .across = {rows->stride}};
    lines.back = true;
    ki_host_fft_lines(&lines, host->filter.threads, host->filter.room);
}

// ---- back-projection ----

static void back_line(void *context, size_t line)
{
    const struct sparse_fbp_host *host = context;

    host->code->back(&host->rows, line,
                     host->picture + line * host->rows.size * kn_type_size(host->filter.type));
}

static void back_fan_line(void *context, size_t line)
{
    const struct sparse_fbp_host *host = context;

    ki_sparse_fan_back(&host->fan, &host->rows, host->filter.type, line,
                       host->picture + line * host->rows.size * kn_type_size(host->filter.type));
}

static void weigh_line(void *context, size_t line)
{
    const struct sparse_fbp_host *host = context;

    ki_sparse_fan_weigh(&host->fan, host->cosines, host->filter.type, line, host->sinogram, host->weighted);
}

void ki_sparse_fbp_host_run(struct sparse_fbp_host *host, const void *sinogram, void *picture)
{
    host->sinogram = sinogram;
    host->picture = picture;
    if (host->weighted) {
        ki_parallel(host->filter.threads, host->rows.angles, KI_DYNAMIC, weigh_line, host);
        host->sinogram = host->weighted;
    }
    filter(host);
    ki_parallel(host->filter.threads, host->rows.size, KI_DYNAMIC, host->weighted ? back_fan_line : back_line,
                host);
}
