// SPDX-License-Identifier: Apache-2.0
// Charts as SVG elements: inside a page (page.h), in its colours for light, dark and paper; or in a file of
// their own (plot.h). The colours are distinguishable for colour-blind readers, and lines differ in their
// dashes and points in their shapes as well. Names are escaped.
#ifndef KN_CLI_PAGE_CHART_H
#define KN_CLI_PAGE_CHART_H

#include "page.h"

enum { CHART_COLOURS = 8 }; // further series start again with the first colour

// A bar: a row with its name, the bar, and its value in words. The bars of a chart are stacked vertically.
// Where it begins, its length and the ends of its whisker are fractions of the whole width; whiskers are
// drawn if least < most.
struct chart_bar {
    const char *name, *words;
    double begin, length, least, most;
    size_t colour;
    bool wrong; // its words are highlighted
};
void chart_bar(struct ki_text *page, const struct chart_bar *bar);

// Lines and points between two axes. Points that are not finite, or that are not positive on a logarithmic
// axis, are left out; the line is interrupted there. Of a long series, the line goes through all points, and
// some of them are marked.
enum chart_look {
    CHART_LINE_AND_POINTS,
    CHART_LINE,
    CHART_DASHED,
    CHART_NUMBERED, // points, 1, 2, ...
    CHART_POINTS
};
struct chart_series {
    const char *name; // in the legend; NULL: left out of it
    const double *x, *y;
    size_t count;
    enum chart_look look;
    size_t colour;
    const double *y_error; // bars of that length up and down from points; NULL, or not finite: none
};
struct chart_plane {
    const char *title, *x_label, *y_label; // in a page the title is for screen readers
    const struct chart_series *series;
    size_t count;
    bool log_x, log_y;
    bool no_legend; // another chart has it
};

// A chart in a page, with its legend below; draws nothing if no point is left.
void chart_plane(struct ki_text *page, const struct chart_plane *plane);
// The same as a <figure> with its caption, or nothing.
void chart_figure(struct ki_text *page, const char *caption, const struct chart_plane *plane);

// The edges of the frame between the axes, in the units of the SVG around it; there is room for numbers and
// labels outside.
struct chart_frame {
    double left, right, top, bottom;
};
enum { CHART_ROOM_LEFT = 62, CHART_ROOM_BELOW = 48 };

// The elements of a chart without the <svg> around them and without a legend. False, and nothing is drawn, if
// no point is left.
bool chart_draw(struct ki_text *svg, const struct chart_plane *plane, const struct chart_frame *frame);
// Whether series `i` is in the legend: it has a name, and a point in the chart.
bool chart_names(const struct chart_plane *plane, size_t i);
// What the legend shows of a series, 32 units wide and centred on `y`.
void chart_sample(struct ki_text *svg, const struct chart_series *series, double x, double y);

#endif
