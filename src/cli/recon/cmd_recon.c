// SPDX-License-Identifier: Apache-2.0
// koine recon: from the k-space of an MRI scan to its image.
#include "cmd_recon.h"

#include <koine/experimental.h>

#include <stdio.h>

#include "base/os/clock.h"
#include "base/os/output.h"
#include "base/error.h"
#include "cli/commands.h"
#include "convention.h"
#include "cli/framework/report.h"

#define FIELD(type, field) OPTION_FIELD(type, struct recon_arguments, field)

static const char *const parboil_names[] = {"published", "true", NULL};

static const struct option_row options[] = {
    {"out", 'o', FIELD(OPTION_PATH, out), .writes = true, .metavar = "OUT",
     .help = "write the image here: a .cfl/.hdr pair, .npy, or its magnitude as .nii, .tif or .png"},
    {"matrix", 'm', FIELD(OPTION_PATH, matrix), .metavar = "NX,NY[,NZ]",
     .help = "number of voxels (default: from the file or the range of the trajectory)"},
    {"trajectory", 't', FIELD(OPTION_PATH, trajectory), .metavar = "TRAJ",
     .help = "the k-space trajectory of a .cfl or .npy (.cfl/.hdr, .npy)"},
    {"trajectory-unit", FIELD(OPTION_CHOICE, unit), .choices = convention_unit_names, .fallback = "fov",
     .help = "unit of k: cycles per field of view (up to N/2), radians per voxel (up to pi), or cycles per "
             "voxel (up to 1/2)"},
    {"parboil", FIELD(OPTION_CHOICE, parboil), .choices = parboil_names, .fallback = "published",
     .help = "order of the fields in a .bin: as Parboil reads them, or as they were written"},
    {"solver", 's', FIELD(OPTION_CHOICE, solver), .choices = recon_method_names, .fallback = "ls",
     .help = "least squares by conjugate gradients, the adjoint sum alone, or gridding"},
    {"adjoint", FIELD(OPTION_CHOICE, adjoint), .choices = recon_adjoint_names, .fallback = "auto",
     .help = "how F^H d and Q are computed: every voxel with every sample, by --kernel; or as products of "
             "matrices, since exp(i 2 pi k.r) is a product on a grid, exact as well; by a non-uniform FFT, "
             "to --nufft-tolerance; or by plain Fourier transforms, exact as well, if all samples lie on the "
             "grid of whole cycles (cartesian). auto: cartesian if they do, else the fastest by estimate, "
             "nufft only with --nufft-tolerance, direct if --kernel is given"},
    {"nufft-tolerance", FIELD(OPTION_PATH, nufft_tolerance), .metavar = "T",
     .help = "with --adjoint nufft: the largest relative error of F^H d in the 2-norm, from 1e-6 "
             "(host-double: 1e-12) to 0.1 (default: 1e-5); with --adjoint auto it allows nufft"},
    {"kernel", 'k', FIELD(OPTION_PATH, kernel), .metavar = "NAME",
     .help = "how the sums are computed: naive, register, coalesced, constant, constant-struct, fast-trig, "
             "tuned (default), or on the host: host-double, host-single (default without a device)"},
    {"precision", FIELD(OPTION_CHOICE, precision), .choices = recon_precision_names, .fallback = "auto",
     .help = "precision of the kernel: only host-double has double; auto is that of the kernel"},
    {"normal", FIELD(OPTION_CHOICE, normal), .choices = recon_normal_names, .fallback = "toeplitz",
     .help = "how ls applies F^H F: as a convolution with Q, by FFT (Toeplitz embedding); or by F and F^H in "
             "each iteration"},
    {"iterations", 'n', FIELD(OPTION_COUNT, iterations), .metavar = "N", .fallback = "20",
     .help = "for ls: the most iterations"},
    {"tolerance", FIELD(OPTION_PATH, tolerance), .metavar = "T",
     .help =
         "for ls: stop when the residual is at most T times the right-hand side, with --regularizer tv or "
         "wavelet when an iteration changes at most T times what the first one does; exit status 1 if this "
         "is not reached"},
    {"lambda", 'l', FIELD(OPTION_PATH, lambda), .metavar = "L",
     .help = "for ls: regularization parameter (default: 0)"},
    {"relative-lambda", FIELD(OPTION_FLAG, relative_lambda),
     .help = "--lambda is in units of the greatest eigenvalue of Q's circulant, which bounds that of F^H F; "
             "not with --normal forward"},
    {"regularizer", FIELD(OPTION_CHOICE, regularizer), .choices = recon_regularizer_names,
     .fallback = "tikhonov",
     .help = "penalize the norm of the image, the differences between neighbours, the total variation, "
             "which leaves edges sharp, or the details of its wavelet transform"},
    {"boundary", FIELD(OPTION_CHOICE, boundary), .choices = recon_boundary_names, .fallback = "zero",
     .help = "boundary of the differences: none across the edge of the image, or periodic; tv and wavelet "
             "have none"},
    {"sense", FIELD(OPTION_PATH, sense), .metavar = "MAPS|lowres|espirit|none",
     .help = "how ls combines several coils: into one image by their sensitivities, from a .cfl [x, y, z, "
             "coils] or .npy (coils, z, y, x), or estimated from the centre of k-space by ESPIRiT or at low "
             "resolution; or none, an image for each coil and the root of the sum of squares (default: "
             "espirit if the centre is dense enough, else lowres)"},
    {"noise-scan", FIELD(OPTION_PATH, noise_scan), .metavar = "FILE",
     .help =
         "whiten the coils by their noise, measured without signal: a .cfl [1, samples, 1, coils] or .npy "
         "(coils, samples)"},
    {"noise-covariance", FIELD(OPTION_PATH, noise_covariance), .metavar = "FILE",
     .help = "whiten the coils by the covariance of their noise, a .cfl or .npy (coils, coils)"},
    {"coils", FIELD(OPTION_COUNT, coils), .metavar = "N",
     .help = "compress the coils to the N combinations with the most energy, by singular value decomposition "
             "(default: no compression)"},
    {"warm-start", FIELD(OPTION_PATH, warm_start), .metavar = "IMAGE",
     .help = "for ls: start with this image (.cfl/.hdr, .npy) instead of 0"},
    {"density", FIELD(OPTION_PATH, density), .metavar = "none|ramp|pipe|FILE", .fallback = "none",
     .help = "density compensation: none, ramp, pipe (Pipe and Menon), or weights from a .cfl or .npy"},
    {"basis", FIELD(OPTION_PATH, basis), .metavar = "delta|box|FILE", .fallback = "delta",
     .help = "shape of a voxel: delta, box, or its Fourier transform at each sample from a .cfl or .npy"},
    {"oversampling", FIELD(OPTION_PATH, oversampling), .metavar = "X",
     .help = "for gridding: oversampling of the grid, 1.25 to 4 (default: 2)"},
    {"width", FIELD(OPTION_COUNT, width), .metavar = "J",
     .help = "for gridding: width of the window in cells of the grid, 2 to 8 (default: 6)"},
    {"scale", FIELD(OPTION_CHOICE, scale), .choices = recon_scale_names, .fallback = "none",
     .help = "unscaled sums, or forward and adjoint both scaled by 1/sqrt(voxels)"},
    {"save-q", FIELD(OPTION_PATH, save_q), .writes = true, .metavar = "FILE",
     .help = "for ls: save Q in this file"},
    {"load-q", FIELD(OPTION_PATH, load_q), .metavar = "FILE",
     .help = "for ls: load Q from this file, which must be of the same trajectory"},
    {"reference", FIELD(OPTION_PATH, reference), .metavar = "IMAGE",
     .help = "the true image (.cfl/.hdr, .npy), for comparison"},
    {"reference-scale", FIELD(OPTION_CHOICE, reference_scale), .choices = recon_reference_scale_names,
     .fallback = "auto",
     .help = "best: compare after multiplying by the complex factor that fits the reference best; none: "
             "compare as it is; auto: best for adjoint and gridding, whose sums have a scale of their own, "
             "and none for ls"},
    {"variants", FIELD(OPTION_FLAG, variants),
     .help = "run every kernel and gridding: tables of quality and of time; with --output also pictures"},
    {.name = NULL},
};

