// SPDX-License-Identifier: Apache-2.0
// koine recon: from its options and files to what shall be computed, and where.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/inputs/mri_files.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "io/array/volume.h"
#include "cmd_recon.h"
#include "convention.h"

const char *const recon_basis_names[] = {"delta", "box", NULL};

const char *const recon_precision_names[] = {"auto", "float", "double", NULL};

enum { BASIS_DELTA, BASIS_BOX };
enum { RECON_AUTO, RECON_FLOAT, RECON_DOUBLE };

// The index of a word in a table that ends in NULL; -1 if it is not there.
static int index_of(const char *word, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    return -1;
}

// ---- before anything is read ----

// A number from `least` on; NULL leaves the value as it is.
static kn_status read_number(const char *option, const char *text, double least, double *value, kn_error *err)
{
    char *end;
    double number;

    if (!text)
        return KN_OK;
    number = strtod(text, &end);
    if (*end || end == text || !isfinite(number) || number < least)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--%s: '%s' is no number from %g on", option, text, least);
    *value = number;
    return KN_OK;
}

static kn_status read_kernel(struct recon_run *run, kn_error *err)
{
    const char *word = run->arguments->kernel;
    int found = word ? index_of(word, ki_mri_kernel_names) : MRI_TUNED;

    run->kernel_chosen = !word;
    if (found < 0)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--kernel: '%s' is none of naive, register, coalesced, constant, constant-struct, "
                       "fast-trig, tuned, host-double, host-single",
                       word);
    run->options.kernel = (enum mri_kernel)found;
    return KN_OK;
}

// Double precision is the kernel host-double's, and that alone.
static kn_status settle_precision(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    struct mri_recon_options *options = &run->options;
    bool host =
        arguments->common.devices.count == 0 || strcmp(arguments->common.devices.items[0], "host") == 0;

    if (arguments->precision == RECON_AUTO)
        return KN_OK;
    if (arguments->variants)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--precision: --variants runs the kernels of both; leave it out");
    if (arguments->precision == RECON_DOUBLE && options->solver == MRI_GRIDDING)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--precision double: gridding computes in single precision; --solver ls and adjoint have "
            "the kernel host-double");
    if (arguments->precision == RECON_DOUBLE && run->kernel_chosen && host) {
        options->kernel = MRI_HOST_DOUBLE;
        return KN_OK;
    }
    if ((options->kernel == MRI_HOST_DOUBLE) != (arguments->precision == RECON_DOUBLE))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--precision %s: the kernel %s computes in %s precision; %s",
                       recon_precision_names[arguments->precision], ki_mri_kernel_names[options->kernel],
                       options->kernel == MRI_HOST_DOUBLE ? "double" : "single",
                       options->kernel == MRI_HOST_DOUBLE ? "leave --kernel out for one in single"
                                                          : "--kernel host-double is the one in double");
    return KN_OK;
}

// The host's kernels have one arithmetic.
static kn_status check_policy(const struct recon_run *run, kn_error *err)
{
    if (run->arguments->common.policy != KN_POLICY_FAST || run->arguments->variants ||
        run->options.solver == MRI_GRIDDING || !ki_mri_kernel_is_host(run->options.kernel))
        return KN_OK;
    return ki_fail(
        err, KN_ERROR_ARGUMENT,
        "--policy fast: the kernel %s is the host's, which has one arithmetic, without contraction; take "
        "a kernel of a device",
        ki_mri_kernel_names[run->options.kernel]);
}

static kn_status read_numbers(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    struct mri_recon_options *options = &run->options;
    kn_status status = read_number("tolerance", arguments->tolerance, 0, &options->ls.tolerance, err);

    if (!status)
        status = read_number("lambda", arguments->lambda, 0, &options->ls.lambda, err);
    if (!status)
        status =
            read_number("oversampling", arguments->oversampling, 1.25, &options->gridding.oversampling, err);
    if (!status && (arguments->oversampling || arguments->width) && options->solver != MRI_GRIDDING &&
        !arguments->variants)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--oversampling and --width go with --solver gridding");
    if (!status && arguments->width && (arguments->width < 2 || arguments->width > 8))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--width: %zu is not from 2 to 8", arguments->width);
    options->gridding.width = (unsigned)arguments->width;
    return status;
}

