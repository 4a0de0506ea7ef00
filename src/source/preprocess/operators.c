// SPDX-License-Identifier: Apache-2.0
// # and ##, and the tokens that the preprocessor makes.
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "preprocess.h"

static kn_status keep_text(struct src_preprocessor *pp, const char *text, size_t length, const char **kept)
{
    pp->text_made += length + 1;
    if (pp->text_made > SRC_MOST_TEXT)
        return ki_src_fail(
            pp, KN_ERROR_BUILD, ki_src_top(pp)->lexer.file, ki_src_lexer_line(&ki_src_top(pp)->lexer),
            "# and ## make more than %d bytes of text: a macro multiplies itself", SRC_MOST_TEXT);
    *kept = ki_arena_copy(pp->arena, text, length);
    return *kept ? KN_OK : ki_src_no_memory(pp);
}

kn_status ki_src_make_token(struct src_preprocessor *pp, const char *text, size_t length,
                            struct src_token *made)
{
    struct src_token token;
    const char *kept;
    kn_status status = keep_text(pp, text, length, &kept);

    if (status)
        return status;
    if (!ki_src_lex_single(&pp->names, kept, length, &token))
        return token.text == ki_src_lack_of_memory
                   ? ki_src_no_memory(pp)
                   : ki_src_fail_token(pp, made, "\"%.200s\" is no token of C", kept);
    token.file = made->file;
    token.line = made->line;
    token.flags = (uint8_t)((token.flags & SRC_DIGRAPH) | (made->flags & (SRC_SPACE | SRC_LINE_START)));
    *made = token;
    return KN_OK;
}

static kn_status finish_string(struct src_preprocessor *pp, struct ki_text *text, struct src_token *made)
{
    const char *kept = NULL;
    kn_status status;

    ki_text_add_char(text, '"');
    status = text->failed ? ki_src_no_memory(pp) : keep_text(pp, ki_text_string(text), text->length, &kept);
    if (!status) {
        made->kind = SRC_STRING;
        made->name = NULL;
        made->text = kept;
        made->length = (uint32_t)text->length;
    }
    ki_text_free(text);
    return status;
}

kn_status ki_src_make_string(struct src_preprocessor *pp, const char *string, struct src_token *made)
{
    struct ki_text text = KI_TEXT_INIT;

    ki_text_add_char(&text, '"');
    for (; *string; string++) {
        if (*string == '"' || *string == '\\')
            ki_text_add_char(&text, '\\');
        if (*string == '\n')
            ki_text_add(&text, "\\n");
        else
            ki_text_add_char(&text, *string);
    }
    return finish_string(pp, &text, made);
}

// A string or character constant inside a string: quotes and backslashes get a backslash.
static void add_escaped(struct ki_text *text, const struct src_token *token)
{
    for (size_t i = 0; i < token->length; i++) {
        if (token->text[i] == '"' || token->text[i] == '\\')
            ki_text_add_char(text, '\\');
        ki_text_add_char(text, token->text[i]);
    }
}

kn_status ki_src_stringify(struct src_preprocessor *pp, const struct src_token *tokens, size_t count,
                           struct src_token *made)
{
    struct ki_text text = KI_TEXT_INIT;
    size_t backslashes = 0;

    ki_text_add_char(&text, '"');
    for (size_t i = 0; i < count && pp->text_made + text.length <= SRC_MOST_TEXT; i++) {
        if (i && (tokens[i].flags & SRC_SPACE))
            ki_text_add_char(&text, ' ');
        if (tokens[i].kind == SRC_STRING || tokens[i].kind == SRC_CHARACTER)
            add_escaped(&text, &tokens[i]);
        else
            ki_text_add_bytes(&text, tokens[i].text, tokens[i].length);
    }
    // A lone backslash at the end would eat the closing quote.
    while (text.data && backslashes + 1 < text.length && text.data[text.length - 1 - backslashes] == '\\')
        backslashes++;
    if (backslashes % 2)
        text.length--;
    pp->steps += count;
    return finish_string(pp, &text, made);
}

kn_status ki_src_paste(struct src_preprocessor *pp, struct src_token *left, const struct src_token *right)
{
    struct ki_text text = KI_TEXT_INIT;
    struct src_token made = *left;
    const char *kept;
    kn_status status;

    if (right->kind == SRC_PLACEMARKER)
        return KN_OK;
    if (left->kind == SRC_PLACEMARKER) {
        uint8_t space = left->flags & SRC_SPACE;
        *left = *right;
        left->flags = (uint8_t)((right->flags & ~SRC_SPACE) | space);
        return KN_OK;
    }
    ki_text_add_bytes(&text, left->text, left->length);
    ki_text_add_bytes(&text, right->text, right->length);
    status = text.failed ? ki_src_no_memory(pp) : keep_text(pp, ki_text_string(&text), text.length, &kept);
    if (!status && !ki_src_lex_single(&pp->names, kept, text.length, &made))
        status = ki_src_fail_token(pp, left,
                                   "## makes \"%.200s\" of \"%.*s\" and \"%.*s\", which is no token of C",
                                   kept, left->length < 80 ? (int)left->length : 80, left->text,
                                   right->length < 80 ? (int)right->length : 80, right->text);
    ki_text_free(&text);
    if (status)
        return status;
    made.file = left->file;
    made.line = left->line;
    made.flags = (uint8_t)((made.flags & SRC_DIGRAPH) | (left->flags & (SRC_SPACE | SRC_LINE_START)));
    *left = made;
    return KN_OK;
}

const char *ki_src_string_text(struct src_preprocessor *pp, const struct src_token *token)
{
    const char *from = token->text + (*token->text == 'L') + 1, *end = token->text + token->length - 1;
    char *text, *to;

    text = ki_arena_take(pp->arena, token->length + 1);
    if (!text)
        return NULL;
    for (to = text; from < end; from++) {
        if (*from == '\\' && from + 1 < end && (from[1] == '"' || from[1] == '\\'))
            from++;
        *to++ = *from;
    }
    return text;
}
