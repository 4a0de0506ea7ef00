// SPDX-License-Identifier: Apache-2.0
// The OpenCL text: the source as written, with each #include replaced by the file, so that it compiles as it
// is. Conditionals and macros stay: the device's compiler evaluates them again, with the same result.
#ifndef KN_SOURCE_FLATTEN_H
#define KN_SOURCE_FLATTEN_H

#include "base/text/text.h"
#include "source/preprocess/preprocess.h"

// `host` holds the #define lines to begin with. Appends to `text`; false if memory ran out.
bool ki_src_flatten(const struct src_inclusion *inclusion, const char *host, struct ki_text *text);

#endif
