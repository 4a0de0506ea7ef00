// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // vasprintf
#include "generate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int width;
    bool is_signed;
} scalars[SCALARS] = {{"char", 8, true},   {"uchar", 8, false}, {"short", 16, true}, {"ushort", 16, false},
                      {"int", 32, true},   {"uint", 32, false}, {"long", 64, true},  {"ulong", 64, false},
                      {"float", 24, true}, {"double", 53, true}};

const int fuzz_widths[WIDTHS] = {1, 2, 3, 4, 8, 16};

// SplitMix64.
unsigned chance(struct generator *g, unsigned below)
{
    uint64_t z = (g->chance += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ (z >> 31)) >> 33) % below;
}

bool one_in(struct generator *g, unsigned n)
{
    return chance(g, n) == 0;
}

static void out_of_memory(void)
{
    fputs("the generator ran out of memory\n", stderr);
    exit(2);
}

// Text that lives as long as the generator.
// One of the modes of a conversion from floats.
const char *rounding(struct generator *g, const char *const *modes, unsigned count)
{
    const char *mode = modes[chance(g, count)];

    return g->features & FUZZ_FOR_OCLGRIND && (strstr(mode, "_rtp") || strstr(mode, "_rtn")) ? "" : mode;
}

const char *say(struct generator *g, const char *format, ...)
{
    va_list arguments;
    char *text = NULL, *kept;
    int length;

    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    kept = length < 0 ? NULL : ki_arena_copy(&g->arena, text, (size_t)length);
    if (!kept)
        out_of_memory();
    free(text);
    return kept;
}

// A new name inside the kernel: sometimes a keyword of C++, or a name that a rewriter may use itself.
const char *fresh_name(struct generator *g, const char *prefix)
{
    static const char *const odd[] = {"class",  "this",     "template", "new",    "delete", "operator",
                                      "using",  "typename", "friend",   "kn_me",  "item",   "namespace",
                                      "kn_out", "final",    "std",      "virtual"};
    unsigned which = chance(g, sizeof odd / sizeof *odd * 6);

    g->name_count++;
    if (which >= sizeof odd / sizeof *odd || g->odd_names >> which & 1)
        return say(g, "%s%d", prefix, g->name_count);
    g->odd_names |= 1u << which;
    return odd[which];
}

bool is_float(struct type type)
{
    return type.scalar >= G_FLOAT;
}

bool is_signed(struct type type)
{
    return scalars[type.scalar].is_signed;
}

int width_of(struct type type)
{
    return type.scalar == G_FLOAT ? 32 : type.scalar == G_DOUBLE ? 64 : scalars[type.scalar].width;
}

int whole_bits(struct type type)
{
    return is_float(type) ? 10 : scalars[type.scalar].width - scalars[type.scalar].is_signed;
}

int safe_bits(struct type type)
{
    return is_float(type) ? scalars[type.scalar].width : scalars[type.scalar].width - 2;
}

const char *type_name(struct generator *g, struct type type)
{
    return type.lanes == 1 ? scalars[type.scalar].name
                           : say(g, "%s%d", scalars[type.scalar].name, type.lanes);
}

struct type with_lanes(struct type type, int lanes)
{
    type.lanes = lanes;
    return type;
}

struct type with_scalar(struct type type, enum scalar scalar)
{
    type.scalar = scalar;
    return type;
}

enum scalar of_width(int width, bool is_signed_one)
{
    enum scalar scalar = width == 8 ? G_CHAR : width == 16 ? G_SHORT : width == 32 ? G_INT : G_LONG;

    return is_signed_one ? scalar : (enum scalar)(scalar + 1);
}

bool same_type(struct type a, struct type b)
{
    return a.scalar == b.scalar && a.lanes == b.lanes;
}

int any_lanes(struct generator *g)
{
    static const int likely[] = {2, 3, 4, 4, 8, 16};

    return likely[chance(g, sizeof likely / sizeof *likely)];
}

struct type any_integer(struct generator *g)
{
    static const enum scalar likely[] = {G_CHAR, G_UCHAR, G_SHORT, G_USHORT, G_INT,
                                         G_INT,  G_UINT,  G_UINT,  G_LONG,   G_ULONG};

    return (struct type){likely[chance(g, sizeof likely / sizeof *likely)], 1};
}

struct type any_type(struct generator *g)
{
    struct type type = any_integer(g);

    if (one_in(g, 6))
        type.scalar = g->doubles && one_in(g, 2) ? G_DOUBLE : G_FLOAT;
    if (one_in(g, 2))
        type.lanes = any_lanes(g);
    return type;
}

// A value with no bounds other than those of its type.
struct value value_of(struct generator *g, struct type type, enum precedence precedence, const char *text)
{
    (void)g;
    return (struct value){text, type, precedence, whole_bits(type), is_float(type) ? 3 : 0};
}

// The text where at least this precedence is required; sometimes with unnecessary brackets.
const char *inside(struct generator *g, struct value value, enum precedence precedence)
{
    if (value.precedence >= precedence && !(value.precedence < P_POSTFIX && one_in(g, 4)))
        return value.text;
    return say(g, "(%s)", value.text);
}

void line(struct generator *g, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        out_of_memory();
    va_end(arguments);
    for (int i = 0; i < g->indent; i++)
        ki_text_add(g->out, "    ");
    ki_text_add(g->out, text);
    ki_text_add(g->out, "\n");
    free(text);
}
