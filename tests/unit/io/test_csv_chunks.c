// SPDX-License-Identifier: Apache-2.0
// CSV reading by several threads: files cut into chunks at every position give the same result as reading
// them in order, and random tables give the values that were written.
#include "csv_support.h"
#include "support/run.h"

#include <signal.h>
#include <sys/wait.h>

static const unsigned thread_counts[] = {1, 2, 3, 8};

enum { THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts };

// The result of reading a file.
struct outcome {
    struct csv_table table;
    kn_error err;
    kn_status status;
};

// Reads values that were spooled to a file back into memory.
static void load(struct csv_column *column)
{
    kn_error err = KN_ERROR_INIT;

    if (!column->spool)
        return;
    ck_assert_ptr_null(column->values);
    column->values = malloc((column->count + 1) * sizeof *column->values);
    ck_assert_ptr_nonnull(column->values);
    ck_assert_msg(spool_read(column->spool, 0, column->values, column->count, &err) == KN_OK, "%s", err.text);
}

static struct outcome read_file(const char *path, const struct csv_options *options)
{
    struct outcome outcome = {.err = KN_ERROR_INIT};

    outcome.status = csv_read(path, options, &outcome.table, &outcome.err);
    for (size_t i = 0; i < outcome.table.column_count; i++)
        load(&outcome.table.columns[i]);
    load(&outcome.table.times);
    return outcome;
}

static void expect_same(const struct outcome *found, const struct outcome *expected, const char *how)
{
    const struct csv_table *t = &found->table, *u = &expected->table;

    ck_assert_msg(found->status == expected->status, "%s: status %d (%s), expected %d (%s)", how,
                  (int)found->status, found->err.text, (int)expected->status, expected->err.text);
    ck_assert_msg(strcmp(found->err.text, expected->err.text) == 0, "%s: \"%s\", expected \"%s\"", how,
                  found->err.text, expected->err.text);
    ck_assert_int_eq(found->err.line, expected->err.line);
    ck_assert_msg(t->rows == u->rows && t->column_count == u->column_count, "%s: %zu rows, %zu columns", how,
                  t->rows, t->column_count);
    for (size_t i = 0; i < t->column_count; i++) {
        const struct csv_column *a = &t->columns[i], *b = &u->columns[i];

        ck_assert_str_eq(a->name, b->name);
        ck_assert_msg(a->count == b->count && a->missing == b->missing,
                      "%s: %s has %zu values and %zu missing, not %zu and %zu", how, a->name, a->count,
                      a->missing, b->count, b->missing);
        ck_assert_msg(memcmp(a->values, b->values, a->count * sizeof *a->values) == 0,
                      "%s: %s has other values", how, a->name);
    }
    ck_assert_uint_eq(t->times.count, u->times.count);
    ck_assert_msg(!u->clock || memcmp(t->times.values, u->times.values, t->times.count * sizeof(double)) == 0,
                  "%s: other times", how);
}

// Reads the file with each number of threads in chunks of `chunk` bytes, with varying code and memory limits;
// every result must equal `expected`.
static void expect_chunks(const char *path, struct csv_options options, size_t chunk,
                          const struct outcome *expected)
{
    for (size_t i = 0; i < THREAD_COUNTS; i++) {
        char how[96];
        struct outcome found;

        options.threads = thread_counts[i];
        options.chunk = chunk;
        options.code = (enum csv_code)((chunk + i) % 3);
        options.most = (chunk + 2 * i) % 5 == 1 ? 1 + chunk % 100 : 0;
        snprintf(how, sizeof how, "%u threads, chunks of %zu, code %d", options.threads, chunk,
                 (int)options.code);
        found = read_file(path, &options);
        expect_same(&found, expected, how);
        csv_free(&found.table);
    }
}

static struct outcome read_in_order(const char *path, struct csv_options options)
{
    options.threads = 1;
    options.chunk = 0;
    options.code = CSV_CODE_CELLS;
    return read_file(path, &options);
}

// Expects the same result with chunks of every size up to the whole file.
static void expect_every_cut(const char *text, size_t length, enum csv_missing missing)
{
    struct csv_options options = {.missing = missing};
    const char *path = file_with(text, length);
    struct outcome expected = read_in_order(path, options);

    for (size_t chunk = 1; chunk <= length + 1; chunk++)
        expect_chunks(path, options, chunk, &expected);
    csv_free(&expected.table);
}

