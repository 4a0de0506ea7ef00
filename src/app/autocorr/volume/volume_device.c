// SPDX-License-Identifier: Apache-2.0
#include "volume_device.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/defines.h"
#include "engine/engine.h"
#include "engine/scratch.h"

enum { ACROSS = 32, DOWN = 8, GROUP = ACROSS * DOWN }; // of a work-group

enum { CUT, MULTIPLY, COLLECT, ADD_UP, KERNELS };

// Scratch memory: a piece, values that came back, sums, a product, and the spectra.
enum { PIECE, VALUES, SUMS, PRODUCT, SPECTRA, SLOTS = SPECTRA + 2 * VOLUME_PIECES };

struct autocorr_volume_device {
    struct autocorr_volume_plan plan;
    kn_kernel *kernels[KERNELS];
    kn_fft_plan *there[2], *back;
    kn_buffer *turns[2];
};

struct run {
    kn_queue *queue;
    const struct autocorr_volume_device *device;
    kn_buffer *slots[SLOTS];
};

// Numbers of the three axes, as the kernels take them.
typedef struct {
    uint32_t axis[4];
} vector;

#define VECTOR_OF(field)                                                                                     \
    {                                                                                                        \
        {                                                                                                    \
            (uint32_t) axis[0].field, (uint32_t)axis[1].field, (uint32_t)axis[2].field, 0                    \
        }                                                                                                    \
    }

static kn_range range_of(size_t x, size_t y, size_t z)
{
    return (kn_range){
        3, {(x + ACROSS - 1) / ACROSS * ACROSS, (y + DOWN - 1) / DOWN * DOWN, z}, {ACROSS, DOWN, 1}, {0}};
}

// ---- what is kept ----

static kn_status get_kernels(kn_context *context, struct autocorr_volume_device *device, kn_error *err)
{
    static const char *const names[KERNELS] = {"autocorr_volume_cut", "autocorr_volume_multiply",
                                               "autocorr_volume_collect", "autocorr_volume_add_up"};
    struct engine_defines defines = {.count = 0};
    kn_status status = KN_OK;

    ki_engine_define(&defines, "PIXEL_BITS", device->plan.volume.type == KN_U8 ? 8 : 16);
    ki_engine_define(&defines, "REAL_BITS", 64);
    ki_engine_define(&defines, "ACROSS", ACROSS);
    ki_engine_define(&defines, "DOWN", DOWN);
    for (unsigned i = 0; i < KERNELS && !status; i++)
        status =
            ki_engine_builtin_kernel(context, "app/autocorr/autocorr_volume.cl", defines.items, defines.count,
                                     KN_POLICY_DEFAULT, names[i], &device->kernels[i], err);
    return status;
}

static kn_status make_turns(kn_queue *queue, struct autocorr_volume_device *device, unsigned axis,
                            kn_error *err)
{
    const size_t circle = device->plan.axis[axis].circle,
                 bytes = 2 * (axis ? circle : circle / 2 + 1) * sizeof(double);
    double *turns = ki_autocorr_volume_turns(&device->plan, axis);
    kn_status status = turns ? kn_buffer_create(queue->context, bytes, &device->turns[axis], err)
                             : ki_fail_memory(err, bytes, "a volume's roots of unity");

    if (!status)
        status = kn_buffer_write(queue, device->turns[axis], 0, turns, bytes, err);
    free(turns);
    return status;
}

static kn_status make_transforms(kn_queue *queue, struct autocorr_volume_device *device, kn_error *err)
{
    const kn_fft_options options = KN_INIT(kn_fft_options, .library = KN_FFT_OWN);
    const kn_fft_shape back = ki_autocorr_volume_back(&device->plan);
    kn_status status = kn_fft_plan_create(queue, &back, &options, &device->back, err);

    for (unsigned i = 0; i < (device->plan.cross ? 2 : 1) && !status; i++) {
        const kn_fft_shape there = ki_autocorr_volume_there(&device->plan, i);

        status = kn_fft_plan_create(queue, &there, &options, &device->there[i], err);
    }
    return status;
}

kn_status ki_autocorr_volume_device_create(kn_queue *queue, const struct autocorr_volume_plan *plan,
                                           struct autocorr_volume_device **device, kn_error *err)
{
    const kn_device_info *info = kn_context_get_device(queue->context);
    struct autocorr_volume_device *made;
    kn_status status;

    *device = NULL;
    if (!info->fp64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "volumes and periodic images are correlated in double precision, which %s has not; "
                       "the host has it",
                       info->spec);
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a volume's correlation");
    made->plan = *plan;
    status = get_kernels(queue->context, made, err);
    if (!status)
        status = make_transforms(queue, made, err);
    for (unsigned axis = 0; axis < 2 && !status; axis++)
        status = make_turns(queue, made, axis, err);
    if (status)
        ki_autocorr_volume_device_free(made);
    else
        *device = made;
    return status;
}

