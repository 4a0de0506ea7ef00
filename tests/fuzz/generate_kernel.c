// SPDX-License-Identifier: Apache-2.0
// The file level: constants, macros, structs, functions, and the kernel itself.
#include "generate.h"

#include <stdlib.h>
#include <string.h>

static const struct type uint_type = {G_UINT, 1};

// ---- constants and macros

static void fixed_variable(struct generator *g, const char *path, struct type type, int elements)
{
    struct variable *variable = add_variable(g, path, type, elements, new_root(g));

    if (variable)
        variable->fixed = true;
}

static void gen_constants(struct generator *g)
{
    struct type type = any_integer(g);
    int elements = 2 << chance(g, 3);
    const char *items = NULL;

    if (one_in(g, 3))
        type.lanes = any_lanes(g);
    for (int i = 0; i < elements; i++) {
        const char *item = gen_literal(g, with_lanes(type, 1)).text;
        if (type.lanes > 1)
            item = say(g, "(%s)(%s)", type_name(g, type), item);
        items = items ? say(g, "%s, %s", items, item) : item;
    }
    line(g, "__constant %s t%s[%s] = {%s};", type_name(g, type), g->tag,
         one_in(g, 2) ? "" : say(g, "%d", elements), items);
    fixed_variable(g, say(g, "t%s", g->tag), type, elements);
    if (one_in(g, 2)) {
        line(g, "enum { E%s_A = %u, E%s_B, E%s_C = E%s_B << 2 | 1 };", g->tag, chance(g, 1000), g->tag,
             g->tag, g->tag);
        fixed_variable(g, say(g, "E%s_%c", g->tag, "ABC"[chance(g, 3)]), (struct type){G_INT, 1}, 0);
    }
    if (one_in(g, 2)) {
        line(g, "#define TEXT%s(...) #__VA_ARGS__", g->tag);
        fixed_variable(g, say(g, "sizeof(TEXT%s(a, \"b\" %u))", g->tag, chance(g, 1000)),
                       (struct type){G_ULONG, 1}, 0);
    }
    line(g, "#define JOIN%s(a, b) a ## b", g->tag);
}

static struct function *new_function(struct generator *g, struct type result)
{
    struct function *function = &g->functions[g->function_count];

    *function = (struct function){.result = result, .name = say(g, "f%s_%d", g->tag, g->function_count)};
    return function;
}

// A function-like macro of unsigned values.
static void gen_macro(struct generator *g)
{
    static const char *const bodies[] = {"((a) * 3 + (b))", "((a) ^ (b) << 3)", "((a) > (b) ? (a) : (b))",
                                         "((a) - (b))",     "rotate((a), (b))", "max((a), (b)) + 1"};
    struct type type = {one_in(g, 2) ? G_UINT : G_ULONG, 1};
    struct function *function;
    const char *body = bodies[chance(g, sizeof bodies / sizeof *bodies)];

    if (g->function_count == MOST_FUNCTIONS)
        return;
    function = new_function(g, type);
    function->in_macro = true;
    function->count = 2;
    function->parameters[0] = function->parameters[1] = type;
    if (one_in(g, 3))
        line(g, "#define %s(a, ...) ((a) + JOIN%s(sizeof, )(__VA_ARGS__))", function->name, g->tag);
    else
        line(g, "#define %s(a, b) (%s%s)", function->name, body, one_in(g, 3) ? " \\\n    + 0" : "");
    if (type.scalar == G_UINT && g->out->data[g->out->length - 3] == ')' &&
        strstr(g->out->data, "sizeof, )("))
        function->result = (struct type){G_ULONG, 1};
    g->function_count++;
}

// ---- structs and unions

static void gen_union(struct generator *g, struct record *record)
{
    // All members have the same size, so that no bytes are left undefined.
    static const struct variable members[] = {{.path = "v", .type = {G_UINT, 4}},
                                              {.path = "lo", .type = {G_UCHAR, 16}},
                                              {.path = "s0", .type = {G_USHORT, 8}},
                                              {.path = "x", .type = {G_ULONG, 2}},
                                              {.path = "w", .type = {G_INT, 1}, .elements = 4},
                                              {.path = "b", .type = {G_UCHAR, 1}, .elements = 16}};
    unsigned first = chance(g, 6);

    record->is_union = true;
    record->count = 2 + (int)chance(g, 4);
    for (int i = 0; i < record->count; i++)
        record->members[i] = members[(first + (unsigned)i) % 6];
}

