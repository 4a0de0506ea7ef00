// SPDX-License-Identifier: Apache-2.0
// The meanings of names. A name's current meaning is stored at its word; what an inner scope hides is kept in
// a list and restored at the end of the scope.
#include "base/array.h"
#include "base/error.h"
#include "syntax.h"

void ki_syn_enter(struct syn_parser *parser)
{
    parser->level++;
}

void ki_syn_leave(struct syn_parser *parser)
{
    while (parser->undo_count) {
        const struct syn_undo *undo = &parser->undos[parser->undo_count - 1];
        struct syn_word *word = undo->word;
        int level = undo->is_tag ? word->tag_level : word->symbol_level;

        if (level < parser->level)
            break;
        if (undo->is_tag) {
            word->tag = undo->tag;
            word->tag_level = undo->tag_level;
        } else {
            word->symbol = undo->symbol;
            word->symbol_level = undo->symbol_level;
        }
        parser->undo_count--;
    }
    parser->level--;
}

static void remember(struct syn_parser *parser, struct syn_word *word, bool is_tag)
{
    struct syn_undo undo = {word, word->symbol, word->tag, word->symbol_level, word->tag_level, is_tag};

    if (!KI_ARRAY_PUSH(parser->undos, parser->undo_count, parser->undo_capacity, undo) && !parser->status)
        parser->status = ki_fail_memory(parser->err, 0, "reading a kernel for CUDA");
}

void ki_syn_bind(struct syn_parser *parser, struct syn_symbol *symbol)
{
    remember(parser, symbol->word, false);
    symbol->word->symbol = symbol;
    symbol->word->symbol_level = parser->level;
}

struct syn_symbol *ki_syn_declare(struct syn_parser *parser, enum syn_symbol_kind kind, struct syn_word *word,
                                  const struct syn_type *type, const struct src_token *location)
{
    struct syn_symbol *symbol;

    if (word->symbol && word->symbol_level == parser->level && word->symbol->kind == kind &&
        (kind == SYN_SYMBOL_FUNCTION || kind == SYN_SYMBOL_TYPEDEF || parser->level == 0)) {
        // A repeated prototype, typedef or extern constant: the symbol stays, updated to the newest. An
        // overloadable function gets a new symbol.
        symbol = word->symbol;
        if (kind == SYN_SYMBOL_VARIABLE) {
            symbol->type = type && type->kind == SYN_T_ARRAY && type->count < 0 ? symbol->type : type;
            return symbol;
        }
        if (kind == SYN_SYMBOL_TYPEDEF || ki_syn_same_type(symbol->type, type)) {
            symbol->type = type;
            return symbol;
        }
        word->is_overloaded = true;
    }
    symbol = ki_syn_take(parser, sizeof *symbol);
    *symbol = (struct syn_symbol){
        .kind = kind, .word = word, .type = type, .location = location, .level = parser->level};
    ki_syn_bind(parser, symbol);
    word->is_type = word->is_type || kind == SYN_SYMBOL_TYPEDEF;
    if (!(kind == SYN_SYMBOL_TYPEDEF && type && type->kind == SYN_T_RECORD && type->tag->name == word))
        word->is_ordinary = true;
    return symbol;
}

struct syn_tag *ki_syn_declare_tag(struct syn_parser *parser, enum syn_tag_kind kind, struct syn_word *word,
                                   const struct src_token *location)
{
    struct syn_tag *tag = ki_syn_take(parser, sizeof *tag);

    *tag = (struct syn_tag){
        .kind = kind, .name = word, .location = location, .scalar = SYN_S_INT, .local = parser->level > 0};
    tag->number = ++parser->numbers;
    if (word) {
        remember(parser, word, true);
        word->tag = tag;
        word->tag_level = parser->level;
    }
    return tag;
}
