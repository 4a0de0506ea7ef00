// SPDX-License-Identifier: Apache-2.0
// The engine's objects, and the functions that its files share.
#ifndef KN_ENGINE_ENGINE_H
#define KN_ENGINE_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <koine/experimental/explain.h>
#include <koine/koine.h>

#include "base/kept.h"
#include "base/text/text.h"
#include "backend/backend.h"
#include "source/source.h"
#include "engine/watch/asking.h"
#include "engine/watch/flight.h"
#include "engine/watch/profile.h"
#include "scratch.h"
#include "engine/device/quirks.h"
#include "engine/device/shapes.h"

struct engine_builtin {
    char *key; // the file's name and its definitions
    size_t key_length;
    kn_program *program;
};

struct engine_tuned;   // see tuning.h
struct engine_verdict; // see trial.h

struct kn_context {
    const struct ki_backend *backend;
    struct be_context *native;
    struct be_device device;
    struct engine_quirks quirks;
    kn_context_options options;
    char *cache_dir;       // NULL: no cache
    atomic_size_t holders; // see ki_engine_hold
    bool staged; // large copies go through pinned staging: not on a CPU, which reads host memory where it is
    bool explained; // see kn_context_explain
    atomic_ullong build_nanoseconds;
    atomic_ullong serials;         // given to kernels so far
    pthread_mutex_t clones_lock;   // for the clones of every kernel, and
    kn_program *programs;          // the list of all programs
    pthread_mutex_t builtins_lock; // held while one is compiled
    struct ki_text builtin_key;    // of the current look-up; its memory is reused by the next
    struct ki_kept kept;           // memory of events
    struct engine_builtin *builtins;
    size_t builtin_count, builtin_capacity;
    pthread_mutex_t tuned_lock;
    struct engine_tuned *tuned; // the tunings requested so far
    size_t tuned_count, tuned_capacity;
    pthread_mutex_t verdicts_lock;
    struct engine_verdict *verdicts; // the forms tried so far
    size_t verdict_count, verdict_capacity;
};

// For a launch or a copy whose event is not needed.
#define NO_EVENT NULL

// Whether it is an NVIDIA GPU, through CUDA or NVIDIA's OpenCL: kernels may hold PTX for cards from sm_70 on.
bool ki_engine_is_nvidia(const kn_context *context);

#define ENGINE_STAGES      2
#define ENGINE_STAGE_BYTES ((size_t)8 << 20)
// Below this a plain blocking copy is faster than starting the pipeline.
#define ENGINE_STAGE_FROM ((size_t)4 << 20)
#define ENGINE_RECENT     16

// A kernel that the queue has launched, found again without taking the context's lock.
struct engine_recent {
    unsigned long long serial; // of the kernel; 0: none
    struct be_kernel *clone;
};

struct kn_buffer {
    kn_context *context;
    size_t bytes;
    struct be_memory *native; // NULL: held in parts, or empty
    size_t part_bytes;
    struct kn_buffer *parts;
    size_t part_count;
};

// Where kernels write results that the host waits for; answer.h.
struct engine_answer {
    kn_buffer *buffer; // NULL: not requested yet
    struct be_host host;
    struct kn_buffer reached; // the buffer, where kernels reach `host`
};

struct kn_queue {
    kn_context *context;
    atomic_size_t holders; // itself until it is closed, and its pinned memory
    struct be_queue *native;
    struct be_host stage[ENGINE_STAGES]; // pinned staging, allocated at the first copy that uses it
    struct be_event *busy[ENGINE_STAGES];
    struct engine_scratch_pool scratch[ENGINE_SCRATCH_LEVELS];
    struct engine_answer answer;
    struct ki_kept kept;                        // host memory of algorithms
    struct engine_recent recent[ENGINE_RECENT]; // by serial modulo ENGINE_RECENT
    struct engine_profile profile;
    struct engine_asking asking;
    kn_launch_function *watcher; // see kn_queue_watch
    void *watcher_user;
    kn_recording *recorder;           // records launches instead of running them; NULL: they run
    struct engine_products *products; // see library.h; NULL: not requested yet
    struct flight_queue *flight;      // see flight.h; NULL: nothing is recorded
};