START_TEST(every_cut)
{
    static const char *const texts[] = {
        "a,b\n1,2\n3,4\n5,6\n7,8\n9,10\n",
        "a,b\r\n1,2\r\n3,4\r\n-5.5,6e3\r\n\r\n\r\n",
        "\xef\xbb\xbftime, x\n2020-07-24 07:07:49.031250,0.0\n2020-07-24,-60.0\nz,1\n",
        "\"a\",\"b\"\n\"1\",\"x\ny\"\n\"2\",\"\n\n\"\n3,\"\"\"\n\"\"\"\n4,\",\n,\"\n5,z",
        "a,t\n1,\"\n2,\n3,\n\"\n4,\"5,6\n7,8\n\"\n",
        "v\n1\n\n3\n\n\n4\n5\n\n",
        "v\n\n\n1\n2\n\n",
        "1,,\n,2,\nNA,nan,3\n4,5,6\n,,\n",
        "a,note,b\n1,,2\n2,,3\n3,word,4\n4,7,5\n5,,6\n",
        "a,b,\n1,2,\n3,4,\n5,6,\n",
        "1680686620.0, 1680686620.0\n32.0, 32.0\n\n1,2\n3, 4\n -5,6 \n",
        "1,2\n 1 ,\t2\n+1,.5\n5.,inf\n1e3,-0\n123456789012,12345678901234567890\n",
        "1\n2",
        "1",
        "a\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int missing = CSV_MISSING_ERROR; missing <= CSV_MISSING_PROPAGATE; missing++)
            if (missing || i % 3 == 0)
                expect_every_cut(texts[i], strlen(texts[i]), (enum csv_missing)missing);
}
END_TEST

// The first error in the file is reported, whatever follows it.
START_TEST(first_error)
{
    static const struct {
        const char *text;
        long line;
    } files[] = {
        {"a,b\n1,2\n3,four\n5,six\n7\n8,\n", 3},
        {"a,b\n1,2\n3\n5,six\n7,8\n", 3},
        {"a,b\n1,2\n3,4,5\nx\n", 3},
        {"a,b\n1,2\n\n5,six\n", 3},
        {"a,b\n1,2\n3,4\n5,6\n7,\n\n\n9,x\n", 5},
        {"a,b\n1,\"2\n3,4\n5,6\n", 2},
        {"a,b\n1,2\n\"3\n\n\",4\n5,6\n", 3},
        {"a,b\n1,2\n3,\"4\"5\n6,7\n8,9,\n", 3},
        {"a,t\n1,\"x\n\n\"\n2,y\nthree,z\n4\n", 6},
        {"v\n1\n2\n\n\n3\nx\n", 4},
        {"v\n1\n2\n3\n4\n5 6\n", 6},
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct outcome outcome =
            read_in_order(file_with(files[i].text, strlen(files[i].text)), (struct csv_options){0});

        ck_assert_int_eq(outcome.status, KN_ERROR_INPUT);
        ck_assert_msg(outcome.err.line == files[i].line, "%s", outcome.err.text);
        expect_every_cut(files[i].text, strlen(files[i].text), CSV_MISSING_ERROR);
    }
    expect_every_cut("a,b\n1,2\n3,\0004\n5,x\n", 17, CSV_MISSING_ERROR);
    expect_every_cut("a,b\n1,2\n3,4\n5,6\n7,8\n\0", 21, CSV_MISSING_OMIT);
}
END_TEST

// Random bytes, chosen from those that matter to the parser, in chunks of random sizes.
START_TEST(random_bytes)
{
    static const char alphabet[] = "0123456789.,,,,\n\n\n\n\"\" \re-na\xff";
    uint64_t state = test_seed("random_bytes");
    char text[400];

    for (int round = 0; round < 1500; round++) {
        size_t length = test_random(&state) % sizeof text;
        size_t letters = test_random(&state) % 2 ? sizeof alphabet - 1 : 19;
        struct csv_options options = {.missing = (enum csv_missing)(test_random(&state) % 3)};
        const char *path;
        struct outcome expected;

        for (size_t i = 0; i < length; i++)
            text[i] = alphabet[test_random(&state) % letters];
        path = file_with(text, length);
        expected = read_in_order(path, options);
        expect_chunks(path, options, 1 + test_random(&state) % 60, &expected);
        csv_free(&expected.table);
    }
}
END_TEST

// ---- random tables, whose values are recorded as they are written ----

enum { COLUMNS = 6, ROWS = 3000 };

struct random_table {
    char *text;
    size_t length;
    size_t columns;
    bool is_text[COLUMNS];
    double values[COLUMNS][ROWS]; // NaN: missing
};

static char *write_number(uint64_t *state, char *to, double *value, bool quoted)
{
    static const char *const words[] = {"inf", "-Infinity", "1e400", "-0", "0x", "+7"};
    char number[64];
    uint64_t bits = test_random(state);

    switch (test_random(state) % 8) {
    case 0:
        snprintf(number, sizeof number, "%.17g", (double)(int64_t)bits * 0x1p-40);
        break;
    case 1:
        snprintf(number, sizeof number, "%.*e", (int)(bits % 20), (double)(int64_t)bits);
        break;
    case 2:
        snprintf(number, sizeof number, "%s", words[bits % 6 == 4 ? 5 : bits % 6]);
        break;
    case 3:
        snprintf(number, sizeof number, "%llu", (unsigned long long)(bits >> bits % 64));
        break;
    default:
        snprintf(number, sizeof number, "%.*f", (int)(bits % 13), (double)(int8_t)(bits >> 8));
    }
    *value = strtod(number, NULL);
    return to + sprintf(to, "%s%s%s%s%s", bits >> 20 & 1 ? " " : "", quoted ? "\"" : "", number,
                        quoted ? "\"" : "",
                        bits >> 21 & 1   ? ""
                        : bits >> 22 & 1 ? " "
                                         : "");
}

static void make_table(uint64_t *state, struct random_table *table, bool plain)
{
    static const char *const missing[] = {"", "NA", "nan", " ", "\"\""};
    static const char *const texts[] = {
        "2020-07-24 07:07:49.031250", "\"a,b\"", "\"two\nlines\"", "x", "\"\n\"\"\n\"", ""};
    char *to = table->text;

    table->columns = 1 + test_random(state) % COLUMNS;
    for (size_t i = 0; i < table->columns; i++) {
        table->is_text[i] = i + 1 < table->columns && test_random(state) % 3 == 0;
        to += sprintf(to, "%sc%zu", i ? "," : "", i);
    }
    for (size_t row = 0; row < ROWS; row++) {
        to += sprintf(to, row % 2 ? "\n" : "\r\n");
        for (size_t i = 0; i < table->columns; i++) {
            uint64_t chance = test_random(state);

            to += sprintf(to, i ? "," : "");
            if (table->is_text[i])
                to += sprintf(to, "%s", texts[plain || row == 0 ? 0 : chance % 6]);
            else if (!plain && row && chance % 8 == 0 && (table->columns > 1 || chance % 16)) {
                to += sprintf(to, "%s", missing[table->columns > 1 ? chance / 8 % 5 : 1 + chance / 8 % 2]);
                table->values[i][row] = NAN;
            } else {
                to = write_number(state, to, &table->values[i][row], !plain && chance % 7 == 0);
            }
        }
    }
    table->length = (size_t)(to - table->text);
}

static void expect_table(const struct csv_table *found, const struct random_table *table,
                         enum csv_missing missing)
{
    size_t column = 0;

    ck_assert_uint_eq(found->rows, ROWS);
    for (size_t i = 0; i < table->columns; i++) {
        double expected[ROWS];
        size_t count = 0, omitted = 0;
        char name[32];

        if (table->is_text[i])
            continue;
        for (size_t row = 0; row < ROWS; row++) {
            omitted += isnan(table->values[i][row]) != 0;
            if (missing == CSV_MISSING_PROPAGATE || !isnan(table->values[i][row]))
                expected[count++] = table->values[i][row];
        }
        snprintf(name, sizeof name, "c%zu", i);
        expect_column(found, column, name, count, expected);
        ck_assert_uint_eq(found->columns[column].missing, omitted);
        column++;
    }
    ck_assert_uint_eq(found->column_count, column);
}

START_TEST(random_tables)
{
    uint64_t state = test_seed("random_tables");
    struct random_table *table = malloc(sizeof *table);

    ck_assert_ptr_nonnull(table);
    table->text = malloc((size_t)ROWS * COLUMNS * 64);
    ck_assert_ptr_nonnull(table->text);
    for (int round = 0; round < 60; round++) {
        bool plain = round % 3 == 0;
        const char *path;

        make_table(&state, table, plain);
        path = file_with(table->text, table->length);
        for (size_t i = 0; i < THREAD_COUNTS; i++) {
            struct csv_options options = {
                .missing = plain                     ? CSV_MISSING_ERROR
                           : test_random(&state) % 2 ? CSV_MISSING_OMIT
                                                     : CSV_MISSING_PROPAGATE,
                .threads = thread_counts[i],
                .chunk = i ? 1 + test_random(&state) % (test_random(&state) % 2 ? 20000 : 300) : 0,
                .most = test_random(&state) % 3 ? 0 : 1 + test_random(&state) % (ROWS * COLUMNS * 8),
                .code = (enum csv_code)(test_random(&state) % 3)};
            struct outcome found = read_file(path, &options);

            ck_assert_msg(found.status == KN_OK, "%s", found.err.text);
            expect_table(&found.table, table, options.missing);
            csv_free(&found.table);
        }
    }
    free(table->text);
    free(table);
}
END_TEST

// A file of 14 MB in chunks of the default size, first without and then with an error at its end.
START_TEST(large_file)
{
    enum { LARGE = 400000 };
    char *text = malloc((size_t)LARGE * 64), *to = text;
    uint64_t state = test_seed("large_file");
    struct outcome expected, found;
    const char *path;

    ck_assert_ptr_nonnull(text);
    to += sprintf(to, "time, x, \"y\"\n");
    for (size_t i = 0; i < LARGE; i++)
        to += sprintf(to, "%s,%.1f,%.*f\n", i % 1000 == 999 ? "\"2020\n07\"" : "2020-07-24 07:07",
                      (double)(int8_t)test_random(&state), (int)(i % 9),
                      (double)(int64_t)test_random(&state) * 0x1p-55);
    path = file_with(text, (size_t)(to - text));
    expected = read_in_order(path, (struct csv_options){0});
    ck_assert_msg(expected.status == KN_OK, "%s", expected.err.text);
    ck_assert_uint_eq(expected.table.rows, LARGE);
    for (size_t i = 0; i < 3 * THREAD_COUNTS; i++) {
        struct csv_options options = {.threads = thread_counts[i / 3],
                                      .most = i % 3 == 1 ? (size_t)48 << 20 : i % 2,
                                      .code = (enum csv_code)(i % 3)};

        found = read_file(path, &options);
        expect_same(&found, &expected, "large");
        csv_free(&found.table);
    }
    csv_free(&expected.table);

    to += sprintf(to, "2020,1\n");
    path = file_with(text, (size_t)(to - text));
    for (size_t i = 0; i < THREAD_COUNTS; i++) {
        struct csv_options options = {.threads = thread_counts[i]};

        found = read_file(path, &options);
        ck_assert_int_eq(found.status, KN_ERROR_INPUT);
        ck_assert_int_eq(found.err.line, 1 + LARGE + LARGE / 1000 + 1);
        ck_assert_ptr_nonnull(strstr(found.err.text, "found 2 cells"));
    }
    free(text);
}
END_TEST

// A column of times in Unix milliseconds, read with various memory limits: times and values are either both
// in memory or both spooled.
START_TEST(times_that_spill)
{
    enum { TIMES = 5000 };
    char *text = malloc((size_t)TIMES * 64), *to = text;
    const char *path;
    struct csv_options options = {.times = true, .missing = CSV_MISSING_PROPAGATE};
    struct outcome expected;

    ck_assert_ptr_nonnull(text);
    to += sprintf(to, "timestamp,x\n");
    for (int i = 0; i < TIMES; i++)
        to += sprintf(to, i % 7 ? "16806866%05d,%d\n" : "16806866%05d,\n", i, i % 100);
    path = file_with(text, (size_t)(to - text));
    expected = read_in_order(path, options);
    ck_assert_int_eq(expected.table.clock, CSV_CLOCK_MILLISECONDS);
    ck_assert_double_eq(expected.table.times.values[1], 1680686600.001);
    for (size_t most = 1; most < 3 * sizeof(double) * TIMES; most += 9000) {
        options.most = most;
        for (size_t chunk = 1000; chunk < 70000; chunk += 20000)
            for (unsigned i = 0; i < THREAD_COUNTS; i++) {
                struct outcome found;

                options.chunk = chunk;
                options.threads = thread_counts[i];
                found = read_file(path, &options);
                expect_same(&found, &expected, "times");
                ck_assert(!found.table.times.spool == !found.table.columns[0].spool);
                ck_assert(found.table.times.spool || most >= 2 * sizeof(double) * TIMES);
                csv_free(&found.table);
            }
    }
    csv_free(&expected.table);
    free(text);
}
END_TEST

// Dates and times of day in two columns, read in chunks, with and without a memory limit that spools them.
START_TEST(times_of_two_columns)
{
    enum { TIMES = 3000 };
    char *text = malloc((size_t)TIMES * 64), *to = text;
    struct csv_options options = {.times = true};
    struct outcome expected;
    const char *path;

    ck_assert_ptr_nonnull(text);
    to += sprintf(to, "Date,Time,x\n");
    for (int i = 0; i < TIMES; i++)
        to += sprintf(to, i % 7 ? "7/24/2020,%d:%02d:%02d PM,%d\n" : "\"7/24/2020\",%d:%02d:%02d PM,%d\n",
                      1 + i / 3600, i / 60 % 60, i % 60, i % 100);
    path = file_with(text, (size_t)(to - text));
    expected = read_in_order(path, options);
    ck_assert_int_eq(expected.table.clock, CSV_CLOCK_MONTH_FIRST);
    ck_assert_str_eq(expected.table.times.name, "Date Time");
    for (size_t i = 0; i < TIMES; i++)
        ck_assert_double_eq(expected.table.times.values[i], 1595595600.0 + (double)i);
    for (size_t i = 0; i < 2 * THREAD_COUNTS; i++) {
        struct outcome found;

        options.most = i % 2 ? 20000 : 0;
        options.chunk = 5000;
        options.threads = thread_counts[i / 2];
        found = read_file(path, &options);
        expect_same(&found, &expected, "two columns");
        csv_free(&found.table);
    }
    csv_free(&expected.table);
    free(text);
}
END_TEST

// If values must be spooled and TMPDIR does not exist, the error names it.
START_TEST(nowhere_to_spill)
{
    const struct csv_options options = {.most = 1};
    const char *path = file_with("a\n1\n2\n", 6);
    struct csv_table table;
    kn_error err = KN_ERROR_INIT;

    ck_assert_int_eq(setenv("TMPDIR", "/nonexistent", 1), 0);
    ck_assert_int_eq(csv_read(path, &options, &table, &err), KN_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent"));
    ck_assert_ptr_nonnull(strstr(err.text, "TMPDIR"));
    ck_assert_uint_eq(table.column_count, 0);
}
END_TEST

// A file that another process truncates and extends meanwhile is read or refused; the reading process must
// not crash.
START_TEST(changing_file)
{
    static const char row[] = "2020-07-24 07:07:49.031250,0.0,23.0,-60.0\n";
    enum { LENGTH = sizeof row - 1, ROWS_THERE = 150000 };
    char *text = malloc((size_t)ROWS_THERE * LENGTH);
    const char *path;
    pid_t child;
    int status;

    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < ROWS_THERE; i++)
        memcpy(text + i * LENGTH, row, LENGTH);
    path = file_with(text, (size_t)ROWS_THERE * LENGTH);
    free(text);
    child = fork();
    if (child == 0)
        for (;;)
            if (truncate(path, ROWS_THERE / 2 * LENGTH) || usleep(500) || truncate(path, ROWS_THERE * LENGTH))
                _exit(1);
    for (unsigned i = 0; i < 100; i++) {
        struct csv_options options = {.threads = 1 + i % 3};
        struct outcome found = read_file(path, &options);

        ck_assert(found.status == KN_OK ? found.table.rows >= ROWS_THERE / 2
                                        : found.status == KN_ERROR_INPUT);
        csv_free(&found.table);
    }
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFSIGNALED(status), "the file was not changed");
}
END_TEST

START_TEST(real_file_in_chunks)
{
    char path[4200];
    struct outcome expected;

    if (!test_data_path("acc/ACC_msr2023.csv", path, sizeof path))
        return;
    expected = read_in_order(path, (struct csv_options){0});
    ck_assert_uint_eq(expected.table.rows, 117156);
    expect_chunks(path, (struct csv_options){0}, 4099, &expected);
    expect_chunks(path, (struct csv_options){0}, 100003, &expected);
    csv_free(&expected.table);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_cut,     first_error,        random_bytes,         random_tables,
                                  large_file,    times_that_spill,   times_of_two_columns, nowhere_to_spill,
                                  changing_file, real_file_in_chunks};

    return TEST_RUN_WITH("csv chunks", CK_FORK_GETENV, make_folder, remove_folder, tests);
}
