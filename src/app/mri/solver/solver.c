// SPDX-License-Identifier: Apache-2.0
#include "solver.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "algo/columns.h"
#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"

const char *const ki_mri_regularizer_names[] = {"tikhonov", "difference", NULL};
const char *const ki_mri_boundary_names[] = {"zero", "periodic", NULL};

enum { MOST_PARTS = 1024, MOST_ITERATIONS = 1 << 20, ITERATIONS_A_LOOK = 8, CELL = sizeof(double) };

enum { BEGIN, FOLD, CURVE, DIFFERENCE, STEP, TURN, KERNELS };
static const char *const names[KERNELS] = {"solver_begin",      "solver_fold", "solver_curve",
                                           "solver_difference", "solver_step", "solver_turn"};

// Places of scratch memory.
enum { STATE, REST, DIRECTION, PRODUCT, SLOTS };

// How the kernels are launched.
struct shape {
    uint32_t parts; // groups
    size_t group;
    kn_kernel *kernels[KERNELS];
};

struct solver {
    kn_queue *queue;
    const struct mri_normal *normal;
    const struct mri_solver_options *options;
    struct shape shape;
    uint64_t floats; // of a vector
    size_t bytes;
    float lambda, identity; // identity: lambda, if R is 1
    float tolerance_squared;
    struct engine_scratch scratch;
    kn_buffer *right, *image, *rest, *direction, *product, *state;
};

// ---- launches ----

// cl/app/mri/mri_solver.cl's rows: floats that a work-item takes at a time.
static kn_status choose_shape(const kn_queue *queue, uint64_t floats, struct shape *shape, kn_error *err)
{
    kn_context *context = kn_queue_get_context(queue);
    const kn_device_info *info = kn_context_get_device(context);
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_MRI_SOLVER);
    unsigned width = sizes->width;
    struct engine_defines defines = {.count = 0};
    uint64_t rows = (floats + width - 1) / width, parts, busy = sizes->per_unit * info->compute_units;
    kn_status status = KN_OK;

    shape->group = sizes->group;
    while (shape->group > info->max_work_group)
        shape->group /= 2;
    parts = (rows + shape->group - 1) / shape->group;
    if (sizes->per_unit && parts > busy)
        parts = rows / sizes->items > busy ? rows / sizes->items : busy;
    shape->parts = parts < MOST_PARTS ? (uint32_t)parts : MOST_PARTS;
    ki_engine_define(&defines, "GROUP", (unsigned)shape->group);
    ki_engine_define(&defines, "WIDTH", width);
    ki_column_define_type(&defines, queue, KN_F32);
    for (size_t i = 0; i < KERNELS && !status; i++)
        status = ki_engine_builtin_kernel(context, "app/mri/mri_solver.cl", defines.items, defines.count,
                                          KN_POLICY_DEFAULT, names[i], &shape->kernels[i], err);
    return status;
}

static kn_status launch(kn_queue *queue, const struct shape *shape, unsigned kernel, const kn_arg *args,
                        size_t count, kn_error *err)
{
    size_t groups = kernel == FOLD ? 1 : shape->parts;
    const kn_range range = {1, {groups * shape->group}, {shape->group}, {0}};

    return kn_launch(queue, shape->kernels[kernel], &range, args, count, NO_EVENT, err);
}

// The product, F^H W F x.
static kn_status apply(struct solver *s, kn_buffer *x, kn_error *err)
{
    return s->normal->apply(s->normal->context, s->queue, x, s->product, err);
}

// y += lambda D^H D x, and the partial sums of x y.
static kn_status add_difference(kn_queue *queue, const struct shape *shape, const struct mri_matrix *matrix,
                                enum mri_boundary boundary, float lambda, kn_buffer *x, kn_buffer *y,
                                kn_buffer *state, kn_error *err)
{
    const kn_arg args[] = {KN_BUFFER(x),
                           KN_BUFFER(y),
                           KN_VALUE((uint32_t)matrix->size[0]),
                           KN_VALUE((uint32_t)matrix->size[1]),
                           KN_VALUE((uint32_t)matrix->size[2]),
                           KN_VALUE((uint32_t)(boundary == MRI_BOUNDARY_PERIODIC)),
                           KN_VALUE(lambda),
                           KN_BUFFER(state),
                           KN_VALUE(shape->parts)};

    return launch(queue, shape, DIFFERENCE, args, KI_COUNT(args), err);
}

