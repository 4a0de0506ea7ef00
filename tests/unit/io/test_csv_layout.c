// SPDX-License-Identifier: Apache-2.0
// CSV reading: separators and decimal commas, lines before the table, times, and compressed files.
#include <config.h>

#include "csv_support.h"
#include "support/run.h"

#include <zlib.h>

#include "io/csv/csv_time.h"

#if HAVE_ZSTD
#include <zstd.h>
#endif

// The same table with every separator and decimal mark: both are recognised, and the values are the same.
START_TEST(marks)
{
    static const struct {
        const char *text;
        char separator, point;
    } forms[] = {
        {"a,b\n1.5,-2\n3,4.25e1\n", ',', '.'},       {"a;b\n1,5;-2\n3;4,25e1\n", ';', ','},
        {"a;b\n1.5;-2\n3;4.25e1\n", ';', '.'},       {"a\tb\n1.5\t-2\n3\t4.25e1\n", '\t', '.'},
        {"a\tb\n1,5\t-2\n3\t4,25e1\n", '\t', ','},   {"a|b\n1.5|-2\n3|4.25e1\n", '|', '.'},
        {"a|b\n1,5|-2\n3|4,25e1\n", '|', ','},       {"a b\n1.5 -2\n3 4.25e1\n", ' ', '.'},
        {" a   b\n1,5  -2\n 3 4,25e1 \n", ' ', ','}, {"a; b\r\n 1,5 ;\t-2\r\n\"3\";\"4,25e1\"\r\n", ';', ','},
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int code = CSV_CODE_BEST; code <= CSV_CODE_CELLS; code++) {
            struct csv_options options = {.code = (enum csv_code)code};
            struct csv_table t = read_with(forms[i].text, strlen(forms[i].text), &options);

            ck_assert_msg(t.layout.separator == forms[i].separator && t.layout.point == forms[i].point,
                          "form %zu: '%c' and '%c'", i, t.layout.separator, t.layout.point);
            ck_assert(t.layout.header);
            EXPECT_COLUMN(t, 0, "a", 1.5, 3);
            EXPECT_COLUMN(t, 1, "b", -2, 42.5);
            csv_free(&t);
        }
}
END_TEST

// The separator is the comma unless another one fits the file better.
START_TEST(usual_marks)
{
    struct csv_table t = read_text("1,5\n2,7\n");

    EXPECT_COLUMN(t, 0, "column1", 1, 2);
    EXPECT_COLUMN(t, 1, "column2", 5, 7);
    csv_free(&t);
    t = read_text("note,a\nx;5,1\ny;6,2\n");
    EXPECT_COLUMN(t, 0, "a", 1, 2);
    csv_free(&t);
    t = read_text("note, a\nwalk 5, 1\nwalk 6, 2\n");
    EXPECT_COLUMN(t, 0, "a", 1, 2);
    csv_free(&t);
    t = read_text("1\n2\n");
    ck_assert_int_eq(t.layout.separator, ',');
    csv_free(&t);
}
END_TEST

// Empty cells between tabs; and, with decimal commas, numbers that need more than a table of powers of ten.
START_TEST(cells_between_marks)
{
    struct csv_options options = {.missing = CSV_MISSING_PROPAGATE};
    static const char tabs[] = "a\tb\tc\n1\t\t3\n\t5\t6\n7\t8\t\n";
    static const char commas[] = "a;b\n0,1234567890123456789012345;1e-300\n-1234567,25;+0,5\n";
    struct csv_table t = read_with(tabs, strlen(tabs), &options);

    EXPECT_COLUMN(t, 0, "a", 1, NAN, 7);
    EXPECT_COLUMN(t, 1, "b", NAN, 5, 8);
    EXPECT_COLUMN(t, 2, "c", 3, 6, NAN);
    csv_free(&t);
    t = read_text(commas);
    EXPECT_COLUMN(t, 0, "a", 0.1234567890123456789012345, -1234567.25);
    EXPECT_COLUMN(t, 1, "b", 1e-300, 0.5);
    csv_free(&t);
}
END_TEST

