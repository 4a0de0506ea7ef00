// SPDX-License-Identifier: Apache-2.0
// A solution within bounds on a device: its preparation and its result.
#include <float.h>
#include <math.h>

#include "algo/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "bounded_internal.h"
#include "operator/cgnr/cgnr.h"
#include "shared/cgnr.h"
#include "sirt.h"

enum { POWER_ITERATIONS = 30 };

// The sum of the groups' partial sums.
static kn_status read_sum(kn_queue *queue, const struct bounded *s, unsigned kind, double *sum, kn_error *err)
{
    double partial[CGNR_MOST_PARTS];
    kn_status status = kn_buffer_read(queue, s->buffers[BOUNDED_STATE], ki_bounded_partial(s, kind), partial,
                                      s->parts * sizeof *partial, err);

    *sum = 0;
    for (uint32_t i = 0; i < s->parts && !status; i++)
        *sum += partial[i];
    return status;
}

// ---- copies of vectors, which are empty if the operator has no rows ----

static kn_status fill(kn_queue *queue, kn_buffer *buffer, size_t count, float value, kn_error *err)
{
    return count ? kn_buffer_fill(queue, buffer, &value, sizeof value, 0, count * sizeof value, NO_EVENT, err)
                 : KN_OK;
}

static kn_status copy(kn_queue *queue, const kn_buffer *from, kn_buffer *to, size_t count, kn_error *err)
{
    return count ? kn_buffer_copy(queue, from, 0, to, 0, count * sizeof(float), NO_EVENT, err) : KN_OK;
}

static kn_status read_numbers(kn_queue *queue, const kn_buffer *from, float *to, size_t count, kn_error *err)
{
    return count ? kn_buffer_read(queue, from, 0, to, count * sizeof *to, err) : KN_OK;
}

static kn_status write_numbers(kn_queue *queue, kn_buffer *to, const float *from, size_t count, kn_error *err)
{
    return count ? kn_buffer_write(queue, to, 0, from, count * sizeof *from, err) : KN_OK;
}

// ---- the state ----

// The limit of |A x - b|^2 that is never reached; also if |b|^2 is subtracted from it.
static double no_limit(const struct bounded *s)
{
    return s->options.normal ? -DBL_MAX : -1;
}

// No iteration is done yet. `limit`: stops when |A x - b|^2 is at most this; `length`: step length.
static kn_status begin_state(kn_queue *queue, const struct bounded *s, double limit, double length,
                             kn_error *err)
{
    const double zero = 0;
    kn_buffer *state = s->buffers[BOUNDED_STATE];
    size_t ends = ki_bounded_cell(s, s->options.iterations + 1);
    kn_status status = kn_buffer_fill(queue, state, &zero, sizeof zero, ki_bounded_goal(s),
                                      CGNR_START * CGNR_CELL, NO_EVENT, err);

    if (!status)
        status = ki_loop_put(queue, state, ends, limit, err);
    return status ? status : ki_loop_put(queue, state, ends + CGNR_CELL, length, err);
}

// ---- steps ----

// V = A^T A d + L d, with its partial sums.
static kn_status apply_normal(kn_queue *queue, const struct bounded *s, const kn_buffer *d, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    kn_buffer *of_rows = b[s->options.normal ? BOUNDED_V : BOUNDED_W];
    kn_status status = ki_operator_apply(s->a, queue, false, d, of_rows, err);

    if (!status && !s->options.normal)
        status = ki_operator_apply(s->a, queue, true, of_rows, b[BOUNDED_V], err);
    return status ? status : ki_bounded_launch_normal(queue, s, d, err);
}

