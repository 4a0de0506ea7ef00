// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "columns.h"

// A shorter time means that the driver's clock measures nothing: rusticl's kernels take 1 ns by its clock.
static const double shortest_kernel = 1e-7;

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

struct compare_times measure_times(double *samples, size_t count)
{
    if (!count)
        return (struct compare_times){0, 0, 0};
    qsort(samples, count, sizeof *samples, by_size);
    return (struct compare_times){
        count % 2 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2,
        samples[0],
        samples[count - 1],
    };
}

void measure_failed(struct measured *place, const kn_error *err)
{
    size_t length = strcspn(err->text, "\n"), room = sizeof place->row->why - 1;

    place->row->verdict = err->code == KN_ERROR_UNSUPPORTED ? COMPARE_LEFT_OUT : COMPARE_FAILED;
    // A compiler's message has many lines; the first one is enough.
    snprintf(place->row->why, sizeof place->row->why, "%.*s", (int)(length < room ? length : room),
             err->text);
}

static kn_status reset(struct measured *place, kn_error *err)
{
    const struct compare_job *job = place->work.problem->job;
    kn_status status = columns_reset(&place->work, err);

    if (!status && job->reset)
        status = job->reset(&place->work, err);
    return status || !place->work.queue ? status : kn_queue_finish(place->work.queue, err);
}

// Runs once, until the queue is finished, and takes the time by the wall clock.
static kn_status run_once(struct measured *place, double *seconds, kn_error *err)
{
    const struct compare_job *job = place->work.problem->job;
    kn_queue *queue = place->work.queue;
    kn_status status = reset(place, err);
    double start = ki_clock_seconds();

    if (!status)
        status = queue ? job->run(&place->work, err) : job->run_host(&place->work, err);
    if (!status && queue)
        status = kn_queue_finish(queue, err);
    *seconds = job->times_itself ? place->work.seconds : ki_clock_seconds() - start;
    return status;
}

// The same by the device's clock: from the start of the first kernel to the end of the last; 0 if it measures
// nothing.
static kn_status run_profiled(struct measured *place, double *seconds, kn_error *err)
{
    const struct compare_job *job = place->work.problem->job;
    kn_queue *queue = place->work.queue;
    kn_profile_entry *entries = NULL;
    size_t count = 0;
    kn_status status = reset(place, err);

    if (!status)
        status = kn_profile_start(queue, err);
    if (status)
        return status;
    status = job->run(&place->work, err);
    if (kn_profile_stop(queue, &entries, &count, status ? NULL : err) && !status)
        return err->code;
    *seconds = kn_profile_span(entries, count);
    if (*seconds < shortest_kernel)
        *seconds = 0;
    kn_free(entries);
    return status;
}

// Runs twice: some drivers compile at the first launch, and at the first launch with each new size.
static void warm_up(struct measured *place)
{
    kn_error err = KN_ERROR_INIT;
    double seconds;

    if (run_once(place, &seconds, &err) || run_once(place, &seconds, &err))
        measure_failed(place, &err);
}

static bool has_clock(const struct measured *place)
{
    return place->work.queue && !place->work.problem->job->wall_only;
}

static void repeat(struct measured *place)
{
    kn_error err = KN_ERROR_INIT;
    double start = ki_clock_seconds();

    if (run_once(place, &place->wall[place->count], &err) ||
        (has_clock(place) && run_profiled(place, &place->device[place->count], &err))) {
        measure_failed(place, &err);
        return;
    }
    place->count++;
    place->spent += ki_clock_seconds() - start;
}

static bool wants_more(const struct measured *place, const struct measure_limits *limits)
{
    if (place->row->verdict != COMPARE_RIGHT || place->count >= limits->repetitions)
        return false;
    return place->count < limits->least || place->spent < limits->seconds;
}

static void conclude(struct measured *place)
{
    struct compare_row *row = place->row;
    kn_error err = KN_ERROR_INIT;

    if (row->verdict != COMPARE_RIGHT)
        return;
    if (place->work.problem->job->check(&place->work, &err)) {
        measure_failed(place, &err);
        return;
    }
    row->error = place->work.error;
    row->bound = place->work.bound;
    if (!(row->error <= row->bound)) {
        row->verdict = COMPARE_WRONG;
        snprintf(row->why, sizeof row->why, "error %.3g, at most %.3g allowed (%s)", row->error, row->bound,
                 place->work.problem->job->error_is);
    }
    row->repetitions = place->count;
    row->wall = measure_times(place->wall, place->count);
    if (has_clock(place))
        row->device = measure_times(place->device, place->count);
}

kn_status measure_places(struct measured *places, size_t count, const struct measure_limits *limits,
                         kn_error *err)
{
    bool more = true;

    for (size_t i = 0; i < count; i++) {
        struct measured *place = &places[i];

        place->wall = calloc(limits->repetitions, sizeof *place->wall);
        place->device = calloc(limits->repetitions, sizeof *place->device);
        if (!place->wall || !place->device)
            return ki_fail_memory(err, 0, "the times of the repetitions");
        if (place->row->verdict == COMPARE_RIGHT)
            warm_up(place);
    }
    while (more) {
        more = false;
        for (size_t i = 0; i < count; i++) {
            if (!wants_more(&places[i], limits))
                continue;
            repeat(&places[i]);
            more = true;
        }
    }
    for (size_t i = 0; i < count; i++)
        conclude(&places[i]);
    return KN_OK;
}
