// SPDX-License-Identifier: Apache-2.0
#include "host_filter.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/kept.h"
#include "base/threads.h"
#include "host/host.h"

enum { LANES = 16 }; // at most, of a vector: rows that are transformed side by side

kn_status ki_sparse_host_filter_prepare(const struct sparse_parallel *geometry, kn_tomography_filter filter,
                                        kn_type type, const kn_host_options *options,
                                        struct sparse_host_filter *host, kn_error *err)
{
    const size_t length = ki_sparse_filter_length(geometry->detectors);
    struct host_plan plan;
    kn_status status = ki_host_plan("fbp", type, geometry->angles, options, &plan, err);

    if (status)
        return status;
    host->type = type;
    host->level = plan.level;
    host->threads = plan.threads;
    host->views = ki_sparse_parallel_turns(geometry, err);
    if (!host->views)
        return KN_ERROR_MEMORY;
    status = ki_host_fft_line_create(length, type, plan.level, &host->line, err);
    if (status)
        return status;
    host->weights = malloc(geometry->angles * sizeof *host->weights);
    host->factors = malloc(ki_sparse_filter_points(geometry->detectors) * sizeof *host->factors);
    host->room = ki_kept_take_zeros(NULL, host->threads, host->line.room);
    if (!host->weights || !host->factors || !host->room)
        return ki_fail_memory(err, ki_sparse_host_filter_memory(geometry, type), "filtered projections");
    status = ki_sparse_filter_fill(geometry, filter, length, 1 / (double)length, host->factors, err);
    return status ? status : ki_sparse_filter_weights(geometry, host->weights, err);
}

void ki_sparse_host_filter_free(struct sparse_host_filter *host)
{
    ki_host_fft_line_free(&host->line);
    free(host->views);
    free(host->weights);
    free(host->factors);
    ki_kept_give(NULL, host->room);
}

size_t ki_sparse_host_filter_memory(const struct sparse_parallel *geometry, kn_type type)
{
    const size_t points = ki_sparse_filter_points(geometry->detectors),
                 block = 2 * points * LANES * kn_type_size(type); // of lines side by side, for a thread

    return points * sizeof(double) + geometry->angles * (sizeof(struct sparse_view) + sizeof(double)) +
           (6 * ki_threads(0) + 1) * block;
}
