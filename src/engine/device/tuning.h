// SPDX-License-Identifier: Apache-2.0
// The algorithms' side of koine/experimental/tuning.h: the values to take, and what becomes of those that
// cannot be taken.
#ifndef KN_ENGINE_DEVICE_TUNING_H
#define KN_ENGINE_DEVICE_TUNING_H

#include <koine/experimental/tuning.h>

#include "engine/engine.h"

// The values to take instead of the algorithm's own, in the order of the names: those of kn_tuning_try, else
// those that are kept, else those of the measured device that is most like this one (measured.h). False if
// there are none. A file that is damaged, or of other kernels or tunables,
// counts as none, and the log warns. Reads the cache once a context.
bool ki_engine_tuning(kn_context *context, const kn_tunables *tunables, unsigned *values);

// What is kept in the default cache of a device that no context need have, whatever the kernels' texts.
bool ki_engine_tuning_of(const kn_device_info *info, const kn_tunables *tunables, unsigned *values);

// What an algorithm says of values that it cannot take; it then takes its own. Of tried ones it is noted; of
// kept ones the log warns, and they are left alone from then on.
void ki_engine_tuning_refuse(kn_context *context, const kn_tunables *tunables, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
