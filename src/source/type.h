// SPDX-License-Identifier: Apache-2.0
// Types as far as a kernel's parameters need them: OpenCL C's own, typedefs of the program, pointers and
// arrays.
#ifndef KN_SOURCE_TYPE_H
#define KN_SOURCE_TYPE_H

#include "source/preprocess/lexer.h"
#include "source/source.h"

enum src_space { SRC_SPACE_NONE, SRC_SPACE_PRIVATE, SRC_SPACE_LOCAL, SRC_SPACE_CONSTANT, SRC_SPACE_GLOBAL };

enum src_class {
    SRC_CLASS_DATA, // numbers, vectors, structs, enums, and types that only the compiler knows
    SRC_CLASS_VOID,
    SRC_CLASS_IMAGE,
    SRC_CLASS_SAMPLER,
    SRC_CLASS_BOOL,  // its size depends on the device: it cannot be a kernel argument by value
    SRC_CLASS_SIZED, // size_t and the like: the same
    SRC_CLASS_EVENT  // it cannot be a kernel argument
};

struct src_type {
    enum src_class class;
    size_t size;             // of the innermost type (without pointers and arrays); 0 if unknown
    kn_source_number number; // of the innermost type
    enum src_space space;    // of the target of the innermost pointer
    size_t pointers;         // how many '*' and '[]' (of a parameter) it has
    bool is_array; // its last '[]' may still turn out to be an element of something; then it is not a pointer
    size_t array_length; // of that; 0 if unknown
    bool is_const;       // what it points to is const
    bool is_written;     // an image that is write_only or read_write
    const char *image;   // of an image: its own name, whatever a typedef calls it
    bool is_function;    // a function, or a pointer to one
};

// Read tokens from `at` to `end`: the specifiers of a declaration, and then a declarator.
struct src_declaration {
    struct src_type base; // what the specifiers say
    const struct src_token *first,
        *last; // the words of the type, qualifiers between them included; last is inclusive
    bool is_typedef;
};

// Specifiers and qualifiers from *at on, which moves past them.
void ki_src_read_specifiers(const struct src_token **at, const struct src_token *end,
                            struct src_declaration *declaration);

// A declarator: pointers, name (NULL if there is none), arrays. *at moves past it.
void ki_src_read_declarator(const struct src_token **at, const struct src_token *end,
                            const struct src_declaration *from, struct src_type *type,
                            const struct src_token **name);

// Whether a word is a qualifier (const, __global, __read_only, ...) and therefore not part of a type's name.
bool ki_src_is_qualifier(const struct src_token *token);

// The token that closes the group that opens at `at`; NULL if it is never closed.
const struct src_token *ki_src_close_of(const struct src_token *at, const struct src_token *end);
// The token after an attribute's, a bracket's or a brace's group; `end` if it is never closed.
const struct src_token *ki_src_skip_group(const struct src_token *at, const struct src_token *end);
const struct src_token *ki_src_skip_attributes(const struct src_token *at, const struct src_token *end);
bool ki_src_is_attribute(const struct src_token *token);

#endif
