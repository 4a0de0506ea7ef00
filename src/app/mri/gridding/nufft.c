// SPDX-License-Identifier: Apache-2.0
// A NUFFT on a device: gridding, and the factors of the data (cl/app/mri/mri_mu.cl).
#include "nufft.h"

#include <stdlib.h>

#include "algo/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "gridding_internal.h"
#include "host_nufft.h"

static const double oversampling = 2;

enum { GROUP = 64 };

struct mri_nufft {
    struct mri_gridding *gridding;
    size_t samples;
    kn_buffer *weights, *basis, *conjugate; // a float and pairs per sample, or NULL
    kn_buffer *mu;                          // pairs
};

// The options of gridding with an error of up to `tolerance`.
static struct mri_gridding_options gridding_of(double tolerance)
{
    if (tolerance == MRI_NUFFT_ON_GRID)
        return (struct mri_gridding_options){.oversampling = 1, .width = 1};
    return (struct mri_gridding_options){.oversampling = oversampling,
                                         .width = ki_gridding_width(tolerance, oversampling)};
}

struct mri_bytes ki_mri_nufft_memory(const kn_recon_matrix *matrix, size_t samples)
{
    const struct mri_gridding_options how = gridding_of(MRI_NUFFT_LEAST(false));
    size_t numbers = saturate_times(samples, 3 * MRI_PAIR + sizeof(float));

    return mri_bytes_both(ki_mri_gridding_memory(matrix, samples, &how),
                          (struct mri_bytes){numbers, numbers});
}

// ---- the factors of the data ----

static kn_status upload(kn_queue *queue, const float *numbers, size_t count, kn_buffer **buffer,
                        kn_error *err)
{
    kn_status status = kn_buffer_create(kn_queue_get_context(queue), count * sizeof *numbers, buffer, err);

    return status ? status : kn_buffer_write(queue, *buffer, 0, numbers, count * sizeof *numbers, err);
}

static kn_status upload_basis(kn_queue *queue, const double complex *basis, size_t samples, double sign,
                              float *staging, kn_buffer **buffer, kn_error *err)
{
    for (size_t m = 0; m < samples; m++) {
        staging[2 * m] = (float)creal(basis[m]);
        staging[2 * m + 1] = (float)(sign * cimag(basis[m]));
    }
    return upload(queue, staging, 2 * samples, buffer, err);
}

static kn_status upload_factors(kn_queue *queue, struct mri_nufft *nufft, const double *weights,
                                const double complex *basis, kn_error *err)
{
    size_t samples = nufft->samples;
    float *staging = ki_kept_take_array(&queue->kept, samples, 2 * sizeof *staging);
    kn_status status = staging ? KN_OK : ki_fail_memory(err, samples * 2 * sizeof *staging, "a NUFFT");

    for (size_t m = 0; m < samples && weights && !status; m++)
        staging[m] = (float)weights[m];
    if (!status && weights)
        status = upload(queue, staging, samples, &nufft->weights, err);
    if (!status && basis)
        status = upload_basis(queue, basis, samples, 1, staging, &nufft->basis, err);
    if (!status && basis)
        status = upload_basis(queue, basis, samples, -1, staging, &nufft->conjugate, err);
    ki_kept_give(&queue->kept, staging);
    return status;
}

