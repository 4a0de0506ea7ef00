// SPDX-License-Identifier: Apache-2.0
// Declaration specifiers, struct, union and enum, attributes (C99 6.7).
#include <string.h>

#include "parse.h"

// The type words seen so far.
struct type_keywords {
    int counts[SYN_REFUSED]; // how often each was seen
    bool any;
    const struct syn_type *type; // by a type name
};

bool ki_syn_starts_type(const struct syn_parser *parser, const struct syn_token *token)
{
    const struct syn_word *word = token->word;

    (void)parser;
    if (!word)
        return false;
    if (word->symbol)
        return word->symbol->kind == SYN_SYMBOL_TYPEDEF;
    if (word->keyword == SYN_REFUSED)
        return strcmp(word->name->text + word->name->length - 2, "_t") == 0 ||
               strcmp(word->name->text, "pipe") == 0;
    return word->built_in || (word->keyword >= SYN_TYPEDEF && word->keyword <= SYN_UNSIGNED) ||
           word->keyword == SYN_TYPEOF || word->keyword == SYN_AUTO_TYPE || word->keyword == SYN_ALIGNAS;
}

static unsigned qualifier_of(enum syn_keyword keyword)
{
    static const unsigned qualifiers[] = {
        [SYN_CONST] = SYN_Q_CONST,    [SYN_VOLATILE] = SYN_Q_VOLATILE, [SYN_RESTRICT] = SYN_Q_RESTRICT,
        [SYN_GLOBAL] = SYN_Q_GLOBAL,  [SYN_LOCAL] = SYN_Q_LOCAL,       [SYN_CONSTANT] = SYN_Q_CONSTANT,
        [SYN_PRIVATE] = SYN_Q_PRIVATE};
    return keyword >= SYN_CONST && keyword <= SYN_PRIVATE ? qualifiers[keyword] : 0;
}

// One of aligned(16), packed, reqd_work_group_size(8, 8, 1), ...
static void parse_attribute(struct syn_parser *parser, struct syn_attributes *attributes)
{
    const struct src_name *name = parser->at->word->name;
    struct syn_expr *values[3] = {NULL, NULL, NULL};
    size_t count = 0;
    long long value;
    char plain[64];
    size_t length = name->length;
    const char *text = name->text;

    if (length > 4 && length < sizeof plain && strncmp(text, "__", 2) == 0) {
        length -= 4;
        text += 2;
    }
    memcpy(plain, text, length < sizeof plain ? length : 0);
    plain[length < sizeof plain ? length : 0] = '\0';
    parser->at++;
    if (strcmp(plain, "vec_type_hint") == 0 || !ki_syn_at(parser, '(')) {
        int depth = 0;
        attributes->packed = attributes->packed || strcmp(plain, "packed") == 0;
        attributes->is_aligned = attributes->is_aligned || strcmp(plain, "aligned") == 0;
        if (strcmp(plain, "opencl_unroll_hint") == 0)
            attributes->unroll = -1;
        while (ki_syn_at(parser, '(') || depth) {
            depth += ki_syn_at(parser, '(') - ki_syn_at(parser, ')');
            parser->at += !parser->status && parser->at->token->kind != SRC_END;
            if (parser->at->token->kind == SRC_END)
                return;
        }
        return;
    }
    parser->at++;
    while (!ki_syn_at(parser, ')') && !parser->status) {
        struct syn_expr *argument = ki_syn_parse_assignment(parser);
        if (count < 3)
            values[count++] = argument;
        if (!ki_syn_at(parser, ')'))
            ki_syn_expect(parser, ',', "in an attribute");
    }
    ki_syn_expect(parser, ')', "at the end of an attribute");
    if (parser->status)
        return;
    if (strcmp(plain, "aligned") == 0)
        attributes->aligned = values[0];
    if (strcmp(plain, "reqd_work_group_size") == 0)
        for (size_t i = 0; i < 3; i++)
            attributes->group[i] = values[i] && ki_syn_evaluate(values[i], &value) ? (size_t)value : 1;
    if (strcmp(plain, "ext_vector_type") == 0 && values[0] && ki_syn_evaluate(values[0], &value))
        attributes->vector = (int)value;
    if (strcmp(plain, "opencl_unroll_hint") == 0 && values[0] && ki_syn_evaluate(values[0], &value))
        attributes->unroll = (long)value;
}

