// SPDX-License-Identifier: Apache-2.0
// OpenCL C's integer functions, and calls of the program's own functions.
#include "generate.h"

#include <string.h>

// How a function's arguments are made: each letter is one argument of the result's type, if nothing else is
// said.
//   .  any value        u  of the unsigned type        s  of the signed or the unsigned type, alike for all
//   m  within 24 bits   h  the upper half of upsample, l its lower half
struct built_in {
    const char *name, *arguments;
    enum { ANY, NO_LONGS, UNSIGNED_ONLY, SIGNED_ONLY, WORDS, UPSAMPLED } takes;
};

static const struct built_in built_ins[] = {
    {"abs", "s", UNSIGNED_ONLY},
    {"abs_diff", "ss", UNSIGNED_ONLY},
    {"add_sat", "..", ANY},
    {"sub_sat", "..", ANY},
    {"hadd", "..", ANY},
    {"rhadd", "..", ANY},
    {"clz", ".", ANY},
    {"popcount", ".", ANY},
    {"mul_hi", "..", ANY},
    {"mad_hi", "...", UNSIGNED_ONLY},
    {"mad_sat", "...",
     NO_LONGS}, // NVIDIA's OpenCL gets these wrong; conformance/language/integers.cl tests them
    {"max", "..", ANY},
    {"min", "..", ANY},
    {"rotate", "..", ANY},
    {"mul24", "mm", WORDS},
    {"mad24", "mmm", WORDS},
    {"upsample", "hl", UPSAMPLED},
    {"bitselect", "...", ANY},
    {"clamp", "", ANY},
};

static bool takes(const struct built_in *function, struct type type)
{
    return function->takes == ANY ||
           (function->takes == NO_LONGS && !(is_signed(type) && width_of(type) == 64)) ||
           (function->takes == UNSIGNED_ONLY && !is_signed(type)) ||
           (function->takes == SIGNED_ONLY && is_signed(type)) ||
           (function->takes == WORDS && width_of(type) == 32) ||
           (function->takes == UPSAMPLED && width_of(type) > 8);
}

static struct value argument(struct generator *g, char how, struct type type, bool alike, int depth)
{
    struct value value;

    switch (how) {
    case 's':
        return gen_value(g, with_scalar(type, of_width(width_of(type), alike)), depth);
    case 'h':
        return gen_value(g, with_scalar(type, of_width(width_of(type) / 2, is_signed(type))), depth);
    case 'l':
        return gen_value(g, with_scalar(type, of_width(width_of(type) / 2, false)), depth);
    case 'm':
        value = masked(g, gen_value(g, type, depth), is_signed(type) ? 14 : 24);
        return type.lanes == 1 ? exactly(g, value, type) : value;
    default:
        return gen_value(g, type, depth);
    }
}

// clamp(x, lower, upper), with the bounds in order.
static const char *clamp_arguments(struct generator *g, struct type type, int depth)
{
    unsigned low = chance(g, 60), high = low + chance(g, 60);
    const char *name =
        type_name(g, !(g->features & FUZZ_FOR_OCLGRIND) && one_in(g, 2) ? with_lanes(type, 1) : type);

    return say(g, "%s, (%s)(%u), (%s)(%u)", gen_value(g, type, depth).text, name, low, name, high);
}

struct value gen_built_in(struct generator *g, struct type type, int depth)
{
    const struct built_in *function;
    const char *arguments = NULL;
    bool alike = one_in(g, 2);

    do
        function = &built_ins[chance(g, sizeof built_ins / sizeof *built_ins)];
    while (!takes(function, type));
    if (!*function->arguments)
        arguments = clamp_arguments(g, type, depth - 1);
    for (const char *how = function->arguments; *how; how++) {
        struct value value = argument(g, *how, type, alike, depth - 1);
        const char *text = inside(g, value, P_ASSIGN);
        // max(v, s) and min(v, s) also accept a scalar.
        if (how > function->arguments && function->name[0] == 'm' && !function->name[3] && type.lanes > 1 &&
            !(g->features & FUZZ_FOR_OCLGRIND) && one_in(g, 2))
            text = gen_value(g, with_lanes(type, 1), depth - 1).text;
        arguments = arguments ? say(g, "%s, %s", arguments, text) : text;
    }
    return value_of(g, type, P_POSTFIX, say(g, "%s(%s)", function->name, arguments));
}

// Calls a function or macro of the program that returns this type; text NULL if there is none.
struct value gen_call(struct generator *g, struct type type, int depth)
{
    struct value value = {.text = NULL};
    const struct function *function = NULL;
    const char *arguments = NULL;
    unsigned seen = 0;

    for (int i = 0; i < g->function_count; i++)
        if (same_type(g->functions[i].result, type) && chance(g, ++seen) == 0)
            function = &g->functions[i];
    if (!function)
        return value;
    g->pure += function->in_macro;
    for (int i = 0; i < function->count; i++) {
        struct type wanted = function->parameters[i];
        const char *text;
        if (function->pointers[i]) {
            struct variable *variable = writable(g, true, &wanted);
            text = variable ? say(g, "&%s", variable->path) : NULL;
        } else {
            text = inside(g,
                          function->in_macro || wanted.lanes > 1 || is_float(wanted)
                              ? fitted(g, gen_value(g, wanted, depth - 1), 10, 3)
                              : gen_integer(g, depth - 1),
                          P_ASSIGN);
        }
        if (!text)
            break;
        arguments = arguments ? say(g, "%s, %s", arguments, text) : text;
        if (i == function->count - 1)
            value = value_of(g, type, P_POSTFIX, say(g, "%s(%s)", function->name, arguments));
    }
    g->pure -= function->in_macro;
    return value;
}
