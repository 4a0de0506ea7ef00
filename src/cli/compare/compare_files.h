// SPDX-License-Identifier: Apache-2.0
// Reports of koine compare as files: several on one page (--merge), and one as what a run is held against
// (--baseline).
#ifndef KN_CLI_COMPARE_COMPARE_FILES_H
#define KN_CLI_COMPARE_COMPARE_FILES_H

#include "cmd_compare.h"
#include "compare_shown.h"

// A report as koine compare wrote it, of any version, with results; the caller frees it with json_decref.
// KN_ERROR_INPUT: it is none, and the message says why.
kn_status compare_read_report(const char *file, json_t **root, kn_error *err);

// --merge: the page of all reports that can be taken, into --output. What cannot be taken is said, and is the
// error, KN_ERROR_INPUT, after the page of the others was written.
kn_status compare_merge(struct compare_arguments *arguments, kn_error *err);

// --baseline: puts into each row of the report what became of it since, and says it. A row is held against
// that of the same job, case, size, spec and name of a device. False: memory ran out.
bool compare_with_baseline(const struct compare_arguments *arguments, json_t *root, const json_t *baseline);

#endif
