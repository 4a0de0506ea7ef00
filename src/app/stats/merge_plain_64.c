// SPDX-License-Identifier: Apache-2.0
// Keys of 64 bits merged in plain C.
#define KEY_BITS 64
#include "merge_plain.h"

const struct merge_words merge_words_plain_64 = {KN_HOST_SCALAR, RUN, merge};
