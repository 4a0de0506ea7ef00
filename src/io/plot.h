// SPDX-License-Identifier: Apache-2.0
// Plots as SVG: lines with points, labelled axes (also logarithmic ones), a legend. The colours are
// distinguishable for colour-blind readers, and lines and points differ in grey as well. They are drawn by
// gnuplot, which runs as a separate program; without it there are no plots, and plot_available says so
// beforehand.
#ifndef KN_IO_PLOT_H
#define KN_IO_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

enum plot_look {
    PLOT_LINE_AND_POINTS,
    PLOT_LINE,  // computed from points, such as a fit
    PLOT_POINTS // single, larger points
};

struct plot_series {
    const char *name; // for the legend
    const double *x, *y;
    size_t count;
    enum plot_look look;
    const double *y_error; // for PLOT_POINTS: bars of that length up and down; NULL, or not finite: none
};

struct plot {
    const char *title, *x_label, *y_label;
    bool log_x, log_y;
    const struct plot_series *series;
    size_t series_count;
    bool no_legend; // another panel of the page has it
};

// Several plots below each other; the label of the last one's x axis is for all.
struct plot_page {
    const char *title; // above all
    const struct plot *panels;
    size_t panel_count;
};

bool plot_available(void);

// Writes the SVG; the file appears whole or not at all (output.h). A point that is not finite, or not
// positive on a logarithmic axis, is left out, and the line is interrupted there; for a long series the line
// goes through all points, and some of them are marked. Errors: KN_ERROR_ARGUMENT if no point is left (in one
// of the panels); KN_ERROR_UNSUPPORTED without gnuplot; KN_ERROR_OUTPUT; KN_ERROR_MEMORY.
kn_status plot_write(const char *path, const struct plot *plot, bool force, kn_error *err);
kn_status plot_write_page(const char *path, const struct plot_page *page, bool force, kn_error *err);

#endif