// The greatest eigenvalue of A^T A + L, slightly above the result of power iterations that start from almost
// ones.
static kn_status find_squared_norm(kn_queue *queue, struct bounded *s, kn_error *err)
{
    kn_buffer *d = s->buffers[BOUNDED_X_BEFORE];
    size_t bytes = s->columns * sizeof(float);
    float *start = ki_kept_take(&queue->kept, bytes);
    double squares = 0, length = 0;
    kn_status status = start ? KN_OK : ki_fail_memory(err, bytes, "a vector to begin with");

    for (uint32_t i = 0; i < s->columns && !status; i++) // not orthogonal to the leading eigenvector
        start[i] = (float)((1 + 0.01 * (double)(i % 7)) / sqrt((double)s->columns));
    if (!status)
        status = write_numbers(queue, d, start, s->columns, err);
    ki_kept_give(&queue->kept, start);
    for (size_t k = 0; k < POWER_ITERATIONS && !status; k++) {
        status = apply_normal(queue, s, d, err);
        if (!status)
            status = ki_bounded_launch_scale(queue, s, d, err);
    }
    if (!status)
        status = read_sum(queue, s, 0, &squares, err);
    if (!status)
        status = read_sum(queue, s, 2, &length, err);
    if (!status && !(isfinite(squares) && isfinite(length)))
        status = ki_fail(err, KN_ERROR_LIMIT,
                         "the operator's norm is beyond single precision; divide the operator by it");
    if (!status)
        s->squared_norm = length > 0 ? 1.02 * sqrt(squares / length) : 0;
    return status;
}

// Replaces each positive sum by its inverse, others by 0.
static void invert(float *sums, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] = sums[i] > 0 ? 1 / sums[i] : 0;
}

static void widen(const float *from, double *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (double)from[i];
}

// A and A^T applied to ones, and A applied to ki_sirt_pattern.
static kn_status take_sums(kn_queue *queue, const struct bounded *s, float *of_rows, float *of_columns,
                           float *of_some, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    kn_status status = fill(queue, b[BOUNDED_V], s->columns, 1, err);

    if (!status)
        status = ki_operator_apply(s->a, queue, false, b[BOUNDED_V], b[BOUNDED_W], err);
    if (!status)
        status = read_numbers(queue, b[BOUNDED_W], of_rows, s->rows, err);
    if (!status)
        status = fill(queue, b[BOUNDED_W], s->rows, 1, err);
    if (!status)
        status = ki_operator_apply(s->a, queue, true, b[BOUNDED_W], b[BOUNDED_V], err);
    for (uint32_t i = 0; i < s->columns && !status; i++)
        of_columns[i] = (float)ki_sirt_pattern(i);
    if (!status)
        status = write_numbers(queue, b[BOUNDED_G], of_columns, s->columns, err);
    if (!status)
        status = read_numbers(queue, b[BOUNDED_V], of_columns, s->columns, err);
    if (!status)
        status = ki_operator_apply(s->a, queue, false, b[BOUNDED_G], b[BOUNDED_W], err);
    return status ? status : read_numbers(queue, b[BOUNDED_W], of_some, s->rows, err);
}

// The inverse sums of rows and columns; refuses those that prove that A has negative elements.
static kn_status find_weights(kn_queue *queue, struct bounded *s, kn_error *err)
{
    size_t m = s->rows, n = s->columns, count = 2 * m + n;
    double *sums = ki_kept_take_array(&queue->kept, count, sizeof(double) + sizeof(float));
    float *of_rows = (float *)(void *)(sums + count), *of_columns = of_rows + m, *of_some = of_columns + n;
    kn_status status = sums ? take_sums(queue, s, of_rows, of_columns, of_some, err)
                            : ki_fail_memory(err, count * 12, "sums of rows and columns");

    if (!status) {
        widen(of_rows, sums, count);
        status = ki_sirt_check(
            KN_F32,
            &(struct sirt_sums){
                .rows = m, .columns = n, .of_rows = sums, .of_columns = sums + m, .of_some = sums + m + n},
            err);
    }
    if (!status) {
        invert(of_rows, m + n);
        status = write_numbers(queue, s->buffers[BOUNDED_OF_ROWS], of_rows, m, err);
    }
    if (!status)
        status = write_numbers(queue, s->buffers[BOUNDED_OF_COLUMNS], of_columns, n, err);
    ki_kept_give(&queue->kept, sums);
    s->has_weights = !status;
    return status;
}