static const char actigraph[] =
    "------------ Data File Created By ActiGraph GT3X+ ActiLife v6.11.9 date format M/d/yyyy at 30 Hz "
    "-----------\n"
    "Serial Number: CLE2B21130055\nStart Time 09:00:00\nCurrent Memory Address: 0\n"
    "Current Battery Voltage: 4.02     Mode = 12\n--------------------------------------------------\n";

START_TEST(preambles)
{
    struct csv_options options = {.skip_lines = 2};
    static const char keys[] = "a,b\n1,2\nc,d\n3,4\n";
    char text[1024];
    struct csv_table t;

    snprintf(text, sizeof text, "%sX,Y,Z\n-0.182,0.5,0.966\n1,2,3\n", actigraph);
    t = read_text(text);
    ck_assert_uint_eq(t.layout.preamble_lines, 6);
    ck_assert_double_eq(t.sample_rate, 30);
    EXPECT_COLUMN(t, 0, "X", -0.182, 1);
    EXPECT_COLUMN(t, 2, "Z", 0.966, 3);
    csv_free(&t);
    snprintf(text, sizeof text, "%s-0,182;0,5;0,966\n1;2;3\n", actigraph);
    t = read_text(text);
    ck_assert_uint_eq(t.layout.preamble_lines, 6);
    ck_assert(!t.layout.header);
    EXPECT_COLUMN(t, 1, "column2", 0.5, 2);
    csv_free(&t);
    // Epochs of 10 s make a rate of 0.1 Hz; raw samples have a period of 0 and the stated 30 Hz.
    for (int raw = 0; raw < 2; raw++) {
        snprintf(text, sizeof text, "%sEpoch Period (hh:mm:ss) 00:00:%s\n----\nAxis1,Axis2\n5,0\n7,1\n",
                 actigraph, raw ? "00" : "10");
        t = read_text(text);
        ck_assert_double_eq(t.sample_rate, raw ? 30 : 0.1);
        csv_free(&t);
    }
    t = read_text("# device 7\n# 2020\na\n1\n2\n");
    ck_assert_uint_eq(t.layout.preamble_lines, 2);
    EXPECT_COLUMN(t, 0, "a", 1, 2);
    csv_free(&t);
    // Lines that the caller skips are skipped, whatever they look like.
    t = read_with(keys, strlen(keys), &options);
    ck_assert_uint_eq(t.layout.preamble_lines, 2);
    EXPECT_COLUMN(t, 1, "d", 4);
    csv_free(&t);
}
END_TEST

static void expect_refused(const char *text, size_t skip, long line, const char *words)
{
    const struct csv_options options = {.skip_lines = skip, .times = true};
    kn_error err = KN_ERROR_INIT;
    struct csv_table t;

    ck_assert_int_eq(csv_read(file_with(text, strlen(text)), &options, &t, &err), KN_ERROR_INPUT);
    ck_assert_msg(err.line == line && strstr(err.text, words), "line %ld: %s", err.line, err.text);
}

START_TEST(refused)
{
    char text[1024];

    expect_refused(actigraph, 0, 0, "6 lines of text and no row of numbers");
    snprintf(text, sizeof text, "%sX,Y,Z\n", actigraph);
    expect_refused(text, 0, 0, "7 lines of text and no row of numbers");
    expect_refused("a\n1\n", 3, 0, "ends after 2 lines");
    expect_refused("a\n1\n", 2, 0, "empty");
    // A header with too few names is not taken for a preamble.
    expect_refused("a,b\n1,2,3\n4,5,6\n", 0, 2, "found 3 cells");
    expect_refused("a;b\n1,5;2\n2,5;2\n1.5;3\n", 0, 4, "found \"1.5\"");
    expect_refused("time,a\n2020-07-24 07:07:49,1\nnoon,2\n", 0, 3, "found \"noon\", expected a time");
    expect_refused("time,a\n2020-07-24 07:07:49,1\n,2\n", 0, 3, "expected a time");
    expect_refused("epoch,a\n1595574469,1\nx,2\n", 0, 3, "expected a time");
}
END_TEST

