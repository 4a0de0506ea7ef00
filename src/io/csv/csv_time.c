// SPDX-License-Identifier: Apache-2.0
#include "csv_time.h"

#include <stddef.h>
#include <string.h>

#include "csv_number.h"

enum { DATE_LENGTH = 10, MOST_DECIMALS = 9 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The number of `count` digits at `p`; -1 if they are not digits.
static int digits_of(const char *p, int count)
{
    int value = 0;

    for (int i = 0; i < count; i++) {
        if (!is_digit(p[i]))
            return -1;
        value = 10 * value + (p[i] - '0');
    }
    return value;
}

static bool is_within(int value, int least, int most)
{
    return value >= least && value <= most;
}

// Days from 1970-01-01 in the Gregorian calendar. Years begin with March, so that a leap day ends one.
static long days_of(int year, int month, int day)
{
    const int years = year - (month <= 2), months = (month + 9) % 12;

    return 365L * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1 - 719468;
}

static bool is_day(int year, int month, int day)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return is_within(year, 1, 9999) && is_within(month, 1, 12) &&
           is_within(day, 1, days[month - 1] + (month == 2 && leap));
}

// "2020-07-24", and where it ends; NULL if it has another form.
static const char *read_iso_date(const char *p, const char *end, double *days)
{
    int year, month, day;

    if (end - p < DATE_LENGTH || p[4] != '-' || p[7] != '-')
        return NULL;
    year = digits_of(p, 4);
    month = digits_of(p + 5, 2);
    day = digits_of(p + 8, 2);
    if (!is_day(year, month, day))
        return NULL;
    *days = (double)days_of(year, month, day);
    return p + DATE_LENGTH;
}

// "2020-07-24 07:07".
static bool read_minute(const char *p, const char *end, double *start)
{
    int hour, minute;
    double days;

    p = read_iso_date(p, end, &days);
    if (!p || end - p < 6 || (*p != 'T' && *p != ' ') || p[3] != ':')
        return false;
    hour = digits_of(p + 1, 2);
    minute = digits_of(p + 4, 2);
    if (!is_within(hour, 0, 23) || !is_within(minute, 0, 59))
        return false;
    *start = (days * 24 + hour) * 3600 + minute * 60;
    return true;
}

// Nothing, "Z", "+02", "+0200" or "+02:00": all of the text.
static bool read_zone(const char *p, const char *end, double *offset)
{
    const ptrdiff_t length = end - p;
    int hours, minutes = 0;

    *offset = 0;
    if (length == 0 || (length == 1 && *p == 'Z'))
        return true;
    if ((*p != '+' && *p != '-') || (length != 3 && length != 5 && !(length == 6 && p[3] == ':')))
        return false;
    hours = digits_of(p + 1, 2);
    if (length > 3)
        minutes = digits_of(end - 2, 2);
    *offset = (hours * 60 + minutes) * (*p == '-' ? -60.0 : 60.0);
    return is_within(hours, 0, 18) && is_within(minutes, 0, 59);
}

// "49.031250" without a zone, one to eight decimals at once; at least 8 characters precede `end`.
static bool read_plain_seconds(const char *p, const char *end, double start, double *seconds)
{
    const ptrdiff_t decimals = end - p - 3;
    const int whole = (p[0] - '0') * 10 + (p[1] - '0');
    uint64_t digits;

    if (decimals < 1 || decimals > 8 || (p[2] != '.' && p[2] != ',') || !is_digit(p[0]) || !is_digit(p[1]) ||
        whole > 60)
        return false;
    // The last one highest, zeros before the first one.
    digits = (csv_load_8(end - 8) ^ CSV_EACH_BYTE('0')) >> (64 - 8 * decimals) << (64 - 8 * decimals);
    if (csv_no_digits(digits))
        return false;
    *seconds = start + ((double)whole * csv_powers_of_ten[decimals] + (double)(int64_t)csv_join_8(digits)) /
                           csv_powers_of_ten[decimals];
    return true;
}

// "49.031250", with a zone or without one.
static bool read_seconds(const char *p, const char *end, double start, double *seconds)
{
    long long value = end - p < 2 ? -1 : digits_of(p, 2);
    double offset = 0;
    int decimals = 0;

    if (value < 0 || value > 60) // a leap second has the number 60
        return false;
    p += 2;
    if (p < end && (*p == '.' || *p == ',')) {
        for (p++; p < end && is_digit(*p); p++)
            if (decimals < MOST_DECIMALS) {
                value = 10 * value + (*p - '0');
                decimals++;
            }
        if (decimals == 0)
            return false;
    }
    if (p < end && !read_zone(p, end, &offset))
        return false;
    *seconds = start - offset + (double)value / csv_powers_of_ten[decimals];
    return true;
}

// The number of one digit or two at `p`, which moves past it; -1 if there is none.
static int short_number(const char **p, const char *end)
{
    const char *from = *p;

    while (*p < end && *p < from + 2 && is_digit(**p))
        ++*p;
    return *p > from ? digits_of(from, (int)(*p - from)) : -1;
}

