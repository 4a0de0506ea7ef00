// SPDX-License-Identifier: Apache-2.0
// koine recon: from its options and files to what is computed, and where.
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

const char *const recon_method_names[] = {"ls", "adjoint", "gridding", NULL};
const char *const recon_adjoint_names[] = {"auto", "direct", "separable", "nufft", "cartesian", NULL};
const char *const recon_scale_names[] = {"none", "unitary", NULL};
const char *const recon_normal_names[] = {"toeplitz", "forward", NULL};
const char *const recon_regularizer_names[] = {"tikhonov", "difference", "tv", "wavelet", NULL};
const char *const recon_boundary_names[] = {"zero", "periodic", NULL};
const char *const recon_reference_scale_names[] = {"auto", "best", "none", NULL};

enum { BASIS_DELTA, BASIS_BOX };
enum { RECON_AUTO, RECON_FLOAT, RECON_DOUBLE };

// ---- before anything is read ----

// Reads a number of at least `least`; a NULL text leaves the value unchanged.
static kn_status read_number(const char *option, const char *text, double least, double *value, kn_error *err)
{
    char *end;
    double number;

    if (!text)
        return KN_OK;
    number = strtod(text, &end);
    if (*end || end == text || !isfinite(number) || number < least)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--%s: '%s' is not a number of at least %g", option, text,
                       least);
    *value = number;
    return KN_OK;
}

bool recon_is_of_host(kn_recon_kernel kernel)
{
    return kernel == KN_RECON_KERNEL_HOST_DOUBLE || kernel == KN_RECON_KERNEL_HOST_SINGLE;
}

static kn_status read_kernel(struct recon_run *run, kn_error *err)
{
    const char *word = run->arguments->kernel;

    run->kernel_chosen = !word;
    run->options.kernel = KN_RECON_KERNEL_TUNED;
    for (int i = KN_RECON_KERNEL_NAIVE; word && i <= RECON_KERNELS; i++)
        if (strcmp(word, kn_recon_kernel_name((kn_recon_kernel)i)) == 0) {
            run->options.kernel = (kn_recon_kernel)i;
            return KN_OK;
        }
    if (!word)
        return KN_OK;
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "--kernel: '%s' is not one of naive, register, coalesced, constant, constant-struct, "
                   "fast-trig, tuned, host-double, host-single",
                   word);
}

// Only the kernel host-double computes in double precision.
static kn_status settle_precision(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    kn_recon_solve_options *options = &run->options;
    bool host =
        arguments->common.devices.count == 0 || strcmp(arguments->common.devices.items[0], "host") == 0;

    if (arguments->precision == RECON_AUTO)
        return KN_OK;
    if (arguments->variants)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--precision: --variants runs the kernels of both precisions; leave it out");
    if (arguments->precision == RECON_DOUBLE && options->method == KN_RECON_METHOD_GRIDDING)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--precision double: gridding computes in single precision; use --solver ls or "
                       "adjoint with --kernel host-double");
    if (arguments->precision == RECON_DOUBLE && run->kernel_chosen && host) {
        options->kernel = KN_RECON_KERNEL_HOST_DOUBLE;
        return KN_OK;
    }
    if ((options->kernel == KN_RECON_KERNEL_HOST_DOUBLE) != (arguments->precision == RECON_DOUBLE))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--precision %s: the kernel %s computes in %s precision; %s",
                       recon_precision_names[arguments->precision], kn_recon_kernel_name(options->kernel),
                       options->kernel == KN_RECON_KERNEL_HOST_DOUBLE ? "double" : "single",
                       options->kernel == KN_RECON_KERNEL_HOST_DOUBLE
                           ? "leave out --kernel for one in single precision"
                           : "use --kernel host-double for double precision");
    return KN_OK;
}

// A product of matrices or a NUFFT replaces one kernel, but none of the lecture's comparison.
static kn_status check_adjoint(struct recon_run *run, kn_error *err)
{
    kn_recon_kernel kernel = run->options.kernel;
    const char *word = recon_adjoint_names[run->arguments->adjoint];

    run->options.adjoint = (kn_recon_adjoint_method)run->arguments->adjoint;
    if (run->options.adjoint == KN_RECON_ADJOINT_AUTO)
        return KN_OK;
    if (run->options.method == KN_RECON_METHOD_GRIDDING)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--adjoint %s needs --solver ls or adjoint", word);
    if (run->options.adjoint == KN_RECON_ADJOINT_DIRECT)
        return KN_OK;
    if (run->arguments->variants)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--adjoint: --variants runs only the kernels of direct sums; leave it out");
    if (kernel != KN_RECON_KERNEL_TUNED && !recon_is_of_host(kernel))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--adjoint %s: the kernel %s computes direct sums; use --kernel tuned, "
                       "host-double or host-single, or leave it out",
                       word, kn_recon_kernel_name(kernel));
    return KN_OK;
}

