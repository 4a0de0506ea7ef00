// SPDX-License-Identifier: Apache-2.0
// koine solve as a job in pieces (koine/distribute.h): a piece is a set of columns of B that are solved
// together.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd_solve.h"

struct part {
    struct solve_command *command;
    size_t first; // index of the first column
};

// Progress if one place solves all columns.
static bool step(void *data, size_t solved, size_t count)
{
    const struct part *part = data;

    (void)count;
    progress_step(&part->command->progress, (double)(part->first + solved) / (double)part->command->b.count);
    return true;
}

static size_t columns_of(const struct solve_command *command, size_t piece)
{
    const size_t left = command->b.count - piece * command->together;

    return left < command->together ? left : command->together;
}

static kn_status run_piece(void *data, size_t place, kn_queue *queue, size_t piece,
                           kn_distribute_result *bytes, kn_error *err)
{
    struct solve_command *command = data;
    const size_t count = columns_of(command, piece), columns = command->x.rows;
    struct part part = {command, piece * command->together};
    kn_least_squares_options options = command->task;
    const kn_least_squares_task task = KN_INIT(kn_least_squares_task, .matrix = command->matrix,
                                               .geometry = command->matrix ? NULL : &command->geometry,
                                               .b = command->b.values + part.first * command->b.rows,
                                               .count = count, .weights = command->weights);
    kn_least_squares_result *result = NULL;
    double *x = malloc(count * columns * sizeof *x);
    kn_status status;

    (void)place;
    if (!x)
        return ki_fail_memory(err, count * columns * sizeof *x, "the solutions");
    memcpy(x, command->x.values + part.first * columns, count * columns * sizeof *x);
    if (command->tool.share.count <= 1) { // and therefore in the command's own thread
        options.progress = step;
        options.progress_data = &part;
    }
    status = ki_error_unname(kn_least_squares(queue, &task, x, &options, &result, err), err);
    if (!status)
        status = solve_pack(result, count, x, columns, bytes, err);
    kn_least_squares_result_free(result);
    free(x);
    return status;
}

static void name_piece(void *data, size_t piece, char *name, size_t size)
{
    const struct solve_command *command = data;
    const size_t first = solve_number(command, piece * command->together), count = columns_of(command, piece);
    const char *side = solve_side(command);

    if (count == 1)
        snprintf(name, size, "%s %zu", side, first);
    else
        snprintf(name, size, "%ss %zu to %zu", side, first, first + count - 1);
}

static kn_status keep_piece(void *data, size_t piece, const void *bytes, size_t size, kn_error *err)
{
    struct solve_command *command = data;

    return solve_unpack(bytes, size, command->x.rows, &command->results[piece],
                        command->x.values + piece * command->together * command->x.rows, err);
}

kn_status solve_compute(struct solve_command *command, kn_error *err)
{
    const kn_distribute_job job = KN_INIT(kn_distribute_job, .piece_count = command->pieces, .run = run_piece,
                                          .name = name_piece, .data = command);
    struct tool *tool = &command->tool;
    kn_least_squares_times times;
    kn_status status;

    progress_begin(&command->progress, tool->arguments->common.quiet);
    tool_compute(tool);
    status = tool_share(tool, &job, keep_piece, &command->progress, err);
    status = tool_computed(tool, status, err);
    progress_end(&command->progress);
    if (status || !ranks_writes(tool->arguments->common.ranks))
        return status;
    times = solve_times(command);
    tool->seconds.compute = times.iterate;
    if (tool->place.queue) {
        tool->seconds.upload = times.prepare;
        tool->seconds.download = times.copy;
    }
    return KN_OK;
}
