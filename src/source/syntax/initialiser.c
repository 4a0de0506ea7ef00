// SPDX-License-Identifier: Apache-2.0
// Initialisers (C99 6.7.8): designators in any order and elided braces are resolved to one value for each
// part of the type. A vector takes as many components as it has from the list.
#include <string.h>

#include "base/error.h"
#include "parse.h"

// The position in a list being read.
struct cursor {
    const struct syn_init *item;
    const struct syn_designator *designators; // of the item, those not yet followed
};

static void initialise_one(struct syn_parser *parser, struct syn_slot *slot, struct cursor *cursor);

static void move_on(struct cursor *cursor)
{
    cursor->item = cursor->item->next;
    cursor->designators = cursor->item ? cursor->item->designators : NULL;
}

// The part `index` of a slot, created if necessary.
static struct syn_slot *child(struct syn_parser *parser, struct syn_slot *slot, size_t index,
                              const struct syn_type *type)
{
    if (index >= slot->capacity) {
        size_t capacity = slot->capacity ? slot->capacity : 4;
        struct syn_slot **children;
        while (capacity <= index)
            capacity *= 2;
        children = ki_arena_take(parser->arena, capacity * sizeof *children);
        if (!children) {
            if (!parser->status)
                parser->status = ki_fail_memory(parser->err, 0, "reading an initialiser");
            return ki_syn_take(parser, sizeof *slot);
        }
        if (slot->count)
            memcpy(children, slot->children, slot->count * sizeof *children);
        slot->children = children;
        slot->capacity = capacity;
    }
    if (index >= slot->count)
        slot->count = index + 1;
    if (!slot->children[index])
        slot->children[index] = ki_syn_take(parser, sizeof *slot);
    slot->children[index]->type = type;
    return slot->children[index];
}

static bool is_initialised(const struct syn_member *member)
{
    return member->name || member->is_anonymous;
}

// The member that contains `name` (perhaps inside an anonymous one) and its number among those that are
// initialised; if name is NULL, the member with that number.
static const struct syn_member *find(const struct syn_tag *tag, const struct syn_word *name, size_t *index)
{
    size_t at = 0;

    for (const struct syn_member *m = tag->members; m; m = m->next) {
        if (!is_initialised(m))
            continue;
        if (name ? m->name == name || (m->is_anonymous && ki_syn_find_member(m->type->tag, name))
                 : at == *index) {
            *index = at;
            return m;
        }
        at++;
    }
    return NULL;
}

// Follows one designator in an array or a record.
static struct syn_slot *designated(struct syn_parser *parser, struct syn_slot *slot, struct cursor *cursor,
                                   size_t *index)
{
    const struct syn_designator *designator = cursor->designators;
    const struct syn_type *type = slot->type;
    const struct syn_member *member;
    long long at;

    if (type->kind == SYN_T_ARRAY && designator->index) {
        if (!ki_syn_evaluate(designator->index, &at) || at < 0 || at >= SYN_MOST_ELEMENTS ||
            (type->count >= 0 && at >= type->count)) {
            ki_syn_fail(parser, KN_ERROR_BUILD, cursor->item->location,
                        "this designator names no element of the array");
            return NULL;
        }
        cursor->designators = designator->next;
        *index = (size_t)at;
        return child(parser, slot, *index, type->of);
    }
    if (type->kind != SYN_T_RECORD || !designator->member ||
        !(member = find(type->tag, designator->member, index))) {
        ki_syn_fail(parser, KN_ERROR_BUILD, cursor->item->location,
                    "this designator does not fit what is initialised");
        return NULL;
    }
    if (member->name == designator->member)
        cursor->designators = designator->next;
    if (type->tag->kind == SYN_TAG_UNION) {
        if (slot->member != member)
            slot->count = 0;
        if (slot->children)
            slot->children[0] = slot->count ? slot->children[0] : NULL;
        slot->member = member;
        slot->location = cursor->item->location;
        return child(parser, slot, 0, member->type);
    }
    return child(parser, slot, *index, member->type);
}