// to = weights x conj(basis) x data, each of which may be NULL, for 1.
static kn_status multiply(kn_queue *queue, const struct mri_nufft *nufft, const kn_buffer *data,
                          const kn_buffer *weights, const kn_buffer *basis, kn_buffer *to, kn_error *err)
{
    const uint32_t samples = (uint32_t)nufft->samples, re_at = 0, im_at = 1, step = 2, has_im = 1;
    const kn_range range = {1, {(nufft->samples + GROUP - 1) / GROUP * GROUP}, {GROUP}, {0}};
    const kn_arg args[] = {KN_BUFFER(data ? data : to),
                           KN_BUFFER(weights ? weights : to),
                           KN_BUFFER(basis ? basis : to),
                           KN_VALUE(samples),
                           KN_BUFFER(to),
                           KN_VALUE(re_at),
                           KN_VALUE(step),
                           KN_BUFFER(to),
                           KN_VALUE(im_at),
                           KN_VALUE(step),
                           KN_VALUE(has_im)};
    struct engine_defines defines = {.count = 0};
    kn_kernel *kernel;
    kn_status status;

    ki_engine_define(&defines, "DATA", data != NULL);
    ki_engine_define(&defines, "WEIGHTS", weights != NULL);
    ki_engine_define(&defines, "BASIS", basis != NULL);
    status = ki_engine_builtin_kernel(queue->context, "app/mri/mri_mu.cl", defines.items, defines.count,
                                      KN_POLICY_DEFAULT, "mri_mu", &kernel, err);
    return status ? status : kn_launch(queue, kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
}

// ---- the NUFFT ----

kn_status ki_mri_nufft_create(kn_queue *queue, const kn_recon_matrix *matrix, unsigned fields_of_view,
                              const double *k, size_t samples, const double *weights,
                              const double complex *basis, double tolerance, struct mri_nufft **made,
                              kn_error *err)
{
    double least = MRI_NUFFT_LEAST(false);
    struct mri_gridding_options how;
    struct mri_nufft *nufft;
    kn_status status;

    // Refuses NaN, too.
    if (tolerance != MRI_NUFFT_ON_GRID && !(tolerance >= least && tolerance <= MRI_NUFFT_MOST))
        return ki_fail(err, KN_ERROR_ARGUMENT, "a NUFFT's tolerance of %g; expected %g to %g on a device",
                       tolerance, least, MRI_NUFFT_MOST);
    nufft = calloc(1, sizeof *nufft);
    if (!nufft)
        return ki_fail_memory(err, sizeof *nufft, "a NUFFT");
    how = gridding_of(tolerance);
    how.fields_of_view = fields_of_view;
    nufft->samples = samples;
    status = ki_mri_gridding_create(queue, matrix, k, samples, &how, &nufft->gridding, err);
    if (!status && samples)
        status = upload_factors(queue, nufft, weights, basis, err);
    if (!status)
        status =
            kn_buffer_create(queue->context, (samples ? samples : 1) * 2 * sizeof(float), &nufft->mu, err);
    if (status)
        ki_mri_nufft_free(nufft);
    else
        *made = nufft;
    return status;
}

void ki_mri_nufft_free(struct mri_nufft *nufft)
{
    if (!nufft)
        return;
    ki_mri_gridding_free(nufft->gridding);
    kn_buffer_free(nufft->weights);
    kn_buffer_free(nufft->basis);
    kn_buffer_free(nufft->conjugate);
    kn_buffer_free(nufft->mu);
    free(nufft);
}

kn_status ki_mri_nufft_adjoint(kn_queue *queue, struct mri_nufft *nufft, bool weighted, const kn_buffer *data,
                               kn_buffer *image, kn_error *err)
{
    const kn_buffer *weights = weighted ? nufft->weights : NULL;
    bool multiplied = (!data || weights || nufft->basis) && nufft->samples;
    kn_status status =
        multiplied ? multiply(queue, nufft, data, weights, nufft->basis, nufft->mu, err) : KN_OK;

    return status ? status
                  : ki_mri_gridding_adjoint_there(queue, nufft->gridding,
                                                  multiplied || !data ? nufft->mu : data, image, err);
}

kn_status ki_mri_nufft_forward(kn_queue *queue, struct mri_nufft *nufft, const kn_buffer *image,
                               kn_buffer *data, kn_error *err)
{
    kn_status status = ki_mri_gridding_forward(queue, nufft->gridding, image, data, err);

    return status || !nufft->conjugate ? status
                                       : multiply(queue, nufft, data, NULL, nufft->conjugate, data, err);
}
