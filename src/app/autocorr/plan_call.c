// SPDX-License-Identifier: Apache-2.0
// Calls of a plan: the sums come from the engine (methods.h), what is made of them from series/analyse.h.
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/threads.h"
#include "engine/engine.h"
#include "app/autocorr/device/device.h"
#include "app/autocorr/volume/plan_volume.h"
#include "plan_internal.h"

struct call {
    kn_autocorr_plan *plan;
    const struct autocorr_task *tasks;    // of frames in ordinary memory; NULL:
    const struct autocorr_frames *frames; // in the device's
    size_t count;
    kn_autocorr_results results;
    kn_autocorr_series_options settings; // of the analysis
    bool analysed;                       // more than sums are wanted
    bool rings_on_device;
    uint64_t *products, *own_products; // of all frames: the caller's, or the call's own; NULL: not wanted
    struct autocorr_ring *rings;       // of all frames
    kn_autocorr_lengths *lengths;      // of all frames
    size_t next;                       // the first one that no thread analyses
    kn_error *err;
    kn_status status;
    pthread_mutex_t lock; // of both of these, while frames are analysed
};

static size_t offsets_of(const struct call *call)
{
    return autocorr_offsets(call->plan->max_offset);
}

static size_t rings_of(const struct call *call)
{
    return call->plan->max_offset + 1;
}

// With one mask for all frames, or none.
static bool makes_rings_there(const struct call *call)
{
    const struct autocorr_task without = {.max_offset = call->plan->max_offset},
                               *like = call->tasks ? call->tasks : &without;

    for (size_t i = 1; call->tasks && i < call->count; i++)
        if (call->tasks[i].mask != like->mask)
            return false;
    return ki_autocorr_engine_has_rings(&call->plan->engine, like, NULL);
}

// What the call wants, and where it is made.
static kn_status begin(struct call *call, kn_error *err)
{
    const kn_autocorr_results *results = &call->results;
    bool has_rings = results->rings || results->lengths;
    struct ki_kept *kept = &call->plan->kept;

    call->settings.normalization = call->plan->normalization;
    call->settings.values = results->values != NULL;
    call->analysed = has_rings || results->values;
    call->rings_on_device = has_rings && makes_rings_there(call);
    call->products = results->sums;
    if (!call->products && (!call->rings_on_device || results->values))
        call->products = call->own_products =
            ki_kept_take_array(kept, call->count, offsets_of(call) * sizeof(uint64_t));
    call->rings = ki_kept_take_zeros(kept, call->count, rings_of(call) * sizeof *call->rings);
    call->lengths = ki_kept_take_zeros(kept, call->count, sizeof *call->lengths);
    if (!call->rings || !call->lengths || (!call->products && !call->rings_on_device))
        return ki_fail_memory(err, call->count * offsets_of(call) * sizeof(uint64_t), "the frames' sums");
    return KN_OK;
}

// Where the engine puts what comes of the frames from `first` on.
static struct autocorr_results results_from(const struct call *call, size_t first)
{
    return (struct autocorr_results){
        .products = call->products ? call->products + first * offsets_of(call) : NULL,
        .rings = call->rings_on_device ? call->rings + first * rings_of(call) : NULL,
        .normalization = call->plan->normalization};
}

// The frames from `first` on that are computed together.
static kn_status start_some(struct call *call, size_t first, size_t count, kn_error *err)
{
    struct autocorr_engine *engine = &call->plan->engine;
    const struct autocorr_results results = results_from(call, first);
    kn_status status = call->tasks
                           ? ki_autocorr_engine_start(engine, call->tasks + first, count, &results, err)
                           : ki_autocorr_engine_start_frames(engine, call->frames, &results, err);

    if (engine->bound > call->plan->bound)
        call->plan->bound = engine->bound;
    return status;
}

// On a device some are copied while those before them are computed.
static kn_status compute(struct call *call, kn_error *err)
{
    struct autocorr_engine *engine = &call->plan->engine;
    size_t together = call->tasks ? ki_autocorr_together(&call->tasks[0]) : call->count;
    kn_status status = KN_OK;

    call->plan->bound = 0;
    for (size_t first = 0; first < call->count && !status; first += together) {
        size_t left = call->count - first;

        status = start_some(call, first, left < together ? left : together, err);
        if (!status && first)
            status = ki_autocorr_engine_finish(engine, err);
    }
    if (!status)
        status = ki_autocorr_engine_finish(engine, err);
    if (status)
        ki_autocorr_engine_abandon(engine);
    return status;
}

// ---- from sums to the rest ----

static struct autocorr_frame frame_of(const struct call *call, size_t i)
{
    return (struct autocorr_frame){.products = call->products ? call->products + i * offsets_of(call) : NULL,
                                   .kept = &call->plan->kept,
                                   .rings = call->rings + i * rings_of(call),
                                   .rings_on_device = call->rings_on_device};
}

