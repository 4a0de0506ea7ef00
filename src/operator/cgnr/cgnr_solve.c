// SPDX-License-Identifier: Apache-2.0
// A solution by the device's solver: its preparation and its result.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "shared/cgnr.h"
#include "base/error.h"
#include "cgnr_internal.h"

// ---- preparation ----

// No iteration is done yet; `goal`: |b|^2.
static kn_status begin_state(kn_queue *queue, const struct cgnr *s, double goal, kn_error *err)
{
    const double zero = 0;
    size_t first = CGNR_CELLS * s->parts * CGNR_CELL;
    kn_buffer *state = s->buffers[CGNR_STATE];
    kn_status status =
        kn_buffer_fill(queue, state, &zero, sizeof zero, first, CGNR_START * CGNR_CELL, NO_EVENT, err);

    return status ? status : ki_loop_put(queue, state, first, goal, err);
}

// to = A x; 0 if x is NULL.
static kn_status multiply(kn_queue *queue, const struct cgnr *s, const kn_buffer *x, kn_buffer *to,
                          kn_error *err)
{
    const double zero = 0; // has the bytes of a float's 0, too

    return x ? ki_operator_apply(s->a, queue, false, x, to, err)
             : kn_buffer_fill(queue, to, &zero, cgnr_number(s), 0, s->rows * cgnr_number(s), NO_EVENT, err);
}

// r = A x - b, in the order of the products, or for a self-adjoint operator h = (A + L) x - b. x is X or
// NULL.
static kn_status launch_residual(kn_queue *queue, const struct cgnr *s, const kn_buffer *x,
                                 const kn_buffer *right, kn_error *err)
{
    bool equation = s->options.self_adjoint;
    kn_status status = equation ? begin_state(queue, s, 0, err) : KN_OK;

    if (!status)
        status = multiply(queue, s, x, s->buffers[equation ? CGNR_V : CGNR_W], err);
    if (status)
        return status;
    return equation ? ki_cg_launch_begin(queue, s, right, err)
                    : ki_cgnr_launch_residual(queue, s, right, err);
}

// The same, with the squares of it and of b.
static kn_status find_residual(kn_queue *queue, const struct cgnr *s, const kn_buffer *x,
                               const kn_buffer *right, double *rest, double *goal, kn_error *err)
{
    double partial[2 * CGNR_MOST_PARTS];
    kn_status status = launch_residual(queue, s, x, right, err);

    if (!status)
        status = kn_buffer_read(queue, s->buffers[CGNR_STATE], 0, partial, 2 * s->parts * CGNR_CELL, err);
    *rest = *goal = 0;
    for (uint32_t i = 0; i < s->parts && !status; i++) {
        *rest += partial[i];
        *goal += partial[s->parts + i];
    }
    return status;
}

// h = A^T (A x - b) + L x, with A x - b in r.
static kn_status begin_gradient(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    kn_status status = ki_operator_apply(s->a, queue, true, b[CGNR_R], b[CGNR_V], err);

    return status ? status : ki_cgnr_launch_curve(queue, s, b[CGNR_X], b[CGNR_X], b[CGNR_H], err);
}

// d = 0 and e = 0.
static kn_status begin_direction(kn_queue *queue, const struct cgnr *s, kn_error *err)
{
    const double zero = 0; // has the bytes of a float's 0, too
    size_t bytes = s->columns * cgnr_number(s);
    kn_status status =
        kn_buffer_fill(queue, s->buffers[CGNR_D], &zero, cgnr_number(s), 0, bytes, NO_EVENT, err);

    return status ? status
                  : kn_buffer_fill(queue, s->buffers[CGNR_E], &zero, cgnr_number(s), 0, bytes, NO_EVENT, err);
}

static kn_status begin_solution(kn_queue *queue, const struct cgnr *s, const kn_buffer *start, kn_error *err)
{
    const double zero = 0; // has the bytes of a float's 0, too
    size_t bytes = s->columns * cgnr_number(s);

    return start ? kn_buffer_copy(queue, start, 0, s->buffers[CGNR_X], 0, bytes, NO_EVENT, err)
                 : kn_buffer_fill(queue, s->buffers[CGNR_X], &zero, cgnr_number(s), 0, bytes, NO_EVENT, err);
}

// Whether the stop at `noise` comes before the one at a fraction of |b|; `goal`: |b|^2.
static bool noise_is_first(const struct cgnr_options *options, double goal)
{
    return options->noise > 0 && options->noise >= options->residual * sqrt(goal);
}

// Sets the fraction of |b|^2, `goal`, at which |A x - b|^2 ends the iterations.
static void set_goal(struct cgnr *s, double goal)
{
    const struct cgnr_options *options = &s->options;
    double noise = options->noise, residual = options->residual;

    if (noise > 0)
        s->terms.residual = fmax(goal > 0 ? noise * noise / goal : 0, residual * residual);
}

