// SPDX-License-Identifier: Apache-2.0
// Launches recorded once and repeated with one call: for loops of short kernels, whose launches cost more
// than the kernels do (on an H200 4 us each, 0.6 us in a graph).
#ifndef KOINE_RECORDING_H
#define KOINE_RECORDING_H

#include <stddef.h>

#include <koine/context.h>

#ifdef __cplusplus
extern "C" {
#endif

// Launches with their ranges and arguments: buffers and images by handle, values and sizes of local memory as
// they were. What changes from one replay to the next has to be in a buffer.
typedef struct kn_recording kn_recording;

// How it is replayed.
typedef enum kn_recording_way {
    KN_RECORDING_AUTO = 0,           // the driver's own way where there is one, else launches
    KN_RECORDING_GRAPH = 1,          // a CUDA graph (drivers of CUDA 11.4 and later)
    KN_RECORDING_COMMAND_BUFFER = 2, // OpenCL's cl_khr_command_buffer, provisional versions 0.9
    KN_RECORDING_LAUNCHES =
        3 // one launch after the other, of kernels whose arguments stay set, and one flush
} kn_recording_way;

// From now on kn_launch on this queue checks and records instead of running; its `event` has to be NULL.
// Everything else on this queue is refused until kn_recording_end: copies, fills, waiting, and algorithms
// that need these. A launch that fails is not recorded. `way` other than KN_RECORDING_AUTO: that or an error.
// Errors: KN_ERROR_ARGUMENT if the queue records already; KN_ERROR_UNSUPPORTED for a way that the context's
// path does not have.
KN_API kn_status kn_recording_begin(kn_queue *queue, kn_recording_way way, kn_error *err);

// Makes the recording; the queue runs launches again, whatever comes of it. With `recording` NULL what was
// recorded is dropped. Costs some microseconds a launch, once; a kernel object is made for all launches that
// differ in their ranges alone.
// Errors: KN_ERROR_ARGUMENT if nothing was begun or nothing launched; KN_ERROR_UNSUPPORTED for a way that
// this driver or device does not have, with the reason; KN_ERROR_MEMORY, KN_ERROR_DEVICE.
KN_API kn_status kn_recording_end(kn_queue *queue, kn_recording **recording, kn_error *err);

// Enqueues all launches, in order, and returns: after what is in the queue before them, and before what comes
// after. The queue may be any of the context; by one thread at a time. Buffers, images, kernels and their
// programs must live until the recording is freed and its last replay is done. While a queue is profiled
// (kn_profile_start), and with kn_context_options.debug_sync, launches are made one by one, so that each is
// measured or named.
// Errors: KN_ERROR_ARGUMENT for a queue of another context or one that records; KN_ERROR_DEVICE, after which
// some of the launches may have been made.
KN_API kn_status kn_recording_replay(kn_queue *queue, kn_recording *recording, kn_error *err);

// Which way it has, never KN_RECORDING_AUTO; its name ("graph", "command-buffer", "launches"); how many
// launches; and with launches taken by KN_RECORDING_AUTO, why there is no better way, else "".
KN_API kn_recording_way kn_recording_get_way(const kn_recording *recording);
KN_API const char *kn_recording_way_name(kn_recording_way way);
KN_API size_t kn_recording_get_count(const kn_recording *recording);
KN_API const char *kn_recording_get_why(const kn_recording *recording);

// NULL is fine.
KN_API void kn_recording_free(kn_recording *recording);

#ifdef __cplusplus
}
#endif
#endif
