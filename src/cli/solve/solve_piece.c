// SPDX-License-Identifier: Apache-2.0
// koine solve: the result of columns that are solved together, as bytes without pointers: facts, solutions,
// the length of each history, the histories, and x.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd_solve.h"
#include "cli/share_bytes.h"

// ---- to bytes ----

static struct solve_facts facts_of(const kn_least_squares_result *result, size_t count)
{
    const kn_least_squares_solution *farthest = kn_least_squares_get_farthest(result);
    struct solve_facts facts = {.count = count,
                                .type = kn_least_squares_get_type(result),
                                .launches = kn_least_squares_get_launches(result),
                                .weight = kn_least_squares_get_weight(result),
                                .shift = kn_least_squares_get_shift(result),
                                .history_is_normal = kn_least_squares_get_history_is_normal(result),
                                .reached = kn_least_squares_get_reached(result),
                                .times = kn_least_squares_get_times(result)};

    facts.adjoint = kn_least_squares_get_adjoint(result, &facts.adjoint_bound);
    snprintf(facts.code, sizeof facts.code, "%s", kn_least_squares_get_code(result));
    while (kn_least_squares_get_solution(result, facts.farthest) != farthest)
        facts.farthest++;
    return facts;
}

kn_status solve_pack(const kn_least_squares_result *result, size_t count, const double *x, size_t columns,
                     kn_distribute_result *bytes, kn_error *err)
{
    const struct solve_facts facts = facts_of(result, count);
    struct share_writer writer = {.result = bytes, .err = err};

    share_put(&writer, &facts, sizeof facts);
    for (size_t i = 0; i < count; i++)
        share_put(&writer, kn_least_squares_get_solution(result, i), sizeof(kn_least_squares_solution));
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;

        kn_least_squares_get_history(result, i, &length);
        share_put(&writer, &length, sizeof length);
    }
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        const double *history = kn_least_squares_get_history(result, i, &length);

        share_put(&writer, history, length * sizeof *history);
    }
    share_put(&writer, x, count * columns * sizeof *x);
    return writer.status;
}

// ---- from bytes ----

// The size of every part is a multiple of the alignment of a double.
kn_status solve_unpack(const void *bytes, size_t size, size_t columns, struct solve_piece *piece, double *x,
                       kn_error *err)
{
    size_t count, all;

    piece->bytes = malloc(size);
    if (!piece->bytes)
        return ki_fail_memory(err, size, "the solutions");
    memcpy(piece->bytes, bytes, size);
    piece->facts = piece->bytes;
    count = piece->facts->count;
    piece->solutions = (const kn_least_squares_solution *)(piece->facts + 1);
    piece->lengths = (const size_t *)(piece->solutions + count);
    piece->histories = (const double *)(piece->lengths + count);
    all = count * columns * sizeof *x;
    memcpy(x, (const char *)piece->bytes + size - all, all);
    return KN_OK;
}