void ki_syn_parse_attributes(struct syn_parser *parser, struct syn_attributes *attributes)
{
    while (ki_syn_at_keyword(parser, SYN_ATTRIBUTE)) {
        parser->at++;
        ki_syn_expect(parser, '(', "behind __attribute__");
        ki_syn_expect(parser, '(', "behind __attribute__(");
        while (!ki_syn_at(parser, ')') && !parser->status) {
            if (parser->at->word)
                parse_attribute(parser, attributes);
            else if (!ki_syn_take_op(parser, ','))
                ki_syn_unexpected(parser, "an attribute's name");
        }
        ki_syn_expect(parser, ')', "at the end of __attribute__");
        ki_syn_expect(parser, ')', "at the end of __attribute__");
    }
}

static void expect_complete(struct syn_parser *parser, const struct syn_member *member)
{
    const struct syn_type *type = member->type;

    while (type && type->kind == SYN_T_ARRAY)
        type = type->of;
    if (type && type->kind == SYN_T_RECORD && !type->tag->complete)
        ki_syn_fail(parser, KN_ERROR_BUILD, member->location, "this member's struct is not defined yet");
}

static void parse_members(struct syn_parser *parser, struct syn_tag *tag)
{
    struct syn_member **end = &tag->members;

    while (!ki_syn_at(parser, '}') && !parser->status) {
        struct syn_specifiers specifiers;
        if (ki_syn_take_op(parser, ';'))
            continue;
        if (ki_syn_at_keyword(parser, SYN_STATIC_ASSERT)) {
            ki_syn_parse_static_assert(parser);
            continue;
        }
        ki_syn_parse_specifiers(parser, &specifiers);
        if (ki_syn_at(parser, ';') && specifiers.tag && !specifiers.tag->name &&
            specifiers.tag->kind != SYN_TAG_ENUM) {
            specifiers.tag->is_inline = true;
            *end = ki_syn_take(parser, sizeof **end);
            **end = (struct syn_member){
                .location = specifiers.location, .type = specifiers.base, .is_anonymous = true};
            end = &(*end)->next;
        }
        while (!ki_syn_at(parser, ';') && !parser->status) {
            struct syn_member *member = ki_syn_take(parser, sizeof *member);
            const struct syn_token *name = NULL;
            member->attributes = specifiers.attributes;
            member->type = specifiers.base;
            member->location = parser->at->token;
            if (!ki_syn_at(parser, ':'))
                member->type = ki_syn_parse_declarator(parser, specifiers.base, &name, &member->attributes);
            ki_syn_check_other(parser, member->type, member->location);
            member->name = name ? name->word : NULL;
            expect_complete(parser, member);
            if (ki_syn_take_op(parser, ':'))
                member->bits = ki_syn_parse_conditional(parser);
            else if (!name)
                ki_syn_unexpected(parser, "a member's name");
            ki_syn_parse_attributes(parser, &member->attributes);
            *end = member;
            end = &member->next;
            if (!ki_syn_at(parser, ';'))
                ki_syn_expect(parser, ',', "between members, or \";\" behind the last");
        }
        ki_syn_expect(parser, ';', "behind a member");
    }
}

static void parse_enumerators(struct syn_parser *parser, struct syn_tag *tag)
{
    long long value = -1;
    bool negative = false;

    while (!ki_syn_at(parser, '}') && !parser->status) {
        const struct syn_token *name = parser->at;
        const struct syn_type *type = ki_syn_scalar_type(SYN_S_INT);
        struct syn_symbol *symbol;
        if (!name->word || name->word->keyword) {
            ki_syn_unexpected(parser, "the name of a constant");
            return;
        }
        parser->at++;
        value++;
        if (ki_syn_take_op(parser, '=')) {
            struct syn_expr *expr = ki_syn_parse_conditional(parser);
            if (!parser->status && !ki_syn_evaluate(expr, &value))
                ki_syn_fail(parser, KN_ERROR_BUILD, name->token, "the value of \"%s\" is no integer constant",
                            name->word->name->text);
        }
        negative = negative || value < 0;
        if (value > 0x7fffffff)
            type = ki_syn_scalar_type(value > 0xffffffffLL ? SYN_S_LONG : SYN_S_UINT);
        symbol = ki_syn_declare(parser, SYN_SYMBOL_ENUMERATOR, name->word, type, name->token);
        symbol->value = value;
        if (!ki_syn_at(parser, '}'))
            ki_syn_expect(parser, ',', "between the constants of an enum");
    }
    tag->scalar = negative ? SYN_S_INT : SYN_S_UINT;
}

static struct syn_tag *find_tag(struct syn_parser *parser, enum syn_tag_kind kind,
                                const struct syn_token *name, const struct src_token *location)
{
    bool defines = ki_syn_at(parser, '{');
    struct syn_word *word = name ? name->word : NULL;
    bool here = word && word->tag && word->tag_level == parser->level;

    if (!word || !word->tag || ((defines || ki_syn_at(parser, ';')) && !here))
        return ki_syn_declare_tag(parser, kind, word, location);
    if (word->tag->kind != kind || (defines && word->tag->complete))
        ki_syn_fail(parser, KN_ERROR_BUILD, location, "\"%s\" is defined a second time", word->name->text);
    return word->tag;
}

