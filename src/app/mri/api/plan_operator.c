// SPDX-License-Identifier: Apache-2.0
// koine/recon.h: a plan's operators, for koine/operator.h. Each holds the plan.
#include <stdlib.h>

#include "base/error.h"
#include "plan_internal.h"

// ---- on a device ----

static kn_status apply_encoding(kn_recon_plan *plan, kn_queue *queue, bool adjoint, const kn_buffer *from,
                                kn_buffer *to, kn_error *err)
{
    return adjoint ? ki_recon_device_adjoint(plan, queue, false, from, to, err)
                   : ki_recon_device_forward(plan, queue, from, to, err);
}

// The normal operator is its own adjoint.
static kn_status apply_normal(kn_recon_plan *plan, kn_queue *queue, bool adjoint, const kn_buffer *from,
                              kn_buffer *to, kn_error *err)
{
    (void)adjoint;
    return ki_recon_device_normal(plan, queue, from, to, err);
}

static kn_status apply_gridding(kn_recon_plan *plan, kn_queue *queue, bool adjoint, const kn_buffer *from,
                                kn_buffer *to, kn_error *err)
{
    return adjoint ? ki_recon_device_gridding_adjoint(plan, queue, false, from, to, err)
                   : ki_mri_gridding_forward(queue, plan->gridding, from, to, err);
}

// ---- on the host ----

static kn_status apply_encoding_host(kn_recon_plan *plan, bool adjoint, const double complex *from,
                                     double complex *to, kn_error *err)
{
    return adjoint ? ki_recon_host_adjoint(plan, false, from, to, err)
                   : ki_recon_host_forward(plan, from, to, err);
}

static kn_status apply_normal_host(kn_recon_plan *plan, bool adjoint, const double complex *from,
                                   double complex *to, kn_error *err)
{
    (void)adjoint;
    return ki_recon_host_normal(plan, from, to, err);
}

// ---- on both ----

static const struct {
    kn_status (*apply)(kn_recon_plan *plan, kn_queue *queue, bool adjoint, const kn_buffer *from,
                       kn_buffer *to, kn_error *err);
    kn_status (*apply_host)(kn_recon_plan *plan, bool adjoint, const double complex *from, double complex *to,
                            kn_error *err); // NULL: the operator has none
    kn_status (*prepare)(kn_recon_plan *plan, kn_error *err);
    kn_status (*prepare_host)(kn_recon_plan *plan, kn_error *err);
} kinds[] = {
    [KN_RECON_OPERATOR_ENCODING] = {apply_encoding, apply_encoding_host, NULL, ki_recon_host_prepare_forward},
    [KN_RECON_OPERATOR_NORMAL] = {apply_normal, apply_normal_host, ki_recon_device_prepare_normal,
                                  ki_recon_host_prepare_normal},
    [KN_RECON_OPERATOR_GRIDDING] = {apply_gridding, NULL, ki_recon_device_prepare_gridding, NULL},
};

// The data of an operator's functions.
struct recon_operator {
    kn_recon_plan *plan;
    kn_recon_operator_kind kind;
};

static kn_status apply(void *data, kn_queue *queue, bool adjoint, const kn_buffer *from, kn_buffer *to,
                       kn_error *err)
{
    const struct recon_operator *of = data;
    struct ki_ask *before;
    kn_status status = ki_recon_begin(of->plan, queue, &before, err);

    if (!status)
        status = kinds[of->kind].apply(of->plan, queue, adjoint, from, to, err);
    return ki_recon_end(of->plan, queue, before, status);
}

static kn_status apply_host(void *data, bool adjoint, const void *from, void *to, kn_error *err)
{
    const struct recon_operator *of = data;
    struct ki_ask *before;
    kn_status status = ki_recon_begin(of->plan, NULL, &before, err);

    return status ? status : kinds[of->kind].apply_host(of->plan, adjoint, from, to, err);
}

static void release(void *data)
{
    struct recon_operator *of = data;

    kn_recon_plan_free(of->plan);
    free(of);
}

static kn_status prepare(kn_recon_plan *plan, kn_recon_operator_kind kind, kn_error *err)
{
    kn_status (*function)(kn_recon_plan *, kn_error *) =
        plan->queue ? kinds[kind].prepare : kinds[kind].prepare_host;
    struct ki_ask *before;
    kn_status status = ki_recon_begin(plan, plan->queue, &before, err);

    if (!status && function)
        status = function(plan, err);
    return ki_recon_end(plan, plan->queue, before, status);
}

static kn_status create(kn_recon_plan *plan, kn_recon_operator_kind kind, kn_operator **made, kn_error *err)
{
    kn_operator_functions functions = KN_INIT(kn_operator_functions, .is_complex = true, .release = release);
    struct recon_operator *of;
    kn_status status;

    if (!plan || !made)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", plan ? "made" : "plan");
    if ((unsigned)kind > KN_RECON_OPERATOR_GRIDDING)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no operator %d; see kn_recon_operator_kind",
                       (int)kind);
    if (!plan->queue && !kinds[kind].apply_host)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "gridding runs on a device; create the plan with a queue, or use the sums");
    status = prepare(plan, kind, err);
    if (status)
        return status;
    of = malloc(sizeof *of);
    if (!of)
        return ki_fail_memory(err, sizeof *of, "an operator");
    *of = (struct recon_operator){ki_recon_plan_hold(plan), kind};
    functions.columns = plan->request.voxels;
    functions.rows = kind == KN_RECON_OPERATOR_NORMAL ? plan->request.voxels : plan->request.samples;
    functions.type = plan->queue ? KN_F32 : KN_F64;
    functions.data = of;
    if (plan->queue)
        functions.apply = apply;
    else
        functions.apply_host = apply_host;
    status = kn_operator_create(plan->context, &functions, made, err);
    if (status)
        release(of);
    return status;
}

kn_status kn_recon_operator_create(kn_recon_plan *plan, kn_recon_operator_kind kind, kn_operator **made,
                                   kn_error *err)
{
    return ki_error_name(__func__, create(plan, kind, made, err), err);
}
