// SPDX-License-Identifier: Apache-2.0
// koine/autocorr.h: frames in memory or on the device, correlated with those some lags later.
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "app/autocorr/plan_internal.h"
#include "copies.h"
#include "recent.h"

static kn_status check(const kn_autocorr_plan *plan, const kn_autocorr_frames *frames, size_t count,
                       size_t max_lag, kn_error *err)
{
    if (plan->depth)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "volumes are not correlated with later ones; images are");
    if (frames->second)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "there is a second image, `second`; here the second ones are later frames");
    if (frames->mask && frames->mask_frame_stride)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "each frame has a mask of its own; expected one for all");
    if (max_lag >= count)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a lag of %zu wants more than %zu frames", max_lag, count);
    return KN_OK;
}

static kn_status read_asked(const char *function, const kn_autocorr_plan *plan,
                            const kn_autocorr_frames *given, const kn_autocorr_lag_results *results,
                            kn_autocorr_frames *frames, kn_autocorr_lag_results *wanted, kn_error *err)
{
    kn_status status;

    if (!plan || !given || !results)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", !plan ? "plan" : !given ? "frames" : "results");
    status = KI_SIZED_READ(function, kn_autocorr_frames, given, frames, err);
    if (!status)
        status = KI_SIZED_READ(function, kn_autocorr_lag_results, results, wanted, err);
    if (!status && !wanted->lags && !wanted->rings && !wanted->values && !wanted->correlations)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "no results are wanted: all of their pointers are NULL");
    return status;
}

// So many of the first frames as there is room for stay on the device.
static kn_status keep_copies(const kn_autocorr_plan *plan, const struct plan_frames *frames, size_t max_lag,
                             struct autocorr_copies *copies, kn_error *err)
{
    const size_t wanted = max_lag && !plan->engine.periodic ? frames->count : 0;
    kn_status status = ki_autocorr_copies_begin(plan->queue, &frames->tasks[0], wanted, wanted, copies, err);

    for (size_t i = 0; i < copies->count && !status; i++)
        frames->tasks[i].copy = ki_autocorr_copies_take(copies);
    return status;
}

// The frames themselves, then all pairs, a lag after another.
static kn_status add_all(struct autocorr_flow *flow, const struct plan_frames *frames, size_t max_lag,
                         kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t k = 0; k <= max_lag && !status; k++)
        for (size_t i = 0; i + k < frames->count && !status; i++) {
            struct autocorr_pending pair = {.task = frames->tasks[i], .lag = k, .analysis = {.index = i}};

            if (k) {
                pair.task.second = frames->tasks[i + k].first;
                pair.task.second_copy = frames->tasks[i + k].copy;
                pair.task.second_energy = frames->tasks[i + k].energy;
            }
            status = ki_autocorr_flow_add(flow, &pair, err);
        }
    return status ? status : ki_autocorr_flow_drain(flow, err);
}

static kn_status compute(kn_autocorr_plan *plan, const struct plan_frames *frames, size_t max_lag,
                         bool values, struct autocorr_lags *lags, kn_error *err)
{
    const kn_autocorr_series_options settings =
        KN_INIT(kn_autocorr_series_options, .normalization = plan->normalization, .values = values);
    kn_autocorr_pipeline unused = {.frames = 0};
    struct autocorr_flow flow = {.engine = &plan->engine,
                                 .settings = &settings,
                                 .pipeline = &unused,
                                 .done = ki_autocorr_take_pair,
                                 .data = lags};
    kn_status status = ki_autocorr_lags_begin(frames->count, max_lag, plan->max_offset, values,
                                              plan->normalization, lags, err);

    if (!status)
        status = ki_autocorr_flow_begin(&flow, err);
    if (!status)
        status = add_all(&flow, frames, max_lag, err);
    ki_autocorr_flow_end(&flow);
    plan->bound = flow.bound;
    if (!status)
        ki_autocorr_lags_finish(lags, flow.bound);
    return status;
}

static void hand_out(const struct autocorr_lags *lags, const kn_autocorr_lag_results *results)
{
    const size_t count = lags->count;

    if (results->lags)
        memcpy(results->lags, lags->lags, count * sizeof *lags->lags);
    if (results->rings)
        memcpy(results->rings, lags->rings_told, count * (lags->max_offset + 1) * sizeof *lags->rings_told);
    if (results->values)
        memcpy(results->values, lags->values,
               count * autocorr_offsets(lags->max_offset) * sizeof *lags->values);
    if (results->correlations)
        memcpy(results->correlations, lags->correlations, count * lags->frames * sizeof *lags->correlations);
}

