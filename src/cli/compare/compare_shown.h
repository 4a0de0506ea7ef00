// SPDX-License-Identifier: Apache-2.0
// Reports of koine compare, as pages and comparisons take them: the devices and rows of all of them, out of
// the JSON. What is not there is "" or not-a-number: a report may have come from anywhere.
#ifndef KN_CLI_COMPARE_COMPARE_SHOWN_H
#define KN_CLI_COMPARE_COMPARE_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

#include "io/json.h"

struct compare_report {
    const char *file; // "" for the one of this run
    json_t *root;
};

struct shown_device {
    size_t report;
    const char *spec, *name, *backend, *driver, *version, *compiler;
    char label[256]; // for people; tells it from all the others
    char mark[128];  // the same in few characters: "opencl:0.0", "cuda:0, machine 2"
};

struct shown_times {
    double median, least, most; // seconds
};

struct shown_row {
    size_t device;
    const char *job, *which, *type, *counts, *unit, *verdict, *why, *change;
    double n, rate, share, ratio, error, bound, flops, bytes, change_ratio;
    struct shown_times times; // by the device's clock, or the wall's where it has none
};

struct shown {
    const struct compare_report *reports;
    size_t report_count;
    struct shown_device *devices;
    size_t device_count, device_capacity;
    struct shown_row *rows;
    size_t row_count, row_capacity;
};

// Strings stay the reports'. Frees nothing on failure: shown_free does.
kn_status shown_read(struct shown *shown, const struct compare_report *reports, size_t count, kn_error *err);
void shown_free(struct shown *shown);

// Of an object; "" or not-a-number if it has no such value.
const char *shown_text(const json_t *object, const char *key);
double shown_number(const json_t *object, const char *key);
// A row's times by the clock that rates are made from.
struct shown_times shown_times_of(const json_t *row);

bool shown_is(const struct shown_row *row, const char *verdict);
// Whether it was computed, rightly or not.
bool shown_computed(const struct shown_row *row);
// Whether two rows are of the same case of the same job.
bool shown_same_case(const struct shown_row *a, const struct shown_row *b);
// Whether `row` is the one that stands for its case where there is room for one size: that which most devices
// computed, and of such the largest.
bool shown_stands(const struct shown *shown, const struct shown_row *row);
// Why there is no number, or what is wrong with it: "WRONG: error 3, at most 0 allowed".
void shown_verdict(const struct shown_row *row, char *text, size_t size);

#endif
