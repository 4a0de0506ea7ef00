// SPDX-License-Identifier: Apache-2.0
#include "tune.h"

#include <koine/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "tools/compare/measure.h"
#include "journal.h"

enum { REPETITIONS = 7, QUICK_REPETITIONS = 3, ROUNDS = 4 };

static const double margin = 0.98, shortest = 1e-7; // shortest: the kernel time in seconds from which on a
                                                    // clock counts as working

struct tuner {
    struct tune_work work;
    const struct tune_subject *subject;
    struct tune_report *report;
    kn_context *context;
    size_t tunables, bytes; // of the result
    void *wanted, *found;
    struct tune_past past; // the results of earlier processes
    struct tune_journal *journal;
};

// ---- one candidate ----

// Seconds of a run: of its kernels only if the device's clock works, otherwise until the queue is finished.
static kn_status run_once(struct tuner *tuner, double *seconds, kn_error *err)
{
    kn_queue *queue = tuner->work.queue;
    kn_profile_entry *entries = NULL;
    size_t count = 0;
    double start, all = 0;
    bool profiled = !tuner->subject->by_wall && kn_profile_start(queue, NULL) == KN_OK;
    kn_status status;

    start = ki_clock_seconds();
    status = tuner->subject->run(&tuner->work, err);
    if (!status)
        status = kn_queue_finish(queue, err);
    *seconds = ki_clock_seconds() - start;
    if (profiled && kn_profile_stop(queue, &entries, &count, NULL) == KN_OK)
        for (size_t i = 0; i < count; i++)
            all += (double)(entries[i].end - entries[i].start) * 1e-9;
    kn_free(entries);
    tuner->report->by_device_clock = all > shortest;
    if (tuner->report->by_device_clock)
        *seconds = all;
    return status;
}

static kn_status time_runs(struct tuner *tuner, double *median, kn_error *err)
{
    double seconds[REPETITIONS];
    size_t count = tuner->work.quick ? QUICK_REPETITIONS : REPETITIONS;
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; i++)
        status = run_once(tuner, &seconds[i], err);
    if (!status)
        *median = measure_times(seconds, count).median;
    return status;
}

// Computes the result of one run, which is poisoned before.
static kn_status make_result(struct tuner *tuner, void *result, kn_error *err)
{
    const unsigned char poison = 0xff; // not-a-number in floats
    struct tune_work *work = &tuner->work;
    double seconds;
    kn_status status =
        kn_buffer_fill(work->queue, work->result, &poison, sizeof poison, 0, tuner->bytes, NULL, err);

    if (!status && tuner->subject->prepare)
        status = tuner->subject->prepare(work, err);
    if (!status)
        status = run_once(tuner, &seconds, err);
    return status ? status : kn_buffer_read(work->queue, work->result, 0, result, tuner->bytes, err);
}

// The distance of two results; infinite if it is not a number.
static double distance(const struct tuner *tuner)
{
    const float *wanted = tuner->wanted, *found = tuner->found;
    double error = 0, energy = 0;

    if (tuner->subject->bound == 0)
        return memcmp(wanted, found, tuner->bytes) ? INFINITY : 0;
    for (size_t i = 0; i < tuner->bytes / sizeof *wanted; i++) {
        double difference = (double)found[i] - (double)wanted[i];

        error += difference * difference;
        energy += (double)wanted[i] * (double)wanted[i];
    }
    error = sqrt(error / energy);
    return isfinite(error) ? error : INFINITY;
}

static void fail_row(struct tune_row *row, const kn_error *err)
{
    // A compiler's message has many lines; the first one is enough.
    snprintf(row->why, sizeof row->why, "%.*s", (int)strcspn(err->text, "\n"), err->text);
    row->seconds = -1;
}

static kn_status measure_row(struct tuner *tuner, struct tune_row *row, kn_error *err)
{
    char why[KN_TUNING_WORDS];
    kn_status status = make_result(tuner, tuner->found, err);

    if (status)
        return status;
    if (kn_tuning_get_refusal(tuner->context, tuner->subject->tunables(), why)) {
        snprintf(row->why, sizeof row->why, "%s", why);
        return KN_OK;
    }
    row->error = distance(tuner);
    if (!(row->error <= tuner->subject->bound)) {
        row->seconds = -1;
        snprintf(row->why, sizeof row->why, "its answer is off by %.2g, and %.2g is allowed", row->error,
                 tuner->subject->bound);
        return KN_OK;
    }
    return time_runs(tuner, &row->seconds, err);
}

// Takes a row from an earlier process. False if that process did not get so far.
static bool take_past(const struct tuner *tuner, struct tune_row *row)
{
    if (tuner->report->count >= tuner->past.count)
        return false;
    *row = tuner->past.rows[tuner->report->count];
    return true;
}

