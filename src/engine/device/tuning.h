// SPDX-License-Identifier: Apache-2.0
// The part of koine/experimental/tuning.h for algorithms: which values to use, and what to do with values
// that cannot be used.
#ifndef KN_ENGINE_DEVICE_TUNING_H
#define KN_ENGINE_DEVICE_TUNING_H

#include <koine/experimental/tuning.h>

#include "engine/engine.h"

// The values to use instead of the algorithm's defaults, in the order of the names: those of kn_tuning_try,
// or those that are kept, or those of the most similar measured device (measured.h). False if there are none.
// A file that is damaged, or belongs to other kernels or tunables, is ignored with a warning in the log.
// Reads the cache once per context.
bool ki_engine_tuning(kn_context *context, const kn_tunables *tunables, unsigned *values);

// The values kept in the default cache for a device, without a context and whatever the text of the kernels.
bool ki_engine_tuning_of(const kn_device_info *info, const kn_tunables *tunables, unsigned *values);

// To be called by an algorithm that cannot use the values, before it uses its defaults. For tried values the
// reason is recorded; for kept values the log warns, and they are not used again.
void ki_engine_tuning_refuse(kn_context *context, const kn_tunables *tunables, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
