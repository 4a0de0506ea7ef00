// SPDX-License-Identifier: Apache-2.0
// The machine-readable result, --json: the keys that all commands' results share, and where it goes.
#ifndef KN_CLI_FRAMEWORK_REPORT_H
#define KN_CLI_FRAMEWORK_REPORT_H

#include <koine/device.h>

#include "base/text/text.h"
#include "io/json.h"
#include "options.h"

// Whether text for people goes to standard output: not if the JSON does.
bool report_shows_text(const struct common_arguments *common);

// Checks that the files of --json and --report can be written, before doing the work that would fill them.
kn_status report_try(const struct common_arguments *common, kn_error *err);

// The same for any file.
kn_status report_try_file(const char *path, bool force, kn_error *err);

// The object with the shared keys, to which the command adds its own. `device` may be NULL; so may
// `precision` and `policy`. NULL: out of memory, which report_write reports.
json_t *report_begin(const char *command, const kn_device_info *device, const char *precision,
                     const char *policy, const struct ki_json_seconds *seconds);

// Whether a report is wanted: --json or --report was given.
bool report_wanted(const struct common_arguments *common);

// With --report, adds a picture (page_picture), or figures (plot.h, chart_figure), to its page; neither is in
// the JSON. `figures` is empty afterwards.
void report_picture(json_t **root, const struct common_arguments *common, const char *caption,
                    const double *values, size_t width, size_t height);
void report_figures(json_t **root, const struct common_arguments *common, struct ki_text *figures);

// Writes it where --json says, and as a page where --report says, and frees it. Without either it only frees
// it.
kn_status report_write(json_t *root, const struct common_arguments *common, kn_error *err);

// Sets a key, appends an element. If a value could not be made (memory ran out), the whole becomes NULL for
// good, so that report_write can report it.
void report_put(json_t **object, const char *key, json_t *value);
void report_append(json_t **array, json_t *value);

// A string, or null if it is empty.
json_t *report_text(const char *string);

#endif
