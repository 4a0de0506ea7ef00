// SPDX-License-Identifier: Apache-2.0
// Constant expressions of #if (C99 6.10.1): 64-bit integers, all operators.
#ifndef KN_SOURCE_PREPROCESS_EXPRESSION_H
#define KN_SOURCE_PREPROCESS_EXPRESSION_H

#include "lexer.h"

struct src_value {
    uint64_t bits;
    bool is_unsigned;
};

// Why an expression has no value, and the token where that was found (NULL: its end).
struct src_complaint {
    char text[200];
    const struct src_token *at;
};

// Tokens whose macros are expanded; remaining identifiers are 0.
bool ki_src_evaluate(const struct src_token *tokens, size_t count, struct src_value *value,
                     struct src_complaint *complaint);

#endif
