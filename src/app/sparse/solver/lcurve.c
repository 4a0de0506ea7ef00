// SPDX-License-Identifier: Apache-2.0
// koine/least_squares.h: the L-curve of Tikhonov's regularisation, by conjugate gradients for one lambda
// after another with the same products.
#include "lcurve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/sparse/api/operator_internal.h"
#include "base/error.h"
#include "solve_internal.h"

enum { LEAST_POINTS = 5, MOST_POINTS = 1000, POWER_ITERATIONS = 10 };
// The range of lambda, from |A|^2 down: for less, the gradient's roundings are of the size of lambda |x|.
static const double decades = 10, decades_of_single = 6;

// ---- the corner ----

static const double least_distance = 0.05, least_curvature = 2;

struct place {
    double residual, norm; // logarithms
};

static struct place place_of(const double *points, size_t i)
{
    const double *point = points + LCURVE_NUMBERS * i;

    return (struct place){log(fmax(point[LCURVE_RESIDUAL], 1e-300)), log(fmax(point[LCURVE_NORM], 1e-300))};
}

static double distance(struct place a, struct place b)
{
    return hypot(b.residual - a.residual, b.norm - a.norm);
}

// The inverse radius of the circle through three points; above 0 where the curve turns from the left upwards.
static double curvature(struct place before, struct place at, struct place after)
{
    double turn = (at.norm - before.norm) * (after.residual - at.residual) -
                  (at.residual - before.residual) * (after.norm - at.norm);

    return 2 * turn / (distance(before, at) * distance(at, after) * distance(before, after));
}

size_t ki_sparse_lcurve_corner(const double *points, size_t count)
{
    size_t corner = count;
    double sharpest = least_curvature;

    for (size_t i = 0; i < count; i++) {
        const struct place at = place_of(points, i);
        size_t before = i, after = i;
        double bend;

        while (before > 0 && distance(place_of(points, before), at) < least_distance)
            before--;
        while (after + 1 < count && distance(at, place_of(points, after)) < least_distance)
            after++;
        if (distance(place_of(points, before), at) < least_distance ||
            distance(at, place_of(points, after)) < least_distance)
            continue;
        bend = curvature(place_of(points, before), at, place_of(points, after));
        if (bend > sharpest) {
            sharpest = bend;
            corner = i;
        }
    }
    return corner;
}

// ---- the curve ----

struct lcurve {
    struct solve_run *run;
    kn_operator *a;
    void *b, *x; // of one right-hand side, in the type
    size_t count;
    double *points;
};

static kn_status check(const struct solve_run *run, size_t count, kn_error *err)
{
    const kn_least_squares_options *task = &run->task;
    const bool terms = task->lambda > 0 || task->smooth > 0 || task->bounded || task->correction;

    if (count < LEAST_POINTS || count > MOST_POINTS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%zu points; expected from %d to %d", count, LEAST_POINTS,
                       MOST_POINTS);
    if (task->method != KN_LEAST_SQUARES_CGNR)
        return ki_fail(err, KN_ERROR_ARGUMENT, "the L-curve is by cgnr, not by %s",
                       kn_least_squares_method_name(task->method));
    if (terms)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "the L-curve is that of lambda |x|^2 alone, and finds lambda; leave lambda at 0, and "
                       "smooth, bounds and correction out");
    if (task->stop != KN_LEAST_SQUARES_STOP_FIXED)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "the L-curve regularises by lambda, not by a stopping rule; leave %s out",
                       kn_least_squares_stop_name(task->stop));
    if (!run->matrix->rows || !run->matrix->columns)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a matrix of %zu x %zu has no L-curve", run->matrix->rows,
                       run->matrix->columns);
    return KN_OK;
}

// The greatest eigenvalue of A^T A, from below, by the power method from the sum of the A^T b. Of ill-posed
// problems, whose eigenvalues fall fast, it is near after a few iterations.
static kn_status greatest_eigenvalue(const struct solve_run *run, double *greatest, kn_error *err)
{
    const size_t rows = run->matrix->rows, columns = run->matrix->columns;
    double *x = calloc(rows + columns, sizeof *x), *y = x + columns, length = 0;
    kn_status status = x ? KN_OK : ki_fail_memory(err, (rows + columns) * sizeof *x, "the L-curve");

    for (size_t i = 0; i < run->count * rows && !status; i++)
        y[i % rows] += run->b[i];
    for (size_t k = 0; k <= POWER_ITERATIONS && !status; k++) {
        status = ki_solve_multiply_exactly(run, true, y, x, err);
        length = status ? 0 : ki_solve_norm(x, columns);
        if (status || length == 0)
            break;
        for (size_t i = 0; i < columns; i++)
            x[i] /= length;
        status = ki_solve_multiply_exactly(run, false, x, y, err);
    }
    free(x);
    *greatest = length;
    if (!status && !(length > 0 && isfinite(length)))
        return ki_fail(err, KN_ERROR_ARGUMENT, "A^T b is %g everywhere, so that there is no L-curve", length);
    return status;
}

static void narrow(kn_type type, const double *from, size_t count, void *to)
{
    for (size_t i = 0; i < count; i++) {
        if (type == KN_F32)
            ((float *)to)[i] = (float)from[i];
        else
            ((double *)to)[i] = from[i];
    }
}

