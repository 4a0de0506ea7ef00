// SPDX-License-Identifier: Apache-2.0
// An axis of a chart: where it begins and ends, its ticks, and their names.
#ifndef KN_CLI_PAGE_AXIS_H
#define KN_CLI_PAGE_AXIS_H

#include <stdbool.h>
#include <stddef.h>

enum { AXIS_TICKS = 32 };

struct axis {
    bool is_log;
    double begin, end;        // in the drawing
    double low, high;         // the values there, or on a logarithmic axis their logarithms to base 10
    double ticks[AXIS_TICKS]; // values
    size_t tick_count;
    double step; // from one tick to the next on a linear axis
};

// An axis from `begin` to `end` in the drawing, to which values are then added, and which is then settled for
// at most some `most` ticks. No value that axis_has was added: axis_is_empty, and nothing can be drawn.
void axis_begin(struct axis *axis, bool is_log, double begin, double end);
void axis_add(struct axis *axis, double value);
bool axis_is_empty(const struct axis *axis);
void axis_settle(struct axis *axis, double most);

// Whether the value is finite, and on a logarithmic axis positive.
bool axis_has(const struct axis *axis, double value);
// Where it is in the drawing.
double axis_place(const struct axis *axis, double value);
void axis_tick_name(const struct axis *axis, double tick, char *name, size_t size);

#endif