static void gen_record(struct generator *g)
{
    static const char *const names[] = {"x", "lo", "s1", "next", "even", "value", "n", "xy"};
    struct record *record = &g->records[g->record_count];
    bool has_typedef = one_in(g, 2);
    unsigned first = chance(g, 8);

    *record = (struct record){.is_union = false};
    if (one_in(g, 3)) {
        gen_union(g, record);
    } else {
        record->count = 1 + (int)chance(g, 6);
        for (int i = 0; i < record->count; i++)
            record->members[i] = (struct variable){.path = names[(first + (unsigned)i) % 8],
                                                   .type = any_type(g),
                                                   .elements = one_in(g, 4) ? 2 << chance(g, 2) : 0};
    }
    record->name = say(g, "%sR%s_%d",
                       has_typedef        ? ""
                       : record->is_union ? "union "
                                          : "struct ",
                       g->tag, g->record_count);
    line(g, "%s%s {", has_typedef ? "typedef " : "",
         has_typedef ? record->is_union ? "union" : "struct" : record->name);
    for (int i = 0; i < record->count; i++) {
        const struct variable *member = &record->members[i];
        if (member->elements)
            line(g, "    %s %s[%d];", type_name(g, member->type), member->path, member->elements);
        else
            line(g, "    %s %s;", type_name(g, member->type), member->path);
    }
    line(g, "}%s%s;", has_typedef ? " " : "", has_typedef ? record->name : "");
    g->record_count++;
}

// ---- functions

// Hashes the variables in scope.
static void mix_variables(struct generator *g, int first)
{
    for (int i = first; i < g->variable_count; i++) {
        begin_expression(g);
        gen_mix(g, read_variable(g, &g->variables[i]).text, g->variables[i].type);
    }
}

static const char *result_of(struct generator *g, struct type type)
{
    struct type one = with_lanes(type, 1);
    const char *hash =
        is_float(type) ? say(g, "(%s)(h & 15u)", type_name(g, one)) : say(g, "(%s)h", type_name(g, one));

    begin_expression(g);
    if (type.lanes > 1)
        hash = say(g, "(%s)(%s)", type_name(g, type), hash);
    return say(g, "(%s) %s %s", fitted(g, gen_value(g, type, 2), 9, 3).text, is_float(type) ? "+" : "^",
               hash);
}

static const char *gen_parameters(struct generator *g, struct function *function)
{
    const char *parameters = NULL;

    function->count = 1 + (int)chance(g, 4);
    for (int i = 0; i < function->count; i++) {
        struct type type = any_type(g);
        const char *name = fresh_name(g, "q");
        struct variable *variable;
        bool pointer = i > 0 && one_in(g, 4);

        function->parameters[i] = type;
        function->pointers[i] = pointer;
        parameters = say(g, "%s%s%s %s%s", parameters ? parameters : "", parameters ? ", " : "",
                         type_name(g, type), pointer ? "*" : "", name);
        variable = add_variable(g, pointer ? say(g, "*%s", name) : name, type, 0, new_root(g));
        if (variable && pointer)
            variable->path = say(g, "(*%s)", name);
        if (variable)
            variable->pointed = !pointer;
    }
    return parameters;
}

// Writes its text to `late`, with a prototype before it, or at the generator's current position.
static void gen_function(struct generator *g, struct ki_text *late)
{
    int variables = g->variable_count;
    struct ki_text *out = g->out;
    struct function *function;
    const char *head;

    if (g->function_count == MOST_FUNCTIONS)
        return;
    function = new_function(g, any_type(g));
    head = say(g, "%s%s %s(%s)", one_in(g, 4) ? "inline " : "", type_name(g, function->result),
               function->name, gen_parameters(g, function));
    if (strncmp(head, "inline", 6) == 0)
        head = say(g, "static %s", head);
    if (one_in(g, 3)) {
        line(g, "%s;", head);
        g->out = late;
    }
    line(g, "%s", head);
    line(g, "{");
    g->indent++;
    line(g, "uint h = %uu;", chance(g, 1000));
    gen_statements(g, 1 + (int)chance(g, 4));
    mix_variables(g, variables);
    line(g, "return %s;", result_of(g, function->result));
    g->indent--;
    line(g, "}");
    g->out = out;
    g->variable_count = variables;
    g->record_variable_count = 0;
    g->function_count++; // only now, so that it does not call itself
    if (one_in(g, 3))
        function->name = say(g, "JOIN%s(f%s, _%d)", g->tag, g->tag, g->function_count - 1);
}

// ---- local memory: each work-item writes its own element, and reads another's after a barrier

