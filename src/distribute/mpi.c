// SPDX-License-Identifier: Apache-2.0
// libkoine-mpi: the ranks of MPI as a communicator (koine/mpi.h). This file is not part of libkoine.
#include <koine/mpi.h>

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct kn_mpi {
    kn_communicator communicator;
    MPI_Comm comm;
    MPI_Win window; // of a number in the memory of rank 0
    size_t local_rank, local_size;
};

enum { CHUNK = 1 << 30 }; // MPI counts bytes in an int

static kn_status take(void *data, size_t count, size_t *before, kn_error *err)
{
    const struct kn_mpi *mpi = data;
    const uint64_t added = count;
    uint64_t was = 0;

    (void)err;
    MPI_Fetch_and_op(&added, &was, MPI_UINT64_T, 0, 0, MPI_SUM, mpi->window);
    MPI_Win_flush(0, mpi->window);
    *before = (size_t)was;
    return KN_OK;
}

static kn_status share(void *data, const void *own, size_t size, void *all, kn_error *err)
{
    const struct kn_mpi *mpi = data;

    if (size > CHUNK)
        return ki_fail(err, KN_ERROR_ARGUMENT, "koine/mpi.h: %zu bytes to share are more than %d", size,
                       CHUNK);
    MPI_Allgather(own, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, mpi->comm);
    return KN_OK;
}

static size_t chunk(size_t left)
{
    return left < CHUNK ? left : CHUNK;
}

// Rank 0 receives from one rank after the other: all of the results may be more than MPI_Gatherv counts.
static kn_status gather(void *data, const void *own, size_t size, const size_t *sizes, void *all,
                        kn_error *err)
{
    const struct kn_mpi *mpi = data;
    char *to = all;

    (void)err;
    if (mpi->communicator.rank > 0) {
        for (size_t at = 0; at < size; at += chunk(size - at))
            MPI_Send((const char *)own + at, (int)chunk(size - at), MPI_BYTE, 0, 0, mpi->comm);
        return KN_OK;
    }
    if (size)
        memcpy(to, own, size);
    to += size;
    for (size_t rank = 1; rank < mpi->communicator.size; rank++)
        for (size_t left = sizes[rank], now = chunk(left); left; left -= now, to += now, now = chunk(left))
            MPI_Recv(to, (int)now, MPI_BYTE, (int)rank, 0, mpi->comm, MPI_STATUS_IGNORE);
    return KN_OK;
}

static void open_window(struct kn_mpi *mpi)
{
    uint64_t *number = NULL;
    const MPI_Aint size = mpi->communicator.rank == 0 ? sizeof *number : 0;

    MPI_Win_allocate(size, sizeof *number, MPI_INFO_NULL, mpi->comm, &number, &mpi->window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, mpi->window);
    if (size) {
        *number = 0;
        MPI_Win_sync(mpi->window);
    }
    MPI_Barrier(mpi->comm);
}

static void count_local(struct kn_mpi *mpi)
{
    MPI_Comm local;
    int rank, size;

    MPI_Comm_split_type(mpi->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    MPI_Comm_rank(local, &rank);
    MPI_Comm_size(local, &size);
    MPI_Comm_free(&local);
    mpi->local_rank = (size_t)rank;
    mpi->local_size = (size_t)size;
}

kn_status kn_mpi_create(int comm, kn_mpi **mpi, kn_error *err)
{
    struct kn_mpi *made;
    int runs = 0, ended = 0, rank, size;

    MPI_Initialized(&runs);
    MPI_Finalized(&ended);
    if (!mpi || !runs || ended)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_mpi_create: %s",
                       mpi ? "MPI is not running; MPI_Init starts it" : "NULL for the communicator");
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a communicator of MPI");
    MPI_Comm_dup(MPI_Comm_f2c(comm), &made->comm);
    MPI_Comm_rank(made->comm, &rank);
    MPI_Comm_size(made->comm, &size);
    made->communicator = KN_INIT(kn_communicator, .rank = (size_t)rank, .size = (size_t)size, .take = take,
                                 .share = share, .gather = gather, .data = made);
    open_window(made);
    count_local(made);
    *mpi = made;
    return KN_OK;
}

void kn_mpi_free(kn_mpi *mpi)
{
    if (!mpi)
        return;
    MPI_Win_unlock_all(mpi->window);
    MPI_Win_free(&mpi->window);
    MPI_Comm_free(&mpi->comm);
    free(mpi);
}

const kn_communicator *kn_mpi_get_communicator(const kn_mpi *mpi)
{
    return mpi ? &mpi->communicator : NULL;
}

size_t kn_mpi_get_local_rank(const kn_mpi *mpi)
{
    return mpi ? mpi->local_rank : 0;
}

size_t kn_mpi_get_local_size(const kn_mpi *mpi)
{
    return mpi ? mpi->local_size : 0;
}
