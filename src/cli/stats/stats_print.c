// SPDX-License-Identifier: Apache-2.0
// The results of `koine stats` as tables for people: the values once, where all configurations agree on them,
// then the times of each configuration.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "cmd_stats.h"
#include "cli/framework/table.h"

enum { NAMES_MAX = 5 }; // columns side by side in the table of MAD and CV
enum { DIGITS = 8, FEW_DIGITS = 6, ALL_DIGITS = 17, TIME_DIGITS = 4 };

// A number, or a word; never "-nan".
static void add_number(struct table *table, int digits, double value)
{
    if (isnan(value))
        table_add(table, "nan");
    else if (isinf(value))
        table_add(table, value < 0 ? "-infinite" : "infinite");
    else
        table_add(table, "%.*g", digits, value);
}

// The file's name in the first line of those about it.
static void add_file(struct table *table, const char *file, const char **last)
{
    table_add(table, "%s", file == *last ? "" : file);
    *last = file;
}

static bool print_values(const struct stats_run *run, size_t config)
{
    const char *last = NULL;
    struct table table;

    table_begin(&table, "llrrrrrr");
    table_add_all(&table,
                  (const char *const[]){"file", "column", "n", "mean", "std", "CV", "median", "MAD", NULL});
    for (size_t group = 0; group < stats_groups(run); group++) {
        const struct stats_row *row = stats_row(run, group, config);
        const kn_stats *result = &row->result;

        add_file(&table, row->file, &last);
        table_add(&table, "%s", row->column);
        table_add(&table, "%zu", result->n);
        for (const double *const *number = (const double *const[]){&result->mean, &result->std, &result->cv,
                                                                   &result->median, &result->mad, NULL};
             *number; number++)
            add_number(&table, DIGITS, **number);
    }
    return table_finish(&table);
}

static bool same_as_first(const struct stats_run *run, size_t config)
{
    for (size_t group = 0; group < stats_groups(run); group++)
        if (!stats_same_results(stats_row(run, group, 0), stats_row(run, group, config)))
            return false;
    return true;
}

// "; 2 passes over the data", where columns were in files.
static void print_passes(const struct stats_run *run, size_t config)
{
    unsigned least = UINT_MAX, most = 0;

    for (size_t i = 0; i < run->row_count; i++) {
        const unsigned passes = run->rows[i].config == config ? run->rows[i].passes : 0;

        least = passes && passes < least ? passes : least;
        most = passes > most ? passes : most;
    }
    if (most > 0 && least < most)
        printf("; %u to %u passes over the data", least, most);
    else if (most > 0)
        printf("; %u pass%s over the data", most, most == 1 ? "" : "es");
}

// The rows of a configuration, and the first of them; NULL if there is none.
static size_t rows_of(const struct stats_run *run, size_t config, const struct stats_row **first)
{
    size_t count = 0;

    *first = NULL;
    for (size_t i = run->row_count; i-- > 0;)
        if (run->rows[i].config == config) {
            *first = &run->rows[i];
            count++;
        }
    return count;
}

static void print_config(const struct stats_run *run, size_t index, bool same)
{
    const struct stats_config *config = &run->configs[index];
    const struct stats_row *row;
    const size_t count = rows_of(run, index, &row);

    estimate_print_place(&run->places[config->place]);
    printf(", variant %s, %s precision; ", stats_variant_names[config->variant], stats_precision_of(config));
    if (run->shares)
        printf("%zu of %zu columns; ", count, stats_groups(run));
    if (!row) {
        printf("others took the work\n");
        return;
    }
    printf("seconds: read %.3f, build %.3f, upload %.3f, compute %.3f; method %s%s", run->read,
           config->times.build, config->times.upload, config->times.compute + config->times.download,
           stats_method_names[row->method], row->in_bytes ? " on bytes" : "");
    print_passes(run, index);
    printf("%s\n", same ? "; bitwise identical values" : "");
}

static bool print_times(const struct stats_run *run)
{
    const char *last = NULL;
    struct table table;

    table_begin(&table, "llllrr");
    table_add_all(&table, (const char *const[]){"file", "column", "variant", "precision", "seconds",
                                                run->arguments->sweep ? "sweep" : "", NULL});
    for (size_t i = 0; i < run->row_count; i++) {
        const struct stats_row *row = &run->rows[i];
        const struct stats_config *config = stats_config_of(run, row);

        add_file(&table, row->file, &last);
        table_add(&table, "%s", i % run->config_count ? "" : row->column);
        table_add(&table, "%s", stats_variant_names[config->variant]);
        table_add(&table, "%s", stats_precision_of(config));
        table_add(&table, "%.*g", TIME_DIGITS, row->seconds);
        if (isnan(row->sweep_seconds))
            table_add(&table, "%s", "");
        else
            table_add(&table, "%.*g", TIME_DIGITS, row->sweep_seconds);
    }
    printf("\nSeconds to compute a column, without reading and copying it (median of %zu):\n",
           run->arguments->repetitions);
    return table_finish(&table);
}