// Begins the iterations with the current residual; `goal`: |b|^2.
static kn_status begin_iterations(kn_queue *queue, const struct cgnr *s, double goal, kn_error *err)
{
    kn_status status = begin_state(queue, s, goal, err);

    if (!status && !s->options.self_adjoint) // otherwise h is computed already
        status = begin_gradient(queue, s, err);
    return status ? status : begin_direction(queue, s, err);
}

static kn_status begin(kn_queue *queue, struct cgnr *s, const kn_buffer *right, const kn_buffer *start,
                       double *goal, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    double rest;
    kn_status status = begin_solution(queue, s, start, err);

    if (!status && s->options.printed)
        status = kn_buffer_copy(queue, right, 0, b[CGNR_RIGHT], 0, s->rows * cgnr_number(s), NO_EVENT, err);
    if (!status)
        status = find_residual(queue, s, start ? b[CGNR_X] : NULL, right, &rest, goal, err);
    if (!status && (!isfinite(*goal) || !isfinite(rest)))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%s is not finite everywhere, or beyond %s precision",
                         isfinite(*goal) ? "the start" : "the right hand side",
                         s->type == KN_F64 ? "double" : "single");
    if (!status)
        set_goal(s, *goal);
    if (!status)
        status = ki_cgnr_white_begin(queue, s, *goal, err);
    return status ? status : begin_iterations(queue, s, *goal, err);
}

// `gradient` and x are the caller's.
static kn_status begin_again(kn_queue *queue, struct cgnr *s, const kn_buffer *gradient, const kn_buffer *x,
                             kn_error *err)
{
    size_t bytes = s->columns * cgnr_number(s);
    kn_status status = begin_solution(queue, s, x, err);

    if (!status)
        status = kn_buffer_copy(queue, gradient, 0, s->buffers[CGNR_H], 0, bytes, NO_EVENT, err);
    if (!status)
        status = begin_state(queue, s, 0, err);
    return status ? status : begin_direction(queue, s, err);
}

// ---- results ----

static const enum cgnr_stopped reasons[] = {[0] = CGNR_STOPPED_ITERATIONS,
                                            [STOP_GRADIENT] = CGNR_STOPPED_GRADIENT,
                                            [STOP_RESIDUAL] = CGNR_STOPPED_RESIDUAL,
                                            [STOP_CURVATURE] = CGNR_STOPPED_CURVATURE,
                                            [STOP_WHITENESS] = CGNR_STOPPED_WHITENESS};

kn_status ki_cgnr_take_history(const double *squares, const double *steps, size_t stride, double *room,
                               struct cgnr_result *result, kn_error *err)
{
    size_t count = result->iterations + 1;
    double *history = room ? room : malloc(2 * count * sizeof *history);