void ki_autocorr_volume_device_free(struct autocorr_volume_device *device)
{
    if (!device)
        return;
    kn_fft_plan_free(device->back);
    for (unsigned i = 0; i < 2; i++) {
        kn_fft_plan_free(device->there[i]);
        kn_buffer_free(device->turns[i]);
    }
    free(device);
}

const struct autocorr_volume_plan *ki_autocorr_volume_device_plan(const struct autocorr_volume_device *device)
{
    return &device->plan;
}

// ---- sums ----

static kn_status transform_piece(const struct run *run, const kn_buffer *voxels, uint64_t from, bool second,
                                 unsigned piece, kn_error *err)
{
    const struct autocorr_volume_plan *plan = &run->device->plan;
    const struct autocorr_volume_axis *axis = plan->axis;
    const vector size = VECTOR_OF(size), lower = VECTOR_OF(lower), upper = VECTOR_OF(upper);
    const vector whole = VECTOR_OF(whole), there = second ? whole : size;
    const uint32_t shift = piece * plan->bits, keep = (1U << plan->bits) - 1;
    const kn_range range = range_of(there.axis[0], there.axis[1], there.axis[2]);
    const kn_arg args[] = {KN_BUFFER(voxels), KN_VALUE(from),  KN_BUFFER(run->slots[PIECE]),
                           KN_VALUE(size),    KN_VALUE(there), KN_VALUE(lower),
                           KN_VALUE(upper),   KN_VALUE(shift), KN_VALUE(keep)};
    kn_status status =
        kn_launch(run->queue, run->device->kernels[CUT], &range, args, KI_COUNT(args), NO_EVENT, err);

    return status ? status
                  : kn_fft_execute(run->queue, run->device->there[second], KN_FFT_FORWARD, run->slots[PIECE],
                                   run->slots[SPECTRA + (second ? VOLUME_PIECES : 0U) + piece], err);
}

static kn_status multiply_pairs(const struct run *run, unsigned number, kn_buffer *product, kn_error *err)
{
    const struct autocorr_volume_plan *plan = &run->device->plan;
    const size_t width = plan->axis[0].circle / 2 + 1, height = plan->axis[1].circle,
                 depth = plan->axis[2].circle;
    const vector size = {{(uint32_t)width, (uint32_t)height, (uint32_t)depth, 0}};
    const kn_range range = range_of(width, height, depth);
    struct autocorr_volume_pair pairs[VOLUME_PIECES];
    unsigned count = ki_autocorr_volume_pairs(plan, number, pairs);
    kn_status status = KN_OK;

    for (uint32_t i = 0; i < count && !status; i++) {
        const uint32_t kind = pairs[i].kind, add = i > 0;
        const kn_arg args[] = {
            KN_BUFFER(run->slots[SPECTRA + pairs[i].first]),
            KN_BUFFER(run->slots[SPECTRA + (plan->cross ? VOLUME_PIECES : 0U) + pairs[i].second]),
            KN_BUFFER(product),
            KN_BUFFER(run->device->turns[0]),
            KN_BUFFER(run->device->turns[1]),
            KN_VALUE(size),
            KN_VALUE(kind),
            KN_VALUE(add)};

        status = kn_launch(run->queue, run->device->kernels[MULTIPLY], &range, args, KI_COUNT(args), NO_EVENT,
                           err);
    }
    return status;
}

