// SPDX-License-Identifier: Apache-2.0
// Statements. Each is on a separate line, or begins a block: the reduction of failing kernels relies on it.
#include "generate.h"

#include <string.h>

enum { DEEPEST = 3 };

// Adds part of a value to the work-item's hash.
void gen_mix(struct generator *g, const char *what, struct type type)
{
    int width = 0;

    while (fuzz_widths[width] != type.lanes)
        width++;
    g->mixes[type.scalar][width] = true;
    line(g, "h = mix_%s(h, %s);", type_name(g, type), what);
}

static int depth_of(struct generator *g)
{
    return 1 + (int)chance(g, 3);
}

// A value that a variable of this type may hold.
static const char *to_keep(struct generator *g, struct type type, int depth)
{
    return fitted(g, gen_value(g, type, depth), 10, 3).text;
}

static const char *implicitly(struct generator *g, struct type type, int depth)
{
    return type.lanes == 1 && !is_float(type) ? gen_integer(g, depth).text : to_keep(g, type, depth);
}

// ---- declarations

static const char *space(struct generator *g)
{
    static const char *const words[] = {"", "", "", "", "__private ", "private ", "volatile "};

    return words[chance(g, sizeof words / sizeof *words)];
}

static void declare_array(struct generator *g, struct type type)
{
    int elements = 1 << (1 + chance(g, 3)), given = 1 + (int)chance(g, (unsigned)elements);
    const char *name = fresh_name(g, "a"), *items = NULL;
    bool designated = one_in(g, 6);

    for (int i = 0; i < given; i++) {
        const char *item = implicitly(g, type, 1);
        if (designated)
            item = say(g, "[%d] = %s", elements - 1 - i, item);
        items = items ? say(g, "%s, %s", items, item) : item;
    }
    // With fewer items, the rest is 0.
    line(g, "%s %s[%s] = {%s};", type_name(g, type), name,
         given == elements && one_in(g, 2) ? "" : say(g, "%d", elements), items);
    add_variable(g, name, type, elements, new_root(g));
}

static void declare_pointer(struct generator *g)
{
    struct variable *to = writable(g, true, NULL);
    const char *name;

    if (!to || to->elements)
        return;
    name = fresh_name(g, "p");
    line(g, "%s *%s%s = &%s;", type_name(g, to->type), one_in(g, 4) ? "const " : "", name, to->path);
    add_variable(g, say(g, one_in(g, 3) ? "%s[0]" : "(*%s)", name), to->type, 0, to->root);
}

// A struct or union, initialised with all of its members or from another one.
static void declare_record(struct generator *g)
{
    int which = (int)chance(g, (unsigned)(g->record_count ? g->record_count : 1)), root = new_root(g);
    const struct record *record = &g->records[which];
    const char *name = fresh_name(g, "r"), *items = NULL;

    if (!g->record_count ||
        g->record_variable_count == (int)(sizeof g->record_variables / sizeof *g->record_variables))
        return;
    for (int i = 0; i < g->record_variable_count; i++) {
        const struct record_variable *other = &g->record_variables[i];
        if (other->record == which && !g->was_written[other->root] && one_in(g, 2))
            items = other->name;
    }
    if (!items) {
        for (int i = 0; i < (record->is_union ? 1 : record->count); i++) {
            const struct variable *member = &record->members[i];
            const char *item = member->elements ? say(g, "{%s}", implicitly(g, member->type, 1))
                                                : implicitly(g, member->type, 1);
            if (!record->is_union && one_in(g, 8))
                break;
            if (one_in(g, 5) || (items && strchr(items, '.')))
                item = say(g, ".%s = %s", member->path, item);
            items = items ? say(g, "%s, %s", items, item) : item;
        }
        items = say(g, "{%s}", items ? items : "0");
    }
    line(g, "%s %s = %s;", record->name, name, items);
    g->record_variables[g->record_variable_count++] = (struct record_variable){name, which, root};
    if (one_in(g, 3)) {
        line(g, "%s *%s_p = &%s;", record->name, name, name);
        name = say(g, "%s_p->", name);
    } else {
        name = say(g, "%s.", name);
    }
    for (int i = 0; i < record->count; i++) {
        struct variable *added = add_variable(g, say(g, "%s%s", name, record->members[i].path),
                                              record->members[i].type, record->members[i].elements, root);
        if (added)
            added->pointed = !record->is_union && !added->elements;
    }
}

