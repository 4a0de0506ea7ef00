// SPDX-License-Identifier: Apache-2.0
// Integer constant expressions, and sizes of types as every OpenCL device lays them out.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "syntax.h"

static bool number_value(const struct src_token *token, long long *value)
{
    char text[80], *end;

    if (token->length >= sizeof text)
        return false;
    memcpy(text, token->text, token->length);
    text[token->length] = '\0';
    errno = 0;
    *value = (long long)strtoull(text, &end, text[0] == '0' && (text[1] == 'b' || text[1] == 'B') ? 2 : 0);
    return !errno && strspn(end, "uUlL") == strlen(end);
}

// NOLINTBEGIN(bugprone-signed-char-misuse): in OpenCL C char is signed
static bool character_value(const struct src_token *token, long long *value)
{
    static const char letters[] = "abfnrtv\\'\"?", codes[] = "\a\b\f\n\r\t\v\\'\"?";
    const char *at = token->text + 1, *letter;

    if (*at != '\\') {
        *value = (signed char)*at;
        return at[1] == '\'';
    }
    at++;
    letter = strchr(letters, *at);
    if (*at == 'x')
        *value = (signed char)strtol(at + 1, NULL, 16);
    else if (*at >= '0' && *at <= '7')
        *value = (signed char)strtol(at, NULL, 8);
    else if (letter && *at)
        *value = codes[letter - letters];
    else
        return false;
    return true;
}
// NOLINTEND(bugprone-signed-char-misuse)

// Wraps a value to its type, as conversion to that type does.
static long long wrap(const struct syn_type *type, long long value)
{
    if (!type || type->kind != SYN_T_SCALAR)
        return value;
    switch (type->scalar) {
    case SYN_S_BOOL:
        return value != 0;
    case SYN_S_CHAR:
        return (signed char)value;
    case SYN_S_UCHAR:
        return (unsigned char)value;
    case SYN_S_SHORT:
        return (short)value;
    case SYN_S_USHORT:
        return (unsigned short)value;
    case SYN_S_INT:
        return (int)value;
    case SYN_S_UINT:
        return (unsigned)value;
    default:
        return value;
    }
}

static bool binary_value(const struct syn_expr *expr, long long a, long long b, long long *value)
{
    const struct syn_type *type =
        expr->a->type && expr->b->type ? ki_syn_common(expr->a->type, expr->b->type) : NULL;
    bool is_unsigned = type && type->scalar == SYN_S_ULONG;
    unsigned long long x, y;
    unsigned width = expr->type && ki_syn_is_integer(expr->type)
                         ? 8u * (unsigned)ki_syn_scalar_bytes(expr->type->scalar)
                         : 32;

    a = expr->op == SYN_OP2('<', '<') || expr->op == SYN_OP2('>', '>') ? a : wrap(type, a);
    b = wrap(type, b);
    x = (unsigned long long)a;
    y = (unsigned long long)b;
    switch (expr->op) {
    case SYN_OP1('+'):
        *value = (long long)(x + y);
        return true;
    case SYN_OP1('-'):
        *value = (long long)(x - y);
        return true;
    case SYN_OP1('*'):
        *value = (long long)(x * y);
        return true;
    case SYN_OP1('/'):
    case SYN_OP1('%'):
        if (!b || (b == -1 && !is_unsigned))
            return false;
        if (is_unsigned)
            *value = (long long)(expr->op == '/' ? x / y : x % y);
        else
            *value = expr->op == '/' ? a / b : a % b;
        return true;
    case SYN_OP1('&'):
        *value = a & b;
        return true;
    case SYN_OP1('|'):
        *value = a | b;
        return true;
    case SYN_OP1('^'):
        *value = a ^ b;
        return true;
    case SYN_OP2('<', '<'):
        *value = (long long)(x << (y & (width - 1)));
        return true;
    case SYN_OP2('>', '>'):
        *value = expr->type && expr->type->scalar == SYN_S_ULONG ? (long long)(x >> (y & 63))
                                                                 : a >> (y & (width - 1));
        return true;
    case SYN_OP2('=', '='):
        *value = a == b;
        return true;
    case SYN_OP2('!', '='):
        *value = a != b;
        return true;
    case SYN_OP1('<'):
        *value = is_unsigned ? x < y : a < b;
        return true;
    case SYN_OP1('>'):
        *value = is_unsigned ? x > y : a > b;
        return true;
    case SYN_OP2('<', '='):
        *value = is_unsigned ? x <= y : a <= b;
        return true;
    case SYN_OP2('>', '='):
        *value = is_unsigned ? x >= y : a >= b;
        return true;
    case SYN_OP2('&', '&'):
        *value = a && b;
        return true;
    case SYN_OP2('|', '|'):
        *value = a || b;
        return true;
    default:
        return false;
    }
}

