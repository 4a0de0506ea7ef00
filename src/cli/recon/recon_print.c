// SPDX-License-Identifier: Apache-2.0
// koine recon: its output for people.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd_recon.h"
#include "convention.h"

static const double mega = 1e6, giga = 1e9;

enum { REFERENCE_AUTO, REFERENCE_BEST, REFERENCE_NONE }; // recon_reference_scale_names

const char *recon_density_name(const struct recon_run *run)
{
    return run->arguments->density;
}

const char *recon_basis_name(const struct recon_run *run)
{
    return run->arguments->basis;
}

bool recon_is_scaled(const struct recon_run *run, kn_recon_method method)
{
    int scale = run->arguments->reference_scale;

    // Least squares have the scale of the true image. The adjoint grows with the number of samples, and
    // gridding has the scale of its weights.
    if (scale == REFERENCE_AUTO)
        scale = method != KN_RECON_METHOD_LEAST_SQUARES ? REFERENCE_BEST : REFERENCE_NONE;
    return run->reference && scale == REFERENCE_BEST;
}

const char *recon_method(const struct recon_run *run)
{
    return run->options.method == KN_RECON_METHOD_GRIDDING
               ? "gridding"
               : kn_recon_adjoint_method_name(run->options.adjoint == KN_RECON_ADJOINT_AUTO
                                                  ? KN_RECON_ADJOINT_DIRECT
                                                  : run->options.adjoint);
}

