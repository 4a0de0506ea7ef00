// SPDX-License-Identifier: Apache-2.0
// The charts of koine compare's page.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compare_page.h"

// ---- bars by job ----

// Whether less is better: the unit is time per element.
static bool is_inverse(const struct shown_row *row)
{
    return strncmp(row->unit, "us/", 3) == 0 || strncmp(row->unit, "ms/", 3) == 0;
}

static double rate_at(const struct shown_row *row, double seconds)
{
    return is_inverse(row) ? row->rate * seconds / row->times.median
                           : row->rate * row->times.median / seconds;
}

static double longest(const struct shown *shown, const struct shown_row *like)
{
    double most = 0;

    for (size_t i = 0; i < shown->row_count; i++) {
        const struct shown_row *row = &shown->rows[i];

        if (shown_same_case(row, like) && row->n == like->n && row->rate > 0)
            most = fmax(most, rate_at(row, is_inverse(row) ? row->times.most : row->times.least));
    }
    return most;
}

static void add_bar(struct ki_text *page, const struct shown *shown, const struct shown_row *row, double most)
{
    double one = rate_at(row, row->times.least) / most, other = rate_at(row, row->times.most) / most;
    char words[640];
    struct chart_bar bar = {.name = shown->devices[row->device].label,
                            .words = words,
                            .length = row->rate > 0 ? row->rate / most : 0,
                            .least = fmin(one, other),
                            .most = fmax(one, other),
                            .colour = row->device,
                            .wrong = shown_is(row, "wrong")};

    if (shown_is(row, "right"))
        snprintf(words, sizeof words, "%.4g %s", row->rate, row->unit);
    else
        shown_verdict(row, words, sizeof words);
    chart_bar(page, &bar);
}

static void add_case(struct ki_text *page, const struct shown *shown, const struct shown_row *like)
{
    double most = longest(shown, like);
    char title[320];

    snprintf(title, sizeof title, "%.120s, %.0f %.60s%s", like->which, like->n, like->counts,
             is_inverse(like) ? " (less is better)" : "");
    ki_text_add(page, "<figure>");
    page_element(page, "figcaption", title);
    for (size_t i = 0; i < shown->row_count; i++)
        if (shown_same_case(&shown->rows[i], like) && shown->rows[i].n == like->n)
            add_bar(page, shown, &shown->rows[i], most);
    ki_text_add(page, "</figure>\n");
}

static bool is_first_of(const struct shown *shown, const struct shown_row *row, bool of_its_job)
{
    for (const struct shown_row *before = shown->rows; before < row; before++)
        if (of_its_job ? strcmp(before->job, row->job) == 0
                       : before->n == row->n && shown_same_case(before, row))
            return false;
    return true;
}

void compare_page_bars(struct ki_text *page, const struct shown *shown)
{
    page_element(page, "h2", "Rates by job");
    page_element(page, "p class=\"quiet\"",
                 "Each bar is the median; the line in it goes from the slowest to the fastest repetition.");
    for (size_t i = 0; i < shown->row_count; i++) {
        const struct shown_row *job = &shown->rows[i];

        if (!is_first_of(shown, job, true))
            continue;
        page_element(page, "h3", job->job);
        for (size_t j = i; j < shown->row_count; j++)
            if (strcmp(shown->rows[j].job, job->job) == 0 && is_first_of(shown, &shown->rows[j], false) &&
                shown_stands(shown, &shown->rows[j]))
                add_case(page, shown, &shown->rows[j]);
    }
}

// ---- points for the planes ----

struct points {
    double *x, *y;
    struct chart_series *series;
    size_t count, series_count;
};

static bool points_open(struct points *points, const struct shown *shown)
{
    *points = (struct points){.x = calloc(shown->row_count + 8, sizeof(double)),
                              .y = calloc(shown->row_count + 8, sizeof(double)),
                              .series = calloc(shown->device_count + 8, sizeof *points->series)};
    return points->x && points->y && points->series;
}