bool ki_syn_evaluate(const struct syn_expr *expr, long long *value)
{
    long long a, b;
    size_t size, alignment;
    bool fine;

    switch (expr->kind) {
    case SYN_E_NUMBER:
        return number_value(expr->location->token, value);
    case SYN_E_CHARACTER:
        return character_value(expr->location->token, value);
    case SYN_E_NAME:
        if (!expr->symbol || !(expr->symbol->kind == SYN_SYMBOL_ENUMERATOR || expr->symbol->is_constant))
            return false;
        *value = expr->symbol->value;
        return true;
    case SYN_E_PAREN:
        return ki_syn_evaluate(expr->a, value);
    case SYN_E_PREFIX:
        if (!ki_syn_evaluate(expr->a, &a))
            return false;
        fine = expr->op == '-' || expr->op == '+' || expr->op == '~' || expr->op == '!';
        *value = expr->op == '-'   ? (long long)(0ull - (unsigned long long)a)
                 : expr->op == '~' ? ~a
                 : expr->op == '!' ? !a
                                   : a;
        break;
    case SYN_E_BINARY:
        fine =
            ki_syn_evaluate(expr->a, &a) && ki_syn_evaluate(expr->b, &b) && binary_value(expr, a, b, value);
        break;
    case SYN_E_TERNARY:
        return ki_syn_evaluate(expr->a, &a) && ki_syn_evaluate(!a        ? expr->c
                                                               : expr->b ? expr->b
                                                                         : expr->a,
                                                               value);
    case SYN_E_CAST:
        fine = ki_syn_is_integer(expr->named) && ki_syn_evaluate(expr->a, value);
        break;
    case SYN_E_SIZEOF:
    case SYN_E_SIZEOF_TYPE:
    case SYN_E_ALIGNOF_TYPE:
        fine = ki_syn_size(expr->kind == SYN_E_SIZEOF ? expr->a->type : expr->named, &size, &alignment);
        *value = fine ? (long long)(expr->kind == SYN_E_ALIGNOF_TYPE ? alignment : size) : 0;
        return fine;
    default:
        return false;
    }
    if (fine)
        *value = wrap(expr->type, *value);
    return fine;
}

static bool type_layout(const struct syn_type *type, bool as_classes, struct syn_layout *layout);

bool ki_syn_is_spelled_out(const struct syn_expr *expr)
{
    const struct syn_expr *parts[] = {expr->a, expr->b, expr->c};

    if (expr->kind == SYN_E_NAME && expr->symbol && expr->symbol->is_constant)
        return false;
    for (size_t i = 0; i < KI_COUNT(parts); i++)
        if (parts[i] && !ki_syn_is_spelled_out(parts[i]))
            return false;
    return true;
}

