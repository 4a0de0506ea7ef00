// SPDX-License-Identifier: Apache-2.0
#include "choose.h"

#include <math.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "device_masked.h"

enum { REPETITIONS = 3, WARM_UPS = 1, STEPS = 4 }; // of a doubling

// Beyond these no device decides otherwise: a term of a transform was never seen faster than one of a direct
// sum, nor slower than the upper bound says. On CPUs, where it took 4 to 11 times as long, the programs that
// a measurement needs are compiled for seconds.
static const double least_ratio = 1, most_ratio = 100, most_cpu_ratio = 50, number_ratio = 10;

// Where nothing can be remembered. On an H200 direct sums do 3.6e13 terms a second and transforms 2.5e12, on
// PoCL (two cores) 2e10 and 5e9; exact ones, in double precision, take twice as long.
static const double gpu_ratio = 15, cpu_ratio = 4, exact_factor = 2;

// What is measured: enough to keep a device busy, in a time that nobody minds.
struct sample {
    size_t side, count, max_offset;
};
static const struct sample gpu_sample = {512, 64, 32}, cpu_sample = {256, 1, 32};

// ---- the model ----

static double direct_terms(double width, double height, double max_offset)
{
    return width * (2 * max_offset + 1) * height * (max_offset + 1);
}

// A real transform there and back; of another image there too.
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

static double ratio_of(size_t number)
{
    return exp2(((double)number - AUTOCORR_RATIO_ZERO) / STEPS);
}

static size_t number_of(double ratio)
{
    double number = round(STEPS * log2(ratio)) + AUTOCORR_RATIO_ZERO;

    return (size_t)fmin(fmax(number, 0), AUTOCORR_RATIOS - 1);
}

struct engine_choice ki_autocorr_choice_of(kn_type type, enum autocorr_fft_algorithm algorithm, bool exact)
{
    const uint32_t numbers[] = {(uint32_t)type, (uint32_t)algorithm, exact};
    const struct ki_field field = {numbers, sizeof numbers};

    return (struct engine_choice){"autocorr choice", ki_hash_fields(&field, 1)};
}

// ---- the measurement ----

static kn_status run_once(kn_queue *queue, struct autocorr_fft *fft, const struct autocorr_frames *frames,
                          kn_buffer *sums, kn_error *err)
{
    kn_status status = fft ? ki_autocorr_fft_sums(queue, fft, frames, sums, err)
                           : ki_autocorr_direct_device(queue, frames, sums, err);

    return status ? status : kn_queue_finish(queue, err);
}

// The least of some; without `fft` of direct sums.
static kn_status time_sums(kn_queue *queue, struct autocorr_fft *fft, const struct autocorr_frames *frames,
                           kn_buffer *sums, double *seconds, kn_error *err)
{
    kn_status status = KN_OK;

    *seconds = INFINITY;
    for (int i = -WARM_UPS; i < REPETITIONS && !status; i++) {
        double start = ki_clock_seconds();

        status = run_once(queue, fft, frames, sums, err);
        if (i >= 0)
            *seconds = fmin(*seconds, ki_clock_seconds() - start);
    }
    return status;
}

// Pixels, sums and transforms for it.
struct trial {
    struct autocorr_frames frames;
    kn_buffer *pixels, *sums;
    struct autocorr_fft *fft;
};

// The largest image that the algorithm can do exactly.
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

static kn_status make_trial(const struct autocorr_engine *engine, const struct sample *sample, kn_type type,
                            enum autocorr_fft_algorithm algorithm, struct trial *trial, kn_error *err)
{
    kn_context *context = kn_queue_get_context(engine->queue);
    const struct autocorr_fft_options options = {.algorithm = algorithm};
    const uint64_t pixels = UINT64_C(0x0123456789abcdef);
    size_t side = side_of(engine, sample, type, algorithm), r = sample->max_offset;
    size_t bytes = side * side * sample->count * kn_type_size(type);
    kn_status status;

    trial->frames = (struct autocorr_frames){
        .width = side, .height = side, .count = sample->count, .type = type, .max_offset = r};
    status = kn_buffer_create(context, bytes, &trial->pixels, err);
    trial->frames.first = trial->pixels;
    if (!status)
        status = kn_buffer_create(context, sample->count * autocorr_offsets(r) * sizeof(uint64_t),
                                  &trial->sums, err);
    if (!status)
        status =
            kn_buffer_fill(engine->queue, trial->pixels, &pixels, sizeof pixels, 0, bytes, NO_EVENT, err);
    return status ? status
                  : ki_autocorr_fft_create_with(engine->queue, side, side, r, type, false, engine->exact,
                                                sample->count, &options, &trial->fft, err);
}

