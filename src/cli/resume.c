// SPDX-License-Identifier: Apache-2.0
#include "resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "cli/framework/interrupt.h"
#include "cli/named_files.h"

// ---- the plan ----

// Options that do not affect results: where they are written, and where they are computed.
static bool is_neutral(const char *name)
{
    static const char *const names[] = {"device", "json",  "out",  "output", "report",
                                        "force",  "quiet", "help", "resume", "dry-run"};

    for (size_t i = 0; i < KI_COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

// Includes the terminating 0, so that "ab", "c" differs from "a", "bc".
void resume_plan_text(struct resume *resume, const char *text)
{
    ki_text_add_bytes(&resume->plan, text, strlen(text) + 1);
}

static void add_facts(void *data, const char *path, const struct stat *facts)
{
    struct resume *resume = data;

    resume_plan_text(resume, path);
    ki_text_format(&resume->plan, "%lld %lld.%09ld;", (long long)facts->st_size,
                   (long long)facts->st_mtim.tv_sec, facts->st_mtim.tv_nsec);
}

void resume_plan_file(struct resume *resume, const char *path)
{
    named_file(path, add_facts, resume);
}

void resume_plan_number(struct resume *resume, size_t number)
{
    ki_text_format(&resume->plan, "%zu;", number);
}

static void add_list(struct resume *resume, const struct string_list *list)
{
    resume_plan_number(resume, list->count);
    for (size_t i = 0; i < list->count; i++)
        resume_plan_text(resume, list->items[i]);
}

static void add_option(struct resume *resume, const struct option_row *row, const void *field)
{
    resume_plan_text(resume, row->name);
    switch (row->type) {
    case OPTION_FLAG:
        resume_plan_number(resume, *(const bool *)field);
        break;
    case OPTION_STRING:
    case OPTION_PATH:
        if (*(const char *const *)field)
            resume_plan_text(resume, *(const char *const *)field);
        break;
    case OPTION_STRINGS:
        add_list(resume, field);
        break;
    case OPTION_COUNT:
    case OPTION_BYTES:
        resume_plan_number(resume, *(const size_t *)field);
        break;
    case OPTION_CHOICE:
        resume_plan_number(resume, (size_t) * (const int *)field);
        break;
    }
}

void resume_plan(struct resume *resume, const struct command *command, const void *arguments)
{
    const struct common_arguments *common = arguments;
    struct option_row rows[OPTION_ROWS_MAX];
    const size_t count = options_collect(command, rows);

    resume_plan_text(resume, command->name);
    for (size_t i = 0; i < count; i++)
        if (!is_neutral(rows[i].name))
            add_option(resume, &rows[i], (const char *)arguments + rows[i].offset);
    add_list(resume, &common->operands);
    named_files(command, arguments, add_facts, resume);
}

// ---- the journal ----

static bool reads_standard_input(const struct common_arguments *common)
{
    for (size_t i = 0; i < common->operands.count; i++)
        if (strcmp(common->operands.items[i], "-") == 0)
            return true;
    return false;
}

// The reason why no pieces can be kept; NULL: they can be.
static const char *why_not(const struct common_arguments *common, const char *result)
{
    if (!result || strcmp(result, "-") == 0)
        return "finished pieces are kept beside a result in a file, and there is none";
    if (reads_standard_input(common))
        return "standard input cannot be read again";
    return NULL;
}

// NAME.parts, also for a folder "NAME/".
static char *name_folder(const char *result)
{
    struct ki_text name = KI_TEXT_INIT;
    size_t length = strlen(result);

    while (length > 1 && result[length - 1] == '/')
        length--;
    ki_text_add_bytes(&name, result, length);
    ki_text_add(&name, ".parts");
    return ki_text_take(&name);
}

bool resume_is_there(const char *result)
{
    struct ki_text path = KI_TEXT_INIT;
    char *folder = result ? name_folder(result) : NULL;
    bool is_there;

    ki_text_format(&path, "%s/journal", folder ? folder : "");
    is_there = folder && !path.failed && access(ki_text_string(&path), F_OK) == 0;
    ki_text_free(&path);
    free(folder);
    return is_there;
}

// Refuses the journal of an earlier run that is not resumed; or, with --force, removes it if it `may`.
static kn_status clear(const struct resume *resume, bool force, bool may, kn_error *err)
{
    struct ki_text path = KI_TEXT_INIT;
    kn_status status = KN_OK;

    ki_text_format(&path, "%s/journal", resume->folder);
    if (path.failed)
        status = ki_fail_memory(err, 0, "the journal's name");
    else if (access(ki_text_string(&path), F_OK) == 0 && !force)
        status =
            ki_fail_at(err, KN_ERROR_OUTPUT, resume->folder, 0,
                       "holds finished pieces of a run that was interrupted: --resume goes on with them, "
                       "--force begins anew");
    else if (may && access(ki_text_string(&path), F_OK) == 0 &&
             (unlink(ki_text_string(&path)) != 0 || rmdir(resume->folder) != 0))
        status = ki_fail_errno(err, KN_ERROR_OUTPUT, resume->folder, errno, "cannot be removed");
    ki_text_free(&path);
    return status;
}

static void describe(const struct resume *resume, char *text, size_t size)
{
    snprintf(text, size, "finished pieces are kept in %s; the same command with --resume goes on with them",
             resume->folder);
}

static void note_interruption(const struct resume *resume)
{
    char text[1024], note[1100];

    describe(resume, text, sizeof text);
    snprintf(note, sizeof note, "koine: %s\n", text);
    interrupt_note(note);
}

kn_status resume_open(struct resume *resume, const struct common_arguments *common, const char *result,
                      bool keeps, kn_error *err)
{
    const char *reason = why_not(common, result);
    kn_status status = KN_OK;

    if (reason)
        return common->resume ? ki_fail(err, KN_ERROR_ARGUMENT, "--resume: %s", reason) : KN_OK;
    resume->folder = name_folder(result);
    if (!resume->folder || resume->plan.failed)
        return ki_fail_memory(err, 0, "the plan of the work");
    if (!common->resume)
        status = clear(resume, common->force, !common->dry_run, err);
    if (common->dry_run)
        return status;
    if (!status && (keeps || common->resume))
        status = kn_journal_open(resume->folder, resume->plan.data, resume->plan.length, common->resume,
                                 &resume->journal, err);
    if (status || !resume->journal)
        return status;
    note_interruption(resume);
    resume->asked = common->resume;
    resume->resumed = kn_journal_get_count(resume->journal);
    if (common->resume && resume->resumed)
        fprintf(stderr, "%s: finished pieces taken from %s: %zu\n", common->command, resume->folder,
                resume->resumed);
    else if (common->resume)
        fprintf(stderr, "%s: there are no finished pieces in %s; everything is computed\n", common->command,
                resume->folder);
    return KN_OK;
}

static void name_resume(const struct resume *resume, kn_error *err)
{
    const size_t length = strlen(err->text);

    if (length + sizeof "; " >= sizeof err->text)
        return;
    memcpy(err->text + length, "; ", sizeof "; ");
    describe(resume, err->text + length + strlen("; "), sizeof err->text - length - strlen("; "));
}

kn_status resume_close(struct resume *resume, kn_status status, kn_error *err)
{
    interrupt_note("");
    if (resume->journal && !status) {
        status = kn_journal_remove(resume->journal, err);
    } else if (resume->journal && status == KN_ERROR_INPUT && !resume->asked) {
        kn_journal_remove(resume->journal, NULL); // corrected input is different input
    } else if (resume->journal) {
        if (kn_journal_get_count(resume->journal))
            name_resume(resume, err);
        kn_journal_close(resume->journal);
    }
    free(resume->folder);
    ki_text_free(&resume->plan);
    *resume = (struct resume){.journal = NULL};
    return status;
}
