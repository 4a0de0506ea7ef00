// SPDX-License-Identifier: Apache-2.0
#include "type.h"

#include <string.h>

#include "base/array.h"
#include "source/preprocess/expression.h"

// OpenCL C's own types (1.2, 6.1). Those with `vectors` also exist with 2, 3, 4, 8 and 16 after their name.
static const struct known_type {
    const char *name;
    size_t size;
    enum src_class class;
    bool vectors;
} known_types[] = {
    {"char", 1, SRC_CLASS_DATA, true},          {"uchar", 1, SRC_CLASS_DATA, true},
    {"short", 2, SRC_CLASS_DATA, true},         {"ushort", 2, SRC_CLASS_DATA, true},
    {"int", 4, SRC_CLASS_DATA, true},           {"uint", 4, SRC_CLASS_DATA, true},
    {"long", 8, SRC_CLASS_DATA, true},          {"ulong", 8, SRC_CLASS_DATA, true},
    {"half", 2, SRC_CLASS_DATA, true},          {"float", 4, SRC_CLASS_DATA, true},
    {"double", 8, SRC_CLASS_DATA, true},        {"void", 0, SRC_CLASS_VOID, false},
    {"bool", 1, SRC_CLASS_BOOL, false},         {"_Bool", 1, SRC_CLASS_BOOL, false},
    {"size_t", 8, SRC_CLASS_SIZED, false},      {"ptrdiff_t", 8, SRC_CLASS_SIZED, false},
    {"intptr_t", 8, SRC_CLASS_SIZED, false},    {"uintptr_t", 8, SRC_CLASS_SIZED, false},
    {"sampler_t", 0, SRC_CLASS_SAMPLER, false}, {"event_t", 0, SRC_CLASS_EVENT, false},
};

static const struct qualifier {
    const char *name;
    enum src_space space;
} qualifiers[] = {
    {"__global", SRC_SPACE_GLOBAL},   {"global", SRC_SPACE_GLOBAL},    {"__constant", SRC_SPACE_CONSTANT},
    {"constant", SRC_SPACE_CONSTANT}, {"__local", SRC_SPACE_LOCAL},    {"local", SRC_SPACE_LOCAL},
    {"__private", SRC_SPACE_PRIVATE}, {"private", SRC_SPACE_PRIVATE},  {"const", SRC_SPACE_NONE},
    {"__const", SRC_SPACE_NONE},      {"volatile", SRC_SPACE_NONE},    {"__volatile", SRC_SPACE_NONE},
    {"__volatile__", SRC_SPACE_NONE}, {"restrict", SRC_SPACE_NONE},    {"__restrict", SRC_SPACE_NONE},
    {"__restrict__", SRC_SPACE_NONE}, {"__read_only", SRC_SPACE_NONE}, {"read_only", SRC_SPACE_NONE},
    {"__write_only", SRC_SPACE_NONE}, {"write_only", SRC_SPACE_NONE},  {"__read_write", SRC_SPACE_NONE},
    {"read_write", SRC_SPACE_NONE},   {"__kernel", SRC_SPACE_NONE},    {"kernel", SRC_SPACE_NONE},
    {"static", SRC_SPACE_NONE},       {"extern", SRC_SPACE_NONE},      {"inline", SRC_SPACE_NONE},
    {"__inline", SRC_SPACE_NONE},     {"__inline__", SRC_SPACE_NONE},  {"typedef", SRC_SPACE_NONE},
    {"register", SRC_SPACE_NONE},     {"auto", SRC_SPACE_NONE},        {"__extension__", SRC_SPACE_NONE},
};

static bool is_one_of(const struct src_token *token, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ki_src_is_word(token, names[i]))
            return true;
    return false;
}

static const struct qualifier *qualifier_of(const struct src_token *token)
{
    for (size_t i = 0; token->kind == SRC_IDENTIFIER && i < KI_COUNT(qualifiers); i++)
        if (ki_src_is_word(token, qualifiers[i].name))
            return &qualifiers[i];
    return NULL;
}

