// SPDX-License-Identifier: Apache-2.0
#include "launcher.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

// Set by Open MPI; by MPICH and others; by srun, which sets no other variable unless it supports MPI.
static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};

kn_status launcher_check(kn_error *err)
{
    for (size_t i = 0; i < KI_COUNT(variables); i++) {
        const char *value = getenv(variables[i]);
        const long count = value ? strtol(value, NULL, 10) : 0;

        if (count > 1)
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "%s is %ld, so a launcher starts %ld processes, but this Koine has no MPI, and each "
                "of them would do all of the work; start it once (--device all takes all devices of "
                "the machine), or unset %s where each has its own input",
                variables[i], count, count, variables[i]);
    }
    return KN_OK;
}
