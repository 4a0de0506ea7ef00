// SPDX-License-Identifier: Apache-2.0
#include "recon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "recon_internal.h"

const char *const ki_mri_recon_solver_names[MRI_RECON_SOLVERS + 1] = {"ls", "adjoint", "gridding", NULL};

bool ki_mri_kernel_is_host(enum mri_kernel kernel)
{
    return kernel == MRI_HOST_DOUBLE || kernel == MRI_HOST_SINGLE;
}

// An iteration of the coil that is being solved for.
static void step_iteration(void *context, size_t iteration)
{
    struct recon *recon = context;

    ki_recon_step(recon, ((double)recon->coil + (double)iteration / (double)recon->ls.iterations) /
                             (double)recon->scan->coils);
}

// ---- what is said of a result ----

double ki_mri_recon_seconds(const struct mri_recon_result *result)
{
    const struct mri_stage *const stages[] = {&result->density, &result->q, &result->fhd, &result->gridding,
                                              &result->solver};
    double seconds = 0;

    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        seconds += fmax(stages[i]->seconds, 0);
    return seconds;
}

double ki_mri_stage_gflops(const struct mri_stage *stage)
{
    return stage->seconds > 0 ? stage->rate.flops / stage->seconds * 1e-9 : 0;
}

struct mri_recon_terms ki_mri_recon_terms(const struct mri_scan *scan,
                                          const struct mri_recon_options *options)
{
    double pairs = (double)scan->samples * (double)scan->voxels, differences = pairs / 2;
    size_t applied = scan->coils * (options->ls.iterations + (options->start ? 2 : 1));

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        differences *= scan->matrix.size[axis] > 1 ? 2 : 1;
    return (struct mri_recon_terms){2 * pairs * (double)applied, differences};
}

const char *const ki_mri_reference_scale_names[] = {"auto", "best", "none", NULL};

bool ki_mri_recon_is_scaled(enum mri_recon_solver solver, enum mri_reference_scale scale)
{
    return scale == MRI_REFERENCE_AUTO ? solver != MRI_LS : scale == MRI_REFERENCE_BEST;
}

kn_status ki_mri_recon_quality(const struct mri_scan *scan, enum mri_recon_solver solver,
                               const struct mri_recon_result *result,
                               const struct mri_recon_reference *reference, struct mri_quality *quality,
                               kn_error *err)
{
    const double complex *wanted = reference->image;
    double complex *magnitude = NULL, factor = 1;

    if (scan->coils > 1) {
        magnitude = malloc(scan->voxels * sizeof *magnitude);
        if (!magnitude)
            return ki_fail_memory(err, scan->voxels * sizeof *magnitude, "a reference");
        for (size_t n = 0; n < scan->voxels; n++)
            magnitude[n] = cabs(wanted[n]);
        wanted = magnitude;
    }
    if (ki_mri_recon_is_scaled(solver, reference->scale))
        factor = ki_mri_best_factor(result->image, wanted, scan->voxels);
    *quality = ki_mri_quality(result->image, wanted, scan->voxels, factor);
    free(magnitude);
    return KN_OK;
}

// ---- what goes together ----

static kn_status try_parboil(const struct mri_recon_options *options, kn_error *err)
{
    if (options->solver != MRI_ADJOINT)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--solver %s: Parboil's mri-q has no data to reconstruct from; its Q is --solver adjoint",
            ki_mri_recon_solver_names[options->solver]);
    if (options->density != KN_RECON_DENSITY_NONE || options->weights || options->basis)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--density and --basis: Parboil's mri-q comes with the weights |phi|^2 and takes no others");
    return KN_OK;
}

static kn_status try_q(const struct mri_recon_options *options, kn_error *err)
{
    const char *option = options->save_q ? "--save-q" : "--load-q";

    if (!options->save_q && !options->load_q)
        return KN_OK;
    if (options->solver != MRI_LS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: only --solver ls has a Q", option);
    if (ki_mri_kernel_is_host(options->kernel))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: a file of Q is a device's, in single precision; the kernel %s has none", option,
                       ki_mri_kernel_names[options->kernel]);
    return KN_OK;
}

