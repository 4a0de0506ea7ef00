// SPDX-License-Identifier: Apache-2.0
#include "batch.h"

#include <koine/experimental.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "batch_images.h"
#include "batch_rings.h"
#include "app/autocorr/device/device_fft.h"

enum { FIRST, SECOND, PRODUCTS, RINGS, MARK, BUFFERS };

// Pinned memory of a batch at most; the images of larger ones go one after the other.
enum { PINNED_MOST = 128 << 20 };

// One batch on its way.
struct slot {
    kn_buffer *buffers[BUFFERS];
    kn_pinned *pinned; // its images, while they are copied
    size_t pinned_bytes;
    kn_event
        *brought[2]; // of copies: the first, and the last where there are more; NULL: all were waited for
    kn_event *begun, *done; // of the kernels
    struct autocorr_results results;
    struct autocorr_mask mask; // of rings
    size_t count, sum_bytes;
    double launched; // by the host's clock
    double built;    // seconds between launches, of compiling
};

struct autocorr_kept {
    kn_queue *queue, *transfers; // that computes, borrowed; that copies, beside it
    struct slot slots[AUTOCORR_BATCHES_MAX];
    size_t started, finished;    // batch i is in slot i % AUTOCORR_BATCHES_MAX
    struct autocorr_frames last; // that were started
    unsigned char *packed;       // one image of a batch that is too large to be pinned
    size_t packed_bytes;
    double *energies;   // of each frame, and each image: sum (I - m)^2; of the last batch
    size_t count;       // frames in them
    size_t energy_room; // frames that there is room for
    bool cross;
    struct autocorr_fft *fft;
    struct autocorr_frames plan; // of which it is
    size_t batch;
    struct autocorr_rings *rings;
};

static void forget_events(struct slot *slot)
{
    for (size_t i = 0; i < 2; i++) {
        kn_event_free(slot->brought[i]);
        slot->brought[i] = NULL;
    }
    kn_event_free(slot->begun);
    kn_event_free(slot->done);
    slot->begun = slot->done = NULL;
}

// What is under way uses the slots.
static void finish_queues(struct autocorr_kept *kept)
{
    kn_queue_finish(kept->transfers, NULL);
    kn_queue_finish(kept->queue, NULL);
}

void ki_autocorr_batch_abandon(struct autocorr_kept *kept)
{
    if (!kept || kept->started == kept->finished)
        return;
    finish_queues(kept);
    for (; kept->finished < kept->started; kept->finished++)
        forget_events(&kept->slots[kept->finished % AUTOCORR_BATCHES_MAX]);
}

void ki_autocorr_batch_free(struct autocorr_kept *kept)
{
    if (!kept)
        return;
    ki_autocorr_batch_abandon(kept);
    for (size_t s = 0; s < AUTOCORR_BATCHES_MAX; s++) {
        for (size_t i = 0; i < BUFFERS; i++)
            kn_buffer_free(kept->slots[s].buffers[i]);
        kn_pinned_free(kept->slots[s].pinned);
    }
    kn_queue_close(kept->transfers);
    free(kept->packed);
    free(kept->energies);
    ki_autocorr_fft_free(kept->fft);
    ki_autocorr_rings_free(kept->rings);
    free(kept);
}

kn_status ki_autocorr_batch_fft(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                                struct autocorr_fft **fft, kn_error *err)
{
    struct autocorr_kept *kept = engine->kept;
    const struct autocorr_frames *plan = &kept->plan;
    const size_t together = engine->together ? engine->together : AUTOCORR_TOGETHER_MAX;
    size_t batch;
    kn_status status;

    if (!kept->fft || plan->width != frames->width || plan->height != frames->height ||
        plan->type != frames->type || plan->max_offset != frames->max_offset ||
        !plan->second != !frames->second || frames->count > kept->batch) {
        // One frame may be all there is; more than before are a series.
        batch = kept->fft && frames->count < together ? together : frames->count;
        status = kn_queue_finish(engine->queue, err); // of the batch before, which uses it
        ki_autocorr_fft_free(kept->fft);
        kept->fft = NULL;
        if (!status)
            status = ki_autocorr_fft_create(engine->queue, frames->width, frames->height, frames->max_offset,
                                            frames->type, frames->second != NULL, engine->exact, batch,
                                            &kept->fft, err);
        if (status)
            return status;
        kept->plan = *frames;
        kept->batch = batch;
    }
    *fft = kept->fft;
    return KN_OK;
}

