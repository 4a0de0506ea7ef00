// SPDX-License-Identifier: Apache-2.0
// koine/recon.h: the operations of a plan, with arrays and with buffers.
#include "algo/columns.h"
#include "app/mri/recon/recon_internal.h"
#include "base/error.h"
#include "plan_internal.h"

// The operations, and whether they compute images or samples.
enum operation { FORWARD, ADJOINT, NORMAL, GRIDDING_FORWARD, GRIDDING_ADJOINT };

static bool from_data(enum operation operation)
{
    return operation == ADJOINT || operation == GRIDDING_ADJOINT;
}

static bool to_data(enum operation operation)
{
    return operation == FORWARD || operation == GRIDDING_FORWARD;
}

static size_t length(const kn_recon_plan *plan, bool data)
{
    return data ? plan->request.samples : plan->request.voxels;
}

// Prepares what an operation needs before it enqueues anything.
static kn_status prepare(kn_recon_plan *plan, enum operation operation, kn_error *err)
{
    if (operation == NORMAL)
        return ki_recon_device_prepare_normal(plan, err);
    if (operation == GRIDDING_FORWARD || operation == GRIDDING_ADJOINT)
        return ki_recon_device_prepare_gridding(plan, err);
    return KN_OK;
}

static kn_status enqueue(kn_recon_plan *plan, enum operation operation, const kn_buffer *from, kn_buffer *to,
                         kn_error *err)
{
    switch (operation) {
    case FORWARD:
        return ki_recon_device_forward(plan, plan->queue, from, to, err);
    case ADJOINT:
        return ki_recon_device_adjoint(plan, plan->queue, true, from, to, err);
    case NORMAL:
        return ki_recon_device_normal(plan, plan->queue, from, to, err);
    case GRIDDING_FORWARD:
        return ki_mri_gridding_forward(plan->queue, plan->gridding, from, to, err);
    case GRIDDING_ADJOINT:
        break;
    }
    return ki_recon_device_gridding_adjoint(plan, plan->queue, true, from, to, err);
}

// ---- with arrays ----

static kn_status get_buffer(kn_recon_plan *plan, bool data, size_t image, kn_buffer **buffer, kn_error *err)
{
    kn_buffer **kept = data ? &plan->data : &plan->images[image];
    kn_status status =
        *kept ? KN_OK : kn_buffer_create(plan->context, length(plan, data) * 2 * sizeof(float), kept, err);

    *buffer = *kept;
    return status;
}

// Both kinds of adjoints take samples from host memory, weighted in double precision.
static kn_status take_data(kn_recon_plan *plan, enum operation operation, const double complex *from,
                           kn_buffer *to, kn_error *err)
{
    return operation == ADJOINT
               ? ki_recon_device_adjoint_of(plan, from, to, err)
               : ki_mri_gridding_adjoint(plan->queue, plan->gridding, from, plan->weights, to, err);
}

static kn_status run_on_device(kn_recon_plan *plan, enum operation operation, const double complex *from,
                               double complex *to, kn_error *err)
{
    kn_buffer *in = NULL, *out = NULL;
    kn_status status = prepare(plan, operation, err);

    if (!status)
        status = get_buffer(plan, to_data(operation), 1, &out, err);
    if (!status && from_data(operation)) {
        status = take_data(plan, operation, from, out, err);
    } else if (!status) {
        status = get_buffer(plan, false, 0, &in, err);
        if (!status)
            status = ki_recon_upload(plan->queue, from, plan->request.voxels, in, err);
        if (!status)
            status = enqueue(plan, operation, in, out, err);
    }
    return status ? status : ki_recon_download(plan->queue, out, length(plan, to_data(operation)), to, err);
}

static kn_status run_on_host(kn_recon_plan *plan, enum operation operation, const double complex *from,
                             double complex *to, kn_error *err)
{
    if (operation == FORWARD)
        return ki_recon_host_forward(plan, from, to, err);
    if (operation == ADJOINT)
        return ki_recon_host_adjoint(plan, true, from, to, err);
    if (operation == NORMAL)
        return ki_recon_host_normal(plan, from, to, err);
    return ki_fail(err, KN_ERROR_UNSUPPORTED,
                   "gridding runs on a device; create the plan with a queue, or use the sums");
}

// Refuses NULL for an argument, by the name that it has in the header.
static kn_status refuse_null(const void *plan, const void *from, enum operation operation, kn_error *err)
{
    return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL",
                   !plan                           ? "plan"
                   : operation == NORMAL           ? (from ? "to" : "from")
                   : from_data(operation) == !from ? "data"
                                                   : "image");
}

