// SPDX-License-Identifier: Apache-2.0
// The adjoint check: <Fx, y> = <x, F^H y>, with y = F x, so that both sides are ||F x||^2 and a wrong sign,
// scale or order shows at once, whatever the size. F is the forward sum (for gridding: gridding's own), F^H
// the adjoint that the reconstruction uses; x is random.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "app/mri/cartesian.h"
#include "app/mri/reference.h"
#include "recon_internal.h"

// The most products of voxels and samples that the check may cost.
static const double budget_device = 0x1p24, budget_host = 0x1p22;
enum { SAMPLES_MAX = 4096 };

struct check {
    size_t samples, voxels;
    double *k;             // of the samples in the check
    double complex *basis; // NULL: 1
    double complex *x, *y, *adjoint;
};

// SplitMix64, with the same numbers each time.
static double random_number(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

// For sums, as many samples as cost little; for gridding, as many as it processes at a time.
static size_t samples_of(const struct recon *recon)
{
    double share = (recon->on_host ? budget_host : budget_device) / (double)recon->voxels;
    size_t most = share < 1 ? 1 : share > SAMPLES_MAX ? SAMPLES_MAX : (size_t)share;

    if (recon->options.method == KN_RECON_METHOD_GRIDDING)
        return ki_recon_chunk(recon);
    return most < recon->scan.samples ? most : recon->scan.samples;
}

static kn_status prepare(struct recon *recon, struct check *check, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    const double complex *basis = (const double complex *)scan->basis;
    uint64_t state = 7;

    check->voxels = recon->voxels;
    check->samples = samples_of(recon);
    check->k = malloc(check->samples * MRI_AXES * sizeof *check->k);
    check->basis = basis ? malloc(check->samples * sizeof *check->basis) : NULL;
    check->x = malloc(check->voxels * sizeof *check->x);
    check->y = malloc(check->samples * sizeof *check->y);
    check->adjoint = malloc(check->voxels * sizeof *check->adjoint);
    if (!check->k || !check->x || !check->y || !check->adjoint || (basis && !check->basis))
        return ki_fail_memory(err, check->voxels * 2 * sizeof *check->x, "the adjoint check");
    for (size_t i = 0; i < check->samples; i++) {
        size_t m = (size_t)((double)i / (double)check->samples * (double)scan->samples);

        for (size_t axis = 0; axis < MRI_AXES; axis++)
            check->k[MRI_AXES * i + axis] = scan->k[MRI_AXES * m + axis];
        if (check->basis)
            check->basis[i] = basis[m];
    }
    for (size_t n = 0; n < check->voxels; n++) {
        double real = random_number(&state);

        check->x[n] = mri_complex(real, random_number(&state));
    }
    return KN_OK;
}

static void free_check(struct check *check)
{
    free(check->k);
    free(check->basis);
    free(check->x);
    free(check->y);
    free(check->adjoint);
}

struct mri_bytes ki_recon_check_memory_of(const struct recon *recon)
{
    size_t samples = samples_of(recon), voxels = recon->voxels;
    const struct mri_bytes arrays = {
        .host = saturate_plus(saturate_times(voxels, 2 * MRI_COMPLEX),
                              saturate_times(samples, MRI_POSITION + 2 * MRI_COMPLEX)),
        .device = recon->on_host ? 0 : saturate_times(saturate_plus(voxels, samples), MRI_PAIR)};
    struct mri_bytes sums;

    if (recon->on_host)
        sums = ki_mri_sum_host_memory(&recon->scan.matrix, samples, recon->kernel);
    else if (recon->options.method == KN_RECON_METHOD_GRIDDING)
        sums = ki_mri_gridding_memory(&recon->scan.matrix, samples, &recon->gridding);
    else if (mri_kernel_is_transform(recon->kernel))
        sums = mri_bytes_both(ki_mri_forward_memory(recon->queue, voxels, samples),
                              ki_mri_nufft_memory(&recon->scan.matrix, samples));
    else
        sums = mri_bytes_either(ki_mri_forward_memory(recon->queue, voxels, samples),
                                ki_mri_sum_memory(recon->queue, voxels, samples));
    sums = mri_bytes_both(arrays, sums);
    return recon->on_host ? sums : mri_bytes_both(sums, ki_recon_copy_memory());
}

// ---- on the host and on devices ----

static struct mri_sum sum_of(struct recon *recon, const struct check *check)
{
    return (struct mri_sum){.matrix = recon->scan.matrix,
                            .k = check->k,
                            .samples = check->samples,
                            .data = check->y,
                            .basis = check->basis,
                            .tolerance = recon->nufft_tolerance,
                            .ask = &recon->ask};
}

static kn_status on_host(struct recon *recon, struct check *check, kn_error *err)
{
    const struct mri_sum sum = sum_of(recon, check);
    kn_status status = ki_mri_reference_forward(&recon->scan.matrix, check->k, check->samples, check->x,
                                                KN_RECON_SCALE_NONE, check->y, err);

    for (size_t m = 0; check->basis && m < check->samples; m++)
        check->y[m] *= check->basis[m];
    return status ? status : ki_mri_sum_host(&sum, recon->kernel, NULL, check->adjoint, NULL, err);
}

static kn_status by_sums(struct recon *recon, struct check *check, kn_buffer *image, kn_buffer *data,
                         kn_error *err)
{
    const struct mri_sum sum = sum_of(recon, check);
    struct recon_clock clock = ki_recon_start(recon);
    kn_status status = ki_mri_forward_device(recon->queue, &recon->scan.matrix, check->k, check->samples,
                                             check->basis, recon->kernel, image, data, NULL, err);

    if (!status)
        status = ki_recon_download(recon->queue, data, check->samples, check->y, err);
    if (!status)
        ki_recon_stop(recon, &clock, &recon->result->details.forward);
    return status ? status : ki_mri_sum_device(recon->queue, &sum, recon->kernel, image, NULL, err);
}

static kn_status by_gridding(struct recon *recon, struct check *check, kn_buffer *image, kn_buffer *data,
                             kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    struct mri_gridding *gridding = NULL;
    kn_status status = ki_mri_gridding_create(recon->queue, &scan->matrix, check->k, check->samples,
                                              &recon->gridding, &gridding, err);

    if (!status)
        status = ki_mri_gridding_forward(recon->queue, gridding, image, data, err);
    if (!status)
        status = ki_recon_download(recon->queue, data, check->samples, check->y, err);
    if (!status)
        status = ki_mri_gridding_adjoint(recon->queue, gridding, check->y, NULL, image, err);
    ki_mri_gridding_free(gridding);
    return status;
}

static kn_status on_device(struct recon *recon, struct check *check, kn_error *err)
{
    kn_context *context = kn_queue_get_context(recon->queue);
    kn_buffer *image = NULL, *data = NULL;
    kn_status status = kn_buffer_create(context, check->voxels * 2 * sizeof(float), &image, err);

    if (!status)
        status = kn_buffer_create(context, check->samples * 2 * sizeof(float), &data, err);
    if (!status)
        status = ki_recon_upload(recon->queue, check->x, check->voxels, image, err);
    if (!status)
        status = (recon->options.method == KN_RECON_METHOD_GRIDDING ? by_gridding : by_sums)(
            recon, check, image, data, err);
    if (!status)
        status = ki_recon_download(recon->queue, image, check->voxels, check->adjoint, err);
    kn_buffer_free(image);
    kn_buffer_free(data);
    return status;
}

// ---- the result ----

// The error that rounding may cause. A term of either sum has an error of up to `term`: that of the phase,
// whose rounding is half a unit of the greatest k . r in turns, converted to radians, and that of sine,
// cosine and product. The difference is then at most 2 term sqrt(voxels) times ||F x||^2 (Cauchy-Schwarz; ||F
// x||^2 is about samples ||x||^2). In double precision the forward sum's reference reduces the phase as well.
static double bound(const struct recon *recon, const struct check *check)
{
    const kn_recon_scan *scan = &recon->scan;
    const kn_recon_range range = kn_recon_trajectory_get_range(scan->k, scan->samples);
    bool is_double = recon->result->is_double;
    double unit = is_double ? 0x1p-53 : 0x1p-24, trig = is_double ? 0x1p-50 : 0x1p-20, turns = 0, term;

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        turns += fmax(-range.low[axis], range.high[axis]) / 2;
    term = 2 * M_PI * 3 * unit * turns + trig;
    return 2 * term * sqrt((double)check->voxels);
}

// A NUFFT's adjoint may also have an error of its tolerance: <x, e> is at most |x| |e|.
static void compare(struct recon *recon, const struct check *check)
{
    double energy = 0, real = 0, imaginary = 0, image = 0, adjoint = 0;

    for (size_t m = 0; m < check->samples; m++)
        energy += creal(check->y[m]) * creal(check->y[m]) + cimag(check->y[m]) * cimag(check->y[m]);
    for (size_t n = 0; n < check->voxels; n++) {
        double complex product = conj(check->x[n]) * check->adjoint[n];

        real += creal(product);
        imaginary += cimag(product);
        image += pow(cabs(check->x[n]), 2);
        adjoint += pow(cabs(check->adjoint[n]), 2);
    }
    recon->result->details.check = energy > 0 ? hypot(real - energy, imaginary) / energy : 0;
    recon->result->details.check_bound = bound(recon, check);
    if (mri_kernel_is_cartesian(recon->kernel) && energy > 0)
        recon->result->details.check_bound +=
            ki_mri_off_grid(&recon->scan.matrix, check->k, check->samples, NULL) * sqrt(image * adjoint) /
            energy;
    if (mri_kernel_is_nufft(recon->kernel) && energy > 0)
        recon->result->details.check_bound += recon->nufft_tolerance * sqrt(image * adjoint) / energy;
    recon->result->details.checked = check->samples;
}

kn_status ki_recon_check(struct recon *recon, kn_error *err)
{
    struct check check = {.samples = 0};
    kn_status status;

    if (recon->extras.positions || !recon->scan.data)
        return KN_OK; // the voxels belong to no image, and there is no forward sum
    status = prepare(recon, &check, err);
    if (!status)
        status = recon->on_host ? on_host(recon, &check, err) : on_device(recon, &check, err);
    if (!status)
        compare(recon, &check);
    free_check(&check);
    return status;
}
