// SPDX-License-Identifier: Apache-2.0
#include "series.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "analyse.h"

enum {
    AHEAD_BYTES = 512 << 20, // of decoded frames
    AHEAD_MIN = 2,
    AHEAD_UNKNOWN = 8, // of the first frame's size
    AHEAD_MAX = 2 * AUTOCORR_TOGETHER_MAX
};

// A frame on its way: its pixels, and the task that they are.
struct pending {
    struct autocorr_frame frame;
    struct autocorr_grey grey;
    struct autocorr_task task;
};

// Frames that are computed together.
struct batch {
    struct pending pending[AUTOCORR_TOGETHER_MAX];
    size_t count;
    uint64_t *products;          // of all; NULL: they stay on the device
    struct autocorr_ring *rings; // of all, from the device; NULL: the host makes them
    double seconds;              // so far, without building
};

struct series {
    struct autocorr_engine *engine;
    const struct autocorr_film *frames;
    const struct autocorr_settings *settings;
    autocorr_take *take;
    void *context;
    struct autocorr_pipeline *pipeline;
    uint64_t state;                        // of the offsets that are verified
    size_t max_offset;                     // 0 as long as it is not chosen
    bool begun;                            // the first good frame was seen
    size_t first, width, height;           // which, and its size
    struct batch *waiting;                 // for more frames, and for a start
    struct batch *started;                 // empty, or under way
    uint8_t *mask;                         // a byte a pixel
    struct autocorr_workspace *workspaces; // of each thread
    unsigned workspace_count;
};

void ki_autocorr_frame_free(struct autocorr_frame *frame)
{
    free(frame->products);
    ki_kept_give(frame->kept, frame->values);
    free(frame->rings);
    free(frame->error);
    ki_autocorr_prepared_free(&frame->prepared);
    frame->products = NULL;
    frame->values = NULL;
    frame->rings = NULL;
    frame->error = NULL;
}

// ---- one frame ----

kn_status ki_autocorr_make_task(const struct autocorr_settings *settings, const uint8_t *mask_bytes,
                                const char *file, const struct autocorr_grey *grey, size_t max_offset,
                                struct autocorr_task *task, kn_error *err)
{
    const struct autocorr_grey *mask = settings->mask;
    kn_error why = KN_ERROR_INIT;
    kn_status status = KN_OK;

