// SPDX-License-Identifier: Apache-2.0
// Types of the tree: making them, comparing them, and C's conversions. NULL is an unknown type.
#include "syntax.h"

const struct syn_type *ki_syn_pointer_to(struct syn_parser *parser, const struct syn_type *to)
{
    struct syn_type *type = ki_syn_take(parser, sizeof *type);

    type->kind = SYN_T_POINTER;
    type->of = to;
    return type;
}

const struct syn_type *ki_syn_qualified(struct syn_parser *parser, const struct syn_type *type,
                                        unsigned qualifiers)
{
    struct syn_type *copy;

    if (qualifiers & SYN_Q_CONSTANT)
        qualifiers |= SYN_Q_CONST;
    if (!type || (type->qualifiers & qualifiers) == qualifiers)
        return type;
    copy = ki_syn_take(parser, sizeof *copy);
    *copy = *type;
    copy->outer |= qualifiers & ~type->qualifiers;
    copy->qualifiers |= qualifiers;
    // An array's qualifiers are those of its elements.
    if (type->kind == SYN_T_ARRAY)
        copy->of = ki_syn_qualified(parser, type->of, qualifiers);
    return copy;
}

const struct syn_type *ki_syn_decayed(struct syn_parser *parser, const struct syn_type *type)
{
    if (type && type->kind == SYN_T_ARRAY)
        return ki_syn_pointer_to(parser, type->of);
    return type;
}

bool ki_syn_same_type(const struct syn_type *a, const struct syn_type *b)
{
    while (a && b && a->kind == b->kind) {
        const struct syn_parameter *p, *q;
        switch (a->kind) {
        case SYN_T_SCALAR:
            return a->scalar == b->scalar;
        case SYN_T_VECTOR:
            return a->scalar == b->scalar && a->lanes == b->lanes;
        case SYN_T_RECORD:
            return a->tag == b->tag;
        case SYN_T_IMAGE:
            return a->image == b->image && a->is_written == b->is_written;
        case SYN_T_ARRAY:
            if (a->count != b->count)
                return false;
            break;
        case SYN_T_POINTER:
            if ((a->of ? a->of->qualifiers & (SYN_Q_CONST | SYN_Q_VOLATILE) : 0) !=
                (b->of ? b->of->qualifiers & (SYN_Q_CONST | SYN_Q_VOLATILE) : 0))
                return false;
            break;
        case SYN_T_FUNCTION:
            for (p = a->parameters, q = b->parameters; p && q; p = p->next, q = q->next)
                if (!ki_syn_same_type(p->type, q->type))
                    return false;
            if (p || q)
                return false;
            break;
        default:
            return true;
        }
        a = a->of;
        b = b->of;
    }
    return false;
}

bool ki_syn_is_scalar(const struct syn_type *type)
{
    return type && (type->kind == SYN_T_SCALAR || type->kind == SYN_T_POINTER || type->kind == SYN_T_ARRAY);
}

bool ki_syn_is_vector(const struct syn_type *type)
{
    return type && type->kind == SYN_T_VECTOR;
}

bool ki_syn_is_integer(const struct syn_type *type)
{
    return type && type->kind == SYN_T_SCALAR && type->scalar <= SYN_S_ULONG;
}

int ki_syn_scalar_bytes(enum syn_scalar scalar)
{
    static const int bytes[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    return bytes[scalar];
}

const struct syn_type *ki_syn_promoted(const struct syn_type *type)
{
    if (type && type->kind == SYN_T_SCALAR && type->scalar < SYN_S_INT)
        return ki_syn_scalar_type(SYN_S_INT);
    return type;
}

const struct syn_type *ki_syn_common(const struct syn_type *a, const struct syn_type *b)
{
    if (!a || !b)
        return ki_syn_is_vector(a) ? a : ki_syn_is_vector(b) ? b : NULL;
    if (a->kind == SYN_T_VECTOR)
        return ki_syn_vector_type(a->scalar, a->lanes);
    if (b->kind == SYN_T_VECTOR)
        return ki_syn_vector_type(b->scalar, b->lanes);
    if (a->kind != SYN_T_SCALAR || b->kind != SYN_T_SCALAR)
        return NULL;
    a = ki_syn_promoted(a);
    b = ki_syn_promoted(b);
    return ki_syn_scalar_type(a->scalar > b->scalar ? a->scalar : b->scalar);
}

const struct syn_type *ki_syn_truth(const struct syn_type *a, const struct syn_type *b)
{
    static const enum syn_scalar by_bytes[] = {0, SYN_S_CHAR, SYN_S_SHORT, 0, SYN_S_INT, 0, 0, 0, SYN_S_LONG};
    const struct syn_type *vector = ki_syn_is_vector(a) ? a : b;

    if (ki_syn_is_vector(vector))
        return ki_syn_vector_type(by_bytes[ki_syn_scalar_bytes(vector->scalar)], vector->lanes);
    return a && b ? ki_syn_scalar_type(SYN_S_INT) : NULL;
}

const struct syn_member *ki_syn_find_member(const struct syn_tag *tag, const struct syn_word *name)
{
    for (const struct syn_member *member = tag->members; member; member = member->next) {
        const struct syn_member *inner;
        if (member->name == name)
            return member;
        inner = member->is_anonymous ? ki_syn_find_member(member->type->tag, name) : NULL;
        if (inner)
            return inner;
    }
    return NULL;
}
