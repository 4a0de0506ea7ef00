// SPDX-License-Identifier: Apache-2.0
// Places a kernel's own __local variables on CUDA. Static shared memory holds 48 KiB on every device; what a
// device has beyond that is available only as a launch's dynamic shared memory, the arena of the __local
// arguments. A kernel with more than 48 KiB of variables has all of them in the arena, before the arguments,
// at offsets chosen here.
#include "base/array.h"
#include "source/syntax/syntax.h"

enum {
    STATIC_BYTES = 49152,
    LEAST_ALIGNMENT = 16 // of the arena itself
};

static size_t round_up(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

// The largest alignment that the attribute or the type asks for.
static size_t alignment_of(const struct syn_declarator *declarator, size_t alignment)
{
    long long asked = 0;

    if (declarator->attributes.aligned && ki_syn_evaluate(declarator->attributes.aligned, &asked) &&
        asked > 0 && (size_t)asked > alignment)
        alignment = (size_t)asked;
    return alignment < LEAST_ALIGNMENT ? LEAST_ALIGNMENT : alignment;
}

// Offsets of a function's variables from its first one on. Variables of unknown size are left to the
// compiler.
static void lay_out_locals(struct syn_function *function)
{
    size_t at = 0, size, alignment;

    for (struct syn_declarator *d = function->locals; d; d = d->next) {
        d->symbol->is_placed = ki_syn_size(d->type, &size, &alignment);
        if (!d->symbol->is_placed)
            continue;
        at = round_up(at, alignment_of(d, alignment));
        d->symbol->arena_offset = at;
        at += size;
    }
    function->local_bytes = round_up(at, LEAST_ALIGNMENT);
}

// Visits the functions that `function` reaches, including itself, once each: `visited` is the walk's number.
// number.
static void walk(struct syn_function *function, int number, void (*visit)(struct syn_function *, size_t *),
                 size_t *state)
{
    if (function->visited == number)
        return;
    function->visited = number;
    visit(function, state);
    for (const struct syn_call *call = function->calls; call; call = call->next)
        if (call->callee)
            walk(call->callee, number, visit, state);
}

static void add_bytes(struct syn_function *function, size_t *total)
{
    *total += function->local_bytes;
}

static void move(struct syn_function *function, size_t *unused)
{
    (void)unused;
    function->in_arena = function->local_bytes > 0;
}

static void find_end(struct syn_function *function, size_t *end)
{
    if (function->in_arena && function->arena_base + function->local_bytes > *end)
        *end = function->arena_base + function->local_bytes;
}

// The number of the next walk; these follow those of finds_recursion.
static int next_walk(struct syn_parser *parser)
{
    return ++parser->walks + 2;
}

static void choose_moved(struct syn_parser *parser)
{
    for (const struct syn_item *item = parser->items; item; item = item->next) {
        size_t total = 0;

        if (!item->definition || !item->definition->is_kernel)
            continue;
        walk(item->definition, next_walk(parser), add_bytes, &total);
        if (total > STATIC_BYTES)
            walk(item->definition, next_walk(parser), move, NULL);
    }
}

// Functions that are called by others are placed one after the other, because two may be active in one
// launch; a kernel that is not called comes after those that it reaches.
static void place_functions(struct syn_parser *parser)
{
    size_t at = 0;

    for (const struct syn_item *item = parser->items; item; item = item->next)
        for (const struct syn_call *call = item->definition ? item->definition->calls : NULL; call;
             call = call->next)
            if (call->callee)
                call->callee->is_called = true;
    for (const struct syn_item *item = parser->items; item; item = item->next) {
        struct syn_function *function = item->definition;

        if (!function || !function->in_arena || !function->is_called)
            continue;
        function->arena_base = at;
        at += function->local_bytes;
    }
    for (const struct syn_item *item = parser->items; item; item = item->next) {
        struct syn_function *function = item->definition;
        size_t end = 0;

        if (!function || !function->is_kernel)
            continue;
        if (function->in_arena && !function->is_called) {
            function->in_arena = false; // not yet
            walk(function, next_walk(parser), find_end, &end);
            function->arena_base = end;
            function->in_arena = true;
        }
        walk(function, next_walk(parser), find_end, &function->arena_bytes);
    }
}

static void place_variables(struct syn_function *function)
{
    for (struct syn_declarator *d = function->locals; d; d = d->next) {
        d->symbol->is_placed = d->symbol->is_placed && function->in_arena;
        d->symbol->arena_offset += function->arena_base;
    }
}

void ki_syn_place_locals(struct syn_parser *parser)
{
    size_t total = 0;

    for (const struct syn_item *item = parser->items; item; item = item->next)
        if (item->definition) {
            lay_out_locals(item->definition);
            total += item->definition->local_bytes;
        }
    if (total > STATIC_BYTES) {
        choose_moved(parser);
        place_functions(parser);
    }
    for (const struct syn_item *item = parser->items; item; item = item->next)
        if (item->definition)
            place_variables(item->definition);
}
