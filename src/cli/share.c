// SPDX-License-Identifier: Apache-2.0
#include "share.h"

#include <koine/experimental.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/framework/report.h"

// ---- places ----

kn_status share_open_place(const struct place *before, size_t count, const struct place_spec *spec,
                           int policy, bool must_be_device, const char *command, struct place *place,
                           bool *opened, kn_error *err)
{
    *opened = true;
    for (size_t i = 0; i < count; i++)
        if (before[i].queue && strcmp(before[i].device.spec, spec->spec) == 0)
            return place_open_beside(&before[i], place, err);
    return place_open_chosen(spec, policy, must_be_device, command, place, opened, err);
}

static kn_status allocate(size_t count, const char *command, struct share *share, kn_error *err)
{
    *share = (struct share){.command = command,
                            .places = calloc(count, sizeof *share->places),
                            .taken = calloc(count, sizeof *share->taken),
                            .live = calloc(count, sizeof *share->live)};
    return share->places && share->taken && share->live
               ? KN_OK
               : ki_fail_memory(err, count * sizeof *share->places, "opening the devices");
}

kn_status share_open(const struct places *chosen, int policy, bool must_be_device, const char *command,
                     struct share *share, kn_error *err)
{
    kn_status status = allocate(chosen->count, command, share, err);

    for (size_t i = 0; i < chosen->count && !status; i++) {
        bool opened = false;

        status = share_open_place(share->places, share->count, &chosen->specs[i], policy, must_be_device,
                                  command, &share->places[share->count], &opened, err);
        share->count += !status && opened;
    }
    if (!status && share->count == 0)
        status = ki_fail(err, KN_ERROR_NO_DEVICE, "none of these devices can be opened");
    if (status)
        share_close(share);
    return status;
}

kn_status share_spread(struct share *share, struct ranks *ranks, kn_error *err)
{
    const size_t count = ranks->communicator->size, rank = ranks->communicator->rank;
    struct share spread;
    void *told = NULL;
    kn_status status = allocate(count, share->command, &spread, err);
    const kn_device_info *devices;

    status = ranks_tell(ranks, status, &share->places->device, sizeof share->places->device, &told, err);
    if (status) {
        share_close(&spread);
        return status;
    }
    devices = told;
    spread.count = count;
    spread.ranks = ranks;
    for (size_t i = 0; i < count; i++)
        spread.places[i].device = devices[i];
    spread.places[rank] = *share->places;
    free(told);
    free(share->places);
    free(share->taken);
    free(share->live);
    *share = spread;
    return KN_OK;
}

kn_status share_alone(const struct place *place, const char *command, struct share *share, kn_error *err)
{
    kn_status status = allocate(1, command, share, err);

    if (status) {
        share_close(share);
        return status;
    }
    share->places[0] = *place;
    share->count = 1;
    share->borrows = true;
    return KN_OK;
}

const struct place *share_first(const struct share *share)
{
    for (size_t i = 0; i < share->count; i++)
        if (share->places[i].queue)
            return &share->places[i];
    return share->places;
}

void share_close(struct share *share)
{
    for (size_t i = share->count; i-- > 0;) { // those that borrow a context first
        if (!share->borrows)
            place_close(&share->places[i]);
        free(share->taken[i].dropped);
    }
    free(share->places);
    free(share->taken);
    free(share->live);
    *share = (struct share){.count = 0};
}

// ---- a job ----

struct run {
    struct share *share;
    const kn_distribute_job *job;
    kn_distribute_write_function *write;
    struct progress *progress;
};

static kn_status write_result(void *data, size_t index, const void *result, size_t size, kn_error *err)
{
    const struct run *run = data;

    return run->write(run->job->data, index, result, size, err);
}

static void tell_dropped(void *data, size_t place, size_t piece, const kn_error *why)
{
    const struct run *run = data;
    const size_t own = share_place(run->share, place);
    char name[512];

    if (run->share->count == 1)
        return;
    snprintf(name, sizeof name, "piece %zu of %zu", piece + 1, run->job->piece_count);
    if (run->job->name)
        run->job->name(run->job->data, piece, name, sizeof name);
    progress_end(run->progress);
    share_tell_dropped(run->share->command, &run->share->places[own], name, why, &run->share->taken[own]);
}

