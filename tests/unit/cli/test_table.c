// SPDX-License-Identifier: Apache-2.0
// Tests text tables: alignment, characters of several bytes, control characters, no blanks at the end of a
// line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/run.h"
#include "cli/framework/table.h"

static char *printed;
static size_t length;

static void print(const struct table *table)
{
    FILE *out = open_memstream(&printed, &length);

    ck_assert_ptr_nonnull(out);
    ck_assert(table_print(table, out));
    ck_assert_int_eq(fclose(out), 0);
}

START_TEST(columns_are_aligned)
{
    struct table table;

    table_begin(&table, "lrl");
    table_add(&table, "name");
    table_add(&table, "n");
    table_add(&table, "note");
    table_add(&table, "a");
    table_add(&table, "%d", 117156);
    table_add(&table, "%s", "");
    table_add(&table, "längst");
    table_add(&table, "%s", "");
    table_add(&table, "x\033[2J");
    print(&table);
    ck_assert_str_eq(printed, "name         n  note\n"
                              "a       117156\n"
                              "längst          x?[2J\n");
    table_free(&table);
    free(printed);
}
END_TEST

START_TEST(an_empty_table_prints_nothing)
{
    struct table table;

    table_begin(&table, "ll");
    print(&table);
    ck_assert_str_eq(printed, "");
    table_free(&table);
    free(printed);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {columns_are_aligned, an_empty_table_prints_nothing};

    return TEST_RUN("table", CK_FORK_GETENV, tests);
}
