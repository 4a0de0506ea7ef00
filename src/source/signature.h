// SPDX-License-Identifier: Apache-2.0
// The signature scan: the kernels that a preprocessed program defines, and their arguments.
#ifndef KN_SOURCE_SIGNATURE_H
#define KN_SOURCE_SIGNATURE_H

#include "source/preprocess/lexer.h"
#include "source.h"

// Fills in the unit's kernels and its first use of double from its tokens. What is kept is in `arena`. Sets
// the typedefs of names on the way.
kn_status ki_src_scan(struct src_unit *unit, struct ki_arena *arena, kn_error *err);

#endif
