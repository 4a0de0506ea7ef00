// SPDX-License-Identifier: Apache-2.0
// The engine's objects, and what its files ask of one another.
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
    pthread_mutex_t clones_lock;   // every kernel's clones, and
    kn_program *programs;          // all programs there are, linked
    pthread_mutex_t builtins_lock; // held while one is compiled
    struct ki_text builtin_key;    // of the one that is looked for; its memory is kept for the next
    struct ki_kept kept;           // memory of events
    struct engine_builtin *builtins;
    size_t builtin_count, builtin_capacity;
    pthread_mutex_t tuned_lock;
    struct engine_tuned *tuned; // the tunings that were asked for so far
    size_t tuned_count, tuned_capacity;
    pthread_mutex_t verdicts_lock;
    struct engine_verdict *verdicts; // the forms that were tried so far
    size_t verdict_count, verdict_capacity;
};

// Of a launch or a copy whose event nobody wants.
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

// Where kernels leave what is waited for; answer.h.
struct engine_answer {
    kn_buffer *buffer; // NULL: not asked for yet
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
    kn_recording *recorder;           // what launches go into instead of running; NULL: they run
    struct engine_products *products; // see library.h; NULL: not asked for yet
    struct flight_queue *flight;      // see flight.h; NULL: nothing is written down
};

struct kn_image {
    kn_context *context;
    struct be_image_shape shape;
    struct be_image *native;
};

struct engine_clone {
    const kn_queue *queue; // NULL: nobody's yet
    struct be_kernel *native;
};

struct kn_kernel {
    kn_program *program;
    const kn_source_kernel *source;
    const char *label;         // see flight.h
    unsigned long long serial; // that no other kernel of the context has or had
    kn_kernel_limits limits;
    struct engine_clone
        *clones; // clSetKernelArg on one kernel is not safe from two threads: one clone a queue
    size_t clone_count, clone_capacity;
};

struct kn_program {
    kn_context *context;
    bool is_builtin;          // the context's own, which does not hold it
    kn_program *next, **link; // among the context's programs; where `this` is pointed to from
    struct be_program *native;
    struct src_unit *unit;
    struct kn_kernel *kernels;
    size_t kernel_count;
    bool cached;
    char *source, *options, *report; // what it was compiled from, and what was said; NULL: not explained
};

struct kn_event {
    kn_context *context;
    struct be_event *native;
    struct flight_queue *flight; // of a launch: its queue's place, and
    unsigned number;             // which launch it is
};

// A context is freed when it is closed and nothing holds it any more: queues, buffers, images, events,
// programs, recordings and plans do, so that they may be freed in any order. ki_engine_hold returns it.
kn_context *ki_engine_hold(kn_context *context);
void ki_engine_release(kn_context *context);

// Context options with defaults, and the parts that opening and wrapping share; `function` is the public one.
// Takes over `device` and `native` on success only.
kn_status ki_engine_context_create(const char *function, const struct ki_backend *backend,
                                   struct be_context *native, const struct be_device *device,
                                   const kn_context_options *options, kn_context **context, kn_error *err);

// Around the application's own; `bytes` counts where the driver does not tell the size (CUDA).
// A queue is closed when kn_queue_close was called and no pinned memory holds it any more.
void ki_engine_queue_release(kn_queue *queue);
kn_status ki_engine_queue_wrap(kn_context *context, void *native, kn_queue **queue, kn_error *err);
kn_status ki_engine_buffer_wrap(kn_context *context, void *native, size_t bytes, kn_buffer **buffer,
                                kn_error *err);

// Says `format` to the context's log function if there is one.
void ki_engine_log(const kn_context *context, kn_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A kernel of one of Koine's own files with these definitions, built once a context. The kernel stays the
// context's. KN_POLICY_DEFAULT is the context's policy.
kn_status ki_engine_builtin_kernel(kn_context *context, const char *file, const kn_define *defines,
                                   size_t define_count, kn_policy policy, const char *name,
                                   kn_kernel **kernel, kn_error *err);

// The same with all that a program takes: its definitions, policy and max_registers.
kn_status ki_engine_builtin_kernel_with(kn_context *context, const char *file,
                                        const kn_program_options *options, const char *name,
                                        kn_kernel **kernel, kn_error *err);

// Runs a launch that was checked.
kn_status ki_engine_launch(kn_queue *queue, const kn_kernel *kernel, const struct be_launch *launch,
                           kn_event **event, kn_error *err);

// Errors: KN_ERROR_ARGUMENT, that names the function, while the queue records launches.
kn_status ki_engine_check_runs(const kn_queue *queue, const char *function, kn_error *err);

// Gives the queue's clones of all kernels to the next queue that wants one.
void ki_engine_release_clones(kn_queue *queue);

// "image2d_t" of a kind.
const char *ki_engine_image_type(kn_image_kind kind);

// An engine event around a backend's, if the caller wants one.
kn_status ki_engine_event_give(kn_context *context, struct be_event *native, kn_event **event, kn_error *err);

// Copies through pinned staging; src/engine/transfer.c.
kn_status ki_engine_stage_write(kn_queue *queue, struct be_memory *to, size_t offset, const void *data,
                                size_t bytes, kn_error *err);
kn_status ki_engine_stage_read(kn_queue *queue, struct be_memory *from, size_t offset, void *data,
                               size_t bytes, kn_error *err);
void ki_engine_stage_free(kn_queue *queue);

#endif
