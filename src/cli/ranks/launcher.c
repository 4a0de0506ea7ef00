// SPDX-License-Identifier: Apache-2.0
#include "launcher.h"

#include <stdlib.h>

#include "base/array.h"

// Set by Open MPI; by MPICH and others; by srun, which sets no other variable unless it supports MPI. srun
// also starts the daemons of the others on further machines, so the first one that is set counts.
static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};

long launcher_count(const char **variable)
{
    for (size_t i = 0; i < KI_COUNT(variables); i++) {
        const char *value = getenv(variables[i]);
        const long count = value ? strtol(value, NULL, 10) : 0;

        *variable = variables[i];
        if (value)
            return count > 1 ? count : 0;
    }
    return 0;
}
