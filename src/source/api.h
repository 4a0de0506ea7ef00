// SPDX-License-Identifier: Apache-2.0
// What koine/experimental/source.h hands out: a unit, and what else is known about it.
#ifndef KN_SOURCE_API_H
#define KN_SOURCE_API_H

#include <koine/experimental/source.h>

#include "base/arena.h"
#include "source/cuda/cuda.h"
#include "source/source.h"

struct kn_source {
    struct src_unit *unit;
    struct src_options reading; // the options for reading; their host macros are in `arena`
    struct src_cuda *cuda;      // NULL before kn_source_make_cuda
    struct ki_arena arena;
};

#endif
