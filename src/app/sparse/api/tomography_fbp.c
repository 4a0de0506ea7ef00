// SPDX-License-Identifier: Apache-2.0
// koine/tomography.h: plans of filtered back-projection; refuses invalid options.
#include <math.h>
#include <stdlib.h>

#include "app/sparse/tomography/cone/fdk.h"
#include "app/sparse/tomography/fan.h"
#include "app/sparse/tomography/fbp.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "operator_internal.h"

struct kn_tomography_fbp_plan {
    kn_queue *queue; // NULL: the host
    kn_type type;
    size_t detectors, lines, rays, pixels; // lines: of a cone's panel; otherwise 0
    struct sparse_fbp_host *host;          // all but one of these four are NULL
    struct sparse_fbp_device *device;
    struct sparse_fdk_host *host_cone;
    struct sparse_fdk_device *device_cone;
    kn_buffer *sinogram, *picture; // copies of the host's arrays; NULL until a run needs them
};

const char *kn_tomography_filter_name(kn_tomography_filter filter)
{
    static const char *const names[] = {[KN_TOMOGRAPHY_RAMP] = "ramp",
                                        [KN_TOMOGRAPHY_SHEPP_LOGAN] = "shepp-logan",
                                        [KN_TOMOGRAPHY_COSINE] = "cosine",
                                        [KN_TOMOGRAPHY_HAMMING] = "hamming",
                                        [KN_TOMOGRAPHY_HANN] = "hann"};

    return (size_t)filter < KI_COUNT(names) ? names[filter] : NULL;
}

// ---- plans ----

static kn_status read_options(const char *function, const kn_queue *queue,
                              const kn_tomography_fbp_options *given, kn_tomography_fbp_options *options,
                              kn_error *err)
{
    kn_status status = KI_SIZED_READ(function, kn_tomography_fbp_options, given, options, err);

    if (status)
        return status;
    if (!kn_tomography_filter_name(options->filter))
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no filter %d; see kn_tomography_filter",
                       (int)options->filter);
    if (options->type == 0)
        options->type = queue ? KN_F32 : KN_F64;
    if (options->type != KN_F32 && options->type != KN_F64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "type %d; expected KN_F64, KN_F32 or 0",
                       (int)options->type);
    if (queue && options->type == KN_F64)
        return ki_fail(
            err, KN_ERROR_UNSUPPORTED,
            "devices have filtered back-projection in single precision only; use KN_F32, or the host");
    if (queue && (options->threads || options->level))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "threads and level are the host's, but the queue is a device's");
    return KN_OK;
}

static kn_status make_cone(kn_queue *queue, const struct sparse_parallel *geometry,
                           const kn_tomography_fbp_options *options, const kn_host_options *host,
                           kn_tomography_fbp_plan *plan, kn_error *err)
{
    plan->lines = geometry->lines;
    return queue ? ki_sparse_fdk_device_create(queue, geometry, options->filter, 0, &plan->device_cone, err)
                 : ki_sparse_fdk_host_create(geometry, options->filter, options->type, host, 0,
                                             &plan->host_cone, err);
}

static kn_status make_plan(kn_queue *queue, const struct sparse_parallel *geometry,
                           const kn_tomography_fbp_options *options, kn_tomography_fbp_plan *plan,
                           kn_error *err)
{
    const kn_host_options host =
        KN_INIT(kn_host_options, .threads = options->threads, .level = options->level);

    plan->queue = queue;
    plan->type = options->type;
    plan->detectors = geometry->detectors;
    plan->rays = ki_sparse_parallel_rows(geometry);
    plan->pixels = ki_sparse_parallel_columns(geometry);
    if (ki_sparse_is_cone(geometry))
        return make_cone(queue, geometry, options, &host, plan, err);
    return queue
               ? ki_sparse_fbp_device_create(queue, geometry, options->filter, &plan->device, err)
               : ki_sparse_fbp_host_create(geometry, options->filter, options->type, &host, &plan->host, err);
}

static kn_status create_plan(const char *function, kn_queue *queue, const kn_tomography_geometry *given,
                             const kn_tomography_fbp_options *given_options, kn_tomography_fbp_plan **made,
                             kn_error *err)
{
    struct sparse_parallel geometry = {.angles = 0};
    kn_tomography_fbp_options options;
    kn_tomography_fbp_plan *plan;
    kn_status status;

    if (!made)
        return ki_fail(err, KN_ERROR_ARGUMENT, "plan is NULL");
    status = read_options(function, queue, given_options, &options, err);
    if (!status)
        status = ki_sparse_read_beam(function, given, &geometry, err);
    if (status)
        return status;
    plan = calloc(1, sizeof *plan);
    status = plan ? make_plan(queue, &geometry, &options, plan, err)
                  : ki_fail_memory(err, sizeof *plan, "filtered back-projection");
    ki_sparse_parallel_free(&geometry);
    if (status)
        kn_tomography_fbp_plan_free(plan);
    else
        *made = plan;
    return status;
}

kn_status kn_tomography_fbp_plan_create(kn_queue *queue, const kn_tomography_geometry *geometry,
                                        const kn_tomography_fbp_options *options,
                                        kn_tomography_fbp_plan **plan, kn_error *err)
{
    return ki_error_name(__func__, create_plan(__func__, queue, geometry, options, plan, err), err);
}

