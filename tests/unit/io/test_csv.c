// SPDX-License-Identifier: Apache-2.0
// CSV reading: every form of file that is accepted, and the values read from it.
#include "csv_support.h"
#include "support/run.h"

#include <sys/wait.h>

START_TEST(big_ideas_shape)
{
    struct csv_table t = read_text("datetime, acc_x, acc_y, acc_z\n"
                                   "2020-07-24 07:07:49.000000,1.0,23.0,-59.0\n"
                                   "2020-07-24 07:07:49.031250,0.0,23.0,-60.0\n");

    ck_assert_uint_eq(t.column_count, 3);
    ck_assert_uint_eq(t.rows, 2);
    EXPECT_COLUMN(t, 0, "acc_x", 1, 0);
    EXPECT_COLUMN(t, 1, "acc_y", 23, 23);
    EXPECT_COLUMN(t, 2, "acc_z", -59, -60);
    ck_assert_double_eq(t.sample_rate, 0);
    csv_free(&t);
}
END_TEST

START_TEST(e4_exports)
{
    static const char *const others[] = {"1680686620,1680686621\n32,32\n",
                                         "1680686620\n1001\n",
                                         "1680686620\n0\n",
                                         "1680686620000\n32\n",
                                         "1680686620\n-32\n",
                                         "999999999\n32\n"};
    struct csv_table t = read_text("1680686620.000000, 1680686620.000000, 1680686620.000000\n"
                                   "32.000000, 32.000000, 32.000000\n-34,-23,45\n-38,-21,47\n");

    ck_assert_uint_eq(t.rows, 2);
    ck_assert_double_eq(t.start_time, 1680686620);
    ck_assert_double_eq(t.sample_rate, 32);
    EXPECT_COLUMN(t, 0, "x", -34, -38);
    EXPECT_COLUMN(t, 1, "y", -23, -21);
    EXPECT_COLUMN(t, 2, "z", 45, 47);
    csv_free(&t);

    t = read_text("1680686620.000000\n64.000000\n-0.00\n1.25\n");
    ck_assert_double_eq(t.sample_rate, 64);
    EXPECT_COLUMN(t, 0, "column1", -0.0, 1.25);
    csv_free(&t);

    // A column of large numbers is not an E4 export: its second value cannot be a rate.
    t = read_text("2000000000\n2000000001\n2000000003\n");
    ck_assert_double_eq(t.sample_rate, 0);
    EXPECT_COLUMN(t, 0, "column1", 2000000000.0, 2000000001.0, 2000000003.0);
    csv_free(&t);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        t = read_text(others[i]);
        ck_assert_uint_eq(t.rows, 2);
        ck_assert_double_eq(t.start_time, 0);
        csv_free(&t);
    }
}
END_TEST

// IBI.csv: a time and an interval for each beat; the times are read only if they are requested.
START_TEST(e4_beats)
{
    static const char text[] = "1680686620.000000, IBI\n21.454186,0.859412\n22.297947,0.843761\r\n";
    static const char *const time[] = {"time"}, *const second[] = {"2"};
    struct csv_options options = {.column_count = 1};
    struct csv_table t = read_text(text);

    ck_assert_uint_eq(t.column_count, 1);
    ck_assert_uint_eq(t.rows, 2);
    ck_assert_double_eq(t.start_time, 1680686620);
    ck_assert_double_eq(t.sample_rate, 0);
    EXPECT_COLUMN(t, 0, "ibi", 0.859412, 0.843761);
    csv_free(&t);
    options.columns = time;
    t = read_with(text, strlen(text), &options);
    ck_assert_uint_eq(t.column_count, 1);
    EXPECT_COLUMN(t, 0, "time", 21.454186, 22.297947);
    csv_free(&t);
    options.columns = second;
    t = read_with(text, strlen(text), &options);
    EXPECT_COLUMN(t, 0, "ibi", 0.859412, 0.843761);
    csv_free(&t);
    // Without a plausible start time, or without the word IBI, the first line is an ordinary header.
    t = read_text("12, IBI\n3,4\n");
    EXPECT_COLUMN(t, 0, "12", 3);
    csv_free(&t);
    t = read_text("1680686620, beats\n3,4\n");
    EXPECT_COLUMN(t, 1, "beats", 4);
    csv_free(&t);
}
END_TEST

