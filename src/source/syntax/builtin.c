// SPDX-License-Identifier: Apache-2.0
// OpenCL C's own functions and constants, as far as the types of expressions depend on them.
#include <string.h>

#include "base/array.h"
#include "syntax.h"

// One letter for each rule:
//   a the arguments' vector type, or the first's   s its element   i int of as many lanes   r a comparison's
//   n int   u uint   z size_t   v void   e event_t   p what the first argument points to
//   U unsigned, as wide   h twice as wide   N float of as many lanes   S element of the first, lanes of the
//   last   F float4   I int4   W uint4   D an image's sizes
static const struct rule {
    char result;
    bool needs_item;
    const char *names; // between blanks
} rules[] = {
    {'a', false,
     " acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi "
     "erfc erf exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ldexp lgamma "
     "lgamma_r "
     "log log2 log10 log1p logb mad maxmag minmag modf nextafter pow pown powr remainder remquo rint rootn "
     "round rsqrt sin sincos sinh sinpi sqrt tan tanh tanpi tgamma trunc half_cos half_divide half_exp "
     "half_exp2 half_exp10 half_log half_log2 half_log10 half_powr half_recip half_rsqrt half_sin half_sqrt "
     "half_tan native_cos native_divide native_exp native_exp2 native_exp10 native_log native_log2 "
     "native_log10 native_powr native_recip native_rsqrt native_sin native_sqrt native_tan clamp degrees max "
     "min mix radians step smoothstep sign cross normalize fast_normalize bitselect select add_sat hadd "
     "rhadd "
     "clz ctz mad_hi mad_sat mul_hi rotate sub_sat popcount mad24 mul24 "},
    {'U', false, " abs abs_diff "},
    {'h', false, " upsample "},
    {'s', false, " dot distance length fast_distance fast_length "},
    {'i', false, " ilogb "},
    {'N', false, " nan "},
    {'r', false,
     " isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf isnan "
     "isnormal isordered isunordered signbit "},
    {'n', false, " any all printf "},
    {'S', false, " shuffle shuffle2 "},
    {'p', false,
     " atomic_add atomic_sub atomic_xchg atomic_inc atomic_dec atomic_cmpxchg atomic_min atomic_max "
     "atomic_and "
     "atomic_or atomic_xor atom_add atom_sub atom_xchg atom_inc atom_dec atom_cmpxchg atom_min atom_max "
     "atom_and atom_or atom_xor "},
    {'v', false, " prefetch "},
    {'z', true,
     " get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id "
     "get_global_offset "
     "get_enqueued_local_size get_global_linear_id get_local_linear_id "},
    {'u', true, " get_work_dim "},
    {'v', true, " barrier work_group_barrier mem_fence read_mem_fence write_mem_fence wait_group_events "},
    {'F', false, " read_imagef "},
    {'I', false, " read_imagei "},
    {'W', false, " read_imageui "},
    {'v', false, " write_imagef write_imagei write_imageui "},
    {'n', false,
     " get_image_width get_image_height get_image_depth get_image_channel_data_type "
     "get_image_channel_order "},
    {'z', false, " get_image_array_size "},
    {'D', false, " get_image_dim "},
    {'e', true, " async_work_group_copy async_work_group_strided_copy "},
};

char ki_syn_built_in_function(const char *text, size_t length, bool *needs_item)
{
    char wanted[64];

    *needs_item = false;
    if (length + 3 > sizeof wanted)
        return 0;
    wanted[0] = wanted[length + 1] = ' ';
    wanted[length + 2] = '\0';
    memcpy(wanted + 1, text, length);
    for (size_t i = 0; i < KI_COUNT(rules); i++)
        if (strstr(rules[i].names, wanted)) {
            *needs_item = rules[i].needs_item;
            return rules[i].result;
        }
    return 0;
}

const struct syn_type *ki_syn_type_in_name(const struct syn_word *word, const char *prefix, const char **rest)
{
    size_t skip = strlen(prefix), length;
    const char *name = word->name->text + skip;

    if (strncmp(word->name->text, prefix, skip) != 0)
        return NULL;
    length = strcspn(name, "_");
    if (strncmp(name, "size_t", 6) == 0 || strncmp(name, "ptrdiff_t", 9) == 0)
        length = strcspn(name + length + 1, "_") + length + 1;
    *rest = name + length;
    return ki_syn_built_in_type(name, length);
}

