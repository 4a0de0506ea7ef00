// SPDX-License-Identifier: Apache-2.0
// Expressions in C++. Brackets stay as they were written; a rewritten expression becomes a call or is
// bracketed.
#include <string.h>

#include "base/array.h"
#include "print.h"

const struct syn_expr *ki_print_unwrapped(const struct syn_expr *expr)
{
    while (expr->kind == SYN_E_PAREN)
        expr = expr->a;
    return expr;
}

bool ki_print_is_selection(const struct syn_expr *expr)
{
    expr = ki_print_unwrapped(expr);
    return (expr->kind == SYN_E_DOT && (!expr->a->type || ki_syn_is_vector(expr->a->type))) ||
           (expr->kind == SYN_E_ARROW &&
            (!expr->a->type || (expr->a->type->of && ki_syn_is_vector(expr->a->type->of))));
}

bool ki_print_is_null(const struct syn_expr *expr)
{
    long long value;

    expr = ki_print_unwrapped(expr);
    if (expr->kind == SYN_E_NAME && !expr->symbol && strcmp(expr->word->name->text, "NULL") == 0)
        return true;
    if (expr->kind == SYN_E_CAST && expr->named->kind == SYN_T_POINTER && expr->named->of &&
        expr->named->of->kind == SYN_T_VOID)
        return ki_print_is_null(expr->a);
    return ki_syn_is_integer(expr->type) && ki_syn_evaluate(expr, &value) && value == 0;
}

// Whether C++ converts one pointer to another implicitly: the same target, possibly with const added.
static bool converts(const struct syn_type *to, const struct syn_type *from)
{
    unsigned kept = SYN_Q_CONST | SYN_Q_VOLATILE;

    if (!to->of || !from->of || ((from->of->qualifiers & kept) & ~to->of->qualifiers))
        return false;
    return to->of->kind == SYN_T_VOID || ki_syn_same_type(to->of, from->of);
}

void ki_print_converted(struct printer *printer, const struct syn_type *type, const struct syn_expr *expr)
{
    const struct syn_type *from = ki_syn_decayed(printer->parser, expr->type);
    bool to_pointer = type && type->kind == SYN_T_POINTER, from_pointer = from && from->kind == SYN_T_POINTER;

    if (type && type->kind == SYN_T_SAMPLER && (!from || from->kind != SYN_T_SAMPLER)) {
        print_text(printer, "kn_sampler(");
        ki_print_expr(printer, expr);
        print_text(printer, ")");
        return;
    }
    if (to_pointer && ki_print_is_null(expr)) {
        print_text(printer, "nullptr");
        return;
    }
    if ((to_pointer && !(from_pointer && converts(type, from))) ||
        (from_pointer && ki_syn_is_integer(type) && type->scalar != SYN_S_BOOL)) {
        print_text(printer, "(");
        ki_print_type(printer, type, NULL, true);
        print_text(printer, ki_syn_is_integer(type) ? ")(size_t)(" : ")(");
        ki_print_expr(printer, expr);
        print_text(printer, ")");
        return;
    }
    ki_print_expr(printer, expr);
}

static void print_op(struct printer *printer, uint32_t op)
{
    for (; op; op >>= 8)
        ki_text_add_char(printer->out, (char)(op & 0xff));
}

static void print_token(struct printer *printer, const struct src_token *token)
{
    ki_text_add_bytes(printer->out, token->text, token->length);
}

static void print_enumerator(struct printer *printer, const struct syn_symbol *symbol)
{
    long long value = symbol->value;

    if (value == (-0x7fffffff - 1LL))
        print_text(printer, "(-0x7fffffff - 1");
    else
        ki_text_format(printer->out, value < 0 ? "(%lld" : "%lld", value);
    print_text(printer, value > 0xffffffffLL ? "L" : value > 0x7fffffffLL ? "u" : "");
    ki_text_format(printer->out, " /* %s */%s", symbol->word->name->text, value < 0 ? ")" : "");
}