// X_BEFORE = G / |G|, or 0 if G is 0.
static kn_status normalize_gradient(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    double squares = 0;
    kn_status status = ki_bounded_launch_normal(queue, s, b[BOUNDED_G], err); // for the sum of G's squares

    if (!status)
        status = read_sum(queue, s, 2, &squares, err);
    if (!status)
        status = fill(queue, b[BOUNDED_V], s->columns, squares > 0 ? (float)(1 / sqrt(squares)) : 0, err);
    return status ? status
                  : ki_bounded_launch_weigh(queue, s, b[BOUNDED_G], b[BOUNDED_V], b[BOUNDED_X_BEFORE],
                                            s->columns, err);
}

// |g|^2 / (g.(A^T A + L) g), the best step along the gradient without bounds, with A x - b in R. The gradient
// is normalized, so that A^T A times it is in the range of single precision however large A and b are.
static kn_status find_steepest(kn_queue *queue, const struct bounded *s, double *length, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    double curvature = 0, squares = 0;
    kn_status status = ki_operator_apply(s->a, queue, true, b[BOUNDED_R], b[BOUNDED_V], err);

    if (!status)
        status = ki_bounded_launch_gradient(queue, s, err);
    if (!status)
        status = normalize_gradient(queue, s, err);
    if (!status)
        status = apply_normal(queue, s, b[BOUNDED_X_BEFORE], err);
    if (!status)
        status = read_sum(queue, s, 1, &curvature, err);
    if (!status)
        status = read_sum(queue, s, 2, &squares, err);
    *length = curvature > 0 ? squares / curvature : 0;
    return status;
}

// ---- preparation ----

// x = x', A x = A x', and dual vectors of 0.
static kn_status begin_tv(kn_queue *queue, const struct bounded *s, double *length, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    kn_status status = copy(queue, b[BOUNDED_X], b[BOUNDED_X_BEFORE], s->columns, err);

    *length = ki_tv_step(s->squared_norm);
    if (!status)
        status = ki_operator_apply(s->a, queue, false, b[BOUNDED_X], b[BOUNDED_R], err);
    if (!status)
        status = fill(queue, b[BOUNDED_P], s->rows, 0, err);
    return status ? status : fill(queue, b[BOUNDED_DUAL], s->grid.axes * (size_t)s->columns, 0, err);
}

// The sum of the lengths of the start's details.
static kn_status begin_wavelet(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_status status = copy(queue, s->buffers[BOUNDED_X], s->buffers[BOUNDED_G], s->columns, err);

    return status ? status : ki_bounded_launch_splits(queue, s, 0, 0, err);
}

// Computes what the method needs to know of the operator, and the length of its first step.
static kn_status begin_method(kn_queue *queue, struct bounded *s, double *length, kn_error *err)
{
    kn_status status = KN_OK;

    *length = 0;
    if (s->options.method == KN_SOLVE_SIRT)
        return s->has_weights ? KN_OK : find_weights(queue, s, err);
    if (s->options.method == KN_SOLVE_BB)
        return find_steepest(queue, s, length, err);
    if (s->squared_norm < 0)
        status = find_squared_norm(queue, s, err);
    if (s->options.method == KN_SOLVE_TV)
        return status ? status : begin_tv(queue, s, length, err);
    *length = s->squared_norm > 0 ? 1 / s->squared_norm : 0;
    if (!status && s->options.method == KN_SOLVE_WAVELET)
        status = begin_wavelet(queue, s, err);
    return status ? status
                  : copy(queue, s->buffers[BOUNDED_X], s->buffers[BOUNDED_X_BEFORE], s->columns, err);
}

