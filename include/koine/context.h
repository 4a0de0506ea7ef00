// SPDX-License-Identifier: Apache-2.0
// A context is one open device with the programs compiled for it. A queue is the order in which its work is
// done.
//
// Which functions wait: a function that writes its results to buffers enqueues its work and returns; one that
// returns its result to the host (a number, an array, a struct) waits for it. If a function of the first kind
// has to read something back on the way, its comment says what it waits for; any first call may take the time
// of compiling a kernel and of measuring which method is faster. kn_queue_record makes an event of the work
// enqueued so far.
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
// Receives the library's log messages. May be called from any thread that uses the context.
typedef void kn_log_function(void *user, kn_log_level level, const char *message);

typedef struct kn_context_options {
    size_t struct_size;   // set by KN_INIT
    kn_log_function *log; // NULL: silent
    void *log_user;
    // Waits after each launch, and names the kernel in the error if the device failed. Slow; for debugging.
    bool debug_sync;
    // The largest single allocation in bytes, at least 64; 0: what the device allows. Larger buffers are held
    // in parts.
    uint64_t max_alloc;
    // The binary cache's folder. NULL: KOINE_CACHE_DIR, XDG_CACHE_HOME/koine or ~/.cache/koine. "": no cache.
    // A folder that anyone but the current user and root can write to is not used; the log says so.
    const char *cache_dir;
    // The numeric policy of the library's own kernels, except those with bitwise reproducible or exact
    // results, such as sums and sorting, which keep theirs. With a policy other than KN_POLICY_DEFAULT, a
    // vendor's library is used only if it is named. With KN_POLICY_FAST the error bounds stated in these
    // headers no longer hold.
    kn_policy policy;
} kn_context_options;

// `spec`: "auto", "cpu", "gpu", "cuda:0", "opencl:0.0", or a part of a device's name (case-insensitive). NULL
// stands for the environment variable KOINE_DEVICE, or "auto" if that is not set. `options` may be NULL.
// Errors: KN_ERROR_NO_DEVICE with the list of available devices; KN_ERROR_UNSUPPORTED for a device that is
// listed but cannot be used, with the reason; KN_ERROR_DEVICE.
KN_API kn_status kn_context_open(const char *spec, const kn_context_options *options, kn_context **context,
                                 kn_error *err);
// Closes the context. Objects made in it (queues, buffers, images, programs, events, plans) may be freed
// before or after; the device is released with the last of them. NULL is fine.
KN_API void kn_context_close(kn_context *context);

KN_API const kn_device_info *kn_context_get_device(const kn_context *context);

// Opens an in-order queue whose events have times.
KN_API kn_status kn_queue_open(kn_context *context, kn_queue **queue, kn_error *err);
// Waits until all work is done, then frees the queue. NULL is fine.
KN_API void kn_queue_close(kn_queue *queue);
KN_API kn_context *kn_queue_get_context(const kn_queue *queue);
// kn_queue_flush hands the work to the device; kn_queue_finish waits until it is done, and reports what went
// wrong meanwhile.
KN_API kn_status kn_queue_flush(kn_queue *queue, kn_error *err);
KN_API kn_status kn_queue_finish(kn_queue *queue, kn_error *err);
// Makes an event that is done when all work enqueued so far is done, including that of asynchronous calls
// such as those of the sciences. It costs as much as the event of a launch. The caller frees it
// (kn_event_free). Before another queue or another thread waits for it, call kn_queue_flush. Errors:
// KN_ERROR_ARGUMENT, also while the queue records launches.
KN_API kn_status kn_queue_record(kn_queue *queue, kn_event **event, kn_error *err);
// Makes what is enqueued from now on wait for `event`, which may be of another queue of the context.
KN_API kn_status kn_queue_wait_for(kn_queue *queue, const kn_event *event, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
