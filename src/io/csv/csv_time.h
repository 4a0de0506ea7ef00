// SPDX-License-Identifier: Apache-2.0
// Times in cells: ISO 8601, and dates as spreadsheets write them.
#ifndef KN_IO_CSV_CSV_TIME_H
#define KN_IO_CSV_CSV_TIME_H

#include <stdbool.h>

#include "csv.h"

// The minute of the last time read; the next time is usually in the same minute, and then only its seconds
// are read. Zeros before the first time.
struct csv_minute {
    char text[17]; // "2020-07-24 07:07:"
    double start;  // Unix seconds
};

// Reads the whole text as a time, in Unix seconds: a date, 'T' or a blank, hours and minutes, optionally
// followed by seconds, decimals after a point or a comma (nine of them count), and Z or an offset like +02,
// +0200 or +02:00. Without an offset it is UTC. The date is 2020-07-24 (CSV_CLOCK_ISO), 7/24/2020
// (CSV_CLOCK_MONTH_FIRST), or 24/7/2020 or 24.7.2020 (CSV_CLOCK_DAY_FIRST); in the latter two, days, months
// and hours may have a leading 0, and AM or PM may end the text: hours are then 1 to 12. False if the text is
// anything else.
bool csv_time_of(const char *from, const char *end, enum csv_clock clock, struct csv_minute *minute,
                 double *seconds);

// The same for a date and a time of day in two cells: "7/24/2020" and "10:00:00 AM".
bool csv_time_of_cells(const char *date, const char *date_end, const char *day, const char *day_end,
                       enum csv_clock clock, double *seconds);

// The clocks among these that can read the text, a bit 1 << clock each: none, one, or for 7/8/2020 both
// clocks of dates.
unsigned csv_clocks_of(const char *from, const char *end);
// Those that can read it as a date alone.
unsigned csv_clocks_of_date(const char *from, const char *end);
// A time of day alone, in seconds.
bool csv_time_of_day(const char *from, const char *end, double *seconds);
#define CSV_CLOCKS_OF_DATES (1U << CSV_CLOCK_MONTH_FIRST | 1U << CSV_CLOCK_DAY_FIRST)

#endif