static bool show(void *data, double done)
{
    const struct run *run = data;

    progress_step(run->progress, done);
    return true;
}

// Of the places of ranks, each adds its own.
static kn_status add_own(struct share *share, kn_distribution *distribution, size_t *count, kn_error *err)
{
    const size_t rank = share->ranks->communicator->rank;

    *count = share->apart ? 1 : share->count;
    for (size_t i = 0; i < *count; i++)
        share->live[i] = share->apart ? rank : i;
    return kn_distribution_add_queue(distribution, share->places[rank].queue, err);
}

static kn_status add_places(struct share *share, kn_distribution *distribution, size_t *count, kn_error *err)
{
    kn_status status = KN_OK;

    if (share->ranks)
        return add_own(share, distribution, count, err);
    *count = 0;
    for (size_t i = 0; i < share->count && !status; i++) {
        if (share->taken[i].dropped)
            continue;
        share->live[(*count)++] = i;
        status = kn_distribution_add_queue(distribution, share->places[i].queue, err);
    }
    return status;
}

kn_status share_run(struct share *share, const kn_distribute_job *job, kn_distribute_write_function *write,
                    struct progress *progress, kn_error *err)
{
    struct run run = {share, job, write, progress};
    struct ranks *ranks = share->apart ? NULL : share->ranks;
    const kn_distribute_options options =
        KN_INIT(kn_distribute_options, .write = write_result, .dropped = tell_dropped, .go_on = show,
                .data = &run, .journal = share->resume ? share->resume->journal : NULL, .job = share->jobs++,
                .communicator = ranks_communicator(ranks));
    kn_distribution *distribution = NULL;
    size_t live = 0;
    kn_status status = kn_distribution_create(job, &options, &distribution, err);

    if (!status)
        status = add_places(share, distribution, &live, err);
    status = ranks_agree(ranks, status, err);
    if (!status)
        status = ranks_ended(ranks, kn_distribution_run(distribution, err));
    for (size_t i = 0; i < live; i++)
        share->taken[share->live[i]].pieces += kn_distribution_get_count(distribution, i);
    kn_distribution_free(distribution);
    return status;
}

size_t share_place(const struct share *share, size_t place)
{
    return share->live[place];
}

double share_built(const struct share *share)
{
    double sum = 0;

    for (size_t i = 0; i < share->count; i++)
        if (share->places[i].queue && !share->places[i].borrows)
            sum += kn_context_get_build_seconds(share->places[i].context);
    return sum;
}

// ---- messages ----

void share_tell_dropped(const char *command, const struct place *place, const char *piece,
                        const kn_error *why, struct share_taken *taken)
{
    fprintf(stderr, "%s: %s (%s) is dropped: %s: %s\n", command, place->device.spec, place->device.name,
            piece, why->text);
    taken->dropped = strdup(why->text);
}

void share_print(const struct share *share)
{
    size_t all = 0;

    for (size_t i = 0; i < share->count; i++)
        all += share->taken[i].pieces;
    for (size_t i = 0; i < share->count; i++) {
        printf("%s%s %zu", i ? ", " : "", share->places[i].device.spec, share->taken[i].pieces);
        if (i == 0)
            printf(" of %zu pieces", all);
        if (share->taken[i].dropped)
            printf(" (dropped)");
    }
}

json_t *share_json(const struct place *places, const struct share_taken *taken, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();

        report_put(&object, "spec", ki_json_string(places[i].device.spec));
        report_put(&object, "name", ki_json_string(places[i].device.name));
        report_put(&object, "pieces", json_integer((json_int_t)taken[i].pieces));
        report_put(&object, "dropped", taken[i].dropped ? ki_json_string(taken[i].dropped) : json_null());
        report_append(&array, object);
    }
    return array;
}
