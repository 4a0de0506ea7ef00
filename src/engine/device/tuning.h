// SPDX-License-Identifier: Apache-2.0
// The tunables of an algorithm as a measurement on this device found them best (koine tune), remembered
// beside the programs in the cache on disk, by device, driver and the kernels' text.
#ifndef KN_ENGINE_DEVICE_TUNING_H
#define KN_ENGINE_DEVICE_TUNING_H

#include "base/text.h"
#include "engine/engine.h"

enum { ENGINE_TUNABLES = 8, ENGINE_TUNING_WHY = 256 };

// What an algorithm lets a measurement choose.
struct engine_tunables {
    const char *algorithm;                  // "recon"
    const char *kernels;                    // the file whose text the values are of
    const char *names[ENGINE_TUNABLES + 1]; // "GROUP", ...; ends in NULL
};

// The values to take instead of the algorithm's own, in the order of the names: those of
// ki_engine_tuning_try, else those that are kept. False if there are none. A file that is damaged, or of
// other kernels or tunables, counts as none, and the log warns. Reads the cache once a context.
bool ki_engine_tuning(kn_context *context, const struct engine_tunables *tunables, unsigned *values);

// Makes ki_engine_tuning give these values, in this context alone; NULL: none, whatever is kept.
kn_status ki_engine_tuning_try(kn_context *context, const struct engine_tunables *tunables,
                               const unsigned *values, kn_error *err);

// What an algorithm says of values that it cannot take; it then takes its own. Of tried ones it is noted; of
// kept ones the log warns, and they are left alone from then on.
void ki_engine_tuning_refuse(kn_context *context, const struct engine_tunables *tunables, const char *format,
                             ...) __attribute__((format(printf, 3, 4)));
// Whether the values that are tried were refused, and why.
bool ki_engine_tuning_refused(kn_context *context, const struct engine_tunables *tunables,
                              char why[ENGINE_TUNING_WHY]);

// Ends that: the kept values count again.
void ki_engine_tuning_reread(kn_context *context, const struct engine_tunables *tunables);

// Keeps them on disk, with a summary of the measurement (one line). KN_ERROR_OUTPUT where that cannot be
// written.
kn_status ki_engine_tuning_keep(kn_context *context, const struct engine_tunables *tunables,
                                const unsigned *values, const char *summary, kn_error *err);
// What is kept on disk, its summary appended; false if there is nothing.
bool ki_engine_tuning_kept(kn_context *context, const struct engine_tunables *tunables, unsigned *values,
                           struct ki_text *summary);
// Back to the algorithm's own, on disk too.
void ki_engine_tuning_forget(kn_context *context, const struct engine_tunables *tunables);

#endif
