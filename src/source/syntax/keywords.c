// SPDX-License-Identifier: Apache-2.0
// What a spelling means by itself: keywords, built-in types, words of C++, and what CUDA lacks.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "syntax.h"

static const struct keyword {
    const char *text;
    enum syn_keyword keyword;
} keywords[] = {
    {"typedef", SYN_TYPEDEF},
    {"extern", SYN_EXTERN},
    {"static", SYN_STATIC},
    {"inline", SYN_INLINE},
    {"__inline", SYN_INLINE},
    {"__inline__", SYN_INLINE},
    {"register", SYN_REGISTER},
    {"auto", SYN_AUTO},
    {"kernel", SYN_KERNEL},
    {"__kernel", SYN_KERNEL},
    {"const", SYN_CONST},
    {"__const", SYN_CONST},
    {"volatile", SYN_VOLATILE},
    {"__volatile", SYN_VOLATILE},
    {"__volatile__", SYN_VOLATILE},
    {"restrict", SYN_RESTRICT},
    {"__restrict", SYN_RESTRICT},
    {"__restrict__", SYN_RESTRICT},
    {"global", SYN_GLOBAL},
    {"__global", SYN_GLOBAL},
    {"local", SYN_LOCAL},
    {"__local", SYN_LOCAL},
    {"constant", SYN_CONSTANT},
    {"__constant", SYN_CONSTANT},
    {"private", SYN_PRIVATE},
    {"__private", SYN_PRIVATE},
    {"read_only", SYN_ACCESS},
    {"__read_only", SYN_ACCESS},
    {"write_only", SYN_ACCESS},
    {"__write_only", SYN_ACCESS},
    {"read_write", SYN_ACCESS},
    {"__read_write", SYN_ACCESS},
    {"struct", SYN_STRUCT},
    {"union", SYN_UNION},
    {"enum", SYN_ENUM},
    {"__attribute__", SYN_ATTRIBUTE},
    {"__attribute", SYN_ATTRIBUTE},
    {"__extension__", SYN_EXTENSION},
    {"void", SYN_VOID},
    {"bool", SYN_BOOL},
    {"_Bool", SYN_BOOL},
    {"char", SYN_CHAR},
    {"short", SYN_SHORT},
    {"int", SYN_INT},
    {"long", SYN_LONG},
    {"float", SYN_FLOAT},
    {"double", SYN_DOUBLE},
    {"signed", SYN_SIGNED},
    {"__signed__", SYN_SIGNED},
    {"unsigned", SYN_UNSIGNED},
    {"if", SYN_IF},
    {"else", SYN_ELSE},
    {"while", SYN_WHILE},
    {"do", SYN_DO},
    {"for", SYN_FOR},
    {"switch", SYN_SWITCH},
    {"case", SYN_CASE},
    {"default", SYN_DEFAULT},
    {"break", SYN_BREAK},
    {"continue", SYN_CONTINUE},
    {"return", SYN_RETURN},
    {"goto", SYN_GOTO},
    {"asm", SYN_ASM},
    {"__asm__", SYN_ASM},
    {"__asm", SYN_ASM},
    {"sizeof", SYN_SIZEOF},
    {"__alignof__", SYN_ALIGNOF},
    {"__alignof", SYN_ALIGNOF},
    {"vec_step", SYN_VEC_STEP},
    {"__typeof__", SYN_TYPEOF},
    {"typeof", SYN_TYPEOF},
    {"__typeof", SYN_TYPEOF},
    {"__auto_type", SYN_AUTO_TYPE},
    {"_Alignas", SYN_ALIGNAS},
    {"_Alignof", SYN_ALIGNOF},
    {"_Generic", SYN_GENERIC},
    {"_Noreturn", SYN_EXTERN},
    {"_Static_assert", SYN_STATIC_ASSERT},
    {"__builtin_astype", SYN_BUILTIN_AS},
    {"__builtin_convertvector", SYN_BUILTIN_CONVERT},
};

static const struct refusal {
    const char *text; // a whole word, or, ending in '*', its beginning
    const char *why;
} refusals[] = {
    {"image2d_depth_t", "depth images"},
    {"image2d_array_depth_t", "depth images"},
    {"image2d_msaa_*", "multi-sample images"},
    {"image2d_array_msaa_*", "multi-sample images"},
    {"get_image_num_samples", "multi-sample images"},
    {"get_image_num_mip_levels", "mip-mapped images"},
    {"read_imageh", "reading half"},
    {"write_imageh", "writing half"},
    {"pipe", "pipes"},
    {"read_pipe", "pipes"},
    {"write_pipe", "pipes"},
    {"reserve_id_t", "pipes"},
    {"enqueue_kernel", "device-side enqueue"},
    {"enqueue_marker", "device-side enqueue"},
    {"get_default_queue", "device-side enqueue"},
    {"queue_t", "device-side enqueue"},
    {"ndrange_t", "device-side enqueue"},
    {"clk_event_t", "device-side enqueue"},
};

