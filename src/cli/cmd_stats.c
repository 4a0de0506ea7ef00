// SPDX-License-Identifier: Apache-2.0
// koine stats: mean, deviation, CV, median and MAD of the numeric columns of sensor files.
#include "cmd_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "../base/clock.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../io/csv.h"
#include "../io/output.h"
#include "commands.h"
#include "inputs.h"
#include "interrupt.h"
#include "progress.h"
#include "report.h"

static const char *const method_words[] = {"auto", "sort", NULL};
static const char *const missing_words[] = {"error", "omit", "propagate",
                                            NULL}; // in the order of enum csv_missing
static const char *const mad_scale_words[] = {"1", "normal", NULL};

#define FIELD(field) offsetof(struct stats_arguments, field)

static const struct option_row options[] = {
    {"input", 'i', OPTION_STRINGS, "FILE|DIR", NULL, NULL, FIELD(inputs),
     "read this file, or the .csv files of this folder; the word --input may be left out"},
    {"column", 'c', OPTION_STRINGS, "NAME|INDEX", NULL, NULL, FIELD(columns),
     "only this column, by name or counted from 1; may be repeated"},
    {"repetitions", 'n', OPTION_COUNT, "N", NULL, "1", FIELD(repetitions),
     "compute N times; the seconds are the median over them"},
    {"gpu", 0, OPTION_FLAG, NULL, NULL, NULL, FIELD(gpu),
     "the variant with kernels on a device, CPU devices included; it is the default"},
    {"serial", 0, OPTION_FLAG, NULL, NULL, NULL, FIELD(serial),
     "the variant with the host's own code on one thread; no device is used"},
    {"method", 0, OPTION_CHOICE, NULL, method_words, "auto", FIELD(method), "how the median is found"},
    {"missing", 0, OPTION_CHOICE, NULL, missing_words, "error", FIELD(missing),
     "refuse a file with empty cells, leave them out, or let them make the column's result nan"},
    {"mad-scale", 0, OPTION_CHOICE, NULL, mad_scale_words, "1", FIELD(mad_scale),
     "normal: the MAD divided by 0.6745, which estimates the deviation of normal data"},
    {.name = NULL},
};

static kn_status check_arguments(const struct stats_arguments *arguments, kn_error *err)
{
    const struct string_list *devices = &arguments->common.devices;

    if (arguments->gpu && arguments->serial)
        return kn_fail(err, KN_ERROR_ARGUMENT, "--gpu and --serial are two variants; choose one of them");
    for (size_t i = 0; i < devices->count; i++) {
        bool host = strcmp(devices->items[i], "host") == 0;

        if (arguments->serial && !host)
            return kn_fail(err, KN_ERROR_ARGUMENT,
                           "--serial runs on the host: it does not go with --device %s", devices->items[i]);
        if (arguments->gpu && host)
            return kn_fail(err, KN_ERROR_ARGUMENT, "--gpu runs kernels: it does not go with --device host");
    }
    if (arguments->inputs.count + arguments->common.operands.count == 0)
        return kn_fail(err, KN_ERROR_ARGUMENT, "no input: name a file or a folder; try 'koine stats --help'");
    return KN_OK;
}

// A device of `all` that cannot serve is left out with a line; one that was named is refused.
static kn_status check_place(const struct stats_arguments *arguments, const struct place_spec *spec,
                             const struct place *place, bool *leave_out, kn_error *err)
{
    const kn_device_info *device = &place->device;

    *leave_out = false;
    if (arguments->common.precision != PRECISION_DOUBLE || device->fp64)
        return KN_OK;
    if (spec->from_all) {
        fprintf(stderr, "%s: %s (%s) has no double precision and is left out\n", arguments->common.command,
                device->spec, device->name);
        *leave_out = true;
        return KN_OK;
    }
    return kn_fail(err, KN_ERROR_UNSUPPORTED,
                   "%s (%s) has no double precision; take --precision float, --serial, or another --device",
                   device->spec, device->name);
}

