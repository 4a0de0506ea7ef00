// SPDX-License-Identifier: Apache-2.0
// koine stats: what was asked for, what came out, and the three forms it is written in (stats_write.c).
#ifndef KN_CLI_CMD_STATS_H
#define KN_CLI_CMD_STATS_H

#include "../app/stats/device.h"
#include "../app/stats/stats.h"
#include "choose.h"
#include "options.h"

struct stats_arguments {
    struct common_arguments common;
    struct string_list inputs;
    struct string_list columns;
    size_t repetitions;
    bool gpu;
    bool serial;
    int method;    // auto, sort: sorting is the method there is
    int missing;   // enum csv_missing
    int mad_scale; // enum mad_scale
};

enum mad_scale { MAD_SCALE_1, MAD_SCALE_NORMAL };

// One column of one file, computed in one place.
struct stats_row {
    const char *file;
    char *column;
    size_t place;
    struct stats_result result;
    double seconds; // the median over the repetitions
};

struct stats_run {
    const struct stats_arguments *arguments;
    struct place *places;
    struct stats_times *times; // of each place, over all its work
    size_t place_count;
    struct stats_row *rows;
    size_t row_count;
    size_t row_capacity;
    double total, read; // seconds
};

// The table, with a line for each place on what computed it and how long it took. False if memory ran out.
bool stats_print(const struct stats_run *run);
// stats.csv in the folder of --output.
kn_status stats_write_csv(const struct stats_run *run, const char *path, kn_error *err);
kn_status stats_write_json(const struct stats_run *run, kn_error *err);

#endif
