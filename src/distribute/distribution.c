// SPDX-License-Identifier: Apache-2.0
// Distributions: creating them, adding places, and queries afterwards (koine/distribute.h).
#include "distribution_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"

// ---- results ----

kn_status kn_distribute_put(kn_distribute_result *result, const void *bytes, size_t size, kn_error *err)
{
    if (!result || (!bytes && size))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_distribute_put: NULL for %s",
                       result ? "bytes" : "the result");
    if (size > SIZE_MAX / 2 - result->size)
        return ki_fail_memory(err, size, "the result of a piece");
    if (result->size + size > result->capacity) {
        const size_t twice = 2 * result->capacity, needed = result->size + size;
        const size_t capacity = needed > twice ? needed : twice;
        void *grown = realloc(result->bytes, capacity);

        if (!grown)
            return ki_fail_memory(err, capacity, "the result of a piece");
        result->bytes = grown;
        result->capacity = capacity;
    }
    if (size)
        memcpy((char *)result->bytes + result->size, bytes, size);
    result->size += size;
    return KN_OK;
}

void ki_distribute_result_free(struct kn_distribute_result *result)
{
    free(result->bytes);
    *result = (struct kn_distribute_result){NULL, 0, 0};
}

size_t ki_distribute_result_count(const kn_distribution *distribution)
{
    return distribution->ends ? distribution->job.result_count : distribution->job.piece_count;
}

size_t ki_distribute_first_piece(const kn_distribution *distribution, size_t result)
{
    if (!distribution->ends)
        return result;
    return result == 0 ? 0 : distribution->ends[result - 1];
}

size_t ki_distribute_result_of(const kn_distribution *distribution, size_t piece)
{
    size_t low = 0, high = distribution->job.result_count;

    if (!distribution->ends)
        return piece;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (piece < distribution->ends[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// ---- names ----

void ki_distribute_name_piece(const kn_distribution *distribution, size_t piece,
                              char name[DISTRIBUTE_NAME_ROOM])
{
    const kn_distribute_job *job = &distribution->job;

    if (job->name)
        job->name(job->data, piece, name, DISTRIBUTE_NAME_ROOM);
    else
        snprintf(name, DISTRIBUTE_NAME_ROOM, "piece %zu of %zu", piece + 1, job->piece_count);
}

const char *ki_distribute_name_place(const kn_distribution *distribution, size_t place)
{
    kn_queue *queue = distribution->places[place].queue;

    if (*distribution->places[place].name)
        return distribution->places[place].name;
    return queue ? kn_context_get_device(kn_queue_get_context(queue))->spec : "host";
}

// ---- creating and freeing ----

// With `fold` every job has result ends: those given, or a single one for all pieces.
static kn_status copy_ends(kn_distribution *made, kn_error *err)
{
    kn_distribute_job *job = &made->job;
    const size_t *given = job->result_ends;
    const size_t count = given ? job->result_count : job->piece_count > 0;
    size_t before = 0;

    for (size_t i = 0; given && i < count; i++) {
        if (given[i] <= before || given[i] > job->piece_count)
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "kn_distribution_create: result %zu ends at piece %zu, where %zu to %zu are expected", i,
                given[i], before + 1, job->piece_count);
        before = given[i];
    }
    if (given && before != job->piece_count)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_distribution_create: the results end at piece %zu, not at all %zu", before,
                       job->piece_count);
    made->ends = malloc((count + 1) * sizeof *made->ends);
    if (!made->ends)
        return ki_fail_memory(err, count * sizeof *made->ends, "the ends of results");
    if (given)
        memcpy(made->ends, given, count * sizeof *made->ends);
    else
        made->ends[0] = job->piece_count;
    job->result_count = count;
    return KN_OK;
}

static kn_status add_costs(kn_distribution *made, kn_error *err)
{
    const kn_distribute_job *job = &made->job;

    made->cost = (double)job->piece_count;
    if (!job->cost)
        return KN_OK;
    made->cost = 0;
    for (size_t i = 0; i < job->piece_count; i++) {
        const double cost = job->cost(job->data, i);

        if (!(cost > 0))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "kn_distribution_create: piece %zu costs %g, where more than 0 is expected", i,
                           cost);
        made->cost += cost;
    }
    return KN_OK;
}

static kn_status check_job(const kn_distribution *made, kn_error *err)
{
    const kn_distribute_job *job = &made->job;

    if (!job->run || !made->options.write)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_distribution_create: the %s",
                       job->run ? "options have no `write`" : "job has no `run`");
    if (job->result_ends && !job->fold)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "kn_distribution_create: `result_ends` without `fold`: each piece is a result of its own");
    return ki_check_elements("kn_distribution_create", job->piece_count, sizeof *made->pieces, err);
}