// What is there to do with Q alone.
static kn_status try_normal(const struct mri_recon_options *options, kn_error *err)
{
    if (options->normal != KN_RECON_NORMAL_FORWARD)
        return KN_OK;
    if (options->solver != MRI_LS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--normal forward goes with --solver ls; %s has no F^H F",
                       ki_mri_recon_solver_names[options->solver]);
    if (options->save_q || options->load_q)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: --normal forward has no Q; leave one of the two out",
                       options->save_q ? "--save-q" : "--load-q");
    if (options->ls.relative_lambda)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--relative-lambda: its unit is Q's greatest eigenvalue, and --normal forward has no Q; "
            "give --lambda alone, in absolute terms (a run by --normal toeplitz prints both)");
    return KN_OK;
}

static kn_status needs_device(const char *what, kn_error *err)
{
    return ki_fail(err, KN_ERROR_UNSUPPORTED,
                   "%s runs on a device, and there is none here; name one with --device (koine devices lists "
                   "them), or take --solver ls or adjoint with --kernel host-single or host-double",
                   what);
}

kn_status ki_mri_recon_try(const kn_queue *queue, const struct mri_scan *scan,
                           const struct mri_recon_options *options, kn_error *err)
{
    kn_status status = try_q(options, err);
    char what[64];

    if (!status)
        status = try_normal(options, err);
    if (!status && scan->format == MRI_SCAN_PARBOIL)
        status = try_parboil(options, err);
    if (!status && options->start && options->solver != MRI_LS)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--warm-start goes with --solver ls");
    if (!status && options->basis && options->solver == MRI_GRIDDING)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--basis goes with --solver ls and adjoint");
    if (!status && options->density == KN_RECON_DENSITY_PIPE && !options->weights && !queue)
        status = needs_device("--density pipe", err);
    if (!status && options->solver == MRI_GRIDDING && !queue)
        status = needs_device("--solver gridding", err);
    if (!status && options->solver != MRI_GRIDDING && !ki_mri_kernel_is_host(options->kernel) && !queue) {
        snprintf(what, sizeof what, "--kernel %s", ki_mri_kernel_names[options->kernel]);
        status = needs_device(what, err);
    }
    return status;
}

// ---- before the sums ----

// The weights of the adjoint, and with |phi|^2 those of the normal operator.
static kn_status make_weights(struct recon *recon, kn_error *err)
{
    const struct mri_scan *scan = recon->scan;
    const struct mri_recon_options *options = recon->options;
    struct recon_clock clock = ki_recon_start(recon);
    size_t samples = scan->samples;
    bool weighted = scan->weights || options->weights || options->density != KN_RECON_DENSITY_NONE;
    bool normal_weighted = weighted || options->basis;
    kn_status status = KN_OK;

    if (weighted)
        recon->weights = malloc(samples * sizeof *recon->weights);
    if (normal_weighted)
        recon->normal_weights = malloc(samples * sizeof *recon->normal_weights);
    if ((weighted && !recon->weights) || (normal_weighted && !recon->normal_weights))
        return ki_fail_memory(err, samples * sizeof *recon->weights, "density compensation");
    if (!options->weights && options->density != KN_RECON_DENSITY_NONE) {
        status = ki_mri_density(recon->queue, &scan->matrix, scan->k, samples, options->density,
                                recon->weights, err);
        if (!status)
            ki_recon_stop(recon, &clock, &recon->result->density);
    }
    for (size_t m = 0; m < samples && !status; m++) {
        double weight = options->weights                            ? options->weights[m]
                        : options->density != KN_RECON_DENSITY_NONE ? recon->weights[m]
                                                                    : 1;
        double complex phi = options->basis ? options->basis[m] : 1;

        weight *= scan->weights ? scan->weights[m] : 1;
        if (weighted)
            recon->weights[m] = weight;
        if (normal_weighted)
            recon->normal_weights[m] = weight * (creal(phi) * creal(phi) + cimag(phi) * cimag(phi));
    }
    return status;
}