void gen_declaration(struct generator *g)
{
    struct type type = any_type(g);
    struct variable *variable;
    const char *name, *before, *value;

    begin_expression(g);
    if (one_in(g, 6)) {
        declare_array(g, type);
    } else if (one_in(g, 7)) {
        declare_pointer(g);
    } else if (one_in(g, 5)) {
        declare_record(g);
    } else {
        bool is_const = one_in(g, 12);
        before = space(g);
        value = implicitly(g, type, depth_of(g));
        name = fresh_name(g, "v");
        line(g, "%s%s%s %s = %s;", before, is_const ? "const " : "", type_name(g, type), name, value);
        variable = add_variable(g, name, type, 0, new_root(g));
        if (variable) {
            variable->pointed = !is_const && *before != 'v';
            variable->fixed = is_const;
        }
    }
}

// ---- assignments

static void assign(struct generator *g)
{
    static const char *const bit_ops[] = {"&=", "|=", "^=", "<<=", ">>="}, *const ops[] = {"+=", "-=", "*="};
    struct value lvalue;
    struct type type, by;
    const char *op = "=", *value;

    begin_expression(g);
    lvalue = gen_lvalue(g);
    if (!lvalue.text)
        return;
    type = lvalue.type;
    by = type.lanes > 1 && one_in(g, 4) ? with_lanes(type, 1) : type;
    if (!is_float(type) && one_in(g, 4))
        op = bit_ops[chance(g, 5)];
    else if (!is_float(type) && !is_signed(type) && one_in(g, 3))
        op = ops[chance(g, 3)];
    if (op[0] == '=' && (type.lanes == 1 || !one_in(g, 8)))
        by = type;
    value = type.lanes == 1 ? implicitly(g, by, depth_of(g)) : to_keep(g, by, depth_of(g));
    line(g, "%s %s %s;", lvalue.text, op, value);
}

static void increment(struct generator *g)
{
    struct variable *variable;

    begin_expression(g);
    variable = writable(g, false, NULL);
    if (!variable || variable->elements || is_float(variable->type) || is_signed(variable->type))
        return;
    if (one_in(g, 2))
        line(g, "%s%s;", variable->path, one_in(g, 2) ? "++" : "--");
    else
        line(g, "%s%s;", one_in(g, 2) ? "++" : "--", variable->path);
}

static void copy_record(struct generator *g)
{
    if (g->record_variable_count < 2)
        return;
    unsigned to = chance(g, (unsigned)g->record_variable_count),
             from = chance(g, (unsigned)g->record_variable_count);
    if (to != from && g->record_variables[to].record == g->record_variables[from].record)
        line(g, "%s = %s;", g->record_variables[to].name, g->record_variables[from].name);
}

// vstoreN to an array of scalars.
static void store(struct generator *g)
{
    struct variable *array;
    int lanes = any_lanes(g);

    begin_expression(g);
    array = writable(g, false, NULL);
    if (!array || !array->elements || array->type.lanes > 1 || array->elements < lanes)
        return;
    line(g, "vstore%d(%s, 0, %s);", lanes, to_keep(g, with_lanes(array->type, lanes), 2), array->path);
}

static void mix_something(struct generator *g)
{
    struct type type = any_type(g);

    begin_expression(g);
    gen_mix(g, to_keep(g, type, depth_of(g)), type);
}

static void call_for_effect(struct generator *g)
{
    struct value value;

    begin_expression(g);
    if (!g->function_count)
        return;
    value = gen_call(g, g->functions[chance(g, (unsigned)g->function_count)].result, 2);
    if (value.text)
        line(g, "%s%s;", one_in(g, 2) ? "(void)" : "", value.text);
}

// ---- control flow

static void block(struct generator *g, const char *head, const char *tail, int count)
{
    int variables = g->variable_count, records = g->record_variable_count;

    line(g, "%s {", head);
    g->indent++, g->block_depth++;
    gen_statements(g, count);
    g->indent--, g->block_depth--;
    line(g, "}%s", tail);
    g->variable_count = variables;
    g->record_variable_count = records;
}

static const char *condition(struct generator *g, int depth)
{
    begin_expression(g);
    return gen_condition(g, depth).text;
}

