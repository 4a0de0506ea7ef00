// SPDX-License-Identifier: Apache-2.0
// The functions of koine/recon.h without plans: trajectories, density compensation, phantoms, names.
#include <math.h>

#include "app/mri/density.h"
#include "app/mri/gridding/gridding_internal.h"
#include "app/mri/phantom.h"
#include "app/mri/trajectory.h"
#include "base/error.h"
#include "base/sized.h"
#include "plan_internal.h"

enum { OVERSAMPLE_MAX = 1024 };

// ---- arguments ----

kn_status ki_recon_read_matrix(const kn_recon_matrix *given, kn_recon_matrix *matrix, size_t *voxels,
                               kn_error *err)
{
    if (!given)
        return ki_fail(err, KN_ERROR_ARGUMENT, "matrix is NULL");
    if (given->axes != 2 && given->axes != MRI_AXES)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a matrix of %zu axes; expected 2 or 3", given->axes);
    if (given->axes == 2 && given->size[2] > 1)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a matrix of two axes with %zu voxels along a third; expected 0 or 1", given->size[2]);
    *matrix = (kn_recon_matrix){given->axes, {given->size[0], given->size[1], given->size[2]}};
    if (given->axes == 2)
        matrix->size[2] = 1;
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        if (matrix->size[axis] > UINT32_MAX / 8)
            return ki_fail(err, KN_ERROR_ARGUMENT, "a matrix of %zu voxels along %c; expected at most %u",
                           matrix->size[axis], "xyz"[axis], UINT32_MAX / 8);
    return ki_mri_matrix_count(matrix, voxels, err);
}

kn_status ki_recon_check_samples(size_t samples, kn_error *err)
{
    if (samples == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there are no samples");
    if (samples > SIZE_MAX / 8 / sizeof(double complex))
        return ki_fail(err, KN_ERROR_LIMIT, "%zu samples are more than the address space holds", samples);
    return KN_OK;
}

kn_status ki_recon_check_k(const kn_recon_matrix *matrix, const double *k, size_t samples, kn_error *err)
{
    if (!ki_trajectory_check(NULL, matrix, k, samples, err))
        return KN_OK;
    if (err) // an error in the caller's arguments, not in a file
        err->code = KN_ERROR_ARGUMENT;
    return KN_ERROR_ARGUMENT;
}

static kn_status refuse_null(const char *what, kn_error *err)
{
    return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", what);
}

// Checks the arguments of functions that fill an array with samples at k, for a matrix.
static kn_status read_samples(const kn_recon_matrix *given, const double *k, size_t samples,
                              kn_recon_matrix *matrix, size_t *voxels, kn_error *err)
{
    kn_status status = ki_recon_read_matrix(given, matrix, voxels, err);

    if (!status && !k)
        status = refuse_null("k", err);
    return status ? status : ki_recon_check_samples(samples, err);
}

// ---- trajectories ----

static kn_status settle(const char *function, const kn_recon_trajectory *given, kn_recon_trajectory *settled,
                        kn_error *err)
{
    kn_status status;

    if (!given)
        return refuse_null("trajectory", err);
    status = KI_SIZED_READ(function, kn_recon_trajectory, given, settled, err);
    if (status)
        return status;
    if ((unsigned)settled->kind >= TRAJECTORY_KINDS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no trajectory %d; see kn_recon_trajectory_kind",
                       (int)settled->kind);
    return ki_trajectory_plan(settled, err);
}

kn_status kn_recon_trajectory_settle(kn_recon_trajectory *trajectory, kn_recon_matrix *matrix,
                                     size_t *samples, kn_error *err)
{
    kn_recon_trajectory settled;
    kn_status status = settle(__func__, trajectory, &settled, err);

    if (status)
        return ki_error_name(__func__, status, err);
    trajectory->samples = settled.samples;
    trajectory->spokes = settled.spokes;
    trajectory->partitions = settled.partitions;
    trajectory->extent = settled.extent;
    if (matrix) {
        const kn_recon_matrix found = ki_trajectory_matrix(&settled);

        *matrix = (kn_recon_matrix){found.axes, {found.size[0], found.size[1], found.size[2]}};
    }
    if (samples)
        *samples = ki_trajectory_points(&settled);
    return KN_OK;
}

kn_status kn_recon_trajectory_fill(const kn_recon_trajectory *trajectory, size_t samples, double *k,
                                   kn_error *err)
{
    kn_recon_trajectory settled;
    kn_status status = settle(__func__, trajectory, &settled, err);

    if (!status && !k)
        status = refuse_null("k", err);
    if (!status && samples != ki_trajectory_points(&settled))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%zu samples, but the trajectory has %zu", samples,
                         ki_trajectory_points(&settled));
    if (!status)
        ki_trajectory_fill(&settled, k);
    return ki_error_name(__func__, status, err);
}

