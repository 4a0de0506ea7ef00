// SPDX-License-Identifier: Apache-2.0
// A compiler's words, with the source lines they speak of.
#ifndef KN_ENGINE_CACHE_BUILD_LOG_H
#define KN_ENGINE_CACHE_BUILD_LOG_H

#include "base/text/text.h"
#include "source/source.h"

struct build_location {
    char file[256]; // "" if the log names no location
    long line;
    size_t begin; // where in the explained log it is spoken of
};

// For a compiler that ignores #line: its log with every "NAME:LINE" replaced by the original file and line.
// `flat` is the text that it was given. The caller frees the answer; NULL if memory ran out.
char *ki_build_log_original(const char *flat, const char *name, const char *log);

// Appends `log` to `out`; after each line that names a location in a file of the unit comes that source line,
// once, even if the compiler shows it too. `location` receives the location of the first error, or else of
// the first message.
void ki_build_log_explain(const struct src_unit *unit, const char *log, struct ki_text *out,
                          struct build_location *location);

#endif
