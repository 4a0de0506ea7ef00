// SPDX-License-Identifier: Apache-2.0
#include "plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/output.h"

// The SVG file, in pixels.
enum {
    WIDTH = 800,
    ROOM_RIGHT = 24,
    HEIGHT = 400,       // of the frame of a single panel
    PANEL_HEIGHT = 180, // of each of several
    TITLE = 34,
    PANEL_TITLE = 28,
    GAP = 26,  // below a panel with the numbers of its x axis
    LINE = 22, // of the legend
    LETTER = 8 // at most some, on average
};

// The colours are those of light pages (page.html). Programs that make pictures of SVG files know neither
// variables nor dark schemes.
static const char style[] =
    "text{font:13px system-ui,sans-serif;fill:#1c1e21}.title{font-size:15px}.grid{stroke:#d4d7db}"
    ".frame{fill:none;stroke:#55595f}.line{fill:none;stroke-width:1.8}.mark{stroke-width:1.6}"
    ".s0,.h0{stroke:#0064a8}.s1,.h1{stroke:#b34700}.s2,.h2{stroke:#00705a}.s3,.h3{stroke:#8a3f77}"
    ".s4,.h4{stroke:#7a6100}.s5,.h5{stroke:#3b5bb5}.s6,.h6{stroke:#9c2f2f}.s7,.h7{stroke:#4d5964}"
    ".f0{fill:#0064a8}.f1{fill:#b34700}.f2{fill:#00705a}.f3{fill:#8a3f77}"
    ".h4,.h5,.h6,.h7{fill:#fff}"
    ".d1{stroke-dasharray:12 4}.d2{stroke-dasharray:9 3 2 3}.d3{stroke-dasharray:3 3}.d4{stroke-dasharray:16 "
    "3 3 3}"
    ".d5{stroke-dasharray:7 3 2 3 2 3}.d6{stroke-dasharray:5 5}.d7{stroke-dasharray:2 "
    "2}.dashed{stroke-dasharray:6 4}";

static void add_title(struct ki_text *svg, const char *title, double y, const char *class)
{
    ki_text_format(svg, "<text class=\"%s\" x=\"%d\" y=\"%g\" text-anchor=\"middle\">", class, WIDTH / 2, y);
    page_text(svg, title);
    ki_text_add(svg, "</text>\n");
}

// A width in which a name fits, nearly always.
static double width_of(const char *name)
{
    size_t letters = 0;

    for (; *name; name++)
        letters += ((unsigned char)*name & 0xc0) != 0x80; // not in the middle of a letter
    return 32 + 6 + LETTER * (double)letters + 20;
}

// Adds the names of the series, as many side by side as fit; returns where the next element begins.
static double add_legend(struct ki_text *svg, const struct chart_plane *plane, double y)
{
    double x = CHART_ROOM_LEFT;

    for (size_t i = 0; i < plane->count; i++) {
        double width;

        if (!chart_names(plane, i))
            continue;
        width = width_of(plane->series[i].name);
        if (x > CHART_ROOM_LEFT && x + width > WIDTH) {
            x = CHART_ROOM_LEFT;
            y += LINE;
        }
        chart_sample(svg, &plane->series[i], x, y);
        ki_text_format(svg, "<text x=\"%g\" y=\"%g\">", x + 38, y + 4);
        page_text(svg, plane->series[i].name);
        ki_text_add(svg, "</text>\n");
        x += width;
    }
    return plane->no_legend ? y : y + LINE;
}

