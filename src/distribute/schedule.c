// SPDX-License-Identifier: Apache-2.0
// Running a distribution: a thread for each place takes pieces and folds their results, while the caller's
// thread writes complete results, reports dropped places, and asks whether to continue. A single place has no
// thread: the caller does both in turn.
#include "distribution_internal.h"

#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "base/error.h"
#include "base/threads.h"
#include "engine/engine.h"
#include "journal.h"

struct worker {
    kn_distribution *distribution;
    size_t place;
    pthread_t thread;
};

static double cost_of(const kn_distribution *distribution, size_t piece)
{
    const kn_distribute_job *job = &distribution->job;

    return job->cost ? job->cost(job->data, piece) : 1;
}

// ---- choosing the next piece; with the lock held ----

// This number of the next piece is the whole schedule.
static bool next_piece(kn_distribution *distribution, size_t *piece)
{
    if (distribution->next == distribution->job.piece_count)
        return false;
    *piece = distribution->next++;
    return true;
}

// Takes a piece for a place; false if no more will come. Waits while others compute, because their pieces may
// be returned.
static bool take(kn_distribution *distribution, const struct distribute_place *place, size_t *piece)
{
    while (!distribution->stops && !place->dropped) {
        if (distribution->returned_count) {
            *piece = distribution->returned[--distribution->returned_count];
            return true;
        }
        if (next_piece(distribution, piece))
            return true;
        if (distribution->busy == 0)
            return false;
        pthread_cond_wait(&distribution->changed, &distribution->lock);
    }
    return false;
}

// ---- failures; with the lock held ----

static void stop(kn_distribution *distribution, kn_status status, const kn_error *why)
{
    distribution->stops = true;
    if (distribution->status)
        return;
    distribution->status = status;
    distribution->failure = *why;
}

// Whether the failure is due to the device, rather than the job or its input.
bool ki_distribute_is_of_device(kn_status status)
{
    static const kn_status all[] = {KN_ERROR_DEVICE, KN_ERROR_MEMORY,      KN_ERROR_LIMIT,
                                    KN_ERROR_BUILD,  KN_ERROR_UNSUPPORTED, KN_ERROR_NO_DEVICE};

    for (size_t i = 0; i < KI_COUNT(all); i++)
        if (status == all[i])
            return true;
    return false;
}

static void drop(kn_distribution *distribution, size_t place, size_t piece, const kn_error *why)
{
    struct distribute_place *dropped = &distribution->places[place];

    dropped->dropped = true;
    dropped->failed_at = piece;
    dropped->why = *why;
    distribution->live--;
}

// Drops the other places of a backend that the process has lost.
static void drop_poisoned(kn_distribution *distribution, size_t failed)
{
    const struct distribute_place *first = &distribution->places[failed];
    const struct ki_backend *lost = first->queue ? first->queue->context->backend : NULL;

    if (!lost || !lost->poisons || !lost->poisons(first->why.native))
        return;
    for (size_t i = 0; i < distribution->place_count; i++) {
        const struct distribute_place *place = &distribution->places[i];
        kn_error why = KN_ERROR_INIT;

        if (place->dropped || !place->queue || place->queue->context->backend != lost)
            continue;
        ki_fail(&why, KN_ERROR_DEVICE, "%s is lost to this process by the error of %s: %s", lost->title,
                ki_distribute_name_place(distribution, failed), first->why.native_name);
        ki_error_native(&why, first->why.native, first->why.native_name);
        drop(distribution, i, first->failed_at, &why);
    }
}

// Ends a run that the devices did not complete: with KN_ERROR_DEVICE, whatever their errors were, unless
// memory ran out.
static void stop_incomplete(kn_distribution *distribution, const kn_error *last, kn_error *failure)
{
    failure->code = last->code == KN_ERROR_MEMORY ? KN_ERROR_MEMORY : KN_ERROR_DEVICE;
    ki_error_native(failure, last->native, last->native_name);
    stop(distribution, failure->code, failure);
}

// Ends a run at a piece that failed elsewhere before.
static void stop_twice(kn_distribution *distribution, size_t piece, size_t place, const kn_error *why)
{
    const size_t before = (size_t)distribution->pieces[piece].failed_place;
    char name[DISTRIBUTE_NAME_ROOM];
    kn_error failure = KN_ERROR_INIT;

    ki_distribute_name_piece(distribution, piece, name);
    ki_fail(&failure, why->code, "%s failed on two devices: on %s: %.1000s; on %s: %.1000s", name,
            ki_distribute_name_place(distribution, before), distribution->places[before].why.text,
            ki_distribute_name_place(distribution, place), why->text);
    stop_incomplete(distribution, why, &failure);
}