// Each prefix of each column, where no file receives them.
static bool print_prefixes(const struct stats_run *run)
{
    const char *last = NULL;
    struct table table;

    table_begin(&table, "lllrrrr");
    table_add_all(&table, (const char *const[]){"file", "column", "variant", "n", "CV", "MAD",
                                                run->arguments->sweep ? "" : "seconds", NULL});
    for (size_t i = 0; i < run->row_count; i++) {
        const struct stats_row *row = &run->rows[i];

        for (size_t k = 0; k < row->prefix_count; k++) {
            add_file(&table, row->file, &last);
            table_add(&table, "%s", i % run->config_count || k ? "" : row->column);
            table_add(&table, "%s", k ? "" : stats_variant_names[stats_config_of(run, row)->variant]);
            table_add(&table, "%zu", row->prefixes[k].n);
            add_number(&table, DIGITS, row->prefixes[k].cv);
            add_number(&table, DIGITS, row->prefixes[k].mad);
            if (row->prefix_seconds)
                table_add(&table, "%.*g", TIME_DIGITS, row->prefix_seconds[k]);
            else
                table_add(&table, "%s", "");
        }
    }
    printf("\nThe prefixes of each column:\n");
    return table_finish(&table);
}

// CV of each column in double and in single precision, of the variant that comes first.
static bool print_precisions(const struct stats_run *run)
{
    const char *last = NULL;
    struct table table;
    size_t single = 0;

    while (single < run->config_count && !run->configs[single].single)
        single++;
    if (single == 0 || single == run->config_count)
        return true; // a device left out
    table_begin(&table, "llrr");
    table_add_all(&table, (const char *const[]){"file", "column", "CV double", "CV float", NULL});
    for (size_t group = 0; group < stats_groups(run); group++) {
        add_file(&table, stats_row(run, group, 0)->file, &last);
        table_add(&table, "%s", stats_row(run, group, 0)->column);
        add_number(&table, ALL_DIGITS, stats_row(run, group, 0)->result.cv);
        add_number(&table, ALL_DIGITS, stats_row(run, group, single)->result.cv);
    }
    printf("\nCV in both precisions:\n");
    return table_finish(&table);
}

// The result of a column of this name in the file that begins with this group; NULL if it has none.
static const kn_stats *column_of_file(const struct stats_run *run, size_t first, const char *name)
{
    const char *file = stats_row(run, first, 0)->file;

    for (size_t group = first; group < stats_groups(run) && stats_row(run, group, 0)->file == file; group++)
        if (strcmp(stats_row(run, group, 0)->column, name) == 0)
            return &stats_row(run, group, 0)->result;
    return NULL;
}

// A line for each file: MAD, then CV, of these columns.
static bool print_files_of(const struct stats_run *run, const char *const *names, size_t count)
{
    const char *const layout = "lrrrrrrrrrr";
    const char *last = NULL;
    char columns[2 * NAMES_MAX + 2];
    struct table table;

    memcpy(columns, layout, 2 * count + 1);
    columns[2 * count + 1] = '\0';
    table_begin(&table, columns);
    table_add(&table, "file");
    for (size_t i = 0; i < 2 * count; i++)
        table_add(&table, "%s(%s)", i < count ? "MAD" : "CV", names[i % count]);
    for (size_t group = 0; group < stats_groups(run); group++) {
        if (stats_row(run, group, 0)->file == last)
            continue;
        add_file(&table, stats_row(run, group, 0)->file, &last);
        for (size_t i = 0; i < 2 * count; i++) {
            const kn_stats *result = column_of_file(run, group, names[i % count]);

            if (result)
                add_number(&table, FEW_DIGITS, i < count ? result->mad : result->cv);
            else
                table_add(&table, "-");
        }
    }
    return table_finish(&table);
}

static bool print_files(const struct stats_run *run)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    bool printed = true;

    printf("\nMAD and CV of all files:\n");
    for (size_t group = 0; group < stats_groups(run) && printed; group++) {
        if (stats_name_is_new(run, group))
            names[count++] = stats_row(run, group, 0)->column;
        if (count == NAMES_MAX) {
            printed = print_files_of(run, names, count);
            count = 0;
        }
    }
    return printed && (count == 0 || print_files_of(run, names, count));
}

bool stats_print(const struct stats_run *run)
{
    const struct common_arguments *common = &run->arguments->common;
    bool printed = stats_print_facts(run);

    for (size_t config = 0; config < run->config_count && printed; config++) {
        bool same = config > 0 && same_as_first(run, config);

        printed = same || print_values(run, config);
        for (size_t place = 0; printed && place < (run->shares ? run->place_count : 1); place++)
            print_config(run, place * run->config_count + config, same);
    }
    if (printed && (run->config_count > 1 || run->arguments->sweep))
        printed = print_times(run);
    if (printed && common->precision == PRECISION_BOTH)
        printed = print_precisions(run);
    if (printed && (run->cuts.parts || run->cuts.step) && !run->output && !common->json)
        printed = print_prefixes(run);
    if (printed && run->window.value > 0 && !run->output && !common->json)
        printed = stats_print_windows(run);
    if (printed && run->file_count > 1)
        printed = print_files(run);
    return printed;
}
