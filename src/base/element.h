// SPDX-License-Identifier: Apache-2.0
// Elements of any type, handled as stored bits.
#ifndef KN_BASE_ELEMENT_H
#define KN_BASE_ELEMENT_H

#include <stdint.h>

#include <koine/types.h>

// KEY_BITS and KEY_KIND of cl/lib/key.clh.
unsigned ki_element_bits(kn_type type);
unsigned ki_element_kind(kn_type type);

// The element with these bits, in its type or as a double.
void ki_element_store(void *to, uint64_t bits, kn_type type);
double ki_element_value(uint64_t bits, kn_type type);
// The bits of the element whose key is `key` (encode_key in cl/lib/key.clh).
uint64_t ki_element_of_key(uint64_t key, kn_type type);

#endif
