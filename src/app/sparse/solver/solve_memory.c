// SPDX-License-Identifier: Apache-2.0
// koine/least_squares.h: the memory that solving a task takes, from the sizes in the comments of the methods.
#include "app/sparse/api/operator_internal.h"
#include "app/sparse/product/spmv_internal.h"
#include "app/sparse/solver/device/device_vectors.h"
#include "app/sparse/tomography/fbp.h"
#include "base/error.h"
#include "host/cholesky/host_cholesky.h"
#include "solve_internal.h"

static const size_t entry = sizeof(uint32_t) + sizeof(double); // of a nonzero in a stored matrix
enum { SIDES = 16, FEW = 2 };                                  // for GRAM on the host
enum { STATE = 4 * 1024, PARTS = 640 };                        // scalars of a device's iterations
enum { BLOCK = 32, AT_ONCE = 128 };                            // right-hand sides side by side

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

// A stored matrix with `nonzeros`, as the task has it.
static size_t bytes_of_matrix(size_t rows, size_t nonzeros)
{
    return (rows + 1) * sizeof(uint64_t) + nonzeros * entry;
}

// ---- memory of every method ----

static size_t bytes_of_results(const struct solve_run *run)
{
    size_t numbers = 2 * (run->task.iterations + 1); // a history, and as many steps
    size_t traces = run->task.type == KN_F32 ? numbers : 0;

    return run->count *
           ((run->matrix->columns + numbers + traces) * sizeof(double) + sizeof(kn_least_squares_solution) +
            sizeof(struct solve_trace) + sizeof(double *) + sizeof(struct solve_measured));
}

// The check of the adjoint, or that of the solutions, one on each thread; `at_once` of them in single
// precision.
static size_t bytes_of_checks(const struct solve_run *run, size_t at_once)
{
    size_t rows = run->matrix->rows, columns = run->matrix->columns;
    size_t adjoint = (2 * rows + 3 * columns) * sizeof(double) + most(rows, columns) * sizeof(float);
    size_t each = columns + rows + 4 * run->task.iterations;
    size_t accuracy = run->task.type == KN_F32
                          ? (3 * at_once * columns + ki_solve_threads(at_once) * each) * sizeof(double)
                          : 0;
    size_t judged = ki_solve_threads(run->count) * (rows + 2 * columns) * sizeof(double);

    return most(most(adjoint, accuracy), judged);
}

// The roots of the weights, and weighted copies of b and of the values of a matrix.
static size_t bytes_of_weights(const struct solve_run *run)
{
    const size_t rows = run->matrix->rows, nonzeros = run->geometry ? 0 : run->matrix->nonzeros;

    return run->weights ? (rows + run->count * rows + nonzeros) * sizeof(double) : 0;
}

// ---- the host ----

// The most nonzeros that A^T A can have.
static size_t nonzeros_of_gram(const struct sparse_matrix *matrix)
{
    size_t sum = 0, all = matrix->columns * matrix->columns;

    for (size_t row = 0; row < matrix->rows; row++) {
        size_t length = matrix->starts[row + 1] - matrix->starts[row];

        sum += length * length;
    }
    return sum + matrix->columns < all ? sum + matrix->columns : all;
}

static size_t bytes_of_preconditioner(const struct solve_run *run)
{
    size_t columns = run->matrix->columns, nonzeros;

    if (run->task.preconditioner == KN_LEAST_SQUARES_NONE)
        return 0;
    if (run->task.preconditioner == KN_LEAST_SQUARES_JACOBI)
        return columns * sizeof(double);
    nonzeros = nonzeros_of_gram(run->matrix);
    return bytes_of_matrix(columns, nonzeros) + nonzeros * sizeof(double) + 5 * columns * sizeof(double) +
           bytes_of_matrix(columns, run->matrix->nonzeros);
}

// The memory that a method holds while it solves; in addition to that, during preparation, and later.
struct need {
    size_t kept, making, solving;
};

// Products keep two matrices in their own order, and vectors.
static kn_status need_of_cgnr(const struct solve_run *run, struct need *need, kn_error *err)
{
    size_t rows = run->matrix->rows, columns = run->matrix->columns, size = kn_type_size(run->task.type);
    const struct sparse_source source = {run->geometry ? NULL : run->matrix, run->geometry};
    const kn_sparse_format format =
        run->task.format == KN_SPARSE_AUTO ? KN_SPARSE_SELL : run->task.format; // of rays, too
    const kn_sparse_operator_options options =
        KN_INIT(kn_sparse_operator_options, .format = format, .type = run->task.type);
    kn_sparse_memory products = {0, 0};
    kn_status status = ki_sparse_estimate_operator("kn_least_squares_estimate_memory", NULL, &source,
                                                   &options, &products, err);

    need->kept = products.host + bytes_of_preconditioner(run) + (rows + columns) * sizeof(double);
    need->making = bytes_of_matrix(columns, run->matrix->nonzeros) +
                   (format == KN_SPARSE_SELL ? bytes_of_matrix(rows, run->matrix->nonzeros) : 0);
    need->solving = (9 * columns + 2 * rows) * size + (4 * columns + 2 * rows) * sizeof(double);
    return status;
}

