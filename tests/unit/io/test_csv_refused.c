// SPDX-License-Identifier: Apache-2.0
// CSV reading: the options for columns and missing cells, and what is refused, with the line and the message.
#include "csv_support.h"
#include "support/run.h"

#include <sys/wait.h>

// Reads a file of `bytes`, which must be refused with this status at this line; the message must contain each
// of `words`, which are separated by '|'.
static void expect_refused(const char *bytes, size_t count, const struct csv_options *options,
                           kn_status status, long line, const char *words)
{
    struct csv_table table;
    kn_error err = KN_ERROR_INIT;
    const char *path = file_with(bytes, count);
    char list[512];

    ck_assert_int_eq(csv_read(path, options, &table, &err), status);
    ck_assert_int_eq(err.code, status);
    ck_assert_msg(err.line == line, "line %ld instead of %ld: %s", err.line, line, err.text);
    ck_assert_msg(strstr(err.text, path) != NULL, "does not name the file: %s", err.text);
    ck_assert_uint_eq(table.column_count, 0);
    ck_assert_ptr_null(table.columns);
    snprintf(list, sizeof list, "%s", words);
    for (char *word = strtok(list, "|"); word; word = strtok(NULL, "|"))
        ck_assert_msg(strstr(err.text, word) != NULL, "does not say '%s': %s", word, err.text);
    // Without a kn_error to fill in, the status is the same.
    ck_assert_int_eq(csv_read(path, options, &table, NULL), status);
}

static void expect_bad(const char *text, long line, const char *words)
{
    expect_refused(text, strlen(text), NULL, KN_ERROR_INPUT, line, words);
}

START_TEST(missing_cells)
{
    static const char text[] = "a,b\n1,\n,4\nNaN,\"\"\nNA,-nan\n5,6\n";
    struct csv_options options = {.missing = CSV_MISSING_OMIT};
    struct csv_table t = read_with(text, strlen(text), &options);

    ck_assert_uint_eq(t.rows, 5);
    EXPECT_COLUMN(t, 0, "a", 1, 5);
    EXPECT_COLUMN(t, 1, "b", 4, 6);
    ck_assert_uint_eq(t.columns[0].missing, 3);
    ck_assert_uint_eq(t.columns[1].missing, 3);
    csv_free(&t);
    options.missing = CSV_MISSING_PROPAGATE;
    t = read_with(text, strlen(text), &options);
    EXPECT_COLUMN(t, 0, "a", 1, NAN, NAN, NAN, 5);
    EXPECT_COLUMN(t, 1, "b", NAN, 4, NAN, NAN, 6);
    ck_assert_uint_eq(t.columns[1].missing, 3);
    csv_free(&t);
    expect_bad(text, 2, "column 2 \"b\"|missing|--missing");
    // In a file of one column, an empty line between rows is a missing cell; at the end of the file it is
    // ignored.
    t = read_with("a\n1\n\n3\n\n", 8, &options);
    EXPECT_COLUMN(t, 0, "a", 1, NAN, 3);
    csv_free(&t);
    expect_bad("a\n1\n\n3\n", 3, "column 1 \"a\"|missing");
    // A text column whose first cell is missing is still a text column.
    t = read_with("a,note\n1,\n2,x\n3,7\n", 18, &options);
    ck_assert_uint_eq(t.column_count, 1);
    EXPECT_COLUMN(t, 0, "a", 1, 2, 3);
    csv_free(&t);
}
END_TEST

START_TEST(choosing_columns)
{
    static const char text[] = "time,x,y,x,3\nnoon,1,2,4,5\n";
    const char *wanted[] = {"y", "2", "3", "y"};
    struct csv_options options = {.columns = wanted, .column_count = 4};
    struct csv_table t = read_with(text, strlen(text), &options);

    // Columns come in the order requested, each once; "3" is taken as a name before it is taken as an index.
    ck_assert_uint_eq(t.column_count, 3);
    EXPECT_COLUMN(t, 0, "y", 2);
    EXPECT_COLUMN(t, 1, "x", 1);
    EXPECT_COLUMN(t, 2, "3", 5);
    csv_free(&t);
    options.column_count = 1;
    wanted[0] = "Y";
    expect_refused(text, strlen(text), &options, KN_ERROR_ARGUMENT, 0,
                   "no column is named \"Y\"|1 \"time\"|3 \"y\"");
    wanted[0] = "6";
    expect_refused(text, strlen(text), &options, KN_ERROR_ARGUMENT, 0, "there is no column \"6\"|5 \"3\"");
    wanted[0] = "0";
    expect_refused(text, strlen(text), &options, KN_ERROR_ARGUMENT, 0, "there is no column \"0\"");
    wanted[0] = "99999999999999999999999";
    expect_refused(text, strlen(text), &options, KN_ERROR_ARGUMENT, 0, "there is no column");
    wanted[0] = "";
    expect_refused(text, strlen(text), &options, KN_ERROR_ARGUMENT, 0, "no column is named");
    wanted[0] = "x";
    expect_refused(text, strlen(text), &options, KN_ERROR_ARGUMENT, 0, "more than one column is named \"x\"");
    wanted[0] = "time";
    expect_refused(text, strlen(text), &options, KN_ERROR_INPUT, 2,
                   "column 1 \"time\"|\"noon\"|expected a number");
    // Bad cells in a column that was not requested do not matter.
    wanted[0] = "a";
    t = read_with("a,b\n1,2\n3,oops\n5,\n", 18, &options);
    EXPECT_COLUMN(t, 0, "a", 1, 3, 5);
    csv_free(&t);
}
END_TEST

