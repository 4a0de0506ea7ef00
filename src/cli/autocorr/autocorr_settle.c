// SPDX-License-Identifier: Apache-2.0
// koine autocorr: from its options to what is computed, and where.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "cli/framework/memory.h"
#include "autocorr_share.h"

// A number above 0; `end` is what follows it.
static bool read_positive(const char *text, double *value, char **end)
{
    *value = strtod(text, end);
    return *end != text && isfinite(*value) && *value > 0;
}

static kn_status read_units(struct autocorr_run *run, kn_error *err)
{
    const struct autocorr_arguments *arguments = run->arguments;
    char *end;

    run->pixel = 1;
    run->unit = "px";
    if (arguments->interval && (!read_positive(arguments->interval, &run->interval, &end) || *end))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--interval: '%s' is not a number of seconds above 0",
                       arguments->interval);
    if (!arguments->pixel)
        return KN_OK;
    if (!read_positive(arguments->pixel, &run->pixel, &end) || *end != ',' || !end[1])
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--pixel: '%s' is not SIZE,UNIT, a number above 0 and a word, such as 0.5,um",
                       arguments->pixel);
    run->unit = end + 1;
    return KN_OK;
}

bool autocorr_is_exact(const struct autocorr_run *run)
{
    const struct autocorr_arguments *arguments = run->arguments;

    return arguments->exact || arguments->sums || arguments->periodic || arguments->volume ||
           arguments->common.precision == PRECISION_DOUBLE;
}

// What cannot be combined with --periodic and --volume.
static kn_status check_transforms(const struct autocorr_arguments *arguments, kn_error *err)
{
    const char *option = arguments->volume ? "volume" : "periodic";
    const char *refused = arguments->mask ? "mask" : arguments->variants ? "variants" : NULL;

    if (!arguments->volume && !arguments->periodic)
        return KN_OK;
    if (arguments->method != KN_AUTOCORR_AUTO && arguments->method != KN_AUTOCORR_FFT)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--%s is computed by transforms: --method auto or fft, not %s",
                       option, autocorr_method_names[arguments->method]);
    return refused ? ki_fail(err, KN_ERROR_ARGUMENT, "--%s and --%s cannot be combined", option, refused)
                   : KN_OK;
}

static kn_status check_volume(const struct autocorr_run *run, kn_error *err)
{
    const struct autocorr_arguments *arguments = run->arguments;
    const struct prepare_arguments *prepare = &arguments->prepare;
    const struct {
        bool given;
        const char *name;
    } others[] = {
        {arguments->lag, "lag"},           {arguments->with, "with"},     {arguments->region, "region"},
        {arguments->interval, "interval"}, {arguments->verify, "verify"}, {prepare->stabilise, "stabilise"},
        {prepare->flatten, "flatten"},     {prepare->dust, "dust"},       {prepare->contrast, "contrast"},
        {prepare->crop, "crop"},           {prepare->steps, "steps"}};

    for (size_t i = 0; i < KI_COUNT(others); i++)
        if (others[i].given)
            return ki_fail(err, KN_ERROR_ARGUMENT, "--volume and --%s cannot be combined", others[i].name);
    if (arguments->common.memory_limit)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--volume and --memory-limit cannot be combined: a volume is transformed as a whole");
    return KN_OK;
}

kn_status autocorr_settle(struct autocorr_run *run, kn_error *err)
{
    const struct autocorr_arguments *arguments = run->arguments;
    const struct common_arguments *common = &arguments->common;
    kn_autocorr_series_options *settings = &run->settings;
    kn_status status = KN_OK;

    *settings = KN_INIT(kn_autocorr_series_options, .method = (kn_autocorr_method)arguments->method,
                        .normalization = (kn_autocorr_normalization)arguments->normalization,
                        .single = !autocorr_is_exact(run), .max_offset = arguments->max_offset,
                        .sums = arguments->sums != NULL, .values = common->output || common->report,
                        .threads = (unsigned)arguments->decoders, .periodic = arguments->periodic,
                        .max_lag = arguments->lag);
    if (common->operands.count < 1)
        return ki_fail(err, KN_ERROR_ARGUMENT, "expected IMAGE, a file or a folder; try '%s --help'",
                       common->command);
    if (common->memory_limit && arguments->variants)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--variants and --memory-limit cannot be combined: --variants times each method with "
                       "the memory that it takes");
    status = check_transforms(arguments, err);
    if (!status && arguments->volume)
        status = check_volume(run, err);
    if (!status && arguments->lag && (arguments->with || arguments->variants))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--lag and --%s cannot be combined",
                         arguments->with ? "with" : "variants");
    if (!status && arguments->region) {
        status = prepare_region("region", arguments->region, &run->region, err);
        settings->region = &run->region;
    }
    if (!status)
        status = prepare_settle(&arguments->prepare, common, &run->plan, err);
    if (!status)
        status = read_units(run, err);
    settings->one_size = run->interval > 0 || arguments->lag;
    run->verification = (kn_autocorr_verification){arguments->verify, (uint64_t)time(NULL)};
    if (arguments->verify)
        settings->verification = &run->verification;
    if (!status)
        status = inputs_add(&run->files, &common->operands, prepare_endings, err);
    return status;
}

