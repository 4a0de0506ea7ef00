// SPDX-License-Identifier: Apache-2.0
// koine prepare: prepares photographs for koine autocorr.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "base/os/output.h"
#include "base/threads.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/autocorr/prepare.h"
#include "cli/framework/progress.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

enum { AHEAD = 8 };

struct arguments {
    struct common_arguments common;
    struct prepare_arguments prepare;
};

struct row {
    char *name;
    char *error; // why there is no result; NULL: there is one
    size_t width, height;
    kn_autocorr_prepared prepared; // without pictures
};

struct run {
    struct arguments *arguments;
    struct inputs files;
    struct image_bytes input; // standard input, where it is one of the files
    struct frames frames;
    size_t failed;
    struct row *rows;
    struct prepare_plan plan;
    struct progress progress;
    struct ki_json_seconds seconds;
};

static const struct option_row options[] = {
    PREPARE_OPTIONS(struct arguments, prepare),
    {.name = NULL},
};

// ---- before the work ----

static kn_status try_files(struct run *run, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    char **names = calloc(run->frames.count, sizeof *names);
    kn_status status = names ? KN_OK : ki_fail_memory(err, run->frames.count * sizeof *names, "the frames");

    for (size_t i = 0; i < run->frames.count && !status; i++) {
        names[i] = run->rows[i].name = prepare_name(&run->frames.sources[i]);
        if (!names[i])
            status = ki_fail_memory(err, 0, "naming the files");
    }
    if (!status)
        status = prepare_check_names(names, &run->frames, ".png", err);
    if (!status)
        status = ki_output_folder(common->output, err);
    for (size_t i = 0; i < run->frames.count && !status; i++) {
        char *path = prepare_path(common->output, names[i], ".png");

        status =
            path ? report_try_file(path, common->force, err) : ki_fail_memory(err, 0, "naming the files");
        if (!status)
            status = prepare_try_steps(&run->plan, common->output, names[i], common->force, err);
        free(path);
    }
    free(names);
    return status;
}

static kn_status begin(struct run *run, kn_error *err)
{
    const struct arguments *arguments = run->arguments;
    const struct common_arguments *common = &arguments->common;
    kn_status status;

    if (common->operands.count < 1)
        return ki_fail(err, KN_ERROR_ARGUMENT, "expected IMAGE, a file or a folder; try '%s --help'",
                       common->command);
    if (!common->output)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "expected --output DIR, for the prepared images; try '%s --help'", common->command);
    status = prepare_settle(&arguments->prepare, common, &run->plan, err);
    run->plan.asked = true;
    if (!status)
        status = inputs_add(&run->files, &common->operands, prepare_endings, err);
    if (!status)
        status = report_try(common, err);
    if (!status)
        status = prepare_list(&run->files, &arguments->prepare.dust, 1, &run->input, &run->frames, err);
    run->rows = status ? NULL : calloc(run->frames.count, sizeof *run->rows);
    if (!status && !run->rows)
        status = ki_fail_memory(err, run->frames.count * sizeof *run->rows, "the frames");
    if (!status)
        status = try_files(run, err);
    return status;
}

// ---- the work ----

// A frame without a result.
static kn_status leave_out(struct run *run, size_t i, const kn_error *why, kn_error *err)
{
    struct row *row = &run->rows[i];

    run->failed++;
    row->error = strdup(why->text);
    if (!row->error)
        return ki_fail_memory(err, 0, "a frame's error");
    if (run->frames.count == 1) { // it is the command's own
        if (err)
            *err = *why;
        return why->code;
    }
    progress_end(&run->progress);
    fprintf(stderr, "%s: %s\n", run->arguments->common.command, row->error);
    return KN_OK;
}

static kn_status take(struct run *run, size_t i, const kn_autocorr_grey *grey,
                      const kn_autocorr_prepared *prepared, bool *said_colour, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    struct row *row = &run->rows[i];
    char *path;
    kn_status status;

    if (grey->colour && !run->arguments->prepare.grey && !*said_colour) {
        fprintf(stderr, "%s: %s is in colour: its grey is 0.299 red + 0.587 green + 0.114 blue\n",
                common->command, run->frames.sources[i].file);
        *said_colour = true;
    }
    row->width = grey->width;
    row->height = grey->height;
    row->prepared = *prepared;
    memset(row->prepared.pictures, 0, sizeof row->prepared.pictures);
    path = prepare_path(common->output, row->name, ".png");
    status =
        path ? prepare_write_png(path, grey, common->force, err) : ki_fail_memory(err, 0, "naming the files");
    free(path);
    return status ? status
                  : prepare_write_steps(&run->plan, common->output, row->name, prepared, common->force, err);
}

