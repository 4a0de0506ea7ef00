// SPDX-License-Identifier: Apache-2.0
// Functions, and the extern "C" wrapper after each kernel (cl/cuda/kernel.cuh has the macros).
#include <stdio.h>

#include "print.h"

enum {
    ARGUMENT_BYTES = 4096, // what a kernel can take on every device, in every CUDA version
    ITEM_BYTES = 64,       // kn_item, its last argument
    IMAGE_BYTES = 128      // kn_image_data
};

void ki_rewrite_prototype(struct printer *printer, const struct syn_symbol *symbol,
                          const struct syn_type *type)
{
    const struct syn_function *function = symbol->function;

    // An inline function that is used must be defined, even if no kernel reaches it.
    print_text(printer, !function || !function->is_defined ? "KN_DECLARED "
                        : function->is_kernel              ? "KN_BODY "
                                                           : "KN_FN ");
    ki_print_typed_symbol(printer, type, symbol, false);
}

static unsigned space_of(const struct syn_type *type)
{
    const struct syn_type *to = type->kind == SYN_T_POINTER ? type->of : NULL;

    while (to && to->kind == SYN_T_ARRAY)
        to = to->of;
    return to ? to->qualifiers & (SYN_Q_LOCAL | SYN_Q_CONSTANT) : 0;
}

// The type that an offset points to, under a name if it has to be an array.
static void print_target(struct printer *printer, const struct syn_type *type, size_t index)
{
    if (type->of && type->of->kind == SYN_T_ARRAY && !type->of->alias)
        ki_text_format(printer->out, "kn_row_%zu", index);
    else
        ki_print_type(printer, type->of, NULL, true);
}

// A parameter may have no name if the kernel's body does not use it; the wrapper's has one.
static void print_parameter_name(struct printer *printer, const struct syn_parameter *parameter, size_t index)
{
    if (parameter->symbol)
        ki_print_symbol(printer, parameter->symbol);
    else
        ki_text_format(printer->out, "kn_unnamed_%zu", index);
}

// The size of an argument as the wrapper takes it, images by value.
static void argument_layout(const struct syn_type *type, size_t *size, size_t *alignment)
{
    if (type->kind == SYN_T_IMAGE) {
        *size = IMAGE_BYTES;
        *alignment = 8;
    } else if (type->kind == SYN_T_SAMPLER || space_of(type) & SYN_Q_LOCAL) {
        *size = *alignment = 4;
    } else if (!ki_syn_size(type, size, alignment)) {
        *size = *alignment = 8;
    }
}

bool ki_rewrite_takes_addresses(const struct syn_type *type)
{
    size_t bytes = 0, size, alignment;
    bool any = false;

    for (const struct syn_parameter *p = type->parameters; p; p = p->next) {
        argument_layout(p->type, &size, &alignment);
        bytes = (bytes + alignment - 1) / alignment * alignment + size;
        any = any || p->type->kind == SYN_T_IMAGE;
    }
    return any && (bytes + 7) / 8 * 8 + ITEM_BYTES > ARGUMENT_BYTES;
}

static void print_wrapper_parameter(struct printer *printer, const struct syn_parameter *parameter,
                                    size_t index, bool addresses)
{
    unsigned space = space_of(parameter->type);

    if (parameter->type->kind == SYN_T_IMAGE) {
        ki_text_format(printer->out, "KN_IMAGE_%sPARAM(%s, ", addresses ? "ADDRESS_" : "",
                       parameter->type->spelling);
        print_parameter_name(printer, parameter, index);
        print_text(printer, ")");
        return;
    }
    if (!space && parameter->symbol) {
        ki_print_typed_symbol(printer, parameter->type, parameter->symbol, false);
        return;
    }
    if (!space) {
        char name[32];
        snprintf(name, sizeof name, "kn_unnamed_%zu", index);
        ki_print_type(printer, parameter->type, name, false);
        return;
    }
    printer->uses_constant_args = printer->uses_constant_args || space & SYN_Q_CONSTANT;
    print_text(printer, space & SYN_Q_CONSTANT ? "KN_CONSTANT_PARAM(" : "KN_LOCAL_PARAM(");
    print_target(printer, parameter->type, index);
    print_text(printer, ", ");
    print_parameter_name(printer, parameter, index);
    print_text(printer, ")");
}

static void print_wrapper_argument(struct printer *printer, const struct syn_parameter *parameter,
                                   size_t index, bool addresses)
{
    unsigned space = space_of(parameter->type);

    print_text(printer, addresses && parameter->type->kind == SYN_T_IMAGE ? ", *" : ", ");
    if (space) {
        print_text(printer, space & SYN_Q_CONSTANT ? "KN_CONSTANT_BIND(" : "KN_LOCAL_BIND(");
        print_target(printer, parameter->type, index);
        print_text(printer, ", ");
    }
    print_parameter_name(printer, parameter, index);
    print_text(printer, space ? ")" : "");
}

static void print_wrapper(struct printer *printer, const struct syn_function *function,
                          const struct syn_type *type)
{
    const char *name = function->symbol->word->name->text;
    bool addresses = ki_rewrite_takes_addresses(type);
    size_t index = 0;

    print_text(printer, " ");
    for (const struct syn_parameter *p = type->parameters; p; p = p->next, index++)
        if (space_of(p->type) && p->type->of->kind == SYN_T_ARRAY && !p->type->of->alias) {
            char row[32];
            snprintf(row, sizeof row, "kn_row_%zu", index);
            print_text(printer, "typedef ");
            ki_print_type(printer, p->type->of, row, true);
            print_text(printer, "; ");
        }
    if (function->group[0])
        ki_text_format(printer->out, "KN_KERNEL_SIZED(%s, %zu, %zu, %zu)(", name, function->group[0],
                       function->group[1], function->group[2]);
    else
        ki_text_format(printer->out, "KN_KERNEL(%s)(", name);
    index = 0;
    for (const struct syn_parameter *p = type->parameters; p; p = p->next) {
        print_wrapper_parameter(printer, p, index++, addresses);
        print_text(printer, ", ");
    }
    print_text(printer, "KN_ITEM_PARAM) { kn::program::");
    ki_print_symbol(printer, function->symbol);
    print_text(printer, "(kn_me");
    index = 0;
    for (const struct syn_parameter *p = type->parameters; p; p = p->next)
        print_wrapper_argument(printer, p, index++, addresses);
    print_text(printer, "); }");
}

void ki_rewrite_function(struct printer *printer, const struct syn_item *item)
{
    const struct syn_function *function = item->definition;

    for (const struct syn_declarator *d = function->constants; d; d = d->next) {
        ki_print_location(printer, d->location);
        ki_print_constant(printer, d);
    }
    ki_print_location(printer, item->location);
    ki_rewrite_prototype(printer, function->symbol, item->type);
    print_text(printer, " ");
    printer->function = function;
    ki_print_block(printer, function->body, item->open, item->end);
    printer->function = NULL;
    if (function->is_kernel)
        print_wrapper(printer, function, item->type);
}
