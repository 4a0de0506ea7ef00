// SPDX-License-Identifier: Apache-2.0
// Floats and doubles with few enough bits that every operation is exact, and vectors of them.
#include "generate.h"

static struct value bounded(struct generator *g, struct type type, enum precedence precedence,
                            const char *text, int bits, int frac)
{
    struct value value = value_of(g, type, precedence, text);

    value.bits = bits, value.frac = frac;
    return value;
}

static bool fits(struct type type, int bits, int frac)
{
    return bits + frac <= safe_bits(type);
}

static const char *constant(struct generator *g, struct type type, const char *number)
{
    struct type one = with_lanes(type, 1);

    if (type.lanes > 1 && one_in(g, 2))
        return say(g, "(%s)(%s)", type_name(g, type), constant(g, one, number));
    return type.scalar == G_FLOAT ? say(g, "%sf", number)
           : one_in(g, 2)         ? number
                                  : say(g, "(double)%s", number);
}

// Makes a float a multiple of 2^-frac within 2^bits. An integer is unchanged.
struct value fitted(struct generator *g, struct value value, int bits, int frac)
{
    static const char *const roundings[] = {"rint", "floor", "ceil", "trunc", "round"};

    if (!is_float(value.type) || (value.bits <= bits && value.frac <= frac))
        return value;
    if (value.frac > frac) {
        value = bounded(g, value.type, P_POSTFIX, say(g, "%s(%s)", roundings[chance(g, 5)], value.text),
                        value.bits + 1, 0);
    }
    if (value.bits > bits) {
        const char *limit = constant(g, value.type, say(g, "%u.0", 1u << bits));
        if (g->features & FUZZ_FOR_OCLGRIND)
            limit = say(g, "(%s)(%s)", type_name(g, value.type), limit);
        value = bounded(g, value.type, P_POSTFIX, say(g, "clamp(%s, -%s, %s)", value.text, limit, limit),
                        bits, value.frac);
    }
    return value;
}

static struct value leaf(struct generator *g, struct type type, int depth)
{
    struct value value = read_any(g, type);

    (void)depth;
    if (value.text)
        return value;
    if (type.lanes == 1)
        return gen_literal(g, type);
    return bounded(g, type, P_UNARY,
                   say(g, "(%s)(%s)", type_name(g, type), gen_literal(g, with_lanes(type, 1)).text), 7, 2);
}

// Converts an integer that fits, in one of the possible ways.
static struct value from_integer(struct generator *g, struct type type, int depth)
{
    static const char *const modes[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
    struct type from = with_lanes(any_integer(g), type.lanes);
    struct value value = masked(g, gen_value(g, from, depth - 1), width_of(from) == 8 ? 8 : 12);

    if (type.lanes == 1 && one_in(g, 2))
        return bounded(g, type, P_UNARY, say(g, "(%s)%s", type_name(g, type), inside(g, value, P_UNARY)),
                       value.bits, 0);
    return bounded(g, type, P_POSTFIX,
                   say(g, "convert_%s%s(%s)", type_name(g, type), modes[chance(g, 5)], value.text),
                   value.bits, 0);
}

static struct value arithmetic(struct generator *g, struct type type, int depth)
{
    struct value a = fitted(g, gen_float(g, type, depth - 1), safe_bits(type) / 2 - 4, 3);
    struct value b = gen_float(g, one_in(g, 4) ? with_lanes(type, 1) : type, depth - 1);

    return gen_arithmetic(g, type, a, fitted(g, b, safe_bits(type) / 2 - 4, 3));
}

// Multiplies by a power of two: exact if there are enough fractional bits.
static struct value scaled(struct generator *g, struct type type, int depth)
{
    struct value a = gen_float(g, type, depth - 1);
    int by = 1 + (int)chance(g, 3);

    if (!fits(type, a.bits, a.frac + by))
        a = fitted(g, a, safe_bits(type) - 8, 3);
    return bounded(g, type, P_MULTIPLY,
                   one_in(g, 2) ? say(g, "%s / %s", inside(g, a, P_MULTIPLY),
                                      constant(g, with_lanes(type, 1), say(g, "%d.0", 1 << by)))
                                : say(g, "%s * %s", inside(g, a, P_MULTIPLY),
                                      constant(g, with_lanes(type, 1), say(g, "%g", 1.0 / (1 << by)))),
                   a.bits, a.frac + by);
}

static struct value of_three(struct generator *g, struct type type, int depth)
{
    int bits = safe_bits(type) / 2 - 5;
    struct value a = fitted(g, gen_float(g, type, depth - 1), bits, 3),
                 b = fitted(g, gen_float(g, type, depth - 1), bits, 3),
                 c = fitted(g, gen_float(g, type, depth - 1), bits, 3);

    return bounded(g, type, P_POSTFIX,
                   say(g, "%s(%s, %s, %s)", one_in(g, 2) ? "fma" : "mad", a.text, b.text, c.text),
                   2 * bits + 1, a.frac + b.frac > c.frac ? a.frac + b.frac : c.frac);
}

static struct value of_two(struct generator *g, struct type type, int depth)
{
    static const char *const functions[] = {"fmin", "fmax", "min", "max"};
    struct value a = gen_float(g, type, depth - 1), b = gen_float(g, type, depth - 1);
    int bits = a.bits > b.bits ? a.bits : b.bits, frac = a.frac > b.frac ? a.frac : b.frac;

