// SPDX-License-Identifier: Apache-2.0
// koine autocorr: the pictures and plots of its page, --report.
#include <stdlib.h>

#include "base/error.h"
#include "base/text/text.h"
#include "cmd_autocorr.h"
#include "cli/framework/report.h"

// ---- the mean correlation ----

static size_t rows_of(const struct autocorr_run *run, size_t max_offset)
{
    return run->arguments->volume ? 2 * max_offset + 1 : max_offset + 1;
}

kn_status autocorr_add_up(struct autocorr_run *run, const kn_autocorr_analysis *frame, kn_error *err)
{
    struct autocorr_sum *sum = &run->sum;
    size_t count = (2 * frame->max_offset + 1) * rows_of(run, frame->max_offset);

    if (!frame->values || (sum->values && sum->max_offset != frame->max_offset))
        return KN_OK;
    if (!sum->values) {
        sum->values = calloc(count, sizeof *sum->values);
        sum->max_offset = frame->max_offset;
    }
    if (!sum->values)
        return ki_fail_memory(err, count * sizeof *sum->values, "the mean of the correlations");
    for (size_t i = 0; i < count; i++)
        sum->values[i] += frame->values[i];
    sum->frames++;
    return KN_OK;
}

static kn_status add_mean(const struct autocorr_run *run, json_t **root, kn_error *err)
{
    const struct autocorr_sum *sum = &run->sum;
    size_t width = 2 * sum->max_offset + 1, rows = rows_of(run, sum->max_offset);
    double *mean = malloc(width * rows * sizeof *mean);
    struct ki_text caption = KI_TEXT_INIT;
    bool made;

    ki_text_add(&caption, "The correlation C(X0, Y0)");
    if (run->arguments->volume)
        ki_text_add(&caption, ", of the volume in the plane Z0 = 0,");
    if (sum->frames > 1)
        ki_text_format(&caption, ", the mean of %zu frames,", sum->frames);
    ki_text_format(&caption, " for X0 from -%zu to %zu and Y0 from %s%zu, at the top, to %zu",
                   sum->max_offset, sum->max_offset, run->arguments->volume ? "-" : "",
                   run->arguments->volume ? sum->max_offset : 0, sum->max_offset);
    for (size_t i = 0; mean && i < width * rows; i++)
        mean[i] = sum->values[i] / (double)sum->frames;
    made = mean && !caption.failed;
    if (made)
        report_picture(root, &run->arguments->common, caption.data, mean, width, rows);
    free(mean);
    ki_text_free(&caption);
    return made ? KN_OK : ki_fail_memory(err, width * rows * sizeof *mean, "a picture");
}

// ---- the plots of --output ----

static kn_status add_plots(const struct autocorr_run *run, json_t **root, kn_error *err)
{
    struct ki_text figures = KI_TEXT_INIT;
    const struct plot_target to = {.page = &figures};
    kn_status status = autocorr_plot_c1d(run, &to, err);

    if (!status && run->has_growth && run->growth.points)
        status = autocorr_plot_growth(run, &to, err);
    if (!status && run->lags)
        status = autocorr_plot_lags(run, &to, err);
    if (!status && run->arguments->variants)
        status = autocorr_plot_variants(run, &to, err);
    if (!status)
        report_figures(root, &run->arguments->common, &figures);
    ki_text_free(&figures);
    return status;
}

kn_status autocorr_illustrate(const struct autocorr_run *run, json_t **root, kn_error *err)
{
    kn_status status = KN_OK;

    if (!run->arguments->common.report)
        return KN_OK;
    if (run->sum.frames)
        status = add_mean(run, root, err);
    return status || run->pipeline.failed == run->frames.count ? status : add_plots(run, root, err);
}