static kn_status measure_new(struct tuner *tuner, struct tune_row *row, kn_error *err)
{
    kn_error why = KN_ERROR_INIT;
    kn_status status = tune_journal_try(tuner->journal, row->values, err);

    if (status)
        return status;
    if (kn_tuning_try(tuner->context, tuner->subject->tunables(), row->values, &why) ||
        measure_row(tuner, row, &why))
        fail_row(row, &why);
    return tune_journal_row(tuner->journal, row, err);
}

// Appends a row and measures it; errors are recorded in the row, except those of memory for it and of the
// journal.
static kn_status try_values(struct tuner *tuner, const unsigned *values, kn_error *err)
{
    struct tune_report *report = tuner->report;
    struct tune_row row = {.seconds = -1};

    if (take_past(tuner, &row)) {
        if (memcmp(row.values, values, tuner->tunables * sizeof *values) != 0)
            return ki_fail(err, KN_ERROR_INPUT, "the journal is of another measurement than this one of %s",
                           tuner->subject->tunables()->algorithm);
    } else {
        kn_status status;

        memcpy(row.values, values, tuner->tunables * sizeof *values);
        status = measure_new(tuner, &row, err);
        if (status)
            return status;
    }
    if (!KI_ARRAY_PUSH(report->rows, report->count, report->capacity, row))
        return ki_fail_memory(err, 0, "the table of candidates");
    if (row.seconds >= 0 && row.seconds < report->rows[report->best].seconds)
        report->best = report->count - 1;
    return KN_OK;
}

// ---- all candidates ----

static bool is_there(const struct tuner *tuner, const unsigned *values)
{
    for (size_t i = 0; i < tuner->report->count; i++)
        if (memcmp(tuner->report->rows[i].values, values, tuner->tunables * sizeof *values) == 0)
            return true;
    return false;
}

static kn_status vary(struct tuner *tuner, size_t tunable, const struct tune_axis *axis, kn_error *err)
{
    unsigned values[KN_TUNABLES], from[KN_TUNABLES];
    kn_status status = KN_OK;

    memcpy(from, tuner->report->rows[tuner->report->best].values, sizeof from);
    for (size_t i = 0; i < axis->count && !status; i++) {
        memcpy(values, from, sizeof values);
        values[tunable] = axis->values[i];
        if (tuner->subject->settle)
            tuner->subject->settle(values);
        if (!is_there(tuner, values))
            status = try_values(tuner, values, err);
    }
    return status;
}

// Measures the algorithm with its own values. In the journal, these values appear only after the runs,
// because they are known only then.
static kn_status measure_usual(struct tuner *tuner, kn_error *err)
{
    static const unsigned unknown[KN_TUNABLES];
    struct tune_report *report = tuner->report;
    struct tune_row row = {.seconds = -1};
    const bool known = take_past(tuner, &row);
    kn_status status = kn_tuning_try(tuner->context, tuner->subject->tunables(), NULL, err);

    if (!status && !known)
        status = tune_journal_try(tuner->journal, unknown, err);
    if (!status)
        status = make_result(tuner, tuner->wanted, err);
    if (!status && !known)
        status = time_runs(tuner, &row.seconds, err);
    if (!status && !known)
        status = tuner->subject->usual(&tuner->work, row.values, err);
    if (!status && !known)
        status = tune_journal_row(tuner->journal, &row, err);
    if (!status && !KI_ARRAY_PUSH(report->rows, report->count, report->capacity, row))
        status = ki_fail_memory(err, 0, "the table of candidates");
    return status;
}

static kn_status time_again(struct tuner *tuner, size_t index, kn_error *err)
{
    struct tune_row *row = &tuner->report->rows[index];
    kn_status status = tune_journal_again(tuner->journal, index, err);
    double seconds;

    if (!status)
        status = kn_tuning_try(tuner->context, tuner->subject->tunables(), row->values, err);
    if (!status)
        status = make_result(tuner, tuner->found, err);
    if (!status)
        status = time_runs(tuner, &seconds, err);
    if (!status)
        row->seconds = fmin(row->seconds, seconds);
    return status;
}

// Measures the best and the algorithm's own values once more. A best candidate that crashes here is not kept.
static kn_status confirm(struct tuner *tuner, kn_error *err)
{
    struct tune_report *report = tuner->report;
    const size_t indices[] = {report->best, 0};
    kn_status status = KN_OK;

    if (*tuner->past.broken) {
        report->best = 0;
        return KN_OK;
    }
    for (size_t i = 0; i < KI_COUNT(indices) && report->best != 0 && !status; i++)
        status = time_again(tuner, indices[i], err);
    if (!status && report->rows[indices[0]].seconds > margin * report->rows[0].seconds)
        report->best = 0;
    return status;
}

