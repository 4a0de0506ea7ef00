// SPDX-License-Identifier: Apache-2.0
// Whether single precision has given the result that double precision would have given, with the same stop.
//
// A solution that claims to be the least-squares one (its gradient is at the floor, or as small as rounding
// leaves it, or it comes from factors) is refined once: its gradient is computed in double precision, and the
// correction is solved for in single precision. The correction is the error of the solution, if a second one
// would be small relative to it (Higham, Accuracy and Stability of Numerical Algorithms, 12 and 20.5;
// Bjoerck, Iterative refinement of linear least squares solutions, 1967); if the correction is not small
// relative to the solution, single precision does not give one correct digit, which is what the test has to
// find out. The test needs no condition number, and so is not misled by one that matters to no right-hand
// side; nor by Ritz values, which say nothing about directions that the floor hides. Components along
// singular values that are no more than rounding relative to the greatest stay undetected: single precision
// does not contain them.
//
// An iterate that was ended by the number of iterations is not the least-squares solution, and is not meant
// to be: early iterates regularise. It is compared with the iterate that exact iterations would have reached,
// behind which it lags (accuracy.h). It is worthless only if that would be another x with another fit: if the
// lost iterations reduce |A x - b|^2, with the terms, by more than what remains of it. If the fit is the
// same, both are equally good, and x differs only in what the data do not determine.
//
// An iterate that a rule ended by its residual is correct if its residual, computed in double precision, is.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "accuracy.h"
#include "solve_internal.h"

static const double single_epsilon = 0x1p-24;
// Above this, not even the first digit of x is certain.
static const double first_digit = 0.1;
// Above this, x is lost, however well it fits: estimates are correct within a factor of about ten.
static const double lost = 100;
// A gradient of up to this many roundings of |H| |x| consists of rounding only.
static const double roundings = 16;

// Columns `first` to first + count - 1.
struct some {
    struct solve_run *run;
    solve_refine *refine;
    void *data;
    size_t first, count;
    double *linear, *x;   // for each: its linear gradient, without other corrections, and its solution
    double *rest, *whole; // workspace for a residual and a gradient, for each thread that judges columns
    bool *is_least;       // for each column: whether it claims to be the least-squares solution
};

// ---- measuring a column ----

// Computes the linear gradient. The residual and the whole gradient (without a correction that exists only on
// the device) are kept for ki_solve_judge.
static kn_status measure(struct some *some, size_t i, kn_error *err)
{
    struct solve_run *run = some->run;
    struct solve_terms linear = run->terms, penalty = {.penalty = run->terms.penalty};
    size_t rows = run->matrix->rows, columns = run->matrix->columns, column = some->first + i;
    const double *x = run->x + column * columns, *b = run->b + column * rows;
    double *gradient = some->linear + i * columns;
    struct solve_correction correction;
    kn_status status = ki_solve_multiply_exactly(run, false, x, some->rest, err);

    for (size_t k = 0; k < rows && !status; k++)
        some->rest[k] -= b[k];
    if (!status)
        status = ki_solve_multiply_exactly(run, true, some->rest, gradient, err);
    if (status)
        return status;
    linear.penalty = 0;
    correction = ki_solve_terms_correction(&linear);
    correction.gradient(correction.data, x, columns, gradient);
    memcpy(some->whole, gradient, columns * sizeof *gradient);
    penalty.low = run->terms.low;
    penalty.high = run->terms.high;
    correction = ki_solve_terms_correction(&penalty);
    correction.gradient(correction.data, x, columns, some->whole);
    run->measured[column] =
        (struct solve_measured){ki_solve_norm(some->rest, rows), ki_solve_norm(some->whole, columns)};
    return KN_OK;
}

// |A x - b|^2 and the terms: twice the function that is minimised.
static double fit_of(const struct some *some, size_t i)
{
    const struct solve_run *run = some->run;
    size_t columns = run->matrix->columns, column = some->first + i;
    const double *x = run->x + column * columns;
    double residual = run->measured[column].residual, sum = 0;

    if (run->correction) {
        memset(some->whole, 0, columns * sizeof *some->whole);
        run->correction->gradient(run->correction->data, x, columns, some->whole);
        for (size_t k = 0; k < columns; k++)
            sum += x[k] * some->whole[k];
    }
    return residual * residual + fmax(sum, 0);
}

static bool is_by(const kn_least_squares_solution *solution, kn_least_squares_stopped reason)
{
    return solution->stopped == reason;
}

// Whether it claims to be the least-squares solution: by its reason to stop, or because its gradient is only
// rounding.
static bool claims_least(const struct some *some, size_t i, const struct sparse_lag *lag, double length)
{
    const struct solve_run *run = some->run;
    const kn_least_squares_solution *solution = &run->result->solutions[some->first + i];

    if (is_by(solution, KN_LEAST_SQUARES_STOPPED_FLOOR) || is_by(solution, KN_LEAST_SQUARES_STOPPED_DIRECT) ||
        is_by(solution, KN_LEAST_SQUARES_STOPPED_CURVATURE))
        return true;
    return is_by(solution, KN_LEAST_SQUARES_STOPPED_ITERATIONS) && !run->task.correction &&
           run->measured[some->first + i].gradient <= roundings * single_epsilon * lag->greatest * length;
}

