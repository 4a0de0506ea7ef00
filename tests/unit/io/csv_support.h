// SPDX-License-Identifier: Apache-2.0
// Helpers for the tests of the CSV reader: they write a scratch file, read it, and compare its columns with
// the expected values.
#ifndef KN_TESTS_UNIT_IO_CSV_SUPPORT_H
#define KN_TESTS_UNIT_IO_CSV_SUPPORT_H

#include "support/support.h"

#include <math.h>

#include "io/csv/csv.h"

static char *folder;

static inline void make_folder(void)
{
    folder = test_folder();
}

static inline void remove_folder(void)
{
    test_remove(folder);
}

// Writes `count` bytes to a scratch file and returns its name (valid until the next call).
static inline const char *file_with(const char *bytes, size_t count)
{
    static char path[4200];

    snprintf(path, sizeof path, "%s/input.csv", folder);
    test_write(path, bytes, count);
    return path;
}

static inline struct csv_table read_with(const char *bytes, size_t count, const struct csv_options *options)
{
    struct csv_table table;
    kn_error err = KN_ERROR_INIT;
    kn_status status = csv_read(file_with(bytes, count), options, &table, &err);

    ck_assert_msg(status == KN_OK, "refused: %s", err.text);
    return table;
}

static inline struct csv_table read_text(const char *text)
{
    return read_with(text, strlen(text), NULL);
}

static inline void expect_column(const struct csv_table *table, size_t index, const char *name, size_t count,
                                 const double *values)
{
    ck_assert_uint_lt(index, table->column_count);
    ck_assert_str_eq(table->columns[index].name, name);
    ck_assert_uint_eq(table->columns[index].count, count);
    // Compared bit by bit, so that -0 differs from 0; any NaN equals any other.
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(
            isnan(values[i]) ? isnan(table->columns[index].values[i])
                             : memcmp(&values[i], &table->columns[index].values[i], sizeof *values) == 0,
            "%s[%zu] is %.17g, expected %.17g", name, i, table->columns[index].values[i], values[i]);
}

#define EXPECT_COLUMN(table, index, name, ...)                                                               \
    do {                                                                                                     \
        const double expected_values[] = {__VA_ARGS__};                                                      \
        expect_column(&(table), (index), (name), sizeof expected_values / sizeof(double), expected_values);  \
    } while (0)

#endif
