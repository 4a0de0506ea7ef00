// SPDX-License-Identifier: Apache-2.0
// koine autocorr: the azimuthal averages with their maxima, and how R_max grows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text/text.h"
#include "cmd_autocorr.h"

enum { CURVES_MAX = 6 }; // frames of a long series that are drawn, from the first to the last

// Draws it, or says that there is nothing to draw.
static kn_status draw(const struct autocorr_run *run, const struct chart_plane *panel,
                      const struct plot_target *to, kn_error *err)
{
    const struct plot plot = {panel->title, panel, 1};

    return plot_try_draw(to, &plot, run->arguments->common.command, err);
}

static char *label(const char *format, const char *unit)
{
    struct ki_text text = KI_TEXT_INIT;

    ki_text_format(&text, "%s (%s)", format, unit);
    return ki_text_take(&text);
}

// The frames that are drawn.
static size_t choose(const struct autocorr_run *run, const struct autocorr_row *chosen[CURVES_MAX])
{
    size_t good = 0, count, at = 0, taken = 0;

    for (size_t i = 0; i < run->row_count; i++)
        good += !run->rows[i].error;
    count = good < CURVES_MAX ? good : CURVES_MAX;
    for (size_t i = 0; i < run->row_count && taken < count; i++) {
        if (run->rows[i].error)
            continue;
        if (at++ == (count > 1 ? taken * (good - 1) / (count - 1) : 0))
            chosen[taken++] = &run->rows[i];
    }
    return taken;
}

static void add_curve(const struct autocorr_run *run, const struct autocorr_row *row, double *numbers,
                      struct chart_series *series)
{
    double *x = numbers, *y = numbers + row->max_offset + 1;

    for (size_t k = 0; k <= row->max_offset; k++) {
        x[k] = row->rings[k].radius * run->pixel;
        y[k] = row->rings[k].value;
    }
    *series = (struct chart_series){.name = row->name, .x = x, .y = y, .count = row->max_offset + 1};
}

kn_status autocorr_plot_c1d(const struct autocorr_run *run, const struct plot_target *to, kn_error *err)
{
    const struct autocorr_row *chosen[CURVES_MAX];
    struct chart_series series[CURVES_MAX + 1];
    double peaks[2][CURVES_MAX], *numbers;
    size_t count = choose(run, chosen), total = 0, at = 0;
    char *x_label = label("Offset R", run->unit);
    struct chart_plane plot = {.title = run->arguments->volume ? "Spherical average of the correlation"
                                                               : "Azimuthal average of the correlation",
                               .x_label = x_label,
                               .y_label = "C1D",
                               .series = series,
                               .count = count + 1};
    kn_status status;

    for (size_t i = 0; i < count; i++)
        total += 2 * (chosen[i]->max_offset + 1);
    numbers = malloc((total + 1) * sizeof *numbers);
    if (!x_label || !numbers) {
        free(x_label);
        free(numbers);
        return ki_fail_memory(err, total * sizeof *numbers, "drawing the plots");
    }
    for (size_t i = 0; i < count; i++) {
        add_curve(run, chosen[i], numbers + at, &series[i]);
        at += 2 * (chosen[i]->max_offset + 1);
        peaks[0][i] = chosen[i]->lengths.r_max;
        peaks[1][i] = chosen[i]->lengths.maximum;
    }
    series[count] = (struct chart_series){
        .name = "R_max", .x = peaks[0], .y = peaks[1], .count = count, .look = CHART_POINTS};
    if (!isfinite(peaks[1][0]) && count == 1) // there is no maximum to mark
        plot.count = count;
    status = draw(run, &plot, to, err);
    free(x_label);
    free(numbers);
    return status;
}

