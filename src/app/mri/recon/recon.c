// SPDX-License-Identifier: Apache-2.0
// From a scan to its image: by least squares, by the adjoint, or by gridding; on a device, or on the host
// with its own kernels. Coils are reconstructed one by one and combined by the root of the sum of their
// squares, or together, by their sensitivities (app/mri/sense/sense.h).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/mri/api/plan_internal.h"
#include "app/mri/density.h"
#include "app/mri/solver/sparsity.h"
#include "base/error.h"
#include "recon_internal.h"

// Reports an iteration of the current coil.
static bool step_iteration(void *context, size_t iteration)
{
    struct recon *recon = context;
    double part = (double)iteration / (double)recon->ls.iterations,
           done = ((double)recon->coil + part) / (double)recon->images;

    return ki_recon_step(recon, done, done, NULL) == KN_OK;
}

// ---- preparation ----

// The weights of the adjoint, and times |phi|^2 those of the normal operator.
kn_status ki_recon_make_weights(struct recon *recon, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    struct recon_clock clock = ki_recon_start(recon);
    size_t samples = scan->samples;
    const double complex *basis = (const double complex *)scan->basis;
    bool compensated = recon->options.density != KN_RECON_DENSITY_NONE;
    bool weighted = scan->weights || compensated, normal_weighted = weighted || basis;
    kn_status status = KN_OK;

    if (weighted)
        recon->weights = malloc(samples * sizeof *recon->weights);
    if (normal_weighted)
        recon->normal_weights = malloc(samples * sizeof *recon->normal_weights);
    if ((weighted && !recon->weights) || (normal_weighted && !recon->normal_weights))
        return ki_fail_memory(err, samples * sizeof *recon->weights, "density compensation");
    if (compensated) {
        status = ki_mri_density(recon->queue, &scan->matrix, scan->k, samples, recon->options.density,
                                recon->weights, &recon->ask, err);
        if (!status)
            ki_recon_stop(recon, &clock, &recon->result->details.density);
    }
    for (size_t m = 0; m < samples && !status; m++) {
        double weight = (compensated ? recon->weights[m] : 1) * (scan->weights ? scan->weights[m] : 1);
        double complex phi = basis ? basis[m] : 1;

        if (weighted)
            recon->weights[m] = weight;
        if (normal_weighted)
            recon->normal_weights[m] = weight * (creal(phi) * creal(phi) + cimag(phi) * cimag(phi));
    }
    return status;
}

// Estimates the coils' sensitivities, if they are not given.
static kn_status make_maps(struct recon *recon, kn_error *err)
{
    size_t count = recon->scan.coils * recon->voxels;

    if (recon->options.sense == KN_RECON_SENSE_MAPS)
        return KN_OK;
    recon->made_maps = malloc(count * sizeof *recon->made_maps);
    if (!recon->made_maps)
        return ki_fail_memory(err, count * sizeof *recon->made_maps, "the maps of the coils");
    return ki_mri_maps_make(&recon->scan, recon->options.sense, &recon->ask, recon->made_maps, err);
}

// F_u = F / sqrt(voxels): its adjoint is F^H / sqrt(voxels), and the solution of (F_u^H F_u + lambda R) x =
// F_u^H d is sqrt(voxels) y, where y solves (F^H F + voxels lambda R) y = F^H d. A regularizer that grows
// with |x| instead of |x|^2 makes that sqrt(voxels) lambda.
static void set_scale(struct recon *recon)
{
    double root = sqrt((double)recon->voxels);
    const kn_recon_solve_options *options = &recon->options;
    bool unitary = options->scale == KN_RECON_SCALE_UNITARY,
         solves = options->method == KN_RECON_METHOD_LEAST_SQUARES,
         sparse = ki_mri_is_sparse(options->regularizer);

    recon->factor = !unitary ? 1 : solves ? root : 1 / root;
    recon->ls.progress = options->progress ? step_iteration : NULL;
    recon->ls.context = recon;
    recon->ask.go_on = options->progress;
    recon->ask.data = options->progress_data;
    if (unitary && solves && !recon->ls.relative_lambda)
        recon->ls.lambda *= sparse ? root : (double)recon->voxels;
    else if (unitary && solves && sparse) // the bound of F_u^H F_u is that of F^H F divided by the voxels
        recon->ls.lambda /= root;
}

