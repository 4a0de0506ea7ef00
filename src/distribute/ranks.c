// SPDX-License-Identifier: Apache-2.0
// Running a distribution in several processes, each with one place: its number is the process's rank.
// Processes take the numbers of pieces from their communicator, one after another, until none is left; then
// each says what has become of its pieces. Pieces of places that were dropped meanwhile are the next round.
// At the end process 0 receives all results, and folds and writes them as a single process does.
//
// Whatever a job does in one process, all of them make the same calls of the communicator: a failure is
// passed on by the next call, which then ends the run everywhere.
#include "distribution_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"

// What a process says of its part.
struct outcome {
    kn_status status;
    size_t piece; // at which it failed
};

// The result of a piece on its way to process 0, followed by its bytes.
struct parcel {
    size_t piece, size;
};

static const kn_communicator *communicator_of(const kn_distribution *distribution)
{
    return distribution->options.communicator;
}

// ---- agreeing ----

// Gives everyone the outcomes of all, and, if one failed, their errors; NULL if none failed. Both are the
// caller's to free.
static kn_status exchange(const kn_communicator *communicator, const struct outcome *own, const kn_error *why,
                          struct outcome **outcomes, kn_error **errors, kn_error *err)
{
    bool failed = false;
    kn_status status;

    *outcomes = calloc(communicator->size, sizeof **outcomes);
    *errors = calloc(communicator->size, sizeof **errors);
    if (!*outcomes || !*errors)
        return ki_fail_memory(err, communicator->size * sizeof **errors, "what processes tell one another");
    status = communicator->share(communicator->data, own, sizeof *own, *outcomes, err);
    for (size_t i = 0; i < communicator->size; i++)
        failed = failed || (*outcomes)[i].status;
    if (!status && failed)
        status = communicator->share(communicator->data, why, sizeof *why, *errors, err);
    if (!failed) {
        free(*errors);
        *errors = NULL;
    }
    return status;
}

kn_status kn_communicator_agree(const kn_communicator *communicator, kn_status status, kn_error *err)
{
    const struct outcome own = {.status = status};
    kn_error why = KN_ERROR_INIT;
    struct outcome *outcomes = NULL;
    kn_error *errors = NULL;
    kn_status agreed;

    if (!communicator || !communicator->share)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_communicator_agree: NULL for the communicator%s",
                       communicator ? "'s `share`" : "");
    if (status && err)
        why = *err;
    agreed = exchange(communicator, &own, &why, &outcomes, &errors, err);
    for (size_t i = 0; i < communicator->size && !agreed && errors; i++) {
        agreed = outcomes[i].status;
        if (agreed && err)
            *err = errors[i];
    }
    free(outcomes);
    free(errors);
    return agreed;
}

// ---- a round ----

// Numbers go on from one round, and from one job, to the next: where this round begins. Process 0 looks while
// nobody takes any.
static kn_status find_first(const kn_communicator *communicator, size_t *first, kn_error *err)
{
    size_t *all = calloc(communicator->size, sizeof *all), seen = 0;
    kn_status status =
        all ? KN_OK : ki_fail_memory(err, communicator->size * sizeof *all, "a round's number");

    if (!status && communicator->rank == 0)
        status = communicator->take(communicator->data, 0, &seen, err);
    status = kn_communicator_agree(communicator, status, err);
    if (!status)
        status = communicator->share(communicator->data, &seen, sizeof seen, all, err);
    if (!status)
        *first = all[0];
    free(all);
    return status;
}

static kn_status go_on(const kn_distribution *distribution, double done, kn_error *err)
{
    const kn_distribute_options *options = &distribution->options;

    return !options->go_on || options->go_on(options->data, done)
               ? KN_OK
               : ki_fail(err, KN_ERROR_INTERRUPTED, "stopped at %.0f %%", 100 * done);
}

static kn_status compute_piece(kn_distribution *distribution, size_t piece, kn_error *err)
{
    const size_t rank = communicator_of(distribution)->rank;
    struct distribute_piece *computed = &distribution->pieces[piece];
    bool found;
    kn_status status = ki_distribute_run_piece(distribution, rank, piece, &computed->result, &found, err);

    if (status) {
        ki_distribute_result_free(&computed->result);
        return status;
    }
    computed->place = (long)rank;
    distribution->places[rank].count++;
    return KN_OK;
}

