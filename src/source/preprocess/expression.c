// SPDX-License-Identifier: Apache-2.0
#include "expression.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

// Nesting of brackets, signs and question marks: far more than programs need, far less than a stack holds.
#define DEEPEST 200

struct evaluation {
    const struct src_token *at, *end;
    struct src_complaint *complaint;
    bool failed;
    int depth;
};

enum operation {
    OR,
    AND,
    BIT_OR,
    BIT_XOR,
    BIT_AND,
    EQUAL,
    UNEQUAL,
    LESS,
    GREATER,
    AT_MOST,
    AT_LEAST,
    LEFT,
    RIGHT,
    PLUS,
    MINUS,
    TIMES,
    DIVIDED,
    MODULO
};

static const struct binary {
    const char *text;
    enum operation kind;
    int precedence;
} binaries[] = {
    {"||", OR, 1},       {"&&", AND, 2},     {"|", BIT_OR, 3},  {"^", BIT_XOR, 4}, {"&", BIT_AND, 5},
    {"==", EQUAL, 6},    {"!=", UNEQUAL, 6}, {"<", LESS, 7},    {">", GREATER, 7}, {"<=", AT_MOST, 7},
    {">=", AT_LEAST, 7}, {"<<", LEFT, 8},    {">>", RIGHT, 8},  {"+", PLUS, 9},    {"-", MINUS, 9},
    {"*", TIMES, 10},    {"/", DIVIDED, 10}, {"%", MODULO, 10},
};

// Simple escapes (C99 6.4.4.4), each letter with its value.
static const char escapes[][2] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'a', '\a'},
                                  {'b', '\b'}, {'f', '\f'}, {'v', '\v'}, {'e', 27}};

static struct src_value conditional(struct evaluation *e, bool live);

