// SPDX-License-Identifier: Apache-2.0
// The files of `koine stats` as a job in pieces (koine/distribute.h): a file each, or of a single file as
// many neighbouring columns as have some million values together. What they are follows from the files alone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/clock.h"
#include "cmd_stats.h"

enum { PIECE_VALUES = 1 << 20 };

// A file, from when it is read until all of its pieces are computed.
struct source {
    struct csv_table table;
    struct stats_series series;
    struct stats_facts facts;
    double seconds; // of reading
    bool is_read;
};

struct job {
    struct stats_run *run;
    const struct inputs *files;
    struct source *sources;
    size_t *ends; // the columns of a single file where pieces end
    size_t piece_count;
    struct progress progress;
};

// ---- files ----

static void free_source(struct source *source)
{
    stats_series_free(&source->series);
    csv_free(&source->table);
    free(source->facts.times);
    *source = (struct source){.is_read = false};
}

// A file that a device failed to compute is still there.
static kn_status read_source(const struct job *job, size_t file, kn_error *err)
{
    struct source *source = &job->sources[file];
    const double start = ki_clock_seconds();
    kn_status status;

    if (source->is_read)
        return KN_OK;
    status = stats_read_file(job->run, job->files->paths[file], &source->table, &source->series,
                             &source->facts, err);
    source->seconds = ki_clock_seconds() - start;
    source->is_read = !status;
    if (status)
        free_source(source);
    return status;
}

// ---- pieces ----

static bool is_of_columns(const struct job *job)
{
    return job->files->count == 1;
}

static size_t file_of(const struct job *job, size_t piece)
{
    return is_of_columns(job) ? 0 : piece;
}

static kn_status divide(struct job *job, kn_error *err)
{
    const struct csv_table *table = &job->sources->table;
    size_t values = 0;

    job->piece_count = job->files->count;
    if (!is_of_columns(job))
        return KN_OK;
    job->piece_count = 0;
    job->ends = calloc(table->column_count, sizeof *job->ends);
    if (!job->ends)
        return ki_fail_memory(err, table->column_count * sizeof *job->ends, "the pieces of a file");
    for (size_t i = 0; i < table->column_count; i++) {
        const size_t count = table->columns[i].count;

        if (i > 0 && count > PIECE_VALUES - (values < PIECE_VALUES ? values : PIECE_VALUES)) {
            job->ends[job->piece_count++] = i;
            values = 0;
        }
        values += count;
    }
    job->ends[job->piece_count++] = table->column_count;
    return KN_OK;
}

static kn_status run_piece(void *data, size_t place, kn_queue *queue, size_t piece,
                           kn_distribute_result *result, kn_error *err)
{
    const struct job *job = data;
    const size_t file = file_of(job, piece);
    struct source *source = &job->sources[file];
    const bool alone = !job->run->shares;
    const struct stats_stage stage = {alone ? &((struct job *)data)->progress : NULL,
                                      (double)piece / (double)job->piece_count, 1 / (double)job->piece_count};
    struct stats_found found = {.place = place};
    size_t first, end;
    kn_status status = read_source(job, file, err);

    (void)queue; // the place's own
    if (status)
        return status;
    first = job->ends && piece ? job->ends[piece - 1] : 0;
    end = job->ends ? job->ends[piece] : source->table.column_count;
    found.facts = first == 0 ? &source->facts : NULL;
    found.read = first == 0 ? source->seconds : 0;
    status = stats_compute_columns(job->run, job->files->paths[file], source->table.columns + first,
                                   end - first, &source->series, &stage, &found, err);
    if (!status)
        status = stats_pack(job->run, &found, result, err);
    if (!status && !is_of_columns(job))
        free_source(source);
    stats_found_free(&found);
    return status;
}

static void name_piece(void *data, size_t piece, char *name, size_t size)
{
    const struct job *job = data;
    const char *file = job->files->paths[file_of(job, piece)];
    const size_t first = job->ends && piece ? job->ends[piece - 1] : 0;

    if (!job->ends || job->piece_count == 1)
        snprintf(name, size, "%s", file);
    else if (job->ends[piece] - first == 1)
        snprintf(name, size, "%s, column %zu", file, first + 1);
    else
        snprintf(name, size, "%s, columns %zu to %zu", file, first + 1, job->ends[piece]);
}

// ---- what comes of them ----

