// SPDX-License-Identifier: Apache-2.0
#include "solver_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/rung.h"
#include "base/array.h"
#include "base/error.h"
#include "base/number.h"

enum { MOST_ITERATIONS = 1 << 20 };
// Local memory that a kernel takes at most, for the columns that every group keeps.
enum { FUSED_BYTES = 48 << 10 };

const char *const ki_sparse_stopped_names[] = {"iterations", "gradient",  "residual",
                                               "curvature",  "whiteness", NULL};

static const char *const names[SOLVER_KERNELS] = {
    [SOLVER_FORWARD] = "cgnr_forward",
    [SOLVER_BACKWARD] = "cgnr_backward",
    [SOLVER_RESIDUAL] = "cgnr_residual",
    [SOLVER_CURVE] = "cgnr_curve",
    [SOLVER_STEP] = "cgnr_step",
    [SOLVER_REST] = "cgnr_rest",
    [SOLVER_TURN] = "cgnr_turn",
    [SOLVER_PRINTED_MOVE] = "printed_move",
    [SOLVER_PRINTED_RESIDUAL] = "printed_residual",
    [SOLVER_PRINTED_GRADIENT] = "printed_gradient",
};

bool ki_sparse_solver_is_fused(const struct sparse_solver *solver)
{
    return solver->fused;
}

const kn_recording *ki_sparse_solver_recording(const struct sparse_solver *solver)
{
    return solver->recording;
}

kn_status ki_sparse_solver_apply(kn_queue *queue, const struct sparse_solver *solver, bool transposed,
                                 kn_buffer *x, kn_buffer *y, kn_error *err)
{
    return ki_spmv_product_apply(queue, &solver->products[transposed], x, y, err);
}

kn_sparse_format ki_sparse_solver_format(const struct sparse_solver *solver, bool transposed)
{
    return solver->products[transposed].format;
}

// ---- options ----

kn_status ki_solver_check_options(const struct sparse_solver_options *options, kn_error *err)
{
    const struct {
        const char *name;
        double value;
    } parts[] = {{"lambda", options->lambda},
                 {"the weight of smoothness", options->smooth},
                 {"the weight of the penalty for negative numbers", options->nonnegative},
                 {"the weight of the penalty for bounds", options->penalty},
                 {"the gradient to stop at", fabs(options->gradient)},
                 {"the residual to stop at", options->residual}};

    if (options->iterations > MOST_ITERATIONS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%zu iterations; at most %d can be had", options->iterations,
                       MOST_ITERATIONS);
    for (size_t i = 0; i < KI_COUNT(parts); i++)
        if (!(parts[i].value >= 0) || !isfinite((float)parts[i].value))
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s is %g; expected a number from 0 on", parts[i].name,
                           parts[i].value);
    if (!isfinite((float)options->weight))
        return ki_fail(err, KN_ERROR_ARGUMENT, "the correction's weight is %g", options->weight);
    if (options->smooth > 0 && options->order != 1 && options->order != 2)
        return ki_fail(err, KN_ERROR_ARGUMENT, "differences of order %u; there are 1 and 2", options->order);
    if ((options->nonnegative > 0) + (options->penalty > 0) + (options->correction != NULL) > 1)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "penalties for negative numbers and for bounds, and a correction of its own, take each "
            "other's place; write both in one");
    if (options->penalty > 0 && !((float)options->low <= (float)options->high))
        return ki_fail(err, KN_ERROR_ARGUMENT, "bounds from %g to %g; expected the lower one first",
                       options->low, options->high);
    if ((unsigned)options->launches > SPARSE_LAUNCHES_SEPARATE)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no way of launching %d; see sparse_launches",
                       (int)options->launches);
    if ((options->printed || options->white) && options->launches == SPARSE_LAUNCHES_FUSED)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s has separate launches; leave them open, or ask for those",
                       options->printed ? "the loop as it is printed" : "a stop at the whiteness of A x - b");
    return KN_OK;
}

struct solver_terms ki_solver_terms_of(const struct sparse_solver_options *options)
{
    double gradient = options->gradient > SPARSE_FLOOR ? options->gradient : SPARSE_FLOOR;

    return (struct solver_terms){
        .order = options->smooth > 0 ? options->order : 0,
        .lambda = (float)options->lambda,
        .smooth = (float)options->smooth,
        .weight = (float)(options->correction    ? options->weight
                          : options->penalty > 0 ? options->penalty
                                                 : options->nonnegative),
        .gradient = options->gradient < 0 ? -1 : (float)(gradient * gradient),
        .residual = options->residual > 0 ? (float)(options->residual * options->residual) : -1};
}

