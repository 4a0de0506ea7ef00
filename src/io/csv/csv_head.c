// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // strcasestr
// The head of a CSV file: whether there is a header, whether it is an Empatica E4 export, the names of the
// columns, and which are wanted.
#include "csv_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/quote.h"
#include "base/text/text.h"

// An E4 export begins with its start in Unix seconds and its rate in Hz, each once a column. The limits keep
// a column of other large numbers from being taken for one: starts from 2001 to 2100, rates to 1 kHz (the
// E4's own are 1 to 64).
#define E4_FIRST_START 1e9
#define E4_LAST_START  4102444800.0
#define E4_MAX_RATE    1000

// What an Empatica E4 wrote, if it did.
enum export { EXPORT_NONE, EXPORT_E4, EXPORT_E4_BEATS };

struct parsed_cell {
    struct csv_cell cell;
    enum csv_kind kind;
    double value;
};

struct parsed_row {
    struct parsed_cell *items;
    size_t count, capacity;
};

static kn_status parse_row(struct csv_reader *reader, const struct csv_record *record, struct parsed_row *row)
{
    const char *from = record->text, *next;

    for (;; from = next + 1) {
        struct parsed_cell parsed = {.value = 0};

        if (!csv_cell_at(from, record->end, reader->marks, &parsed.cell, &next))
            return csv_fail_quote(reader, record->line, row->count);
        parsed.kind = csv_cell_kind(&parsed.cell, reader->marks, reader->c, &parsed.value);
        if (!KI_ARRAY_PUSH(row->items, row->count, row->capacity, parsed))
            return ki_fail_memory(reader->err, 0, "reading a CSV file's first line");
        if (next == record->end)
            return KN_OK;
    }
}

static size_t count_kind(const struct parsed_row *row, enum csv_kind kind)
{
    size_t count = 0;

    for (size_t i = 0; i < row->count; i++)
        count += row->items[i].kind == kind;
    return count;
}

static bool all_equal_numbers(const struct parsed_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (row->items[i].kind != CSV_NUMBER || row->items[i].value != row->items[0].value)
            return false;
    return row->count > 0;
}

static bool is_e4(const struct parsed_row *first, const struct parsed_row *second)
{
    return first->count == second->count && all_equal_numbers(first) && all_equal_numbers(second) &&
           first->items[0].value > E4_FIRST_START && first->items[0].value < E4_LAST_START &&
           second->items[0].value > 0 && second->items[0].value <= E4_MAX_RATE;
}

// An E4's IBI.csv begins with its start in Unix seconds and the word IBI; then come, for each beat, the
// seconds from the start and those since the previous beat.
static bool is_e4_beats(const struct parsed_row *first)
{
    static const char word[] = "IBI";

    return first->count == 2 && first->items[0].kind == CSV_NUMBER &&
           first->items[0].value > E4_FIRST_START && first->items[0].value < E4_LAST_START &&
           first->items[1].cell.length == sizeof word - 1 &&
           memcmp(first->items[1].cell.text, word, sizeof word - 1) == 0;
}

static enum export export_of(const struct parsed_row *first, const struct parsed_row *second)
{
    return is_e4(first, second) ? EXPORT_E4 : is_e4_beats(first) ? EXPORT_E4_BEATS : EXPORT_NONE;
}

// A first row of text is a header, one of numbers is data. One with both is a header if the second row has a
// number under one of its texts ("time,1,2" over "0.5,3,4"), and data if it does not ("left,1,2" over
// "right,3,4").
static bool is_header(const struct parsed_row *first, const struct parsed_row *second)
{
    if (count_kind(first, CSV_NUMBER) == 0)
        return count_kind(first, CSV_TEXT) > 0;
    if (count_kind(first, CSV_TEXT) == 0)
        return false;
    for (size_t i = 0; i < first->count && i < second->count; i++)
        if (first->items[i].kind == CSV_TEXT && second->items[i].kind == CSV_NUMBER)
            return true;
    return second->count == 0;
}

