// SPDX-License-Identifier: Apache-2.0
#include "journal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

struct tune_journal {
    FILE *file;
    char *path;
    size_t tunables;
};

static size_t count_tunables(const kn_tunables *tunables)
{
    size_t count = 0;

    while (tunables->names[count])
        count++;
    return count;
}

// ---- reading

static bool read_values(const char **at, size_t count, unsigned *values)
{
    for (size_t i = 0; i < count; i++) {
        char *end;

        values[i] = (unsigned)strtoul(*at, &end, 10);
        if (end == *at)
            return false;
        *at = end;
    }
    return true;
}

static bool read_double(const char **at, double *value)
{
    char *end;
    bool is_number;

    *value = strtod(*at, &end);
    is_number = end != *at;
    *at = end;
    return is_number;
}

static bool read_index(const char **at, size_t count, size_t *index)
{
    char *end;
    bool is_number;

    *index = strtoull(*at, &end, 10);
    is_number = end != *at;
    *at = end;
    return is_number && *index < count;
}

static const char *skip_blank(const char *at)
{
    return at + (*at == ' ');
}

// "SECONDS ERROR VALUES WHY"
static bool read_row(const char *at, size_t tunables, struct tune_row *row)
{
    if (!read_double(&at, &row->seconds) || !read_double(&at, &row->error) ||
        !read_values(&at, tunables, row->values))
        return false;
    snprintf(row->why, sizeof row->why, "%s", skip_blank(at));
    return true;
}

// "BEST BY_DEVICE_CLOCK BUILT SECONDS-OF-THE-FIRST SECONDS-OF-THE-BEST"
static bool read_end(const char *at, struct tune_past *past)
{
    double clock, first, best;

    if (!read_index(&at, past->count, &past->best) || !read_double(&at, &clock) ||
        !read_double(&at, &past->built) || !read_double(&at, &first) || !read_double(&at, &best))
        return false;
    past->by_device_clock = clock != 0;
    past->rows[0].seconds = first;
    past->rows[past->best].seconds = best;
    past->ended = true;
    return true;
}

static void take_crash(struct tune_past *past, const struct tune_row *tried, const char *why)
{
    struct tune_row *row;

    if (past->once_more) {
        row = &past->rows[past->again];
        snprintf(past->broken, sizeof past->broken, "%s", why);
    } else {
        row = &past->rows[past->count++];
        *row = *tried;
    }
    row->seconds = -1;
    snprintf(row->why, sizeof row->why, "%s", why);
}

static bool reads_as(const char *line, const char *word, const char **rest)
{
    size_t length = strlen(word);

    if (strncmp(line, word, length) != 0 || line[length] != ' ')
        return false;
    *rest = line + length + 1;
    return true;
}

// Reads a line without its line break. There is room for a row.
static bool take_line(struct tune_past *past, struct tune_row *tried, size_t tunables, const char *line)
{
    const char *rest;

    if (reads_as(line, "try", &rest)) {
        *tried = (struct tune_row){.seconds = -1};
        past->pending = true;
        past->once_more = false;
        return read_values(&rest, tunables, tried->values);
    }
    if (reads_as(line, "again", &rest)) {
        past->pending = past->once_more = true;
        return read_index(&rest, past->count, &past->again);
    }
    if (reads_as(line, "row", &rest)) {
        past->pending = false;
        return read_row(rest, tunables, &past->rows[past->count++]);
    }
    if (reads_as(line, "crash", &rest) && past->pending) {
        past->pending = false;
        take_crash(past, tried, rest);
        return true;
    }
    if (reads_as(line, "end", &rest)) {
        past->pending = false;
        return read_end(rest, past);
    }
    if (reads_as(line, "fail", &rest)) {
        past->failed = (kn_status)strtol(rest, NULL, 10);
        snprintf(past->message, sizeof past->message, "%s", skip_blank(rest + strcspn(rest, " ")));
        return past->failed != KN_OK;
    }
    return false;
}

static kn_status read_lines(FILE *file, const char *path, size_t tunables, struct tune_past *past,
                            kn_error *err)
{
    struct tune_row tried = {.seconds = -1};
    char *line = NULL;
    size_t size = 0, number = 0;
    ssize_t length;
    kn_status status = KN_OK;

    while (!status && (length = getline(&line, &size, file)) > 0 && line[length - 1] == '\n') {
        const struct tune_row none = {.seconds = -1};

        number++;
        line[length - 1] = '\0';
        if (!KI_ARRAY_PUSH(past->rows, past->count, past->capacity, none)) // make room for a row
            status = ki_fail_memory(err, 0, "the table of candidates");
        else
            past->count--;
        if (!status && !take_line(past, &tried, tunables, line))
            status = ki_fail(
                err, KN_ERROR_INPUT,
                "%s:%zu: '%s' is no line of a journal of koine tune with %zu tunables; name another file",
                path, number, line, tunables);
    }
    free(line);
    return status;
}

