// SPDX-License-Identifier: Apache-2.0
#include "lexer.h"

#include <string.h>

#include "base/array.h"

// Longest first. Digraphs are followed by their equivalents.
static const struct punctuator {
    const char *text;
    const char *meaning;
} punctuators[] = {
    {"%:%:", "##"}, {"...", NULL}, {"<<=", NULL}, {">>=", NULL}, {"->", NULL}, {"++", NULL},
    {"--", NULL},   {"<<", NULL},  {">>", NULL},  {"<=", NULL},  {">=", NULL}, {"==", NULL},
    {"!=", NULL},   {"&&", NULL},  {"||", NULL},  {"*=", NULL},  {"/=", NULL}, {"%=", NULL},
    {"+=", NULL},   {"-=", NULL},  {"&=", NULL},  {"^=", NULL},  {"|=", NULL}, {"##", NULL},
    {"<:", "["},    {":>", "]"},   {"<%", "{"},   {"%>", "}"},   {"%:", "#"},
};
static const char single_punctuators[] = "[](){}.&*+-~!/%<>^|?:;=,#";

const char ki_src_lack_of_memory[] = "out of memory";

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Bytes of UTF-8 count as letters, and so does '$', as in compilers.
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

// Skips the joints before the lexer's position.
static void pass_joints(struct src_lexer *lexer)
{
    const struct src_text *text = lexer->text;

    while (lexer->joint < text->joint_count && text->joints[lexer->joint].at <= lexer->at) {
        lexer->joint++;
        lexer->line++;
    }
}

void ki_src_lexer_init(struct src_lexer *lexer, const struct src_text *text, struct src_names *names)
{
    *lexer = (struct src_lexer){.text = text, .names = names, .line = 1, .file = text->name, .fresh = true};
}