kn_status autocorr_plot_growth(const struct autocorr_run *run, const struct plot_target *to, kn_error *err)
{
    const double end = (double)(run->row_count - 1) * run->interval, ends[] = {0, end};
    const kn_autocorr_line *origin = &run->growth.origin, *line = &run->growth.line;
    const double through[] = {0, origin->slope * end},
                 free_line[] = {line->intercept, line->intercept + line->slope * end};
    double *times = malloc(3 * run->row_count * sizeof *times),
           *lengths = times ? times + run->row_count : NULL,
           *errors = times ? lengths + run->row_count : NULL;
    char *y_label = label("R_max", run->unit);
    const struct chart_series series[] = {
        {.name = "frames, with error bars",
         .x = times,
         .y = lengths,
         .count = run->row_count,
         .look = CHART_POINTS,
         .y_error = errors},
        {.name = "line through the origin", .x = ends, .y = through, .count = 2, .look = CHART_LINE},
        {.name = "free line", .x = ends, .y = free_line, .count = 2, .look = CHART_LINE}};
    const struct chart_plane plot = {.title = "Growth of the characteristic length",
                                     .x_label = "Time t (s)",
                                     .y_label = y_label,
                                     .series = series,
                                     .count = 3};
    kn_status status;

    if (!times || !y_label) {
        status = ki_fail_memory(err, 3 * run->row_count * sizeof *times, "drawing the plots");
    } else {
        for (size_t i = 0; i < run->row_count; i++) {
            times[i] = (double)i * run->interval;
            lengths[i] = run->rows[i].error ? NAN : run->rows[i].lengths.r_max;
            errors[i] = run->rows[i].lengths.r_max_error;
        }
        status = draw(run, &plot, to, err);
    }
    free(times);
    free(y_label);
    return status;
}

// How much correlation is left at each lag, with the level that ends it.
kn_status autocorr_plot_lags(const struct autocorr_run *run, const struct plot_target *to, kn_error *err)
{
    const kn_autocorr_lags *lags = run->lags;
    const double step = run->interval > 0 ? run->interval : 1, ends[] = {0, (double)(lags->count - 1) * step},
                 tends = run->settings.normalization == KN_AUTOCORR_SYMAVG ? 1 : 0,
                 level = tends + (lags->lags[0].value - tends) * exp(-1), levels[] = {level, level};
    double *times = malloc(3 * lags->count * sizeof *times), *values = times ? times + lags->count : NULL,
           *deviations = times ? values + lags->count : NULL;
    const struct chart_series series[] = {
        {.name = "mean of the pairs, with standard deviation",
         .x = times,
         .y = values,
         .count = lags->count,
         .look = CHART_POINTS,
         .y_error = deviations},
        {.name = "1/e", .x = ends, .y = levels, .count = 2, .look = CHART_LINE}};
    const struct chart_plane plot = {.title = "Correlation of frames some time apart",
                                     .x_label = run->interval > 0 ? "Lag (s)" : "Lag (frames)",
                                     .y_label = "Correlation at the offset (0, 0)",
                                     .series = series,
                                     .count = 2};
    kn_status status;

    if (!times)
        return ki_fail_memory(err, 3 * lags->count * sizeof *times, "drawing the plots");
    for (size_t k = 0; k < lags->count; k++) {
        times[k] = (double)k * step;
        values[k] = lags->lags[k].value;
        deviations[k] = lags->lags[k].deviation;
    }
    status = draw(run, &plot, to, err);
    free(times);
    return status;
}

// Figure 6 of the source.
kn_status autocorr_plot_variants(const struct autocorr_run *run, const struct plot_target *to, kn_error *err)
{
    const kn_autocorr_variants *variants = &run->variants;
    struct chart_series series[KN_AUTOCORR_VARIANTS_MAX];
    double offsets[KN_AUTOCORR_LADDER_MAX];
    const struct chart_plane plot = {.title = "Time for all offsets up to R",
                                     .x_label = "Greatest offset R (px)",
                                     .y_label = "Time (s)",
                                     .log_x = true,
                                     .log_y = true,
                                     .series = series,
                                     .count = variants->count};

    for (size_t r = 0; r < variants->offset_count; r++)
        offsets[r] = (double)variants->offsets[r];
    for (size_t m = 0; m < variants->count; m++)
        series[m] = (struct chart_series){.name = variants->items[m].name,
                                          .x = offsets,
                                          .y = variants->items[m].seconds,
                                          .count = variants->offset_count};
    return draw(run, &plot, to, err);
}
