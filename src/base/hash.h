// SPDX-License-Identifier: Apache-2.0
// SHA-256 (libmd's) over fields, each preceded by its length, so that ("ab", "c") and ("a", "bc") differ.
#ifndef KN_BASE_HASH_H
#define KN_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define KI_HASH_BYTES 32

struct ki_hash {
    unsigned char bytes[KI_HASH_BYTES];
};

// Hashes `count` fields.
struct ki_field {
    const void *data;
    size_t bytes;
};
struct ki_hash ki_hash_fields(const struct ki_field *fields, size_t count);

// Plain SHA-256, without lengths, of all that is left in a stream, as sha256sum prints it. False: reading
// failed.
bool ki_hash_file(FILE *stream, struct ki_hash *hash);

// The hash in hexadecimal.
void ki_hash_hex(const struct ki_hash *hash, char hex[2 * KI_HASH_BYTES + 1]);

#endif