// [first ... last] = value: the value is repeated.
static void fill_range(struct syn_parser *parser, struct syn_slot *slot, struct cursor *cursor, size_t *index)
{
    const struct syn_designator *designator = cursor->designators;
    const struct syn_type *type = slot->type;
    struct cursor again = *cursor;
    long long first, last;

    if (type->kind != SYN_T_ARRAY || !ki_syn_evaluate(designator->index, &first) ||
        !ki_syn_evaluate(designator->last, &last) || first < 0 || last < first || last >= SYN_MOST_ELEMENTS ||
        (type->count >= 0 && last >= type->count)) {
        ki_syn_fail(parser, KN_ERROR_BUILD, cursor->item->location,
                    "this designator names no elements of the array");
        return;
    }
    for (long long at = first; at <= last && !parser->status; at++) {
        again = *cursor;
        again.designators = designator->next;
        initialise_one(parser, child(parser, slot, (size_t)at, type->of), &again);
    }
    *cursor = again;
    *index = (size_t)last;
}

static struct syn_slot *next_part(struct syn_parser *parser, struct syn_slot *slot, size_t index)
{
    const struct syn_type *type = slot->type;
    const struct syn_member *member;

    if (type->kind == SYN_T_ARRAY) {
        if (type->count >= 0 ? index >= (size_t)type->count : index >= SYN_MOST_ELEMENTS)
            return NULL;
        return child(parser, slot, index, type->of);
    }
    if (type->tag->kind == SYN_TAG_UNION && index)
        return NULL;
    member = find(type->tag, NULL, &index);
    if (type->tag->kind == SYN_TAG_UNION)
        slot->member = member;
    return member ? child(parser, slot, index, member->type) : NULL;
}

// The parts of an array or a record. `braced`: the list belongs to it alone; `led`: designators led here.
static void fill_parts(struct syn_parser *parser, struct syn_slot *slot, struct cursor *cursor, bool braced,
                       bool led)
{
    size_t index = 0;

    while (cursor->item && !parser->status) {
        const struct syn_init *item = cursor->item;
        struct syn_slot *part;
        if (cursor->designators) {
            if (!braced && !led)
                return;
            if (cursor->designators->last) {
                fill_range(parser, slot, cursor, &index);
                index++;
                led = false;
                continue;
            }
            part = designated(parser, slot, cursor, &index);
        } else {
            part = next_part(parser, slot, index);
        }
        if (!part) {
            if (braced && !parser->status)
                ki_syn_fail(parser, KN_ERROR_BUILD, cursor->item->location,
                            "there are more initialisers than parts");
            return;
        }
        initialise_one(parser, part, cursor);
        // An element without parts takes nothing, and neither would millions of them.
        if (cursor->item == item && slot->type->kind == SYN_T_ARRAY && !parser->status)
            ki_syn_fail(parser, KN_ERROR_BUILD, item->location, "the elements of this array have no parts");
        index++;
        led = false;
    }
}

static int lanes_of(const struct syn_expr *expr)
{
    return ki_syn_is_vector(expr->type) ? expr->type->lanes : 1;
}

static void fill_vector(struct syn_parser *parser, struct syn_slot *slot, struct cursor *cursor)
{
    int filled = 0;

    slot->count = 0;
    while (cursor->item && !cursor->designators && cursor->item->expr && filled < slot->type->lanes &&
           !parser->status) {
        child(parser, slot, slot->count, NULL)->expr = cursor->item->expr;
        filled += lanes_of(cursor->item->expr);
        move_on(cursor);
    }
    if (filled > slot->type->lanes)
        ki_syn_fail(parser, KN_ERROR_BUILD, cursor->item ? cursor->item->location : NULL,
                    "these components do not fit a %s", slot->type->spelling);
    for (; filled < slot->type->lanes; filled++)
        child(parser, slot, slot->count, NULL);
}

static bool is_character_array(const struct syn_type *type)
{
    return type->kind == SYN_T_ARRAY && type->of && type->of->kind == SYN_T_SCALAR &&
           (type->of->scalar == SYN_S_CHAR || type->of->scalar == SYN_S_UCHAR);
}

bool ki_syn_is_text(const struct syn_slot *slot)
{
    return slot->expr && slot->expr->kind == SYN_E_STRING && is_character_array(slot->type);
}

long ki_syn_string_bytes(const struct syn_expr *string)
{
    long bytes = 1;

    for (size_t i = 0; i < string->token_count; i++) {
        const struct src_token *token = string->location[i].token;
        for (size_t at = 1; at + 1 < token->length; at++, bytes++) {
            size_t digits = 0;
            if (token->text[at] != '\\')
                continue;
            at++;
            if (token->text[at] == 'x')
                at += strspn(token->text + at + 1, "0123456789abcdefABCDEF");
            else
                while (digits < 3 && token->text[at + digits] >= '0' && token->text[at + digits] <= '7')
                    digits++;
            at += digits ? digits - 1 : 0;
        }
    }
    return bytes;
}

