// SPDX-License-Identifier: Apache-2.0
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "axis.h"

// ---- bars ----

static double percent(double fraction)
{
    return 100 * fmin(fmax(fraction, 0), 1);
}

void chart_bar(struct ki_text *page, const struct chart_bar *bar)
{
    ki_text_add(page, "<div class=\"bar\">");
    page_element(page, "span class=\"name\"", bar->name);
    ki_text_add(page, "<svg aria-hidden=\"true\">");
    if (bar->length > 0)
        ki_text_format(page, "<rect class=\"f%zu\" height=\"100%%\" x=\"%.2f%%\" width=\"%.2f%%\"/>",
                       bar->colour % CHART_COLOURS, percent(bar->begin), percent(bar->length));
    if (bar->length > 0 && bar->least < bar->most)
        ki_text_format(page, "<line class=\"whisker\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"50%%\" y2=\"50%%\"/>",
                       percent(bar->least), percent(bar->most));
    ki_text_add(page, "</svg>");
    page_element(page, bar->wrong ? "span class=\"words wrong\"" : "span class=\"words\"", bar->words);
    ki_text_add(page, "</div>\n");
}

// ---- planes ----

// The length of a value's error bar on each side; 0: it has none.
static double error_of(const struct chart_series *series, size_t i)
{
    return series->y_error && isfinite(series->y_error[i]) ? fabs(series->y_error[i]) : 0;
}

static bool has_line(const struct chart_series *series)
{
    return series->look != CHART_NUMBERED && series->look != CHART_POINTS;
}

static bool has_points(const struct chart_series *series)
{
    return series->look != CHART_LINE && series->look != CHART_DASHED;
}

static bool find_axes(const struct chart_plane *plane, const struct chart_frame *frame, struct axis *x,
                      struct axis *y)
{
    axis_begin(x, plane->log_x, frame->left, frame->right);
    axis_begin(y, plane->log_y, frame->bottom, frame->top);
    for (size_t s = 0; s < plane->count; s++) {
        const struct chart_series *series = &plane->series[s];

        for (size_t i = 0; i < series->count; i++) {
            if (!axis_has(x, series->x[i]) || !axis_has(y, series->y[i]))
                continue;
            axis_add(x, series->x[i]);
            axis_add(y, series->y[i]);
            axis_add(y, series->y[i] + error_of(series, i));
            axis_add(y, series->y[i] - error_of(series, i)); // left out if it is not on the axis
        }
    }
    if (axis_is_empty(x))
        return false;
    axis_settle(x, (frame->right - frame->left) / 70);
    axis_settle(y, (frame->bottom - frame->top) / 40);
    return true;
}

static void draw_ticks(struct ki_text *svg, const struct axis *x, const struct axis *y,
                       const struct chart_frame *frame)
{
    char name[32];

    for (size_t i = 0; i < x->tick_count; i++) {
        double at = axis_place(x, x->ticks[i]);

        axis_tick_name(x, x->ticks[i], name, sizeof name);
        ki_text_format(svg, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\"/>", at, at,
                       frame->top, frame->bottom);
        ki_text_format(svg, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%s</text>\n", at,
                       frame->bottom + 17, name);
    }
    for (size_t i = 0; i < y->tick_count; i++) {
        double at = axis_place(y, y->ticks[i]);

        axis_tick_name(y, y->ticks[i], name, sizeof name);
        ki_text_format(svg, "<line class=\"grid\" x1=\"%g\" x2=\"%g\" y1=\"%.1f\" y2=\"%.1f\"/>", frame->left,
                       frame->right, at, at);
        ki_text_format(svg, "<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", frame->left - 6,
                       at + 4, name);
    }
    ki_text_format(svg, "<rect class=\"frame\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", frame->left,
                   frame->top, frame->right - frame->left, frame->bottom - frame->top);
}

static void draw_labels(struct ki_text *svg, const struct chart_plane *plane, const struct chart_frame *frame)
{
    if (plane->x_label) {
        ki_text_format(svg, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">",
                       (frame->left + frame->right) / 2, frame->bottom + 40);
        page_text(svg, plane->x_label);
        ki_text_add(svg, "</text>\n");
    }
    if (plane->y_label) {
        ki_text_format(svg, "<text transform=\"translate(%g %g) rotate(-90)\" text-anchor=\"middle\">",
                       frame->left - 48, (frame->top + frame->bottom) / 2);
        page_text(svg, plane->y_label);
        ki_text_add(svg, "</text>\n");
    }
}