// All frames as one volume.
static kn_status read_volume(struct autocorr_run *run, kn_error *err)
{
    kn_status status = frames_read_volume(&run->frames, &run->volume, err);

    run->frames.count = 1; // from here on, named as its first file
    run->frames.sources[0].pages = 1;
    return status;
}

// There are too few frames; unreadable files, which count as frames, are the likelier cause.
static kn_status refuse_lag(const struct autocorr_run *run, kn_error *err)
{
    for (size_t i = 0; i < run->frames.count; i++) {
        const struct frame_source *source = &run->frames.sources[i];
        kn_autocorr_grey grey = {.pixels = NULL};
        kn_status status = source->pages > 1 || strcmp(source->file, "-") == 0
                               ? KN_OK
                               : frames_read_grey(source->file, &grey, err);

        free(grey.pixels);
        if (status)
            return status;
    }
    return ki_fail(err, KN_ERROR_INPUT, "--lag %zu needs more than %zu frame%s", run->arguments->lag,
                   run->frames.count, run->frames.count == 1 ? "" : "s");
}

kn_status autocorr_read(struct autocorr_run *run, kn_error *err)
{
    const struct autocorr_arguments *arguments = run->arguments;
    const char *const others[] = {arguments->mask, arguments->with, arguments->prepare.dust};
    double start = ki_clock_seconds();
    kn_status status = prepare_list(&run->files, others, KI_COUNT(others), &run->input, &run->frames, err);

    if (!status) {
        run->rows = calloc(run->frames.count, sizeof *run->rows);
        if (!run->rows)
            status = ki_fail_memory(err, run->frames.count * sizeof *run->rows, "the frames");
    }
    if (!status && arguments->variants && run->frames.count != 1)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--variants takes one image, and %zu frames were given",
                         run->frames.count);
    if (!status && arguments->lag >= run->frames.count)
        status = refuse_lag(run, err);
    if (!status && arguments->mask) {
        status = frames_read_grey(arguments->mask, &run->mask, err);
        run->settings.mask = &run->mask;
    }
    if (!status && arguments->with) {
        status = frames_read_grey(arguments->with, &run->with, err);
        run->settings.with = &run->with;
    }
    if (!status && arguments->volume)
        status = read_volume(run, err);
    if (!status)
        status = prepare_open(&arguments->prepare, &run->frames, &run->plan, err);
    run->settings.preparation = run->plan.preparation;
    run->seconds.read = ki_clock_seconds() - start;
    return status;
}

// The best device, if it is the processor: the host's own code is faster than any kernel on it.
static bool is_processor(const struct autocorr_run *run, const char *spec)
{
    return !run->arguments->variants && run->arguments->method == KN_AUTOCORR_AUTO && !*spec &&
           run->place.queue && run->place.device.type == KN_DEVICE_CPU;
}

// The cost of a pixel of a frame, including decoding on the host; transforms do more work on a device, in
// less time.
kn_work autocorr_work_of_pixels(const struct autocorr_run *run, double pixels)
{
    const double all = pixels * (double)(1 + run->arguments->lag);

    return KN_INIT(kn_work, .host.operations = 300 * all, .device.operations = 480 * all, .copied = all,
                   .program = "app/autocorr/autocorr_fft_rows.cl", .programs = 8);
}

// Frames are not decoded yet: two bytes of their files are taken as three pixels, because images are
// compressed.
static kn_work work_of_frames(const struct autocorr_run *run)
{
    return autocorr_work_of_pixels(run, 1.5 * inputs_bytes(&run->files));
}