START_TEST(times)
{
    static const struct {
        const char *text;
        double seconds; // -1: not a time
    } cells[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2020-07-24 07:07:49.031250", 1595574469.03125},
        {"2020-07-24T09:07:49,5+02:00", 1595574469.5},
        {"2020-07-24T02:37:49-0430", 1595574469},
        {"2020-07-24T09:07+02", 1595574420},
        {"2000-02-29 23:59:60", 951868800},
        {"2020-07-24 07:07:49.1234567891", 1595574469.123456789},
        {"2100-02-29 00:00:00", -1},
        {"2020-13-01 00:00:00", -1},
        {"2020-07-24", -1},
        {"2020-07-24 07:07:", -1},
        {"2020-07-24 07:07:4", -1},
        {"2020-07-24 07:07:49.", -1},
        {"2020-07-24 07:07:49 x", -1},
        {"2020-07-24 24:00:00", -1},
        {"2020/07/24 07:07:49", -1},
    };

    // In the second round, `minute` holds the minute that the first one read.
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct csv_minute minute = {.text = {0}};
        const char *end = cells[i].text + strlen(cells[i].text);

        for (int again = 0; again < 2; again++) {
            double seconds = -1;
            bool is_time = csv_time_of(cells[i].text, end, CSV_CLOCK_ISO, &minute, &seconds);

            ck_assert_msg(is_time == (cells[i].seconds >= 0) && (!is_time || seconds == cells[i].seconds),
                          "%s: %.17g", cells[i].text, seconds);
        }
    }
}
END_TEST

// Dates with the month first, with the day first, and dates that can be read either way.
START_TEST(dates)
{
    static const struct {
        const char *text;
        double month_first, day_first; // Unix seconds; -1: not a time
    } cells[] = {
        {"7/24/2020 07:07:49.5", 1595574469.5, -1},
        {"24/7/2020 7:07:49,5", -1, 1595574469.5},
        {"24.07.2020 07:07:49", -1, 1595574469},
        {"24.7.2020 7:07", -1, 1595574420},
        {"07/08/2020 00:00:00", 1594166400, 1596758400},
        {"2/29/2000T23:59:60Z", 951868800, -1},
        {"7/24/2020 09:07:49+02:00", 1595574469, -1},
        {"7/24/2020 7:07:49 AM", 1595574469, -1},
        {"24.7.2020 7:07pm", -1, 1595617620},
        {"7/24/2020 12:00:00 AM", 1595548800, -1},
        {"7/24/2020 12:30 PM", 1595593800, -1},
        {"7/24/2020 13:00 PM", -1, -1},
        {"7/24/2020 0:30 AM", -1, -1},
        {"7/24/2020 7:07 XM", -1, -1},
        {"7/24/2020 AM", -1, -1},
        {"7/24/2020", -1, -1},
        {"7/24/2020 ", -1, -1},
        {"7/24/2020 7", -1, -1},
        {"7/24/2020 7:7", -1, -1},
        {"7/24/2020 24:00", -1, -1},
        {"7/24/20 07:07", -1, -1},
        {"7/24.2020 07:07", -1, -1},
        {"/7/2020 07:07", -1, -1},
        {"13/13/2020 07:07", -1, -1},
        {"29/2/2100 07:07", -1, -1},
        {"7/24/2020 07:07:49 x", -1, -1},
        {"7.5", -1, -1},
    };

    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct csv_minute minute = {.text = {0}};
        const char *text = cells[i].text, *end = text + strlen(text);
        double month_first = -1, day_first = -1;
        bool is_month_first = csv_time_of(text, end, CSV_CLOCK_MONTH_FIRST, &minute, &month_first);
        bool is_day_first = csv_time_of(text, end, CSV_CLOCK_DAY_FIRST, &minute, &day_first);

        ck_assert_msg(is_month_first == (cells[i].month_first >= 0) &&
                          is_day_first == (cells[i].day_first >= 0),
                      "%s", text);
        ck_assert(!is_month_first || month_first == cells[i].month_first);
        ck_assert(!is_day_first || day_first == cells[i].day_first);
        ck_assert_uint_eq(csv_clocks_of(text, end), (unsigned)is_month_first << CSV_CLOCK_MONTH_FIRST |
                                                        (unsigned)is_day_first << CSV_CLOCK_DAY_FIRST);
    }
}
END_TEST