kn_status recon_check_arguments(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    const struct common_arguments *common = &arguments->common;
    struct mri_recon_options *options = &run->options;
    kn_status status;

    if (common->operands.count < 1)
        return ki_fail(err, KN_ERROR_ARGUMENT, "expected INPUT, a scan; try '%s --help'", common->command);
    status = options_at_most(common, 1, err);
    run->input = common->operands.items[0];
    if (!status && !arguments->out && !arguments->variants)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "expected -o OUT, for the image; try '%s --help'",
                         common->command);
    if (!status && common->output && !arguments->variants)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--output goes with --variants; -o OUT is the image");
    if (!status && arguments->matrix)
        status = convention_matrix(arguments->matrix, &run->request.matrix, err);
    run->request.path = run->input;
    run->request.trajectory = arguments->trajectory;
    run->request.unit = (kn_recon_unit)arguments->unit;
    run->request.order = (enum parboil_order)arguments->parboil;
    options->solver = (enum mri_recon_solver)arguments->solver;
    options->scale = (enum mri_scale)arguments->scale;
    options->normal = (kn_recon_normal_method)arguments->normal;
    options->ls.iterations = arguments->iterations;
    options->ls.relative_lambda = arguments->relative_lambda;
    options->ls.regularizer = (enum mri_regularizer)arguments->regularizer;
    options->ls.boundary = (enum mri_boundary)arguments->boundary;
    options->save_q = arguments->save_q;
    options->load_q = arguments->load_q;
    options->force = common->force;
    if (!status)
        status = read_kernel(run, err);
    if (!status)
        status = settle_precision(run, err);
    if (!status)
        status = check_policy(run, err);
    return status ? status : read_numbers(run, err);
}

// ---- reading ----

// `expected` complex or real numbers, one for each of `what`.
static kn_status read_values(const char *path, size_t expected, const char *what, double complex **values,
                             kn_error *err)
{
    struct npy shape;
    kn_status status = mri_values_read(path, false, &shape, values, err);

    if (!status && shape.count != expected)
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0, "has %zu numbers, expected %zu, one for each %s",
                            shape.count, expected, what);
    for (size_t i = 0; !status && i < expected; i++)
        if (!isfinite(creal((*values)[i])) || !isfinite(cimag((*values)[i])))
            status = ki_fail_at(err, KN_ERROR_INPUT, path, 0, "number %zu is %g%+gi, expected numbers", i,
                                creal((*values)[i]), cimag((*values)[i]));
    return status;
}

static kn_status read_density(struct recon_run *run, kn_error *err)
{
    const char *word = run->arguments->density;
    int found = index_of(word, ki_mri_density_names);
    double complex *values = NULL;
    kn_status status;

    if (found >= 0) {
        run->options.density = (kn_recon_density)found;
        return KN_OK;
    }
    status = read_values(word, run->scan.samples, "sample", &values, err);
    run->weights = status ? NULL : malloc(run->scan.samples * sizeof *run->weights);
    if (!status && !run->weights)
        status = ki_fail_memory(err, run->scan.samples * sizeof *run->weights, word);
    for (size_t m = 0; !status && m < run->scan.samples; m++) {
        run->weights[m] = creal(values[m]);
        if (cimag(values[m]) != 0 || run->weights[m] < 0)
            status = ki_fail_at(err, KN_ERROR_INPUT, word, 0,
                                "the weight of sample %zu is %g%+gi, expected a real number from 0 on", m,
                                creal(values[m]), cimag(values[m]));
    }
    run->options.weights = run->weights;
    free(values);
    return status;
}

static kn_status read_basis(struct recon_run *run, kn_error *err)
{
    const char *word = run->arguments->basis;
    int found = index_of(word, recon_basis_names);
    size_t samples = run->scan.samples;
    kn_status status = KN_OK;

    if (found == BASIS_DELTA)
        return KN_OK;
    if (found == BASIS_BOX) {
        run->basis = malloc(samples * sizeof *run->basis);
        if (!run->basis)
            return ki_fail_memory(err, samples * sizeof *run->basis, "the voxel's basis");
        ki_mri_basis_box(&run->scan.matrix, run->scan.k, samples, run->basis);
    } else {
        status = read_values(word, samples, "sample", &run->basis, err);
    }
    run->options.basis = run->basis;
    return status;
}

