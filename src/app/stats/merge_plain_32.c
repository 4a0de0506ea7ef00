// SPDX-License-Identifier: Apache-2.0
// Keys of 32 bits merged in plain C.
#define KEY_BITS 32
#include "merge_plain.h"

const struct merge_words merge_words_plain_32 = {KN_HOST_SCALAR, RUN, merge};
