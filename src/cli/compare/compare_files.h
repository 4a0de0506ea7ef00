// SPDX-License-Identifier: Apache-2.0
// Reports of koine compare as files: several on one page (--merge), and one as the baseline of a run
// (--baseline).
#ifndef KN_CLI_COMPARE_COMPARE_FILES_H
#define KN_CLI_COMPARE_COMPARE_FILES_H

#include "cmd_compare.h"
#include "compare_shown.h"

// Reads a report written by any version of koine compare, which must have results; the caller frees it with
// json_decref. KN_ERROR_INPUT if the file is not such a report, with the reason in the message.
kn_status compare_read_report(const char *file, json_t **root, kn_error *err);

// --merge: writes the page of all readable reports into --output. Files that cannot be used are named, and
// are an error, KN_ERROR_INPUT, after the page of the others was written.
kn_status compare_merge(struct compare_arguments *arguments, kn_error *err);

// --baseline: adds to each row of the report how it changed, and prints it. A row is compared with the row of
// the same job, case, size, device spec and device name. False if memory ran out.
bool compare_with_baseline(const struct compare_arguments *arguments, json_t *root, const json_t *baseline);

#endif