    *task = (struct autocorr_task){.first = autocorr_image_of(grey), .max_offset = max_offset};
    if (mask && (mask->width != grey->width || mask->height != grey->height))
        return ki_fail_at(err, KN_ERROR_INPUT, file, 0,
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
    return status ? ki_fail_at(err, status, file, 0, "%s", why.text) : KN_OK;
}

// Its task, or why it cannot be one.
static kn_status make_task(struct series *series, struct pending *pending, kn_error *err)
{
    const struct autocorr_grey *grey = &pending->grey;
    const char *file = pending->frame.source.file;
    kn_status status;

    if (series->settings->one_size && series->begun &&
        (grey->width != series->width || grey->height != series->height))
        return ki_fail_at(
            err, KN_ERROR_INPUT, file, 0,
            "is of %zu x %zu pixels, but the series begins with %zu x %zu (%s); all of a series "
            "have one size",
            grey->width, grey->height, series->width, series->height,
            series->frames->sources[series->first].file);
    status = ki_autocorr_make_task(series->settings, series->mask, file, grey, series->max_offset,
                                   &pending->task, err);
    if (status || series->begun)
        return status;
    series->begun = true;
    series->first = pending->frame.index;
    series->width = grey->width;
    series->height = grey->height;
    series->max_offset = pending->task.max_offset;
    return KN_OK;
}

// ---- those that are computed together ----

static void drop(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        ki_autocorr_frame_free(&batch->pending[i].frame);
        free(batch->pending[i].grey.pixels);
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
    const struct autocorr_settings *settings = series->settings;
    struct autocorr_task tasks[AUTOCORR_TOGETHER_MAX];
    size_t count = batch->count, max_offset = batch->pending[0].task.max_offset,
           products = count * autocorr_offsets(max_offset) * sizeof *batch->products,
           rings = count * (max_offset + 1) * sizeof *batch->rings;
    bool on_device = ki_autocorr_engine_has_rings(engine, &batch->pending[0].task);
    double before = worked(engine);
    struct autocorr_results results = {.normalization = settings->normalization};
    kn_status status = KN_OK;

    for (size_t i = 0; i < count; i++)
        tasks[i] = batch->pending[i].task;
    if (!on_device || settings->products || settings->values || settings->verify)
        results.products = batch->products = malloc(products);
    if (on_device)
        results.rings = batch->rings = malloc(rings);
    if (!batch->products && !batch->rings)
        status = ki_fail_memory(err, products + rings, "the frames' sums");
    if (!status)
        status = ki_autocorr_engine_start(engine, tasks, count, &results, err);
    for (size_t i = 0; i < count; i++) {
        batch->pending[i].frame.method = engine->ran;
        batch->pending[i].frame.bound = engine->bound;
        batch->pending[i].frame.rings_on_device = on_device;
    }
    batch->seconds = worked(engine) - before;
    series->pipeline->batches++;
    series->pipeline->overlapped += engine->queue && series->started->count > 0;
    series->pipeline->device_rings += on_device ? count : 0;
    return status;
}

// A frame's part of what the batch has.
static kn_status deal(struct batch *batch, size_t number, kn_error *err)
{
    struct autocorr_frame *frame = &batch->pending[number].frame;
    size_t offsets = autocorr_offsets(frame->max_offset), rings = frame->max_offset + 1;

    frame->rings = malloc(rings * sizeof *frame->rings);
    if (batch->products)
        frame->products = malloc(offsets * sizeof *frame->products);
    if (!frame->rings || (batch->products && !frame->products))
        return ki_fail_memory(err, offsets * sizeof *frame->products, "a frame's sums");
    if (batch->products)
        memcpy(frame->products, batch->products + number * offsets, offsets * sizeof *frame->products);
    if (batch->rings)
        memcpy(frame->rings, batch->rings + number * rings, rings * sizeof *frame->rings);
    return KN_OK;
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
    bool alone = batch->count == 1 || (batch->rings && !series->settings->values);
    unsigned threads = alone ? 1 : series->workspace_count;
    struct analysis all = {.series = series,
                           .batch = batch,
                           .options = KN_INIT(kn_host_options, .threads = alone ? 0 : 1),
                           .err = err,
                           .lock = PTHREAD_MUTEX_INITIALIZER};
    double start = ki_clock_seconds();

    for (size_t i = 0; i < batch->count && !all.status; i++)
        all.status = deal(batch, i, err);
    if (all.status)
        return all.status;
    ki_parallel(threads, batch->count, KI_DYNAMIC, analyse_one, &all);
    series->pipeline->analyse += ki_clock_seconds() - start;
    batch->seconds += ki_clock_seconds() - start;
    return all.status;
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
        struct autocorr_frame *frame = &batch->pending[i].frame;

        frame->seconds = batch->seconds / (double)batch->count;
        if (series->settings->verify)
            ki_autocorr_verify(&batch->pending[i].task, frame->products, frame->bound,
                               series->settings->verify, &series->state, &frame->verified);
        status = series->take(series->context, frame, err);
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
static kn_status fail_frame(struct series *series, struct pending *pending, const kn_error *why,
                            kn_error *err)
{
    kn_status status = drain(series, err);

    free(pending->grey.pixels);
    pending->frame.error = status ? NULL : malloc(sizeof *why);
    if (!status && !pending->frame.error)
        status = ki_fail_memory(err, sizeof *why, "a frame's error");
    if (!status) {
        *pending->frame.error = *why;
        series->pipeline->failed++;
        status = series->take(series->context, &pending->frame, err);
    }
    ki_autocorr_frame_free(&pending->frame);
    return status;
}

// A frame that was decoded, or was not.
static kn_status add(struct series *series, size_t index, const struct autocorr_decoded *decoded,
                     kn_error *err)
{
    struct pending pending = {
        .frame = {.source = series->frames->sources[index], .index = index, .prepared = decoded->prepared},
        .grey = decoded->grey};
    kn_error why = decoded->error;
    kn_status status = why.code;

    if (!status)
        status = make_task(series, &pending, &why);
    if (status)
        return fail_frame(series, &pending, &why, err);
    pending.task.energy = decoded->energy;
    pending.frame.width = pending.task.first.width;
    pending.frame.height = pending.task.first.height;
    pending.frame.max_offset = pending.task.max_offset;
    pending.frame.colour = decoded->grey.colour;
    pending.frame.stretched = decoded->grey.stretched;
    if (!fits(series, &pending.task))
        status = advance(series, err);
    if (status) {
        ki_autocorr_frame_free(&pending.frame);
        free(pending.grey.pixels);
        return status;
    }
    series->waiting->pending[series->waiting->count++] = pending;
    return KN_OK;
}

// ---- the series ----

kn_status ki_autocorr_mask_bytes(const struct autocorr_grey *mask, uint8_t **bytes, kn_error *err)
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
static size_t frames_ahead(const struct autocorr_film *frames)
{
    size_t ahead = AHEAD_MAX, bytes = frames->count > AHEAD_MIN ? frames->size(frames, 0) : 0;

    if (!bytes)
        ahead = AHEAD_UNKNOWN;
    else if (AHEAD_BYTES / bytes < ahead)
        ahead = AHEAD_BYTES / bytes;
    return ahead > AHEAD_MIN ? ahead : AHEAD_MIN;
}

// The next frame. What is decoded is computed together; nobody waits for more while something can be done.
static kn_status next_frame(struct series *series, struct autocorr_reader *reader,
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

kn_status ki_autocorr_series(struct autocorr_engine *engine, const struct autocorr_film *frames,
                             const struct autocorr_settings *settings, autocorr_take *take, void *context,
                             struct autocorr_pipeline *pipeline, kn_error *err)
{
    struct series series = {.engine = engine,
                            .frames = frames,
                            .settings = settings,
                            .take = take,
                            .context = context,
                            .pipeline = pipeline,
                            .state = settings->seed,
                            .max_offset = settings->max_offset};
    struct autocorr_reader_options options = {.threads = settings->threads,
                                              .ahead = frames_ahead(frames),
                                              .preparation = settings->preparation,
                                              .energies = engine->queue && !engine->exact && !settings->mask,
                                              .region = settings->region};
    struct autocorr_reader *reader = NULL;
    struct autocorr_decoded decoded;
    struct batch *batches = calloc(2, sizeof *batches);
    kn_status status;

    *pipeline =
        (struct autocorr_pipeline){.frames = frames->count, .decoders = ki_threads(settings->threads)};
    series.workspace_count = ki_threads(0);
    series.workspaces = calloc(series.workspace_count, sizeof *series.workspaces);
    if (!batches || !series.workspaces) {
        free(batches);
        free(series.workspaces);
        return ki_fail_memory(err, 2 * sizeof *batches, "the frames");
    }
    series.waiting = batches;
    series.started = batches + 1;
    status = ki_autocorr_mask_bytes(settings->mask, &series.mask, err);
    if (!status)
        status = ki_autocorr_reader_open(frames, &options, &reader, err);
    for (size_t i = 0; i < frames->count && !status; i++) {
        status = next_frame(&series, reader, &decoded, err);
        if (!status)
            status = add(&series, i, &decoded, err);
    }
    if (!status)
        status = drain(&series, err);
    if (status)
        ki_autocorr_engine_abandon(engine);
    for (size_t i = 0; i < 2; i++)
        drop(&batches[i]);
    ki_autocorr_reader_close(reader, &pipeline->decode);
    for (unsigned t = 0; t < series.workspace_count; t++)
        ki_autocorr_workspace_free(&series.workspaces[t]);
    free(series.workspaces);
    free(batches);
    free(series.mask);
    return status;
}
