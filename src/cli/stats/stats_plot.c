// SPDX-License-Identifier: Apache-2.0
// The plots of `koine stats`: computing time against rows, and CV and MAD of growing prefixes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/text.h"
#include "cmd_stats.h"

enum { LIST_MAX = 55, SHORT_LIST_MAX = 30 }; // letters of a legend that lists variants

static const double log_ratio = 30; // times further apart than this are drawn on a logarithmic axis

// A page that is being put together: its panels, and the series of all of them one after another.
struct drawing {
    struct chart_plane *panels;
    size_t panel_count;
    struct chart_series *series;
    size_t series_count;
    double *values; // x and y of all series
    size_t value_count;
};

static const struct unit {
    double least, factor; // for numbers from `least` on
    const char *rows, *time;
} row_units[] = {{2e6, 1e-6, "Rows (millions)", NULL},
                 {2e4, 1e-3, "Rows (thousands)", NULL},
                 {0, 1, "Rows", NULL}},
  time_units[] = {{1, 1, NULL, "Time (s)"}, {1e-3, 1e3, NULL, "Time (ms)"}, {0, 1e6, NULL, "Time (µs)"}};

static const struct unit *unit_of(const struct unit *unit, double greatest)
{
    while (greatest < unit->least)
        unit++;
    return unit;
}

static kn_status begin(const struct stats_run *run, struct drawing *drawing, kn_error *err)
{
    size_t values = 0;

    memset(drawing, 0, sizeof *drawing);
    for (size_t i = 0; i < run->row_count; i++)
        values += 2 * run->rows[i].prefix_count;
    drawing->panels = calloc(run->row_count + 2, sizeof *drawing->panels);
    drawing->series = calloc(run->row_count, sizeof *drawing->series);
    drawing->values = calloc(values, sizeof *drawing->values);
    return drawing->panels && drawing->series && drawing->values
               ? KN_OK
               : ki_fail_memory(err, values * sizeof *drawing->values, "drawing the plots");
}

static void end(struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->series_count; i++)
        free((char *)drawing->series[i].name);
    free(drawing->panels);
    free(drawing->series);
    free(drawing->values);
}

// A panel whose series are those that are added from now on.
static struct chart_plane *add_panel(struct drawing *drawing, const char *title, const char *y_label)
{
    struct chart_plane *panel = &drawing->panels[drawing->panel_count++];

    *panel = (struct chart_plane){.title = title, .y_label = y_label};
    panel->series = &drawing->series[drawing->series_count];
    return panel;
}

// Takes the name over. `values`: a double in the first result, or among the seconds; `stride` bytes apart.
static kn_status add_series(struct drawing *drawing, struct chart_plane *panel, const struct stats_row *row,
                            const void *values, size_t stride, struct ki_text *name, kn_error *err)
{
    double *x = &drawing->values[drawing->value_count], *y = x + row->prefix_count;
    char *taken = ki_text_take(name);

    if (!taken)
        return ki_fail_memory(err, 0, "naming the lines of a plot");
    for (size_t i = 0; i < row->prefix_count; i++) {
        x[i] = (double)row->prefixes[i].n;
        memcpy(&y[i], (const char *)values + i * stride, sizeof *y);
    }
    drawing->value_count += 2 * row->prefix_count;
    drawing->series[drawing->series_count++] =
        (struct chart_series){.name = taken, .x = x, .y = y, .count = row->prefix_count};
    panel->count++;
    return KN_OK;
}

// Scales x (and the times on y) of all series to units in which the numbers are short.
static void scale(struct drawing *drawing, bool times)
{
    double rows = 0, time = 0;
    const struct unit *row_unit, *time_unit;

    for (size_t s = 0; s < drawing->series_count; s++)
        for (size_t i = 0; i < drawing->series[s].count; i++) {
            rows = fmax(rows, drawing->series[s].x[i]);
            time = fmax(time, drawing->series[s].y[i]);
        }
    row_unit = unit_of(row_units, rows);
    time_unit = unit_of(time_units, time);
    for (size_t s = 0, at = 0; s < drawing->series_count; s++) {
        size_t count = drawing->series[s].count;

        for (size_t i = 0; i < count; i++, at++)
            drawing->values[at] *= row_unit->factor;
        for (size_t i = 0; i < count; i++, at++)
            drawing->values[at] *= times ? time_unit->factor : 1;
    }
    for (size_t i = 0; i < drawing->panel_count; i++) {
        drawing->panels[i].x_label = row_unit->rows;
        if (times)
            drawing->panels[i].y_label = time_unit->time;
    }
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');

    return slash ? slash + 1 : file;
}