// ---- results ----

static void combine(const struct recon *recon, const double complex *images, double complex *image)
{
    size_t voxels = recon->voxels;

    for (size_t n = 0; n < voxels; n++) {
        double sum = 0;

        for (size_t i = 0; i < recon->images; i++) {
            double complex value = recon->factor * images[i * voxels + n];

            sum += creal(value) * creal(value) + cimag(value) * cimag(value);
            image[n] = recon->images > 1 ? sqrt(sum) : value;
        }
    }
}

// The weighted squares of a coil's samples, |W^(1/2) d|^2.
static double energy_of(const struct recon *recon, size_t coil)
{
    const double complex *data = ki_recon_data(recon, coil);
    double sum = 0;

    for (size_t m = 0; m < recon->scan.samples; m++)
        sum += (recon->weights ? recon->weights[m] : 1) *
               (creal(data[m]) * creal(data[m]) + cimag(data[m]) * cimag(data[m]));
    return sum;
}

// Adds to the objectives what F^H W F and F^H W d do not have of |F x - d|^2 / 2.
static void settle_objectives(const struct recon *recon)
{
    double energy = 0;

    for (size_t coil = 0; coil < recon->scan.coils && recon->result->coil_count; coil++) {
        const struct mri_solver_result *result = &recon->result->coils[recon->joint ? 0 : coil];

        energy = energy_of(recon, coil) + (recon->joint ? energy : 0);
        if (!result->objectives)
            return;
        for (size_t i = 0; i <= result->iterations && (!recon->joint || coil + 1 == recon->scan.coils); i++)
            result->objectives[i] += energy / 2;
    }
}

static kn_status run(struct recon *recon, kn_error *err)
{
    kn_recon_solution *result = recon->result;
    size_t voxels = recon->voxels, count = recon->images;
    bool solves = recon->options.method == KN_RECON_METHOD_LEAST_SQUARES;
    double complex *images = malloc(count * voxels * sizeof *images);
    kn_status status = KN_OK;

    result->image = malloc(voxels * sizeof *result->image);
    if (solves)
        result->coils = calloc(count, sizeof *result->coils);
    if (!images || !result->image || (solves && !result->coils))
        status = ki_fail_memory(err, count * voxels * sizeof *images, "the images");
    result->coil_count = result->coils ? count : 0;
    if (!status)
        status = ki_recon_step(recon, 0, 0, err);
    if (!status)
        status = ki_recon_make_weights(recon, err);
    if (!status)
        status = ki_recon_step(recon, 0, 0, err);
    if (!status)
        status = ki_recon_check(recon, err);
    if (!status)
        status = ki_recon_step(recon, 0, 0, err);
    if (!status && recon->joint)
        status = make_maps(recon, err);
    if (!status)
        status =
            recon->on_host ? ki_recon_on_host(recon, images, err) : ki_recon_on_device(recon, images, err);
    if (!status) {
        settle_objectives(recon);
        combine(recon, images, result->image);
    }
    free(images);
    return status;
}

// Runs the pipeline; meanwhile the queue, if there is one, asks whether to go on.
static kn_status run_asking(struct recon *recon, kn_error *err)
{
    bool asks = recon->queue && recon->ask.go_on;
    struct ki_ask *before = asks ? ki_queue_ask(recon->queue, &recon->ask) : NULL;
    kn_status status = run(recon, err);

    if (asks)
        (void)ki_queue_ask(recon->queue, before);
    return status;
}