static bool same_label(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

// Adds a panel whose upper edge is at `y`; returns where the next one begins, or -1 if there was no point.
static double add_panel(struct ki_text *svg, const struct plot *plot, size_t i, double y)
{
    struct chart_plane panel = plot->panels[i];
    bool is_last = i + 1 == plot->count, several = plot->count > 1;
    double height = several ? PANEL_HEIGHT : HEIGHT;
    struct chart_frame frame = {CHART_ROOM_LEFT, WIDTH - ROOM_RIGHT, y, y + height};

    if (several) {
        add_title(svg, panel.title, y + 16, "panel");
        frame.top += PANEL_TITLE;
        frame.bottom += PANEL_TITLE;
    }
    if (!is_last && same_label(panel.x_label, plot->panels[plot->count - 1].x_label))
        panel.x_label = NULL;
    if (!chart_draw(svg, &panel, &frame))
        return -1;
    return add_legend(svg, &panel, frame.bottom + (panel.x_label ? CHART_ROOM_BELOW + 8 : GAP + 8));
}

static kn_status write_file(const char *path, const struct plot *plot, bool force, kn_error *err)
{
    struct ki_text panels = KI_TEXT_INIT, svg = KI_TEXT_INIT;
    double y = TITLE;
    kn_status status = KN_OK;

    for (size_t i = 0; i < plot->count && !status; i++) {
        y = add_panel(&panels, plot, i, y);
        if (y < 0)
            status = plot->count > 1
                         ? ki_fail(err, KN_ERROR_ARGUMENT, "'%s' has no point to draw", plot->panels[i].title)
                         : ki_fail(err, KN_ERROR_ARGUMENT, "there is no point to draw");
    }
    ki_text_format(&svg,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
                   "width=\"%d\" height=\"%g\" viewBox=\"0 0 %d %g\">\n<style>%s</style>\n"
                   "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                   WIDTH, y, WIDTH, y, style);
    add_title(&svg, plot->count > 1 ? plot->title : plot->panels[0].title, TITLE - 14, "title");
    ki_text_add(&svg, ki_text_string(&panels));
    ki_text_add(&svg, "</svg>\n");
    if (!status)
        status = svg.failed || panels.failed ? ki_fail_memory(err, 0, "drawing a plot")
                                             : ki_output_write(path, svg.data, svg.length, force, err);
    ki_text_free(&panels);
    ki_text_free(&svg);
    return status;
}

// A page has one figure for each panel, and each of them its axes and its legend.
static kn_status add_figures(struct ki_text *page, const struct plot *plot, kn_error *err)
{
    struct ki_text caption = KI_TEXT_INIT;

    if (plot->count > 1)
        ki_text_add(page, "<div class=\"plots\">\n");
    for (size_t i = 0; i < plot->count; i++) {
        struct chart_plane panel = plot->panels[i];

        panel.no_legend = false;
        page->failed = page->failed || caption.failed;
        ki_text_clear(&caption);
        if (plot->count > 1)
            ki_text_format(&caption, "%s: ", plot->title);
        ki_text_add(&caption, panel.title);
        chart_figure(page, ki_text_string(&caption), &panel);
    }
    if (plot->count > 1)
        ki_text_add(page, "</div>\n");
    page->failed = page->failed || caption.failed;
    ki_text_free(&caption);
    return page->failed ? ki_fail_memory(err, 0, "drawing a plot") : KN_OK;
}

// A copy of the panels with a colour for each series.
static struct chart_plane *coloured(const struct plot *plot, struct chart_series **all)
{
    struct chart_plane *panels = calloc(plot->count, sizeof *panels);
    size_t count = 0, at = 0;

    for (size_t i = 0; i < plot->count; i++)
        count += plot->panels[i].count;
    *all = calloc(count + 1, sizeof **all);
    for (size_t i = 0; i < plot->count && panels && *all; i++) {
        panels[i] = plot->panels[i];
        panels[i].series = *all + at;
        for (size_t k = 0; k < panels[i].count; k++, at++) {
            (*all)[at] = plot->panels[i].series[k];
            (*all)[at].colour = k;
        }
    }
    return panels;
}

kn_status plot_draw(const struct plot_target *to, const struct plot *plot, kn_error *err)
{
    struct chart_series *series;
    struct chart_plane *panels = coloured(plot, &series);
    const struct plot drawn = {plot->title, panels, plot->count};
    kn_status status;

    if (!panels || !series)
        status = ki_fail_memory(err, 0, "drawing a plot");
    else
        status = to->path ? write_file(to->path, &drawn, to->force, err) : add_figures(to->page, &drawn, err);
    free(panels);
    free(series);
    return status;
}

kn_status plot_try_draw(const struct plot_target *to, const struct plot *plot, const char *command,
                        kn_error *err)
{
    kn_error why = KN_ERROR_INIT;
    kn_status status = plot_draw(to, plot, &why);

    if (status == KN_ERROR_ARGUMENT) {
        fprintf(stderr, "%s: %s is not drawn: %s\n", command, to->path, why.text);
        return KN_OK;
    }
    if (status && err)
        *err = why;
    return status;
}