static void points_close(struct points *points)
{
    free(points->x);
    free(points->y);
    free(points->series);
}

// The points that follow belong to a new series.
static struct chart_series *begin_series(struct points *points, const char *name, enum chart_look look,
                                         size_t colour)
{
    struct chart_series *series = &points->series[points->series_count++];

    *series = (struct chart_series){.name = name,
                                    .x = points->x + points->count,
                                    .y = points->y + points->count,
                                    .look = look,
                                    .colour = colour};
    return series;
}

static void add_point(struct points *points, struct chart_series *series, double x, double y)
{
    points->x[points->count] = x;
    points->y[points->count++] = y;
    series->count++;
}

// ---- time against size ----

static bool has_sizes(const struct shown *shown, const struct shown_row *like)
{
    for (size_t i = 0; i < shown->row_count; i++)
        if (shown_same_case(&shown->rows[i], like) && shown->rows[i].n != like->n &&
            shown_computed(&shown->rows[i]))
            return true;
    return false;
}

static void draw_sizes(struct ki_text *page, const struct shown *shown, const struct shown_row *like,
                       struct points *points)
{
    char title[320];
    struct chart_plane plane = {title, like->counts, "seconds", points->series, 0, true, true, false};

    points->count = points->series_count = 0;
    snprintf(title, sizeof title, "%.120s %.120s: time against size", like->job, like->which);
    for (size_t device = 0; device < shown->device_count; device++) {
        struct chart_series *series =
            begin_series(points, shown->devices[device].label, CHART_LINE_AND_POINTS, device);

        for (size_t i = 0; i < shown->row_count; i++)
            if (shown->rows[i].device == device && shown_same_case(&shown->rows[i], like) &&
                shown_computed(&shown->rows[i]))
                add_point(points, series, shown->rows[i].n, shown->rows[i].times.median);
        if (!series->count)
            points->series_count--;
    }
    plane.count = points->series_count;
    chart_figure(page, title, &plane);
}

kn_status compare_page_lines(struct ki_text *page, const struct shown *shown, kn_error *err)
{
    struct points points;
    bool begun = false, opened = points_open(&points, shown);

    for (size_t i = 0; i < shown->row_count && opened; i++) {
        const struct shown_row *row = &shown->rows[i];

        if (!is_first_of(shown, row, true) || !has_sizes(shown, row))
            continue;
        if (!begun) {
            page_element(page, "h2", "Time against size");
            page_element(page, "p class=\"quiet\"", "The first case of each job that has several sizes.");
            ki_text_add(page, "<div class=\"plots\">\n");
        }
        begun = true;
        draw_sizes(page, shown, row, &points);
    }
    if (begun)
        ki_text_add(page, "</div>\n");
    points_close(&points);
    return opened ? KN_OK : ki_fail_memory(err, 0, "drawing the charts");
}

// ---- rooflines ----

struct roof {
    double bandwidth;      // bytes per second, at the largest footprint
    double flops[2];       // operations per second, in float and double; 0: unknown
    double least, highest; // operations per byte, over everything that is drawn
};

static bool is_point(const struct shown *shown, const struct shown_row *row, size_t device)
{
    return row->device == device && shown_is(row, "right") && row->flops > 0 && row->bytes > 0 &&
           row->times.median > 0 && shown_stands(shown, row);
}

static void find_roof(const struct shown *shown, size_t device, struct roof *roof)
{
    double largest = 0;

    *roof = (struct roof){.least = INFINITY};
    for (size_t i = 0; i < shown->row_count; i++) {
        const struct shown_row *row = &shown->rows[i];
        bool is_double = strcmp(row->type, "double") == 0;

        if (row->device != device || !shown_is(row, "right") || !(row->times.median > 0))
            continue;
        if (strcmp(row->job, "flops") == 0 && row->flops > 0)
            roof->flops[is_double] = fmax(roof->flops[is_double], row->flops / row->times.median);
        if (strcmp(row->job, "bandwidth") == 0 && row->n >= largest) {
            roof->bandwidth = fmax(row->n > largest ? 0 : roof->bandwidth, row->bytes / row->times.median);
            largest = row->n;
        }
        if (is_point(shown, row, device)) {
            roof->least = fmin(roof->least, row->flops / row->bytes);
            roof->highest = fmax(roof->highest, row->flops / row->bytes);
        }
    }
}