static kn_status run(const char *function, kn_recon_plan *plan, enum operation operation, const double *from,
                     double *to, kn_error *err)
{
    struct ki_ask *before;
    kn_status status;

    if (!plan || !from || !to) {
        status = refuse_null(plan, from, operation, err);
    } else if (from == to) {
        status = ki_fail(err, KN_ERROR_ARGUMENT, "both arrays are the same");
    } else {
        status = ki_recon_begin(plan, plan->queue, &before, err);
        if (!status)
            status = (plan->queue ? run_on_device : run_on_host)(
                plan, operation, (const double complex *)from, (double complex *)to, err);
        status = ki_recon_end(plan, plan->queue, before, status);
    }
    return ki_error_name(function, status, err);
}

kn_status kn_recon_forward(kn_recon_plan *plan, const double *image, double *data, kn_error *err)
{
    return run(__func__, plan, FORWARD, image, data, err);
}

kn_status kn_recon_adjoint(kn_recon_plan *plan, const double *data, double *image, kn_error *err)
{
    return run(__func__, plan, ADJOINT, data, image, err);
}

kn_status kn_recon_normal(kn_recon_plan *plan, const double *from, double *to, kn_error *err)
{
    return run(__func__, plan, NORMAL, from, to, err);
}

kn_status kn_recon_gridding_forward(kn_recon_plan *plan, const double *image, double *data, kn_error *err)
{
    return run(__func__, plan, GRIDDING_FORWARD, image, data, err);
}

kn_status kn_recon_gridding_adjoint(kn_recon_plan *plan, const double *data, double *image, kn_error *err)
{
    return run(__func__, plan, GRIDDING_ADJOINT, data, image, err);
}

// ---- with buffers ----

static kn_status check_buffer(const kn_recon_plan *plan, const kn_buffer *buffer, bool data,
                              enum operation operation, kn_error *err)
{
    kn_status status =
        ki_column_check(data ? "data" : "an image", plan->queue, buffer, KN_F32, 2 * length(plan, data), err);

    if (!status && operation != FORWARD && operation != ADJOINT && kn_buffer_get_part_count(buffer) > 1)
        status =
            ki_fail(err, KN_ERROR_LIMIT, "a buffer is held in parts, which only forward and adjoint take");
    return status;
}

static kn_status run_buffers(const char *function, kn_recon_plan *plan, enum operation operation,
                             const kn_buffer *from, kn_buffer *to, kn_error *err)
{
    struct ki_ask *before;
    kn_status status;

    if (!plan || !from || !to) {
        status = refuse_null(plan, from, operation, err);
    } else if (!plan->queue) {
        status =
            ki_fail(err, KN_ERROR_ARGUMENT, "this plan is of the host; give arrays, or a queue to the plan");
    } else if (from == to) {
        status = ki_fail(err, KN_ERROR_ARGUMENT, "both buffers are the same");
    } else {
        status = check_buffer(plan, from, from_data(operation), operation, err);
        if (!status)
            status = check_buffer(plan, to, to_data(operation), operation, err);
        if (!status) {
            status = ki_recon_begin(plan, plan->queue, &before, err);
            if (!status)
                status = prepare(plan, operation, err);
            if (!status)
                status = enqueue(plan, operation, from, to, err);
            status = ki_recon_end(plan, plan->queue, before, status);
        }
    }
    return ki_error_name(function, status, err);
}

kn_status kn_recon_forward_buffers(kn_recon_plan *plan, const kn_buffer *image, kn_buffer *data,
                                   kn_error *err)
{
    return run_buffers(__func__, plan, FORWARD, image, data, err);
}

kn_status kn_recon_adjoint_buffers(kn_recon_plan *plan, const kn_buffer *data, kn_buffer *image,
                                   kn_error *err)
{
    return run_buffers(__func__, plan, ADJOINT, data, image, err);
}

kn_status kn_recon_normal_buffers(kn_recon_plan *plan, const kn_buffer *from, kn_buffer *to, kn_error *err)
{
    return run_buffers(__func__, plan, NORMAL, from, to, err);
}

kn_status kn_recon_gridding_forward_buffers(kn_recon_plan *plan, const kn_buffer *image, kn_buffer *data,
                                            kn_error *err)
{
    return run_buffers(__func__, plan, GRIDDING_FORWARD, image, data, err);
}

kn_status kn_recon_gridding_adjoint_buffers(kn_recon_plan *plan, const kn_buffer *data, kn_buffer *image,
                                            kn_error *err)
{
    return run_buffers(__func__, plan, GRIDDING_ADJOINT, data, image, err);
}
