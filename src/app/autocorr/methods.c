// SPDX-License-Identifier: Apache-2.0
#include "methods.h"

#include "base/error.h"
#include "engine/engine.h"
#include "app/autocorr/series/batch.h"
#include "app/autocorr/series/batch_rings.h"
#include "app/autocorr/device/choose.h"
#include "app/autocorr/device/device_fft.h"
#include "app/autocorr/host/host_frames.h"
#include "app/autocorr/volume/periodic.h"
#include "base/os/clock.h"

#define TOGETHER_BYTES ((size_t)64 << 20)

// ---- on a device ----

static kn_status direct(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                        kn_buffer *products, kn_error *err)
{
    return ki_autocorr_direct_device(engine->queue, frames, products, err);
}

static kn_status ladder(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                        kn_buffer *products, kn_error *err)
{
    return ki_autocorr_ladder_device(engine->queue, frames, engine->ran, products, err);
}

static kn_status transforms(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                            kn_buffer *products, kn_error *err)
{
    struct autocorr_fft *fft;
    kn_status status = ki_autocorr_batch_fft(engine, frames, &fft, err);

    if (!status)
        status = ki_autocorr_fft_sums(engine->queue, fft, frames, products, err);
    if (!status && !engine->exact)
        engine->bound = ki_autocorr_fft_bound(fft, ki_autocorr_batch_energy(engine));
    return status;
}

// ---- all of them ----

// On a device. A method that is neither there nor one of the host's (host_frames.h) is not there at all.
static autocorr_on_device *const rows[AUTOCORR_METHODS] = {
    [KN_AUTOCORR_DIRECT] = direct,   [KN_AUTOCORR_FFT] = transforms,    [KN_AUTOCORR_TEXTURE_STYLE] = ladder,
    [KN_AUTOCORR_TWO_LINE] = ladder, [KN_AUTOCORR_TWO_KERNEL] = ladder,
};

bool kn_autocorr_method_runs(kn_autocorr_method method, bool on_device)
{
    if ((unsigned)method >= AUTOCORR_METHODS)
        return false;
    return method == KN_AUTOCORR_AUTO || (on_device ? rows[method] != NULL : ki_autocorr_host_has(method));
}

kn_status ki_autocorr_check_choice(const kn_queue *queue, kn_autocorr_method method,
                                   kn_autocorr_normalization normalization, kn_error *err)
{
    if ((unsigned)method >= AUTOCORR_METHODS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no method %d; see kn_autocorr_method", (int)method);
    if ((unsigned)normalization >= AUTOCORR_NORMALIZATIONS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no normalization %d; see kn_autocorr_normalization",
                       (int)normalization);
    if (queue && queue->context->options.policy == KN_POLICY_FAST)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "the queue's context has KN_POLICY_FAST, and relaxed maths cannot promise whole "
                       "numbers; open it with another policy");
    return KN_OK;
}

kn_status ki_autocorr_engine_begin(kn_queue *queue, kn_autocorr_method method, bool exact,
                                   struct autocorr_engine *engine, kn_error *err)
{
    const char *name = ki_autocorr_method_names[method];

    *engine = (struct autocorr_engine){.queue = queue,
                                       .method = method,
                                       .exact = exact,
                                       .why = KI_TEXT_INIT,
                                       .volumes = {.queue = queue},
                                       .ratio = {.summary = KI_TEXT_INIT}};
    if (kn_autocorr_method_runs(method, queue != NULL))
        return KN_OK;
    if (!queue)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "the method %s runs on a device, and there is none here; simd and fft run on the host",
                       name);
    return ki_fail(err, KN_ERROR_ARGUMENT, "the method %s runs on the host, and a device was given", name);
}

void ki_autocorr_engine_end(struct autocorr_engine *engine)
{
    ki_autocorr_batch_free(engine->kept);
    ki_autocorr_host_rooms_free(engine->rooms);
    ki_autocorr_volume_engine_end(&engine->volumes);
    ki_text_free(&engine->why);
    ki_text_free(&engine->ratio.summary);
    engine->kept = NULL;
    engine->rooms = NULL;
}

size_t ki_autocorr_together(const struct autocorr_task *task)
{
    const struct autocorr_image *image = &task->first;
    size_t pixels = image->width * image->height * kn_type_size(image->type),
           sums = autocorr_offsets(task->max_offset) * sizeof(uint64_t);
    size_t count = TOGETHER_BYTES / (pixels > sums ? pixels : sums);

    return count > AUTOCORR_TOGETHER_MAX ? AUTOCORR_TOGETHER_MAX : count ? count : 1;
}

// What is started: tasks, or frames that are on the device.
struct work {
    const struct autocorr_task *tasks; // NULL:
    const struct autocorr_frames *frames;
    size_t count;
    kn_buffer *sums; // of frames, where that is all that is wanted of them; NULL: as the results say
};

static kn_status start(struct autocorr_engine *engine, kn_autocorr_method method, const struct work *work,
                       const struct autocorr_results *results, kn_error *err)
{
    engine->ran = method;
    engine->bound = 0;
    if (work->sums)
        return ki_autocorr_batch_enqueue(engine, work->frames, rows[method], work->sums, err);
    if (work->frames)
        return ki_autocorr_batch_start_frames(engine, work->frames, rows[method], results, err);
    return engine->queue
               ? ki_autocorr_batch_start(engine, work->tasks, work->count, rows[method], results, err)
               : ki_autocorr_host_frames(engine, work->tasks, work->count, results->products, err);
}

