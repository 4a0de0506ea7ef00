// SPDX-License-Identifier: Apache-2.0
// A file of `koine stats`: read, and what was found out about its form and its times, said in a line and in
// the JSON.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "base/text/text.h"
#include "cmd_stats.h"
#include "cli/framework/report.h"

static const char *const packing_names[] = {
    [PACKING_NONE] = "none", [PACKING_GZIP] = "gzip", [PACKING_ZSTD] = "zstd"};
static const char *const clock_names[] = {[CSV_CLOCK_NONE] = "none",
                                          [CSV_CLOCK_SECONDS] = "Unix seconds",
                                          [CSV_CLOCK_MILLISECONDS] = "Unix milliseconds",
                                          [CSV_CLOCK_ISO] = "ISO 8601",
                                          [CSV_CLOCK_MONTH_FIRST] = "month first",
                                          [CSV_CLOCK_DAY_FIRST] = "day first"};

// One g in the unit of the columns: as given; an E4 writes 64ths of it, others g.
static double unit_of(const struct stats_run *run, const struct csv_table *table)
{
    const double e4 = 64;

    return run->unit > 0 ? run->unit : table->layout.e4 ? e4 : 1;
}

// What only beats have: the statistics of their intervals, if none is missing.
static kn_status compute_intervals(const char *file, const struct csv_table *table, struct stats_facts *facts,
                                   kn_error *err)
{
    const struct csv_column *ibi = table->columns;

    if (!table->layout.e4 || !table->clock || table->column_count != 1 || ibi->missing)
        return KN_OK;
    if (ibi->spool)
        return ki_fail(err, KN_ERROR_MEMORY,
                       "%s: intervals between beats are computed only in memory, and these need %.0f MB, "
                       "which is more than is free or --memory-limit allows",
                       file, 4.0 * (double)ibi->count * sizeof(double) * 1e-6);
    facts->has_intervals = true;
    if (kn_stats_compute_intervals(ibi->values, table->times.values, ibi->count, &facts->intervals, err) ==
        KN_OK)
        return KN_OK;
    return ki_fail_at(err, KN_ERROR_INPUT, file, 0,
                      "its intervals between beats are not all above 0, or not in the order of their times");
}

static double bytes_in_files(const struct csv_table *table)
{
    size_t values = table->columns->spool ? table->times.count : 0;

    for (size_t i = 0; i < table->column_count; i++)
        values += table->columns[i].spool ? table->columns[i].count : 0;
    return (double)values * sizeof(double);
}

static kn_status find_facts(const struct stats_run *run, const char *file, const struct csv_table *table,
                            const struct stats_series *series, struct stats_facts *facts, kn_error *err)
{
    *facts = (struct stats_facts){.file = file,
                                  .layout = table->layout,
                                  .clock = table->clock,
                                  .rows = table->rows,
                                  .spooled = bytes_in_files(table),
                                  .start = series->start,
                                  .rate = series->rate,
                                  .gap = series->gap,
                                  .gap_count = series->gap_count,
                                  .gap_seconds = series->gap_seconds,
                                  .unit = run->arguments->enmo ? unit_of(run, table) : 0};
    if (table->clock && !(facts->times = strdup(table->times.name)))
        return ki_fail_memory(err, 0, "keeping what a file is like");
    return compute_intervals(file, table, facts, err);
}

// Whether samples go to files: the values are there, or they would take more than `most` bytes.
static bool spools(const struct stats_run *run, const struct csv_table *table,
                   const struct stats_series *series, size_t most)
{
    const double samples = series->rate > 0 ? (double)series->rows / series->rate * run->resample : 0;

    return table->columns->spool ||
           samples * (double)(table->column_count + 1) * (double)sizeof(double) > (double)most;
}

kn_status stats_read_file(const struct stats_run *run, const char *file, struct csv_table *table,
                          struct stats_series *series, struct stats_facts *facts, kn_error *err)
{
    const struct stats_arguments *arguments = run->arguments;
    struct csv_options how = {.missing = (enum csv_missing)arguments->missing,
                              .columns = arguments->columns.items,
                              .column_count = arguments->columns.count,
                              .times = true,
                              .skip_lines = arguments->skip_lines};
    kn_status status = stats_values_allowed(run, &how.most, err);

    if (!status)
        status = csv_read(file, &how, table, err);
    if (!status)
        status = stats_series_open(file, table, run->gap, series, err);
    if (!status)
        status = find_facts(run, file, table, series, facts, err);
    if (!status && run->resample > 0)
        status = stats_series_resample(file, table, run->resample, spools(run, table, series, how.most),
                                       series, err);
    if (!status) {
        const struct stats_movement movement = {arguments->magnitude, arguments->enmo, unit_of(run, table)};

        status = stats_movement_add(file, &movement, table, err);
    }
    return status;
}

// ---- the line ----