static kn_status keep_piece(void *data, size_t piece, const void *result, size_t size, kn_error *err)
{
    const struct job *job = data;

    (void)size;
    return stats_unpack(job->run, job->files->paths[file_of(job, piece)], result, err);
}

static void tell_dropped(void *data, size_t place, size_t piece, const kn_error *why)
{
    struct job *job = data;
    char name[512];

    name_piece(job, piece, name, sizeof name);
    progress_end(&job->progress);
    if (job->run->shares)
        share_tell_dropped(job->run->arguments->common.command, &job->run->places[place], name, why,
                           &job->run->taken[place]);
}

static bool show(void *data, double done)
{
    struct job *job = data;

    progress_step(&job->progress, done);
    return true;
}

// ---- the run ----

// A place that does not share the work computes in all configurations; of those of ranks each adds its own.
static kn_status add_places(const struct stats_run *run, kn_distribution *distribution, kn_error *err)
{
    kn_status status = KN_OK;

    const struct ranks *ranks = run->arguments->common.ranks;

    if (ranks)
        return kn_distribution_add_queue(distribution, run->places[ranks->communicator->rank].queue, err);
    if (!run->shares)
        return kn_distribution_add_queue(distribution, run->places->queue, err);
    for (size_t i = 0; i < run->place_count && !status; i++)
        status = kn_distribution_add_queue(distribution, run->places[i].queue, err);
    return status;
}

static kn_status distribute(struct job *job, kn_error *err)
{
    struct ranks *ranks = job->run->arguments->common.ranks;
    const kn_distribute_job pieces = KN_INIT(kn_distribute_job, .piece_count = job->piece_count,
                                             .run = run_piece, .name = name_piece, .data = job);
    const kn_distribute_options options =
        KN_INIT(kn_distribute_options, .write = keep_piece, .dropped = tell_dropped, .go_on = show,
                .data = job, .journal = job->run->resume.journal, .communicator = ranks_communicator(ranks));
    kn_distribution *distribution = NULL;
    kn_status status = kn_distribution_create(&pieces, &options, &distribution, err);

    if (!status)
        status = add_places(job->run, distribution, err);
    status = ranks_agree(ranks, status, err);
    if (!status) {
        progress_begin(&job->progress, job->run->arguments->common.quiet);
        status = ranks_ended(ranks, kn_distribution_run(distribution, err));
        progress_end(&job->progress);
    }
    kn_distribution_free(distribution);
    return status;
}

// Where several places share the work, also without --resume. Rows say which place computed them, so these
// have to be the same.
static kn_status keep_pieces(struct stats_run *run, size_t count, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;

    if (!ranks_writes(common->ranks))
        return KN_OK;
    resume_plan_number(&run->resume, count);
    for (size_t i = 0; i < run->place_count; i++)
        resume_plan_text(&run->resume, run->places[i].device.spec);
    return resume_open(&run->resume, common, run->output ? run->output : common->json,
                       run->shares && !common->ranks, err);
}

static kn_status work(struct job *job, kn_error *err)
{
    const struct source *first = job->sources;

    if (!first || !job->run->arguments->common.dry_run)
        return distribute(job, err);
    return stats_dry_run(job->run, job->files, &first->table, &first->series, first->seconds, err);
}

// The first file is read before devices are opened: what is wrong with it needs none.
kn_status stats_compute_files(struct stats_run *run, const struct inputs *files, kn_error *err)
{
    const double start = ki_clock_seconds();
    struct job job = {.run = run, .files = files, .sources = calloc(files->count, sizeof *job.sources)};
    kn_status status = job.sources ? stats_choose(run, err)
                                   : ki_fail_memory(err, files->count * sizeof *job.sources, "the files");

    if (!status && (is_of_columns(&job) || ranks_writes(run->arguments->common.ranks)))
        status = read_source(&job, 0, err);
    if (!status)
        status = divide(&job, err);
    if (!status)
        status = stats_open_configs(run, err);
    if (!status && run->shares)
        stats_share_memory(run);
    if (!status)
        status = keep_pieces(run, job.piece_count, err);
    if (run->arguments->common.ranks)
        status = stats_spread_places(run, status, err);
    if (!status)
        status = work(&job, err);
    for (size_t i = 0; job.sources && i < files->count; i++)
        free_source(&job.sources[i]);
    free(job.sources);
    free(job.ends);
    run->total = ki_clock_seconds() - start;
    return status;
}
