// SPDX-License-Identifier: Apache-2.0
// A flight recorder: the work in progress on devices, kept where a signal handler can read it. A driver that
// crashes takes the process with it, and then only memory can tell which kernel was running. A program that
// asks for a record owns it; with a record, each launch costs two stores; without one, one comparison, and
// nothing is kept. Unstable (koine/experimental.h).
//
// The record has a fixed address and a fixed size, so that it can be read even if the heap is damaged.
#ifndef KOINE_EXPERIMENTAL_FLIGHT_H
#define KOINE_EXPERIMENTAL_FLIGHT_H

#include <koine/error.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KN_FLIGHT_BYTES = 163840, // of a record
    KN_FLIGHT_QUEUES = 32,    // slots for queues; further queues are not recorded
    KN_FLIGHT_KERNELS = 32    // the latest kernels of a queue
};

typedef struct kn_flight kn_flight;

// Called when a kernel or a driver's task has ended, by the thread that notices it: a program can reinstall
// its signal handlers here, which drivers may have replaced.
typedef void kn_flight_function(void);

// From now on work in progress is recorded in `memory`, of KN_FLIGHT_BYTES or more, aligned to 16 bytes: use
// a static array, since it has to last as long as the process. Call it before any other function of the
// library; a later call switches to another record. `ended` may be NULL. *flight is the record, for reading.
// Errors: KN_ERROR_ARGUMENT for memory that is NULL, too small or not aligned.
KN_API kn_status kn_flight_watch(void *memory, size_t bytes, kn_flight_function *ended,
                                 const kn_flight **flight, kn_error *err);

// ---- reading it, also in a signal handler: these take no locks and allocate nothing ----

// Whether a driver's code has run in this process. False for NULL.
KN_API bool kn_flight_get_entered(const kn_flight *flight);

typedef struct kn_flight_queue {
    const char *device; // "opencl:0.0 (name)"
    bool is_open;
    bool is_cpu;
    unsigned launched; // kernels so far
    unsigned ended;    // how many of them are known to have ended
    // Names of the latest kernels, "reduce_leaves (algo/reduce.cl)", number n (from 0) at n modulo
    // KN_FLIGHT_KERNELS; NULL if there was none.
    const char *kernels[KN_FLIGHT_KERNELS];
} kn_flight_queue;

// The slot of a queue, which may be closed, or not be in use yet. False past the last slot.
KN_API bool kn_flight_get_queue(const kn_flight *flight, size_t index, kn_flight_queue *queue);

// What drivers are doing besides running kernels ("compiling reduce.cl for opencl:0.0 (name)"), counted from
// index 0; NULL past the last.
KN_API const char *kn_flight_get_task(const kn_flight *flight, size_t index);

#ifdef __cplusplus
}
#endif
#endif