// For an iterate: how far it lags behind, and whether that matters. The error by rounding alone is the
// condition of H times epsilon.
static void judge_iterate(const struct some *some, size_t i, const struct sparse_lag *lag, double length)
{
    kn_least_squares_solution *solution = &some->run->result->solutions[some->first + i];
    bool by_number = is_by(solution, KN_LEAST_SQUARES_STOPPED_ITERATIONS);
    double distance = lag->next * lag->last_distance + (by_number ? lag->distance : 0);

    if (!(lag->least > 0) || !(length > 0))
        return; // nothing is known about it
    solution->error_estimate = fmax(distance / length, single_epsilon * lag->greatest / lag->least);
    solution->precision_reached = !by_number || solution->error_estimate <= first_digit ||
                                  (solution->error_estimate <= lost && lag->misfit <= fit_of(some, i));
}

static kn_status look(struct some *some, size_t i, kn_error *err)
{
    struct solve_run *run = some->run;
    size_t columns = run->matrix->columns, column = some->first + i;
    const struct solve_trace *trace = &run->traces[column];
    const double *x = run->x + column * columns;
    double length = ki_solve_norm(x, columns);
    struct sparse_lag lag;
    kn_status status = measure(some, i, err);

    if (!status)
        status = ki_sparse_lag_of(trace->gradients, trace->steps, trace->count, single_epsilon, &lag, err);
    if (status)
        return status;
    memcpy(some->x + i * columns, x, columns * sizeof *x);
    some->is_least[i] = claims_least(some, i, &lag, length);
    if (!some->is_least[i])
        judge_iterate(some, i, &lag, length);
    return KN_OK;
}

// ---- refined columns ----

static void judge_refined(const struct some *some, size_t i)
{
    size_t columns = some->run->matrix->columns, column = some->first + i;
    const double *before = some->run->x + column * columns, *after = some->x + i * columns;
    kn_least_squares_solution *solution = &some->run->result->solutions[column];
    double distance = 0, length = 0;

    for (size_t k = 0; k < columns; k++) {
        distance += (after[k] - before[k]) * (after[k] - before[k]);
        length += before[k] * before[k];
    }
    // 0 for an x that is 0 everywhere and stays so.
    solution->error_estimate = distance > 0 ? sqrt(distance / length) : isnan(distance) ? INFINITY : 0;
    solution->precision_reached = solution->error_estimate <= first_digit;
}

static kn_status look_at(void *data, size_t i, unsigned thread, kn_error *err)
{
    struct some mine = *(const struct some *)data;

    mine.rest += thread * mine.run->matrix->rows;
    mine.whole += thread * mine.run->matrix->columns;
    return look(&mine, i, err);
}

static kn_status look_at_some(struct some *some, kn_error *err)
{
    bool any = false;
    kn_status status = ki_solve_each(some->count, look_at, some, err);

    for (size_t i = 0; i < some->count && !status; i++)
        any = any || some->is_least[i];
    if (!status && any)
        status = some->refine(some->data, some->first, some->count, some->linear, some->x, err);
    for (size_t i = 0; i < some->count && !status; i++)
        if (some->is_least[i])
            judge_refined(some, i);
    return status;
}

kn_status ki_solve_accuracy(struct solve_run *run, solve_refine *refine, void *data, size_t at_once,
                            kn_error *err)
{
    size_t rows = run->matrix->rows, columns = run->matrix->columns, count = run->count;
    size_t most = count < at_once ? count : at_once, threads = ki_solve_threads(most);
    size_t room = 2 * most * columns + threads * (columns + rows) + 1;
    struct some some = {.run = run, .refine = refine, .data = data};
    kn_status status = KN_OK;

    if (run->past_floor)
        return KN_OK; // only times are wanted
    run->measured = calloc(count + 1, sizeof *run->measured);
    some.linear = malloc(room * sizeof *some.linear);
    some.is_least = calloc(most + 1, sizeof *some.is_least);
    if (run->measured && some.linear && some.is_least) {
        some.x = some.linear + most * columns;
        some.whole = some.x + most * columns;
        some.rest = some.whole + threads * columns;
    } else {
        status = ki_fail_memory(err, room * sizeof *some.linear, "the accuracy");
    }
    for (size_t first = 0; first < count && !status; first += most) {
        some.first = first;
        some.count = count - first < most ? count - first : most;
        status = look_at_some(&some, err);
    }
    free(some.linear);
    free(some.is_least);
    return status;
}

// ---- traces of iterations ----

kn_status ki_solve_trace_make(struct solve_run *run, size_t column, size_t count, kn_error *err)
{
    struct solve_trace *trace = &run->traces[column];

    trace->gradients = calloc(2 * (count + 1), sizeof *trace->gradients);
    if (!trace->gradients)
        return ki_fail_memory(err, 2 * count * sizeof *trace->gradients, "the accuracy");
    trace->steps = trace->gradients + count + 1;
    trace->count = count;
    return KN_OK;
}
