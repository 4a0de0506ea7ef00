// SPDX-License-Identifier: Apache-2.0
// koine stats: what was asked for (cmd_stats.c), in which ways it is computed (stats_plan.c,
// stats_compute.c, stats_chunks.c), how its files are read (stats_file.c), how devices share the work
// (stats_share.c, stats_pack.c), and what comes out of it: tables
// (stats_print.c), files (stats_write.c), plots (stats_plot.c) and the charts of a page (stats_page.c).
#ifndef KN_CLI_STATS_CMD_STATS_H
#define KN_CLI_STATS_CMD_STATS_H

#include <koine/distribute.h>
#include <koine/experimental/stats.h>

#include "base/text/text.h"
#include "cli/estimate.h"
#include "cli/framework/options.h"
#include "cli/framework/progress.h"
#include "cli/inputs.h"
#include "cli/page/plot.h"
#include "cli/ranks/ranks.h"
#include "cli/share.h"
#include "io/json.h"
#include "tools/stats/movement.h"
#include "tools/stats/prefixes.h"
#include "tools/stats/series.h"

struct stats_arguments {
    struct common_arguments common; // precision may also be PRECISION_BOTH
    struct string_list inputs;
    struct string_list columns;
    size_t repetitions;
    size_t num_partitions, partition_step; // 0: not given
    bool gpu, serial, parallel, vectorized, all_variants;
    bool sweep, plots;
    bool magnitude, enmo;
    const char *gap, *resample, *unit; // numbers; NULL: not given
    const char *window, *step;         // rows or durations; NULL: not given
    const char *quantiles;             // numbers between commas; NULL: not given
    bool partial;
    size_t skip_lines; // 0: not given
    int method;        // kn_stats_method
    int missing;       // enum csv_missing
    int mad_scale;     // enum mad_scale
};

enum { PRECISION_BOTH = PRECISION_DOUBLE + 1 };
extern const char *const stats_precision_names[]; // in that order
enum mad_scale { MAD_SCALE_1, MAD_SCALE_NORMAL };
extern const char *const stats_method_names[];  // of kn_stats_method; ends in NULL
extern const char *const stats_variant_names[]; // of kn_stats_variant, "" of KN_STATS_BEST

// A configuration: a variant, where it computes, and a precision.
struct stats_config {
    kn_stats_variant variant;
    size_t place;
    bool single;
    kn_stats_times times; // over all its work
};

// Windows of a column: their first rows, in seconds from the file's first one where it has a rate or times,
// else counted from 0.
struct stats_windows {
    size_t count;
    double *starts;
    kn_stats *results;
    double *quantiles; // of each window, in the order of --quantiles
    double seconds;    // of computing them
};

// How many rows, or seconds, a window or a step has.
struct stats_length {
    double value; // 0: not given
    bool in_seconds;
};

// One column of one file, computed in one configuration.
struct stats_row {
    const char *file;
    char *column;
    size_t config;          // of all
    kn_stats_method method; // that ran
    bool in_bytes;          // the values were kept as bytes
    unsigned passes;        // over the column's file; 0: it was in memory
    size_t missing;         // cells
    kn_stats result;
    double seconds; // of computing: the median over the repetitions
    kn_stats *prefixes;
    double *prefix_seconds; // NULL: they were swept
    size_t prefix_count;
    double sweep_seconds; // of all prefixes together; not-a-number if they were not swept
    struct stats_windows windows;
};

// What a file is like.
struct stats_facts {
    const char *file;
    struct csv_layout layout;
    enum csv_clock clock;
    char *times;    // the name of their column; NULL: none
    double spooled; // bytes of its values, which were in files; 0: they were in memory
    size_t rows, gap_count;
    double start, rate, gap, gap_seconds; // as in struct stats_series, before it is resampled
    double unit;                          // one g in the columns' unit; 0: it was not wanted
    bool has_intervals;
    kn_stats_intervals intervals; // of an E4's beats
};