// A volume is in memory: transforms in double precision of its padded voxels, for each 8 bits of a level.
kn_work autocorr_work_of_volume(const struct autocorr_run *run)
{
    const struct frames_volume *volume = &run->volume;
    const double sides[] = {(double)volume->width, (double)volume->height, (double)volume->depth};
    const double bytes = volume->type == KN_U8 ? 1 : 2;
    double voxels = 1, points = 1, reach = (double)run->settings.max_offset;

    if (run->settings.max_offset == 0)
        reach = fmin(sides[0], fmin(sides[1], sides[2])) / 4;
    for (size_t i = 0; i < KI_COUNT(sides); i++) {
        voxels *= sides[i];
        points *= sides[i] + (run->settings.periodic ? 0 : reach);
    }
    return KN_INIT(kn_work, .host.operations = 2000 * bytes * points, .device.bytes = 150 * bytes * points,
                   .copied = bytes * voxels, .program = "app/autocorr/autocorr_volume.cl", .programs = 5);
}

// What is named has a place of its own.
static kn_status open_place(struct autocorr_run *run, const struct places *places, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    const bool open = !run->arguments->variants && run->arguments->method == KN_AUTOCORR_AUTO;
    const kn_work work = run->arguments->volume ? autocorr_work_of_volume(run) : work_of_frames(run);

    return estimate_open(places, open ? &work : NULL, common->policy, common->command, &run->place, err);
}

// The memory left for the series, in addition to what the command itself keeps.
static void limit_memory(struct autocorr_run *run)
{
    enum { LARGEST = 250 }; // the default R
    const size_t left = memory_for_data(&run->arguments->common),
                 offsets =
                     autocorr_offsets(run, run->settings.max_offset ? run->settings.max_offset : LARGEST),
                 kept = run->settings.sums ? run->frames.count * offsets * sizeof(uint64_t) : 0;

    memory_keep_nothing();
    run->settings.memory_limit = left > kept ? left - kept : 1;
}

// Under MPI: a method that only the host has runs there.
static kn_status choose_for_rank(const struct autocorr_run *run, struct places *chosen, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    const kn_autocorr_method method = (kn_autocorr_method)run->arguments->method;

    if (common->ranks && !common->devices.count && method != KN_AUTOCORR_AUTO &&
        !kn_autocorr_method_runs(method, true)) {
        choose_free(chosen);
        return choose_host_too(chosen, err);
    }
    return ranks_choose(common, false, chosen, err);
}

kn_status autocorr_open(struct autocorr_run *run, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    kn_autocorr_method method = (kn_autocorr_method)run->arguments->method;
    struct places chosen = {.count = 0};
    kn_status status;

    if (common->policy == KN_POLICY_FAST)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--policy fast: the sums are exact integers, which relaxed maths cannot guarantee; "
                       "leave it out, or use strict");
    if (!run->arguments->variants && method != KN_AUTOCORR_AUTO && !kn_autocorr_method_runs(method, true) &&
        !common->devices.count && !common->resume && !common->ranks) {
        place_host(&run->place);
    } else {
        status = choose_places(&common->devices, &chosen, err);
        if (!status)
            status = choose_for_rank(run, &chosen, err);
        if (!status)
            status = chosen.count > 1 || common->resume || common->ranks
                         ? autocorr_share_open(run, &chosen, err)
                         : open_place(run, &chosen, err);
        if (!status && !run->share.count && is_processor(run, chosen.specs[0].spec)) {
            place_close(&run->place);
            place_host(&run->place);
        }
        choose_free(&chosen);
        if (status)
            return status;
    }
    if (run->arguments->volume)
        return KN_OK;
    if (common->memory_limit)
        limit_memory(run);
    if (run->share.count)
        return KN_OK;
    return ki_error_unname(kn_autocorr_series_create(run->place.queue, &run->settings, &run->series, err),
                           err);
}

void autocorr_free(struct autocorr_run *run)
{
    for (size_t i = 0; i < run->row_count; i++) {
        free(run->rows[i].rings);
        free(run->rows[i].sums);
        free(run->rows[i].error);
    }
    for (size_t i = 0; run->rows && i < run->frames.count; i++)
        free(run->rows[i].name);
    free(run->rows);
    free(run->sum.values);
    frames_free(&run->frames);
    free(run->volume.voxels);
    free(run->input.data);
    free(run->mask.pixels);
    free(run->with.pixels);
    inputs_free(&run->files);
    prepare_close(&run->plan);
    autocorr_share_close(run);
    kn_autocorr_series_free(run->series);
    place_close(&run->place);
}