static kn_status check_line_ends(struct csv_reader *reader, long line, const struct parsed_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (!row->items[i].cell.quoted && memchr(row->items[i].cell.text, '\r', row->items[i].cell.length))
            return ki_fail_at(
                reader->err, KN_ERROR_INPUT, reader->input.name, line,
                "a carriage return (\\r) stands inside the line; lines must end in \\n or \\r\\n");
    return KN_OK;
}

static bool is_between(double value, double least, double most)
{
    return value > least && value < most;
}

// Whether a header's name is typical of times.
static bool is_name_of_times(const char *name)
{
    static const char *const words[] = {"time", "stamp", "date", "epoch", "unix", "utc"};

    for (size_t i = 0; i < KI_COUNT(words); i++)
        if (strcasestr(name, words[i]))
            return true;
    return false;
}

// The clock of text, as the file's beginning shows it; both clocks of dates if it does not. `split`: it is a
// date, and the next cell is a time of day.
static unsigned text_clocks_of(const struct csv_reader *reader, const struct parsed_row *row, size_t column,
                               bool *split)
{
    const struct csv_cell *cell = &row->items[column].cell, *day = NULL;
    unsigned clocks = csv_clocks_of(cell->text, cell->text + cell->length);
    double seconds;

    *split = false;
    if (column + 1 < row->count && column + 1 < reader->column_count)
        day = &row->items[column + 1].cell;
    if (!clocks && day && csv_time_of_day(day->text, day->text + day->length, &seconds)) {
        clocks = csv_clocks_of_date(cell->text, cell->text + cell->length);
        *split = clocks != 0;
    }
    return clocks & reader->dates ? clocks & reader->dates : clocks;
}

// The clock of a column of numbers, from its cell in the first row of data: they are Unix times if the header
// says so or, without one, in the first column.
static enum csv_clock clock_of(const struct csv_reader *reader, size_t column,
                               const struct parsed_cell *first)
{
    if (first->kind != CSV_NUMBER ||
        (reader->named ? !is_name_of_times(reader->columns[column].out.name) : column > 0))
        return CSV_CLOCK_NONE;
    if (is_between(first->value, E4_FIRST_START, E4_LAST_START))
        return CSV_CLOCK_SECONDS;
    return is_between(first->value, E4_FIRST_START * 1000, E4_LAST_START * 1000) ? CSV_CLOCK_MILLISECONDS
                                                                                 : CSV_CLOCK_NONE;
}

static kn_status fail_dates(struct csv_reader *reader, size_t column, const struct csv_row *row,
                            const struct csv_cell *cell)
{
    char found[64];

    return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, row->record.line,
                      "column %zu (%s): %s may be month first or day first, and no row near the beginning of "
                      "the file decides it; put a line before the table that does, such as \"# date format "
                      "M/d/yyyy\" or \"# date format d/M/yyyy\"",
                      column + 1, reader->columns[column].out.name,
                      ki_quote(found, sizeof found, cell->text, cell->length));
}

// The first column of times, or of dates next to times of day. `row`: the first row of data.
static kn_status find_times(struct csv_reader *reader, const struct csv_row *row,
                            const struct parsed_row *data)
{
    for (size_t i = 0; reader->options.times && i < reader->column_count && i < data->count; i++) {
        const struct parsed_cell *first = &data->items[i];
        const unsigned clocks =
            first->kind == CSV_TEXT ? text_clocks_of(reader, data, i, &reader->columns[i].split) : 0;

        if (clocks == CSV_CLOCKS_OF_DATES)
            return fail_dates(reader, i, row, &first->cell);
        reader->columns[i].clock = clock_of(reader, i, first);
        for (enum csv_clock clock = CSV_CLOCK_ISO; clock <= CSV_CLOCK_DAY_FIRST; clock++)
            if (clocks & 1U << clock)
                reader->columns[i].clock = clock;
        if (reader->columns[i].clock)
            break;
    }
    return KN_OK;
}

