// SPDX-License-Identifier: Apache-2.0
// koine recon --dry-run: what the run would take.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text/text.h"
#include "cli/dry_run.h"
#include "cmd_recon.h"

static size_t greater(size_t a, size_t b)
{
    return a > b ? a : b;
}

// Refuses what does not fit, as the run does, and takes the greater of what is needed.
static kn_status measure(const struct recon_run *run, const kn_recon_solve_options *options,
                         kn_recon_solve_memory *most, kn_error *err)
{
    kn_recon_solve_memory memory = {0};
    kn_status status = recon_try_memory(run, options, err);

    if (!status)
        status = recon_measure(run, options, &memory, err);
    most->host = greater(most->host, recon_measure_new(run, &memory));
    most->device = greater(most->device, recon_is_on_host(run, options) ? 0 : memory.device);
    return status;
}

static kn_status measure_all(struct recon_run *run, kn_recon_solve_memory *most, kn_error *err)
{
    const struct mri_scan *scan = &run->scan;
    kn_status status =
        run->arguments->variants ? recon_list_variants(run, err) : measure(run, &run->options, most, err);

    for (size_t i = 0; i < run->variant_count && !status; i++)
        status = measure(run, &run->variants[i].options, most, err);
    // The images of all variants are kept.
    for (size_t i = 1; i < run->variant_count; i++)
        most->host += (scan->coils + 1) * scan->voxels * 2 * sizeof(double);
    return status;
}

static void list_folder(const struct recon_run *run, struct dry_run *plan)
{
    const char *folder = run->arguments->common.output;

    for (size_t i = 0; i <= run->variant_count && folder; i++) {
        struct ki_text path = KI_TEXT_INIT;

        if (i == run->variant_count)
            ki_text_format(&path, "%s/variants.csv", folder);
        else
            ki_text_format(&path, "%s/%s.png", folder, run->variants[i].name);
        plan->failed = plan->failed || path.failed;
        dry_run_file(plan, path.data, NAN);
        ki_text_free(&path);
    }
}

kn_status recon_dry_run(struct recon_run *run, kn_error *err)
{
    const struct recon_arguments *arguments = run->arguments;
    const struct npy form = recon_image_form(run);
    const kn_work work = recon_work_settled(run);
    kn_recon_solve_memory most = {0};
    struct place place = run->place;
    struct dry_run plan;
    kn_status status = measure_all(run, &most, err);

    if (status)
        return status;
    if (recon_is_on_host(run, &run->options) && run->options.density != KN_RECON_DENSITY_PIPE) {
        place_host(&place);
        memcpy(place.why, run->place.why, sizeof place.why);
    }
    dry_run_begin(&plan, &arguments->common, &place, &run->share, run->seconds.read);
    plan.precision = precision_names[form.type == KN_F64 ? PRECISION_DOUBLE : PRECISION_FLOAT];
    dry_run_memory(&plan, most.host, most.device);
    dry_run_work(&plan, arguments->variants || run->options.density == KN_RECON_DENSITY_PIPE ? NULL : &work);
    dry_run_array(&plan, arguments->out, &form);
    dry_run_file(&plan, arguments->save_q, NAN);
    list_folder(run, &plan);
    return dry_run_tell(&plan, err);
}
