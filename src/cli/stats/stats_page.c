// SPDX-License-Identifier: Apache-2.0
// koine stats: the charts of its page, --report.
#include <math.h>
#include <string.h>

#include "cmd_stats.h"
#include "cli/framework/report.h"

enum { COLUMNS_MAX = 40 };

// The interval that the bars of the columns share.
struct extent {
    double low, high;
};

static struct extent extent_of(const struct stats_run *run, size_t count)
{
    struct extent all = {INFINITY, -INFINITY};

    for (size_t group = 0; group < count; group++) {
        const kn_stats *result = &stats_row(run, group, 0)->result;

        if (isfinite(result->median) && isfinite(result->mad)) {
            all.low = fmin(all.low, result->median - result->mad);
            all.high = fmax(all.high, result->median + result->mad);
        }
    }
    return all;
}

static void add_column(const struct stats_run *run, size_t group, const struct extent *all,
                       struct ki_text *figure)
{
    const struct stats_row *row = stats_row(run, group, 0);
    const double least = 0.004, width = all->high - all->low, mad = row->result.mad;
    struct ki_text name = KI_TEXT_INIT;
    struct chart_bar bar = {.length = isfinite(mad) ? fmax(2 * mad / width, least) : 0,
                            .begin = (row->result.median - mad - all->low) / width};
    char words[80];

    if (run->file_count > 1)
        ki_text_format(&name, "%s: ", row->file);
    ki_text_add(&name, row->column);
    snprintf(words, sizeof words, "%.6g; MAD %.6g", row->result.median, mad);
    bar.name = ki_text_string(&name);
    bar.words = words;
    bar.begin = fmin(bar.begin, 1 - bar.length);
    chart_bar(figure, &bar);
    figure->failed = figure->failed || name.failed;
    ki_text_free(&name);
}

// The medians of the columns and the MAD around them, as bars, if there are at least two to compare.
static void add_columns(const struct stats_run *run, struct ki_text *figures)
{
    size_t groups = stats_groups(run), count = groups < COLUMNS_MAX ? groups : COLUMNS_MAX;
    struct extent all = extent_of(run, count);

    if (count < 2 || !(all.low < all.high))
        return;
    ki_text_format(figures,
                   "<figure><figcaption>Medians: each bar extends from the MAD below the median to the MAD "
                   "above it, between %.6g at the left and %.6g at the right",
                   all.low, all.high);
    if (count < groups)
        ki_text_format(figures, "; the first %zu of %zu columns", count, groups);
    ki_text_add(figures, "</figcaption>\n");
    for (size_t group = 0; group < count; group++)
        add_column(run, group, &all, figures);
    ki_text_add(figures, "</figure>\n");
}

kn_status stats_illustrate(const struct stats_run *run, json_t **root, kn_error *err)
{
    const bool has_prefixes = run->cuts.parts || run->cuts.step, has_windows = run->window.value > 0;
    struct ki_text figures = KI_TEXT_INIT;
    const struct plot_target to = {.page = &figures};
    kn_status status = KN_OK;

    if (!run->arguments->common.report)
        return KN_OK;
    if (has_prefixes && !run->arguments->sweep)
        status = stats_plot_time(run, &to, err);
    if (!status && has_prefixes)
        status = stats_plot_cv(run, &to, err);
    if (!status && has_prefixes)
        status = stats_plot_mad(run, &to, err);
    if (!status && has_windows)
        status = stats_plot_windows(run, &to, err);
    if (!status && !has_prefixes && !has_windows)
        add_columns(run, &figures);
    if (!status)
        report_figures(root, &run->arguments->common, &figures);
    ki_text_free(&figures);
    return status;
}
