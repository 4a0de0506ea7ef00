// SPDX-License-Identifier: Apache-2.0
#include "rung.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/device/trial.h"

// As in cl/algo/rungs.cl.
enum { WIDTH, ROW, LANE, NEXT, BITS, UPTO, LAST, SUM, WORDS };
enum { GROUP = 256, GROUPS = 3, ITEMS = GROUPS * GROUP, SUMS = 5 };

struct rung {
    unsigned subgroup, match, atomic_float;
};

static kn_status get_kernel(kn_queue *queue, const struct rung *rung, const char *name, kn_kernel **kernel,
                            kn_error *err)
{
    struct engine_defines defines = {.count = 0};

    ki_engine_define(&defines, "KN_SUBGROUP", rung->subgroup);
    ki_engine_define(&defines, "KN_MATCH", rung->match);
    ki_engine_define(&defines, "KN_ATOMIC_FLOAT", rung->atomic_float);
    ki_engine_define(&defines, "GROUP", GROUP);
    return ki_engine_builtin_kernel(queue->context, "algo/rungs.cl", defines.items, defines.count,
                                    KN_POLICY_DEFAULT, name, kernel, err);
}

// ---- sub-groups ----

// Finds the work-item of each row and lane; false if they do not form whole sub-groups of one width.
static bool find_items(uint32_t answers[GROUP][WORDS], unsigned items[GROUP])
{
    uint32_t width = answers[0][WIDTH];
    bool taken[GROUP] = {false};

    for (unsigned item = 0; item < GROUP; item++) {
        const uint32_t *answer = answers[item];

        if (answer[WIDTH] != width || width < 1 || GROUP % width || answer[LANE] >= width ||
            answer[ROW] >= GROUP / width || taken[answer[ROW] * width + answer[LANE]])
            return false;
        taken[answer[ROW] * width + answer[LANE]] = true;
        items[answer[ROW] * width + answer[LANE]] = item;
    }
    return true;
}

static bool is_right(const uint32_t digits[GROUP], uint32_t answers[GROUP][WORDS])
{
    unsigned items[GROUP];

    if (!find_items(answers, items))
        return false;
    for (uint32_t item = 0, width = answers[0][WIDTH]; item < GROUP; item++) {
        const unsigned *row = items + answers[item][ROW] * width;
        uint32_t lane = answers[item][LANE],
                 expected[WORDS] = {width, answers[item][ROW], lane, 0, 0, 0, 1, 0};

        expected[NEXT] = digits[row[(lane + 1) % width]];
        for (uint32_t other = 0; other < width; other++) {
            uint32_t digit = digits[row[other]];

            expected[BITS] |= 1u << digit % 32;
            expected[UPTO] += other <= lane && digit == digits[item];
            expected[SUM] += other <= lane ? digit : 0;
            if (other > lane && digit == digits[item])
                expected[LAST] = 0;
        }
        if (memcmp(expected, answers[item], sizeof expected) != 0)
            return false;
    }
    return true;
}

// A group with one digit, one with a few, and one with many.
static void make_digits(uint32_t digits[ITEMS])
{
    static const uint32_t masks[GROUPS] = {0, 3, 255};

    for (uint32_t i = 0; i < ITEMS; i++)
        digits[i] = i / GROUP == 0 ? 129 : i * 2654435761u >> 24 & masks[i / GROUP];
}