// The word struct, union or enum is at parser->at.
const struct syn_type *ki_syn_parse_tag(struct syn_parser *parser, struct syn_tag **found)
{
    const struct syn_token *location = parser->at, *name = NULL;
    enum syn_tag_kind kind = (enum syn_tag_kind)(location->word->keyword - SYN_STRUCT);
    struct syn_attributes attributes = {0};
    struct syn_type *type;
    struct syn_tag *tag;

    parser->at++;
    ki_syn_parse_attributes(parser, &attributes);
    if (parser->at->word && !parser->at->word->keyword)
        name = parser->at++;
    ki_syn_parse_attributes(parser, &attributes);
    if (!name && !ki_syn_at(parser, '{'))
        ki_syn_unexpected(parser, "a name or \"{\"");
    *found = tag = find_tag(parser, kind, name, location->token);
    if (ki_syn_take_op(parser, '{')) {
        if (!ki_syn_descend(parser))
            return &ki_syn_void_type;
        if (kind == SYN_TAG_ENUM)
            parse_enumerators(parser, tag);
        else
            parse_members(parser, tag);
        syn_ascend(parser);
        ki_syn_expect(parser, '}', "at the end of a struct, union or enum");
        ki_syn_parse_attributes(parser, &attributes);
        tag->complete = true;
        tag->attributes = attributes;
        if (kind != SYN_TAG_ENUM && !parser->status)
            ki_syn_lay_out(tag);
        *parser->tags_end = tag;
        parser->tags_end = &tag->next;
    }
    if (kind == SYN_TAG_ENUM)
        return ki_syn_scalar_type(tag->complete ? tag->scalar : SYN_S_UINT);
    type = ki_syn_take(parser, sizeof *type);
    type->kind = SYN_T_RECORD;
    type->tag = tag;
    return type;
}

static const struct syn_type *parse_typeof(struct syn_parser *parser)
{
    const struct syn_token *location = parser->at++;
    const struct syn_type *type;

    ki_syn_expect(parser, '(', "behind typeof");
    type = ki_syn_starts_type(parser, parser->at) ? ki_syn_parse_type_name(parser)
                                                  : ki_syn_parse_expression(parser)->type;
    ki_syn_expect(parser, ')', "at the end of typeof");
    if (!type)
        ki_syn_fail(parser, KN_ERROR_BUILD, location->token,
                    "the type of this expression cannot be told; name the type");
    return type ? type : &ki_syn_void_type;
}

// unsigned long int and the like, in any order.
static const struct syn_type *type_of_keywords(const struct type_keywords *seen)
{
    const int *counts = seen->counts;
    bool is_unsigned = counts[SYN_UNSIGNED] > 0;

    if (seen->type)
        return seen->type;
    if (counts[SYN_VOID])
        return &ki_syn_void_type;
    if (counts[SYN_BOOL])
        return ki_syn_scalar_type(SYN_S_BOOL);
    if (counts[SYN_FLOAT])
        return ki_syn_scalar_type(SYN_S_FLOAT);
    if (counts[SYN_DOUBLE])
        return ki_syn_scalar_type(SYN_S_DOUBLE);
    if (counts[SYN_CHAR])
        return ki_syn_scalar_type(is_unsigned ? SYN_S_UCHAR : SYN_S_CHAR);
    if (counts[SYN_SHORT])
        return ki_syn_scalar_type(is_unsigned ? SYN_S_USHORT : SYN_S_SHORT);
    if (counts[SYN_LONG])
        return ki_syn_scalar_type(is_unsigned ? SYN_S_ULONG : SYN_S_LONG);
    return ki_syn_scalar_type(is_unsigned ? SYN_S_UINT : SYN_S_INT);
}

// The current word as a type, if it is one and none was seen before.
static bool take_type(struct syn_parser *parser, struct type_keywords *seen,
                      struct syn_specifiers *specifiers)
{
    struct syn_word *word = parser->at->word;
    enum syn_keyword keyword = word->keyword;