bool ki_src_is_qualifier(const struct src_token *token)
{
    return qualifier_of(token) != NULL;
}

bool ki_src_is_attribute(const struct src_token *token)
{
    return ki_src_is_word(token, "__attribute__") || ki_src_is_word(token, "__attribute");
}

const struct src_token *ki_src_close_of(const struct src_token *at, const struct src_token *end)
{
    const char *open = ki_src_is(at, "(") ? "(" : ki_src_is(at, "[") ? "[" : "{";
    const char *close = *open == '(' ? ")" : *open == '[' ? "]" : "}";
    size_t depth = 0;

    for (; at < end; at++) {
        if (ki_src_is(at, open))
            depth++;
        else if (ki_src_is(at, close) && --depth == 0)
            return at;
    }
    return NULL;
}

const struct src_token *ki_src_skip_group(const struct src_token *at, const struct src_token *end)
{
    const struct src_token *close = ki_src_close_of(at, end);

    return close ? close + 1 : end;
}

const struct src_token *ki_src_skip_attributes(const struct src_token *at, const struct src_token *end)
{
    while (at < end && ki_src_is_attribute(at)) {
        at++;
        if (at < end && ki_src_is(at, "("))
            at = ki_src_skip_group(at, end);
    }
    return at;
}

static size_t vector_bytes(size_t element, uint64_t width)
{
    return element * (size_t)(width == 3 ? 4 : width);
}

// "float4" and the like: the scalar's entry and the width (1 for a scalar).
static const struct known_type *known(const struct src_token *token, uint64_t *width)
{
    static const char *const widths[] = {"2", "3", "4", "8", "16"};
    static const uint64_t values[] = {2, 3, 4, 8, 16};

    for (size_t i = 0; i < KI_COUNT(known_types); i++) {
        size_t length = strlen(known_types[i].name);
        if (token->length < length || memcmp(token->text, known_types[i].name, length) != 0)
            continue;
        *width = 1;
        if (token->length == length)
            return &known_types[i];
        for (size_t k = 0; k < KI_COUNT(widths) && known_types[i].vectors; k++) {
            *width = values[k];
            if (token->length == length + strlen(widths[k]) &&
                memcmp(token->text + length, widths[k], strlen(widths[k])) == 0)
                return &known_types[i];
        }
    }
    return NULL;
}

static bool is_image(const struct src_token *token)
{
    return token->kind == SRC_IDENTIFIER && token->length > 7 && memcmp(token->text, "image", 5) == 0 &&
           token->text[5] >= '1' && token->text[5] <= '3' &&
           memcmp(token->text + token->length - 2, "_t", 2) == 0;
}

// What a single word that names a type means.
static struct src_type named_type(const struct src_token *token)
{
    struct src_type type = {.class = SRC_CLASS_DATA};
    const struct known_type *entry;
    uint64_t width = 1;

    if (token->name && token->name->type)
        return *token->name->type;
    entry = known(token, &width);
    if (entry) {
        type.class = entry->class;
        type.size = vector_bytes(entry->size, width);
        if (entry->class == SRC_CLASS_DATA)
            type.number = (kn_source_number){entry->name, (unsigned)width};
    } else if (is_image(token)) {
        type.class = SRC_CLASS_IMAGE;
        type.image = token->name->text;
    }
    return type;
}

// struct, union or enum from *at, with its attributes, tag and members.
static void read_tagged(const struct src_token **at, const struct src_token *end,
                        struct src_declaration *declaration)
{
    bool is_enum = ki_src_is_word(*at, "enum");

    declaration->last = *at;
    *at = ki_src_skip_attributes(*at + 1, end);
    if (*at < end && (*at)->kind == SRC_IDENTIFIER)
        declaration->last = (*at)++;
    *at = ki_src_skip_attributes(*at, end);
    if (*at < end && ki_src_is(*at, "{"))
        *at = ki_src_skip_group(*at, end);
    declaration->base.class = SRC_CLASS_DATA;
    declaration->base.size = is_enum ? 4 : 0;
    declaration->base.number = (kn_source_number){is_enum ? "int" : NULL, 1};
}