// What the analysis made of frame i is kept.
static void keep(struct call *call, size_t i, struct autocorr_frame *frame)
{
    if (call->results.values)
        memcpy(call->results.values + i * offsets_of(call), frame->values,
               offsets_of(call) * sizeof *frame->values);
    ki_kept_give(frame->kept, frame->values);
    call->lengths[i] = frame->lengths;
}

// Frame i by thread t, or alone by all of them.
static void analyse_one(struct call *call, size_t i, size_t t)
{
    kn_autocorr_plan *plan = call->plan;
    bool alone = call->count == 1;
    const kn_host_options options = KN_INIT(kn_host_options, .threads = alone ? 0 : 1);
    struct autocorr_frame frame = frame_of(call, i);
    struct autocorr_task task = call->tasks[i];
    kn_error why = KN_ERROR_INIT;

    if (!alone)
        frame.kept = task.kept = &plan->workspace_kept[t];
    if (!ki_autocorr_analyse(alone ? &plan->alone : &plan->workspaces[t], &call->settings, &options, &task,
                             &frame, &why)) {
        keep(call, i, &frame);
        return;
    }
    ki_kept_give(frame.kept, frame.values);
    pthread_mutex_lock(&call->lock);
    call->status = why.code;
    if (call->err)
        *call->err = why;
    pthread_mutex_unlock(&call->lock);
}

// Thread t begins with frame t and goes on with any: so all that it needs is there in the next call.
static void analyse_some(void *context, size_t t)
{
    struct call *call = context;

    for (size_t i = t; i < call->count; i = __atomic_fetch_add(&call->next, 1, __ATOMIC_RELAXED))
        analyse_one(call, i, t);
}

// Of frames in ordinary memory: a frame by itself with all threads, of several each by a thread.
static kn_status analyse(struct call *call, kn_error *err)
{
    unsigned threads = call->plan->workspace_count;

    if (threads > call->count)
        threads = (unsigned)call->count;
    call->err = err;
    call->next = threads;
    pthread_mutex_init(&call->lock, NULL);
    ki_parallel(threads, threads, KI_STATIC, analyse_some, call);
    pthread_mutex_destroy(&call->lock);
    return call->status;
}

// The windows' sums of a frame on the device, brought to the host.
static kn_status bring_windows(struct call *call, size_t i, const struct autocorr_tables *tables,
                               struct autocorr_window *windows, kn_error *err)
{
    kn_queue *queue = call->plan->queue;
    kn_status status = ki_autocorr_windows_device(queue, call->frames, i, 1, tables, err);

    if (!status)
        status =
            ki_autocorr_tables_read(queue, tables, call->plan->width, call->plan->height, 0, windows, err);
    if (!status && call->plan->engine.periodic)
        ki_autocorr_spread_window(call->plan->max_offset, windows);
    return status;
}

// Of frames on the device: of them the host needs the windows' sums, if values are made.
static kn_status analyse_there(struct call *call, kn_error *err)
{
    bool values = call->settings.values || !call->rings_on_device;
    size_t max_offset = call->plan->max_offset, bytes = offsets_of(call) * sizeof(struct autocorr_window);
    struct autocorr_window *windows = values ? ki_kept_take(&call->plan->kept, bytes) : NULL;
    struct autocorr_tables *tables = &call->plan->tables;
    kn_status status = KN_OK;

    if (values && !windows)
        return ki_fail_memory(err, bytes, "a correlation");
    if (values && !tables->sums)
        status = ki_autocorr_tables_create(call->plan->queue->context, max_offset, 1, tables, err);
    for (size_t i = 0; i < call->count && !status; i++) {
        struct autocorr_frame frame = frame_of(call, i);

        if (values)
            status = bring_windows(call, i, tables, windows, err);
        if (!status)
            status = ki_autocorr_conclude(&call->settings, max_offset, windows, &frame, err);
        if (!status)
            keep(call, i, &frame);
    }
    ki_kept_give(&call->plan->kept, windows);
    return status;
}

// Rings and lengths to the caller.
static void hand_out(const struct call *call)
{
    const kn_autocorr_results *results = &call->results;

    for (size_t k = 0; results->rings && k < call->count * rings_of(call); k++)
        results->rings[k] = autocorr_public_ring(&call->rings[k]);
    if (results->lengths)
        memcpy(results->lengths, call->lengths, call->count * sizeof *call->lengths);
}

static kn_status run(struct call *call, kn_error *err)
{
    kn_status status = begin(call, err);

    if (!status)
        status = compute(call, err);
    if (!status && call->analysed)
        status = call->tasks ? analyse(call, err) : analyse_there(call, err);
    if (!status)
        hand_out(call);
    ki_kept_give(&call->plan->kept, call->own_products);
    ki_kept_give(&call->plan->kept, call->rings);
    ki_kept_give(&call->plan->kept, call->lengths);
    return status;
}

