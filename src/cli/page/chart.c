// SPDX-License-Identifier: Apache-2.0
#include "chart.h"

#include <math.h>
#include <stdio.h>

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
        ki_text_format(page, "<rect class=\"f%zu\" height=\"100%%\" width=\"%.2f%%\"/>",
                       bar->colour % CHART_COLOURS, percent(bar->length));
    if (bar->length > 0 && bar->least < bar->most)
        ki_text_format(page, "<line class=\"whisker\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"50%%\" y2=\"50%%\"/>",
                       percent(bar->least), percent(bar->most));
    ki_text_add(page, "</svg>");
    page_element(page, bar->wrong ? "span class=\"words wrong\"" : "span class=\"words\"", bar->words);
    ki_text_add(page, "</div>\n");
}

// ---- planes ----

// The drawing, in its own units; the margins around the frame have room for labels.
enum { WIDTH = 520, HEIGHT = 340, LEFT = 62, RIGHT = 24, TOP = 12, BOTTOM = 48 };

struct axis {
    bool linear;
    double low, high;  // exponents of ten, or on a linear axis multiples of `step`
    double begin, end; // in the drawing
    double step;       // from one tick to the next
};

static bool has_value(const struct axis *axis, double value)
{
    return isfinite(value) && (axis->linear || value > 0);
}

static double on_axis(const struct axis *axis, double value)
{
    return axis->linear ? value : log10(value);
}

static void widen(struct axis *axis, double value)
{
    axis->low = fmin(axis->low, on_axis(axis, value));
    axis->high = fmax(axis->high, on_axis(axis, value));
}

// The length of a value's error bar on each side; 0: it has none.
static double error_of(const struct chart_series *series, size_t i)
{
    return series->y_error && isfinite(series->y_error[i]) ? fabs(series->y_error[i]) : 0;
}

// Puts ticks at integer powers of ten, or on a linear axis at multiples of 1, 2 or 5 times a power of ten;
// the axis begins and ends at a tick.
static void settle(struct axis *axis, double most)
{
    const double rounding = 1e-6; // of a step, which no reader sees
    double room = axis->linear ? 0 : 0.02, span = axis->high - axis->low;
    double power = pow(10, floor(log10(span > 0 ? span / most : 0.1)));

    axis->step = 1;
    if (axis->linear)
        for (size_t i = 0; i < 3 && (i == 0 || span / axis->step > most); i++)
            axis->step = power * (i == 0 ? 2 : i == 1 ? 5 : 10);
    axis->low = axis->step * floor(axis->low / axis->step - room + rounding);
    axis->high = axis->step * ceil(axis->high / axis->step + room - rounding);
    if (axis->high <= axis->low)
        axis->high = axis->low + axis->step;
    if (!axis->linear)
        axis->step = fmax(1, ceil((axis->high - axis->low) / most));
}

// Takes in a value with its error bar; of a bar that reaches 0 on a logarithmic axis, the rest.
static void widen_by_value(struct axis *y, const struct chart_series *series, size_t i)
{
    double error = error_of(series, i);

    widen(y, series->y[i]);
    widen(y, series->y[i] + error);
    if (has_value(y, series->y[i] - error))
        widen(y, series->y[i] - error);
}

static bool find_axes(const struct chart_plane *plane, struct axis *x, struct axis *y)
{
    *x = (struct axis){plane->linear_x, INFINITY, -INFINITY, LEFT, WIDTH - RIGHT, 1};
    *y = (struct axis){plane->linear_y, INFINITY, -INFINITY, HEIGHT - BOTTOM, TOP, 1};
    for (size_t i = 0; i < plane->count; i++)
        for (size_t j = 0; j < plane->series[i].count; j++)
            if (has_value(x, plane->series[i].x[j]) && has_value(y, plane->series[i].y[j])) {
                widen(x, plane->series[i].x[j]);
                widen_by_value(y, &plane->series[i], j);
            }
    if (x->low > x->high)
        return false;
    settle(x, 6);
    settle(y, 7);
    return true;
}

static double place(const struct axis *axis, double value)
{
    return axis->begin +
           (axis->end - axis->begin) * (on_axis(axis, value) - axis->low) / (axis->high - axis->low);
}

static double value_at(const struct axis *axis, double tick)
{
    return axis->linear ? tick : pow(10, tick);
}

// 10^p in few characters: 0.01, 1, 100, 10k, 1M, 10G, 1e-5.
static void power_name(double power, char *name, size_t size)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    int p = (int)power, step = p < 0 ? 0 : p < 4 ? 0 : p / 3;

    if (p < -3 || p > 17)
        snprintf(name, size, "1e%d", p);
    else
        snprintf(name, size, "%g%s", pow(10, p - 3 * step), prefixes[step]);
}

// As many digits as tell one tick of a linear axis from the next.
static int tick_digits(const struct axis *axis)
{
    double most = fmax(fabs(axis->low), fabs(axis->high));

    return (int)fmin(fmax(4, floor(log10(most / axis->step)) + 2), 15);
}

static void tick_name(const struct axis *axis, double tick, char *name, size_t size)
{
    if (axis->linear)
        snprintf(name, size, "%.*g", tick_digits(axis), fabs(tick) < axis->step / 2 ? 0 : tick);
    else
        power_name(tick, name, size);
}

