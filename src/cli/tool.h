// SPDX-License-Identifier: Apache-2.0
// What the simple commands on arrays share (sort, reduce, ...): an array as input, one device, an array or a
// number as output, and the seconds of each step.
#ifndef KN_CLI_TOOL_H
#define KN_CLI_TOOL_H

#include <koine/koine.h>

#include "io/json.h"
#include "io/array/npy.h"
#include "estimate.h"
#include "share.h"
#include "cli/framework/options.h"

// The fields that are filled from options, after the common ones.
struct tool_arguments {
    struct common_arguments common;
    const char *out;    // -o; NULL: the command has no such result
    const char *column; // --column: the input is a CSV file
};

#define TOOL_OUT_OPTION(arguments)                                                                           \
    {                                                                                                        \
        "out", 'o', OPTION_FIELD(OPTION_PATH, arguments, tool.out),                                          \
            .writes = true, .metavar = "FILE.npy", .help = "write the result here; - is standard output"     \
    }
#define TOOL_COLUMN_OPTION(arguments)                                                                        \
    {                                                                                                        \
        "column", 'c', OPTION_FIELD(OPTION_STRING, arguments, tool.column),                                  \
            .metavar = "NAME|INDEX",                                                                         \
            .help = "the input is a CSV file: its column of this name, or counted from 1, as float64"        \
    }

struct tool {
    const struct tool_arguments *arguments;
    struct place place;
    bool shares;          // several places may be named, and then share the work
    struct share share;   // those places: `place` is the first device among them; all zero: one place does
                          // everything
    struct resume resume; // for a command that keeps finished pieces (resume.h); all zero: it does not
    double start;         // of the whole
    double clock;         // start of the current step
    double built;         // seconds of compiling before it
    struct ki_json_seconds seconds;
};

// Makes the checks that need no work: the number of operands (called `operands` in the message), -o if the
// command `writes`, and whether the files can be written.
kn_status tool_begin(struct tool *tool, const struct tool_arguments *arguments, size_t operands,
                     const char *names, bool writes, kn_error *err);
// Refuses a numeric policy for a library that does not support one: names[0] is auto, names[1] is the
// project's own code.
kn_status tool_check_library(const struct tool *tool, const char *const *names, int library, kn_error *err);
// Opens the place: the named one; otherwise the one that is estimated to finish first, or without `work` the
// best device. If several are named, opens all of them if the command shares the work, otherwise fails with
// KN_ERROR_ARGUMENT. Only commands with code for the host can get the host, for which place.queue is NULL.
enum tool_place { TOOL_DEVICE, TOOL_DEVICE_OR_HOST };
kn_status tool_open(struct tool *tool, enum tool_place places, const kn_work *work, kn_error *err);
// Under MPI, for a command that shares its work: opens the place of this rank, the host or what ranks_choose
// leaves, among those of all ranks, which call it together.
kn_status tool_open_rank(struct tool *tool, bool on_host, bool must_be_device, kn_error *err);
void tool_end(struct tool *tool);

// An array from a .npy file, or with --column from a CSV file.
kn_status tool_read(struct tool *tool, const char *path, struct npy *array, kn_error *err);
// Refuses more than one dimension and complex numbers.
kn_status tool_check_column(const char *path, const struct npy *array, kn_error *err);
// Reads an array that passes this check.
kn_status tool_read_column(struct tool *tool, const char *path, struct npy *array, kn_error *err);
// Copies to the device and back; does nothing on the host. `*buffer` holds at least one byte.
kn_status tool_upload(struct tool *tool, const struct npy *array, kn_buffer **buffer, kn_error *err);
kn_status tool_download(struct tool *tool, kn_buffer *buffer, struct npy *array, kn_error *err);
// The computation takes place between these two calls; `status` is its outcome, and is returned if it is an
// error.
void tool_compute(struct tool *tool);
kn_status tool_computed(struct tool *tool, kn_status status, kn_error *err);

// Runs a job in pieces (koine/distribute.h) between these calls, on the one place or on those that share the
// work, like share_run.
kn_status tool_share(struct tool *tool, const kn_distribute_job *job, kn_distribute_write_function *write,
                     struct progress *progress, kn_error *err);

// Element i of `elements`, which have the array's type: as text with as many digits as necessary, and as
// JSON.
enum { TOOL_ELEMENT = 40 };
json_t *tool_element(const struct npy *array, const void *elements, size_t i, char text[TOOL_ELEMENT]);

// Writes the array to the file of -o.
kn_status tool_write(struct tool *tool, const struct npy *array, kn_error *err);
// Whether text for people goes to standard output.
bool tool_shows_text(const struct tool *tool);
// "on DEVICE (SPEC); seconds: ...", ends the line.
void tool_print_place(const struct tool *tool);
// Creates the JSON object, to which the command adds its keys, and finishes it. `type`, the type of the
// elements, is reported as the precision.
json_t *tool_report(struct tool *tool, kn_type type);
kn_status tool_report_write(const struct tool *tool, json_t *root, kn_error *err);

#endif
