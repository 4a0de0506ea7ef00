// SPDX-License-Identifier: Apache-2.0
// koine autocorr: its options (cmd_autocorr.c, autocorr_settle.c), its output for people (autocorr_print.c,
// autocorr_variants.c), its files (autocorr_write.c, autocorr_plot.c) and the pictures of its page
// (autocorr_page.c); for frames some lags apart, both
// (autocorr_lag.c).
#ifndef KN_CLI_AUTOCORR_CMD_AUTOCORR_H
#define KN_CLI_AUTOCORR_CMD_AUTOCORR_H

#include <koine/experimental/autocorr.h>

#include "base/text/text.h"
#include "io/json.h"
#include "cli/estimate.h"
#include "cli/inputs.h"
#include "cli/page/plot.h"
#include "cli/framework/options.h"
#include "prepare.h"
#include "cli/framework/progress.h"
#include "cli/share.h"
#include "cli/framework/table.h"

struct autocorr_arguments {
    struct common_arguments common;
    const char *region, *mask, *with, *sums, *interval, *pixel;
    size_t max_offset, lag, verify, decoders;
    int method;        // kn_autocorr_method
    int normalization; // kn_autocorr_normalization
    bool exact, variants, periodic, volume;
    struct prepare_arguments prepare;
};

// The words of --method and --normalize, by kn_autocorr_method and kn_autocorr_normalization; NULL ends them.
extern const char *const autocorr_method_names[];
extern const char *const autocorr_normalization_names[];

// What is kept of a frame.
struct autocorr_row {
    struct frame_source source;
    char *name; // of its files, without folder and ending
    size_t index, width, height, max_offset;
    size_t depth; // slices of a volume; 0: an image
    kn_autocorr_ring *rings;
    kn_autocorr_lengths lengths;   // in the unit
    kn_autocorr_prepared prepared; // without pictures
    kn_autocorr_method method;
    double bound;
    kn_autocorr_verified verified;
    double seconds;
    uint64_t *sums; // with --sums
    char *error;    // why there is no result; NULL: there is one
};

// The sum of the frames' values for the page's picture, over the offsets, or of a volume over those in the
// plane Z0 = 0.
struct autocorr_sum {
    double *values;
    size_t max_offset, frames;
};

struct autocorr_run {
    struct autocorr_arguments *arguments;
    struct inputs files;
    struct image_bytes input; // standard input, if it is one of the files
    struct frames frames;
    struct frames_volume volume; // with --volume
    kn_autocorr_series_options settings;
    kn_autocorr_region region;
    kn_autocorr_grey mask, with;
    struct prepare_plan plan;
    double interval; // seconds; 0: not given
    double pixel;    // of the unit
    const char *unit;
    struct place place;
    kn_autocorr_verification verification; // with --verify
    kn_autocorr_series *series;
    struct share share;          // if several places share the frames; all zero: one place computes them all
    kn_autocorr_series **shared; // of each of them; `series` is then one of these
    char why_host[160];          // of their pipelines
    struct resume resume;        // of their pieces
    struct progress progress;
    struct autocorr_row *rows; // a row a frame
    size_t row_count;
    struct autocorr_sum sum; // with --report
    double bound;            // the greatest of all frames
    bool said_colour, said_stretched, has_growth;
    kn_autocorr_growth growth;
    kn_autocorr_pipeline pipeline;
    const kn_autocorr_lags *lags;  // with --lag, the series's; NULL: there are none
    kn_autocorr_variants variants; // with --variants
    struct ki_json_seconds seconds;
};

// Elements of an array over the offsets.
static inline size_t autocorr_offsets(const struct autocorr_run *run, size_t max_offset)
{
    return (2 * max_offset + 1) * (max_offset + 1) * (run->arguments->volume ? 2 * max_offset + 1 : 1);
}

// Checks that can be made before anything is read; what is read before the frames; the device.
kn_status autocorr_settle(struct autocorr_run *run, kn_error *err);
kn_status autocorr_read(struct autocorr_run *run, kn_error *err);
kn_status autocorr_open(struct autocorr_run *run, kn_error *err);
// Whether every sum has to be.
bool autocorr_is_exact(const struct autocorr_run *run);
void autocorr_free(struct autocorr_run *run);

