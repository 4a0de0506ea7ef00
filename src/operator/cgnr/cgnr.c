// SPDX-License-Identifier: Apache-2.0
#include "cgnr_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/rung.h"
#include "base/array.h"
#include "base/error.h"
#include "base/number.h"

enum { MOST_ITERATIONS = 1 << 20 };

const char *const ki_cgnr_stopped_names[] = {"iterations", "gradient", "residual", "curvature",
                                             "whiteness",  "noise",    NULL};

static const char *const names[CGNR_KERNELS] = {
    [CGNR_RESIDUAL] = "cgnr_residual",
    [CGNR_CURVE] = "cgnr_curve",
    [CGNR_STEP] = "cgnr_step",
    [CGNR_TURN] = "cgnr_turn",
    [CGNR_REST] = "cgnr_rest",
    [CGNR_PRINTED_MOVE] = "printed_move",
    [CGNR_PRINTED_RESIDUAL] = "printed_residual",
    [CGNR_PRINTED_GRADIENT] = "printed_gradient",
    [CG_BEGIN] = "cg_begin",
    [CG_CURVE] = "cg_curve",
    [CG_DIFFERENCE] = "cg_difference",
    [CG_STEP] = "cg_step",
    [CG_TURN] = "cg_turn",
};

const kn_recording *ki_cgnr_recording(const struct cgnr *cgnr)
{
    return cgnr->recording;
}

// ---- options ----

static kn_status check_parts(const struct cgnr_options *options, kn_error *err)
{
    const struct {
        const char *name;
        double value;
    } parts[] = {{"lambda", options->lambda},
                 {"the weight of smoothness", options->smooth},
                 {"the weight of the penalty for negative numbers", options->nonnegative},
                 {"the weight of the penalty for bounds", options->penalty},
                 {"the gradient to stop at", fabs(options->gradient)},
                 {"the residual to stop at", options->residual},
                 {"the noise to stop at", options->noise}};

    for (size_t i = 0; i < KI_COUNT(parts); i++)
        if (!(parts[i].value >= 0) || !isfinite((float)parts[i].value))
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s is %g; expected a number from 0 on", parts[i].name,
                           parts[i].value);
    if (!isfinite((float)options->weight))
        return ki_fail(err, KN_ERROR_ARGUMENT, "the correction's weight is %g", options->weight);
    return KN_OK;
}

kn_status ki_cgnr_check_options(const struct cgnr_options *options, kn_error *err)
{
    bool corrects = options->nonnegative > 0 || options->penalty > 0 || options->correction;
    kn_status status;

    if (options->iterations > MOST_ITERATIONS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%zu iterations; at most %d can be had", options->iterations,
                       MOST_ITERATIONS);
    status = check_parts(options, err);
    if (status)
        return status;
    if (options->smooth > 0 && !options->image && options->order != 1 && options->order != 2)
        return ki_fail(err, KN_ERROR_ARGUMENT, "differences of order %u; there are 1 and 2", options->order);
    if ((options->nonnegative > 0) + (options->penalty > 0) + (options->correction != NULL) > 1)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "penalties for negative numbers and for bounds, and a correction of its own, take each "
            "other's place; write both in one");
    if (options->penalty > 0 && !((float)options->low <= (float)options->high))
        return ki_fail(err, KN_ERROR_ARGUMENT, "bounds from %g to %g; expected the lower one first",
                       options->low, options->high);
    if (options->self_adjoint && corrects)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a self-adjoint operator's equation has no corrections: neither penalties nor an "
                       "expression of your own");
    if (options->image && !options->self_adjoint)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "differences along the axes of an image are for self-adjoint operators");
    if (options->self_adjoint && options->smooth > 0 && !options->image)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a self-adjoint operator's equation has differences along the axes of an image alone");
    if (options->image && options->smooth > 0 && options->lambda > 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "differences of an image and lambda take each other's place");
    if (options->self_adjoint && (options->printed || cgnr_keeps_residual(options)))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a self-adjoint operator's equation is not solved as printed, and has no stops at "
                       "A x - b; its gradient is the residual");
    return KN_OK;
}

