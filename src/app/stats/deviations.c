// SPDX-License-Identifier: Apache-2.0
#include "deviations.h"

#include "base/number.h"
#include "host/stats/host_reals.h"

struct deviating {
    const struct host_reals *code;
    const char *x;
    size_t size; // bytes of an element
    double median, *to;
};

static void deviate_share(void *context, size_t first, size_t end)
{
    const struct deviating *d = context;

    d->code->deviations(d->x + first * d->size, end - first, d->median, d->to + first);
}

void ki_stats_deviations(const struct host_plan *plan, const void *x, bool single, size_t n, double median,
                         double *to)
{
    const struct host_reals *code = ki_host_reals_for(single ? KN_F32 : KN_F64, plan->level);
    struct deviating deviating = {code, x, single ? sizeof(float) : sizeof(double), median, to};

    ki_host_share_out(ki_host_threads(plan, n * sizeof *to), n, deviate_share, &deviating);
}

double ki_stats_bitonic_median(const double *deviations, size_t n)
{
    size_t left = n / 2, right = n / 2; // the elements before `left` and at `right` are next
    double previous = 0, current = 0;

    for (size_t i = 0; i <= n / 2; i++) {
        previous = current;
        if (left == 0 || (right < n && deviations[left - 1] >= deviations[right]))
            current = deviations[right++];
        else
            current = deviations[--left];
    }
    return n % 2 ? current : ki_middle(previous, current);
}