static double squared_norm(kn_type type, const void *x, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        const double number = type == KN_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];

        sum += number * number;
    }
    return sum;
}

// Solves for all right-hand sides with one lambda.
static kn_status find_point(const struct lcurve *c, double *point, kn_error *err)
{
    const struct solve_run *run = c->run;
    const size_t rows = run->matrix->rows, columns = run->matrix->columns;
    const kn_type type = run->task.type;
    const kn_solve_options options =
        KN_INIT(kn_solve_options, .method = KN_SOLVE_CGNR, .iterations = run->task.iterations,
                .lambda = point[LCURVE_LAMBDA], .progress = run->task.iteration_progress,
                .progress_data = run->task.progress_data);
    kn_solve_plan *plan = NULL;
    double residual = 0, norm = 0;
    kn_status status = kn_solve_plan_create(run->queue, c->a, &options, &plan, err);

    for (size_t i = 0; i < run->count && !status; i++) {
        kn_solve_result result = {.residual = 0};

        narrow(type, run->b + i * rows, rows, c->b);
        memset(c->x, 0, columns * kn_type_size(type));
        status = kn_solve_execute(plan, c->b, c->x, &result, err);
        residual += result.residual * result.residual;
        norm += squared_norm(type, c->x, columns);
    }
    point[LCURVE_RESIDUAL] = sqrt(residual);
    point[LCURVE_NORM] = sqrt(norm);
    kn_solve_plan_free(plan);
    return status;
}

static kn_status find_points(const struct lcurve *c, kn_error *err)
{
    const struct solve_run *run = c->run;
    const double range = run->task.type == KN_F32 ? decades_of_single : decades;
    double greatest;
    kn_status status = greatest_eigenvalue(run, &greatest, err);

    for (size_t i = 0; i < c->count && !status; i++) {
        double *point = c->points + LCURVE_NUMBERS * i;

        point[LCURVE_LAMBDA] = greatest * pow(10, -range * (double)i / (double)(c->count - 1));
        status = find_point(c, point, err);
        if (!status && run->task.progress && !run->task.progress(run->task.progress_data, i + 1, c->count))
            status = ki_fail(err, KN_ERROR_INTERRUPTED,
                             "stopped by the progress function after %zu of %zu points", i + 1, c->count);
    }
    return status;
}

static kn_status make_curve(struct lcurve *c, kn_error *err)
{
    const struct solve_run *run = c->run;
    const struct sparse_source source = {run->geometry ? NULL : run->matrix, run->geometry};
    const kn_sparse_format format = !run->queue && run->task.format == KN_SPARSE_AUTO
                                        ? KN_SPARSE_SELL // of rays, too
                                        : run->task.format;
    const kn_sparse_operator_options options =
        KN_INIT(kn_sparse_operator_options, .format = format, .type = run->task.type);
    kn_status status =
        ki_sparse_make_operator("kn_least_squares_lcurve", run->queue, &source, &options, &c->a, err);

    c->b = malloc((run->matrix->rows + 1) * sizeof(double));
    c->x = malloc((run->matrix->columns + 1) * sizeof(double));
    if (!status && (!c->b || !c->x))
        status =
            ki_fail_memory(err, (run->matrix->rows + run->matrix->columns) * sizeof(double), "the L-curve");
    if (!status)
        status = find_points(c, err);
    free(c->b);
    free(c->x);
    kn_operator_free(c->a);
    return status;
}

static kn_status find_curve(const char *function, struct solve_run *run, const kn_least_squares_task *task,
                            const kn_least_squares_options *options, struct lcurve *c, kn_error *err)
{
    double *zeros = NULL;
    kn_status status = ki_solve_begin(function, task, options, run, err);

    if (!status)
        status = check(run, c->count, err);
    if (status)
        return status;
    zeros = calloc(run->count * run->matrix->columns, sizeof *zeros);
    run->start = zeros;
    status = zeros ? ki_solve_check_numbers(run, err)
                   : ki_fail_memory(err, run->count * run->matrix->columns * sizeof *zeros, "the L-curve");
    if (!status)
        status = ki_solve_apply_weights(run, err);
    if (!status)
        status = make_curve(c, err);
    free(zeros);
    return status;
}

kn_status kn_least_squares_lcurve(kn_queue *queue, const kn_least_squares_task *task,
                                  const kn_least_squares_options *options, size_t count, double *points,
                                  size_t *corner, kn_error *err)
{
    struct solve_run run = {.queue = queue};
    struct lcurve c = {.run = &run, .count = count};
    kn_status status = KN_OK;

    if (!points || !corner)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", points ? "corner" : "points");
    if (!status && count <= MOST_POINTS) { // otherwise refused below
        c.points = calloc(LCURVE_NUMBERS * count + 1, sizeof *c.points);
        status =
            c.points ? KN_OK : ki_fail_memory(err, LCURVE_NUMBERS * count * sizeof *points, "the L-curve");
    }
    if (!status)
        status = find_curve(__func__, &run, task, options, &c, err);
    if (!status) {
        memcpy(points, c.points, LCURVE_NUMBERS * count * sizeof *points);
        *corner = ki_sparse_lcurve_corner(points, count);
    }
    free(c.points);
    ki_solve_end(&run);
    return ki_error_name(__func__, status, err);
}
