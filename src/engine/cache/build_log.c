// SPDX-License-Identifier: Apache-2.0
#include "build_log.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Finds "FILE:LINE" or "FILE(LINE)" or "FILE", line LINE in a line of the log, for a file of the unit. The
// message about it begins at *said.
static const kn_source_file *find_location(const struct src_unit *unit, const char *text, size_t length,
                                           long *line, const char **said)
{
    const kn_source_file *best = NULL;
    size_t best_length = 0;

    for (size_t i = 0; i < unit->file_count; i++) {
        const char *name = unit->files[i].name;
        size_t name_length = strlen(name);
        if (name_length <= best_length)
            continue;
        for (size_t at = 0; at + name_length + 1 < length; at++) {
            const char *after = text + at + name_length;
            if (memcmp(text + at, name, name_length) != 0)
                continue;
            if (*after == '"')
                after++;
            after += strncmp(after, ", line ", 7) == 0 ? 7 : *after == ':' || *after == '(' ? 1 : 0;
            if (!isdigit((unsigned char)*after))
                continue;
            *line = strtol(after, NULL, 10);
            *said = after;
            best = &unit->files[i];
            best_length = name_length;
            break;
        }
    }
    return best;
}

static bool contains(const char *text, size_t length, const char *word)
{
    size_t word_length = strlen(word);

    for (size_t at = 0; at + word_length <= length; at++)
        if (memcmp(text + at, word, word_length) == 0)
            return true;
    return false;
}

// The file's name in a #line directive, without its escapes.
static void add_quoted_name(struct ki_text *out, const char *quote)
{
    for (const char *c = quote + 1; *c && *c != '"'; c++) {
        c += c[0] == '\\' && c[1];
        ki_text_add_char(out, *c);
    }
}

// "FILE:LINE" for a line of the flat text.
static void add_original_location(struct ki_text *out, const char *flat, long wanted)
{
    const char *quote = NULL;
    long original = 1;

    for (long line = 1; line < wanted && *flat; line++, original++) {
        if (strncmp(flat, "#line ", 6) == 0) {
            original = strtol(flat + 6, NULL, 10) - 1;
            quote = strchr(flat, '"');
        }
        flat += strcspn(flat, "\n");
        flat += *flat == '\n';
    }
    if (quote)
        add_quoted_name(out, quote);
    ki_text_format(out, ":%ld", original);
}

char *ki_build_log_original(const char *flat, const char *name, const char *log)
{
    struct ki_text out = KI_TEXT_INIT;
    size_t length = strlen(name);

    while (*log) {
        bool starts = log[0] == name[0] && strncmp(log, name, length) == 0 && log[length] == ':';
        if (starts && isdigit((unsigned char)log[length + 1])) {
            char *end;
            long line = strtol(log + length + 1, &end, 10);
            add_original_location(&out, flat, line);
            log = end;
        } else {
            ki_text_add_char(&out, *log++);
        }
    }
    return ki_text_take(&out);
}

static size_t indent_of(const char *text, size_t length)
{
    size_t indent = 0;

    while (indent < length && (text[indent] == ' ' || text[indent] == '\t'))
        indent++;
    return indent;
}

// Some compilers show the source line too, indented in their own way, and point into it on the next line. If
// there is one at `log`: puts the marks below the line that we have shown, and returns where the log goes on.
static const char *take_excerpt(const char *log, const char *source, size_t length, struct ki_text *out)
{
    size_t shown = strcspn(log, "\n"), indent = indent_of(log, shown),
           source_indent = indent_of(source, length), marks;

    if (source_indent == length || shown - indent != length - source_indent ||
        memcmp(log + indent, source + source_indent, shown - indent) != 0)
        return log;
    log += shown + (log[shown] == '\n');
    marks = strspn(log, " \t^~");
    if (marks <= indent || (log[marks] != '\n' && log[marks] != '\0'))
        return log;
    ki_text_format(out, "       | %.*s%.*s\n", (int)source_indent, source, (int)(marks - indent),
                   log + indent);
    return log + marks + (log[marks] == '\n');
}

void ki_build_log_explain(const struct src_unit *unit, const char *log, struct ki_text *out,
                          struct build_location *location)
{
    bool error_seen = false;

    *location = (struct build_location){"", 0, 0};
    while (*log) {
        long line = 0;
        const char *source, *said;
        size_t length = strcspn(log, "\n"), begin = out->length;
        const char *message = log;
        log += length + (log[length] == '\n');
        if (length == 0)
            continue;
        ki_text_format(out, "%.*s\n", (int)length, message);
        const kn_source_file *file = find_location(unit, message, length, &line, &said);
        if (!file)
            continue;
        bool is_error = contains(said, length - (size_t)(said - message), "error");
        if (!location->file[0] || (!error_seen && is_error)) {
            snprintf(location->file, sizeof location->file, "%s", file->name);
            location->line = line;
            location->begin = begin;
        }
        error_seen = error_seen || is_error;
        if (ki_src_line(unit, file->name, line, &source, &length)) {
            ki_text_format(out, "%6ld | %.*s\n", line, (int)length, source);
            log = take_excerpt(log, source, length, out);
        }
    }
}
