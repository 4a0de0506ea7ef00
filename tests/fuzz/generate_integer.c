// SPDX-License-Identifier: Apache-2.0
// Integer expressions, and arithmetic of every kind within the bounds of its operands.
#include "generate.h"

#include <string.h>

static const struct type int_type = {G_INT, 1}, uint_type = {G_UINT, 1};

static struct type promoted(struct type type)
{
    return type.scalar < G_INT ? with_scalar(type, G_INT) : type;
}

// C's usual arithmetic conversions of two integer scalars: types are numbered by rank.
static struct type common(struct type a, struct type b)
{
    a = promoted(a), b = promoted(b);
    return a.scalar > b.scalar ? a : b;
}

// ---- operands

struct value gen_literal(struct generator *g, struct type type)
{
    static const unsigned long long edges[] = {0,  1,  2,  3,  5,  7,   8,   15,  16,
                                               31, 32, 33, 63, 64, 100, 127, 128, 255};
    static const char *const suffixes[] = {"", "", "", "", "", "u", "L", "UL"};
    unsigned long long number = edges[chance(g, sizeof edges / sizeof *edges)], most;
    bool negative = is_signed(type) && one_in(g, 4);
    struct value value = value_of(g, type, negative ? P_UNARY : P_POSTFIX, NULL);

    if (is_float(type)) {
        number %= 64;
        value.text = say(g, "%s%llu%s%s", negative ? "-" : "", number, one_in(g, 2) ? ".5" : ".25",
                         type.scalar == G_FLOAT ? "f" : "");
        value.bits = 7, value.frac = 2;
        return value;
    }
    most = whole_bits(type) > 62 ? 1ull << 62 : (1ull << whole_bits(type)) - 1;
    if (one_in(g, 4))
        number = (unsigned long long)chance(g, 1u << 31) << chance(g, 31);
    number &= most;
    for (value.bits = 0; number >> value.bits; value.bits++)
        ;
    if (type.scalar < G_INT && !negative && number >= 'A' && number <= 'Z' && one_in(g, 2))
        value.text = say(g, "'%c'", (int)number);
    else
        value.text = say(g, one_in(g, 3) ? "%s0x%llx%s" : "%s%llu%s", negative ? "-" : "", number,
                         suffixes[type.scalar]);
    value.type = promoted(type);
    return value;
}

static struct value work_item_function(struct generator *g)
{
    static const struct {
        const char *name;
        int bits;
    } functions[] = {{"get_global_id(0)", 16}, {"get_local_id(0)", 4},   {"get_group_id(0)", 12},
                     {"get_local_size(0)", 5}, {"get_work_dim()", 1},    {"get_global_offset(0)", 0},
                     {"get_local_id(1)", 0},   {"get_global_size(1)", 1}};
    unsigned which = chance(g, sizeof functions / sizeof *functions);
    struct value value =
        value_of(g, (struct type){which == 4 ? G_UINT : G_ULONG, 1}, P_POSTFIX, functions[which].name);

    value.bits = functions[which].bits + 1;
    return value;
}

struct value gen_integer_leaf(struct generator *g)
{
    struct value value = {.text = NULL};

    if (!one_in(g, 5))
        value = read_integer(g);
    if (!value.text && one_in(g, 6))
        value = work_item_function(g);
    return value.text ? value : gen_literal(g, any_integer(g));
}

// ---- helpers of operations

struct value exactly(struct generator *g, struct value value, struct type type)
{
    struct value result = value_of(g, type, P_UNARY, NULL);

    if (same_type(value.type, type))
        return value;
    if (value.bits < result.bits && (value.type.scalar == type.scalar || is_signed(type)))
        result.bits = value.bits;
    result.text = say(g, "(%s)%s", type_name(g, type), inside(g, value, P_UNARY));
    return result;
}

// A constant of a vector's component type, or an int, for masks.
static const char *mask(struct generator *g, struct type type, int bits)
{
    unsigned long long number = (1ull << bits) - 1;

    if (type.lanes == 1)
        return say(g, type.scalar >= G_LONG ? "%lluL" : "%llu", number);
    return say(g, "(%s)%llu", type_name(g, with_lanes(type, 1)), number);
}

// At most `bits` bits, and not negative.
struct value masked(struct generator *g, struct value value, int bits)
{
    if (value.bits <= bits)
        return value;
    value.text = say(g, "%s & %s", inside(g, value, P_BIT_AND), mask(g, value.type, bits));
    value.precedence = P_BIT_AND;
    value.type = value.type.lanes == 1 ? promoted(value.type) : value.type;
    value.bits = bits;
    return value;
}