static kn_status next(struct run *run, size_t i, kn_autocorr_reader *reader, bool *said_colour, kn_error *err)
{
    kn_autocorr_grey grey;
    kn_autocorr_prepared prepared;
    kn_error why = KN_ERROR_INIT;
    kn_status status;

    if (kn_autocorr_reader_next(reader, &grey, &prepared, &why))
        return leave_out(run, i, &why, err);
    status = take(run, i, &grey, &prepared, said_colour, err);
    free(grey.pixels);
    kn_autocorr_prepared_free(&prepared);
    return status;
}

static kn_status work(struct run *run, kn_error *err)
{
    const kn_autocorr_source source = frames_source(&run->frames);
    const kn_autocorr_reader_options reading =
        KN_INIT(kn_autocorr_reader_options, .ahead = AHEAD, .preparation = run->plan.preparation);
    kn_autocorr_reader *reader = NULL;
    bool said_colour = false;
    kn_status status = ki_error_unname(kn_autocorr_reader_open(&source, &reading, &reader, err), err);

    progress_begin(&run->progress, run->arguments->common.quiet);
    for (size_t i = 0; i < run->frames.count && !status; i++) {
        status = next(run, i, reader, &said_colour, err);
        progress_step(&run->progress, (double)(i + 1) / (double)run->frames.count);
    }
    progress_end(&run->progress);
    run->seconds.compute = kn_autocorr_reader_get_seconds(reader);
    kn_autocorr_reader_close(reader);
    return status;
}

// ---- the report ----

static bool print(const struct run *run)
{
    const kn_autocorr_preparation_options *chosen = &run->plan.options;
    struct table table;

    table_begin(&table, "lrrrrr");
    table_add_all(&table,
                  (const char *const[]){"frame", "pixels", "moved x", "y", "certainty", "dust", NULL});
    for (size_t i = 0; i < run->frames.count; i++) {
        const struct row *row = &run->rows[i];

        if (row->error)
            continue;
        table_add(&table, "%s", row->name);
        table_add(&table, "%zu x %zu", row->width, row->height);
        if (chosen->stabilise) {
            table_add(&table, "%.3f", row->prepared.x);
            table_add(&table, "%.3f", row->prepared.y);
            table_add(&table, "%.1f", row->prepared.certainty);
        } else {
            table_add_all(&table, (const char *const[]){"-", "-", "-", NULL});
        }
        table_add(&table, chosen->find_dust || chosen->dust ? "%zu" : "-", row->prepared.dust);
    }
    if (!table_finish(&table))
        return false;
    printf("written to %s: NAME.png%s; seconds: total %.3f, all threads %.3f\n",
           run->arguments->common.output, chosen->show ? ", NAME.1-grey.png and so on" : "",
           run->seconds.total, run->seconds.compute);
    return true;
}

static kn_status write_json(const struct run *run, kn_error *err)
{
    struct place host;
    json_t *frames = json_array(), *failed = json_array(), *root;

    place_host(&host);
    root = report_begin("prepare", &host.device, precision_names[PRECISION_FLOAT],
                        policy_names[KN_POLICY_DEFAULT], &run->seconds);
    for (size_t i = 0; i < run->frames.count; i++) {
        const struct row *row = &run->rows[i];
        json_t *object = row->error ? json_object() : prepare_json(&run->plan, &row->prepared);

        report_put(&object, "file", ki_json_string(run->frames.sources[i].file));
        report_put(&object, "page", json_integer((json_int_t)run->frames.sources[i].page + 1));
        if (row->error) {
            report_put(&object, "error", ki_json_string(row->error));
            report_append(&failed, object);
            continue;
        }
        report_put(&object, "name", ki_json_string(row->name));
        report_put(&object, "width", json_integer((json_int_t)row->width));
        report_put(&object, "height", json_integer((json_int_t)row->height));
        report_append(&frames, object);
    }
    report_put(&root, "frames", frames);
    report_put(&root, "failed", failed);
    return report_write(root, &run->arguments->common, err);
}

