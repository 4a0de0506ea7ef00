// SPDX-License-Identifier: Apache-2.0
// Checks the options and the scan of a reconstruction, and whether they match.
#include "app/mri/api/plan_internal.h"
#include "base/error.h"
#include "base/sized.h"
#include "operator/proximal/wavelet.h"
#include "recon_internal.h"

// ---- each by itself ----

static kn_status read_structs(const char *function, const kn_recon_scan *scan,
                              const kn_recon_solve_options *options, const kn_recon_extras *extras,
                              struct recon *recon, kn_error *err)
{
    kn_status status;

    if (!scan || !options)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", scan ? "options" : "scan");
    status = KI_SIZED_READ(function, kn_recon_scan, scan, &recon->scan, err);
    if (!status)
        status = KI_SIZED_READ(function, kn_recon_solve_options, options, &recon->options, err);
    if (!status)
        status = KI_SIZED_READ(function, kn_recon_extras, extras, &recon->extras, err);
    return status;
}

kn_status ki_recon_check_scan(struct recon *recon, kn_error *err)
{
    const kn_recon_matrix given = recon->scan.matrix;
    size_t coils = recon->scan.coils, most = SIZE_MAX / sizeof(double complex);
    kn_status status = ki_recon_read_matrix(&given, &recon->scan.matrix, &recon->voxels, err);

    if (!status)
        status = ki_recon_check_samples(recon->scan.samples, err);
    if (status)
        return status;
    if (coils == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there are no coils");
    if (coils > most / recon->scan.samples || coils > most / recon->voxels)
        return ki_fail(err, KN_ERROR_LIMIT, "%zu coils of %zu samples are more than the address space holds",
                       coils, recon->scan.samples);
    return KN_OK;
}

static kn_status check_options(const kn_recon_solve_options *options, kn_error *err)
{
    const struct {
        const char *what, *type;
        unsigned found, most;
    } rows[] = {
        {"method", "kn_recon_method", options->method, KN_RECON_METHOD_GRIDDING},
        {"scale", "kn_recon_scale", options->scale, KN_RECON_SCALE_UNITARY},
        {"density compensation", "kn_recon_density", options->density, KN_RECON_DENSITY_PIPE},
        {"method of the normal operator", "kn_recon_normal_method", options->normal, KN_RECON_NORMAL_FORWARD},
        {"regularizer", "kn_recon_regularizer", options->regularizer, KN_RECON_REGULARIZER_WAVELET},
        {"boundary", "kn_recon_boundary", options->boundary, KN_RECON_BOUNDARY_PERIODIC},
        {"kernel", "kn_recon_kernel", options->kernel, KN_RECON_KERNEL_HOST_SINGLE},
        {"method of the adjoint", "kn_recon_adjoint_method", options->adjoint, KN_RECON_ADJOINT_CARTESIAN},
        {"combination of coils", "kn_recon_sense", options->sense, KN_RECON_SENSE_ESPIRIT},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].found > rows[i].most)
            return ki_fail(err, KN_ERROR_ARGUMENT, "there is no %s %d; see %s", rows[i].what,
                           (int)rows[i].found, rows[i].type);
    return ki_recon_check_gridding(options->oversampling, options->width, err);
}

static kn_status read_solver(struct recon *recon, kn_error *err)
{
    const kn_recon_solve_options *options = &recon->options;

    recon->ls = (struct mri_solver_options){.iterations = options->iterations,
                                            .tolerance = options->tolerance,
                                            .lambda = options->lambda,
                                            .relative_lambda = options->relative_lambda,
                                            .regularizer = options->regularizer,
                                            .boundary = options->boundary};
    if (options->method != KN_RECON_METHOD_LEAST_SQUARES)
        return KN_OK;
    if (options->regularizer == KN_RECON_REGULARIZER_WAVELET) {
        kn_status status = ki_wavelet_check(recon->scan.matrix.size, err);

        if (status)
            return status;
    }
    return ki_mri_solver_check(&recon->ls, err);
}

// ---- together ----