// Converts to the type of opposite signedness: (uint)x, as_uint4(x), convert_uint4(x).
static struct value as_unsigned(struct generator *g, struct value value)
{
    struct type type = with_scalar(value.type, of_width(width_of(value.type), false));

    if (value.type.lanes == 1 && one_in(g, 2))
        return exactly(g, value, type);
    return value_of(g, type, P_POSTFIX,
                    say(g, "%s_%s(%s)", value.type.lanes == 1 || one_in(g, 2) ? "as" : "convert",
                        type_name(g, type), value.text));
}

static struct value operation(struct generator *g, struct type type, const char *op,
                              enum precedence precedence, struct value a, struct value b)
{
    return value_of(
        g, type, precedence,
        say(g, "%s %s %s", inside(g, a, precedence), op, inside(g, b, (enum precedence)(precedence + 1))));
}

static int bits_of(unsigned op, struct value a, struct value b)
{
    return op == 2 ? a.bits + b.bits : (a.bits > b.bits ? a.bits : b.bits) + 1;
}

// a + b, a - b, a * b in `type`, their common type; for floats too.
struct value gen_arithmetic(struct generator *g, struct type type, struct value a, struct value b)
{
    static const char *const ops[] = {"+", "-", "*"};
    static const enum precedence precedences[] = {P_ADD, P_ADD, P_MULTIPLY};
    unsigned op = chance(g, 3);
    struct value result;

    if (!is_float(type) && is_signed(type) && bits_of(op, a, b) > safe_bits(type)) {
        if (one_in(g, 2)) {
            // The narrower operand is promoted to the wider one; both must have the rank of the unsigned
            // type.
            struct type own = with_scalar(type, of_width(width_of(type), false));
            if (type.lanes == 1)
                a = exactly(g, a, type), b = exactly(g, b, type);
            a = as_unsigned(g, a);
            b = b.type.lanes < a.type.lanes ? exactly(g, b, with_lanes(own, 1)) : as_unsigned(g, b);
            result = operation(g, own, ops[op], precedences[op], a, b);
            if (type.lanes == 1 && one_in(g, 2))
                return result;
            return value_of(g, type, P_POSTFIX, say(g, "as_%s(%s)", type_name(g, type), result.text));
        }
        int most = op == 2 ? safe_bits(type) / 2 : safe_bits(type) - 1;
        a = masked(g, a, most), b = masked(g, b, most);
        if (b.type.lanes < type.lanes)
            b = exactly(g, b, with_lanes(type, 1));
    }
    result = operation(g, type, ops[op], precedences[op], a, b);
    if (is_signed(type))
        result.bits = bits_of(op, a, b);
    if (is_float(type))
        result.frac = op == 2 ? a.frac + b.frac : a.frac > b.frac ? a.frac : b.frac;
    return result;
}

// The divisor is made odd, or small and positive, so that it is neither 0 nor -1.
struct value gen_division(struct generator *g, struct type type, struct value a, struct value b)
{
    const char *one = b.type.lanes == 1 && type.lanes == 1 ? "1" : mask(g, b.type, 1);
    struct value result;

    if (is_signed(b.type))
        b.bits = 64; // may be negative, so it must be masked whatever its bound is
    if (is_signed(b.type) || one_in(g, 3))
        b = masked(g, b, is_signed(type) && width_of(type) == 8 ? 5 : 6);
    b.text = say(g, "%s | %s", inside(g, b, P_BIT_OR), one);
    b.precedence = P_BIT_OR;
    if (b.type.lanes < type.lanes) // the operation widens it
        b = exactly(g, (struct value){b.text, int_type, P_BIT_OR, 64, 0}, with_lanes(type, 1));
    result = operation(g, type, one_in(g, 2) ? "/" : "%", P_MULTIPLY, a, b);
    if (is_signed(type))
        result.bits = a.bits;
    return result;
}

// ---- scalars

static struct value arithmetic(struct generator *g, int depth)
{
    struct value a = gen_integer(g, depth - 1), b = gen_integer(g, depth - 1);
    struct type type = common(a.type, b.type);

    return one_in(g, 5) ? gen_division(g, type, a, b) : gen_arithmetic(g, type, a, b);
}

static struct value bitwise(struct generator *g, int depth)
{
    static const char *const ops[] = {"&", "^", "|"};
    static const enum precedence precedences[] = {P_BIT_AND, P_BIT_XOR, P_BIT_OR};
    unsigned op = chance(g, 3);
    struct value a = gen_integer(g, depth - 1), b = gen_integer(g, depth - 1);

    return operation(g, common(a.type, b.type), ops[op], precedences[op], a, b);
}

// Any shift count is allowed: OpenCL takes it modulo the width.
static struct value shift(struct generator *g, int depth)
{
    struct value a = gen_integer(g, depth - 1), b = gen_integer(g, depth - 1);

