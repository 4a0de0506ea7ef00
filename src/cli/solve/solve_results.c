// SPDX-License-Identifier: Apache-2.0
// koine solve: the columns of the result, and summaries over all of them, which may have been solved in
// several pieces.
#include "cmd_solve.h"

#include <math.h>

static const struct solve_piece *piece_of(const struct solve_command *command, size_t i)
{
    return &command->results[i / command->together];
}

const kn_least_squares_solution *solve_solution(const struct solve_command *command, size_t i)
{
    return &piece_of(command, i)->solutions[i % command->together];
}

const double *solve_history(const struct solve_command *command, size_t i, size_t *count)
{
    const struct solve_piece *piece = piece_of(command, i);
    const double *history = piece->histories;

    for (size_t k = 0; k < i % command->together; k++)
        history += piece->lengths[k];
    *count = piece->lengths[i % command->together];
    return history;
}

bool solve_is_volume(const struct solve_command *command)
{
    return command->slices && !command->matrix;
}

struct npy solve_volume(const struct solve_command *command)
{
    const size_t count = command->x.count, size = command->geometry.size;

    return (struct npy){.type = KN_F64,
                        .dims = 3,
                        .shape = {count, size, size},
                        .count = count * size * size,
                        .data = command->x.values};
}

const char *solve_side(const struct solve_command *command)
{
    return command->slices ? "slice" : "column";
}

size_t solve_number(const struct solve_command *command, size_t i)
{
    return command->first + i + !command->slices; // columns are counted from 1, slices from 0
}

size_t solve_worst(const struct solve_command *command)
{
    size_t worst = 0;

    for (size_t i = 1; i < command->x.count; i++)
        if (solve_solution(command, i)->residual > solve_solution(command, worst)->residual)
            worst = i;
    return worst;
}

static const kn_least_squares_solution *farthest_of(const struct solve_piece *piece)
{
    return &piece->solutions[piece->facts->farthest];
}

const kn_least_squares_solution *solve_farthest(const struct solve_command *command)
{
    const kn_least_squares_solution *farthest = farthest_of(command->results);

    for (size_t i = 1; i < command->pieces; i++) {
        const kn_least_squares_solution *other = farthest_of(&command->results[i]);

        if (other->precision_reached != farthest->precision_reached
                ? farthest->precision_reached
                : other->error_estimate > farthest->error_estimate || isnan(farthest->error_estimate))
            farthest = other;
    }
    return farthest;
}

double solve_adjoint(const struct solve_command *command, double *bound)
{
    double worst = command->results->facts->adjoint;

    *bound = command->results->facts->adjoint_bound;
    for (size_t i = 1; i < command->pieces; i++) {
        const struct solve_facts *facts = command->results[i].facts;

        if (!(facts->adjoint * *bound <= worst * facts->adjoint_bound)) { // not-a-number counts as the worst
            worst = facts->adjoint;
            *bound = facts->adjoint_bound;
        }
    }
    return worst;
}

kn_least_squares_times solve_times(const struct solve_command *command)
{
    kn_least_squares_times all = {0};

    for (size_t i = 0; i < command->pieces; i++) {
        const kn_least_squares_times times = command->results[i].facts->times;

        all.prepare += times.prepare;
        all.iterate += times.iterate;
        all.copy += times.copy;
    }
    return all;
}