static kn_status measure(const struct autocorr_engine *engine, const struct sample *sample, kn_type type,
                         enum autocorr_fft_algorithm algorithm, size_t *number, struct ki_text *summary,
                         kn_error *err)
{
    struct trial trial = {.sums = NULL};
    double direct = 0, transforms = 0, side, r = (double)sample->max_offset, count = (double)sample->count;
    kn_status status = make_trial(engine, sample, type, algorithm, &trial, err);

    if (!status)
        status = time_sums(engine->queue, NULL, &trial.frames, trial.sums, &direct, err);
    if (!status)
        status = time_sums(engine->queue, trial.fft, &trial.frames, trial.sums, &transforms, err);
    if (!status) {
        side = (double)trial.frames.width;
        direct = count * direct_terms(side, side, r) / direct;
        transforms = count * transform_terms(side, side, r, false) / transforms;
        *number = number_of(direct / transforms);
        ki_text_format(summary,
                       "measured were %.3g terms of direct sums a second and %.3g of transforms (%s), with "
                       "%.0f x %.0f pixels of %zu bits and R = %zu",
                       direct, transforms, ki_autocorr_fft_algorithm_names[algorithm], side, side,
                       8 * kn_type_size(type), sample->max_offset);
    }
    ki_autocorr_fft_free(trial.fft);
    kn_buffer_free(trial.sums);
    kn_buffer_free(trial.pixels);
    return status;
}

static double ratio_unmeasured(const struct autocorr_engine *engine, enum autocorr_fft_algorithm algorithm)
{
    bool cpu = engine_is_cpu(kn_context_get_device(kn_queue_get_context(engine->queue)));

    return (cpu ? cpu_ratio : gpu_ratio) * (algorithm == AUTOCORR_FFT_NUMBER ? number_ratio
                                            : engine->exact                  ? exact_factor
                                                                             : 1);
}

// Remembered, or measured and remembered.
static kn_status get_ratio(const struct autocorr_engine *engine, kn_type type,
                           enum autocorr_fft_algorithm algorithm, double *ratio, struct ki_text *summary,
                           kn_error *err)
{
    kn_context *context = kn_queue_get_context(engine->queue);
    const struct engine_choice choice = ki_autocorr_choice_of(type, algorithm, engine->exact);
    const struct sample *sample = engine_is_cpu(kn_context_get_device(context)) ? &cpu_sample : &gpu_sample;
    kn_error reason = KN_ERROR_INIT;
    size_t number = 0;
    kn_status status = KN_OK;

    *ratio = ratio_unmeasured(engine, algorithm);
    if (!context->cache_dir) {
        ki_text_add(summary, "nothing was measured, as there is no cache to remember it in");
        return KN_OK;
    }
    if (!ki_engine_recall(context, &choice, AUTOCORR_RATIOS, &number, summary)) {
        status = measure(engine, sample, type, algorithm, &number, summary, &reason);
        if (!status)
            ki_engine_remember(context, &choice, number, summary);
    }
    if (status == KN_ERROR_LIMIT || status == KN_ERROR_MEMORY) {
        ki_text_format(summary, "nothing could be measured (%s)", reason.text);
        return KN_OK;
    }
    if (status && err)
        *err = reason;
    *ratio = ratio_of(number);
    return status;
}

// The same, once for tasks alike.
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

static double greatest_ratio(const kn_device_info *device, enum autocorr_fft_algorithm algorithm)
{
    return (engine_is_cpu(device) ? most_cpu_ratio : most_ratio) *
           (algorithm == AUTOCORR_FFT_NUMBER ? number_ratio : 1);
}

kn_status ki_autocorr_choose(struct autocorr_engine *engine, const struct autocorr_task *task,
                             kn_autocorr_method *method, kn_error *err)
{
    double terms = ki_autocorr_terms_ratio(task);
    struct ki_text *why = &engine->why;
    enum autocorr_fft_algorithm algorithm;
    const kn_device_info *device;
    kn_status status;

    ki_text_clear(why);
    if (!engine->queue) {
        *method = KN_AUTOCORR_FFT;
        ki_text_add(why, "on the host transforms were the fastest at every R from 2 on");
        return KN_OK;
    }
    device = kn_context_get_device(kn_queue_get_context(engine->queue));
    algorithm = ki_autocorr_fft_algorithm_for(device, &task->first, task->max_offset, engine->exact);
    if (terms < least_ratio || terms > greatest_ratio(device, algorithm)) {
        *method = terms < least_ratio ? KN_AUTOCORR_DIRECT : KN_AUTOCORR_FFT;
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
