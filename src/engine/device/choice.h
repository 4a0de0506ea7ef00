// SPDX-License-Identifier: Apache-2.0
// Results of measurements on a device, kept beside the programs in the cache on disk.
#ifndef KN_ENGINE_DEVICE_CHOICE_H
#define KN_ENGINE_DEVICE_CHOICE_H

#include "base/hash.h"
#include "base/text/text.h"
#include "engine/engine.h"

// What was chosen ("fft seconds"), and what the choice depends on besides the device.
struct engine_choice {
    const char *what;
    struct ki_hash subject;
};

// Gets the index of the choice, below `most`, and appends the reason to `summary`. False if there is no
// cache, or no valid entry in it.
bool ki_engine_recall(const kn_context *context, const struct engine_choice *choice, size_t most,
                      size_t *winner, struct ki_text *summary);
// Keeps a choice; if that is not possible, the log says so.
void ki_engine_remember(const kn_context *context, const struct engine_choice *choice, size_t winner,
                        const struct ki_text *summary);

// The same for any bytes, which are appended. A damaged entry is removed, with a warning in the log.
bool ki_engine_recall_bytes(const kn_context *context, const struct engine_choice *choice,
                            struct ki_text *bytes);
// KN_ERROR_OUTPUT if there is no cache, or if it cannot be written.
kn_status ki_engine_remember_bytes(const kn_context *context, const struct engine_choice *choice,
                                   const struct ki_text *bytes, kn_error *err);
// An entry in a folder, for a device that needs no context; a damaged entry is ignored silently.
bool ki_engine_recall_of(const char *dir, const kn_device_info *info, const struct engine_choice *choice,
                         struct ki_text *bytes);
void ki_engine_forget(const kn_context *context, const struct engine_choice *choice);

#endif