// By the method that was named, or the best for tasks like this one.
static kn_status start_best(struct autocorr_engine *engine, const struct autocorr_task *like,
                            const struct work *work, const struct autocorr_results *results, kn_error *err)
{
    kn_autocorr_method method;
    kn_error why = KN_ERROR_INIT;
    kn_status status;

    if (engine->method != KN_AUTOCORR_AUTO)
        return start(engine, engine->method, work, results, err);
    if (engine->no_transforms) {
        ki_text_clear(&engine->why);
        ki_text_add(&engine->why, "transforms would take more memory than they may");
        return start(engine, engine->queue ? KN_AUTOCORR_DIRECT : KN_AUTOCORR_SIMD, work, results, err);
    }
    status = ki_autocorr_choose(engine, like, &method, err);
    if (status)
        return status;
    status = start(engine, method, work, results, &why);
    // Transforms that cannot be exact here (images of many bright pixels), or whose lines are too long.
    if (method == KN_AUTOCORR_FFT && (status == KN_ERROR_UNSUPPORTED || status == KN_ERROR_LIMIT)) {
        ki_text_format(&engine->why, "; but by transforms: %s", why.text);
        return start(engine, engine->queue ? KN_AUTOCORR_DIRECT : KN_AUTOCORR_SIMD, work, results, err);
    }
    if (status && err)
        *err = why;
    return status;
}

bool ki_autocorr_engine_has_rings(const struct autocorr_engine *engine, const struct autocorr_task *task,
                                  const char **why)
{
    const kn_device_info *device =
        engine->queue ? kn_context_get_device(kn_queue_get_context(engine->queue)) : NULL;
    const char *refusal = NULL;

    if (!device)
        refusal = "there is no device";
    else if (engine->periodic)
        refusal = "the images are periodic";
    else if (engine->exact && !device->fp64)
        refusal = "sums are exact, and the device has no double precision";
    else if (!ki_autocorr_rings_fit(device, task->max_offset))
        refusal = "the device has no room for the sums of so many offsets";
    else if (task->mask)
        refusal = ki_autocorr_masked_on_host(engine->masked, device, task);
    if (why)
        *why = refusal;
    return !refusal;
}

// ---- periodic images ----

kn_status ki_autocorr_check_transforms(kn_autocorr_method method, const char *what, kn_error *err)
{
    if (method == KN_AUTOCORR_AUTO || method == KN_AUTOCORR_FFT)
        return KN_OK;
    return ki_fail(
        err, KN_ERROR_UNSUPPORTED,
        "the method %s has no sums of %s, which come from Fourier transforms; expected auto or fft",
        ki_autocorr_method_names[method], what);
}

void ki_autocorr_engine_took_transforms(struct autocorr_engine *engine)
{
    engine->ran = KN_AUTOCORR_FFT;
    engine->bound = 0;
    ki_text_clear(&engine->why);
    if (engine->method == KN_AUTOCORR_AUTO)
        ki_text_add(&engine->why, "periodic and three-dimensional sums come from transforms");
}

static kn_status start_periodic(struct autocorr_engine *engine, const struct work *work,
                                const struct autocorr_results *results, kn_error *err)
{
    double begin = ki_clock_seconds();
    kn_status status =
        work->tasks
            ? ki_autocorr_periodic_tasks(&engine->volumes, work->tasks, work->count, results->products, err)
            : ki_autocorr_periodic_frames(&engine->volumes, work->frames, results->products, err);

    engine->seconds.compute += ki_clock_seconds() - begin;
    ki_autocorr_engine_took_transforms(engine);
    return status;
}

// ---- starts and ends ----

kn_status ki_autocorr_engine_start(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                                   size_t count, const struct autocorr_results *results, kn_error *err)
{
    const struct work work = {.tasks = tasks, .count = count};

    if (engine->periodic)
        return start_periodic(engine, &work, results, err);
    return start_best(engine, &tasks[0], &work, results, err);
}

// Of frames, not periodic ones.
static kn_status start_overlaps(struct autocorr_engine *engine, const struct work *work,
                                const struct autocorr_results *results, kn_error *err)
{
    const struct autocorr_frames *frames = work->frames;
    struct autocorr_task like = {
        .first = {frames->width, frames->height, frames->width, frames->type, frames->first},
        .max_offset = frames->max_offset};

    like.second = like.first;
    like.second.pixels = frames->second; // nobody looks at pixels
    return start_best(engine, &like, work, results, err);
}

kn_status ki_autocorr_engine_start_frames(struct autocorr_engine *engine,
                                          const struct autocorr_frames *frames,
                                          const struct autocorr_results *results, kn_error *err)
{
    const struct work work = {.frames = frames, .count = frames->count};

    return engine->periodic ? start_periodic(engine, &work, results, err)
                            : start_overlaps(engine, &work, results, err);
}

kn_status ki_autocorr_engine_enqueue(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                                     kn_buffer *sums, kn_error *err)
{
    const struct work work = {.frames = frames, .count = frames->count, .sums = sums};

    return start_overlaps(engine, &work, NULL, err);
}

kn_status ki_autocorr_engine_finish(struct autocorr_engine *engine, kn_error *err)
{
    return engine->queue && !engine->periodic ? ki_autocorr_batch_finish(engine, err) : KN_OK;
}

void ki_autocorr_engine_abandon(struct autocorr_engine *engine)
{
    if (engine->queue)
        ki_autocorr_batch_abandon(engine->kept);
}

kn_status ki_autocorr_engine_sums(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                                  size_t count, uint64_t *products, kn_error *err)
{
    const struct autocorr_results results = {.products = products};
    kn_status status = ki_autocorr_engine_start(engine, tasks, count, &results, err);

    return status ? status : ki_autocorr_engine_finish(engine, err);
}
