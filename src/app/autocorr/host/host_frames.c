// SPDX-License-Identifier: Apache-2.0
#include "host_frames.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "host.h"
#include "host_fourier.h"

// Of a thread that has frames to itself.
struct room {
    struct autocorr_fourier *fourier;
    struct ki_kept kept;
};

// What is kept from one call to the next.
struct autocorr_host_rooms {
    struct autocorr_fourier *all; // for a frame that all threads share
    struct room **own;
    unsigned count;
};

// One frame, with tables and memory in `fourier`, which may not exist yet.
typedef kn_status compute_frame(const struct autocorr_engine *engine, const struct autocorr_task *task,
                                const kn_host_options *options, struct autocorr_fourier **fourier,
                                uint64_t *products, double *bound, kn_error *err);

static kn_status naive(const struct autocorr_engine *engine, const struct autocorr_task *task,
                       const kn_host_options *options, struct autocorr_fourier **fourier, uint64_t *products,
                       double *bound, kn_error *err)
{
    (void)engine, (void)options, (void)fourier, (void)bound;
    return ki_autocorr_naive(task, products, err);
}

static kn_status simd(const struct autocorr_engine *engine, const struct autocorr_task *task,
                      const kn_host_options *options, struct autocorr_fourier **fourier, uint64_t *products,
                      double *bound, kn_error *err)
{
    (void)engine, (void)fourier, (void)bound;
    return ki_autocorr_simd(task, options, products, err);
}

static kn_status transforms(const struct autocorr_engine *engine, const struct autocorr_task *task,
                            const kn_host_options *options, struct autocorr_fourier **fourier,
                            uint64_t *products, double *bound, kn_error *err)
{
    kn_status status = *fourier ? KN_OK : ki_autocorr_fourier_create(options, fourier, err);

    if (status)
        return status;
    return engine->exact ? ki_autocorr_fourier_exact(*fourier, task, products, NULL, NULL, err)
                         : ki_autocorr_fourier_single(*fourier, task, products, bound, err);
}

static const struct row {
    compute_frame *compute;
    bool threads; // that it has several of, or of frames
} rows[AUTOCORR_METHODS] = {
    [KN_AUTOCORR_NAIVE] = {naive, false},
    [KN_AUTOCORR_SIMD] = {simd, true},
    [KN_AUTOCORR_FFT] = {transforms, true},
};

bool ki_autocorr_host_has(kn_autocorr_method method)
{
    return rows[method].compute != NULL;
}

static struct room *make_room(void)
{
    struct room *made = calloc(1, sizeof *made);

    if (made)
        ki_kept_init(&made->kept);
    return made;
}

// Memory for this many threads; existing ones are kept.
static kn_status make_rooms(struct autocorr_engine *engine, unsigned count, kn_error *err)
{
    struct autocorr_host_rooms *rooms = engine->rooms;
    struct room **own;

    if (!rooms)
        rooms = engine->rooms = calloc(1, sizeof *rooms);
    if (rooms && rooms->count >= count)
        return KN_OK;
    own = rooms ? realloc(rooms->own, count * sizeof(struct room *)) : NULL;
    if (!own)
        return ki_fail_memory(err, count * sizeof(struct room *), "a batch of frames");
    rooms->own = own;
    for (; rooms->count < count; rooms->count++) {
        own[rooms->count] = make_room();
        if (!own[rooms->count])
            return ki_fail_memory(err, sizeof(struct room), "a batch of frames");
    }
    return KN_OK;
}

void ki_autocorr_host_rooms_free(struct autocorr_host_rooms *rooms)
{
    if (!rooms)
        return;
    ki_autocorr_fourier_free(rooms->all);
    for (unsigned t = 0; t < rooms->count; t++) {
        ki_autocorr_fourier_free(rooms->own[t]->fourier);
        ki_kept_free(&rooms->own[t]->kept);
        free(rooms->own[t]);
    }
    free(rooms->own);
    free(rooms);
}

static kn_status one_by_one(struct autocorr_engine *engine, const struct autocorr_task *tasks, size_t count,
                            uint64_t *products, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; i++) {
        double bound = 0;

        status = rows[engine->ran].compute(engine, &tasks[i], NULL, &engine->rooms->all,
                                           products + i * autocorr_offsets(tasks[i].max_offset), &bound, err);
        engine->bound = fmax(engine->bound, bound);
    }
    return status;
}

struct frames {
    struct autocorr_engine *engine;
    const struct autocorr_task *tasks;
    size_t count, next; // of the frames; the first one that no thread has
    uint64_t *products;
    bool has_failed;
    kn_error why;
    pthread_mutex_t lock; // of the engine's bound and of what failed
};

// By one thread, in its room.
static void compute_one(struct frames *frames, size_t i, struct room *room)
{
    const kn_host_options alone = KN_INIT(kn_host_options, .threads = 1);
    struct autocorr_engine *engine = frames->engine;
    struct autocorr_task task = frames->tasks[i];
    kn_error why = KN_ERROR_INIT;
    double bound = 0;

    task.kept = &room->kept;
    if (rows[engine->ran].compute(engine, &task, &alone, &room->fourier,
                                  frames->products + i * autocorr_offsets(task.max_offset), &bound, &why))
        __atomic_store_n(&frames->has_failed, true, __ATOMIC_RELAXED);
    pthread_mutex_lock(&frames->lock);
    engine->bound = fmax(engine->bound, bound);
    if (why.code)
        frames->why = why;
    pthread_mutex_unlock(&frames->lock);
}

// Thread t begins with frame t and goes on with any other, unless one has failed: so every thread's memory is
// used in every call, and is complete in the next one.
static void compute_some(void *context, size_t t)
{
    struct frames *frames = context;

    for (size_t i = t; i < frames->count && !__atomic_load_n(&frames->has_failed, __ATOMIC_RELAXED);
         i = __atomic_fetch_add(&frames->next, 1, __ATOMIC_RELAXED))
        compute_one(frames, i, frames->engine->rooms->own[t]);
}

static kn_status at_once(struct autocorr_engine *engine, const struct autocorr_task *tasks, size_t count,
                         unsigned threads, uint64_t *products, kn_error *err)
{
    struct frames frames = {.engine = engine,
                            .tasks = tasks,
                            .count = count,
                            .next = threads,
                            .products = products,
                            .why = KN_ERROR_INIT,
                            .lock = PTHREAD_MUTEX_INITIALIZER};

    ki_parallel(threads, threads, KI_STATIC, compute_some, &frames);
    if (frames.why.code && err)
        *err = frames.why;
    return frames.why.code;
}

kn_status ki_autocorr_host_frames(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                                  size_t count, uint64_t *products, kn_error *err)
{
    unsigned threads = rows[engine->ran].threads ? ki_threads(0) : 1;
    double start = ki_clock_seconds();
    kn_status status;

    if (threads > count)
        threads = (unsigned)count;
    status = make_rooms(engine, threads, err);
    if (!status)
        status = threads > 1 ? at_once(engine, tasks, count, threads, products, err)
                             : one_by_one(engine, tasks, count, products, err);
    engine->seconds.compute += ki_clock_seconds() - start;
    return status;
}
