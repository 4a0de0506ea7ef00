// SPDX-License-Identifier: Apache-2.0
// The layout of a CSV file, from its first lines: its separator and decimal mark, and how many lines precede
// its table.
#define _GNU_SOURCE // memmem
#include "csv_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/error.h"

enum { SAMPLE_BYTES = 1 << 16, MOST_LINES = 256 };

// A line of the sample, without its end.
struct line {
    const char *text, *end;
};

// The beginning of a file.
struct sample {
    struct line lines[MOST_LINES];
    size_t count;
    bool whole; // it is all of the file
};

// A line split with some marks.
struct shape {
    size_t cells; // 0: invalid quotes, or an empty line
    size_t good;  // those that are numbers or times
};

// How a sample looks with some marks: the number of cells in most of its rows.
struct fit {
    struct csv_marks marks;
    size_t cells; // 0: no table
    size_t good;  // cells that are numbers or times, in lines with that many cells
    size_t lines; // lines with that many cells
};

static void take_lines(const struct csv_input *in, struct sample *sample)
{
    const char *p = in->window + in->next, *end = in->window + in->end;

    sample->whole = in->finished && end - p <= SAMPLE_BYTES;
    end = end - p <= SAMPLE_BYTES ? end : p + SAMPLE_BYTES;
    for (sample->count = 0; p < end && sample->count < MOST_LINES; sample->count++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p)), *stop = newline ? newline : end;

        // A line cut off by the end of the sample is ignored, unless there is no other.
        if (!newline && !sample->whole && sample->count)
            return;
        sample->lines[sample->count] = (struct line){p, stop - (stop > p && stop[-1] == '\r')};
        p = stop + 1;
    }
    sample->whole = sample->whole && p >= end;
}

// A time, or a part of one: a date, or a time of day, if blanks do not separate.
static bool is_of_time(const struct csv_cell *cell, struct csv_marks marks)
{
    const char *end = cell->text + cell->length;
    double seconds;

    if (csv_clocks_of(cell->text, end))
        return true;
    return marks.separator != ' ' &&
           (csv_clocks_of_date(cell->text, end) || csv_time_of_day(cell->text, end, &seconds));
}

static struct shape shape_of(const struct csv_reader *reader, const struct line *line, struct csv_marks marks)
{
    const char *from = line->text, *next;
    struct shape shape = {0, 0};
    struct csv_cell cell;
    double value;

    if (line->text == line->end)
        return shape;
    for (;; from = next + 1) {
        if (!csv_cell_at(from, line->end, marks, &cell, &next))
            return (struct shape){0, 0};
        shape.cells++;
        shape.good +=
            csv_cell_kind(&cell, marks, reader->c, &value) == CSV_NUMBER || is_of_time(&cell, marks);
        if (next == line->end)
            return shape;
    }
}

// The most frequent number of cells, at least two, in lines with a number or a time. Blanks separate only
// rows that hold nothing else: words have blanks between them.
static struct fit fit_of(const struct csv_reader *reader, const struct sample *sample, struct csv_marks marks)
{
    struct shape shapes[MOST_LINES];
    struct fit best = {.marks = marks};

    for (size_t i = 0; i < sample->count; i++) {
        shapes[i] = shape_of(reader, &sample->lines[i], marks);
        if (shapes[i].cells < 2 || shapes[i].good == 0 ||
            (marks.separator == ' ' && shapes[i].good < shapes[i].cells))
            shapes[i].cells = 0;
    }
    for (size_t i = 0; i < sample->count; i++) {
        struct fit fit = {.marks = marks, .cells = shapes[i].cells};

        for (size_t k = 0; k < sample->count && fit.cells && fit.cells != best.cells; k++)
            if (shapes[k].cells == fit.cells) {
                fit.lines++;
                fit.good += shapes[k].good;
            }
        if (fit.lines > best.lines)
            best = fit;
    }
    return best;
}

static bool has_character(const struct sample *sample, char character)
{
    const char *text = sample->lines[0].text;

    return sample->count && memchr(text, character, (size_t)(sample->lines[sample->count - 1].end - text));
}

// How many lines are a single number.
static size_t single_numbers(const struct csv_reader *reader, const struct sample *sample)
{
    size_t count = 0;

    for (size_t i = 0; i < sample->count; i++) {
        struct shape shape = shape_of(reader, &sample->lines[i], csv_usual_marks);

        count += shape.cells == 1 && shape.good == 1;
    }
    return count;
}

