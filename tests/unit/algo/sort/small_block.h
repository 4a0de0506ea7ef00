// SPDX-License-Identifier: Apache-2.0
// Options for the tests of whole sorts on an interpreter.
#ifndef KN_TESTS_UNIT_ALGO_SORT_SMALL_BLOCK_H
#define KN_TESTS_UNIT_ALGO_SORT_SMALL_BLOCK_H

#include <koine/experimental.h>
#include <koine/sort.h>

#include "support/device.h"

// A small block if an interpreter has to sort it.
static inline const kn_sort_options *small_block(void)
{
    static const kn_sort_tuning block = {.log2_group = 5, .log2_keys = 2};
    static const kn_sort_options small = {.struct_size = sizeof(kn_sort_options), .tuning = &block};

    return test_is_slow() ? &small : NULL;
}

#endif