// vload4, vload_half, vloada_half16: the number of lanes; 0 for any other name.
static int loaded_lanes(const char *name, bool *half)
{
    static const char *const prefixes[] = {"vload_half", "vloada_half", "vload"};

    for (size_t i = 0; i < KI_COUNT(prefixes); i++) {
        size_t length = strlen(prefixes[i]);
        const char *digits = name + length;
        if (strncmp(name, prefixes[i], length) != 0)
            continue;
        *half = i < 2;
        if (!*digits)
            return i < 2 ? 1 : 0;
        if (strcmp(digits, "16") == 0)
            return 16;
        return !digits[1] && strchr("2348", *digits) ? *digits - '0' : 0;
    }
    return 0;
}

// The types of clang's __builtin_ functions.
static const struct syn_type *compiler_result(const struct syn_expr *call, const char *name)
{
    const struct syn_type *first = call->arguments ? call->arguments->type : NULL;
    int count = 0;

    if (strcmp(name, "expect") == 0)
        return ki_syn_scalar_type(SYN_S_LONG);
    if (strcmp(name, "unreachable") == 0 || strcmp(name, "assume") == 0)
        return &ki_syn_void_type;
    if (strcmp(name, "shufflevector") != 0)
        return ki_syn_scalar_type(SYN_S_INT);
    for (const struct syn_expr *a = call->arguments; a; a = a->next)
        count++;
    return ki_syn_is_vector(first) && count > 2 ? ki_syn_vector_type(first->scalar, count - 2) : NULL;
}

// The types of convert_T, as_T and vload.
static const struct syn_type *named_result(const struct syn_expr *call, const struct syn_word *word)
{
    const struct syn_type *type, *pointer;
    const char *rest;
    bool half = false;
    int lanes = loaded_lanes(word->name->text, &half);

    if (strncmp(word->name->text, "__builtin_", 10) == 0)
        return compiler_result(call, word->name->text + 10);
    type = ki_syn_type_in_name(word, "convert_", &rest);
    if (!type)
        type = ki_syn_type_in_name(word, "as_", &rest);
    if (type || !lanes)
        return type;
    if (half)
        return ki_syn_vector_type(SYN_S_FLOAT, lanes);
    pointer = call->arguments && call->arguments->next ? call->arguments->next->type : NULL;
    if (pointer && (pointer->kind == SYN_T_POINTER || pointer->kind == SYN_T_ARRAY) && pointer->of &&
        pointer->of->kind == SYN_T_SCALAR)
        return ki_syn_vector_type(pointer->of->scalar, lanes);
    return NULL;
}

static const struct syn_type *with_scalar(const struct syn_type *type, enum syn_scalar scalar)
{
    if (!type || (type->kind != SYN_T_SCALAR && type->kind != SYN_T_VECTOR))
        return NULL;
    return ki_syn_vector_type(scalar, type->kind == SYN_T_VECTOR ? type->lanes : 1);
}

static const struct syn_type *generic_result(char result, const struct syn_expr *call)
{
    static const enum syn_scalar as_unsigned[] = {SYN_S_BOOL,   SYN_S_UCHAR, SYN_S_UCHAR, SYN_S_USHORT,
                                                  SYN_S_USHORT, SYN_S_UINT,  SYN_S_UINT,  SYN_S_ULONG,
                                                  SYN_S_ULONG,  SYN_S_HALF,  SYN_S_FLOAT, SYN_S_DOUBLE};
    const struct syn_type *first = call->arguments ? call->arguments->type : NULL, *last = first;
    const struct syn_type *type = first;
    bool known = first != NULL;

    for (const struct syn_expr *a = call->arguments; a; a = a->next) {
        last = a->type;
        known = known && a->type;
        if (!ki_syn_is_vector(type) && ki_syn_is_vector(a->type))
            type = a->type;
    }
    if (!type || (!known && !ki_syn_is_vector(type)) ||
        (type->kind != SYN_T_SCALAR && type->kind != SYN_T_VECTOR))
        return NULL;
    switch (result) {
    case 'a':
        return with_scalar(type, type->scalar);
    case 's':
        return ki_syn_scalar_type(type->scalar);
    case 'i':
        return with_scalar(type, SYN_S_INT);
    case 'N':
        return with_scalar(type, SYN_S_FLOAT);
    case 'U':
        return with_scalar(type, as_unsigned[type->scalar]);
    case 'h':
        return type->scalar < SYN_S_LONG && type->scalar > SYN_S_BOOL
                   ? with_scalar(type, (enum syn_scalar)(type->scalar + 2))
                   : NULL;
    case 'S':
        return first && last ? with_scalar(last, first->scalar) : NULL;
    case 'r':
        return ki_syn_truth(type, type);
    default:
        return NULL;
    }
}

