// SPDX-License-Identifier: Apache-2.0
// koine recon on several devices, as two jobs in pieces (koine/distribute.h): first the differences that
// determine Q, where a piece is a number of planes; then the coils, where a piece is one coil, or all of them
// if they are solved together. The ranks of MPI compute the differences in equal parts, as each of them needs
// all of them, and share the coils in the same way; rank 0 has the solution.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd_recon.h"
#include "cli/share_bytes.h"

struct job {
    struct recon_run *run;
    kn_recon_extras extras;
    float *differences; // for Q; NULL: not computed here
    size_t difference_count, together;
    kn_recon_stage q; // the sum over all devices
    kn_recon_solution **coils;
    size_t coil_count; // number of pieces; one has all coils if they are solved together
};

// ---- Q ----

static size_t differences_of(const struct job *job, size_t piece)
{
    const size_t left = job->difference_count - piece * job->together;

    return left < job->together ? left : job->together;
}

static kn_status run_differences(void *data, size_t place, kn_queue *queue, size_t piece,
                                 kn_distribute_result *result, kn_error *err)
{
    const struct job *job = data;
    const size_t count = differences_of(job, piece), bytes = 2 * count * sizeof *job->differences;
    float *values = malloc(bytes);
    kn_recon_stage stage;
    struct share_writer writer = {.result = result, .err = err};

    (void)place;
    if (!values)
        return ki_fail_memory(err, bytes, "a part of Q");
    writer.status = ki_error_unname(kn_recon_compute_differences(queue, &job->run->arrays, &job->run->options,
                                                                 &job->extras, piece * job->together, count,
                                                                 values, &stage, err),
                                    err);
    share_put(&writer, &stage, sizeof stage);
    share_put(&writer, values, bytes);
    free(values);
    return writer.status;
}

static void add_stage(kn_recon_stage *sum, const kn_recon_stage *stage)
{
    sum->seconds += stage->seconds;
    sum->rate.seconds += stage->rate.seconds;
    sum->rate.pairs += stage->rate.pairs;
    sum->rate.flops += stage->rate.flops;
    sum->rate.loads += stage->rate.loads;
}

static kn_status keep_differences(void *data, size_t piece, const void *result, size_t size, kn_error *err)
{
    struct job *job = data;
    kn_recon_stage stage;

    (void)err;
    memcpy(&stage, result, sizeof stage);
    memcpy(job->differences + 2 * piece * job->together, (const char *)result + sizeof stage,
           size - sizeof stage);
    add_stage(&job->q, &stage);
    return KN_OK;
}

static void name_differences(void *data, size_t piece, char *name, size_t size)
{
    const struct job *job = data;

    snprintf(name, size, "part %zu of %zu of Q", piece + 1,
             (job->difference_count + job->together - 1) / job->together);
}

// The pieces that one of the ranks computes, and what they took.
struct part {
    kn_recon_stage stage;
    float values[];
};

// Pieces `first` to `end` - 1, each by itself, so that the bits do not depend on the number of ranks.
static kn_status compute_part(const struct job *job, size_t first, size_t end, struct part *part,
                              kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t piece = first; piece < end && !status; piece++) {
        kn_recon_stage stage;

        status = ki_error_unname(
            kn_recon_compute_differences(job->run->place.queue, &job->run->arrays, &job->run->options,
                                         &job->extras, piece * job->together, differences_of(job, piece),
                                         part->values + 2 * (piece - first) * job->together, &stage, err),
            err);
        if (!status)
            add_stage(&part->stage, &stage);
    }
    return status;
}

// Under MPI each rank computes as many pieces as the others, because all of them need all the differences.
static kn_status tell_differences(struct job *job, size_t pieces, kn_error *err)
{
    struct ranks *ranks = job->run->share.ranks;
    const size_t size = ranks->communicator->size, each = (pieces + size - 1) / size,
                 first = each * ranks->communicator->rank,
                 end = first + each < pieces ? first + each : pieces,
                 bytes = sizeof(struct part) + 2 * each * job->together * sizeof(float);
    struct part *own = calloc(1, bytes);
    void *all = NULL;
    kn_status status =
        own ? compute_part(job, first, end, own, err) : ki_fail_memory(err, bytes, "a part of Q");

    status = ranks_tell(ranks, status, own, bytes, &all, err);
    for (size_t piece = 0; piece < pieces && !status; piece++) {
        const struct part *part = (const struct part *)((const char *)all + piece / each * bytes);

        memcpy(job->differences + 2 * piece * job->together,
               part->values + 2 * (piece % each) * job->together,
               2 * differences_of(job, piece) * sizeof(float));
        if (piece % each == 0)
            add_stage(&job->q, &part->stage);
    }
    free(all);
    free(own);
    return status;
}