struct cgnr_terms ki_cgnr_terms_of(const struct cgnr_options *options, kn_type type)
{
    double floor = type == KN_F64 ? CGNR_FLOOR_DOUBLE : CGNR_FLOOR;
    double gradient = options->gradient > floor || (options->self_adjoint && options->gradient > 0)
                          ? options->gradient
                          : floor;

    return (struct cgnr_terms){.order = options->smooth > 0 ? options->order : 0,
                               .lambda = options->lambda,
                               .smooth = options->smooth,
                               .weight = options->correction    ? options->weight
                                         : options->penalty > 0 ? options->penalty
                                                                : options->nonnegative,
                               .gradient = options->gradient < 0 ? -1 : gradient * gradient,
                               .residual =
                                   options->residual > 0 ? options->residual * options->residual : -1};
}

// Defines the bits of a bound: those of a float in `name`; those of a double with the upper half in `top`.
static void define_bound(struct engine_defines *defines, const char *name, const char *top, double bound,
                         kn_type type)
{
    uint64_t bits = ki_float_bits(bound);

    if (type == KN_F64)
        memcpy(&bits, &bound, sizeof bits);
    ki_engine_define(defines, name, (unsigned)bits);
    if (type == KN_F64)
        ki_engine_define(defines, top, (unsigned)(bits >> 32));
}

kn_status ki_cgnr_define(struct engine_defines *defines, kn_context *context,
                         const struct cgnr_options *options, kn_type type, kn_error *err)
{
    const kn_device_info *info = kn_context_get_device(context);

    ki_engine_define(defines, "ACC_SOFT", !info->fp64);
    if (options->penalty > 0) {
        define_bound(defines, "LOW_BITS", "LOW_TOP", options->low, type);
        define_bound(defines, "HIGH_BITS", "HIGH_TOP", options->high, type);
    }
    if (options->correction)
        ki_engine_define_text(defines, "CORRECTION", options->correction);
    else if (options->nonnegative > 0)
        ki_engine_define_text(defines, "CORRECTION", "(x < 0 ? weight * d : 0)");
    return ki_rung_define_subgroups(defines, context, err);
}

// ---- shapes ----

size_t ki_cgnr_group(const kn_context *context, const struct cgnr_options *options)
{
    const kn_device_info *info = kn_context_get_device(context);
    size_t group = options->group ? options->group : ki_engine_sizes(info, SHAPE_CGNR)->group;

    while (group > info->max_work_group)
        group /= 2;
    return group;
}

uint32_t ki_cgnr_parts(const kn_context *context, size_t group, size_t longest)
{
    const kn_device_info *info = kn_context_get_device(context);
    size_t groups = longest / group + 1,
           busy = (size_t)info->compute_units * ki_engine_sizes(info, SHAPE_CGNR)->per_unit;

    groups = groups < busy ? groups : busy;
    return groups < CGNR_MOST_PARTS ? (uint32_t)groups : CGNR_MOST_PARTS;
}

// For the normal equations.
static void choose_shape(struct cgnr *s)
{
    size_t asked = s->options.groups;

    s->group = ki_cgnr_group(s->context, &s->options);
    s->parts = ki_cgnr_parts(s->context, s->group, s->rows > s->columns ? s->rows : s->columns);
    if (asked)
        s->parts = asked < CGNR_MOST_PARTS ? (uint32_t)asked : CGNR_MOST_PARTS;
}