// X = P(start), and defined numbers in the vectors that kernels read without using them.
static kn_status begin_vectors(kn_queue *queue, const struct bounded *s, const kn_buffer *right,
                               const kn_buffer *start, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    kn_status status = copy(queue, right, b[BOUNDED_RIGHT], s->rows, err);

    if (!status)
        status = copy(queue, start, b[BOUNDED_X], s->columns, err);
    if (!status && b[BOUNDED_X_BEFORE])
        status = fill(queue, b[BOUNDED_X_BEFORE], s->columns, 0, err);
    if (!status && b[BOUNDED_G_BEFORE])
        status = fill(queue, b[BOUNDED_G_BEFORE], s->columns, 0, err);
    if (!status)
        status = begin_state(queue, s, no_limit(s), 0, err);
    return status ? status : ki_bounded_launch_project(queue, s, err);
}

static kn_status begin_residual(kn_queue *queue, const struct bounded *s, kn_error *err)
{
    kn_buffer *const *b = s->buffers;
    kn_status status = ki_operator_apply(s->a, queue, false, b[BOUNDED_X], b[BOUNDED_W], err);

    return status ? status : ki_bounded_launch_residual(queue, s, err);
}

// Returns |b|^2; refuses b and a start that are not finite.
static kn_status judge_residual(kn_queue *queue, const struct bounded *s, double *goal, kn_error *err)
{
    double odd = 0, rest = 0;
    kn_status status = read_sum(queue, s, 0, &rest, err);

    if (!status)
        status = read_sum(queue, s, 1, goal, err);
    if (!status)
        status = read_sum(queue, s, 2, &odd, err);
    if (status || (isfinite(*goal) && isfinite(rest) && isfinite(odd)))
        return status;
    return ki_fail(err, KN_ERROR_ARGUMENT, "%s is not finite everywhere, or beyond single precision",
                   isfinite(*goal) ? "the start" : "the right-hand side");
}

static kn_status begin(kn_queue *queue, struct bounded *s, const kn_buffer *right, const kn_buffer *start,
                       double *goal, kn_error *err)
{
    double part, limit = no_limit(s), length;
    kn_status status = begin_vectors(queue, s, right, start, err);

    if (!status)
        status = begin_residual(queue, s, err);
    if (!status)
        status = judge_residual(queue, s, goal, err);
    if (!status)
        status = begin_method(queue, s, &length, err);
    if (status)
        return status;
    part = s->options.tolerance * sqrt(*goal);
    if (!s->options.normal && (s->options.tolerance > 0 || s->options.noise > 0))
        limit = fmax(part * part, s->options.noise * s->options.noise);
    return begin_state(queue, s, limit, length, err);
}

// ---- results ----

static kn_solve_stopped reason_of(const struct bounded *s, unsigned code, double right)
{
    const struct bounded_options *options = &s->options;

    if (code == 0)
        return KN_SOLVE_STOPPED_ITERATIONS;
    if (options->normal && ki_bounded_end(s) > options->floor)
        return KN_SOLVE_STOPPED_TOLERANCE;
    if (code % STOP_MOVED != STOP_RESIDUAL)
        return KN_SOLVE_STOPPED_FLOOR;
    return options->noise > 0 && options->noise >= options->tolerance * right ? KN_SOLVE_STOPPED_NOISE
                                                                              : KN_SOLVE_STOPPED_TOLERANCE;
}

