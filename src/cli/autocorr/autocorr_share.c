// SPDX-License-Identifier: Apache-2.0
// The frames of `koine autocorr` as jobs in pieces. The first frame that can be computed is a separate job:
// it determines the offsets of all frames, and the size in a series. After that, neighbouring frames form a
// piece; their number depends only on the number of frames. Under MPI each rank computes the first frame
// itself, and the ranks share the others.
#include "autocorr_share.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/threads.h"

enum {
    PIECES = 64,
    PIECE_FRAMES = 32
}; // the fewest pieces, if there are enough frames; the most frames in a piece

struct job {
    struct autocorr_run *run;
    kn_autocorr_source frames;
    kn_autocorr_series_options settings; // of a place
    size_t begun;                        // frames of the first job
    size_t together;                     // frames of a piece of the second
    bool one_size;                       // of frames as they are decoded
    size_t width, height, bytes;         // of the first frame that could be computed
    kn_autocorr_series *first;           // the one that computed it, in case the others do nothing
};

// Neighbouring frames on their way through a place's series.
struct part {
    const struct job *job;
    size_t first;
    bool good; // at least one could be computed
    kn_distribute_result *result;
    kn_autocorr_grey seen; // the last one that was decoded, without its pixels
};

// ---- frames of a part ----

static kn_status refuse_size(const struct job *job, size_t frame, kn_autocorr_grey *grey, kn_error *err)
{
    const char *const *names = job->frames.names;
    const size_t width = grey->width, height = grey->height;

    free(grey->pixels);
    grey->pixels = NULL;
    return ki_fail_at(err, KN_ERROR_INPUT, names[frame], 0,
                      "is of %zu x %zu pixels, but the series begins with %zu x %zu (%s); all of a series "
                      "have one size",
                      width, height, job->width, job->height, names[job->begun - 1]);
}

static kn_status fetch(void *data, size_t i, void **kept, kn_autocorr_grey *grey, kn_error *err)
{
    struct part *part = data;
    const struct job *job = part->job;
    kn_status status = job->frames.fetch(job->frames.data, part->first + i, kept, grey, err);

    if (status)
        return status;
    if (job->width == 0) { // of the first job, which decodes one at a time
        part->seen = *grey;
        part->seen.pixels = NULL;
    } else if (job->one_size && (grey->width != job->width || grey->height != job->height)) {
        return refuse_size(job, part->first + i, grey, err);
    }
    return KN_OK;
}

static void release(void *data, void *kept)
{
    const struct part *part = data;

    part->job->frames.release(part->job->frames.data, kept);
}

static size_t size(void *data, size_t i)
{
    const struct part *part = data;
    const struct job *job = part->job;

    return job->settings.memory_limit || job->bytes == 0 ? job->frames.size(job->frames.data, part->first + i)
                                                         : job->bytes;
}

static kn_status take(void *data, const kn_autocorr_analysis *frame, kn_error *err)
{
    struct part *part = data;
    kn_autocorr_analysis own = *frame;

    own.index += part->first;
    part->good = part->good || !frame->error;
    return autocorr_pack_frame(part->job->run, &own, part->result, err);
}

// A place's series is made when it has its first piece.
static kn_status execute(struct part *part, size_t place, size_t count, kn_error *err)
{
    const struct job *job = part->job;
    kn_autocorr_series **series = &job->run->shared[place];
    const kn_autocorr_source source =
        KN_INIT(kn_autocorr_source, .count = count, .names = job->frames.names + part->first, .fetch = fetch,
                .release = release, .size = size, .data = part);
    kn_status status = KN_OK;

    if (!*series)
        status = ki_error_unname(
            kn_autocorr_series_create(job->run->share.places[place].queue, &job->settings, series, err), err);
    return status ? status : kn_autocorr_series_execute(*series, &source, take, part, err);
}

// ---- pieces ----

// Frames until one is good.
static kn_status run_first(void *data, size_t place, kn_queue *queue, size_t piece,
                           kn_distribute_result *result, kn_error *err)
{
    struct job *job = data;
    const size_t own = share_place(&job->run->share, place);
    struct part part = {.job = job, .result = result};
    kn_autocorr_pipeline sum = {.frames = 0};
    kn_status status = KN_OK;

    (void)queue; // the place's own
    (void)piece;
    for (job->begun = 0; job->begun < job->frames.count && !part.good && !status; job->begun++) {
        part.first = job->begun;
        status = execute(&part, own, 1, err);
        sum.failed += !status && !part.good;
    }
    if (status)
        return status;
    if (part.good) {
        sum = kn_autocorr_series_get_pipeline(job->run->shared[own]);
        sum.failed = job->begun - 1;
        job->width = part.seen.width;
        job->height = part.seen.height;
        job->bytes = part.seen.width * part.seen.height * kn_type_size(part.seen.type);
    }
    sum.frames = job->begun;
    return autocorr_pack_pipeline(&sum, result, err);
}

static size_t first_of(const struct job *job, size_t piece)
{
    const size_t first = job->begun + piece * job->together;

    return first < job->frames.count ? first : job->frames.count;
}

static kn_status run_piece(void *data, size_t place, kn_queue *queue, size_t piece,
                           kn_distribute_result *result, kn_error *err)
{
    const struct job *job = data;
    const size_t own = share_place(&job->run->share, place), first = first_of(job, piece);
    struct part part = {.job = job, .first = first, .result = result};
    kn_autocorr_pipeline pipeline;
    kn_status status = execute(&part, own, first_of(job, piece + 1) - first, err);

    (void)queue; // the place's own
    if (status)
        return status;
    pipeline = kn_autocorr_series_get_pipeline(job->run->shared[own]);
    return autocorr_pack_pipeline(&pipeline, result, err);
}

