// SPDX-License-Identifier: Apache-2.0
// The quicksort for keys of a width on a kind of processor.
#include "host_sort.h"

const struct host_quicksort *ki_host_quicksort_for(const struct host_plan *plan)
{
    static const struct host_quicksort *const sorts[][2] = {HOST_LEVELS(host_quicksort)};

    return sorts[plan->level][plan->size == 8];
}