static kn_status difference(struct solver *s, kn_buffer *x, kn_error *err)
{
    return add_difference(s->queue, &s->shape, &s->normal->matrix, s->options->boundary, s->lambda, x,
                          s->product, s->state, err);
}

// The residual of the image, from scratch if there is no start; its norm comes to be that before iteration 0.
static kn_status begin(struct solver *s, bool started, kn_error *err)
{
    uint32_t flag = started;
    const kn_arg args[] = {KN_BUFFER(s->right),     KN_BUFFER(s->product),   KN_BUFFER(s->image),
                           KN_BUFFER(s->rest),      KN_BUFFER(s->direction), KN_VALUE(s->floats),
                           KN_VALUE(s->identity),   KN_VALUE(flag),          KN_BUFFER(s->state),
                           KN_VALUE(s->shape.parts)};
    const kn_arg fold[] = {KN_BUFFER(s->state), KN_VALUE(s->shape.parts)};
    kn_status status = KN_OK;

    if (started)
        status = apply(s, s->image, err);
    if (!status && started && s->options->regularizer == MRI_DIFFERENCE)
        status = difference(s, s->image, err);
    if (!status)
        status = launch(s->queue, &s->shape, BEGIN, args, KI_COUNT(args), err);
    return status ? status : launch(s->queue, &s->shape, FOLD, fold, KI_COUNT(fold), err);
}

static kn_status iterate(struct solver *s, uint32_t iteration, kn_error *err)
{
    const kn_arg curve[] = {KN_BUFFER(s->direction), KN_BUFFER(s->product), KN_VALUE(s->floats),
                            KN_VALUE(s->identity),   KN_BUFFER(s->state),   KN_VALUE(s->shape.parts)};
    const kn_arg step[] = {KN_BUFFER(s->direction), KN_BUFFER(s->product),    KN_BUFFER(s->rest),
                           KN_VALUE(s->floats),     KN_VALUE(s->identity),    KN_VALUE(s->tolerance_squared),
                           KN_BUFFER(s->state),     KN_VALUE(s->shape.parts), KN_VALUE(iteration)};
    const kn_arg turn[] = {KN_BUFFER(s->image), KN_BUFFER(s->direction), KN_BUFFER(s->rest),
                           KN_VALUE(s->floats), KN_BUFFER(s->state),     KN_VALUE(s->shape.parts),
                           KN_VALUE(iteration)};
    kn_status status = apply(s, s->direction, err);

    if (!status)
        status = s->options->regularizer == MRI_DIFFERENCE
                     ? difference(s, s->direction, err)
                     : launch(s->queue, &s->shape, CURVE, curve, KI_COUNT(curve), err);
    if (!status)
        status = launch(s->queue, &s->shape, STEP, step, KI_COUNT(step), err);
    return status ? status : launch(s->queue, &s->shape, TURN, turn, KI_COUNT(turn), err);
}

// ---- scalars ----

// The first cell of the state that the host looks at, of ||b||^2 and of what an iteration leaves.
static size_t norm_cell(const struct solver *s, size_t iteration)
{
    return 1 + 2 * (size_t)s->shape.parts + 2 * iteration;
}

static kn_status read_cells(const struct solver *s, size_t first, size_t count, double *values, kn_error *err)
{
    return kn_buffer_read(s->queue, s->state, first * CELL, values, count * CELL, err);
}

// ---- solving ----

static kn_status check_options(const struct mri_solver_options *options, kn_error *err)
{
    if (options->iterations > MOST_ITERATIONS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%zu iterations; at most %d can be had", options->iterations,
                       MOST_ITERATIONS);
    if (!(options->tolerance >= 0 && options->tolerance < 1))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a tolerance of %g; it is a part of the right hand side's norm, from 0 to below 1",
                       options->tolerance);
    if (!(options->lambda >= 0) || !isfinite(options->lambda))
        return ki_fail(err, KN_ERROR_ARGUMENT, "lambda is %g; expected a number from 0 on", options->lambda);
    if ((unsigned)options->regularizer > MRI_DIFFERENCE ||
        (unsigned)options->boundary > MRI_BOUNDARY_PERIODIC)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no regularizer %d with boundary %d",
                       (int)options->regularizer, (int)options->boundary);
    return KN_OK;
}