kn_status ki_solver_define(struct engine_defines *defines, kn_context *context,
                           const struct sparse_solver_options *options, kn_error *err)
{
    const kn_device_info *info = kn_context_get_device(context);

    ki_engine_define(defines, "ACC_SOFT", !info->fp64);
    if (options->penalty > 0) {
        ki_engine_define(defines, "LOW_BITS", ki_float_bits(options->low));
        ki_engine_define(defines, "HIGH_BITS", ki_float_bits(options->high));
    }
    if (options->correction)
        ki_engine_define_text(defines, "CORRECTION", options->correction);
    else if (options->nonnegative > 0)
        ki_engine_define_text(defines, "CORRECTION", "(x < 0 ? weight * d : 0)");
    return ki_rung_define_subgroups(defines, context, err);
}

// Columns of the direction that fused launches keep in local memory: one program for all but a few.
static size_t kept_columns(const struct sparse_solver *s)
{
    return s->columns ? ((size_t)s->columns + 255) / 256 * 256 : 256;
}

// Bytes of local memory of a fused launch: the columns, and two sums of the group.
static size_t fused_bytes(const struct sparse_solver *s)
{
    return kept_columns(s) * sizeof(float) + 2 * s->group * SOLVER_CELL;
}

// What a kernel's own arrays may take: on CUDA 48 KiB, whatever the device has.
static size_t local_limit(const kn_device_info *info)
{
    return info->local_memory < FUSED_BYTES ? (size_t)info->local_memory : FUSED_BYTES;
}

static bool can_fuse(const struct sparse_solver *s, const kn_device_info *info)
{
    return fused_bytes(s) <= local_limit(info) && s->rows < UINT32_MAX / 2;
}

static kn_status choose_launches(struct sparse_solver *s, kn_error *err)
{
    const kn_device_info *info = kn_context_get_device(s->context);
    enum sparse_launches launches = s->options.launches;

    if (launches == SPARSE_LAUNCHES_FUSED && !can_fuse(s, info))
        return ki_fail(err, KN_ERROR_LIMIT,
                       "fused launches of %u rows and %u columns take %zu bytes of local memory; a kernel on "
                       "%s (%s) has "
                       "%zu, and takes half of 2^32 rows; use separate ones",
                       s->rows, s->columns, fused_bytes(s), info->spec, info->name, local_limit(info));
    s->fused = launches == SPARSE_LAUNCHES_FUSED ||
               (launches == SPARSE_LAUNCHES_AUTO && s->options.format == KN_SPARSE_AUTO &&
                !s->options.printed && !s->options.white && !engine_is_cpu(info) && can_fuse(s, info));
    return KN_OK;
}

static void choose_shape(struct sparse_solver *s)
{
    const kn_device_info *info = kn_context_get_device(s->context);
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_SPARSE_SOLVER),
                              *back = ki_engine_sizes(info, SHAPE_SPARSE_SOLVER_BACK);
    size_t groups, busy = (size_t)info->compute_units * sizes->per_unit;

    s->group = s->options.group ? s->options.group : sizes->group;
    while (s->group > info->max_work_group)
        s->group /= 2;
    s->back_group = s->options.tuning.group ? s->options.tuning.group : back->group;
    while (s->back_group > info->max_work_group)
        s->back_group /= 2;
    s->lanes = s->options.tuning.lanes ? s->options.tuning.lanes : back->lanes;
    while (s->lanes > s->back_group)
        s->lanes /= 2;
    groups = (s->rows > s->columns ? s->rows : s->columns) / s->group + 1;
    groups = groups < busy ? groups : busy;
    if (s->options.groups)
        groups = s->options.groups;
    s->parts = groups < SOLVER_MOST_PARTS ? (uint32_t)groups : SOLVER_MOST_PARTS;
}

// ---- the matrix ----

// The rows in the products' order, and the position of each row in it.
static kn_status take_row_order(struct sparse_solver *s, kn_queue *queue, uint32_t *row_order,
                                uint32_t *inverse, kn_error *err)
{
    kn_status status = KN_OK;

    if (s->fused)
        status = kn_buffer_read(queue, s->products[0].buffers[SPMV_SELL_ORDER], 0, row_order,
                                s->rows * sizeof *row_order, err);
    for (uint32_t i = 0; i < s->rows && !status; i++) {
        if (!s->fused)
            row_order[i] = i;
        inverse[row_order[i]] = i;
    }
    if (!status)
        status =
            kn_buffer_create(s->context, s->rows * sizeof *row_order, &s->buffers[SOLVER_ROW_ORDER], err);
    return status ? status
                  : kn_buffer_write(queue, s->buffers[SOLVER_ROW_ORDER], 0, row_order,
                                    s->rows * sizeof *row_order, err);
}

