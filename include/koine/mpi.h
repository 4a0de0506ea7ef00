// SPDX-License-Identifier: Apache-2.0
// The ranks of MPI as a communicator (koine/distribute.h). Its functions are in libkoine-mpi, which is built
// by configure --with-mpi; libkoine itself does not use MPI. MPI is the program's own: it starts and ends it.
//
//     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
//     kn_mpi_create(MPI_Comm_c2f(MPI_COMM_WORLD), &mpi, &err);
//     options.communicator = kn_mpi_get_communicator(mpi);
//     ... kn_distribution_run(distribution, &err) ...     // in all ranks, by the thread that started MPI
//     kn_mpi_free(mpi);
//     MPI_Finalize();
#ifndef KOINE_MPI_H
#define KOINE_MPI_H

#include <koine/distribute.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KN_MPI_API __attribute__((visibility("default")))

typedef struct kn_mpi kn_mpi;

// A communicator of the ranks of `comm`, the Fortran handle of an MPI communicator between the processes of
// one program: MPI_Comm_c2f in C, comm.py2f() in mpi4py. It is duplicated. Called by all of these ranks,
// after MPI_Init. Only the thread that calls kn_distribution_run calls MPI, so MPI_THREAD_FUNNELED suffices
// if that is the main thread. The number of the next piece lies in the memory of rank 0, where the others add
// to it (MPI_Fetch_and_op). An error of MPI is handled as MPI_COMM_WORLD's usually are: it ends all ranks.
// Errors: KN_ERROR_ARGUMENT, also if MPI is not running; KN_ERROR_MEMORY.
KN_MPI_API kn_status kn_mpi_create(int comm, kn_mpi **mpi, kn_error *err);
// Called by all ranks, before MPI_Finalize. NULL is fine.
KN_MPI_API void kn_mpi_free(kn_mpi *mpi);
// Owned by `mpi`; NULL for NULL.
KN_MPI_API const kn_communicator *kn_mpi_get_communicator(const kn_mpi *mpi);
// Counts this rank, from 0, among those that share memory with it, which are those of the same machine; and
// how many these are. 0 for NULL.
KN_MPI_API size_t kn_mpi_get_local_rank(const kn_mpi *mpi);
KN_MPI_API size_t kn_mpi_get_local_size(const kn_mpi *mpi);

#ifdef __cplusplus
}
#endif
#endif