static kn_status estimate(const char *function, kn_queue *queue, const kn_tomography_geometry *given,
                          const kn_tomography_fbp_options *given_options, kn_sparse_memory *memory,
                          kn_error *err)
{
    struct sparse_parallel geometry = {.angles = 0};
    kn_tomography_fbp_options options;
    kn_status status;
    bool is_cone;

    if (!memory)
        return ki_fail(err, KN_ERROR_ARGUMENT, "memory is NULL");
    status = read_options(function, queue, given_options, &options, err);
    if (!status)
        status = ki_sparse_read_beam(function, given, &geometry, err);
    if (status)
        return status;
    is_cone = ki_sparse_is_cone(&geometry);
    *memory = (kn_sparse_memory){.host = 0};
    if (queue)
        memory->device = is_cone ? ki_sparse_fdk_device_memory(queue, &geometry)
                                 : ki_sparse_fbp_device_memory(queue, &geometry);
    else
        memory->host = is_cone ? ki_sparse_fdk_host_memory(&geometry, options.type)
                               : ki_sparse_fbp_host_memory(&geometry, options.type);
    ki_sparse_parallel_free(&geometry);
    return KN_OK;
}

kn_status kn_tomography_fbp_estimate_memory(kn_queue *queue, const kn_tomography_geometry *geometry,
                                            const kn_tomography_fbp_options *options,
                                            kn_sparse_memory *memory, kn_error *err)
{
    return ki_error_name(__func__, estimate(__func__, queue, geometry, options, memory, err), err);
}

void kn_tomography_fbp_plan_free(kn_tomography_fbp_plan *plan)
{
    if (!plan)
        return;
    ki_sparse_fbp_host_free(plan->host);
    ki_sparse_fbp_device_free(plan->device);
    ki_sparse_fdk_host_free(plan->host_cone);
    ki_sparse_fdk_device_free(plan->device_cone);
    kn_buffer_free(plan->sinogram);
    kn_buffer_free(plan->picture);
    free(plan);
}

// ---- pictures ----

static kn_status refuse_number(const kn_tomography_fbp_plan *plan, size_t ray, double value, kn_error *err)
{
    const size_t line = ray / plan->detectors;

    if (plan->lines)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "detector %zu of line %zu of projection %zu (from 0) is %g; expected finite numbers",
                       ray % plan->detectors, line % plan->lines, line / plan->lines, value);
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "detector %zu of projection %zu (from 0) is %g; expected finite numbers",
                   ray % plan->detectors, line, value);
}

static kn_status check_sinogram(const kn_tomography_fbp_plan *plan, const void *sinogram, kn_error *err)
{
    for (size_t i = 0; i < plan->rays; i++) {
        const double value =
            plan->type == KN_F64 ? ((const double *)sinogram)[i] : (double)((const float *)sinogram)[i];

        if (!isfinite(value))
            return refuse_number(plan, i, value, err);
    }
    return KN_OK;
}

static kn_status run_buffers(const kn_tomography_fbp_plan *plan, const kn_buffer *sinogram,
                             kn_buffer *picture, kn_error *err)
{
    return plan->device_cone
               ? ki_sparse_fdk_device_run(plan->queue, plan->device_cone, sinogram, picture, err)
               : ki_sparse_fbp_device_run(plan->queue, plan->device, sinogram, picture, err);
}

// Runs with the plan's own buffers.
static kn_status run_on_device(kn_tomography_fbp_plan *plan, const void *sinogram, void *picture,
                               kn_error *err)
{
    kn_context *context = kn_queue_get_context(plan->queue);
    const size_t given = plan->rays * sizeof(float), made = plan->pixels * sizeof(float);
    kn_status status = plan->sinogram ? KN_OK : kn_buffer_create(context, given, &plan->sinogram, err);

    if (!status && !plan->picture)
        status = kn_buffer_create(context, made, &plan->picture, err);
    if (!status)
        status = kn_buffer_write(plan->queue, plan->sinogram, 0, sinogram, given, err);
    if (!status)
        status = run_buffers(plan, plan->sinogram, plan->picture, err);
    return status ? status : kn_buffer_read(plan->queue, plan->picture, 0, picture, made, err);
}

static kn_status execute(kn_tomography_fbp_plan *plan, const void *sinogram, void *picture, kn_error *err)
{
    kn_status status;

    if (!plan || !sinogram || !picture)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL",
                       !plan       ? "plan"
                       : !sinogram ? "sinogram"
                                   : "picture");
    status = check_sinogram(plan, sinogram, err);
    if (status || plan->queue)
        return status ? status : run_on_device(plan, sinogram, picture, err);
    if (plan->host_cone)
        ki_sparse_fdk_host_run(plan->host_cone, sinogram, picture);
    else
        ki_sparse_fbp_host_run(plan->host, sinogram, picture);
    return KN_OK;
}

kn_status kn_tomography_fbp_execute(kn_tomography_fbp_plan *plan, const void *sinogram, void *picture,
                                    kn_error *err)
{
    return ki_error_name(__func__, execute(plan, sinogram, picture, err), err);
}

static kn_status execute_buffers(kn_tomography_fbp_plan *plan, const kn_buffer *sinogram, kn_buffer *picture,
                                 kn_error *err)
{
    if (!plan || !sinogram || !picture)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL",
                       !plan       ? "plan"
                       : !sinogram ? "sinogram"
                                   : "picture");
    if (!plan->queue)
        return ki_fail(err, KN_ERROR_ARGUMENT, "the plan is the host's; buffers need one of a device");
    return run_buffers(plan, sinogram, picture, err);
}

kn_status kn_tomography_fbp_execute_buffers(kn_tomography_fbp_plan *plan, const kn_buffer *sinogram,
                                            kn_buffer *picture, kn_error *err)
{
    return ki_error_name(__func__, execute_buffers(plan, sinogram, picture, err), err);
}