struct kn_image {
    kn_context *context;
    struct be_image_shape shape;
    struct be_image *native;
};

struct engine_clone {
    const kn_queue *queue; // NULL: not in use yet
    struct be_kernel *native;
};

struct kn_kernel {
    kn_program *program;
    const kn_source_kernel *source;
    const char *label;         // see flight.h
    unsigned long long serial; // unique among all kernels that the context ever had
    kn_kernel_limits limits;
    struct engine_clone
        *clones; // clSetKernelArg on one kernel is not safe from two threads: one clone a queue
    size_t clone_count, clone_capacity;
};

struct kn_program {
    kn_context *context;
    bool is_builtin;          // owned by the context, and so not holding it
    kn_program *next, **link; // in the context's list; `link` is the pointer that points to this program
    struct be_program *native;
    struct src_unit *unit;
    struct kn_kernel *kernels;
    size_t kernel_count;
    bool cached;
    char *source, *options, *report; // source, options and compiler's report; NULL: not explained
};

struct kn_event {
    kn_context *context;
    struct be_event *native;
    struct flight_queue *flight; // of a launch: the record of its queue, and
    unsigned number;             // the number of the launch
};

// A context is freed when it has been closed and nothing holds it any more: queues, buffers, images, events,
// programs, recordings and plans hold it, so that they may be freed in any order. ki_engine_hold returns it.
kn_context *ki_engine_hold(kn_context *context);
void ki_engine_release(kn_context *context);

// The part that opening and wrapping a context share, with defaults for its options; `function` is the name
// of the public function. Takes ownership of `device` and `native` on success only.
kn_status ki_engine_context_create(const char *function, const struct ki_backend *backend,
                                   struct be_context *native, const struct be_device *device,
                                   const kn_context_options *options, kn_context **context, kn_error *err);

// A queue is closed when kn_queue_close has been called and no pinned memory holds it any more.
void ki_engine_queue_release(kn_queue *queue);
// Wrap objects of the application; `bytes` is used if the driver does not report the size (CUDA).
kn_status ki_engine_queue_wrap(kn_context *context, void *native, kn_queue **queue, kn_error *err);
kn_status ki_engine_buffer_wrap(kn_context *context, void *native, size_t bytes, kn_buffer **buffer,
                                kn_error *err);

// Passes a message to the context's log function, if there is one.
void ki_engine_log(const kn_context *context, kn_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A kernel of one of Koine's own files with these definitions, built once per context, which owns the kernel.
// KN_POLICY_DEFAULT means the context's policy.
kn_status ki_engine_builtin_kernel(kn_context *context, const char *file, const kn_define *defines,
                                   size_t define_count, kn_policy policy, const char *name,
                                   kn_kernel **kernel, kn_error *err);

// The same with all options of a program: definitions, policy and max_registers.
kn_status ki_engine_builtin_kernel_with(kn_context *context, const char *file,
                                        const kn_program_options *options, const char *name,
                                        kn_kernel **kernel, kn_error *err);

// Runs a launch whose arguments have been checked.
kn_status ki_engine_launch(kn_queue *queue, const kn_kernel *kernel, const struct be_launch *launch,
                           kn_event **event, kn_error *err);

// Errors: KN_ERROR_ARGUMENT, with the name of the function, while the queue records launches.
kn_status ki_engine_check_runs(const kn_queue *queue, const char *function, kn_error *err);

// Makes the queue's clones of all kernels available to other queues.
void ki_engine_release_clones(kn_queue *queue);

// The type of a kind of image, such as "image2d_t".
const char *ki_engine_image_type(kn_image_kind kind);

// Wraps an event of the backend for the caller, if the caller asked for one.
kn_status ki_engine_event_give(kn_context *context, struct be_event *native, kn_event **event, kn_error *err);

// Copies through pinned staging; src/engine/transfer.c.
kn_status ki_engine_stage_write(kn_queue *queue, struct be_memory *to, size_t offset, const void *data,
                                size_t bytes, kn_error *err);
kn_status ki_engine_stage_read(kn_queue *queue, struct be_memory *from, size_t offset, void *data,
                               size_t bytes, kn_error *err);
void ki_engine_stage_free(kn_queue *queue);

#endif
