// SPDX-License-Identifier: Apache-2.0
// What a piece of `koine stats` gives, as bytes without pointers: structs as they are in memory, behind each
// the arrays and words that it points to.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "cmd_stats.h"

struct head {
    size_t place, rows;
    double read;
    bool has_facts, windows_in_seconds;
};

// ---- to bytes ----

struct writing {
    kn_distribute_result *result;
    kn_status status; // of the first that fails
    kn_error *err;
};

static void put(struct writing *writing, const void *bytes, size_t size)
{
    if (!writing->status && size)
        writing->status = kn_distribute_put(writing->result, bytes, size, writing->err);
}

static void put_row(struct writing *writing, const struct stats_run *run, const struct stats_row *row)
{
    const struct stats_windows *windows = &row->windows;
    struct stats_row bare = *row;

    bare.file = bare.column = NULL;
    bare.prefixes = NULL;
    bare.prefix_seconds = NULL;
    bare.windows.starts = bare.windows.quantiles = NULL;
    bare.windows.results = NULL;
    put(writing, &bare, sizeof bare);
    put(writing, row->column, strlen(row->column) + 1);
    put(writing, row->prefixes, row->prefix_count * sizeof *row->prefixes);
    if (row->prefix_seconds)
        put(writing, row->prefix_seconds, row->prefix_count * sizeof *row->prefix_seconds);
    put(writing, windows->starts, windows->count * sizeof *windows->starts);
    put(writing, windows->results, windows->count * sizeof *windows->results);
    put(writing, windows->quantiles, windows->count * run->quantile_count * sizeof *windows->quantiles);
}

static void put_facts(struct writing *writing, const struct stats_facts *facts)
{
    struct stats_facts bare = *facts;

    bare.file = NULL;
    bare.times = NULL;
    put(writing, &bare, sizeof bare);
    if (facts->clock)
        put(writing, facts->times, strlen(facts->times) + 1);
}

kn_status stats_pack(const struct stats_run *run, const struct stats_found *found,
                     kn_distribute_result *result, kn_error *err)
{
    const struct head head = {.place = found->place,
                              .rows = found->row_count,
                              .read = found->read,
                              .has_facts = found->facts,
                              .windows_in_seconds = found->windows_in_seconds};
    struct writing writing = {.result = result, .err = err};

    put(&writing, &head, sizeof head);
    put(&writing, found->times, run->config_count * sizeof *found->times);
    if (found->facts)
        put_facts(&writing, found->facts);
    for (size_t i = 0; i < found->row_count; i++)
        put_row(&writing, run, &found->rows[i]);
    return writing.status;
}

// ---- and back ----

struct reading {
    const char *at;
    bool failed; // for want of memory
};

static void get(struct reading *reading, void *to, size_t size)
{
    memcpy(to, reading->at, size);
    reading->at += size;
}

// A copy, to be freed; NULL of nothing.
static void *get_array(struct reading *reading, size_t count, size_t size)
{
    void *array = count ? malloc(count * size) : NULL;

    reading->failed = reading->failed || (count && !array);
    if (array)
        memcpy(array, reading->at, count * size);
    reading->at += count * size;
    return array;
}

static kn_status get_row(struct reading *reading, struct stats_run *run, const char *file, kn_error *err)
{
    struct stats_row row;
    struct stats_windows *windows = &row.windows;

    get(reading, &row, sizeof row);
    row.file = file;
    row.column = get_array(reading, strlen(reading->at) + 1, 1);
    row.prefixes = get_array(reading, row.prefix_count, sizeof *row.prefixes);
    if (!run->arguments->sweep)
        row.prefix_seconds = get_array(reading, row.prefix_count, sizeof *row.prefix_seconds);
    windows->starts = get_array(reading, windows->count, sizeof *windows->starts);
    windows->results = get_array(reading, windows->count, sizeof *windows->results);
    windows->quantiles = get_array(reading, windows->count * run->quantile_count, sizeof *windows->quantiles);
    if (!reading->failed && KI_ARRAY_PUSH(run->rows, run->row_count, run->row_capacity, row))
        return KN_OK;
    stats_row_free(&row);
    return ki_fail_memory(err, 0, "keeping the results");
}

static kn_status get_facts(struct reading *reading, struct stats_run *run, const char *file, kn_error *err)
{
    struct stats_facts facts;

    get(reading, &facts, sizeof facts);
    facts.file = file;
    facts.times = get_array(reading, facts.clock ? strlen(reading->at) + 1 : 0, 1);
    if (!reading->failed && KI_ARRAY_PUSH(run->facts, run->facts_count, run->facts_capacity, facts))
        return KN_OK;
    free(facts.times);
    return ki_fail_memory(err, 0, "keeping what a file is like");
}

kn_status stats_unpack(struct stats_run *run, const char *file, const void *bytes, kn_error *err)
{
    struct reading reading = {.at = bytes};
    struct head head;
    kn_status status = KN_OK;

    get(&reading, &head, sizeof head);
    run->read += head.read;
    run->windows_in_seconds = head.windows_in_seconds;
    run->taken[head.place].pieces++;
    for (size_t i = 0; i < run->config_count; i++) {
        kn_stats_times *to = &run->configs[head.place * run->config_count + i].times, times;

        get(&reading, &times, sizeof times);
        to->build += times.build;
        to->upload += times.upload;
        to->compute += times.compute;
        to->download += times.download;
    }
    if (head.has_facts)
        status = get_facts(&reading, run, file, err);
    for (size_t i = 0; i < head.rows && !status; i++)
        status = get_row(&reading, run, file, err);
    return status;
}