static void end(struct run *run)
{
    for (size_t i = 0; run->rows && i < run->frames.count; i++) {
        free(run->rows[i].name);
        free(run->rows[i].error);
    }
    free(run->rows);
    frames_free(&run->frames);
    free(run->input.data);
    inputs_free(&run->files);
    prepare_close(&run->plan);
}

static kn_status run_prepare(void *given, kn_error *err)
{
    struct run run = {.arguments = given};
    const struct common_arguments *common = &run.arguments->common;
    const size_t there = common->output ? ki_output_folder_there(common->output) : 0;
    double start = ki_clock_seconds();
    kn_status status = begin(&run, err);

    run.seconds = (struct ki_json_seconds){.build = -1, .upload = -1, .download = -1, .read = -1};
    if (!status)
        status = prepare_open(&run.arguments->prepare, &run.frames, &run.plan, err);
    if (!status)
        status = work(&run, err);
    run.seconds.total = ki_clock_seconds() - start;
    if (!status && common->json)
        status = write_json(&run, err);
    if (!status && report_shows_text(common) && run.failed < run.frames.count && !print(&run))
        status = ki_fail_memory(err, 0, "printing the results");
    if (!status && run.failed)
        status = ki_fail(err, KN_ERROR_INPUT, "%zu of %zu frames failed; they are named above", run.failed,
                         run.frames.count);
    end(&run);
    if (status && common->output)
        ki_output_folder_undo(common->output, there);
    return status;
}

const struct command command_prepare = {
    .name = "prepare",
    .summary = "Prepares photographs for correlation: stabilises, evens out the light, removes dust",
    .operands = "IMAGE|DIR...",
    .description =
        "Reads PNG, TIFF and NumPy images as koine autocorr does and writes each as a grey PNG of 8 or 16 "
        "bits, as the input has, into the folder of --output. The steps are those of Lu et al. (2009, figure "
        "3), in this order whatever the order of the options: grey, --stabilise, --flatten, --dust, "
        "--contrast, --crop; between them levels are not rounded. koine autocorr takes the same options.\n\n"
        "--stabilise finds by phase correlation how far a frame has moved from the first one, to a few "
        "hundredths of a pixel, and moves it back; pixels that come in at an edge repeat it, so crop them "
        "off. Shifts of up to an eighth of the picture are found. The certainty of a shift is shown beside "
        "it: how many standard deviations the peak of the correlation is above all but the 11 x 11 pixels "
        "around it (the peak-to-sidelobe ratio of Bolme et al. 2010). A frame with less than 10 is skipped "
        "and named, and the exit status is 3: it may have nothing in common with the first one, no "
        "structure, or only a repeating pattern. 6,000 pairs of unrelated random pictures (64 x 80 to 256 x "
        "256 pixels, white noise to noise smoothed over 16) reached 9 at most.\n\n"
        "--flatten divides by the picture's own blur and multiplies by its mean. The radius is the standard "
        "deviation of the blur: use several times the length that you are looking for, or that is flattened "
        "as well.\n\n"
        "--dust fills what the mask marks with the smoothest surface through its edge; with auto, it fills "
        "what differs from the median of its neighbourhood (17 x 17 pixels) by more than 8 standard "
        "deviations of all pixels and by more than twice as much as 98 % of them (so that the structure of "
        "the picture itself does not count as dust).\n\n"
        "--contrast auto uses the levels of the first frame for all frames, so that they stay comparable.",
    .common = COMMON_JSON | COMMON_OUTPUT | COMMON_FORCE,
    .options = options,
    .examples = {{"koine prepare photos/ --stabilise --flatten 200 --dust auto --output ready",
                  "a series of photographs, each moved back onto the first, evenly lit and cleaned"},
                 {"koine prepare photo.png --flatten 90 --crop 60,10,640,350 --steps --output x",
                  "one photograph, with a picture of each step"}},
    .arguments_size = sizeof(struct arguments),
    .run = run_prepare,
};
