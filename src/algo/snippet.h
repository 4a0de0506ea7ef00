// SPDX-License-Identifier: Apache-2.0
// Snippets of OpenCL C that callers give: conditions, comparisons, and what these need.
#ifndef KN_ALGO_SNIPPET_H
#define KN_ALGO_SNIPPET_H

#include <koine/types.h>
#include <koine/error.h>

#include "base/kept.h"

// A snippet on one line, as the value of a macro has to be: without // comments and line ends. Messages name
// what it is (`what`) and the called `function`. The caller gives *joined back to `kept`, also after an
// error.
kn_status ki_snippet_join(const char *function, const char *what, const char *snippet, struct ki_kept *kept,
                          char **joined, kn_error *err);

#endif