double ki_autocorr_batch_energy(const struct autocorr_engine *engine)
{
    const struct autocorr_kept *kept = engine->kept;
    double most = 0;

    for (size_t i = 0; i < kept->count; i++)
        most = fmax(most, sqrt(kept->energies[2 * i] * kept->energies[2 * i + kept->cross]));
    return most;
}

static kn_status grow(kn_queue *queue, kn_buffer **buffer, size_t bytes, kn_error *err)
{
    if (*buffer && kn_buffer_get_size(*buffer) >= bytes)
        return KN_OK;
    kn_buffer_free(*buffer);
    *buffer = NULL;
    return kn_buffer_create(kn_queue_get_context(queue), bytes, buffer, err);
}

static kn_status begin(struct autocorr_engine *engine, kn_error *err)
{
    struct autocorr_kept *kept = calloc(1, sizeof *kept);
    kn_status status;

    if (!kept)
        return ki_fail_memory(err, sizeof *kept, "a batch of frames");
    kept->queue = engine->queue;
    status = kn_queue_open(kn_queue_get_context(engine->queue), &kept->transfers, err);
    if (status)
        free(kept);
    else
        engine->kept = kept;
    return status;
}

static kn_status make_pinned_room(struct autocorr_kept *kept, struct slot *slot, size_t bytes, kn_error *err)
{
    const kn_device_info *info = kn_context_get_device(kn_queue_get_context(kept->queue));

    if (slot->pinned && slot->pinned_bytes >= bytes)
        return KN_OK;
    kn_pinned_free(slot->pinned);
    slot->pinned = NULL;
    slot->pinned_bytes = bytes;
    return bytes <= PINNED_MOST && bytes <= info->max_alloc
               ? kn_pinned_create(kept->transfers, bytes, &slot->pinned, err)
               : KN_OK;
}

static kn_status make_energies(struct autocorr_kept *kept, size_t count, kn_error *err)
{
    double *energies;

    if (count > kept->energy_room) {
        energies = realloc(kept->energies, 2 * count * sizeof *energies);
        if (!energies)
            return ki_fail_memory(err, 2 * count * sizeof *energies, "a batch of frames");
        kept->energies = energies;
        kept->energy_room = count;
    }
    kept->count = count;
    return KN_OK;
}

static kn_status make_host_room(struct autocorr_kept *kept, struct slot *slot, size_t image_bytes, bool cross,
                                kn_error *err)
{
    size_t count = slot->count;
    kn_status status = make_energies(kept, count, err);

    if (!status)
        status = make_pinned_room(kept, slot, count * image_bytes * (cross ? 2 : 1), err);
    if (!status && !slot->pinned && kept->packed_bytes < image_bytes) {
        free(kept->packed);
        kept->packed = malloc(image_bytes);
        kept->packed_bytes = kept->packed ? image_bytes : 0;
        if (!kept->packed)
            status = ki_fail_memory(err, image_bytes, "a batch of frames");
    }
    kept->cross = cross;
    return status;
}

static kn_status make_room(struct autocorr_engine *engine, struct slot *slot, size_t image_bytes, bool cross,
                           kn_error *err)
{
    const size_t bytes[BUFFERS] = {[FIRST] = slot->count * image_bytes,
                                   [SECOND] = cross ? slot->count * image_bytes : 0,
                                   [PRODUCTS] = slot->sum_bytes,
                                   [MARK] = sizeof(uint64_t)};
    kn_status status = make_host_room(engine->kept, slot, image_bytes, cross, err);

    for (size_t i = 0; i < BUFFERS && !status; i++)
        if (bytes[i])
            status = grow(engine->queue, &slot->buffers[i], bytes[i], err);
    return status;
}