static bool step(void *progress, double done)
{
    progress_step(progress, done);
    return true;
}

// Seconds of compiling so far.
static double built(const struct recon_run *run)
{
    return run->share.count   ? share_built(&run->share)
           : run->place.queue ? kn_context_get_build_seconds(run->place.context)
                              : 0;
}

static kn_status compute(struct recon_run *run, kn_error *err)
{
    const double before = built(run), start = ki_clock_seconds();
    kn_status status;

    progress_begin(&run->progress, run->arguments->common.quiet);
    if (run->share.count) {
        status = recon_share_solve(run, &run->solution, err);
    } else {
        run->options.progress = step;
        run->options.progress_data = &run->progress;
        status = run->arguments->variants ? recon_run_variants(run, err)
                                          : recon_solve(run, &run->options, &run->solution, err);
    }
    progress_end(&run->progress);
    if (status || !ranks_writes(run->arguments->common.ranks))
        return status;
    if (!run->arguments->variants)
        run->shown = run->solution;
    run->seconds.build = run->place.queue ? built(run) - before : -1;
    run->seconds.compute = run->share.count
                               ? kn_recon_solution_get_seconds(run->solution) // the sum over all devices
                               : ki_clock_seconds() - start - (run->place.queue ? run->seconds.build : 0);
    if (run->reference)
        status = recon_compare(run, run->options.method, run->shown, NULL, &run->quality, err);
    return status;
}