// ---- lines ----

// A part of a line that is narrower than a pixel is drawn from its least to its greatest value, so that a
// chart of millions of values is small and shows every peak.
struct stroke {
    double column;          // of the part
    double low, high, last; // on the axis; the last value of the part
    bool begun;             // false: the line is interrupted, and has no part
};

enum { COLUMNS_PER_UNIT = 2 };

static void end_part(struct ki_text *page, struct stroke *stroke)
{
    if (stroke->begun && stroke->low < stroke->high)
        ki_text_format(page, "V%.1fV%.1fV%.1f", stroke->low, stroke->high, stroke->last);
}

static void draw_to(struct ki_text *page, struct stroke *stroke, double x, double y)
{
    double column = floor(x * COLUMNS_PER_UNIT);

    if (stroke->begun && column == stroke->column) {
        stroke->low = fmin(stroke->low, y);
        stroke->high = fmax(stroke->high, y);
        stroke->last = y;
        return;
    }
    end_part(page, stroke);
    ki_text_format(page, "%s%.1f %.1f", stroke->begun ? "L" : "M", x, y);
    *stroke = (struct stroke){column, y, y, y, true};
}

// The attribute of a line in the colour and the dashes of its series.
static void add_line_class(struct ki_text *svg, const struct chart_series *series)
{
    size_t colour = series->colour % CHART_COLOURS;

    ki_text_format(svg, "class=\"line s%zu ", colour);
    if (series->look == CHART_DASHED)
        ki_text_add(svg, "dashed\"");
    else
        ki_text_format(svg, "d%zu\"", colour);
}

static void draw_line(struct ki_text *svg, const struct chart_series *series, const struct axis *x,
                      const struct axis *y)
{
    struct stroke stroke = {.begun = false};
    struct ki_text path = KI_TEXT_INIT;

    for (size_t i = 0; i < series->count; i++) {
        if (axis_has(x, series->x[i]) && axis_has(y, series->y[i])) {
            draw_to(&path, &stroke, axis_place(x, series->x[i]), axis_place(y, series->y[i]));
        } else {
            end_part(&path, &stroke);
            stroke.begun = false;
        }
    }
    end_part(&path, &stroke);
    if (strpbrk(ki_text_string(&path), "LV")) { // not single points alone
        ki_text_add(svg, "<path ");
        add_line_class(svg, series);
        ki_text_format(svg, " d=\"%s\"/>\n", ki_text_string(&path));
    }
    svg->failed = svg->failed || path.failed;
    ki_text_free(&path);
}

// ---- points ----

// A point in the colour and the shape of its series: disk, square, triangle, diamond, and these hollow.
static void draw_mark(struct ki_text *svg, size_t colour, double x, double y, double r)
{
    enum { SHAPES = CHART_COLOURS / 2 };
    size_t shape = colour % SHAPES;

    colour %= CHART_COLOURS;
    ki_text_format(svg, "<%s class=\"mark %c%zu\" ", shape ? "path" : "circle", colour < SHAPES ? 'f' : 'h',
                   colour);
    if (shape == 0)
        ki_text_format(svg, "cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", x, y, r);
    else if (shape == 1)
        ki_text_format(svg, "d=\"M%.1f %.1fh%.1fv%.1fh%.1fz\"/>", x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r,
                       -1.8 * r);
    else if (shape == 2)
        ki_text_format(svg, "d=\"M%.1f %.1fl%.1f %.1fh%.1fz\"/>", x, y - 1.2 * r, 1.15 * r, 2 * r, -2.3 * r);
    else
        ki_text_format(svg, "d=\"M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz\"/>", x, y - 1.3 * r, 1.3 * r,
                       1.3 * r, -1.3 * r, 1.3 * r, -1.3 * r, -1.3 * r);
}

static void draw_error(struct ki_text *svg, const struct chart_series *series, size_t i, const struct axis *x,
                       const struct axis *y)
{
    const double visible = 0.1;
    double error = error_of(series, i), low = series->y[i] - error,
           from = axis_has(y, low) ? axis_place(y, low) : y->begin, to = axis_place(y, series->y[i] + error);

    if (fabs(from - to) > visible)
        ki_text_format(svg, "<path class=\"line s%zu\" d=\"M%.1f %.1fV%.1f\"/>",
                       series->colour % CHART_COLOURS, axis_place(x, series->x[i]), from, to);
}

