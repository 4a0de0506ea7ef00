// SPDX-License-Identifier: Apache-2.0
// A build without MPI.
#include "launcher.h"

#include "base/error.h"

kn_status launcher_open(struct ranks *ranks, kn_error *err)
{
    const char *variable;
    const long count = launcher_count(&variable);

    (void)ranks;
    if (count == 0)
        return KN_OK;
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "%s is %ld, so a launcher starts %ld processes, but this Koine has no MPI, and each "
                   "of them would do all of the work; start it once (--device all takes all devices of "
                   "the machine), use one that is configured with --with-mpi, or unset %s where each has its "
                   "own input",
                   variable, count, count, variable);
}

void launcher_close(struct ranks *ranks)
{
    (void)ranks;
}
