// SPDX-License-Identifier: Apache-2.0
// Keys of 32 bits merged with AVX-512.
#include "merge_words.h"

#ifdef HOST_HAS_VECTORS
#define KEY_BITS 32
#include "host/host_avx512.h"
#include "merge_vector.h"

const struct merge_words merge_words_avx512_32 = MERGE_WORDS(KN_HOST_AVX512);
#endif