const char *recon_why(const struct recon_run *run)
{
    if (*run->why)
        return run->why;
    return run->options.method == KN_RECON_METHOD_GRIDDING ? "--solver gridding: window and FFT, approximate"
           : run->options.adjoint == KN_RECON_ADJOINT_SEPARABLE
               ? "--adjoint separable: products of matrices, exact up to rounding"
           : run->options.adjoint == KN_RECON_ADJOINT_NUFFT
               ? "--adjoint nufft: window and FFT, to --nufft-tolerance"
           : run->options.adjoint == KN_RECON_ADJOINT_CARTESIAN
               ? "--adjoint cartesian: Fourier transforms of samples on the grid, exact up to rounding"
               : "every voxel with every sample, term by term: exact up to rounding";
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void print_combination(const struct recon_run *run)
{
    if (recon_is_joint(run))
        printf("coils are combined by their sensitivities, %s", recon_sense_name(run));
    else if (run->scan.coils > 1)
        printf("coils are combined by the root of the sum of squares");
    else
        return;
    printf("%s%s\n", run->sense_why ? ": " : "", run->sense_why ? run->sense_why : "");
}

void recon_print_scan(const struct recon_run *run)
{
    const struct mri_scan *scan = &run->scan;
    kn_recon_solve_memory memory = {0};

    printf("recon: %zu sample%s of %s, %zu coil%s, to ", scan->samples, plural(scan->samples), run->input,
           run->measured, plural(run->measured));
    if (scan->positions)
        printf("%zu voxels anywhere\n", scan->voxels);
    else
        convention_print_matrix(&scan->matrix);
    if (!scan->positions)
        printf(" voxels (by %s)\n", scan->matrix_from);
    if (scan->noise)
        printf("left out: %zu acquisition%s of noise\n", scan->noise, plural(scan->noise));
    if (scan->empty)
        printf("%zu coil%s without signal: all samples are 0\n", scan->empty, plural(scan->empty));
    recon_print_coils(run);
    print_combination(run);
    convention_print_range(&scan->matrix, &scan->range);
    printf("F x = sum of x exp(-i 2 pi k.r) over voxels, F^H d = sum of d exp(+i 2 pi k.r) over samples, r = "
           "(j - "
           "floor(N/2))/N; scale %s, basis %s, density %s\n",
           run->options.scale == KN_RECON_SCALE_UNITARY
               ? "unitary (forward and adjoint scaled by 1/sqrt(voxels))"
               : "none",
           recon_basis_name(run), recon_density_name(run));
    if (!run->arguments->common.dry_run && recon_try_memory(run, &run->options, NULL) == KN_OK &&
        recon_measure(run, &run->options, &memory, NULL) == KN_OK) {
        printf("memory: about %.1f MB on the host", (double)memory.host / mega);
        if (!recon_is_on_host(run, &run->options))
            printf(", at most %.1f MB of the device's %.0f MB", (double)memory.device / mega,
                   (double)memory.device_has / mega);
        printf("\n");
    }
    if (run->options.normal == KN_RECON_NORMAL_FORWARD) {
        const kn_recon_terms terms = kn_recon_solve_get_terms(&run->arrays, &run->options);

        printf("normal operator by both sums: up to %.3g terms (voxels x samples) in all iterations; Q would "
               "take about %.3g once (--normal toeplitz)\n",
               terms.forward, terms.q);
    }
    fflush(stdout);
}

double recon_gflops(const kn_recon_stage *stage)
{
    return stage->seconds > 0 ? stage->rate.flops / stage->seconds / giga : 0;
}

static void print_sum(const char *name, const kn_recon_stage *stage)
{
    if (stage->seconds < 0)
        return;
    printf("%s: %.4g s", name, stage->seconds);
    if (stage->rate.pairs > 0 && stage->seconds > 0)
        printf(", %.3g terms (voxels x samples), %.4g G terms/s, %.4g GFLOP/s", stage->rate.pairs,
               stage->rate.pairs / stage->seconds / giga, recon_gflops(stage));
    if (stage->rate.loads > 0 && stage->rate.seconds > 0)
        printf("; loads from off-chip memory, by estimate: %.3g numbers, %.3g per term", stage->rate.loads,
               stage->rate.loads / stage->rate.pairs);
    printf("\n");
}

static void print_coil(const kn_recon_coil *coil, const double *objectives, size_t i, size_t coils)
{
    bool is_terminal = isatty(STDOUT_FILENO) == 1;

    for (size_t n = 0; is_terminal && n <= coil->iterations; n++) {
        printf("%siteration %zu: residual %.4g", n || !i ? "" : "next coil, ", n, coil->residuals[n]);
        if (objectives)
            printf(", objective %.8g", objectives[n]);
        printf("\n");
    }
    printf("solver%s: %zu iteration%s, %.4g s, relative residual %.4g", coils > 1 ? ", a coil" : "",
           coil->iterations, plural(coil->iterations), coil->seconds, coil->residual);
    if (objectives)
        printf(", objective %.8g", objectives[coil->iterations]);
    printf("%s\n", coil->stopped == KN_SOLVE_STOPPED_TOLERANCE ? ", converged"
                   : coil->stopped == KN_SOLVE_STOPPED_FLOOR   ? ", stopped: only rounding errors are left"
                                                               : "");
}

static void print_solver(const struct recon_run *run)
{
    const kn_recon_details *details = kn_recon_solution_get_details(run->shown);
    const kn_recon_solve_options *options = &run->options;
    bool has_boundary = options->regularizer == KN_RECON_REGULARIZER_DIFFERENCE;
    size_t coils = kn_recon_solution_get_coils(run->shown);

    for (size_t i = 0; i < coils; i++) {
        const kn_recon_coil coil = kn_recon_solution_get_coil(run->shown, i);

        print_coil(&coil, kn_recon_solution_get_objectives(run->shown, i), i, coils);
    }
    if (!coils)
        return;
    printf("lambda %.6g (%s%s%s)", kn_recon_solution_get_lambda(run->shown),
           kn_recon_regularizer_name(options->regularizer), has_boundary ? ", boundary " : "",
           has_boundary ? kn_recon_boundary_name(options->boundary) : "");
    if (details->q_kernel)
        printf(", max |C| %.6g bounds F^H F; Q by %s%s\n", details->bound, details->q_kernel,
               details->q_loaded ? ", from a file" : "");
    else
        printf("; no Q: F^H F by both sums\n");
}

static void print_quality(const struct recon_run *run)
{
    const kn_recon_quality *quality = &run->quality;

    if (!run->reference)
        return;
    printf("against %s", run->arguments->reference);
    if (recon_is_scaled(run, run->options.method))
        printf(", times the best factor %.6g%+.6gi", quality->factor[0], quality->factor[1]);
    printf(": error %.4g %%, PSNR %.4g dB, SNR %.4g dB\n", quality->error_percent, quality->psnr_db,
           quality->snr_db);
}

bool recon_print_result(const struct recon_run *run)
{
    const kn_recon_details *details = kn_recon_solution_get_details(run->shown);

    if (details->checked)
        printf("adjoint check: <Fx,y> and <x,F^H y> have a relative difference of %.2g at %zu sample%s; "
               "rounding explains up to %.2g\n",
               details->check, details->checked, plural(details->checked), details->check_bound);
    print_sum("density", &details->density);
    print_sum("Q", &details->q);
    print_sum("F^H d", &details->fhd);
    print_sum("gridding", &details->gridding);
    print_sum("F^H F, in the solver", &details->normal);
    print_solver(run);
    print_quality(run);
    if (details->nufft_voxels)
        printf("NUFFT: error %.2g against the exact sum at %zu voxel%s; tolerance %g\n", details->nufft_error,
               details->nufft_voxels, plural(details->nufft_voxels), details->nufft_tolerance);
    if (*run->why || run->options.adjoint > KN_RECON_ADJOINT_DIRECT)
        printf("F^H d%s %s\n", details->q_kernel && !details->q_loaded ? " and Q" : "",
               *run->why ? run->why : kn_recon_solution_get_adjoint_why(run->shown));
    printf("%s by %s on ", recon_method_names[run->options.method],
           run->options.method == KN_RECON_METHOD_GRIDDING ? "gridding"
                                                           : kn_recon_kernel_name(run->options.kernel));
    if (run->share.count)
        share_print(&run->share);
    else
        estimate_print_place(&run->place);
    printf("; seconds: total %.3f, read %.3f, compute %.3f", run->seconds.total, run->seconds.read,
           run->seconds.compute);
    if (run->seconds.build >= 0)
        printf(", build %.3f", run->seconds.build);
    printf("\n");
    return true;
}
