// SPDX-License-Identifier: Apache-2.0
// What a piece of `koine stats` gives, as bytes without pointers: structs as they are in memory, behind each
// the arrays and words that it points to.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "cmd_stats.h"
#include "cli/share_bytes.h"

struct head {
    size_t place, rows;
    double read;
    bool has_facts, windows_in_seconds;
};

// ---- to bytes ----

static void put_row(struct share_writer *writer, const struct stats_run *run, const struct stats_row *row)
{
    const struct stats_windows *windows = &row->windows;
    struct stats_row bare = *row;

    bare.file = bare.column = NULL;
    bare.prefixes = NULL;
    bare.prefix_seconds = NULL;
    bare.windows.starts = bare.windows.quantiles = NULL;
    bare.windows.results = NULL;
    share_put(writer, &bare, sizeof bare);
    share_put(writer, row->column, strlen(row->column) + 1);
    share_put(writer, row->prefixes, row->prefix_count * sizeof *row->prefixes);
    if (row->prefix_seconds)
        share_put(writer, row->prefix_seconds, row->prefix_count * sizeof *row->prefix_seconds);
    share_put(writer, windows->starts, windows->count * sizeof *windows->starts);
    share_put(writer, windows->results, windows->count * sizeof *windows->results);
    share_put(writer, windows->quantiles, windows->count * run->quantile_count * sizeof *windows->quantiles);
}

static void put_facts(struct share_writer *writer, const struct stats_facts *facts)
{
    struct stats_facts bare = *facts;

    bare.file = NULL;
    bare.times = NULL;
    share_put(writer, &bare, sizeof bare);
    if (facts->clock)
        share_put(writer, facts->times, strlen(facts->times) + 1);
}

kn_status stats_pack(const struct stats_run *run, const struct stats_found *found,
                     kn_distribute_result *result, kn_error *err)
{
    const struct head head = {.place = found->place,
                              .rows = found->row_count,
                              .read = found->read,
                              .has_facts = found->facts,
                              .windows_in_seconds = found->windows_in_seconds};
    struct share_writer writer = {.result = result, .err = err};

    share_put(&writer, &head, sizeof head);
    share_put(&writer, found->times, run->config_count * sizeof *found->times);
    if (found->facts)
        put_facts(&writer, found->facts);
    for (size_t i = 0; i < found->row_count; i++)
        put_row(&writer, run, &found->rows[i]);
    return writer.status;
}

// ---- and back ----

static kn_status get_row(struct share_reader *reader, struct stats_run *run, const char *file, kn_error *err)
{
    struct stats_row row;
    struct stats_windows *windows = &row.windows;

    share_get(reader, &row, sizeof row);
    row.file = file;
    row.column = share_get_array(reader, strlen(reader->at) + 1, 1);
    row.prefixes = share_get_array(reader, row.prefix_count, sizeof *row.prefixes);
    if (!run->arguments->sweep)
        row.prefix_seconds = share_get_array(reader, row.prefix_count, sizeof *row.prefix_seconds);
    windows->starts = share_get_array(reader, windows->count, sizeof *windows->starts);
    windows->results = share_get_array(reader, windows->count, sizeof *windows->results);
    windows->quantiles =
        share_get_array(reader, windows->count * run->quantile_count, sizeof *windows->quantiles);
    if (!reader->failed && KI_ARRAY_PUSH(run->rows, run->row_count, run->row_capacity, row))
        return KN_OK;
    stats_row_free(&row);
    return ki_fail_memory(err, 0, "keeping the results");
}

static kn_status get_facts(struct share_reader *reader, struct stats_run *run, const char *file,
                           kn_error *err)
{
    struct stats_facts facts;

    share_get(reader, &facts, sizeof facts);
    facts.file = file;
    facts.times = share_get_array(reader, facts.clock ? strlen(reader->at) + 1 : 0, 1);
    if (!reader->failed && KI_ARRAY_PUSH(run->facts, run->facts_count, run->facts_capacity, facts))
        return KN_OK;
    free(facts.times);
    return ki_fail_memory(err, 0, "keeping what a file is like");
}

kn_status stats_unpack(struct stats_run *run, const char *file, const void *bytes, kn_error *err)
{
    struct share_reader reader = {.at = bytes};
    struct head head;
    kn_status status = KN_OK;

    share_get(&reader, &head, sizeof head);
    run->read += head.read;
    run->windows_in_seconds = head.windows_in_seconds;
    run->taken[head.place].pieces++;
    for (size_t i = 0; i < run->config_count; i++) {
        kn_stats_times *to = &run->configs[head.place * run->config_count + i].times, times;

        share_get(&reader, &times, sizeof times);
        to->build += times.build;
        to->upload += times.upload;
        to->compute += times.compute;
        to->download += times.download;
    }
    if (head.has_facts)
        status = get_facts(&reader, run, file, err);
    for (size_t i = 0; i < head.rows && !status; i++)
        status = get_row(&reader, run, file, err);
    return status;
}