static kn_status open_devices(struct stats_run *run, const struct places *chosen, kn_error *err)
{
    const struct stats_arguments *arguments = run->arguments;
    kn_status status = KN_OK;

    for (size_t i = 0; i < chosen->count && !status; i++) {
        const struct place_spec *spec = &chosen->specs[i];
        struct place *place = &run->places[run->place_count];
        bool leave_out = false;

        if (strcmp(spec->spec, "host") == 0)
            return kn_fail(
                err, KN_ERROR_NO_DEVICE,
                "device host: this version has no parallel code for it; --serial computes on the host");
        status = place_open(spec->spec, arguments->gpu, arguments->common.command, place, err);
        if (!status)
            status = check_place(arguments, spec, place, &leave_out, err);
        if (status || leave_out)
            place_close(place);
        else
            run->place_count++;
    }
    if (!status && run->place_count == 0)
        status = kn_fail(err, KN_ERROR_UNSUPPORTED, "no device is left; take --precision float");
    return status;
}

static kn_status open_places(struct stats_run *run, kn_error *err)
{
    const struct stats_arguments *arguments = run->arguments;
    struct places chosen = {NULL, 0};
    kn_status status = arguments->serial ? KN_OK : choose_places(&arguments->common.devices, &chosen, err);
    size_t most = arguments->serial ? 1 : chosen.count;

    if (status)
        return status;
    run->places = calloc(most, sizeof *run->places);
    run->times = calloc(most, sizeof *run->times);
    if (!run->places || !run->times)
        status = kn_fail_memory(err, 0, "opening the devices");
    else if (arguments->serial)
        place_host(&run->places[run->place_count++]);
    else
        status = open_devices(run, &chosen, err);
    choose_free(&chosen);
    return status;
}

// One computation: the result, and what the user waited for it without the compiler.
static kn_status compute_once(struct stats_run *run, size_t place, const struct csv_column *column,
                              struct stats_result *result, double *seconds, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    const struct stats_options how = {
        .single = common->precision == PRECISION_FLOAT,
        .mad_scale = run->arguments->mad_scale == MAD_SCALE_NORMAL ? STATS_MAD_SCALE_NORMAL : 1,
        .policy = (kn_policy)common->policy,
    };
    kn_queue *queue = run->places[place].queue;
    struct stats_times times = {0, 0, 0, 0};
    double start = kn_clock_seconds();
    kn_status status = queue ? stats_device(queue, column->values, column->count, &how, result, &times, err)
                             : stats_reference(column->values, column->count, &how, result, err);

    *seconds = kn_clock_seconds() - start - times.build;
    run->times[place].build += times.build;
    run->times[place].upload += times.upload;
    run->times[place].compute += queue ? times.compute : *seconds;
    run->times[place].download += times.download;
    return status;
}

static kn_status compute_column(struct stats_run *run, size_t place, const char *file,
                                const struct csv_column *column, kn_error *err)
{
    const struct stats_options plain = {.mad_scale = 1};
    size_t repetitions = run->arguments->repetitions;
    double *seconds = calloc(repetitions, sizeof *seconds);
    struct stats_row row = {.file = file, .column = strdup(column->name), .place = place};
    struct stats_result spent;
    kn_status status = KN_OK;

    if (!seconds || !row.column)
        status = kn_fail_memory(err, repetitions * sizeof *seconds, "the times of the repetitions");
    for (size_t i = 0; i < repetitions && !status; i++)
        status = compute_once(run, place, column, &row.result, &seconds[i], err);
    if (!status)
        status = stats_reference(seconds, repetitions, &plain, &spent, err);
    if (!status) {
        row.seconds = spent.median;
        if (!KN_ARRAY_PUSH(run->rows, run->row_count, run->row_capacity, row))
            status = kn_fail_memory(err, 0, "keeping the results");
    }
    if (status)
        free(row.column);
    free(seconds);
    return status;
}

// Reads a file, then computes all its columns in each place in turn.
static kn_status compute_file(struct stats_run *run, const char *file, double before, double share,
                              struct progress *progress, kn_error *err)
{
    const struct stats_arguments *arguments = run->arguments;
    const struct csv_options how = {.missing = (enum csv_missing)arguments->missing,
                                    .columns = arguments->columns.items,
                                    .column_count = arguments->columns.count};
    struct csv_table table = {.columns = NULL};
    double start = kn_clock_seconds();
    kn_status status = csv_read(file, &how, &table, err);
    size_t done = 0;

