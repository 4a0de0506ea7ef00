// SPDX-License-Identifier: Apache-2.0
// The results of `koine stats` as a table, as CSV and as JSON.
#include <math.h>
#include <string.h>

#include "../base/error.h"
#include "../base/text.h"
#include "../io/output.h"
#include "cmd_stats.h"
#include "interrupt.h"
#include "report.h"
#include "table.h"

static const char method_name[] = "sort";

static const char *variant_of(const struct place *place)
{
    return place->queue ? "gpu" : "serial";
}

static const char *precision_of(const struct stats_run *run)
{
    return precision_words[run->arguments->common.precision];
}

// As many digits as the precision of the data deserves; never "-nan".
static void add_number(struct table *table, double value)
{
    if (isnan(value))
        table_add(table, "nan");
    else
        table_add(table, "%.8g", value);
}

static bool print_place(const struct stats_run *run, size_t place)
{
    const char *const titles[] = {"file", "column", "n", "mean", "std", "CV", "median", "MAD", NULL};
    const char *last = NULL;
    struct table table;
    bool printed;

    table_begin(&table, "llrrrrrr");
    for (const char *const *title = titles; *title; title++)
        table_add(&table, "%s", *title);
    for (size_t i = 0; i < run->row_count; i++) {
        const struct stats_row *row = &run->rows[i];

        if (row->place != place)
            continue;
        table_add(&table, "%s", row->file == last ? "" : row->file);
        table_add(&table, "%s", row->column);
        table_add(&table, "%zu", row->result.n);
        add_number(&table, row->result.mean);
        add_number(&table, row->result.std);
        add_number(&table, row->result.cv);
        add_number(&table, row->result.median);
        add_number(&table, row->result.mad);
        last = row->file;
    }
    printed = table_print(&table, stdout);
    table_free(&table);
    return printed;
}

bool stats_print(const struct stats_run *run)
{
    for (size_t i = 0; i < run->place_count; i++) {
        const struct place *place = &run->places[i];
        const struct stats_times *times = &run->times[i];

        if (!print_place(run, i))
            return false;
        printf("%s (%s), variant %s, %s precision; seconds: read %.3f, build %.3f, compute %.3f\n",
               place->device.name, place->device.spec, variant_of(place), precision_of(run), run->read,
               times->build, times->upload + times->compute + times->download);
    }
    return true;
}

// A cell of a CSV file, quoted where it has to be.
static void add_cell(struct kn_text *text, const char *cell)
{
    if (!strpbrk(cell, ",\"\r\n")) {
        kn_text_format(text, "%s,", cell);
        return;
    }
    kn_text_add_char(text, '"');
    for (; *cell; cell++)
        kn_text_format(text, *cell == '"' ? "\"%c" : "%c", *cell);
    kn_text_add(text, "\",");
}

static void add_csv_row(struct kn_text *text, const struct stats_run *run, const struct stats_row *row)
{
    const struct place *place = &run->places[row->place];
    const struct stats_result *result = &row->result;
    const double numbers[] = {result->mean, result->std, result->cv, result->median, result->mad};

    add_cell(text, row->file);
    add_cell(text, row->column);
    add_cell(text, place->device.spec);
    kn_text_format(text, "%s,%s,%zu,", variant_of(place), method_name, result->n);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (isnan(numbers[i]))
            kn_text_add(text, "nan,");
        else
            kn_text_format(text, "%.17g,", numbers[i]);
    }
    kn_text_format(text, "%.9g\n", row->seconds);
}

kn_status stats_write_csv(const struct stats_run *run, const char *path, kn_error *err)
{
    struct kn_text text = KN_TEXT_INIT;
    kn_status status;

    kn_text_add(&text, "file,column,device,variant,method,n,mean,std,cv,median,mad,seconds\n");
    for (size_t i = 0; i < run->row_count; i++)
        add_csv_row(&text, run, &run->rows[i]);
    if (text.failed) {
        status = kn_fail_memory(err, 0, "writing stats.csv");
    } else {
        interrupt_hold();
        status = kn_output_write(path, text.data, text.length, run->arguments->common.force, err);
        interrupt_release();
    }
    kn_text_free(&text);
    return status;
}

static json_t *row_json(const struct stats_run *run, const struct stats_row *row)
{
    const struct place *place = &run->places[row->place];
    json_t *object = json_object();

    report_put(&object, "file", kn_json_string(row->file));
    report_put(&object, "column", kn_json_string(row->column));
    report_put(&object, "device", kn_json_string(place->device.spec));
    report_put(&object, "variant", json_string(variant_of(place)));
    report_put(&object, "method", json_string(method_name));
    report_put(&object, "n", json_integer((json_int_t)row->result.n));
    report_put(&object, "mean", kn_json_double(row->result.mean));
    report_put(&object, "std", kn_json_double(row->result.std));
    report_put(&object, "cv", kn_json_double(row->result.cv));
    report_put(&object, "median", kn_json_double(row->result.median));
    report_put(&object, "mad", kn_json_double(row->result.mad));
    report_put(&object, "seconds", kn_json_double(row->seconds));
    report_put(&object, "partitions", json_array());
    return object;
}

kn_status stats_write_json(const struct stats_run *run, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    struct kn_json_seconds seconds = {run->total, run->read, 0, 0, 0, 0};
    json_t *rows = json_array(), *root;
    bool device = false;

    for (size_t i = 0; i < run->place_count; i++) {
        seconds.build += run->times[i].build;
        seconds.upload += run->times[i].upload;
        seconds.compute += run->times[i].compute;
        seconds.download += run->times[i].download;
        device = device || run->places[i].queue;
    }
    if (!device)
        seconds.build = seconds.upload = seconds.download = -1; // the host has no such stages
    for (size_t i = 0; i < run->row_count; i++)
        report_append(&rows, row_json(run, &run->rows[i]));
    root = report_begin("stats", &run->places[0].device, precision_of(run), policy_words[common->policy],
                        &seconds);
    report_put(&root, "results", rows);
    return report_write(root, common, err);
}