START_TEST(headers)
{
    struct csv_table t = read_text("1,2\n3,4\n");

    EXPECT_COLUMN(t, 0, "column1", 1, 3);
    EXPECT_COLUMN(t, 1, "column2", 2, 4);
    csv_free(&t);
    t = read_text("a, \t b c ,\"d \"\"q\"\"\",\"e\r\nf\"\n1,2,3,4\n");
    EXPECT_COLUMN(t, 0, "a", 1);
    EXPECT_COLUMN(t, 1, "b c", 2);
    EXPECT_COLUMN(t, 2, "d \"q\"", 3);
    EXPECT_COLUMN(t, 3, "e\r\nf", 4);
    csv_free(&t);
    // A first row of text and numbers is a header if the second row has a number below one of its texts;
    // otherwise it is data.
    t = read_text("time,1,2\n0.5,3,4\n");
    ck_assert_uint_eq(t.rows, 1);
    EXPECT_COLUMN(t, 0, "time", 0.5);
    EXPECT_COLUMN(t, 2, "2", 4);
    csv_free(&t);
    t = read_text("2020-07-24 07:07:49,1\n2020-07-24 07:07:50,3\n");
    ck_assert_uint_eq(t.rows, 2);
    EXPECT_COLUMN(t, 0, "column2", 1, 3);
    csv_free(&t);
    // A comma at the end of every line does not make a column.
    t = read_text("a,b,\n1,2,\n3,4,\n");
    ck_assert_uint_eq(t.column_count, 2);
    csv_free(&t);
    // An unnamed first column, such as pandas' index, is a column.
    t = read_text(",b\n0,2\n1,4\n");
    EXPECT_COLUMN(t, 0, "column1", 0, 1);
    csv_free(&t);
}
END_TEST

START_TEST(line_ends_and_blanks)
{
    static const char *const variants[] = {
        "a,b\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\n1,2\n3,4",
        "a,b\r\n1,2\r\n3,4\r\n\r\n\n",
        "\xef\xbb\xbf\x61,b\n1,2\n3,4\n",
        "\n\na,b\n1,2\n3,4\n  \t\n\n",
        " a\t, b \n 1 ,\t2\t\n3 , 4 \n",
        "\"a\",\"b\"\n\"1\",\"2\"\n \"3\" , \" 4 \"\n",
        "a,b\n\n1,2\r\n3,4\r",
    };

    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct csv_table t = read_text(variants[i]);

        ck_assert_uint_eq(t.rows, 2);
        ck_assert_uint_eq(t.column_count, 2);
        EXPECT_COLUMN(t, 0, "a", 1, 3);
        EXPECT_COLUMN(t, 1, "b", 2, 4);
        csv_free(&t);
    }
}
END_TEST

START_TEST(numbers)
{
    struct csv_table t =
        read_text("v\n+1\n-0\n.5\n5.\n1e3\n1E+03\n2.5e-3\ninf\n-INF\n+Infinity\n1e999\n-1e999\n"
                  "1e-999\n4.9e-324\n2.2250738585072011e-308\n0.1\n123456789012345678901234567890\n"
                  "9007199254740993\n1e22\n1e23\n00000000000000000000000012.5\n1.7976931348623157e308\n"
                  "0.000000000000000000000000000001\n8.41e21\n9007199254740992e-"
                  "22\n18446744073709551617\n1844674407370955.1617\n");

    EXPECT_COLUMN(t, 0, "v", 1, -0.0, .5, 5, 1000, 1000, 2.5e-3, INFINITY, -INFINITY, INFINITY, INFINITY,
                  -INFINITY, 0, 4.9e-324, 2.2250738585072011e-308, 0.1, 123456789012345678901234567890.0,
                  9007199254740993.0, 1e22, 1e23, 12.5, 1.7976931348623157e308, 1e-30, 8.41e21,
                  9007199254740992e-22, 18446744073709551617.0, 1844674407370955.1617);
    ck_assert_uint_eq(t.rows, 27);
    csv_free(&t);
}
END_TEST

// Decimal texts of every shape: the parser gives the same bits as strtod.
START_TEST(numbers_are_correctly_rounded)
{
    enum { COUNT = 200000 };
    uint64_t state = test_seed("numbers_are_correctly_rounded");
    char *text = malloc((size_t)COUNT * 64), *end = text + sprintf(text, "v\n");
    double *expected = malloc(COUNT * sizeof *expected);
    struct csv_table t;

    ck_assert(text && expected);
    for (size_t i = 0; i < COUNT; i++) {
        char *number = end;
        uint64_t digits = test_random(&state) >> (test_random(&state) % 64);
        int point = (int)(test_random(&state) % 20),
            length = snprintf(NULL, 0, "%llu", (unsigned long long)digits);

        end += snprintf(end, 64, "%s%llu", test_random(&state) % 2 ? "-" : "", (unsigned long long)digits);
        if (point < length) {
            memmove(end - point + 1, end - point, (size_t)point);
            end[-point] = '.';
            end++;
        }
        if (test_random(&state) % 2)
            end += sprintf(end, "e%d", (int)(test_random(&state) % 80) - 40);
        if (test_random(&state) % 16 == 0) {
            double any;
            uint64_t bits = test_random(&state);

            memcpy(&any, &bits, sizeof any);
            if (isfinite(any))
                end = number + sprintf(number, "%.17g", any);
        }
        *end = '\0';
        expected[i] = strtod(number, NULL);
        *end++ = '\n';
    }
    t = read_with(text, (size_t)(end - text), NULL);
    expect_column(&t, 0, "v", COUNT, expected);
    csv_free(&t);
    free(text);
    free(expected);
}
END_TEST