// For a self-adjoint operator: each work-item takes rows of `width` numbers.
static void choose_equation_shape(struct cgnr *s)
{
    const kn_device_info *info = kn_context_get_device(s->context);
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_CG);
    size_t rows = ((size_t)s->columns + sizes->width - 1) / sizes->width, parts,
           busy = (size_t)sizes->per_unit * info->compute_units;

    s->group = s->options.group ? s->options.group : sizes->group;
    while (s->group > info->max_work_group)
        s->group /= 2;
    parts = (rows + s->group - 1) / s->group;
    if (sizes->per_unit && parts > busy)
        parts = rows / sizes->items > busy ? rows / sizes->items : busy;
    if (s->options.groups)
        parts = s->options.groups;
    s->parts = parts < 1 ? 1 : parts < CGNR_MOST_PARTS ? (uint32_t)parts : CGNR_MOST_PARTS;
}

// ---- creation ----

static const char *file_of(unsigned kernel)
{
    return kernel >= CG_BEGIN            ? "operator/cg.cl"
           : kernel >= CGNR_PRINTED_MOVE ? "operator/cgnr_printed.cl"
                                         : "operator/cgnr.cl";
}

static bool is_wanted(const struct cgnr *s, unsigned kernel)
{
    if (s->options.self_adjoint || kernel >= CG_BEGIN)
        return s->options.self_adjoint && kernel >= CG_BEGIN &&
               kernel != (cgnr_has_image(s) ? CG_CURVE : CG_DIFFERENCE);
    return kernel < CGNR_REST ||
           (kernel == CGNR_REST ? cgnr_keeps_residual(&s->options) : s->options.printed);
}

static kn_status define(const struct cgnr *s, struct engine_defines *defines, kn_error *err)
{
    ki_engine_define(defines, "GROUP", (unsigned)s->group);
    if (s->options.self_adjoint) {
        ki_engine_define(defines, "WIDTH",
                         ki_engine_sizes(kn_context_get_device(s->context), SHAPE_CG)->width);
    } else {
        ki_engine_define(defines, "RESIDUAL", cgnr_keeps_residual(&s->options));
        ki_engine_define(defines, "ORDERED", s->is_fused);
    }
    ki_engine_define(defines, "REAL_BITS", (unsigned)(8 * cgnr_number(s)));
    return ki_cgnr_define(defines, s->context, &s->options, s->type, err);
}

static kn_status get_kernels(struct cgnr *s, kn_error *err)
{
    struct engine_defines defines = {.count = 0};
    kn_status status = define(s, &defines, err);

    for (unsigned i = 0; i < CGNR_KERNELS && !status; i++)
        if (is_wanted(s, i))
            status = ki_engine_builtin_kernel(s->context, file_of(i), defines.items, defines.count,
                                              KN_POLICY_DEFAULT, names[i], &s->kernels[i], err);
    s->options.correction = NULL; // the string is the caller's
    return status;
}

// The buffer that stands in for this one, which may be itself; CGNR_BUFFERS: none.
static unsigned stands_for(const struct cgnr *s, unsigned buffer)
{
    if (buffer == CGNR_RIGHT)
        return s->options.printed ? buffer : CGNR_BUFFERS;
    if (buffer >= CGNR_NEXT_X && buffer <= CGNR_NEXT_D)
        return s->is_fused ? buffer : CGNR_BUFFERS;
    if (buffer == CGNR_V)
        return s->options.printed ? buffer : CGNR_E;
    if (buffer == CGNR_W || buffer == CGNR_R)
        return s->options.self_adjoint ? CGNR_BUFFERS : buffer;
    return buffer;
}

static kn_status create_buffers(struct cgnr *s, kn_error *err)
{
    size_t cells = CGNR_CELLS * CGNR_MOST_PARTS + CGNR_START + CGNR_CELLS * (s->options.iterations + 1);
    kn_status status = KN_OK;

    for (unsigned i = 0; i < CGNR_BUFFERS && !status; i++) {
        unsigned other = stands_for(s, i);
        bool is_of_rows = i == CGNR_W || i == CGNR_R || i == CGNR_RIGHT;

        if (other != i)
            s->buffers[i] = other < CGNR_BUFFERS ? s->buffers[other] : NULL;
        else
            status = kn_buffer_create(s->context,
                                      i == CGNR_STATE ? cells * CGNR_CELL
                                                      : (is_of_rows ? s->rows : s->columns) * cgnr_number(s),
                                      &s->buffers[i], err);
    }
    return status;
}

