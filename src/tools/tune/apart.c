// SPDX-License-Identifier: Apache-2.0
// Measuring in a separate process, and in another one after a candidate that crashed it.
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/process.h"
#include "journal.h"

enum { ARGUMENTS_MAX = 16 };

static const double as_long_as_it_takes = 1e6; // seconds

// Signals that interrupt a process from outside, which is not a crash.
static bool is_asked_to_end(int signal)
{
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

static void describe_end(const struct process_result *result, char *why, size_t size)
{
    if (result->signal)
        snprintf(why, size, "crashed: signal %d", result->signal);
    else
        snprintf(why, size, "ended the process with status %d", result->status);
}

// Called after a process that did not reach the end of the journal: records the crash there.
static kn_status note_crash(const struct tune_subject *subject, const char *journal,
                            const struct tune_past *past, const struct process_result *result, kn_error *err)
{
    const kn_tunables *tunables = subject->tunables();
    struct tune_journal *open = NULL;
    char why[KN_TUNING_WORDS / 2];
    kn_status status;

    describe_end(result, why, sizeof why);
    if (past->failed)
        return ki_fail(err, past->failed, "%s", past->message);
    if (is_asked_to_end(result->signal))
        return ki_fail(err, KN_ERROR_INTERRUPTED, "%s: the process that measures was ended by signal %d",
                       tunables->algorithm, result->signal);
    if (!past->pending)
        return ki_fail(err, KN_ERROR_DEVICE,
                       "%s: the process that measures %s outside of any candidate: %.800s",
                       tunables->algorithm, why, result->output);
    if (past->count == 0 || (past->once_more && past->again == 0))
        return ki_fail(err, KN_ERROR_DEVICE,
                       "%s: its own values %s in the driver; another driver or --device may serve: %.800s",
                       tunables->algorithm, why, result->output);
    status = tune_journal_open(journal, tunables, &open, err);
    if (!status)
        status = tune_journal_crash(open, why, err);
    tune_journal_close(open);
    return status;
}

// Runs one process; `ended`: it completed the measurement.
static kn_status run_once(const struct tune_subject *subject, const char *const *arguments,
                          const char *journal, struct ki_text *said, bool *ended, kn_error *err)
{
    struct process_result result = {.output = NULL};
    struct tune_past past = {.rows = NULL};
    kn_status status = ki_process_run(arguments, NULL, as_long_as_it_takes, &result, err);

    if (!status)
        status = tune_past_read(journal, subject->tunables(), &past, err);
    if (!status)
        ki_text_add(said, result.output);
    *ended = !status && past.ended;
    if (!status && !past.ended)
        status = note_crash(subject, journal, &past, &result, err);
    free(result.output);
    tune_past_free(&past);
    return status;
}

static kn_status take_report(const struct tune_subject *subject, const char *journal,
                             struct tune_report *report, kn_error *err)
{
    struct tune_past past;
    kn_status status = tune_past_read(journal, subject->tunables(), &past, err);

    if (status)
        return status;
    report->rows = past.rows;
    report->count = past.count;
    report->capacity = past.capacity;
    report->best = past.best;
    report->by_device_clock = past.by_device_clock;
    report->built = past.built;
    return KN_OK;
}

kn_status tune_measure_apart(const struct tune_subject *subject, const char *const *arguments,
                             struct tune_report *report, struct ki_text *said, kn_error *err)
{
    const char *all[ARGUMENTS_MAX + 2] = {NULL};
    char folder[PATH_MAX], journal[PATH_MAX + 16];
    bool ended = false;
    size_t count = 0;
    kn_status status;

    *report = (struct tune_report){.subject = subject};
    for (; count < ARGUMENTS_MAX && arguments[count]; count++)
        all[count] = arguments[count];
    all[count] = journal;
    status = ki_process_folder(folder, err);
    if (status)
        return status;
    snprintf(journal, sizeof journal, "%s/journal", folder);
    while (!status && !ended)
        status = run_once(subject, all, journal, said, &ended, err);
    if (!status)
        status = take_report(subject, journal, report, err);
    ki_process_folder_remove(folder);
    return status;
}