// The marks with which most of the cells are numbers or times, in at least as many lines as are single
// numbers; among equals the first: commas and points, unless something favours others. `separator`: as the
// file states it, or '\0'.
static struct fit best_fit(const struct csv_reader *reader, const struct sample *sample, char separator)
{
    static const struct csv_marks candidates[] = {{',', '.'},  {';', '.'},  {';', ','},
                                                  {'\t', '.'}, {'\t', ','}, {'|', '.'},
                                                  {'|', ','},  {' ', '.'},  {' ', ','}};
    struct fit best = {.marks = {separator ? separator : csv_usual_marks.separator, csv_usual_marks.point}};
    const size_t single = single_numbers(reader, sample);

    for (size_t i = 0; i < KI_COUNT(candidates); i++) {
        struct fit fit = {.cells = 0};

        if (separator && candidates[i].separator != separator)
            continue;
        if (has_character(sample, candidates[i].separator))
            fit = fit_of(reader, sample, candidates[i]);
        if (fit.cells && fit.lines >= single &&
            (best.cells == 0 || fit.good * best.cells > best.good * fit.cells))
            best = fit;
    }
    return best;
}

static bool is_single_text(const struct csv_reader *reader, const struct line *line, struct csv_marks marks)
{
    struct shape shape = shape_of(reader, line, marks);

    return shape.cells == 1 && shape.good == 0;
}

// The number of lines before the table: those that begin with '#', and those before the first line with as
// many cells as its rows, if they begin with a single cell of text, as no table does.
static size_t preamble_lines(const struct csv_reader *reader, const struct sample *sample,
                             const struct fit *fit)
{
    size_t comments = 0, first;

    while (comments < sample->count && *sample->lines[comments].text == '#')
        comments++;
    for (first = comments; first < sample->count && fit->cells; first++)
        if (shape_of(reader, &sample->lines[first], fit->marks).cells == fit->cells)
            break;
    if (fit->cells == 0 || first == sample->count || first == comments ||
        !is_single_text(reader, &sample->lines[comments], fit->marks))
        return comments;
    return first;
}

// Text, line by line, without a table below it.
static kn_status check_table(const struct csv_reader *reader, const struct sample *sample,
                             const struct fit *fit)
{
    size_t lines = 0;

    if (fit->cells || !sample->whole || sample->count < 3)
        return KN_OK;
    for (size_t i = 0; i < sample->count; i++) {
        if (shape_of(reader, &sample->lines[i], csv_usual_marks).good)
            return KN_OK;
        lines += sample->lines[i].text < sample->lines[i].end;
    }
    if (lines < 3 || !is_single_text(reader, &sample->lines[0], csv_usual_marks))
        return KN_OK;
    return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, 0,
                      "found %zu lines of text and no row of numbers below them; is the file complete?",
                      lines);
}

// The rate in a preamble like ActiGraph's, "Epoch Period (hh:mm:ss) 00:00:10"; 0 if it is missing or zero, as
// in files of raw samples.
static double rate_of_epochs(const struct line *line)
{
    static const char words[] = "epoch period (hh:mm:ss) ";
    const ptrdiff_t length = line->end - line->text;
    double seconds;

    if (length < (ptrdiff_t)sizeof words || strncasecmp(line->text, words, sizeof words - 1) != 0 ||
        !csv_time_of_day(line->text + sizeof words - 1, line->end, &seconds) || seconds <= 0)
        return 0;
    return 1 / seconds;
}

// The rate in a preamble like ActiGraph's: "at 30 Hz".
static double stated_rate(const struct csv_reader *reader, const struct line *line)
{
    for (const char *p = line->text; p + 2 <= line->end; p++) {
        const char *from = p;
        double rate;

        if (strncasecmp(p, "hz", 2) != 0)
            continue;
        while (from > line->text && from[-1] == ' ')
            from--;
        while (from > line->text && ((from[-1] >= '0' && from[-1] <= '9') || from[-1] == '.'))
            from--;
        if (from < p && csv_number_at(from, reader->c, &rate) && rate > 0)
            return rate;
    }
    return 0;
}

// The order of dates in a preamble like ActiGraph's: "date format M/d/yyyy", or "dd/MM/yyyy".
static unsigned stated_dates(const struct line *line)
{
    static const char words[] = "date format ";
    const char *at = memmem(line->text, (size_t)(line->end - line->text), words, sizeof words - 1);
    const char *format = at ? at + sizeof words - 1 : line->end;

    if (format == line->end || (*format != 'M' && *format != 'd'))
        return CSV_CLOCKS_OF_DATES;
    return 1U << (*format == 'M' ? CSV_CLOCK_MONTH_FIRST : CSV_CLOCK_DAY_FIRST);
}

