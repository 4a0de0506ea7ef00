// SPDX-License-Identifier: Apache-2.0
// koine/autocorr.h: plans, and what they tell.
#include <stdlib.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/threads.h"
#include "engine/engine.h"
#include "app/autocorr/volume/plan_volume.h"
#include "plan_internal.h"

// ---- plans ----

static kn_status check_type(kn_type type, kn_error *err)
{
    if (!kn_type_size(type))
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no type %d", (int)type);
    if (type != KN_U8 && type != KN_U16 && type != KN_F32)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "pixels of the type %s; expected KN_U8, KN_U16 or KN_F32",
                       kn_type_name(type));
    return KN_OK;
}

static kn_status check_images(const kn_autocorr_shape *shape, kn_error *err)
{
    const unsigned char nothing = 0; // in the place of pixels, which the check does not look at
    kn_type type = shape->type == KN_F32 ? KN_U16 : shape->type;
    const struct autocorr_task task = {.first = {shape->width, shape->height, shape->width, type, &nothing},
                                       .max_offset = shape->max_offset};

    return ki_autocorr_check(&task, err);
}

static kn_status check_volumes(const kn_autocorr_plan *plan, kn_error *err)
{
    const struct autocorr_volume volume = ki_autocorr_plan_volume(plan);
    struct autocorr_volume_plan unused;

    return ki_autocorr_volume_plan(&volume, false, &unused, err);
}

// More than the address space holds.
static kn_status check_offsets(const kn_autocorr_shape *shape, kn_error *err)
{
    const size_t r = shape->max_offset;
    size_t count = sizeof(struct autocorr_window);

    if (r >= SIZE_MAX / 4 || __builtin_mul_overflow(count, r + 1, &count) ||
        __builtin_mul_overflow(count, 2 * r + 1, &count) ||
        (shape->depth && __builtin_mul_overflow(count, 2 * r + 1, &count)) || count > PTRDIFF_MAX)
        return ki_fail(err, KN_ERROR_LIMIT, "sums of offsets up to %zu are more than the address space holds",
                       r);
    return KN_OK;
}

// What was asked for, all that is not there yet filled in.
static kn_status read_asked(const char *function, const kn_queue *queue, const kn_autocorr_shape *shape,
                            const kn_autocorr_options *options, kn_autocorr_shape *read_shape,
                            kn_autocorr_options *read_options, kn_error *err)
{
    kn_status status = KI_SIZED_READ(function, kn_autocorr_shape, shape, read_shape, err);

    if (!status)
        status = KI_SIZED_READ(function, kn_autocorr_options, options, read_options, err);
    if (!status)
        status = check_type(read_shape->type, err);
    if (!status && !read_shape->max_offset)
        read_shape->max_offset =
            read_shape->depth
                ? ki_autocorr_default_reach(read_shape->width, read_shape->height, read_shape->depth)
                : ki_autocorr_default_offset(read_shape->width, read_shape->height);
    if (!status && !read_shape->depth)
        status = check_images(read_shape, err);
    if (!status)
        status = check_offsets(read_shape, err);
    if (!status)
        status = ki_autocorr_check_choice(queue, read_options->method, read_options->normalization, err);
    if (!status && (read_shape->depth || read_options->periodic))
        status = ki_autocorr_check_transforms(read_options->method,
                                              read_shape->depth ? "volumes" : "periodic images", err);
    return status;
}

static kn_status create(const char *function, kn_queue *queue, const kn_autocorr_shape *shape,
                        const kn_autocorr_options *options, kn_autocorr_plan **plan, kn_error *err)
{
    kn_autocorr_shape made_shape;
    kn_autocorr_options made_options;
    kn_autocorr_plan *made = NULL;
    kn_status status;

    if (!shape || !plan)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", shape ? "plan" : "shape");
    status = read_asked(function, queue, shape, options, &made_shape, &made_options, err);
    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "preparing a correlation");
    ki_kept_init(&made->kept);
    made->queue = queue;
    made->context = queue ? ki_engine_hold(queue->context) : NULL;
    made->width = made_shape.width;
    made->height = made_shape.height * (made_shape.depth ? made_shape.depth : 1);
    made->depth = made_shape.depth;
    made->type = made_shape.type;
    made->max_offset = made_shape.max_offset;
    made->normalization = made_options.normalization;
    made->workspace_count = ki_threads(0);
    made->workspaces = calloc(made->workspace_count, sizeof *made->workspaces);
    made->workspace_kept = calloc(made->workspace_count, sizeof *made->workspace_kept);
    for (unsigned t = 0; made->workspace_kept && t < made->workspace_count; t++)
        ki_kept_init(&made->workspace_kept[t]);
    status =
        made->workspaces && made->workspace_kept
            ? ki_autocorr_engine_begin(queue, made_options.method, !made_options.single, &made->engine, err)
            : ki_fail_memory(err, 0, "preparing a correlation");
    made->engine.periodic = made_options.periodic;
    if (!status && made->depth)
        status = check_volumes(made, err);
    if (status)
        kn_autocorr_plan_free(made);
    else
        *plan = made;
    return status;
}

kn_status kn_autocorr_plan_create(kn_queue *queue, const kn_autocorr_shape *shape,
                                  const kn_autocorr_options *options, kn_autocorr_plan **plan, kn_error *err)
{
    return ki_error_name(__func__, create(__func__, queue, shape, options, plan, err), err);
}

void kn_autocorr_plan_free(kn_autocorr_plan *plan)
{
    if (!plan)
        return;
    ki_autocorr_engine_end(&plan->engine);
    ki_autocorr_workspace_free(&plan->alone);
    for (unsigned t = 0; plan->workspaces && t < plan->workspace_count; t++)
        ki_autocorr_workspace_free(&plan->workspaces[t]);
    for (unsigned t = 0; plan->workspace_kept && t < plan->workspace_count; t++)
        ki_kept_free(&plan->workspace_kept[t]);
    free(plan->workspaces);
    free(plan->workspace_kept);
    ki_autocorr_tables_free(&plan->tables);
    ki_kept_free(&plan->kept);
    if (plan->context)
        ki_engine_release(plan->context);
    free(plan);
}

size_t kn_autocorr_plan_get_max_offset(const kn_autocorr_plan *plan)
{
    return plan ? plan->max_offset : 0;
}

size_t kn_autocorr_plan_get_rows(const kn_autocorr_plan *plan)
{
    return !plan ? 0 : plan->depth ? 2 * plan->max_offset + 1 : plan->max_offset + 1;
}

size_t kn_autocorr_plan_get_columns(const kn_autocorr_plan *plan)
{
    return plan ? 2 * plan->max_offset + 1 : 0;
}

kn_autocorr_method kn_autocorr_plan_get_method(const kn_autocorr_plan *plan)
{
    return plan ? plan->engine.ran : KN_AUTOCORR_AUTO;
}

const char *kn_autocorr_plan_get_why(const kn_autocorr_plan *plan)
{
    return plan ? ki_text_string(&plan->engine.why) : "";
}

double kn_autocorr_plan_get_bound(const kn_autocorr_plan *plan)
{
    return plan ? plan->bound : 0;
}

const char *kn_autocorr_method_name(kn_autocorr_method method)
{
    return (unsigned)method < AUTOCORR_METHODS ? ki_autocorr_method_names[method] : NULL;
}

const char *kn_autocorr_normalization_name(kn_autocorr_normalization normalization)
{
    return (unsigned)normalization < AUTOCORR_NORMALIZATIONS ? ki_autocorr_normalization_names[normalization]
                                                             : NULL;
}