// The host's kernels support only one numeric policy.
static kn_status check_policy(const struct recon_run *run, kn_error *err)
{
    if (run->arguments->common.policy != KN_POLICY_FAST || run->arguments->variants ||
        run->options.method == KN_RECON_METHOD_GRIDDING || !recon_is_of_host(run->options.kernel))
        return KN_OK;
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "--policy fast: the kernel %s runs on the host, which always computes without contraction "
                   "or relaxed maths; use a kernel of a device",
                   kn_recon_kernel_name(run->options.kernel));
}

// Whether --adjoint auto chooses among methods.
static bool may_choose_adjoint(const struct recon_run *run)
{
    return run->kernel_chosen && !run->arguments->variants && run->options.method != KN_RECON_METHOD_GRIDDING;
}

static kn_status read_numbers(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    kn_recon_solve_options *options = &run->options;
    kn_status status = read_number("tolerance", arguments->tolerance, 0, &options->tolerance, err);

    if (!status)
        status =
            read_number("nufft-tolerance", arguments->nufft_tolerance, 1e-12, &options->nufft_tolerance, err);
    if (!status && options->nufft_tolerance > 0.1)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "--nufft-tolerance: %g is not from 1e-6 (1e-12 with --kernel host-double) to 0.1",
                         options->nufft_tolerance);
    if (!status && arguments->nufft_tolerance && options->adjoint != KN_RECON_ADJOINT_NUFFT &&
        !(options->adjoint == KN_RECON_ADJOINT_AUTO && may_choose_adjoint(run)))
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "--nufft-tolerance needs --adjoint nufft, or auto without --kernel");
    if (!status)
        status = read_number("lambda", arguments->lambda, 0, &options->lambda, err);
    if (!status)
        status = read_number("oversampling", arguments->oversampling, 1.25, &options->oversampling, err);
    if (!status && (arguments->oversampling || arguments->width) &&
        options->method != KN_RECON_METHOD_GRIDDING && !arguments->variants)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--oversampling and --width need --solver gridding");
    if (!status && options->oversampling > 4)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "--oversampling: %g is not from 1.25 to 4 (2 is usual; less saves memory and needs "
                         "a wider window)",
                         options->oversampling);
    if (!status && arguments->width && (arguments->width < 2 || arguments->width > 8))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--width: %zu is not from 2 to 8", arguments->width);
    options->width = (unsigned)arguments->width;
    return status;
}

// A regularizer that is not quadratic is for ls, without a boundary.
static kn_status check_regularizer(const kn_recon_solve_options *options, kn_error *err)
{
    const char *name = kn_recon_regularizer_name(options->regularizer);

    if (options->regularizer < KN_RECON_REGULARIZER_TV)
        return KN_OK;
    if (options->method != KN_RECON_METHOD_LEAST_SQUARES)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--regularizer %s needs --solver ls", name);
    if (options->boundary != KN_RECON_BOUNDARY_ZERO)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--boundary periodic: --regularizer %s has no boundary; only difference has", name);
    return KN_OK;
}

kn_status recon_check_arguments(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    const struct common_arguments *common = &arguments->common;
    kn_recon_solve_options *options = &run->options;
    kn_status status;

    if (common->operands.count < 1)
        return ki_fail(err, KN_ERROR_ARGUMENT, "expected INPUT, a scan; try '%s --help'", common->command);
    status = options_at_most(common, 1, err);
    run->input = common->operands.items[0];
    if (!status && !arguments->out && !arguments->variants)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "expected -o OUT, for the image; try '%s --help'",
                         common->command);
    if (!status && common->output && !arguments->variants)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--output needs --variants; -o OUT is the image");
    if (!status && arguments->matrix)
        status = convention_matrix(arguments->matrix, &run->request.matrix, err);
    run->request.path = run->input;
    run->request.trajectory = arguments->trajectory;
    run->request.unit = (kn_recon_unit)arguments->unit;
    run->request.order = (enum parboil_order)arguments->parboil;
    *options = KN_INIT(kn_recon_solve_options, .method = (kn_recon_method)arguments->solver,
                       .scale = (kn_recon_scale)arguments->scale);
    options->normal = (kn_recon_normal_method)arguments->normal;
    options->iterations = arguments->iterations;
    options->relative_lambda = arguments->relative_lambda;
    options->regularizer = (kn_recon_regularizer)arguments->regularizer;
    options->boundary = (kn_recon_boundary)arguments->boundary;
    run->extras = KN_INIT(kn_recon_extras, .save_q = arguments->save_q, .load_q = arguments->load_q,
                          .force = common->force);
    if (!status)
        status = check_regularizer(options, err);
    if (!status)
        status = read_kernel(run, err);
    if (!status)
        status = settle_precision(run, err);
    if (!status)
        status = check_policy(run, err);
    if (!status)
        status = check_adjoint(run, err);
    if (!status)
        status = recon_check_sense(run, err);
    if (!status)
        status = recon_check_coils(run, err);
    return status ? status : read_numbers(run, err);
}

