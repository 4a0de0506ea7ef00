// SPDX-License-Identifier: Apache-2.0
// Charts as SVG elements inside a page (page.h), in its colours: light, dark and printed. Names are escaped.
#ifndef KN_CLI_PAGE_CHART_H
#define KN_CLI_PAGE_CHART_H

#include "page.h"

enum { CHART_COLOURS = 8 }; // further series start again with the first colour

// A bar: a row with its name, the bar, and its value in words. The bars of a chart are stacked vertically.
// Its length and the ends of its whisker are fractions of the whole width; whiskers are drawn if least <
// most.
struct chart_bar {
    const char *name, *words;
    double length, least, most;
    size_t colour;
    bool wrong; // its words are highlighted
};
void chart_bar(struct ki_text *page, const struct chart_bar *bar);

// Lines and points between two axes, logarithmic unless `linear` is set. Points that are not finite, or that
// are not positive on a logarithmic axis, are left out; the line is interrupted there.
enum chart_look {
    CHART_LINE_AND_POINTS,
    CHART_LINE,
    CHART_DASHED,
    CHART_NUMBERED, // points, 1, 2, ...
    CHART_POINTS
};
struct chart_series {
    const char *name; // in the legend below the chart; NULL: left out of it
    const double *x, *y;
    size_t count;
    enum chart_look look;
    size_t colour;
    const double *y_error; // bars of that length up and down from points; NULL, or not finite: none
};
struct chart_plane {
    const char *title, *x_label, *y_label; // the title is for screen readers
    const struct chart_series *series;
    size_t count;
    bool linear_x, linear_y;
};
// Draws nothing if no point is left.
void chart_plane(struct ki_text *page, const struct chart_plane *plane);

#endif
