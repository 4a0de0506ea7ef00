// SPDX-License-Identifier: Apache-2.0
#include "help.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/array.h"
#include "cli/commands.h"

enum { WIDTH = 80, NARROW = 60, WIDTH_MIN = 40, WIDTH_MAX = 100 };

// Text filled up to the terminal's width, every line but the first after `indent` blanks.
struct fill {
    FILE *out;
    size_t width;
    size_t column;
    size_t indent;
};

// A terminal's own width, within limits; 80 in files and pipes.
static size_t width_of(FILE *out)
{
    struct winsize size;

    if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return WIDTH;
    return size.ws_col < WIDTH_MIN ? WIDTH_MIN : size.ws_col > WIDTH_MAX ? WIDTH_MAX : size.ws_col;
}

static void fill_line(struct fill *fill)
{
    fprintf(fill->out, "\n%*s", (int)fill->indent, "");
    fill->column = fill->indent;
}

static void fill_text(struct fill *fill, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        bool first = fill->column == fill->indent;

        if (!first && fill->column + 1 + length > fill->width) {
            fill_line(fill);
            first = true;
        }
        fprintf(fill->out, "%s%.*s", first ? "" : " ", (int)length, text);
        fill->column += length + !first;
        text += length;
        text += strspn(text, " ");
    }
}

// A term at the left, its meaning beside it from column `indent` on, or below it if the term is too long.
static void print_entry(const char *term, const char *meaning, size_t indent, FILE *out)
{
    struct fill fill = {out, width_of(out), 2 + strlen(term), indent};

    if (fill.width < NARROW && fill.indent > 8)
        fill.indent = 8;
    fprintf(out, "  %s", term);
    if (fill.column + 2 > fill.indent)
        fill_line(&fill);
    else
        fprintf(out, "%*s", (int)(fill.indent - fill.column), "");
    fill.column = fill.indent;
    fill_text(&fill, meaning);
    fputc('\n', out);
}

// A sentence, with the full stop that a summary lacks.
static void print_summary(const char *summary, FILE *out)
{
    struct fill fill = {out, width_of(out) - 1, 0, 0};

    fill_text(&fill, summary);
    fputs(".\n", out);
}

static void print_examples(const struct command_example *examples, size_t count, FILE *out)
{
    fputs("\nExamples:\n", out);
    for (size_t i = 0; i < count; i++)
        print_entry(examples[i].line, examples[i].meaning, 6, out);
}

void help_spelling(const struct option_row *row, struct ki_text *text)
{
    if (row->letter)
        ki_text_format(text, "-%c, ", row->letter);
    ki_text_format(text, "--%s", row->name);
    if (row->type == OPTION_CHOICE && !row->metavar) {
        for (const char *const *word = row->choices; *word; word++)
            ki_text_format(text, "%s%s", word == row->choices ? " " : "|", *word);
    } else if (row->metavar) {
        ki_text_format(text, " %s", row->metavar);
    }
}

void help_meaning(const struct option_row *row, struct ki_text *text)
{
    ki_text_add(text, row->help);
    if (row->fallback)
        ki_text_format(text, " (default: %s)", row->fallback);
}

static void print_option(const struct option_row *row, FILE *out)
{
    struct ki_text spelling = KI_TEXT_INIT, meaning = KI_TEXT_INIT;

    if (!row->letter)
        ki_text_add(&spelling, "    ");
    help_spelling(row, &spelling);
    help_meaning(row, &meaning);
    print_entry(ki_text_string(&spelling), ki_text_string(&meaning), 30, out);
    ki_text_free(&spelling);
    ki_text_free(&meaning);
}

void help_command(const struct command *command, FILE *out)
{
    struct option_row rows[OPTION_ROWS_MAX];
    size_t count = options_collect(command, rows);

    fprintf(out, "Usage: koine %s [OPTION]...%s%s\n", command->name, command->operands ? " " : "",
            command->operands ? command->operands : "");
    print_summary(command->summary, out);
    fputs("\nOptions:\n", out);
    for (size_t i = 0; i < count; i++)
        print_option(&rows[i], out);
    print_examples(command->examples, KI_COUNT(command->examples), out);
    fprintf(out, "\nMore: man koine-%s\n", command->name);
}

void help_overview(const struct command *const *commands, FILE *out)
{
    fputs("Usage: koine COMMAND [OPTION]... [FILE]...\n", out);
    print_summary(KOINE_SUMMARY, out);
    fputs("\nCommands:\n", out);
    for (; *commands; commands++)
        print_entry((*commands)->name, (*commands)->summary, 14, out);
    fputs("\nOptions:\n", out);
    print_entry("-h, --help", "show this help; 'koine COMMAND --help' shows the help of a command", 17, out);
    print_entry("-V, --version", "show the version", 17, out);
    print_examples(koine_examples, KOINE_EXAMPLES, out);
    fputs("\nMore: man koine\n", out);
}
