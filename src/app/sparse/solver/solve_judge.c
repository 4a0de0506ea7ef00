// SPDX-License-Identifier: Apache-2.0
// Whether A and A^T are adjoint to each other, and how good a solution is, in double precision.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/threads.h"
#include "app/sparse/product/reference.h"
#include "operator/proximal/tv.h"
#include "solve_internal.h"

kn_status ki_solve_multiply_exactly(const struct solve_run *run, bool transposed, const double *from,
                                    double *to, kn_error *err)
{
    if (run->geometry)
        return ki_sparse_parallel_multiply(run->geometry, transposed, from, to, 0, err);
    (transposed ? ki_sparse_reference_multiply_transposed : ki_sparse_reference_multiply)(run->matrix, from,
                                                                                          to);
    return KN_OK;
}

// ---- the adjoint ----

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// The sum of |a x y|, and the greatest number of terms of a row and a column together; `lengths` is a
// workspace.
static double size_of_sum(const struct sparse_matrix *matrix, const double *x, const double *y,
                          double *lengths, double *terms)
{
    double size = 0, longest_row = 0, longest_column = 0;

    for (size_t row = 0; row < matrix->rows; row++) {
        longest_row = fmax(longest_row, (double)(matrix->starts[row + 1] - matrix->starts[row]));
        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++) {
            size += fabs(matrix->values[i] * x[matrix->indices[i]] * y[row]);
            lengths[matrix->indices[i]]++;
        }
    }
    for (size_t column = 0; column < matrix->columns; column++)
        longest_column = fmax(longest_column, lengths[column]);
    *terms = longest_row + longest_column;
    return size;
}

// The same for a geometry, whose elements are not negative. `ax` is a workspace.
static kn_status size_of_rays(const struct solve_run *run, double *x, double *y, double *ax, double *size,
                              double *terms, kn_error *err)
{
    const struct sparse_parallel *geometry = run->geometry;
    size_t rows = run->matrix->rows, columns = run->matrix->columns;
    double *moduli = malloc((columns + 1) * sizeof *moduli);
    kn_status status = moduli ? KN_OK : ki_fail_memory(err, columns * sizeof *moduli, "the adjoint");

    for (size_t i = 0; i < columns && !status; i++)
        moduli[i] = fabs(x[i]);
    if (!status)
        status = ki_solve_multiply_exactly(run, false, moduli, ax, err);
    *size = 0;
    for (size_t i = 0; i < rows && !status; i++)
        *size += ax[i] * fabs(y[i]);
    *terms = 2 * (double)geometry->size + ki_sparse_parallel_seen(geometry) * (double)geometry->angles;
    free(moduli);
    return status;
}

// The rounding error of a sum of n terms is at most n roundings of the sum of their moduli. This applies to
// each row of A x and of A^T y, with its length, and to the sums here, in double precision. Both products use
// the same rounded elements, except those that compute them from the geometry, with a few roundings each.
kn_status ki_solve_adjoint(struct solve_run *run, solve_multiply *multiply, void *data, double epsilon,
                           kn_error *err)
{
    size_t rows = run->matrix->rows, columns = run->matrix->columns, most = rows > columns ? rows : columns;
    double *numbers = calloc(2 * (rows + columns) + 1, sizeof *numbers), terms = 0, size = 0;
    float *floats = malloc((most + 1) * sizeof *floats);
    double *x = numbers, *ax = x + columns, *y = ax + rows, *aty = y + rows;
    kn_status status =
        numbers && floats ? KN_OK : ki_fail_memory(err, 2 * (rows + columns) * sizeof *x, "the adjoint");

    if (!status) {
        ki_sparse_fill(floats, most);
        for (size_t i = 0; i < columns; i++)
            x[i] = (double)floats[i];
        for (size_t i = 0; i < rows; i++)
            y[i] = (double)floats[rows - 1 - i];
        if (run->geometry)
            status = size_of_rays(run, x, y, ax, &size, &terms, err);
        else
            size = size_of_sum(run->matrix, x, y, aty, &terms);
    }
    if (!status)
        status = multiply(data, false, x, ax, err);
    if (!status)
        status = multiply(data, true, y, aty, err);
    if (!status) {
        run->result->adjoint = size > 0 ? fabs(dot(ax, y, rows) - dot(x, aty, columns)) / size : 0;
        run->result->adjoint_bound = (terms + 2) * epsilon + (double)(rows + columns) * 0x1p-53;
    }
    free(numbers);
    free(floats);
    return status;
}

static kn_status multiply_plainly(void *data, bool transposed, const double *from, double *to, kn_error *err)
{
    const struct solve_run *run = data;

    (void)err;
    (transposed ? ki_sparse_reference_multiply_transposed : ki_sparse_reference_multiply)(run->matrix, from,
                                                                                          to);
    return KN_OK;
}

kn_status ki_solve_adjoint_plain(struct solve_run *run, kn_error *err)
{
    return ki_solve_adjoint(run, multiply_plainly, run, 0x1p-53, err);
}

// ---- solutions ----

// |A x - b|, and the length of its gradient, or of the projected gradient if bounds hold. `r` and `g` are
// workspaces.
static kn_status measure(const struct solve_run *run, const double *x, const double *b, double *r, double *g,
                         double *residual, double *gradient, kn_error *err)
{
    const kn_least_squares_options *task = &run->task;
    size_t rows = run->matrix->rows, columns = run->matrix->columns;
    kn_status status = ki_solve_multiply_exactly(run, false, x, r, err);

    for (size_t i = 0; i < rows && !status; i++)
        r[i] -= b[i];
    if (!status)
        status = ki_solve_multiply_exactly(run, true, r, g, err);
    if (status)
        return status;
    if (run->correction)
        run->correction->gradient(run->correction->data, x, columns, g);
    for (size_t i = 0; i < columns && kn_least_squares_method_holds_bounds(task->method) && task->bounded;
         i++)
        g[i] = x[i] - fmin(fmax(x[i] - g[i], task->low), task->high);
    *residual = ki_solve_norm(r, rows);
    *gradient = ki_solve_norm(g, columns);
    return KN_OK;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : part > 0 ? INFINITY : 0;
}

