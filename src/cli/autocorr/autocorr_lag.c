// SPDX-License-Identifier: Apache-2.0
// koine autocorr --lag: the results for frames some lags apart, as a table, as files, and in the JSON.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/output.h"
#include "base/text/text.h"
#include "io/array/npy.h"
#include "cmd_autocorr.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

// Their files; a frame's own have a second ending, so that none has the name of these.
static const char *const endings[] = {".csv", "-c1d.csv", "-c2d.npy", "-pairs.npy", NULL};

static char *path_of(const struct autocorr_run *run, const char *ending)
{
    return prepare_path(run->arguments->common.output, "lag", ending);
}

static kn_status try_path(const struct autocorr_run *run, const char *ending, kn_error *err)
{
    char *path = path_of(run, ending);
    kn_status status = path ? report_try_file(path, run->arguments->common.force, err)
                            : ki_fail_memory(err, 0, "naming the files");

    free(path);
    return status;
}

kn_status autocorr_try_lags(const struct autocorr_run *run, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t e = 0; endings[e] && !status; e++)
        status = try_path(run, endings[e], err);
    return status ? status : try_path(run, ".svg", err);
}

bool autocorr_list_lags(const struct autocorr_run *run, void (*each)(void *data, const char *path),
                        void *data)
{
    static const char plot[] = ".svg";
    bool named = true;

    for (size_t e = 0, last = 0; !last && named; e++) {
        char *path = path_of(run, endings[e] ? endings[e] : plot);

        last = !endings[e];
        named = path;
        if (path)
            each(data, path);
        free(path);
    }
    return named;
}

// ---- the table ----

static bool print_table(const struct autocorr_run *run)
{
    const kn_autocorr_lags *lags = run->lags;
    const bool timed = run->interval > 0;
    struct table table;

    table_begin(&table, timed ? "rrrrrrr" : "rrrrrr");
    table_add(&table, "lag");
    if (timed)
        table_add(&table, "t");
    table_add_all(&table, (const char *const[]){"pairs", "correlation", "deviation", "R_max", "error", NULL});
    for (size_t k = 0; k < lags->count; k++) {
        const kn_autocorr_lag *lag = &lags->lags[k];

        table_add(&table, "%zu", k);
        if (timed)
            table_add(&table, "%g", (double)k * run->interval);
        table_add(&table, "%zu", lag->pairs);
        autocorr_add_number(&table, lag->value);
        autocorr_add_number(&table, lag->deviation);
        autocorr_add_number(&table, lag->lengths.r_max * run->pixel);
        autocorr_add_number(&table, lag->lengths.r_max_error * run->pixel);
    }
    return table_finish(&table);
}

bool autocorr_print_lags(const struct autocorr_run *run)
{
    if (!run->lags)
        return true;
    if (!print_table(run))
        return false;
    if (isnan(run->lags->decorrelation))
        printf("decorrelation: the correlation does not fall to 1/e up to lag %zu\n", run->lags->count - 1);
    else if (run->interval > 0)
        printf("decorrelation: the correlation falls to 1/e at lag %.6g, %.6g s\n", run->lags->decorrelation,
               run->lags->decorrelation * run->interval);
    else
        printf("decorrelation: the correlation falls to 1/e at lag %.6g\n", run->lags->decorrelation);
    return true;
}

// ---- files ----

static kn_status write_text(const struct autocorr_run *run, const char *path, struct ki_text *text,
                            kn_error *err)
{
    kn_status status =
        text->failed ? ki_fail_memory(err, 0, "writing the results")
                     : ki_output_write(path, text->data, text->length, run->arguments->common.force, err);

    ki_text_free(text);
    return status;
}

static kn_status write_table(const struct autocorr_run *run, const char *path, kn_error *err)
{
    struct ki_text text = KI_TEXT_INIT;

    ki_text_format(&text, "lag%s,pairs,correlation,standard_deviation,r_max_%s,r_max_error_%s\n",
                   run->interval > 0 ? ",t_s" : "", run->unit, run->unit);
    for (size_t k = 0; k < run->lags->count; k++) {
        const kn_autocorr_lag *lag = &run->lags->lags[k];

        ki_text_format(&text, "%zu", k);
        if (run->interval > 0)
            autocorr_add_cell(&text, (double)k * run->interval);
        ki_text_format(&text, ",%zu", lag->pairs);
        autocorr_add_cell(&text, lag->value);
        autocorr_add_cell(&text, lag->deviation);
        autocorr_add_cell(&text, lag->lengths.r_max * run->pixel);
        autocorr_add_cell(&text, lag->lengths.r_max_error * run->pixel);
        ki_text_add(&text, "\n");
    }
    return write_text(run, path, &text, err);
}

