// SPDX-License-Identifier: Apache-2.0
// The library's messages, printed on standard error as KOINE_LOG asks; warnings with the same text are
// printed once in a run.
#ifndef KN_CLI_FRAMEWORK_LOG_H
#define KN_CLI_FRAMEWORK_LOG_H

#include <koine/context.h>

// Fills in `log`, `log_user` and `debug_sync`. KN_ERROR_ARGUMENT if KOINE_LOG has no such level.
kn_status log_options(kn_context_options *options, kn_error *err);

#endif
