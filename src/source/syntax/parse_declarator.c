// SPDX-License-Identifier: Apache-2.0
// Declarators with their pointers, arrays and parameters; initialisers; declarations (C99 6.7.5 to 6.7.8).
#include <string.h>

#include "parse.h"

static unsigned parse_qualifiers(struct syn_parser *parser, struct syn_attributes *attributes)
{
    static const unsigned qualifiers[] = {SYN_Q_CONST, SYN_Q_VOLATILE, SYN_Q_RESTRICT, SYN_Q_GLOBAL,
                                          SYN_Q_LOCAL, SYN_Q_CONSTANT, SYN_Q_PRIVATE};
    unsigned seen = 0;

    while (parser->at->word && !parser->at->word->symbol && !parser->status) {
        enum syn_keyword keyword = parser->at->word->keyword;
        if (keyword == SYN_ATTRIBUTE) {
            ki_syn_parse_attributes(parser, attributes);
            continue;
        }
        if (keyword < SYN_CONST || keyword > SYN_PRIVATE)
            break;
        seen |= qualifiers[keyword - SYN_CONST];
        parser->at++;
    }
    return seen;
}

static struct syn_parameter *parse_parameter(struct syn_parser *parser)
{
    struct syn_parameter *parameter = ki_syn_take(parser, sizeof *parameter);
    struct syn_specifiers specifiers;
    const struct syn_token *name = NULL;
    const struct syn_type *type;

    parameter->location = parser->at->token;
    ki_syn_parse_specifiers(parser, &specifiers);
    type = ki_syn_parse_declarator(parser, specifiers.base, &name, &specifiers.attributes);
    if (type && type->kind == SYN_T_FUNCTION)
        ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, parameter->location,
                    "this parameter is a function: function pointers cannot be had in CUDA");
    ki_syn_check_parameter(parser, type, parameter->location);
    parameter->type = ki_syn_decayed(parser, type);
    if (name)
        parameter->symbol =
            ki_syn_declare(parser, SYN_SYMBOL_VARIABLE, name->word, parameter->type, name->token);
    return parameter;
}

// The parameters of an old-style definition, whose types follow the brackets: int f(a, b) int a; { ... }
static bool at_old_style(struct syn_parser *parser)
{
    const struct syn_token *first = parser->at + 1;

    return first->word && !first->word->keyword && !ki_syn_starts_type(parser, first) &&
           (first[1].op == ',' || first[1].op == ')') &&
           ki_syn_starts_type(parser, ki_syn_behind_group(parser, parser->at));
}

static void declare_old_parameter(struct syn_parser *parser, struct syn_type *function,
                                  const struct syn_type *type, const struct syn_token *name)
{
    for (struct syn_parameter *p = function->parameters; p && name; p = p->next)
        if (p->symbol->word == name->word) {
            ki_syn_check_parameter(parser, type, name->token);
            p->type = p->symbol->type = ki_syn_decayed(parser, type);
            return;
        }
    if (name)
        ki_syn_fail(parser, KN_ERROR_BUILD, name->token, "\"%s\" is not one of this function's parameters",
                    name->word->name->text);
    else
        ki_syn_unexpected(parser, "the name of a parameter");
}

static void parse_old_parameters(struct syn_parser *parser, struct syn_type *function)
{
    struct syn_parameter **end = &function->parameters;

    while (parser->at->word && !parser->at->word->keyword && !parser->status) {
        const struct syn_token *name = parser->at++;
        *end = ki_syn_take(parser, sizeof **end);
        (*end)->location = name->token;
        (*end)->type = ki_syn_scalar_type(SYN_S_INT);
        (*end)->symbol = ki_syn_declare(parser, SYN_SYMBOL_VARIABLE, name->word, (*end)->type, name->token);
        end = &(*end)->next;
        if (!ki_syn_at(parser, ')'))
            ki_syn_expect(parser, ',', "between parameters");
    }
    ki_syn_expect(parser, ')', "behind the parameters");
    while (!ki_syn_at(parser, '{') && !parser->status) {
        struct syn_specifiers specifiers;
        ki_syn_parse_specifiers(parser, &specifiers);
        do {
            const struct syn_token *name = NULL;
            const struct syn_type *type =
                ki_syn_parse_declarator(parser, specifiers.base, &name, &specifiers.attributes);
            declare_old_parameter(parser, function, type, name);
        } while (ki_syn_take_op(parser, ','));
        ki_syn_expect(parser, ';', "behind the declaration of a parameter");
    }
}