// ---- reading ----

// Reads `expected` complex or real numbers, one for each of `what`.
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
    const char *word = run->arguments->density, *name;
    double complex *values = NULL;
    kn_status status;

    for (int i = 0; (name = kn_recon_density_name((kn_recon_density)i)) != NULL; i++)
        if (strcmp(word, name) == 0) {
            run->options.density = (kn_recon_density)i;
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
    free(values);
    return status;
}

static kn_status read_basis(struct recon_run *run, kn_error *err)
{
    const char *word = run->arguments->basis;
    size_t samples = run->scan.samples;

    if (strcmp(word, recon_basis_names[BASIS_DELTA]) == 0)
        return KN_OK;
    if (strcmp(word, recon_basis_names[BASIS_BOX]) != 0)
        return read_values(word, samples, "sample", &run->basis, err);
    run->basis = malloc(samples * sizeof *run->basis);
    if (!run->basis)
        return ki_fail_memory(err, samples * sizeof *run->basis, "the voxel's basis");
    return kn_recon_basis_box(&run->scan.matrix, run->scan.k, samples, (double *)run->basis, err);
}

// Fills the scan that is passed to the library.
static void take_scan(struct recon_run *run)
{
    const struct mri_scan *scan = &run->scan;

    run->arrays =
        KN_INIT(kn_recon_scan, .matrix = scan->matrix, .samples = scan->samples, .coils = scan->coils,
                .k = scan->k, .data = (double *)scan->data,
                .weights = run->weights ? run->weights : scan->weights, .basis = (double *)run->basis);
    run->extras.positions = scan->positions;
    run->extras.beyond = scan->format == MRI_SCAN_PARBOIL; // whose unit of k is unrelated to its voxels
}

kn_status recon_read(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    const struct mri_scan *scan = &run->scan;
    double start = ki_clock_seconds();
    kn_status status = mri_scan_read(&run->request, &run->scan, err);

    if (!status)
        status = recon_prepare_coils(run, err);
    if (!status && scan->positions && arguments->out) // the result is a list of values, not an image
        status = volume_try(arguments->out, VOLUME_ARRAY, arguments->common.force, err);
    if (!status && run->request.unit == KN_RECON_UNIT_FOV && scan->format != MRI_SCAN_PARBOIL)
        convention_doubt(&arguments->common, run->request.trajectory ? run->request.trajectory : run->input,
                         &scan->matrix, &scan->range);
    if (!status)
        status = read_density(run, err);
    if (!status)
        status = read_basis(run, err);
    take_scan(run);
    if (!status)
        status = recon_choose_sense(run, err);
    if (!status && arguments->warm_start)
        status = recon_is_joint(run)
                     ? read_values(arguments->warm_start, scan->voxels, "voxel", &run->start, err)
                     : read_values(arguments->warm_start, scan->coils * scan->voxels, "voxel of each coil",
                                   &run->start, err);
    if (!status)
        status = recon_read_maps(run, err);
    if (!status && arguments->reference)
        status = read_values(arguments->reference, scan->voxels, "voxel", &run->reference, err);
    run->options.start = (double *)run->start;
    run->seconds.read = ki_clock_seconds() - start;
    return status;
}

// ---- place ----

bool recon_is_on_host(const struct recon_run *run, const kn_recon_solve_options *options)
{
    return !run->place.queue ||
           (options->method != KN_RECON_METHOD_GRIDDING && recon_is_of_host(options->kernel));
}

// Gridding, density compensation by Pipe and Menon, and named kernels need a device.
static bool has_host(const struct recon_run *run)
{
    return !run->arguments->variants && run->kernel_chosen &&
           run->options.method != KN_RECON_METHOD_GRIDDING && run->options.density != KN_RECON_DENSITY_PIPE;
}

// Whether nothing runs on a device.
static bool all_on_host(const struct recon_run *run)
{
    return !run->arguments->variants && run->options.method != KN_RECON_METHOD_GRIDDING &&
           recon_is_of_host(run->options.kernel) && run->options.density != KN_RECON_DENSITY_PIPE;
}

