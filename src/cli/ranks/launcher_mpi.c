// SPDX-License-Identifier: Apache-2.0
// A build with MPI, which is started only under a launcher. Only the main thread calls it.
#include "launcher.h"

#include <koine/mpi.h>

#include <mpi.h>

#include "base/error.h"

static kn_mpi *mpi;

static kn_status refuse(const char *variable, long count, int size, kn_error *err)
{
    MPI_Finalize();
    return ki_fail(
        err, KN_ERROR_ARGUMENT,
        "%s is %ld, so a launcher starts %ld processes, but MPI finds %d, and each would do all of "
        "the work; start them by the launcher of the MPI that Koine was built with (mpirun, or "
        "srun --mpi=pmix), or unset %s where each has its own input",
        variable, count, count, size, variable);
}

kn_status launcher_open(struct ranks *ranks, kn_error *err)
{
    const char *variable;
    const long count = launcher_count(&variable);
    int size, provided;
    kn_status status;

    if (count == 0)
        return KN_OK;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != count)
        return refuse(variable, count, size, err);
    status = kn_mpi_create(MPI_Comm_c2f(MPI_COMM_WORLD), &mpi, err);
    if (status) {
        MPI_Abort(MPI_COMM_WORLD, 1); // the others wait for this one
        return status;
    }
    ranks->communicator = kn_mpi_get_communicator(mpi);
    ranks->local_rank = kn_mpi_get_local_rank(mpi);
    ranks->local_size = kn_mpi_get_local_size(mpi);
    return KN_OK;
}

void launcher_close(struct ranks *ranks)
{
    if (!ranks->communicator)
        return;
    MPI_Barrier(MPI_COMM_WORLD); // a launcher may end the others when one has failed
    kn_mpi_free(mpi);
    MPI_Finalize();
    ranks->communicator = NULL;
}