static void print_name(struct printer *printer, const struct syn_expr *expr)
{
    if (!expr->symbol && strcmp(expr->word->name->text, "NULL") == 0)
        print_text(printer, "nullptr");
    else if (!expr->symbol)
        ki_print_word(printer, expr->word);
    else if (expr->symbol->kind == SYN_SYMBOL_ENUMERATOR)
        print_enumerator(printer, expr->symbol);
    else if (expr->symbol->kind == SYN_SYMBOL_FUNCTION)
        ki_syn_fail(printer->parser, KN_ERROR_UNSUPPORTED, expr->location->token,
                    "\"%s\" is used without calling it: function pointers cannot be had in CUDA",
                    expr->word->name->text);
    else if (expr->type && expr->type->kind == SYN_T_IMAGE && expr != printer->argument)
        ki_syn_fail(printer->parser, KN_ERROR_BUILD, expr->location->token,
                    "\"%s\" is an image: it can only be handed to a function", expr->word->name->text);
    else if (expr->symbol->is_placed)
        ki_text_format(printer->out, "kn_in_arena<kn_local_%u>(%zu)", expr->symbol->local_number,
                       expr->symbol->arena_offset);
    else
        ki_print_symbol(printer, expr->symbol);
}

static void print_number(struct printer *printer, const struct syn_expr *expr)
{
    const struct src_token *token = expr->location->token;
    bool is_half = expr->type && expr->type->kind == SYN_T_SCALAR && expr->type->scalar == SYN_S_HALF;

    ki_text_add(printer->out, is_half ? "kn_cast<half>(" : "");
    ki_text_add_bytes(printer->out, token->text, token->length - is_half);
    ki_text_add(printer->out, is_half ? "f)" : "");
}

static void print_character(struct printer *printer, const struct syn_expr *expr)
{
    print_text(printer, "((int)");
    print_token(printer, expr->location->token);
    print_text(printer, ")");
}

static void print_string(struct printer *printer, const struct syn_expr *expr)
{
    for (size_t i = 0; i < expr->token_count; i++) {
        print_text(printer, i ? " " : "");
        print_token(printer, expr->location[i].token);
    }
}

static void print_paren(struct printer *printer, const struct syn_expr *expr)
{
    print_text(printer, "(");
    ki_print_expr(printer, expr->a);
    print_text(printer, ")");
}

// ++ and -- of a bool, which C++ lacks: ++ makes it 1, -- inverts it.
static bool steps_bool(const struct syn_expr *expr)
{
    return (expr->op == SYN_OP2('+', '+') || expr->op == SYN_OP2('-', '-')) && expr->a->type &&
           expr->a->type->kind == SYN_T_SCALAR && expr->a->type->scalar == SYN_S_BOOL;
}

bool ki_print_is_bit_field(const struct syn_expr *expr)
{
    const struct syn_member *member = NULL;
    const struct syn_type *type;

    expr = ki_print_unwrapped(expr);
    if (expr->kind != SYN_E_DOT && expr->kind != SYN_E_ARROW)
        return false;
    type = expr->a->type;
    if (expr->kind == SYN_E_ARROW)
        type = type && (type->kind == SYN_T_POINTER || type->kind == SYN_T_ARRAY) ? type->of : NULL;
    if (type && type->kind == SYN_T_RECORD)
        member = ki_syn_find_member(type->tag, expr->word);
    return member && member->bits;
}

// ++ and -- of a char or a short, which wrap around (C99 6.5.3.1: as += 1). NVRTC 13.0 assumes that they do
// not: it turns `--c; if (c < 0)` into a test of c < 1 before the decrement, which is wrong for -128.
static bool steps_round(const struct syn_expr *expr)
{
    const struct syn_type *type = expr->a->type;

    return (expr->op == SYN_OP2('+', '+') || expr->op == SYN_OP2('-', '-')) && type &&
           type->kind == SYN_T_SCALAR && (type->scalar == SYN_S_CHAR || type->scalar == SYN_S_SHORT) &&
           !ki_print_is_bit_field(expr->a);
}

static bool is_void_pointer(const struct syn_type *type)
{
    return type && type->kind == SYN_T_POINTER && (!type->of || type->of->kind == SYN_T_VOID);
}

// ++ and -- of a void *, which GNU C has; `function` is kn_step_before or kn_step_after.
static bool print_step(struct printer *printer, const struct syn_expr *expr, const char *function)
{
    if ((expr->op != SYN_OP2('+', '+') && expr->op != SYN_OP2('-', '-')) || !is_void_pointer(expr->type))
        return false;
    ki_text_format(printer->out, "%s(", function);
    ki_print_expr(printer, expr->a);
    print_text(printer, (expr->op & 0xff) == '+' ? ", 1)" : ", -1)");
    return true;
}

