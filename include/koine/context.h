// SPDX-License-Identifier: Apache-2.0
// A context: one device, opened, with the programs compiled for it. A queue: the order in which its work is
// done.
//
// Who waits: a function whose results go to buffers hands its work to the queue and returns; one whose result
// is the host's (a number, an array, a struct) returns when it is there. Where one of the first kind has to
// look at something on the way, its comment says what it waits for; compiling a kernel, which the first call
// does, and measuring which method is faster may always take their time. kn_queue_record gives an event of
// what was handed over.
#ifndef KOINE_CONTEXT_H
#define KOINE_CONTEXT_H

#include <koine/device.h>
#include <koine/error.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// May be used by several threads at once.
typedef struct kn_context kn_context;
// To be used by one thread at a time.
typedef struct kn_queue kn_queue;
typedef struct kn_event kn_event; // koine/event.h

typedef enum kn_log_level { KN_LOG_WARNING = 1, KN_LOG_INFO = 2, KN_LOG_DEBUG = 3 } kn_log_level;
// Receives what the library would like to say. May be called from any thread that uses the context.
typedef void kn_log_function(void *user, kn_log_level level, const char *message);

typedef struct kn_context_options {
    size_t struct_size;   // KN_INIT sets it
    kn_log_function *log; // NULL: silent
    void *log_user;
    // After each launch: wait, and name the kernel in the error if the device failed. Slow, for finding
    // faults.
    bool debug_sync;
    // No allocation larger than this (bytes, at least 64); 0: what the device allows. Buffers beyond it are
    // held in parts.
    uint64_t max_alloc;
    // The binary cache's folder. NULL: KOINE_CACHE_DIR, XDG_CACHE_HOME/koine or ~/.cache/koine. "": no cache.
    // A folder in which others than the user and root could put programs is not used: a line of the log says
    // so.
    const char *cache_dir;
    // Of the library's own kernels, where they promise no bits (sums, sorting and the like have theirs); with
    // another than KN_POLICY_DEFAULT no other library is taken but by its name. KN_POLICY_FAST ends what is
    // said of errors.
    kn_policy policy;
} kn_context_options;

// `spec`: "auto", "cpu", "gpu", "cuda:0", "opencl:0.0", or a part of a device's name (letter case does not
// matter). NULL is KOINE_DEVICE, or "auto" if that is not set. `options` may be NULL. Errors:
// KN_ERROR_NO_DEVICE with the list of what is there; KN_ERROR_UNSUPPORTED for a device that is listed but
// cannot be used, with the reason; KN_ERROR_DEVICE.
KN_API kn_status kn_context_open(const char *spec, const kn_context_options *options, kn_context **context,
                                 kn_error *err);
// Closes it. What was made in it (queues, buffers, images, programs, events, plans) may be freed before or
// after; the device is given back with the last of them. NULL is fine.
KN_API void kn_context_close(kn_context *context);

KN_API const kn_device_info *kn_context_get_device(const kn_context *context);

// An in-order queue, with times for its events.
KN_API kn_status kn_queue_open(kn_context *context, kn_queue **queue, kn_error *err);
// Waits until all is done, then frees it. NULL is fine.
KN_API void kn_queue_close(kn_queue *queue);
KN_API kn_context *kn_queue_get_context(const kn_queue *queue);
// Hands the work to the device / waits until it is done and reports what went wrong meanwhile.
KN_API kn_status kn_queue_flush(kn_queue *queue, kn_error *err);
KN_API kn_status kn_queue_finish(kn_queue *queue, kn_error *err);
// An event of all that the queue was given so far, also of the calls of the sciences that only enqueue: it is
// done when that is. Costs what an event of a launch does. The caller frees it (kn_event_free). Another queue
// that is to wait for it, or another thread, needs kn_queue_flush first. Errors: KN_ERROR_ARGUMENT, also
// while the queue records launches.
KN_API kn_status kn_queue_record(kn_queue *queue, kn_event **event, kn_error *err);
// Makes what is enqueued from now on wait for `event`, which may be of another queue of the context.
KN_API kn_status kn_queue_wait_for(kn_queue *queue, const kn_event *event, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