static kn_status copy_communicator(kn_distribution *made, kn_error *err)
{
    kn_communicator *copy = &made->communicator;
    kn_status status =
        KI_SIZED_READ("kn_distribution_create", kn_communicator, made->options.communicator, copy, err);

    if (status)
        return status;
    if (!copy->take || !copy->share || !copy->gather || copy->rank >= copy->size)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_distribution_create: the communicator lacks a function, or its rank %zu is not "
                       "below its size %zu",
                       copy->rank, copy->size);
    made->options.communicator = copy;
    return KN_OK;
}

static kn_status make_pieces(kn_distribution *made, kn_error *err)
{
    made->pieces = calloc(made->job.piece_count + 1, sizeof *made->pieces);
    if (!made->pieces)
        return ki_fail_memory(err, made->job.piece_count * sizeof *made->pieces, "the pieces of a job");
    for (size_t i = 0; i < made->job.piece_count; i++)
        made->pieces[i].place = made->pieces[i].failed_place = DISTRIBUTE_NONE;
    return KN_OK;
}

static void make_lock(kn_distribution *made)
{
    pthread_condattr_t by_clock;

    pthread_mutex_init(&made->lock, NULL); // on Linux these cannot fail
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_cond_init(&made->changed, &by_clock);
    pthread_condattr_destroy(&by_clock);
}

kn_status kn_distribution_create(const kn_distribute_job *job, const kn_distribute_options *options,
                                 kn_distribution **distribution, kn_error *err)
{
    kn_distribution *made;
    kn_status status;

    if (!job || !options || !distribution)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_distribution_create: NULL for %s",
                       !job       ? "the job"
                       : !options ? "the options"
                                  : "the distribution");
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a distribution");
    make_lock(made);
    status = KI_SIZED_READ("kn_distribution_create", kn_distribute_job, job, &made->job, err);
    if (!status)
        status = KI_SIZED_READ("kn_distribution_create", kn_distribute_options, options, &made->options, err);
    if (!status)
        status = check_job(made, err);
    if (!status && made->options.communicator)
        status = copy_communicator(made, err);
    if (!status && made->job.fold)
        status = copy_ends(made, err);
    if (!status)
        status = add_costs(made, err);
    if (!status)
        status = make_pieces(made, err);
    if (status)
        kn_distribution_free(made);
    else
        *distribution = made;
    return status;
}

void kn_distribution_free(kn_distribution *distribution)
{
    if (!distribution)
        return;
    for (size_t i = 0; distribution->pieces && i < distribution->job.piece_count; i++)
        ki_distribute_result_free(&distribution->pieces[i].result);
    pthread_cond_destroy(&distribution->changed);
    pthread_mutex_destroy(&distribution->lock);
    free(distribution->ends);
    free(distribution->pieces);
    free(distribution->places);
    free(distribution->returned);
    free(distribution);
}

kn_status kn_distribution_add_queue(kn_distribution *distribution, kn_queue *queue, kn_error *err)
{
    struct distribute_place *places;
    size_t *returned;

    if (!distribution)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_distribution_add_queue: NULL for the distribution");
    if (distribution->has_run)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_distribution_add_queue: the distribution has run");
    for (size_t i = 0; queue && i < distribution->place_count; i++)
        if (distribution->places[i].queue == queue)
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "kn_distribution_add_queue: this queue of %s is a place already; open another",
                           ki_distribute_name_place(distribution, i));
    places = realloc(distribution->places, (distribution->place_count + 1) * sizeof *places);
    if (places)
        distribution->places = places;
    returned = realloc(distribution->returned, (distribution->place_count + 1) * sizeof *returned);
    if (returned)
        distribution->returned = returned;
    if (!places || !returned)
        return ki_fail_memory(err, sizeof *places, "a place of a distribution");
    distribution->places[distribution->place_count++] = (struct distribute_place){.queue = queue};
    return KN_OK;
}

// ---- queries after the run ----

size_t kn_distribution_get_count(const kn_distribution *distribution, size_t place)
{
    return distribution && place < distribution->place_count ? distribution->places[place].count : 0;
}

const kn_error *kn_distribution_get_why(const kn_distribution *distribution, size_t place)
{
    return distribution && place < distribution->place_count && distribution->places[place].dropped
               ? &distribution->places[place].why
               : NULL;
}

size_t kn_distribution_get_place(const kn_distribution *distribution, size_t piece)
{
    return distribution && piece < distribution->job.piece_count &&
                   distribution->pieces[piece].place != DISTRIBUTE_NONE
               ? (size_t)distribution->pieces[piece].place
               : SIZE_MAX;
}