static kn_status run_subgroup(kn_queue *queue, const void *form, bool *right, kn_error *err)
{
    static const kn_range range = {1, {ITEMS}, {GROUP}, {0}};
    uint32_t digits[ITEMS], answers[ITEMS][WORDS] = {{0}};
    kn_kernel *kernel = NULL;
    kn_buffer *in = NULL, *out = NULL;
    kn_status status = get_kernel(queue, form, "rung_subgroup", &kernel, err);

    make_digits(digits);
    if (!status)
        status = kn_buffer_create(queue->context, sizeof digits, &in, err);
    if (!status)
        status = kn_buffer_create(queue->context, sizeof answers, &out, err);
    if (!status)
        status = kn_buffer_write(queue, in, 0, digits, sizeof digits, err);
    if (!status)
        status = kn_buffer_write(queue, out, 0, answers, sizeof answers, err);
    if (!status) {
        const kn_arg args[] = {KN_BUFFER(in), KN_BUFFER(out)};
        status = kn_launch(queue, kernel, &range, args, KI_COUNT(args), NULL, err);
    }
    if (!status)
        status = kn_buffer_read(queue, out, 0, answers, sizeof answers, err);
    *right = !status;
    for (size_t at = 0; at < ITEMS; at += GROUP)
        *right = *right && is_right(digits + at, answers + at);
    kn_buffer_free(in);
    kn_buffer_free(out);
    return status;
}

kn_status ki_rung_has_subgroup(kn_context *context, unsigned subgroup, unsigned match, bool *has,
                               kn_error *err)
{
    const struct rung rung = {subgroup, match, 0};
    char what[64];

    snprintf(what, sizeof what, "sub-groups, rung %u.%u", subgroup, match);
    return ki_engine_trial(context, &(struct engine_trial){what, "algo/rungs.cl", &rung, run_subgroup}, has,
                           err);
}

// ---- atomics ----

static kn_status run_atomic(kn_queue *queue, const void *form, bool *right, kn_error *err)
{
    static const kn_range range = {1, {ITEMS}, {GROUP}, {0}};
    float sums[SUMS] = {0}, expected[SUMS] = {0};
    kn_kernel *kernel = NULL;
    kn_buffer *buffer = NULL;
    kn_status status = get_kernel(queue, form, "rung_atomic", &kernel, err);

    for (unsigned i = 0; i < ITEMS; i++) { // integers that a float holds exactly, in any order
        expected[i % 4] += (float)i;
        expected[4] += 1;
    }
    if (!status)
        status = kn_buffer_create(queue->context, sizeof sums, &buffer, err);
    if (!status)
        status = kn_buffer_write(queue, buffer, 0, sums, sizeof sums, err);
    if (!status) {
        const kn_arg args[] = {KN_BUFFER(buffer)};
        status = kn_launch(queue, kernel, &range, args, KI_COUNT(args), NULL, err);
    }
    if (!status)
        status = kn_buffer_read(queue, buffer, 0, sums, sizeof sums, err);
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the very same bits are expected
    *right = !status && memcmp(sums, expected, sizeof sums) == 0;
    kn_buffer_free(buffer);
    return status;
}

kn_status ki_rung_has_atomic(kn_context *context, unsigned atomic_float, bool *has, kn_error *err)
{
    const struct rung rung = {0, 2, atomic_float};
    char what[64];

    snprintf(what, sizeof what, "atomic addition of floats, rung %u", atomic_float);
    return ki_engine_trial(context, &(struct engine_trial){what, "algo/rungs.cl", &rung, run_atomic}, has,
                           err);
}

// ---- NVIDIA ----

kn_status ki_rung_define_subgroups(struct engine_defines *defines, kn_context *context, kn_error *err)
{
    bool has = false;
    kn_status status = ki_engine_is_nvidia(context) ? ki_rung_has_subgroup(context, 1, 0, &has, err) : KN_OK;

    if (!status && ki_engine_is_nvidia(context))
        ki_engine_define(defines, "KN_SUBGROUP", has);
    return status;
}

kn_status ki_rung_define_atomics(struct engine_defines *defines, kn_context *context, kn_error *err)
{
    bool has = false;
    kn_status status = ki_engine_is_nvidia(context) ? ki_rung_has_atomic(context, 1, &has, err) : KN_OK;

    if (!status && ki_engine_is_nvidia(context))
        ki_engine_define(defines, "KN_ATOMIC_FLOAT", has);
    return status;
}
