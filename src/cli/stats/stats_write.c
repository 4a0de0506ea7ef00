// SPDX-License-Identifier: Apache-2.0
// The results of `koine stats` as JSON and as the files of --output.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/output.h"
#include "base/text/text.h"
#include "cmd_stats.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/memory.h"
#include "cli/framework/report.h"

static void add_cell(struct ki_text *text, const char *cell)
{
    stats_add_csv_name(text, cell);
    ki_text_add_char(text, ',');
}

// Numbers as other programs read them: nan, inf, -inf.
static void add_numbers(struct ki_text *text, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(numbers[i]))
            ki_text_add(text, "nan,");
        else
            ki_text_format(text, "%.17g,", numbers[i]);
    }
}

static void add_config(struct ki_text *text, const struct stats_run *run, const struct stats_row *row,
                       const struct stats_config *config)
{
    add_cell(text, row->file);
    add_cell(text, row->column);
    add_cell(text, run->places[config->place].device.spec);
    ki_text_format(text, "%s,%s,", stats_variant_names[config->variant], stats_method_names[row->method]);
}

static kn_status write_text(const struct stats_run *run, const char *path, struct ki_text *text,
                            kn_error *err)
{
    kn_status status = KN_OK;

    if (text->failed)
        status = ki_fail_memory(err, 0, "writing the results");
    else
        status = ki_output_write(path, text->data, text->length, run->arguments->common.force, err);
    ki_text_free(text);
    return status;
}

static kn_status write_csv(const struct stats_run *run, const char *path, kn_error *err)
{
    struct ki_text text = KI_TEXT_INIT;

    ki_text_add(&text, "file,column,device,variant,method,n,mean,std,cv,median,mad,seconds,precision\n");
    for (size_t i = 0; i < run->row_count; i++) {
        const struct stats_row *row = &run->rows[i];
        const struct stats_config *config = stats_config_of(run, row);
        const kn_stats *result = &row->result;
        const double numbers[] = {result->mean, result->std, result->cv, result->median, result->mad};

        add_config(&text, run, row, config);
        ki_text_format(&text, "%zu,", result->n);
        add_numbers(&text, numbers, KI_COUNT(numbers));
        ki_text_format(&text, "%.9g,%s\n", row->seconds, stats_precision_of(config));
    }
    return write_text(run, path, &text, err);
}

static kn_status write_partitions(const struct stats_run *run, const char *path, kn_error *err)
{
    struct ki_text text = KI_TEXT_INIT;

    ki_text_add(&text, "file,column,device,variant,method,precision,n,cv,mad,seconds\n");
    for (size_t i = 0; i < run->row_count; i++) {
        const struct stats_row *row = &run->rows[i];
        const struct stats_config *config = stats_config_of(run, row);

        for (size_t k = 0; k < row->prefix_count; k++) {
            const double numbers[] = {row->prefixes[k].cv, row->prefixes[k].mad};

            add_config(&text, run, row, config);
            ki_text_format(&text, "%s,%zu,", stats_precision_of(config), row->prefixes[k].n);
            add_numbers(&text, numbers, KI_COUNT(numbers));
            if (row->prefix_seconds)
                ki_text_format(&text, "%.9g", row->prefix_seconds[k]);
            ki_text_add_char(&text, '\n');
        }
    }
    return write_text(run, path, &text, err);
}

static bool has_prefixes(const struct stats_run *run)
{
    return run->cuts.parts || run->cuts.step;
}

static bool has_plots(const struct stats_run *run)
{
    return run->arguments->plots && has_prefixes(run);
}

static bool has_windows(const struct stats_run *run)
{
    return run->window.value > 0;
}

static bool has_window_plot(const struct stats_run *run)
{
    return run->arguments->plots && has_windows(run);
}

static bool has_times(const struct stats_run *run)
{
    return has_plots(run) && !run->arguments->sweep;
}

static const struct stats_file {
    const char *name;
    bool (*wanted)(const struct stats_run *run); // NULL: always
    kn_status (*write)(const struct stats_run *run, const char *path, kn_error *err);
    kn_status (*plot)(const struct stats_run *run, const struct plot_target *to, kn_error *err);
} files[] = {
    {"stats.csv", NULL, write_csv, NULL},
    {"partitions.csv", has_prefixes, write_partitions, NULL},
    {"time.svg", has_times, NULL, stats_plot_time},
    {"cv.svg", has_plots, NULL, stats_plot_cv},
    {"mad.svg", has_plots, NULL, stats_plot_mad},
    {"windows.csv", has_windows, stats_write_windows, NULL},
    {"windows.npy", has_windows, stats_write_windows_npy, NULL},
    {"windows.svg", has_window_plot, NULL, stats_plot_windows},
};

static kn_status try_file(const struct stats_run *run, const char *path, kn_error *err)
{
    return report_try_file(path, run->arguments->common.force, err);
}

static kn_status write_file(const struct stats_run *run, const struct stats_file *file, const char *path,
                            kn_error *err)
{
    const struct plot_target to = {.path = path, .force = run->arguments->common.force};

    return file->write ? file->write(run, path, err) : file->plot(run, &to, err);
}

// Each file that is wanted: tried, or written while interrupts wait.
static kn_status each_file(const struct stats_run *run, bool trial, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; run->output && i < KI_COUNT(files) && !status; i++) {
        struct ki_text path = KI_TEXT_INIT;

        if (files[i].wanted && !files[i].wanted(run))
            continue;
        ki_text_format(&path, "%s/%s", run->output, files[i].name);
        if (path.failed) {
            status = ki_fail_memory(err, 0, "naming the files of the result");
        } else if (trial) {
            status = try_file(run, path.data, err);
        } else {
            interrupt_hold();
            status = write_file(run, &files[i], path.data, err);
            interrupt_release();
        }
        ki_text_free(&path);
    }
    return status;
}