    run->read += kn_clock_seconds() - start;
    if (status)
        return status;
    if (!run->places)
        status = open_places(run, err);
    for (size_t place = 0; place < run->place_count && !status; place++) {
        for (size_t i = 0; i < table.column_count && !status; i++) {
            status = compute_column(run, place, file, &table.columns[i], err);
            done++;
            progress_step(progress,
                          before + share * (double)done / (double)(table.column_count * run->place_count));
        }
    }
    csv_free(&table);
    return status;
}

static kn_status compute_files(struct stats_run *run, const struct inputs *files, kn_error *err)
{
    double start = kn_clock_seconds(), share = 1.0 / (double)files->count;
    struct progress progress;
    kn_status status = KN_OK;

    progress_begin(&progress, run->arguments->common.quiet);
    for (size_t i = 0; i < files->count && !status; i++)
        status = compute_file(run, files->paths[i], (double)i * share, share, &progress, err);
    progress_end(&progress);
    run->total = kn_clock_seconds() - start;
    return status;
}

// The path of stats.csv, after a look at whether it can be written; NULL without --output.
static kn_status prepare_output(const struct common_arguments *common, char **path, kn_error *err)
{
    struct kn_text text = KN_TEXT_INIT;
    kn_status status;

    *path = NULL;
    if (!common->output)
        return KN_OK;
    status = kn_output_folder(common->output, err);
    if (status)
        return status;
    kn_text_format(&text, "%s/stats.csv", common->output);
    *path = kn_text_take(&text);
    return *path ? report_try_file(*path, common->force, err) : kn_fail_memory(err, 0, "naming stats.csv");
}

static void free_run(struct stats_run *run)
{
    for (size_t i = 0; i < run->place_count; i++)
        place_close(&run->places[i]);
    for (size_t i = 0; i < run->row_count; i++)
        free(run->rows[i].column);
    free(run->places);
    free(run->times);
    free(run->rows);
}

static kn_status run_stats(void *given, kn_error *err)
{
    const struct stats_arguments *arguments = given;
    const struct common_arguments *common = &arguments->common;
    struct stats_run run = {.arguments = arguments};
    struct inputs files = {NULL, 0, 0};
    char *csv_path = NULL;
    kn_status status = check_arguments(arguments, err);

    if (!status)
        status = inputs_add(&files, &arguments->inputs, ".csv", err);
    if (!status)
        status = inputs_add(&files, &common->operands, ".csv", err);
    if (!status)
        status = report_try(common, err);
    if (!status)
        status = prepare_output(common, &csv_path, err);
    if (!status)
        status = compute_files(&run, &files, err);
    if (!status && csv_path)
        status = stats_write_csv(&run, csv_path, err);
    if (!status && common->json)
        status = stats_write_json(&run, err);
    if (!status && report_shows_text(common) && !stats_print(&run))
        status = kn_fail_memory(err, 0, "printing the results");
    free(csv_path);
    free_run(&run);
    inputs_free(&files);
    return status;
}

const struct command command_stats = {
    .name = "stats",
    .summary = "Computes mean, standard deviation, CV, median and MAD of each numeric column of sensor files",
    .operands = "FILE|DIR...",
    .description =
        "Reads comma-separated files with or without a header, and raw Empatica E4 exports, whose columns "
        "are called "
        "x, y and z. A column of dates or times is not numeric. Of a folder the files that end in .csv are "
        "read; - "
        "is standard input.\n\n"
        "std is divided by n. CV is std divided by the mean, with the mean's sign. MAD is the median of the "
        "absolute deviations from the median. The columns are sorted and summed by kernels on the device; "
        "the "
        "sums are taken in one fixed order, so that every device gives the same mean, std and CV to the "
        "bit.\n\n"
        "The seconds shown are those of reading, of compiling the kernels (nearly nothing when they are in "
        "the "
        "cache), and of computing, copies to and from the device included. With several devices each "
        "computes "
        "everything, one after another.\n\n"
        "With --output the folder receives stats.csv, a line for each column.",
    .common = COMMON_DEVICE | COMMON_PRECISION | COMMON_POLICY | COMMON_JSON | COMMON_OUTPUT | COMMON_FORCE,
    .precision = "double",
    .options = options,
    .examples = {{"koine stats ACC_001.csv", "a table of all numeric columns, computed on the best device"},
                 {"koine stats --column acc_x --device cpu --json result.json recordings/",
                  "one column of each .csv file in a folder, on a CPU device, kept as JSON as well"}},
    .arguments_size = sizeof(struct stats_arguments),
    .run = run_stats,
};
