// SPDX-License-Identifier: Apache-2.0
// Vectors of integers. In an operation with a scalar, the scalar has exactly the component's type.
#include "generate.h"

static struct value scalar_or_vector(struct generator *g, struct type type, int depth)
{
    return gen_value(g, one_in(g, 3) ? with_lanes(type, 1) : type, depth);
}

// (uchar4)(a, b.xy, c): parts of any widths that add up to the total.
static const char *vector_literal(struct generator *g, struct type type, int depth)
{
    const char *parts = NULL;
    int left = type.lanes;

    if (one_in(g, 4)) {
        // Brackets directly around a comma would be those of the literal.
        const char *text = gen_integer(g, depth - 1).text;
        return say(g, "(%s)(%s%s)", type_name(g, type), *text == '(' ? "+" : "", text);
    }
    while (left > 0) {
        int lanes = one_in(g, 2) ? 1 : fuzz_widths[chance(g, WIDTHS)];
        struct value part;
        if (lanes > left || lanes == type.lanes)
            lanes = 1;
        part = lanes == 1 ? gen_integer(g, type.lanes > 4 ? depth / 2 : depth - 1)
                          : gen_value(g, with_lanes(type, lanes), type.lanes > 4 ? depth / 2 : depth - 1);
        parts = parts ? say(g, "%s, %s", parts, inside(g, part, P_ASSIGN)) : inside(g, part, P_ASSIGN);
        left -= lanes;
    }
    return say(g, "(%s)(%s)", type_name(g, type), parts);
}

static struct value literal(struct generator *g, struct type type, int depth)
{
    return value_of(g, type, P_UNARY, vector_literal(g, type, depth));
}

static struct value leaf(struct generator *g, struct type type, int depth)
{
    struct value value = read_any(g, type);

    (void)depth;
    return value.text ? value : literal(g, type, 1);
}

static struct value arithmetic(struct generator *g, struct type type, int depth)
{
    struct value a = gen_value(g, type, depth - 1), b = scalar_or_vector(g, type, depth - 1);

    return one_in(g, 5) ? gen_division(g, type, a, b) : gen_arithmetic(g, type, a, b);
}

static struct value operation(struct generator *g, struct type type, const char *op,
                              enum precedence precedence, struct value a, struct value b)
{
    return value_of(
        g, type, precedence,
        say(g, "%s %s %s", inside(g, a, precedence), op, inside(g, b, (enum precedence)(precedence + 1))));
}

static struct value bitwise(struct generator *g, struct type type, int depth)
{
    static const char *const ops[] = {"&", "^", "|"};
    static const enum precedence precedences[] = {P_BIT_AND, P_BIT_XOR, P_BIT_OR};
    unsigned op = chance(g, 3);
    struct value a = gen_value(g, type, depth - 1);

    return operation(g, type, ops[op], precedences[op], a, scalar_or_vector(g, type, depth - 1));
}

static struct value shift(struct generator *g, struct type type, int depth)
{
    struct value a = gen_value(g, type, depth - 1), b = scalar_or_vector(g, type, depth - 1);

    return operation(g, type, one_in(g, 2) ? "<<" : ">>", P_SHIFT, a, b);
}

// The type that is compared to get a result of this type: integers or floats of the same width.
static struct type compared(struct generator *g, struct type type)
{
    int width = width_of(type);

    if (one_in(g, 4) && (width == 32 || (width == 64 && g->doubles)))
        return with_scalar(type, width == 32 ? G_FLOAT : G_DOUBLE);
    return with_scalar(type, of_width(width, one_in(g, 2)));
}

// 0 and -1, in the signed type with the operands' width.
static struct value comparison(struct generator *g, struct type type, int depth)
{
    static const char *const ops[] = {"<", ">", "<=", ">=", "==", "!=", "&&", "||"};
    static const char *const functions[] = {"isless",         "isgreater", "islessequal",
                                            "isgreaterequal", "isequal",   "isnotequal"};
    unsigned op;
    enum precedence precedence;
    struct type of;
    struct value a, b, result;

    if (!is_signed(type))
        return leaf(g, type, depth);
    of = compared(g, type);
    op = chance(g, is_float(of) ? 6 : 8);
    precedence = op < 4 ? P_LESS : op < 6 ? P_EQUAL : op == 6 ? P_AND : P_OR;
    g->pure++; // it must not matter whether both sides of && and || are evaluated
    a = gen_value(g, of, depth - 1), b = gen_value(g, of, depth - 1);
    g->pure--;
    result = operation(g, type, ops[op], precedence, a, b);
    if (is_float(of) && one_in(g, 2))
        result = value_of(g, type, P_POSTFIX, say(g, "%s(%s, %s)", functions[op], a.text, b.text));
    result.bits = 1;
    return result;
}

// Component by component, by the sign of the condition; both branches are evaluated.
static struct value ternary(struct generator *g, struct type type, int depth)
{
    struct value c, a, b;
    bool scalar_condition = one_in(g, 4);

    g->pure++;
    c = scalar_condition ? gen_condition(g, depth - 1)
                         : gen_value(g, with_scalar(type, of_width(width_of(type), true)), depth - 1);
    a = gen_value(g, type, depth - 1), b = gen_value(g, type, depth - 1);
    g->pure--;
    if (!scalar_condition && one_in(g, 3))
        return value_of(
            g, type, P_POSTFIX,
            say(g, "select(%s, %s, %s)", a.text, b.text,
                gen_value(g, with_scalar(type, of_width(width_of(type), one_in(g, 2))), depth - 1).text));
    return value_of(
        g, type, P_TERNARY,
        say(g, "%s ? %s : %s", inside(g, c, P_OR), inside(g, a, P_COMMA), inside(g, b, P_TERNARY)));
}