// Records the first error. Returns a value, so that a caller can return it.
static struct src_value complain(struct evaluation *e, const struct src_token *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static struct src_value complain(struct evaluation *e, const struct src_token *at, const char *format, ...)
{
    va_list args;

    if (!e->failed) {
        va_start(args, format);
        vsnprintf(e->complaint->text, sizeof e->complaint->text, format, args);
        va_end(args);
        e->complaint->at = at < e->end ? at : NULL;
    }
    e->failed = true;
    e->at = e->end;
    return (struct src_value){0, false};
}

static struct src_value truth(bool value)
{
    return (struct src_value){value, false};
}

static bool accept(struct evaluation *e, const char *punctuator)
{
    if (e->at >= e->end || !ki_src_is(e->at, punctuator))
        return false;
    e->at++;
    return true;
}

static int shown(const struct src_token *token)
{
    return token->length < 60 ? (int)token->length : 60;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 99;
}

// u, l, ll in any order and case; false for anything else.
static bool read_suffix(const char *p, const char *end, bool *is_unsigned)
{
    size_t longs = 0, unsigneds = 0;

    for (; p < end; p++) {
        if (*p == 'u' || *p == 'U')
            unsigneds++;
        else if ((*p == 'l' || *p == 'L') && (longs == 0 || p[-1] == *p))
            longs++;
        else
            return false;
    }
    *is_unsigned = unsigneds > 0;
    return unsigneds <= 1 && longs <= 2;
}

static struct src_value number(struct evaluation *e, const struct src_token *token)
{
    const char *p = token->text, *end = p + token->length;
    unsigned base = 10;
    struct src_value value = {0, false};

    if (token->length > 2 && *p == '0' && (p[1] == 'x' || p[1] == 'X' || p[1] == 'b' || p[1] == 'B')) {
        base = p[1] == 'x' || p[1] == 'X' ? 16 : 2;
        p += 2;
    } else if (*p == '0') {
        base = 8;
    }
    for (; p < end && (unsigned)digit_of(*p) < base; p++) {
        unsigned digit = (unsigned)digit_of(*p);
        if (value.bits > (UINT64_MAX - digit) / base)
            return complain(e, token, "%.*s does not fit into 64 bits", shown(token), token->text);
        value.bits = value.bits * base + digit;
    }
    if (!read_suffix(p, end, &value.is_unsigned))
        return complain(e, token, "%.*s is no integer, and #if knows no other numbers", shown(token),
                        token->text);
    value.is_unsigned = value.is_unsigned || value.bits > INT64_MAX;
    return value;
}

// One character of a constant, at *p, which moves on.
static unsigned character(const char **p, const char *end)
{
    unsigned value = (unsigned char)*(*p)++;

    if (value != '\\' || *p >= end)
        return value;
    value = 0;
    if (**p == 'x') {
        for ((*p)++; *p < end && digit_of(**p) < 16; (*p)++)
            value = value * 16 + (unsigned)digit_of(**p);
        return value & 0xFF;
    }
    if (digit_of(**p) < 8) {
        for (int i = 0; i < 3 && *p < end && digit_of(**p) < 8; i++, (*p)++)
            value = value * 8 + (unsigned)digit_of(**p);
        return value & 0xFF;
    }
    for (size_t i = 0; i < KI_COUNT(escapes); i++)
        if (escapes[i][0] == **p) {
            (*p)++;
            return (unsigned)escapes[i][1];
        }
    return (unsigned char)*(*p)++;
}

// As in compilers: a char is signed, and several characters fill an int.
static struct src_value character_constant(struct evaluation *e, const struct src_token *token)
{
    const char *p = token->text + (*token->text == 'L'), *end = token->text + token->length - 1;
    uint32_t value = 0;
    size_t count = 0;

    for (p++; p < end; count++)
        value = value << 8 | character(&p, end);
    if (!count)
        return complain(e, token, "this character constant is empty");
    if (count == 1 && *token->text != 'L')
        return (struct src_value){(uint64_t)(int64_t)(int8_t)value, false};
    return (struct src_value){(uint64_t)(int64_t)(int32_t)value, false};
}

// Skips a bracketed group that is not evaluated.
static struct src_value skip_group(struct evaluation *e)
{
    size_t depth = 0;

    for (; e->at < e->end; e->at++) {
        depth += ki_src_is(e->at, "(");
        if (ki_src_is(e->at, ")") && --depth == 0) {
            e->at++;
            return truth(false);
        }
    }
    return complain(e, e->at, "a \")\" is missing");
}

static struct src_value identifier(struct evaluation *e, const struct src_token *token, bool live)
{
    if (e->at < e->end && ki_src_is(e->at, "(")) {
        if (live)
            return complain(e, token, "\"%.*s\" is not a macro that takes arguments", shown(token),
                            token->text);
        return skip_group(e);
    }
    // OpenCL C has true as a keyword.
    return truth(ki_src_is_word(token, "true"));
}

static struct src_value primary(struct evaluation *e, bool live)
{
    const struct src_token *token = e->at;
    struct src_value value;

    if (token >= e->end)
        return complain(e, token, "the expression ends where a value should stand");
    e->at++;
    switch (token->kind) {
    case SRC_NUMBER:
        return number(e, token);
    case SRC_CHARACTER:
        return character_constant(e, token);
    case SRC_IDENTIFIER:
        return identifier(e, token, live);
    default:
        break;
    }
    if (!ki_src_is(token, "("))
        return complain(e, token, "\"%.*s\" stands where a value should", shown(token), token->text);
    value = conditional(e, live);
    if (!e->failed && !accept(e, ")"))
        return complain(e, e->at, "a \")\" is missing");
    return value;
}

static struct src_value unary(struct evaluation *e, bool live)
{
    static const char *const operators[] = {"!", "~", "-", "+"};
    struct src_value value;
    size_t i = 0;

    while (i < KI_COUNT(operators) && !accept(e, operators[i]))
        i++;
    if (++e->depth > DEEPEST)
        return complain(e, e->at, "brackets and operators are nested more than %d deep", DEEPEST);
    value = i < KI_COUNT(operators) ? unary(e, live) : primary(e, live);
    e->depth--;
    switch (i) {
    case 0:
        return truth(value.bits == 0);
    case 1:
        value.bits = ~value.bits;
        break;
    case 2:
        value.bits = 0 - value.bits;
        break;
    default:
        break;
    }
    return value;
}

// As in clang, a count of 64 or more (or a negative one) shifts everything out.
static uint64_t shifted(struct src_value left, struct src_value right, bool to_left)
{
    uint64_t count = right.bits > 63 ? 63 : right.bits;

    if (to_left)
        return right.bits > 63 ? 0 : left.bits << count;
    if (left.is_unsigned || !(left.bits >> 63))
        return left.bits >> count;
    return ~(~left.bits >> count);
}

static bool is_less(struct src_value left, struct src_value right)
{
    if (left.is_unsigned || right.is_unsigned)
        return left.bits < right.bits;
    return (int64_t)left.bits < (int64_t)right.bits;
}

static struct src_value divide(struct evaluation *e, const struct src_token *at, struct src_value left,
                               struct src_value right, bool live, bool remainder)
{
    bool is_unsigned = left.is_unsigned || right.is_unsigned;
    struct src_value value = {0, is_unsigned};

    if (!right.bits)
        return live ? complain(e, at, "division by zero") : value;
    if (is_unsigned)
        value.bits = remainder ? left.bits % right.bits : left.bits / right.bits;
    else if (right.bits == UINT64_MAX) // -1: the smallest number has no negation
        value.bits = remainder ? 0 : 0 - left.bits;
    else
        value.bits = (uint64_t)(remainder ? (int64_t)left.bits % (int64_t)right.bits
                                          : (int64_t)left.bits / (int64_t)right.bits);
    return value;
}

static struct src_value arithmetic(enum operation kind, struct src_value left, struct src_value right)
{
    struct src_value value = {0, left.is_unsigned || right.is_unsigned};

    value.bits = kind == PLUS      ? left.bits + right.bits
                 : kind == MINUS   ? left.bits - right.bits
                 : kind == TIMES   ? left.bits * right.bits
                 : kind == BIT_OR  ? left.bits | right.bits
                 : kind == BIT_XOR ? left.bits ^ right.bits
                                   : left.bits & right.bits;
    return value;
}

static struct src_value apply(struct evaluation *e, const struct src_token *at, enum operation kind,
                              struct src_value left, struct src_value right, bool live)
{
    switch (kind) {
    case OR:
        return truth(left.bits || right.bits);
    case AND:
        return truth(left.bits && right.bits);
    case EQUAL:
        return truth(left.bits == right.bits);
    case UNEQUAL:
        return truth(left.bits != right.bits);
    case LESS:
        return truth(is_less(left, right));
    case GREATER:
        return truth(is_less(right, left));
    case AT_MOST:
        return truth(!is_less(right, left));
    case AT_LEAST:
        return truth(!is_less(left, right));
    case LEFT:
    case RIGHT:
        return (struct src_value){shifted(left, right, kind == LEFT), left.is_unsigned};
    case DIVIDED:
    case MODULO:
        return divide(e, at, left, right, live, kind == MODULO);
    default:
        return arithmetic(kind, left, right);
    }
}

static const struct binary *binary_at(const struct evaluation *e)
{
    for (size_t i = 0; e->at < e->end && i < KI_COUNT(binaries); i++)
        if (ki_src_is(e->at, binaries[i].text))
            return &binaries[i];
    return NULL;
}

// Precedence climbing; operands after a && or || that is already decided are read, but not `live`.
static struct src_value binary(struct evaluation *e, int lowest, bool live)
{
    struct src_value left = unary(e, live), right;
    const struct binary *operation;

    while (!e->failed && (operation = binary_at(e)) && operation->precedence >= lowest) {
        const struct src_token *at = e->at++;
        bool settled = (operation->kind == OR && left.bits) || (operation->kind == AND && !left.bits);
        right = binary(e, operation->precedence + 1, live && !settled);
        if (!e->failed)
            left = apply(e, at, operation->kind, left, right, live);
    }
    return left;
}

static struct src_value conditional(struct evaluation *e, bool live)
{
    struct src_value value = binary(e, 1, live), yes, no;
    bool chosen = value.bits != 0;

    if (!accept(e, "?"))
        return value;
    if (++e->depth > DEEPEST)
        return complain(e, e->at, "\"?\" is nested more than %d deep", DEEPEST);
    yes = conditional(e, live && chosen);
    if (!e->failed && !accept(e, ":"))
        return complain(e, e->at, "a \":\" is missing after \"?\"");
    no = conditional(e, live && !chosen);
    e->depth--;
    value = chosen ? yes : no;
    value.is_unsigned = yes.is_unsigned || no.is_unsigned;
    return value;
}

bool ki_src_evaluate(const struct src_token *tokens, size_t count, struct src_value *value,
                     struct src_complaint *complaint)
{
    struct evaluation e = {.at = tokens, .end = tokens + count, .complaint = complaint};

    *value = conditional(&e, true);
    if (!e.failed && e.at < e.end)
        complain(&e, e.at, "\"%.*s\" stands where an operator should", shown(e.at), e.at->text);
    return !e.failed;
}