static const struct syn_type *parse_parameters(struct syn_parser *parser, const struct syn_type *result)
{
    struct syn_type *type = ki_syn_take(parser, sizeof *type);
    struct syn_parameter **end = &type->parameters;
    bool old_style = at_old_style(parser);

    type->kind = SYN_T_FUNCTION;
    type->of = result;
    parser->at++;
    ki_syn_enter(parser);
    if (old_style) {
        parse_old_parameters(parser, type);
        ki_syn_leave(parser);
        return type;
    }
    if (ki_syn_at_keyword(parser, SYN_VOID) && parser->at[1].op == ')')
        parser->at++;
    while (!ki_syn_at(parser, ')') && !parser->status) {
        if (ki_syn_at(parser, SYN_OP3('.', '.', '.')))
            ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, parser->at->token,
                        "functions with \"...\" cannot be had in OpenCL C");
        *end = parse_parameter(parser);
        end = &(*end)->next;
        if (!ki_syn_at(parser, ')'))
            ki_syn_expect(parser, ',', "between parameters");
    }
    ki_syn_leave(parser);
    ki_syn_expect(parser, ')', "behind the parameters");
    return type;
}

static const struct syn_type *parse_suffix(struct syn_parser *parser, const struct syn_type *base,
                                           struct syn_attributes *attributes)
{
    struct syn_type *array;
    long long count;

    ki_syn_parse_attributes(parser, attributes);
    if (ki_syn_at(parser, '('))
        return parse_parameters(parser, base);
    if (!ki_syn_at(parser, '[') || !ki_syn_descend(parser))
        return base;
    parser->at++;
    array = ki_syn_take(parser, sizeof *array);
    array->kind = SYN_T_ARRAY;
    array->count = -1;
    while (ki_syn_at_keyword(parser, SYN_STATIC) || ki_syn_at_keyword(parser, SYN_CONST) ||
           ki_syn_at_keyword(parser, SYN_RESTRICT))
        parser->at++;
    if (!ki_syn_at(parser, ']')) {
        array->length = ki_syn_parse_assignment(parser);
        if (!parser->status && ki_syn_evaluate(array->length, &count))
            array->count = (long)count;
    }
    ki_syn_expect(parser, ']', "to close \"[\"");
    array->of = parse_suffix(parser, base, attributes);
    array->qualifiers = array->of ? array->of->qualifiers : 0;
    syn_ascend(parser);
    return array;
}

// Each group inside is searched again, hence the bound.
const struct syn_token *ki_syn_behind_group(struct syn_parser *parser, const struct syn_token *at)
{
    enum { MOST_GROUPS = 200 };
    int depth = 0;

    do {
        depth += (at->op == '(') - (at->op == ')');
        if (depth > MOST_GROUPS)
            ki_syn_fail(parser, KN_ERROR_BUILD, at->token,
                        "the brackets of this declaration stand more than %d deep inside one another",
                        MOST_GROUPS);
        if (at->token->kind == SRC_END || parser->status)
            return at;
        at++;
    } while (depth > 0);
    return at;
}

static const struct syn_type *vector_of(struct syn_parser *parser, const struct syn_type *type,
                                        struct syn_attributes *attributes)
{
    const struct syn_type *vector = NULL;

    if (!attributes->vector || !type || type->kind != SYN_T_SCALAR)
        return type;
    if (type->scalar != SYN_S_BOOL)
        vector = ki_syn_vector_type(type->scalar, attributes->vector);
    attributes->vector = 0;
    if (!vector)
        ki_syn_unexpected(parser, "a width of 2, 3, 4, 8 or 16");
    return vector ? vector : type;
}

const struct syn_type *ki_syn_parse_declarator(struct syn_parser *parser, const struct syn_type *base,
                                               const struct syn_token **name,
                                               struct syn_attributes *attributes)
{
    const struct syn_type *type = ki_syn_qualified(parser, base, parse_qualifiers(parser, attributes));
    int depth = parser->depth;

