// SPDX-License-Identifier: Apache-2.0
#include "choose.h"

#include <math.h>

#include "base/error.h"
#include "device_masked.h"

// Beyond these factors the choice is the same on every device: a term of a transform was never faster than
// one of a direct sum, nor slower than the upper bound. On CPUs, where it took 4 to 11 times as long,
// compiling the programs for a measurement takes seconds.
static const double least_ratio = 1, most_ratio = 100, most_cpu_ratio = 50, number_ratio = 10;

// Used if nothing can be remembered. On an H200 direct sums do 3.6e13 terms a second and transforms 2.5e12,
// on PoCL (two cores) 2e10 and 5e9; exact ones, in double precision, take twice as long.
static const double gpu_ratio = 15, cpu_ratio = 4, exact_factor = 2;

// The sample: enough to keep a device busy, but quick.
struct sample {
    size_t side, count, max_offset;
};
static const struct sample gpu_sample = {512, 64, 32}, cpu_sample = {256, 1, 32};

// ---- the model ----

static double direct_terms(double width, double height, double max_offset)
{
    return width * (2 * max_offset + 1) * height * (max_offset + 1);
}

// A real transform there and back, and one of the second image.
static double transform_terms(double width, double height, double max_offset, bool cross)
{
    double points = (width + max_offset) * (height + max_offset);

    return 5 * points * log2(points + 1) * (cross ? 1.5 : 1);
}

double ki_autocorr_terms_ratio(const struct autocorr_task *task)
{
    double width = (double)task->first.width, height = (double)task->first.height,
           max_offset = (double)task->max_offset;

    return direct_terms(width, height, max_offset) /
           transform_terms(width, height, max_offset, task->second.pixels != NULL);
}

struct engine_choice ki_autocorr_choice_of(kn_type type, enum autocorr_fft_algorithm algorithm, bool exact)
{
    const uint32_t numbers[] = {(uint32_t)type, (uint32_t)algorithm, exact};
    const struct ki_field field = {numbers, sizeof numbers};

    return (struct engine_choice){"autocorr seconds", ki_hash_fields(&field, 1)};
}

// ---- the measurement ----

// Pixels, sums and transforms for it.
struct trial {
    const struct autocorr_engine *engine;
    const struct sample *sample;
    kn_type type;
    enum autocorr_fft_algorithm algorithm;
    struct autocorr_frames frames;
    kn_buffer *pixels, *sums;
    struct autocorr_fft *fft;
};

// The largest image for which the algorithm is exact.
static size_t side_of(const struct autocorr_engine *engine, const struct sample *sample, kn_type type,
                      enum autocorr_fft_algorithm algorithm)
{
    const kn_device_info *device = kn_context_get_device(kn_queue_get_context(engine->queue));
    struct autocorr_image image = {.width = sample->side, .height = sample->side, .type = type};

    while (algorithm == AUTOCORR_FFT_FUSED && image.width > 2 * sample->max_offset &&
           ki_autocorr_fft_algorithm_for(device, &image, sample->max_offset, engine->exact) != algorithm)
        image.width = image.height = image.width / 2;
    return image.width;
}

static void describe(struct trial *trial)
{
    size_t side = side_of(trial->engine, trial->sample, trial->type, trial->algorithm);

    trial->frames = (struct autocorr_frames){.width = side,
                                             .height = side,
                                             .count = trial->sample->count,
                                             .type = trial->type,
                                             .max_offset = trial->sample->max_offset};
}

static kn_status make_trial(struct trial *trial, kn_error *err)
{
    kn_queue *queue = trial->engine->queue;
    kn_context *context = kn_queue_get_context(queue);
    const struct autocorr_fft_options options = {.algorithm = trial->algorithm};
    const struct autocorr_frames *frames = &trial->frames;
    const uint64_t pixels = UINT64_C(0x0123456789abcdef);
    size_t bytes = frames->width * frames->height * frames->count * kn_type_size(trial->type);
    kn_status status = kn_buffer_create(context, bytes, &trial->pixels, err);

    trial->frames.first = trial->pixels;
    if (!status)
        status =
            kn_buffer_create(context, frames->count * autocorr_offsets(frames->max_offset) * sizeof(uint64_t),
                             &trial->sums, err);
    if (!status)
        status = kn_buffer_fill(queue, trial->pixels, &pixels, sizeof pixels, 0, bytes, NO_EVENT, err);
    return status ? status
                  : ki_autocorr_fft_create_with(queue, frames->width, frames->height, frames->max_offset,
                                                trial->type, false, trial->engine->exact, frames->count,
                                                &options, &trial->fft, err);
}