static kn_status check_vector(const kn_queue *queue, kn_buffer *vector, uint64_t floats, const char *what,
                              kn_error *err)
{
    return ki_column_check(what, queue, vector, KN_F32, floats, err);
}

static kn_status take_buffers(struct solver *s, kn_error *err)
{
    const struct {
        size_t slot, bytes;
        kn_buffer **buffer;
    } wanted[] = {{REST, s->bytes, &s->rest},
                  {DIRECTION, s->bytes, &s->direction},
                  {PRODUCT, s->bytes, &s->product},
                  {STATE, norm_cell(s, s->options->iterations + 1) * CELL, &s->state}};
    kn_status status = KN_OK;

    for (size_t i = 0; i < KI_COUNT(wanted) && !status; i++)
        status = ki_engine_scratch_get(&s->scratch, wanted[i].slot, wanted[i].bytes, wanted[i].buffer, err);
    return status;
}

static kn_status prepare(struct solver *s, kn_queue *queue, const struct mri_normal *normal, kn_buffer *fhd,
                         const struct mri_solver_options *options, kn_buffer *image,
                         struct mri_solver_result *result, kn_error *err)
{
    const struct mri_matrix *matrix = &normal->matrix;
    uint64_t voxels = (uint64_t)matrix->size[0] * matrix->size[1] * matrix->size[2];
    double lambda = options->lambda * (options->relative_lambda ? normal->bound : 1);
    kn_status status = check_options(options, err);

    *s = (struct solver){.queue = queue,
                         .normal = normal,
                         .options = options,
                         .floats = 2 * voxels,
                         .bytes = voxels * 2 * sizeof(float),
                         .lambda = (float)lambda,
                         .tolerance_squared = (float)(options->tolerance * options->tolerance),
                         .right = fhd,
                         .image = image};
    s->identity = options->regularizer == MRI_TIKHONOV ? s->lambda : 0;
    result->lambda = lambda;
    if (!status && isnan(lambda))
        status =
            ki_fail(err, KN_ERROR_ARGUMENT,
                    "lambda is in units of a bound that this operator does not have; give it in absolute "
                    "terms");
    if (!status && !isfinite(s->lambda))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "lambda is %g, more than single precision has", lambda);
    if (!status)
        status = check_vector(queue, fhd, s->floats, "mri_solve (right hand side)", err);
    if (!status)
        status = check_vector(queue, image, s->floats, "mri_solve (image)", err);
    if (!status && options->start)
        status = check_vector(queue, options->start, s->floats, "mri_solve (start)", err);
    if (!status && fhd == image)
        status =
            ki_fail(err, KN_ERROR_ARGUMENT, "mri_solve: the image is the right hand side; give two buffers");
    if (!status)
        status = choose_shape(queue, s->floats, &s->shape, err);
    return status;
}

// The start, its residual, and both norms squared: goal and rest.
static kn_status start(struct solver *s, double *goal, double *rest, kn_error *err)
{
    kn_buffer *from = s->options->start;
    kn_status status = KN_OK;

    if (from && from != s->image)
        status = kn_buffer_copy(s->queue, from, 0, s->image, 0, s->bytes, NO_EVENT, err);
    if (!status)
        status = begin(s, from != NULL, err);
    if (!status)
        status = read_cells(s, 0, 1, goal, err);
    if (!status)
        status = read_cells(s, norm_cell(s, 0), 1, rest, err);
    if (!status && (!isfinite(*goal) || !isfinite(*rest)))
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "%s is not finite everywhere; look for not-a-number among the samples",
                         isfinite(*goal) ? "the start" : "the right hand side F^H d");
    return status;
}

// Iterations until one is not taken; with a tolerance the host looks for that now and then.
static kn_status iterate_all(struct solver *s, size_t *launched, kn_error *err)
{
    size_t most = s->options->iterations;
    kn_status status = KN_OK;
    double length = 1;

    for (*launched = 0; *launched < most && length > 0 && !status; ++*launched) {
        if (s->options->progress)
            s->options->progress(s->options->context, *launched);
        status = iterate(s, (uint32_t)*launched, err);
        if (!status && s->options->tolerance > 0 && *launched % ITERATIONS_A_LOOK == ITERATIONS_A_LOOK - 1)
            status = read_cells(s, norm_cell(s, *launched) + 1, 1, &length, err);
    }
    return status ? status : kn_queue_finish(s->queue, err);
}