static void draw_ticks(struct ki_text *page, const struct axis *x, const struct axis *y)
{
    char name[32];

    for (double tick = x->low; tick <= x->high + x->step / 100; tick += x->step) {
        double at = place(x, value_at(x, tick));

        tick_name(x, tick, name, sizeof name);
        ki_text_format(page, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", at, at,
                       TOP, HEIGHT - BOTTOM);
        ki_text_format(page, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", at,
                       HEIGHT - BOTTOM + 17, name);
    }
    for (double tick = y->low; tick <= y->high + y->step / 100; tick += y->step) {
        double at = place(y, value_at(y, tick));

        tick_name(y, tick, name, sizeof name);
        ki_text_format(page, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT,
                       WIDTH - RIGHT, at, at);
        ki_text_format(page, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 6, at + 4,
                       name);
    }
    ki_text_format(page, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, TOP,
                   WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
}

static void draw_labels(struct ki_text *page, const struct chart_plane *plane)
{
    ki_text_format(page, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2,
                   HEIGHT - 8);
    page_text(page, plane->x_label);
    ki_text_format(page, "</text><text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">",
                   (TOP + HEIGHT - BOTTOM) / 2);
    page_text(page, plane->y_label);
    ki_text_add(page, "</text>\n");
}

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

static void draw_line(struct ki_text *page, const struct chart_series *series, const struct axis *x,
                      const struct axis *y)
{
    struct stroke stroke = {.begun = false};

    ki_text_format(page, "<path class=\"line s%zu%s\" d=\"", series->colour % CHART_COLOURS,
                   series->look == CHART_DASHED ? " dashed" : "");
    for (size_t i = 0; i < series->count; i++) {
        if (has_value(x, series->x[i]) && has_value(y, series->y[i])) {
            draw_to(page, &stroke, place(x, series->x[i]), place(y, series->y[i]));
        } else {
            end_part(page, &stroke);
            stroke.begun = false;
        }
    }
    end_part(page, &stroke);
    ki_text_add(page, "\"/>\n");
}

static void draw_error(struct ki_text *page, const struct chart_series *series, size_t i,
                       const struct axis *x, const struct axis *y)
{
    double error = error_of(series, i), low = series->y[i] - error;

    if (!(error > 0))
        return;
    ki_text_format(page, "<path class=\"line s%zu\" d=\"M%.1f %.1fV%.1f\"/>", series->colour % CHART_COLOURS,
                   place(x, series->x[i]), has_value(y, low) ? place(y, low) : y->begin,
                   place(y, series->y[i] + error));
}

static void draw_points(struct ki_text *page, const struct chart_series *series, const struct axis *x,
                        const struct axis *y)
{
    size_t number = 0;

    for (size_t i = 0; i < series->count; i++) {
        double at_x, at_y;

        number++;
        if (!has_value(x, series->x[i]) || !has_value(y, series->y[i]))
            continue;
        at_x = place(x, series->x[i]);
        at_y = place(y, series->y[i]);
        draw_error(page, series, i, x, y);
        ki_text_format(page, "<circle class=\"f%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>",
                       series->colour % CHART_COLOURS, at_x, at_y);
        if (series->look == CHART_NUMBERED)
            ki_text_format(page, "<text x=\"%.1f\" y=\"%.1f\">%zu</text>\n", at_x + 6, at_y + 4, number);
    }
}

static bool has_line(const struct chart_series *series)
{
    return series->look != CHART_NUMBERED && series->look != CHART_POINTS;
}

static bool has_points(const struct chart_series *series)
{
    return series->look != CHART_LINE && series->look != CHART_DASHED;
}

static void draw_key(struct ki_text *page, const struct chart_plane *plane)
{
    ki_text_add(page, "<ul class=\"key\">");
    for (size_t i = 0; i < plane->count; i++) {
        const struct chart_series *series = &plane->series[i];

        if (!series->name)
            continue;
        ki_text_add(page, "<li><svg viewBox=\"0 0 32 16\" aria-hidden=\"true\">");
        if (has_line(series))
            ki_text_format(page, "<path class=\"line s%zu%s\" stroke-width=\"3\" d=\"M0 8L32 8\"/>",
                           series->colour % CHART_COLOURS, series->look == CHART_DASHED ? " dashed" : "");
        if (has_points(series))
            ki_text_format(page, "<circle class=\"f%zu\" cx=\"16\" cy=\"8\" r=\"6\"/>",
                           series->colour % CHART_COLOURS);
        ki_text_add(page, "</svg>");
        page_text(page, series->name);
        ki_text_add(page, "</li>\n");
    }
    ki_text_add(page, "</ul>\n");
}

void chart_plane(struct ki_text *page, const struct chart_plane *plane)
{
    struct axis x, y;

    if (!find_axes(plane, &x, &y))
        return;
    ki_text_format(
        page, "<div class=\"scroll\"><svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
        WIDTH, HEIGHT);
    page_text(page, plane->title);
    ki_text_add(page, "\">\n");
    draw_ticks(page, &x, &y);
    draw_labels(page, plane);
    for (size_t i = 0; i < plane->count; i++) {
        if (has_line(&plane->series[i]))
            draw_line(page, &plane->series[i], &x, &y);
        if (has_points(&plane->series[i]))
            draw_points(page, &plane->series[i], &x, &y);
    }
    ki_text_add(page, "</svg></div>\n");
    draw_key(page, plane);
}
