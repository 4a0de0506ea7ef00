// SPDX-License-Identifier: Apache-2.0
// koine solve: what it says to people, and its JSON.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "cmd_solve.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

// What "stopped_by" means.
static const struct {
    const char *word, *meaning;
} meanings[] = {
    {"iterations", "all iterations are done"},
    {"residual", "the residual has reached the tolerance"},
    {"discrepancy", "the residual has reached the noise"},
    {"ncp", "the residual is as white as it gets"},
    {"floor", "the gradient is as small as the precision allows: the least-squares solution"},
    {"direct", "solved by factors, without iterations"},
    {"curvature", "nothing is left to do, or the correction is not convex"},
};

static const char *meaning_of(const char *word)
{
    for (size_t i = 0; i < KI_COUNT(meanings); i++)
        if (strcmp(meanings[i].word, word) == 0)
            return meanings[i].meaning;
    return word;
}

static void print_solution(const struct sparse_solution *solution, bool is_single)
{
    printf("stopped by %s after %zu iteration%s: %s\n", solution->stopped_by, solution->iterations,
           solution->iterations == 1 ? "" : "s", meaning_of(solution->stopped_by));
    printf("residual |Ax-b|/|b| %.6g, normal residual %.6g of the start's%s\n", solution->residual,
           solution->normal_residual, is_single ? ", from x in double precision" : "");
    if (!isnan(solution->error_estimate))
        printf("error of single precision: x is off by about %.2g of itself%s\n", solution->error_estimate,
               solution->precision_reached ? "" : ", which is no answer");
}

static bool print_solutions(const struct solve_command *command)
{
    bool is_single = !command->task.is_double;
    struct table table;

    table_begin(&table, is_single ? "rrlrrr" : "rrlrr");
    table_add_all(&table, (const char *const[]){"column", "iterations", "stopped by", "residual",
                                                "normal residual", is_single ? "error of x" : NULL, NULL});
    for (size_t i = 0; i < command->answer.x.count; i++) {
        const struct sparse_solution *solution = &command->answer.solutions[i];

        table_add(&table, "%zu", command->first + i + 1);
        table_add(&table, "%zu", solution->iterations);
        table_add(&table, "%s", solution->stopped_by);
        table_add(&table, "%.6g", solution->residual);
        table_add(&table, "%.6g", solution->normal_residual);
        if (is_single && isnan(solution->error_estimate))
            table_add(&table, "-");
        else if (is_single)
            table_add(&table, "%.2g%s", solution->error_estimate, solution->precision_reached ? "" : " !");
    }
    return table_finish(&table);
}

static size_t all_iterations(const struct sparse_answer *answer)
{
    size_t sum = 0;

    for (size_t i = 0; i < answer->x.count; i++)
        sum += answer->solutions[i].iterations;
    return sum;
}

static void print_times(const struct solve_command *command)
{
    const struct sparse_answer *answer = &command->answer;
    size_t iterations = all_iterations(answer);

    printf("%s %.4g s", command->task.method == SPARSE_METHOD_GRAM ? "solutions" : "iterations",
           answer->iterate_seconds);
    if (iterations)
        printf(", %.4g ms each", answer->iterate_seconds / (double)iterations * 1e3);
    printf("; with %s %.4g s", command->tool.place.queue ? "upload and download" : "preparing the matrix",
           answer->iterate_seconds + answer->prepare_seconds + answer->copy_seconds);
    if (answer->launches_per_iteration)
        printf("; %u launches an iteration", answer->launches_per_iteration);
    printf("\n");
}

bool solve_print(const struct solve_command *command)
{
    const struct sparse_answer *answer = &command->answer;
    bool printed = true;

    printf("%zu x %zu, ", command->matrix.rows, command->matrix.columns);
    if (command->task.geometry)
        printf("parallel rays; ");
    else
        printf("%zu nonzeros; ", command->matrix.nonzeros);
    printf("%s, %s; ", ki_sparse_method_names[command->task.method], answer->code);
    tool_print_place(&command->tool);
    if (answer->weight > 0)
        printf("the correction's weight is %.6g\n", answer->weight);
    if (answer->shift > 0)
        printf("the incomplete factors are of a diagonal greater by %.3g of itself\n", answer->shift);
    printf("adjoint check: <Ax,y> and <x,A^T y> differ by %.2g of their terms; rounding allows %.2g\n",
           answer->adjoint, answer->adjoint_bound);
    if (answer->x.count == 1)
        print_solution(answer->solutions, !command->task.is_double);
    else
        printed = print_solutions(command);
    print_times(command);
    return printed;
}

