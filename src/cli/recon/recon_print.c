// SPDX-License-Identifier: Apache-2.0
// koine recon: what it says to people.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd_recon.h"
#include "convention.h"

static const double mega = 1e6, giga = 1e9;

const char *recon_density_name(const struct recon_run *run)
{
    return run->arguments->density;
}

const char *recon_basis_name(const struct recon_run *run)
{
    return run->arguments->basis;
}

bool recon_is_scaled(const struct recon_run *run, enum mri_recon_solver solver)
{
    return run->reference &&
           ki_mri_recon_is_scaled(solver, (enum mri_reference_scale)run->arguments->reference_scale);
}

const char *recon_method(const struct recon_run *run)
{
    return run->options.solver == MRI_GRIDDING ? "gridding" : "direct";
}

const char *recon_why(const struct recon_run *run)
{
    return run->options.solver == MRI_GRIDDING
               ? "--solver gridding: window and FFT, approximate"
               : "every voxel with every sample, term by term: exact but for rounding";
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

void recon_print_scan(const struct recon_run *run)
{
    const struct mri_scan *scan = &run->scan;
    struct mri_recon_memory memory;
    bool on_host = !run->place.queue ||
                   (ki_mri_kernel_is_host(run->options.kernel) && run->options.solver != MRI_GRIDDING);

    printf("recon: %zu sample%s of %s, %zu coil%s, to ", scan->samples, plural(scan->samples), run->input,
           scan->coils, plural(scan->coils));
    if (scan->positions)
        printf("%zu voxels anywhere\n", scan->voxels);
    else
        convention_print_matrix(&scan->matrix);
    if (!scan->positions)
        printf(" voxels (by %s)\n", scan->matrix_from);
    if (scan->noise)
        printf("left out: %zu acquisition%s of noise\n", scan->noise, plural(scan->noise));
    if (scan->empty)
        printf("%zu coil%s without a signal: all samples are 0\n", scan->empty, plural(scan->empty));
    if (scan->coils > 1)
        printf("coils are combined by the root of the sum of their squares\n");
    convention_print_range(&scan->matrix, &scan->range);
    printf("F x = sum of x exp(-i 2 pi k.r) over voxels, F^H d = sum of d exp(+i 2 pi k.r) over samples, r = "
           "(j - "
           "floor(N/2))/N; scale %s, basis %s, density %s\n",
           run->options.scale == MRI_SCALE_UNITARY ? "unitary (1/sqrt(voxels) before both)" : "none",
           recon_basis_name(run), recon_density_name(run));
    if (ki_mri_recon_measure(on_host ? NULL : run->place.queue, scan, &run->options, &memory, NULL) ==
        KN_OK) {
        printf("memory: about %.1f MB on the host", (double)memory.host / mega);
        if (!on_host)
            printf(", at most %.1f MB of the device's %.0f MB", (double)memory.device / mega,
                   (double)memory.device_has / mega);
        printf("\n");
    }
    if (run->options.normal == KN_RECON_NORMAL_FORWARD) {
        const struct mri_recon_terms terms = ki_mri_recon_terms(scan, &run->options);

        printf("normal operator by both sums: up to %.3g terms (voxels x samples) in all iterations, where Q "
               "would "
               "take about %.3g once (--normal toeplitz)\n",
               terms.forward, terms.q);
    }
    fflush(stdout);
}

static void print_sum(const char *name, const struct mri_stage *stage)
{
    if (stage->seconds < 0)
        return;
    printf("%s: %.4g s", name, stage->seconds);
    if (stage->rate.pairs > 0 && stage->seconds > 0)
        printf(", %.3g terms (voxels x samples), %.4g G a second, %.4g GFLOP/s", stage->rate.pairs,
               stage->rate.pairs / stage->seconds / giga, ki_mri_stage_gflops(stage));
    if (stage->rate.loads > 0 && stage->rate.seconds > 0)
        printf("; by the lecture's estimate %.3g numbers from memory off the chip, %.3g a term",
               stage->rate.loads, stage->rate.loads / stage->rate.pairs);
    printf("\n");
}

static void print_solver(const struct recon_run *run)
{
    const struct mri_recon_result *result = run->shown;
    const struct mri_solver_options *ls = &run->options.ls;
    bool is_terminal = isatty(STDOUT_FILENO) == 1, has_boundary = ls->regularizer == MRI_DIFFERENCE;

    for (size_t coil = 0; coil < result->coil_count; coil++) {
        const struct mri_solver_result *solved = &result->coils[coil];

        if (is_terminal)
            for (size_t i = 0; i <= solved->iterations; i++)
                printf("%siteration %zu: residual %.4g\n",
                       i      ? ""
                       : coil ? "next coil, "
                              : "",
                       i, solved->residuals[i]);
        printf("solver%s: %zu iteration%s, %.4g s, relative residual %.4g%s%s\n",
               result->coil_count > 1 ? ", a coil" : "", solved->iterations, plural(solved->iterations),
               solved->seconds, solved->residual, solved->converged ? ", converged" : "",
               solved->stopped ? ", stopped: rounding is all there is left" : "");
    }
    if (!result->coil_count)
        return;
    printf("lambda %.6g (%s%s%s)", result->lambda, ki_mri_regularizer_names[ls->regularizer],
           has_boundary ? ", boundary " : "", has_boundary ? ki_mri_boundary_names[ls->boundary] : "");
    if (result->q_kernel)
        printf(", max |C| %.6g bounds F^H F; Q by %s%s\n", result->bound, result->q_kernel,
               result->q_loaded ? ", from a file" : "");
    else
        printf("; no Q: F^H F by both sums\n");
}

static void print_quality(const struct recon_run *run)
{
    const struct mri_quality *quality = &run->quality;

    if (!run->reference)
        return;
    printf("against %s", run->arguments->reference);
    if (recon_is_scaled(run, run->options.solver))
        printf(", times %.6g%+.6gi, which fits best", creal(quality->factor), cimag(quality->factor));
    printf(": error %.4g %%, PSNR %.4g dB, SNR %.4g dB\n", quality->error_percent, quality->psnr_db,
           quality->snr_db);
}

bool recon_print_result(const struct recon_run *run)
{
    const struct mri_recon_result *result = run->shown;

    if (result->checked)
        printf("adjoint check: <Fx,y> and <x,F^H y> differ by %.2g of themselves at %zu sample%s; rounding "
               "allows "
               "%.2g\n",
               result->check, result->checked, plural(result->checked), result->check_bound);
    print_sum("density", &result->density);
    print_sum("Q", &result->q);
    print_sum("F^H d", &result->fhd);
    print_sum("gridding", &result->gridding);
    print_sum("F^H F, in the solver", &result->normal);
    print_solver(run);
    print_quality(run);
    printf("%s by %s on ", ki_mri_recon_solver_names[run->options.solver],
           run->options.solver == MRI_GRIDDING ? "gridding" : ki_mri_kernel_names[run->options.kernel]);
    estimate_print_place(&run->place);
    printf("; seconds: total %.3f, read %.3f, compute %.3f", run->seconds.total, run->seconds.read,
           run->seconds.compute);
    if (run->seconds.build >= 0)
        printf(", build %.3f", run->seconds.build);
    printf("\n");
    return true;
}
