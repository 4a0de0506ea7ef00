// SPDX-License-Identifier: Apache-2.0
// A gnuplot script with the data in it, run in a separate folder; the drawing is then written to its place.
// Words are in single quotes, in which gnuplot knows no commands, and are not "enhanced".
#include "plot.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/output.h"
#include "base/os/process.h"
#include "base/text/text.h"

static const char program[] = "gnuplot";
static const double seconds_at_most = 60;

enum { WIDTH = 800, HEIGHT = 500, PANEL_HEIGHT = 240, TITLE_HEIGHT = 70, MARKS = 24 };

// Colours of Okabe and Ito, of different lightness as well; dashes and points differ too.
static const struct style {
    const char *colour, *dashes;
    int point;
} styles[] = {
    {"#0072B2", "solid", 7},  {"#D55E00", "(14,5)", 5}, {"#009E73", "(14,4,3,4)", 9},
    {"#CC79A7", "(3,4)", 13}, {"#000000", "solid", 6},  {"#E69F00", "(8,3,8,3,2,3)", 4},
    {"#56B4E9", "(6,4)", 8},  {"#666666", "(2,3)", 12},
};

bool plot_available(void)
{
    char path[PATH_MAX];

    return ki_process_find(program, path);
}

// In double quotes, with everything but letters and blanks by number: gnuplot then finds neither commands nor
// variables in them. A control character becomes a blank.
static void add_quoted(struct ki_text *script, const char *text)
{
    ki_text_add_char(script, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c <= ' ')
            ki_text_add_char(script, ' ');
        else if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
            ki_text_add_char(script, *text);
        else
            ki_text_format(script, "\\%03o", c);
    }
    ki_text_add_char(script, '"');
}

static bool is_drawn(double value, bool is_log)
{
    return isfinite(value) && (!is_log || value > 0);
}

// The series as a block of lines; returns how many points are drawn.
static size_t add_data(struct ki_text *script, const struct plot *plot, size_t panel, size_t index)
{
    const struct plot_series *series = &plot->series[index];
    size_t drawn = 0;

    ki_text_format(script, "$data%zu_%zu << END\n", panel, index);
    for (size_t i = 0; i < series->count; i++) {
        if (!is_drawn(series->x[i], plot->log_x) || !is_drawn(series->y[i], plot->log_y)) {
            ki_text_add_char(script, '\n'); // breaks the line
            continue;
        }
        ki_text_format(script, "%.17g %.17g", series->x[i], series->y[i]);
        if (series->y_error)
            ki_text_format(script, " %.17g", isfinite(series->y_error[i]) ? series->y_error[i] : 0);
        ki_text_add_char(script, '\n');
        drawn++;
    }
    ki_text_add(script, "END\n");
    return drawn;
}

// The numbers shown on a logarithmic axis: these times a power of ten.
static const struct steps {
    double at[9];
    size_t count;
} steps[] = {{{1, 2, 5}, 3}, {{1, 2, 3, 4, 5, 6, 7, 8, 9}, 9}};

enum { TICKS_MIN = 3 };

// The number of them on an axis from `least` to `greatest`, which are less than two powers of ten apart;
// written if there is a script.
static size_t add_steps(struct ki_text *script, const struct steps *step, double least, double greatest)
{
    size_t count = 0;

    for (double power = pow(10, floor(log10(least))); power <= greatest; power *= 10)
        for (size_t i = 0; i < step->count; i++) {
            double tick = power * step->at[i];

            if (tick < least * (1 - 1e-9) || tick > greatest * (1 + 1e-9))
                continue;
            if (script)
                ki_text_format(script, "%s%.9g", count ? ", " : "", tick);
            count++;
        }
    return count;
}

// A logarithmic axis with few powers of ten, or none, gets more numbers; a very short one those of its ends.
static void add_ticks(struct ki_text *script, char axis, double least, double greatest)
{
    const struct steps *step = steps;

    if (!(least > 0) || !(greatest < 100 * least)) {
        ki_text_format(script, "set %ctics autofreq\n", axis);
        return;
    }
    while (step < steps + KI_COUNT(steps) && add_steps(NULL, step, least, greatest) < TICKS_MIN)
        step++;
    ki_text_format(script, "set %ctics (", axis);
    if (step < steps + KI_COUNT(steps))
        add_steps(script, step, least, greatest);
    else
        ki_text_format(script, "%.3g, %.3g", least, greatest);
    ki_text_add(script, ")\n");
}

