// SPDX-License-Identifier: Apache-2.0
// The C99 preprocessor. Tokens flow from the innermost open file (frame.c) through the expansions under way
// (expand.c, macro.c, operators.c) to the output; directive.c and conditional.c handle what follows a '#'. An
// expansion's tokens have the location of the macro's name; its arguments keep their own.
#ifndef KN_SOURCE_PREPROCESS_PREPROCESS_H
#define KN_SOURCE_PREPROCESS_PREPROCESS_H

#include "base/text/text.h"
#include "include.h"
#include "lexer.h"
#include "source/source.h"

// Limits on what a text may ask for, all far beyond what programs need.
enum {
    SRC_INCLUDE_DEPTH = 200,     // nested files
    SRC_CALL_DEPTH = 200,        // macro calls in arguments of macro calls
    SRC_MOST_INCLUSIONS = 20000, // files read, repetitions included
    SRC_MOST_TOKENS = 4000000,   // held at a time, the output included
    SRC_MOST_STEPS = 8000000,    // tokens taken from macros
    SRC_MOST_PARAMETERS = 1000,  // of a macro
    SRC_MOST_TEXT = 64 << 20     // bytes read from files, and bytes made by # and ##
};

struct src_list {
    struct src_token *items;
    size_t count;
    size_t capacity;
};

enum src_macro_kind {
    SRC_MACRO_OBJECT,
    SRC_MACRO_FUNCTION,
    SRC_MACRO_LINE,
    SRC_MACRO_FILE,
    SRC_MACRO_COUNTER
};
enum src_origin { SRC_ORIGIN_SOURCE, SRC_ORIGIN_HOST, SRC_ORIGIN_TARGET };

struct src_macro {
    struct src_name *name;
    enum src_macro_kind kind;
    enum src_origin origin;
    bool variadic; // its last parameter takes all remaining arguments
    bool disabled; // its expansion is under way
    bool pastes;   // its body contains ##
    struct src_name **parameters;
    size_t parameter_count;
    const struct src_token *body;
    size_t body_count;
    const char *file; // where it is defined
    long line;
};

// A stretch of a file that the OpenCL text does not take over as written: an #include, or #pragma once.
struct src_cut {
    size_t begin, end;           // bytes of the text as written, without the line's end
    struct src_inclusion *child; // what replaces it; NULL for nothing
    const char *next_file;       // the location of the line after it
    long next_line;
};

// One reading of a file.
struct src_inclusion {
    const struct src_text *text;
    struct src_cut *cuts; // in order
    size_t cut_count;
    size_t cut_capacity;
    struct src_inclusion *next; // of all, for freeing
};

// Whether a file turns out to be one #ifndef NAME ... #endif and nothing else.
enum src_guard_state { SRC_GUARD_START, SRC_GUARD_OPEN, SRC_GUARD_CLOSED, SRC_GUARD_NONE };

// A file that is being read.
struct src_frame {
    struct src_input *input;
    struct src_inclusion *inclusion; // NULL for the host's macros
    struct src_lexer lexer;
    size_t first_conditional; // conditionals below it belong to other files
    const char *from_file;    // the location of the #include
    long from_line;
    enum src_origin origin;
    size_t directive; // where the '#' of the last directive is
    enum src_guard_state guard_state;
    struct src_name *guard;
};

enum src_branch {
    SRC_BRANCH_TAKEN,   // being read
    SRC_BRANCH_WAITING, // skipped; a later #elif or #else may be taken
    SRC_BRANCH_OVER     // skipped; so will the rest be
};

struct src_conditional {
    enum src_branch branch;
    bool had_else;
    const char *file; // the location of its #if
    long line;
};

// Tokens that are read before those of the file.
struct src_context {
    const struct src_token *tokens;
    size_t count, next;
    struct src_token *owned; // to be freed; NULL if the tokens are a macro's body
    size_t owned_capacity;
    struct src_macro *macro; // disabled until this is over; NULL for an argument
    const char *file;        // of the macro's name
    long line, last_line;    // of its name, and of the call's last bracket, for __LINE__
    uint8_t flags;           // the first token's SRC_SPACE and SRC_LINE_START
    bool barrier;            // an argument being expanded: nothing beyond it is read
};

struct src_preprocessor {
    struct ki_arena *arena;
    const struct src_options *options;
    kn_error *err;
    struct src_names names;
    struct src_inputs inputs;
    struct src_frame *frames;
    size_t frame_count, frame_capacity;
    struct src_conditional *conditionals;
    size_t conditional_count, conditional_capacity;
    struct src_context *contexts;
    size_t context_count, context_capacity;
    struct src_inclusion *inclusions;
    size_t inclusion_count;
    struct src_list output;
    struct src_list line; // the directive being read
    struct ki_text warnings;
    size_t held; // tokens in all lists
    size_t steps;
    size_t text_read, text_made;
    int call_depth;
    int collecting;        // arguments of this many calls are being read
    bool in_condition;     // #if or #elif: `defined` is an operator
    bool carry_space;      // an expansion was empty; the white space before it goes to the next token
    unsigned long counter; // __COUNTER__
};