bool stats_list_files(const struct stats_run *run, void (*each)(void *data, const char *path), void *data)
{
    bool named = true;

    for (size_t i = 0; run->output && i < KI_COUNT(files) && named; i++) {
        struct ki_text path = KI_TEXT_INIT;

        if (files[i].wanted && !files[i].wanted(run))
            continue;
        ki_text_format(&path, "%s/%s", run->output, files[i].name);
        named = !path.failed;
        if (named)
            each(data, path.data);
        ki_text_free(&path);
    }
    return named;
}

kn_status stats_try_files(const struct stats_run *run, kn_error *err)
{
    kn_status status = run->output ? ki_output_folder(run->output, err) : KN_OK;

    return status ? status : each_file(run, true, err);
}

kn_status stats_write_files(const struct stats_run *run, kn_error *err)
{
    return each_file(run, false, err);
}

void stats_print_files(const struct stats_run *run)
{
    const char *joint = ": ";

    if (!run->output)
        return;
    printf("\nwritten to %s", run->output);
    for (size_t i = 0; i < KI_COUNT(files); i++)
        if (!files[i].wanted || files[i].wanted(run)) {
            printf("%s%s", joint, files[i].name);
            joint = ", ";
        }
    printf("\n");
}

static json_t *prefixes_json(const struct stats_row *row)
{
    json_t *array = json_array();

    for (size_t i = 0; i < row->prefix_count; i++) {
        json_t *object = json_object();

        report_put(&object, "n", json_integer((json_int_t)row->prefixes[i].n));
        report_put(&object, "cv", ki_json_double(row->prefixes[i].cv));
        report_put(&object, "mad", ki_json_double(row->prefixes[i].mad));
        report_put(&object, "seconds", ki_json_double(row->prefix_seconds ? row->prefix_seconds[i] : NAN));
        report_append(&array, object);
    }
    return array;
}

static json_t *row_json(const struct stats_run *run, const struct stats_row *row,
                        const struct stats_config *config)
{
    json_t *object = json_object();

    report_put(&object, "file", ki_json_string(row->file));
    report_put(&object, "column", ki_json_string(row->column));
    report_put(&object, "device", ki_json_string(run->places[config->place].device.spec));
    report_put(&object, "variant", json_string(stats_variant_names[config->variant]));
    report_put(&object, "method", json_string(stats_method_names[row->method]));
    report_put(&object, "precision", json_string(stats_precision_of(config)));
    report_put(&object, "passes", row->passes ? json_integer((json_int_t)row->passes) : json_null());
    report_put(&object, "in_bytes", json_boolean(row->in_bytes));
    report_put(&object, "n", json_integer((json_int_t)row->result.n));
    report_put(&object, "missing", json_integer((json_int_t)row->missing));
    report_put(&object, "mean", ki_json_double(row->result.mean));
    report_put(&object, "std", ki_json_double(row->result.std));
    report_put(&object, "cv", ki_json_double(row->result.cv));
    report_put(&object, "median", ki_json_double(row->result.median));
    report_put(&object, "mad", ki_json_double(row->result.mad));
    report_put(&object, "seconds", ki_json_double(row->seconds));
    if (run->arguments->sweep)
        report_put(&object, "sweep_seconds", ki_json_double(row->sweep_seconds));
    report_put(&object, "partitions", prefixes_json(row));
    if (run->window.value > 0) {
        report_put(&object, "window_seconds", ki_json_double(row->windows.seconds));
        report_put(&object, "windows", stats_windows_json(run, row));
    }
    return object;
}

static json_t *memory_json(const struct common_arguments *common)
{
    json_t *object = json_object();
    const size_t peak = memory_peak();

    report_put(&object, "limit",
               common->memory_limit ? json_integer((json_int_t)common->memory_limit) : json_null());
    report_put(&object, "peak", peak ? json_integer((json_int_t)peak) : json_null());
    return object;
}

kn_status stats_write_json(const struct stats_run *run, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    struct ki_json_seconds seconds = {run->total, run->read, 0, 0, 0, 0};
    const struct place *device = NULL;
    json_t *rows = json_array(), *root;

    for (size_t i = 0; i < run->place_count && !device; i++)
        device = run->places[i].queue ? &run->places[i] : NULL;
    for (size_t i = 0; i < run->config_count * (run->shares ? run->place_count : 1); i++) {
        seconds.build += run->configs[i].times.build;
        seconds.upload += run->configs[i].times.upload;
        seconds.compute += run->configs[i].times.compute;
        seconds.download += run->configs[i].times.download;
    }
    if (!device)
        seconds.build = seconds.upload = seconds.download = -1; // the host has no such stages
    for (size_t i = 0; i < run->row_count; i++)
        report_append(&rows, row_json(run, &run->rows[i], stats_config_of(run, &run->rows[i])));
    root = report_begin("stats", device ? &device->device : &run->places[0].device,
                        stats_precision_names[common->precision], policy_names[common->policy], &seconds);
    estimate_report(&root, device ? device : &run->places[0]);
    if (run->shares)
        report_put(&root, "devices", share_json(run->places, run->taken, run->place_count));
    if (common->resume)
        report_put(&root, "resumed", json_integer((json_int_t)run->resume.resumed));
    report_put(&root, "memory", memory_json(common));
    report_put(&root, "files", stats_facts_json(run));
    report_put(&root, "results", rows);
    if (stats_illustrate(run, &root, err)) {
        json_decref(root);
        return err->code;
    }
    return report_write(root, common, err);
}
