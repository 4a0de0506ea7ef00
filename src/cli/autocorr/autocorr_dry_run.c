// SPDX-License-Identifier: Apache-2.0
// koine autocorr --dry-run: what the run would take. The first frame that can be read is decoded and
// prepared; the others are assumed to be like it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/dry_run.h"
#include "cli/framework/report.h"
#include "cmd_autocorr.h"

// What a frame, or the volume, is like.
struct form {
    kn_autocorr_grey grey;
    kn_autocorr_prepared prepared;
    size_t max_offset;
    kn_autocorr_memory memory; // of a place
};

// ---- frames ----

static kn_status read_frame(struct autocorr_run *run, size_t i, struct form *form, kn_error *err)
{
    const kn_autocorr_preparation *preparation = run->plan.preparation;
    kn_status status = frames_fetch(&run->frames, i, &form->grey, err);

    if (!status && preparation)
        status = ki_error_unname(
            kn_autocorr_prepare(preparation, run->frames.names[i], &form->grey, &form->prepared, err), err);
    if (status) {
        free(form->grey.pixels);
        form->grey.pixels = NULL;
    }
    return status;
}

// The first that is good; the error of the first where none is.
static kn_status read_first(struct autocorr_run *run, struct form *form, kn_error *err)
{
    kn_status status = read_frame(run, 0, form, err);

    for (size_t i = 1; i < run->frames.count && !form->grey.pixels; i++)
        if (read_frame(run, i, form, NULL) == KN_OK)
            status = KN_OK;
    return status;
}

// A series of one place; several have equal parts of --memory-limit.
static kn_status measure_frames(struct autocorr_run *run, struct form *form, kn_error *err)
{
    const kn_autocorr_source source = frames_source(&run->frames);
    kn_autocorr_series_options settings = run->settings;
    kn_autocorr_series *series = NULL;
    kn_status status;

    if (run->share.count && settings.memory_limit)
        settings.memory_limit = settings.memory_limit / run->share.count + 1;
    status = ki_error_unname(kn_autocorr_series_create(run->place.queue, &settings, &series, err), err);
    if (!status)
        status = ki_error_unname(
            kn_autocorr_series_estimate_memory(series, &source, &form->grey, &form->memory, err), err);
    kn_autocorr_series_free(series);
    form->max_offset = form->memory.max_offset;
    return status;
}

// ---- a volume ----

// Transforms in double precision of the padded volume, for pieces of 8 bits of its levels; on the host twice,
// there and back.
static kn_status measure_volume(struct autocorr_run *run, struct form *form, kn_error *err)
{
    const struct frames_volume *volume = &run->volume;
    const double pieces = volume->type == KN_U8 ? 1 : 2, padding = 1.25;
    const double voxels = (double)volume->width * (double)volume->height * (double)volume->depth;
    kn_autocorr_plan *plan = NULL;
    kn_status status = ki_error_unname(autocorr_plan_volume(run, &plan, err), err);
    double reach, points, transforms;

    form->max_offset = kn_autocorr_plan_get_max_offset(plan);
    kn_autocorr_plan_free(plan);
    reach = run->settings.periodic ? 0 : (double)form->max_offset;
    points = ((double)volume->width + reach) * ((double)volume->height + reach) *
             ((double)volume->depth + reach) * padding;
    transforms = sizeof(double) * points * (pieces + 1);
    form->memory.host = (size_t)(run->place.queue ? 0 : 2 * transforms);
    form->memory.device = (size_t)(run->place.queue ? transforms + voxels * pieces : 0);
    return status;
}

// ---- what is told ----

// What the command keeps: sums and values of all frames or of one, rings of each, and the JSON, which is a
// tree before it is text.
static double bytes_of_results(const struct autocorr_run *run, const struct form *form)
{
    enum { JSON = 500 };
    const double frames = (double)run->frames.count,
                 offsets = (double)autocorr_offsets(run, form->max_offset) * sizeof(double),
                 rings = (double)(form->max_offset + 1),
                 ring = sizeof(kn_autocorr_ring) + (report_wanted(&run->arguments->common) ? JSON : 0);

    return frames * rings * ring + (run->settings.sums ? 2 * frames * offsets : 0) +
           (run->settings.values || run->arguments->volume ? 3 * offsets : 0);
}

