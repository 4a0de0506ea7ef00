// SPDX-License-Identifier: Apache-2.0
#include "help.h"

#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "base/text/text.h"
#include "cli/commands.h"

// ---- What can appear at a place ----

enum paths { PATHS_NONE, PATHS_FOLDERS, PATHS_FILES };

struct candidates {
    struct ki_text words; // with blanks between them
    enum paths paths;
};

static void add_word(struct candidates *candidates, const char *word, size_t length)
{
    if (*ki_text_string(&candidates->words))
        ki_text_add_char(&candidates->words, ' ');
    ki_text_add_bytes(&candidates->words, word, length);
}

static void add_words(struct candidates *candidates, const char *const *words)
{
    for (; words && *words; words++)
        add_word(candidates, *words, strlen(*words));
}

static bool is_one_of(const char *part, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == length && strncmp(part, *words, length) == 0)
            return true;
    return false;
}

// A part of a form, between its marks: a word in small letters stands for itself; a name with an ending
// ("IN.npy") and some others stand for files.
static void add_part(struct candidates *candidates, const char *part, size_t length)
{
    static const char *const files[] = {"FILE", "IMAGE", "INPUT", "MASK", "OUT", "TRAJ", NULL};
    static const char *const folders[] = {"DIR", NULL};
    const char *dot = memchr(part, '.', length);
    size_t small = 0;

    while (small < length && islower((unsigned char)part[small]))
        small++;
    if (length && small == length)
        add_word(candidates, part, length);
    else if ((dot && dot > part && dot < part + length - 1) || is_one_of(part, length, files))
        candidates->paths = PATHS_FILES;
    else if (is_one_of(part, length, folders) && candidates->paths == PATHS_NONE)
        candidates->paths = PATHS_FOLDERS;
}

// What the help's word for a value or for operands implies: "all|K", "FILE|DIR...", "A.npy B.npy".
static void add_form(struct candidates *candidates, const char *form)
{
    static const char marks[] = " |[],:=";

    while (form && *form) {
        size_t length = strcspn(form, marks), dots = length;

        while (dots && form[dots - 1] == '.')
            dots--;
        add_part(candidates, form, dots);
        form += length;
        form += strspn(form, marks);
    }
}

static struct candidates candidates_of_value(const struct option_row *row)
{
    struct candidates candidates = {KI_TEXT_INIT, PATHS_NONE};

    add_words(&candidates, row->choices);
    if (row->type != OPTION_CHOICE && row->type != OPTION_COUNT && row->type != OPTION_BYTES)
        add_form(&candidates, row->metavar);
    return candidates;
}

static struct candidates candidates_of_operands(const struct command *command)
{
    struct candidates candidates = {KI_TEXT_INIT, PATHS_NONE};
    const char *word;

    add_form(&candidates, command->operands);
    for (size_t i = 0; command->operand_word && (word = command->operand_word(i)); i++)
        add_word(&candidates, word, strlen(word));
    return candidates;
}

// `text` with `escape` before each character of `special`.
static void print_escaped(const char *text, const char *special, const char *escape, FILE *out)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            fputs(escape, out);
        fputc(*text, out);
    }
}

// ---- bash ----

static const char *const bash_paths[] = {"", " paths=dirnames", " paths=default"};

// "    'stats --precision' | 'stats -p')", and what is to be done there.
static void print_bash_value(const struct command *command, const struct option_row *row, FILE *out)
{
    struct candidates candidates = candidates_of_value(row);

    fprintf(out, "    '%s --%s'", command->name, row->name);
    if (row->letter)
        fprintf(out, " | '%s -%c'", command->name, row->letter);
    fprintf(out, ") words='%s'%s ;;\n", ki_text_string(&candidates.words), bash_paths[candidates.paths]);
    ki_text_free(&candidates.words);
}

static void print_bash_command(const struct command *command, FILE *out)
{
    struct candidates candidates = candidates_of_operands(command);
    struct option_row rows[OPTION_ROWS_MAX];
    size_t count = options_collect(command, rows);

    fprintf(out, "        %s)\n            words='%s'%s\n            options='", command->name,
            ki_text_string(&candidates.words), bash_paths[candidates.paths]);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s--%s", i ? " " : "", rows[i].name);
        if (rows[i].letter)
            fprintf(out, " -%c", rows[i].letter);
    }
    fputs("'\n            ;;\n", out);
    ki_text_free(&candidates.words);
}