// Words of C++17 that C does not reserve; those of C++20 too, because a host compiler may warn about them.
static const char *const foreign[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "bitand",
    "bitor",
    "catch",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "decltype",
    "delete",
    "dynamic_cast",
    "explicit",
    "export",
    "friend",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "static_assert",
    "static_cast",
    "template",
    "this",
    "thread_local",
    "throw",
    "try",
    "typeid",
    "typename",
    "using",
    "virtual",
    "wchar_t",
    "xor",
    "xor_eq",
    "main",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "private",
    "std",
};

#define SCALAR(kind_, spelling_)                                                                             \
    {                                                                                                        \
        .kind = SYN_T_SCALAR, .scalar = kind_, .spelling = spelling_                                         \
    }
static const struct syn_type scalars[] = {
    SCALAR(SYN_S_BOOL, "bool"),
    SCALAR(SYN_S_CHAR, "char"),
    SCALAR(SYN_S_UCHAR, "unsigned char"),
    SCALAR(SYN_S_SHORT, "short"),
    SCALAR(SYN_S_USHORT, "unsigned short"),
    SCALAR(SYN_S_INT, "int"),
    SCALAR(SYN_S_UINT, "unsigned int"),
    SCALAR(SYN_S_LONG, "long"),
    SCALAR(SYN_S_ULONG, "unsigned long"),
    SCALAR(SYN_S_HALF, "half"),
    SCALAR(SYN_S_FLOAT, "float"),
    SCALAR(SYN_S_DOUBLE, "double"),
};
static const struct syn_type named_scalars[] = {
    SCALAR(SYN_S_UCHAR, "uchar"),     SCALAR(SYN_S_USHORT, "ushort"),
    SCALAR(SYN_S_UINT, "uint"),       SCALAR(SYN_S_ULONG, "ulong"),
    SCALAR(SYN_S_HALF, "half"),       SCALAR(SYN_S_ULONG, "size_t"),
    SCALAR(SYN_S_LONG, "ptrdiff_t"),  SCALAR(SYN_S_LONG, "intptr_t"),
    SCALAR(SYN_S_ULONG, "uintptr_t"), SCALAR(SYN_S_UINT, "cl_mem_fence_flags"),
};

const struct syn_type ki_syn_void_type = {.kind = SYN_T_VOID, .spelling = "void"};
const struct syn_type ki_syn_size_type = SCALAR(SYN_S_ULONG, "size_t");
const struct syn_type ki_syn_event_type = {.kind = SYN_T_EVENT, .spelling = "event_t"};

#define VECTOR(scalar_, name, n)                                                                             \
    {                                                                                                        \
        .kind = SYN_T_VECTOR, .scalar = scalar_, .lanes = n, .spelling = name #n                             \
    }
#define VECTORS(scalar_, name)                                                                               \
    {                                                                                                        \
        VECTOR(scalar_, name, 2), VECTOR(scalar_, name, 3), VECTOR(scalar_, name, 4),                        \
            VECTOR(scalar_, name, 8), VECTOR(scalar_, name, 16)                                              \
    }
static const struct syn_type vectors[][5] = {
    [SYN_S_CHAR] = VECTORS(SYN_S_CHAR, "char"),       [SYN_S_UCHAR] = VECTORS(SYN_S_UCHAR, "uchar"),
    [SYN_S_SHORT] = VECTORS(SYN_S_SHORT, "short"),    [SYN_S_USHORT] = VECTORS(SYN_S_USHORT, "ushort"),
    [SYN_S_INT] = VECTORS(SYN_S_INT, "int"),          [SYN_S_UINT] = VECTORS(SYN_S_UINT, "uint"),
    [SYN_S_LONG] = VECTORS(SYN_S_LONG, "long"),       [SYN_S_ULONG] = VECTORS(SYN_S_ULONG, "ulong"),
    [SYN_S_HALF] = VECTORS(SYN_S_HALF, "half"),       [SYN_S_FLOAT] = VECTORS(SYN_S_FLOAT, "float"),
    [SYN_S_DOUBLE] = VECTORS(SYN_S_DOUBLE, "double"),
};

const struct syn_type *ki_syn_scalar_type(enum syn_scalar scalar)
{
    return &scalars[scalar];
}