static void print_prefix(struct printer *printer, const struct syn_expr *expr)
{
    if (steps_bool(expr)) {
        print_text(printer, "(");
        ki_print_expr(printer, expr->a);
        print_text(printer, expr->op == SYN_OP2('+', '+') ? " = 1)" : " ^= 1)");
        return;
    }
    if (steps_round(expr)) {
        print_text(printer, "(");
        ki_print_expr(printer, expr->a);
        print_text(printer, expr->op == SYN_OP2('+', '+') ? " += 1)" : " -= 1)");
        return;
    }
    if (print_step(printer, expr, "kn_step_before"))
        return;
    print_op(printer, expr->op);
    if (expr->a->kind == SYN_E_PREFIX && (expr->a->op & 0xff) == (expr->op & 0xff))
        print_text(printer, " ");
    ki_print_expr(printer, expr->a);
}

static void print_postfix(struct printer *printer, const struct syn_expr *expr)
{
    if (steps_bool(expr)) {
        print_text(printer, "kn_step_bool(");
        ki_print_expr(printer, expr->a);
        print_text(printer, expr->op == SYN_OP2('+', '+') ? ", 1)" : ", -1)");
        return;
    }
    if (steps_round(expr)) {
        print_text(printer, "kn_before(");
        ki_print_expr(printer, expr->a);
        print_text(printer, expr->op == SYN_OP2('+', '+') ? " += 1, 1)" : " -= 1, -1)");
        return;
    }
    if (print_step(printer, expr, "kn_step_after"))
        return;
    ki_print_expr(printer, expr->a);
    print_op(printer, expr->op);
}

// Pointers of different types are compared as C compares them: by address.
static bool compares_addresses(struct printer *printer, const struct syn_expr *expr)
{
    const struct syn_type *a = ki_syn_decayed(printer->parser, expr->a->type);
    const struct syn_type *b = ki_syn_decayed(printer->parser, expr->b->type);
    uint32_t first = expr->op & 0xff;

    if ((expr->op != '<' && expr->op != '>' && expr->op >> 8 != '=') || !strchr("<>=!", (int)first) || !a ||
        !b || a->kind != SYN_T_POINTER || b->kind != SYN_T_POINTER || ki_print_is_null(expr->a) ||
        ki_print_is_null(expr->b))
        return false;
    return !converts(a, b) && !converts(b, a);
}

// Arithmetic on a void *, in bytes as in GNU C: p + n, n + p, p - n, p - q.
static bool print_bytes(struct printer *printer, const struct syn_expr *expr)
{
    bool left = is_void_pointer(expr->a->type), right = is_void_pointer(expr->b->type);
    const struct syn_expr *pointer = left ? expr->a : expr->b, *other = left ? expr->b : expr->a;

    if ((expr->op != '+' && expr->op != '-') || !(left || right))
        return false;
    print_text(printer, expr->op == '+' ? "kn_bytes_on(" : "kn_bytes_back(");
    ki_print_expr(printer, pointer);
    print_text(printer, ", ");
    ki_print_expr(printer, other);
    print_text(printer, ")");
    return true;
}

static void print_binary(struct printer *printer, const struct syn_expr *expr)
{
    bool addresses;

    if (print_bytes(printer, expr))
        return;

    if (expr->op == SYN_OP2('<', '<') || expr->op == SYN_OP2('>', '>')) {
        ki_rewrite_shift(printer, expr);
        return;
    }
    addresses = compares_addresses(printer, expr);
    print_text(printer, addresses ? "(const void *)(" : "");
    ki_print_expr(printer, expr->a);
    print_text(printer, addresses ? ") " : " ");
    print_op(printer, expr->op);
    print_text(printer, addresses ? " (const void *)(" : " ");
    ki_print_expr(printer, expr->b);
    print_text(printer, addresses ? ")" : "");
}

