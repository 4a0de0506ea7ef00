// SPDX-License-Identifier: Apache-2.0
#include "compare_shown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

const char *shown_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

double shown_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

struct shown_times shown_times_of(const json_t *row)
{
    const json_t *times = json_object_get(row, "device_seconds");

    if (!json_is_object(times))
        times = json_object_get(row, "wall_seconds");
    return (struct shown_times){shown_number(times, "median"), shown_number(times, "least"),
                                shown_number(times, "most")};
}

static void label_device(const struct shown *shown, struct shown_device *device)
{
    if (shown->report_count > 1)
        snprintf(device->mark, sizeof device->mark, "%.60s, machine %zu", device->spec, device->report + 1);
    else
        snprintf(device->mark, sizeof device->mark, "%.60s", device->spec);
    if (shown->report_count > 1)
        snprintf(device->label, sizeof device->label, "%.150s (%.60s, machine %zu)", device->name,
                 device->spec, device->report + 1);
    else
        snprintf(device->label, sizeof device->label, "%.150s (%.60s)", device->name, device->spec);
}

static bool add_device(struct shown *shown, size_t report, const json_t *object)
{
    struct shown_device device = {.report = report,
                                  .spec = shown_text(object, "spec"),
                                  .name = shown_text(object, "name"),
                                  .backend = shown_text(object, "backend"),
                                  .driver = shown_text(object, "driver"),
                                  .version = shown_text(object, "version"),
                                  .compiler = shown_text(object, "compiler")};

    label_device(shown, &device);
    return KI_ARRAY_PUSH(shown->devices, shown->device_count, shown->device_capacity, device);
}

// The device that a row names, among those from `first` on. A device that was named twice appears twice with
// the same spec: rows are ordered by device, so a row equal to the one before belongs to the next one.
static size_t device_of(const struct shown *shown, size_t first, const struct shown_row *row,
                        const char *spec)
{
    size_t found = shown->device_count;

    for (size_t i = first; i < shown->device_count && found == shown->device_count; i++)
        if (strcmp(shown->devices[i].spec, spec) == 0)
            found = i;
    for (size_t i = shown->row_count; i-- > 0 && found < shown->device_count;) {
        const struct shown_row *before = &shown->rows[i];

        if (before->device < first || !shown_same_case(before, row) || before->n != row->n)
            break;
        if (before->device < found || strcmp(shown->devices[before->device].spec, spec) != 0)
            continue;
        for (found = before->device + 1; found < shown->device_count; found++)
            if (strcmp(shown->devices[found].spec, spec) == 0)
                break;
        break;
    }
    return found;
}

static bool add_row(struct shown *shown, size_t first, const json_t *object)
{
    const json_t *baseline = json_object_get(object, "baseline");
    struct shown_row row = {.job = shown_text(object, "job"),
                            .which = shown_text(object, "case"),
                            .type = shown_text(object, "type"),
                            .counts = shown_text(object, "counts"),
                            .unit = shown_text(object, "unit"),
                            .verdict = shown_text(object, "verdict"),
                            .why = shown_text(object, "why"),
                            .change = shown_text(baseline, "change"),
                            .data = shown_text(object, "data"),
                            .n = shown_number(object, "n"),
                            .rate = shown_number(object, "rate"),
                            .share = shown_number(object, "ceiling_share"),
                            .ratio = shown_number(object, "ratio"),
                            .error = shown_number(object, "error"),
                            .bound = shown_number(object, "bound"),
                            .flops = shown_number(object, "flops"),
                            .bytes = shown_number(object, "bytes"),
                            .change_ratio = shown_number(baseline, "ratio"),
                            .times = shown_times_of(object)};

    row.device = device_of(shown, first, &row, shown_text(object, "device"));
    if (row.device == shown->device_count)
        return true; // the report has no such device
    return KI_ARRAY_PUSH(shown->rows, shown->row_count, shown->row_capacity, row);
}

static bool add_report(struct shown *shown, size_t report)
{
    const json_t *root = shown->reports[report].root, *value;
    size_t first = shown->device_count, i;
    bool added = true;

    json_array_foreach(json_object_get(root, "devices"), i, value) added =
        added && add_device(shown, report, value);
    json_array_foreach(json_object_get(root, "results"), i, value) added =
        added && add_row(shown, first, value);
    return added;
}

kn_status shown_read(struct shown *shown, const struct compare_report *reports, size_t count, kn_error *err)
{
    *shown = (struct shown){.reports = reports, .report_count = count};
    for (size_t i = 0; i < count; i++)
        if (!add_report(shown, i))
            return ki_fail_memory(err, 0, "reading the reports");
    return KN_OK;
}

void shown_free(struct shown *shown)
{
    free(shown->devices);
    free(shown->rows);
    *shown = (struct shown){.reports = NULL};
}

bool shown_is(const struct shown_row *row, const char *verdict)
{
    return strcmp(row->verdict, verdict) == 0;
}

bool shown_computed(const struct shown_row *row)
{
    return shown_is(row, "right") || shown_is(row, "wrong");
}

bool shown_same_case(const struct shown_row *a, const struct shown_row *b)
{
    return strcmp(a->job, b->job) == 0 && strcmp(a->which, b->which) == 0;
}

static size_t count_computed(const struct shown *shown, const struct shown_row *row)
{
    size_t count = 0;

    for (size_t i = 0; i < shown->row_count; i++)
        count += shown_same_case(&shown->rows[i], row) && shown->rows[i].n == row->n &&
                 shown_computed(&shown->rows[i]);
    return count;
}

bool shown_stands(const struct shown *shown, const struct shown_row *row)
{
    size_t count = count_computed(shown, row);

    for (size_t i = 0; i < shown->row_count; i++) {
        const struct shown_row *other = &shown->rows[i];
        size_t others;

        if (!shown_same_case(other, row) || other->n == row->n)
            continue;
        others = count_computed(shown, other);
        if (others > count || (others == count && other->n > row->n))
            return false;
    }
    return true;
}

void shown_verdict(const struct shown_row *row, char *text, size_t size)
{
    if (shown_is(row, "wrong"))
        snprintf(text, size, "WRONG%s%s", *row->why ? ": " : "", row->why);
    else if (shown_is(row, "right"))
        snprintf(text, size, "right");
    else if (strncmp(row->why, row->verdict, strlen(row->verdict)) == 0)
        snprintf(text, size, "%s", row->why);
    else
        snprintf(text, size, "%s: %s", row->verdict, row->why);
}
