// SPDX-License-Identifier: Apache-2.0
// Reports of koine compare in the form that pages and comparisons use: the devices and rows of all reports,
// read from the JSON. Missing values are "" or not-a-number, because a report may come from anywhere.
#ifndef KN_CLI_COMPARE_COMPARE_SHOWN_H
#define KN_CLI_COMPARE_COMPARE_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

#include "io/json.h"

struct compare_report {
    const char *file; // "" for the report of this run
    json_t *root;
};

struct shown_device {
    size_t report;
    const char *spec, *name, *backend, *driver, *version, *compiler;
    char label[256]; // for people; differs from every other label
    char mark[128];  // the same in a few characters: "opencl:0.0", "cuda:0, machine 2"
};

struct shown_times {
    double median, least, most; // seconds
};

struct shown_row {
    size_t device;
    const char *job, *which, *type, *counts, *unit, *verdict, *why, *change,
        *data; // the file of real data; "": the data are made on the spot
    double n, rate, share, ratio, error, bound, flops, bytes, change_ratio;
    struct shown_times times; // by the device's clock, or the wall's if the device has none
};

struct shown {
    const struct compare_report *reports;
    size_t report_count;
    struct shown_device *devices;
    size_t device_count, device_capacity;
    struct shown_row *rows;
    size_t row_count, row_capacity;
};

// The strings remain owned by the reports. On failure nothing is freed: call shown_free.
kn_status shown_read(struct shown *shown, const struct compare_report *reports, size_t count, kn_error *err);
void shown_free(struct shown *shown);

// A member of an object; "" or not-a-number if it is missing.
const char *shown_text(const json_t *object, const char *key);
double shown_number(const json_t *object, const char *key);
// The times of a row by the clock on which its rates are based.
struct shown_times shown_times_of(const json_t *row);

bool shown_is(const struct shown_row *row, const char *verdict);
// Whether the row was computed, whether its result is right or wrong.
bool shown_computed(const struct shown_row *row);
// Whether two rows belong to the same case of the same job.
bool shown_same_case(const struct shown_row *a, const struct shown_row *b);
// Whether `row` represents its case where there is room for only one size: the size that most devices
// computed, and of several such sizes the largest.
bool shown_stands(const struct shown *shown, const struct shown_row *row);
// Says why there is no number, or what is wrong with it: "WRONG: error 3, at most 0 allowed".
void shown_verdict(const struct shown_row *row, char *text, size_t size);

#endif
