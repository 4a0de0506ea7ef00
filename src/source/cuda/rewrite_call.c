// SPDX-License-Identifier: Apache-2.0
// Calls: the program's functions get the work-item, and built-ins that carry a type in their name get it as a
// template argument.
#include <string.h>

#include "base/array.h"
#include "print.h"

static void print_arguments(struct printer *printer, const struct syn_expr *arguments,
                            const struct syn_parameter *parameters, bool first)
{
    for (; arguments; arguments = arguments->next) {
        print_text(printer, first ? "" : ", ");
        printer->argument = ki_print_unwrapped(arguments);
        ki_print_converted(printer, parameters ? parameters->type : NULL, arguments);
        parameters = parameters ? parameters->next : NULL;
        first = false;
    }
    print_text(printer, ")");
}

static const struct rounding {
    const char *suffix, *tag;
} roundings[] = {{"_rte", "kn_rte"}, {"_rtz", "kn_rtz"}, {"_rtp", "kn_rtp"}, {"_rtn", "kn_rtn"}};

static const char *rounding_tag(const char *suffix)
{
    for (size_t i = 0; i < KI_COUNT(roundings); i++)
        if (strcmp(suffix, roundings[i].suffix) == 0)
            return roundings[i].tag;
    return NULL;
}

// convert_uchar4_sat_rte, as_int4.
static bool print_conversion(struct printer *printer, const struct syn_expr *call,
                             const struct syn_word *word)
{
    const struct syn_type *type;
    const char *rest, *tag;
    bool saturates;

    type = ki_syn_type_in_name(word, "as_", &rest);
    if (type && !*rest) {
        ki_text_format(printer->out, "kn_as<%s>(", type->spelling);
        print_arguments(printer, call->arguments, NULL, true);
        return true;
    }
    type = ki_syn_type_in_name(word, "convert_", &rest);
    if (!type)
        return false;
    saturates = strncmp(rest, "_sat", 4) == 0;
    rest += saturates ? 4 : 0;
    tag = rounding_tag(rest);
    if (*rest && !tag)
        return false;
    ki_text_format(printer->out, "kn_convert<%s%s%s%s>(", type->spelling, saturates ? ", kn_sat" : "",
                   tag ? ", " : "", tag ? tag : "");
    print_arguments(printer, call->arguments, NULL, true);
    return true;
}

// vload4, vstore_half8_rtz and the like.
static bool print_memory(struct printer *printer, const struct syn_expr *call, const struct syn_word *word)
{
    static const struct memory {
        const char *prefix, *function;
        bool rounds;
    } functions[] = {{"vloada_half", "kn_vloada_half", false},
                     {"vload_half", "kn_vload_half", false},
                     {"vload", "kn_vload", false},
                     {"vstorea_half", "kn_vstorea_half", true},
                     {"vstore_half", "kn_vstore_half", true},
                     {"vstore", "kn_vstore", false}};

    for (size_t i = 0; i < KI_COUNT(functions); i++) {
        const char *rest = word->name->text + strlen(functions[i].prefix), *tag = NULL;
        int lanes = 0;
        if (strncmp(word->name->text, functions[i].prefix, strlen(functions[i].prefix)) != 0)
            continue;
        while (*rest >= '0' && *rest <= '9' && lanes < 100)
            lanes = lanes * 10 + (*rest++ - '0');
        if (*rest && functions[i].rounds)
            tag = rounding_tag(rest);
        if ((*rest && !tag) || lanes > 16)
            return false;
        ki_text_format(printer->out, "%s<%d%s%s>(", functions[i].function, lanes ? lanes : 1,
                       functions[i].rounds ? ", " : "",
                       !functions[i].rounds ? ""
                       : tag                ? tag
                                            : "kn_default");
        print_arguments(printer, call->arguments, NULL, true);
        return true;
    }
    return false;
}

// Whether an image is read or written follows from its parameter.
static void check_access(struct printer *printer, const struct syn_expr *call, const struct syn_word *word)
{
    const struct syn_type *image = call->arguments ? call->arguments->type : NULL;
    bool writes;

    if (!ki_syn_is_image_call(word, &writes) || !image)
        return;
    if (image->kind != SYN_T_IMAGE)
        ki_syn_fail(printer->parser, KN_ERROR_BUILD, call->location->token,
                    "%s: the first argument is no image", word->name->text);
    else if (image->is_written != writes)
        ki_syn_fail(printer->parser, KN_ERROR_BUILD, call->location->token,
                    "%s: the image is %s; its parameter has to say %s", word->name->text,
                    writes ? "read_only" : "write_only", writes ? "write_only" : "read_only");
}

void ki_rewrite_call(struct printer *printer, const struct syn_expr *call)
{
    const struct syn_expr *callee = ki_print_unwrapped(call->a);
    const struct syn_word *word = callee->word;

    if (callee->symbol) {
        ki_print_symbol(printer, callee->symbol);
        print_text(printer, "(kn_me");
        print_arguments(printer, call->arguments,
                        word->is_overloaded ? NULL : callee->symbol->type->parameters, false);
        return;
    }
    if (strcmp(word->name->text, "printf") == 0) {
        ki_rewrite_printf(printer, call);
        return;
    }
    if (ki_rewrite_builtin(printer, call, word->name->text))
        return;
    if (!word->result && (print_conversion(printer, call, word) || print_memory(printer, call, word)))
        return;
    check_access(printer, call, word);
    ki_print_word(printer, word);
    print_text(printer, word->needs_item ? "(kn_me" : "(");
    print_arguments(printer, call->arguments, NULL, !word->needs_item);
}
