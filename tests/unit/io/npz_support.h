// SPDX-License-Identifier: Apache-2.0
// Makes archives for tests as NumPy writes them: .npy members in a .zip, stored or deflated.
#ifndef KN_TESTS_UNIT_IO_NPZ_SUPPORT_H
#define KN_TESTS_UNIT_IO_NPZ_SUPPORT_H

#include <zlib.h>

#include "io_support.h"

struct zip {
    unsigned char bytes[1 << 16], directory[4096];
    size_t count, directory_count, members;
};

static inline void zip_put(unsigned char *to, size_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[(*at)++] = (unsigned char)(value >> 8 * i);
}

// The fields that a member's local header and its directory entry share.
static inline void zip_put_sizes(unsigned char *to, size_t *at, bool deflated, uint64_t crc, uint64_t packed,
                                 uint64_t size, size_t name)
{
    zip_put(to, at, 0, 2);
    zip_put(to, at, deflated ? 8 : 0, 2);
    zip_put(to, at, 0, 4);
    zip_put(to, at, crc, 4);
    zip_put(to, at, packed, 4);
    zip_put(to, at, size, 4);
    zip_put(to, at, name, 2);
}

static inline void zip_add(struct zip *zip, const char *name, const void *data, size_t size, bool deflated)
{
    unsigned char packed[1 << 14];
    size_t at = zip->count, packed_size = size, name_length = strlen(name);
    uint64_t crc = crc32(0, data, (uInt)size);

    ck_assert_uint_lt(size, sizeof packed / 2);
    memcpy(packed, data, size);
    if (deflated) {
        z_stream stream = {.next_in = (Bytef *)(uintptr_t)data,
                           .avail_in = (uInt)size,
                           .next_out = packed,
                           .avail_out = sizeof packed};

        ck_assert_int_eq(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, 0), Z_OK);
        ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
        packed_size = stream.total_out;
        deflateEnd(&stream);
    }
    zip_put(zip->bytes, &zip->count, 0x04034b50, 4);
    zip_put(zip->bytes, &zip->count, 20, 2);
    // NumPy writes 64-bit sizes into the local header's extra field; readers use those of the directory.
    zip_put_sizes(zip->bytes, &zip->count, deflated, crc, UINT32_MAX, UINT32_MAX, name_length);
    zip_put(zip->bytes, &zip->count, 20, 2);
    memcpy(zip->bytes + zip->count, name, name_length);
    zip->count += name_length;
    zip_put(zip->bytes, &zip->count, 1, 2);
    zip_put(zip->bytes, &zip->count, 16, 2);
    zip_put(zip->bytes, &zip->count, size, 8);
    zip_put(zip->bytes, &zip->count, packed_size, 8);
    memcpy(zip->bytes + zip->count, packed, packed_size);
    zip->count += packed_size;
    zip_put(zip->directory, &zip->directory_count, 0x02014b50, 4);
    zip_put(zip->directory, &zip->directory_count, 20, 2);
    zip_put(zip->directory, &zip->directory_count, 20, 2);
    zip_put_sizes(zip->directory, &zip->directory_count, deflated, crc, packed_size, size, name_length);
    // No extra field, no comment, volume 0, no attributes.
    zip_put(zip->directory, &zip->directory_count, 0, 8);
    zip_put(zip->directory, &zip->directory_count, 0, 4);
    zip_put(zip->directory, &zip->directory_count, at, 4);
    memcpy(zip->directory + zip->directory_count, name, name_length);
    zip->directory_count += name_length;
    zip->members++;
    ck_assert(zip->count < sizeof zip->bytes / 2 && zip->directory_count < sizeof zip->directory);
}

// Adds a .npy with `bytes` bytes of data; `descr` is like "<i4", `shape` like "(3,)".
static inline void zip_add_array(struct zip *zip, const char *name, const char *descr, const char *shape,
                                 const void *data, size_t bytes, bool deflated)
{
    char npy[8192];
    size_t at = 10;

    at += (size_t)snprintf(npy + at, 200, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr,
                           shape);
    memcpy(npy, "\x93NUMPY\x01", 8);
    npy[8] = (char)(at - 10);
    npy[9] = 0;
    ck_assert_uint_lt(at + bytes, sizeof npy);
    memcpy(npy + at, data, bytes);
    zip_add(zip, name, npy, at + bytes, deflated);
}

static inline void zip_write(const struct zip *zip, const char *name)
{
    static unsigned char all[1 << 17];
    size_t at = zip->count;

    memcpy(all, zip->bytes, zip->count);
    memcpy(all + at, zip->directory, zip->directory_count);
    at += zip->directory_count;
    zip_put(all, &at, 0x06054b50, 4);
    zip_put(all, &at, 0, 4);
    zip_put(all, &at, zip->members, 2);
    zip_put(all, &at, zip->members, 2);
    zip_put(all, &at, zip->directory_count, 4);
    zip_put(all, &at, zip->count, 4);
    zip_put(all, &at, 0, 2);
    io_write(name, all, at);
}

#endif