void ki_src_preprocessor_init(struct src_preprocessor *pp, const struct src_options *options,
                              struct ki_arena *arena, kn_error *err);
void ki_src_preprocessor_free(struct src_preprocessor *pp);

// Reads the target's and the host's macros, then `main` to its end, into pp->output. `*host` gets the #define
// lines of the host's macros, `*inclusion` what flatten.h needs.
kn_status ki_src_preprocess(struct src_preprocessor *pp, struct src_input *main, const char **host,
                            struct src_inclusion **inclusion);

// Inside the preprocessor.
// ---------------------------------------------------------------------------------------

// Fails at a location, with the chain of #includes.
kn_status ki_src_fail(struct src_preprocessor *pp, kn_status code, const char *file, long line,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));
kn_status ki_src_fail_token(struct src_preprocessor *pp, const struct src_token *token, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));
// Adds a line to pp->warnings.
kn_status ki_src_warn_token(struct src_preprocessor *pp, const struct src_token *token, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));
kn_status ki_src_fail_fault(struct src_preprocessor *pp, const struct src_token *fault); // an SRC_FAULT
kn_status ki_src_no_memory(struct src_preprocessor *pp);

// frame.c: files.
struct src_frame *ki_src_top(struct src_preprocessor *pp);
kn_status ki_src_push_input(struct src_preprocessor *pp, struct src_input *input, enum src_origin origin,
                            const char *from_file, long from_line, struct src_inclusion **inclusion);
// Ends the innermost file; its conditionals must be closed.
kn_status ki_src_pop_input(struct src_preprocessor *pp);
kn_status ki_src_include(struct src_preprocessor *pp, const struct src_token *hash);
// Keeps the directive that was just read out of the OpenCL text.
kn_status ki_src_cut_line(struct src_preprocessor *pp);
// Reads the rest of a directive's line into pp->line.
kn_status ki_src_read_line(struct src_preprocessor *pp);

// Lists. A list is freed with ki_src_list_free, or its tokens live on elsewhere and still count.
kn_status ki_src_list_add(struct src_preprocessor *pp, struct src_list *list, const struct src_token *token);
void ki_src_list_free(struct src_preprocessor *pp, struct src_list *list);

// expand.c: the next token with all macros expanded / as it stands; SRC_END at the end of all or at a
// barrier.
kn_status ki_src_next(struct src_preprocessor *pp, struct src_token *token);
kn_status ki_src_next_raw(struct src_preprocessor *pp, struct src_token *token);
kn_status ki_src_expand_list(struct src_preprocessor *pp, const struct src_token *tokens, size_t count,
                             struct src_list *out);

// call.c: reads the arguments of a call whose '(' comes next, and makes its expansion.
kn_status ki_src_call(struct src_preprocessor *pp, const struct src_macro *macro,
                      const struct src_token *name, long *last_line, struct src_list *out);
// The expansion of an object-like macro with ## in its body.
kn_status ki_src_paste_body(struct src_preprocessor *pp, const struct src_macro *macro,
                            const struct src_token *name, struct src_list *out);

// operators.c: # and ##, and tokens that are made.
kn_status ki_src_stringify(struct src_preprocessor *pp, const struct src_token *tokens, size_t count,
                           struct src_token *made);
kn_status ki_src_paste(struct src_preprocessor *pp, struct src_token *left, const struct src_token *right);
// `string` as a string literal, or as it is.
kn_status ki_src_make_string(struct src_preprocessor *pp, const char *string, struct src_token *made);
kn_status ki_src_make_token(struct src_preprocessor *pp, const char *text, size_t length,
                            struct src_token *made);
// The text of a string literal; NULL if it is not one or memory ran out.
const char *ki_src_string_text(struct src_preprocessor *pp, const struct src_token *token);

// macro.c: #define and #undef, with the line in pp->line.
kn_status ki_src_define(struct src_preprocessor *pp, const struct src_token *hash);
kn_status ki_src_undefine(struct src_preprocessor *pp, const struct src_token *hash);
kn_status ki_src_define_builtins(struct src_preprocessor *pp);

// directive.c: a '#' at the start of a line was read.
kn_status ki_src_directive(struct src_preprocessor *pp, const struct src_token *hash);
// A pragma's token from what follows the word.
kn_status ki_src_make_pragma(struct src_preprocessor *pp, const struct src_token *tokens, size_t count,
                             struct src_token *made);

// conditional.c: what each conditional directive does.
bool ki_src_is_skipping(const struct src_preprocessor *pp);
kn_status ki_src_if(struct src_preprocessor *pp, const struct src_token *hash);
kn_status ki_src_ifdef(struct src_preprocessor *pp, const struct src_token *hash);
kn_status ki_src_ifndef(struct src_preprocessor *pp, const struct src_token *hash);
kn_status ki_src_elif(struct src_preprocessor *pp, const struct src_token *hash);
kn_status ki_src_else(struct src_preprocessor *pp, const struct src_token *hash);
kn_status ki_src_endif(struct src_preprocessor *pp, const struct src_token *hash);

#endif