struct stats_run {
    const struct stats_arguments *arguments;
    const char *output; // folder; NULL: no files
    struct stats_cuts cuts;
    double gap, resample; // seconds, Hz; 0: not given
    double unit;          // one g; 0: not given
    struct stats_length window, step;
    double *quantiles;
    size_t quantile_count;
    bool windows_in_seconds;   // the starts of all files' windows
    struct stats_facts *facts; // of each file
    size_t facts_count, facts_capacity;
    size_t file_count;
    double file_bytes;    // of all files; 0 for standard input
    struct places chosen; // by the user
    struct place *places;
    size_t place_count;
    // Where several places share the work, each has config_count of these, and a column is computed in those
    // of one place; else everything is computed in each of config_count.
    bool shares;
    size_t memory; // bytes for each of these; 0: not yet known, or there is only one
    struct stats_config *configs;
    size_t config_count;
    kn_stats_method method;    // that is asked of plans
    struct share_taken *taken; // of each place, where they share the work
    struct resume resume;      // of the pieces, where they are kept
    struct stats_row *rows;    // of each column of each file, config_count of them
    size_t row_count;
    size_t row_capacity;
    double total, read; // seconds
};

// What a piece of the work gives: rows of some columns of a file, in each configuration of a place.
struct stats_found {
    size_t place;              // that computed it, where several share the work; else 0
    struct stats_facts *facts; // NULL: another piece of the file has them
    double read;               // seconds
    bool windows_in_seconds;
    kn_stats_times *times; // of each configuration
    struct stats_row *rows;
    size_t row_count, row_capacity;
};

// How far the whole work is before a piece, and which part of it that is, from 0 to 1.
struct stats_stage {
    struct progress *progress; // NULL: somebody else shows it
    double before, share;
};

// What does not go together is refused by name.
kn_status stats_check_arguments(const struct stats_arguments *arguments, kn_error *err);
// Finds out which places were chosen, and whether they share the work; opens them and lists the
// configurations.
kn_status stats_choose(struct stats_run *run, kn_error *err);
kn_status stats_open_configs(struct stats_run *run, kn_error *err);
// Under MPI, after each rank has opened its place, or failed to: those of all ranks, in their order.
kn_status stats_spread_places(struct stats_run *run, kn_status status, kn_error *err);
// Reads what --gap and --resample say.
kn_status stats_read_numbers(struct stats_run *run, kn_error *err);
const char *stats_precision_of(const struct stats_config *config);
// Reads a file and its times, and resamples it if that is wanted. The caller frees all three, whatever comes.
kn_status stats_read_file(const struct stats_run *run, const char *file, struct csv_table *table,
                          struct stats_series *series, struct stats_facts *facts, kn_error *err);
// What the files are like: a line for each that is more than rows between commas. False if memory ran out.
bool stats_print_facts(const struct stats_run *run);
json_t *stats_facts_json(const struct stats_run *run);
// Computes all files: pieces, shared by the places.
kn_status stats_compute_files(struct stats_run *run, const struct inputs *files, kn_error *err);
// Computes `count` columns of a table in each configuration of found->place.
kn_status stats_compute_columns(const struct stats_run *run, const char *file,
                                const struct csv_column *columns, size_t count,
                                const struct stats_series *series, const struct stats_stage *stage,
                                struct stats_found *found, kn_error *err);
void stats_found_free(struct stats_found *found); // what it holds
// The options of a plan in a configuration.
kn_stats_options stats_plan_options(const struct stats_run *run, const struct stats_config *config);
// A piece's results as bytes, and out of them to those of the run.
kn_status stats_pack(const struct stats_run *run, const struct stats_found *found,
                     kn_distribute_result *result, kn_error *err);
kn_status stats_unpack(struct stats_run *run, const char *file, const void *bytes, kn_error *err);

// What it would do, with --dry-run: its first file has been read, in so many seconds, and the places are
// open.
kn_status stats_dry_run(const struct stats_run *run, const struct inputs *files,
                        const struct csv_table *table, const struct stats_series *series, double seconds,
                        kn_error *err);