// Reads the end from the cells of the iterations: the first iteration with a reason to stop, or else the last
// one.
static kn_status take_end(const struct bounded *s, const double *cells, size_t launched,
                          kn_solve_result *result, kn_error *err)
{
    size_t k = 0;
    unsigned code;

    while (k + 1 < launched && cells[CGNR_CELLS * k + 3] == 0)
        k++;
    code = (unsigned)cells[CGNR_CELLS * k + 3];
    result->stopped = reason_of(s, code, result->right);
    result->iterations = code > 0 && code < STOP_MOVED ? k - 1 : k;
    result->residual = s->options.normal ? 0 : sqrt(cells[CGNR_CELLS * k + 1]);
    for (size_t i = 0; i <= k; i++)
        if (!isfinite(cells[CGNR_CELLS * i]) || !isfinite(cells[CGNR_CELLS * i + 1]))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "after %zu iterations the numbers are beyond single precision; divide the "
                           "right-hand side by its greatest value",
                           i);
    for (size_t i = 0; i <= result->iterations; i++) {
        s->options.gradients[i] = sqrt(cells[CGNR_CELLS * i]);
        if (s->options.residuals)
            s->options.residuals[i] = sqrt(cells[CGNR_CELLS * i + 1]);
        if (s->options.method >= KN_SOLVE_TV && s->options.objectives)
            s->options.objectives[i] =
                cells[CGNR_CELLS * i + 1] / 2 + s->options.lambda * cells[CGNR_CELLS * i + 2];
    }
    result->gradient = s->options.gradients[result->iterations];
    return KN_OK;
}

static kn_status read_end(kn_queue *queue, const struct bounded *s, size_t launched, kn_solve_result *result,
                          kn_error *err)
{
    size_t bytes = launched * CGNR_CELLS * CGNR_CELL;
    double *cells = ki_kept_take(&queue->kept, bytes);
    kn_status status =
        cells ? kn_buffer_read(queue, s->buffers[BOUNDED_STATE], ki_bounded_cell(s, 0), cells, bytes, err)
              : ki_fail_memory(err, bytes, "solving");

    if (!status)
        status = take_end(s, cells, launched, result, err);
    ki_kept_give(&queue->kept, cells);
    return status;
}

// ---- solutions ----

static kn_status check(const kn_queue *queue, const struct bounded *s, const kn_buffer *right,
                       const kn_buffer *x, kn_error *err)
{
    kn_status status = ki_column_check("the right-hand side", queue, right, KN_F32, s->rows, err);

    if (!status)
        status = ki_column_check("the solution", queue, x, KN_F32, s->columns, err);
    if (!status && right == x)
        status =
            ki_fail(err, KN_ERROR_ARGUMENT, "the solution is the right-hand side's buffer; give two buffers");
    return status;
}

kn_status ki_bounded_solve(kn_queue *queue, struct bounded *s, const kn_buffer *right, kn_buffer *x,
                           kn_solve_result *result, kn_error *err)
{
    const struct operator_loop loop = ki_bounded_loop(s);
    kn_solve_result found = {.iterations = 0};
    double goal = 0;
    size_t launched = 0;
    kn_status status = check(queue, s, right, x, err);

    if (!status)
        status = begin(queue, s, right, x, &goal, err);
    if (!status)
        status = ki_loop_run(queue, &loop, &launched, err);
    found.right = sqrt(goal);
    if (!status)
        status = read_end(queue, s, launched, &found, err);
    if (!status)
        status =
            kn_buffer_copy(queue, s->buffers[BOUNDED_X], 0, x, 0, s->columns * sizeof(float), NO_EVENT, err);
    if (!status)
        *result = found;
    return status;
}

bool ki_bounded_asks_host(const struct bounded *s)
{
    const struct bounded_options *options = &s->options;

    return options->tolerance > 0 || options->noise > 0 || options->progress ||
           options->method == KN_SOLVE_BB;
}

kn_status ki_bounded_enqueue(kn_queue *queue, struct bounded *s, const kn_buffer *right, kn_buffer *x,
                             kn_error *err)
{
    struct operator_loop loop = ki_bounded_loop(s);
    double length = 0;
    size_t launched;
    kn_status status = check(queue, s, right, x, err);

    loop.state = NULL;
    if (!status)
        status = begin_vectors(queue, s, right, x, err);
    if (!status)
        status = begin_residual(queue, s, err);
    if (!status)
        status = begin_method(queue, s, &length, err);
    if (!status)
        status = begin_state(queue, s, no_limit(s), length, err);
    if (!status)
        status = ki_loop_launch(queue, &loop, &launched, err);
    return status ? status : copy(queue, s->buffers[BOUNDED_X], x, s->columns, err);
}