// A in slices writes w in the slices' row_order, and A^T reads it so.
static kn_status fold_order(struct sparse_solver *s, kn_queue *queue, struct sparse_matrix *transposed,
                            kn_error *err)
{
    uint32_t *row_order = malloc(2 * (size_t)s->rows * sizeof *row_order + 1), *inverse = row_order + s->rows;
    kn_status status = row_order ? take_row_order(s, queue, row_order, inverse, err)
                                 : ki_fail_memory(err, 2 * s->rows * sizeof *row_order, "a sparse matrix");

    if (!status && s->fused) {
        for (size_t i = 0; i < transposed->nonzeros; i++)
            transposed->indices[i] = inverse[transposed->indices[i]];
        for (uint32_t i = 0; i < s->rows; i++)
            row_order[i] = i;
        status = kn_buffer_write(queue, s->products[0].buffers[SPMV_SELL_ORDER], 0, row_order,
                                 s->rows * sizeof *row_order, err);
    }
    free(row_order);
    return status;
}

static kn_status prepare_products(struct sparse_solver *s, kn_queue *queue,
                                  const struct sparse_matrix *matrix, kn_error *err)
{
    struct sparse_matrix transposed = {.rows = 0};
    struct spmv_task tasks[2];
    kn_sparse_format formats[2] = {s->options.format, s->options.format};
    struct sparse_tuning tuning = s->options.tuning;
    struct ki_text why = KI_TEXT_INIT;
    kn_status status = ki_sparse_transpose(matrix, &transposed, err);

    if (s->fused) {
        formats[0] = KN_SPARSE_SELL;
        formats[1] = KN_SPARSE_CSR_VECTOR;
        tuning.group = (unsigned)s->back_group;
        tuning.lanes = (unsigned)s->lanes;
    }
    tasks[0] = ki_spmv_task_of(queue, matrix, &transposed, &tuning);
    tasks[1] = ki_spmv_task_of(queue, &transposed, matrix, &tuning);
    for (unsigned i = 0; i < 2 && !status; i++)
        if (formats[i] == KN_SPARSE_AUTO)
            status = ki_spmv_choose(&tasks[i], &formats[i], &why, err);
    ki_text_free(&why);
    if (!status)
        status = ki_spmv_product_create(&tasks[0], formats[0], &s->products[0], err);
    if (!status)
        status = fold_order(s, queue, &transposed, err);
    if (!status)
        status = ki_spmv_product_create(&tasks[1], formats[1], &s->products[1], err);
    ki_sparse_free(&transposed);
    return status;
}

// On the fly: launches are separate, and rows in their own order.
static kn_status prepare_computed(struct sparse_solver *s, kn_queue *queue,
                                  const struct sparse_parallel *geometry, kn_error *err)
{
    struct ki_text why = KI_TEXT_INIT;
    kn_status status = fold_order(s, queue, NULL, err);

    for (unsigned i = 0; i < 2 && !status; i++) {
        const struct spmv_task task = ki_spmv_task_of_geometry(queue, geometry, i == 1, &s->options.tuning);
        kn_sparse_format format = s->options.format;

        if (format == KN_SPARSE_AUTO)
            status = ki_spmv_choose(&task, &format, &why, err);
        if (!status)
            status = ki_spmv_product_create(&task, format, &s->products[i], err);
    }
    ki_text_free(&why);
    return status;
}

// ---- creation ----

static kn_status get_kernel(struct sparse_solver *s, unsigned kernel, kn_error *err)
{
    struct engine_defines defines = {.count = 0};
    kn_status status;

    ki_engine_define(&defines, "GROUP", (unsigned)(kernel == SOLVER_BACKWARD ? s->back_group : s->group));
    ki_engine_define(&defines, "LANES", (unsigned)s->lanes);
    ki_engine_define(&defines, "COLUMNS", s->fused ? (unsigned)kept_columns(s) : 1);
    ki_engine_define(&defines, "INDEX_BITS", s->columns <= UINT16_MAX ? 16 : 32);
    ki_engine_define(&defines, "RESIDUAL", solver_keeps_residual(&s->options));
    status = ki_solver_define(&defines, s->context, &s->options, err);
    if (status)
        return status;
    return ki_engine_builtin_kernel(
        s->context,
        kernel < SOLVER_PRINTED_MOVE ? "app/sparse/sparse_solver.cl" : "app/sparse/sparse_printed.cl",
        defines.items, defines.count, KN_POLICY_DEFAULT, names[kernel], &s->kernels[kernel], err);
}

