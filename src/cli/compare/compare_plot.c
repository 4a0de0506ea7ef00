// SPDX-License-Identifier: Apache-2.0
// The files of koine compare --output: report.json, the page report.html, and for each job with several sizes
// a plot of its rates.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/output.h"
#include "base/text/text.h"
#include "cmd_compare.h"
#include "cli/page/plot.h"
#include "compare_page.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"

static char *path_of(const struct compare_session *session, const char *name, const char *ending)
{
    struct ki_text text = KI_TEXT_INIT;

    ki_text_format(&text, "%s/%s.%s", session->arguments->common.output, name, ending);
    return ki_text_take(&text);
}

// A job with a single size has no curve to draw.
static bool is_plotted(const struct compare_session *session, const struct compare_job *job)
{
    return (session->arguments->quick ? job->quick : job->full)[1] != 0;
}

static kn_status try_file(const struct compare_session *session, const char *name, const char *ending,
                          kn_error *err)
{
    char *path = path_of(session, name, ending);
    kn_status status = path ? report_try_file(path, session->arguments->common.force, err)
                            : ki_fail_memory(err, 0, "naming the files of the result");

    free(path);
    return status;
}

kn_status compare_try_files(const struct compare_session *session, kn_error *err)
{
    const struct common_arguments *common = &session->arguments->common;
    kn_status status = ki_output_folder(common->output, err);

    if (!status)
        status = try_file(session, "report", "json", err);
    if (!status)
        status = try_file(session, "report", "html", err);
    for (size_t i = 0; i < session->job_count && !status; i++)
        if (is_plotted(session, session->jobs[i]))
            status = try_file(session, session->jobs[i]->name, "svg", err);
    return status;
}

// The points of a job: the sizes and rates of each case and place, one case and place after the other.
struct points {
    double *x, *y;
    char (*names)[96];
    struct chart_series *series;
    size_t count, series_count;
};

static void add_series(const struct compare_session *session, const struct compare_job *job,
                       const struct compare_case *which, size_t place, struct points *points)
{
    struct chart_series *series = &points->series[points->series_count];
    size_t first = points->count;

    for (size_t i = 0; i < session->run.row_count; i++) {
        const struct compare_row *row = &session->run.rows[i];

        if (row->job != job || row->which != which || row->place != place || !(row->rate > 0))
            continue;
        points->x[points->count] = (double)row->n;
        points->y[points->count++] = row->rate;
    }
    if (points->count == first)
        return;
    snprintf(points->names[points->series_count], sizeof *points->names, "%s, %s", which->name,
             session->places[place].device->spec);
    *series = (struct chart_series){.name = points->names[points->series_count],
                                    .x = points->x + first,
                                    .y = points->y + first,
                                    .count = points->count - first};
    points->series_count++;
}

static kn_status plot_job(const struct compare_session *session, const struct compare_job *job, kn_error *err)
{
    size_t rows = session->run.row_count, lines = COMPARE_CASES * session->place_count;
    struct points points = {calloc(rows, sizeof(double)),
                            calloc(rows, sizeof(double)),
                            calloc(lines, sizeof *points.names),
                            calloc(lines, sizeof *points.series),
                            0,
                            0};
    char *path = path_of(session, job->name, "svg");
    kn_status status = KN_OK;

    if (!points.x || !points.y || !points.names || !points.series || !path) {
        status = ki_fail_memory(err, 0, "drawing the plots");
    } else {
        for (const struct compare_case *which = job->cases; which->name; which++)
            for (size_t place = 0; place < session->place_count; place++)
                add_series(session, job, which, place, &points);
        const struct plot_target to = {.path = path, .force = session->arguments->common.force};
        const struct chart_plane panel = {.title = job->name,
                                          .x_label = job->size,
                                          .y_label = job->unit,
                                          .series = points.series,
                                          .count = points.series_count,
                                          .log_x = true,
                                          .log_y = true};

        interrupt_hold();
        if (points.count)
            status = plot_draw(&to, &(struct plot){job->name, &panel, 1}, err);
        interrupt_release();
    }
    free(path);
    free(points.x);
    free(points.y);
    free(points.names);
    free(points.series);
    return status;
}

static kn_status write_json(const struct compare_session *session, json_t *root, kn_error *err)
{
    char *path = path_of(session, "report", "json");
    kn_status status;

    if (!path)
        return ki_fail_memory(err, 0, "naming the files of the result");
    interrupt_hold();
    status = ki_json_write(root, path, session->arguments->common.force, err);
    interrupt_release();
    free(path);
    return status;
}

static kn_status write_page(const struct compare_session *session, json_t *root, kn_error *err)
{
    const struct compare_report report = {"", root};
    char *path = path_of(session, "report", "html"), *page = NULL;
    kn_status status = path ? compare_page(&report, 1, &page, err)
                            : ki_fail_memory(err, 0, "naming the files of the result");

    interrupt_hold();
    if (!status)
        status = ki_output_write(path, page, strlen(page), session->arguments->common.force, err);
    interrupt_release();
    free(page);
    free(path);
    return status;
}

kn_status compare_write_files(const struct compare_session *session, json_t *root, kn_error *err)
{
    kn_status status = write_json(session, root, err);

    if (!status)
        status = write_page(session, root, err);
    for (size_t i = 0; i < session->job_count && !status; i++)
        if (is_plotted(session, session->jobs[i]))
            status = plot_job(session, session->jobs[i], err);
    return status;
}
