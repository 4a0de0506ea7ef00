// SPDX-License-Identifier: Apache-2.0
// koine solve: its output for people, and its JSON.
#include <math.h>
#include <stdio.h>

#include <koine/experimental/least_squares.h>

#include "base/array.h"
#include "cmd_solve.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

static const char *const meanings[] = {
    [KN_LEAST_SQUARES_STOPPED_ITERATIONS] = "all iterations are done",
    [KN_LEAST_SQUARES_STOPPED_RESIDUAL] = "the residual has reached the tolerance",
    [KN_LEAST_SQUARES_STOPPED_DISCREPANCY] = "the residual has reached the noise",
    [KN_LEAST_SQUARES_STOPPED_NCP] = "the residual is closest to white noise",
    [KN_LEAST_SQUARES_STOPPED_FLOOR] =
        "the gradient is as small as the precision allows: the least-squares solution",
    [KN_LEAST_SQUARES_STOPPED_DIRECT] = "solved directly, without iterations",
    [KN_LEAST_SQUARES_STOPPED_CURVATURE] = "nothing is left to do, or the correction is not convex",
};

bool solve_reached(const kn_least_squares_solution *solution)
{
    return solution->tolerance_reached && solution->noise_reached;
}

static bool is_single(const struct solve_command *command)
{
    return command->results->facts->type == KN_F32;
}

static const char *meaning_of(const kn_least_squares_solution *solution)
{
    bool still = !isnan(solution->objective) && solution->stopped == KN_LEAST_SQUARES_STOPPED_FLOOR;

    return still ? "an iteration changes hardly more than roundings" : meanings[solution->stopped];
}

static void print_solution(const kn_least_squares_solution *solution, bool single, bool weighted)
{
    printf("stopped by %s after %zu iteration%s: %s\n", kn_least_squares_stopped_name(solution->stopped),
           solution->iterations, solution->iterations == 1 ? "" : "s", meaning_of(solution));
    printf("%sresidual |Ax-b|/|b| %.6g", weighted ? "weighted " : "", solution->residual);
    if (!isnan(solution->objective))
        printf(", objective |Ax-b|^2/2 + lambda TV(x) %.9g", solution->objective);
    else if (!isnan(solution->normal_residual)) // fbp does not minimise this residual
        printf(", normal residual %.6g of that at the start", solution->normal_residual);
    printf("%s\n", single ? ", from x in double precision" : "");
    if (!isnan(solution->error_estimate))
        printf("error of single precision: the relative error of x is about %.2g%s\n",
               solution->error_estimate, solution->precision_reached ? "" : ", too large for an answer");
}

static bool print_solutions(const struct solve_command *command)
{
    bool single = is_single(command), tv = command->task.method == KN_LEAST_SQUARES_TV;
    struct table table;

    table_begin(&table, single ? "rrlrrr" : "rrlrr");
    table_add_all(&table, (const char *const[]){solve_side(command), "iterations", "stopped by",
                                                command->weights ? "weighted residual" : "residual",
                                                tv ? "objective" : "normal residual",
                                                single ? "error of x" : NULL, NULL});
    for (size_t i = 0; i < command->x.count; i++) {
        const kn_least_squares_solution *solution = solve_solution(command, i);

        table_add(&table, "%zu", solve_number(command, i));
        table_add(&table, "%zu", solution->iterations);
        table_add(&table, "%s", kn_least_squares_stopped_name(solution->stopped));
        table_add(&table, "%.6g", solution->residual);
        table_add(&table, "%.6g", tv ? solution->objective : solution->normal_residual);
        if (single && isnan(solution->error_estimate))
            table_add(&table, "-");
        else if (single)
            table_add(&table, "%.2g%s", solution->error_estimate, solution->precision_reached ? "" : " !");
    }
    return table_finish(&table);
}

static size_t all_iterations(const struct solve_command *command)
{
    size_t sum = 0;

    for (size_t i = 0; i < command->x.count; i++)
        sum += solve_solution(command, i)->iterations;
    return sum;
}

