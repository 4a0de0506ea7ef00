// SPDX-License-Identifier: Apache-2.0
// koine autocorr: its output for people.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cmd_autocorr.h"
#include "cli/framework/table.h"

static void add_file(struct table *table, const struct frame_source *source)
{
    if (source->pages > 1)
        table_add(table, "%s, page %zu", source->file, source->page + 1);
    else
        table_add(table, "%s", source->file);
}

static bool print_frames(const struct autocorr_run *run)
{
    bool timed = run->interval > 0;
    struct table table;

    table_begin(&table, timed ? "lrrrrrrrr" : "lrrrrrrr");
    table_add(&table, "frame");
    if (timed)
        table_add(&table, "t");
    table_add_all(&table,
                  (const char *const[]){"pixels", "R", "R_max", "error", "R_min", "zero", "ms", NULL});
    for (size_t i = 0; i < run->row_count; i++) {
        const struct autocorr_row *row = &run->rows[i];

        if (row->error)
            continue;
        add_file(&table, &row->source);
        if (timed)
            table_add(&table, "%g", (double)i * run->interval);
        if (row->depth)
            table_add(&table, "%zu x %zu x %zu", row->width, row->height, row->depth);
        else
            table_add(&table, "%zu x %zu", row->width, row->height);
        table_add(&table, "%zu", row->max_offset);
        autocorr_add_number(&table, row->lengths.r_max);
        autocorr_add_number(&table, row->lengths.r_max_error);
        autocorr_add_number(&table, row->lengths.r_min);
        autocorr_add_number(&table, row->lengths.r_zero);
        table_add(&table, "%.3g", 1e3 * row->seconds);
    }
    return table_finish(&table);
}

static void print_line(const char *name, const kn_autocorr_line *line, const char *unit)
{
    printf("growth, %s: R_max = (%.6g +- %.2g) %s/s t", name, line->slope, line->slope_error, unit);
    if (!isnan(line->intercept_error))
        printf(" + (%.6g +- %.2g) %s", line->intercept, line->intercept_error, unit);
    printf(", r2 %.6f\n", line->r2);
}

static void print_growth(const struct autocorr_run *run)
{
    if (!run->has_growth)
        return;
    if (run->growth.points < 2) {
        printf("growth: %zu frame%s with an R_max, but a line needs two\n", run->growth.points,
               run->growth.points == 1 ? "" : "s");
        return;
    }
    print_line("through the origin", &run->growth.origin, run->unit);
    print_line("free", &run->growth.line, run->unit);
}

// Advice if no maximum was found.
static void print_hint(const struct autocorr_run *run)
{
    size_t without = 0;

    for (size_t i = 0; i < run->row_count; i++)
        without += !run->rows[i].error && isnan(run->rows[i].lengths.r_max);
    if (without)
        printf("no maximum in %zu frame%s: it may lie beyond R (--max-offset) or be hidden by walls or "
               "uneven light (--region, --mask), or the image may have no such length\n",
               without, without == 1 ? "" : "s");
}

static void print_stabilised(const struct autocorr_run *run)
{
    double farthest = 0, least = INFINITY;

    for (size_t i = 0; run->plan.options.stabilise && i < run->row_count; i++) {
        const kn_autocorr_prepared *prepared = &run->rows[i].prepared;

        if (run->rows[i].error)
            continue;
        farthest = fmax(farthest, hypot(prepared->x, prepared->y));
        least = fmin(least, prepared->certainty);
    }
    if (isfinite(least))
        printf("stabilised: moved by %.3f pixels at most, the least certainty %.1f\n", farthest, least);
}

static void print_verified(const struct autocorr_run *run)
{
    size_t count = 0, wrong = 0;
    uint64_t most = 0;

    for (size_t i = 0; i < run->row_count; i++) {
        count += run->rows[i].verified.count;
        wrong += run->rows[i].verified.wrong;
        most = run->rows[i].verified.most > most ? run->rows[i].verified.most : most;
    }
    if (count && run->bound > 0)
        printf("verified: %zu sums recomputed term by term, the greatest difference %" PRIu64
               ", %zu differ by more than the bound\n",
               count, most, wrong);
    else if (count)
        printf("verified: %zu sums recomputed term by term, %zu differ\n", count, wrong);
}

const char *autocorr_why(const struct autocorr_run *run)
{
    if (run->arguments->method == KN_AUTOCORR_AUTO && !run->series)
        return "three-dimensional sums are computed by transforms";
    return run->arguments->method == KN_AUTOCORR_AUTO ? kn_autocorr_series_get_why(run->series)
                                                      : "named by --method";
}

const char *autocorr_ran(const struct autocorr_run *run)
{
    return autocorr_method_names[run->series ? kn_autocorr_series_get_method(run->series) : KN_AUTOCORR_FFT];
}

bool autocorr_print(const struct autocorr_run *run)
{
    const struct ki_json_seconds *seconds = &run->seconds;

    if (!print_frames(run))
        return false;
    printf("lengths in %s, correlation %s\n", run->unit,
           autocorr_normalization_names[run->settings.normalization]);
    print_growth(run);
    print_stabilised(run);
    if (!autocorr_print_lags(run))
        return false;
    print_hint(run);
    print_verified(run);
    if (run->arguments->method == KN_AUTOCORR_AUTO && run->place.queue)
        printf("%s: %s\n", autocorr_ran(run), autocorr_why(run));
    if (run->place.queue && run->pipeline.why_host)
        printf("normalized on the host: %s\n", run->pipeline.why_host);
    if (run->bound > 0)
        printf("sums in single precision: the error of each is less than %.3g; --exact computes exact sums\n",
               run->bound);
    printf("by %s on ", autocorr_ran(run));
    if (run->share.count)
        share_print(&run->share);
    else
        estimate_print_place(&run->place);
    if (!run->series) {
        printf("; seconds: total %.3f, reading %.3f, compute %.3f\n", seconds->total, seconds->read,
               seconds->compute);
        return true;
    }
    if (run->settings.memory_limit)
        printf(" in %zu pieces", run->pipeline.batches);
    printf("; seconds: total %.3f, waiting for frames %.3f (decoding %.3f in %u thread%s), ", seconds->total,
           run->pipeline.wait, run->pipeline.decode, run->pipeline.decoders,
           run->pipeline.decoders == 1 ? "" : "s");
    if (seconds->build >= 0)
        printf("build %.3f, upload %.3f, compute %.3f, download %.3f\n", seconds->build, seconds->upload,
               seconds->compute, seconds->download);
    else
        printf("compute %.3f\n", seconds->compute);
    return true;
}