// A selection's copy assignment must not be used (cl/cuda/vector.cuh): what is assigned to one is turned into
// a value.
static bool assigns_selection(const struct syn_expr *expr)
{
    const struct syn_type *type = expr->a->type;

    return expr->op == '=' && ki_print_is_selection(expr->a) && (!type || ki_syn_is_vector(type)) &&
           (!expr->b->type || ki_syn_is_vector(expr->b->type));
}

static void print_assign(struct printer *printer, const struct syn_expr *expr)
{
    if (expr->op == SYN_OP3('<', '<', '=') || expr->op == SYN_OP3('>', '>', '=')) {
        ki_rewrite_shift(printer, expr);
        return;
    }
    if (is_void_pointer(expr->a->type) && expr->op != '=') {
        print_text(printer, "kn_step_before(");
        ki_print_expr(printer, expr->a);
        print_text(printer, (expr->op & 0xff) == '-' ? ", -(ptrdiff_t)(" : ", (");
        ki_print_expr(printer, expr->b);
        print_text(printer, "))");
        return;
    }
    ki_print_expr(printer, expr->a);
    print_text(printer, " ");
    print_op(printer, expr->op);
    print_text(printer, " ");
    if (assigns_selection(expr)) {
        print_text(printer, "kn_rvalue(");
        ki_print_expr(printer, expr->b);
        print_text(printer, ")");
    } else if (expr->op == '=')
        ki_print_converted(printer, expr->a->type, expr->b);
    else
        ki_print_expr(printer, expr->b);
}

static void print_comma(struct printer *printer, const struct syn_expr *expr)
{
    ki_print_expr(printer, expr->a);
    print_text(printer, ", ");
    ki_print_expr(printer, expr->b);
}

static void print_index(struct printer *printer, const struct syn_expr *expr)
{
    ki_print_expr(printer, expr->a);
    print_text(printer, "[");
    ki_print_expr(printer, expr->b);
    print_text(printer, "]");
}

// A bool cast to a vector of integers sets all bits of each component (6.2.2); (int4)(b) is a literal, not a
// cast.
static void print_splat(struct printer *printer, const struct syn_type *to, const struct syn_expr *from)
{
    bool all_bits = from->type && from->type->kind == SYN_T_SCALAR && from->type->scalar == SYN_S_BOOL &&
                    to->kind == SYN_T_VECTOR && to->scalar <= SYN_S_ULONG;

    print_text(printer, all_bits ? "-(int)(" : "");
    ki_print_expr(printer, from);
    print_text(printer, all_bits ? ")" : "");
}

static void print_cast(struct printer *printer, const struct syn_expr *expr)
{
    const struct syn_type *from = ki_syn_decayed(printer->parser, expr->a->type), *to = expr->named;

    if (to->kind == SYN_T_VECTOR || (to->kind == SYN_T_SCALAR && to->scalar == SYN_S_HALF)) {
        print_text(printer, "kn_cast<");
        ki_print_type(printer, to, NULL, true);
        print_text(printer, ">(");
        print_splat(printer, to, expr->a);
        print_text(printer, ")");
        return;
    }
    if (to->kind == SYN_T_POINTER && ki_print_is_null(expr)) {
        print_text(printer, "nullptr");
        return;
    }
    print_text(printer, "(");
    ki_print_type(printer, to, NULL, true);
    print_text(printer, ")");
    // C++ does not let a pointer lose bits in one step.
    if (ki_syn_is_integer(to) && to->scalar != SYN_S_BOOL && from && from->kind == SYN_T_POINTER)
        print_text(printer, "(size_t)");
    ki_print_expr(printer, expr->a);
}

static void print_vector(struct printer *printer, const struct syn_expr *expr)
{
    print_text(printer, "kn_make<");
    ki_print_type(printer, expr->named, NULL, true);
    print_text(printer, ">(");
    for (const struct syn_expr *part = expr->arguments; part; part = part->next) {
        ki_print_expr(printer, part);
        print_text(printer, part->next ? ", " : "");
    }
    print_text(printer, ")");
}