START_TEST(other_locales)
{
    struct csv_table t;

    if (!test_comma_locale(folder))
        return;
    t = read_text("a\n1.5\n0.1234567890123456789012345\n");
    EXPECT_COLUMN(t, 0, "a", 1.5, 0x1.f9add3746f65fp-4);
    ck_assert_uint_eq(t.columns[0].missing, 0);
    csv_free(&t);
    setlocale(LC_ALL, "C");
}
END_TEST

// A file of several windows gives the same values, whether it is read by name or, in small pieces, through a
// pipe.
START_TEST(windows_and_pipes)
{
    enum { ROWS = 120000 };
    char *text = malloc((size_t)ROWS * 48), *end = text;
    double *expected = malloc(ROWS * sizeof *expected);
    uint64_t state = test_seed("windows_and_pipes");
    struct csv_table t;
    int ends[2], status;
    pid_t child;

    ck_assert(text && expected);
    end += sprintf(end, "stamp,\"value\"\n");
    for (size_t i = 0; i < ROWS; i++) {
        expected[i] = (double)(int64_t)test_random(&state) * 0x1p-30;
        end += sprintf(end, i % 3 ? "2020-07-24,%.17g\n" : "\"a,\n\"\"b\",%.17g\r\n", expected[i]);
    }
    ck_assert_int_gt(end - text, 2 << 20);
    t = read_with(text, (size_t)(end - text), NULL);
    expect_column(&t, 0, "value", ROWS, expected);
    csv_free(&t);

    ck_assert_int_eq(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        close(ends[0]);
        for (char *p = text; p < end;) {
            size_t piece = (size_t)(end - p) < 997 ? (size_t)(end - p) : 997;

            if (write(ends[1], p, piece) != (ssize_t)piece)
                _exit(1);
            p += piece;
        }
        _exit(0);
    }
    close(ends[1]);
    ck_assert_int_ge(dup2(ends[0], STDIN_FILENO), 0);
    close(ends[0]);
    ck_assert_int_eq(csv_read("-", NULL, &t, NULL), KN_OK);
    expect_column(&t, 0, "value", ROWS, expected);
    csv_free(&t);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    free(text);
    free(expected);
}
END_TEST

// Random bytes, chosen from those that matter to the parser, are either read or refused. Builds with
// sanitizers also find invalid memory accesses here.
START_TEST(random_bytes)
{
    static const char alphabet[] = "0123456789.,,,,\n\n\n\"\" \t\re+-nainfNA;x\xff";
    uint64_t state = test_seed("random_bytes");
    char text[256];

    for (int round = 0; round < 20000; round++) {
        size_t length = test_random(&state) % sizeof text;
        struct csv_options options = {.missing = (enum csv_missing)(test_random(&state) % 3)};
        struct csv_table t;
        kn_error err = KN_ERROR_INIT;
        kn_status status;

        for (size_t i = 0; i < length; i++)
            text[i] = alphabet[test_random(&state) % (sizeof alphabet - (round % 64 != 0))];
        status = csv_read(file_with(text, length), &options, &t, &err);
        ck_assert(status == KN_OK ? t.column_count > 0 && t.rows > 0 : err.code == KN_ERROR_INPUT);
        for (size_t i = 0; i < t.column_count; i++)
            ck_assert_uint_eq(t.columns[i].count +
                                  (options.missing == CSV_MISSING_OMIT ? t.columns[i].missing : 0),
                              t.rows);
        csv_free(&t);
    }
}
END_TEST

START_TEST(real_file)
{
    static const double means[] = {-30.056728, 4.8959677, 36.374475};
    static const char *const names[] = {"x", "y", "z"};
    char path[4200];
    struct csv_table t;
    kn_error err = KN_ERROR_INIT;

    if (!test_data_path("acc/ACC_msr2023.csv", path, sizeof path))
        return;
    ck_assert_msg(csv_read(path, NULL, &t, &err) == KN_OK, "%s", err.text);
    ck_assert_uint_eq(t.rows, 117156);
    ck_assert_uint_eq(t.column_count, 3);
    ck_assert_double_eq(t.start_time, 1680686620);
    ck_assert_double_eq(t.sample_rate, 32);
    for (size_t i = 0; i < 3; i++) {
        double sum = 0;

        ck_assert_str_eq(t.columns[i].name, names[i]);
        for (size_t k = 0; k < t.columns[i].count; k++)
            sum += t.columns[i].values[k];
        ck_assert_double_eq_tol(sum / 117156, means[i], 1e-6);
    }
    csv_free(&t);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {big_ideas_shape,
                                  e4_exports,
                                  e4_beats,
                                  headers,
                                  line_ends_and_blanks,
                                  numbers,
                                  numbers_are_correctly_rounded,
                                  other_locales,
                                  windows_and_pipes,
                                  random_bytes,
                                  real_file};

    return TEST_RUN_WITH("csv", CK_FORK_GETENV, make_folder, remove_folder, tests);
}
