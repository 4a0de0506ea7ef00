// SPDX-License-Identifier: Apache-2.0
// koine solve: how many columns of B are solved at a time.
#include <stdlib.h>

#include "base/error.h"
#include "cli/framework/memory.h"
#include "cmd_solve.h"

// The columns that are being solved are copied, and results of all of them are kept as they are packed.
static size_t bytes_of_pieces(const struct solve_command *command)
{
    const size_t history = command->task.iterations + 1, columns = command->x.rows,
                 packed = (columns + history) * sizeof(double) + sizeof(kn_least_squares_solution);

    return command->together * columns * sizeof(double) + command->b.count * packed;
}

kn_status solve_measure(const struct solve_command *command, kn_sparse_memory *memory, kn_error *err)
{
    const kn_least_squares_task task =
        KN_INIT(kn_least_squares_task, .matrix = command->matrix,
                .geometry = command->matrix ? NULL : &command->geometry, .b = command->b.values,
                .count = command->together, .weights = command->weights);
    kn_status status = ki_error_unname(
        kn_least_squares_estimate_memory(command->tool.place.queue, &task, memory, &command->task, err), err);

    if (!status)
        memory->host += bytes_of_pieces(command);
    return status;
}

// The same of the host's and the device's memory, or of the host's for both if the device uses that.
static kn_status measure(const struct solve_command *command, size_t *bytes, kn_error *err)
{
    kn_sparse_memory memory;
    kn_status status = solve_measure(command, &memory, err);

    if (status)
        return status;
    if (command->tool.place.device.type == KN_DEVICE_CPU)
        *bytes = memory.host + memory.device;
    else
        *bytes = memory.host > memory.device ? memory.host : memory.device;
    return KN_OK;
}

// How many places share the memory.
static size_t places_here(const struct solve_command *command)
{
    const struct share *share = &command->tool.share;
    const size_t places = share->ranks ? ranks_on_machine(share->ranks) : share->count;

    return places ? places : 1;
}

static size_t memory_of_place(const struct solve_command *command)
{
    return memory_for_data(&command->arguments->tool.common) / places_here(command);
}

// Ranks have the pieces that fit in each of them.
static kn_status agree(struct solve_command *command, kn_status status, kn_error *err)
{
    struct ranks *ranks = command->tool.share.ranks;
    void *told = NULL;

    if (!ranks)
        return status;
    status = ranks_tell(ranks, status, &command->together, sizeof command->together, &told, err);
    for (size_t i = 0; i < ranks->communicator->size && !status; i++) {
        const size_t other = ((const size_t *)told)[i];

        command->together = other < command->together ? other : command->together;
    }
    free(told);
    return status;
}

static kn_status fit(struct solve_command *command, kn_error *err)
{
    const struct common_arguments *common = &command->arguments->tool.common;
    size_t bytes;
    kn_status status = measure(command, &bytes, err);

    while (!status && bytes > memory_of_place(command) && command->together > 1) {
        command->together -= command->together / 2;
        status = measure(command, &bytes, err);
    }
    if (!status && bytes > memory_of_place(command) && !command->matrix && command->tool.place.queue &&
        command->task.format == KN_SPARSE_AUTO &&
        command->task.method != KN_LEAST_SQUARES_FBP) { // without the matrix
        command->task.format = KN_SPARSE_ON_THE_FLY;
        status = measure(command, &bytes, err);
    }
    return status ? status
                  : memory_check(common, MEMORY_BESIDE + bytes * places_here(command),
                                 command->b.count > 1 ? "one column of B" : "the system", err);
}

// All columns; if several places share them, or with --resume, an eighth of them, or as many as are worth
// solving side by side. This depends only on the problem. A matrix is prepared anew for each piece.
static size_t columns_of_piece(const struct solve_command *command)
{
    enum { PARTS = 8, OF_MATRIX = 64, OF_RAYS = 16 };
    const size_t part = (command->b.count + PARTS - 1) / PARTS, most = command->matrix ? OF_MATRIX : OF_RAYS;

    if (command->tool.share.count == 0 && !command->arguments->tool.common.resume)
        return command->b.count;
    return part < most ? part : most;
}

kn_status solve_divide(struct solve_command *command, kn_error *err)
{
    const struct common_arguments *common = &command->arguments->tool.common;

    command->together = columns_of_piece(command);
    if (common->memory_limit) {
        kn_status status;

        memory_keep_nothing();
        status = agree(command, fit(command, err), err);
        if (status)
            return status;
    }
    command->pieces = command->b.count / command->together + (command->b.count % command->together != 0);
    command->results = calloc(command->pieces, sizeof *command->results);
    return command->results
               ? KN_OK
               : ki_fail_memory(err, command->pieces * sizeof *command->results, "the solutions");
}
