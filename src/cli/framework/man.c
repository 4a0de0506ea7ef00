// SPDX-License-Identifier: Apache-2.0
#include <config.h>
#include <ctype.h>
#include <string.h>

#include "base/os/env.h"
#include "cli/commands.h"
#include "help.h"
#include "status.h"

// Escapes text so that roff sees nothing but text. Hyphens become minus signs, because they are copied into
// shells.
static void print_text(const char *text, FILE *out)
{
    bool line_start = true;

    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        line_start = *text == '\n';
    }
}

static void print_heading(const char *page, const char *summary, FILE *out)
{
    fputs(".TH \"", out);
    for (const char *c = page; *c; c++)
        fputc(toupper((unsigned char)*c), out);
    fputs("\" 1 \"\" \"koine " PACKAGE_VERSION "\" \"User Commands\"\n.SH NAME\n", out);
    print_text(page, out);
    fputs(" \\- ", out);
    print_text(summary, out);
    fputs("\n.SH SYNOPSIS\n", out);
}

// A tagged paragraph: the term in bold, its meaning below.
static void print_term(const char *term, const char *meaning, FILE *out)
{
    fputs(".TP\n\\fB", out);
    print_text(term, out);
    fputs("\\fR\n", out);
    print_text(meaning, out);
    fputc('\n', out);
}

static void print_paragraphs(const char *text, FILE *out)
{
    const char *end;

    for (; (end = strstr(text, "\n\n")); text = end + 2) {
        struct ki_text paragraph = KI_TEXT_INIT;

        ki_text_add_bytes(&paragraph, text, (size_t)(end - text));
        print_text(ki_text_string(&paragraph), out);
        fputs("\n.PP\n", out);
        ki_text_free(&paragraph);
    }
    print_text(text, out);
    fputc('\n', out);
}

static void print_examples(const struct command_example *examples, size_t count, FILE *out)
{
    fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; i < count; i++)
        print_term(examples[i].line, examples[i].meaning, out);
}

static void print_statuses(FILE *out)
{
    fputs(".SH EXIT STATUS\n", out);
    for (const struct exit_meaning *row = exit_meanings; row->meaning; row++) {
        char number[16];

        snprintf(number, sizeof number, "%d", (int)row->status);
        print_term(number, row->meaning, out);
    }
}

static void print_command(const struct command *command, const char *page, FILE *out)
{
    struct option_row rows[OPTION_ROWS_MAX];
    size_t count = options_collect(command, rows);

    print_heading(page, command->summary, out);
    fprintf(out, "\\fBkoine %s\\fR [\\fIOPTION\\fR]...", command->name);
    if (command->operands) {
        fputs(" \\fI", out);
        print_text(command->operands, out);
        fputs("\\fR", out);
    }
    fputs("\n.SH DESCRIPTION\n", out);
    print_paragraphs(command->description, out);
    fputs(".SH OPTIONS\nThe names of options may be written with underscores instead of hyphens.\n", out);
    for (size_t i = 0; i < count; i++) {
        struct ki_text spelling = KI_TEXT_INIT, meaning = KI_TEXT_INIT;

        help_spelling(&rows[i], &spelling);
        help_meaning(&rows[i], &meaning);
        print_term(ki_text_string(&spelling), ki_text_string(&meaning), out);
        ki_text_free(&spelling);
        ki_text_free(&meaning);
    }
    print_statuses(out);
    fputs(".SH ENVIRONMENT\nThe variables are listed in\n.BR koine (1).\n", out);
    print_examples(command->examples, sizeof command->examples / sizeof *command->examples, out);
    fputs(".SH SEE ALSO\n.BR koine (1)\n", out);
}

static void print_koine(FILE *out)
{
    print_heading("koine", KOINE_SUMMARY, out);
    fputs("\\fBkoine\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n.br\n"
          "\\fBkoine help\\fR [\\fICOMMAND\\fR]\n.br\n"
          "\\fBkoine \\-\\-version\\fR\n.SH DESCRIPTION\n",
          out);
    print_paragraphs(
        "Each command reads files, computes on a device, and prints a table. --json FILE writes the same as "
        "JSON. Text goes to standard output; progress and messages go to standard error.\n\n"
        "--device or KOINE_DEVICE names where to compute. If neither is given, stats, autocorr, sort, "
        "reduce, select, fft, recon, spmv and project choose the faster of the best GPU and the host's own "
        "code, by an estimate that includes starting a GPU driver, compiling programs, copies and the work "
        "itself. The choice, and the reason, are shown in brackets after its name and as device.why in the "
        "JSON. The other commands, and whatever the host's code does not support, take the best device found "
        "(a GPU before a CPU), as --device auto does; solve takes the host, in double precision. Results of "
        "host and device may differ in the last bits unless bitwise identity is promised: KOINE_DEVICE fixes "
        "the choice. If there is no device, commands that can compute with the host's own code do so and say "
        "so in one line.\n\n"
        "Every JSON result has koine (the version), command, device, precision, policy and seconds. "
        "precision is the type of the numbers on the device: float, double, or the name of the integer type "
        "in OpenCL C (char, uchar, short ... ulong); sums of floats are added in double precision all the "
        "same. It is null if nothing is computed, and for compare and run, whose results each have a type. "
        "NaN and infinities are null.\n\n"
        "Files are written under a temporary name and renamed when they are complete; nothing is overwritten "
        "without --force.",
        out);
    fputs(".SH RANKS OF MPI\n", out);
    print_paragraphs(
        "Under mpirun or srun with several processes (OMPI_COMM_WORLD_SIZE, PMI_SIZE or SLURM_STEP_NUM_TASKS "
        "is above 1), a koine that was configured with --with-mpi shares the work of stats, autocorr and "
        "recon among them. Each rank takes a device of its machine: of those that --device names, otherwise "
        "of its GPUs, otherwise the host; for recon it has to be a device. Rank 0 writes the results. If one "
        "rank fails, all end with its exit status. solve, sort and compare do not share their work in this "
        "way and refuse to begin, as "
        "all of these commands do in a build without MPI.",
        out);
    fputs(".SH COMMANDS\n", out);
    for (const struct command *const *command = koine_commands; *command; command++)
        print_term((*command)->name, (*command)->summary, out);
    print_statuses(out);
    fputs(".SH ENVIRONMENT\n", out);
    for (size_t i = 0; i < KI_ENV_COUNT; i++) {
        struct ki_text term = KI_TEXT_INIT;

        ki_text_format(&term, "%s=%s", ki_env_table[i].name, ki_env_table[i].value);
        print_term(ki_text_string(&term), ki_env_table[i].meaning, out);
        ki_text_free(&term);
    }
    print_examples(koine_examples, KOINE_EXAMPLES, out);
    fputs(".SH SEE ALSO\n", out);
    for (const struct command *const *command = koine_commands; *command; command++)
        fprintf(out, ".BR koine\\-%s (1)%s\n", (*command)->name, command[1] ? "," : "");
}

bool man_print(const char *page, FILE *out)
{
    const char *prefix = "koine-";
    const struct command *command;

    if (strcmp(page, "koine") == 0) {
        print_koine(out);
        return true;
    }
    command = strncmp(page, prefix, strlen(prefix)) == 0 ? command_named(page + strlen(prefix)) : NULL;
    if (command)
        print_command(command, page, out);
    return command != NULL;
}
