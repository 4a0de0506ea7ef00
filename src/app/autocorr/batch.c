// SPDX-License-Identifier: Apache-2.0
#include "batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/clock.h"
#include "../../base/error.h"
#include "device_fft.h"

enum { FIRST, SECOND, PRODUCTS, BUFFERS };

struct autocorr_kept {
    kn_buffer *buffers[BUFFERS];
    unsigned char *packed;
    size_t packed_bytes;
    double *energies; // of each frame, and each image: sum (I - m)^2
    size_t count;     // frames in them
    bool cross;
    struct autocorr_fft *fft;
    struct autocorr_frames plan; // of which it is
    size_t batch;
};

void autocorr_batch_free(struct autocorr_kept *kept)
{
    if (!kept)
        return;
    for (size_t i = 0; i < BUFFERS; i++)
        kn_buffer_free(kept->buffers[i]);
    free(kept->packed);
    free(kept->energies);
    autocorr_fft_free(kept->fft);
    free(kept);
}

kn_status autocorr_batch_fft(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                             struct autocorr_fft **fft, kn_error *err)
{
    struct autocorr_kept *kept = engine->kept;
    const struct autocorr_frames *plan = &kept->plan;
    size_t batch;
    kn_status status;

    if (!kept->fft || plan->width != frames->width || plan->height != frames->height ||
        plan->type != frames->type || plan->max_offset != frames->max_offset ||
        !plan->second != !frames->second || frames->count > kept->batch) {
        // One frame may be all there is; more than before are a series.
        batch = kept->fft && frames->count < AUTOCORR_TOGETHER_MAX ? AUTOCORR_TOGETHER_MAX : frames->count;
        autocorr_fft_free(kept->fft);
        kept->fft = NULL;
        status =
            autocorr_fft_create(engine->queue, frames->width, frames->height, frames->max_offset,
                                frames->type, frames->second != NULL, engine->exact, batch, &kept->fft, err);
        if (status)
            return status;
        kept->plan = *frames;
        kept->batch = batch;
    }
    *fft = kept->fft;
    return KN_OK;
}

static uint64_t level_at(const unsigned char *pixels, kn_type type, size_t i)
{
    return type == KN_U8 ? pixels[i] : ((const uint16_t *)(const void *)pixels)[i];
}

// In whole numbers below 2^63: nothing cancels.
static double energy_of(const unsigned char *pixels, kn_type type, size_t count)
{
    uint64_t sum = 0, squares = 0, mean;

    for (size_t i = 0; i < count; i++) {
        uint64_t level = level_at(pixels, type, i);

        sum += level;
        squares += level * level;
    }
    mean = sum / count;
    return (double)(squares + mean * mean * count - 2 * mean * sum);
}

double autocorr_batch_energy(const struct autocorr_engine *engine)
{
    const struct autocorr_kept *kept = engine->kept;
    double most = 0;

    for (size_t i = 0; i < kept->count; i++)
        most = fmax(most, sqrt(kept->energies[2 * i] * kept->energies[2 * i + kept->cross]));
    return most;
}

static kn_status grow(kn_queue *queue, kn_buffer **buffer, size_t bytes, kn_error *err)
{
    if (*buffer && kn_buffer_size(*buffer) >= bytes)
        return KN_OK;
    kn_buffer_free(*buffer);
    *buffer = NULL;
    return kn_buffer_create(kn_queue_context(queue), bytes, buffer, err);
}