static void print_times(const struct solve_command *command)
{
    kn_least_squares_times times = solve_times(command);
    unsigned launches = command->results->facts->launches;
    size_t iterations = all_iterations(command);

    printf("%s %.4g s", iterations ? "iterations" : "solutions", times.iterate);
    if (iterations)
        printf(", %.4g ms each", times.iterate / (double)iterations * 1e3);
    printf("; with %s %.4g s", command->tool.place.queue ? "upload and download" : "preparing the matrix",
           times.iterate + times.prepare + times.copy);
    if (launches)
        printf("; %u launches per iteration", launches);
    printf("\n");
}

static void print_axis(const kn_tomography_axis *axis)
{
    if (axis->pairs)
        printf("axis of rotation at detector %.2f, error about %.2g (opposite projections: %.2f); ",
               axis->axis, axis->error, axis->opposite);
}

bool solve_print(const struct solve_command *command)
{
    const struct solve_facts *facts = command->results->facts;
    double weight = facts->weight;
    double shift = facts->shift;
    double bound, adjoint = solve_adjoint(command, &bound);
    bool printed = true;

    printf("%zu x %zu, ", command->rows, command->columns);
    if (command->matrix)
        printf("%zu nonzeros; ", kn_sparse_get_nonzeros(command->matrix));
    else
        printf("%s; ", command->geometry.beam == KN_TOMOGRAPHY_PARALLEL ? "parallel rays" : "rays of a fan");
    print_axis(&command->axis);
    printf("%s, %s; ", solve_method_names[command->task.method], facts->code);
    tool_print_place(&command->tool);
    if (command->pieces > 1)
        printf("in %zu pieces of at most %zu %s%s\n", command->pieces, command->together, solve_side(command),
               command->together == 1 ? "" : "s");
    if (weight > 0)
        printf("the weight of the correction is %.6g\n", weight);
    printed = solve_print_lcurve(command);
    if (command->left_out)
        printf("%zu of %zu measurements are left out: their weight is 0\n", command->left_out, command->rows);
    if (shift > 0)
        printf("the incomplete factors are those of a diagonal increased by a factor of 1 + %.3g\n", shift);
    if (bound > 0)
        printf("adjoint check: <Ax,y> and <x,A^T y> differ by %.2g of their terms; rounding explains up to "
               "%.2g\n",
               adjoint, bound);
    if (command->x.count == 1)
        print_solution(solve_solution(command, 0), is_single(command), command->weights);
    else
        printed = print_solutions(command) && printed;
    print_times(command);
    return printed;
}

// ---- JSON ----

static json_t *history_of(const struct solve_command *command, size_t i)
{
    size_t count;
    const double *numbers = solve_history(command, i, &count);
    json_t *history = json_array();

    for (size_t k = 0; k < count; k++)
        report_append(&history, ki_json_double(numbers[k]));
    return history;
}

static void put_accuracy(json_t **object, const kn_least_squares_solution *solution)
{
    report_put(object, "error_estimate", ki_json_double(solution->error_estimate));
    report_put(object, "precision_reached", json_boolean(solution->precision_reached));
}

static void put_solution(json_t **object, const struct solve_command *command,
                         const kn_least_squares_solution *solution)
{
    report_put(object, "iterations", json_integer((json_int_t)solution->iterations));
    report_put(object, "residual", ki_json_double(solution->residual));
    report_put(object, "normal_residual", ki_json_double(solution->normal_residual));
    report_put(object, "objective", ki_json_double(solution->objective));
    report_put(object, "true_residual", ki_json_double(solution->residual));
    report_put(object, "true_normal_residual",
               command->task.correction ? json_null() : ki_json_double(solution->normal_residual));
    report_put(object, "stopped_by", json_string(kn_least_squares_stopped_name(solution->stopped)));
}