    if (!fits(type, bits, frac))
        a = fitted(g, a, 10, 3), b = fitted(g, b, 10, 3), bits = 10, frac = 3;
    return bounded(g, type, P_POSTFIX, say(g, "%s(%s, %s)", functions[chance(g, 4)], a.text, b.text), bits,
                   frac);
}

static struct value of_one(struct generator *g, struct type type, int depth)
{
    static const char *const functions[] = {"floor", "ceil", "rint", "trunc", "round", "fabs", "-", "+"};
    unsigned which = chance(g, 8);
    struct value a = gen_float(g, type, depth - 1);

    if (!fits(type, a.bits + 1, a.frac))
        a = fitted(g, a, 10, 3);
    return bounded(g, type, which > 5 ? P_UNARY : P_POSTFIX, say(g, "%s(%s)", functions[which], a.text),
                   a.bits + (which < 5), which < 5 ? 0 : a.frac);
}

static struct value ternary(struct generator *g, struct type type, int depth)
{
    struct value a, b, c;
    struct type by = with_scalar(type, of_width(width_of(type), true));
    int bits, frac;

    g->pure++;
    a = gen_float(g, type, depth - 1), b = gen_float(g, type, depth - 1);
    c = type.lanes == 1 ? gen_condition(g, depth - 1) : gen_value(g, by, depth - 1);
    g->pure--;
    bits = a.bits > b.bits ? a.bits : b.bits, frac = a.frac > b.frac ? a.frac : b.frac;
    if (!fits(type, bits, frac))
        a = fitted(g, a, 10, 3), b = fitted(g, b, 10, 3), bits = 10, frac = 3;
    if (one_in(g, 3))
        return bounded(g, type, P_POSTFIX,
                       say(g, "select(%s, %s, %s)", a.text, b.text, exactly(g, c, by).text), bits, frac);
    return bounded(g, type, P_TERNARY,
                   say(g, "%s ? %s : %s", inside(g, c, P_OR), inside(g, a, P_COMMA), inside(g, b, P_TERNARY)),
                   bits, frac);
}

static struct value selection(struct generator *g, struct type type, int depth)
{
    struct type from = with_lanes(type, any_lanes(g));
    struct value value = gen_float(g, from, depth - 1);

    return bounded(g, type, P_POSTFIX,
                   say(g, "%s.%s", inside(g, value, P_POSTFIX), swizzle(g, from.lanes, type.lanes, false)),
                   value.bits, value.frac);
}

static struct value literal(struct generator *g, struct type type, int depth)
{
    const char *parts = NULL;
    int bits = 7, frac = 2;

    if (type.lanes == 1)
        return leaf(g, type, depth);
    for (int i = 0; i < type.lanes; i++) {
        struct value part =
            fitted(g, gen_float(g, with_lanes(type, 1), type.lanes > 4 ? 0 : depth - 1), 10, 3);
        bits = part.bits > bits ? part.bits : bits, frac = part.frac > frac ? part.frac : frac;
        parts = parts ? say(g, "%s, %s", parts, inside(g, part, P_ASSIGN)) : inside(g, part, P_ASSIGN);
    }
    return bounded(g, type, P_UNARY, say(g, "(%s)(%s)", type_name(g, type), parts), bits, frac);
}

static struct value of_other_precision(struct generator *g, struct type type, int depth)
{
    struct type from = with_scalar(type, type.scalar == G_FLOAT ? G_DOUBLE : G_FLOAT);
    struct value value;

    if (!g->doubles)
        return from_integer(g, type, depth);
    value = fitted(g, gen_float(g, from, depth - 1), 10, 3);
    return bounded(g, type, P_POSTFIX, say(g, "convert_%s(%s)", type_name(g, type), value.text), value.bits,
                   value.frac);
}

static struct value dot_product(struct generator *g, struct type type, int depth)
{
    struct type of = with_lanes(type, 2 + (int)chance(g, 3));
    struct value a, b;

    if (type.lanes != 1)
        return arithmetic(g, type, depth);
    a = fitted(g, gen_float(g, of, depth - 1), 6, 2), b = fitted(g, gen_float(g, of, depth - 1), 6, 2);
    return bounded(g, type, P_POSTFIX, say(g, "dot(%s, %s)", a.text, b.text), a.bits + b.bits + 2,
                   a.frac + b.frac);
}

static struct value call(struct generator *g, struct type type, int depth)
{
    struct value value = gen_call(g, type, depth);

    return value.text ? value : leaf(g, type, depth);
}

struct value gen_float(struct generator *g, struct type type, int depth)
{
    static struct value (*const productions[])(struct generator *, struct type, int) = {
        from_integer, from_integer, arithmetic, arithmetic,         scaled,      of_three, of_two,
        of_one,       ternary,      selection,  of_other_precision, dot_product, literal,  call};

    if (depth <= 0 || one_in(g, 6))
        return leaf(g, type, depth);
    return productions[chance(g, sizeof productions / sizeof *productions)](g, type, depth);
}