static kn_status upload(struct autocorr_engine *engine, struct slot *slot, const struct autocorr_task *tasks,
                        bool second, kn_error *err)
{
    struct autocorr_kept *kept = engine->kept;
    const bool wants_energies = engine->ran == KN_AUTOCORR_FFT && !engine->exact;
    const struct autocorr_image *image = &tasks[0].first;
    unsigned char *pinned = kn_pinned_get_data(slot->pinned);
    struct autocorr_images images = {.transfers = kept->transfers,
                                     .to = slot->buffers[second ? SECOND : FIRST],
                                     .pinned = pinned,
                                     .packed = kept->packed,
                                     .energies = wants_energies ? kept->energies + second : NULL,
                                     .events = slot->brought};
    kn_status status;

    if (pinned && second)
        images.pinned += slot->count * image->width * image->height * kn_type_size(image->type);
    status = ki_autocorr_images_bring(&images, tasks, slot->count, second, err);
    engine->sent += images.sent;
    return status;
}

// What is launched from now on waits for the images.
static kn_status wait_for_images(struct autocorr_engine *engine, struct slot *slot, kn_error *err)
{
    const kn_event *last = slot->brought[slot->brought[1] != NULL];
    kn_status status = kn_queue_flush(engine->kept->transfers, err);

    return status || !last ? status : kn_queue_wait_for(engine->queue, last, err);
}

// The device's clock is read where this is reached.
static kn_status mark(struct autocorr_engine *engine, struct slot *slot, kn_event **event, kn_error *err)
{
    const uint64_t nothing = 0;

    return kn_buffer_fill(engine->queue, slot->buffers[MARK], &nothing, sizeof nothing, 0, sizeof nothing,
                          event, err);
}

static kn_status rings(struct autocorr_engine *engine, struct slot *slot,
                       const struct autocorr_frames *frames, kn_error *err)
{
    struct autocorr_kept *kept = engine->kept;
    bool has_tables = engine->ran == KN_AUTOCORR_FFT && !slot->mask.bytes &&
                      frames->count <= ki_autocorr_fft_batch(kept->fft);
    kn_status status = ki_autocorr_rings_prepare(engine->queue, frames, &slot->mask, &kept->rings, err);

    if (!status)
        status = grow(engine->queue, &slot->buffers[RINGS], ki_autocorr_rings_bytes(kept->rings, slot->count),
                      err);
    return status ? status
                  : ki_autocorr_rings_run(engine->queue, kept->rings, frames, slot->buffers[PRODUCTS],
                                          has_tables ? ki_autocorr_fft_tables(kept->fft) : NULL,
                                          slot->results.normalization, slot->buffers[RINGS], err);
}

static kn_status launch(struct autocorr_engine *engine, struct slot *slot,
                        const struct autocorr_frames *frames, autocorr_on_device *compute, kn_error *err)
{
    kn_status status = mark(engine, slot, &slot->begun, err);

    if (!status)
        status = compute(engine, frames, slot->buffers[PRODUCTS], err);
    if (!status && slot->results.rings)
        status = rings(engine, slot, frames, err);
    if (!status)
        status = mark(engine, slot, &slot->done, err);
    return status ? status : kn_queue_flush(engine->queue, err);
}

// Whether another batch can be started.
static kn_status check_started(const struct autocorr_kept *kept, const struct autocorr_frames *frames,
                               kn_error *err)
{
    const struct autocorr_frames *last = &kept->last;
    size_t count = kept->started - kept->finished;

    if (count == AUTOCORR_BATCHES_MAX)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%d batches are under way; finish one first",
                       AUTOCORR_BATCHES_MAX);
    if (count && (last->width != frames->width || last->height != frames->height ||
                  last->type != frames->type || last->max_offset != frames->max_offset))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "a batch of other frames is under way, of %zu x %zu pixels with R = %zu; finish it first",
            last->width, last->height, last->max_offset);
    return KN_OK;
}

