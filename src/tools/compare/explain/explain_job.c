// SPDX-License-Identifier: Apache-2.0
// A job of koine compare as the work of --explain: finds a job that launches a kernel by watching the
// launches, and measures it.
#include "explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tools/compare/columns.h"

enum { REPETITIONS = 7 };

struct job_at {
    struct compare_problem problem;
    struct compare_work work;
};

static kn_status job_reset(struct job_at *at, kn_error *err)
{
    kn_status status = columns_reset(&at->work, err);

    if (!status && at->problem.job->reset)
        status = at->problem.job->reset(&at->work, err);
    return status ? status : kn_queue_finish(at->work.queue, err);
}

static kn_status run_job(void *user, kn_error *err)
{
    struct job_at *at = user;
    kn_status status = at->problem.job->run(&at->work, err);

    return status ? status : kn_queue_finish(at->work.queue, err);
}

static kn_status run_reset_job(void *user, kn_error *err)
{
    kn_status status = job_reset(user, err);

    return status ? status : run_job(user, err);
}

static void job_close(struct job_at *at)
{
    const struct compare_job *job = at->problem.job;

    if (at->work.own && job->leave)
        job->leave(&at->work);
    if (at->work.own)
        columns_leave(&at->work);
    free(at->work.own);
    columns_free(&at->problem);
    free(at->problem.own);
}

static kn_status job_open(const struct explain_found *found, const struct compare_place *place,
                          struct job_at *at, kn_error *err)
{
    const struct compare_job *job = found->job;
    kn_status status = KN_OK;

    memset(at, 0, sizeof *at);
    at->problem = (struct compare_problem){
        .job = job, .which = found->which, .n = found->n, .own = calloc(1, job->problem_bytes + 1)};
    if (!at->problem.own)
        return ki_fail_memory(err, job->problem_bytes, "preparing a job");
    if (job->make)
        status = job->make(&at->problem, err);
    if (!status) {
        at->work = (struct compare_work){.problem = &at->problem,
                                         .queue = place->queue,
                                         .device = place->device,
                                         .own = calloc(1, job->work_bytes + 1),
                                         .error = NAN};
        status = at->work.own ? columns_enter(&at->work, err)
                              : ki_fail_memory(err, job->work_bytes, "preparing a job");
    }
    if (!status && job->enter)
        status = job->enter(&at->work, err);
    return status;
}

// ---- finding the job ----

struct names {
    const char *kernel;
    bool is_launched;
    struct ki_text *all;
};

static void note_name(void *user, const kn_launch_notice *notice)
{
    struct names *names = user;
    const char *name = kn_kernel_get_name(notice->kernel), *found = ki_text_string(names->all);
    size_t length = strlen(name);

    names->is_launched = names->is_launched || strcmp(name, names->kernel) == 0;
    while ((found = strstr(found, name)) != NULL) {
        bool begins = found == ki_text_string(names->all) || found[-1] == ' ';

        if (begins && (found[length] == '\0' || found[length] == ','))
            return;
        found += length;
    }
    ki_text_format(names->all, "%s%s", names->all->length ? ", " : "", name);
}

// Runs the case once. A job that fails here counts as one that launches nothing.
static void try_case(const struct explain_found *tried, const struct compare_place *place,
                     struct names *names)
{
    struct job_at at;

    if (tried->which->type == KN_F64 && !place->device->fp64)
        return;
    kn_queue_watch(place->queue, note_name, names, NULL);
    if (!job_open(tried, place, &at, NULL))
        (void)run_reset_job(&at, NULL);
    kn_queue_watch(place->queue, NULL, NULL, NULL);
    job_close(&at);
}

kn_status explain_find(const struct compare_place *place, const char *kernel,
                       const struct compare_job *const *jobs, size_t job_count, struct explain_found *found,
                       struct ki_text *launched, kn_error *err)
{
    struct names names = {kernel, false, launched};

    *found = (struct explain_found){NULL, NULL, 0};
    for (size_t size = COMPARE_SIZES; size-- > 0;) // the largest first: kernels worth explaining take long
        for (size_t j = 0; j < job_count; j++)
            for (const struct compare_case *which = jobs[j]->cases; which->name; which++) {
                struct explain_found tried = {jobs[j], which, jobs[j]->quick[size]};

                if (!tried.n)
                    continue;
                try_case(&tried, place, &names);
                if (launched->failed)
                    return ki_fail_memory(err, 0, "listing kernels");
                if (names.is_launched) {
                    *found = tried;
                    return KN_OK;
                }
            }
    return KN_OK;
}

// ---- measuring the job ----

kn_status explain_job(const struct explain_found *found, const struct compare_run *run, size_t place,
                      const char *kernel, struct explain_row *row, kn_error *err)
{
    struct job_at at;
    const struct explain_work work = {run_reset_job, &at};
    struct compare_cost cost = {.amount = 0};
    double limit;
    kn_status status = job_open(found, &run->places[place], &at, err);

    if (!status)
        status = explain_measure(run->places[place].queue, kernel, &work, REPETITIONS, row, err);
    if (!status && !*row->why)
        status = found->job->check(&at.work, err);
    if (!status && !*row->why)
        row->is_wrong = !(at.work.error <= at.work.bound);
    found->job->cost(found->which, found->n, &cost);
    limit = compare_ceiling(run, place, found->job->ceiling, found->which->type, cost.memory);
    if (!status && limit > 0 && row->run_seconds > 0)
        row->share = cost.ceiling / row->run_seconds / limit;
    job_close(&at);
    return status;
}
