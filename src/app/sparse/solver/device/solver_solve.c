// SPDX-License-Identifier: Apache-2.0
// A solution by the device's solver: what is done before its iterations and after them.
#include <math.h>
#include <stdlib.h>

#include "base/os/clock.h"
#include "shared/sparse.h"
#include "base/error.h"
#include "solver_internal.h"

// ---- before ----

// r = A x - b, in the products' order; squares of it and of b.
static kn_status find_residual(kn_queue *queue, const struct sparse_solver *s, kn_buffer *x, kn_buffer *right,
                               double *rest, double *goal, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    double partial[2 * SOLVER_MOST_PARTS];
    kn_status status = ki_spmv_product_apply(queue, &s->products[0], x, b[SOLVER_W], err);

    if (!status)
        status = ki_solver_launch_residual(queue, s, right, err);
    if (!status)
        status = kn_buffer_read(queue, b[SOLVER_STATE], 0, partial, 2 * s->parts * SOLVER_CELL, err);
    *rest = *goal = 0;
    for (uint32_t i = 0; i < s->parts && !status; i++) {
        *rest += partial[i];
        *goal += partial[s->parts + i];
    }
    return status;
}

// No iteration is done; `goal`: |b|^2.
static kn_status begin_state(kn_queue *queue, const struct sparse_solver *s, double goal, kn_error *err)
{
    const double start[SOLVER_START] = {goal};

    return kn_buffer_write(queue, s->buffers[SOLVER_STATE], SOLVER_CELLS * s->parts * SOLVER_CELL, start,
                           sizeof start, err);
}

// d and e are 0.
static kn_status begin_direction(kn_queue *queue, const struct sparse_solver *s, kn_error *err)
{
    const float zero = 0;
    size_t bytes = s->columns * sizeof zero;
    kn_status status =
        kn_buffer_fill(queue, s->buffers[SOLVER_D], &zero, sizeof zero, 0, bytes, NO_EVENT, err);

    return status ? status
                  : kn_buffer_fill(queue, s->buffers[SOLVER_E], &zero, sizeof zero, 0, bytes, NO_EVENT, err);
}

// h = A^T (A x - b) + L x.
static kn_status begin(kn_queue *queue, struct sparse_solver *s, kn_buffer *right, kn_buffer *x, double *goal,
                       kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    double rest;
    kn_status status = kn_buffer_copy(queue, x, 0, b[SOLVER_X], 0, s->columns * sizeof(float), NO_EVENT, err);

    if (!status && s->options.printed)
        status = kn_buffer_copy(queue, right, 0, b[SOLVER_RIGHT], 0, s->rows * sizeof(float), NO_EVENT, err);
    if (!status)
        status = find_residual(queue, s, b[SOLVER_X], right, &rest, goal, err);
    if (!status && (!isfinite(*goal) || !isfinite(rest)))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%s is not finite everywhere, or beyond single precision",
                         isfinite(*goal) ? "the start" : "the right hand side");
    if (!status)
        status = begin_state(queue, s, *goal, err);
    if (!status)
        status = ki_solver_white_begin(queue, s, *goal, err);
    if (!status)
        status = ki_spmv_product_apply(queue, &s->products[1], b[SOLVER_R], b[SOLVER_V], err);
    if (!status)
        status = ki_solver_launch_curve(queue, s, b[SOLVER_X], b[SOLVER_X], b[SOLVER_H], err);
    return status ? status : begin_direction(queue, s, err);
}

// x and h are the caller's.
static kn_status begin_again(kn_queue *queue, struct sparse_solver *s, kn_buffer *gradient, kn_buffer *x,
                             kn_error *err)
{
    size_t bytes = s->columns * sizeof(float);
    kn_status status = kn_buffer_copy(queue, x, 0, s->buffers[SOLVER_X], 0, bytes, NO_EVENT, err);

    if (!status)
        status = kn_buffer_copy(queue, gradient, 0, s->buffers[SOLVER_H], 0, bytes, NO_EVENT, err);
    if (!status)
        status = begin_state(queue, s, 0, err);
    return status ? status : begin_direction(queue, s, err);
}

// ---- after ----

static const enum sparse_stopped reasons[] = {[0] = SPARSE_STOPPED_ITERATIONS,
                                              [STOP_GRADIENT] = SPARSE_STOPPED_GRADIENT,
                                              [STOP_RESIDUAL] = SPARSE_STOPPED_RESIDUAL,
                                              [STOP_CURVATURE] = SPARSE_STOPPED_CURVATURE,
                                              [STOP_WHITENESS] = SPARSE_STOPPED_WHITENESS};

kn_status ki_solver_take_history(const double *squares, const double *steps, size_t stride,
                                 struct sparse_solver_result *result, kn_error *err)
{
    size_t count = result->iterations + 1;
    double *history = malloc(2 * count * sizeof *history);

    if (!history)
        return ki_fail_memory(err, 2 * count * sizeof *history, "solving");
    history[0] = 1;
    history[count] = 0;
    for (size_t i = 1; i < count; i++) {
        history[i] = sqrt(squares[i * stride] / squares[0]);
        history[count + i] = steps[i * stride];
        if (!isfinite(history[i])) {
            free(history);
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "after %zu iterations the numbers are beyond single precision; divide the right "
                           "hand side by its greatest value",
                           i - 1);
        }
    }
    result->gradient = sqrt(squares[0]);
    result->normal_residual = history[result->iterations];
    result->history = history;
    result->steps = history + count;
    return KN_OK;
}

