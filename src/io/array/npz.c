// SPDX-License-Identifier: Apache-2.0
#include "npz.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"

// The .zip format (APPNOTE.TXT of PKWARE, 4.3 to 4.5): records with a signature, all little-endian.
enum {
    LOCAL = 0x04034b50,
    LOCAL_BYTES = 30,
    CENTRAL = 0x02014b50,
    CENTRAL_BYTES = 46,
    END = 0x06054b50,
    END_BYTES = 22,
    LARGE_END = 0x06064b50, // for more than 65,535 members or 4 GB
    LARGE_END_BYTES = 56,
    LOCATOR = 0x07064b50,
    LOCATOR_BYTES = 20,
    LARGE_EXTRA = 1, // sizes of 64 bits
    COMMENT_MOST = 65535,
    STORED = 0,
    DEFLATED = 8,
    ENCRYPTED = 1,
    NAME_MOST = 256
};

#define DEFLATE_MOST 1032 // the most bytes that one compressed byte can give

static uint64_t number(const unsigned char *p, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

static kn_status bad(const struct npz *npz, const char *what, kn_error *err)
{
    return ki_fail_at(err, KN_ERROR_INPUT, npz->file.name, 0,
                      "%s; expected a NumPy archive (.npz), is it complete?", what);
}

// `bytes` of the file at `at` that begin with a signature; NULL if they are not there.
static const unsigned char *record(const struct npz *npz, uint64_t at, size_t bytes, uint32_t signature)
{
    const unsigned char *p = (const unsigned char *)npz->file.bytes + at;

    if (at > npz->file.count || bytes > npz->file.count - at || number(p, 4) != signature)
        return NULL;
    return p;
}

// ---- the directory ----

static bool find_end(const struct npz *npz, uint64_t *at)
{
    uint64_t count = npz->file.count,
             first = count > END_BYTES + COMMENT_MOST ? count - END_BYTES - COMMENT_MOST : 0;

    for (uint64_t i = count; i-- > first;)
        if (record(npz, i, END_BYTES, END)) {
            *at = i;
            return true;
        }
    return false;
}

// Where the directory begins, and how many members it has.
static kn_status find_directory(const struct npz *npz, uint64_t *at, uint64_t *count, kn_error *err)
{
    uint64_t end;
    const unsigned char *p, *locator = NULL;

    if (!find_end(npz, &end))
        return bad(npz, "has no directory at its end", err);
    p = record(npz, end, END_BYTES, END);
    *count = number(p + 10, 2);
    *at = number(p + 16, 4);
    if (number(p + 4, 2) != number(p + 6, 2) || number(p + 8, 2) != *count)
        return bad(npz, "is one of several volumes", err);
    if (end >= LOCATOR_BYTES)
        locator = record(npz, end - LOCATOR_BYTES, LOCATOR_BYTES, LOCATOR);
    if (!locator)
        return KN_OK;
    p = record(npz, number(locator + 8, 8), LARGE_END_BYTES, LARGE_END);
    if (!p)
        return bad(npz, "has a damaged directory", err);
    *count = number(p + 32, 8);
    *at = number(p + 48, 8);
    return KN_OK;
}

// Sizes and positions that do not fit in 32 bits are in an extra field, one after the other.
static void take_large(const unsigned char *extra, size_t bytes, struct npz_member *member)
{
    uint64_t *wanted[] = {&member->bytes, &member->packed_bytes, &member->at};

    while (bytes >= 4) {
        size_t size = (size_t)number(extra + 2, 2), at = 4;

        if (size > bytes - 4)
            return;
        for (size_t i = 0; number(extra, 2) == LARGE_EXTRA && i < 3; i++)
            if (*wanted[i] == UINT32_MAX && at + 8 <= size + 4) {
                *wanted[i] = number(extra + at, 8);
                at += 8;
            }
        extra += size + 4;
        bytes -= size + 4;
    }
}

// The member whose record is at `at`, which moves on to the next one.
static kn_status read_member(const struct npz *npz, uint64_t *at, struct npz_member *member, kn_error *err)
{
    const unsigned char *p = record(npz, *at, CENTRAL_BYTES, CENTRAL);
    size_t name = p ? (size_t)number(p + 28, 2) : 0, extra = p ? (size_t)number(p + 30, 2) : 0;
    size_t all = CENTRAL_BYTES + name + extra + (p ? (size_t)number(p + 32, 2) : 0);

    if (!p || !record(npz, *at, all, CENTRAL))
        return bad(npz, "has a damaged directory", err);
    *member = (struct npz_member){.name = (const char *)p + CENTRAL_BYTES,
                                  .length = name,
                                  .bytes = number(p + 24, 4),
                                  .packed_bytes = number(p + 20, 4),
                                  .at = number(p + 42, 4),
                                  .crc = (uint32_t)number(p + 16, 4),
                                  .method = (unsigned)number(p + 10, 2)};
    if (number(p + 8, 2) & ENCRYPTED)
        return bad(npz, "is encrypted", err);
    take_large(p + CENTRAL_BYTES + name, extra, member);
    if (name > 4 && memcmp(member->name + name - 4, ".npy", 4) == 0)
        member->length -= 4;
    *at += all;
    return KN_OK;
}

kn_status npz_open(const char *path, struct npz *npz, kn_error *err)
{
    uint64_t at = 0, count = 0;
    kn_status status;

    memset(npz, 0, sizeof *npz);
    status = gzip_read(path, &npz->file, err);
    if (!status)
        status = find_directory(npz, &at, &count, err);
    if (!status && count > npz->file.count / CENTRAL_BYTES)
        status = bad(npz, "has a damaged directory", err);
    if (!status) {
        npz->members = calloc((size_t)count + 1, sizeof *npz->members);
        if (!npz->members)
            status = ki_fail_memory(err, (size_t)count * sizeof *npz->members, path);
    }
    for (; npz->count < count && !status; npz->count += !status)
        status = read_member(npz, &at, &npz->members[npz->count], err);
    if (status)
        npz_close(npz);
    return status;
}

void npz_close(struct npz *npz)
{
    gzip_free(&npz->file);
    free(npz->members);
    memset(npz, 0, sizeof *npz);
}

// ---- members ----

static const struct npz_member *find(const struct npz *npz, const char *name)
{
    for (size_t i = 0; i < npz->count; i++)
        if (npz->members[i].length == strlen(name) && memcmp(npz->members[i].name, name, strlen(name)) == 0)
            return &npz->members[i];
    return NULL;
}

bool npz_has(const struct npz *npz, const char *name)
{
    return find(npz, name) != NULL;
}

// A member's uncompressed bytes, which the caller frees; `member_name` is for messages.
static kn_status unpack(const struct npz *npz, const struct npz_member *member, const char *member_name,
                        unsigned char **bytes, kn_error *err)
{
    const unsigned char *p = record(npz, member->at, LOCAL_BYTES, LOCAL);
    uint64_t at = p ? member->at + LOCAL_BYTES + number(p + 26, 2) + number(p + 28, 2) : 0;
    kn_status status = KN_OK;

    *bytes = NULL;
    if (!p || at > npz->file.count || member->packed_bytes > npz->file.count - at ||
        (member->method == STORED && member->bytes != member->packed_bytes) ||
        member->bytes / DEFLATE_MOST > member->packed_bytes + 1)
        return ki_fail_at(err, KN_ERROR_INPUT, member_name, 0,
                          "does not lie within the archive; is it complete?");
    if (member->method != STORED && member->method != DEFLATED)
        return ki_fail_at(err, KN_ERROR_INPUT, member_name, 0,
                          "is compressed by method %u; only stored and deflated members can be read",
                          member->method);
    *bytes = malloc((size_t)member->bytes + 1);
    if (!*bytes)
        return ki_fail_memory(err, (size_t)member->bytes, member_name);
    if (member->method == STORED)
        memcpy(*bytes, npz->file.bytes + at, (size_t)member->bytes);
    else
        status = gzip_inflate(member_name, npz->file.bytes + at, (size_t)member->packed_bytes, *bytes,
                              (size_t)member->bytes, err);
    if (!status && crc32_z(0, *bytes, (size_t)member->bytes) != member->crc)
        status = ki_fail_at(err, KN_ERROR_INPUT, member_name, 0, "is damaged: its CRC does not match");
    if (status) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

// The same by name; `label`, of NAME_MOST bytes, becomes "FILE: NAME".
static kn_status unpack_named(const struct npz *npz, const char *name, char *label, unsigned char **bytes,
                              size_t *count, kn_error *err)
{
    const struct npz_member *member = find(npz, name);

    *bytes = NULL;
    if (!member)
        return ki_fail_at(err, KN_ERROR_INPUT, npz->file.name, 0,
                          "has no array '%s' among its %zu; SciPy's save_npz writes it", name, npz->count);
    snprintf(label, NAME_MOST, "%s: %s", npz->file.name, name);
    *count = (size_t)member->bytes;
    return unpack(npz, member, label, bytes, err);
}

kn_status npz_array(const struct npz *npz, const char *name, struct npy *array, kn_error *err)
{
    char label[NAME_MOST];
    unsigned char *bytes;
    size_t count;
    kn_status status = unpack_named(npz, name, label, &bytes, &count, err);

    memset(array, 0, sizeof *array);
    if (!status)
        status = npy_read_bytes(label, bytes, count, array, err);
    free(bytes);
    return status;
}

kn_status npz_text(const struct npz *npz, const char *name, char *text, size_t size, kn_error *err)
{
    char label[NAME_MOST], kind = 0;
    unsigned char *bytes;
    size_t count, head = 0, at = 0;
    unsigned length = 0;
    kn_status status = unpack_named(npz, name, label, &bytes, &count, err);

    if (status)
        return status;
    if (count > 10) {
        char *descr;

        head = 10 + (size_t)number(bytes + 8, 2);
        bytes[count] = '\0';
        descr = memchr(bytes + 10, ':', count - 10);
        if (!descr || sscanf(descr, ": '%*[|<]%c%u'", &kind, &length) != 2)
            kind = 0;
    }
    if ((kind == 'S' || kind == 'U') && head <= count && length <= (count - head) / (kind == 'U' ? 4 : 1)) {
        for (; at + 1 < size && at < length; at++) {
            uint64_t c = kind == 'U' ? number(bytes + head + 4 * at, 4) : bytes[head + at];

            text[at] = c < 0x80 ? (char)c : '?';
        }
        text[at] = '\0';
    } else {
        status = ki_fail_at(err, KN_ERROR_INPUT, label, 0, "is not text; expected one like 'csr'");
    }
    free(bytes);
    return status;
}