START_TEST(bad_cells)
{
    expect_bad("a,b\n1,2\n3,abc\n", 3, "column 2 \"b\"|found \"abc\"|expected a number");
    expect_bad("a,b\n1,2\n3,0x10\n", 3, "\"0x10\"|decimal");
    expect_bad("1,2\n3,1e\n", 2, "column 2: found \"1e\"");
    expect_bad("1,2\n3,1 2\n", 2, "\"1 2\"");
    expect_bad("1,2\n3,--1\n", 2, "\"--1\"");
    expect_bad("1,2\n3,.\n", 2, "\".\"");
    expect_bad("1,2\n3,4;5\n", 2, "\"4;5\"|not ';'");
    expect_bad("1,2\n3,4\r5\n", 2, "\"4\\r5\"");
    expect_bad("1,2\n3,\x1b[31m\xff\n", 2, "\"\\x1b[31m\\xff\"");
    expect_bad("1,2\n3,\"4\"5\n", 2, "column 2|closing quote");
    expect_bad("a,b\n1,2\n3,\"x\n\ny\"\n1,2\n", 3, "\"x\\n\\ny\"");
    expect_bad("a,b\n1,\"2\"\n\"3\",4\n5,oops\n", 4, "\"oops\"");
    expect_bad("a,\"b\nc\"\n1,2\n3,oops\n", 4, "column 2 \"b\\nc\"|\"oops\"");
    expect_bad("1,2\n3,abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\n", 2,
               "uvwxyzabcdefghijklmnopqrstuvwxyzabcdef...\"|expected");
}
END_TEST

START_TEST(bad_rows)
{
    expect_bad("a,b,c\n1,2,3\n4,5\n", 3, "found 2 cells|expected 3|header");
    expect_bad("1,2,3\n4\n", 2, "found 1 cell |expected 3|first row");
    // These files have as many separators and line ends as correct ones, but in other places.
    expect_bad("a,b\n1,2\n3\n4\n5,6,\n7,8,", 3, "found 1 cell ");
    expect_bad("a,b\n1,2\n3\n4\n5,6,7,8,9,10\n", 3, "found 1 cell ");
    expect_bad("a,b\n1,2\n3,4,5,6\n", 3, "found 4 cells|expected 2");
    expect_bad("a,b\n1,2,\n", 2, "found 3 cells|expected 2");
    expect_bad("a,b\n1,2\n\n\n3,4\n", 3, "empty line|expected 2 cells");
    expect_bad("a,b\nx,y\nz,w\n", 2, "no column holds numbers|2 columns");
    expect_bad("a;b\n1;2\n3\n", 3, "found 1 cell |expected 2|header");
    expect_bad("a,b\r1,2\r3,4\r", 1, "carriage return");
    expect_bad("a,b\n1,\"2\n3,4\n", 2, "quote|never closed");
}
END_TEST

START_TEST(bad_files)
{
    expect_bad("", 0, "empty");
    expect_bad("\n\r\n \n", 0, "empty");
    expect_bad("\xef\xbb\xbf", 0, "empty");
    expect_bad("a,b\n", 0, "header but no rows");
    expect_bad("a,b", 0, "header but no rows");
    expect_bad("1680686620.0, 1680686620.0\n32.0, 32.0\n", 0, "header but no rows");
    expect_bad("1680686620.0, IBI\n", 0, "header but no rows");
    expect_bad("1680686620.0, IBI\n1.5,0.8\n2.3,x\n", 3, "column 2: found \"x\"");
    expect_refused("a,b\n1,2\n3,\0\n", 12, NULL, KN_ERROR_INPUT, 3, "NUL byte");
    expect_refused("a,b\n1,2\n\n\n\0", 11, NULL, KN_ERROR_INPUT, 5, "NUL byte");
    expect_refused("\xff\xfe"
                   "a\0,\0b\0\n\0",
                   10, NULL, KN_ERROR_INPUT, 1, "UTF-16|UTF-8");
    expect_refused("\xfe\xff\0a\0\n", 6, NULL, KN_ERROR_INPUT, 1, "UTF-16");
    expect_refused("a\0,\0b\0\n\0", 8, NULL, KN_ERROR_INPUT, 1, "NUL byte|UTF-16");
}
END_TEST