    if (!ki_syn_descend(parser))
        return base;
    while (ki_syn_at(parser, '*') && ki_syn_descend(parser)) {
        if (type && type->kind == SYN_T_FUNCTION)
            ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, parser->at->token,
                        "function pointers cannot be had in CUDA; call the function by its name");
        parser->at++;
        type = ki_syn_pointer_to(parser, type);
        type = ki_syn_qualified(parser, type, parse_qualifiers(parser, attributes));
    }
    if (ki_syn_at(parser, '^'))
        ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, parser->at->token, "blocks (\"^\") cannot be had in CUDA");
    if (ki_syn_at(parser, '(') &&
        (parser->at[1].op == '*' || parser->at[1].op == '(' || parser->at[1].op == '^' ||
         parser->at[1].op == '[' || (parser->at[1].word && !ki_syn_starts_type(parser, &parser->at[1])))) {
        const struct syn_token *inner = parser->at + 1, *end;
        parser->at = ki_syn_behind_group(parser, parser->at);
        type = parse_suffix(parser, type, attributes);
        end = parser->at;
        if (!parser->status) {
            parser->at = inner;
            type = ki_syn_parse_declarator(parser, type, name, attributes);
            ki_syn_expect(parser, ')', "to close \"(\"");
        }
        if (!parser->status)
            parser->at = end;
    } else {
        if (parser->at->word && !parser->at->word->keyword && !ki_syn_at(parser, '('))
            *name = parser->at++;
        type = parse_suffix(parser, type, attributes);
    }
    ki_syn_parse_attributes(parser, attributes);
    parser->depth = depth;
    return vector_of(parser, type, attributes);
}

static struct syn_designator *parse_designators(struct syn_parser *parser)
{
    struct syn_designator *first = NULL, **end = &first;

    // GNU's old form, name: value.
    if (parser->at->word && parser->at[1].op == ':') {
        first = ki_syn_take(parser, sizeof *first);
        first->member = parser->at->word;
        parser->at += 2;
        return first;
    }
    while ((ki_syn_at(parser, '.') || ki_syn_at(parser, '[')) && !parser->status) {
        *end = ki_syn_take(parser, sizeof **end);
        if (ki_syn_take_op(parser, '.')) {
            (*end)->member = parser->at->word;
            if (!parser->at->word)
                ki_syn_unexpected(parser, "a member's name");
            else
                parser->at++;
        } else {
            parser->at++;
            (*end)->index = ki_syn_parse_conditional(parser);
            if (ki_syn_take_op(parser, SYN_OP3('.', '.', '.')))
                (*end)->last = ki_syn_parse_conditional(parser);
            ki_syn_expect(parser, ']', "to close \"[\"");
        }
        end = &(*end)->next;
    }
    if (first)
        ki_syn_expect(parser, '=', "behind a designator");
    return first;
}

struct syn_init *ki_syn_parse_init(struct syn_parser *parser)
{
    struct syn_init *init = ki_syn_take(parser, sizeof *init), **end = &init->items;

    init->location = parser->at->token;
    if (!ki_syn_descend(parser))
        return init;
    if (ki_syn_take_op(parser, '{')) {
        init->is_list = true;
        while (!ki_syn_at(parser, '}') && !parser->status) {
            struct syn_designator *designators = parse_designators(parser);
            *end = ki_syn_parse_init(parser);
            (*end)->designators = designators;
            end = &(*end)->next;
            if (!ki_syn_at(parser, '}'))
                ki_syn_expect(parser, ',', "between initialisers");
        }
        ki_syn_expect(parser, '}', "at the end of the initialisers");
    } else {
        init->expr = ki_syn_parse_assignment(parser);
    }
    syn_ascend(parser);
    return init;
}

// The address space of a variable: that of its innermost elements.
static unsigned variable_space(const struct syn_type *type)
{
    while (type && type->kind == SYN_T_ARRAY)
        type = type->of;
    return type ? type->qualifiers & (SYN_Q_LOCAL | SYN_Q_CONSTANT) : 0;
}

static void keep_in(struct syn_parser *parser, struct syn_declarator **end,
                    const struct syn_declarator *declarator)
{
    while (*end)
        end = &(*end)->next;
    *end = ki_syn_take(parser, sizeof **end);
    **end = *declarator;
    (*end)->next = NULL;
}

