// SPDX-License-Identifier: Apache-2.0
// CSV reading: separators and decimal commas, lines before the table, times, and packed files.
#include <config.h>

#include "csv_support.h"
#include "support/run.h"

#include <zlib.h>

#include "io/csv/csv_time.h"

#if HAVE_ZSTD
#include <zstd.h>
#endif

// The same table in every form.
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

// Commas separate where nothing speaks for something else.
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

// Empty cells between tabs, and numbers that need more than a table of powers.
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
    t = read_text("# device 7\n# 2020\na\n1\n2\n");
    ck_assert_uint_eq(t.layout.preamble_lines, 2);
    EXPECT_COLUMN(t, 0, "a", 1, 2);
    csv_free(&t);
    // What the caller skips is skipped, whatever it looks like.
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
    // A header of too few names is no preamble.
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
        double seconds; // -1: no time
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

    // With and without the same minute before.
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct csv_minute minute = {.text = {0}};
        const char *end = cells[i].text + strlen(cells[i].text);

        for (int again = 0; again < 2; again++) {
            double seconds = -1;
            bool is_time = csv_time_of(cells[i].text, end, &minute, &seconds);

            ck_assert_msg(is_time == (cells[i].seconds >= 0) && (!is_time || seconds == cells[i].seconds),
                          "%s: %.17g", cells[i].text, seconds);
        }
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
        // Nothing says that it is a time; or it is all there is.
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

// A column of times that is asked for is one of numbers.
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

// Rows of three columns with times, some of them in text that only the slow way reads; `text` has room.
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

// In two parts, whole, cut short, and damaged; by one thread and by two.
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
            ck_assert_msg(strstr(err.text, "packed bytes end early"), "%s", err.text);
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

// Many chunks, and each code.
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

int main(void)
{
    const TTest *const tests[] = {marks,      usual_marks, cells_between_marks, preambles,
                                  refused,    times,       columns_of_times,    asked_times,
                                  gzip_files, zstd_files,  times_in_chunks};

    return TEST_RUN_WITH("csv layout", CK_FORK_GETENV, make_folder, remove_folder, tests);
}
