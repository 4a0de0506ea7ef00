// SPDX-License-Identifier: Apache-2.0
// What was found out about a device, remembered beside the programs in the cache on disk.
#ifndef KN_ENGINE_DEVICE_CHOICE_H
#define KN_ENGINE_DEVICE_CHOICE_H

#include "base/hash.h"
#include "base/text/text.h"
#include "engine/engine.h"

// What is chosen ("fft seconds"), and all that it depends on beside the device.
struct engine_choice {
    const char *what;
    struct ki_hash subject;
};

// The number of the one that was chosen, below `most`, and the reason, which is appended. False if
// there is no cache, or nothing (valid) in it.
bool ki_engine_recall(const kn_context *context, const struct engine_choice *choice, size_t most,
                      size_t *winner, struct ki_text *summary);
// Where it cannot be kept, the log says so.
void ki_engine_remember(const kn_context *context, const struct engine_choice *choice, size_t winner,
                        const struct ki_text *summary);

// The same of any bytes, which are appended. What is there and damaged is removed, and the log warns.
bool ki_engine_recall_bytes(const kn_context *context, const struct engine_choice *choice,
                            struct ki_text *bytes);
// KN_ERROR_OUTPUT where there is no cache, or it cannot be written.
kn_status ki_engine_remember_bytes(const kn_context *context, const struct engine_choice *choice,
                                   const struct ki_text *bytes, kn_error *err);
// What is kept in a folder of a device that no context need have; without a word where it is damaged.
bool ki_engine_recall_of(const char *dir, const kn_device_info *info, const struct engine_choice *choice,
                         struct ki_text *bytes);
void ki_engine_forget(const kn_context *context, const struct engine_choice *choice);

#endif
