// SPDX-License-Identifier: Apache-2.0
// koine/recon.h: a plan's operators, for koine/operator.h. Each holds the plan.
#include "base/error.h"
#include "plan_internal.h"

// ---- on a device ----

static kn_status apply_encoding(void *data, kn_queue *queue, bool adjoint, const kn_buffer *from,
                                kn_buffer *to, kn_error *err)
{
    return adjoint ? ki_recon_device_adjoint(data, queue, false, from, to, err)
                   : ki_recon_device_forward(data, queue, from, to, err);
}

static kn_status apply_normal(void *data, kn_queue *queue, bool adjoint, const kn_buffer *from, kn_buffer *to,
                              kn_error *err)
{
    (void)adjoint; // its own
    return ki_recon_device_normal(data, queue, from, to, err);
}

static kn_status apply_gridding(void *data, kn_queue *queue, bool adjoint, const kn_buffer *from,
                                kn_buffer *to, kn_error *err)
{
    kn_recon_plan *plan = data;

    return adjoint ? ki_recon_device_gridding_adjoint(plan, queue, false, from, to, err)
                   : ki_mri_gridding_forward(queue, plan->gridding, from, to, err);
}

// ---- on the host ----

static kn_status apply_encoding_host(void *data, bool adjoint, const void *from, void *to, kn_error *err)
{
    return adjoint ? ki_recon_host_adjoint(data, false, from, to, err)
                   : ki_recon_host_forward(data, from, to, err);
}

static kn_status apply_normal_host(void *data, bool adjoint, const void *from, void *to, kn_error *err)
{
    (void)adjoint;
    return ki_recon_host_normal(data, from, to, err);
}

// ---- either ----

static const struct {
    kn_operator_function *apply;
    kn_operator_host_function *apply_host; // NULL: it has none
    kn_status (*prepare)(kn_recon_plan *plan, kn_error *err);
    kn_status (*prepare_host)(kn_recon_plan *plan, kn_error *err);
} kinds[] = {
    [KN_RECON_OPERATOR_ENCODING] = {apply_encoding, apply_encoding_host, NULL, ki_recon_host_prepare_forward},
    [KN_RECON_OPERATOR_NORMAL] = {apply_normal, apply_normal_host, ki_recon_device_prepare_normal,
                                  ki_recon_host_prepare_normal},
    [KN_RECON_OPERATOR_GRIDDING] = {apply_gridding, NULL, ki_recon_device_prepare_gridding, NULL},
};

static void release(void *data)
{
    kn_recon_plan_free(data);
}

static kn_status create(kn_recon_plan *plan, kn_recon_operator_kind kind, kn_operator **made, kn_error *err)
{
    kn_operator_functions functions = KN_INIT(kn_operator_functions, .is_complex = true, .release = release);
    kn_status status = KN_OK;

    if (!plan || !made)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", plan ? "made" : "plan");
    if ((unsigned)kind > KN_RECON_OPERATOR_GRIDDING)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no operator %d; see kn_recon_operator_kind",
                       (int)kind);
    if (!plan->queue && !kinds[kind].apply_host)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "gridding runs on a device; create the plan with a queue, or use the sums");
    functions.columns = plan->request.voxels;
    functions.rows = kind == KN_RECON_OPERATOR_NORMAL ? plan->request.voxels : plan->request.samples;
    functions.type = plan->queue ? KN_F32 : KN_F64;
    functions.data = plan;
    if (plan->queue)
        functions.apply = kinds[kind].apply;
    else
        functions.apply_host = kinds[kind].apply_host;
    if (plan->queue && kinds[kind].prepare)
        status = kinds[kind].prepare(plan, err);
    else if (!plan->queue)
        status = kinds[kind].prepare_host(plan, err);
    if (!status)
        status = kn_operator_create(plan->context, &functions, made, err);
    if (!status)
        ki_recon_plan_hold(plan);
    return status;
}

kn_status kn_recon_operator_create(kn_recon_plan *plan, kn_recon_operator_kind kind, kn_operator **made,
                                   kn_error *err)
{
    return ki_error_name(__func__, create(plan, kind, made, err), err);
}
