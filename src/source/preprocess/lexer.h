// SPDX-License-Identifier: Apache-2.0
// Preprocessing tokens (C99 6.4) of a text, each with its location. The output of the preprocessor, which the
// signature scan and the rewriters read, consists of these tokens too.
#ifndef KN_SOURCE_PREPROCESS_LEXER_H
#define KN_SOURCE_PREPROCESS_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum src_kind {
    SRC_END,        // of the text; in a directive: of the line
    SRC_IDENTIFIER, // keywords too: the preprocessor has none
    SRC_NUMBER,
    SRC_CHARACTER,
    SRC_STRING,
    SRC_HEADER, // <name>, only after #include
    SRC_PUNCTUATOR,
    SRC_OTHER,       // a character without meaning in C
    SRC_PRAGMA,      // a whole #pragma or _Pragma; the text is what follows the word: "unroll 4"
    SRC_PLACEMARKER, // an empty argument beside ##
    SRC_FAULT        // the text cannot be read further; the token's text says why
};

enum src_flag {
    SRC_SPACE = 1,      // white space, a comment or the end of a line comes before it
    SRC_LINE_START = 2, // the first on its line
    SRC_PAINTED = 4,    // named a macro during that macro's own expansion: never expanded again
    SRC_DIGRAPH = 8     // <: for [ and the like
};

struct src_macro;
struct src_type;

// An identifier; there is one of these for each spelling, so that names compare by address.
struct src_name {
    struct src_name *next; // in its hash bucket
    struct src_macro *macro;
    const struct src_type *type; // what a typedef says about it
    uint32_t kernel;             // its number among the program's kernels, from 1; 0: not a kernel
    uint32_t hash;
    uint32_t length;
    char text[];
};

struct src_names {
    struct ki_arena *arena;
    struct src_name **buckets;
    size_t bucket_count;
    size_t count;
};

struct src_token {
    const char *text;      // `length` bytes, no '\0' after them
    const char *file;      // as in #line
    struct src_name *name; // of an identifier
    uint32_t length;
    uint32_t line;
    uint16_t parameter; // in a macro's body: which parameter this is, from 1; 0 for none
    uint8_t kind;
    uint8_t flags;
};

// A backslash and a line's end that were removed from a text.
struct src_joint {
    size_t at;      // where, in the joined text
    size_t removed; // number of bytes removed up to and including this one
};

// A text to be read: as written, and with its lines joined (C99 5.1.1.2, phase 2).
struct src_text {
    const char *name; // as in #line
    const char *written;
    const char *joined; // the same pointer if no lines were joined
    size_t written_length;
    size_t joined_length;
    const struct src_joint *joints;
    size_t joint_count;
};

struct src_lexer {
    const struct src_text *text;
    struct src_names *names;
    size_t at;        // in text->joined
    size_t joint;     // the next one not yet passed
    long line;        // in the text as written
    const char *file; // what tokens get: #line changes it
    long line_shift;  // and adds this to their lines
    bool fresh;       // no token of this line was read yet
    bool directive;   // a line's end ends the tokens
    bool lenient;     // an unterminated literal is not a fault: in skipped groups and #error
};

// The text of a fault for lack of memory; any other is about the source.
extern const char ki_src_lack_of_memory[];

void ki_src_names_init(struct src_names *names, struct ki_arena *arena);
void ki_src_names_free(struct src_names *names);
// NULL if memory ran out.
struct src_name *ki_src_intern(struct src_names *names, const char *text, size_t length);

// Fills `text` from `length` bytes without '\0' that outlive it; false if memory ran out.
// Line ends become '\n', a byte order mark is removed.
bool ki_src_text_init(struct src_text *text, const char *name, const char *bytes, size_t length,
                      struct ki_arena *arena);

void ki_src_lexer_init(struct src_lexer *lexer, const struct src_text *text, struct src_names *names);
void ki_src_lex(struct src_lexer *lexer, struct src_token *token);
// The same right after `#include`: "name" without escapes, or <name>; any other token as ki_src_lex gives it.
void ki_src_lex_header(struct src_lexer *lexer, struct src_token *token);
// Reads one token that makes up all of `bytes` (which end in '\0' and stay); false if they are not one token.
bool ki_src_lex_single(struct src_names *names, const char *bytes, size_t length, struct src_token *token);
// The location in the text as written of a location in the joined text.
size_t ki_src_written_offset(const struct src_text *text, size_t at);
// The line of the lexer's position, as tokens would have it.
long ki_src_lexer_line(const struct src_lexer *lexer);

// Whether a token is this punctuator (digraphs count as their equivalents) or this word.
bool ki_src_is(const struct src_token *token, const char *punctuator);
bool ki_src_is_word(const struct src_token *token, const char *word);

#endif
