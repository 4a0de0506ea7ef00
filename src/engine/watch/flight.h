// SPDX-License-Identifier: Apache-2.0
// The flight record (koine/experimental/flight.h), and the functions that write it.
#ifndef KN_ENGINE_WATCH_FLIGHT_H
#define KN_ENGINE_WATCH_FLIGHT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <koine/device.h>
#include <koine/experimental/flight.h>

enum { FLIGHT_TASKS = 16, FLIGHT_LABELS = 512, FLIGHT_LABEL_BYTES = 200 };

struct flight_queue {
    atomic_bool used;
    bool is_cpu;
    char device[FLIGHT_LABEL_BYTES];                  // "opencl:0.0 (name)"
    _Atomic(const char *) kernels[KN_FLIGHT_KERNELS]; // launch n is at n modulo KN_FLIGHT_KERNELS
    atomic_uint departed;                             // launches so far
    atomic_uint landed;                               // launches known to have ended
};

struct flight_task {
    atomic_bool used;
    char what[2 * FLIGHT_LABEL_BYTES]; // "compiling reduce.cl for opencl:0.0 (name)"
};

struct kn_flight {
    pthread_mutex_t lock; // for adding a label
    atomic_bool entered;  // a driver's code has run in this process
    kn_flight_function *ended;
    atomic_uint label_count;
    char labels[FLIGHT_LABELS][FLIGHT_LABEL_BYTES]; // "reduce_leaves (reduce.cl)"
    struct flight_queue queues[KN_FLIGHT_QUEUES];
    struct flight_task tasks[FLIGHT_TASKS];
};

// From now on events are recorded in `flight`, which must be initialised; NULL: nowhere.
void ki_flight_record(kn_flight *flight);

// A kernel's name as it is printed, the same pointer for equal names; NULL if nothing is recorded.
const char *ki_flight_label(const char *kernel, const char *file);

// The record of a queue; NULL if nothing is recorded, or if all records are in use.
struct flight_queue *ki_flight_claim(const kn_device_info *device);
void ki_flight_release(struct flight_queue *queue);

// Records a launch and returns its number, which is passed to ki_flight_land when this launch, and so all
// before it, are known to have ended.
unsigned ki_flight_depart(struct flight_queue *queue, const char *label);
void ki_flight_land(struct flight_queue *queue, unsigned number);
// All launches so far have ended.
void ki_flight_land_all(struct flight_queue *queue);

// Records what a driver does for the calling thread other than running kernels; NULL if nothing is recorded,
// or if all places are in use.
struct flight_task *ki_flight_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
void ki_flight_end(struct flight_task *task);

#endif