// The least and the greatest number drawn on an axis; NaN if there are none.
static void find_ends(const struct plot *plot, char axis, double *least, double *greatest)
{
    *least = *greatest = NAN;
    for (size_t i = 0; i < plot->series_count; i++)
        for (size_t k = 0; k < plot->series[i].count; k++) {
            double x = plot->series[i].x[k], y = plot->series[i].y[k];

            if (!is_drawn(x, plot->log_x) || !is_drawn(y, plot->log_y))
                continue;
            *least = fmin(*least, axis == 'x' ? x : y);
            *greatest = fmax(*greatest, axis == 'x' ? x : y);
        }
}

static void add_axis(struct ki_text *script, const struct plot *plot, char axis, const char *label)
{
    bool is_log = axis == 'x' ? plot->log_x : plot->log_y;
    double least, greatest;

    ki_text_format(script, "set %clabel ", axis);
    add_quoted(script, label);
    ki_text_format(script, "\nset format %c '%%g'\n%sset logscale %c\n", axis, is_log ? "" : "un", axis);
    find_ends(plot, axis, &least, &greatest);
    add_ticks(script, axis, is_log ? least : 0, greatest);
}

static void add_line(struct ki_text *script, const struct plot *plot, size_t panel, size_t index)
{
    static const char *const looks[] = {"linespoints", "lines", "points"};
    const struct plot_series *series = &plot->series[index];
    const struct style *style = &styles[index % KI_COUNT(styles)];
    size_t interval = (series->count + MARKS - 1) / MARKS;

    ki_text_format(script, "$data%zu_%zu using %s with %s linewidth 1.8 linecolor rgb '%s' ", panel, index,
                   series->y_error ? "1:2:3" : "1:2", series->y_error ? "yerrorbars" : looks[series->look],
                   style->colour);
    if (series->look != PLOT_POINTS)
        ki_text_format(script, "dashtype %s ", style->dashes);
    if (series->look != PLOT_LINE)
        ki_text_format(script, "pointtype %d pointsize %g ", style->point,
                       series->look == PLOT_POINTS ? 1.1 : 0.6);
    if (series->look == PLOT_LINE_AND_POINTS)
        ki_text_format(script, "pointinterval %zu ", interval ? interval : 1);
    ki_text_add(script, "title ");
    add_quoted(script, series->name);
}

// Linear axes of positive numbers that come near 0 begin there, others leave some margin; logarithmic ones
// end where the points do.
static void add_ranges(struct ki_text *script, const struct plot *plot)
{
    double least, greatest;

    find_ends(plot, 'y', &least, &greatest);
    ki_text_add(script, plot->log_x ? "set autoscale xfix\n" : "set autoscale x\n");
    if (plot->log_y)
        ki_text_add(script, "set yrange [*:*]\nset offsets\n");
    else if (least >= 0 && least < greatest / 3)
        ki_text_add(script, "set yrange [0:*]\nset offsets\n");
    else
        ki_text_add(script, "set yrange [*:*]\nset offsets graph 0, 0, 0.05, 0.05\n");
}

// One plot; returns how many points it draws. The last one of a page has the label of the x axis and, below
// it, the legend.
static size_t add_plot(struct ki_text *script, const struct plot *plot, size_t panel, size_t panels,
                       double height)
{
    bool last = panel + 1 == panels;
    size_t drawn = 0;

    if (plot->no_legend)
        ki_text_add(script, "unset key\n");
    else if (panels == 1)
        ki_text_add(script, "set key outside below center horizontal height 1\n");
    else if (last)
        ki_text_format(script, "set key at screen 0.53, screen %.4f center bottom horizontal\n", 2 / height);
    else
        ki_text_add(script, "set key inside top right vertical\n");
    ki_text_format(script, "set title offset 0,%g ", panels == 1 ? 0 : -0.6);
    add_quoted(script, plot->title);
    ki_text_add_char(script, '\n');
    add_axis(script, plot, 'x', last ? plot->x_label : "");
    add_axis(script, plot, 'y', plot->y_label);
    add_ranges(script, plot);
    for (size_t i = 0; i < plot->series_count; i++)
        drawn += add_data(script, plot, panel, i);
    for (size_t i = 0; i < plot->series_count; i++) {
        ki_text_add(script, i ? ", " : "plot ");
        add_line(script, plot, panel, i);
    }
    ki_text_add_char(script, '\n');
    return drawn;
}

// Panels of one size, one below the other, with room for titles above and for the legend below.
static void begin_page(struct ki_text *script, const struct plot_page *page, double height, double legend)
{
    ki_text_format(script, "set multiplot layout %zu,1 margins 0.11,0.96,%.4f,%.4f spacing 0,%.4f title ",
                   page->panel_count, (legend + 65) / height, 1 - TITLE_HEIGHT / height, 60 / height);
    add_quoted(script, page->title);
    ki_text_add_char(script, '\n');
}