static size_t device_count(const struct stats_run *run)
{
    size_t count = 0;

    for (size_t i = 0; i < run->place_count; i++)
        count += run->places[i].queue != NULL;
    return count;
}

static void add_config_name(const struct stats_run *run, const struct stats_config *config,
                            struct ki_text *name)
{
    ki_text_add(name, stats_variant_names[config->variant]);
    if (config->variant == KN_STATS_DEVICE && device_count(run) > 1)
        ki_text_format(name, " on %s", run->places[config->place].device.spec);
}

// Draws it, or says that there is nothing to draw.
static kn_status draw(const struct stats_run *run, const struct drawing *drawing, const char *title,
                      const struct plot_target *to, kn_error *err)
{
    const struct plot plot = {title, drawing->panels, drawing->panel_count};

    return plot_try_draw(to, &plot, run->arguments->common.command, err);
}

// Whether the times of the largest prefix are far apart.
static bool is_wide(const struct chart_plane *panel)
{
    double least = INFINITY, greatest = 0;

    for (size_t i = 0; i < panel->count; i++) {
        double last = panel->series[i].y[panel->series[i].count - 1];

        least = fmin(least, last);
        greatest = fmax(greatest, last);
    }
    return greatest > log_ratio * least;
}

// Whether all configurations ran one method.
static bool is_one_method(const struct stats_run *run)
{
    for (size_t i = 1; i < run->config_count; i++)
        if (stats_row(run, 0, i)->method != stats_row(run, 0, 0)->method)
            return false;
    return true;
}

// The configurations of one precision as a panel, if there are any.
static kn_status add_times(const struct stats_run *run, bool single, struct drawing *drawing, kn_error *err)
{
    struct chart_plane *panel = NULL;
    kn_status status = KN_OK;

    for (size_t i = 0; i < run->config_count && !status; i++) {
        const struct stats_row *row = stats_row(run, 0, i);
        struct ki_text name = KI_TEXT_INIT;

        if (run->configs[i].single != single)
            continue;
        if (!panel)
            panel = add_panel(drawing, single ? "Single precision" : "Double precision", NULL);
        add_config_name(run, stats_config_of(run, row), &name);
        if (!is_one_method(run))
            ki_text_format(&name, " (%s)", stats_method_names[row->method]);
        status =
            add_series(drawing, panel, row, row->prefix_seconds, sizeof *row->prefix_seconds, &name, err);
    }
    return status;
}

// Logarithmic axes in all panels where one of them asks for it, so that they can be compared.
static void choose_axes(struct drawing *drawing)
{
    bool wide = false;

    for (size_t i = 0; i < drawing->panel_count; i++)
        wide = wide || is_wide(&drawing->panels[i]);
    for (size_t i = 0; i < drawing->panel_count; i++)
        drawing->panels[i].log_x = drawing->panels[i].log_y = wide;
}

kn_status stats_plot_time(const struct stats_run *run, const struct plot_target *to, kn_error *err)
{
    const struct stats_row *row = stats_row(run, 0, 0);
    struct ki_text title = KI_TEXT_INIT;
    struct drawing drawing;
    kn_status status = begin(run, &drawing, err);

    ki_text_add(&title, "Computing time");
    if (is_one_method(run))
        ki_text_format(&title, ", method %s", stats_method_names[row->method]);
    ki_text_format(&title, ": %s, column %s", base_name(row->file), row->column);
    if (!status)
        status = add_times(run, false, &drawing, err);
    if (!status)
        status = add_times(run, true, &drawing, err);
    if (!status) {
        choose_axes(&drawing);
        scale(&drawing, true);
        if (drawing.panel_count == 1)
            drawing.panels[0].title = ki_text_string(&title);
        drawing.panels[0].no_legend = drawing.panel_count > 1;
        status = draw(run, &drawing, ki_text_string(&title), to, err);
    }
    ki_text_free(&title);
    end(&drawing);
    return status;
}

static bool is_first_of_its_kind(const struct stats_run *run, size_t group, size_t config)
{
    for (size_t i = 0; i < config; i++)
        if (stats_same_results(stats_row(run, group, i), stats_row(run, group, config)))
            return false;
    return true;
}