// Into the slot. The copies may go on when this returns.
static kn_status bring(struct autocorr_engine *engine, struct slot *slot, const struct autocorr_task *tasks,
                       struct autocorr_frames *frames, kn_error *err)
{
    bool cross = tasks[0].second.pixels != NULL;
    double start = ki_clock_seconds();
    kn_status status =
        make_room(engine, slot, frames->width * frames->height * kn_type_size(frames->type), cross, err);

    if (!status)
        status = upload(engine, slot, tasks, false, err);
    if (!status && cross)
        status = upload(engine, slot, tasks, true, err);
    if (!status)
        status = wait_for_images(engine, slot, err);
    frames->first = slot->buffers[FIRST];
    frames->second = cross ? slot->buffers[SECOND] : NULL;
    slot->launched = ki_clock_seconds();
    engine->seconds.upload += slot->launched - start;
    return status;
}

// Of frames that nobody looks at. Of any image of 8 bits, say, the sum of squares about the mean is at most
// that of one half black and half white, and the mean rounded down is less than 1 off.
static kn_status take_greatest_energies(struct autocorr_kept *kept, const struct autocorr_frames *frames,
                                        kn_error *err)
{
    double half = frames->type == KN_U8 ? 127.5 : 32767.5,
           most = (double)frames->width * (double)frames->height * (half * half + 1);
    kn_status status = make_energies(kept, frames->count, err);

    for (size_t i = 0; i < 2 * frames->count && !status; i++)
        kept->energies[i] = most;
    kept->cross = frames->second != NULL;
    return status;
}

// Frames that are there already.
static kn_status stay(struct autocorr_engine *engine, struct slot *slot, const struct autocorr_frames *frames,
                      kn_error *err)
{
    kn_status status = take_greatest_energies(engine->kept, frames, err);

    if (!status)
        status = grow(engine->queue, &slot->buffers[PRODUCTS], slot->sum_bytes, err);
    if (!status)
        status = grow(engine->queue, &slot->buffers[MARK], sizeof(uint64_t), err);
    slot->launched = ki_clock_seconds();
    return status;
}

// Frames of `tasks`, or without these those that are there.
static kn_status run(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                     struct autocorr_frames *frames, autocorr_on_device *compute,
                     const struct autocorr_results *results, kn_error *err)
{
    kn_context *context = kn_queue_get_context(engine->queue);
    double built = kn_context_get_build_seconds(context);
    struct autocorr_kept *kept = engine->kept;
    struct slot *slot;
    kn_status status = check_started(kept, frames, err);

    if (status)
        return status;
    if (kept->started == kept->finished) // so that the same calls use the same slots
        kept->started = kept->finished = 0;
    slot = &kept->slots[kept->started % AUTOCORR_BATCHES_MAX];
    slot->results = *results;
    slot->mask = tasks ? (struct autocorr_mask){tasks[0].mask, tasks[0].mask_stride}
                       : (struct autocorr_mask){.bytes = NULL};
    slot->count = frames->count;
    slot->sum_bytes = frames->count * autocorr_offsets(frames->max_offset) * sizeof(uint64_t);
    status = tasks ? bring(engine, slot, tasks, frames, err) : stay(engine, slot, frames, err);
    if (!status)
        status = launch(engine, slot, frames, compute, err);
    slot->built = kn_context_get_build_seconds(context) - built;
    engine->seconds.build += slot->built;
    if (status) { // what was launched uses the slot
        finish_queues(kept);
        forget_events(slot);
        return status;
    }
    kept->last = *frames;
    kept->started++;
    return KN_OK;
}