// Reports results that were computed but are not right: a failed adjoint check, or a tolerance that was not
// reached.
static void judge(struct recon_run *run)
{
    const kn_recon_details *details = kn_recon_solution_get_details(run->shown);
    struct common_arguments *common = &run->arguments->common;

    if (details->checked && !(details->check <= details->check_bound)) {
        fprintf(stderr, "%s: the adjoint check failed: %.3g, but rounding explains at most %.3g\n",
                common->command, details->check, details->check_bound);
        common->check_failed = true;
    }
    if (details->nufft_voxels && !(details->nufft_error <= details->nufft_tolerance)) {
        fprintf(stderr, "%s: the NUFFT's error is %.3g, and its tolerance %g\n", common->command,
                details->nufft_error, details->nufft_tolerance);
        common->check_failed = true;
    }
    for (size_t i = 0; run->options.tolerance > 0 && i < kn_recon_solution_get_coils(run->shown); i++) {
        const kn_recon_coil coil = kn_recon_solution_get_coil(run->shown, i);
        char what[32];

        if (coil.stopped == KN_SOLVE_STOPPED_TOLERANCE)
            continue;
        snprintf(what, sizeof what, "coil %zu", i);
        fprintf(stderr, "%s: %s did not reach the tolerance of %g within %zu iterations\n", common->command,
                recon_is_joint(run) ? "the image of all coils" : what, run->options.tolerance,
                coil.iterations);
        common->check_failed = true;
    }
}

static kn_status report(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    bool shows = report_shows_text(&arguments->common) && !(arguments->out && *arguments->out == '-');
    bool printed = true;

    if (shows) {
        printed = recon_print_result(run);
        if (printed && arguments->variants)
            printed = recon_print_variants(run);
        recon_print_files(run);
    }
    judge(run);
    return printed ? recon_write_json(run, err) : ki_fail_memory(err, 0, "printing the results");
}

// Keeps finished parts if devices share the work; but not if Q is saved too, because the first coil saves it.
static kn_status keep_parts(struct recon_run *run, kn_error *err)
{
    if (run->arguments->common.ranks)
        return KN_OK;
    resume_plan(&run->resume, &command_recon, run->arguments);
    resume_plan_number(&run->resume, run->arrays.samples);
    resume_plan_number(&run->resume, run->arrays.coils);
    resume_plan_number(&run->resume, (size_t)run->options.adjoint);
    run->share.resume = &run->resume;
    return resume_open(&run->resume, &run->arguments->common, run->arguments->out,
                       run->share.count && !run->arguments->save_q, err);
}

static kn_status work(struct recon_run *run, kn_error *err)
{
    kn_status status = compute(run, err);

    if (!ranks_writes(run->arguments->common.ranks))
        return status;
    if (!status)
        status = recon_write_files(run, err);
    run->seconds.total = ki_clock_seconds() - run->start_time;
    return status ? status : report(run, err);
}