// The names of an export's columns; NULL if they have none. A single column is named after its file.
static const char *const *names_of_export(const struct csv_reader *reader, size_t columns, enum export export)
{
    static const char *const axes[] = {"x", "y", "z"}, *const beats[] = {"time", "ibi"};
    static const char *const signals[] = {"eda", "temp", "hr", "bvp"};
    const char *slash = strrchr(reader->input.name, '/'), *file = slash ? slash + 1 : reader->input.name;

    if (export == EXPORT_E4_BEATS)
        return beats;
    if (export == EXPORT_E4 && columns == KI_COUNT(axes))
        return axes;
    for (size_t i = 0; export == EXPORT_E4 && columns == 1 && i < KI_COUNT(signals); i++)
        if (strncasecmp(file, signals[i], strlen(signals[i])) == 0 && file[strlen(signals[i])] == '.')
            return &signals[i];
    return NULL;
}

static kn_status name_columns(struct csv_reader *reader, const struct parsed_row *first, enum export export)
{
    const char *const *names = names_of_export(reader, first->count, export);
    struct csv_reader_column *columns = calloc(first->count, sizeof *columns);
    char number[32];

    if (!columns)
        return ki_fail_memory(reader->err, first->count * sizeof *columns, "the columns of a CSV file");
    reader->columns = columns;
    reader->column_count = first->count;
    for (size_t i = 0; i < first->count; i++) {
        columns[i].aside = export == EXPORT_E4_BEATS && i == 0;
        columns[i].unnamed = reader->named && first->items[i].cell.length == 0;
        snprintf(number, sizeof number, "column%zu", i + 1);
        if (reader->named && !columns[i].unnamed)
            columns[i].out.name = csv_cell_copy(&first->items[i].cell);
        else
            columns[i].out.name = strdup(names ? names[i] : number);
        if (!columns[i].out.name)
            return ki_fail_memory(reader->err, 0, "reading the columns' names of a CSV file");
    }
    return KN_OK;
}

// Reading the second row may overwrite the first one in the window, so the first is copied.
static kn_status keep_first(struct csv_reader *reader, struct csv_head *head)
{
    struct csv_record *record = &head->first.record;
    size_t length = (size_t)(record->end - record->text);

    head->first_text = malloc(length + 1);
    if (!head->first_text)
        return ki_fail_memory(reader->err, length + 1, "the first line of a CSV file");
    memcpy(head->first_text, record->text, length);
    head->first_text[length] = '\0';
    record->text = head->first_text;
    record->end = head->first_text + length;
    return KN_OK;
}

kn_status csv_read_head(struct csv_reader *reader, struct csv_head *head)
{
    struct parsed_row first = {0}, second = {0};
    enum export export = EXPORT_NONE;
    kn_status status;

    if ((status = csv_next_row(reader, &head->first)))
        return status;
    if (!head->first.found)
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, 0,
                          "the file is empty; expected rows of numbers");
    if ((status = keep_first(reader, head)) || (status = parse_row(reader, &head->first.record, &first)) ||
        (status = check_line_ends(reader, head->first.record.line, &first)) ||
        (status = csv_next_row(reader, &head->second)))
        goto done;
    if (head->second.found && (status = parse_row(reader, &head->second.record, &second)))
        goto done;
    export = export_of(&first, &second);
    reader->named = export == EXPORT_NONE && is_header(&first, &second);
    if (export != EXPORT_NONE)
        reader->start_time = first.items[0].value;
    if (export == EXPORT_E4) {
        reader->sample_rate = second.items[0].value;
        head->second.found = false;
    }
    if (export != EXPORT_NONE || reader->named)
        head->first.found = false;
    status = name_columns(reader, &first, export);
    reader->layout.header = reader->named;
    reader->layout.e4 = export != EXPORT_NONE;
    if (!status && export == EXPORT_E4_BEATS && reader->options.times)
        reader->columns[0].clock = CSV_CLOCK_SECONDS;
    if (!status && export == EXPORT_NONE)
        status = find_times(reader, reader->named ? &head->second : &head->first,
                            reader->named ? &second : &first);