// The work of the cost model: of so many pixels that are decoded on the way; of the volume.
kn_work autocorr_work_of_pixels(const struct autocorr_run *run, double pixels);
kn_work autocorr_work_of_volume(const struct autocorr_run *run);
// What it would do, with --dry-run.
kn_status autocorr_dry_run(struct autocorr_run *run, kn_error *err);

// Takes a frame of the run `context`: writes its files, and keeps its results.
kn_status autocorr_take(void *context, const kn_autocorr_analysis *frame, kn_error *err);
// The plan of --volume.
kn_status autocorr_plan_volume(const struct autocorr_run *run, kn_autocorr_plan **plan, kn_error *err);
// --volume: all frames as one volume, instead of a series.
kn_status autocorr_run_volume(struct autocorr_run *run, kn_error *err);

// The mean of the frames' values, and how R_max grows, for the page of --report (autocorr_page.c). A frame
// without values, which an earlier run without --report kept for --resume, is left out.
kn_status autocorr_add_up(struct autocorr_run *run, const kn_autocorr_analysis *frame, kn_error *err);
kn_status autocorr_illustrate(const struct autocorr_run *run, json_t **root, kn_error *err);

// The method that ran last, and the reason for it.
const char *autocorr_ran(const struct autocorr_run *run);
const char *autocorr_why(const struct autocorr_run *run);
// Tables for people. False if memory ran out.
bool autocorr_print(const struct autocorr_run *run);

// Whether the files can be written; the files of a frame; those of all; their names.
kn_status autocorr_try_files(struct autocorr_run *run, kn_error *err);
kn_status autocorr_write_frame(const struct autocorr_run *run, const struct autocorr_row *row,
                               const kn_autocorr_analysis *frame, kn_error *err);
kn_status autocorr_write_files(const struct autocorr_run *run, kn_error *err);
void autocorr_print_files(const struct autocorr_run *run);
kn_status autocorr_write_json(struct autocorr_run *run, kn_error *err);
// Calls `each` with the name of every file of --output: of a frame or a volume, and of all together. False if
// memory ran out.
bool autocorr_list_files(const struct autocorr_run *run, void (*each)(void *data, const char *path),
                         void *data);
bool autocorr_list_lags(const struct autocorr_run *run, void (*each)(void *data, const char *path),
                        void *data);

// --variants: by every method for growing R, after the frame's own results; the tables, and the JSON.
kn_status autocorr_run_variants(struct autocorr_run *run, kn_error *err);
bool autocorr_print_variants(const struct autocorr_run *run);
json_t *autocorr_variants_json(const struct autocorr_run *run);

// --lag: whether its files can be written, the table, the files, and the JSON.
kn_status autocorr_try_lags(const struct autocorr_run *run, kn_error *err);
bool autocorr_print_lags(const struct autocorr_run *run);
kn_status autocorr_write_lags(const struct autocorr_run *run, kn_error *err);
json_t *autocorr_lags_json(const struct autocorr_run *run);

// Numbers that may be missing, in a table, and after a comma; lengths in the unit; the same and rings in the
// JSON.
void autocorr_add_number(struct table *table, double value);
void autocorr_add_cell(struct ki_text *text, double value);
void autocorr_scale(kn_autocorr_lengths *lengths, double pixel);
void autocorr_put_lengths(json_t **object, const kn_autocorr_lengths *lengths);
json_t *autocorr_ring_json(const struct autocorr_run *run, const kn_autocorr_ring *ring);

// The plots among them.
kn_status autocorr_plot_c1d(const struct autocorr_run *run, const struct plot_target *to, kn_error *err);
kn_status autocorr_plot_growth(const struct autocorr_run *run, const struct plot_target *to, kn_error *err);
kn_status autocorr_plot_lags(const struct autocorr_run *run, const struct plot_target *to, kn_error *err);
kn_status autocorr_plot_variants(const struct autocorr_run *run, const struct plot_target *to, kn_error *err);

#endif
