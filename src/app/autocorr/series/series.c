// SPDX-License-Identifier: Apache-2.0
#include "series.h"

#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "app/autocorr/lag/recent.h"
#include "app/autocorr/prepare/reader.h"
#include "app/autocorr/verify.h"
#include "flow.h"
#include "series_memory.h"

enum {
    AHEAD_BYTES = 512 << 20, // of decoded frames
    AHEAD_MIN = 2,
    AHEAD_UNKNOWN = 8, // of the first frame's size
    AHEAD_MAX = 2 * AUTOCORR_TOGETHER_MAX
};

struct series {
    struct autocorr_flow flow;
    struct autocorr_recent recent; // of the frames that are correlated with later ones; of zeros: none are
    const kn_autocorr_source *frames;
    const kn_autocorr_series_options *settings;
    kn_autocorr_take *take;
    void *data;
    kn_autocorr_pipeline *pipeline;
    uint64_t state;              // of the offsets that are verified
    size_t max_offset;           // 0 as long as it is not chosen
    size_t ahead;                // frames that are decoded at most
    size_t left;                 // bytes of the device's memory that others may take
    struct autocorr_task sized;  // like this the last frame was, for which memory was looked at
    bool begun;                  // the first good frame was seen
    size_t first, width, height; // which, and its size
    kn_type type;                // of its pixels
    uint8_t *mask;               // a byte a pixel
    kn_autocorr_ring *rings;     // of a frame, as they are told
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
static kn_status make_task(struct series *series, struct autocorr_pending *pending, kn_error *err)
{
    const kn_autocorr_grey *grey = &pending->grey;
    char room[AUTOCORR_NAME_ROOM], first_room[AUTOCORR_NAME_ROOM];
    const char *name = ki_autocorr_frame_name(series->frames, pending->analysis.index, room);
    kn_status status;

    if ((series->settings->one_size || series->settings->max_lag) && series->begun &&
        (grey->width != series->width || grey->height != series->height))
        return ki_fail_at(
            err, KN_ERROR_INPUT, name, 0,
            "is of %zu x %zu pixels, but the series begins with %zu x %zu (%s); all of a series "
            "have one size",
            grey->width, grey->height, series->width, series->height,
            ki_autocorr_frame_name(series->frames, series->first, first_room));
    if (series->settings->max_lag && series->begun && grey->type != series->type)
        return ki_fail_at(err, KN_ERROR_INPUT, name, 0,
                          "has levels of %zu bits, but the series begins with %zu (%s); frames that are "
                          "correlated with one another have the same",
                          8 * kn_type_size(grey->type), 8 * kn_type_size(series->type),
                          ki_autocorr_frame_name(series->frames, series->first, first_room));
    status = ki_autocorr_make_task(series->settings, series->mask, name, grey, series->max_offset,
                                   &pending->task, err);
    if (status || series->begun)
        return status;
    series->begun = true;
    series->first = pending->analysis.index;
    series->width = grey->width;
    series->height = grey->height;
    series->type = grey->type;
    series->max_offset = pending->task.max_offset;
    return KN_OK;
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
static kn_status tell(void *data, struct autocorr_pending *pending, kn_error *err)
{
    struct series *series = data;
    const kn_autocorr_series_options *settings = series->settings;
    const struct autocorr_frame *frame = &pending->frame;
    kn_autocorr_analysis *analysis = &pending->analysis;
    size_t rings = analysis->max_offset + 1;
    kn_status status;

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
    status = hand_over(series, analysis, err);
    return status || !settings->max_lag ? status : ki_autocorr_recent_add(&series->recent, pending, err);
}

// Frames of another kind than those that wait are computed after these.
static kn_status size_up(struct series *series, size_t index, const struct autocorr_task *task, kn_error *err)
{
    const struct autocorr_image *image = &task->first, *before = &series->sized.first;
    struct autocorr_demand demand = {.settings = series->settings,
                                     .engine = series->flow.engine,
                                     .task = *task,
                                     .frames = series->frames->count,
                                     .ahead = series->ahead};
    char room[AUTOCORR_NAME_ROOM];
    kn_error why = KN_ERROR_INIT;
    kn_status status;

    if (image->width == before->width && image->height == before->height && image->type == before->type &&
        task->max_offset == series->sized.max_offset)
        return KN_OK;
    status = ki_autocorr_flow_drain(&series->flow, err);
    if (status)
        return status;
    series->sized = *task;
    demand.pairs = series->settings->max_lag ? series->recent.pairs.engine : NULL;
    status = ki_autocorr_series_fit(&demand, &series->left, &why);
    return status ? ki_fail_at(err, status, ki_autocorr_frame_name(series->frames, index, room), 0, "%s",
                               why.text)
                  : KN_OK;
}

// A frame of which nothing comes: those before it are done first, so that the order is kept.
static kn_status fail_frame(struct series *series, size_t index, const kn_error *why, kn_error *err)
{
    const kn_autocorr_analysis analysis = {.index = index, .error = why};
    kn_status status = ki_autocorr_flow_drain(&series->flow, err);

    if (status)
        return status;
    series->pipeline->failed++;
    return hand_over(series, &analysis, err);
}

// A frame that was decoded, or was not.
static kn_status add(struct series *series, size_t index, const struct autocorr_decoded *decoded,
                     kn_error *err)
{
    struct autocorr_pending pending = {
        .grey = decoded->grey,
        .prepared = decoded->prepared,
        .analysis = {.index = index, .colour = decoded->grey.colour, .stretched = decoded->grey.stretched}};
    kn_error why = decoded->error;
    kn_status status = why.code;

    if (!status)
        status = make_task(series, &pending, &why);
    if (status) {
        ki_autocorr_pending_drop(&pending);
        return fail_frame(series, index, &why, err);
    }
    pending.task.energy = decoded->energy;
    pending.analysis.width = pending.task.first.width;
    pending.analysis.height = pending.task.first.height;
    pending.analysis.max_offset = pending.task.max_offset;
    status = series->settings->memory_limit ? size_up(series, index, &pending.task, err) : KN_OK;
    if (!status && series->settings->max_lag)
        status = ki_autocorr_recent_keep(&series->recent, &pending.task, series->left, err);
    if (status) {
        ki_autocorr_pending_drop(&pending);
        return status;
    }
    return ki_autocorr_flow_add(&series->flow, &pending, err);
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

// How many frames may be decoded and wait: by the first one's size, as far as it can be told; and in an
// eighth of the memory, where that is limited.
size_t ki_autocorr_frames_ahead(const kn_autocorr_source *frames, size_t limit)
{
    const size_t most = limit && limit / 8 < AHEAD_BYTES ? limit / 8 : AHEAD_BYTES,
                 least = limit ? 1 : AHEAD_MIN;
    size_t ahead = AHEAD_MAX,
           bytes = frames->count > least && frames->size ? frames->size(frames->data, 0) : 0;

    if (!bytes)
        ahead = limit ? least : AHEAD_UNKNOWN;
    else if (most / bytes < ahead)
        ahead = most / bytes;
    return ahead > least ? ahead : least;
}

// The next frame. What is decoded is computed together; nobody waits for more while something can be done.
static kn_status next_frame(struct series *series, kn_autocorr_reader *reader,
                            struct autocorr_decoded *decoded, kn_error *err)
{
    kn_status status;
    double start;

    if (ki_autocorr_reader_next(reader, false, decoded))
        return KN_OK;
    status = ki_autocorr_flow_advance(&series->flow, err);
    if (status || ki_autocorr_reader_next(reader, false, decoded))
        return status;
    status = ki_autocorr_flow_drain(&series->flow, err);
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
        status = ki_autocorr_flow_drain(&series->flow, err);
    return status || !series->settings->max_lag ? status : ki_autocorr_recent_finish(&series->recent, err);
}

// What an engine's calls took; it counts the seconds of all.
static void add_seconds(const struct autocorr_seconds *before, const struct autocorr_seconds *now,
                        kn_autocorr_pipeline *pipeline)
{
    pipeline->build += now->build - before->build;
    pipeline->upload += now->upload - before->upload;
    pipeline->compute += now->compute - before->compute;
    pipeline->download += now->download - before->download;
}

// The room that a call needs.
static kn_status begin(kn_autocorr_series *series, struct series *run, kn_error *err)
{
    kn_status status = ki_autocorr_flow_begin(&run->flow, err);

    ki_autocorr_lags_free(&series->lags);
    if (!status && series->settings.max_lag)
        status = ki_autocorr_recent_begin(&series->pairs, &series->settings, run->frames->count,
                                          &series->lags, &run->recent, err);
    return status ? status : ki_autocorr_mask_bytes(series->settings.mask, &run->mask, err);
}

static void end(kn_autocorr_series *series, struct series *run)
{
    series->pipeline.analyse += run->recent.pipeline.analyse;
    ki_autocorr_recent_end(&run->recent);
    ki_autocorr_flow_end(&run->flow);
    free(run->rings);
    free(run->mask);
}

kn_status ki_autocorr_series_run(kn_autocorr_series *series, const kn_autocorr_source *source,
                                 kn_autocorr_take *take, void *data, kn_error *err)
{
    const kn_autocorr_series_options *settings = &series->settings;
    struct autocorr_engine *engine = &series->engine;
    const struct autocorr_seconds before = engine->seconds, pairs = series->pairs.seconds;
    struct series run = {.frames = source,
                         .settings = settings,
                         .take = take,
                         .data = data,
                         .pipeline = &series->pipeline,
                         .state = settings->verification ? settings->verification->seed : 0,
                         .max_offset = settings->max_offset,
                         .left = SIZE_MAX,
                         .ahead = ki_autocorr_frames_ahead(source, settings->memory_limit)};
    struct autocorr_reading reading = {.threads = settings->threads,
                                       .ahead = run.ahead,
                                       .preparation = settings->preparation,
                                       .energies = engine->queue && !engine->exact,
                                       .region = settings->region};
    kn_autocorr_reader *reader = NULL;
    kn_status status;

    run.flow = (struct autocorr_flow){
        .engine = engine, .settings = settings, .pipeline = &series->pipeline, .done = tell, .data = &run};
    series->pipeline =
        (kn_autocorr_pipeline){.frames = source->count, .decoders = ki_threads(settings->threads)};
    status = begin(series, &run, err);
    if (!status && settings->mask) {
        reading.mask = run.mask;
        reading.mask_width = settings->mask->width;
        reading.mask_height = settings->mask->height;
    }
    if (!status)
        status = ki_autocorr_reader_open(source, &reading, &reader, err);
    if (!status)
        status = take_all(&run, reader, err);
    series->pipeline.decode = kn_autocorr_reader_get_seconds(reader);
    kn_autocorr_reader_close(reader);
    end(series, &run);
    add_seconds(&before, &engine->seconds, &series->pipeline);
    add_seconds(&pairs, &series->pairs.seconds, &series->pipeline);
    return status;
}
