// SPDX-License-Identifier: Apache-2.0
// Events: what became of an asynchronous copy or launch, and when the device did it.
#ifndef KOINE_EVENT_H
#define KOINE_EVENT_H

#include <stdint.h>

#include <koine/context.h>

#ifdef __cplusplus
extern "C" {
#endif

// Waits on the host. Errors: what the device reported for this piece of work.
KN_API kn_status kn_event_wait(const kn_event *event, kn_error *err);
// Waits, then gives the device's nanoseconds spent on it. Drivers that measure nothing answer 0.
KN_API kn_status kn_event_get_duration(const kn_event *event, uint64_t *nanoseconds, kn_error *err);
// The device's clock when the work began and when it ended, for the time of several events together. Waits.
KN_API kn_status kn_event_get_span(const kn_event *event, uint64_t *start, uint64_t *end, kn_error *err);
// NULL is fine.
KN_API void kn_event_free(kn_event *event);

#ifdef __cplusplus
}
#endif
#endif