    if (keyword == SYN_REFUSED && !word->symbol)
        ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, parser->at->token, "\"%s\": %s cannot be had in CUDA",
                    word->name->text, word->why);
    if (keyword >= SYN_VOID && keyword <= SYN_UNSIGNED) {
        seen->counts[keyword]++;
        parser->at++;
    } else if (seen->any) {
        return false;
    } else if (keyword == SYN_STRUCT || keyword == SYN_UNION || keyword == SYN_ENUM) {
        seen->type = ki_syn_parse_tag(parser, &specifiers->tag);
    } else if (keyword == SYN_TYPEOF) {
        seen->type = parse_typeof(parser);
    } else if (keyword == SYN_AUTO_TYPE) {
        specifiers->is_auto = true;
        parser->at++;
    } else if (word->symbol && word->symbol->kind == SYN_SYMBOL_TYPEDEF) {
        struct syn_type *type = ki_syn_take(parser, sizeof *type);
        *type = *word->symbol->type;
        type->alias = word->symbol;
        type->outer = 0;
        seen->type = type;
        parser->at++;
    } else if (!word->symbol && word->built_in) {
        if (word->built_in->kind == SYN_T_VECTOR && word->built_in->scalar == SYN_S_HALF)
            ki_syn_fail(parser, KN_ERROR_UNSUPPORTED, parser->at->token,
                        "\"%s\": arithmetic in half precision (cl_khr_fp16) cannot be had in CUDA yet",
                        word->name->text);
        seen->type = word->built_in;
        parser->at++;
    } else {
        return false;
    }
    seen->any = true;
    return true;
}

// _Alignas(16) or _Alignas(float4)
static void parse_alignas(struct syn_parser *parser, struct syn_attributes *attributes)
{
    parser->at++;
    ki_syn_expect(parser, '(', "behind _Alignas");
    if (ki_syn_starts_type(parser, parser->at)) {
        attributes->aligned = ki_syn_new_expr(parser, SYN_E_ALIGNOF_TYPE, parser->at);
        attributes->aligned->named = ki_syn_parse_type_name(parser);
    } else {
        attributes->aligned = ki_syn_parse_conditional(parser);
    }
    ki_syn_expect(parser, ')', "at the end of _Alignas");
}

// `const n = 4;` and, at file level, `f(int x)`: the missing type is int, as in C before 1999.
static bool is_implicit_int(const struct syn_parser *parser, const struct syn_specifiers *specifiers)
{
    const struct syn_token *at = parser->at;

    if (!at->word || at->word->keyword || at->word->built_in)
        return false;
    if (at->token != specifiers->location)
        return strchr("=;,)[(", (int)(at[1].op & 0xff)) && at[1].op && at[1].op < 0x100;
    return !parser->level && at[1].op == '(';
}

void ki_syn_parse_specifiers(struct syn_parser *parser, struct syn_specifiers *specifiers)
{
    struct type_keywords seen = {.type = NULL};
    const struct syn_token *access = NULL;
    const struct syn_type *type;

    *specifiers = (struct syn_specifiers){.location = parser->at->token};
    while (parser->at->word && !parser->status) {
        enum syn_keyword keyword = parser->at->word->symbol ? SYN_NO_KEYWORD : parser->at->word->keyword;
        if (keyword == SYN_ATTRIBUTE) {
            ki_syn_parse_attributes(parser, &specifiers->attributes);
        } else if (keyword == SYN_ALIGNAS) {
            parse_alignas(parser, &specifiers->attributes);
        } else if ((keyword >= SYN_EXTERN && keyword <= SYN_AUTO) || keyword == SYN_EXTENSION) {
            parser->at++;
        } else if (keyword == SYN_ACCESS) {
            access = parser->at++;
        } else if (keyword == SYN_TYPEDEF || keyword == SYN_KERNEL) {
            specifiers->is_typedef = specifiers->is_typedef || keyword == SYN_TYPEDEF;
            specifiers->is_kernel = specifiers->is_kernel || keyword == SYN_KERNEL;
            parser->at++;
        } else if (qualifier_of(keyword)) {
            specifiers->qualifiers |= qualifier_of(keyword);
            parser->at++;
        } else if (!take_type(parser, &seen, specifiers)) {
            break;
        }
    }
    if (!seen.any && !parser->status && !is_implicit_int(parser, specifiers))
        ki_syn_unexpected(parser, "a type");
    type = specifiers->is_auto ? NULL : type_of_keywords(&seen);
    if (access)
        type = ki_syn_with_access(parser, type, access);
    specifiers->base = ki_syn_qualified(parser, type, specifiers->qualifiers);
}

const struct syn_type *ki_syn_parse_type_name(struct syn_parser *parser)
{
    struct syn_specifiers specifiers;
    const struct syn_token *name = NULL;
    const struct syn_type *type;

    ki_syn_parse_specifiers(parser, &specifiers);
    type = ki_syn_parse_declarator(parser, specifiers.base, &name, &specifiers.attributes);
    if (name)
        ki_syn_fail(parser, KN_ERROR_BUILD, name->token, "a type without a name is expected here");
    ki_syn_check_other(parser, type, specifiers.location);
    return type;
}