// ---- JSON ----

static json_t *history_of(const struct sparse_solution *solution)
{
    json_t *history = json_array();

    for (size_t i = 0; solution->history && i <= solution->iterations; i++)
        report_append(&history, ki_json_double(solution->history[i]));
    return history;
}

static void put_accuracy(json_t **object, const struct sparse_solution *solution)
{
    report_put(object, "error_estimate", ki_json_double(solution->error_estimate));
    report_put(object, "precision_reached", json_boolean(solution->precision_reached));
}

static void put_solution(json_t **object, const struct solve_command *command,
                         const struct sparse_solution *solution)
{
    report_put(object, "iterations", json_integer((json_int_t)solution->iterations));
    report_put(object, "residual", ki_json_double(solution->residual));
    report_put(object, "normal_residual", ki_json_double(solution->normal_residual));
    report_put(object, "true_residual", ki_json_double(solution->residual));
    report_put(object, "true_normal_residual",
               command->task.correction ? json_null() : ki_json_double(solution->normal_residual));
    report_put(object, "stopped_by", json_string(solution->stopped_by));
}

static json_t *columns(const struct solve_command *command)
{
    json_t *list = json_array();

    for (size_t i = 0; i < command->answer.x.count; i++) {
        json_t *row = json_object();

        report_put(&row, "column", json_integer((json_int_t)(command->first + i + 1)));
        put_solution(&row, command, &command->answer.solutions[i]);
        put_accuracy(&row, &command->answer.solutions[i]);
        if (command->answer.x.count > 1)
            report_put(&row, "history", history_of(&command->answer.solutions[i]));
        report_put(&row, "reached", json_boolean(command->answer.solutions[i].reached));
        report_append(&list, row);
    }
    return list;
}

kn_status solve_write_json(struct solve_command *command, kn_error *err)
{
    const struct sparse_answer *answer = &command->answer;
    json_t *root = tool_report(&command->tool, command->task.is_double ? KN_F64 : KN_F32);

    report_put(&root, "rows", json_integer((json_int_t)command->matrix.rows));
    report_put(&root, "columns", json_integer((json_int_t)command->matrix.columns));
    report_put(&root, "nonzeros",
               command->task.geometry ? json_null() : json_integer((json_int_t)command->matrix.nonzeros));
    report_put(&root, "method", json_string(ki_sparse_method_names[command->task.method]));
    report_put(&root, "code", json_string(answer->code));
    put_solution(&root, command, ki_sparse_worst(answer));
    put_accuracy(&root, ki_sparse_least_accurate(answer));
    report_put(&root, "history", history_of(ki_sparse_worst(answer)));
    report_put(&root, "history_of", json_string(answer->history_is_normal ? "normal_residual" : "residual"));
    report_put(&root, "reached", json_boolean(ki_sparse_all_reached(answer)));
    report_put(&root, "launches_per_iteration",
               answer->launches_per_iteration ? json_integer((json_int_t)answer->launches_per_iteration)
                                              : json_null());
    report_put(&root, "weight", ki_json_double(answer->weight));
    report_put(&root, "shift", ki_json_double(answer->shift));
    report_put(&root, "adjoint", ki_json_double(answer->adjoint));
    report_put(&root, "adjoint_bound", ki_json_double(answer->adjoint_bound));
    report_put(&root, "iterate_seconds", ki_json_double(answer->iterate_seconds));
    report_put(&root, "solve_seconds",
               ki_json_double(answer->iterate_seconds + answer->prepare_seconds + answer->copy_seconds));
    report_put(&root, "solutions", columns(command));
    return tool_report_write(&command->tool, root, err);
}
