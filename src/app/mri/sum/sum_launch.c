// SPDX-License-Identifier: Apache-2.0
// The launches, copies and memory of a sum on a device, shared by the lecture's kernels and the others.
#include "base/array.h"
#include "base/error.h"
#include "sum_internal.h"

// ---- memory ----

kn_status ki_sum_get(const struct engine_scratch *scratch, struct mri_there *there, unsigned place,
                     size_t bytes, kn_buffer **buffer, kn_error *err)
{
    kn_status status = KN_OK;

    if (!there)
        return ki_engine_scratch_get(scratch, place, bytes, buffer, err);
    if (!there->buffers[place])
        status = kn_buffer_create(scratch->queue->context, bytes, &there->buffers[place], err);
    *buffer = there->buffers[place];
    return status;
}

kn_status ki_sum_write(kn_queue *queue, struct mri_there *there, unsigned place, kn_buffer *buffer,
                       const void *from, size_t bytes, kn_error *err)
{
    kn_status status = kn_buffer_write(queue, buffer, 0, from, bytes, err);

    if (there && !status)
        there->is_written[place] = true;
    return status;
}

void ki_sum_round_pairs(const double complex *from, size_t count, float *to)
{
    for (size_t m = 0; m < count; m++) {
        to[2 * m] = (float)creal(from[m]);
        to[2 * m + 1] = (float)cimag(from[m]);
    }
}

void ki_mri_there_free(struct mri_there *there)
{
    for (size_t i = 0; i < MRI_THERE; i++)
        kn_buffer_free(there->buffers[i]);
    *there = (struct mri_there){.buffers = {NULL}};
}

// ---- launches ----

// Pairs of a voxel and a sample per launch and compute unit of a CPU: about a tenth of a second.
static const double piece_pairs = 0x1p24;

// The most work-items along dimension 0 in a launch.
static size_t items_at_a_time(const kn_queue *queue, const kn_range *range, double pairs)
{
    const kn_device_info *info = &queue->context->device.info;
    double groups = piece_pairs * (double)info->compute_units / (pairs * (double)range->local[0]);

    if (!engine_is_cpu(info) || groups * (double)range->local[0] >= (double)range->global[0])
        return range->global[0];
    return (groups < 1 ? 1 : (size_t)groups) * range->local[0];
}

static kn_status launch_piece(kn_queue *queue, struct sum_launches *launches, kn_kernel *kernel,
                              const kn_range *range, const kn_arg *args, size_t count, kn_error *err)
{
    kn_event *event = NULL;
    kn_status status = kn_launch(queue, kernel, range, args, count, launches->timed ? &event : NULL, err);

    if (!status && event &&
        !KI_ARRAY_PUSH(launches->events, launches->event_count, launches->event_capacity, event)) {
        kn_event_free(event);
        status = ki_fail_memory(err, 0, "the times of a sum");
    }
    return status;
}

kn_status ki_sum_launch(kn_queue *queue, struct sum_launches *launches, kn_kernel *kernel,
                        const kn_range *range, double pairs, const kn_arg *args, size_t count, kn_error *err)
{
    size_t all = range->global[0], most = items_at_a_time(queue, range, pairs);
    kn_range piece = *range;
    kn_status status = KN_OK;

    for (size_t first = 0; first < all && !status; first += most) {
        piece.offset[0] = first;
        piece.global[0] = all - first < most ? all - first : most;
        if (pairs > 0)
            ki_queue_ask_at(queue, launches->part + launches->share * (double)first / (double)all);
        status = launch_piece(queue, launches, kernel, &piece, args, count, err);
    }
    return status;
}

kn_status ki_sum_copy_chunk(struct sum_work *work, size_t begin, size_t count, kn_error *err)
{
    kn_status status = KN_OK;
    bool done[SUM_COMPONENTS] = {false};

    for (unsigned component = 0; component < SUM_COMPONENTS && !status; component++) {
        const struct sum_slot *slot = &work->layout->slots[component];
        size_t bytes = slot->step * sizeof(float);

        if (bytes == 0 || done[slot->buffer])
            continue;
        done[slot->buffer] = true;
        status = kn_buffer_copy(work->queue, work->samples[slot->buffer], begin * bytes,
                                work->chunks[slot->buffer], 0, count * bytes, NULL, err);
    }
    return status;
}

// ---- groups that share samples ----

static size_t groups_for(size_t count, size_t in_one)
{
    return (count + in_one - 1) / in_one;
}

uint32_t ki_sum_parts(const struct sum_work *work, size_t slab, size_t groups, size_t busy, unsigned asked)
{
    size_t most = groups_for(work->sum->samples, SUM_SHARE), parts = asked ? asked : busy / groups;
    size_t held = work->queue->context->device.info.max_alloc / (slab * 2 * sizeof(float)); // rows of sums

    if (asked == 0 && parts > most)
        parts = most;
    if (parts > held)
        parts = held;
    return parts > 1 ? (uint32_t)parts : 1;
}

kn_status ki_sum_get_parts(struct sum_work *work, size_t slab, kn_error *err)
{
    const bool shared = work->line_parts > 1;
    kn_status status =
        ki_engine_scratch_get(&work->scratch, SUM_PLACE_PARTS,
                              shared ? work->line_parts * slab * 2 * sizeof(float) : 0, &work->parts, err);

    if (shared && !status)
        status = ki_engine_builtin_kernel(work->queue->context, "app/mri/mri_fold.cl", NULL, 0,
                                          KN_POLICY_DEFAULT, "mri_fold", &work->fold, err);
    return status;
}

kn_status ki_sum_fold(struct sum_work *work, const struct sum_range *range, uint32_t rows, kn_error *err)
{
    enum { GROUP = 128 };
    const kn_arg args[] = {
        KN_BUFFER(work->parts),  KN_VALUE(rows),      KN_VALUE(range->count), KN_BUFFER(work->total),
        KN_BUFFER(range->image), KN_VALUE(range->at), KN_VALUE(range->stage),
    };
    const kn_range all = {1, {groups_for(range->count, GROUP) * GROUP}, {GROUP}, {0}};

    return ki_sum_launch(work->queue, &work->launches, work->fold, &all, 0, args, KI_COUNT(args), err);
}