    return operation(g, promoted(a.type), one_in(g, 2) ? "<<" : ">>", P_SHIFT, a, b);
}

static struct value truth(struct generator *g, enum precedence precedence, const char *text)
{
    struct value value = value_of(g, int_type, precedence, text);

    value.bits = 1;
    return value;
}

static struct value comparison(struct generator *g, int depth)
{
    static const char *const ops[] = {"<", ">", "<=", ">=", "==", "!="};
    static const char *const functions[] = {"isless",        "isgreater", "islessequal", "isgreaterequal",
                                            "islessgreater", "isequal",   "isnotequal"};
    unsigned op = chance(g, 6);
    enum precedence precedence = op < 4 ? P_LESS : P_EQUAL;
    struct value a, b;

    if (one_in(g, 6)) {
        a = gen_float(g, (struct type){G_FLOAT, 1}, depth - 1);
        b = gen_float(g, (struct type){G_FLOAT, 1}, depth - 1);
        if (one_in(g, 2))
            return truth(g, P_POSTFIX, say(g, "%s(%s, %s)", functions[chance(g, 7)], a.text, b.text));
    } else {
        a = gen_integer(g, depth - 1), b = gen_integer(g, depth - 1);
    }
    return truth(g, precedence, operation(g, int_type, ops[op], precedence, a, b).text);
}

static struct value of_vector(struct generator *g, int depth)
{
    struct type type = with_lanes(any_integer(g), any_lanes(g));
    struct value vector;

    if (one_in(g, 3)) {
        type.scalar = of_width(width_of(type), true);
        vector = gen_integer_vector(g, type, depth - 1);
        return truth(g, P_POSTFIX, say(g, "%s(%s)", one_in(g, 2) ? "any" : "all", vector.text));
    }
    vector = gen_integer_vector(g, type, depth - 1);
    vector.text = say(g, "%s.%s", inside(g, vector, P_POSTFIX), swizzle(g, type.lanes, 1, false));
    vector.precedence = P_POSTFIX;
    vector.type.lanes = 1;
    return vector;
}

static struct value logical(struct generator *g, int depth)
{
    struct value a = gen_condition(g, depth - 1), b = gen_condition(g, depth - 1);
    bool both = one_in(g, 2);
    enum precedence precedence = both ? P_AND : P_OR;

    if (one_in(g, 4))
        return truth(g, P_UNARY, say(g, "!%s", inside(g, a, P_UNARY)));
    return truth(g, precedence, operation(g, int_type, both ? "&&" : "||", precedence, a, b).text);
}

struct value gen_condition(struct generator *g, int depth)
{
    return depth > 0 && one_in(g, 2) ? comparison(g, depth) : gen_integer(g, depth);
}

static struct value ternary(struct generator *g, int depth)
{
    struct value c = gen_condition(g, depth - 1), a = gen_integer(g, depth - 1),
                 b = gen_integer(g, depth - 1);
    struct value result = value_of(g, common(a.type, b.type), P_TERNARY, NULL);

    result.text = say(g, "%s ? %s : %s", inside(g, c, P_OR), inside(g, a, P_COMMA), inside(g, b, P_TERNARY));
    return result;
}

static struct value unary(struct generator *g, int depth)
{
    struct value a = gen_integer(g, depth - 1), result;
    struct type type = promoted(a.type);

    if (one_in(g, 2)) {
        result = value_of(g, type, P_UNARY, say(g, "~%s", inside(g, a, P_UNARY)));
        return result;
    }
    if (is_signed(type) && a.bits > safe_bits(type))
        a = masked(g, a, safe_bits(type));
    result = value_of(g, type, P_UNARY, say(g, "%s(%s)", one_in(g, 3) ? "+" : "-", a.text));
    if (is_signed(type))
        result.bits = a.bits;
    return result;
}

// Converts from another type, in one of the possible ways.
static struct value conversion(struct generator *g, int depth)
{
    static const char *const modes[] = {"", "_sat", "_rte", "_sat_rtz", "_rtp", "_sat_rtn"};
    const bool directed = !(g->features & FUZZ_FOR_OCLGRIND);
    struct type type = any_integer(g);
    struct value from;

