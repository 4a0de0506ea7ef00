// SPDX-License-Identifier: Apache-2.0
#include "recent.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct autocorr_recent_frame {
    size_t index;          // in the series
    kn_autocorr_grey grey; // its own
    struct autocorr_task task;
};

kn_status ki_autocorr_take_pair(void *data, struct autocorr_pending *pair, kn_error *err)
{
    (void)err;
    ki_autocorr_lags_add(data, pair->lag, pair->analysis.index, &pair->frame);
    return KN_OK;
}

kn_status ki_autocorr_recent_begin(struct autocorr_engine *engine, const kn_autocorr_series_options *settings,
                                   size_t frames, struct autocorr_lags *lags, struct autocorr_recent *recent,
                                   kn_error *err)
{
    recent->settings = settings;
    recent->pair_settings = *settings;
    recent->pair_settings.sums = false;
    recent->pair_settings.verification = NULL;
    recent->frames = frames;
    recent->lags = lags;
    recent->pairs = (struct autocorr_flow){.engine = engine,
                                           .settings = &recent->pair_settings,
                                           .pipeline = &recent->pipeline,
                                           .done = ki_autocorr_take_pair,
                                           .data = lags};
    recent->room = settings->max_lag + AUTOCORR_TOGETHER_MAX;
    recent->kept = calloc(recent->room, sizeof *recent->kept);
    return recent->kept ? ki_autocorr_flow_begin(&recent->pairs, err)
                        : ki_fail_memory(err, recent->room * sizeof *recent->kept, "the last frames");
}

void ki_autocorr_recent_end(struct autocorr_recent *recent)
{
    ki_autocorr_flow_end(&recent->pairs);
    for (size_t i = 0; i < recent->count; i++)
        free(recent->kept[i].grey.pixels);
    free(recent->kept);
    ki_autocorr_copies_end(&recent->copies);
}

// Beside those that are kept two batches are on their way.
kn_status ki_autocorr_recent_keep(struct autocorr_recent *recent, struct autocorr_task *frame, size_t most,
                                  kn_error *err)
{
    const struct autocorr_engine *engine = recent->pairs.engine;
    const size_t bytes = frame->first.width * frame->first.height * kn_type_size(frame->first.type);
    kn_status status = KN_OK;

    if (engine->periodic)
        return KN_OK;
    if (!recent->has_copies)
        status = ki_autocorr_copies_begin(engine->queue, frame, recent->room + 2 * AUTOCORR_TOGETHER_MAX,
                                          most / bytes, &recent->copies, err);
    recent->has_copies = true;
    frame->copy = ki_autocorr_copies_take(&recent->copies);
    return status;
}

// Those too old for frame `next` go, once no pair is under way with them. As many are kept beyond them as are
// worth computing together.
static kn_status make_room(struct autocorr_recent *recent, size_t next, kn_error *err)
{
    const size_t limited = recent->pairs.engine->together;
    size_t old = 0;
    kn_status status;

    while (old < recent->count && recent->kept[old].index + recent->settings->max_lag < next)
        old++;
    if (!old || old < (limited ? limited : ki_autocorr_together(&recent->kept[0].task)))
        return KN_OK;
    status = ki_autocorr_flow_drain(&recent->pairs, err);
    if (status)
        return status;
    for (size_t i = 0; i < old; i++) {
        free(recent->kept[i].grey.pixels);
        ki_autocorr_copies_give(recent->kept[i].task.copy);
    }
    recent->count -= old;
    memmove(recent->kept, recent->kept + old, recent->count * sizeof *recent->kept);
    return KN_OK;
}

// The last frame is the second one of all pairs of lag 1 and more.
static kn_status add_pairs(struct autocorr_recent *recent, kn_error *err)
{
    const struct autocorr_recent_frame *last = &recent->kept[recent->count - 1];
    kn_status status = KN_OK;

    for (size_t i = 0; i + 1 < recent->count && !status; i++) {
        const struct autocorr_recent_frame *first = &recent->kept[i];
        struct autocorr_pending pair = {
            .task = first->task, .lag = last->index - first->index, .analysis = {.index = first->index}};

        if (pair.lag > recent->settings->max_lag)
            continue;
        pair.task.second = last->task.first;
        pair.task.second_energy = last->task.energy;
        pair.task.second_copy = last->task.copy;
        status = ki_autocorr_flow_add(&recent->pairs, &pair, err);
    }
    return status;
}

kn_status ki_autocorr_recent_add(struct autocorr_recent *recent, struct autocorr_pending *frame,
                                 kn_error *err)
{
    const kn_autocorr_series_options *settings = recent->settings;
    kn_status status = KN_OK;

    if (!recent->lags->count)
        status = ki_autocorr_lags_begin(recent->frames, settings->max_lag, frame->task.max_offset,
                                        settings->values, settings->normalization, recent->lags, err);
    if (!status)
        status = make_room(recent, frame->analysis.index, err);
    if (status)
        return status;
    ki_autocorr_lags_add(recent->lags, 0, frame->analysis.index, &frame->frame);
    recent->kept[recent->count++] = (struct autocorr_recent_frame){
        .index = frame->analysis.index, .grey = frame->grey, .task = frame->task};
    frame->grey.pixels = NULL;
    return add_pairs(recent, err);
}

kn_status ki_autocorr_recent_finish(struct autocorr_recent *recent, kn_error *err)
{
    kn_status status = ki_autocorr_flow_drain(&recent->pairs, err);

    if (!status && recent->lags->count)
        ki_autocorr_lags_finish(recent->lags, recent->pairs.bound);
    return status;
}