static void stop_without_places(kn_distribution *distribution, size_t piece, size_t place,
                                const kn_error *why)
{
    char name[DISTRIBUTE_NAME_ROOM];
    kn_error failure = KN_ERROR_INIT;

    if (distribution->place_count == 1) {
        stop(distribution, why->code, why);
        return;
    }
    ki_distribute_name_piece(distribution, piece, name);
    ki_fail(&failure, why->code, "no device is left for %s; the last was %s: %.2000s", name,
            ki_distribute_name_place(distribution, place), why->text);
    stop_incomplete(distribution, why, &failure);
}

static void give_back(kn_distribution *distribution, size_t piece)
{
    distribution->returned[distribution->returned_count++] = piece;
}

// Handles the failure of a place at a piece. If the place was dropped meanwhile with its whole backend, the
// failure does not count against the piece.
void ki_distribute_reject(kn_distribution *distribution, size_t piece, size_t place, const kn_error *why)
{
    struct distribute_piece *failed = &distribution->pieces[piece];

    if (!ki_distribute_is_of_device(why->code)) {
        stop(distribution, why->code, why);
        return;
    }
    if (distribution->places[place].dropped) {
        give_back(distribution, piece);
        return;
    }
    drop(distribution, place, piece, why);
    drop_poisoned(distribution, place);
    if (failed->failed_place != DISTRIBUTE_NONE) {
        stop_twice(distribution, piece, place, why);
    } else if (distribution->live == 0) {
        stop_without_places(distribution, piece, place, why);
    } else {
        failed->failed_place = (long)place;
        give_back(distribution, piece);
    }
}

// ---- a piece; with the lock held, which is released while the job computes ----

kn_status ki_distribute_run_piece(const kn_distribution *distribution, size_t place, size_t piece,
                                  struct kn_distribute_result *result, bool *found, kn_error *err)
{
    const kn_distribute_job *job = &distribution->job;
    kn_journal *journal = distribution->options.journal;
    const size_t number = distribution->options.job;
    kn_status status = KN_OK;

    *found = false;
    if (journal)
        status = ki_journal_fetch(journal, number, piece, result, found, err);
    if (status || *found)
        return status;
    status = job->run(job->data, place, distribution->places[place].queue, piece, result, err);
    if (!status && journal)
        status = ki_journal_keep(journal, number, piece, result, err);
    return status;
}

static void compute(kn_distribution *distribution, size_t place, size_t piece)
{
    struct distribute_piece *computed = &distribution->pieces[piece];
    struct kn_distribute_result result = {NULL, 0, 0};
    kn_error why = KN_ERROR_INIT;
    bool found;
    kn_status status;

    distribution->busy++;
    pthread_mutex_unlock(&distribution->lock);
    status = ki_distribute_run_piece(distribution, place, piece, &result, &found, &why);
    pthread_mutex_lock(&distribution->lock);
    why.code = status; // if the job says nothing more
    if (status) {
        ki_distribute_result_free(&result);
        ki_distribute_reject(distribution, piece, place, &why);
    } else {
        computed->result = result;
        computed->place = found ? DISTRIBUTE_NONE : (long)place;
        distribution->places[place].count += !found;
        distribution->done += cost_of(distribution, piece);
        status = ki_distribute_fold(distribution, piece, &why);
        why.code = status;
        if (status)
            stop(distribution, status, &why);
    }
    distribution->busy--;
    pthread_cond_broadcast(&distribution->changed);
}

// ---- the caller's part; with the lock held, which is released while its functions are called ----

static void tell_dropped(kn_distribution *distribution)
{
    const kn_distribute_options *options = &distribution->options;

    for (size_t i = 0; i < distribution->place_count; i++) {
        struct distribute_place *place = &distribution->places[i];

        if (!place->dropped || place->told)
            continue;
        place->told = true;
        pthread_mutex_unlock(&distribution->lock);
        if (options->dropped)
            options->dropped(options->data, i, place->failed_at, &place->why);
        pthread_mutex_lock(&distribution->lock);
    }
}