static void draw_points(struct ki_text *svg, const struct chart_series *series, const struct axis *x,
                        const struct axis *y)
{
    enum { LONG = 60, MARKS = 24 };
    size_t step = series->look == CHART_LINE_AND_POINTS && series->count > LONG
                      ? (series->count + MARKS - 1) / MARKS
                      : 1;

    for (size_t i = 0; i < series->count; i += step) {
        double at_x, at_y;

        if (!axis_has(x, series->x[i]) || !axis_has(y, series->y[i]))
            continue;
        at_x = axis_place(x, series->x[i]);
        at_y = axis_place(y, series->y[i]);
        draw_error(svg, series, i, x, y);
        draw_mark(svg, series->colour, at_x, at_y, series->look == CHART_LINE_AND_POINTS ? 3.5 : 4);
        if (series->look == CHART_NUMBERED)
            ki_text_format(svg, "<text x=\"%.1f\" y=\"%.1f\">%zu</text>\n", at_x + 6, at_y + 4, i + 1);
    }
    ki_text_add(svg, "\n");
}

// ---- the whole ----

bool chart_draw(struct ki_text *svg, const struct chart_plane *plane, const struct chart_frame *frame)
{
    struct axis x, y;

    if (!find_axes(plane, frame, &x, &y))
        return false;
    draw_ticks(svg, &x, &y, frame);
    draw_labels(svg, plane, frame);
    for (size_t i = 0; i < plane->count; i++) {
        if (has_line(&plane->series[i]))
            draw_line(svg, &plane->series[i], &x, &y);
        if (has_points(&plane->series[i]))
            draw_points(svg, &plane->series[i], &x, &y);
    }
    return true;
}

void chart_sample(struct ki_text *svg, const struct chart_series *series, double x, double y)
{
    if (has_line(series)) {
        ki_text_add(svg, "<path ");
        add_line_class(svg, series);
        ki_text_format(svg, " d=\"M%g %gH%g\"/>", x, y, x + 32);
    }
    if (has_points(series))
        draw_mark(svg, series->colour, x + 16, y, 4);
}

bool chart_names(const struct chart_plane *plane, size_t i)
{
    const struct chart_series *series = &plane->series[i];

    for (size_t k = 0; k < series->count && series->name && !plane->no_legend; k++)
        if (isfinite(series->x[k]) && (!plane->log_x || series->x[k] > 0) && isfinite(series->y[k]) &&
            (!plane->log_y || series->y[k] > 0))
            return true;
    return false;
}

static void draw_key(struct ki_text *page, const struct chart_plane *plane)
{
    ki_text_add(page, "<ul class=\"key\">");
    for (size_t i = 0; i < plane->count; i++) {
        if (!chart_names(plane, i))
            continue;
        ki_text_add(page, "<li><svg viewBox=\"0 0 32 16\" aria-hidden=\"true\">");
        chart_sample(page, &plane->series[i], 0, 8);
        ki_text_add(page, "</svg>");
        page_text(page, plane->series[i].name);
        ki_text_add(page, "</li>\n");
    }
    ki_text_add(page, "</ul>\n");
}

void chart_plane(struct ki_text *page, const struct chart_plane *plane)
{
    enum { WIDTH = 520, HEIGHT = 340, ROOM_RIGHT = 24, ROOM_ABOVE = 12 };
    const struct chart_frame frame = {CHART_ROOM_LEFT, WIDTH - ROOM_RIGHT, ROOM_ABOVE,
                                      HEIGHT - CHART_ROOM_BELOW};
    struct ki_text svg = KI_TEXT_INIT;

    if (chart_draw(&svg, plane, &frame)) {
        ki_text_format(
            page,
            "<div class=\"scroll\"><svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
            WIDTH, HEIGHT);
        page_text(page, plane->title);
        ki_text_add(page, "\">\n");
        ki_text_add(page, ki_text_string(&svg));
        ki_text_add(page, "</svg></div>\n");
        draw_key(page, plane);
    }
    page->failed = page->failed || svg.failed;
    ki_text_free(&svg);
}

void chart_figure(struct ki_text *page, const char *caption, const struct chart_plane *plane)
{
    struct ki_text chart = KI_TEXT_INIT;

    chart_plane(&chart, plane);
    if (chart.length) {
        ki_text_add(page, "<figure>");
        page_element(page, "figcaption", caption);
        ki_text_add(page, ki_text_string(&chart));
        ki_text_add(page, "</figure>\n");
    }
    page->failed = page->failed || chart.failed;
    ki_text_free(&chart);
}