// Rings have one mask for all frames.
static kn_status check_masks(const struct autocorr_task *tasks, size_t count, kn_error *err)
{
    for (size_t i = 1; i < count; i++)
        if (tasks[i].mask != tasks[0].mask || tasks[i].mask_stride != tasks[0].mask_stride)
            return ki_fail(err, KN_ERROR_ARGUMENT, "the rings of frames 0 and %zu, which have other masks",
                           i);
    return KN_OK;
}

kn_status ki_autocorr_batch_start(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                                  size_t count, autocorr_on_device *compute,
                                  const struct autocorr_results *results, kn_error *err)
{
    const struct autocorr_image *image = &tasks[0].first;
    struct autocorr_frames frames = {.width = image->width,
                                     .height = image->height,
                                     .count = count,
                                     .type = image->type,
                                     .max_offset = tasks[0].max_offset};
    kn_status status = engine->kept ? KN_OK : begin(engine, err);

    for (size_t i = 0; i < count && !status; i++)
        status = ki_autocorr_check(&tasks[i], err);
    if (!status && results->rings)
        status = check_masks(tasks, count, err);
    return status ? status : run(engine, tasks, &frames, compute, results, err);
}

kn_status ki_autocorr_batch_start_frames(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                                         autocorr_on_device *compute, const struct autocorr_results *results,
                                         kn_error *err)
{
    struct autocorr_frames there = *frames;
    kn_status status = engine->kept ? KN_OK : begin(engine, err);

    return status ? status : run(engine, NULL, &there, compute, results, err);
}

kn_status ki_autocorr_batch_enqueue(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                                    autocorr_on_device *compute, kn_buffer *sums, kn_error *err)
{
    kn_status status = engine->kept ? KN_OK : begin(engine, err);

    if (!status)
        status = take_greatest_energies(engine->kept, frames, err);
    return status ? status : compute(engine, frames, sums, err);
}

// Seconds of copies that nobody waited for, from the first one on.
static double copying(const struct slot *slot)
{
    const kn_event *last = slot->brought[slot->brought[1] != NULL];
    uint64_t start = 0, end = 0, unused;

    if (!last || kn_event_get_span(slot->brought[0], &start, &unused, NULL) != KN_OK ||
        kn_event_get_span(last, &unused, &end, NULL) != KN_OK)
        return 0;
    return end > start ? 1e-9 * (double)(end - start) : 0;
}

// Of copies, and of the kernels: by the device's clock, or where it has none, kernels
// by the host's. A queue of the caller's need not measure (koine/opencl.h); that its work is done was seen.
static void add_seconds(struct autocorr_engine *engine, const struct slot *slot)
{
    double waited = ki_clock_seconds() - slot->launched, seconds;
    uint64_t start = 0, end = 0, unused;
    bool measures = kn_event_get_span(slot->begun, &start, &unused, NULL) == KN_OK &&
                    kn_event_get_span(slot->done, &unused, &end, NULL) == KN_OK;

    seconds = measures && end > start ? 1e-9 * (double)(end - start) : waited;
    engine->seconds.compute += fmax(seconds - slot->built, 0);
    engine->seconds.upload += copying(slot);
}

kn_status ki_autocorr_batch_finish(struct autocorr_engine *engine, kn_error *err)
{
    struct autocorr_kept *kept = engine->kept;
    struct slot *slot = &kept->slots[kept->finished % AUTOCORR_BATCHES_MAX];
    const struct autocorr_results *results = &slot->results;
    kn_status status = kn_event_wait(slot->done, err);
    double clock = ki_clock_seconds();

    kept->finished++;
    if (!status)
        add_seconds(engine, slot);
    if (!status && results->products)
        status = kn_buffer_read(kept->transfers, slot->buffers[PRODUCTS], 0, results->products,
                                slot->sum_bytes, err);
    if (!status && results->rings)
        status = ki_autocorr_rings_read(kept->transfers, kept->rings, slot->buffers[RINGS], slot->count,
                                        results->rings, err);
    engine->seconds.download += ki_clock_seconds() - clock;
    forget_events(slot);
    return status;
}