// What the iterations left: norms and lengths of steps in turn.
static kn_status read_history(struct solver *s, size_t launched, double goal,
                              struct mri_solver_result *result, kn_error *err)
{
    size_t cells = 2 * launched + 1;
    double *history = malloc(cells * sizeof *history);
    kn_status status = history ? read_cells(s, norm_cell(s, 0), cells, history, err)
                               : ki_fail_memory(err, cells * sizeof *history, "solving");
    size_t done = 0;

    while (!status && done < launched && history[2 * done + 1] > 0)
        done++;
    if (!status && !isfinite(history[2 * done]))
        status =
            ki_fail(err, KN_ERROR_ARGUMENT,
                    "after %zu iterations the numbers are beyond single precision; divide the data by their "
                    "greatest modulus",
                    done);
    if (!status) {
        result->iterations = done;
        result->stopped = done < launched && history[2 * done + 1] < 0;
        result->converged = !result->stopped && (float)(history[2 * done] / goal) <= s->tolerance_squared;
        for (size_t i = 0; i <= done; i++)
            history[i] = sqrt(history[2 * i] / goal);
        result->residuals = history;
        return KN_OK;
    }
    free(history);
    return status;
}

// A right hand side of 0.
static kn_status answer_zero(struct solver *s, struct mri_solver_result *result, kn_error *err)
{
    const float zero = 0;

    result->residuals = calloc(1, sizeof *result->residuals);
    result->converged = true;
    if (!result->residuals)
        return ki_fail_memory(err, sizeof *result->residuals, "solving");
    return kn_buffer_fill(s->queue, s->image, &zero, sizeof zero, 0, s->bytes, NO_EVENT, err);
}

kn_status ki_mri_solve(kn_queue *queue, const struct mri_normal *normal, kn_buffer *fhd,
                       const struct mri_solver_options *options, kn_buffer *image,
                       struct mri_solver_result *result, kn_error *err)
{
    struct mri_solver_result found = {.residuals = NULL};
    double begun, goal = 0, rest = 0;
    struct solver s;
    size_t launched = 0;
    kn_status status = prepare(&s, queue, normal, fhd, options, image, &found, err);

    if (status)
        return status;
    s.scratch = ki_engine_scratch_open(queue, ENGINE_SCRATCH_SOLVER, SLOTS, "mri_solve");
    status = take_buffers(&s, err);
    if (!status)
        status = start(&s, &goal, &rest, err);
    if (!status && goal == 0) {
        status = answer_zero(&s, &found, err);
    } else if (!status) {
        begun = ki_clock_seconds();
        status = iterate_all(&s, &launched, err);
        found.seconds = ki_clock_seconds() - begun;
        if (!status)
            status = read_history(&s, launched, goal, &found, err);
        if (!status)
            status = begin(&s, true, err);
        if (!status)
            status = read_cells(&s, norm_cell(&s, 0), 1, &rest, err);
        found.residual = sqrt(rest / goal);
    }
    ki_engine_scratch_close(&s.scratch);
    if (status)
        free(found.residuals);
    else
        *result = found;
    return status;
}

kn_status ki_mri_difference_add(kn_queue *queue, const struct mri_matrix *matrix, enum mri_boundary boundary,
                                double lambda, kn_buffer *x, kn_buffer *y, kn_error *err)
{
    struct shape shape;
    struct engine_scratch scratch = {.queue = NULL};
    kn_buffer *state;
    size_t voxels;
    kn_status status = ki_mri_matrix_count(matrix, &voxels, err);

    if (!status)
        status = check_vector(queue, x, 2 * voxels, "mri_difference_add", err);
    if (!status)
        status = check_vector(queue, y, 2 * voxels, "mri_difference_add", err);
    if (!status && x == y)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "mri_difference_add: in place; give two buffers");
    if (!status)
        status = choose_shape(queue, 2 * voxels, &shape, err);
    if (!status)
        scratch = ki_engine_scratch_open(queue, ENGINE_SCRATCH_SOLVER, 1, "mri_difference_add");
    if (!status)
        status = ki_engine_scratch_get(&scratch, STATE, (1 + (size_t)shape.parts) * CELL, &state, err);
    if (!status)
        status = add_difference(queue, &shape, matrix, boundary, (float)lambda, x, y, state, err);
    ki_engine_scratch_close(&scratch);
    return status;
}
