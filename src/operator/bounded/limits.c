// SPDX-License-Identifier: Apache-2.0
#include "limits.h"

#include <math.h>

#include "base/error.h"

kn_status ki_bounded_limits(kn_type type, double *low, double *high, kn_error *err)
{
    double least = *low, greatest = *high;

    if (!(*low <= *high))
        return ki_fail(err, KN_ERROR_ARGUMENT, "bounds from %g to %g; expected the lower one first", *low,
                       *high);
    if (type == KN_F32) {
        float above = (float)*low, below = (float)*high;

        least = (double)((double)above < *low ? nextafterf(above, INFINITY) : above);
        greatest = (double)((double)below > *high ? nextafterf(below, -INFINITY) : below);
    }
    if (!(least <= greatest) || least == INFINITY || greatest == -INFINITY)
        return ki_fail(err, KN_ERROR_ARGUMENT, "bounds from %g to %g have no number of the type %s within",
                       *low, *high, kn_type_name(type));
    *low = least;
    *high = greatest;
    return KN_OK;
}