kn_status tune_past_read(const char *path, const kn_tunables *tunables, struct tune_past *past, kn_error *err)
{
    FILE *file = fopen(path, "re");
    kn_status status;

    *past = (struct tune_past){.rows = NULL};
    if (!file && errno == ENOENT)
        return KN_OK;
    if (!file)
        return ki_fail_errno(err, KN_ERROR_INPUT, path, errno, "the journal cannot be read");
    status = read_lines(file, path, count_tunables(tunables), past, err);
    fclose(file);
    return status;
}

void tune_past_free(struct tune_past *past)
{
    free(past->rows);
    *past = (struct tune_past){.rows = NULL};
}

// ---- writing

kn_status tune_journal_open(const char *path, const kn_tunables *tunables, struct tune_journal **journal,
                            kn_error *err)
{
    struct tune_journal *made = calloc(1, sizeof *made);

    *journal = NULL;
    if (made)
        made->path = strdup(path);
    if (!made || !made->path) {
        free(made);
        return ki_fail_memory(err, 0, "a journal");
    }
    made->tunables = count_tunables(tunables);
    made->file = fopen(path, "ae");
    if (!made->file) {
        kn_status status = ki_fail_errno(err, KN_ERROR_OUTPUT, path, errno, "the journal cannot be written");

        tune_journal_close(made);
        return status;
    }
    *journal = made;
    return KN_OK;
}

void tune_journal_close(struct tune_journal *journal)
{
    if (!journal)
        return;
    if (journal->file)
        fclose(journal->file);
    free(journal->path);
    free(journal);
}

static void add_values(struct ki_text *line, const unsigned *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ki_text_format(line, " %u", values[i]);
}

// Writes one line, with line breaks in the text replaced.
static kn_status write_line(struct tune_journal *journal, struct ki_text *line, kn_error *err)
{
    char *text = ki_text_take(line);
    kn_status status = KN_OK;

    if (!text)
        return ki_fail_memory(err, 0, "a line of a journal");
    for (char *at = text; *at; at++)
        if (*at == '\n')
            *at = ' ';
    if (fprintf(journal->file, "%s\n", text) < 0 || fflush(journal->file))
        status = ki_fail_errno(err, KN_ERROR_OUTPUT, journal->path, errno, "the journal cannot be written");
    free(text);
    return status;
}

kn_status tune_journal_try(struct tune_journal *journal, const unsigned *values, kn_error *err)
{
    struct ki_text line = KI_TEXT_INIT;

    if (!journal)
        return KN_OK;
    ki_text_add(&line, "try");
    add_values(&line, values, journal->tunables);
    return write_line(journal, &line, err);
}

kn_status tune_journal_row(struct tune_journal *journal, const struct tune_row *row, kn_error *err)
{
    struct ki_text line = KI_TEXT_INIT;

    if (!journal)
        return KN_OK;
    ki_text_format(&line, "row %a %a", row->seconds, row->error);
    add_values(&line, row->values, journal->tunables);
    ki_text_format(&line, " %s", row->why);
    return write_line(journal, &line, err);
}

kn_status tune_journal_again(struct tune_journal *journal, size_t index, kn_error *err)
{
    struct ki_text line = KI_TEXT_INIT;

    if (!journal)
        return KN_OK;
    ki_text_format(&line, "again %zu", index);
    return write_line(journal, &line, err);
}

kn_status tune_journal_end(struct tune_journal *journal, const struct tune_report *report, kn_error *err)
{
    struct ki_text line = KI_TEXT_INIT;

    if (!journal)
        return KN_OK;
    ki_text_format(&line, "end %zu %d %a %a %a", report->best, report->by_device_clock, report->built,
                   report->rows[0].seconds, report->rows[report->best].seconds);
    return write_line(journal, &line, err);
}

kn_status tune_journal_fail(struct tune_journal *journal, const kn_error *failure, kn_error *err)
{
    struct ki_text line = KI_TEXT_INIT;

    if (!journal)
        return KN_OK;
    ki_text_format(&line, "fail %d %s", (int)failure->code, failure->text);
    return write_line(journal, &line, err);
}

kn_status tune_journal_crash(struct tune_journal *journal, const char *why, kn_error *err)
{
    struct ki_text line = KI_TEXT_INIT;

    if (!journal)
        return KN_OK;
    ki_text_format(&line, "crash %s", why);
    return write_line(journal, &line, err);
}