static const char *name_of(const void *data, size_t way)
{
    (void)data;
    return way == AUTOCORR_WAY_FFT ? "transforms" : "direct sums";
}

static kn_status begin(void *data, size_t way, kn_error *err)
{
    struct trial *trial = data;

    (void)way;
    return trial->pixels ? KN_OK : make_trial(trial, err);
}

static kn_status run(void *data, size_t way, kn_error *err)
{
    struct trial *trial = data;
    kn_queue *queue = trial->engine->queue;

    return way == AUTOCORR_WAY_FFT ? ki_autocorr_fft_sums(queue, trial->fft, &trial->frames, trial->sums, err)
                                   : ki_autocorr_direct_device(queue, &trial->frames, trial->sums, err);
}

static void end(void *data, size_t way)
{
    (void)data;
    (void)way;
}

// The ratio of the times of a term of a transform and of a direct sum.
static kn_status measure(struct trial *trial, double *ratio, struct ki_text *summary, kn_error *err)
{
    const struct engine_contest contest = {
        .choice = ki_autocorr_choice_of(trial->type, trial->algorithm, trial->engine->exact),
        .count = AUTOCORR_WAYS,
        .error = 1,
        .each = 1,
        .data = trial,
        .name = name_of,
        .begin = begin,
        .run = run,
        .end = end};
    double seconds[AUTOCORR_WAYS], side, r = (double)trial->sample->max_offset,
                                         count = (double)trial->sample->count, direct, transforms;
    kn_status status;

    describe(trial);
    status = ki_engine_contest(trial->engine->queue, &contest, seconds, err);
    if (!status) {
        side = (double)trial->frames.width;
        direct = count * direct_terms(side, side, r) / seconds[AUTOCORR_WAY_DIRECT];
        transforms = count * transform_terms(side, side, r, false) / seconds[AUTOCORR_WAY_FFT];
        *ratio = direct / transforms;
        ki_text_format(summary,
                       "measured were %.3g terms of direct sums a second and %.3g of transforms (%s), with "
                       "%.0f x %.0f pixels of %zu bits and R = %zu",
                       direct, transforms, ki_autocorr_fft_algorithm_names[trial->algorithm], side, side,
                       8 * kn_type_size(trial->type), trial->sample->max_offset);
    }
    ki_autocorr_fft_free(trial->fft);
    kn_buffer_free(trial->sums);
    kn_buffer_free(trial->pixels);
    return status;
}

static double ratio_unmeasured(const struct autocorr_engine *engine, enum autocorr_fft_algorithm algorithm)
{
    bool cpu = engine_is_cpu(kn_context_get_device(kn_queue_get_context(engine->queue)));

    return (cpu ? cpu_ratio : gpu_ratio) * (algorithm == AUTOCORR_FFT_NUMBER ? number_ratio
                                            : engine->exact                  ? exact_factor
                                                                             : 1);
}

// Remembered, or measured and then remembered.
static kn_status get_ratio(const struct autocorr_engine *engine, kn_type type,
                           enum autocorr_fft_algorithm algorithm, double *ratio, struct ki_text *summary,
                           kn_error *err)
{
    kn_context *context = kn_queue_get_context(engine->queue);
    struct trial trial = {.engine = engine,
                          .sample = engine_is_cpu(kn_context_get_device(context)) ? &cpu_sample : &gpu_sample,
                          .type = type,
                          .algorithm = algorithm};
    kn_error reason = KN_ERROR_INIT;
    kn_status status;

    *ratio = ratio_unmeasured(engine, algorithm);
    if (!context->cache_dir) {
        ki_text_add(summary, "nothing was measured, as there is no cache to remember it in");
        return KN_OK;
    }
    status = measure(&trial, ratio, summary, &reason);
    if (status == KN_ERROR_LIMIT || status == KN_ERROR_MEMORY) {
        ki_text_format(summary, "nothing could be measured (%s)", reason.text);
        return KN_OK;
    }
    if (status && err)
        *err = reason;
    return status;
}