// unsigned, signed, long, short, ...: several words form one type.
static bool is_number_word(const struct src_token *token)
{
    static const char *const names[] = {"unsigned", "signed", "__signed__", "char",   "short",
                                        "int",      "long",   "float",      "double", "half"};
    return is_one_of(token, names, KI_COUNT(names));
}

// long long has no size and no name: OpenCL C reserves it, and compilers give it 8 or 16 bytes.
static void read_number(const struct src_token *first, const struct src_token *last, struct src_type *type)
{
    enum { INT = 5, LONG, LONG_LONG };
    static const struct {
        const char *word, *name, *unsigned_name;
        size_t size;
    } numbers[] = {
        {"char", "char", "uchar", 1},      {"short", "short", "ushort", 2},
        {"double", "double", NULL, 8},     {"half", "half", NULL, 2},
        {"float", "float", NULL, 4},       [INT] = {"int", "int", "uint", 4},
        [LONG] = {"", "long", "ulong", 8}, [LONG_LONG] = {"", NULL, NULL, 0},
    };
    size_t longs = 0, found = INT;
    bool is_unsigned = false;

    for (const struct src_token *token = first; token <= last; token++) {
        longs += ki_src_is_word(token, "long");
        is_unsigned = is_unsigned || ki_src_is_word(token, "unsigned");
        for (size_t i = 0; i < INT; i++)
            if (ki_src_is_word(token, numbers[i].word))
                found = i;
    }
    if (found == INT && longs)
        found = longs > 1 ? LONG_LONG : LONG;
    type->size = numbers[found].size;
    type->number = (kn_source_number){is_unsigned ? numbers[found].unsigned_name : numbers[found].name, 1};
}

// A size in brackets given as a number; 0 for anything else.
static size_t literal_size(const struct src_token *at, const struct src_token *end)
{
    struct src_complaint complaint;
    struct src_value value;

    for (const struct src_token *t = at; t < end; t++)
        if (t->kind != SRC_NUMBER && t->kind != SRC_PUNCTUATOR)
            return 0;
    if (at >= end || !ki_src_evaluate(at, (size_t)(end - at), &value, &complaint))
        return 0;
    return value.bits < SIZE_MAX / 4096 ? (size_t)value.bits : 0;
}

// The OpenCL C equivalent of a vector type of the program: nothing if there is no vector of that width.
static void make_vector(struct src_type *type, size_t lanes)
{
    type->number.lanes = (unsigned)lanes;
    if (lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16)
        type->number.name = NULL;
}

// ext_vector_type(N) and vector_size(BYTES) define vector types.
static void apply_attribute(const struct src_token *at, const struct src_token *end, struct src_type *type)
{
    for (; at + 2 < end; at++) {
        const struct src_token *close;
        bool is_width = ki_src_is_word(at, "ext_vector_type") || ki_src_is_word(at, "__ext_vector_type__");
        if (!is_width && !ki_src_is_word(at, "vector_size") && !ki_src_is_word(at, "__vector_size__"))
            continue;
        if (!ki_src_is(at + 1, "("))
            continue;
        close = ki_src_skip_group(at + 1, end);
        if (is_width) {
            make_vector(type, literal_size(at + 2, close - 1));
            type->size = vector_bytes(type->size, literal_size(at + 2, close - 1));
        } else {
            make_vector(type, type->size ? literal_size(at + 2, close - 1) / type->size : 0);
            type->size = literal_size(at + 2, close - 1);
        }
    }
}

void ki_src_read_specifiers(const struct src_token **at, const struct src_token *end,
                            struct src_declaration *declaration)
{
    static const char *const written[] = {"write_only", "__write_only", "read_write", "__read_write"};

