// SPDX-License-Identifier: Apache-2.0
// SHA-256 (libmd's) over fields, each preceded by its length, so that ("ab", "c") and ("a", "bc") differ.
#ifndef KN_BASE_HASH_H
#define KN_BASE_HASH_H

#include <stddef.h>

#define KN_HASH_BYTES 32

struct kn_hash {
    unsigned char bytes[KN_HASH_BYTES];
};

// Hashes `count` fields.
struct kn_field {
    const void *data;
    size_t bytes;
};
struct kn_hash kn_hash_fields(const struct kn_field *fields, size_t count);

// The hash in hexadecimal.
void kn_hash_hex(const struct kn_hash *hash, char hex[2 * KN_HASH_BYTES + 1]);

#endif