static void print_compound(struct printer *printer, const struct syn_expr *expr)
{
    bool array = expr->named->kind == SYN_T_ARRAY, record = expr->named->kind == SYN_T_RECORD;

    if (expr->hoisted)
        ki_text_format(printer->out, "(kn_literal_%u = ", expr->hoisted);
    if (ki_rewrite_sets_other_member(expr->value)) {
        record = true; // the literal names its type itself
    } else if (expr->named->alias && !array) {
        ki_print_symbol(printer, expr->named->alias);
    } else if (record) {
        ki_print_tag(printer, expr->named->tag);
    } else if (array) {
        ki_print_literal_type(printer, expr->named);
    } else if (expr->named->kind != SYN_T_VECTOR) {
        print_text(printer, "(");
        ki_print_type(printer, expr->named, NULL, true);
        print_text(printer, ")");
    }
    print_text(printer, array ? "{" : record ? "" : "(");
    ki_rewrite_slot(printer, expr->value);
    print_text(printer, array ? "}" : record ? "" : ")");
    if (expr->hoisted)
        print_text(printer, array ? ").kn_v" : ")");
}

static void print_sizeof(struct printer *printer, const struct syn_expr *expr)
{
    const struct syn_type *type = expr->kind == SYN_E_SIZEOF ? expr->a->type : expr->named;

    print_text(printer, expr->kind == SYN_E_ALIGNOF_TYPE ? "alignof(" : "sizeof(");
    // The types of C, not those of C++: 'a' and a < b are int, (0, array) is a pointer.
    if (type && (expr->kind != SYN_E_SIZEOF || type->kind == SYN_T_SCALAR || type->kind == SYN_T_VECTOR ||
                 type->kind == SYN_T_POINTER))
        ki_print_type(printer, type, NULL, true);
    else
        ki_print_expr(printer, expr->a);
    print_text(printer, ")");
}

static void print_statements(struct printer *printer, const struct syn_expr *expr)
{
    print_text(printer, "[&]");
    if (expr->type && expr->type->kind != SYN_T_VOID) {
        print_text(printer, "() -> ");
        ki_print_type(printer, expr->type, NULL, true);
    }
    print_text(printer, " ");
    ki_print_value_block(printer, expr);
    print_text(printer, "()");
}

static void print_with_type(struct printer *printer, const struct syn_expr *expr)
{
    print_text(printer, expr->kind == SYN_E_BUILTIN_AS ? "kn_as<" : "kn_convert<");
    ki_print_type(printer, expr->named, NULL, true);
    print_text(printer, ">(");
    ki_print_expr(printer, expr->a);
    print_text(printer, ")");
}

static void print_vec_step(struct printer *printer, const struct syn_expr *expr)
{
    int lanes = ki_syn_is_vector(expr->named) ? expr->named->lanes : 1;

    ki_text_format(printer->out, "%d", lanes == 3 ? 4 : lanes);
}

void ki_print_expr(struct printer *printer, const struct syn_expr *expr)
{
    static void (*const print[])(struct printer *, const struct syn_expr *) = {
        [SYN_E_NAME] = print_name,
        [SYN_E_NUMBER] = print_number,
        [SYN_E_CHARACTER] = print_character,
        [SYN_E_STRING] = print_string,
        [SYN_E_PAREN] = print_paren,
        [SYN_E_PREFIX] = print_prefix,
        [SYN_E_POSTFIX] = print_postfix,
        [SYN_E_BINARY] = print_binary,
        [SYN_E_ASSIGN] = print_assign,
        [SYN_E_TERNARY] = ki_rewrite_ternary,
        [SYN_E_COMMA] = print_comma,
        [SYN_E_CALL] = ki_rewrite_call,
        [SYN_E_INDEX] = print_index,
        [SYN_E_DOT] = ki_rewrite_selection,
        [SYN_E_ARROW] = ki_rewrite_selection,
        [SYN_E_CAST] = print_cast,
        [SYN_E_VECTOR] = print_vector,
        [SYN_E_COMPOUND] = print_compound,
        [SYN_E_SIZEOF_TYPE] = print_sizeof,
        [SYN_E_SIZEOF] = print_sizeof,
        [SYN_E_ALIGNOF_TYPE] = print_sizeof,
        [SYN_E_VEC_STEP] = print_vec_step,
        [SYN_E_STATEMENTS] = print_statements,
        [SYN_E_BUILTIN_AS] = print_with_type,
        [SYN_E_BUILTIN_CONVERT] = print_with_type,
    };

    print[expr->kind](printer, expr);
}