// The __constant variables of a function are moved out of it, and its __local ones are recorded.
static void keep_variable(struct syn_parser *parser, struct syn_declarator *declarator)
{
    unsigned space = parser->function ? variable_space(declarator->type) : 0;

    if (space & SYN_Q_CONSTANT) {
        declarator->symbol->renamed = ++parser->numbers;
        keep_in(parser, &parser->function->constants, declarator);
    } else if (space & SYN_Q_LOCAL) {
        declarator->symbol->local_number = ++parser->locals;
        keep_in(parser, &parser->function->locals, declarator);
    }
}

// The type of `__auto_type x = value;`
static const struct syn_type *type_of_value(struct syn_parser *parser, const struct syn_init *init)
{
    const struct syn_type *type = init->expr ? ki_syn_decayed(parser, init->expr->type) : NULL;
    struct syn_type *plain = ki_syn_take(parser, sizeof *plain);

    if (!type) {
        ki_syn_fail(parser, KN_ERROR_BUILD, init->location,
                    "the type of this value cannot be told; name the type");
        return &ki_syn_void_type;
    }
    *plain = *type;
    plain->qualifiers = plain->outer = 0;
    return plain;
}

// The value of `const int n = 4`, and the string of `constant char s[] = "..."`.
static void note_constant(struct syn_declarator *declarator)
{
    const struct syn_type *type = declarator->type;
    struct syn_symbol *symbol = declarator->symbol;
    struct syn_expr value = {.kind = SYN_E_CAST, .named = type, .type = type};

    if (!declarator->value || !declarator->value->expr)
        return;
    value.a = declarator->value->expr;
    if (ki_syn_is_text(declarator->value) && variable_space(type) & SYN_Q_CONSTANT)
        symbol->text = value.a;
    symbol->is_constant = ki_syn_is_integer(type) && (type->qualifiers & SYN_Q_CONST) &&
                          !(type->qualifiers & SYN_Q_VOLATILE) && ki_syn_evaluate(&value, &symbol->value);
}

static void declare(struct syn_parser *parser, const struct syn_specifiers *specifiers,
                    struct syn_declarator *declarator, const struct syn_token *name)
{
    bool is_function = declarator->type && declarator->type->kind == SYN_T_FUNCTION;
    enum syn_symbol_kind kind = specifiers->is_typedef ? SYN_SYMBOL_TYPEDEF
                                : is_function          ? SYN_SYMBOL_FUNCTION
                                                       : SYN_SYMBOL_VARIABLE;

    declarator->symbol = ki_syn_declare(parser, kind, name->word, declarator->type, name->token);
    if (kind == SYN_SYMBOL_FUNCTION && !declarator->symbol->function) {
        struct syn_function *function = ki_syn_take(parser, sizeof *function);
        *function = (struct syn_function){.symbol = declarator->symbol, .location = name->token};
        declarator->symbol->function = function;
    }
    if (kind == SYN_SYMBOL_FUNCTION) {
        declarator->symbol->function->is_kernel =
            declarator->symbol->function->is_kernel || specifiers->is_kernel;
        declarator->symbol->function->type = declarator->type;
        if (declarator->attributes.group[0])
            memcpy(declarator->symbol->function->group, declarator->attributes.group,
                   sizeof declarator->attributes.group);
    }
    if (kind == SYN_SYMBOL_VARIABLE && ki_syn_take_op(parser, '=')) {
        const struct syn_init *init;
        parser->in_constant = (variable_space(declarator->type) & SYN_Q_CONSTANT) != 0;
        init = ki_syn_parse_init(parser);
        parser->in_constant = false;
        if (specifiers->is_auto && !parser->status)
            declarator->type = type_of_value(parser, init);
        declarator->value = ki_syn_initialise(parser, &declarator->type, init);
        declarator->symbol->type = declarator->type;
        note_constant(declarator);
    }
    if (kind == SYN_SYMBOL_VARIABLE && parser->level == 0) {
        struct syn_symbol *symbol = declarator->symbol;
        symbol->first = symbol->first ? symbol->first : declarator;
        symbol->definition = declarator->value ? declarator : symbol->definition;
    }
    if (kind == SYN_SYMBOL_VARIABLE) {
        ki_syn_check_variable(parser, declarator, name->token);
        keep_variable(parser, declarator);
    } else if (kind == SYN_SYMBOL_FUNCTION) {
        ki_syn_check_other(parser, declarator->type, name->token);
    }
}