static kn_status share_differences(struct job *job, kn_error *err)
{
    enum { PIECES = 32 }; // approximately
    kn_distribute_job pieces =
        KN_INIT(kn_distribute_job, .run = run_differences, .name = name_differences, .data = job);
    size_t plane = 0, planes;
    kn_status status = ki_error_unname(
        kn_recon_measure_differences(&job->run->arrays.matrix, &job->difference_count, &plane, err), err);

    if (status)
        return status;
    job->differences = malloc(2 * job->difference_count * sizeof *job->differences);
    if (!job->differences)
        return ki_fail_memory(err, 2 * job->difference_count * sizeof *job->differences, "Q");
    planes = (job->difference_count + plane - 1) / plane;
    job->together = (planes + PIECES - 1) / PIECES * plane;
    pieces.piece_count = (job->difference_count + job->together - 1) / job->together;
    if (job->run->share.ranks)
        return tell_differences(job, pieces.piece_count, err);
    return share_run(&job->run->share, &pieces, keep_differences, &job->run->progress, err);
}

// ---- coils ----

static kn_status pack(const kn_recon_solution *solution, kn_distribute_result *result, kn_error *err)
{
    size_t size = 0;
    void *bytes;
    kn_status status = kn_recon_solution_pack(solution, NULL, 0, &size, err);

    if (status)
        return status;
    bytes = malloc(size);
    if (!bytes)
        return ki_fail_memory(err, size, "a coil's image");
    status = kn_recon_solution_pack(solution, bytes, size, &size, err);
    if (!status)
        status = kn_distribute_put(result, bytes, size, err);
    free(bytes);
    return status;
}

static kn_status run_coil(void *data, size_t place, kn_queue *queue, size_t piece,
                          kn_distribute_result *result, kn_error *err)
{
    const struct job *job = data;
    const struct recon_run *run = job->run;
    kn_recon_scan scan = run->arrays;
    kn_recon_solve_options options = run->options;
    kn_recon_extras extras = job->extras;
    kn_recon_solution *solution = NULL;
    kn_status status;

    (void)place;
    if (job->coil_count > 1) {
        scan.coils = 1;
        scan.data = scan.data ? scan.data + 2 * piece * scan.samples : NULL;
        options.start = options.start ? options.start + 2 * piece * run->scan.voxels : NULL;
    }
    extras.differences = job->differences;
    if (piece > 0)
        extras.save_q = NULL; // all coils share the Q of the first
    status = kn_recon_solve_with(queue, &scan, &options, &extras, &solution, err);
    if (!status)
        status = pack(solution, result, err);
    kn_recon_solution_free(solution);
    return status;
}

static kn_status keep_coil(void *data, size_t piece, const void *result, size_t size, kn_error *err)
{
    const struct job *job = data;

    return kn_recon_solution_unpack(result, size, &job->coils[piece], err);
}

static void name_coil(void *data, size_t piece, char *name, size_t size)
{
    const struct job *job = data;

    if (job->coil_count == 1)
        snprintf(name, size, "the image");
    else
        snprintf(name, size, "coil %zu of %zu", piece, job->coil_count);
}

static kn_status share_coils(struct job *job, kn_error *err)
{
    const kn_distribute_job pieces = KN_INIT(kn_distribute_job, .piece_count = job->coil_count,
                                             .run = run_coil, .name = name_coil, .data = job);

    job->coils = calloc(job->coil_count, sizeof *job->coils);
    return job->coils ? share_run(&job->run->share, &pieces, keep_coil, &job->run->progress, err)
                      : ki_fail_memory(err, job->coil_count * sizeof *job->coils, "the coils' images");
}

// Coils that are solved together have one solution, which is the result.
static kn_status join(struct job *job, kn_recon_solution **solution, kn_error *err)
{
    const kn_recon_stage *q = job->differences ? &job->q : NULL;

    return ki_error_unname(kn_recon_solution_join((const kn_recon_solution *const *)job->coils,
                                                  job->coil_count, q, solution, err),
                           err);
}

kn_status recon_share_solve(struct recon_run *run, kn_recon_solution **solution, kn_error *err)
{
    const bool has_q = run->options.method == KN_RECON_METHOD_LEAST_SQUARES &&
                       run->options.normal == KN_RECON_NORMAL_TOEPLITZ && !run->extras.load_q &&
                       run->options.adjoint != KN_RECON_ADJOINT_NUFFT && // a NUFFT on each device is as fast
                       run->options.adjoint != KN_RECON_ADJOINT_CARTESIAN;
    struct job job = {
        .run = run, .extras = run->extras, .coil_count = recon_is_joint(run) ? 1 : run->arrays.coils};
    kn_status status = recon_try_memory(run, &run->options, err);

    if (!status && has_q)
        status = share_differences(&job, err);
    if (!status)
        status = share_coils(&job, err);
    if (!status && ranks_writes(run->share.ranks))
        status = join(&job, solution, err);
    for (size_t i = 0; job.coils && i < job.coil_count; i++)
        kn_recon_solution_free(job.coils[i]);
    free(job.coils);
    free(job.differences);
    return status;
}