START_TEST(columns_of_times)
{
    static const struct {
        const char *text;
        enum csv_clock clock;
        size_t columns;
    } files[] = {
        {"when,a\n2020-07-24 07:07:49,1\n2020-07-24T07:07:49.5,2\n", CSV_CLOCK_ISO, 1},
        {"a;when\n1,5;\"2020-07-24 07:07:49\"\n2,5;\"2020-07-24 07:07:49,5\"\n", CSV_CLOCK_ISO, 1},
        {"timestamp,a\n1595574469,1\n1595574469.5,2\n", CSV_CLOCK_SECONDS, 1},
        {"a,Unix ms\n1,1595574469000\n2,1595574469500\n", CSV_CLOCK_MILLISECONDS, 1},
        {"1595574469000,1\n1595574469500,2\n", CSV_CLOCK_MILLISECONDS, 1},
        {"a,when\n1,7/24/2020 07:07:49\n2,7/24/2020 07:07:49.5\n", CSV_CLOCK_MONTH_FIRST, 1},
        {"a,when\n1,24/07/2020 07:07:49\n2,24/07/2020 07:07:49.5\n", CSV_CLOCK_DAY_FIRST, 1},
        {"when;a\n24.7.2020 7:07:49;1,5\n24.7.2020 7:07:49,5;2,5\n", CSV_CLOCK_DAY_FIRST, 1},
        // A date and a time of day in two columns: ActiGraph's epochs with 12-hour and 24-hour clocks,
        // decimal commas, quoted cells, times at the end of a row, and no header.
        {"Date,Time,Axis1,Axis2\n7/24/2020,7:07:49 AM,0,12\n7/24/2020,7:07:49.5 AM,3,4\n",
         CSV_CLOCK_MONTH_FIRST, 2},
        {"Date,Time,Axis1\n24/07/2020,07:07:49,0\n24/07/2020,07:07:49.5,3\n", CSV_CLOCK_DAY_FIRST, 1},
        {"Date;Time;Axis1\n24.7.2020;07:07:49;0,5\n24.7.2020;07:07:49,5;3,5\n", CSV_CLOCK_DAY_FIRST, 1},
        {"\"Date\",\"Time\",\"a\"\n\"2020-07-24\",\"07:07:49\",\"5\"\n\"2020-07-24\", \"07:07:49.5\" ,6\n",
         CSV_CLOCK_ISO, 1},
        {"a,Date,Time\r\n1,2020-07-24,7:07:49 am\r\n2,2020-07-24,7:07:49.5 am\r\n", CSV_CLOCK_ISO, 1},
        {"7/24/2020,7:07:49 AM,0,12\n7/24/2020, 7:07:49.5 AM,3,4\n", CSV_CLOCK_MONTH_FIRST, 2},
        // Axivity's files: those of omconvert, without and with a gyroscope, and those of cwa-convert.
        {"Time,Accel-X (g), Accel-Y (g), Accel-Z (g)\n2020-07-24 07:07:49.000,0.1,-0.2,1\n"
         "2020-07-24 07:07:49.500,0.1,-0.2,1\n",
         CSV_CLOCK_ISO, 3},
        {"Time,Accel-X (g), Accel-Y (g), Accel-Z (g), Gyro-X (d/s), Gyro-Y (d/s), Gyro-Z (d/s)\n"
         "2020-07-24 07:07:49.000,0.1,-0.2,1,5.5,0,-3\n2020-07-24 07:07:49.500,0.1,-0.2,1,5,0,-3\n",
         CSV_CLOCK_ISO, 6},
        {"2020-07-24 07:07:49.000,0.100000,-0.200000,1.000000\n"
         "2020-07-24 07:07:49.500,0.100000,-0.200000,1.000000\n",
         CSV_CLOCK_ISO, 3},
        // Not times: nothing shows that the numbers are times, or they are the only column.
        {"a,count\n1,1595574469\n2,1595574470\n", CSV_CLOCK_NONE, 2},
        {"timestamp\n1595574469\n1595574470\n", CSV_CLOCK_NONE, 1},
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (int code = CSV_CODE_BEST; code <= CSV_CODE_CELLS; code++) {
            const struct csv_options options = {.code = (enum csv_code)code, .times = true};
            struct csv_table t = read_with(files[i].text, strlen(files[i].text), &options);

            ck_assert_msg(t.clock == files[i].clock && t.column_count == files[i].columns,
                          "file %zu: clock %d, %zu columns", i, (int)t.clock, t.column_count);
            if (t.clock) {
                ck_assert_uint_eq(t.times.count, 2);
                ck_assert_double_eq(t.times.values[0], 1595574469);
                ck_assert_double_eq(t.times.values[1], 1595574469.5);
            }
            csv_free(&t);
        }
}
END_TEST

// A line before the table, or a later row with a number above 12, shows whether the month or the day comes
// first; otherwise the dates are refused.
START_TEST(orders_of_dates)
{
    static const struct {
        const char *text;
        enum csv_clock clock;
        double seconds;
    } files[] = {
        {"Logger date format M/d/yyyy at 1 Hz\nTimestamp,a\n7/8/2020 07:07:49,1\n7/8/2020 07:07:50,2\n",
         CSV_CLOCK_MONTH_FIRST, 1594192069},
        {"Logger date format dd/MM/yyyy at 1 Hz\nTimestamp,a\n07/08/2020 07:07:49,1\n07/08/2020 07:07:50,2\n",
         CSV_CLOCK_DAY_FIRST, 1596784069},
        {"# date format d/M/yyyy\nwhen,a\n7/8/2020 07:07:49,1\n", CSV_CLOCK_DAY_FIRST, 1596784069},
        {"when,a\n7/8/2020 07:07:49,1\n7/13/2020 07:07:50,2\n", CSV_CLOCK_MONTH_FIRST, 1594192069},
        {"when,a\n7/8/2020 07:07:49,1\n13/8/2020 07:07:50,2\n", CSV_CLOCK_DAY_FIRST, 1596784069},
    };
    static const char ambiguous[] = "a,when\n1,7/8/2020 07:07:49\n2,7/8/2020 07:07:50\n";

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (int code = CSV_CODE_BEST; code <= CSV_CODE_CELLS; code++) {
            const struct csv_options options = {.code = (enum csv_code)code, .times = true};
            struct csv_table t = read_with(files[i].text, strlen(files[i].text), &options);

            ck_assert_msg(t.clock == files[i].clock, "file %zu: clock %d", i, (int)t.clock);
            ck_assert_double_eq(t.times.values[0], files[i].seconds);
            csv_free(&t);
        }
    expect_refused(ambiguous, 0, 2, "column 2 (when): \"7/8/2020 07:07:49\" may be month first");
    expect_refused("when,a\n7/24/2020 07:07,1\n24/7/2020 07:08,2\n", 0, 3, "(7/24/2020 07:07:49.5)");
    expect_refused("Date,Time,a\n7/8/2020,07:07,1\n", 0, 2, "\"7/8/2020\" may be month first");
    expect_refused("Date,Time,a\n7/24/2020,07:07,1\n7/24/2020,7,2\n", 0, 3,
                   "with the time of day in the next column");
    expect_refused("Date,Time,a\n7/24/2020,07:07,1\n7/24/2020\n", 0, 3, "column 1 \"Date Time\"");
    expect_refused("when,a\n24.7.2020 07:07,1\n7.24.2020 07:08,2\n", 0, 3, "(24/7/2020 07:07:49.5)");
    // If times are not wanted, the column is text.
    for (int code = CSV_CODE_BEST; code <= CSV_CODE_CELLS; code++) {
        const struct csv_options options = {.code = (enum csv_code)code};
        struct csv_table t = read_with(ambiguous, strlen(ambiguous), &options);

        ck_assert_uint_eq(t.column_count, 1);
        EXPECT_COLUMN(t, 0, "a", 1, 2);
        csv_free(&t);
    }
}
END_TEST

// A first line like "sep=;", as spreadsheets write it, states the separator.
START_TEST(stated_separators)
{
    struct csv_table t = read_text("sep=;\na,b;c\n1;2\n3;4\n");

    ck_assert_uint_eq(t.layout.preamble_lines, 1);
    ck_assert_int_eq(t.layout.separator, ';');
    EXPECT_COLUMN(t, 0, "a,b", 1, 3);
    EXPECT_COLUMN(t, 1, "c", 2, 4);
    csv_free(&t);
    t = read_text("\xef\xbb\xbfSEP=\t\r\n# more\r\na\tb\r\n1,5\t2\r\n");
    ck_assert_uint_eq(t.layout.preamble_lines, 2);
    EXPECT_COLUMN(t, 0, "a", 1.5);
    csv_free(&t);
    // With the separator ';', each row is one cell of text, not two numbers.
    expect_refused("sep=;\n1,5\n2,5\n", 0, 3, "found text in the file's only column");
    expect_refused("sep=:\na:b\n1:2\n", 0, 1, "names the separator ':'");
}
END_TEST

// A column of times that is requested is read as numbers.
START_TEST(asked_times)
{
    static const char text[] = "timestamp,a\n1595574469,1\n1595574470,2\n";
    const char *const wanted[] = {"timestamp"};
    struct csv_options options = {.times = true, .columns = wanted, .column_count = 1};
    struct csv_table t = read_with(text, strlen(text), &options);

    ck_assert_int_eq(t.clock, CSV_CLOCK_NONE);
    EXPECT_COLUMN(t, 0, "timestamp", 1595574469, 1595574470);
    csv_free(&t);
}
END_TEST

// Writes rows of a time and two numbers; some times are quoted, which only the slow code reads. `text` must
// have room for them.
static size_t make_rows(char *text, size_t rows)
{
    char *to = text + sprintf(text, "time;a;b\n");

    for (size_t i = 0; i < rows; i++)
        to += sprintf(to,
                      i % 100 == 7 ? "\"2020-07-24 %02zu:%02zu:%02zu,%02zu\";%zu,5;-%zu\n"
                                   : "2020-07-24 %02zu:%02zu:%02zu,%02zu;%zu,5;-%zu\n",
                      i / 360000, i / 6000 % 60, i / 100 % 60, i % 100, i % 127, i);
    return (size_t)(to - text);
}

static void expect_rows(const struct csv_table *t, size_t rows)
{
    ck_assert_uint_eq(t->rows, rows);
    ck_assert_uint_eq(t->column_count, 2);
    ck_assert_int_eq(t->clock, CSV_CLOCK_ISO);
    for (size_t i = 0; i < rows; i++) {
        ck_assert_double_eq(t->times.values[i], 1595548800 + (double)i / 100);
        ck_assert_double_eq(t->columns[0].values[i], (double)(i % 127) + 0.5);
        ck_assert_double_eq(t->columns[1].values[i], -(double)i);
    }
}

static size_t gzip_of(const char *text, size_t count, char *packed, size_t room)
{
    z_stream stream = {.next_in = NULL};

    ck_assert_int_eq(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)text;
    stream.avail_in = (uInt)count;
    stream.next_out = (Bytef *)packed;
    stream.avail_out = (uInt)room;
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    room -= stream.avail_out;
    deflateEnd(&stream);
    return room;
}

static size_t zstd_of(const char *text, size_t count, char *packed, size_t room)
{
#if HAVE_ZSTD
    return ZSTD_compress(packed, room, text, count, 1);
#else
    (void)text;
    (void)count;
    (void)packed;
    (void)room;
    return 0;
#endif
}

// Compresses rows in two parts, and reads the file whole, truncated and damaged, with one thread and with
// two.
static void expect_packed(size_t (*pack)(const char *text, size_t count, char *packed, size_t room))
{
    enum { ROWS = 30000, ROOM = ROWS * 48 };
    char *text = malloc(ROOM), *packed = malloc(ROOM);
    size_t count = make_rows(text, ROWS), first = pack(text, count / 3, packed, ROOM);
    size_t all = first + pack(text + count / 3, count - count / 3, packed + first, ROOM - first);
    kn_error err = KN_ERROR_INIT;

    for (unsigned threads = 1; threads <= 2; threads++) {
        const struct csv_options options = {.threads = threads, .times = true};
        struct csv_table t = read_with(packed, all, &options);

        expect_rows(&t, ROWS);
        csv_free(&t);
        for (size_t cut = 5; cut < all; cut = 3 * cut + 1) {
            if (cut == first)
                continue;
            ck_assert_int_eq(csv_read(file_with(packed, cut), &options, &t, &err), KN_ERROR_INPUT);
            ck_assert_msg(strstr(err.text, "compressed data end early"), "%s", err.text);
        }
        packed[all / 2] ^= 0x55;
        packed[all / 2 + 1] ^= 0x33;
        ck_assert_int_eq(csv_read(file_with(packed, all), &options, &t, &err), KN_ERROR_INPUT);
        packed[all / 2] ^= 0x55;
        packed[all / 2 + 1] ^= 0x33;
    }
    free(text);
    free(packed);
}

START_TEST(gzip_files)
{
    expect_packed(gzip_of);
}
END_TEST

START_TEST(zstd_files)
{
#if HAVE_ZSTD
    expect_packed(zstd_of);
#else
    kn_error err = KN_ERROR_INIT;
    struct csv_table t;

    (void)zstd_of;
    ck_assert_int_eq(csv_read(file_with("\x28\xb5\x2f\xfd", 4), NULL, &t, &err), KN_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "libzstd"));
#endif
}
END_TEST

