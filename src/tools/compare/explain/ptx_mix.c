// SPDX-License-Identifier: Apache-2.0
// A reader of PTX (PTX ISA, chapters 4 and 9) that recognises statements and the parts of an instruction's
// name, but not operands.
#include "ptx_mix.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text/ptx.h"

const char *const ptx_class_names[PTX_CLASSES] = {
    [PTX_GLOBAL_LOAD] = "global loads",
    [PTX_GLOBAL_STORE] = "global stores",
    [PTX_SHARED_LOAD] = "shared loads",
    [PTX_SHARED_STORE] = "shared stores",
    [PTX_LOCAL_LOAD] = "private loads",
    [PTX_LOCAL_STORE] = "private stores",
    [PTX_CONSTANT_LOAD] = "constant loads",
    [PTX_GENERIC_LOAD] = "generic loads",
    [PTX_GENERIC_STORE] = "generic stores",
    [PTX_PARAM_LOAD] = "argument loads",
    [PTX_ATOMIC] = "atomics",
    [PTX_IMAGE] = "image accesses",
    [PTX_FMA] = "fused multiply-adds",
    [PTX_FP16] = "half-precision operations",
    [PTX_FP32] = "single-precision operations",
    [PTX_FP64] = "double-precision operations",
    [PTX_SPECIAL] = "special functions",
    [PTX_INTEGER] = "integer operations",
    [PTX_CONVERSION] = "conversions",
    [PTX_BRANCH] = "branches",
    [PTX_BARRIER] = "barriers",
    [PTX_WARP] = "warp exchanges",
    [PTX_CALL] = "calls",
    [PTX_OTHER] = "others",
};

// ---- text ----

static const char *line_end(const char *at)
{
    return at + strcspn(at, "\n");
}

// Skips past the next `;` outside strings and comments; returns the end of the text if there is none.
static const char *skip_statement(const char *at)
{
    while (*at && *at != ';') {
        const char *next = ki_ptx_skip_blanks(at);

        if (next != at) {
            at = next;
        } else if (*at == '"') {
            at += 1 + strcspn(at + 1, "\"");
            at += *at == '"';
        } else {
            at++;
        }
    }
    return *at ? at + 1 : at;
}

static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

// ---- an instruction ----

enum { PARTS = 12 };

// "ld.global.nc.v4.f32", split into its parts.
struct opcode {
    const char *parts[PARTS];
    size_t lengths[PARTS];
    size_t count;
};

static const char *read_opcode(const char *at, struct opcode *opcode)
{
    opcode->count = 0;
    for (;;) {
        size_t length = ki_ptx_name_length(at);

        while (at[length] == ':' && at[length + 1] == ':') // shared::cta
            length += 2 + ki_ptx_name_length(at + length + 2);
        if (opcode->count < PARTS) {
            opcode->parts[opcode->count] = at;
            opcode->lengths[opcode->count++] = length;
        }
        at += length;
        if (*at != '.')
            return at;
        at++;
    }
}

static bool has_part(const struct opcode *opcode, const char *word)
{
    for (size_t i = 1; i < opcode->count; i++)
        if (is_word(opcode->parts[i], opcode->lengths[i], word))
            return true;
    return false;
}

// Whether one of the parts is the word, alone or followed by "::" and more.
static bool has_space(const struct opcode *opcode, const char *word)
{
    size_t length = strlen(word);

    for (size_t i = 1; i < opcode->count; i++)
        if (opcode->lengths[i] >= length && memcmp(opcode->parts[i], word, length) == 0 &&
            (opcode->lengths[i] == length || opcode->parts[i][length] == ':'))
            return true;
    return false;
}