// "7/24/2020" or "24.7.2020", and where it ends; NULL if it has another form.
static const char *read_short_date(const char *p, const char *end, enum csv_clock clock, double *days)
{
    const int first = short_number(&p, end);
    const char mark = p < end ? *p : '\0';
    const bool month_first = clock == CSV_CLOCK_MONTH_FIRST;
    int second, year;

    if (mark != '/' && (mark != '.' || month_first))
        return NULL;
    p++;
    second = short_number(&p, end);
    if (end - p < 5 || *p != mark)
        return NULL;
    year = digits_of(p + 1, 4);
    if (!is_day(year, month_first ? first : second, month_first ? second : first))
        return NULL;
    *days = (double)days_of(year, month_first ? first : second, month_first ? second : first);
    return p + 5;
}

static const char *read_date(const char *p, const char *end, enum csv_clock clock, double *days)
{
    return clock == CSV_CLOCK_ISO ? read_iso_date(p, end, days) : read_short_date(p, end, clock, days);
}

// "AM" or "PM" at the end, as 'A' or 'P', which is cut off with the blanks before it; '\0' if there is none.
static char take_half(const char *p, const char **end)
{
    const char *last = *end - 2;
    char half;

    if (*end - p < 2 || (last[1] | 0x20) != 'm' || ((*last | 0x20) != 'a' && (*last | 0x20) != 'p'))
        return '\0';
    half = (*last | 0x20) == 'a' ? 'A' : 'P';
    while (last > p && last[-1] == ' ')
        last--;
    *end = last;
    return half;
}

// "7:07:49.5", "19:07" or "7:07:49.5 PM", added to `days`.
static bool read_time_of_day(const char *p, const char *end, double days, double *seconds)
{
    const char half = take_half(p, &end);
    int hour = short_number(&p, end), minute;
    double offset;

    if (end - p < 3 || *p != ':' || !is_within(hour, half ? 1 : 0, half ? 12 : 23))
        return false;
    minute = digits_of(p + 1, 2);
    if (!is_within(minute, 0, 59))
        return false;
    p += 3;
    hour = half ? hour % 12 + (half == 'P' ? 12 : 0) : hour;
    *seconds = (days * 24 + hour) * 3600 + minute * 60;
    if (p < end && *p == ':')
        return read_seconds(p + 1, end, *seconds, seconds);
    if (!read_zone(p, end, &offset))
        return false;
    *seconds -= offset;
    return true;
}

// "7/24/2020 7:07:49.5".
static bool read_dated(const char *p, const char *end, enum csv_clock clock, double *seconds)
{
    double days;

    p = read_date(p, end, clock, &days);
    return p && p < end && (*p == ' ' || *p == 'T') && read_time_of_day(p + 1, end, days, seconds);
}

// "2020-07-24 07:07:49.5".
static bool read_iso(const char *from, const char *end, struct csv_minute *minute, double *seconds)
{
    const ptrdiff_t length = end - from, known = (ptrdiff_t)sizeof minute->text;
    double start, offset;

    if (length > known && memcmp(from, minute->text, sizeof minute->text) == 0)
        return read_plain_seconds(from + known, end, minute->start, seconds) ||
               read_seconds(from + known, end, minute->start, seconds);
    if (!read_minute(from, end, &start))
        return false;
    if (length < known || from[known - 1] != ':') {
        if (!read_zone(from + known - 1, end, &offset))
            return false;
        *seconds = start - offset;
        return true;
    }
    memcpy(minute->text, from, sizeof minute->text);
    minute->start = start;
    return read_seconds(from + known, end, start, seconds);
}

bool csv_time_of(const char *from, const char *end, enum csv_clock clock, struct csv_minute *minute,
                 double *seconds)
{
    return clock == CSV_CLOCK_ISO ? read_iso(from, end, minute, seconds)
                                  : read_dated(from, end, clock, seconds);
}

bool csv_time_of_cells(const char *date, const char *date_end, const char *day, const char *day_end,
                       enum csv_clock clock, double *seconds)
{
    double days;

    return read_date(date, date_end, clock, &days) == date_end &&
           read_time_of_day(day, day_end, days, seconds);
}

unsigned csv_clocks_of(const char *from, const char *end)
{
    struct csv_minute minute = {.text = {0}};
    unsigned clocks = 0;
    double seconds;

    for (enum csv_clock clock = CSV_CLOCK_ISO; clock <= CSV_CLOCK_DAY_FIRST; clock++)
        if (csv_time_of(from, end, clock, &minute, &seconds))
            clocks |= 1U << clock;
    return clocks;
}

unsigned csv_clocks_of_date(const char *from, const char *end)
{
    unsigned clocks = 0;
    double days;

    for (enum csv_clock clock = CSV_CLOCK_ISO; clock <= CSV_CLOCK_DAY_FIRST; clock++)
        if (read_date(from, end, clock, &days) == end)
            clocks |= 1U << clock;
    return clocks;
}

bool csv_time_of_day(const char *from, const char *end, double *seconds)
{
    return read_time_of_day(from, end, 0, seconds);
}
