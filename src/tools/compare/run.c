// SPDX-License-Identifier: Apache-2.0
// Jobs over cases, sizes and places.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/env.h"
#include "base/text/text.h"
#include "columns.h"
#include "measure.h"

double compare_seconds(const struct compare_row *row)
{
    return row->device.median > 0 ? row->device.median : row->wall.median;
}

void compare_run_free(struct compare_run *run)
{
    free(run->rows);
    run->rows = NULL;
    run->row_count = run->row_capacity = 0;
}

// ---- ceilings ----

static bool is_ceiling(const struct compare_row *row, enum compare_ceiling ceiling, kn_type type)
{
    if (row->verdict != COMPARE_RIGHT || row->job != compare_ceiling_job(ceiling))
        return false;
    return ceiling == COMPARE_FLOPS ? row->which->type == type : row->which->variant == (int)ceiling;
}

static size_t footprint(const struct compare_row *row)
{
    struct compare_cost cost;

    row->job->cost(row->which, row->n, &cost);
    return cost.memory;
}

// The ratio of two sizes, at least 1.
static double factor_between(size_t a, size_t b)
{
    return a > b ? (double)a / (double)b : (double)b / (double)a;
}

double compare_ceiling(const struct compare_run *run, size_t place, enum compare_ceiling ceiling,
                       kn_type type, size_t memory)
{
    const struct compare_row *best = NULL;

    for (size_t i = 0; i < run->row_count; i++) {
        const struct compare_row *row = &run->rows[i];

        if (row->place != place || !is_ceiling(row, ceiling, type))
            continue;
        if (!best || (ceiling == COMPARE_FLOPS
                          ? row->rate > best->rate
                          : factor_between(footprint(row), memory) < factor_between(footprint(best), memory)))
            best = row;
    }
    return best ? best->rate / best->job->scale : 0;
}

// ---- a row ----

static struct compare_row *add_row(struct compare_run *run, const struct compare_problem *problem,
                                   size_t place, size_t asked)
{
    const struct compare_row row = {
        .job = problem->job, .which = problem->which, .place = place, .n = problem->n, .asked = asked};

    return KI_ARRAY_PUSH(run->rows, run->row_count, run->row_capacity, row) ? &run->rows[run->row_count - 1]
                                                                            : NULL;
}

static void rate_row(const struct compare_run *run, struct compare_row *row, const struct compare_row *first)
{
    const struct compare_job *job = row->job;
    double seconds = compare_seconds(row);
    struct compare_cost cost = {.amount = 0};

    if (row->verdict == COMPARE_FAILED || row->verdict == COMPARE_LEFT_OUT || !(seconds > 0))
        return;
    job->cost(row->which, row->n, &cost);
    row->rate = job->inverse ? seconds / cost.amount * job->scale : cost.amount / seconds * job->scale;
    if (job->ceiling != COMPARE_NO_CEILING)
        row->ceiling = compare_ceiling(run, row->place, job->ceiling, row->which->type, cost.memory);
    if (row->ceiling > 0)
        row->share = cost.ceiling / seconds / row->ceiling;
    if (first->repetitions && first->wall.median > 0)
        row->ratio = first->device.median > 0 && row->device.median > 0
                         ? first->device.median / row->device.median
                         : first->wall.median / row->wall.median;
}

// ---- one size ----

// The largest size, n divided by a power of two, for which every place has memory.
static size_t fit(const struct compare_run *run, const struct compare_job *job,
                  const struct compare_case *which, size_t n)
{
    for (size_t i = 0; i < run->place_count; i++) {
        const kn_device_info *device = run->places[i].device;
        struct compare_cost cost;

        for (job->cost(which, n, &cost); n > 1; job->cost(which, n, &cost)) {
            if (cost.memory <= device->global_memory / 4 * 3 && cost.largest <= device->max_alloc)
                break;
            n /= 2;
        }
    }
    return n;
}

// The row of the next smaller size in the same place; NULL if it was not computed.
static const struct compare_row *smaller(const struct compare_run *run, const struct compare_row *row)
{
    for (const struct compare_row *other = row; other-- > run->rows;)
        if (other->place == row->place && other->job == row->job && other->which == row->which)
            return other->repetitions ? other : NULL;
    return NULL;
}

// The expected seconds for `least` repetitions and the warm-up, extrapolated from the smaller size; 0:
// unknown.
static double expected_seconds(const struct compare_row *row, const struct compare_row *before, size_t least)
{
    struct compare_cost cost, cost_before;

    row->job->cost(row->which, row->n, &cost);
    row->job->cost(before->which, before->n, &cost_before);
    return before->wall.median * cost.amount / cost_before.amount * (double)(2 * least + 2);
}

static void leave_out(const struct compare_run *run, struct compare_row *row,
                      const struct measure_limits *limits)
{
    const struct compare_row *before = smaller(run, row);
    double seconds = before ? expected_seconds(row, before, limits->least) : 0;

    if (!run->places[row->place].queue && !row->job->run_host)
        snprintf(row->why, sizeof row->why, "left out: not on the host");
    else if (row->which->type == KN_F64 && !run->places[row->place].device->fp64)
        snprintf(row->why, sizeof row->why, "left out: the device has no double precision");
    else if (seconds > limits->patience)
        snprintf(row->why, sizeof row->why, "left out: by the size before it would take some %.0f s",
                 seconds);
    else
        return;
    row->verdict = COMPARE_LEFT_OUT;
}

static kn_status enter_place(const struct compare_run *run, const struct compare_problem *problem,
                             struct measured *measured, const struct measure_limits *limits, kn_error *err)
{
    const struct compare_place *place = &run->places[measured->row->place];
    kn_error why = KN_ERROR_INIT;