// F_u = F / sqrt(voxels): its adjoint is F^H / sqrt(voxels), and (F_u^H F_u + lambda R) x = F_u^H d has the
// solution sqrt(voxels) y of (F^H F + voxels lambda R) y = F^H d.
static void set_scale(struct recon *recon)
{
    double root = sqrt((double)recon->scan->voxels);
    bool unitary = recon->options->scale == MRI_SCALE_UNITARY, solves = recon->options->solver == MRI_LS;

    recon->factor = !unitary ? 1 : solves ? root : 1 / root;
    recon->ls = recon->options->ls;
    recon->ls.progress = step_iteration;
    recon->ls.context = recon;
    if (unitary && solves && !recon->ls.relative_lambda)
        recon->ls.lambda *= (double)recon->scan->voxels;
}

// ---- after them ----

static void combine(const struct recon *recon, const double complex *images, double complex *image)
{
    size_t voxels = recon->scan->voxels, coils = recon->scan->coils;

    for (size_t n = 0; n < voxels; n++) {
        double sum = 0;

        for (size_t coil = 0; coil < coils; coil++) {
            double complex value = recon->factor * images[coil * voxels + n];

            sum += creal(value) * creal(value) + cimag(value) * cimag(value);
            image[n] = coils > 1 ? sqrt(sum) : value;
        }
    }
}

static kn_status run(struct recon *recon, kn_error *err)
{
    struct mri_recon_result *result = recon->result;
    size_t voxels = recon->scan->voxels, coils = recon->scan->coils;
    double complex *images = malloc((coils * voxels) * sizeof *images);
    kn_status status = KN_OK;

    result->image = malloc(voxels * sizeof *result->image);
    if (recon->options->solver == MRI_LS)
        result->coils = calloc(coils, sizeof *result->coils);
    if (!images || !result->image || (recon->options->solver == MRI_LS && !result->coils))
        status = ki_fail_memory(err, coils * voxels * sizeof *images, "the images");
    result->coil_count = result->coils ? coils : 0;
    if (!status)
        status = make_weights(recon, err);
    if (!status)
        status = ki_recon_check(recon, err);
    if (!status)
        status =
            recon->on_host ? ki_recon_on_host(recon, images, err) : ki_recon_on_device(recon, images, err);
    if (!status)
        combine(recon, images, result->image);
    free(images);
    return status;
}

kn_status ki_mri_recon(kn_queue *queue, const struct mri_scan *scan, const struct mri_recon_options *options,
                       struct mri_recon_result *result, kn_error *err)
{
    const struct mri_stage none = {.seconds = -1};
    bool on_host = options->solver != MRI_GRIDDING && ki_mri_kernel_is_host(options->kernel);
    struct recon recon = {
        .queue = queue, .on_host = on_host, .scan = scan, .options = options, .result = result};
    kn_status status;

    *result = (struct mri_recon_result){.density = none,
                                        .q = none,
                                        .fhd = none,
                                        .gridding = none,
                                        .solver = none,
                                        .forward = none,
                                        .normal = none,
                                        .is_double = on_host && options->kernel == MRI_HOST_DOUBLE};
    status = ki_mri_recon_try(queue, scan, options, err);
    if (!status)
        status = ki_mri_recon_measure(on_host ? NULL : queue, scan, options, &result->memory, err);
    if (status)
        return status;
    set_scale(&recon);
    status = run(&recon, err);
    result->lambda = recon.ls.lambda;
    if (result->coils)
        result->lambda = result->coils[0].lambda;
    if (options->scale == MRI_SCALE_UNITARY) {
        result->lambda /= (double)scan->voxels;
        result->bound /= (double)scan->voxels;
    }
    free(recon.weights);
    free(recon.normal_weights);
    return status;
}

void ki_mri_recon_free(struct mri_recon_result *result)
{
    for (size_t coil = 0; coil < result->coil_count; coil++)
        free(result->coils[coil].residuals);
    free(result->coils);
    free(result->image);
    *result = (struct mri_recon_result){.image = NULL};
}
