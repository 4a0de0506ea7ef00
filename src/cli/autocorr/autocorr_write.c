// SPDX-License-Identifier: Apache-2.0
// koine autocorr: the files of --output and --sums, and the JSON.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/output.h"
#include "base/text/text.h"
#include "io/array/npy.h"
#include "io/image/png.h"
#include "cmd_autocorr.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"

static const char *const image_endings[] = {".c2d.npy", ".c1d.csv", ".c2d.png", NULL};
static const char *const volume_endings[] = {".c3d.npy", ".c1d.csv", NULL};

static const char *const *endings_of(const struct autocorr_run *run)
{
    return run->arguments->volume ? volume_endings : image_endings;
}

// ---- names ----

static char *path_of(const struct autocorr_run *run, const char *name, const char *ending)
{
    return prepare_path(run->arguments->common.output, name, ending);
}

static kn_status check_names(const struct autocorr_run *run, kn_error *err)
{
    char **names = malloc(run->frames.count * sizeof *names);
    kn_status status;

    if (!names)
        return ki_fail_memory(err, run->frames.count * sizeof *names, "naming the files");
    for (size_t i = 0; i < run->frames.count; i++)
        names[i] = run->rows[i].name;
    status = prepare_check_names(names, &run->frames, endings_of(run)[0], err);
    free(names);
    return status;
}

static kn_status try_path(const struct autocorr_run *run, const char *name, const char *ending, kn_error *err)
{
    char *path = path_of(run, name, ending);
    kn_status status = path ? report_try_file(path, run->arguments->common.force, err)
                            : ki_fail_memory(err, 0, "naming the files");

    free(path);
    return status;
}

static kn_status try_folder(struct autocorr_run *run, kn_error *err)
{
    kn_status status = check_names(run, err);

    if (!status)
        status = ki_output_folder(run->arguments->common.output, err);
    for (size_t i = 0; i < run->frames.count && !status; i++)
        status = prepare_try_steps(&run->plan, run->arguments->common.output, run->rows[i].name,
                                   run->arguments->common.force, err);
    for (size_t i = 0; i < run->frames.count && !status; i++)
        for (size_t e = 0; endings_of(run)[e] && !status; e++)
            status = try_path(run, run->rows[i].name, endings_of(run)[e], err);
    if (!status && run->arguments->lag)
        status = autocorr_try_lags(run, err);
    if (!status)
        status = try_path(run, "c1d", ".svg", err);
    if (!status && run->interval > 0)
        status = try_path(run, "growth", ".svg", err);
    if (!status && run->arguments->variants)
        status = try_path(run, "variants", ".svg", err);
    return status;
}

static bool list_path(const struct autocorr_run *run, const char *name, const char *ending,
                      void (*each)(void *data, const char *path), void *data)
{
    char *path = path_of(run, name, ending);

    if (!path)
        return false;
    each(data, path);
    free(path);
    return true;
}

bool autocorr_list_files(const struct autocorr_run *run, void (*each)(void *data, const char *path),
                         void *data)
{
    bool named = true;

    if (!run->arguments->common.output)
        return true;
    for (size_t i = 0; i < run->frames.count && named; i++)
        for (size_t e = 0; endings_of(run)[e] && named; e++)
            named = list_path(run, run->rows[i].name, endings_of(run)[e], each, data);
    named = named && list_path(run, "c1d", ".svg", each, data);
    if (run->interval > 0)
        named = named && list_path(run, "growth", ".svg", each, data);
    if (run->arguments->variants)
        named = named && list_path(run, "variants", ".svg", each, data);
    return named && (!run->arguments->lag || autocorr_list_lags(run, each, data));
}

kn_status autocorr_try_files(struct autocorr_run *run, kn_error *err)
{
    const struct autocorr_arguments *arguments = run->arguments;
    kn_status status = report_try(&arguments->common, err);

    for (size_t i = 0; i < run->frames.count && !status; i++) {
        run->rows[i].name = prepare_name(&run->frames.sources[i]);
        if (!run->rows[i].name)
            status = ki_fail_memory(err, 0, "naming the files");
    }
    if (!status && arguments->sums)
        status = report_try_file(arguments->sums, arguments->common.force, err);
    return status || !arguments->common.output ? status : try_folder(run, err);
}

// ---- a frame's files ----

