// SPDX-License-Identifier: Apache-2.0
// koine/autocorr.h: a series, and what it tells.
#include <stdlib.h>

#include "base/error.h"
#include "base/sized.h"
#include "engine/engine.h"
#include "app/autocorr/prepare/grey.h"
#include "series.h"
#include "series_memory.h"

kn_status ki_autocorr_read_settings(const char *function, const kn_queue *queue,
                                    const kn_autocorr_series_options *given,
                                    kn_autocorr_series_options *settings, kn_error *err)
{
    kn_status status = KI_SIZED_READ(function, kn_autocorr_series_options, given, settings, err);

    if (!status)
        status = ki_autocorr_check_choice(queue, settings->method, settings->normalization, err);
    if (!status && settings->periodic)
        status = ki_autocorr_check_transforms(settings->method, "periodic images", err);
    if (!status && settings->periodic && settings->mask)
        status = ki_fail(err, KN_ERROR_UNSUPPORTED, "periodic images are correlated without a mask");
    if (!status && settings->max_lag && settings->with)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "`with` is the second image of every frame, and with `max_lag` later frames are");
    if (!status && settings->mask)
        status = ki_autocorr_check_grey("`mask`", settings->mask, err);
    if (!status && settings->with)
        status = ki_autocorr_check_grey("`with`", settings->with, err);
    return status;
}

static kn_status create(const char *function, kn_queue *queue, const kn_autocorr_series_options *options,
                        kn_autocorr_series **series, kn_error *err)
{
    kn_autocorr_series_options settings;
    kn_autocorr_series *made;
    kn_status status;

    if (!series)
        return ki_fail(err, KN_ERROR_ARGUMENT, "series is NULL");
    status = ki_autocorr_read_settings(function, queue, options, &settings, err);
    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "preparing a series");
    made->context = queue ? ki_engine_hold(queue->context) : NULL;
    made->settings = settings;
    status = ki_autocorr_engine_begin(queue, settings.method, !settings.single, &made->engine, err);
    if (!status)
        status = ki_autocorr_engine_begin(queue, settings.method, !settings.single, &made->pairs, err);
    made->engine.periodic = made->pairs.periodic = settings.periodic;
    if (status)
        kn_autocorr_series_free(made);
    else
        *series = made;
    return status;
}

kn_status kn_autocorr_series_create(kn_queue *queue, const kn_autocorr_series_options *options,
                                    kn_autocorr_series **series, kn_error *err)
{
    return ki_error_name(__func__, create(__func__, queue, options, series, err), err);
}

void kn_autocorr_series_free(kn_autocorr_series *series)
{
    if (!series)
        return;
    ki_autocorr_engine_end(&series->engine);
    ki_autocorr_engine_end(&series->pairs);
    ki_autocorr_lags_free(&series->lags);
    if (series->context)
        ki_engine_release(series->context);
    free(series);
}

static kn_status read_source(const char *function, const kn_autocorr_series *series,
                             const kn_autocorr_source *source, kn_autocorr_source *frames, kn_error *err)
{
    kn_status status = ki_autocorr_read_source(function, source, frames, err);

    if (!status && series->settings.max_lag && series->settings.max_lag >= frames->count)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "a lag of %zu wants more than %zu frames",
                         series->settings.max_lag, frames->count);
    return status;
}

// What the source and `take` say themselves stays as it is.
kn_status kn_autocorr_series_execute(kn_autocorr_series *series, const kn_autocorr_source *source,
                                     kn_autocorr_take *take, void *data, kn_error *err)
{
    kn_autocorr_source frames;
    kn_status status;

    if (!series || !take)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", __func__, series ? "take" : "series");
    status = ki_error_name(__func__, read_source(__func__, series, source, &frames, err), err);
    return status ? status : ki_autocorr_series_run(series, &frames, take, data, err);
}

static kn_status estimate_memory(const char *function, kn_autocorr_series *series,
                                 const kn_autocorr_source *source, const kn_autocorr_grey *frame,
                                 kn_autocorr_memory *memory, kn_error *err)
{
    struct autocorr_demand demand = {.settings = &series->settings, .engine = &series->engine};
    kn_autocorr_source frames;
    uint8_t *mask = NULL;
    kn_status status = read_source(function, series, source, &frames, err);

    if (!status)
        status = ki_autocorr_mask_bytes(series->settings.mask, &mask, err);
    if (!status)
        status = ki_autocorr_make_task(&series->settings, mask, frames.names ? frames.names[0] : NULL, frame,
                                       series->settings.max_offset, &demand.task, err);
    if (!status) {
        demand.pairs = series->settings.max_lag ? &series->pairs : NULL;
        demand.frames = frames.count;
        demand.ahead = ki_autocorr_frames_ahead(&frames, series->settings.memory_limit);
        demand.ahead = demand.ahead < frames.count ? demand.ahead : frames.count;
        status = ki_autocorr_series_measure(&demand, memory, err);
    }
    free(mask);
    return status;
}

kn_status kn_autocorr_series_estimate_memory(kn_autocorr_series *series, const kn_autocorr_source *source,
                                             const kn_autocorr_grey *frame, kn_autocorr_memory *memory,
                                             kn_error *err)
{
    const char *missing = !series ? "series" : !frame ? "frame" : !memory ? "memory" : NULL;
    kn_status status = missing ? ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", missing)
                               : estimate_memory(__func__, series, source, frame, memory, err);

    return status == KN_ERROR_ARGUMENT ? ki_error_name(__func__, status, err) : status;
}

kn_autocorr_method kn_autocorr_series_get_method(const kn_autocorr_series *series)
{
    return series ? series->engine.ran : KN_AUTOCORR_AUTO;
}

const char *kn_autocorr_series_get_why(const kn_autocorr_series *series)
{
    return series ? ki_text_string(&series->engine.why) : "";
}

kn_autocorr_pipeline kn_autocorr_series_get_pipeline(const kn_autocorr_series *series)
{
    return series ? series->pipeline : (kn_autocorr_pipeline){.frames = 0};
}

const kn_autocorr_lags *kn_autocorr_series_get_lags(const kn_autocorr_series *series)
{
    return series && series->lags.told.count ? &series->lags.told : NULL;
}