// Exact sums are reported as double precision; which method `auto` takes is decided with the frames.
static const char *precision_of(const struct autocorr_run *run)
{
    const int method = run->arguments->method;

    if (autocorr_is_exact(run) || (method != KN_AUTOCORR_AUTO && method != KN_AUTOCORR_FFT))
        return precision_names[PRECISION_DOUBLE];
    return method == KN_AUTOCORR_FFT ? precision_names[PRECISION_FLOAT] : NULL;
}

struct listing {
    const struct autocorr_run *run;
    const struct form *form;
    struct dry_run *plan;
};

// The size of arrays of values is known.
static void add_file(void *data, const char *path)
{
    const struct listing *listing = data;
    const size_t across = 2 * listing->form->max_offset + 1;
    const struct npy values = {.type = KN_F64,
                               .dims = listing->run->arguments->volume ? 3 : 2,
                               .shape = {listing->form->max_offset + 1, across, across}};
    const char *ending = listing->run->arguments->volume ? ".c3d.npy" : ".c2d.npy";
    const size_t length = strlen(path), end = strlen(ending);
    const bool known = length > end && strcmp(path + length - end, ending) == 0;

    dry_run_file(listing->plan, path, known ? (double)npy_file_size(&values) : NAN);
}

static void add_sums(const struct autocorr_run *run, const struct form *form, struct dry_run *plan)
{
    const size_t across = 2 * form->max_offset + 1, rows = form->max_offset + 1;
    struct npy sums = {.type = KN_I64, .dims = 2, .shape = {rows, across}};

    if (run->arguments->volume)
        sums = (struct npy){.type = KN_I64, .dims = 3, .shape = {rows, across, across}};
    else if (run->frames.count > 1)
        sums = (struct npy){.type = KN_I64, .dims = 3, .shape = {run->frames.count, rows, across}};
    dry_run_file(plan, run->arguments->sums, (double)npy_file_size(&sums));
}

static void list_files(const struct autocorr_run *run, const struct form *form, struct dry_run *plan)
{
    const char *folder = run->arguments->common.output;
    struct listing listing = {run, form, plan};
    bool named = autocorr_list_files(run, add_file, &listing);

    add_sums(run, form, plan);
    for (size_t i = 0; i < run->frames.count && folder && named; i++)
        named =
            prepare_list_steps(&run->plan, folder, run->rows[i].name, &form->prepared, add_file, &listing);
    plan->failed = plan->failed || !named;
}

kn_status autocorr_dry_run(struct autocorr_run *run, kn_error *err)
{
    const bool volume = run->arguments->volume;
    const double places = run->share.count ? (double)run->share.count : 1;
    struct form form = {.max_offset = 0};
    struct dry_run plan;
    kn_work work;
    kn_status status = volume ? KN_OK : read_first(run, &form, err);

    if (!status)
        status = volume ? measure_volume(run, &form, err) : measure_frames(run, &form, err);
    if (!status) {
        work = volume ? autocorr_work_of_volume(run)
                      : autocorr_work_of_pixels(run, (double)form.grey.width * (double)form.grey.height *
                                                         (double)run->frames.count);
        dry_run_begin(&plan, &run->arguments->common, &run->place, &run->share, run->seconds.read);
        plan.precision = precision_of(run);
        dry_run_memory(&plan, form.memory.host + (size_t)(bytes_of_results(run, &form) / places),
                       form.memory.device);
        dry_run_work(&plan, run->arguments->variants ? NULL : &work);
        list_files(run, &form, &plan);
        status = dry_run_tell(&plan, err);
    }
    kn_autocorr_prepared_free(&form.prepared);
    free(form.grey.pixels);
    return status;
}
