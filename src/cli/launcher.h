// SPDX-License-Identifier: Apache-2.0
// Launchers of parallel programs, such as mpirun and srun, which start a command several times.
#ifndef KN_CLI_LAUNCHER_H
#define KN_CLI_LAUNCHER_H

#include <koine/error.h>

// Refuses to run as one of several processes, which would all do the same work and write the same files.
// KN_ERROR_ARGUMENT, with the variable that shows it.
kn_status launcher_check(kn_error *err);

#endif
