// SPDX-License-Identifier: Apache-2.0
#include "series.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "app/autocorr/prepare/reader.h"
#include "app/autocorr/verify.h"
#include "analyse.h"

enum {
    AHEAD_BYTES = 512 << 20, // of decoded frames
    AHEAD_MIN = 2,
    AHEAD_UNKNOWN = 8, // of the first frame's size
    AHEAD_MAX = 2 * AUTOCORR_TOGETHER_MAX
};

// A frame on its way: its pixels, the task that they are, and what came of it.
struct pending {
    kn_autocorr_grey grey;
    struct autocorr_task task;
    struct autocorr_frame frame;
    kn_autocorr_prepared prepared;
    kn_autocorr_verified verified;
    kn_autocorr_analysis analysis; // which points to these when it is told
};

// Frames that are computed together.
struct batch {
    struct pending pending[AUTOCORR_TOGETHER_MAX];
    size_t count;
    uint64_t *products;          // of all; NULL: they stay on the device
    struct autocorr_ring *rings; // of all
    bool rings_on_device;        // they come from there; else the host makes them
    double seconds;              // so far, without building
};

struct series {
    struct autocorr_engine *engine;
    const kn_autocorr_source *frames;
    const kn_autocorr_series_options *settings;
    kn_autocorr_take *take;
    void *data;
    kn_autocorr_pipeline *pipeline;
    uint64_t state;                        // of the offsets that are verified
    size_t max_offset;                     // 0 as long as it is not chosen
    bool begun;                            // the first good frame was seen
    size_t first, width, height;           // which, and its size
    struct batch *waiting;                 // for more frames, and for a start
    struct batch *started;                 // empty, or under way
    uint8_t *mask;                         // a byte a pixel
    struct autocorr_workspace *workspaces; // of each thread
    unsigned workspace_count;
    kn_autocorr_ring *rings; // of a frame, as they are told
    size_t ring_room;
};

// ---- one frame ----

kn_status ki_autocorr_make_task(const kn_autocorr_series_options *settings, const uint8_t *mask_bytes,
                                const char *name, const kn_autocorr_grey *grey, size_t max_offset,
                                struct autocorr_task *task, kn_error *err)
{
    const kn_autocorr_grey *mask = settings->mask;
    kn_error why = KN_ERROR_INIT;
    kn_status status = KN_OK;

    *task = (struct autocorr_task){
        .first = autocorr_image_of(grey), .max_offset = max_offset, .periodic = settings->periodic};
    if (mask && (mask->width != grey->width || mask->height != grey->height))
        return ki_fail_at(err, KN_ERROR_INPUT, name, 0,
                          "is of %zu x %zu pixels, but the mask is of %zu x %zu; expected the same",
                          grey->width, grey->height, mask->width, mask->height);
    if (settings->with)
        task->second = autocorr_image_of(settings->with);
    if (mask) {
        task->mask = mask_bytes;
        task->mask_stride = mask->width;
    }
    if (settings->with && settings->region) // both have it
        status = ki_autocorr_crop(&(struct autocorr_task){.first = task->second}, settings->region, &why);
    if (!status && settings->region)
        status = ki_autocorr_crop(task, settings->region, &why);
    if (!status && !max_offset)
        task->max_offset = ki_autocorr_default_offset(task->first.width, task->first.height);
    if (!status)
        status = ki_autocorr_check(task, &why);
    return status ? ki_fail_at(err, status, name, 0, "%s", why.text) : KN_OK;
}

// Its task, or why it cannot be one.
static kn_status make_task(struct series *series, struct pending *pending, kn_error *err)
{
    const kn_autocorr_grey *grey = &pending->grey;
    char room[AUTOCORR_NAME_ROOM], first_room[AUTOCORR_NAME_ROOM];
    const char *name = ki_autocorr_frame_name(series->frames, pending->analysis.index, room);
    kn_status status;

    if (series->settings->one_size && series->begun &&
        (grey->width != series->width || grey->height != series->height))
        return ki_fail_at(
            err, KN_ERROR_INPUT, name, 0,
            "is of %zu x %zu pixels, but the series begins with %zu x %zu (%s); all of a series "
            "have one size",
            grey->width, grey->height, series->width, series->height,
            ki_autocorr_frame_name(series->frames, series->first, first_room));
    status = ki_autocorr_make_task(series->settings, series->mask, name, grey, series->max_offset,
                                   &pending->task, err);
    if (status || series->begun)
        return status;
    series->begun = true;
    series->first = pending->analysis.index;
    series->width = grey->width;
    series->height = grey->height;
    series->max_offset = pending->task.max_offset;
    return KN_OK;
}

