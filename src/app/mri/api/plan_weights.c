// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "base/error.h"
#include "plan_internal.h"

kn_status ki_recon_normal_weights(const kn_recon_plan *plan, double **weights, kn_error *err)
{
    size_t samples = plan->request.samples;
    double *made;

    *weights = NULL;
    if (!plan->weights && !plan->basis)
        return KN_OK;
    made = malloc(samples * sizeof *made);
    if (!made)
        return ki_fail_memory(err, samples * sizeof *made, "the normal operator");
    for (size_t m = 0; m < samples; m++) {
        double complex phi = plan->basis ? plan->basis[m] : 1;

        made[m] =
            (plan->weights ? plan->weights[m] : 1) * (creal(phi) * creal(phi) + cimag(phi) * cimag(phi));
    }
    *weights = made;
    return KN_OK;
}