static kn_status make_room(struct autocorr_engine *engine, size_t count, size_t image_bytes, bool cross,
                           size_t sum_bytes, kn_error *err)
{
    struct autocorr_kept *kept = engine->kept;
    double *energies;
    kn_status status;

    if (!kept)
        kept = engine->kept = calloc(1, sizeof *kept);
    if (!kept)
        return kn_fail_memory(err, sizeof *kept, "a batch of frames");
    if (kept->packed_bytes < image_bytes) {
        free(kept->packed);
        kept->packed = malloc(image_bytes);
        kept->packed_bytes = kept->packed ? image_bytes : 0;
        if (!kept->packed)
            return kn_fail_memory(err, image_bytes, "a batch of frames");
    }
    energies = realloc(kept->energies, 2 * count * sizeof *energies);
    if (!energies)
        return kn_fail_memory(err, 2 * count * sizeof *energies, "a batch of frames");
    kept->energies = energies;
    kept->count = count;
    kept->cross = cross;
    status = grow(engine->queue, &kept->buffers[FIRST], image_bytes, err);
    if (!status && cross)
        status = grow(engine->queue, &kept->buffers[SECOND], image_bytes, err);
    return status ? status : grow(engine->queue, &kept->buffers[PRODUCTS], sum_bytes, err);
}

// One image without gaps, black where the mask leaves it out.
static void pack(const struct autocorr_image *image, const struct autocorr_task *task, unsigned char *to)
{
    size_t size = kn_type_size(image->type), row = image->width * size;

    for (size_t y = 0; y < image->height; y++, to += row) {
        memcpy(to, (const unsigned char *)image->pixels + y * image->stride * size, row);
        for (size_t x = 0; task->mask && x < image->width; x++)
            if (!task->mask[y * task->mask_stride + x])
                memset(to + x * size, 0, size);
    }
}

static kn_status upload(struct autocorr_engine *engine, const struct autocorr_task *tasks, size_t count,
                        bool second, kn_error *err)
{
    const struct autocorr_image *image = &tasks[0].first;
    size_t bytes = image->width * image->height * kn_type_size(image->type);
    struct autocorr_kept *kept = engine->kept;

    for (size_t i = 0; i < count; i++) {
        pack(second ? autocorr_second(&tasks[i]) : &tasks[i].first, &tasks[i], kept->packed + i * bytes);
        if (engine->ran == AUTOCORR_FFT && !engine->exact)
            kept->energies[2 * i + second] =
                energy_of(kept->packed + i * bytes, image->type, image->width * image->height);
    }
    return kn_buffer_write(engine->queue, kept->buffers[second ? SECOND : FIRST], 0, kept->packed,
                           count * bytes, err);
}

kn_status autocorr_batch(struct autocorr_engine *engine, const struct autocorr_task *tasks, size_t count,
                         autocorr_on_device *compute, uint64_t *products, kn_error *err)
{
    const struct autocorr_image *image = &tasks[0].first;
    bool cross = tasks[0].second.pixels != NULL;
    size_t sum_bytes = count * autocorr_offsets(tasks[0].max_offset) * sizeof *products;
    struct autocorr_frames frames = {.width = image->width,
                                     .height = image->height,
                                     .count = count,
                                     .type = image->type,
                                     .max_offset = tasks[0].max_offset};
    kn_context *context = kn_queue_context(engine->queue);
    double clock = kn_clock_seconds(), built = kn_context_build_seconds(context), uploaded, computed;
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; i++)
        status = autocorr_check(&tasks[i], err);
    if (!status)
        status = make_room(engine, count, count * image->width * image->height * kn_type_size(image->type),
                           cross, sum_bytes, err);
    if (!status)
        status = upload(engine, tasks, count, false, err);
    if (!status && cross)
        status = upload(engine, tasks, count, true, err);
    if (status)
        return status;
    frames.first = engine->kept->buffers[FIRST];
    frames.second = cross ? engine->kept->buffers[SECOND] : NULL;
    uploaded = kn_clock_seconds();
    status = compute(engine, &frames, engine->kept->buffers[PRODUCTS], err);
    if (!status)
        status = kn_queue_finish(engine->queue, err);
    computed = kn_clock_seconds();
    if (!status)
        status = kn_buffer_read(engine->queue, engine->kept->buffers[PRODUCTS], 0, products, sum_bytes, err);
    built = kn_context_build_seconds(context) - built;
    engine->seconds.build += built;
    engine->seconds.upload += uploaded - clock;
    engine->seconds.compute += computed - uploaded - built;
    engine->seconds.download += kn_clock_seconds() - computed;
    return status;
}