    leave_out(run, measured->row, limits);
    if (measured->row->verdict != COMPARE_RIGHT)
        return KN_OK;
    measured->work = (struct compare_work){.problem = problem,
                                           .queue = place->queue,
                                           .device = place->device,
                                           .own = calloc(1, problem->job->work_bytes + 1),
                                           .error = NAN};
    if (!measured->work.own)
        return ki_fail_memory(err, problem->job->work_bytes, "preparing a comparison");
    if (columns_enter(&measured->work, &why) ||
        (problem->job->enter && problem->job->enter(&measured->work, &why)))
        measure_failed(measured, &why);
    return KN_OK;
}

static void leave_place(struct measured *measured, const struct compare_job *job)
{
    if (measured->work.own && job->leave)
        job->leave(&measured->work);
    if (measured->work.own)
        columns_leave(&measured->work);
    free(measured->work.own);
    free(measured->wall);
    free(measured->device);
}

static const struct measure_limits quick_limits = {5, 3, 0.25, 5}, full_limits = {11, 3, 2, 60};

static kn_status run_places(struct compare_run *run, const struct compare_problem *problem, size_t asked,
                            kn_error *err)
{
    struct measure_limits limits = run->options.quick ? quick_limits : full_limits;
    struct measured *places = calloc(run->place_count, sizeof *places);
    size_t first = run->row_count;
    kn_status status = places ? KN_OK : ki_fail_memory(err, 0, "preparing a comparison");

    if (run->options.repetitions) {
        limits.repetitions = run->options.repetitions;
        limits.least = limits.least < limits.repetitions ? limits.least : limits.repetitions;
    }
    for (size_t i = 0; i < run->place_count && !status; i++)
        if (!add_row(run, problem, i, asked))
            status = ki_fail_memory(err, 0, "keeping the results");
    for (size_t i = 0; i < run->place_count && !status; i++) {
        places[i].row = &run->rows[first + i];
        status = enter_place(run, problem, &places[i], &limits, err);
    }
    if (!status)
        status = measure_places(places, run->place_count, &limits, err);
    for (size_t i = 0; i < run->place_count && !status; i++)
        rate_row(run, places[i].row, places[0].row);
    for (size_t i = 0; places && i < run->place_count; i++)
        leave_place(&places[i], problem->job);
    for (size_t i = 0; run->reopen && i < run->place_count && !status; i++)
        if (places[i].row->verdict == COMPARE_FAILED)
            run->reopen(run->user, i);
    free(places);
    return status;
}

// A row for each place, with the reason why the data could not be had.
static kn_status leave_all_out(struct compare_run *run, const struct compare_problem *problem,
                               const kn_error *why, kn_error *err)
{
    for (size_t i = 0; i < run->place_count; i++) {
        struct compare_row *row = add_row(run, problem, i, problem->n);

        if (!row)
            return ki_fail_memory(err, 0, "keeping the results");
        snprintf(row->why, sizeof row->why, "left out: %.480s", why->text);
        row->verdict = COMPARE_LEFT_OUT;
    }
    return KN_OK;
}

// With data made on the spot if `path` is NULL.
static kn_status run_size(struct compare_run *run, const struct compare_job *job,
                          const struct compare_case *which, size_t n, size_t asked, const char *path,
                          kn_error *err)
{
    struct compare_problem problem = {
        .job = job, .which = which, .n = n, .path = path, .own = calloc(1, job->problem_bytes + 1)};
    kn_error why = KN_ERROR_INIT;
    kn_status status = KN_OK;

    if (!problem.own)
        return ki_fail_memory(err, job->problem_bytes, "preparing a comparison");
    if (job->make)
        status = job->make(&problem, &why);
    if (!status)
        status = run_places(run, &problem, asked, err);
    else if (path && status != KN_ERROR_MEMORY)
        status = leave_all_out(run, &problem, &why, err);
    else if (err)
        *err = why;
    columns_free(&problem);
    free(problem.own);
    return status;
}

// The case on real data, if there is such a file.
static kn_status run_real(struct compare_run *run, const struct compare_job *job, kn_error *err)
{
    const char *folder = ki_env_get(KI_ENV_DATA);
    struct ki_text path = KI_TEXT_INIT;
    kn_status status = KN_OK;

    if (!job->data || !folder)
        return KN_OK;
    ki_text_format(&path, "%s/%s", folder, job->data);
    if (path.failed)
        status = ki_fail_memory(err, 0, "naming the data");
    else if (access(path.data, F_OK) == 0)
        status = run_size(run, job, &job->real, job->real_n, job->real_n, path.data, err);
    ki_text_free(&path);
    return status;
}

static size_t count_sizes(const size_t *sizes)
{
    size_t count = 0;

    while (count < COMPARE_SIZES && sizes[count])
        count++;
    return count;
}

kn_status compare_job_run(struct compare_run *run, const struct compare_job *job, kn_error *err)
{
    const size_t *sizes = run->options.quick ? job->quick : job->full;
    size_t size_count = count_sizes(sizes), case_count = 0, before = 0;
    kn_status status = KN_OK;

    while (case_count < COMPARE_CASES && job->cases[case_count].name)
        case_count++;
    for (size_t c = 0; c < case_count && !status; c++) {
        for (size_t s = 0; s < size_count && !status; s++) {
            size_t n = fit(run, job, &job->cases[c], sizes[s]);

            if (s == 0 || n != before) // a size that was reduced to the one before it is not repeated
                status = run_size(run, job, &job->cases[c], n, sizes[s], NULL, err);
            before = n;
            if (run->progress)
                run->progress(run->user,
                              (double)(c * size_count + s + 1) / (double)(case_count * size_count));
        }
    }
    return status ? status : run_real(run, job, err);
}