static kn_status check_method(const struct recon *recon, kn_error *err)
{
    kn_recon_method method = recon->options.method;

    if (!recon->scan.data && method != KN_RECON_METHOD_ADJOINT)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "data is NULL; without data there is the adjoint alone, not %s",
                       kn_recon_method_name(method));
    if (recon->options.start && method != KN_RECON_METHOD_LEAST_SQUARES)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a start is only for least squares, not with %s",
                       kn_recon_method_name(method));
    if (recon->extras.positions && method != KN_RECON_METHOD_ADJOINT)
        return ki_fail(err, KN_ERROR_ARGUMENT, "positions are only for the adjoint, not with %s",
                       kn_recon_method_name(method));
    if (recon->scan.basis && method == KN_RECON_METHOD_GRIDDING)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "gridding has no basis; take least squares or the adjoint");
    if (recon->options.relative_lambda && method == KN_RECON_METHOD_LEAST_SQUARES &&
        recon->options.normal == KN_RECON_NORMAL_FORWARD)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "relative_lambda counts in units of a bound that the normal operator by both sums does "
            "not have; give lambda in absolute terms");
    return KN_OK;
}

// Replaces AUTO. Given maps are always used.
static kn_status choose_sense(struct recon *recon, kn_error *err)
{
    kn_recon_solve_options *options = &recon->options;

    recon->sense_why = "asked for";
    if (options->sense != KN_RECON_SENSE_AUTO)
        return KN_OK;
    if (options->maps) {
        options->sense = KN_RECON_SENSE_MAPS;
        recon->sense_why = "there are maps";
        return KN_OK;
    }
    if (options->start && recon->scan.coils > 1)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a start of several coils is one image or one for each, as `sense` says, which is "
                       "KN_RECON_SENSE_AUTO; name one");
    return ki_mri_sense_choose(&recon->scan, options->method, &options->sense, &recon->sense_why, err);
}

static kn_status check_sense(const struct recon *recon, kn_error *err)
{
    const kn_recon_solve_options *options = &recon->options;

    if (!options->maps != (options->sense != KN_RECON_SENSE_MAPS))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       options->maps ? "maps go with KN_RECON_SENSE_MAPS, not with %s"
                                     : "maps are NULL; the coils' sensitivities are what %s combines them by",
                       kn_recon_sense_name(options->sense));
    if (options->sense != KN_RECON_SENSE_NONE && options->method != KN_RECON_METHOD_LEAST_SQUARES)
        return ki_fail(err, KN_ERROR_ARGUMENT, "sensitivities of coils go with least squares, not with %s",
                       kn_recon_method_name(options->method));
    return KN_OK;
}

static kn_status check_q(const struct recon *recon, kn_error *err)
{
    if (!recon->extras.save_q && !recon->extras.load_q && !recon->extras.differences)
        return KN_OK;
    if (recon->extras.load_q && recon->extras.differences)
        return ki_fail(err, KN_ERROR_ARGUMENT, "Q is taken from load_q or from differences, not from both");
    if (recon->options.method != KN_RECON_METHOD_LEAST_SQUARES || recon->on_host ||
        recon->options.normal == KN_RECON_NORMAL_FORWARD)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a file of Q, or its differences, is only for least squares on a device, by "
                       "KN_RECON_NORMAL_TOEPLITZ");
    return KN_OK;
}

static kn_status check_place(const struct recon *recon, const kn_queue *queue, kn_error *err)
{
    const char *what = NULL;

    if (recon->options.density == KN_RECON_DENSITY_PIPE)
        what = "density compensation by pipe";
    else if (recon->options.method == KN_RECON_METHOD_GRIDDING)
        what = "gridding";
    else if (!recon->on_host)
        what = "the kernel";
    if (queue || !what)
        return KN_OK;
    return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s runs on a device; give a queue", what);
}