// The clocks that can read all dates of a line.
static unsigned dates_of(const struct csv_reader *reader, const struct line *line)
{
    unsigned clocks = CSV_CLOCKS_OF_DATES;
    struct csv_cell cell;

    for (const char *from = line->text, *next; csv_cell_at(from, line->end, reader->marks, &cell, &next);
         from = next + 1) {
        const char *end = cell.text + cell.length;
        const unsigned these =
            (csv_clocks_of(cell.text, end) | csv_clocks_of_date(cell.text, end)) & CSV_CLOCKS_OF_DATES;

        clocks &= these ? these : CSV_CLOCKS_OF_DATES;
        if (next == line->end)
            break;
    }
    return clocks;
}

// As a line before the table states it, otherwise as rows show it. Rows that disagree are not handled here:
// the first one with another order is refused when it is read.
static void find_dates(struct csv_reader *reader, const struct sample *sample, size_t preamble)
{
    reader->dates = CSV_CLOCKS_OF_DATES;
    for (size_t i = 0; i < sample->count && reader->dates == CSV_CLOCKS_OF_DATES; i++)
        reader->dates = i < preamble ? stated_dates(&sample->lines[i]) : dates_of(reader, &sample->lines[i]);
}

// A first line "sep=;", as spreadsheets write it: it states the separator.
static kn_status take_separator(struct csv_reader *reader, char *separator)
{
    static const char words[] = "sep=", known[] = ",;\t| ";
    const char *line = reader->input.window + reader->input.next;
    const size_t length = strcspn(line, "\r\n");

    *separator = '\0';
    if (length != sizeof words || strncasecmp(line, words, sizeof words - 1) != 0)
        return KN_OK;
    *separator = line[length - 1];
    if (!strchr(known, *separator))
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, 1,
                          "names the separator '%c'; expected ',', ';', a tab, '|' or a blank", *separator);
    return csv_input_skip_lines(&reader->input, 1, &reader->layout.preamble_lines, reader->err);
}

static kn_status skip_lines(struct csv_reader *reader)
{
    const size_t wanted = reader->options.skip_lines;
    size_t found = 0;
    kn_status status = csv_input_skip_lines(&reader->input, wanted, &found, reader->err);

    if (!status && found < wanted)
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->input.name, 0,
                          "the file ends after %zu lines, expected rows of numbers below the first %zu",
                          found, wanted);
    reader->layout.preamble_lines = found;
    return status;
}

// Moves past the lines before the table.
static kn_status skip_preamble(struct csv_reader *reader, size_t lines)
{
    size_t found = 0;
    kn_status status = csv_input_skip_lines(&reader->input, lines, &found, reader->err);

    reader->layout.preamble_lines += found;
    return status;
}

static kn_status look_at(struct csv_reader *reader, struct sample *sample)
{
    const bool skipped = reader->options.skip_lines > 0;
    char separator = '\0';
    size_t lines = 0;
    kn_status status = csv_input_look(&reader->input, SAMPLE_BYTES, reader->err);
    struct fit fit;

    if (!status && !skipped)
        status = take_separator(reader, &separator);
    if (status)
        return status;
    take_lines(&reader->input, sample);
    fit = best_fit(reader, sample, separator);
    reader->marks = fit.marks;
    reader->input.separator = fit.marks.separator;
    if (!skipped) {
        lines = preamble_lines(reader, sample, &fit);
        status = check_table(reader, sample, &fit);
    }
    for (size_t i = 0; i < lines && reader->sample_rate == 0; i++)
        reader->sample_rate = rate_of_epochs(&sample->lines[i]);
    for (size_t i = 0; i < lines && reader->sample_rate == 0; i++)
        reader->sample_rate = stated_rate(reader, &sample->lines[i]);
    find_dates(reader, sample, lines);
    return status || lines == 0 ? status : skip_preamble(reader, lines);
}

kn_status csv_find_layout(struct csv_reader *reader)
{
    struct sample *sample = malloc(sizeof *sample);
    kn_status status =
        sample ? skip_lines(reader) : ki_fail_memory(reader->err, sizeof *sample, "a CSV file");

    if (!status)
        status = look_at(reader, sample);
    free(sample);
    return status;
}