// What both kinds of calls ask for.
static kn_status read_results(const char *function, const kn_autocorr_plan *plan,
                              const kn_autocorr_results *results, kn_autocorr_results *read, kn_error *err)
{
    kn_status status;

    if (!plan || !results)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", plan ? "results" : "plan");
    status = KI_SIZED_READ(function, kn_autocorr_results, results, read, err);
    if (!status && !read->sums && !read->values && !read->rings && !read->lengths)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "no results are wanted: all of their pointers are NULL");
    return status;
}

// ---- of frames in ordinary memory ----

static kn_status execute(const char *function, kn_autocorr_plan *plan, const kn_autocorr_frames *given,
                         size_t count, const kn_autocorr_results *results, kn_error *err)
{
    struct plan_frames frames = {.tasks = NULL};
    kn_autocorr_frames read;
    struct call call = {.plan = plan, .count = count};
    kn_status status = read_results(function, plan, results, &call.results, err);

    if (!status && !given)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "frames is NULL");
    if (!status)
        status = KI_SIZED_READ(function, kn_autocorr_frames, given, &read, err);
    if (status || !count)
        return status;
    status = ki_autocorr_plan_frames(plan, &read, count, &frames, err);
    call.tasks = frames.tasks;
    if (!status)
        status = plan->depth
                     ? ki_autocorr_execute_volumes(plan, frames.tasks, NULL, count, &call.results, err)
                     : run(&call, err);
    ki_autocorr_plan_frames_free(plan, &frames);
    return status;
}

kn_status kn_autocorr_execute(kn_autocorr_plan *plan, const kn_autocorr_frames *frames, size_t count,
                              const kn_autocorr_results *results, kn_error *err)
{
    return ki_error_name(__func__, execute(__func__, plan, frames, count, results, err), err);
}

// ---- of frames on the device ----

kn_status ki_autocorr_plan_buffers(const char *function, const kn_autocorr_plan *plan, const kn_buffer *first,
                                   const kn_buffer *second, size_t count, const kn_buffer *sums,
                                   struct autocorr_frames *frames, kn_error *err)
{
    if (!plan->queue)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "the plan is one of the host; give it a queue when it is made");
    if (plan->type == KN_F32)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "frames of KN_F32 are scaled by the host; use kn_autocorr_execute, or whole numbers");
    *frames = (struct autocorr_frames){plan->width, plan->height, count,           plan->type,
                                       first,       second,       plan->max_offset};
    return ki_autocorr_check_frames(function, plan->queue, frames, sums, err);
}

static kn_status execute_buffers(const char *function, kn_autocorr_plan *plan, const kn_buffer *first,
                                 const kn_buffer *second, size_t count, const kn_autocorr_results *results,
                                 kn_error *err)
{
    struct call call = {.plan = plan, .count = count};
    struct autocorr_frames frames;
    kn_status status = read_results(function, plan, results, &call.results, err);

    if (!status)
        status = ki_autocorr_plan_buffers(function, plan, first, second, count, NULL, &frames, err);
    if (status || !count)
        return status;
    call.frames = &frames;
    return plan->depth ? ki_autocorr_execute_volumes(plan, NULL, &frames, count, &call.results, err)
                       : run(&call, err);
}

kn_status kn_autocorr_execute_buffers(kn_autocorr_plan *plan, const kn_buffer *first, const kn_buffer *second,
                                      size_t count, const kn_autocorr_results *results, kn_error *err)
{
    return ki_error_name(__func__, execute_buffers(__func__, plan, first, second, count, results, err), err);
}

static kn_status sums_to_buffer(const char *function, kn_autocorr_plan *plan, const kn_buffer *first,
                                const kn_buffer *second, size_t count, kn_buffer *sums, kn_error *err)
{
    struct autocorr_frames frames;
    kn_status status;

    if (!plan || !sums)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", plan ? "sums" : "plan");
    if (sums == first || sums == second)
        return ki_fail(err, KN_ERROR_ARGUMENT, "the frames and the sums are one buffer");
    if (plan->depth || plan->engine.periodic)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "the sums of volumes and of periodic images come to the host; use "
                       "kn_autocorr_execute_buffers");
    status = ki_autocorr_plan_buffers(function, plan, first, second, count, sums, &frames, err);
    if (status || !count)
        return status;
    status = ki_autocorr_engine_enqueue(&plan->engine, &frames, sums, err);
    plan->bound = plan->engine.bound;
    return status;
}

kn_status kn_autocorr_sums_to_buffer(kn_autocorr_plan *plan, const kn_buffer *first, const kn_buffer *second,
                                     size_t count, kn_buffer *sums, kn_error *err)
{
    return ki_error_name(__func__, sums_to_buffer(__func__, plan, first, second, count, sums, err), err);
}
