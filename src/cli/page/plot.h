// SPDX-License-Identifier: Apache-2.0
// Plots of a command: charts (chart.h) below each other, as an SVG file, or as figures of the page of
// --report.
#ifndef KN_CLI_PAGE_PLOT_H
#define KN_CLI_PAGE_PLOT_H

#include <koine/error.h>

#include "chart.h"

// The series of each panel have the colours 0, 1, ..., whatever they say.
struct plot {
    const char *title; // above all; that of a single panel is taken instead
    const struct chart_plane *panels;
    size_t count;
};

// Where plots go: a file, or a page that is being written.
struct plot_target {
    const char *path; // NULL: the page
    bool force;       // overwrite the file
    struct ki_text *page;
};

// Draws a plot. A file appears whole or not at all (output.h), in white, and refers to nothing outside; its
// last panel has the label of the x axis for those with the same one. A panel without a point is left out of
// a page. Errors: KN_ERROR_ARGUMENT if one has no point, for a file; KN_ERROR_OUTPUT; KN_ERROR_MEMORY.
kn_status plot_draw(const struct plot_target *to, const struct plot *plot, kn_error *err);

// The same, but a file that has no point to draw is left out, which a line on standard error says.
kn_status plot_try_draw(const struct plot_target *to, const struct plot *plot, const char *command,
                        kn_error *err);

#endif