static kn_status sweep(struct tuner *tuner, const struct tune_axis *axes, kn_error *err)
{
    size_t rounds = tuner->work.quick ? 1 : ROUNDS, before = SIZE_MAX;
    kn_status status = measure_usual(tuner, err);

    for (size_t round = 0; round < rounds && before != tuner->report->best && !status; round++) {
        before = tuner->report->best;
        for (size_t i = 0; i < tuner->tunables && !status; i++)
            status = vary(tuner, i, &axes[i], err);
    }
    return status ? status : confirm(tuner, err);
}

static kn_status open_work(struct tuner *tuner, kn_error *err)
{
    const struct tune_subject *subject = tuner->subject;
    kn_status status;

    while (subject->tunables()->names[tuner->tunables])
        tuner->tunables++;
    tuner->work.own = calloc(1, subject->own_bytes ? subject->own_bytes : 1);
    if (!tuner->work.own)
        return ki_fail_memory(err, subject->own_bytes, "a measurement");
    status = subject->open(&tuner->work, err);
    if (status)
        return status;
    tuner->bytes = kn_buffer_get_size(tuner->work.result);
    tuner->wanted = malloc(tuner->bytes);
    tuner->found = malloc(tuner->bytes);
    return tuner->wanted && tuner->found ? KN_OK
                                         : ki_fail_memory(err, tuner->bytes, "a measurement's answer");
}

// Reads the journal, and opens it for appending.
static kn_status open_journal(struct tuner *tuner, const char *path, kn_error *err)
{
    const kn_tunables *tunables = tuner->subject->tunables();
    kn_status status = path ? tune_past_read(path, tunables, &tuner->past, err) : KN_OK;

    return status || !path ? status : tune_journal_open(path, tunables, &tuner->journal, err);
}

static kn_status measure(struct tuner *tuner, const char *journal, kn_error *err)
{
    const struct tune_axis *axes = tuner->subject->axes(tuner->work.queue);
    kn_status status = open_journal(tuner, journal, err);

    if (!status && !axes)
        status = ki_fail(err, KN_ERROR_UNSUPPORTED, "%s has nothing to tune on %s",
                         tuner->subject->tunables()->algorithm, kn_context_get_device(tuner->context)->spec);
    if (!status)
        status = open_work(tuner, err);
    if (!status)
        status = sweep(tuner, axes, err);
    tuner->report->built = kn_context_get_build_seconds(tuner->context);
    if (!status && tuner->journal)
        status = tune_keep(tuner->work.queue, tuner->report, err);
    return status ? status : tune_journal_end(tuner->journal, tuner->report, err);
}

kn_status tune_measure(kn_queue *queue, const struct tune_subject *subject, bool quick, double opened,
                       const char *journal, struct tune_report *report, kn_error *err)
{
    struct tuner tuner = {.work = {.queue = queue, .quick = quick, .opened = opened},
                          .subject = subject,
                          .report = report,
                          .context = kn_queue_get_context(queue)};
    kn_error failure = KN_ERROR_INIT;
    kn_status status;

    *report = (struct tune_report){.subject = subject};
    status = measure(&tuner, journal, &failure);
    if (status)
        (void)tune_journal_fail(tuner.journal, &failure, NULL); // the failure itself is returned
    if (status && err)
        *err = failure;
    if (tuner.work.own)
        subject->close(&tuner.work);
    (void)kn_tuning_end(tuner.context, subject->tunables(), NULL);
    kn_buffer_free(tuner.work.result);
    free(tuner.work.own);
    free(tuner.wanted);
    free(tuner.found);
    tune_past_free(&tuner.past);
    tune_journal_close(tuner.journal);
    return status;
}

void tune_free(struct tune_report *report)
{
    free(report->rows);
    *report = (struct tune_report){.subject = NULL};
}

// ---- using the result ----

static const char *value_name(const char *const *names, unsigned value)
{
    for (unsigned i = 0; names && names[i]; i++)
        if (i == value)
            return names[i];
    return NULL;
}

void tune_describe(const struct tune_subject *subject, const unsigned *values, struct ki_text *text)
{
    for (size_t i = 0; subject->tunables()->names[i]; i++) {
        const char *name = value_name(subject->value_names[i], values[i]);

        ki_text_format(text, "%s%s ", i ? ", " : "", subject->tunables()->names[i]);
        if (name)
            ki_text_add(text, name);
        else if (values[i] == UINT32_MAX)
            ki_text_add(text, "never");
        else
            ki_text_format(text, "%u", values[i]);
    }
}

kn_status tune_keep(kn_queue *queue, const struct tune_report *report, kn_error *err)
{
    const struct tune_row *best = &report->rows[report->best];
    struct ki_text summary = KI_TEXT_INIT;
    kn_status status;

    ki_text_format(&summary, "%.4g ms of the algorithm's own %.4g ms", best->seconds * 1e3,
                   report->rows[0].seconds * 1e3);
    status = kn_tuning_keep(kn_queue_get_context(queue), report->subject->tunables(), best->values,
                            ki_text_string(&summary), err);
    ki_text_free(&summary);
    return status;
}