// The width of the type in bits: 32 for f32, u32, s32, b32; its letter in *kind ('h' for bf16); 0 if it is
// not a type.
static size_t type_bits(const struct opcode *opcode, char *kind)
{
    const char *last = opcode->parts[opcode->count - 1];
    size_t length = opcode->lengths[opcode->count - 1];

    *kind = '\0';
    if (opcode->count < 2 || length < 2)
        return 0;
    if (length > 2 && last[0] == 'b' && last[1] == 'f') {
        *kind = 'h';
        return 16;
    }
    if (!strchr("fusb", last[0]) || !isdigit((unsigned char)last[1]))
        return 0;
    *kind = last[0];
    return (size_t)strtoul(last + 1, NULL, 10);
}

static enum ptx_class memory_class(const struct opcode *opcode, bool stores)
{
    static const struct {
        const char *space;
        enum ptx_class load, store;
    } spaces[] = {
        {"global", PTX_GLOBAL_LOAD, PTX_GLOBAL_STORE}, {"shared", PTX_SHARED_LOAD, PTX_SHARED_STORE},
        {"local", PTX_LOCAL_LOAD, PTX_LOCAL_STORE},    {"const", PTX_CONSTANT_LOAD, PTX_OTHER},
        {"param", PTX_PARAM_LOAD, PTX_OTHER},
    };

    for (size_t i = 0; i < KI_COUNT(spaces); i++)
        if (has_space(opcode, spaces[i].space))
            return stores ? spaces[i].store : spaces[i].load;
    return stores ? PTX_GENERIC_STORE : PTX_GENERIC_LOAD;
}

static enum ptx_class arithmetic_class(const struct opcode *opcode)
{
    char kind;
    size_t bits = type_bits(opcode, &kind);

    if (kind == 'h' || (kind == 'f' && bits == 16))
        return PTX_FP16;
    if (kind == 'f')
        return bits == 64 ? PTX_FP64 : PTX_FP32;
    return kind ? PTX_INTEGER : PTX_OTHER;
}

// Instructions whose name determines their class; those not in the table are arithmetic on their type.
static const struct {
    const char *name;
    enum ptx_class class;
} named[] = {
    {"ldu", PTX_GLOBAL_LOAD}, {"atom", PTX_ATOMIC},      {"red", PTX_ATOMIC},      {"tex", PTX_IMAGE},
    {"tld4", PTX_IMAGE},      {"suld", PTX_IMAGE},       {"sust", PTX_IMAGE},      {"sured", PTX_IMAGE},
    {"fma", PTX_FMA},         {"sin", PTX_SPECIAL},      {"cos", PTX_SPECIAL},     {"ex2", PTX_SPECIAL},
    {"lg2", PTX_SPECIAL},     {"rcp", PTX_SPECIAL},      {"sqrt", PTX_SPECIAL},    {"rsqrt", PTX_SPECIAL},
    {"tanh", PTX_SPECIAL},    {"cvt", PTX_CONVERSION},   {"cvta", PTX_CONVERSION}, {"bra", PTX_BRANCH},
    {"brx", PTX_BRANCH},      {"bar", PTX_BARRIER},      {"barrier", PTX_BARRIER}, {"membar", PTX_BARRIER},
    {"fence", PTX_BARRIER},   {"mbarrier", PTX_BARRIER}, {"shfl", PTX_WARP},       {"vote", PTX_WARP},
    {"match", PTX_WARP},      {"activemask", PTX_WARP},  {"redux", PTX_WARP},      {"elect", PTX_WARP},
    {"call", PTX_CALL},       {"mov", PTX_OTHER},        {"ret", PTX_OTHER},       {"exit", PTX_OTHER},
    {"mma", PTX_OTHER},       {"wmma", PTX_OTHER},       {"ldmatrix", PTX_OTHER},  {"stmatrix", PTX_OTHER},
    {"cp", PTX_OTHER},        {"prefetch", PTX_OTHER},   {"isspacep", PTX_OTHER},  {"nanosleep", PTX_OTHER},
};

static enum ptx_class class_of(const struct opcode *opcode)
{
    const char *name = opcode->parts[0];
    size_t length = opcode->lengths[0];
    char kind;

