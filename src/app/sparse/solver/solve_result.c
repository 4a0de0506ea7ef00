// SPDX-License-Identifier: Apache-2.0
// The functions of koine/least_squares.h and koine/experimental/least_squares.h that return properties of
// solutions, and names.
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "solve_internal.h"

void kn_least_squares_result_free(kn_least_squares_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; result->histories && i < result->count; i++)
        free(result->histories[i]);
    free(result->histories);
    free(result->solutions);
    free(result);
}

// ---- solutions ----

const kn_least_squares_solution *kn_least_squares_get_solution(const kn_least_squares_result *result,
                                                               size_t i)
{
    return result && i < result->count ? &result->solutions[i] : NULL;
}

const double *kn_least_squares_get_history(const kn_least_squares_result *result, size_t i, size_t *count)
{
    const double *history = result && i < result->count ? result->histories[i] : NULL;

    if (count)
        *count = history ? result->solutions[i].iterations + 1 : 0;
    return history;
}

bool kn_least_squares_get_history_is_normal(const kn_least_squares_result *result)
{
    return result && result->history_is_normal;
}

const kn_least_squares_solution *kn_least_squares_get_worst(const kn_least_squares_result *result)
{
    const kn_least_squares_solution *worst = result ? result->solutions : NULL;

    for (size_t i = 1; result && i < result->count; i++)
        if (result->solutions[i].residual > worst->residual)
            worst = &result->solutions[i];
    return worst;
}

const kn_least_squares_solution *kn_least_squares_get_farthest(const kn_least_squares_result *result)
{
    const kn_least_squares_solution *least = result ? result->solutions : NULL;

    for (size_t i = 1; result && i < result->count; i++) {
        const kn_least_squares_solution *solution = &result->solutions[i];

        if (solution->precision_reached == least->precision_reached
                ? solution->error_estimate > least->error_estimate || isnan(least->error_estimate)
                : !solution->precision_reached)
            least = solution;
    }
    return least;
}

bool kn_least_squares_get_reached(const kn_least_squares_result *result)
{
    bool reached = result != NULL;

    for (size_t i = 0; result && i < result->count; i++)
        reached = reached && result->solutions[i].tolerance_reached && result->solutions[i].noise_reached;
    return reached;
}

// ---- properties that all solutions share ----

kn_type kn_least_squares_get_type(const kn_least_squares_result *result)
{
    return result ? result->type : (kn_type)0;
}

double kn_least_squares_get_weight(const kn_least_squares_result *result)
{
    return result ? result->weight : 0;
}

double kn_least_squares_get_shift(const kn_least_squares_result *result)
{
    return result ? result->shift : 0;
}

double kn_least_squares_get_adjoint(const kn_least_squares_result *result, double *bound)
{
    if (bound)
        *bound = result ? result->adjoint_bound : 0;
    return result ? result->adjoint : 0;
}

const char *kn_least_squares_get_code(const kn_least_squares_result *result)
{
    return result ? result->code : "";
}

unsigned kn_least_squares_get_launches(const kn_least_squares_result *result)
{
    return result ? result->launches_per_iteration : 0;
}

kn_least_squares_times kn_least_squares_get_times(const kn_least_squares_result *result)
{
    return result ? (kn_least_squares_times){result->prepare_seconds, result->iterate_seconds,
                                             result->copy_seconds}
                  : (kn_least_squares_times){0, 0, 0};
}

// ---- names ----

const char *kn_least_squares_method_name(kn_least_squares_method method)
{
    static const char *const names[] = {[KN_LEAST_SQUARES_AUTO] = "auto",
                                        [KN_LEAST_SQUARES_CGNR] = "cgnr",
                                        [KN_LEAST_SQUARES_PRINTED] = "printed",
                                        [KN_LEAST_SQUARES_FISTA] = "fista",
                                        [KN_LEAST_SQUARES_BB] = "bb",
                                        [KN_LEAST_SQUARES_GRAM] = "gram",
                                        [KN_LEAST_SQUARES_SIRT] = "sirt",
                                        [KN_LEAST_SQUARES_FBP] = "fbp",
                                        [KN_LEAST_SQUARES_TV] = "tv"};

    return (size_t)method < KI_COUNT(names) ? names[method] : NULL;
}

const char *kn_least_squares_stop_name(kn_least_squares_stop stop)
{
    static const char *const names[] = {[KN_LEAST_SQUARES_STOP_AUTO] = "auto",
                                        [KN_LEAST_SQUARES_STOP_FIXED] = "fixed",
                                        [KN_LEAST_SQUARES_STOP_RESIDUAL] = "residual",
                                        [KN_LEAST_SQUARES_STOP_DISCREPANCY] = "discrepancy",
                                        [KN_LEAST_SQUARES_STOP_NCP] = "ncp"};

    return (size_t)stop < KI_COUNT(names) ? names[stop] : NULL;
}

const char *kn_least_squares_preconditioner_name(kn_least_squares_preconditioner preconditioner)
{
    static const char *const names[] = {[KN_LEAST_SQUARES_NONE] = "none",
                                        [KN_LEAST_SQUARES_JACOBI] = "jacobi",
                                        [KN_LEAST_SQUARES_ILU] = "ilu"};

    return (size_t)preconditioner < KI_COUNT(names) ? names[preconditioner] : NULL;
}

const char *kn_least_squares_stopped_name(kn_least_squares_stopped stopped)
{
    static const char *const names[] = {[KN_LEAST_SQUARES_STOPPED_ITERATIONS] = "iterations",
                                        [KN_LEAST_SQUARES_STOPPED_RESIDUAL] = "residual",
                                        [KN_LEAST_SQUARES_STOPPED_DISCREPANCY] = "discrepancy",
                                        [KN_LEAST_SQUARES_STOPPED_NCP] = "ncp",
                                        [KN_LEAST_SQUARES_STOPPED_FLOOR] = "floor",
                                        [KN_LEAST_SQUARES_STOPPED_DIRECT] = "direct",
                                        [KN_LEAST_SQUARES_STOPPED_CURVATURE] = "curvature"};

    return (size_t)stopped < KI_COUNT(names) ? names[stopped] : NULL;
}