static void add_roof(struct points *points, const struct roof *roof, size_t of_double)
{
    struct chart_series *series = begin_series(points, of_double ? "roof, double" : "roof, float",
                                               of_double ? CHART_DASHED : CHART_LINE, 7);
    double ridge = roof->flops[of_double] / roof->bandwidth, begin = fmin(roof->least, ridge) / 2,
           end = fmax(roof->highest, ridge) * 2;

    add_point(points, series, begin, begin * roof->bandwidth / 1e9);
    add_point(points, series, ridge, roof->flops[of_double] / 1e9);
    add_point(points, series, end, roof->flops[of_double] / 1e9);
}

static void list_points(struct ki_text *page, const struct shown *shown, size_t device)
{
    ki_text_add(page, "<ol>");
    for (size_t i = 0; i < shown->row_count; i++) {
        const struct shown_row *row = &shown->rows[i];
        char text[400];

        if (!is_point(shown, row, device))
            continue;
        snprintf(text, sizeof text, "%.120s %.120s: %.4g GFLOP/s at %.3g operations a byte", row->job,
                 row->which, 1e-9 * row->flops / row->times.median, row->flops / row->bytes);
        page_element(page, "li", text);
    }
    ki_text_add(page, "</ol>\n");
}

static void draw_roof(struct ki_text *page, const struct shown *shown, size_t device, const struct roof *roof,
                      struct points *points)
{
    struct chart_series *series;
    char title[320];
    struct chart_plane plane = {title, "operations a byte", "GFLOP/s", points->series, 0, true, true, false};

    points->count = points->series_count = 0;
    snprintf(title, sizeof title, "%s", shown->devices[device].label);
    for (size_t of_double = 0; of_double < 2; of_double++)
        if (roof->flops[of_double] > 0)
            add_roof(points, roof, of_double);
    series = begin_series(points, "jobs", CHART_NUMBERED, device);
    for (size_t i = 0; i < shown->row_count; i++)
        if (is_point(shown, &shown->rows[i], device))
            add_point(points, series, shown->rows[i].flops / shown->rows[i].bytes,
                      1e-9 * shown->rows[i].flops / shown->rows[i].times.median);
    plane.count = points->series_count;
    ki_text_add(page, "<figure class=\"roofline\">");
    page_element(page, "figcaption", title);
    chart_plane(page, &plane);
    list_points(page, shown, device);
    ki_text_add(page, "</figure>\n");
}

kn_status compare_page_roofs(struct ki_text *page, const struct shown *shown, kn_error *err)
{
    struct points points;
    bool begun = false, opened = points_open(&points, shown);

    for (size_t device = 0; device < shown->device_count && opened; device++) {
        struct roof roof;

        find_roof(shown, device, &roof);
        if (!(roof.bandwidth > 0) || !(roof.highest > 0) || !(roof.flops[0] > 0 || roof.flops[1] > 0))
            continue;
        if (!begun) {
            page_element(page, "h2", "Rooflines");
            page_element(
                page, "p class=\"quiet\"",
                "The roof is what the device reached in the jobs bandwidth, at the largest footprint, and "
                "flops. Operations and bytes are the fewest that the work takes, counting each input as read "
                "once and each result as written once; caches can lift a job above the roof.");
            ki_text_add(page, "<div class=\"plots\">\n");
        }
        begun = true;
        draw_roof(page, shown, device, &roof, &points);
    }
    if (begun)
        ki_text_add(page, "</div>\n");
    points_close(&points);
    return opened ? KN_OK : ki_fail_memory(err, 0, "drawing the charts");
}