// Computes pieces of `todo`, NULL for all, until none is left, or one fails: then, unless others can take it
// over, nobody begins another.
static struct outcome compute_round(kn_distribution *distribution, const size_t *todo, size_t count,
                                    size_t first, kn_error *why)
{
    const kn_communicator *communicator = communicator_of(distribution);
    struct outcome own = {.status = KN_OK};
    size_t number = 0, unused;

    while (!own.status && !distribution->places[communicator->rank].dropped) {
        own.status = communicator->take(communicator->data, 1, &number, why);
        if (own.status || number - first >= count)
            break;
        own.piece = todo ? todo[number - first] : number - first;
        own.status = compute_piece(distribution, own.piece, why);
        if (!own.status)
            own.status = go_on(distribution, (double)(number - first + 1) / (double)count, why);
    }
    if (own.status)
        why->code = own.status; // if the job says nothing more
    if (own.status && !ki_distribute_is_of_device(own.status))
        communicator->take(communicator->data, count, &unused, NULL);
    return own;
}

// Failures of all processes, that of the lowest piece first: everyone comes to the same conclusions. What has
// to be computed elsewhere is in `returned` then.
static void judge(kn_distribution *distribution, struct outcome *outcomes, const kn_error *errors)
{
    const size_t count = communicator_of(distribution)->size;

    for (size_t i = 0; i < count && !distribution->stops; i++) {
        size_t first = count;

        for (size_t rank = 0; rank < count; rank++)
            if (outcomes[rank].status && (first == count || outcomes[rank].piece < outcomes[first].piece))
                first = rank;
        if (first == count)
            return;
        ki_distribute_reject(distribution, outcomes[first].piece, first, &errors[first]);
        outcomes[first].status = KN_OK;
    }
}

static kn_status run_round(kn_distribution *distribution, const size_t *todo, size_t count, kn_error *err)
{
    const kn_communicator *communicator = communicator_of(distribution);
    struct outcome own, *outcomes = NULL;
    kn_error why = KN_ERROR_INIT, *errors = NULL;
    size_t first = 0;
    kn_status status = find_first(communicator, &first, err);

    if (status)
        return status;
    own = compute_round(distribution, todo, count, first, &why);
    status = exchange(communicator, &own, &why, &outcomes, &errors, err);
    if (!status && errors)
        judge(distribution, outcomes, errors);
    free(outcomes);
    free(errors);
    if (!status && distribution->stops) {
        status = distribution->status;
        if (err)
            *err = distribution->failure;
    }
    return status;
}

// All pieces, and then those of dropped places, of which each has one.
static kn_status run_rounds(kn_distribution *distribution, size_t *todo, kn_error *err)
{
    size_t count = distribution->job.piece_count;
    kn_status status = run_round(distribution, NULL, count, err);

    while (!status && distribution->returned_count) {
        count = distribution->returned_count;
        memcpy(todo, distribution->returned, count * sizeof *todo);
        distribution->returned_count = 0;
        status = run_round(distribution, todo, count, err);
    }
    return status;
}

// ---- results ----

static size_t pack(kn_distribution *distribution, char *bytes)
{
    size_t size = 0;

    for (size_t i = 0; i < distribution->job.piece_count; i++) {
        struct distribute_piece *piece = &distribution->pieces[i];
        const struct parcel parcel = {.piece = i, .size = piece->result.size};

        if (piece->place == DISTRIBUTE_NONE)
            continue;
        if (bytes) {
            memcpy(bytes + size, &parcel, sizeof parcel);
            if (parcel.size)
                memcpy(bytes + size + sizeof parcel, piece->result.bytes, parcel.size);
            ki_distribute_result_free(&piece->result);
        }
        size += sizeof parcel + parcel.size;
    }
    return size;
}

