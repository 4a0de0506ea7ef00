// SPDX-License-Identifier: Apache-2.0
// What is under way on devices, kept where a signal handler can read it: a driver that crashes takes the
// process along, and only what is in memory then can say which kernel ran. A program that asks for it owns
// the record; without one nothing is kept, and a launch costs one comparison more. With one: two stores. Not
// promised (koine/experimental.h).
//
// The record has a fixed place and a fixed size, so that it can be read where the heap is damaged.
#ifndef KOINE_EXPERIMENTAL_FLIGHT_H
#define KOINE_EXPERIMENTAL_FLIGHT_H

#include <koine/error.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KN_FLIGHT_BYTES = 163840, // of a record
    KN_FLIGHT_QUEUES = 32,    // places of queues; further queues are not recorded
    KN_FLIGHT_KERNELS = 32    // the latest of a queue
};

typedef struct kn_flight kn_flight;

// Called when a kernel or a driver's task has ended, by the thread that learns of it: a program puts its
// signal handlers back, over which drivers may have put theirs.
typedef void kn_flight_function(void);

// From now on what is under way stands in `memory`, of KN_FLIGHT_BYTES or more, aligned to 16 bytes: a static
// array, as it has to last as long as the process. Called before anything else of the library; a later call
// takes another record. `ended` may be NULL. *flight is the record, to be read. Errors: KN_ERROR_ARGUMENT for
// memory that is NULL, too small or not aligned.
KN_API kn_status kn_flight_watch(void *memory, size_t bytes, kn_flight_function *ended,
                                 const kn_flight **flight, kn_error *err);

// ---- reading it, in a signal handler too: these take no lock and no memory ----

// Whether a driver's code has run in this process. False for NULL.
KN_API bool kn_flight_get_entered(const kn_flight *flight);

typedef struct kn_flight_queue {
    const char *device; // "opencl:0.0 (name)"
    bool is_open;
    bool is_cpu;
    unsigned launched; // kernels so far
    unsigned ended;    // how many of them are known to have ended
    // Names of the latest, "reduce_leaves (algo/reduce.cl)", number n (from 0) at n modulo KN_FLIGHT_KERNELS;
    // NULL where there was none.
    const char *kernels[KN_FLIGHT_KERNELS];
} kn_flight_queue;

// The place of a queue, which may be one that is closed, or nobody's yet. False past the last place.
KN_API bool kn_flight_get_queue(const kn_flight *flight, size_t index, kn_flight_queue *queue);

// What drivers are doing besides running kernels ("compiling reduce.cl for opencl:0.0 (name)"), one after the
// other from index 0; NULL past the last.
KN_API const char *kn_flight_get_task(const kn_flight *flight, size_t index);

#ifdef __cplusplus
}
#endif
#endif
