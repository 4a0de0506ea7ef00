// SPDX-License-Identifier: Apache-2.0
// clang's __builtin_ functions, as far as OpenCL C kernels use them; the others are refused by name.
#include <string.h>

#include "base/array.h"
#include "print.h"

// Their equivalents in OpenCL C; a NULL argument type: CUDA has it under the same name.
static const struct builtin {
    const char *name, *function, *argument;
} builtins[] = {
    {"popcount", "popcount", "uint"},
    {"popcountl", "popcount", "ulong"},
    {"popcountll", "popcount", "ulong"},
    {"clz", "clz", "uint"},
    {"clzl", "clz", "ulong"},
    {"clzll", "clz", "ulong"},
    {"ctz", "ctz", "uint"},
    {"ctzl", "ctz", "ulong"},
    {"ctzll", "ctz", "ulong"},
    {"abs", "abs", "int"},
    {"expect", NULL, NULL},
    {"unreachable", NULL, NULL},
    {"assume", NULL, NULL},
};

static void print_shuffle(struct printer *printer, const struct syn_expr *call)
{
    const struct syn_expr *a = call->arguments, *b = a ? a->next : NULL;
    long long index;

    print_text(printer, "kn_shufflevector<");
    for (const struct syn_expr *i = b ? b->next : NULL; i; i = i->next) {
        if (!ki_syn_evaluate(i, &index))
            ki_syn_fail(printer->parser, KN_ERROR_BUILD, i->location->token,
                        "this index is no integer constant");
        ki_text_format(printer->out, i->next ? "%lld, " : "%lld", index);
    }
    print_text(printer, ">(");
    if (b) {
        ki_print_expr(printer, a);
        print_text(printer, ", ");
        ki_print_expr(printer, b);
    }
    print_text(printer, ")");
}

bool ki_rewrite_builtin(struct printer *printer, const struct syn_expr *call, const char *name)
{
    static const char prefix[] = "__builtin_";
    const char *plain = name + sizeof prefix - 1;
    bool found = false;
    long long value;

    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    if (strcmp(plain, "shufflevector") == 0) {
        print_shuffle(printer, call);
        return true;
    }
    if (strcmp(plain, "constant_p") == 0 && call->arguments) {
        ki_text_format(printer->out, "%d", ki_syn_evaluate(call->arguments, &value));
        return true;
    }
    for (size_t i = 0; i < KI_COUNT(builtins) && !found; i++) {
        if (strcmp(plain, builtins[i].name) != 0)
            continue;
        found = true;
        if (builtins[i].argument)
            ki_text_format(printer->out, "(int)%s((%s)(", builtins[i].function, builtins[i].argument);
        else
            ki_text_format(printer->out, "%s(", name);
        for (const struct syn_expr *argument = call->arguments; argument; argument = argument->next) {
            ki_print_expr(printer, argument);
            print_text(printer, argument->next ? ", " : "");
        }
        print_text(printer, builtins[i].argument ? "))" : ")");
    }
    if (!found)
        ki_syn_fail(printer->parser, KN_ERROR_UNSUPPORTED, call->location->token,
                    "\"%s\": this built-in function of one compiler cannot be had in CUDA", name);
    return true;
}
