// SPDX-License-Identifier: Apache-2.0
// Keys of 64 bits merged with AVX2.
#include "merge_words.h"

#ifdef HOST_HAS_VECTORS
#define KEY_BITS 64
#include "host/host_avx2.h"
#include "merge_vector.h"

const struct merge_words merge_words_avx2_64 = MERGE_WORDS(KN_HOST_AVX2);
#endif
