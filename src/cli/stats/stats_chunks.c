// SPDX-License-Identifier: Apache-2.0
// Columns of `koine stats` that do not fit into memory: they are in files (io/column_spool.h), and are read
// from there in chunks, as often as the answer needs.
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/framework/memory.h"
#include "cmd_stats.h"

enum { CHUNK = 65536, LEAST_HELD = 65536 }; // elements that are read, and that a plan holds, at a time

// Beside what is counted: buffers of input, and what the C library keeps.
static const size_t slack = (size_t)4 << 20;
static const size_t least_to_read = (size_t)20 << 20;

size_t stats_sharing(const struct stats_run *run)
{
    if (run->arguments->common.ranks)
        return ranks_on_machine(run->arguments->common.ranks);
    return !run->shares ? 1 : run->place_count ? run->place_count : run->chosen.count;
}

size_t stats_memory_left(const struct stats_run *run)
{
    const size_t left = memory_left(&run->arguments->common);

    if (!run->memory)
        return left / stats_sharing(run);
    return left < run->memory ? left : run->memory;
}

void stats_share_memory(struct stats_run *run)
{
    const struct common_arguments *common = &run->arguments->common;
    const size_t left = memory_left(common), fit = left / least_to_read;
    const size_t most = common->memory_limit && fit < run->place_count ? (fit ? fit : 1) : run->place_count;

    while (run->place_count > most) {
        struct place *place = &run->places[--run->place_count];

        fprintf(stderr, "%s: %s takes no part: --memory-limit has room for %zu at a time\n", common->command,
                place->device.spec, most);
        place_close(place);
    }
    run->memory = run->place_count > 1 ? left / run->place_count : 0;
}

kn_status stats_values_allowed(const struct stats_run *run, size_t *most, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    kn_status status =
        run->memory ? KN_OK : memory_check(common, least_to_read, "reading columns and computing one", err);

    // The other half is for computing: at most a copy of a column.
    *most = (run->memory ? run->memory : stats_memory_left(run)) / 2;
    return status;
}

kn_status stats_check_memory(const struct stats_run *run, double bytes, const char *what, kn_error *err)
{
    const double most = (double)(SIZE_MAX / 2);

    return memory_check(&run->arguments->common, (size_t)(bytes < most ? bytes : most), what, err);
}

// The plan is for a source.
kn_status stats_bytes_of_plan(const struct stats_run *run, const struct stats_config *config,
                              const kn_stats_options *how, size_t held, size_t *bytes, kn_error *err)
{
    kn_stats_memory memory = {0, 0};
    kn_status status = ki_error_unname(kn_stats_estimate_memory(run->places[config->place].queue, KN_F64,
                                                                held, KN_STATS_SOURCE, &memory, how, err),
                                       err);

    *bytes = memory.host + held * sizeof(double); // selecting may copy what is held
    return status;
}

kn_status stats_choose_held(const struct stats_run *run, const struct stats_config *config,
                            const kn_stats_options *how, size_t n, size_t *held, kn_error *err)
{
    const size_t many = (size_t)1 << 20, left = stats_memory_left(run);
    size_t least, more, each, fits;
    kn_status status = stats_bytes_of_plan(run, config, how, LEAST_HELD, &least, err);

    if (!status)
        status = stats_bytes_of_plan(run, config, how, LEAST_HELD + many, &more, err);
    if (!status && stats_sharing(run) == 1)
        status = memory_check(&run->arguments->common, least + CHUNK * sizeof(double) + slack,
                              "computing a column in chunks", err);
    if (status)
        return status;
    each = (more - least) / many + 1;
    fits = left > least + slack ? (left - least - slack) / each : 0;
    *held = LEAST_HELD + fits < n ? LEAST_HELD + fits : n;
    if (*held < n && (how->method == KN_STATS_SORT || how->method == KN_STATS_FUSED))
        return ki_fail(
            err, KN_ERROR_MEMORY,
            "--method %s needs the whole column in memory, some %.0f MB for its %zu elements, which is more "
            "than is free or --memory-limit allows; --method select (or auto) does not need it",
            stats_method_names[how->method], (double)n * (double)each * 1e-6, n);
    return KN_OK;
}

// The first `end` elements of a column, from element `at` on.
struct chunks {
    const struct csv_column *column;
    size_t end, at;
    double *chunk;
};

static kn_status rewind_chunks(void *data, kn_error *err)
{
    struct chunks *chunks = data;

    (void)err;
    chunks->at = 0;
    return KN_OK;
}

static kn_status next_chunk(void *data, const void **chunk, size_t *count, kn_error *err)
{
    struct chunks *chunks = data;
    const size_t left = chunks->end - chunks->at;
    kn_status status;

    *chunk = chunks->chunk;
    *count = left < CHUNK ? left : CHUNK;
    status = spool_read(chunks->column->spool, chunks->at, chunks->chunk, *count, err);
    chunks->at += *count;
    return status;
}

kn_status stats_compute_spooled(kn_stats_plan *plan, const struct csv_column *column, size_t n,
                                kn_stats *result, kn_error *err)
{
    struct chunks chunks = {.column = column, .end = n, .chunk = malloc(CHUNK * sizeof(double))};
    const kn_stats_source source =
        KN_INIT(kn_stats_source, .rewind = rewind_chunks, .next = next_chunk, .data = &chunks, .count = n);
    kn_status status = chunks.chunk ? kn_stats_compute_source(plan, &source, result, err)
                                    : ki_fail_memory(err, CHUNK * sizeof(double), "a chunk of a column");

    free(chunks.chunk);
    return status;
}