static void write_results(kn_distribution *distribution)
{
    const kn_distribute_options *options = &distribution->options;
    const size_t count = ki_distribute_result_count(distribution);

    while (!distribution->status && distribution->written < count) {
        struct distribute_piece *first =
            &distribution->pieces[ki_distribute_first_piece(distribution, distribution->written)];
        kn_error why = KN_ERROR_INIT;
        kn_status status;

        if (first->state != PIECE_WRITABLE)
            return;
        pthread_mutex_unlock(&distribution->lock);
        status = options->write(options->data, distribution->written, first->result.bytes, first->result.size,
                                &why);
        ki_distribute_result_free(&first->result);
        pthread_mutex_lock(&distribution->lock);
        first->state = PIECE_EMPTY;
        distribution->written++;
        why.code = status;
        if (status)
            stop(distribution, status, &why);
    }
}

static void ask(kn_distribution *distribution)
{
    const kn_distribute_options *options = &distribution->options;
    const double done = distribution->cost > 0 ? distribution->done / distribution->cost : 1;
    kn_error why = KN_ERROR_INIT;
    bool goes_on;

    if (!options->go_on || distribution->stops)
        return;
    pthread_mutex_unlock(&distribution->lock);
    goes_on = options->go_on(options->data, done < 1 ? done : 1);
    pthread_mutex_lock(&distribution->lock);
    if (!goes_on)
        stop(distribution, ki_fail(&why, KN_ERROR_INTERRUPTED, "stopped at %.0f %%", 100 * done), &why);
}

void ki_distribute_attend(kn_distribution *distribution)
{
    tell_dropped(distribution);
    write_results(distribution);
    ask(distribution);
    if (distribution->stops)
        pthread_cond_broadcast(&distribution->changed);
}

// ---- threads ----

static void *work(void *argument)
{
    const struct worker *worker = argument;
    kn_distribution *distribution = worker->distribution;
    size_t piece;

    pthread_mutex_lock(&distribution->lock);
    while (take(distribution, &distribution->places[worker->place], &piece))
        compute(distribution, worker->place, piece);
    distribution->working--;
    pthread_cond_broadcast(&distribution->changed);
    pthread_mutex_unlock(&distribution->lock);
    return NULL;
}

// Waits until something changed, or for a tenth of a second.
static void wait_for_change(kn_distribution *distribution)
{
    const long tenth = 100000000, second = 1000000000;
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += tenth;
    until.tv_sec += until.tv_nsec / second;
    until.tv_nsec %= second;
    pthread_cond_timedwait(&distribution->changed, &distribution->lock, &until);
}

static void run_alone(kn_distribution *distribution)
{
    size_t piece;

    while (take(distribution, distribution->places, &piece)) {
        compute(distribution, 0, piece);
        ki_distribute_attend(distribution);
    }
}

// Called with the lock held. A place whose thread cannot be started is dropped like one that fails.
static kn_status run_threads(kn_distribution *distribution, kn_error *err)
{
    struct worker *workers = calloc(distribution->place_count, sizeof *workers);
    size_t started = 0;

    if (!workers)
        return ki_fail_memory(err, distribution->place_count * sizeof *workers, "the threads of places");
    for (size_t i = 0; i < distribution->place_count; i++) {
        struct worker *worker = &workers[started];

        *worker = (struct worker){.distribution = distribution, .place = i};
        if (ki_thread_start(&worker->thread, work, worker)) {
            started++;
            distribution->working++;
        } else {
            kn_error why = KN_ERROR_INIT;

            ki_fail(&why, KN_ERROR_MEMORY, "its thread cannot be started");
            drop(distribution, i, 0, &why);
        }
    }
    if (started == 0)
        stop(distribution, KN_ERROR_MEMORY, &distribution->places->why);
    while (distribution->working) {
        wait_for_change(distribution);
        ki_distribute_attend(distribution);
    }
    pthread_mutex_unlock(&distribution->lock);
    for (size_t i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_mutex_lock(&distribution->lock);
    free(workers);
    return KN_OK;
}

kn_status ki_distribute_run_places(kn_distribution *distribution, kn_error *err)
{
    kn_status status = KN_OK;

    if (distribution->place_count == 1)
        run_alone(distribution);
    else
        status = run_threads(distribution, err);
    if (!status)
        ki_distribute_attend(distribution);
    return status;
}