kn_status kn_recon_trajectory_convert(kn_recon_unit unit, const kn_recon_matrix *matrix, size_t samples,
                                      double *k, kn_error *err)
{
    kn_recon_matrix made;
    size_t voxels;
    kn_status status = read_samples(matrix, k, samples, &made, &voxels, err);

    if (!status && (unsigned)unit >= TRAJECTORY_UNITS)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "there is no unit %d; see kn_recon_unit", (int)unit);
    if (!status)
        ki_trajectory_convert(unit, &made, k, samples);
    return ki_error_name(__func__, status, err);
}

kn_status kn_recon_trajectory_check(const char *name, const kn_recon_matrix *matrix, const double *k,
                                    size_t samples, kn_error *err)
{
    kn_recon_matrix made;
    size_t voxels;
    kn_status status = ki_recon_read_matrix(matrix, &made, &voxels, err);

    if (!status && !k && samples)
        status = refuse_null("k", err);
    if (!status && samples)
        status = ki_recon_check_samples(samples, err);
    if (status)
        return ki_error_name(__func__, status, err);
    return ki_trajectory_check(name, &made, k, samples, err); // its message names the trajectory
}

// ---- density compensation, and voxels that are not points ----

static kn_status check_weights(kn_queue *queue, kn_recon_density density, const double *weights,
                               kn_error *err)
{
    if (!weights)
        return refuse_null("weights", err);
    if ((unsigned)density >= MRI_DENSITIES)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no density compensation %d; see kn_recon_density",
                       (int)density);
    if (density == KN_RECON_DENSITY_PIPE && !queue)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "pipe computes its weights on a device; give a queue, or take ramp");
    return KN_OK;
}

static kn_status weigh(kn_queue *queue, const kn_recon_matrix *matrix, const double *k, size_t samples,
                       kn_recon_density density, double *weights, const kn_recon_weights_options *options,
                       kn_error *err)
{
    kn_recon_weights_options read;
    kn_recon_matrix made;
    size_t voxels;
    struct ki_ask ask, *before = NULL;
    bool on_queue = density == KN_RECON_DENSITY_PIPE;
    kn_status status = read_samples(matrix, k, samples, &made, &voxels, err);

    if (!status)
        status = check_weights(queue, density, weights, err);
    if (!status)
        status = KI_SIZED_READ("kn_recon_weights", kn_recon_weights_options, options, &read, err);
    if (!status)
        status = ki_gridding_check_samples(&made, k, samples, err);
    if (status)
        return status;
    ask = (struct ki_ask){.go_on = read.progress, .data = read.progress_data, .to = 1};
    on_queue = on_queue && read.progress;
    if (on_queue)
        before = ki_queue_ask(queue, &ask);
    status = ki_ask(&ask, err);
    if (!status)
        status = ki_mri_density(queue, &made, k, samples, density, weights, &ask, err);
    if (on_queue)
        (void)ki_queue_ask(queue, before);
    return status;
}

kn_status kn_recon_weights(kn_queue *queue, const kn_recon_matrix *matrix, const double *k, size_t samples,
                           kn_recon_density density, double *weights, const kn_recon_weights_options *options,
                           kn_error *err)
{
    return ki_error_name(__func__, weigh(queue, matrix, k, samples, density, weights, options, err), err);
}

kn_status kn_recon_basis_box(const kn_recon_matrix *matrix, const double *k, size_t samples, double *basis,
                             kn_error *err)
{
    kn_recon_matrix made;
    size_t voxels;
    kn_status status = read_samples(matrix, k, samples, &made, &voxels, err);

    if (!status && !basis)
        status = refuse_null("basis", err);
    if (!status)
        status = ki_recon_check_k(&made, k, samples, err);
    if (!status)
        ki_mri_basis_box(&made, k, samples, (double complex *)basis);
    return ki_error_name(__func__, status, err);
}

