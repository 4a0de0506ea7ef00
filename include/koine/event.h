// SPDX-License-Identifier: Apache-2.0
// Events: whether an asynchronous copy or launch is done, how it ended, and when the device ran it. Profiles:
// when the device ran each launch of a queue.
#ifndef KOINE_EVENT_H
#define KOINE_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include <koine/context.h>

#ifdef __cplusplus
extern "C" {
#endif

// Waits on the host. Errors: what the device reported for this piece of work.
KN_API kn_status kn_event_wait(const kn_event *event, kn_error *err);
// Whether the work is done, without waiting: for polling. Work that was not handed to the device
// (kn_queue_flush) may never be done. Errors: KN_ERROR_ARGUMENT for NULL; what the device reported for this
// piece of work.
KN_API kn_status kn_event_get_done(const kn_event *event, bool *done, kn_error *err);
// Waits, then gives the nanoseconds that the device spent on it; 0 from drivers that do not measure.
KN_API kn_status kn_event_get_duration(const kn_event *event, uint64_t *nanoseconds, kn_error *err);
// The device's clock when the work began and when it ended, for the time that several events took together.
// Waits.
KN_API kn_status kn_event_get_span(const kn_event *event, uint64_t *start, uint64_t *end, kn_error *err);
// NULL is fine.
KN_API void kn_event_free(kn_event *event);

// ---- profiles: what ran on a queue and for how long ----

typedef struct kn_profile_entry {
    char kernel[64];     // or a vendor's library and its operation: "clFFT", "CLBlast SGEMM"
    uint64_t start, end; // nanoseconds of the device's clock
} kn_profile_entry;

// From now on every launch on the queue is profiled, and every product or transform of a vendor's library,
// all of whose kernels make one entry. Cost: an event per launch.
KN_API kn_status kn_profile_start(kn_queue *queue, kn_error *err);
// Waits for the queue and hands over the launches since kn_profile_start, in order. The caller frees *entries
// with kn_free. Errors: KN_ERROR_ARGUMENT if nothing was started; KN_ERROR_DEVICE if the queue, a wrapped
// one, was made without profiling.
KN_API kn_status kn_profile_stop(kn_queue *queue, kn_profile_entry **entries, size_t *count, kn_error *err);
// From the first start to the last end, in seconds; 0 without entries.
KN_API double kn_profile_span(const kn_profile_entry *entries, size_t count);

#ifdef __cplusplus
}
#endif
#endif
