// SPDX-License-Identifier: Apache-2.0
// koine solve: --lambda-by lcurve, lambda at the corner of the L-curve.
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"
#include "cmd_solve.h"

enum { POINTS = SOLVE_LCURVE_POINTS, NUMBERS = 3 };

static bool step(void *data, size_t done, size_t count)
{
    struct solve_command *command = data;

    progress_step(&command->progress, (double)done / (double)count);
    return true;
}

static kn_status find_curve(struct solve_command *command, kn_error *err)
{
    const kn_least_squares_task task =
        KN_INIT(kn_least_squares_task, .matrix = command->matrix,
                .geometry = command->matrix ? NULL : &command->geometry, .b = command->b.values,
                .count = command->b.count, .weights = command->weights);
    struct tool *tool = &command->tool;
    kn_least_squares_options options = command->task;
    kn_status status;

    options.preconditioner = KN_LEAST_SQUARES_NONE;
    options.progress = step;
    options.progress_data = command;
    progress_begin(&command->progress, tool->arguments->common.quiet);
    status = ki_error_unname(kn_least_squares_lcurve(tool->place.queue, &task, &options, POINTS,
                                                     command->lcurve, &command->corner, err),
                             err);
    progress_end(&command->progress);
    return status;
}

kn_status solve_choose_lambda(struct solve_command *command, kn_error *err)
{
    const char *path = command->arguments->tool.common.operands.items[1];
    kn_status status;

    if (command->arguments->lambda_by != SOLVE_LAMBDA_BY_LCURVE)
        return KN_OK;
    if (command->tool.share.count > 0)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--lambda-by lcurve computes in one place; choose lambda there, and share the work with "
            "--lambda");
    if (command->arguments->tool.common.dry_run)
        return KN_OK;
    command->lcurve = calloc(NUMBERS * POINTS, sizeof *command->lcurve);
    if (!command->lcurve)
        return ki_fail_memory(err, NUMBERS * POINTS * sizeof *command->lcurve, "the L-curve");
    status = find_curve(command, err);
    if (!status && command->corner == POINTS)
        status = ki_fail_at(
            err, KN_ERROR_INPUT, path, 0,
            "the L-curve has no corner: from lambda %.3g to %.3g the residual is %.3g to %.3g, "
            "and |x| %.3g to %.3g, without a sharp turn; choose --lambda, or 0",
            command->lcurve[0], command->lcurve[NUMBERS * (POINTS - 1)], command->lcurve[1],
            command->lcurve[NUMBERS * POINTS - 2], command->lcurve[2], command->lcurve[NUMBERS * POINTS - 1]);
    if (!status)
        command->task.lambda = command->lcurve[NUMBERS * command->corner];
    return status;
}

bool solve_print_lcurve(const struct solve_command *command)
{
    struct table table;

    if (!command->lcurve)
        return true;
    printf("lambda %.6g, the corner of the L-curve:\n", command->task.lambda);
    table_begin(&table, "rrrl");
    table_add_all(&table, (const char *const[]){"lambda", "|Ax-b|", "|x|", "", NULL});
    for (size_t i = 0; i < POINTS; i++) {
        for (size_t k = 0; k < NUMBERS; k++)
            table_add(&table, "%.6g", command->lcurve[NUMBERS * i + k]);
        table_add(&table, "%s", i == command->corner ? "corner" : "");
    }
    return table_finish(&table);
}

json_t *solve_json_lcurve(const struct solve_command *command)
{
    json_t *points = json_array();

    for (size_t i = 0; i < POINTS; i++) {
        json_t *point = json_array();

        for (size_t k = 0; k < NUMBERS; k++)
            report_append(&point, ki_json_double(command->lcurve[NUMBERS * i + k]));
        report_append(&points, point);
    }
    return points;
}
