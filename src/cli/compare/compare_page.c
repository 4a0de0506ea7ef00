// SPDX-License-Identifier: Apache-2.0
#include "compare_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

// ---- machines and devices ----

static void add_gibibytes(struct ki_text *page, double bytes)
{
    page_number(page, bytes / 1073741824, 4);
}

// The version, and the commit where the build knew it.
static void version_cell(struct ki_text *page, const json_t *root)
{
    char text[160];
    const char *commit = shown_text(root, "commit");

    snprintf(text, sizeof text, "%.60s%s%.80s", shown_text(root, "koine"), *commit ? ", commit " : "",
             commit);
    page_cell(page, NULL, text);
}

static void machines(struct ki_text *page, const struct shown *shown)
{
    static const char *const columns[] = {"#machine", "processor", "#memory, GiB", "system", "Koine",
                                          "policy",   "sizes",     "date",         "report"};
    bool several = shown->report_count > 1;

    page_element(page, "h2", several ? "Machines" : "Machine");
    page_table(page, columns, KI_COUNT(columns) - !several, false);
    for (size_t i = 0; i < shown->report_count; i++) {
        const json_t *root = shown->reports[i].root, *machine = json_object_get(root, "machine");
        const char *processor = shown_text(machine, "processor"), *date = shown_text(root, "date");

        ki_text_add(page, "<tr>");
        page_number(page, (double)(i + 1), 9);
        page_cell(page, NULL, *processor ? processor : "not stated");
        add_gibibytes(page, shown_number(machine, "memory"));
        page_cell(page, NULL, shown_text(machine, "system"));
        version_cell(page, root);
        page_cell(page, NULL, shown_text(root, "policy"));
        page_cell(page, NULL, json_is_true(json_object_get(root, "quick")) ? "--quick" : "full");
        page_cell(page, NULL, date);
        if (several)
            page_cell(page, NULL, shown->reports[i].file);
        ki_text_add(page, "</tr>\n");
    }
    page_table_end(page);
}

static void devices(struct ki_text *page, const struct shown *shown)
{
    static const char *const columns[] = {"device",   "path",     "version",      "driver",
                                          "compiler", "#machine", "right answers"};

    page_element(page, "h2", "Devices");
    page_table(page, columns, KI_COUNT(columns), false);
    for (size_t i = 0; i < shown->device_count; i++) {
        const struct shown_device *device = &shown->devices[i];
        size_t right = 0, wrong = 0;
        char answers[96];

        for (size_t j = 0; j < shown->row_count; j++) {
            right += shown->rows[j].device == i && shown_is(&shown->rows[j], "right");
            wrong += shown->rows[j].device == i && shown_is(&shown->rows[j], "wrong");
        }
        snprintf(answers, sizeof answers, "%zu of %zu", right, right + wrong);
        ki_text_add(page, "<tr>");
        page_cell(page, NULL, device->name);
        page_cell(page, NULL, device->spec);
        page_cell(page, NULL, device->version);
        page_cell(page, NULL, device->driver);
        page_cell(page, NULL, device->compiler);
        page_number(page, (double)(device->report + 1), 9);
        page_cell(page, wrong ? "wrong" : NULL, answers);
        ki_text_add(page, "</tr>\n");
    }
    page_table_end(page);
}

// ---- jobs by device ----

static const struct shown_row *row_of(const struct shown *shown, const struct shown_row *like, size_t device)
{
    for (size_t i = 0; i < shown->row_count; i++)
        if (shown->rows[i].device == device && shown->rows[i].n == like->n &&
            shown_same_case(&shown->rows[i], like))
            return &shown->rows[i];
    return NULL;
}

static bool is_first(const struct shown *shown, const struct shown_row *row)
{
    for (const struct shown_row *before = shown->rows; before < row; before++)
        if (before->n == row->n && shown_same_case(before, row))
            return false;
    return true;
}

static void add_change(char *text, size_t size, const struct shown_row *row)
{
    size_t length = strlen(text);

    if (*row->change && strcmp(row->change, "same") != 0)
        snprintf(text + length, size - length, ", %s than the baseline: %.2f of its time", row->change,
                 row->change_ratio);
}

static const char *change_class(const struct shown_row *row)
{
    return strcmp(row->change, "slower") == 0   ? "number slower"
           : strcmp(row->change, "faster") == 0 ? "number faster"
                                                : "number";
}

static void matrix_cell(struct ki_text *page, const struct shown_row *row)
{
    char text[640];

    if (!row) {
        page_cell(page, "quiet", "not in this report");
    } else if (shown_is(row, "right")) {
        snprintf(text, sizeof text, "%.4g", row->rate);
        if (isfinite(row->share))
            snprintf(text + strlen(text), sizeof text - strlen(text), " (%.0f %%)", 100 * row->share);
        add_change(text, sizeof text, row);
        page_cell(page, change_class(row), text);
    } else {
        shown_verdict(row, text, sizeof text);
        page_cell(page, shown_is(row, "wrong") ? "wrong" : "quiet", text);
    }
}