static void complete_array(struct syn_parser *parser, struct syn_slot *slot, long count)
{
    struct syn_type *type;

    if (slot->type->kind != SYN_T_ARRAY || slot->type->count >= 0)
        return;
    type = ki_syn_take(parser, sizeof *type);
    *type = *slot->type;
    type->count = count;
    if (type->alias)
        type->alias = NULL;
    slot->type = type;
}

static void initialise_list(struct syn_parser *parser, struct syn_slot *slot, const struct syn_init *items)
{
    struct cursor cursor = {items, items ? items->designators : NULL};
    const struct syn_type *type = slot->type;

    *slot = (struct syn_slot){.type = type};
    if (!ki_syn_descend(parser))
        return;
    if (type->kind == SYN_T_VECTOR && items && items->expr && !items->next &&
        lanes_of(items->expr) == type->lanes) {
        slot->expr = items->expr;
    } else if (type->kind == SYN_T_VECTOR) {
        fill_vector(parser, slot, &cursor);
    } else if (is_character_array(type) && items && !items->next && items->expr &&
               items->expr->kind == SYN_E_STRING) {
        slot->expr = items->expr;
        complete_array(parser, slot, ki_syn_string_bytes(slot->expr));
    } else if (type->kind == SYN_T_ARRAY || type->kind == SYN_T_RECORD) {
        if (type->kind == SYN_T_RECORD && !type->tag->complete)
            ki_syn_fail(parser, KN_ERROR_BUILD, items ? items->location : NULL,
                        "this struct is not defined yet");
        else
            fill_parts(parser, slot, &cursor, true, false);
        complete_array(parser, slot, (long)slot->count);
    } else if (items && items->is_list) {
        initialise_list(parser, slot, items->items);
    } else if (items) {
        slot->expr = items->expr;
    }
    syn_ascend(parser);
}

// The part `slot` from the cursor on. A scalar for a vector, without braces around it, is the value of every
// component, as in an assignment.
static void initialise_one(struct syn_parser *parser, struct syn_slot *slot, struct cursor *cursor)
{
    const struct syn_type *type = slot->type;
    const struct syn_init *item = cursor->item;
    bool aggregate = type->kind == SYN_T_ARRAY || type->kind == SYN_T_RECORD;

    if (!ki_syn_descend(parser))
        return;
    if (cursor->designators) {
        slot->expr = NULL;
        if (aggregate)
            fill_parts(parser, slot, cursor, false, true);
        else
            ki_syn_fail(parser, KN_ERROR_BUILD, item->location,
                        "this designator names a part of what has none");
    } else if (item->is_list) {
        initialise_list(parser, slot, item->items);
        move_on(cursor);
    } else if (aggregate && !(is_character_array(type) && item->expr->kind == SYN_E_STRING) &&
               !(type->kind == SYN_T_RECORD &&
                 (!item->expr->type || item->expr->type->kind == SYN_T_RECORD))) {
        *slot = (struct syn_slot){.type = type};
        fill_parts(parser, slot, cursor, false, false);
    } else if (type->kind == SYN_T_VECTOR && ki_syn_is_vector(item->expr->type) &&
               item->expr->type->lanes != type->lanes) {
        *slot = (struct syn_slot){.type = type};
        fill_vector(parser, slot, cursor);
    } else {
        *slot = (struct syn_slot){.type = type, .expr = item->expr};
        move_on(cursor);
    }
    syn_ascend(parser);
}

struct syn_slot *ki_syn_initialise(struct syn_parser *parser, const struct syn_type **type,
                                   const struct syn_init *init)
{
    struct syn_slot *slot = ki_syn_take(parser, sizeof *slot);

    if (parser->status)
        return slot;
    slot->type = *type;
    if (init->is_list) {
        initialise_list(parser, slot, init->items);
    } else {
        slot->expr = init->expr;
        if (ki_syn_is_text(slot))
            complete_array(parser, slot, ki_syn_string_bytes(init->expr));
    }
    *type = slot->type;
    return slot;
}