static kn_status write_values(const struct autocorr_run *run, const kn_autocorr_analysis *frame,
                              const char *path, kn_error *err)
{
    const size_t across = 2 * frame->max_offset + 1;
    const struct npy array = {.type = KN_F64,
                              .dims = run->arguments->volume ? 3 : 2,
                              .shape = {frame->max_offset + 1, across, across},
                              .data = (double *)frame->values};

    return npy_write(path, &array, run->arguments->common.force, err);
}

static kn_status write_c1d(const struct autocorr_run *run, const struct autocorr_row *row, const char *path,
                           bool force, kn_error *err)
{
    struct ki_text text = KI_TEXT_INIT;
    kn_status status;

    ki_text_format(&text, "r_%s,c1d,standard_error,count\n", run->unit);
    for (size_t k = 0; k <= row->max_offset; k++) {
        const kn_autocorr_ring *ring = &row->rings[k];

        ki_text_format(&text, "%.17g", ring->radius * run->pixel);
        autocorr_add_cell(&text, ring->value);
        autocorr_add_cell(&text, ring->error);
        ki_text_format(&text, ",%zu\n", ring->count);
    }
    status = text.failed ? ki_fail_memory(err, 0, "writing the results")
                         : ki_output_write(path, text.data, text.length, force, err);
    ki_text_free(&text);
    return status;
}

static kn_status write_picture(const struct autocorr_run *run, const kn_autocorr_analysis *frame,
                               const char *path, bool force, kn_error *err)
{
    double low = INFINITY, high = -INFINITY;
    struct ki_picture picture = {.pixels = NULL};
    kn_status status;

    for (size_t i = 0; i < autocorr_offsets(run, frame->max_offset); i++)
        if (!isnan(frame->values[i])) {
            low = fmin(low, frame->values[i]);
            high = fmax(high, frame->values[i]);
        }
    status = ki_picture_of(frame->values, 2 * frame->max_offset + 1, frame->max_offset + 1, 8, low, high,
                           &picture, err);
    if (!status)
        status = ki_png_write(path, &picture, force, err);
    free(picture.pixels);
    return status;
}

kn_status autocorr_write_frame(const struct autocorr_run *run, const struct autocorr_row *row,
                               const kn_autocorr_analysis *frame, kn_error *err)
{
    bool force = run->arguments->common.force;
    kn_status status = KN_OK;

    if (!run->arguments->common.output)
        return KN_OK;
    interrupt_hold();
    for (size_t e = 0; endings_of(run)[e] && !status; e++) {
        char *path = path_of(run, row->name, endings_of(run)[e]);

        if (!path)
            status = ki_fail_memory(err, 0, "naming the files");
        else if (e == 0)
            status = write_values(run, frame, path, err);
        else if (e == 1)
            status = write_c1d(run, row, path, force, err);
        else
            status = write_picture(run, frame, path, force, err);
        free(path);
    }
    interrupt_release();
    return status ? status
                  : prepare_write_steps(&run->plan, run->arguments->common.output, row->name, frame->prepared,
                                        force, err);
}

// ---- those of all frames ----

// One after another; frames without results are left out.
static kn_status write_sums(const struct autocorr_run *run, kn_error *err)
{
    size_t offsets = 0, good = 0, at = 0, dims = run->frames.count > 1 || run->arguments->volume ? 3 : 2;
    struct npy array = {.type = KN_I64, .dims = dims};
    kn_status status;

    for (size_t i = 0; i < run->row_count; i++)
        if (!run->rows[i].error) {
            size_t max_offset = run->rows[i].max_offset;

            offsets = autocorr_offsets(run, max_offset);
            array.shape[0] = ++good;
            array.shape[dims - 2] = max_offset + 1;
            array.shape[dims - 1] = 2 * max_offset + 1;
            if (run->arguments->volume) {
                array.shape[0] = max_offset + 1;
                array.shape[1] = 2 * max_offset + 1;
            }
        }
    array.data = malloc(good * offsets * sizeof(uint64_t));
    if (!array.data)
        return ki_fail_memory(err, good * offsets * sizeof(uint64_t), "the sums");
    for (size_t i = 0; i < run->row_count; i++)
        if (!run->rows[i].error)
            memcpy((uint64_t *)array.data + offsets * at++, run->rows[i].sums, offsets * sizeof(uint64_t));
    interrupt_hold();
    status = npy_write(run->arguments->sums, &array, run->arguments->common.force, err);
    interrupt_release();
    free(array.data);
    return status;
}

