// SPDX-License-Identifier: Apache-2.0
#include "host_vectors.h"

#include <string.h>

#include "base/error.h"
#include "host_vectors_internal.h"

enum { BLOCK = 4096 }; // elements

static const struct host_vectors_code *const levels[][2] = {HOST_LEVELS(host_vectors_code)};

static size_t blocks_of(size_t count)
{
    return (count + BLOCK - 1) / BLOCK;
}

kn_status ki_host_vectors_create(const char *function, kn_type type, size_t longest,
                                 const kn_host_options *options, struct host_vectors *made, kn_error *err)
{
    kn_status status;

    *made = (struct host_vectors){.sums = NULL};
    status = ki_host_plan(function, type, 0, options, &made->plan, err);
    if (status)
        return status;
    if (type != KN_F32 && type != KN_F64)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: type %d; expected KN_F32 or KN_F64", function, (int)type);
    made->code = levels[made->plan.level][type == KN_F64];
    made->sums = malloc((blocks_of(longest) + 1) * sizeof *made->sums);
    return made->sums ? KN_OK
                      : ki_fail_memory(err, blocks_of(longest) * sizeof *made->sums, "sums of vectors");
}

void ki_host_vectors_free(struct host_vectors *vectors)
{
    free(vectors->sums);
    vectors->sums = NULL;
}

// ---- numbers and orders ----

static double number_at(const struct host_vectors *v, const void *array, size_t i)
{
    return v->plan.size == sizeof(float) ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

void ki_host_vectors_narrow(const struct host_vectors *v, const uint32_t *order, const double *from, void *to,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double value = from[order ? order[i] : i];

        if (v->plan.size == sizeof(float))
            ((float *)to)[i] = (float)value;
        else
            ((double *)to)[i] = value;
    }
}

void ki_host_vectors_widen(const struct host_vectors *v, const uint32_t *order, const void *from, double *to,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[order ? order[i] : i] = number_at(v, from, i);
}

void ki_host_vectors_arrange(const struct host_vectors *v, const uint32_t *order, const void *from, void *to,
                             size_t count)
{
    if (!order)
        memcpy(to, from, count * v->plan.size);
    else if (v->plan.size == sizeof(float))
        for (size_t i = 0; i < count; i++)
            ((float *)to)[i] = ((const float *)from)[order[i]];
    else
        for (size_t i = 0; i < count; i++)
            ((double *)to)[i] = ((const double *)from)[order[i]];
}

void ki_host_vectors_restore(const struct host_vectors *v, const uint32_t *order, const void *from, void *to,
                             size_t count)
{
    if (!order)
        memcpy(to, from, count * v->plan.size);
    else if (v->plan.size == sizeof(float))
        for (size_t i = 0; i < count; i++)
            ((float *)to)[order[i]] = ((const float *)from)[i];
    else
        for (size_t i = 0; i < count; i++)
            ((double *)to)[order[i]] = ((const double *)from)[i];
}

// ---- in blocks ----

static double add_up(const struct host_vectors *v, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += v->sums[i];
    return sum;
}

// A thread must have more to do than elsewhere: there is little work for an element.
static unsigned threads_for(const struct host_vectors *v, size_t count)
{
    return ki_host_threads(&v->plan, count * v->plan.size / 2);
}

// What is done with vectors of `count` elements, block by block.
struct blocks {
    const struct host_vectors *vectors;
    const char *x, *other; // read
    char *y;               // changed
    double factor;
    size_t count;
};

// Where block i begins, in bytes, and how many elements it has.
static size_t block_of(const struct blocks *v, size_t i, size_t *at)
{
    size_t first = i * BLOCK;

    *at = first * v->vectors->plan.size;
    return v->count - first < BLOCK ? v->count - first : BLOCK;
}

static void add_block(void *context, size_t i)
{
    const struct blocks *v = context;
    size_t at, length = block_of(v, i, &at);

    v->vectors->sums[i] = v->vectors->code->add(v->y + at, v->x + at, v->factor, length);
}

static void turn_block(void *context, size_t i)
{
    const struct blocks *v = context;
    size_t at, length = block_of(v, i, &at);

    v->vectors->code->turn(v->y + at, v->x + at, v->factor, length);
}

static void dot_block(void *context, size_t i)
{
    const struct blocks *v = context;
    size_t at, length = block_of(v, i, &at);

    v->vectors->sums[i] = v->vectors->code->dot(v->x + at, v->other + at, length);
}

double ki_host_vectors_add(const struct host_vectors *v, void *y, const void *x, double factor, size_t count)
{
    size_t blocks = blocks_of(count);

    ki_parallel(threads_for(v, count), blocks, KI_STATIC, add_block,
                &(struct blocks){.vectors = v, .x = x, .y = y, .factor = factor, .count = count});
    return add_up(v, blocks);
}

void ki_host_vectors_turn(const struct host_vectors *v, void *y, const void *x, double factor, size_t count)
{
    ki_parallel(threads_for(v, count), blocks_of(count), KI_STATIC, turn_block,
                &(struct blocks){.vectors = v, .x = x, .y = y, .factor = factor, .count = count});
}

double ki_host_vectors_dot(const struct host_vectors *v, const void *x, const void *y, size_t count)
{
    size_t blocks = blocks_of(count);

    ki_parallel(threads_for(v, count), blocks, KI_STATIC, dot_block,
                &(struct blocks){.vectors = v, .x = x, .other = y, .count = count});
    return add_up(v, blocks);
}
