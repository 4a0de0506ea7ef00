// SPDX-License-Identifier: Apache-2.0
// The windows of `koine stats`: as a table for people, as JSON, as files, and as a plot over time.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/output.h"
#include "base/text/text.h"
#include "cmd_stats.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"
#include "io/array/npy.h"

enum { SHOWN = 20, QUANTILES_SHOWN = 4 }; // windows of a column, and what fits beside their statistics

static const char *start_name(const struct stats_run *run)
{
    return run->windows_in_seconds ? "start (s)" : "start (row)";
}

// Start, n, mean, std, CV, median, MAD and the quantiles of a window, as all of these write them.
enum { NUMBERS = 7 };

static void numbers_of(const struct stats_run *run, const struct stats_windows *windows, size_t i, double *to)
{
    const kn_stats *r = &windows->results[i];
    const double numbers[NUMBERS] = {windows->starts[i], (double)r->n, r->mean, r->std, r->cv,
                                     r->median,          r->mad};

    memcpy(to, numbers, sizeof numbers);
    for (size_t k = 0; k < run->quantile_count; k++)
        to[NUMBERS + k] = windows->quantiles[i * run->quantile_count + k];
}

static double *room_for_numbers(const struct stats_run *run, size_t windows, kn_error *err)
{
    double *made = calloc(windows * (1 + NUMBERS + run->quantile_count) + 1, sizeof *made);

    if (!made)
        ki_fail_memory(err, windows * NUMBERS * sizeof *made, "writing windows");
    return made;
}

// ---- the table ----

static void add_number(struct table *table, int digits, double value)
{
    if (isfinite(value))
        table_add(table, "%.*g", digits, value);
    else
        table_add(table, isnan(value) ? "nan" : value < 0 ? "-infinite" : "infinite");
}

static void add_window(struct table *table, const struct stats_run *run, const struct stats_row *row,
                       size_t i, double *numbers)
{
    numbers_of(run, &row->windows, i, numbers);
    table_add(table, "%s", i == 0 ? row->column : "");
    add_number(table, 10, numbers[0]);
    table_add(table, "%zu", row->windows.results[i].n);
    for (size_t k = 2; k < NUMBERS + run->quantile_count && k < NUMBERS + QUANTILES_SHOWN; k++)
        add_number(table, 8, numbers[k]);
}

static void add_head(struct table *table, const struct stats_run *run)
{
    const size_t shown = run->quantile_count < QUANTILES_SHOWN ? run->quantile_count : QUANTILES_SHOWN;
    char layout[TABLE_COLUMNS_MAX + 1] = "lrrrrrrr";

    memset(layout + strlen(layout), 'r', shown);
    table_begin(table, layout);
    table_add_all(table, (const char *const[]){"column", start_name(run), "n", "mean", "std", "CV", "median",
                                               "MAD", NULL});
    for (size_t k = 0; k < shown; k++)
        table_add(table, "q %g", run->quantiles[k]);
}

// Of the first configuration: the values of windows have the same bits in all of one precision.
bool stats_print_windows(const struct stats_run *run)
{
    double *numbers = room_for_numbers(run, 1, NULL);
    bool printed = numbers != NULL;

    for (size_t group = 0; group < stats_groups(run) && printed; group++) {
        const struct stats_row *row = stats_row(run, group, 0);
        const size_t count = row->windows.count, shown = count < SHOWN ? count : SHOWN;
        struct table table;

        printf("\n%s: %zu window%s of column %s%s\n", row->file, count, count == 1 ? "" : "s", row->column,
               shown < count ? ", the first of them (--output and --json have all)" : "");
        add_head(&table, run);
        for (size_t i = 0; i < shown; i++)
            add_window(&table, run, row, i, numbers);
        printed = table_finish(&table);
    }
    free(numbers);
    return printed;
}

// ---- JSON ----

json_t *stats_windows_json(const struct stats_run *run, const struct stats_row *row)
{
    static const char *const names[NUMBERS] = {"start", "n", "mean", "std", "cv", "median", "mad"};
    json_t *array = json_array();
    double *numbers = room_for_numbers(run, 1, NULL);

    for (size_t i = 0; i < row->windows.count && numbers; i++) {
        json_t *object = json_object(), *quantiles = json_array();

        numbers_of(run, &row->windows, i, numbers);
        for (size_t k = 0; k < NUMBERS; k++)
            report_put(&object, names[k],
                       k == 1 ? json_integer((json_int_t)row->windows.results[i].n)
                              : ki_json_double(numbers[k]));
        for (size_t k = 0; k < run->quantile_count; k++)
            report_append(&quantiles, ki_json_double(numbers[NUMBERS + k]));
        report_put(&object, "quantiles", quantiles);
        report_append(&array, object);
    }
    if (!numbers) { // the report fails
        json_decref(array);
        array = NULL;
    }
    free(numbers);
    return array;
}

// ---- files ----

static void add_line(struct ki_text *text, const struct stats_run *run, const struct stats_row *row, size_t i,
                     double *numbers)
{
    numbers_of(run, &row->windows, i, numbers);
    ki_text_format(text, ",%.17g,%zu", numbers[0], row->windows.results[i].n);
    for (size_t k = 2; k < NUMBERS + run->quantile_count; k++)
        if (isnan(numbers[k]))
            ki_text_add(text, ",nan");
        else
            ki_text_format(text, ",%.17g", numbers[k]);
    ki_text_add_char(text, '\n');
}