static bool nothing_came(const struct autocorr_run *run)
{
    return run->pipeline.failed == run->frames.count;
}

static kn_status write_plot(const struct autocorr_run *run, const char *name,
                            kn_status (*plot)(const struct autocorr_run *run, const struct plot_target *to,
                                              kn_error *err),
                            kn_error *err)
{
    char *path = path_of(run, name, ".svg");
    const struct plot_target to = {.path = path, .force = run->arguments->common.force};
    kn_status status = path ? plot(run, &to, err) : ki_fail_memory(err, 0, "naming the files");

    free(path);
    return status;
}

kn_status autocorr_write_files(const struct autocorr_run *run, kn_error *err)
{
    kn_status status = KN_OK;

    if (nothing_came(run))
        return KN_OK;
    if (run->arguments->sums)
        status = write_sums(run, err);
    if (!status && run->arguments->common.output && run->lags)
        status = autocorr_write_lags(run, err);
    if (status || !run->arguments->common.output)
        return status;
    status = write_plot(run, "c1d", autocorr_plot_c1d, err);
    if (!status && run->has_growth)
        status = write_plot(run, "growth", autocorr_plot_growth, err);
    if (!status && run->lags)
        status = write_plot(run, "lag", autocorr_plot_lags, err);
    if (!status && run->arguments->variants)
        status = write_plot(run, "variants", autocorr_plot_variants, err);
    return status;
}

void autocorr_print_files(const struct autocorr_run *run)
{
    const struct autocorr_arguments *arguments = run->arguments;

    if (nothing_came(run))
        return;
    if (arguments->sums)
        printf("written to %s: the exact sums\n", arguments->sums);
    if (!arguments->common.output)
        return;
    printf("written to %s: ", arguments->common.output);
    if (run->arguments->volume)
        printf("%s.c3d.npy and .c1d.csv", run->rows[0].name);
    else if (run->frames.count == 1)
        printf("%s.c2d.npy, .c1d.csv and .c2d.png", run->rows[0].name);
    else
        printf("for each of %zu frames .c2d.npy, .c1d.csv and .c2d.png",
               run->frames.count - run->pipeline.failed);
    printf("%s; c1d.svg%s%s%s\n", run->lags ? "; lag.csv, lag-c1d.csv, lag-c2d.npy, lag-pairs.npy" : "",
           run->has_growth ? ", growth.svg" : "", run->lags ? ", lag.svg" : "",
           arguments->variants ? ", variants.svg" : "");
}

// ---- JSON ----

static void put_verified(json_t **object, const kn_autocorr_verified *verified)
{
    json_t *inner = json_object();

    report_put(&inner, "count", json_integer((json_int_t)verified->count));
    report_put(&inner, "wrong", json_integer((json_int_t)verified->wrong));
    report_put(&inner, "greatest_difference", json_integer((json_int_t)verified->most));
    report_put(object, "verified", inner);
}

static json_t *frame_json(const struct autocorr_run *run, const struct autocorr_row *row)
{
    json_t *object = json_object(), *rings = json_array();

    for (size_t k = 0; k <= row->max_offset; k++)
        report_append(&rings, autocorr_ring_json(run, &row->rings[k]));
    report_put(&object, "file", ki_json_string(row->source.file));
    if (row->source.pages > 1)
        report_put(&object, "page", json_integer((json_int_t)row->source.page + 1));
    if (run->interval > 0)
        report_put(&object, "t", ki_json_double((double)row->index * run->interval));
    report_put(&object, "width", json_integer((json_int_t)row->width));
    report_put(&object, "height", json_integer((json_int_t)row->height));
    if (row->depth)
        report_put(&object, "depth", json_integer((json_int_t)row->depth));
    report_put(&object, "max_offset", json_integer((json_int_t)row->max_offset));
    autocorr_put_lengths(&object, &row->lengths);
    report_put(&object, "c1d", rings);
    report_put(&object, "method", json_string(autocorr_method_names[row->method]));
    if (run->plan.asked)
        report_put(&object, "prepared", prepare_json(&run->plan, &row->prepared));
    if (row->verified.count)
        put_verified(&object, &row->verified);
    report_put(&object, "seconds", ki_json_double(row->seconds));
    return object;
}

static json_t *failed_json(const struct autocorr_row *row)
{
    json_t *object = json_object();

    report_put(&object, "file", ki_json_string(row->source.file));
    report_put(&object, "page", json_integer((json_int_t)row->source.page + 1));
    report_put(&object, "error", ki_json_string(row->error));
    return object;
}

