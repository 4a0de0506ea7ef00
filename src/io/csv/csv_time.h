// SPDX-License-Identifier: Apache-2.0
// ISO 8601 times in cells.
#ifndef KN_IO_CSV_CSV_TIME_H
#define KN_IO_CSV_CSV_TIME_H

#include <stdbool.h>

// The minute of the time that was read last, in which the next one mostly is too: then only its seconds are
// read. Zeros before the first time.
struct csv_minute {
    char text[17]; // "2020-07-24 07:07:"
    double start;  // Unix seconds
};

// The time that all of the text makes, in Unix seconds: a date, 'T' or a blank, hours and minutes, which
// seconds, decimals behind a point or a comma (nine of them count), and Z or an offset as +02, +0200 or
// +02:00 may follow. Without an offset it is UTC. False if the text is something else.
bool csv_time_of(const char *from, const char *end, struct csv_minute *minute, double *seconds);

#endif