static kn_status unpack(kn_distribution *distribution, size_t rank, const char *bytes, size_t size,
                        kn_error *err)
{
    kn_status status = KN_OK;

    for (const char *end = bytes + size; bytes < end && !status;) {
        struct parcel parcel;

        memcpy(&parcel, bytes, sizeof parcel);
        bytes += sizeof parcel;
        status = kn_distribute_put(&distribution->pieces[parcel.piece].result, bytes, parcel.size, err);
        distribution->pieces[parcel.piece].place = (long)rank;
        distribution->places[rank].count++;
        bytes += parcel.size;
    }
    return status;
}

// Gives process 0 the results of the others.
static kn_status collect(kn_distribution *distribution, size_t *sizes, kn_error *err)
{
    const kn_communicator *communicator = communicator_of(distribution);
    const bool receives = communicator->rank == 0;
    const size_t own = receives ? 0 : pack(distribution, NULL);
    size_t room = own;
    char *bytes;
    kn_status status = communicator->share(communicator->data, &own, sizeof own, sizes, err);

    if (status)
        return status;
    for (size_t i = 0; i < communicator->size && receives; i++)
        room += sizes[i];
    bytes = malloc(room + 1);
    status = kn_communicator_agree(
        communicator, bytes ? KN_OK : ki_fail_memory(err, room, "the results of the pieces"), err);
    if (!status && !receives)
        pack(distribution, bytes);
    if (!status)
        status = communicator->gather(communicator->data, receives ? NULL : bytes, own,
                                      receives ? sizes : NULL, receives ? bytes : NULL, err);
    for (size_t i = 1, at = 0; i < communicator->size && receives && !status; at += sizes[i++])
        status = unpack(distribution, i, bytes + at, sizes[i], err);
    free(bytes);
    return status;
}

// In process 0, in the order of the pieces.
static kn_status write_all(kn_distribution *distribution, kn_error *err)
{
    kn_status status = KN_OK;

    distribution->done = distribution->cost;
    ki_distribute_attend(distribution);
    for (size_t i = 0; i < distribution->job.piece_count && !status && !distribution->stops; i++) {
        status = ki_distribute_fold(distribution, i, err);
        if (!status)
            ki_distribute_attend(distribution);
    }
    if (!status && distribution->status) {
        status = distribution->status;
        if (err)
            *err = distribution->failure;
    }
    return status;
}

// ---- the run ----

static kn_status check(const kn_distribution *distribution, kn_error *err)
{
    if (distribution->place_count != 1)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_distribution_run: %zu queues were added, but each of several processes has one",
                       distribution->place_count);
    if (distribution->options.journal)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_distribution_run: a job of several processes has no journal");
    return KN_OK;
}

// A place for each process, with the added queue in that of this one.
static kn_status spread_places(kn_distribution *distribution, kn_error *err)
{
    const kn_communicator *communicator = communicator_of(distribution);
    const size_t count = communicator->size;
    struct distribute_place *places = calloc(count, sizeof *places);
    size_t *returned = calloc(count, sizeof *returned);

    if (!places || !returned) {
        free(places);
        free(returned);
        return ki_fail_memory(err, count * sizeof *places, "the places of processes");
    }
    for (size_t i = 0; i < count; i++)
        snprintf(places[i].name, sizeof places[i].name, "rank %zu", i);
    places[communicator->rank].queue = distribution->places->queue;
    free(distribution->places);
    free(distribution->returned);
    distribution->places = places;
    distribution->returned = returned;
    distribution->place_count = distribution->live = count;
    return KN_OK;
}

kn_status ki_distribute_run_ranks(kn_distribution *distribution, kn_error *err)
{
    const kn_communicator *communicator = communicator_of(distribution);
    size_t *numbers = calloc(communicator->size, sizeof *numbers); // of pieces, then of bytes
    kn_status status = check(distribution, err);

    if (!status)
        status = spread_places(distribution, err);
    if (!status && !numbers)
        status = ki_fail_memory(err, communicator->size * sizeof *numbers, "the numbers of processes");
    status = kn_communicator_agree(communicator, status, err);
    if (!status)
        status = run_rounds(distribution, numbers, err);
    if (!status) {
        status = collect(distribution, numbers, err);
        if (!status && communicator->rank == 0)
            status = write_all(distribution, err);
        status = kn_communicator_agree(communicator, status, err);
    }
    free(numbers);
    return status;
}
