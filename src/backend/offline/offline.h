// SPDX-License-Identifier: Apache-2.0
// The compilers of koine/experimental/offline.h, on what the source layer has read.
#ifndef KN_BACKEND_OFFLINE_OFFLINE_H
#define KN_BACKEND_OFFLINE_OFFLINE_H

#include <koine/error.h>
#include <koine/experimental/offline.h>
#include <koine/program.h>

#include "source/source.h"

// Compiles the unit; `options` has the host's macros (KN_CONSTANT). A program that does not compile is a
// result, not an error; that includes programs that the rewriter refuses for CUDA. Places in the log are
// those of #line.
// Errors: KN_ERROR_DEVICE (the compiler cannot be started), KN_ERROR_OUTPUT (no temporary folder),
// KN_ERROR_MEMORY.
kn_status ki_offline_compile(const kn_offline_target *target, const struct src_unit *unit,
                             const struct src_options *options, kn_policy policy, kn_offline_result *result,
                             kn_error *err);
// Frees the contents.
void ki_offline_result_clear(kn_offline_result *result);

#endif