// The whole script; returns the panel without a point, or NULL.
static const struct plot *add_script(struct ki_text *script, const struct plot_page *page,
                                     const char *drawing)
{
    const struct plot *empty = NULL;
    size_t count = page->panel_count;
    double legend = 20 * (double)(1 + page->panels[count - 1].series_count / 2);
    double height = count == 1 ? HEIGHT : TITLE_HEIGHT + PANEL_HEIGHT * (double)count + legend;

    ki_text_format(
        script,
        "set encoding utf8\n"
        "set terminal svg noenhanced size %d,%.0f dynamic font 'sans-serif,13' background 'white'\n"
        "set border 3\nset tics nomirror\nset grid linecolor rgb '#dddddd'\nset "
        "output ",
        WIDTH, height);
    add_quoted(script, drawing);
    ki_text_add_char(script, '\n');
    if (count > 1)
        begin_page(script, page, height, legend);
    for (size_t i = 0; i < count; i++)
        if (add_plot(script, &page->panels[i], i, count, height) == 0 && !empty)
            empty = &page->panels[i];
    ki_text_format(script, "%sset output\n", count > 1 ? "unset multiplot\n" : "");
    return empty;
}

static kn_status run_script(const char *gnuplot, const char *script, kn_error *err)
{
    const char *const argv[] = {gnuplot, "--default-settings", script, NULL};
    const char *const variables[] = {"LC_ALL=C.UTF-8", NULL};
    struct process_result result;
    kn_status status = ki_process_run(argv, variables, seconds_at_most, &result, err);

    if (status)
        return status;
    if (result.timed_out)
        status = ki_fail(err, KN_ERROR_OUTPUT, "gnuplot did not finish a plot in %.0f s", seconds_at_most);
    else if (result.status)
        status = ki_fail(err, KN_ERROR_OUTPUT, "gnuplot failed (exit status %d): %s", result.status,
                         result.output);
    free(result.output);
    return status;
}

static kn_status read_drawing(const char *path, struct ki_text *svg, kn_error *err)
{
    FILE *file = fopen(path, "rb");
    char bytes[4096];
    size_t count;

    if (!file)
        return ki_fail_errno(err, KN_ERROR_OUTPUT, path, errno, "gnuplot wrote no drawing");
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        ki_text_add_bytes(svg, bytes, count);
    count = (size_t)ferror(file);
    fclose(file);
    if (count)
        return ki_fail(err, KN_ERROR_OUTPUT, "%s: gnuplot's drawing cannot be read", path);
    return svg->failed ? ki_fail_memory(err, 0, "reading a plot") : KN_OK;
}

// Draws in `folder`.
static kn_status draw(const char *gnuplot, const char *folder, const struct plot_page *page,
                      struct ki_text *svg, kn_error *err)
{
    struct ki_text script = KI_TEXT_INIT, drawing = KI_TEXT_INIT, file = KI_TEXT_INIT;
    const struct plot *empty;
    kn_status status;

    ki_text_format(&drawing, "%s/plot.svg", folder);
    ki_text_format(&file, "%s/plot.gp", folder);
    empty = add_script(&script, page, ki_text_string(&drawing));
    if (drawing.failed || file.failed || script.failed)
        status = ki_fail_memory(err, 0, "drawing a plot");
    else if (empty)
        status =
            ki_fail(err, KN_ERROR_ARGUMENT, "the plot '%s' has no point that can be drawn", empty->title);
    else
        status = ki_output_write(file.data, script.data, script.length, false, err);
    if (!status)
        status = run_script(gnuplot, file.data, err);
    if (!status)
        status = read_drawing(drawing.data, svg, err);
    ki_text_free(&script);
    ki_text_free(&drawing);
    ki_text_free(&file);
    return status;
}

kn_status plot_write(const char *path, const struct plot *plot, bool force, kn_error *err)
{
    const struct plot_page page = {NULL, plot, 1};

    return plot_write_page(path, &page, force, err);
}

kn_status plot_write_page(const char *path, const struct plot_page *page, bool force, kn_error *err)
{
    char gnuplot[PATH_MAX], folder[PATH_MAX];
    struct ki_text svg = KI_TEXT_INIT;
    kn_status status;

    if (!ki_process_find(program, gnuplot))
        return ki_fail(
            err, KN_ERROR_UNSUPPORTED,
            "plots need gnuplot, which is not installed (Debian, Ubuntu: apt-get install gnuplot-nox)");
    status = ki_process_folder(folder, err);
    if (status)
        return status;
    status = draw(gnuplot, folder, page, &svg, err);
    ki_process_folder_remove(folder);
    if (!status)
        status = ki_output_write(path, svg.data, svg.length, force, err);
    ki_text_free(&svg);
    return status;
}