START_TEST(files_that_cannot_be_read)
{
    struct csv_table t;
    kn_error err = KN_ERROR_INIT;
    char path[4200];

    snprintf(path, sizeof path, "%s/absent.csv", folder);
    ck_assert_int_eq(csv_read(path, NULL, &t, &err), KN_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, path));
    ck_assert_ptr_nonnull(strstr(err.text, "No such file"));
    ck_assert_int_eq(csv_read(folder, NULL, &t, &err), KN_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "is a directory"));
    snprintf(path, sizeof path, "%s", file_with("1\n", 2));
    ck_assert_int_eq(chmod(path, 0), 0);
    // Root can read every file, so the check is then done as another user.
    if (geteuid() == 0) {
        pid_t child = fork();
        int status;

        if (child == 0)
            _exit(chmod(folder, 0755) || setuid(65534) || csv_read(path, NULL, &t, &err) != KN_ERROR_INPUT ||
                  !strstr(err.text, "Permission denied"));
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    } else {
        ck_assert_int_eq(csv_read(path, NULL, &t, &err), KN_ERROR_INPUT);
        ck_assert_ptr_nonnull(strstr(err.text, "Permission denied"));
    }
}
END_TEST

// Lines near the limit of 1 MiB, which also move the window that slides over the file.
START_TEST(long_lines)
{
    enum { LIMIT = 1 << 20 };
    char *text = malloc(2 * LIMIT + 64);
    struct csv_table t;
    size_t length;

    ck_assert_ptr_nonnull(text);
    memset(text, ' ', 2 * LIMIT + 64);
    memcpy(text, "a,b\n1,2\n3", 9);
    memcpy(text + 8 + LIMIT - 2, ",4", 2);
    length = 8 + LIMIT;
    t = read_with(text, length, NULL);
    EXPECT_COLUMN(t, 1, "b", 2, 4);
    csv_free(&t);
    memcpy(text + length, "\r\n5,6\r\n", 7);
    t = read_with(text, length + 7, NULL);
    EXPECT_COLUMN(t, 1, "b", 2, 4, 6);
    csv_free(&t);
    memcpy(text + length, " \n5,6\n", 6);
    expect_refused(text, length + 6, NULL, KN_ERROR_INPUT, 3, "longer than 1 MiB");
    memset(text + length, '7', LIMIT);
    expect_refused(text, length + LIMIT, NULL, KN_ERROR_INPUT, 3, "longer than 1 MiB");
    memset(text, 'x', 2 * LIMIT);
    text[0] = '"';
    expect_refused(text, 2 * LIMIT, NULL, KN_ERROR_INPUT, 1, "never closed within 1 MiB");
    free(text);
}
END_TEST

// A line of 1 GB is refused after its first part has been read (the file is sparse, but the reader cannot
// know that).
START_TEST(enormous_line)
{
    const char *path = file_with("a,b\n1,2\n", 8);
    struct csv_table t;
    kn_error err = KN_ERROR_INIT;
    int ends[2];
    pid_t child;
    int status;
    struct timespec before, after;

    ck_assert_int_eq(truncate(path, (off_t)1 << 30), 0);
    clock_gettime(CLOCK_MONOTONIC, &before);
    ck_assert_int_eq(csv_read(path, NULL, &t, &err), KN_ERROR_INPUT);
    clock_gettime(CLOCK_MONOTONIC, &after);
    ck_assert_int_lt(after.tv_sec - before.tv_sec, 2);
    ck_assert_int_eq(err.line, 3);
    // Through a pipe, without NUL bytes: the reader closes it, which kills the writer long before it has
    // written 1 GB.
    ck_assert_int_eq(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        static char chunk[65536];

        memset(chunk, '1', sizeof chunk);
        close(ends[0]);
        for (int i = 0; i < 16384; i++)
            if (write(ends[1], chunk, sizeof chunk) < 0)
                _exit(1);
        _exit(0);
    }
    close(ends[1]);
    ck_assert_int_ge(dup2(ends[0], STDIN_FILENO), 0);
    close(ends[0]);
    ck_assert_int_eq(csv_read("-", NULL, &t, &err), KN_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "standard input:1: the line is longer than 1 MiB"));
    ck_assert_int_eq(close(STDIN_FILENO), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFSIGNALED(status), "the writer wrote all of its line");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {missing_cells, choosing_columns,          bad_cells,  bad_rows,
                                  bad_files,     files_that_cannot_be_read, long_lines, enormous_line};

    return TEST_RUN_WITH("csv refused", CK_FORK_GETENV, make_folder, remove_folder, tests);
}