void ki_solver_take_end(unsigned code, size_t iteration, struct sparse_solver_result *result)
{
    result->stopped = reasons[code % STOP_MOVED];
    result->iterations = code > 0 && code < STOP_MOVED ? iteration - 1 : iteration;
}

// What the iterations left.
static kn_status read_history(kn_queue *queue, const struct sparse_solver *s, size_t launched,
                              struct sparse_solver_result *result, kn_error *err)
{
    size_t bytes = launched * SOLVER_CELLS * SOLVER_CELL, k = 0;
    double *cells = malloc(bytes);
    kn_status status = cells ? kn_buffer_read(queue, s->buffers[SOLVER_STATE],
                                              ki_solver_cell_of(s, 0) * SOLVER_CELL, cells, bytes, err)
                             : ki_fail_memory(err, bytes, "solving");

    while (!status && k + 1 < launched && cells[SOLVER_CELLS * k + 3] == 0)
        k++;
    if (!status) {
        ki_solver_take_end((unsigned)cells[SOLVER_CELLS * k + 3], k, result);
        status = ki_solver_take_history(cells, cells + 2, SOLVER_CELLS, result, err);
    }
    free(cells);
    return status;
}

static unsigned count_launches(const struct sparse_solver *s)
{
    unsigned products = 0;

    if (s->fused)
        return 2;
    for (unsigned i = 0; i < 2; i++)
        products += (unsigned)s->products[i].launch_count + s->products[i].adds;
    return s->options.printed
               ? 2U + SOLVER_PRINTED_LAUNCHES + 2 * products + ki_solver_white_launches(s)
               : 3U + solver_keeps_residual(&s->options) + products + ki_solver_white_launches(s);
}

// From where it has begun; x may be the caller's that it began from.
static kn_status iterate(kn_queue *queue, struct sparse_solver *solver, kn_buffer *x,
                         struct sparse_solver_result *found, kn_error *err)
{
    size_t launched = 0;
    kn_status status = kn_queue_finish(queue, err);
    double begun = ki_clock_seconds();

    if (!status)
        status = ki_solver_iterate_all(queue, solver, &launched, err);
    found->seconds = ki_clock_seconds() - begun;
    if (!status)
        status = read_history(queue, solver, launched, found, err);
    if (!status && found->stopped == SPARSE_STOPPED_WHITENESS)
        status = ki_solver_white_take_end(queue, solver, found, err);
    if (!status) {
        // Iteration k leaves x in the other place than it has read it from.
        kn_buffer *at =
            solver->buffers[solver->fused && found->iterations % 2 == 0 ? SOLVER_NEXT_X : SOLVER_X];

        if (found->stopped == SPARSE_STOPPED_WHITENESS)
            at = solver->white.x;
        status = kn_buffer_copy(queue, at, 0, x, 0, solver->columns * sizeof(float), NO_EVENT, err);
    }
    return status;
}

kn_status ki_sparse_solver_solve(kn_queue *queue, struct sparse_solver *solver, kn_buffer *b, kn_buffer *x,
                                 struct sparse_solver_result *result, kn_error *err)
{
    struct sparse_solver_result found = {.launches_per_iteration = count_launches(solver)};
    double goal = 0, rest = 0;
    kn_status status = ki_column_check("sparse_solver_solve (b)", queue, b, KN_F32, solver->rows, err);

    if (!status)
        status = ki_column_check("sparse_solver_solve (x)", queue, x, KN_F32, solver->columns, err);
    if (!status)
        status = begin(queue, solver, b, x, &goal, err);
    if (!status)
        status = iterate(queue, solver, x, &found, err);
    if (!status)
        status = find_residual(queue, solver, x, b, &rest, &goal, err);
    found.residual = goal > 0 ? sqrt(rest / goal) : rest > 0 ? INFINITY : 0;
    if (status)
        free(found.history);
    else
        *result = found;
    return status;
}

kn_status ki_sparse_solver_go_on(kn_queue *queue, struct sparse_solver *solver, kn_buffer *gradient,
                                 kn_buffer *x, struct sparse_solver_result *result, kn_error *err)
{
    struct sparse_solver_result found = {.residual = NAN, .launches_per_iteration = count_launches(solver)};
    kn_status status =
        ki_column_check("sparse_solver_go_on (gradient)", queue, gradient, KN_F32, solver->columns, err);

    if (!status)
        status = ki_column_check("sparse_solver_go_on (x)", queue, x, KN_F32, solver->columns, err);
    if (!status && (solver_keeps_residual(&solver->options) || solver->options.printed))
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "sparse_solver_go_on: this solver looks at A x - b in each iteration; go on with "
                         "one that does not");
    if (!status)
        status = begin_again(queue, solver, gradient, x, err);
    if (!status)
        status = iterate(queue, solver, x, &found, err);
    if (status)
        free(found.history);
    else
        *result = found;
    return status;
}