// Declarators up to the ';' or to a function's body ('{' after the first: *body is set).
static struct syn_declaration *parse_declarators(struct syn_parser *parser, bool *body)
{
    struct syn_declaration *declaration = ki_syn_take(parser, sizeof *declaration);
    struct syn_declarator **end = &declaration->declarators;
    struct syn_specifiers specifiers;

    declaration->location = parser->at->token;
    ki_syn_parse_specifiers(parser, &specifiers);
    declaration->base = specifiers.base;
    declaration->is_typedef = specifiers.is_typedef;
    if (ki_syn_at(parser, ';') && specifiers.tag && specifiers.tag->kind != SYN_TAG_ENUM)
        declaration->bare = specifiers.tag;
    while (!ki_syn_at(parser, ';') && !parser->status) {
        struct syn_declarator *declarator = ki_syn_take(parser, sizeof *declarator);
        const struct syn_token *name = NULL;
        declarator->location = parser->at->token;
        declarator->attributes = specifiers.attributes;
        declarator->type = ki_syn_parse_declarator(parser, specifiers.base, &name, &declarator->attributes);
        if (parser->status)
            break;
        if (!name) {
            ki_syn_unexpected(parser, "a name");
            break;
        }
        declarator->location = name->token;
        declare(parser, &specifiers, declarator, name);
        if (specifiers.is_auto)
            declaration->base = declarator->type;
        *end = declarator;
        end = &declarator->next;
        if (body && ki_syn_at(parser, '{') && declarator == declaration->declarators &&
            declarator->type->kind == SYN_T_FUNCTION && !specifiers.is_typedef) {
            *body = true;
            break;
        }
        if (!ki_syn_at(parser, ';'))
            ki_syn_expect(parser, ',', "or \";\" behind a declaration");
    }
    declaration->tags = parser->tags;
    parser->tags = NULL;
    parser->tags_end = &parser->tags;
    return declaration;
}

struct syn_declaration *ki_syn_parse_declaration(struct syn_parser *parser)
{
    struct syn_declaration *declaration = parse_declarators(parser, NULL);

    ki_syn_expect(parser, ';', "behind a declaration");
    return declaration;
}

static void parse_body(struct syn_parser *parser, struct syn_item *item)
{
    struct syn_declarator *declarator = item->declaration->declarators;
    struct syn_function *function = declarator->symbol->function;

    if (function->is_defined)
        ki_syn_fail(parser, KN_ERROR_BUILD, declarator->location, "\"%s\" is defined a second time",
                    declarator->symbol->word->name->text);
    function->location = declarator->location;
    item->definition = function;
    item->type = declarator->type;
    item->tags = item->declaration->tags;
    item->location = item->declaration->location;
    item->declaration = NULL;
    parser->function = function;
    ki_syn_enter(parser);
    for (const struct syn_parameter *p = item->type->parameters; p; p = p->next)
        if (p->symbol)
            ki_syn_bind(parser, p->symbol);
    item->open = parser->at->token;
    function->is_defined = true;
    function->body = ki_syn_parse_block(parser);
    item->end = parser->at > parser->tokens ? parser->at[-1].token : item->open;
    ki_syn_leave(parser);
    parser->function = NULL;
}

void ki_syn_parse_items(struct syn_parser *parser)
{
    while (parser->at->token->kind != SRC_END && !parser->status) {
        struct syn_item *item;
        bool body = false;
        if (ki_syn_take_op(parser, ';'))
            continue;
        if (ki_syn_at_keyword(parser, SYN_STATIC_ASSERT)) {
            ki_syn_parse_static_assert(parser);
            continue;
        }
        item = ki_syn_take(parser, sizeof *item);
        item->declaration = parse_declarators(parser, &body);
        if (body)
            parse_body(parser, item);
        else
            ki_syn_expect(parser, ';', "behind a declaration");
        *parser->items_end = item;
        parser->items_end = &item->next;
    }
}