kn_status stats_write_windows(const struct stats_run *run, const char *path, kn_error *err)
{
    struct ki_text text = KI_TEXT_INIT;
    double *numbers = room_for_numbers(run, 1, err);
    kn_status status = numbers ? KN_OK : KN_ERROR_MEMORY;

    ki_text_format(&text, "result,column,%s,n,mean,std,cv,median,mad",
                   run->windows_in_seconds ? "start_seconds" : "start_row");
    for (size_t k = 0; k < run->quantile_count; k++)
        ki_text_format(&text, ",q%g", run->quantiles[k]);
    ki_text_add_char(&text, '\n');
    for (size_t r = 0; r < run->row_count && !status; r++)
        for (size_t i = 0; i < run->rows[r].windows.count; i++) {
            ki_text_format(&text, "%zu,", r);
            stats_add_csv_name(&text, run->rows[r].column);
            add_line(&text, run, &run->rows[r], i, numbers);
        }
    if (!status && text.failed)
        status = ki_fail_memory(err, 0, "writing windows");
    if (!status)
        status = ki_output_write(path, text.data, text.length, run->arguments->common.force, err);
    ki_text_free(&text);
    free(numbers);
    return status;
}

kn_status stats_write_windows_npy(const struct stats_run *run, const char *path, kn_error *err)
{
    const size_t width = 1 + NUMBERS + run->quantile_count;
    struct npy array = {.type = KN_F64, .dims = 2, .shape = {0, width}};
    double *to;
    kn_status status;

    for (size_t r = 0; r < run->row_count; r++)
        array.shape[0] += run->rows[r].windows.count;
    to = room_for_numbers(run, array.shape[0], err);
    if (!to)
        return KN_ERROR_MEMORY;
    array.data = to;
    for (size_t r = 0; r < run->row_count; r++)
        for (size_t i = 0; i < run->rows[r].windows.count; i++, to += width) {
            to[0] = (double)r;
            numbers_of(run, &run->rows[r].windows, i, to + 1);
        }
    status = npy_write(path, &array, run->arguments->common.force, err);
    free(array.data);
    return status;
}

// ---- the plot ----

// Hours and minutes where there are many of them.
static double time_unit(const struct stats_run *run, double longest, const char **label)
{
    static const struct {
        double least, seconds;
        const char *label;
    } units[] = {{2 * 3600, 3600, "Time (h)"}, {120, 60, "Time (min)"}, {0, 1, "Time (s)"}};
    size_t i = 0;

    *label = "First row of the window";
    if (!run->windows_in_seconds)
        return 1;
    while (longest < units[i].least)
        i++;
    *label = units[i].label;
    return units[i].seconds;
}

// A page of panels: for each column its medians, and the MAD above and below them.
enum { LINES = 3 };

struct drawing {
    struct chart_plane *panels;
    struct chart_series *series; // LINES of each panel
    double *values;              // x and the lines of each panel
};

static void draw_panel(const struct drawing *drawing, size_t i, const struct stats_row *row, double unit,
                       double *values)
{
    static const char *const names[LINES] = {"median", "median + MAD", "median - MAD"};
    static const double signs[LINES] = {0, 1, -1};
    const struct stats_windows *windows = &row->windows;
    struct chart_series *series = &drawing->series[LINES * i];

    for (size_t k = 0; k < windows->count; k++) {
        values[k] = windows->starts[k] / unit;
        for (size_t line = 0; line < LINES; line++)
            values[(line + 1) * windows->count + k] =
                windows->results[k].median + (signs[line] != 0 ? signs[line] * windows->results[k].mad : 0);
    }
    for (size_t line = 0; line < LINES; line++)
        series[line] = (struct chart_series){.name = names[line],
                                             .x = values,
                                             .y = values + (line + 1) * windows->count,
                                             .count = windows->count,
                                             .look = CHART_LINE};
    drawing->panels[i] = (struct chart_plane){.title = row->column,
                                              .y_label = "the data's unit",
                                              .series = series,
                                              .count = LINES,
                                              .no_legend = true};
}

static kn_status draw_page(const struct stats_run *run, const struct drawing *drawing,
                           const struct plot_target *to, kn_error *err)
{
    const struct stats_row *first = stats_row(run, 0, 0);
    double longest = 0, unit, *values = drawing->values;
    const char *label;
    struct plot page = {"Median and MAD of windows", drawing->panels, 0};

    for (size_t group = 0; group < stats_groups(run); group++) {
        const struct stats_windows *windows = &stats_row(run, group, 0)->windows;
        longest = fmax(longest, windows->starts[windows->count - 1]);
    }
    unit = time_unit(run, longest, &label);
    for (size_t group = 0; group < stats_groups(run); group++) {
        const struct stats_row *row = stats_row(run, group, 0);
        if (row->file != first->file) // of several files the first
            continue;
        draw_panel(drawing, page.count, row, unit, values);
        drawing->panels[page.count++].x_label = label;
        values += (1 + LINES) * row->windows.count;
    }
    drawing->panels[page.count - 1].no_legend = false; // it has room below, where no line is
    return plot_try_draw(to, &page, run->arguments->common.command, err);
}

kn_status stats_plot_windows(const struct stats_run *run, const struct plot_target *to, kn_error *err)
{
    struct drawing drawing;
    size_t windows = 0;
    kn_status status;

    for (size_t group = 0; group < stats_groups(run); group++)
        windows += stats_row(run, group, 0)->windows.count;
    drawing.panels = calloc(stats_groups(run), sizeof *drawing.panels);
    drawing.series = calloc(stats_groups(run), LINES * sizeof *drawing.series);
    drawing.values = calloc(windows, (1 + LINES) * sizeof *drawing.values);
    status = drawing.panels && drawing.series && drawing.values
                 ? draw_page(run, &drawing, to, err)
                 : ki_fail_memory(err, windows * sizeof *drawing.values, "drawing the plots");
    free(drawing.panels);
    free(drawing.series);
    free(drawing.values);
    return status;
}