    if (one_in(g, 3)) {
        struct type float_type = {g->doubles && one_in(g, 3) ? G_DOUBLE : G_FLOAT, 1};
        from = gen_float(g, float_type, depth - 1);
        if (from.bits < whole_bits(type) && is_signed(type))
            return one_in(g, 3) ? value_of(g, type, P_UNARY,
                                           say(g, "(%s)%s", type_name(g, type), inside(g, from, P_UNARY)))
                                : value_of(g, type, P_POSTFIX,
                                           say(g, "convert_%s%s(%s)", type_name(g, type),
                                               rounding(g, modes, 6), from.text));
        return value_of(g, type, P_POSTFIX,
                        say(g, "convert_%s_sat%s(%s)", type_name(g, type),
                            one_in(g, 2)                ? ""
                            : one_in(g, 2) || !directed ? "_rte"
                            : one_in(g, 2)              ? "_rtp"
                                                        : "_rtn",
                            from.text));
    }
    from = gen_integer(g, depth - 1);
    if (one_in(g, 3))
        return exactly(g, from, type);
    return value_of(g, type, P_POSTFIX,
                    say(g, "convert_%s%s(%s)", type_name(g, type), modes[chance(g, 6)], from.text));
}

// as_T of a scalar or a vector of the same size.
static struct value reinterpretation(struct generator *g, int depth)
{
    struct type type = any_integer(g), from = any_integer(g);
    struct value value;

    from.lanes = width_of(type) / width_of(from);
    if (from.lanes <= 1 || g->features & FUZZ_FOR_OCLGRIND)
        from = with_scalar(type, of_width(width_of(type), one_in(g, 2)));
    value = gen_value(g, from, depth - 1);
    return value_of(g, type, P_POSTFIX, say(g, "as_%s(%s)", type_name(g, type), value.text));
}

static struct value with_side_effect(struct generator *g, int depth)
{
    struct type type = any_integer(g);
    struct variable *variable = writable(g, false, &type);
    struct value value;

    if (!variable || variable->elements)
        return gen_integer_leaf(g);
    value = value_of(g, type, P_POSTFIX, variable->path);
    if (one_in(g, 2) && (!is_signed(type) || width_of(type) < 32)) {
        bool up = one_in(g, 2);
        if (one_in(g, 2))
            value.text = say(g, "%s%s", variable->path, up ? "++" : "--");
        else
            value.text = say(g, "%s%s", up ? "++" : "--", variable->path), value.precedence = P_UNARY;
        return value;
    }
    value.text = say(g, "(%s = %s)", variable->path, gen_integer(g, depth - 1).text);
    return value;
}

static struct value comma(struct generator *g, int depth)
{
    struct value a = gen_integer(g, depth - 1), b = gen_integer(g, depth - 1);

    b.text = say(g, "(%s, %s)", a.text, b.text);
    b.precedence = P_POSTFIX;
    return b;
}

static struct value size_of(struct generator *g, int depth)
{
    struct value value = value_of(g, (struct type){G_ULONG, 1}, P_POSTFIX, NULL);

    value.bits = 8;
    g->pure++;
    if (one_in(g, 2))
        value.text = say(g, "sizeof(%s)", type_name(g, any_type(g)));
    else if (one_in(g, 3))
        value.text = say(g, "sizeof(%s)", gen_value(g, any_type(g), depth - 1).text);
    else if (one_in(g, 2))
        value.text = say(g, "(int)vec_step(%s)", type_name(g, any_type(g))),
        value.type = int_type, // of any type
            value.precedence = P_UNARY;
    else
        value.text = say(g, "sizeof(%s)", gen_integer(g, depth - 1).text);
    g->pure--;
    return value;
}

static struct value built_in(struct generator *g, int depth)
{
    return gen_built_in(g, any_integer(g), depth);
}

static struct value call(struct generator *g, int depth)
{
    struct value value = gen_call(g, any_integer(g), depth);

    return value.text ? value : gen_integer_leaf(g);
}

struct value gen_integer(struct generator *g, int depth)
{
    static struct value (*const productions[])(struct generator *, int) = {
        arithmetic, arithmetic, bitwise,    shift,    comparison, of_vector,        logical,
        ternary,    unary,      conversion, built_in, built_in,   reinterpretation, with_side_effect,
        comma,      size_of,    call,       call,     shift,      arithmetic,       of_vector};

    if (depth <= 0 || one_in(g, 8))
        return gen_integer_leaf(g);
    return productions[chance(g, sizeof productions / sizeof *productions)](g, depth);
}

struct value gen_index(struct generator *g, int elements, int depth)
{
    struct value index;

    if (one_in(g, 2))
        return value_of(g, uint_type, P_POSTFIX, say(g, "%u", chance(g, (unsigned)elements)));
    index = gen_integer(g, depth);
    return value_of(g, uint_type, P_BIT_AND, say(g, "%s & %d", inside(g, index, P_BIT_AND), elements - 1));
}

struct value gen_value(struct generator *g, struct type type, int depth)
{
    if (is_float(type))
        return gen_float(g, type, depth);
    if (type.lanes > 1)
        return gen_integer_vector(g, type, depth);
    return exactly(g, gen_integer(g, depth), type);
}