// The configurations that gave the same results as this one: their variants, or how many those are.
static void add_kind_name(const struct stats_run *run, size_t group, size_t config, struct ki_text *name)
{
    bool singles = false, doubles = false;
    size_t count = 0, variants = 0;
    struct ki_text list = KI_TEXT_INIT;

    for (size_t i = config; i < run->config_count; i++) {
        const struct stats_config *other = stats_config_of(run, stats_row(run, group, i));

        if (!stats_same_results(stats_row(run, group, config), stats_row(run, group, i)))
            continue;
        singles = singles || other->single;
        doubles = doubles || !other->single;
        count++;
        // Each precision of a variant follows the other.
        if (i > config && other[-1].variant == other->variant && other[-1].place == other->place &&
            stats_same_results(stats_row(run, group, config), stats_row(run, group, i - 1)))
            continue;
        if (variants++)
            ki_text_add(&list, ", ");
        add_config_name(run, other, &list);
    }
    if (list.length > (run->arguments->common.precision == PRECISION_BOTH ? SHORT_LIST_MAX : LIST_MAX))
        ki_text_format(name, "%zu variants", variants);
    else
        ki_text_add(name, ki_text_string(&list));
    if (run->arguments->common.precision == PRECISION_BOTH)
        ki_text_add(name, singles && doubles ? ", both precisions" : singles ? ", float" : ", double");
    if (count > 1)
        ki_text_add(name, ": the same bits");
    ki_text_free(&list);
}

// A column of a file: a line for each kind of result, one if all configurations agree.
static kn_status add_group(const struct stats_run *run, size_t group, size_t offset,
                           struct chart_plane *panel, struct drawing *drawing, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t config = 0; config < run->config_count && !status; config++) {
        const struct stats_row *row = stats_row(run, group, config);
        struct ki_text name = KI_TEXT_INIT;

        if (!is_first_of_its_kind(run, group, config))
            continue;
        if (run->file_count > 1)
            ki_text_format(&name, "%s", base_name(row->file));
        else
            add_kind_name(run, group, config, &name);
        status = add_series(drawing, panel, row, (const char *)row->prefixes + offset, sizeof *row->prefixes,
                            &name, err);
    }
    return status;
}

// Where all panels have the same lines, the last one names them.
static void share_legend(struct drawing *drawing)
{
    const struct chart_plane *last = &drawing->panels[drawing->panel_count - 1];
    bool same = true;

    for (size_t i = 0; i < drawing->panel_count && same; i++) {
        same = drawing->panels[i].count == last->count;
        for (size_t s = 0; s < last->count && same; s++)
            same = strcmp(drawing->panels[i].series[s].name, last->series[s].name) == 0;
    }
    for (size_t i = 0; i + 1 < drawing->panel_count; i++)
        drawing->panels[i].no_legend = same;
}

// One panel for each column's name, with the lines of all files.
static kn_status plot_results(const struct stats_run *run, size_t offset, const char *what,
                              const char *y_label, const struct plot_target *to, kn_error *err)
{
    struct ki_text title = KI_TEXT_INIT, only = KI_TEXT_INIT;
    struct drawing drawing;
    kn_status status = begin(run, &drawing, err);

    for (size_t first = 0; first < stats_groups(run) && !status; first++) {
        const char *column = stats_row(run, first, 0)->column;
        struct chart_plane *panel;

        if (!stats_name_is_new(run, first))
            continue;
        panel = add_panel(&drawing, column, y_label);
        for (size_t group = first; group < stats_groups(run) && !status; group++)
            if (strcmp(stats_row(run, group, 0)->column, column) == 0)
                status = add_group(run, group, offset, panel, &drawing, err);
    }
    ki_text_add(&title, what);
    if (run->file_count == 1)
        ki_text_format(&title, ": %s", base_name(stats_row(run, 0, 0)->file));
    ki_text_format(&only, "%s, column %s", ki_text_string(&title), stats_row(run, 0, 0)->column);
    if (!status) {
        scale(&drawing, false);
        share_legend(&drawing);
        if (drawing.panel_count == 1)
            drawing.panels[0].title = ki_text_string(&only);
        status = draw(run, &drawing, ki_text_string(&title), to, err);
    }
    ki_text_free(&title);
    ki_text_free(&only);
    end(&drawing);
    return status;
}

kn_status stats_plot_cv(const struct stats_run *run, const struct plot_target *to, kn_error *err)
{
    return plot_results(run, offsetof(kn_stats, cv), "Coefficient of variation", "CV (no unit)", to, err);
}

kn_status stats_plot_mad(const struct stats_run *run, const struct plot_target *to, kn_error *err)
{
    return plot_results(run, offsetof(kn_stats, mad), "Median absolute deviation", "MAD (the data's unit)",
                        to, err);
}
