// SPDX-License-Identifier: Apache-2.0
// Mean, standard deviation, median and MAD of a column in memory, end to end.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "io/csv/csv.h"
#include "jobs.h"

enum { VALUES }; // the column

struct problem {
    double mean, std, median, mad;
};

struct work {
    kn_stats_plan *plan;
    kn_stats found;
};

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t bytes = n * kn_type_size(which->type);

    *cost = (struct compare_cost){.amount = (double)n, .memory = 2 * bytes, .largest = bytes};
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_size);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

// Computes the definitions in the host's widest type.
static void describe(double *values, size_t n, struct problem *own)
{
    long double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i];
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - sum / (long double)n) * (values[i] - sum / (long double)n);
    own->mean = (double)(sum / (long double)n);
    own->std = (double)sqrtl(squares / (long double)n);
    own->median = median_of(values, n);
    for (size_t i = 0; i < n; i++)
        values[i] = fabs(values[i] - own->median);
    own->mad = median_of(values, n);
}

// The first numbers of a recording's first column.
static kn_status read_column(struct compare_problem *problem, kn_error *err)
{
    const struct csv_options options = {.columns = (const char *const[]){"1"}, .column_count = 1};
    struct csv_table table = {.columns = NULL};
    kn_status status = csv_read(problem->path, &options, &table, err);
    float *values = problem->columns[VALUES].data;

    if (!status && table.columns[0].count < problem->n)
        status = ki_fail(err, KN_ERROR_INPUT, "%s: it has %zu rows, not %zu", problem->path,
                         table.columns[0].count, problem->n);
    for (size_t i = 0; i < problem->n && !status; i++)
        values[i] = (float)table.columns[0].values[i];
    csv_free(&table);
    return status;
}

static kn_status fill(struct compare_problem *problem, kn_error *err)
{
    if (problem->path)
        return read_column(problem, err);
    job_fill(problem->columns[VALUES].data, problem->which->type, problem->n, problem->n);
    return KN_OK;
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    kn_type type = problem->which->type;
    double *values = NULL;
    kn_status status = job_column(problem, COMPARE_REFERENCE, problem->n * kn_type_size(type), err);

    if (!status)
        status = job_memory(problem->n * sizeof *values, &values, err);
    if (!status)
        status = fill(problem, err);
    if (!status) {
        const void *given = problem->columns[VALUES].data;

        for (size_t i = 0; i < problem->n; i++)
            values[i] = type == KN_F32 ? (double)((const float *)given)[i] : ((const double *)given)[i];
        describe(values, problem->n, problem->own);
    }
    free(values);
    return status;
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    return kn_stats_plan_create(work->queue, work->problem->which->type, work->problem->n, NULL, &own->plan,
                                err);
}

static void leave(struct compare_work *work)
{
    kn_stats_plan_free(((struct work *)work->own)->plan);
}

static kn_status reset(struct compare_work *work, kn_error *err)
{
    (void)err;
    ((struct work *)work->own)->found = (kn_stats){0, NAN, NAN, NAN, NAN, NAN};
    return KN_OK;
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    return kn_stats_compute(own->plan, work->problem->columns[VALUES].data, work->problem->n, &own->found,
                            err);
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct problem *wanted = work->problem->own;
    const kn_stats *found = &((struct work *)work->own)->found;
    bool exact = found->median == wanted->median && found->mad == wanted->mad && found->n == work->problem->n;

    (void)err;
    work->error = exact ? fmax(fabs(found->mean - wanted->mean), fabs(found->std - wanted->std)) / wanted->std
                        : INFINITY;
    if (isnan(found->mean) || isnan(found->std))
        work->error = INFINITY;
    // The sums are of x - s and (x - s)^2, where s is an element within four deviations of the mean: at most
    // 17 times the variance, in a tree of at most 121 roundings (job_reduce.c).
    work->bound = 17 * (work->device->fp64 ? 121 * 0x1p-53 : 0x1p-40);
    return KN_OK;
}

const struct compare_job compare_job_stats = {
    .name = "stats",
    .what = "mean, deviation, median and MAD of a column",
    .size = "numbers",
    .unit = "Mnumbers/s",
    .scale = 1e-6,
    .wall_only = true,
    .error_is =
        "of mean and standard deviation, relative to the latter; infinite if median or MAD is not exact",
    .cases = {{"f32", KN_F32, 0}, {"f64", KN_F64, 0}},
    .quick = {(size_t)1 << 16, (size_t)1 << 20},
    .full = {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24},
    .data = "acc/ACC_msr2023.csv", // an accelerometer at a wrist
    .real = {"ACC_msr2023.csv, x", KN_F32, 0},
    .real_n = 117156,
    .problem_bytes = sizeof(struct problem),
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .make = make,
    .enter = enter,
    .leave = leave,
    .reset = reset,
    .run = run,
    .run_host = run,
    .check = check,
};