// ---- those that are computed together ----

static void drop_pending(struct pending *pending)
{
    kn_autocorr_prepared_free(&pending->prepared);
    free(pending->grey.pixels);
}

static void drop(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct pending *pending = &batch->pending[i];

        ki_kept_give(pending->frame.kept, pending->frame.values);
        drop_pending(pending);
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
static kn_status start(struct series *series, kn_error *err)
{
    struct batch *batch = series->waiting;
    struct autocorr_engine *engine = series->engine;
    const kn_autocorr_series_options *settings = series->settings;
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
    for (size_t i = 0; i < count; i++) {
        batch->pending[i].analysis.method = engine->ran;
        batch->pending[i].analysis.bound = engine->bound;
    }
    batch->seconds = worked(engine) - before;
    series->pipeline->batches++;
    series->pipeline->overlapped += engine->queue && series->started->count > 0;
    series->pipeline->device_rings += on_device ? count : 0;
    series->pipeline->why_host = on_device ? series->pipeline->why_host : why;
    return status;
}

// A frame's part of what the batch has.
static void deal(struct batch *batch, size_t number)
{
    struct pending *pending = &batch->pending[number];
    size_t max_offset = pending->task.max_offset;

    pending->frame = (struct autocorr_frame){
        .products = batch->products ? batch->products + number * autocorr_offsets(max_offset) : NULL,
        .rings = batch->rings + number * (max_offset + 1),
        .rings_on_device = batch->rings_on_device};
}

struct analysis {
    struct series *series;
    struct batch *batch;
    kn_host_options options;
    kn_error *err;
    kn_status status;
    pthread_mutex_t lock; // of both of these
};

static void analyse_one(void *context, size_t i)
{
    struct analysis *all = context;
    struct pending *pending = &all->batch->pending[i];
    kn_error why = KN_ERROR_INIT;

    if (!ki_autocorr_analyse(&all->series->workspaces[ki_thread()], all->series->settings, &all->options,
                             &pending->task, &pending->frame, &why))
        return;
    pthread_mutex_lock(&all->lock);
    all->status = ki_fail(all->err, why.code, "%s", why.text);
    pthread_mutex_unlock(&all->lock);
}

// Lengths of rings that are there take microseconds. One thread finds them: more would wait for each other
// where others decode. A frame by itself has all threads; of several each thread has one after the other.
static kn_status analyse_all(struct series *series, struct batch *batch, kn_error *err)
{
    bool alone = batch->count == 1 || (batch->rings_on_device && !series->settings->values);
    unsigned threads = alone ? 1 : series->workspace_count;
    struct analysis all = {.series = series,
                           .batch = batch,
                           .options = KN_INIT(kn_host_options, .threads = alone ? 0 : 1),
                           .err = err,
                           .lock = PTHREAD_MUTEX_INITIALIZER};
    double start = ki_clock_seconds();

    for (size_t i = 0; i < batch->count; i++)
        deal(batch, i);
    ki_parallel(threads, batch->count, KI_DYNAMIC, analyse_one, &all);
    series->pipeline->analyse += ki_clock_seconds() - start;
    batch->seconds += ki_clock_seconds() - start;
    return all.status;
}

// What `take` returns without a word gets a sentence here.
static kn_status hand_over(struct series *series, const kn_autocorr_analysis *analysis, kn_error *err)
{
    kn_error why = KN_ERROR_INIT;
    kn_status status = series->take(series->data, analysis, &why);

    if (status && why.code != status)
        ki_fail(&why, status, "the function that is told of frames returned %s at frame %zu",
                kn_status_name(status), analysis->index);
    if (status && err)
        *err = why;
    return status;
}

// A frame that is done.
static kn_status tell(struct series *series, struct pending *pending, kn_error *err)
{
    const kn_autocorr_series_options *settings = series->settings;
    const struct autocorr_frame *frame = &pending->frame;
    kn_autocorr_analysis *analysis = &pending->analysis;
    size_t rings = analysis->max_offset + 1;

    if (series->ring_room < rings) {
        free(series->rings);
        series->rings = malloc(rings * sizeof *series->rings);
        series->ring_room = series->rings ? rings : 0;
    }
    if (!series->rings)
        return ki_fail_memory(err, rings * sizeof *series->rings, "a frame's rings");
    for (size_t k = 0; k < rings; k++)
        series->rings[k] = autocorr_public_ring(&frame->rings[k]);
    if (settings->verification) {
        ki_autocorr_verify(&pending->task, frame->products, analysis->bound, settings->verification->count,
                           &series->state, &pending->verified);
        analysis->verified = &pending->verified;
    }
    analysis->prepared = &pending->prepared;
    analysis->sums = settings->sums ? frame->products : NULL;
    analysis->values = settings->values ? frame->values : NULL;
    analysis->rings = series->rings;
    analysis->lengths = frame->lengths;
    return hand_over(series, analysis, err);
}

// Those that were started are done, and told of.
static kn_status finish(struct series *series, kn_error *err)
{
    struct batch *batch = series->started;
    double before = worked(series->engine);
    kn_status status = ki_autocorr_engine_finish(series->engine, err);

    batch->seconds += worked(series->engine) - before;
    if (!status)
        status = analyse_all(series, batch, err);
    for (size_t i = 0; i < batch->count && !status; i++) {
        batch->pending[i].analysis.seconds = batch->seconds / (double)batch->count;
        status = tell(series, &batch->pending[i], err);
    }
    drop(batch);
    return status;
}

static bool are_alike(const struct autocorr_task *a, const struct autocorr_task *b)
{
    return a->first.width == b->first.width && a->first.height == b->first.height &&
           a->first.type == b->first.type;
}

// Those that wait are started, and those that were started before are done meanwhile, or before if they are
// of another kind.
static kn_status advance(struct series *series, kn_error *err)
{
    struct batch *before = series->started, *next = series->waiting;
    kn_status status = KN_OK;

    if (next->count && before->count && !are_alike(&next->pending[0].task, &before->pending[0].task))
        status = finish(series, err);
    if (!status && next->count)
        status = start(series, err);
    if (!status && before->count)
        status = finish(series, err);
    if (!status) {
        series->started = next;
        series->waiting = before;
    }
    return status;
}

static kn_status drain(struct series *series, kn_error *err)
{
    kn_status status = KN_OK;

    while (!status && (series->waiting->count || series->started->count))
        status = advance(series, err);
    return status;
}

// Whether a frame can be computed with those that wait.
static bool fits(const struct series *series, const struct autocorr_task *task)
{
    size_t count = series->waiting->count;

    return !count ||
           (count < ki_autocorr_together(task) && are_alike(task, &series->waiting->pending[0].task));
}

// A frame of which nothing comes: those before it are done first, so that the order is kept.
static kn_status fail_frame(struct series *series, size_t index, const kn_error *why, kn_error *err)
{
    const kn_autocorr_analysis analysis = {.index = index, .error = why};
    kn_status status = drain(series, err);

    if (status)
        return status;
    series->pipeline->failed++;
    return hand_over(series, &analysis, err);
}

// A frame that was decoded, or was not.
static kn_status add(struct series *series, size_t index, const struct autocorr_decoded *decoded,
                     kn_error *err)
{
    struct pending pending = {
        .grey = decoded->grey,
        .prepared = decoded->prepared,
        .analysis = {.index = index, .colour = decoded->grey.colour, .stretched = decoded->grey.stretched}};
    kn_error why = decoded->error;
    kn_status status = why.code;

    if (!status)
        status = make_task(series, &pending, &why);
    if (status) {
        drop_pending(&pending);
        return fail_frame(series, index, &why, err);
    }
    pending.task.energy = decoded->energy;
    pending.analysis.width = pending.task.first.width;
    pending.analysis.height = pending.task.first.height;
    pending.analysis.max_offset = pending.task.max_offset;
    if (!fits(series, &pending.task))
        status = advance(series, err);
    if (status) {
        drop_pending(&pending);
        return status;
    }
    series->waiting->pending[series->waiting->count++] = pending;
    return KN_OK;
}

// ---- the series ----

kn_status ki_autocorr_mask_bytes(const kn_autocorr_grey *mask, uint8_t **bytes, kn_error *err)
{
    size_t count = mask ? mask->width * mask->height : 0;

    *bytes = NULL;
    if (!mask)
        return KN_OK;
    *bytes = malloc(count);
    if (!*bytes)
        return ki_fail_memory(err, count, "the mask");
    for (size_t i = 0; i < count; i++)
        (*bytes)[i] =
            mask->type == KN_U8 ? ((uint8_t *)mask->pixels)[i] != 0 : ((uint16_t *)mask->pixels)[i] != 0;
    return KN_OK;
}

// How many frames may be decoded and wait: by the first one's size, as far as it can be told.
static size_t frames_ahead(const kn_autocorr_source *frames)
{
    size_t ahead = AHEAD_MAX,
           bytes = frames->count > AHEAD_MIN && frames->size ? frames->size(frames->data, 0) : 0;

    if (!bytes)
        ahead = AHEAD_UNKNOWN;
    else if (AHEAD_BYTES / bytes < ahead)
        ahead = AHEAD_BYTES / bytes;
    return ahead > AHEAD_MIN ? ahead : AHEAD_MIN;
}

// The next frame. What is decoded is computed together; nobody waits for more while something can be done.
static kn_status next_frame(struct series *series, kn_autocorr_reader *reader,
                            struct autocorr_decoded *decoded, kn_error *err)
{
    kn_status status;
    double start;

    if (ki_autocorr_reader_next(reader, false, decoded))
        return KN_OK;
    status = advance(series, err);
    if (status || ki_autocorr_reader_next(reader, false, decoded))
        return status;
    status = drain(series, err);
    start = ki_clock_seconds();
    if (!status)
        ki_autocorr_reader_next(reader, true, decoded);
    series->pipeline->wait += ki_clock_seconds() - start;
    return status;
}

// All frames, of a series that has what it needs.
static kn_status take_all(struct series *series, kn_autocorr_reader *reader, kn_error *err)
{
    struct autocorr_decoded decoded;
    kn_status status = KN_OK;

    for (size_t i = 0; i < series->frames->count && !status; i++) {
        status = next_frame(series, reader, &decoded, err);
        if (!status)
            status = add(series, i, &decoded, err);
    }
    if (!status)
        status = drain(series, err);
    if (status)
        ki_autocorr_engine_abandon(series->engine);
    return status;
}

// The engine counts the seconds of all calls.
static void tell_seconds(const struct autocorr_seconds *before, const struct autocorr_seconds *now,
                         kn_autocorr_pipeline *pipeline)
{
    pipeline->build = now->build - before->build;
    pipeline->upload = now->upload - before->upload;
    pipeline->compute = now->compute - before->compute;
    pipeline->download = now->download - before->download;
}

kn_status ki_autocorr_series_run(kn_autocorr_series *series, const kn_autocorr_source *source,
                                 kn_autocorr_take *take, void *data, kn_error *err)
{
    const kn_autocorr_series_options *settings = &series->settings;
    struct autocorr_engine *engine = &series->engine;
    const struct autocorr_seconds before = engine->seconds;
    struct batch *batches = calloc(2, sizeof *batches);
    struct series run = {.engine = engine,
                         .frames = source,
                         .settings = settings,
                         .take = take,
                         .data = data,
                         .pipeline = &series->pipeline,
                         .state = settings->verification ? settings->verification->seed : 0,
                         .max_offset = settings->max_offset,
                         .workspace_count = ki_threads(0),
                         .waiting = batches,
                         .started = batches ? batches + 1 : NULL};
    struct autocorr_reading reading = {.threads = settings->threads,
                                       .ahead = frames_ahead(source),
                                       .preparation = settings->preparation,
                                       .energies = engine->queue && !engine->exact,
                                       .region = settings->region};
    kn_autocorr_reader *reader = NULL;
    kn_status status = KN_OK;

    series->pipeline =
        (kn_autocorr_pipeline){.frames = source->count, .decoders = ki_threads(settings->threads)};
    run.workspaces = calloc(run.workspace_count, sizeof *run.workspaces);
    if (!batches || !run.workspaces)
        status = ki_fail_memory(err, 2 * sizeof *batches, "the frames");
    if (!status)
        status = ki_autocorr_mask_bytes(settings->mask, &run.mask, err);
    if (!status && settings->mask) {
        reading.mask = run.mask;
        reading.mask_width = settings->mask->width;
        reading.mask_height = settings->mask->height;
    }
    if (!status)
        status = ki_autocorr_reader_open(source, &reading, &reader, err);
    if (!status)
        status = take_all(&run, reader, err);
    for (size_t i = 0; batches && i < 2; i++)
        drop(&batches[i]);
    series->pipeline.decode = kn_autocorr_reader_get_seconds(reader);
    kn_autocorr_reader_close(reader);
    tell_seconds(&before, &engine->seconds, &series->pipeline);
    for (unsigned t = 0; run.workspaces && t < run.workspace_count; t++)
        ki_autocorr_workspace_free(&run.workspaces[t]);
    free(run.workspaces);
    free(run.rings);
    free(run.mask);
    free(batches);
    return status;
}