static void exchange(struct generator *g, const char *tile, struct type type)
{
    const char *other = say(g, one_in(g, 2) ? "(l + %u) %% 16" : "15 - (l ^ %u)", chance(g, 16));
    bool looped = one_in(g, 3);

    if (looped) {
        line(g, "for (uint turn = 0; turn < 3; turn++) {");
        g->indent++;
    }
    begin_expression(g);
    line(g, "%s[l] = %s;", tile, fitted(g, gen_value(g, type, 2), 10, 3).text);
    line(g, "barrier(CLK_LOCAL_MEM_FENCE%s);", one_in(g, 4) ? " | CLK_GLOBAL_MEM_FENCE" : "");
    gen_mix(g, say(g, "%s[%s]", tile, other), type);
    line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
    if (looped) {
        g->indent--;
        line(g, "}");
    }
}

static void count_together(struct generator *g)
{
    static const char *const ops[] = {"add", "sub", "or", "and", "xor", "min", "max"};
    const char *name = fresh_name(g, "sum"), *op = ops[chance(g, 7)];
    bool is_int = one_in(g, 2);

    line(g, "__local %s %s;", is_int ? "int" : "uint", name);
    line(g, "if (l == %u) %s = %u;", chance(g, 16), name, chance(g, 1u << 30));
    line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
    begin_expression(g);
    if (one_in(g, 4))
        line(g, "atomic_%s(&%s);", one_in(g, 2) ? "inc" : "dec", name);
    else
        line(g, "atomic_%s(&%s, (%s)%s);", op, name, is_int ? "int" : "uint",
             inside(g, gen_integer(g, 2), P_UNARY));
    line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
    gen_mix(g, name, (struct type){is_int ? G_INT : G_UINT, 1});
}

// ---- the kernel

static void begin_with_input(struct generator *g)
{
    line(g, "uint h = 0;");
    line(g, "size_t l = get_local_id(0);");
    line(g, "__global const uint *row = in + get_global_id(0) * %d;", FUZZ_COLUMNS);
    for (int i = 0; i < 4; i++) {
        struct type type = any_integer(g);
        const char *name = fresh_name(g, "n");
        struct variable *variable;
        if (i > 0)
            type.lanes = any_lanes(g);
        begin_expression(g);
        line(g, "%s %s = %s;", type_name(g, type), name,
             type.lanes == 1
                 ? say(g, "row[%u]", chance(g, FUZZ_COLUMNS))
                 : say(g, "vload%d(%d, (__global const %s *)row)", type.lanes,
                       width_of(type) * type.lanes > 256 ? 0 : i % 2, type_name(g, with_lanes(type, 1))));
        variable = add_variable(g, name, type, 0, new_root(g));
        if (variable)
            variable->pointed = true;
    }
}

static const char *kernel_head(struct generator *g, const char *name, bool *has_scratch)
{
    const char *parameters = one_in(g, 2) ? "__global const uint *in, __global uint *out"
                                          : "__global uint *restrict out, const __global uint *restrict in";

    *has_scratch = one_in(g, 3);
    if (*has_scratch)
        parameters = say(g, "%s, __local uint *scratch", parameters);
    if (one_in(g, 3)) {
        parameters = say(g, "__constant uint *given, %s", parameters);
        fixed_variable(g, "given", uint_type, 16);
    }
    if (one_in(g, 3)) {
        struct type type = any_integer(g);
        if (one_in(g, 2))
            type.lanes = any_lanes(g);
        parameters = say(g, "%s, %s by_value", parameters, type_name(g, type));
        add_variable(g, "by_value", type, 0, new_root(g));
    }
    if (one_in(g, 4)) {
        line(g, "#define KERNEL%s(name, ...) __kernel void name(__VA_ARGS__)", g->tag);
        return say(g, "KERNEL%s(%s, %s)", g->tag, name, parameters);
    }
    return say(g, "%s void %s%s(%s)", one_in(g, 2) ? "kernel" : "__kernel",
               one_in(g, 4) ? "__attribute__((reqd_work_group_size(16, 1, 1))) " : "", name, parameters);
}

static void gen_kernel(struct generator *g, const char *name)
{
    int variables = g->variable_count;
    bool has_scratch;
    struct type tile = any_type(g);
    const char *head = kernel_head(g, name, &has_scratch);

    line(g, "%s", head);
    line(g, "{");
    g->indent++;
    line(g, "__local %s tile[16];", type_name(g, tile));
    begin_with_input(g);
    g->in_kernel = true;
    for (int i = 0; i < 3; i++) {
        gen_statements(g, 1 + (int)chance(g, 4));
        if (one_in(g, 5))
            exchange(g, "tile", tile);
        if (has_scratch && one_in(g, 3))
            exchange(g, "scratch", uint_type);
        if (one_in(g, 8))
            count_together(g);
    }
    mix_variables(g, variables);
    if (one_in(g, 5)) {
        begin_expression(g);
        line(g, "atomic_%s(&out[%d], (uint)%s);", one_in(g, 2) ? "add" : "xor", FUZZ_COLUMNS - 1,
             inside(g, gen_integer(g, 2), P_UNARY));
    }
    line(g, "out[get_global_id(0) * %d] = h;", FUZZ_COLUMNS);
    g->indent--;
    line(g, "}");
}