static const struct syn_type *image_dim(const struct syn_type *image)
{
    if (!image || image->kind != SYN_T_IMAGE)
        return NULL;
    return ki_syn_vector_type(SYN_S_INT, image->image == SYN_IMAGE_3D ? 4 : 2);
}

const struct syn_type *ki_syn_call_type(struct syn_parser *parser, const struct syn_expr *call)
{
    const struct syn_expr *callee = call->a;
    const struct syn_type *pointer;

    (void)parser;
    while (callee->kind == SYN_E_PAREN)
        callee = callee->a;
    if (callee->kind != SYN_E_NAME)
        return NULL;
    if (callee->symbol)
        return callee->symbol->kind == SYN_SYMBOL_FUNCTION && !callee->word->is_overloaded
                   ? callee->symbol->type->of
                   : NULL;
    switch (callee->word->result) {
    case 0:
        return named_result(call, callee->word);
    case 'n':
        return ki_syn_scalar_type(SYN_S_INT);
    case 'u':
        return ki_syn_scalar_type(SYN_S_UINT);
    case 'z':
        return &ki_syn_size_type;
    case 'v':
        return &ki_syn_void_type;
    case 'e':
        return &ki_syn_event_type;
    case 'F':
        return ki_syn_vector_type(SYN_S_FLOAT, 4);
    case 'I':
        return ki_syn_vector_type(SYN_S_INT, 4);
    case 'W':
        return ki_syn_vector_type(SYN_S_UINT, 4);
    case 'D':
        return image_dim(call->arguments ? call->arguments->type : NULL);
    case 'p':
        pointer = call->arguments ? call->arguments->type : NULL;
        return pointer && (pointer->kind == SYN_T_POINTER || pointer->kind == SYN_T_ARRAY) ? pointer->of
                                                                                           : NULL;
    default:
        return generic_result(callee->word->result, call);
    }
}

const struct syn_type *ki_syn_constant_type(const struct syn_word *word)
{
    static const struct {
        const char *prefix;
        enum syn_scalar scalar;
    } constants[] = {
        {"CLK_", SYN_S_UINT},      {"M_", SYN_S_FLOAT},       {"FLT_", SYN_S_FLOAT},
        {"DBL_", SYN_S_DOUBLE},    {"CHAR_", SYN_S_INT},      {"SCHAR_", SYN_S_INT},
        {"UCHAR_", SYN_S_INT},     {"SHRT_", SYN_S_INT},      {"USHRT_", SYN_S_INT},
        {"INT_", SYN_S_INT},       {"UINT_", SYN_S_UINT},     {"LONG_", SYN_S_LONG},
        {"ULONG_", SYN_S_ULONG},   {"INFINITY", SYN_S_FLOAT}, {"NAN", SYN_S_FLOAT},
        {"MAXFLOAT", SYN_S_FLOAT}, {"HUGE_VAL", SYN_S_FLOAT}, {"true", SYN_S_INT},
        {"false", SYN_S_INT},
    };

    for (size_t i = 0; i < KI_COUNT(constants); i++)
        if (strncmp(word->name->text, constants[i].prefix, strlen(constants[i].prefix)) == 0) {
            size_t length = word->name->length;
            if (constants[i].scalar == SYN_S_FLOAT && word->name->text[0] == 'M' && length > 2 &&
                word->name->text[length - 2] != '_' && word->name->text[1] == '_')
                return ki_syn_scalar_type(SYN_S_DOUBLE); // M_PI; M_PI_F is a float
            return ki_syn_scalar_type(constants[i].scalar);
        }
    return NULL;
}