static kn_status get_kernels(struct sparse_solver *s, kn_error *err)
{
    kn_status status = KN_OK;

    for (unsigned i = 0; i < (s->options.printed ? SOLVER_KERNELS : SOLVER_PRINTED_MOVE) && !status; i++)
        status = get_kernel(s, i, err);
    return status;
}

static bool is_of_rows(unsigned buffer)
{
    return buffer == SOLVER_W || buffer == SOLVER_R || buffer == SOLVER_RIGHT;
}

static kn_status create_buffers(struct sparse_solver *s, kn_error *err)
{
    size_t cells =
        SOLVER_CELLS * SOLVER_MOST_PARTS + SOLVER_START + SOLVER_CELLS * (s->options.iterations + 1);
    kn_status status = KN_OK;

    for (unsigned i = 0; i < SOLVER_BUFFERS && !status; i++) {
        size_t bytes =
            i == SOLVER_STATE ? cells * SOLVER_CELL : (is_of_rows(i) ? s->rows : s->columns) * sizeof(float);
        if (i != SOLVER_ROW_ORDER && (i != SOLVER_RIGHT || s->options.printed))
            status = kn_buffer_create(s->context, bytes, &s->buffers[i], err);
    }
    return status;
}

// Of a matrix, or without one of a geometry.
static kn_status create_solver(kn_queue *queue, const struct sparse_matrix *matrix,
                               const struct sparse_parallel *geometry,
                               const struct sparse_solver_options *options, struct sparse_solver **solver,
                               kn_error *err)
{
    struct sparse_solver *s = calloc(1, sizeof *s);
    kn_status status =
        s ? ki_solver_check_options(options, err) : ki_fail_memory(err, sizeof *s, "a sparse solver");

    if (!status && matrix)
        status = ki_spmv_check(matrix, options->format, err);
    if (!status) {
        s->context = kn_queue_get_context(queue);
        s->options = *options;
        s->rows = (uint32_t)(matrix ? matrix->rows : ki_sparse_parallel_rows(geometry));
        s->columns = (uint32_t)(matrix ? matrix->columns : ki_sparse_parallel_columns(geometry));
        s->most = (uint32_t)options->iterations;
        s->terms = ki_solver_terms_of(options);
        choose_shape(s);
    }
    if (!status)
        status = choose_launches(s, err);
    if (!status)
        status = get_kernels(s, err);
    if (!status) {
        s->options.correction = NULL; // it is the caller's
        status = matrix ? prepare_products(s, queue, matrix, err) : prepare_computed(s, queue, geometry, err);
    }
    if (!status)
        status = create_buffers(s, err);
    if (!status && options->white)
        status = ki_solver_white_create(queue, s, err);
    if (!status)
        status = ki_solver_record(queue, s, err);
    if (status)
        ki_sparse_solver_free(s);
    else
        *solver = s;
    return status;
}

kn_status ki_sparse_solver_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                  const struct sparse_solver_options *options, struct sparse_solver **solver,
                                  kn_error *err)
{
    return create_solver(queue, matrix, NULL, options, solver, err);
}

kn_status ki_sparse_solver_create_parallel(kn_queue *queue, const struct sparse_parallel *geometry,
                                           const struct sparse_solver_options *options,
                                           struct sparse_solver **solver, kn_error *err)
{
    struct sparse_solver_options separate = *options;
    struct sparse_matrix matrix = {.rows = 0};
    kn_status status = ki_sparse_parallel_check(geometry, err);

    if (!status && options->launches == SPARSE_LAUNCHES_FUSED)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "fused launches read a stored matrix; products of a geometry are launched apart");
    separate.launches = SPARSE_LAUNCHES_SEPARATE;
    if (status)
        return status;
    if (ki_spmv_takes_geometry(options->format))
        return create_solver(queue, NULL, geometry, &separate, solver, err);
    status = ki_sparse_parallel_matrix(geometry, &matrix, err);
    if (!status)
        status = create_solver(queue, &matrix, NULL, &separate, solver, err);
    ki_sparse_free(&matrix);
    return status;
}

void ki_sparse_solver_free(struct sparse_solver *solver)
{
    if (!solver)
        return;
    kn_recording_free(solver->recording);
    for (unsigned i = 0; i < 2; i++)
        ki_spmv_product_free(&solver->products[i]);
    for (unsigned i = 0; i < SOLVER_BUFFERS; i++)
        kn_buffer_free(solver->buffers[i]);
    ki_solver_white_free(&solver->white);
    free(solver);
}
