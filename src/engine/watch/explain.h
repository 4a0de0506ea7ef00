// SPDX-License-Identifier: Apache-2.0
// What a context keeps of its programs to explain them (kn_context_explain), and how launches are reported to
// a queue's watcher.
#ifndef KN_ENGINE_WATCH_EXPLAIN_H
#define KN_ENGINE_WATCH_EXPLAIN_H

#include "engine/engine.h"

// The options with which the device's compiler reports registers and spills; "" if it has none.
const char *ki_engine_report_options(const kn_context *context);

// Keeps copies of these with the program; `log` may be NULL.
kn_status ki_engine_explain_keep(kn_program *program, const char *source, const char *options,
                                 const char *log, kn_error *err);
void ki_engine_explain_free(kn_program *program);

// Reports a launch to the queue's watcher.
void ki_engine_explain_notice(const kn_queue *queue, const kn_kernel *kernel, const struct be_launch *launch);

#endif