// The factors and A^T, and A^T b for some right-hand sides at a time.
static struct need need_of_gram(const struct solve_run *run)
{
    size_t rows = run->matrix->rows, columns = run->matrix->columns;

    return (struct need){.kept = ki_host_cholesky_bytes(columns) +
                                 bytes_of_matrix(columns, run->matrix->nonzeros),
                         .solving = run->count > FEW ? (rows + columns) * SIDES * sizeof(double) : 0};
}

static kn_status need_of_method(const struct solve_run *run, struct need *need, kn_error *err)
{
    size_t rows = run->matrix->rows, columns = run->matrix->columns;

    if (run->task.method == KN_LEAST_SQUARES_CGNR)
        return need_of_cgnr(run, need, err);
    if (run->task.method == KN_LEAST_SQUARES_GRAM)
        *need = need_of_gram(run);
    else if (run->task.method == KN_LEAST_SQUARES_PRINTED)
        need->solving = (5 * columns + 2 * rows) * sizeof(double);
    else if (run->task.method == KN_LEAST_SQUARES_TV)
        need->solving = (6 * columns + 4 * rows) * sizeof(double);
    else
        need->solving = (6 * columns + 3 * rows) * sizeof(double);
    return KN_OK;
}

// The lengths of a geometry's rows and columns, and the bytes of its matrix.
static kn_status look_at_rays(struct solve_run *run, size_t *bytes, kn_error *err)
{
    kn_status status = ki_sparse_parallel_starts(run->geometry, &run->own_matrix, &run->own_transposed, err);

    if (status)
        return status;
    run->own_matrix.nonzeros = run->own_matrix.starts[run->own_matrix.rows];
    *bytes = bytes_of_matrix(run->own_matrix.rows, run->own_matrix.nonzeros);
    return KN_OK;
}

static kn_status estimate_host(struct solve_run *run, kn_sparse_memory *memory, kn_error *err)
{
    struct need need = {0, 0, 0};
    size_t rays = 0; // bytes of the geometry's matrix, which exists twice while it is made
    kn_status status = run->geometry ? look_at_rays(run, &rays, err) : KN_OK;

    if (!status)
        status = need_of_method(run, &need, err);
    need.solving = most(need.solving, bytes_of_checks(run, 1));
    memory->host = rays + most(bytes_of_results(run) + need.kept + most(need.making, need.solving), rays);
    return status;
}

// ---- devices ----

// A as stored, both ways; for many right-hand sides at once and for GRAM, it is stored by rows.
static kn_status estimate_products(const struct solve_run *run, kn_sparse_format format, size_t *bytes,
                                   kn_error *err)
{
    const struct sparse_source source = {run->geometry ? NULL : run->matrix, run->geometry};
    const kn_sparse_operator_options options =
        KN_INIT(kn_sparse_operator_options, .format = format, .type = run->task.type);
    kn_sparse_memory products = {0, 0};
    kn_status status = ki_sparse_estimate_operator("kn_least_squares_estimate_memory", run->queue, &source,
                                                   &options, &products, err);

    *bytes = products.device;
    return status;
}

// Vectors of iterations for one right-hand side after another, including a second solver if the accuracy
// needs one with another stop.
static size_t bytes_one_by_one(const struct solve_run *run, size_t products)
{
    const kn_least_squares_options *task = &run->task;
    size_t rows = run->matrix->rows, columns = run->matrix->columns, size = kn_type_size(task->type);
    bool holds = kn_least_squares_method_holds_bounds(task->method);
    size_t of_rows = task->method == KN_LEAST_SQUARES_TV ? 4 : 3;
    bool again = !holds && task->type == KN_F32 &&
                 (task->method == KN_LEAST_SQUARES_PRINTED || task->stop != KN_LEAST_SQUARES_STOP_FIXED);
    size_t solver = products + (8 * columns + of_rows * rows) * size +
                    (STATE + 8 * (task->iterations + 1)) * sizeof(double);
    size_t white = task->stop == KN_LEAST_SQUARES_STOP_NCP
                       ? (4 * rows + columns + 3 * (task->iterations + 1)) * sizeof(float)
                       : 0;

    return (again ? 2 : 1) * solver + white;
}

