// SPDX-License-Identifier: Apache-2.0
#include "flow.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "base/threads.h"

// Those that are computed together.
struct autocorr_flow_batch {
    struct autocorr_pending pending[AUTOCORR_TOGETHER_MAX];
    size_t count;
    uint64_t *products;          // of all; NULL: they stay on the device
    struct autocorr_ring *rings; // of all
    bool rings_on_device;        // they come from there; else the host makes them
    double seconds;              // so far, without building
};

void ki_autocorr_pending_drop(struct autocorr_pending *pending)
{
    kn_autocorr_prepared_free(&pending->prepared);
    free(pending->grey.pixels);
}

static void drop(struct autocorr_flow_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct autocorr_pending *pending = &batch->pending[i];

        ki_kept_give(pending->frame.kept, pending->frame.values);
        ki_autocorr_pending_drop(pending);
    }
    free(batch->products);
    free(batch->rings);
    batch->products = NULL;
    batch->rings = NULL;
    batch->count = 0;
    batch->seconds = 0;
}

// The engine's seconds but for building.
static double worked(const struct autocorr_engine *engine)
{
    return engine->seconds.upload + engine->seconds.compute + engine->seconds.download;
}

// Those that wait are given to the engine.
static kn_status start(struct autocorr_flow *flow, kn_error *err)
{
    struct autocorr_flow_batch *batch = flow->waiting;
    struct autocorr_engine *engine = flow->engine;
    const kn_autocorr_series_options *settings = flow->settings;
    struct autocorr_task tasks[AUTOCORR_TOGETHER_MAX];
    size_t count = batch->count, max_offset = batch->pending[0].task.max_offset,
           products = count * autocorr_offsets(max_offset) * sizeof *batch->products,
           rings = count * (max_offset + 1) * sizeof *batch->rings;
    const char *why;
    bool on_device = ki_autocorr_engine_has_rings(engine, &batch->pending[0].task, &why);
    double before = worked(engine);
    struct autocorr_results results = {.normalization = settings->normalization};
    kn_status status = KN_OK;

    for (size_t i = 0; i < count; i++)
        tasks[i] = batch->pending[i].task;
    if (!on_device || settings->sums || settings->values || settings->verification)
        results.products = batch->products = malloc(products);
    batch->rings = malloc(rings);
    batch->rings_on_device = on_device;
    if (on_device)
        results.rings = batch->rings;
    if (!batch->rings || (!batch->products && !on_device))
        status = ki_fail_memory(err, products + rings, "the frames' sums");
    if (!status)
        status = ki_autocorr_engine_start(engine, tasks, count, &results, err);
    flow->bound = fmax(flow->bound, engine->bound);
    for (size_t i = 0; i < count; i++) {
        batch->pending[i].analysis.method = engine->ran;
        batch->pending[i].analysis.bound = engine->bound;
    }
    batch->seconds = worked(engine) - before;
    flow->pipeline->batches++;
    flow->pipeline->overlapped += engine->queue && flow->started->count > 0;
    flow->pipeline->device_rings += on_device ? count : 0;
    flow->pipeline->why_host = on_device ? flow->pipeline->why_host : why;
    return status;
}

// A frame's part of what the batch has.
static void deal(struct autocorr_flow_batch *batch, size_t number)
{
    struct autocorr_pending *pending = &batch->pending[number];
    size_t max_offset = pending->task.max_offset;

    pending->frame = (struct autocorr_frame){
        .products = batch->products ? batch->products + number * autocorr_offsets(max_offset) : NULL,
        .rings = batch->rings + number * (max_offset + 1),
        .rings_on_device = batch->rings_on_device};
}

struct analysis {
    struct autocorr_flow *flow;
    struct autocorr_flow_batch *batch;
    kn_host_options options;
    kn_error *err;
    kn_status status;
    pthread_mutex_t lock; // of both of these
};

static void analyse_one(void *context, size_t i)
{
    struct analysis *all = context;
    struct autocorr_pending *pending = &all->batch->pending[i];
    kn_error why = KN_ERROR_INIT;

    if (!ki_autocorr_analyse(&all->flow->workspaces[ki_thread()], all->flow->settings, &all->options,
                             &pending->task, &pending->frame, &why))
        return;
    pthread_mutex_lock(&all->lock);
    all->status = ki_fail(all->err, why.code, "%s", why.text);
    pthread_mutex_unlock(&all->lock);
}