static json_t *columns(const struct solve_command *command)
{
    json_t *list = json_array();

    for (size_t i = 0; i < command->x.count; i++) {
        const kn_least_squares_solution *solution = solve_solution(command, i);
        json_t *row = json_object();

        report_put(&row, solve_side(command), json_integer((json_int_t)solve_number(command, i)));
        put_solution(&row, command, solution);
        put_accuracy(&row, solution);
        if (command->x.count > 1)
            report_put(&row, "history", history_of(command, i));
        report_put(&row, "reached", json_boolean(solve_reached(solution)));
        report_append(&list, row);
    }
    return list;
}

static void put_times(json_t **root, const struct solve_command *command)
{
    kn_least_squares_times times = solve_times(command);

    report_put(root, "iterate_seconds", ki_json_double(times.iterate));
    report_put(root, "solve_seconds", ki_json_double(times.iterate + times.prepare + times.copy));
}

static json_t *json_of_axis(const kn_tomography_axis *axis)
{
    json_t *object = json_object();

    report_put(&object, "found", ki_json_double(axis->axis));
    report_put(&object, "error", ki_json_double(axis->error));
    report_put(&object, "opposite_projections", ki_json_double(axis->opposite));
    report_put(&object, "pairs", json_integer((json_int_t)axis->pairs));
    report_put(&object, "relative_residual", ki_json_double(axis->residual));
    return object;
}

kn_status solve_write_json(struct solve_command *command, kn_error *err)
{
    const struct solve_facts *facts = command->results->facts;
    unsigned launches = facts->launches;
    double bound, adjoint = solve_adjoint(command, &bound);
    bool is_normal = facts->history_is_normal, reached = true;
    size_t worst = solve_worst(command);
    json_t *root = tool_report(&command->tool, facts->type);

    for (size_t i = 0; i < command->pieces; i++)
        reached = reached && command->results[i].facts->reached;
    report_put(&root, "pieces", json_integer((json_int_t)command->pieces));
    report_put(&root, "rows", json_integer((json_int_t)command->rows));
    report_put(&root, "columns", json_integer((json_int_t)command->columns));
    report_put(&root, "nonzeros",
               command->matrix ? json_integer((json_int_t)kn_sparse_get_nonzeros(command->matrix))
                               : json_null());
    report_put(&root, "method", json_string(solve_method_names[command->task.method]));
    if (command->axis.pairs)
        report_put(&root, "axis", json_of_axis(&command->axis));
    report_put(&root, "lambda", ki_json_double(command->task.lambda));
    if (command->lcurve)
        report_put(&root, "lcurve", solve_json_lcurve(command));
    report_put(&root, "weighted", json_boolean(command->weights != NULL));
    report_put(&root, "left_out", json_integer((json_int_t)command->left_out));
    report_put(&root, "stripes", json_boolean(command->arguments->stripes));
    if (command->task.method == KN_LEAST_SQUARES_FBP)
        report_put(&root, "filter", json_string(solve_filter_names[command->task.filter]));
    report_put(&root, "code", json_string(facts->code));
    put_solution(&root, command, solve_solution(command, worst));
    put_accuracy(&root, solve_farthest(command));
    report_put(&root, "history", history_of(command, worst));
    report_put(&root, "history_of", json_string(is_normal ? "normal_residual" : "residual"));
    report_put(&root, "reached", json_boolean(reached));
    report_put(&root, "launches_per_iteration", launches ? json_integer((json_int_t)launches) : json_null());
    report_put(&root, "weight", ki_json_double(facts->weight));
    report_put(&root, "shift", ki_json_double(facts->shift));
    report_put(&root, "adjoint", bound > 0 ? ki_json_double(adjoint) : json_null()); // fbp has no products
    report_put(&root, "adjoint_bound", bound > 0 ? ki_json_double(bound) : json_null());
    put_times(&root, command);
    report_put(&root, "solutions", columns(command));
    if (solve_illustrate(command, &root, err)) {
        json_decref(root);
        return err->code;
    }
    return tool_report_write(&command->tool, root, err);
}
