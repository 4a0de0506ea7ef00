// SPDX-License-Identifier: Apache-2.0
// Compilers' messages, with the source lines that they refer to.
#ifndef KN_ENGINE_CACHE_BUILD_LOG_H
#define KN_ENGINE_CACHE_BUILD_LOG_H

#include "base/text/text.h"
#include "source/source.h"

struct build_location {
    char file[256]; // "" if the log names no location
    long line;
    size_t begin; // where the explained log mentions it
};

// For a compiler that ignores #line: its log with every "NAME:LINE" replaced by the original file and line.
// `flat` is the text that was compiled. The caller frees the result; NULL if memory ran out.
char *ki_build_log_original(const char *flat, const char *name, const char *log);

// Appends `log` to `out`, and after each line that names a location in a file of the unit that source line,
// once, even if the compiler shows it as well. `location` receives the location of the first error, or
// otherwise of the first message.
void ki_build_log_explain(const struct src_unit *unit, const char *log, struct ki_text *out,
                          struct build_location *location);

#endif
