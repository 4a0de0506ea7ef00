// SPDX-License-Identifier: Apache-2.0
#include "series.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/clock.h"
#include "../../base/error.h"
#include "../../base/parallel.h"

enum {
    DEFAULT_OFFSET_MAX = 250,
    TOGETHER_BYTES = 64 << 20, // of pixels or sums in them
    AHEAD_BYTES = 512 << 20,   // of decoded frames
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

struct series {
    struct autocorr_engine *engine;
    const struct autocorr_source *sources;
    const struct autocorr_settings *settings;
    autocorr_take *take;
    void *context;
    struct autocorr_pipeline *pipeline;
    uint64_t state;              // of the offsets that are verified
    size_t max_offset;           // 0 as long as it is not chosen
    bool begun;                  // the first good frame was seen
    size_t first, width, height; // which, and its size
    struct pending *pending;     // those that are computed together
    size_t pending_count;
    uint8_t *mask; // a byte a pixel
};

void autocorr_frame_free(struct autocorr_frame *frame)
{
    free(frame->products);
    free(frame->values);
    free(frame->rings);
    free(frame->error);
    autocorr_prepared_free(&frame->prepared);
    frame->products = NULL;
    frame->values = NULL;
    frame->rings = NULL;
    frame->error = NULL;
}

static size_t default_offset(size_t width, size_t height)
{
    size_t shorter = width < height ? width : height, longer = width < height ? height : width;
    size_t quarter = shorter / 4 < DEFAULT_OFFSET_MAX ? shorter / 4 : DEFAULT_OFFSET_MAX;

    return quarter ? quarter : longer > 1;
}

// ---- one frame ----

kn_status autocorr_make_task(const struct autocorr_settings *settings, const uint8_t *mask_bytes,
                             const char *file, const struct autocorr_grey *grey, size_t max_offset,
                             struct autocorr_task *task, kn_error *err)
{
    const struct autocorr_grey *mask = settings->mask;
    kn_error why = KN_ERROR_INIT;
    kn_status status = KN_OK;