    if (is_word(name, length, "ld") || is_word(name, length, "st"))
        return memory_class(opcode, *name == 's');
    for (size_t i = 0; i < KI_COUNT(named); i++)
        if (is_word(name, length, named[i].name))
            return named[i].class;
    if (is_word(name, length, "mad") && type_bits(opcode, &kind) && kind == 'f')
        return PTX_FMA;
    return arithmetic_class(opcode);
}

// The number of bytes that a load or store moves, as an index: 0 for one byte, 2 for four.
static size_t width_of(const struct opcode *opcode)
{
    char kind;
    size_t bytes = type_bits(opcode, &kind) / 8, index = 0;

    bytes *= has_part(opcode, "v8") ? 8 : has_part(opcode, "v4") ? 4 : has_part(opcode, "v2") ? 2 : 1;
    while (index + 1 < PTX_WIDTHS && (size_t)1 << index < bytes)
        index++;
    return index;
}

static void count_instruction(const char *at, struct ptx_mix *mix)
{
    struct opcode opcode;
    enum ptx_class class;

    if (*at == '@')
        at = ki_ptx_skip_blanks(at + strcspn(at, " \t\n;"));
    read_opcode(at, &opcode);
    if (!opcode.lengths[0])
        return;
    class = class_of(&opcode);
    mix->total++;
    mix->counts[class]++;
    if (class == PTX_GLOBAL_LOAD)
        mix->load_widths[width_of(&opcode)]++;
    if (class == PTX_GLOBAL_STORE)
        mix->store_widths[width_of(&opcode)]++;
}

// ---- an entry ----

// Returns the position after the name in `.entry NAME`; NULL if there is none. Records the target on the way.
static const char *find_entry(const char *at, const char *kernel, struct ptx_mix *mix)
{
    static const char prefix[] = "koine_";
    size_t skip;

    for (at = ki_ptx_skip_blanks(at); *at; at = ki_ptx_skip_blanks(at)) {
        size_t length;

        if (strncmp(at, ".target", 7) == 0) {
            const char *name = ki_ptx_skip_blanks(at + 7);

            mix->target = strncmp(name, "sm_", 3) == 0 ? atoi(name + 3) : 0;
        }
        if (strncmp(at, ".entry", 6) != 0) {
            at = *at == '"' ? at + 1 + strcspn(at + 1, "\"") : at;
            at += *at != '\0';
            at += ki_ptx_name_length(at);
            continue;
        }
        at = ki_ptx_skip_blanks(at + 6);
        length = ki_ptx_name_length(at);
        skip = strncmp(at, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
        if (is_word(at, length, kernel) || (skip && is_word(at + skip, length - skip, kernel)))
            return at + length;
        at += length;
    }
    return NULL;
}

bool ptx_mix_read(const char *ptx, const char *kernel, struct ptx_mix *mix)
{
    const char *at;
    size_t depth = 1;

    memset(mix, 0, sizeof *mix);
    at = find_entry(ptx, kernel, mix);
    while (at && *at && *at != '{') { // the parameters, .maxntid and the like
        const char *next = ki_ptx_skip_blanks(at);

        at = next != at ? next : at + 1;
    }
    if (!at || !*at)
        return false;
    for (at = ki_ptx_skip_blanks(at + 1); *at; at = ki_ptx_skip_blanks(at)) {
        size_t length = ki_ptx_name_length(at);

        if (*at == '{') {
            depth++;
            at++;
        } else if (*at == '}') {
            at++;
            if (--depth == 0)
                return true;
        } else if (strncmp(at, ".loc", 4) == 0 || strncmp(at, ".file", 5) == 0) {
            at = line_end(at);
        } else if (length && at[length] == ':' && at[length + 1] != ':') {
            at += length + 1;
        } else {
            if (*at != '.')
                count_instruction(at, mix);
            at = skip_statement(at);
        }
    }
    return false;
}