    *declaration = (struct src_declaration){.is_typedef = false};
    for (; *at < end;) {
        const struct src_token *token = *at;
        const struct qualifier *qualifier = qualifier_of(token);
        enum src_space space = declaration->base.space;
        bool is_const = declaration->base.is_const, is_written = declaration->base.is_written;
        if (qualifier) {
            declaration->base.space = qualifier->space ? qualifier->space : space;
            declaration->base.is_const =
                is_const || ki_src_is_word(token, "const") || ki_src_is_word(token, "__const");
            declaration->base.is_written = is_written || is_one_of(token, written, KI_COUNT(written));
            declaration->is_typedef = declaration->is_typedef || ki_src_is_word(token, "typedef");
            ++*at;
        } else if (ki_src_is_attribute(token)) {
            *at = ki_src_skip_attributes(token, end);
            apply_attribute(token, *at, &declaration->base);
        } else if (token->kind == SRC_PRAGMA) {
            ++*at;
        } else if (token->kind != SRC_IDENTIFIER) {
            return;
        } else if (is_number_word(token) && (!declaration->first || is_number_word(declaration->first))) {
            declaration->first = declaration->first ? declaration->first : token;
            declaration->last = token;
            read_number(declaration->first, token, &declaration->base);
            ++*at;
        } else if (declaration->first) {
            return; // the name
        } else if (ki_src_is_word(token, "struct") || ki_src_is_word(token, "union") ||
                   ki_src_is_word(token, "enum")) {
            declaration->first = token;
            read_tagged(at, end, declaration);
        } else {
            declaration->first = declaration->last = token;
            declaration->base = named_type(token);
            declaration->base.is_written = declaration->base.is_written || is_written;
            // A typedef of a pointer has its own qualifiers; a const before it then applies to the pointer.
            if (!declaration->base.pointers || declaration->base.is_array) {
                declaration->base.space = space ? space : declaration->base.space;
                declaration->base.is_const = declaration->base.is_const || is_const;
            }
            ++*at;
        }
    }
}

// (*name)[4] and (*name)(int): what is in the brackets. False if it is not a declarator.
static bool read_nested(const struct src_token **at, const struct src_token *end, struct src_type *type,
                        const struct src_token **name)
{
    const struct src_token *close = ki_src_skip_group(*at, end), *token = *at + 1;

    for (; token < close - 1; token++) {
        if (ki_src_is(token, "*"))
            type->pointers++;
        else if (token->kind == SRC_IDENTIFIER && !ki_src_is_qualifier(token))
            *name = token;
    }
    *at = close;
    return *name != NULL;
}

// A pointer to, or an array of, the type so far.
static void point_to(struct src_type *type)
{
    if (type->is_array) {
        type->pointers--;
        type->size *= type->array_length;
        type->is_array = false;
    }
    type->pointers++;
}

void ki_src_read_declarator(const struct src_token **at, const struct src_token *end,
                            const struct src_declaration *from, struct src_type *type,
                            const struct src_token **name)
{
    bool nested = false;
    size_t dimensions = 0;

    *type = from->base;
    *name = NULL;
    for (; *at < end && (ki_src_is(*at, "*") || ki_src_is_qualifier(*at) || ki_src_is_attribute(*at));) {
        if (ki_src_is(*at, "*"))
            point_to(type);
        *at = ki_src_is_attribute(*at) ? ki_src_skip_attributes(*at, end) : *at + 1;
    }
    if (*at < end && ki_src_is(*at, "(")) {
        nested = read_nested(at, end, type, name);
    } else if (*at < end && (*at)->kind == SRC_IDENTIFIER) {
        *name = (*at)++;
    }
    for (; *at < end; dimensions++) {
        const struct src_token *open = *at;
        *at = ki_src_skip_attributes(open, end);
        apply_attribute(open, *at, type);
        if (*at >= end || !ki_src_is(*at, "["))
            break;
        open = *at;
        *at = ki_src_skip_group(open, end);
        // Of the dimensions of an array parameter, the first is the pointer.
        if (dimensions > 0 || nested) {
            type->size *= literal_size(open + 1, *at - 1);
        } else {
            point_to(type);
            type->is_array = true;
            type->array_length = literal_size(open + 1, *at - 1);
        }
    }
    if (*at < end && ki_src_is(*at, "(")) {
        type->is_function = true;
        *at = ki_src_skip_group(*at, end);
    }
    *at = ki_src_skip_attributes(*at, end);
}