static kn_status write_c1d(const struct autocorr_run *run, const char *path, kn_error *err)
{
    const size_t rings = run->lags->max_offset + 1;
    struct ki_text text = KI_TEXT_INIT;

    ki_text_format(&text, "lag,r_%s,c1d,standard_error,count\n", run->unit);
    for (size_t i = 0; i < run->lags->count * rings; i++) {
        const kn_autocorr_ring *ring = &run->lags->rings[i];

        ki_text_format(&text, "%zu", i / rings);
        autocorr_add_cell(&text, ring->radius * run->pixel);
        autocorr_add_cell(&text, ring->value);
        autocorr_add_cell(&text, ring->error);
        ki_text_format(&text, ",%zu\n", (size_t)ring->count);
    }
    return write_text(run, path, &text, err);
}

static kn_status write_c2d(const struct autocorr_run *run, const char *path, kn_error *err)
{
    const kn_autocorr_lags *lags = run->lags;
    const struct npy array = {.type = KN_F64,
                              .dims = 3,
                              .shape = {lags->count, lags->max_offset + 1, 2 * lags->max_offset + 1},
                              .data = (double *)lags->values};

    return npy_write(path, &array, run->arguments->common.force, err);
}

static kn_status write_pairs(const struct autocorr_run *run, const char *path, kn_error *err)
{
    const kn_autocorr_lags *lags = run->lags;
    const struct npy array = {.type = KN_F64,
                              .dims = 2,
                              .shape = {lags->count, lags->frames},
                              .data = (double *)lags->correlations};

    return npy_write(path, &array, run->arguments->common.force, err);
}

kn_status autocorr_write_lags(const struct autocorr_run *run, kn_error *err)
{
    static kn_status (*const writers[])(const struct autocorr_run *, const char *,
                                        kn_error *) = {write_table, write_c1d, write_c2d, write_pairs};
    kn_status status = KN_OK;

    interrupt_hold();
    for (size_t e = 0; endings[e] && !status; e++) {
        char *path = path_of(run, endings[e]);

        status = path ? writers[e](run, path, err) : ki_fail_memory(err, 0, "naming the files");
        free(path);
    }
    interrupt_release();
    return status;
}

// ---- JSON ----

static json_t *rings_json(const struct autocorr_run *run, size_t k)
{
    const size_t rings = run->lags->max_offset + 1;
    json_t *array = json_array();

    for (size_t r = 0; r < rings; r++)
        report_append(&array, autocorr_ring_json(run, &run->lags->rings[k * rings + r]));
    return array;
}

static json_t *pairs_json(const struct autocorr_run *run, size_t k)
{
    const kn_autocorr_lags *lags = run->lags;
    json_t *array = json_array();

    for (size_t i = 0; i + k < lags->frames; i++)
        report_append(&array, ki_json_double(lags->correlations[k * lags->frames + i]));
    return array;
}

static json_t *lag_json(const struct autocorr_run *run, size_t k)
{
    const kn_autocorr_lag *lag = &run->lags->lags[k];
    kn_autocorr_lengths lengths = lag->lengths;
    json_t *object = json_object();

    autocorr_scale(&lengths, run->pixel);
    report_put(&object, "lag", json_integer((json_int_t)k));
    if (run->interval > 0)
        report_put(&object, "t", ki_json_double((double)k * run->interval));
    report_put(&object, "pairs", json_integer((json_int_t)lag->pairs));
    report_put(&object, "correlation", ki_json_double(lag->value));
    report_put(&object, "deviation", ki_json_double(lag->deviation));
    autocorr_put_lengths(&object, &lengths);
    report_put(&object, "c1d", rings_json(run, k));
    report_put(&object, "correlations", pairs_json(run, k));
    return object;
}

json_t *autocorr_lags_json(const struct autocorr_run *run)
{
    json_t *object = json_object(), *lags = json_array();

    for (size_t k = 0; k < run->lags->count; k++)
        report_append(&lags, lag_json(run, k));
    report_put(&object, "decorrelation", ki_json_double(run->lags->decorrelation));
    if (run->interval > 0)
        report_put(&object, "decorrelation_seconds",
                   ki_json_double(run->lags->decorrelation * run->interval));
    report_put(&object, "lags", lags);
    return object;
}
