// SPDX-License-Identifier: Apache-2.0
// koine autocorr --volume: all frames as one volume.
#include <stdlib.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "cmd_autocorr.h"

struct room {
    uint64_t *sums;
    double *values;
    kn_autocorr_ring *rings;
    kn_autocorr_lengths lengths;
};

static kn_status make_room(const struct autocorr_run *run, size_t max_offset, struct room *room,
                           kn_error *err)
{
    size_t offsets = autocorr_offsets(run, max_offset);

    if (run->settings.sums)
        room->sums = malloc(offsets * sizeof *room->sums);
    if (run->settings.values)
        room->values = malloc(offsets * sizeof *room->values);
    room->rings = malloc((max_offset + 1) * sizeof *room->rings);
    if ((run->settings.sums && !room->sums) || (run->settings.values && !room->values) || !room->rings)
        return ki_fail_memory(err, offsets * sizeof *room->values, "a volume's correlation");
    return KN_OK;
}

kn_status autocorr_plan_volume(const struct autocorr_run *run, kn_autocorr_plan **plan, kn_error *err)
{
    const struct frames_volume *volume = &run->volume;
    const kn_autocorr_shape shape =
        KN_INIT(kn_autocorr_shape, .width = volume->width, .height = volume->height, .depth = volume->depth,
                .type = volume->type, .max_offset = run->settings.max_offset);
    const kn_autocorr_options options =
        KN_INIT(kn_autocorr_options, .method = run->settings.method,
                .normalization = run->settings.normalization, .periodic = run->settings.periodic);

    return kn_autocorr_plan_create(run->place.queue, &shape, &options, plan, err);
}

static kn_status correlate(struct autocorr_run *run, struct room *room, kn_error *err)
{
    const struct frames_volume *volume = &run->volume;
    const kn_autocorr_frames frames = KN_INIT(kn_autocorr_frames, .first = volume->voxels);
    const kn_autocorr_prepared prepared = {.dust = 0};
    kn_autocorr_analysis analysis = {
        .width = volume->width, .height = volume->height, .prepared = &prepared, .method = KN_AUTOCORR_FFT};
    double start = ki_clock_seconds();
    kn_autocorr_plan *plan = NULL;
    kn_status status = autocorr_plan_volume(run, &plan, err);

    analysis.max_offset = kn_autocorr_plan_get_max_offset(plan);
    if (!status)
        status = make_room(run, analysis.max_offset, room, err);
    if (!status) {
        const kn_autocorr_results results =
            KN_INIT(kn_autocorr_results, .sums = room->sums, .values = room->values, .rings = room->rings,
                    .lengths = &room->lengths);

        status = kn_autocorr_execute(plan, &frames, 1, &results, err);
    }
    kn_autocorr_plan_free(plan);
    if (status)
        return ki_error_unname(status, err);
    analysis.seconds = run->seconds.compute = ki_clock_seconds() - start;
    analysis.sums = room->sums;
    analysis.values = room->values;
    analysis.rings = room->rings;
    analysis.lengths = room->lengths;
    run->rows[0].depth = volume->depth;
    return autocorr_take(run, &analysis, err);
}

kn_status autocorr_run_volume(struct autocorr_run *run, kn_error *err)
{
    struct room room = {.sums = NULL};
    double start = ki_clock_seconds();
    kn_status status = correlate(run, &room, err);

    run->seconds.build = run->seconds.upload = run->seconds.download = -1;
    run->seconds.total = ki_clock_seconds() - start + run->seconds.read;
    run->pipeline = (kn_autocorr_pipeline){.frames = 1};
    free(room.sums);
    free(room.values);
    free(room.rings);
    return status;
}
