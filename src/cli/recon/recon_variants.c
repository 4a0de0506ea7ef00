// SPDX-License-Identifier: Apache-2.0
// koine recon --variants: the lecture's two tables, of quality and of time.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd_recon.h"
#include "cli/framework/table.h"

static void add_number(struct table *table, double value)
{
    if (isnan(value))
        table_add(table, "-");
    else if (isinf(value))
        table_add(table, "infinite");
    else
        table_add(table, "%.4g", value);
}

static void add_name(struct table *table, const struct mri_variant *variant)
{
    if (variant->options.solver != MRI_GRIDDING)
        table_add(table, "%s", variant->name);
    else if (variant->options.weights)
        table_add(table, "%s, density from a file", variant->name);
    else
        table_add(table, "%s, density %s", variant->name, ki_mri_density_names[variant->options.density]);
}

static bool print_quality(const struct recon_run *run)
{
    struct table table;

    printf("\nQuality against %s%s:\n", run->reference ? run->arguments->reference : "host-double",
           recon_is_scaled(run, run->options.solver) ? ", each times the factor that fits best"
           : recon_is_scaled(run, MRI_GRIDDING)      ? ", gridding times the factor that fits best"
                                                     : "");
    table_begin(&table, "llrrrrr");
    table_add_all(&table, (const char *const[]){"variant", "precision", "error %", "PSNR dB", "SNR dB",
                                                "iterations", "residual", NULL});
    for (size_t i = 0; i < run->variants.count; i++) {
        const struct mri_variant *variant = &run->variants.items[i];
        const struct mri_solver_result *solved = variant->result.coils;

        add_name(&table, variant);
        table_add(&table, "%s", variant->result.is_double ? "double" : "float");
        add_number(&table, variant->quality.error_percent);
        add_number(&table, variant->quality.psnr_db);
        add_number(&table, variant->quality.snr_db);
        add_number(&table, solved ? (double)solved->iterations : NAN);
        add_number(&table, solved ? solved->residual : NAN);
    }
    return table_finish(&table);
}

static void add_stage(struct table *table, const struct mri_stage *stage)
{
    bool ran = stage->seconds >= 0;

    add_number(table, ran ? stage->seconds : NAN);
    add_number(table, ran ? ki_mri_stage_gflops(stage) : NAN);
}

static bool print_times(const struct recon_run *run)
{
    struct table table;

    printf(
        "\nSeconds, without compiling and reading; the ratio is host-double's total over the variant's:\n");
    table_begin(&table, "lrrrrrrr");
    table_add_all(&table, (const char *const[]){"variant", "Q", "GFLOP/s", "F^H d", "GFLOP/s", "solver",
                                                "total", "ratio", NULL});
    for (size_t i = 0; i < run->variants.count; i++) {
        const struct mri_variant *variant = &run->variants.items[i];
        const struct mri_recon_result *result = &variant->result;

        add_name(&table, variant);
        add_stage(&table, &result->q);
        add_stage(&table, &result->fhd);
        add_number(&table, result->solver.seconds >= 0 ? result->solver.seconds : NAN);
        add_number(&table, variant->seconds);
        add_number(&table, variant->ratio);
    }
    return table_finish(&table);
}

bool recon_print_variants(const struct recon_run *run)
{
    return print_quality(run) && print_times(run);
}
