// SPDX-License-Identifier: Apache-2.0
// The OpenCL text: what was written, with the files that were included in the place of their #include, so
// that it compiles as it stands. Conditionals and macros stay: the device's compiler does them again, with
// the same result.
#ifndef KN_SOURCE_FLATTEN_H
#define KN_SOURCE_FLATTEN_H

#include "base/text/text.h"
#include "source/preprocess/preprocess.h"

// `host` are the #define lines to begin with. Appends to `text`; false if memory ran out.
bool ki_src_flatten(const struct src_inclusion *inclusion, const char *host, struct ki_text *text);

#endif