static kn_status execute_lags(const char *function, kn_autocorr_plan *plan, const kn_autocorr_frames *given,
                              size_t count, size_t max_lag, const kn_autocorr_lag_results *results,
                              kn_error *err)
{
    struct plan_frames frames = {.tasks = NULL};
    struct autocorr_copies copies = {.count = 0};
    struct autocorr_lags lags = {.count = 0};
    kn_autocorr_frames read;
    kn_autocorr_lag_results wanted;
    kn_status status = read_asked(function, plan, given, results, &read, &wanted, err);

    if (!status)
        status = check(plan, &read, count, max_lag, err);
    if (status)
        return status;
    status = ki_autocorr_plan_frames(plan, &read, count, &frames, err);
    if (!status)
        status = keep_copies(plan, &frames, max_lag, &copies, err);
    if (!status)
        status = compute(plan, &frames, max_lag, wanted.values != NULL, &lags, err);
    if (!status)
        hand_out(&lags, &wanted);
    ki_autocorr_lags_free(&lags);
    ki_autocorr_copies_end(&copies);
    ki_autocorr_plan_frames_free(plan, &frames);
    return status;
}

kn_status kn_autocorr_execute_lags(kn_autocorr_plan *plan, const kn_autocorr_frames *frames, size_t count,
                                   size_t max_lag, const kn_autocorr_lag_results *results, kn_error *err)
{
    return ki_error_name(__func__, execute_lags(__func__, plan, frames, count, max_lag, results, err), err);
}

// ---- of frames on the device ----

// The host's view of frames that were read from the device, which stay there, too.
static kn_status make_tasks(kn_autocorr_plan *plan, const kn_buffer *buffer, const void *pixels, size_t count,
                            struct plan_frames *frames, struct autocorr_copies *copies, kn_error *err)
{
    const kn_autocorr_frames read = KN_INIT(kn_autocorr_frames, .first = pixels);
    kn_status status = ki_autocorr_plan_frames(plan, &read, count, frames, err);

    if (!status)
        status = ki_autocorr_copies_of(buffer, &frames->tasks[0], count, copies, err);
    for (size_t i = 0; i < count && !status; i++) {
        struct autocorr_task *task = &frames->tasks[i];

        task->copy = &copies->all[i];
        if (!plan->engine.exact)
            task->energy = ki_autocorr_energy(&task->first, NULL, 0);
    }
    return status;
}

static kn_status run_buffers(kn_autocorr_plan *plan, const struct autocorr_frames *there, size_t max_lag,
                             const kn_autocorr_lag_results *wanted, kn_error *err)
{
    const size_t bytes = there->width * there->height * kn_type_size(there->type);
    struct plan_frames frames = {.tasks = NULL};
    struct autocorr_copies copies = {.count = 0};
    struct autocorr_lags lags = {.count = 0};
    void *pixels = ki_kept_take_array(&plan->kept, there->count, bytes);
    kn_status status = pixels
                           ? kn_buffer_read(plan->queue, there->first, 0, pixels, there->count * bytes, err)
                           : ki_fail_memory(err, there->count * bytes, "the frames");

    if (!status)
        status = make_tasks(plan, there->first, pixels, there->count, &frames, &copies, err);
    if (!status)
        status = compute(plan, &frames, max_lag, wanted->values != NULL, &lags, err);
    if (!status)
        hand_out(&lags, wanted);
    ki_autocorr_lags_free(&lags);
    ki_autocorr_copies_end(&copies);
    ki_autocorr_plan_frames_free(plan, &frames);
    ki_kept_give(&plan->kept, pixels);
    return status;
}

static kn_status execute_lags_buffer(const char *function, kn_autocorr_plan *plan, const kn_buffer *buffer,
                                     size_t count, size_t max_lag, const kn_autocorr_lag_results *results,
                                     kn_error *err)
{
    const kn_autocorr_frames none = KN_INIT(kn_autocorr_frames);
    struct autocorr_frames frames;
    kn_autocorr_frames read;
    kn_autocorr_lag_results wanted;
    kn_status status = read_asked(function, plan, buffer ? &none : NULL, results, &read, &wanted, err);

    if (!status)
        status = check(plan, &read, count, max_lag, err);
    if (!status)
        status = ki_autocorr_plan_buffers(function, plan, buffer, NULL, count, NULL, &frames, err);
    return status ? status : run_buffers(plan, &frames, max_lag, &wanted, err);
}

kn_status kn_autocorr_execute_lags_buffer(kn_autocorr_plan *plan, const kn_buffer *frames, size_t count,
                                          size_t max_lag, const kn_autocorr_lag_results *results,
                                          kn_error *err)
{
    return ki_error_name(__func__, execute_lags_buffer(__func__, plan, frames, count, max_lag, results, err),
                         err);
}