size_t ki_src_written_offset(const struct src_text *text, size_t at)
{
    size_t low = 0, high = text->joint_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (text->joints[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return at + (low ? text->joints[low - 1].removed : 0);
}

long ki_src_lexer_line(const struct src_lexer *lexer)
{
    return lexer->line + lexer->line_shift;
}

static void fault(struct src_token *token, long line, const char *why)
{
    token->kind = SRC_FAULT;
    token->text = why;
    token->length = (uint32_t)strlen(why);
    token->line = (uint32_t)line;
}

// The lexer is at the comment's "/*"; false if the comment has no end.
static bool skip_comment(struct src_lexer *lexer)
{
    const char *start = lexer->text->joined + lexer->at;
    const char *end = strstr(start + 2, "*/");

    if (!end)
        return false;
    for (const char *p = start; p < end; p++)
        lexer->line += *p == '\n';
    lexer->at += (size_t)(end - start) + 2;
    return true;
}

// Skips white space and comments, and records them in the token's flags; false on a fault.
static bool skip_blanks(struct src_lexer *lexer, struct src_token *token)
{
    const char *text = lexer->text->joined;

    for (;; token->flags |= SRC_SPACE) {
        char c = text[lexer->at];

        if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
            lexer->at++;
        } else if (c == '\n' && !lexer->directive) {
            lexer->at++;
            lexer->line++;
            lexer->fresh = true;
        } else if (c == '/' && text[lexer->at + 1] == '/') {
            lexer->at += strcspn(text + lexer->at, "\n");
        } else if (c == '/' && text[lexer->at + 1] == '*') {
            long line;
            pass_joints(lexer);
            line = ki_src_lexer_line(lexer);
            if (!skip_comment(lexer)) {
                fault(token, line, "this comment is never closed: \"*/\" is missing");
                return false;
            }
        } else {
            return true;
        }
    }
}

// The length of the literal at `text`, from its quote; 0 if the line ends before it.
static size_t literal_length(const char *text)
{
    char quote = text[0];

    for (size_t i = 1; text[i] && text[i] != '\n'; i++) {
        if (text[i] == quote)
            return i + 1;
        if (text[i] == '\\' && text[i + 1] && text[i + 1] != '\n')
            i++;
    }
    return 0;
}

static void lex_literal(struct src_lexer *lexer, struct src_token *token, size_t prefix)
{
    const char *start = token->text + prefix;
    size_t length = literal_length(start);

    token->kind = *start == '"' ? SRC_STRING : SRC_CHARACTER;
    if (!length && !lexer->lenient) {
        fault(token, (long)token->line,
              *start == '"'
                  ? "this string is never closed: '\"' is missing before the end of the line"
                  : "this character constant is never closed: \"'\" is missing before the end of the line");
        return;
    }
    if (!length) {
        token->kind = SRC_OTHER;
        length = strcspn(start, "\n");
    }
    token->length = (uint32_t)(prefix + length);
}

static void lex_number(struct src_token *token)
{
    const char *p = token->text + 1;

    while (is_digit(*p) || is_letter(*p) || *p == '.' || ((*p == '+' || *p == '-') && strchr("eEpP", p[-1])))
        p++;
    token->kind = SRC_NUMBER;
    token->length = (uint32_t)(p - token->text);
}

static void lex_identifier(struct src_lexer *lexer, struct src_token *token)
{
    const char *p = token->text + 1;

    while (is_letter(*p) || is_digit(*p))
        p++;
    token->kind = SRC_IDENTIFIER;
    token->length = (uint32_t)(p - token->text);
    token->name = ki_src_intern(lexer->names, token->text, token->length);
    if (!token->name)
        fault(token, (long)token->line, ki_src_lack_of_memory);
    else
        token->text = token->name->text;
}

static void lex_punctuator(struct src_token *token)
{
    const char *text = token->text;

    token->kind = SRC_PUNCTUATOR;
    token->length = 1;
    // Most are single characters: no longer punctuator has any other second character.
    for (size_t i = 0; text[1] && strchr("#%&+-.:<=>|", text[1]) && i < KI_COUNT(punctuators); i++) {
        if (text[0] != punctuators[i].text[0] || text[1] != punctuators[i].text[1])
            continue;
        if (strncmp(text, punctuators[i].text, strlen(punctuators[i].text)) != 0)
            continue;
        token->length = (uint32_t)strlen(punctuators[i].text);
        token->flags |= punctuators[i].meaning ? SRC_DIGRAPH : 0;
        return;
    }
    if (!strchr(single_punctuators, *text))
        token->kind = SRC_OTHER;
}

// Skips everything up to the next token; false if there is none.
static bool begin_token(struct src_lexer *lexer, struct src_token *token)
{
    *token = (struct src_token){.kind = SRC_END, .file = lexer->file, .text = "", .line = 1};
    if (!skip_blanks(lexer, token))
        return false;
    pass_joints(lexer);
    token->line = (uint32_t)ki_src_lexer_line(lexer);
    token->text = lexer->text->joined + lexer->at;
    if (lexer->at >= lexer->text->joined_length || *token->text == '\n')
        return false;
    if (lexer->fresh)
        token->flags |= SRC_LINE_START;
    lexer->fresh = false;
    return true;
}

void ki_src_lex(struct src_lexer *lexer, struct src_token *token)
{
    char c, second;
    size_t start;

    if (!begin_token(lexer, token))
        return;
    start = lexer->at;
    c = token->text[0];
    second = token->text[1];
    if (c == '"' || c == '\'')
        lex_literal(lexer, token, 0);
    else if (c == 'L' && (second == '"' || second == '\''))
        lex_literal(lexer, token, 1);
    else if (is_letter(c))
        lex_identifier(lexer, token);
    else if (is_digit(c) || (c == '.' && is_digit(second)))
        lex_number(token);
    else
        lex_punctuator(token);
    if (token->kind != SRC_FAULT)
        lexer->at = start + token->length;
}

void ki_src_lex_header(struct src_lexer *lexer, struct src_token *token)
{
    struct src_lexer before = *lexer;
    size_t length;
    char close;

    if (!begin_token(lexer, token))
        return;
    close = *token->text == '<' ? '>' : '"';
    length = *token->text == '<' || *token->text == '"'
                 ? strcspn(token->text + 1, close == '>' ? ">\n" : "\"\n")
                 : 0;
    if (!length || token->text[length + 1] != close) {
        *lexer = before;
        ki_src_lex(lexer, token);
        return;
    }
    token->kind = close == '>' ? SRC_HEADER : SRC_STRING;
    token->length = (uint32_t)length + 2;
    lexer->at += token->length;
}

bool ki_src_lex_single(struct src_names *names, const char *bytes, size_t length, struct src_token *token)
{
    struct src_text text = {
        .name = "", .written = bytes, .joined = bytes, .written_length = length, .joined_length = length};
    struct src_lexer lexer;

    ki_src_lexer_init(&lexer, &text, names);
    ki_src_lex(&lexer, token);
    return token->kind != SRC_FAULT && token->kind != SRC_END && token->length == length &&
           (token->kind != SRC_OTHER || length == 1);
}

bool ki_src_is(const struct src_token *token, const char *punctuator)
{
    size_t length = strlen(punctuator);

    if (token->kind != SRC_PUNCTUATOR)
        return false;
    if (token->length == length && memcmp(token->text, punctuator, length) == 0)
        return true;
    if (!(token->flags & SRC_DIGRAPH))
        return false;
    for (size_t i = 0; i < KI_COUNT(punctuators); i++)
        if (punctuators[i].meaning && strlen(punctuators[i].text) == token->length &&
            memcmp(punctuators[i].text, token->text, token->length) == 0)
            return strcmp(punctuators[i].meaning, punctuator) == 0;
    return false;
}

bool ki_src_is_word(const struct src_token *token, const char *word)
{
    return token->kind == SRC_IDENTIFIER && token->length == strlen(word) &&
           memcmp(token->text, word, token->length) == 0;
}
