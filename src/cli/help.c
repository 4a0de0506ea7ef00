// SPDX-License-Identifier: Apache-2.0
#include "help.h"

#include <string.h>

#include "commands.h"

enum { SPELLING_WIDTH = 30 };

void help_spelling(const struct option_row *row, struct kn_text *text)
{
    if (row->letter)
        kn_text_format(text, "-%c, ", row->letter);
    kn_text_format(text, "--%s", row->name);
    if (row->type == OPTION_CHOICE) {
        for (const char *const *word = row->words; *word; word++)
            kn_text_format(text, "%s%s", word == row->words ? " " : "|", *word);
    } else if (row->metavar) {
        kn_text_format(text, " %s", row->metavar);
    }
}

void help_meaning(const struct option_row *row, struct kn_text *text)
{
    kn_text_add(text, row->help);
    if (row->fallback)
        kn_text_format(text, " (default: %s)", row->fallback);
}

static void print_option(const struct option_row *row, FILE *out)
{
    struct kn_text spelling = KN_TEXT_INIT, meaning = KN_TEXT_INIT;

    if (!row->letter)
        kn_text_add(&spelling, "    ");
    help_spelling(row, &spelling);
    help_meaning(row, &meaning);
    fprintf(out, "  %-*s  %s\n", SPELLING_WIDTH, kn_text_string(&spelling), kn_text_string(&meaning));
    kn_text_free(&spelling);
    kn_text_free(&meaning);
}

void help_command(const struct command *command, FILE *out)
{
    struct option_row rows[OPTION_ROWS_MAX];
    size_t count = options_collect(command, rows);

    fprintf(out, "Usage: koine %s [OPTION]...%s%s\n%s.\n\nOptions:\n", command->name,
            command->operands ? " " : "", command->operands ? command->operands : "", command->summary);
    for (size_t i = 0; i < count; i++)
        print_option(&rows[i], out);
    fputs("\nExamples:\n", out);
    for (size_t i = 0; i < sizeof command->examples / sizeof *command->examples; i++)
        fprintf(out, "  %s\n      %s\n", command->examples[i].line, command->examples[i].meaning);
    fprintf(out, "\nMore: man koine-%s\n", command->name);
}

void help_overview(const struct command *const *commands, FILE *out)
{
    fputs("Usage: koine COMMAND [OPTION]... [FILE]...\n" KOINE_SUMMARY ".\n\nCommands:\n", out);
    for (; *commands; commands++)
        fprintf(out, "  %-10s %s\n", (*commands)->name, (*commands)->summary);
    fputs(
        "\nOptions:\n"
        "  -h, --help     show this help; 'koine COMMAND --help' or 'koine help COMMAND' shows a command's\n"
        "  -V, --version  show the version\n"
        "\nExamples:\n",
        out);
    for (size_t i = 0; i < KOINE_EXAMPLES; i++)
        fprintf(out, "  %s\n      %s\n", koine_examples[i].line, koine_examples[i].meaning);
    fputs("\nMore: man koine\n", out);
}
