// SPDX-License-Identifier: Apache-2.0
// Launchers of parallel programs, such as mpirun and srun, which start a command several times.
// launcher_mpi.c makes these processes the ranks of MPI; in a build without it launcher_none.c refuses.
#ifndef KN_CLI_LAUNCHER_H
#define KN_CLI_LAUNCHER_H

#include "ranks.h"

// The number of processes that a launcher started, and the variable that says so; 0 if this is one alone.
long launcher_count(const char **variable);

// Makes this process one of several, if a launcher started it: otherwise `ranks` is unchanged. Refuses if the
// processes cannot work together, since they would all do the same work and write the same files.
// KN_ERROR_ARGUMENT, with the variable that shows it.
kn_status launcher_open(struct ranks *ranks, kn_error *err);
// Called at the end by all ranks: waits until all have said what they have to say.
void launcher_close(struct ranks *ranks);

#endif
