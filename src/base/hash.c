// SPDX-License-Identifier: Apache-2.0
#include "hash.h"

#include <sha2.h>
#include <stdint.h>
#include <stdio.h>

struct ki_hash ki_hash_fields(const struct ki_field *fields, size_t count)
{
    SHA2_CTX context;
    struct ki_hash hash;

    SHA256Init(&context);
    for (size_t i = 0; i < count; i++) {
        uint64_t length = fields[i].bytes;
        SHA256Update(&context, (const uint8_t *)&length, sizeof length);
        SHA256Update(&context, fields[i].data, fields[i].bytes);
    }
    SHA256Final(hash.bytes, &context);
    return hash;
}

bool ki_hash_file(FILE *stream, struct ki_hash *hash)
{
    unsigned char part[1 << 16];
    SHA2_CTX context;
    size_t got;

    SHA256Init(&context);
    while ((got = fread(part, 1, sizeof part, stream)))
        SHA256Update(&context, part, got);
    SHA256Final(hash->bytes, &context);
    return !ferror(stream);
}

void ki_hash_hex(const struct ki_hash *hash, char hex[2 * KI_HASH_BYTES + 1])
{
    for (size_t i = 0; i < KI_HASH_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash->bytes[i]);
}
