// SPDX-License-Identifier: Apache-2.0
// Variables: which of them may be read or written at a point, and all spellings of their components.
#include "generate.h"

#include <string.h>

// Within a full expression, a variable that is written must not be named a second time.
void begin_expression(struct generator *g)
{
    memset(g->was_read, 0, sizeof g->was_read);
    memset(g->was_written, 0, sizeof g->was_written);
}

int new_root(struct generator *g)
{
    return g->root_count < MOST_ROOTS - 1 ? g->root_count++ : MOST_ROOTS - 1;
}

// Adds a variable until the end of the current block; NULL if there are too many already.
struct variable *add_variable(struct generator *g, const char *path, struct type type, int elements, int root)
{
    struct variable *variable = &g->variables[g->variable_count];

    if (g->variable_count == MOST_VARIABLES)
        return NULL;
    g->variable_count++;
    *variable = (struct variable){.path = path, .type = type, .elements = elements, .root = root};
    return variable;
}

// The path, with an index if it is an array.
static struct value named(struct generator *g, const struct variable *variable)
{
    const char *path = variable->path;

    if (variable->elements) {
        struct value index = gen_index(g, variable->elements, 1);
        path = one_in(g, 8) ? say(g, "(*(%s + (%s)))", path, index.text) : say(g, "%s[%s]", path, index.text);
    }
    return value_of(g, variable->type, P_POSTFIX, path);
}

struct value read_variable(struct generator *g, const struct variable *variable)
{
    g->was_read[variable->root] = true;
    return named(g, variable);
}

// One of the variables that `wanted` accepts; NULL if there is none.
static struct variable *choose(struct generator *g, const struct type *type,
                               bool (*wanted)(const struct generator *, const struct variable *))
{
    struct variable *chosen = NULL;
    unsigned seen = 0;

    for (int i = 0; i < g->variable_count; i++) {
        struct variable *variable = &g->variables[i];
        if ((type && !same_type(variable->type, *type)) || !wanted(g, variable))
            continue;
        if (chance(g, ++seen) == 0)
            chosen = variable;
    }
    return chosen;
}

static bool may_read(const struct generator *g, const struct variable *variable)
{
    return !g->was_written[variable->root];
}

static bool may_read_integer(const struct generator *g, const struct variable *variable)
{
    return may_read(g, variable) && !is_float(variable->type);
}

static bool may_write(const struct generator *g, const struct variable *variable)
{
    return !variable->fixed && !g->was_written[variable->root] && !g->was_read[variable->root];
}

static bool may_point(const struct generator *g, const struct variable *variable)
{
    return variable->pointed && !variable->elements && may_write(g, variable);
}

struct value read_any(struct generator *g, struct type type)
{
    const struct variable *variable = choose(g, &type, may_read);

    return variable ? read_variable(g, variable) : (struct value){.text = NULL};
}

// An integer variable, or a component of a vector of integers.
struct value read_integer(struct generator *g)
{
    const struct variable *variable = choose(g, NULL, may_read_integer);
    struct value value = {.text = NULL};

    if (!variable)
        return value;
    value = read_variable(g, variable);
    if (value.type.lanes > 1) {
        value.text = say(g, "%s.%s", value.text, swizzle(g, value.type.lanes, 1, true));
        value.type.lanes = 1;
    }
    return value;
}

// A variable that may be assigned to, marked as written. With `pointed`, one whose address may be taken.
struct variable *writable(struct generator *g, bool pointed, const struct type *type)
{
    struct variable *variable = g->pure ? NULL : choose(g, type, pointed ? may_point : may_write);

    if (variable)
        g->was_written[variable->root] = true;
    return variable;
}

// The target of an assignment: a variable, an element, components.
struct value gen_lvalue(struct generator *g)
{
    struct variable *variable = writable(g, false, NULL);
    struct value value = {.text = NULL};

    if (!variable)
        return value;
    value = named(g, variable);
    if (value.type.lanes > 1 && one_in(g, 2)) {
        int to = one_in(g, 3) ? 1 : fuzz_widths[chance(g, WIDTHS)];
        if (to > value.type.lanes)
            to = 1;
        value.text = say(g, "%s.%s", value.text, swizzle(g, value.type.lanes, to, true));
        value.type.lanes = to;
    }
    return value;
}

// ---- component selections

// lo, hi, even, odd: for 3 components only those without undefined parts.
static const char *half(struct generator *g, int from)
{
    static const char *const halves[] = {"lo", "even", "hi", "odd"};

    return halves[chance(g, from == 3 ? 2 : 4)];
}

// Selects `to` of `from` components (`to` is one of the widths); distinct ones if they will be assigned to.
const char *swizzle(struct generator *g, int from, int to, bool distinct)
{
    static const char letters[] = "xyzw", lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    int picked[16] = {0}, half_lanes = from == 3 ? 2 : from / 2;
    char text[20];
    bool lettered = from <= 4 && one_in(g, 2);

    if (half_lanes >= to && from > 1 && one_in(g, 3)) {
        const char *first = half(g, from);
        if (half_lanes == to)
            return first;
        return say(g, "%s.%s", first, swizzle(g, half_lanes, to, distinct));
    }
    if (from > 4 && to < 4 && one_in(g, 6))
        return say(g, "%s.%s", swizzle(g, from, 4, distinct), swizzle(g, 4, to, distinct));
    for (int i = 0; i < to; i++) {
        bool again = true;
        while (again) {
            picked[i] = (int)chance(g, (unsigned)from);
            again = false;
            for (int k = 0; k < i; k++)
                again = again || (distinct && picked[k] == picked[i]);
        }
    }
    text[0] = lettered ? letters[picked[0]] : one_in(g, 4) ? 'S' : 's';
    for (int i = lettered ? 1 : 0; i < to; i++)
        text[i + !lettered] = lettered       ? letters[picked[i]]
                              : one_in(g, 4) ? upper[picked[i]]
                                             : lower[picked[i]];
    text[to + !lettered] = '\0';
    return say(g, "%s", text);
}