    if (!history)
        return ki_fail_memory(err, 2 * count * sizeof *history, "solving");
    history[0] = 1;
    history[count] = 0;
    for (size_t i = 1; i < count; i++) {
        history[i] = sqrt(squares[i * stride] / squares[0]);
        history[count + i] = steps[i * stride];
        if (!isfinite(history[i])) {
            if (!room)
                free(history);
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "after %zu iterations the numbers are beyond the precision; divide the right "
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

void ki_cgnr_take_end(unsigned code, size_t iteration, struct cgnr_result *result)
{
    result->stopped = reasons[code % STOP_MOVED];
    result->iterations = code > 0 && code < STOP_MOVED ? iteration - 1 : iteration;
}

// Reads the numbers that the iterations stored.
static kn_status read_history(kn_queue *queue, const struct cgnr *s, size_t launched,
                              struct cgnr_result *result, kn_error *err)
{
    size_t bytes = launched * CGNR_CELLS * CGNR_CELL, k = 0;
    double *cells = ki_kept_take(&queue->kept, bytes);
    kn_status status = cells ? kn_buffer_read(queue, s->buffers[CGNR_STATE],
                                              ki_cgnr_cell_of(s, 0) * CGNR_CELL, cells, bytes, err)
                             : ki_fail_memory(err, bytes, "solving");

    while (!status && k + 1 < launched && cells[CGNR_CELLS * k + 3] == 0)
        k++;
    if (!status) {
        ki_cgnr_take_end((unsigned)cells[CGNR_CELLS * k + 3], k, result);
        status = ki_cgnr_take_history(cells, cells + 2, CGNR_CELLS, s->options.history, result, err);
    }
    ki_kept_give(&queue->kept, cells);
    return status;
}

static unsigned count_launches(const struct cgnr *s)
{
    unsigned products = s->a->launches;

    if (s->is_fused)
        return 2;
    if (!products)
        return 0;
    return s->options.printed ? 2U + CGNR_PRINTED_LAUNCHES + 2 * products + ki_cgnr_white_launches(s)
                              : 3U + cgnr_keeps_residual(&s->options) + products + ki_cgnr_white_launches(s);
}

// The buffer that holds the solution.
static kn_buffer *solution_of(const struct cgnr *s, const struct cgnr_result *found)
{
    if (found->stopped == CGNR_STOPPED_WHITENESS)
        return s->white.x;
    // Fused, each iteration writes x to the other of two buffers.
    return s->buffers[s->is_fused && found->iterations % 2 == 0 ? CGNR_NEXT_X : CGNR_X];
}

// Runs at most `most` iterations from the prepared start; x may be the buffer that holds the caller's start.
static kn_status iterate(kn_queue *queue, struct cgnr *s, size_t most, kn_buffer *x,
                         struct cgnr_result *found, kn_error *err)
{
    size_t launched = 0;
    kn_status status = kn_queue_finish(queue, err);
    double begun = ki_clock_seconds();

    if (!status)
        status = ki_cgnr_iterate_all(queue, s, most, &launched, err);
    found->seconds += ki_clock_seconds() - begun;
    if (!status)
        status = read_history(queue, s, launched, found, err);
    if (!status && found->stopped == CGNR_STOPPED_WHITENESS)
        status = ki_cgnr_white_take_end(queue, s, found, err);
    return status ? status
                  : kn_buffer_copy(queue, solution_of(s, found), 0, x, 0, s->columns * cgnr_number(s),
                                   NO_EVENT, err);
}

// For a self-adjoint operator and a right-hand side of 0, the solution is 0.
static kn_status answer_zero(kn_queue *queue, const struct cgnr *s, kn_buffer *x, struct cgnr_result *found,
                             kn_error *err)
{
    const double zero = 0; // has the bytes of a float's 0, too

    found->stopped = CGNR_STOPPED_GRADIENT;
    found->history = s->options.history ? s->options.history : malloc(2 * sizeof *found->history);
    if (!found->history)
        return ki_fail_memory(err, 2 * sizeof *found->history, "solving");
    found->steps = found->history + 1;
    found->history[0] = found->steps[0] = 0;
    return kn_buffer_fill(queue, x, &zero, cgnr_number(s), 0, s->columns * cgnr_number(s), NO_EVENT, err);
}

// For a solution that failed, or whose result is not wanted.
static void free_history(const struct cgnr *s, struct cgnr_result *found)
{
    if (!s->options.history)
        free(found->history);
}

// The gradient's recurrence reaches the floor of double precision before x does, because the condition of A^T
// A is the square of A's. In single precision, ki_cgnr_go_on serves this purpose.
static bool is_worth_refining(const struct cgnr *s, const struct cgnr_result *found)
{
    return s->type == KN_F64 && !s->options.printed && s->options.gradient == 0 &&
           found->stopped == CGNR_STOPPED_GRADIENT && found->iterations < s->options.iterations &&
           found->gradient > 0;
}

// Appends the second history to the first one.
static kn_status join(kn_queue *queue, const struct cgnr *s, struct cgnr_result *found,
                      const struct cgnr_result *again, kn_error *err)
{
    size_t first = found->iterations, count = first + again->iterations + 1,
           bytes = 2 * count * sizeof(double);
    double *joined = ki_kept_take(&queue->kept, bytes), *to = s->options.history;

    if (joined && !to)
        to = realloc(found->history, bytes);
    if (!joined || !to) {
        ki_kept_give(&queue->kept, joined);
        return ki_fail_memory(err, bytes, "solving");
    }
    for (size_t i = 0; i < count; i++) {
        bool later = i > first;

        joined[i] = later ? again->history[i - first] * again->gradient / found->gradient : to[i];
        joined[count + i] = later ? again->steps[i - first] : to[first + 1 + i];
    }
    memcpy(to, joined, bytes);
    ki_kept_give(&queue->kept, joined);
    found->history = to;
    found->steps = to + count;
    found->iterations = count - 1;
    found->normal_residual = to[count - 1];
    found->stopped = again->stopped;
    found->seconds += again->seconds;
    return KN_OK;
}

// Continues from x with a recomputed gradient, for the iterations that are left.
static kn_status refine(kn_queue *queue, struct cgnr *s, const kn_buffer *right, kn_buffer *x,
                        struct cgnr_result *found, kn_error *err)
{
    size_t left = s->options.iterations - found->iterations, bytes = 2 * (left + 1) * sizeof(double);
    struct cgnr_result again = {.history = NULL};
    double *room = s->options.history, *own = ki_kept_take(&queue->kept, bytes), goal;
    kn_status status = own ? begin(queue, s, right, x, &goal, err) : ki_fail_memory(err, bytes, "solving");

    s->options.history = own; // the first history stays as it is
    if (!status)
        status = iterate(queue, s, left, x, &again, err);
    s->options.history = room;
    if (!status)
        status = join(queue, s, found, &again, err);
    ki_kept_give(&queue->kept, own);
    return status;
}

static kn_status solve(kn_queue *queue, struct cgnr *s, const kn_buffer *right, const kn_buffer *start,
                       kn_buffer *x, struct cgnr_result *found, kn_error *err)
{
    double goal = 0, rest = 0;
    kn_status status = begin(queue, s, right, start, &goal, err);

    if (!status && s->options.self_adjoint && goal == 0)
        return answer_zero(queue, s, x, found, err);
    if (!status)
        status = iterate(queue, s, s->options.iterations, x, found, err);
    if (!status && is_worth_refining(s, found))
        status = refine(queue, s, right, x, found, err);
    if (found->stopped == CGNR_STOPPED_RESIDUAL && noise_is_first(&s->options, goal))
        found->stopped = CGNR_STOPPED_NOISE;
    if (!status)
        status = find_residual(queue, s, s->options.self_adjoint ? s->buffers[CGNR_X] : x, right, &rest,
                               &goal, err);
    found->right = sqrt(goal);
    found->absolute = sqrt(rest);
    found->residual = goal > 0 ? sqrt(rest / goal) : rest > 0 ? INFINITY : 0;
    return status;
}

static kn_status check(const kn_queue *queue, const struct cgnr *s, const kn_buffer *right,
                       const kn_buffer *start, const kn_buffer *x, kn_error *err)
{
    kn_status status = ki_column_check("the right hand side", queue, right, s->type, s->rows, err);

    if (!status)
        status = ki_column_check("the solution", queue, x, s->type, s->columns, err);
    if (!status && start)
        status = ki_column_check("the start", queue, start, s->type, s->columns, err);
    if (!status && right == x)
        status =
            ki_fail(err, KN_ERROR_ARGUMENT, "the solution is the right hand side's buffer; give two buffers");
    return status;
}

kn_status ki_cgnr_solve(kn_queue *queue, struct cgnr *s, const kn_buffer *right, const kn_buffer *start,
                        kn_buffer *x, struct cgnr_result *result, kn_error *err)
{
    struct cgnr_result found = {.launches_per_iteration = count_launches(s)};
    kn_status status = check(queue, s, right, start, x, err);

    if (!status)
        status = solve(queue, s, right, start, x, &found, err);
    if (status)
        free_history(s, &found);
    else
        *result = found;
    return status;
}

bool ki_cgnr_asks_host(const struct cgnr *s)
{
    return cgnr_keeps_residual(&s->options) || s->options.progress || s->options.printed || s->is_fused ||
           (s->options.self_adjoint && s->options.gradient >= 0);
}

kn_status ki_cgnr_enqueue(kn_queue *queue, struct cgnr *s, const kn_buffer *right, kn_buffer *x,
                          kn_error *err)
{
    kn_buffer *own = s->buffers[CGNR_X];
    kn_status status = check(queue, s, right, x, x, err);

    if (!status)
        status = begin_solution(queue, s, x, err);
    if (!status)
        status = launch_residual(queue, s, own, right, err);
    if (!status)
        status = begin_iterations(queue, s, 1, err); // only stops that ask the host use |b|^2
    if (!status)
        status = ki_cgnr_launch_all(queue, s, err);
    return status ? status : kn_buffer_copy(queue, own, 0, x, 0, s->columns * cgnr_number(s), NO_EVENT, err);
}

kn_status ki_cgnr_go_on(kn_queue *queue, struct cgnr *s, const kn_buffer *gradient, kn_buffer *x,
                        struct cgnr_result *result, kn_error *err)
{
    struct cgnr_result found = {.residual = NAN, .launches_per_iteration = count_launches(s)};
    kn_status status = ki_column_check("the gradient", queue, gradient, s->type, s->columns, err);

    if (!status)
        status = ki_column_check("the solution", queue, x, s->type, s->columns, err);
    if (!status && (cgnr_keeps_residual(&s->options) || s->options.printed || s->options.self_adjoint))
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "going on from a gradient: this solver looks at A x - b in each iteration, or has "
                         "no normal equations; go on with one that does not");
    if (!status)
        status = begin_again(queue, s, gradient, x, err);
    if (!status)
        status = iterate(queue, s, s->options.iterations, x, &found, err);
    if (status)
        free_history(s, &found);
    else
        *result = found;
    return status;
}