static kn_status collect(const struct run *run, unsigned number, kn_error *err)
{
    const struct autocorr_volume_plan *plan = &run->device->plan;
    const struct autocorr_volume_axis *axis = plan->axis;
    const vector size = VECTOR_OF(size), lower = VECTOR_OF(lower), upper = VECTOR_OF(upper);
    const size_t *reach = plan->volume.reach;
    const vector reaches = {{(uint32_t)reach[0], (uint32_t)reach[1], (uint32_t)reach[2], 0}};
    const uint64_t count = autocorr_volume_offsets(&plan->volume);
    const uint32_t shift = number * plan->bits, add = number > 0, periodic = plan->volume.periodic;
    const kn_range range = {1, {(count + GROUP - 1) / GROUP * GROUP}, {GROUP}, {0}};
    const kn_arg args[] = {KN_BUFFER(run->slots[VALUES]),
                           KN_BUFFER(run->slots[SUMS]),
                           KN_VALUE(size),
                           KN_VALUE(lower),
                           KN_VALUE(upper),
                           KN_VALUE(reaches),
                           KN_VALUE(periodic),
                           KN_VALUE(count),
                           KN_VALUE(shift),
                           KN_VALUE(add)};

    return kn_launch(run->queue, run->device->kernels[COLLECT], &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status get_slots(const struct engine_scratch *scratch, struct run *run, kn_error *err)
{
    const struct autocorr_volume_plan *plan = &run->device->plan;
    const size_t spectrum = ki_autocorr_volume_spectrum(plan) * 2 * sizeof(double);
    const bool alone = !plan->cross && plan->pieces == 1; // its product may stand in its spectrum's place
    size_t bytes[SLOTS] = {[PIECE] = ki_autocorr_volume_bytes(plan, true),
                           [VALUES] = ki_autocorr_volume_values(plan) * sizeof(double),
                           [SUMS] = autocorr_volume_offsets(&plan->volume) * sizeof(uint64_t),
                           [PRODUCT] = alone ? 0 : spectrum};
    kn_status status = KN_OK;

    for (unsigned i = 0; i < (plan->cross ? 2 : 1); i++)
        for (unsigned piece = 0; piece < plan->pieces; piece++)
            bytes[SPECTRA + i * VOLUME_PIECES + piece] = spectrum;
    for (unsigned slot = 0; slot < SLOTS && !status; slot++)
        if (bytes[slot])
            status = ki_engine_scratch_get(scratch, slot, bytes[slot], &run->slots[slot], err);
    if (alone)
        run->slots[PRODUCT] = run->slots[SPECTRA];
    return status;
}

static kn_status enqueue(const struct run *run, const kn_buffer *first, const kn_buffer *second,
                         uint64_t from, kn_error *err)
{
    const struct autocorr_volume_plan *plan = &run->device->plan;
    kn_status status = KN_OK;

    for (unsigned piece = 0; piece < plan->pieces && !status; piece++) {
        status = transform_piece(run, first, from, false, piece, err);
        if (!status && plan->cross)
            status = transform_piece(run, second ? second : first, from, true, piece, err);
    }
    for (unsigned number = 0; number < 2 * plan->pieces - 1 && !status; number++) {
        status = multiply_pairs(run, number, run->slots[PRODUCT], err);
        if (!status)
            status = kn_fft_execute(run->queue, run->device->back, KN_FFT_INVERSE, run->slots[PRODUCT],
                                    run->slots[VALUES], err);
        if (!status)
            status = collect(run, number, err);
    }
    return status;
}

kn_status ki_autocorr_volume_device_sums(kn_queue *queue, struct autocorr_volume_device *device,
                                         const kn_buffer *first, const kn_buffer *second, uint64_t from,
                                         uint64_t *products, kn_error *err)
{
    struct engine_scratch scratch =
        ki_engine_scratch_open(queue, ENGINE_SCRATCH_OPERATOR, SLOTS, "kn_autocorr_execute");
    struct run run = {.queue = queue, .device = device};
    const size_t bytes = autocorr_volume_offsets(&device->plan.volume) * sizeof *products;
    kn_status status = get_slots(&scratch, &run, err);

    if (!status)
        status = enqueue(&run, first, second, from, err);
    if (!status)
        status = kn_buffer_read(queue, run.slots[SUMS], 0, products, bytes, err);
    ki_engine_scratch_close(&scratch);
    return status;
}

kn_status ki_autocorr_volume_device_slices(kn_queue *queue, struct autocorr_volume_device *device,
                                           const kn_buffer *voxels, uint64_t from,
                                           struct autocorr_cell *slices, kn_error *err)
{
    const struct autocorr_volume_plan *plan = &device->plan;
    const struct autocorr_volume_axis *axis = plan->axis;
    const vector size = VECTOR_OF(size);
    const bool periodic = plan->volume.periodic;
    const vector cells = {{(uint32_t)ki_autocorr_volume_cells(&axis[0], periodic),
                           (uint32_t)ki_autocorr_volume_cells(&axis[1], periodic), 0, 0}};
    const kn_range range = range_of(cells.axis[0], cells.axis[1], size.axis[2]);
    const size_t bytes = ki_autocorr_volume_slices(plan) * sizeof *slices;
    struct engine_scratch scratch =
        ki_engine_scratch_open(queue, ENGINE_SCRATCH_OPERATOR, 1, "kn_autocorr_execute");
    kn_buffer *there;
    kn_status status = ki_engine_scratch_get(&scratch, 0, bytes, &there, err);

    if (!status) {
        const kn_arg args[] = {KN_BUFFER(voxels), KN_VALUE(from), KN_BUFFER(there), KN_VALUE(size),
                               KN_VALUE(cells)};

        status = kn_launch(queue, device->kernels[ADD_UP], &range, args, KI_COUNT(args), NO_EVENT, err);
    }
    if (!status)
        status = kn_buffer_read(queue, there, 0, slices, bytes, err);
    ki_engine_scratch_close(&scratch);
    return status;
}