kn_status recon_read(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    const struct mri_scan *scan = &run->scan;
    double start = ki_clock_seconds();
    kn_status status = mri_scan_read(&run->request, &run->scan, err);

    if (!status && scan->positions && arguments->out) // no image, but a list of values
        status = volume_try(arguments->out, VOLUME_ARRAY, arguments->common.force, err);
    if (!status && run->request.unit == KN_RECON_UNIT_FOV && scan->format != MRI_SCAN_PARBOIL)
        convention_doubt(&arguments->common, run->request.trajectory ? run->request.trajectory : run->input,
                         &scan->matrix, &scan->range);
    if (!status)
        status = read_density(run, err);
    if (!status)
        status = read_basis(run, err);
    if (!status && arguments->warm_start)
        status = read_values(arguments->warm_start, scan->coils * scan->voxels, "voxel of each coil",
                             &run->start, err);
    run->options.start = run->start;
    if (!status && arguments->reference)
        status = read_values(arguments->reference, scan->voxels, "voxel", &run->reference, err);
    run->seconds.read = ki_clock_seconds() - start;
    return status;
}

// ---- the place ----

// Nothing of it runs on a device.
static bool all_on_host(const struct recon_run *run)
{
    const struct mri_recon_options *options = &run->options;

    return !run->arguments->variants && options->solver != MRI_GRIDDING &&
           ki_mri_kernel_is_host(options->kernel) &&
           (options->density != KN_RECON_DENSITY_PIPE || options->weights);
}

// Gridding, density compensation by Pipe and Menon, and kernels that were named are a device's.
static bool has_host(const struct recon_run *run)
{
    const struct mri_recon_options *options = &run->options;

    return !run->arguments->variants && run->kernel_chosen && options->solver != MRI_GRIDDING &&
           (options->density != KN_RECON_DENSITY_PIPE || options->weights);
}

static kn_status open_place(struct recon_run *run, const struct places *places, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    const struct mri_scan *scan = &run->scan;
    const double pairs = (double)scan->samples * (double)scan->voxels,
                 grid = (double)(1U << scan->matrix.axes); // of Q, in voxels
    const double sums = run->options.solver != MRI_LS ? 1
                        : run->options.normal == KN_RECON_NORMAL_FORWARD
                            ? 1 + 2 * (double)run->options.ls.iterations
                            : 1 + grid;
    const struct estimate estimate = {.host = sums * pairs * ESTIMATE_PAIR_HOST,
                                      .scales = true,
                                      .device = sums * pairs * ESTIMATE_PAIR_DEVICE,
                                      .bytes = (double)scan->coils * (double)(scan->samples + scan->voxels) *
                                               2 * sizeof(float),
                                      .program = "app/mri/mri_fhd.cl",
                                      .programs = run->options.solver == MRI_LS ? 8 : 2};

    return estimate_open(places, has_host(run) ? &estimate : NULL, common->policy, common->command,
                         &run->place, err);
}

kn_status recon_open(struct recon_run *run, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    struct places chosen = {.count = 0};
    kn_status status;

    if (all_on_host(run) && !common->devices.count) {
        place_host(&run->place);
    } else {
        status = choose_places(&common->devices, &chosen, err);
        if (!status && chosen.count > 1)
            status = ki_fail(err, KN_ERROR_ARGUMENT, "--device names %zu devices; %s uses one", chosen.count,
                             common->command);
        if (!status)
            status = open_place(run, &chosen, err);
        choose_free(&chosen);
        if (status)
            return status;
    }
    if (!run->place.queue && run->kernel_chosen && !ki_mri_kernel_is_host(run->options.kernel))
        run->options.kernel = MRI_HOST_SINGLE;
    return ki_mri_recon_try(run->place.queue, &run->scan, &run->options, err);
}

void recon_free(struct recon_run *run)
{
    ki_mri_recon_free(&run->result);
    ki_mri_variants_free(&run->variants);
    ki_mri_scan_free(&run->scan);
    free(run->weights);
    free(run->basis);
    free(run->start);
    free(run->reference);
    place_close(&run->place);
}