static void print_bash_names(FILE *out)
{
    for (const struct command *const *command = koine_commands; *command; command++)
        fprintf(out, "%s%s", command == koine_commands ? "" : " ", (*command)->name);
}

// A line is "--precision=double" of three words for bash. Where no word fits, paths are completed by readline
// itself, which knows of ~ and of quotes.
static void print_bash(FILE *out)
{
    fputs("# bash completion for koine\n\n_koine()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
          "words= options= paths=\n"
          "    local commands='",
          out);
    print_bash_names(out);
    fputs("'\n\n"
          "    if [[ $word == = ]]; then\n"
          "        word=\n"
          "    elif [[ $before == = && $COMP_CWORD -gt 2 ]]; then\n"
          "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
          "        before=\n"
          "    fi\n"
          "    case \"${COMP_WORDS[1]} $before\" in\n"
          "    *' ') words=\"$commands help\" options='--help -h --version -V' ;;\n"
          "    'help help') words=$commands ;;\n",
          out);
    for (const struct command *const *command = koine_commands; *command; command++) {
        struct option_row rows[OPTION_ROWS_MAX];
        size_t count = options_collect(*command, rows);

        for (size_t i = 0; i < count; i++)
            if (rows[i].type != OPTION_FLAG)
                print_bash_value(*command, &rows[i], out);
    }
    fputs("    *)\n        case ${COMP_WORDS[1]} in\n", out);
    for (const struct command *const *command = koine_commands; *command; command++)
        print_bash_command(*command, out);
    fputs("        esac\n"
          "        ;;\n"
          "    esac\n"
          "    if [[ $word == -* && -n $options ]]; then\n"
          "        words=$options paths=\n"
          "    fi\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "    if [[ -n $paths ]]; then\n"
          "        compopt -o \"$paths\"\n"
          "    fi\n"
          "}\n"
          "complete -F _koine koine\n",
          out);
}

// ---- zsh ----

