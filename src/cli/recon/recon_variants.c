// SPDX-License-Identifier: Apache-2.0
// koine recon --variants: the lecture's comparison, one scan with every kernel and with gridding, and its two
// tables, of quality and of time.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "cmd_recon.h"
#include "cli/framework/table.h"

// ---- computing ----

kn_status recon_solve(const struct recon_run *run, const kn_recon_solve_options *options,
                      kn_recon_solution **solution, kn_error *err)
{
    kn_status status = recon_try_memory(run, options, err);

    return status ? status
                  : kn_recon_solve_with(run->place.queue, &run->arrays, options, &run->extras, solution, err);
}

kn_status recon_compare(const struct recon_run *run, kn_recon_method method,
                        const kn_recon_solution *solution, const double *reference, kn_recon_quality *quality,
                        kn_error *err)
{
    // A root of the sum of squares has no phase.
    return kn_recon_compare(kn_recon_solution_get_image(solution),
                            run->reference ? (const double *)run->reference : reference, run->scan.voxels,
                            run->scan.coils > 1 && !recon_is_joint(run), recon_is_scaled(run, method),
                            quality, err);
}

// Lists the double-precision variant first, because the others are compared with it; without a device, only
// the host's. Gridding uses the weights of Pipe and Menon if least squares have none.
static void list(struct recon_run *run)
{
    static const kn_recon_kernel order[RECON_KERNELS] = {
        KN_RECON_KERNEL_HOST_DOUBLE,     KN_RECON_KERNEL_HOST_SINGLE, KN_RECON_KERNEL_NAIVE,
        KN_RECON_KERNEL_REGISTER,        KN_RECON_KERNEL_COALESCED,   KN_RECON_KERNEL_CONSTANT,
        KN_RECON_KERNEL_CONSTANT_STRUCT, KN_RECON_KERNEL_FAST_TRIG,   KN_RECON_KERNEL_TUNED};
    const kn_recon_solve_options *options = &run->options;

    for (size_t i = 0; i < RECON_KERNELS; i++) {
        struct recon_variant *variant = &run->variants[run->variant_count];

        if (!run->place.queue && !recon_is_of_host(order[i]))
            continue;
        variant->name = kn_recon_kernel_name(order[i]);
        variant->options = *options;
        variant->options.kernel = order[i];
        run->variant_count++;
    }
    if (run->place.queue && run->scan.format != MRI_SCAN_PARBOIL && !run->basis) {
        struct recon_variant *variant = &run->variants[run->variant_count++];

        variant->name = recon_method_names[KN_RECON_METHOD_GRIDDING];
        variant->options = *options;
        variant->options.method = KN_RECON_METHOD_GRIDDING;
        variant->options.start = NULL; // gridding takes no starting image
        if (options->method == KN_RECON_METHOD_LEAST_SQUARES && !run->weights &&
            options->density == KN_RECON_DENSITY_NONE)
            variant->options.density = KN_RECON_DENSITY_PIPE;
    }
}

static kn_status run_variant(struct recon_run *run, struct recon_variant *variant, kn_error *err)
{
    const struct recon_variant *first = &run->variants[0];
    kn_status status = recon_solve(run, &variant->options, &variant->solution, err);

    if (status)
        return status;
    variant->seconds = kn_recon_solution_get_seconds(variant->solution);
    variant->ratio = first->seconds / variant->seconds;
    if (variant->options.method == run->options.method && variant->options.kernel == run->options.kernel)
        run->shown = variant->solution;
    return recon_compare(run, variant->options.method, variant->solution,
                         kn_recon_solution_get_image(first->solution), &variant->quality, err);
}

kn_status recon_list_variants(struct recon_run *run, kn_error *err)
{
    if (run->extras.save_q || run->extras.load_q)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--variants: each variant computes its own Q; leave out --%s-q",
                       run->extras.save_q ? "save" : "load");
    if (run->options.method == KN_RECON_METHOD_GRIDDING)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--variants: gridding is one of the variants; use --solver ls or adjoint");
    list(run);
    return KN_OK;
}

kn_status recon_run_variants(struct recon_run *run, kn_error *err)
{
    kn_status status = recon_list_variants(run, err);

    for (size_t i = 0; i < run->variant_count && !status; i++)
        status = run_variant(run, &run->variants[i], err);
    return status;
}

// ---- printing ----

static void add_number(struct table *table, double value)
{
    if (isnan(value))
        table_add(table, "-");
    else if (isinf(value))
        table_add(table, "infinite");
    else
        table_add(table, "%.4g", value);
}

static void add_name(struct table *table, const struct recon_run *run, const struct recon_variant *variant)
{
    if (variant->options.method != KN_RECON_METHOD_GRIDDING)
        table_add(table, "%s", variant->name);
    else if (run->weights)
        table_add(table, "%s, density from a file", variant->name);
    else
        table_add(table, "%s, density %s", variant->name, kn_recon_density_name(variant->options.density));
}

static bool print_quality(const struct recon_run *run)
{
    struct table table;

    printf("\nQuality against %s%s:\n", run->reference ? run->arguments->reference : "host-double",
           recon_is_scaled(run, run->options.method)        ? ", each times its best factor"
           : recon_is_scaled(run, KN_RECON_METHOD_GRIDDING) ? ", gridding times its best factor"
                                                            : "");
    table_begin(&table, "llrrrrr");
    table_add_all(&table, (const char *const[]){"variant", "precision", "error %", "PSNR dB", "SNR dB",
                                                "iterations", "residual", NULL});
    for (size_t i = 0; i < run->variant_count; i++) {
        const struct recon_variant *variant = &run->variants[i];
        const kn_recon_coil coil = kn_recon_solution_get_coil(variant->solution, 0);
        bool solved = kn_recon_solution_get_coils(variant->solution) > 0;

        add_name(&table, run, variant);
        table_add(&table, "%s", kn_recon_solution_get_is_double(variant->solution) ? "double" : "float");
        add_number(&table, variant->quality.error_percent);
        add_number(&table, variant->quality.psnr_db);
        add_number(&table, variant->quality.snr_db);
        add_number(&table, solved ? (double)coil.iterations : NAN);
        add_number(&table, solved ? coil.residual : NAN);
    }
    return table_finish(&table);
}

static void add_stage(struct table *table, const kn_recon_stage *stage)
{
    bool ran = stage->seconds >= 0;

    add_number(table, ran ? stage->seconds : NAN);
    add_number(table, ran ? recon_gflops(stage) : NAN);
}

static bool print_times(const struct recon_run *run)
{
    struct table table;

    printf(
        "\nSeconds, without compiling and reading; the ratio is host-double's total over the variant's:\n");
    table_begin(&table, "lrrrrrrr");
    table_add_all(&table, (const char *const[]){"variant", "Q", "GFLOP/s", "F^H d", "GFLOP/s", "solver",
                                                "total", "ratio", NULL});
    for (size_t i = 0; i < run->variant_count; i++) {
        const struct recon_variant *variant = &run->variants[i];
        const kn_recon_details *details = kn_recon_solution_get_details(variant->solution);

        add_name(&table, run, variant);
        add_stage(&table, &details->q);
        add_stage(&table, &details->fhd);
        add_number(&table, details->solver.seconds >= 0 ? details->solver.seconds : NAN);
        add_number(&table, variant->seconds);
        add_number(&table, variant->ratio);
    }
    return table_finish(&table);
}

bool recon_print_variants(const struct recon_run *run)
{
    return print_quality(run) && print_times(run);
}