static struct value unary(struct generator *g, struct type type, int depth)
{
    struct value a = gen_value(g, type, depth - 1), result;

    if (is_signed(type) && one_in(g, 3)) {
        struct type of = with_scalar(type, of_width(width_of(type), one_in(g, 2)));
        return value_of(g, type, P_UNARY, say(g, "!%s", inside(g, gen_value(g, of, depth - 1), P_UNARY)));
    }
    if (one_in(g, 2))
        return value_of(g, type, P_UNARY, say(g, "~%s", inside(g, a, P_UNARY)));
    if (is_signed(type) && a.bits > safe_bits(type))
        a = masked(g, a, safe_bits(type));
    result = value_of(g, type, P_UNARY, say(g, "%s(%s)", one_in(g, 3) ? "+" : "-", a.text));
    if (is_signed(type))
        result.bits = a.bits;
    return result;
}

static struct value conversion(struct generator *g, struct type type, int depth)
{
    static const char *const modes[] = {"", "_sat", "_rte", "_sat_rtz", "_rtp", "_sat_rtn"};
    static const char *const roundings[] = {"", "_rte", "_rtz", "_rtp", "_rtn"};
    struct type from = with_lanes(any_integer(g), type.lanes);
    struct value value;

    if (one_in(g, 3)) {
        from.scalar = g->doubles && one_in(g, 3) ? G_DOUBLE : G_FLOAT;
        value = gen_float(g, from, depth - 1);
        return value_of(g, type, P_POSTFIX,
                        say(g, "convert_%s%s%s(%s)", type_name(g, type),
                            is_signed(type) && value.bits < whole_bits(type) && one_in(g, 2) ? "" : "_sat",
                            rounding(g, roundings, 5), value.text));
    }
    value = gen_value(g, from, depth - 1);
    return value_of(g, type, P_POSTFIX,
                    say(g, "convert_%s%s(%s)", type_name(g, type), modes[chance(g, 6)], value.text));
}

// as_T of other components of the same size; the fourth of three would be undefined.
static struct value reinterpretation(struct generator *g, struct type type, int depth)
{
    struct type from = any_integer(g);
    int bytes = width_of(type) * type.lanes;

    from.lanes = bytes / width_of(from);
    if (type.lanes == 3 || bytes % width_of(from) != 0 || from.lanes < 1 || from.lanes > 16 ||
        g->features & FUZZ_FOR_OCLGRIND)
        from = with_scalar(type, of_width(width_of(type), one_in(g, 2)));
    return value_of(g, type, P_POSTFIX,
                    say(g, "as_%s(%s)", type_name(g, type), gen_value(g, from, depth - 1).text));
}

static struct value selection(struct generator *g, struct type type, int depth)
{
    struct type from = with_lanes(type, any_lanes(g));
    struct value value = gen_value(g, from, depth - 1);

    value.text = say(g, "%s.%s", inside(g, value, P_POSTFIX), swizzle(g, from.lanes, type.lanes, false));
    value.precedence = P_POSTFIX;
    value.type = type;
    return value;
}

static struct value shuffled(struct generator *g, struct type type, int depth)
{
    struct type from = with_lanes(type, 1 << (1 + chance(g, 4))),
                by = with_scalar(type, of_width(width_of(type), false));
    struct value a, b;

    if (type.lanes == 3)
        return leaf(g, type, depth);
    a = gen_value(g, from, depth - 1), b = gen_value(g, by, depth - 1);
    if (one_in(g, 2))
        return value_of(g, type, P_POSTFIX, say(g, "shuffle(%s, %s)", a.text, b.text));
    return value_of(g, type, P_POSTFIX,
                    say(g, "shuffle2(%s, %s, %s)", a.text, gen_value(g, from, depth - 1).text, b.text));
}

// From this work-item's 16 words of `in`, reinterpreted as any type.
static struct value loaded(struct generator *g, struct type type, int depth)
{
    int bytes = width_of(type) / 8 * type.lanes;
    struct value index;

    if (!g->in_kernel)
        return leaf(g, type, depth);
    index = gen_index(g, bytes > 32 ? 1 : type.lanes == 3 ? 64 / (bytes / 3 * 4) : 64 / bytes, depth - 1);
    return value_of(g, type, P_POSTFIX,
                    say(g, "vload%d(%s, (const __global %s *)row)", type.lanes, index.text,
                        type_name(g, with_lanes(type, 1))));
}

static struct value call(struct generator *g, struct type type, int depth)
{
    struct value value = gen_call(g, type, depth);

    return value.text ? value : leaf(g, type, depth);
}

struct value gen_integer_vector(struct generator *g, struct type type, int depth)
{
    static struct value (*const productions[])(struct generator *, struct type, int) = {
        arithmetic, arithmetic, arithmetic, bitwise, shift,      shift,     comparison,      ternary,
        ternary,    unary,      conversion, call,    conversion, selection, gen_built_in,    gen_built_in,
        shuffled,   loaded,     literal,    literal, selection,  leaf,      reinterpretation};

    if (depth <= 0 || one_in(g, 8))
        return leaf(g, type, depth);
    return productions[chance(g, sizeof productions / sizeof *productions)](g, type, depth);
}
