// SPDX-License-Identifier: Apache-2.0
// Running a distribution: in this process, on its places (schedule.c), or in several processes (ranks.c).
#include "distribution_internal.h"

#include "base/error.h"

kn_status kn_distribution_run(kn_distribution *distribution, kn_error *err)
{
    const kn_communicator *communicator;
    kn_status status;

    if (!distribution)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_distribution_run: NULL for the distribution");
    if (distribution->has_run || distribution->place_count == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_distribution_run: %s",
                       distribution->has_run ? "the distribution has run" : "no queue was added");
    communicator = distribution->options.communicator;
    distribution->has_run = true;
    distribution->live = distribution->place_count;
    pthread_mutex_lock(&distribution->lock);
    status = communicator && communicator->size > 1 ? ki_distribute_run_ranks(distribution, err)
                                                    : ki_distribute_run_places(distribution, err);
    pthread_mutex_unlock(&distribution->lock);
    if (status)
        return status;
    if (distribution->status && err)
        *err = distribution->failure;
    return distribution->status;
}