    *task = (struct autocorr_task){.first = autocorr_image_of(grey), .max_offset = max_offset};
    if (mask && (mask->width != grey->width || mask->height != grey->height))
        return kn_fail_at(err, KN_ERROR_INPUT, file, 0,
                          "is of %zu x %zu pixels, but the mask is of %zu x %zu; expected the same",
                          grey->width, grey->height, mask->width, mask->height);
    if (settings->with)
        task->second = autocorr_image_of(settings->with);
    if (mask) {
        task->mask = mask_bytes;
        task->mask_stride = mask->width;
    }
    if (settings->with && settings->region) // both have it
        status = autocorr_crop(&(struct autocorr_task){.first = task->second}, settings->region, &why);
    if (!status && settings->region)
        status = autocorr_crop(task, settings->region, &why);
    if (!status && !max_offset)
        task->max_offset = default_offset(task->first.width, task->first.height);
    if (!status)
        status = autocorr_check(task, &why);
    return status ? kn_fail_at(err, status, file, 0, "%s", why.text) : KN_OK;
}

// Its task, or why it cannot be one.
static kn_status make_task(struct series *series, struct pending *pending, kn_error *err)
{
    const struct autocorr_grey *grey = &pending->grey;
    const char *file = pending->frame.source.file;
    kn_status status;

    if (series->settings->one_size && series->begun &&
        (grey->width != series->width || grey->height != series->height))
        return kn_fail_at(
            err, KN_ERROR_INPUT, file, 0,
            "is of %zu x %zu pixels, but the series begins with %zu x %zu (%s); all of a series "
            "have one size",
            grey->width, grey->height, series->width, series->height, series->sources[series->first].file);
    status = autocorr_make_task(series->settings, series->mask, file, grey, series->max_offset,
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

// From sums to lengths.
static kn_status analyse(const struct autocorr_settings *settings, const struct autocorr_task *task,
                         struct autocorr_frame *frame, kn_error *err)
{
    size_t offsets = autocorr_offsets(task->max_offset);
    struct autocorr_window *windows = malloc(offsets * sizeof *windows);
    kn_status status = KN_OK;

    frame->values = malloc(offsets * sizeof *frame->values);
    frame->rings = malloc((task->max_offset + 1) * sizeof *frame->rings);
    if (!windows || !frame->values || !frame->rings)
        status = kn_fail_memory(err, offsets * (sizeof *windows + sizeof *frame->values), "a correlation");
    if (!status)
        status = autocorr_windows(task, windows, err);
    if (!status) {
        autocorr_normalize(settings->normalization, task->max_offset, frame->products, windows,
                           frame->values);
        autocorr_radial(frame->values, task->max_offset, AUTOCORR_LINEAR, frame->rings);
        autocorr_find_lengths(frame->rings, task->max_offset, AUTOCORR_PROMINENCE, &frame->lengths);
    }
    free(windows);
    return status;
}

// ---- those that are computed together ----

static void drop(struct series *series)
{
    for (size_t i = 0; i < series->pending_count; i++) {
        autocorr_frame_free(&series->pending[i].frame);
        free(series->pending[i].grey.pixels);
    }
    series->pending_count = 0;
}

static kn_status sum(struct series *series, struct autocorr_task *tasks, kn_error *err)
{
    size_t offsets = autocorr_offsets(tasks[0].max_offset), count = series->pending_count;
    uint64_t *products = malloc(count * offsets * sizeof *products);
    kn_status status =
        products ? KN_OK : kn_fail_memory(err, count * offsets * sizeof *products, "the frames' sums");

    if (!status)
        status = autocorr_engine_sums(series->engine, tasks, count, products, err);
    for (size_t i = 0; i < count && !status; i++) {
        struct autocorr_frame *frame = &series->pending[i].frame;

        frame->method = series->engine->ran;
        frame->bound = series->engine->bound;
        frame->products = malloc(offsets * sizeof *products);
        if (frame->products)
            memcpy(frame->products, products + i * offsets, offsets * sizeof *products);
        else
            status = kn_fail_memory(err, offsets * sizeof *products, "a frame's sums");
    }
    free(products);
    return status;
}

static kn_status compute(struct series *series, kn_error *err)
{
    struct autocorr_task tasks[AUTOCORR_TOGETHER_MAX];
    double start = kn_clock_seconds(), built = series->engine->seconds.build, summed, share;
    size_t count = series->pending_count;
    unsigned threads = kn_threads(0);
    kn_status status = KN_OK;

    for (size_t i = 0; i < count; i++)
        tasks[i] = series->pending[i].task;
    if (count)
        status = sum(series, tasks, err);
    summed = kn_clock_seconds();
    if (!status) {
        KN_PARALLEL(threads, dynamic)
        for (size_t i = 0; i < count; i++) {
            kn_error why = KN_ERROR_INIT;

            if (analyse(series->settings, &tasks[i], &series->pending[i].frame, &why)) {
                KN_ONE_AT_A_TIME
                {
                    status = kn_fail(err, why.code, "%s", why.text);
                }
            }
        }
    }
    series->pipeline->analyse += kn_clock_seconds() - summed;
    share =
        (kn_clock_seconds() - start - (series->engine->seconds.build - built)) / (double)(count ? count : 1);
    for (size_t i = 0; i < count && !status; i++) {
        struct autocorr_frame *frame = &series->pending[i].frame;

        frame->seconds = share;
        autocorr_verify(&tasks[i], frame->products, frame->bound, series->settings->verify, &series->state,
                        &frame->verified);
        status = series->take(series->context, frame, err);
    }
    drop(series);
    return status;
}

// Whether a frame can be computed with those that wait.
static bool fits(const struct series *series, const struct autocorr_task *task)
{
    const struct autocorr_task *other = &series->pending[0].task;
    size_t pixels = task->first.width * task->first.height * kn_type_size(task->first.type),
           sums = autocorr_offsets(task->max_offset) * sizeof(uint64_t),
           bytes = pixels > sums ? pixels : sums;

    return !series->pending_count ||
           (series->pending_count < AUTOCORR_TOGETHER_MAX &&
            (series->pending_count + 1) * bytes <= TOGETHER_BYTES &&
            task->first.width == other->first.width && task->first.height == other->first.height &&
            task->first.type == other->first.type);
}

// A frame of which nothing comes: those before it are done first, so that the order is kept.
static kn_status fail_frame(struct series *series, struct pending *pending, const kn_error *why,
                            kn_error *err)
{
    kn_status status = compute(series, err);

    free(pending->grey.pixels);
    pending->frame.error = status ? NULL : malloc(sizeof *why);
    if (!status && !pending->frame.error)
        status = kn_fail_memory(err, sizeof *why, "a frame's error");
    if (!status) {
        *pending->frame.error = *why;
        series->pipeline->failed++;
        status = series->take(series->context, &pending->frame, err);
    }
    autocorr_frame_free(&pending->frame);
    return status;
}

// A frame that was decoded, or was not.
static kn_status add(struct series *series, size_t index, const struct autocorr_decoded *decoded,
                     kn_error *err)
{
    struct pending pending = {
        .frame = {.source = series->sources[index], .index = index, .prepared = decoded->prepared},
        .grey = decoded->grey};
    kn_error why = decoded->error;
    kn_status status = why.code;

    if (!status)
        status = make_task(series, &pending, &why);
    if (status)
        return fail_frame(series, &pending, &why, err);
    pending.frame.width = pending.task.first.width;
    pending.frame.height = pending.task.first.height;
    pending.frame.max_offset = pending.task.max_offset;
    pending.frame.colour = decoded->grey.colour;
    pending.frame.stretched = decoded->grey.stretched;
    if (!fits(series, &pending.task))
        status = compute(series, err);
    if (status) {
        autocorr_frame_free(&pending.frame);
        free(pending.grey.pixels);
        return status;
    }
    series->pending[series->pending_count++] = pending;
    return KN_OK;
}

// ---- the series ----

kn_status autocorr_mask_bytes(const struct autocorr_grey *mask, uint8_t **bytes, kn_error *err)
{
    size_t count = mask ? mask->width * mask->height : 0;

    *bytes = NULL;
    if (!mask)
        return KN_OK;
    *bytes = malloc(count);
    if (!*bytes)
        return kn_fail_memory(err, count, "the mask");
    for (size_t i = 0; i < count; i++)
        (*bytes)[i] =
            mask->type == KN_U8 ? ((uint8_t *)mask->pixels)[i] != 0 : ((uint16_t *)mask->pixels)[i] != 0;
    return KN_OK;
}

// How many frames may be decoded and wait: by the first one's size, as far as it can be told.
static size_t frames_ahead(const struct autocorr_source *sources, size_t count)
{
    size_t ahead = AHEAD_MAX, bytes = 0;
    struct image_file *file = NULL;
    struct image image = {.samples = NULL};

    if (count > AHEAD_MIN && image_open(sources[0].file, 0, &file, NULL) == KN_OK &&
        image_read(file, 0, &image, NULL) == KN_OK)
        bytes = image.width * image.height * kn_type_size(image.type);
    free(image.samples);
    image_close(file);
    if (!bytes)
        ahead = AHEAD_UNKNOWN;
    else if (AHEAD_BYTES / bytes < ahead)
        ahead = AHEAD_BYTES / bytes;
    return ahead > AHEAD_MIN ? ahead : AHEAD_MIN;
}

kn_status autocorr_series(struct autocorr_engine *engine, const struct autocorr_source *sources, size_t count,
                          const struct autocorr_settings *settings, autocorr_take *take, void *context,
                          struct autocorr_pipeline *pipeline, kn_error *err)
{
    struct series series = {engine,
                            sources,
                            settings,
                            take,
                            context,
                            pipeline,
                            settings->seed,
                            settings->max_offset,
                            .pending_count = 0};
    struct autocorr_reader_options options = {.threads = settings->threads,
                                              .ahead = frames_ahead(sources, count),
                                              .preparation = settings->preparation};
    struct autocorr_reader *reader = NULL;
    struct autocorr_decoded decoded;
    kn_status status = autocorr_mask_bytes(settings->mask, &series.mask, err);

    *pipeline = (struct autocorr_pipeline){.frames = count, .decoders = kn_threads(settings->threads)};
    series.pending = calloc(AUTOCORR_TOGETHER_MAX, sizeof *series.pending);
    if (!status && !series.pending)
        status = kn_fail_memory(err, AUTOCORR_TOGETHER_MAX * sizeof *series.pending, "the frames");
    if (!status)
        status = autocorr_reader_open(sources, count, &options, &reader, err);
    for (size_t i = 0; i < count && !status; i++) {
        // What is decoded is computed together; nobody waits for more while something can be done.
        bool found = autocorr_reader_next(reader, false, &decoded);

        if (!found) {
            double start;

            status = compute(&series, err);
            start = kn_clock_seconds();
            if (!status)
                autocorr_reader_next(reader, true, &decoded);
            pipeline->wait += kn_clock_seconds() - start;
        }
        if (!status)
            status = add(&series, i, &decoded, err);
    }
    if (!status)
        status = compute(&series, err);
    drop(&series);
    autocorr_reader_close(reader, &pipeline->decode);
    free(series.pending);
    free(series.mask);
    return status;
}