// ---- phantoms ----

kn_status kn_recon_phantom_image(const kn_recon_matrix *matrix, size_t oversample, double *image,
                                 kn_error *err)
{
    kn_recon_matrix made;
    size_t voxels;
    kn_status status = ki_recon_read_matrix(matrix, &made, &voxels, err);

    if (!status && !image)
        status = refuse_null("image", err);
    if (!status && (oversample < 1 || oversample > OVERSAMPLE_MAX))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "a phantom of %zu points a voxel; expected 1 to %d",
                         oversample, OVERSAMPLE_MAX);
    if (!status)
        status = ki_phantom_raster(&made, oversample, image, err);
    return ki_error_name(__func__, status, err);
}

kn_status kn_recon_phantom_kspace(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                  double *data, kn_error *err)
{
    kn_recon_matrix made;
    size_t voxels;
    kn_status status = read_samples(matrix, k, samples, &made, &voxels, err);

    if (!status && !data)
        status = refuse_null("data", err);
    if (!status)
        status = ki_gridding_check_samples(&made, k, samples, err);
    if (!status)
        status = ki_phantom_kspace(&made, k, samples, (double complex *)data, err);
    return ki_error_name(__func__, status, err);
}

// ---- names ----

const char *kn_recon_trajectory_name(kn_recon_trajectory_kind kind)
{
    return (unsigned)kind < TRAJECTORY_KINDS ? ki_trajectory_names[kind] : NULL;
}

const char *kn_recon_unit_name(kn_recon_unit unit)
{
    return (unsigned)unit < TRAJECTORY_UNITS ? ki_trajectory_unit_names[unit] : NULL;
}

const char *kn_recon_density_name(kn_recon_density density)
{
    return (unsigned)density < MRI_DENSITIES ? ki_mri_density_names[density] : NULL;
}

const char *kn_recon_kernel_name(kn_recon_kernel kernel)
{
    if (kernel == KN_RECON_KERNEL_AUTO)
        return "auto";
    return (unsigned)kernel <= KN_RECON_KERNEL_HOST_SINGLE
               ? ki_mri_kernel_names[ki_recon_kernel(NULL, kernel)]
               : NULL;
}

const char *kn_recon_adjoint_method_name(kn_recon_adjoint_method method)
{
    static const char *const names[] = {"auto", "direct", "separable", "nufft", "cartesian"};

    return (unsigned)method <= KN_RECON_ADJOINT_CARTESIAN ? names[method] : NULL;
}

const char *kn_recon_normal_method_name(kn_recon_normal_method method)
{
    static const char *const names[] = {"toeplitz", "forward"};

    return (unsigned)method <= KN_RECON_NORMAL_FORWARD ? names[method] : NULL;
}

const char *kn_recon_method_name(kn_recon_method method)
{
    static const char *const names[] = {"ls", "adjoint", "gridding"};

    return (unsigned)method <= KN_RECON_METHOD_GRIDDING ? names[method] : NULL;
}

const char *kn_recon_scale_name(kn_recon_scale scale)
{
    static const char *const names[] = {"none", "unitary"};

    return (unsigned)scale <= KN_RECON_SCALE_UNITARY ? names[scale] : NULL;
}

const char *kn_recon_regularizer_name(kn_recon_regularizer regularizer)
{
    static const char *const names[] = {"tikhonov", "difference", "tv", "wavelet"};

    return (unsigned)regularizer <= KN_RECON_REGULARIZER_WAVELET ? names[regularizer] : NULL;
}

const char *kn_recon_boundary_name(kn_recon_boundary boundary)
{
    static const char *const names[] = {"zero", "periodic"};

    return (unsigned)boundary <= KN_RECON_BOUNDARY_PERIODIC ? names[boundary] : NULL;
}

const char *kn_recon_sense_name(kn_recon_sense sense)
{
    static const char *const names[] = {"auto", "none", "maps", "lowres", "espirit"};

    return (unsigned)sense <= KN_RECON_SENSE_ESPIRIT ? names[sense] : NULL;
}