// Lengths of rings that are there take microseconds. One thread finds them: more would wait for each other
// where others decode. A frame by itself has all threads; of several each thread has one after the other.
static kn_status analyse_all(struct autocorr_flow *flow, struct autocorr_flow_batch *batch, kn_error *err)
{
    bool alone = batch->count == 1 || (batch->rings_on_device && !flow->settings->values);
    unsigned threads = alone ? 1 : flow->workspace_count;
    struct analysis all = {.flow = flow,
                           .batch = batch,
                           .options = KN_INIT(kn_host_options, .threads = alone ? 0 : 1),
                           .err = err,
                           .lock = PTHREAD_MUTEX_INITIALIZER};
    double start = ki_clock_seconds();

    for (size_t i = 0; i < batch->count; i++)
        deal(batch, i);
    ki_parallel(threads, batch->count, KI_DYNAMIC, analyse_one, &all);
    flow->pipeline->analyse += ki_clock_seconds() - start;
    batch->seconds += ki_clock_seconds() - start;
    return all.status;
}

// Those that were started are done.
static kn_status finish(struct autocorr_flow *flow, kn_error *err)
{
    struct autocorr_flow_batch *batch = flow->started;
    double before = worked(flow->engine);
    kn_status status = ki_autocorr_engine_finish(flow->engine, err);

    batch->seconds += worked(flow->engine) - before;
    if (!status)
        status = analyse_all(flow, batch, err);
    for (size_t i = 0; i < batch->count && !status; i++) {
        batch->pending[i].analysis.seconds = batch->seconds / (double)batch->count;
        status = flow->done(flow->data, &batch->pending[i], err);
    }
    drop(batch);
    return status;
}

static bool are_alike(const struct autocorr_task *a, const struct autocorr_task *b)
{
    return a->first.width == b->first.width && a->first.height == b->first.height &&
           a->first.type == b->first.type && !a->second.pixels == !b->second.pixels;
}

// Those that were started before are done meanwhile, or before if they are of another kind.
kn_status ki_autocorr_flow_advance(struct autocorr_flow *flow, kn_error *err)
{
    struct autocorr_flow_batch *before = flow->started, *next = flow->waiting;
    kn_status status = KN_OK;

    if (next->count && before->count && !are_alike(&next->pending[0].task, &before->pending[0].task))
        status = finish(flow, err);
    if (!status && next->count)
        status = start(flow, err);
    if (!status && before->count)
        status = finish(flow, err);
    if (!status) {
        flow->started = next;
        flow->waiting = before;
    }
    return status;
}

kn_status ki_autocorr_flow_drain(struct autocorr_flow *flow, kn_error *err)
{
    kn_status status = KN_OK;

    while (!status && (flow->waiting->count || flow->started->count))
        status = ki_autocorr_flow_advance(flow, err);
    return status;
}

// Whether one can be computed with those that wait.
static bool fits(const struct autocorr_flow *flow, const struct autocorr_task *task)
{
    const size_t count = flow->waiting->count, most = flow->engine->together;

    return !count || (count < (most ? most : ki_autocorr_together(task)) &&
                      are_alike(task, &flow->waiting->pending[0].task));
}

kn_status ki_autocorr_flow_add(struct autocorr_flow *flow, struct autocorr_pending *pending, kn_error *err)
{
    kn_status status = fits(flow, &pending->task) ? KN_OK : ki_autocorr_flow_advance(flow, err);

    if (status)
        ki_autocorr_pending_drop(pending);
    else
        flow->waiting->pending[flow->waiting->count++] = *pending;
    return status;
}

kn_status ki_autocorr_flow_begin(struct autocorr_flow *flow, kn_error *err)
{
    flow->workspace_count = ki_threads(0);
    flow->workspaces = calloc(flow->workspace_count, sizeof *flow->workspaces);
    flow->batches = calloc(2, sizeof *flow->batches);
    flow->waiting = flow->batches;
    flow->started = flow->batches ? flow->batches + 1 : NULL;
    return flow->workspaces && flow->batches ? KN_OK
                                             : ki_fail_memory(err, 2 * sizeof *flow->batches, "the frames");
}

void ki_autocorr_flow_end(struct autocorr_flow *flow)
{
    if (flow->engine)
        ki_autocorr_engine_abandon(flow->engine);
    for (size_t i = 0; flow->batches && i < 2; i++)
        drop(&flow->batches[i]);
    for (unsigned t = 0; flow->workspaces && t < flow->workspace_count; t++)
        ki_autocorr_workspace_free(&flow->workspaces[t]);
    free(flow->workspaces);
    free(flow->batches);
}