static void matrix(struct ki_text *page, const struct shown *shown)
{
    page_element(page, "h2", "Jobs by device");
    page_element(
        page, "p class=\"quiet\"",
        "The rate of each job at one size, and in brackets its part of what the same device reached in the "
        "jobs bandwidth and flops. Every answer was held against that of the host, in double precision or "
        "bit by bit; a wrong one is red.");
    ki_text_add(
        page,
        "<div class=\"scroll\"><table id=\"jobs\"><thead><tr><th scope=\"col\">job</th><th scope=\"col\" "
        "class=\"number\">size</th><th scope=\"col\">unit</th>");
    for (size_t i = 0; i < shown->device_count; i++)
        page_element(page, "th scope=\"col\"", shown->devices[i].label);
    ki_text_add(page, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < shown->row_count; i++) {
        const struct shown_row *row = &shown->rows[i];
        char name[256];

        if (!is_first(shown, row) || !shown_stands(shown, row))
            continue;
        snprintf(name, sizeof name, "%.120s %.120s", row->job, row->which);
        ki_text_add(page, "<tr>");
        page_element(page, "th scope=\"row\"", name);
        snprintf(name, sizeof name, "%.0f %.120s", row->n, row->counts);
        page_cell(page, "number", name);
        page_cell(page, NULL, row->unit);
        for (size_t device = 0; device < shown->device_count; device++)
            matrix_cell(page, row_of(shown, row, device));
        ki_text_add(page, "</tr>\n");
    }
    page_table_end(page);
}

// ---- all rows ----

static void all_rows(struct ki_text *page, const struct shown *shown)
{
    static const char *const columns[] = {"job",    "case",   "#size",  "device", "#median, ms",
                                          "#least", "#most",  "#rate",  "unit",   "#of ceiling, %",
                                          "#ratio", "#error", "#bound", "answer"};

    page_element(page, "h2", "All results");
    page_element(
        page, "p class=\"quiet\"",
        "A click on the head of a column sorts by it; so do Enter and the space bar on it. Times are by the "
        "device's clock, or by the wall clock where it has none; the ratio is to the machine's first "
        "device.");
    page_table(page, columns, KI_COUNT(columns), true);
    for (size_t i = 0; i < shown->row_count; i++) {
        const struct shown_row *row = &shown->rows[i];
        char verdict[640];

        shown_verdict(row, verdict, sizeof verdict);
        add_change(verdict, sizeof verdict, row);
        ki_text_add(page, "<tr>");
        page_cell(page, NULL, row->job);
        page_cell(page, NULL, row->which);
        page_number(page, row->n, 12);
        page_cell(page, NULL, shown->devices[row->device].mark);
        page_number(page, 1e3 * row->times.median, 4);
        page_number(page, 1e3 * row->times.least, 4);
        page_number(page, 1e3 * row->times.most, 4);
        page_number(page, row->rate, 4);
        page_cell(page, NULL, row->unit);
        page_number(page, 100 * row->share, 3);
        page_number(page, row->ratio, 3);
        page_number(page, row->error, 2);
        page_number(page, row->bound, 2);
        page_cell(page, shown_is(row, "wrong") ? "wrong" : NULL, verdict);
        ki_text_add(page, "</tr>\n");
    }
    page_table_end(page);
}

// ---- real data ----

// Names the files behind the cases that are not computed from numbers made on the spot.
static void real_data(struct ki_text *page, const struct shown *shown)
{
    static const char *const columns[] = {"job", "case", "file below KOINE_DATA"};
    bool begun = false;

    for (size_t i = 0; i < shown->row_count; i++) {
        const struct shown_row *row = &shown->rows[i];

        if (!*row->data || !is_first(shown, row))
            continue;
        if (!begun) {
            page_element(page, "h2", "Real data");
            page_table(page, columns, KI_COUNT(columns), false);
        }
        begun = true;
        ki_text_add(page, "<tr>");
        page_cell(page, NULL, row->job);
        page_cell(page, NULL, row->which);
        page_cell(page, NULL, row->data);
        ki_text_add(page, "</tr>\n");
    }
    if (begun)
        page_table_end(page);
}

// ---- the whole page ----

static void summary(struct ki_text *page, const struct shown *shown)
{
    size_t wrong = 0, failed = 0, slower = 0;
    char text[256];

    for (size_t i = 0; i < shown->row_count; i++) {
        wrong += shown_is(&shown->rows[i], "wrong");
        failed += shown_is(&shown->rows[i], "failed");
        slower += strcmp(shown->rows[i].change, "slower") == 0;
    }
    snprintf(text, sizeof text, "%zu results on %zu devices and paths: %zu wrong, %zu failed.",
             shown->row_count, shown->device_count, wrong, failed);
    page_element(page, wrong ? "p class=\"wrong\"" : "p", text);
    if (slower) {
        snprintf(text, sizeof text, "%zu results are slower than in the baseline by more than both varied.",
                 slower);
        page_element(page, "p class=\"slower\"", text);
    }
}

kn_status compare_page(const struct compare_report *reports, size_t count, char **page, kn_error *err)
{
    struct ki_text body = KI_TEXT_INIT;
    struct shown shown;
    kn_status status = shown_read(&shown, reports, count, err);

    *page = NULL;
    page_element(&body, "h1", "koine compare: the same work on every device and path");
    summary(&body, &shown);
    matrix(&body, &shown);
    compare_page_bars(&body, &shown);
    if (!status)
        status = compare_page_roofs(&body, &shown, err);
    if (!status)
        status = compare_page_lines(&body, &shown, err);
    all_rows(&body, &shown);
    real_data(&body, &shown);
    machines(&body, &shown);
    devices(&body, &shown);
    shown_free(&shown);
    if (status) {
        ki_text_free(&body);
        return status;
    }
    *page = page_finish("koine compare", &body);
    return *page ? KN_OK : ki_fail_memory(err, 0, "writing the page");
}