const struct syn_type *ki_syn_vector_type(enum syn_scalar scalar, int lanes)
{
    for (size_t i = 0; i < 5; i++)
        if (vectors[scalar][i].lanes == lanes)
            return &vectors[scalar][i];
    return lanes == 1 ? &scalars[scalar] : NULL;
}

static bool equals(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

// Scalars of one word, and vectors.
const struct syn_type *ki_syn_built_in_type(const char *text, size_t length)
{
    size_t digits = length;

    for (size_t i = 0; i < KI_COUNT(named_scalars); i++)
        if (equals(text, length, named_scalars[i].spelling))
            return &named_scalars[i];
    for (size_t i = 1; i < KI_COUNT(scalars); i++)
        if (equals(text, length, scalars[i].spelling))
            return &scalars[i];
    if (equals(text, length, "event_t"))
        return &ki_syn_event_type;
    while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9')
        digits--;
    if (digits == length)
        return NULL;
    for (size_t i = 1; i < KI_COUNT(vectors); i++)
        for (size_t k = 0; k < 5; k++)
            if (equals(text, length, vectors[i][k].spelling))
                return &vectors[i][k];
    return NULL;
}

static const char *refusal(const struct src_name *name)
{
    for (size_t i = 0; i < KI_COUNT(refusals); i++) {
        const char *text = refusals[i].text, *star = strchr(text, '*');
        if (star ? strncmp(name->text, text, (size_t)(star - text)) == 0
                 : equals(name->text, name->length, text))
            return refusals[i].why;
    }
    return NULL;
}

static void classify(struct syn_word *word)
{
    const struct src_name *name = word->name;

    word->symbol_level = word->tag_level = -1;
    for (size_t i = 0; i < KI_COUNT(keywords); i++)
        if (equals(name->text, name->length, keywords[i].text)) {
            word->keyword = keywords[i].keyword;
            word->reserved =
                word->keyword == SYN_PRIVATE || word->keyword == SYN_ACCESS || word->keyword == SYN_ASM;
            return;
        }
    word->why = refusal(name);
    if (word->why)
        word->keyword = SYN_REFUSED;
    word->built_in = ki_syn_built_in_type(name->text, name->length);
    if (!word->built_in)
        word->built_in = ki_syn_opaque_type(name->text, name->length);
    word->result = ki_syn_built_in_function(name->text, name->length, &word->needs_item);
    word->reserved = strncmp(name->text, "kn_", 3) == 0 || strncmp(name->text, "KN_", 3) == 0 ||
                     strncmp(name->text, "koine_", 6) == 0 || strchr(name->text, '$');
    for (const char *c = name->text; *c; c++) // not ASCII: ki_print_word spells it out
        word->reserved = word->reserved || (unsigned char)*c >= 0x80;
    for (size_t i = 0; i < KI_COUNT(foreign) && !word->reserved; i++)
        word->reserved = equals(name->text, name->length, foreign[i]);
}

static bool is_opaque(const struct syn_type *type)
{
    return type && (type->kind == SYN_T_IMAGE || type->kind == SYN_T_SAMPLER);
}

// Doubles the table of words.
static bool widen(struct syn_parser *parser)
{
    size_t capacity = parser->word_capacity ? parser->word_capacity * 2 : 1024;
    struct syn_word **words = calloc(capacity, sizeof *words);

    if (!words)
        return false;
    for (size_t i = 0; i < parser->word_capacity; i++) {
        struct syn_word *word = parser->words[i];
        size_t at = word ? word->name->hash & (capacity - 1) : 0;
        while (word && words[at])
            at = (at + 1) & (capacity - 1);
        if (word)
            words[at] = word;
    }
    free(parser->words);
    parser->words = words;
    parser->word_capacity = capacity;
    return true;
}

// NULL if memory ran out.
struct syn_word *ki_syn_word(struct syn_parser *parser, const struct src_name *name)
{
    size_t at;

    if (parser->word_count * 2 >= parser->word_capacity && !widen(parser)) {
        parser->status = ki_fail_memory(parser->err, 0, "reading a kernel for CUDA");
        return NULL;
    }
    for (at = name->hash & (parser->word_capacity - 1); parser->words[at];
         at = (at + 1) & (parser->word_capacity - 1))
        if (parser->words[at]->name == name)
            return parser->words[at];
    parser->words[at] = ki_arena_take(parser->arena, sizeof **parser->words);
    if (!parser->words[at]) {
        parser->status = ki_fail_memory(parser->err, 0, "reading a kernel for CUDA");
        return NULL;
    }
    parser->word_count++;
    parser->words[at]->name = name;
    classify(parser->words[at]);
    parser->uses_images = parser->uses_images || is_opaque(parser->words[at]->built_in);
    return parser->words[at];
}