static void add_marks(struct ki_text *text, const struct csv_layout *layout)
{
    if (layout->packing)
        ki_text_format(text, ", packed by %s", packing_names[layout->packing]);
    if (layout->preamble_lines)
        ki_text_format(text, ", %zu line%s before the table left out", layout->preamble_lines,
                       layout->preamble_lines == 1 ? "" : "s");
    if (layout->separator == '\t' || layout->separator == ' ')
        ki_text_format(text, ", %s between cells", layout->separator == ' ' ? "blanks" : "tabs");
    else if (layout->separator != ',')
        ki_text_format(text, ", '%c' between cells", layout->separator);
    if (layout->point == ',')
        ki_text_add(text, ", decimal commas");
    if (layout->e4)
        ki_text_add(text, ", an Empatica E4 export");
}

static void add_times(struct ki_text *text, const struct stats_facts *facts)
{
    char quoted[64];

    if (facts->clock)
        ki_text_format(text, ", times in %s (%s)",
                       ki_quote(quoted, sizeof quoted, facts->times, strlen(facts->times)),
                       clock_names[facts->clock]);
    if (facts->rate > 0)
        ki_text_format(text, ", %.6g Hz", facts->rate);
    if (facts->clock && isfinite(facts->gap))
        ki_text_format(text, ", %zu gap%s of more than %.6g s", facts->gap_count,
                       facts->gap_count == 1 ? "" : "s", facts->gap);
    if (facts->gap_count)
        ki_text_format(text, " (%.6g s in all)", facts->gap_seconds);
}

static void add_intervals(struct ki_text *text, const kn_stats_intervals *found)
{
    const double milli = 1000;

    ki_text_format(text, ", SDNN %.4g ms, RMSSD %.4g ms, pNN50 %.4g %% of %zu pairs of beats",
                   milli * found->sdnn, milli * found->rmssd, found->pnn50, found->pairs);
}

bool stats_print_facts(const struct stats_run *run)
{
    bool printed = true;

    for (size_t i = 0; i < run->facts_count && printed; i++) {
        struct ki_text text = KI_TEXT_INIT;

        add_marks(&text, &run->facts[i].layout);
        add_times(&text, &run->facts[i]);
        if (run->facts[i].has_intervals)
            add_intervals(&text, &run->facts[i].intervals);
        if (run->facts[i].unit > 0)
            ki_text_format(&text, ", 1 g is %.6g", run->facts[i].unit);
        if (run->facts[i].spooled > 0)
            ki_text_format(&text, ", %.0f MB of values in temporary files", run->facts[i].spooled * 1e-6);
        if (text.length && run->resample > 0)
            ki_text_format(&text, ", resampled at %.6g Hz", run->resample);
        printed = !text.failed;
        if (printed && text.length)
            printf("%s: %s\n", run->facts[i].file, text.data + strlen(", "));
        ki_text_free(&text);
    }
    return printed;
}

// ---- the JSON ----

static json_t *intervals_json(const kn_stats_intervals *found)
{
    json_t *object = json_object();

    report_put(&object, "n", json_integer((json_int_t)found->n));
    report_put(&object, "pairs", json_integer((json_int_t)found->pairs));
    report_put(&object, "mean", ki_json_double(found->mean));
    report_put(&object, "sdnn", ki_json_double(found->sdnn));
    report_put(&object, "rmssd", ki_json_double(found->rmssd));
    report_put(&object, "pnn50", ki_json_double(found->pnn50));
    return object;
}

static json_t *positive(double value)
{
    return value > 0 ? ki_json_double(value) : json_null();
}

json_t *stats_facts_json(const struct stats_run *run)
{
    json_t *array = json_array();

    for (size_t i = 0; i < run->facts_count; i++) {
        const struct stats_facts *facts = &run->facts[i];
        const char separator[] = {facts->layout.separator, '\0'}, point[] = {facts->layout.point, '\0'};
        json_t *object = json_object();

        report_put(&object, "file", ki_json_string(facts->file));
        report_put(&object, "rows", json_integer((json_int_t)facts->rows));
        report_put(&object, "spooled_bytes", json_integer((json_int_t)facts->spooled));
        report_put(&object, "packing", json_string(packing_names[facts->layout.packing]));
        report_put(&object, "separator", json_string(separator));
        report_put(&object, "decimal", json_string(point));
        report_put(&object, "preamble_lines", json_integer((json_int_t)facts->layout.preamble_lines));
        report_put(&object, "header", json_boolean(facts->layout.header));
        report_put(&object, "e4", json_boolean(facts->layout.e4));
        report_put(&object, "time_column", facts->times ? ki_json_string(facts->times) : json_null());
        report_put(&object, "clock", json_string(clock_names[facts->clock]));
        report_put(&object, "start", positive(facts->start));
        report_put(&object, "rate", positive(facts->rate));
        report_put(&object, "gap", positive(facts->gap));
        report_put(&object, "gaps", json_integer((json_int_t)facts->gap_count));
        report_put(&object, "gap_seconds", ki_json_double(facts->gap_seconds));
        report_put(&object, "resampled", positive(run->resample));
        report_put(&object, "unit", positive(facts->unit));
        if (facts->has_intervals)
            report_put(&object, "intervals", intervals_json(&facts->intervals));
        report_append(&array, object);
    }
    return array;
}