// Chunks of several sizes, each code, and several numbers of threads.
START_TEST(times_in_chunks)
{
    enum { ROWS = 20000 };
    char *text = malloc(ROWS * 48);
    size_t count = make_rows(text, ROWS);

    for (unsigned i = 0; i < 9; i++) {
        const struct csv_options options = {
            .times = true, .threads = 1 + i % 3, .chunk = i ? 1000 * i : 0, .code = (enum csv_code)(i / 3)};
        struct csv_table t = read_with(text, count, &options);

        expect_rows(&t, ROWS);
        csv_free(&t);
    }
    free(text);
}
END_TEST

// Decimal commas give the same numbers as points with each code (bench/csv compares how long they take).
START_TEST(commas_as_points)
{
    enum { ROWS = 20000 };
    char *texts[] = {malloc(ROWS * 32), malloc(ROWS * 32)};
    size_t counts[2];

    for (int commas = 0; commas < 2; commas++) {
        char *to = texts[commas] + sprintf(texts[commas], commas ? "a;b;c\n" : "a,b,c\n");

        for (int i = 0; i < ROWS; i++)
            to += sprintf(to, commas ? "-%d,25;%d,5;%d\n" : "-%d.25,%d.5,%d\n", i, i % 100, i);
        counts[commas] = (size_t)(to - texts[commas]);
    }
    for (int code = CSV_CODE_BEST; code <= CSV_CODE_SCALAR; code++) {
        const struct csv_options options = {.code = (enum csv_code)code, .threads = 1};
        struct csv_table points = read_with(texts[0], counts[0], &options),
                         commas = read_with(texts[1], counts[1], &options);

        ck_assert_uint_eq(points.column_count, 3);
        ck_assert_uint_eq(commas.column_count, 3);
        for (size_t j = 0; j < 3; j++) {
            ck_assert_uint_eq(points.columns[j].count, ROWS);
            ck_assert_uint_eq(commas.columns[j].count, ROWS);
            ck_assert_int_eq(
                memcmp(points.columns[j].values, commas.columns[j].values, ROWS * sizeof(double)), 0);
        }
        csv_free(&points);
        csv_free(&commas);
    }
    free(texts[0]);
    free(texts[1]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {marks,      usual_marks,     cells_between_marks, preambles,
                                  refused,    times,           columns_of_times,    asked_times,
                                  dates,      orders_of_dates, stated_separators,   gzip_files,
                                  zstd_files, times_in_chunks, commas_as_points};

    return TEST_RUN_WITH("csv layout", CK_FORK_GETENV, make_folder, remove_folder, tests);
}