static kn_status check_double(const kn_device_info *info, const struct cgnr_options *options, kn_error *err)
{
    if (!info->fp64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) has no double precision; take KN_F32", info->spec,
                       info->name);
    if (options->self_adjoint || options->white)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "on devices %s in single precision; take KN_F32, or the host",
                       options->white ? "stops at the whiteness of A x - b are"
                                      : "self-adjoint operators' equations are");
    return KN_OK;
}

static kn_status check_operator(const kn_queue *queue, const kn_operator *a,
                                const struct cgnr_options *options, kn_error *err)
{
    size_t rows = operator_row_numbers(a), columns = operator_column_numbers(a);
    const size_t *size = options->image ? options->image->size : NULL;
    kn_status status = KN_OK;

    if (a->context != queue->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "the operator is not one of the queue's context");
    if (a->functions.type == KN_F64)
        status = check_double(&queue->context->device.info, options, err);
    if (status)
        return status;
    if (rows >= UINT32_MAX || columns >= UINT32_MAX)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "vectors of %zu and %zu numbers; at most %u can be had on a device", rows, columns,
                       UINT32_MAX - 1);
    if (options->self_adjoint && rows != columns)
        return ki_fail(err, KN_ERROR_ARGUMENT, "an operator of %zu rows and %zu columns is not self-adjoint",
                       a->functions.rows, a->functions.columns);
    if (size && 2 * size[0] * size[1] * size[2] != columns)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "an image of %zu x %zu x %zu complex numbers, and an operator of %zu columns", size[0],
                       size[1], size[2], a->functions.columns);
    return KN_OK;
}

static kn_status prepare(kn_queue *queue, struct cgnr *s, kn_error *err)
{
    kn_status status = get_kernels(s, err);

    if (!status)
        status = create_buffers(s, err);
    if (!status && s->options.white)
        status = ki_cgnr_white_create(queue, s, err);
    return status ? status : ki_cgnr_record(queue, s, err);
}

kn_status ki_cgnr_create(kn_queue *queue, kn_operator *a, const struct cgnr_fused *fused,
                         const struct cgnr_options *options, struct cgnr **made, kn_error *err)
{
    struct cgnr *s;
    kn_status status = ki_cgnr_check_options(options, err);

    if (!status)
        status = check_operator(queue, a, options, err);
    if (status)
        return status;
    s = calloc(1, sizeof *s);
    if (!s)
        return ki_fail_memory(err, sizeof *s, "conjugate gradients");
    s->context = a->context;
    s->a = ki_operator_hold(a);
    s->options = *options;
    if (options->image)
        s->image = *options->image;
    s->is_fused = fused != NULL;
    if (fused)
        s->fused = *fused;
    s->rows = (uint32_t)operator_row_numbers(a);
    s->columns = (uint32_t)operator_column_numbers(a);
    s->most = (uint32_t)options->iterations;
    s->type = a->functions.type;
    s->terms = ki_cgnr_terms_of(options, s->type);
    if (options->self_adjoint)
        choose_equation_shape(s);
    else
        choose_shape(s);
    status = prepare(queue, s, err);
    if (status)
        ki_cgnr_free(s);
    else
        *made = s;
    return status;
}

void ki_cgnr_free(struct cgnr *s)
{
    if (!s)
        return;
    kn_recording_free(s->recording);
    for (unsigned i = 0; i < CGNR_BUFFERS; i++)
        if (stands_for(s, i) == i)
            kn_buffer_free(s->buffers[i]);
    ki_cgnr_white_free(&s->white);
    ki_operator_release(s->a);
    free(s);
}