done:
    free(first.items);
    free(second.items);
    return status;
}

// Lists the existing columns in an error.
static kn_status fail_choice(struct csv_reader *reader, const char *wanted, const char *trouble)
{
    enum { SHOWN = 50 };
    struct ki_text list = KI_TEXT_INIT;
    char quoted[64];
    kn_status status;

    for (size_t i = 0; i < reader->column_count && i < SHOWN; i++) {
        const char *name = reader->columns[i].out.name;

        ki_text_format(&list, "%s%zu %s", i ? ", " : "", i + 1,
                       ki_quote(quoted, sizeof quoted, name, strlen(name)));
    }
    if (reader->column_count > SHOWN)
        ki_text_format(&list, " and %zu more", reader->column_count - SHOWN);
    status = ki_fail_at(reader->err, KN_ERROR_ARGUMENT, reader->input.name, 0,
                        "%s %s; the file's columns are: %s (choose by name or by number)", trouble,
                        ki_quote(quoted, sizeof quoted, wanted, strlen(wanted)), ki_text_string(&list));
    ki_text_free(&list);
    return status;
}

// The column a caller means: by name first, then by number from 1.
static kn_status find_column(struct csv_reader *reader, const char *wanted, size_t *index)
{
    size_t matches = 0;
    unsigned long long number;

    for (size_t i = reader->column_count; i-- > 0;)
        if (strcmp(reader->columns[i].out.name, wanted) == 0) {
            *index = i;
            matches++;
        }
    if (matches == 1)
        return KN_OK;
    if (matches > 1)
        return fail_choice(reader, wanted, "more than one column is named");
    if (!*wanted || wanted[strspn(wanted, "0123456789")])
        return fail_choice(reader, wanted, "no column is named");
    number = strtoull(wanted, NULL, 10);
    if (number == 0 || number > reader->column_count)
        return fail_choice(reader, wanted, "there is no column");
    *index = (size_t)number - 1;
    return KN_OK;
}

// Dates and times of day get both columns' names, once the caller's columns have been found.
static kn_status join_names(struct csv_reader *reader, size_t date)
{
    struct ki_text joined = KI_TEXT_INIT;
    char **name = &reader->columns[date].out.name, *both;

    ki_text_format(&joined, "%s %s", *name, reader->columns[date + 1].out.name);
    both = ki_text_take(&joined);
    if (!both)
        return ki_fail_memory(reader->err, 0, "reading the columns' names of a CSV file");
    free(*name);
    *name = both;
    return KN_OK;
}

kn_status csv_choose_columns(struct csv_reader *reader)
{
    size_t asked = reader->options.column_count, index = 0;
    kn_status status;

    reader->order = malloc((asked + 1) * sizeof *reader->order);
    if (!reader->order)
        return ki_fail_memory(reader->err, 0, "choosing columns of a CSV file");
    for (size_t i = 0; i < asked; i++) {
        if ((status = find_column(reader, reader->options.columns[i], &index)))
            return status;
        if (reader->columns[index].asked)
            continue;
        reader->columns[index].asked = true;
        reader->order[reader->order_count++] = index;
    }
    for (size_t i = 0; i < reader->column_count; i++) {
        struct csv_reader_column *column = &reader->columns[i];

        if (column->asked || reader->column_count == 1)
            column->clock = CSV_CLOCK_NONE;
        column->wanted = asked == 0 ? !column->aside : column->asked;
        reader->wanted_count += column->wanted && !column->clock;
        column->wanted = column->wanted || column->clock;
        column->split = column->split && column->clock;
        if (column->split && (status = join_names(reader, i)))
            return status;
    }
    return KN_OK;
}