static void name_frames(const struct job *job, size_t first, size_t end, char *name, size_t size)
{
    if (end - first == 1)
        snprintf(name, size, "%s", job->frames.names[first]);
    else
        snprintf(name, size, "frames %zu to %zu of %zu", first + 1, end, job->frames.count);
}

static void name_first(void *data, size_t piece, char *name, size_t size)
{
    (void)piece;
    name_frames(data, 0, 1, name, size);
}

static void name_piece(void *data, size_t piece, char *name, size_t size)
{
    name_frames(data, first_of(data, piece), first_of(data, piece + 1), name, size);
}

static kn_status write_result(void *data, size_t index, const void *result, size_t size, kn_error *err)
{
    const struct job *job = data;

    (void)index;
    return autocorr_unpack(job->run, result, size, err);
}

// ---- the run ----

static void close_series(struct autocorr_run *run)
{
    for (size_t i = 0; run->shared && i < run->share.count; i++) {
        kn_autocorr_series_free(run->shared[i]);
        run->shared[i] = NULL;
    }
}

// The series of the first job.
static void set_aside(struct job *job)
{
    const struct autocorr_run *run = job->run;

    for (size_t i = 0; i < run->share.count && !job->first; i++) {
        job->first = run->shared[i];
        run->shared[i] = NULL;
    }
}

static kn_status begin(struct job *job, kn_error *err)
{
    const kn_distribute_job first =
        KN_INIT(kn_distribute_job, .piece_count = 1, .run = run_first, .name = name_first, .data = job);

    kn_status status;

    job->run->share.resume = NULL; // what it finds out about the frames is not in its result
    job->run->share.apart = true;
    status = share_run(&job->run->share, &first, write_result, &job->run->progress, err);
    job->run->share.apart = false;
    return status;
}

// The others, with the offsets of the first.
static kn_status go_on(struct job *job, kn_error *err)
{
    const size_t left = job->frames.count - job->begun, even = (left + PIECES - 1) / PIECES;
    kn_distribute_job others = KN_INIT(kn_distribute_job, .run = run_piece, .name = name_piece, .data = job);

    if (left == 0)
        return KN_OK;
    job->together = even < PIECE_FRAMES ? even : PIECE_FRAMES;
    others.piece_count = (left + job->together - 1) / job->together;
    job->settings.max_offset = job->run->rows[job->begun - 1].max_offset;
    job->settings.one_size = false; // fetch() looks at it
    if (job->run->resume.resumed || job->run->share.ranks)
        set_aside(job);
    close_series(job->run);
    job->run->share.resume = &job->run->resume;
    return share_run(&job->run->share, &others, write_result, &job->run->progress, err);
}

// The first place that has done something reports what ran; if an interrupted run had done everything but the
// first frame, or other ranks have, the one that has computed that frame.
static void show_series(struct autocorr_run *run, struct job *job)
{
    for (size_t i = 0; i < run->share.count && !run->series; i++)
        if (run->shared[i] && run->share.taken[i].pieces)
            run->series = run->shared[i];
    for (size_t i = 0; i < run->share.count && job->first; i++)
        if (!run->series && !run->shared[i]) {
            run->series = run->shared[i] = job->first;
            job->first = NULL;
        }
    kn_autocorr_series_free(job->first);
}

kn_status autocorr_share_execute(struct autocorr_run *run, kn_error *err)
{
    struct job job = {.run = run,
                      .frames = frames_source(&run->frames),
                      .settings = run->settings,
                      .one_size = run->settings.one_size && !run->plan.options.crop};
    const unsigned threads = ki_threads(run->settings.threads);
    const unsigned places = run->share.ranks ? 1 : (unsigned)run->share.count; // of this process
    const size_t sharers = run->share.ranks ? ranks_on_machine(run->share.ranks) : run->share.count;
    kn_status status;

    job.settings.threads = threads > places ? threads / places : 1;
    if (run->settings.memory_limit)
        job.settings.memory_limit =
            run->settings.memory_limit > sharers ? run->settings.memory_limit / sharers : 1;
    run->pipeline = (kn_autocorr_pipeline){.frames = 0};
    status = begin(&job, err);
    if (!status)
        status = go_on(&job, err);
    show_series(run, &job);
    return status;
}

kn_status autocorr_share_open(struct autocorr_run *run, const struct places *chosen, kn_error *err)
{
    const struct autocorr_arguments *arguments = run->arguments;
    const struct common_arguments *common = &arguments->common;
    const char *alone = arguments->volume ? "volume" : arguments->lag ? "lag" : NULL;
    kn_status status;

    if (arguments->variants)
        alone = "variants";
    if (alone && common->resume)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--resume: --%s computes everything at once, not in parts",
                       alone);
    if (alone && common->ranks)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--%s computes everything at once, which ranks of MPI do not share; start the command "
                       "once",
                       alone);
    if (alone)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--device names %zu devices; --%s uses one", chosen->count,
                       alone);
    status = share_open(chosen, common->policy, false, common->command, &run->share, err);
    if (!status && common->ranks)
        status = share_spread(&run->share, common->ranks, err);
    if (status)
        return status;
    run->shared = calloc(run->share.count, sizeof *run->shared);
    if (!run->shared)
        return ki_fail_memory(err, run->share.count * sizeof *run->shared, "the devices' series");
    run->place = *share_first(&run->share); // which the share closes
    return KN_OK;
}

void autocorr_share_close(struct autocorr_run *run)
{
    if (run->share.count == 0)
        return;
    close_series(run);
    free(run->shared);
    run->series = NULL;
    run->place = (struct place){.queue = NULL};
    share_close(&run->share);
}
