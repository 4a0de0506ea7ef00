// SPDX-License-Identifier: Apache-2.0
#include "batch_images.h"

#include <string.h>

#include "base/vector.h"

// Those of a call.
struct side {
    struct autocorr_images *images;
    const struct autocorr_task *tasks;
    size_t count, bytes; // of each image
    bool second;
};

static struct autocorr_image image_of(const struct side *side, size_t i)
{
    return side->second ? *autocorr_second(&side->tasks[i]) : side->tasks[i].first;
}

static struct autocorr_copy *copy_of(const struct side *side, size_t i)
{
    return side->second ? side->tasks[i].second_copy : side->tasks[i].copy;
}

// ---- by the host ----

static void blacken(void *row, kn_type type, const uint8_t *mask, size_t width)
{
    uint8_t *bytes = row;
    uint16_t *wide = row;

    if (type == KN_U8) {
        KI_SIMD
        for (size_t x = 0; x < width; x++)
            bytes[x] = mask[x] ? bytes[x] : 0;
    } else {
        KI_SIMD
        for (size_t x = 0; x < width; x++)
            wide[x] = mask[x] ? wide[x] : 0;
    }
}

// One image without gaps, black where the mask leaves it out.
static void pack(const struct autocorr_image *image, const struct autocorr_task *task, unsigned char *to)
{
    size_t size = kn_type_size(image->type), row = image->width * size;

    for (size_t y = 0; y < image->height; y++, to += row) {
        memcpy(to, (const unsigned char *)image->pixels + y * image->stride * size, row);
        if (task->mask)
            blacken(to, image->type, task->mask + y * task->mask_stride, image->width);
    }
}

// As it was told, or as its copy has it; 0: not known yet.
static double known_energy(const struct side *side, size_t i)
{
    const struct autocorr_task *task = &side->tasks[i];
    const struct autocorr_copy *copy = copy_of(side, i);
    const double told = side->second ? task->second_energy : task->energy;

    return told > 0 || !copy ? told : copy->energy;
}

// Whether nothing of an image is wanted of the host.
static bool is_there(const struct side *side, size_t i)
{
    const struct autocorr_copy *copy = copy_of(side, i);

    return copy && copy->is_there && (!side->images->energies || known_energy(side, i) > 0);
}

static void set_energy(const struct side *side, size_t i, const struct autocorr_image *packed)
{
    const double known = known_energy(side, i),
                 energy = known > 0 ? known : ki_autocorr_energy(packed, NULL, 0);

    side->images->energies[2 * i] = energy;
    if (copy_of(side, i))
        copy_of(side, i)->energy = energy;
}

// Packed where it has to be, and sent where it does not wait for others.
static kn_status prepare(const struct side *side, size_t i, kn_error *err)
{
    struct autocorr_images *images = side->images;
    struct autocorr_image image = image_of(side, i);

    if (is_there(side, i)) {
        if (images->energies)
            images->energies[2 * i] = known_energy(side, i);
        return KN_OK;
    }
    if (images->pinned || side->tasks[i].mask || image.stride != image.width) {
        unsigned char *packed = images->pinned ? images->pinned + i * side->bytes : images->packed;

        pack(&image, &side->tasks[i], packed);
        image.pixels = packed;
        image.stride = image.width;
    }
    if (images->energies)
        set_energy(side, i, &image);
    images->sent++;
    return images->pinned ? KN_OK
                          : kn_buffer_write(images->transfers, images->to, i * side->bytes, image.pixels,
                                            side->bytes, err);
}

// ---- copies ----

static void note(struct autocorr_images *images, kn_event *event)
{
    kn_event **to = &images->events[images->events[0] != NULL];

    kn_event_free(*to);
    *to = event;
}

// Where images of a run are that is copied at once: all of them on the device, one behind another, or none.
static bool goes_on(const struct side *side, size_t i, bool on_device)
{
    const struct autocorr_copy *before = copy_of(side, i),
                               *next = i + 1 < side->count ? copy_of(side, i + 1) : NULL;

    if (i + 1 == side->count)
        return false;
    return !on_device || (next && next->buffer == before->buffer && next->at == before->at + side->bytes);
}

static kn_status bring_run(const struct side *side, size_t first, size_t count, bool from_copies,
                           kn_error *err)
{
    struct autocorr_images *images = side->images;
    const size_t at = first * side->bytes, bytes = count * side->bytes;
    const struct autocorr_copy *copy = copy_of(side, first);
    kn_event *event = NULL;
    kn_status status;

    if (!from_copies && !images->pinned)
        return KN_OK; // each was sent
    status = from_copies ? kn_buffer_copy(images->transfers, copy->buffer, copy->at, images->to, at, bytes,
                                          &event, err)
                         : kn_buffer_write_async(images->transfers, images->to, at, images->pinned + at,
                                                 bytes, &event, err);
    if (!status)
        note(images, event);
    return status;
}

static kn_status bring_all(const struct side *side, kn_error *err)
{
    kn_status status = KN_OK;
    size_t run;

    for (size_t i = 0; i < side->count && !status; i += run) {
        const bool there = is_there(side, i);

        for (run = 1; goes_on(side, i + run - 1, there) && is_there(side, i + run) == there; run++)
            continue;
        status = bring_run(side, i, run, there, err);
    }
    return status;
}

static kn_status leave_run(const struct side *side, size_t first, size_t count, kn_error *err)
{
    struct autocorr_images *images = side->images;
    const struct autocorr_copy *copy = copy_of(side, first);
    kn_event *event = NULL;
    kn_status status = kn_buffer_copy(images->transfers, images->to, first * side->bytes, copy->buffer,
                                      copy->at, count * side->bytes, &event, err);

    if (status)
        return status;
    note(images, event);
    for (size_t i = first; i < first + count; i++)
        copy_of(side, i)->is_there = true;
    return KN_OK;
}

static bool is_missing(const struct side *side, size_t i)
{
    const struct autocorr_copy *copy = copy_of(side, i);

    return copy && !copy->is_there;
}

// Copies that there are to be of these images.
static kn_status leave_copies(const struct side *side, kn_error *err)
{
    kn_status status = KN_OK;
    size_t run;

    for (size_t i = 0; i < side->count && !status; i += run) {
        run = 1;
        if (!is_missing(side, i))
            continue;
        while (goes_on(side, i + run - 1, true) && is_missing(side, i + run))
            run++;
        status = leave_run(side, i, run, err);
    }
    return status;
}

kn_status ki_autocorr_images_bring(struct autocorr_images *images, const struct autocorr_task *tasks,
                                   size_t count, bool second, kn_error *err)
{
    const struct autocorr_image *image = &tasks[0].first;
    const struct side side = {.images = images,
                              .tasks = tasks,
                              .count = count,
                              .bytes = image->width * image->height * kn_type_size(image->type),
                              .second = second};
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; i++)
        status = prepare(&side, i, err);
    if (!status)
        status = bring_all(&side, err);
    return status ? status : leave_copies(&side, err);
}