// ---- columns on several threads ----

struct each {
    solve_each *column;
    void *data;
    pthread_mutex_t lock; // protects what follows
    kn_status status;     // of the first column that failed
    kn_error failure;
};

static void do_column(void *context, size_t i)
{
    struct each *each = context;
    kn_error why = KN_ERROR_INIT;
    const kn_status status = each->column(each->data, i, ki_thread(), &why);

    if (!status)
        return;
    pthread_mutex_lock(&each->lock);
    if (!each->status)
        each->failure = why;
    each->status = each->status ? each->status : status;
    pthread_mutex_unlock(&each->lock);
}

// Gives each thread a column, with products on that thread only, if that leaves few threads idle; otherwise
// all threads share each product.
unsigned ki_solve_threads(size_t count)
{
    enum { IDLE = 4 }; // at least one thread in this many must have work
    const unsigned threads = ki_threads(0);

    if (count * IDLE < threads)
        return 1;
    return count < threads ? (unsigned)count : threads;
}

kn_status ki_solve_each(size_t count, solve_each *column, void *data, kn_error *err)
{
    const unsigned threads = ki_solve_threads(count);
    struct each each = {.column = column, .data = data, .lock = PTHREAD_MUTEX_INITIALIZER};
    kn_status status = KN_OK;

    if (threads == 1) {
        for (size_t i = 0; i < count && !status; i++)
            status = column(data, i, 0, err);
        return status;
    }
    ki_parallel(threads, count, KI_DYNAMIC, do_column, &each);
    if (each.status && err)
        *err = each.failure;
    return each.status;
}

// ---- all columns ----

struct judging {
    const struct solve_run *run;
    double *room; // for each thread: a residual, a gradient and a start
};

static void judge(const struct solve_run *run, size_t k, double residual, double gradient, double first)
{
    const kn_least_squares_options *task = &run->task;
    const double *b = run->b + k * run->matrix->rows;
    // The error that the residual's recurrence may have when it stops; in single precision, also that of A's
    // elements.
    const double slack = 1 + (task->type == KN_F64 ? 1e-9 : 1e-2);
    kn_least_squares_solution *solution = &run->result->solutions[k];

    solution->residual = ratio(residual, ki_solve_norm(b, run->matrix->rows));
    if (task->method == KN_LEAST_SQUARES_TV) {
        const struct tv_grid grid = ki_tv_grid(task->shape, 1);

        solution->normal_residual = NAN;
        solution->objective =
            residual * residual / 2 + task->lambda * ki_tv_value(&grid, run->x + k * run->matrix->columns);
    } else if (!task->correction) {
        solution->normal_residual = ratio(gradient, first);
    }
    if (task->tolerance > 0 && !(solution->residual <= slack * task->tolerance))
        solution->tolerance_reached = false;
    if (task->noise > 0 && !(residual <= slack * task->noise))
        solution->noise_reached = false;
    // The iterations stopped because they considered a goal reached that is not.
    if (!(solution->tolerance_reached && solution->noise_reached) && task->type == KN_F32 &&
        (solution->stopped == KN_LEAST_SQUARES_STOPPED_RESIDUAL ||
         solution->stopped == KN_LEAST_SQUARES_STOPPED_DISCREPANCY))
        solution->precision_reached = false;
}

// A picture of FBP, which minimises no function.
static kn_status judge_picture(const struct solve_run *run, size_t k, double *r, kn_error *err)
{
    const size_t rows = run->matrix->rows;
    const double *b = run->b + k * rows;
    kn_status status = ki_solve_multiply_exactly(run, false, run->x + k * run->matrix->columns, r, err);

    for (size_t i = 0; i < rows && !status; i++)
        r[i] -= b[i];
    if (!status)
        judge(run, k, ki_solve_norm(r, rows), NAN, 1);
    return status;
}

static kn_status judge_column(void *data, size_t k, unsigned thread, kn_error *err)
{
    const struct judging *judging = data;
    const struct solve_run *run = judging->run;
    const size_t rows = run->matrix->rows, columns = run->matrix->columns;
    const double *b = run->b + k * rows;
    double *r = judging->room + thread * (rows + 2 * columns), *gradient_room = r + rows,
           *start = gradient_room + columns;
    double first = 0, residual = 0, gradient = 0;
    kn_status status;

    if (run->task.method == KN_LEAST_SQUARES_FBP)
        return judge_picture(run, k, r, err);
    ki_solve_take_start(run, k, start);
    status = measure(run, start, b, r, gradient_room, &residual, &first, err);
    if (!status && run->measured) {
        residual = run->measured[k].residual;
        gradient = run->measured[k].gradient;
    } else if (!status) {
        status = measure(run, run->x + k * columns, b, r, gradient_room, &residual, &gradient, err);
    }
    if (!status)
        judge(run, k, residual, gradient, first);
    return status;
}

kn_status ki_solve_judge(const struct solve_run *run, kn_error *err)
{
    const size_t room = ki_solve_threads(run->count) * (run->matrix->rows + 2 * run->matrix->columns) + 1;
    struct judging judging = {run, malloc(room * sizeof *judging.room)};
    const kn_status status = judging.room ? ki_solve_each(run->count, judge_column, &judging, err)
                                          : ki_fail_memory(err, room * sizeof *judging.room, "the residual");

    free(judging.room);
    return status;
}