static struct recon_adjoint adjoint_of(const struct recon *recon, const kn_queue *queue)
{
    return (struct recon_adjoint){.queue = queue,
                                  .named = recon->options.kernel,
                                  .method = recon->options.adjoint,
                                  .tolerance = recon->options.nufft_tolerance,
                                  .matrix = recon->scan.matrix,
                                  .k = recon->extras.differences ? NULL : recon->scan.k,
                                  .samples = recon->scan.samples,
                                  .has_q = recon->options.method == KN_RECON_METHOD_LEAST_SQUARES &&
                                           recon->options.normal == KN_RECON_NORMAL_TOEPLITZ,
                                  .has_positions = recon->extras.positions != NULL};
}

// Gridding has no method of the adjoint to choose.
static kn_status choose_adjoint(struct recon *recon, const kn_queue *queue, kn_error *err)
{
    const struct recon_adjoint adjoint = adjoint_of(recon, queue);

    if (recon->options.method != KN_RECON_METHOD_GRIDDING) {
        kn_status status = ki_recon_choose(&adjoint, &recon->kernel, recon->why, err);

        if (mri_kernel_is_cartesian(recon->kernel))
            recon->nufft_tolerance = MRI_NUFFT_ON_GRID;
        return status;
    }
    if (recon->options.adjoint != KN_RECON_ADJOINT_AUTO)
        return ki_fail(err, KN_ERROR_ARGUMENT, "the adjoint %s is only for sums; gridding has neither",
                       kn_recon_adjoint_method_name(recon->options.adjoint));
    return KN_OK;
}

kn_status ki_recon_request(const char *function, const kn_queue *queue, const kn_recon_scan *scan,
                           const kn_recon_solve_options *options, const kn_recon_extras *extras,
                           struct recon *recon, kn_error *err)
{
    kn_status status = read_structs(function, scan, options, extras, recon, err);

    if (!status)
        status = ki_recon_check_scan(recon, err);
    if (!status)
        status = check_options(&recon->options, err);
    if (!status)
        status = read_solver(recon, err);
    if (status)
        return status;
    recon->kernel = ki_recon_kernel(queue, recon->options.kernel);
    recon->gridding = (struct mri_gridding_options){.oversampling = recon->options.oversampling,
                                                    .width = recon->options.width};
    recon->nufft_tolerance =
        recon->options.nufft_tolerance > 0 ? recon->options.nufft_tolerance : MRI_NUFFT_USUAL;
    recon->on_host = recon->options.method != KN_RECON_METHOD_GRIDDING && mri_kernel_is_host(recon->kernel);
    status = choose_sense(recon, err);
    recon->joint = recon->options.sense != KN_RECON_SENSE_NONE;
    recon->images = recon->joint ? 1 : recon->scan.coils;
    if (!status)
        status = check_method(recon, err);
    if (!status)
        status = check_sense(recon, err);
    if (!status)
        status = check_q(recon, err);
    if (!status)
        status = check_place(recon, queue, err);
    return status ? status : choose_adjoint(recon, queue, err);
}

static kn_status choose(const kn_queue *queue, const kn_recon_scan *scan,
                        const kn_recon_solve_options *options, const kn_recon_extras *extras,
                        kn_recon_adjoint_method *method, char *why, kn_error *err)
{
    struct recon recon = {.queue = NULL};
    struct recon_adjoint asked;
    kn_status status;

    if (!method || !why)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", method ? "why" : "method");
    status = ki_recon_request("kn_recon_choose_adjoint", queue, scan, options, extras, &recon, err);
    if (status)
        return status;
    asked = adjoint_of(&recon, queue);
    asked.method = KN_RECON_ADJOINT_AUTO;
    asked.named = KN_RECON_KERNEL_AUTO;
    recon.kernel = mri_kernel_direct(recon.kernel);
    status = ki_recon_choose(&asked, &recon.kernel, why, err);
    *method = ki_recon_public_adjoint(recon.kernel);
    return status;
}

kn_status kn_recon_choose_adjoint(const kn_queue *queue, const kn_recon_scan *scan,
                                  const kn_recon_solve_options *options, const kn_recon_extras *extras,
                                  kn_recon_adjoint_method *method, char *why, kn_error *err)
{
    return ki_error_name(__func__, choose(queue, scan, options, extras, method, why, err), err);
}