// Converts the result to the scale of the options.
static void settle_result(const struct recon *recon)
{
    kn_recon_solution *result = recon->result;

    result->lambda = result->coils ? result->coils[0].lambda : recon->ls.lambda;
    if (recon->options.scale == KN_RECON_SCALE_UNITARY) {
        result->lambda /= ki_mri_is_sparse(recon->options.regularizer) ? sqrt((double)recon->voxels)
                                                                       : (double)recon->voxels;
        result->details.bound /= (double)recon->voxels;
    }
}

kn_status ki_recon_check_scan_arrays(const struct recon *recon, kn_error *err)
{
    const kn_recon_scan *scan = &recon->scan;
    kn_status status;

    if (!scan->k)
        return ki_fail(err, KN_ERROR_ARGUMENT, "k is NULL");
    status = ki_recon_check_arrays(recon->extras.beyond ? NULL : &scan->matrix, scan->k, scan->samples,
                                   scan->weights, scan->basis, err);
    if (!status && recon->options.sense == KN_RECON_SENSE_MAPS)
        status = ki_mri_maps_check(ki_recon_maps(recon), scan->coils, recon->voxels, err);
    return status;
}

kn_recon_solution *ki_recon_solution_make(const struct recon *recon)
{
    const kn_recon_stage none = {.seconds = -1};
    kn_recon_solution *made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    made->voxels = recon->voxels;
    made->kernel = ki_recon_public_kernel(recon->kernel);
    made->adjoint = recon->options.method == KN_RECON_METHOD_GRIDDING
                        ? KN_RECON_ADJOINT_AUTO
                        : ki_recon_public_adjoint(recon->kernel);
    memcpy(made->why, recon->why, sizeof made->why);
    made->sense = recon->options.sense;
    made->sense_why = recon->sense_why;
    made->is_double = recon->on_host && mri_kernel_is_double(recon->kernel);
    made->details = (kn_recon_details){.density = none,
                                       .q = none,
                                       .fhd = none,
                                       .gridding = none,
                                       .solver = none,
                                       .forward = none,
                                       .normal = none};
    return made;
}

static kn_status solve(const char *function, kn_queue *queue, const kn_recon_scan *scan,
                       const kn_recon_solve_options *options, const kn_recon_extras *extras,
                       kn_recon_solution **solution, kn_error *err)
{
    struct recon recon = {.queue = queue};
    kn_status status = ki_recon_request(function, queue, scan, options, extras, &recon, err);

    if (!status && !solution)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "solution is NULL");
    if (!status)
        status = ki_recon_check_scan_arrays(&recon, err);
    if (status)
        return status;
    recon.result = ki_recon_solution_make(&recon);
    if (!recon.result)
        return ki_fail_memory(err, sizeof *recon.result, "a reconstruction");
    status = ki_recon_measure(&recon, &recon.result->details.memory, err);
    if (!status)
        status = ki_recon_check_memory(&recon, &recon.result->details.memory, err);
    set_scale(&recon);
    if (!status)
        status = run_asking(&recon, err);
    settle_result(&recon);
    free(recon.weights);
    free(recon.normal_weights);
    free(recon.made_maps);
    if (status)
        kn_recon_solution_free(recon.result);
    else
        *solution = recon.result;
    return status;
}

kn_status kn_recon_solve(kn_queue *queue, const kn_recon_scan *scan, const kn_recon_solve_options *options,
                         kn_recon_solution **solution, kn_error *err)
{
    return ki_error_name(__func__, solve(__func__, queue, scan, options, NULL, solution, err), err);
}

// The command shows its messages, which therefore do not name the function.
kn_status kn_recon_solve_with(kn_queue *queue, const kn_recon_scan *scan,
                              const kn_recon_solve_options *options, const kn_recon_extras *extras,
                              kn_recon_solution **solution, kn_error *err)
{
    return solve(__func__, queue, scan, options, extras, solution, err);
}
