// SPDX-License-Identifier: Apache-2.0
// koine solve: what is known of all columns, which may have been solved in several pieces.
#include "cmd_solve.h"

#include <math.h>

const kn_least_squares_solution *solve_solution(const struct solve_command *command, size_t i)
{
    return kn_least_squares_get_solution(command->results[i / command->together], i % command->together);
}

const double *solve_history(const struct solve_command *command, size_t i, size_t *count)
{
    return kn_least_squares_get_history(command->results[i / command->together], i % command->together,
                                        count);
}

size_t solve_worst(const struct solve_command *command)
{
    size_t worst = 0;

    for (size_t i = 1; i < command->x.count; i++)
        if (solve_solution(command, i)->residual > solve_solution(command, worst)->residual)
            worst = i;
    return worst;
}

const kn_least_squares_solution *solve_farthest(const struct solve_command *command)
{
    const kn_least_squares_solution *farthest = kn_least_squares_get_farthest(command->results[0]);

    for (size_t i = 1; i < command->pieces; i++) {
        const kn_least_squares_solution *other = kn_least_squares_get_farthest(command->results[i]);

        if (other->precision_reached != farthest->precision_reached
                ? farthest->precision_reached
                : other->error_estimate > farthest->error_estimate || isnan(farthest->error_estimate))
            farthest = other;
    }
    return farthest;
}

double solve_adjoint(const struct solve_command *command, double *bound)
{
    double worst = kn_least_squares_get_adjoint(command->results[0], bound);

    for (size_t i = 1; i < command->pieces; i++) {
        double allowed, found = kn_least_squares_get_adjoint(command->results[i], &allowed);

        if (!(found * *bound <= worst * allowed)) { // not-a-number is the worst
            worst = found;
            *bound = allowed;
        }
    }
    return worst;
}

kn_least_squares_times solve_times(const struct solve_command *command)
{
    kn_least_squares_times all = {0};

    for (size_t i = 0; i < command->pieces; i++) {
        const kn_least_squares_times times = kn_least_squares_get_times(command->results[i]);

        all.prepare += times.prepare;
        all.iterate += times.iterate;
        all.copy += times.copy;
    }
    return all;
}