// Whether both sums are plain Fourier transforms; the samples decide this if the options allow it.
static bool is_cartesian(const struct recon_run *run)
{
    kn_recon_solve_options options = run->options;
    kn_recon_extras extras = run->extras;
    kn_recon_adjoint_method method = KN_RECON_ADJOINT_DIRECT;
    char why[KN_RECON_WHY];

    options.kernel = KN_RECON_KERNEL_HOST_SINGLE;
    extras.load_q = extras.save_q = NULL; // only a device has these
    if (options.adjoint == KN_RECON_ADJOINT_AUTO && may_choose_adjoint(run))
        (void)kn_recon_choose_adjoint(NULL, &run->arrays, &options, &extras, &method, why, NULL);
    return options.adjoint == KN_RECON_ADJOINT_CARTESIAN || method == KN_RECON_ADJOINT_CARTESIAN;
}

static kn_status open_place(struct recon_run *run, const struct places *places, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    const kn_work work = recon_work(run, is_cartesian(run));

    return estimate_open(places, has_host(run) ? &work : NULL, common->policy, common->command, &run->place,
                         err);
}

// Devices only: the host solves in double precision, with other sums.
static kn_status open_share(struct recon_run *run, const struct places *chosen, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    const struct common_arguments *common = &arguments->common;
    const char *alone = arguments->variants ? "--variants" : common->memory_limit ? "--memory-limit" : NULL;
    kn_status status;

    if (recon_is_of_host(run->options.kernel))
        alone = "--kernel host-double or host-single";
    if (common->resume && (alone || arguments->save_q))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--resume: %s computes everything at once, not in parts",
                       alone ? alone : "--save-q");
    if (common->ranks && (alone || arguments->save_q))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "%s computes everything at once, which ranks of MPI do not share; start the command once",
            alone ? alone : "--save-q");
    if (alone)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--device names %zu devices; %s uses one", chosen->count,
                       alone);
    for (size_t i = 0; i < chosen->count; i++)
        if (strcmp(chosen->specs[i].spec, "host") == 0)
            return ki_fail(err, KN_ERROR_ARGUMENT, "--device host: %s",
                           common->resume ? "with --resume devices compute the parts, and not the host"
                                          : "devices share the work among themselves, without the host");
    status = share_open(chosen, common->policy, true, common->command, &run->share, err);
    if (!status && common->ranks)
        status = share_spread(&run->share, common->ranks, err);
    if (!status)
        run->place = *share_first(&run->share); // the share closes it; under MPI, this rank's own
    return status;
}

kn_status recon_open(struct recon_run *run, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    struct places chosen = {.count = 0};
    kn_status status;

    if (all_on_host(run) && !common->devices.count && !common->resume && !common->ranks) {
        place_host(&run->place);
    } else {
        status = choose_places(&common->devices, &chosen, err);
        if (!status)
            status = ranks_choose(common, true, &chosen, err);
        if (!status)
            status = chosen.count > 1 || common->resume || common->ranks ? open_share(run, &chosen, err)
                                                                         : open_place(run, &chosen, err);
        choose_free(&chosen);
        if (status)
            return status;
    }
    if (!run->place.queue && run->kernel_chosen && !recon_is_of_host(run->options.kernel))
        run->options.kernel = KN_RECON_KERNEL_HOST_SINGLE;
    return KN_OK;
}

// All ranks take the method of rank 0.
static kn_status agree_on_adjoint(struct recon_run *run, kn_status status, kn_error *err)
{
    struct ranks *ranks = run->arguments->common.ranks;
    void *all = NULL;

    if (!ranks)
        return status;
    status = ranks_tell(ranks, status, &run->options.adjoint, sizeof run->options.adjoint, &all, err);
    if (!status)
        memcpy(&run->options.adjoint, all, sizeof run->options.adjoint);
    free(all);
    return status;
}

kn_status recon_choose_adjoint(struct recon_run *run, kn_error *err)
{
    kn_status status;

    if (run->options.adjoint != KN_RECON_ADJOINT_AUTO || !may_choose_adjoint(run))
        return KN_OK;
    status = kn_recon_choose_adjoint(run->place.queue, &run->arrays, &run->options, &run->extras,
                                     &run->options.adjoint, run->why, err);
    status = agree_on_adjoint(run, status, err);
    if (run->options.adjoint != KN_RECON_ADJOINT_NUFFT)
        run->options.nufft_tolerance = 0; // the other methods have none
    return status;
}

void recon_free(struct recon_run *run)
{
    kn_recon_solution_free(run->solution);
    for (size_t i = 0; i < run->variant_count; i++)
        kn_recon_solution_free(run->variants[i].solution);
    mri_scan_free(&run->scan);
    free(run->weights);
    free(run->basis);
    free(run->start);
    free(run->reference);
    free(run->maps);
    free(run->whitener);
    free(run->compression);
    if (run->share.count)
        share_close(&run->share);
    else
        place_close(&run->place);
}