// Vectors of iterations side by side, and the products by tiles of rows, which store the matrix in another
// way: on GPUs, with additional lines, each of at least three nonzeros (device/batch.c).
static size_t bytes_side_by_side(const struct solve_run *run, size_t at_once, size_t products)
{
    size_t rows = run->matrix->rows, columns = run->matrix->columns;
    bool tiled = run->task.method != KN_LEAST_SQUARES_GRAM &&
                 !engine_is_cpu(kn_context_get_device(kn_queue_get_context(run->queue)));
    size_t lines = tiled ? run->matrix->nonzeros / 3 : 0;

    return 2 * products + at_once * ((4 * columns + 2 * rows + lines) * sizeof(float) +
                                     2 * (run->task.iterations + 1 + PARTS) * sizeof(double));
}

// Jacobi's: what scaling the columns takes (scaling.c).
static size_t bytes_of_scaling(const struct solve_run *run)
{
    return run->task.preconditioner
               ? (run->matrix->nonzeros + (2 + run->count) * run->matrix->columns) * sizeof(double)
               : 0;
}

static kn_status estimate_device(struct solve_run *run, kn_sparse_memory *memory, kn_error *err)
{
    const kn_least_squares_options *task = &run->task;
    size_t rows = run->matrix->rows, columns = run->matrix->columns, size = kn_type_size(task->type);
    size_t room = most(ki_device_most_at_once(run), 1), count = (run->count + BLOCK - 1) / BLOCK * BLOCK;
    bool gram = task->method == KN_LEAST_SQUARES_GRAM, together = gram || ki_device_is_batch(run);
    size_t at_once = !together ? 1 : count < room ? count : room, products = 0, rays = 0, making;
    kn_status status = estimate_products(run, together ? KN_SPARSE_SIMPLE : task->format, &products, err);

    if (!status && run->geometry && (!ki_spmv_takes_geometry(task->format) || task->type == KN_F64))
        status = look_at_rays(run, &rays, err);
    memory->device = at_once * (rows + 2 * columns) * size;
    if (gram)
        memory->device += bytes_side_by_side(run, AT_ONCE, products) + columns * columns * sizeof(float);
    else
        memory->device +=
            together ? bytes_side_by_side(run, at_once, products) : bytes_one_by_one(run, products);
    making = (together ? 4 : 1) * products + bytes_of_matrix(columns, run->matrix->nonzeros) + rays +
             2 * (rows + columns) * sizeof(uint32_t);
    if (gram)
        making += need_of_gram(run).kept + BLOCK * columns * (sizeof(double) + sizeof(float));
    memory->host = bytes_of_results(run) + bytes_of_scaling(run) +
                   at_once * most(rows, columns) * sizeof(float) +
                   most(making, bytes_of_checks(run, at_once));
    return status;
}

// Filtered back-projection, which stores no matrix: arrays of the type, and buffers on a device.
static void estimate_filtered(const struct solve_run *run, kn_sparse_memory *memory)
{
    const size_t numbers = run->matrix->rows + run->matrix->columns, size = kn_type_size(run->task.type);

    memory->host = bytes_of_results(run) + bytes_of_checks(run, 1) + numbers * size;
    if (run->queue)
        memory->device = ki_sparse_fbp_device_memory(run->queue, run->geometry) + numbers * size;
    else
        memory->host += ki_sparse_fbp_host_memory(run->geometry, run->task.type);
}

kn_status kn_least_squares_estimate_memory(kn_queue *queue, const kn_least_squares_task *task,
                                           kn_sparse_memory *memory, const kn_least_squares_options *options,
                                           kn_error *err)
{
    struct solve_run run = {.queue = queue};
    kn_sparse_memory found = {0, 0};
    kn_status status = memory ? ki_solve_begin(__func__, task, options, &run, err)
                              : ki_fail(err, KN_ERROR_ARGUMENT, "memory is NULL");

    run.own_geometry.factors = run.weights; // read by nobody here: products on the fly are larger
    if (!status && run.task.method == KN_LEAST_SQUARES_FBP)
        estimate_filtered(&run, &found);
    else if (!status)
        status = queue ? estimate_device(&run, &found, err) : estimate_host(&run, &found, err);
    if (!status) {
        *memory = found;
        memory->host += bytes_of_weights(&run);
    }
    ki_solve_end(&run);
    return ki_error_name(__func__, status, err);
}