// The same, only once for similar tasks.
static kn_status keep_ratio(struct autocorr_engine *engine, kn_type type,
                            enum autocorr_fft_algorithm algorithm, kn_error *err)
{
    struct autocorr_ratio *kept = &engine->ratio;
    kn_status status;

    if (kept->is_known && kept->type == type && kept->algorithm == (unsigned)algorithm)
        return KN_OK;
    ki_text_clear(&kept->summary);
    status = get_ratio(engine, type, algorithm, &kept->terms, &kept->summary, err);
    kept->is_known = !status;
    kept->type = type;
    kept->algorithm = (unsigned)algorithm;
    return status;
}

// The choice that the numbers of terms alone decide on any device; AUTOCORR_WAYS: none. A term of a transform
// takes as long as one of a direct sum, up to this many times longer: in the middle the estimate is wrong by
// the square root at most.
static size_t settled(const kn_device_info *device, enum autocorr_fft_algorithm algorithm, double terms)
{
    double greatest = (engine_is_cpu(device) ? most_cpu_ratio : most_ratio) *
                      (algorithm == AUTOCORR_FFT_NUMBER ? number_ratio : 1),
           middle = sqrt(least_ratio * greatest);
    const double estimates[] = {[AUTOCORR_WAY_DIRECT] = terms, [AUTOCORR_WAY_FFT] = middle};

    return ki_engine_contest_settled(estimates, AUTOCORR_WAYS, middle / least_ratio);
}

kn_status ki_autocorr_choose(struct autocorr_engine *engine, const struct autocorr_task *task,
                             kn_autocorr_method *method, kn_error *err)
{
    double terms = ki_autocorr_terms_ratio(task);
    struct ki_text *why = &engine->why;
    enum autocorr_fft_algorithm algorithm;
    const kn_device_info *device;
    size_t way;
    kn_status status;

    ki_text_clear(why);
    if (!engine->queue) {
        *method = KN_AUTOCORR_FFT;
        ki_text_add(why, "on the host transforms were the fastest at every R from 2 on");
        return KN_OK;
    }
    device = kn_context_get_device(kn_queue_get_context(engine->queue));
    algorithm = ki_autocorr_fft_algorithm_for(device, &task->first, task->max_offset, engine->exact);
    way = settled(device, algorithm, terms);
    if (way < AUTOCORR_WAYS) {
        *method = way == AUTOCORR_WAY_DIRECT ? KN_AUTOCORR_DIRECT : KN_AUTOCORR_FFT;
        ki_text_format(why, "direct sums have %.3g times the terms of transforms, which decides on any %s",
                       terms, engine_is_cpu(device) ? "CPU" : "GPU");
        return KN_OK;
    }
    status = keep_ratio(engine, task->first.type, algorithm, err);
    *method = terms > engine->ratio.terms ? KN_AUTOCORR_FFT : KN_AUTOCORR_DIRECT;
    ki_text_format(
        why, "direct sums have %.3g times the terms of transforms, and up to %.3g times they are faster: %s",
        terms, engine->ratio.terms, ki_text_string(&engine->ratio.summary));
    return status;
}

const char *ki_autocorr_masked_on_host(enum autocorr_masked_place place, const kn_device_info *device,
                                       const struct autocorr_task *task)
{
    const struct autocorr_image *image = &task->first;
    const struct autocorr_frames like = {.width = image->width,
                                         .height = image->height,
                                         .type = image->type,
                                         .second = task->second.pixels,
                                         .max_offset = task->max_offset};

    if (place == AUTOCORR_MASKED_AUTO)
        place = engine_is_cpu(device) ? AUTOCORR_MASKED_HOST : AUTOCORR_MASKED_DEVICE;
    return place == AUTOCORR_MASKED_HOST ? "the host's transforms are faster than those of a CPU device"
                                         : ki_autocorr_masked_refusal(device, &like);
}
