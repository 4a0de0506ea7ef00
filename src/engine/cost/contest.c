// SPDX-License-Identifier: Apache-2.0
#include "contest.h"

#include <math.h>
#include <string.h>

#include "base/os/clock.h"

enum { WARM_UPS = 1, REPETITIONS = 3 };
static const double shortest = 1e-9; // shorter times are taken as this: a clock may measure 0

// ---- kept times ----

bool ki_engine_recall_seconds(const kn_context *context, const struct engine_choice *choice, double *seconds,
                              size_t count)
{
    struct ki_text record = KI_TEXT_INIT;
    bool fine = ki_engine_recall_bytes(context, choice, &record) && record.length == count * sizeof *seconds;

    if (fine)
        memcpy(seconds, record.data, count * sizeof *seconds);
    for (size_t i = 0; i < count && fine; i++)
        fine = seconds[i] > 0;
    ki_text_free(&record);
    return fine;
}

void ki_engine_remember_seconds(const kn_context *context, const struct engine_choice *choice,
                                const double *seconds, size_t count)
{
    struct ki_text record = KI_TEXT_INIT;
    kn_error reason = KN_ERROR_INIT;

    ki_text_add_bytes(&record, (const char *)seconds, count * sizeof *seconds);
    if (context->cache_dir && ki_engine_remember_bytes(context, choice, &record, &reason))
        ki_engine_log(context, KN_LOG_WARNING, "%s is not remembered: %s", choice->what, reason.text);
    ki_text_free(&record);
}

// ---- estimates ----

size_t ki_engine_contest_winner(const double *seconds, size_t count)
{
    size_t winner = count;

    for (size_t i = 0; i < count; i++)
        if (!isinf(seconds[i]) && (winner == count || seconds[i] < seconds[winner]))
            winner = i;
    return winner;
}

// Whether it may be the fastest.
static bool is_open(const double *estimates, size_t count, double error, size_t way)
{
    size_t least = ki_engine_contest_winner(estimates, count);

    return least < count && estimates[way] <= error * estimates[least];
}

size_t ki_engine_contest_settled(const double *estimates, size_t count, double error)
{
    size_t winner = ki_engine_contest_winner(estimates, count);

    for (size_t i = 0; i < count; i++)
        if (i != winner && is_open(estimates, count, error, i))
            return count;
    return winner;
}

// ---- measuring ----

static kn_status run_some(kn_queue *queue, const struct engine_contest *contest, size_t way, double *seconds,
                          kn_error *err)
{
    double start = ki_clock_seconds();
    kn_status status = KN_OK;

    for (unsigned i = 0; i < contest->each && !status; i++)
        status = contest->run(contest->data, way, err);
    if (!status)
        status = kn_queue_finish(queue, err);
    *seconds = (ki_clock_seconds() - start) / contest->each;
    return status;
}

// The least of several; INFINITY if the way cannot be used.
static kn_status measure(kn_queue *queue, const struct engine_contest *contest, size_t way, double *seconds,
                         kn_error *err)
{
    kn_error reason = KN_ERROR_INIT;
    kn_status status = contest->begin(contest->data, way, &reason);
    double taken = 0;

    *seconds = INFINITY;
    for (int i = -WARM_UPS; i < REPETITIONS && !status; i++) {
        status = run_some(queue, contest, way, &taken, &reason);
        if (i >= 0 && !status)
            *seconds = fmin(*seconds, fmax(taken, shortest));
    }
    contest->end(contest->data, way);
    if (status)
        *seconds = INFINITY;
    if (status && status != KN_ERROR_UNSUPPORTED && err)
        *err = reason;
    return status == KN_ERROR_UNSUPPORTED ? KN_OK : status;
}

kn_status ki_engine_contest(kn_queue *queue, const struct engine_contest *contest, double *seconds,
                            kn_error *err)
{
    double estimates[CONTEST_WAYS] = {0};
    size_t count = contest->count, settled;
    kn_status status = KN_OK;

    if (ki_engine_recall_seconds(queue->context, &contest->choice, seconds, count))
        return KN_OK;
    for (size_t i = 0; i < count; i++) {
        estimates[i] = contest->estimate ? contest->estimate(contest->data, i) : 1;
        seconds[i] = INFINITY;
    }
    settled = ki_engine_contest_settled(estimates, count, contest->error);
    if (settled < count) {
        seconds[settled] = estimates[settled];
        return KN_OK;
    }
    for (size_t i = 0; i < count && !status; i++)
        if (is_open(estimates, count, contest->error, i))
            status = measure(queue, contest, i, &seconds[i], err);
    if (!status && ki_engine_contest_winner(seconds, count) < count)
        ki_engine_remember_seconds(queue->context, &contest->choice, seconds, count);
    return status;
}

void ki_engine_contest_tell(const struct engine_contest *contest, const double *seconds, struct ki_text *text)
{
    size_t before = text->length;

    for (size_t i = 0; i < contest->count; i++)
        if (!isinf(seconds[i]))
            ki_text_format(text, "%s%s %.4g ms", text->length > before ? ", " : "",
                           contest->name(contest->data, i), seconds[i] * 1e3);
}