// In single quotes, as an explanation in brackets or a message between colons.
static void print_zsh_text(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", out);
        else if (strchr("[]:\\", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

// ":FILE:_files", in single quotes too: a message, and what can be completed.
static void print_zsh_action(const char *message, const struct candidates *candidates, FILE *out)
{
    static const char *const paths[] = {"", "_files -/", "_files"};
    const char *words = ki_text_string(&candidates->words);

    fputc(':', out);
    print_zsh_text(message, out);
    fputc(':', out);
    if (*words && candidates->paths)
        fprintf(out, "{_alternative \"words\\:word\\:(%s)\" \"files\\:file\\:%s\"}", words,
                paths[candidates->paths]);
    else if (*words)
        fprintf(out, "(%s)", words);
    else
        fputs(candidates->paths ? paths[candidates->paths] : " ", out);
}

// "'*'{-d+,--device=}'[use this device]:SPEC:(cpu gpu)'", where the star lets it be repeated, or
// "'(-o --out)'{-o+,--out=}'[...", where one spelling excludes the other.
static void print_zsh_option(const struct option_row *row, FILE *out)
{
    const char *value = row->type == OPTION_FLAG ? "" : "=";

    fputs("            '", out);
    if (row->type == OPTION_STRINGS)
        fputc('*', out);
    else if (row->letter)
        fprintf(out, "(-%c --%s)", row->letter, row->name);
    if (row->letter)
        fprintf(out, "'{-%c%s,--%s%s}'[", row->letter, *value ? "+" : "", row->name, value);
    else
        fprintf(out, "--%s%s[", row->name, value);
    print_zsh_text(row->help, out);
    fputc(']', out);
    if (*value) {
        struct candidates candidates = candidates_of_value(row);

        print_zsh_action(row->metavar ? row->metavar : row->name, &candidates, out);
        ki_text_free(&candidates.words);
    }
    fputs("' \\\n", out);
}

static void print_zsh_command(const struct command *command, FILE *out)
{
    struct option_row rows[OPTION_ROWS_MAX];
    size_t count = options_collect(command, rows);
    struct candidates operands = candidates_of_operands(command);

    fprintf(out, "        %s)\n            _arguments -s -S \\\n", command->name);
    for (size_t i = 0; i < count; i++)
        print_zsh_option(&rows[i], out);
    fputs("            '*", out);
    print_zsh_action(command->operands ? command->operands : "no more arguments", &operands, out);
    fputs("'\n            ;;\n", out);
    ki_text_free(&operands.words);
}

static void print_zsh(FILE *out)
{
    fputs("#compdef koine\n"
          "# zsh completion for koine\n\n"
          "_koine()\n{\n"
          "    local context curcontext=$curcontext state state_descr line\n"
          "    typeset -A opt_args\n"
          "    local -a commands=(\n",
          out);
    for (const struct command *const *command = koine_commands; *command; command++) {
        fprintf(out, "        '%s:", (*command)->name);
        print_zsh_text((*command)->summary, out);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    local -a others=('help:shows the help of a command')\n\n"
          "    _arguments -C '(- *)'{-h,--help}'[show the commands]' '(- *)'{-V,--version}'[show the "
          "version]' \\\n"
          "        '1: :->command' '*:: :->arguments'\n"
          "    case $state in\n"
          "    command) _describe command commands -- others ;;\n"
          "    arguments)\n"
          "        curcontext=${curcontext%:*:*}:koine-$words[1]:\n"
          "        case $words[1] in\n"
          "        help) _describe command commands ;;\n",
          out);
    for (const struct command *const *command = koine_commands; *command; command++)
        print_zsh_command(*command, out);
    fputs("        esac\n"
          "        ;;\n"
          "    esac\n"
          "}\n\n"
          "_koine \"$@\"\n",
          out);
}

// ---- fish ----

static void print_fish_text(const char *text, FILE *out)
{
    fputs(" -d '", out);
    print_escaped(text, "\\'", "\\", out);
    fputc('\'', out);
}

static void print_fish_candidates(const struct candidates *candidates, FILE *out)
{
    const char *words = ki_text_string(&candidates->words);

    fputs(candidates->paths == PATHS_FILES ? " -F" : " -f", out);
    if (*words || candidates->paths == PATHS_FOLDERS)
        fprintf(out, " -a '%s%s%s'", words, *words ? " " : "",
                candidates->paths == PATHS_FOLDERS ? "(__fish_complete_directories)" : "");
}

static void print_fish_option(const struct command *command, const struct option_row *row, FILE *out)
{
    fprintf(out, "complete -c koine -n '__koine_command_is %s' -l %s", command->name, row->name);
    if (row->letter)
        fprintf(out, " -s %c", row->letter);
    if (row->type != OPTION_FLAG) {
        struct candidates candidates = candidates_of_value(row);

        fputs(" -r", out);
        print_fish_candidates(&candidates, out);
        ki_text_free(&candidates.words);
    }
    print_fish_text(row->help, out);
    fputc('\n', out);
}

static void print_fish_command(const struct command *command, FILE *out)
{
    struct option_row rows[OPTION_ROWS_MAX];
    size_t count = options_collect(command, rows);
    struct candidates operands = candidates_of_operands(command);

    fprintf(out, "\ncomplete -c koine -n '__koine_command_is' -a %s", command->name);
    print_fish_text(command->summary, out);
    fprintf(out, "\ncomplete -c koine -n '__koine_command_is help' -a %s\n", command->name);
    if (operands.paths || *ki_text_string(&operands.words)) {
        fprintf(out, "complete -c koine -n '__koine_command_is %s'", command->name);
        print_fish_candidates(&operands, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < count; i++)
        print_fish_option(command, &rows[i], out);
    ki_text_free(&operands.words);
}

static void print_fish(FILE *out)
{
    fputs("# fish completion for koine\n\n"
          "function __koine_command_is --description 'whether this is the command, or none is there yet'\n"
          "    set -l words (commandline -opc)\n"
          "    test \"$words[2]\" = \"$argv[1]\"\n"
          "end\n\n"
          "complete -c koine -f\n"
          "complete -c koine -n '__koine_command_is' -s h -l help -d 'show the commands'\n"
          "complete -c koine -n '__koine_command_is' -s V -l version -d 'show the version'\n"
          "complete -c koine -n '__koine_command_is' -a help -d 'shows the help of a command'\n",
          out);
    for (const struct command *const *command = koine_commands; *command; command++)
        print_fish_command(*command, out);
}

bool completion_print(const char *shell, FILE *out)
{
    static const struct {
        const char *name;
        void (*print)(FILE *out);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

    for (size_t i = 0; i < KI_COUNT(shells); i++) {
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print(out);
            return true;
        }
    }
    return false;
}
