// SPDX-License-Identifier: Apache-2.0
// Component selectors of vectors: xyzw, s0..sF, lo, hi, even, odd.
#ifndef KN_SOURCE_SYNTAX_SWIZZLE_H
#define KN_SOURCE_SYNTAX_SWIZZLE_H

#include <stdbool.h>
#include <stddef.h>

// The components that a selector names on a vector of `lanes` (0: any width), and their number; 0 if it is
// not a selector. An odd half of three lanes has a fourth, undefined component.
int ki_syn_selector(const char *text, size_t length, int lanes, int components[16]);

// The canonical spelling: "x", "wzyx" on vectors of up to four lanes, else "s04".
void ki_syn_selector_name(int lanes, const int *components, int count, char name[20]);

#endif
