// SPDX-License-Identifier: Apache-2.0
// What a buffer holds before the kernel runs.
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "cmd_run.h"

unsigned char run_poison(const struct run_type *type)
{
    return type->class == RUN_FLOAT ? 0xff : 0xa5;
}

// SplitMix64 (Steele, Lea, Flood 2014): number `index` for a seed, independent of the others.
static uint64_t random_bits(uint64_t seed, uint64_t index)
{
    uint64_t z = (seed + index + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// In [0, 1), with no more digits than the type has, so that nothing rounds to 1.
static double random_fraction(const struct run_type *type, uint64_t bits)
{
    unsigned digits = type->size == 8 ? 53 : type->size == 4 ? 24 : 11;

    return (double)(bits >> (64 - digits)) / (double)((uint64_t)1 << digits);
}

static unsigned char *component(const struct run_arg *arg, size_t element, unsigned index)
{
    return arg->data + element * run_type_bytes(&arg->type) + index * arg->type.size;
}

static kn_status fill_zero(struct run_arg *arg, const char *rest, kn_error *err)
{
    (void)arg;
    (void)rest;
    (void)err;
    return KN_OK; // it was allocated with zeros
}

// 0, 1, 2, ... over all components.
static kn_status fill_iota(struct run_arg *arg, const char *rest, kn_error *err)
{
    uint64_t number = 0;

    (void)rest;
    (void)err;
    for (size_t i = 0; i < arg->count; i++)
        for (unsigned c = 0; c < arg->type.width; c++, number++) {
            if (arg->type.class == RUN_FLOAT)
                run_number_set(&arg->type, component(arg, i, c), (double)number);
            else
                run_integer_set(&arg->type, component(arg, i, c), number);
        }
    return KN_OK;
}

// Floats in [0, 1), integers of all their values.
static kn_status fill_random(struct run_arg *arg, const char *rest, kn_error *err)
{
    uint64_t index = 0;
    char *end;

    if (*rest) {
        errno = 0;
        arg->seed = strtoull(rest, &end, 10);
        if (errno || *end || *rest < '0' || *rest > '9')
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "--arg %s: the seed '%s' is not a whole number of at least 0", arg->spec, rest);
    }
    arg->is_random = true;
    for (size_t i = 0; i < arg->count; i++)
        for (unsigned c = 0; c < arg->type.width; c++) {
            uint64_t bits = random_bits(arg->seed, index++);

            if (arg->type.class == RUN_FLOAT)
                run_number_set(&arg->type, component(arg, i, c), random_fraction(&arg->type, bits));
            else
                run_integer_set(&arg->type, component(arg, i, c), bits);
        }
    return KN_OK;
}

static kn_status fill_value(struct run_arg *arg, const char *rest, kn_error *err)
{
    unsigned char value[8];

    if (!run_number_read(&arg->type, rest, strlen(rest), value))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: '%s' is no %s", arg->spec, rest, arg->type.base);
    for (size_t i = 0; i < arg->count; i++)
        for (unsigned c = 0; c < arg->type.width; c++)
            memcpy(component(arg, i, c), value, arg->type.size);
    return KN_OK;
}

// The bytes as they are in a file, which has as many as the buffer.
static kn_status fill_file(struct run_arg *arg, const char *rest, kn_error *err)
{
    FILE *file = *rest ? fopen(rest, "rb") : NULL;
    size_t read;
    bool more;

    if (!*rest)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--arg %s: file= needs a path", arg->spec);
    if (!file)
        return ki_fail_errno(err, KN_ERROR_INPUT, rest, errno, "cannot be read");
    errno = 0;
    read = fread(arg->data, 1, arg->bytes, file);
    if (ferror(file)) {
        int number = errno;

        fclose(file);
        return ki_fail_errno(err, KN_ERROR_INPUT, rest, number, "cannot be read");
    }
    more = read == arg->bytes && fgetc(file) != EOF;
    fclose(file);
    if (read < arg->bytes || more)
        return ki_fail_at(err, KN_ERROR_INPUT, rest, 0, "holds %s than the %zu bytes of --arg %s",
                          more ? "more" : "less", arg->bytes, arg->spec);
    return KN_OK;
}

static const struct {
    const char *word;
    char after;  // the character between the word and the rest; 0: nothing may follow
    bool needed; // a rest is required
    kn_status (*fill)(struct run_arg *arg, const char *rest, kn_error *err);
} fills[] = {
    {"zero", 0, false, fill_zero},    {"iota", 0, false, fill_iota},  {"random", ':', false, fill_random},
    {"value", '=', true, fill_value}, {"file", '=', true, fill_file},
};

kn_status run_fill(struct run_arg *arg, const char *fill, uint64_t seed, kn_error *err)
{
    arg->seed = seed;
    if (!*fill)
        return KN_OK;
    for (size_t i = 0; i < KI_COUNT(fills); i++) {
        size_t length = strlen(fills[i].word);
        const char *rest = fill + length;

        if (strncmp(fill, fills[i].word, length) != 0 || (*rest && *rest != fills[i].after) ||
            (!*rest && fills[i].needed))
            continue;
        arg->data = calloc(1, arg->bytes);
        if (!arg->data)
            return ki_fail_memory(err, arg->bytes, "filling a buffer");
        return fills[i].fill(arg, rest + (*rest != '\0'), err);
    }
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "--arg %s: '%s' is not one of zero, iota, random[:SEED], value=V, file=PATH", arg->spec,
                   fill);
}
