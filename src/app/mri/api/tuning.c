// SPDX-License-Identifier: Apache-2.0
// The functions of koine/experimental/tuning.h for the reconstruction.
#include <koine/experimental/tuning.h>

#include <string.h>

#include "base/error.h"
#include "plan_internal.h"

const kn_tunables *kn_recon_get_tunables(void)
{
    return &ki_mri_sum_tunables;
}

const kn_tunables *kn_recon_get_gridding_tunables(bool volume)
{
    return &ki_mri_gridding_tunables[volume];
}

kn_status kn_recon_get_usual(const kn_queue *queue, unsigned values[KN_TUNABLES], kn_error *err)
{
    struct mri_tuning tuning;

    if (!queue || !values)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_recon_get_usual: %s is NULL", queue ? "values" : "queue");
    tuning = ki_mri_tuning_usual(queue);
    memset(values, 0, KN_TUNABLES * sizeof *values);
    ki_mri_tuning_values(&tuning, values);
    return KN_OK;
}

kn_status kn_recon_plan_get_gridding_values(const kn_recon_plan *plan, unsigned values[KN_TUNABLES],
                                            kn_error *err)
{
    static const char function[] = "kn_recon_plan_get_gridding_values";

    if (!plan || !values)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", function, plan ? "values" : "plan");
    if (!plan->gridding)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the plan has not gridded yet", function);
    memset(values, 0, KN_TUNABLES * sizeof *values);
    ki_mri_gridding_values(plan->gridding, values);
    return KN_OK;
}