// Columns that do not fit into memory (stats_chunks.c). How many bytes a file's values may take there; how
// many elements of such a column of n a plan may hold; and the statistics of its first n elements.
kn_status stats_values_allowed(const struct stats_run *run, size_t *most, kn_error *err);
kn_status stats_choose_held(const struct stats_run *run, const struct stats_config *config,
                            const kn_stats_options *how, size_t n, size_t *held, kn_error *err);
// The bytes that a plan takes which holds so many.
kn_status stats_bytes_of_plan(const struct stats_run *run, const struct stats_config *config,
                              const kn_stats_options *how, size_t held, size_t *bytes, kn_error *err);
kn_status stats_compute_spooled(kn_stats_plan *plan, const struct csv_column *column, size_t n,
                                kn_stats *result, kn_error *err);
// How many places share the memory, before and after they are opened.
size_t stats_sharing(const struct stats_run *run);
// What a place may still take of the memory.
size_t stats_memory_left(const struct stats_run *run);
// Gives each place that shares the work an equal part of the memory. Those for which there is too little are
// left out, which a line says.
void stats_share_memory(struct stats_run *run);
// Refuses what needs more bytes than --memory-limit leaves.
kn_status stats_check_memory(const struct stats_run *run, double bytes, const char *what, kn_error *err);

// A name as a cell of a CSV file, quoted where it has to be (stats_cells.c).
void stats_add_csv_name(struct ki_text *text, const char *name);

// Windows (stats_windows.c): what their options say; those of a column; and their memory.
kn_status stats_read_windows(struct stats_run *run, kn_error *err);
kn_status stats_compute_windows(const struct stats_run *run, const struct stats_config *config,
                                const struct csv_column *column, const struct stats_series *series,
                                struct stats_row *row, kn_error *err);
void stats_windows_free(struct stats_windows *windows);
// And what comes of them (stats_windows_write.c). The table has the first windows of each column.
bool stats_print_windows(const struct stats_run *run);
json_t *stats_windows_json(const struct stats_run *run, const struct stats_row *row);
kn_status stats_write_windows(const struct stats_run *run, const char *path, kn_error *err);
kn_status stats_write_windows_npy(const struct stats_run *run, const char *path, kn_error *err);
kn_status stats_plot_windows(const struct stats_run *run, const struct plot_target *to, kn_error *err);

void stats_row_free(struct stats_row *row);
void stats_run_free(struct stats_run *run);
// In which configuration a row was computed.
const struct stats_config *stats_config_of(const struct stats_run *run, const struct stats_row *row);

// How many columns of files there are, and the row of one of them in one configuration.
size_t stats_groups(const struct stats_run *run);
const struct stats_row *stats_row(const struct stats_run *run, size_t group, size_t config);
// Whether two configurations gave the same results to the last bit, prefixes included.
bool stats_same_results(const struct stats_row *a, const struct stats_row *b);
// Whether a column of this name stands in an earlier group; so each name is taken once.
bool stats_name_is_new(const struct stats_run *run, size_t group);

// Tables for people. False if memory ran out.
bool stats_print(const struct stats_run *run);
kn_status stats_write_json(const struct stats_run *run, kn_error *err);

// The files of --output. stats_try_files looks whether they can be written, before the work is done.
kn_status stats_try_files(const struct stats_run *run, kn_error *err);
kn_status stats_write_files(const struct stats_run *run, kn_error *err);
// Calls `each` with the path of each. False if memory ran out.
bool stats_list_files(const struct stats_run *run, void (*each)(void *data, const char *path), void *data);
// "written to DIR: stats.csv, ...", where there are any.
void stats_print_files(const struct stats_run *run);
// The plots among them: time against rows, and how CV and MAD converge.
kn_status stats_plot_time(const struct stats_run *run, const struct plot_target *to, kn_error *err);
kn_status stats_plot_cv(const struct stats_run *run, const struct plot_target *to, kn_error *err);
kn_status stats_plot_mad(const struct stats_run *run, const struct plot_target *to, kn_error *err);
// Adds these plots to the page of --report, or a chart of the columns if there are neither prefixes nor
// windows (stats_page.c).
kn_status stats_illustrate(const struct stats_run *run, json_t **root, kn_error *err);

#endif