static size_t round_up(size_t value, size_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

static bool has_vector(const struct syn_type *type)
{
    while (type->kind == SYN_T_ARRAY)
        type = type->of;
    return type->kind == SYN_T_VECTOR || (type->kind == SYN_T_RECORD && type->tag->has_vector);
}

static size_t asked_alignment(const struct syn_attributes *attributes, size_t alignment)
{
    long long asked;

    if (attributes->aligned && ki_syn_evaluate(attributes->aligned, &asked) && asked > (long long)alignment)
        return (size_t)asked;
    return alignment;
}

// Where a bit-field begins that could begin at bit `at` (System V ABI, which gcc, clang and NVRTC follow):
// there, unless it would cross the end of its type's unit; a width of 0 closes the unit. False if that is
// unknown.
static bool lay_out_bits(const struct syn_member *member, const struct syn_layout *type, bool packed,
                         size_t *at, size_t *width)
{
    size_t unit = type->size * 8;
    long long bits;

    if (!ki_syn_evaluate(member->bits, &bits) || bits < 0 || (size_t)bits > unit ||
        member->attributes.aligned)
        return false;
    *width = (size_t)bits;
    if (bits == 0 || (!packed && *at / unit != (*at + *width - 1) / unit))
        *at = round_up(*at, unit);
    return true;
}

// as_classes: as in C++, where vectors are classes, which "packed" does not affect.
static struct syn_layout lay_out(const struct syn_tag *tag, bool as_classes)
{
    struct syn_layout layout = {0, 1, 0, true}, inner;
    size_t at = 0, width = 0; // bits

    for (const struct syn_member *m = tag->members; m; m = m->next) {
        bool packed =
            (tag->attributes.packed || m->attributes.packed) && !(as_classes && has_vector(m->type));
        at = tag->kind == SYN_TAG_UNION ? 0 : at;
        if (!type_layout(m->type, as_classes, &inner) ||
            (m->bits && !lay_out_bits(m, &inner, packed, &at, &width)))
            return (struct syn_layout){0};
        // A bit-field without a name does not affect the alignment.
        inner.alignment = packed || (m->bits && !m->name) ? 1 : inner.alignment;
        inner.alignment = asked_alignment(&m->attributes, inner.alignment);
        if (!m->bits) {
            at = round_up(at, inner.alignment * 8);
            width = inner.size * 8;
        }
        layout.offsets_hash = (layout.offsets_hash * 31 + (m->bits ? at : at / 8)) * 31 + inner.offsets_hash;
        at += width;
        layout.size = (at + 7) / 8 > layout.size ? (at + 7) / 8 : layout.size;
        layout.alignment = inner.alignment > layout.alignment ? inner.alignment : layout.alignment;
    }
    layout.alignment = asked_alignment(&tag->attributes, layout.alignment);
    layout.size = round_up(layout.size, layout.alignment);
    return layout;
}

void ki_syn_lay_out(struct syn_tag *tag)
{
    for (const struct syn_member *m = tag->members; m; m = m->next)
        tag->has_vector = tag->has_vector || has_vector(m->type);
    tag->layout = lay_out(tag, false);
    tag->class_layout = lay_out(tag, true);
}

bool ki_syn_is_packed_otherwise(const struct syn_tag *tag)
{
    const struct syn_layout *c = &tag->layout, *classes = &tag->class_layout;

    return c->known && classes->known &&
           (c->size != classes->size || c->offsets_hash != classes->offsets_hash);
}

static bool type_layout(const struct syn_type *type, bool as_classes, struct syn_layout *layout)
{
    size_t *size = &layout->size, *alignment = &layout->alignment, element;

    if (!type)
        return false;
    layout->offsets_hash = 0;
    switch (type->kind) {
    case SYN_T_SCALAR:
        *size = *alignment = (size_t)ki_syn_scalar_bytes(type->scalar);
        return true;
    case SYN_T_VECTOR:
        *size = *alignment =
            (size_t)ki_syn_scalar_bytes(type->scalar) * (size_t)(type->lanes == 3 ? 4 : type->lanes);
        return true;
    case SYN_T_POINTER:
    case SYN_T_EVENT:
        *size = *alignment = 8;
        return true;
    case SYN_T_ARRAY:
        if (type->count < 0 || !type_layout(type->of, as_classes, layout))
            return false;
        element = *size;
        if (element && (size_t)type->count > ((size_t)-1 >> 8) / element)
            return false;
        *size = element * (size_t)type->count;
        return true;
    case SYN_T_RECORD:
        *layout = as_classes ? type->tag->class_layout : type->tag->layout;
        return layout->known;
    default:
        return false;
    }
}

bool ki_syn_size(const struct syn_type *type, size_t *size, size_t *alignment)
{
    struct syn_layout layout = {0};
    bool known = type_layout(type, false, &layout);

    *size = layout.size;
    *alignment = layout.alignment;
    return known;
}