static json_t *line_json(const kn_autocorr_line *line)
{
    json_t *object = json_object();

    report_put(&object, "slope", ki_json_double(line->slope));
    report_put(&object, "slope_error", ki_json_double(line->slope_error));
    report_put(&object, "intercept", ki_json_double(line->intercept));
    report_put(&object, "intercept_error", ki_json_double(line->intercept_error));
    report_put(&object, "r2", ki_json_double(line->r2));
    return object;
}

static json_t *growth_json(const kn_autocorr_growth *growth)
{
    json_t *object = line_json(&growth->line);

    report_put(&object, "points", json_integer((json_int_t)growth->points));
    report_put(&object, "origin", line_json(&growth->origin));
    return object;
}

// Seconds that overlap: of all decoding threads together, of packing and copying, of what the device
// computed.
static json_t *pipeline_json(const struct autocorr_run *run)
{
    const kn_autocorr_pipeline *pipeline = &run->pipeline;
    json_t *object = json_object();

    report_put(&object, "frames", json_integer((json_int_t)(pipeline->frames - pipeline->failed)));
    report_put(&object, "decoders", json_integer((json_int_t)pipeline->decoders));
    report_put(&object, "decode", ki_json_double(pipeline->decode));
    report_put(&object, "wait", ki_json_double(pipeline->wait));
    report_put(&object, "transfer", ki_json_double(pipeline->upload + pipeline->download));
    report_put(&object, "compute", ki_json_double(pipeline->compute));
    report_put(&object, "analyse", ki_json_double(pipeline->analyse));
    report_put(&object, "batches", json_integer((json_int_t)pipeline->batches));
    report_put(&object, "overlapped", json_integer((json_int_t)pipeline->overlapped));
    report_put(&object, "device_rings", json_integer((json_int_t)pipeline->device_rings));
    report_put(&object, "host_rings_why",
               pipeline->why_host ? ki_json_string(pipeline->why_host) : json_null());
    return object;
}

kn_status autocorr_write_json(struct autocorr_run *run, kn_error *err)
{
    const struct autocorr_arguments *arguments = run->arguments;
    json_t *frames = json_array(), *failed = json_array();
    json_t *root = report_begin("autocorr", &run->place.device,
                                precision_names[run->bound > 0 ? PRECISION_FLOAT : PRECISION_DOUBLE],
                                policy_names[run->arguments->common.policy], &run->seconds);

    estimate_report(&root, &run->place);
    if (run->share.count)
        report_put(&root, "devices", share_json(run->share.places, run->share.taken, run->share.count));
    if (run->arguments->common.resume)
        report_put(&root, "resumed", json_integer((json_int_t)run->resume.resumed));
    for (size_t i = 0; i < run->row_count; i++)
        if (run->rows[i].error)
            report_append(&failed, failed_json(&run->rows[i]));
        else
            report_append(&frames, frame_json(run, &run->rows[i]));
    report_put(&root, "method", json_string(autocorr_ran(run)));
    report_put(&root, "why", ki_json_string(autocorr_why(run)));
    report_put(&root, "exact", json_boolean(!(run->bound > 0)));
    report_put(&root, "bound", ki_json_double(run->bound));
    report_put(&root, "normalize", json_string(autocorr_normalization_names[run->settings.normalization]));
    report_put(&root, "with", arguments->with ? ki_json_string(arguments->with) : json_null());
    report_put(&root, "periodic", json_boolean(arguments->periodic));
    report_put(&root, "unit", ki_json_string(run->unit));
    report_put(&root, "pixel", ki_json_double(run->pixel));
    report_put(&root, "frames", frames);
    report_put(&root, "failed", failed);
    if (run->has_growth)
        report_put(&root, "growth", growth_json(&run->growth));
    if (run->lags)
        report_put(&root, "lag", autocorr_lags_json(run));
    report_put(&root, "pieces", json_integer((json_int_t)(run->series ? run->pipeline.batches : 1)));
    report_put(&root, "pipeline", pipeline_json(run));
    if (arguments->variants)
        report_put(&root, "variants", autocorr_variants_json(run));
    if (autocorr_illustrate(run, &root, err)) {
        json_decref(root);
        return err->code;
    }
    return report_write(root, &arguments->common, err);
}