static kn_status run_recon(void *given, kn_error *err)
{
    struct recon_run run = {
        .arguments = given, .start_time = ki_clock_seconds(), .seconds = {.upload = -1, .download = -1}};
    const struct recon_arguments *arguments = run.arguments;
    const bool writes = ranks_writes(arguments->common.ranks);
    const char *folder = arguments->common.output;
    const size_t there = folder ? ki_output_folder_there(folder) : 0;
    kn_status status = recon_check_arguments(&run, err);

    if (!status && writes)
        status = recon_try_files(&run, err);
    if (!status)
        status = recon_read(&run, err);
    if (!status)
        status = recon_open(&run, err);
    if (!status)
        status = recon_try(&run, err);
    if (!status)
        status = recon_choose_adjoint(&run, err);
    if (!status && writes && report_shows_text(&arguments->common) &&
        !(arguments->out && *arguments->out == '-'))
        recon_print_scan(&run);
    if (!status)
        status = keep_parts(&run, err);
    if (!status)
        status = arguments->common.dry_run ? recon_dry_run(&run, err) : work(&run, err);
    status = resume_close(&run.resume, status, err);
    recon_free(&run);
    if (folder && arguments->common.dry_run)
        ki_output_folder_undo(folder, there);
    return status;
}

const struct command command_recon = {
    .name = "recon",
    .summary = "Reconstructs the image of an MRI scan from its k-space along any trajectory",
    .operands = "INPUT",
    .description =
        "INPUT is an ISMRMRD file (.h5) with the acquisitions of one image and their trajectory; k-space in "
        "a .cfl/.hdr pair or a .npy, with --trajectory; or the data of Parboil's benchmark mri-q (.bin), "
        "whose Q is --solver adjoint.\n\n"
        "The convention: F x = sum over voxels of x exp(-i 2 pi k.r), with voxel j of an axis of N at r = (j "
        "- floor(N/2))/N and k in cycles per field of view; F^H d is the sum over samples of w d exp(+i 2 pi "
        "k.r), unscaled unless --scale unitary. A voxel is a point unless --basis box makes it as large as "
        "the distance to the next one. A trajectory outside the band of the matrix is refused, and there is "
        "a warning about one that stays far inside it, since it may be in another unit. Every run checks "
        "that <Fx,y> equals <x,F^H y>.\n\n"
        "ls solves (F^H W F + lambda R) x = F^H W d by conjugate gradients. F^H W F is a convolution with Q, "
        "which is computed by the same kernels on twice the matrix and depends only on trajectory and "
        "weights: --save-q and --load-q keep it in a file. With --normal forward there is no Q: each "
        "iteration computes F and F^H term by term, F^H by --kernel; this takes far longer, but needs no "
        "grid of twice the matrix, and shows what Q is worth. R is 1, or D^H D with --regularizer "
        "difference. --regularizer tv, for ls with fewer samples than the image has voxels, takes the x of "
        "the least |F x - d|^2 / 2 + lambda TV(x) instead, with the weights W and the sum over all coils: TV "
        "is the sum over the voxels of the length of the differences to the next voxel along each axis. The "
        "method is the primal-dual one of Chambolle and Pock (2011), on F^H W F and F^H W d alone, so that "
        "--normal, --save-q, --load-q and --sense are as without it; an iteration costs about as much as one "
        "of conjugate gradients, more iterations are needed, and 30 applications of F^H W F come first. The "
        "objective is printed, and is in the JSON for each iteration. --regularizer wavelet has R(x) in "
        "place of TV(x): the sum of the moduli of the details of an orthogonal wavelet transform, "
        "Daubechies' with four taps, periodic, of at most 5 levels, each of which halves the axes that are "
        "even and at least 16 long at that level; the coarse approximation is not in the sum. The method is "
        "FISTA (Beck and Teboulle 2009). gridding is fast and approximate: it needs --density, as adjoint "
        "does. --adjoint nufft is approximate too, with a window chosen for the given tolerance: its result "
        "is compared with the exact sum at some voxels, and the exit status is 1 if the error exceeds the "
        "tolerance. Where all samples lie on whole cycles, as those of a Cartesian scan do, whichever of its "
        "lines were measured, both sums are Fourier transforms of the matrix, and Q is the number of samples "
        "at each point of k-space. A sample counts as on the grid within N/2^24 of a cycle, twice what "
        "single precision rounds a trajectory by, and is computed as if it were exactly there.\n\n"
        "Several coils give one image with ls: with their sensitivities S, the maps of --sense, it is the "
        "solution of (sum of S^H F^H W F S + lambda R) x = sum of S^H F^H W d over the coils (Pruessmann et "
        "al. 1999), with one Q for all coils; fewer samples than voxels suffice. The maps are used as given; "
        "a relative lambda is in units of the bound of Q times the largest sum of |S|^2 at a voxel. --sense "
        "lowres estimates the maps from the scan: images of the densely sampled centre of k-space, up to 24 "
        "cycles along an axis, with a Hann window, divided by the root of the sum of squares. --sense "
        "espirit estimates them by ESPIRiT (Uecker et al. 2014) with BART's settings: the same centre, "
        "patches of 6 cycles, threshold 0.001, and 0 where the eigenvalue is below 0.8. The default is "
        "espirit if the centre has 8 cycles along each axis and it takes no more than seconds, that is for "
        "up to 28 coils in a plane and 4 in a volume; else lowres, or none if no centre is dense; the output "
        "says which, and why. With --sense none, and with the other solvers, coils are reconstructed one by "
        "one and combined by the root of the sum of squares, which has no phase.\n\n"
        "--noise-scan and --noise-covariance whiten the coils: they are replaced by combinations whose noise "
        "has variance 1 and is uncorrelated, so that least squares weights them correctly; a singular "
        "covariance is refused. --coils compresses them afterwards, and the output says how much of their "
        "energy is kept. The maps of --sense are those of the measured coils, and are transformed "
        "likewise.\n\n"
        "Several devices, of --device all or several --device, compute Q in parts, and share the coils that "
        "are reconstructed one by one. The parts that are finished are kept in OUT.parts until the image is "
        "written, as they are of one device with --resume; after an interruption the same command with "
        "--resume computes only the others. It has to be the same version of Koine, with the same options "
        "and unchanged input files; devices may differ. Under mpirun the ranks of MPI share the work in the "
        "same way, if Koine was built with MPI (see koine(1)); nothing is kept then.\n\n"
        "The kernels are successive optimizations. naive keeps each voxel's sum in global memory; register "
        "keeps it in a register; coalesced has a separate array for each component of the samples; constant "
        "and constant-struct read samples from constant memory, in chunks, as arrays and as structs; "
        "fast-trig uses the device's native sine and cosine. tuned uses the values that koine tune recon "
        "found best on the device, or else those that were best on similar devices: constant memory serves "
        "one address at a time to all work-items, and on an H200 a kernel that reads one value per voxel "
        "from it is limited to 0.09 T terms per second, where plain loads reach 1.3 and local memory 1.6. "
        "Beside each measured rate there is an estimate of what the kernel loads from off-chip memory.\n\n"
        "host-double and host-single compute everything on the host, the solver in double precision; the "
        "others compute in single precision on the device. --variants runs all of them. There may be more "
        "samples than the device holds, and with --solver adjoint also more voxels: they are processed in "
        "pieces; the grids of ls and gridding have to fit, and if they do not, the message says what would. "
        "The same holds for --memory-limit, which bounds the memory of the process once the scan is read, "
        "and separately the buffers on a GPU. --policy applies to the device's kernels; with strict or fast, "
        "Fourier transforms use Koine's own kernels, since other libraries do not follow the policy, and "
        "with fast the error bounds no longer hold.",
    .common = COMMON_DEVICE | COMMON_POLICY | COMMON_JSON | COMMON_REPORT | COMMON_OUTPUT | COMMON_FORCE |
              COMMON_MEMORY | COMMON_RESUME | COMMON_DRY_RUN | COMMON_RANKS | COMMON_SHARES_RANKS,
    .options = options,
    .examples = {{"koine recon scan --trajectory radial --matrix 128,128 -o image.png",
                  "20 iterations of least squares from scan.cfl and radial.cfl"},
                 {"koine recon scan.h5 --solver gridding --density pipe -o image.nii",
                  "fast and approximate, from an ISMRMRD file"}},
    .arguments_size = sizeof(struct recon_arguments),
    .run = run_recon,
};