void fuzz_kernel(uint64_t seed, int index, unsigned features, struct ki_text *out,
                 bool mixes[SCALARS][WIDTHS])
{
    struct generator *g = calloc(1, sizeof *g);
    struct ki_text late = KI_TEXT_INIT;

    if (!g)
        abort();
    *g = (struct generator){.chance = seed * UINT64_C(0xd1342543de82ef95) + 1,
                            .features = features,
                            .doubles = features & FUZZ_DOUBLES,
                            .out = out,
                            .mixes = mixes};
    g->tag = say(g, "%d", index);
    ki_text_format(out, "\n// seed %llu\n", (unsigned long long)seed);
    gen_constants(g);
    for (int count = (int)chance(g, 3); count > 0; count--)
        gen_record(g);
    for (int count = (int)chance(g, 4); count > 0; count--)
        if (one_in(g, 4))
            gen_macro(g);
        else
            gen_function(g, &late);
    gen_kernel(g, say(g, "k%d", index));
    ki_text_add(out, ki_text_string(&late));
    ki_text_free(&late);
    ki_arena_free(&g->arena);
    free(g);
}

// ---- files of several kernels

static const char *const scalar_names[SCALARS] = {"char", "uchar", "short", "ushort", "int",
                                                  "uint", "long",  "ulong", "float",  "double"};

static void add_mix(struct ki_text *out, const char *type, int lanes)
{
    static const char *const halves[][2] = {
        {"x", "y"}, {"xy", "z"}, {"lo", "hi"}, {"lo", "hi"}, {"lo", "hi"}};
    static const int below[][2] = {{1, 1}, {2, 1}, {2, 2}, {4, 4}, {8, 8}};
    int width = lanes == 2 ? 0 : lanes == 3 ? 1 : lanes == 4 ? 2 : lanes == 8 ? 3 : 4;

    ki_text_format(out, "uint mix_%s%d(uint h, %s%d v) { ", type, lanes, type, lanes);
    for (int i = 0; i < 2; i++) {
        ki_text_format(out, "h = mix_%s", type);
        if (below[width][i] > 1)
            ki_text_format(out, "%d", below[width][i]);
        ki_text_format(out, "(h, v.%s); ", halves[width][i]);
    }
    ki_text_add(out, "return h; }\n");
}

// Defines the hashes that were used, and those on which they are based.
void fuzz_prologue(struct ki_text *out, bool mixes[SCALARS][WIDTHS])
{
    ki_text_add(out, "uint mix(uint h, uint x) { return rotate((h ^ x) * 0x9e3779b1u, 13u); }\n");
    for (int s = 0; s < SCALARS; s++) {
        bool *used = mixes[s];
        const char *name = scalar_names[s];
        used[4] = used[4] || used[5], used[3] = used[3] || used[4], used[1] = used[1] || used[2] || used[3];
        used[0] = used[0] || used[1];
        if (!used[0])
            continue;
        ki_text_format(out, "uint mix_%s(uint h, %s x) { ", name, name);
        if (s == G_LONG || s == G_ULONG)
            ki_text_add(out, "return mix(mix(h, (uint)x), (uint)(x >> 32)); }\n");
        else if (s == G_FLOAT)
            ki_text_add(out, "return mix(h, as_uint(x + 0.0f)); }\n");
        else if (s == G_DOUBLE)
            ki_text_add(out, "return mix(h, (uint)(as_ulong(x + 0.0) >> 32)); }\n");
        else
            ki_text_add(out, "return mix(h, (uint)x); }\n");
        for (int w = 1; w < WIDTHS; w++)
            if (used[w])
                add_mix(out, name, fuzz_widths[w]);
    }
}

char *fuzz_file(uint64_t seed, int count, unsigned features)
{
    struct ki_text kernels = KI_TEXT_INIT, file = KI_TEXT_INIT;
    bool mixes[SCALARS][WIDTHS] = {{false}};

    for (int i = 0; i < count; i++)
        fuzz_kernel(seed + (uint64_t)i, i, features, &kernels, mixes);
    ki_text_add(&file, features & FUZZ_DOUBLES ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "");
    fuzz_prologue(&file, mixes);
    ki_text_add(&file, ki_text_string(&kernels));
    ki_text_free(&kernels);
    return ki_text_take(&file);
}
