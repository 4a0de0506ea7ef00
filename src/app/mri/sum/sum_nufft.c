// SPDX-License-Identifier: Apache-2.0
// The adjoint on a device by a NUFFT (gridding/nufft.h), for sums with such a kernel.
#include "base/error.h"
#include "base/os/clock.h"
#include "sum_internal.h"

// Temporary memory for a sum without its own NUFFT, or for only a part of the voxels.
struct work {
    struct mri_nufft *made;
    kn_buffer *data, *whole;
};

static kn_status upload(kn_queue *queue, const struct mri_sum *sum, kn_buffer **data, kn_error *err)
{
    size_t bytes = sum->samples * 2 * sizeof(float);
    float *staging = ki_kept_take(&queue->kept, bytes);
    kn_status status = staging ? kn_buffer_create(queue->context, bytes, data, err)
                               : ki_fail_memory(err, bytes, "the samples of a NUFFT");

    if (!status) {
        ki_sum_round_pairs(sum->data, sum->samples, staging);
        status = kn_buffer_write(queue, *data, 0, staging, bytes, err);
    }
    ki_kept_give(&queue->kept, staging);
    return status;
}

static kn_status prepare(kn_queue *queue, const struct mri_sum *sum, size_t voxels, struct work *work,
                         kn_error *err)
{
    kn_status status = KN_OK;

    if (!sum->device_nufft)
        status = ki_mri_nufft_create(queue, &sum->matrix, 1, sum->k, sum->samples, sum->weights, sum->basis,
                                     sum->tolerance, &work->made, err);
    if (!status && sum->data && sum->samples)
        status = upload(queue, sum, &work->data, err);
    if (!status && sum->count < voxels)
        status = kn_buffer_create(queue->context, voxels * 2 * sizeof(float), &work->whole, err);
    return status;
}

kn_status ki_nufft_device(kn_queue *queue, const struct mri_sum *sum, kn_buffer *image, kn_recon_rate *rate,
                          kn_error *err)
{
    const size_t pair = 2 * sizeof(float);
    size_t voxels = sum->matrix.size[0] * sum->matrix.size[1] * sum->matrix.size[2];
    double start = ki_clock_seconds();
    struct work work = {.made = NULL};
    kn_status status = prepare(queue, sum, voxels, &work, err), after;

    if (!status)
        status = ki_mri_nufft_adjoint(queue, sum->device_nufft ? sum->device_nufft : work.made,
                                      sum->weights != NULL, work.data ? work.data : sum->device_data,
                                      work.whole ? work.whole : image, err);
    if (!status && work.whole)
        status = kn_buffer_copy(queue, work.whole, sum->first * pair, image, 0, sum->count * pair, NULL, err);
    if (work.made || work.data || work.whole || rate) {
        after = kn_queue_finish(queue, status ? NULL : err);
        status = status ? status : after;
    }
    ki_mri_nufft_free(work.made);
    kn_buffer_free(work.data);
    kn_buffer_free(work.whole);
    // The work is not in pairs of voxels and samples.
    if (rate && !status)
        *rate = (kn_recon_rate){.seconds = ki_clock_seconds() - start};
    return status;
}