static void branch(struct generator *g)
{
    bool otherwise = one_in(g, 2);

    block(g, say(g, "if (%s)", condition(g, depth_of(g))), "", 1 + (int)chance(g, 3));
    if (otherwise)
        block(g, one_in(g, 3) ? say(g, "else if (%s)", condition(g, 1)) : "else", "", 1 + (int)chance(g, 2));
}

// The head and, for do, the tail of a loop of at most `times` iterations with the counter `i`.
static void loop_parts(struct generator *g, const char *i, int times, struct type *type, const char **head,
                       const char **tail)
{
    const char *extra = one_in(g, 3) ? say(g, " && (%s)", condition(g, 1)) : "";

    *tail = "";
    switch (chance(g, 4)) {
    case 0:
        line(g, "int %s = %d;", i, times);
        *head = say(g, "while (%s-- > 0%s)", i, extra);
        break;
    case 1:
        line(g, "uint %s = 0;", i);
        type->scalar = G_UINT;
        *head = "do";
        *tail = say(g, " while (++%s < %d%s);", i, times, extra);
        break;
    case 2:
        if (one_in(g, 2))
            line(g, "%s", one_in(g, 2) ? "#pragma unroll" : "__attribute__((opencl_unroll_hint(2)))");
        type->scalar = one_in(g, 2) ? G_INT : G_ULONG;
        *head = say(g, "for (%s %s = 0; %s < %d; %s++)", type_name(g, *type), i, i, times, i);
        break;
    default:
        *head =
            say(g, "for (int %s = %d, %s_n = 1; %s >= %s_n%s; %s -= %s_n)", i, times, i, i, i, extra, i, i);
    }
}

static void loop(struct generator *g)
{
    const char *i = fresh_name(g, "i"), *head, *tail;
    struct type type = {G_INT, 1};
    bool in_loop = g->in_loop, in_switch = g->in_switch;
    int variables = g->variable_count;
    struct variable *counter;

    if (g->loop_depth == 2)
        return;
    loop_parts(g, i, 1 + (int)chance(g, 4), &type, &head, &tail);
    counter = add_variable(g, i, type, 0, new_root(g));
    if (counter)
        counter->fixed = true;
    g->loop_depth++;
    g->in_loop = true, g->in_switch = false;
    block(g, head, tail, 1 + (int)chance(g, 3));
    g->loop_depth--;
    g->in_loop = in_loop, g->in_switch = in_switch;
    g->variable_count = variables;
}

static void choice(struct generator *g)
{
    bool in_switch = g->in_switch;
    int variables = g->variable_count, records = g->record_variable_count, cases = 2 + (int)chance(g, 4);
    int first = (int)chance(g, 3) - 1;

    begin_expression(g);
    line(g, "switch ((%s) %% %d) {", masked(g, gen_integer(g, 2), 10).text, cases + 1);
    g->in_switch = true;
    for (int i = 0; i < cases; i++) {
        line(g, i == cases - 1 && one_in(g, 2) ? "default: {" : "case %d: {", first + i);
        g->indent++, g->block_depth++;
        gen_statements(g, 1 + (int)chance(g, 2));
        g->indent--, g->block_depth--;
        line(g, "}");
        g->variable_count = variables, g->record_variable_count = records;
        if (!one_in(g, 3))
            line(g, "    break;");
    }
    line(g, "}");
    g->in_switch = in_switch;
}

static void leave(struct generator *g)
{
    const char *word = g->in_switch || (g->in_loop && one_in(g, 2)) ? "break" : "continue";

    if (g->in_loop || g->in_switch)
        line(g, "if (%s) %s;", condition(g, 2),
             g->in_loop && g->in_switch && one_in(g, 2) ? "continue" : word);
}

static void scope(struct generator *g)
{
    block(g, "", "", 2);
}

void gen_statements(struct generator *g, int count)
{
    static void (*const simple[])(struct generator *) = {
        assign,        assign,          assign,          assign,          increment,   store, mix_something,
        mix_something, gen_declaration, gen_declaration, call_for_effect, copy_record, leave};
    static void (*const nested[])(struct generator *) = {branch, branch, loop, loop, choice, scope};

    for (int i = 0; i < count; i++)
        if (g->block_depth < DEEPEST && one_in(g, 4))
            nested[chance(g, sizeof nested / sizeof *nested)](g);
        else
            simple[chance(g, sizeof simple / sizeof *simple)](g);
}
