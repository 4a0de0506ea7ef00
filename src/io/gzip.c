// SPDX-License-Identifier: Apache-2.0
#include "gzip.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/os/input.h"

enum { GZIP_HEAD = 16 + MAX_WBITS, NO_HEAD = -MAX_WBITS, FIRST_ROOM = 1 << 20 };

static bool is_packed(const unsigned char *bytes, size_t count)
{
    return count >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

// How much of `left` zlib takes at a time.
static uInt piece(size_t left)
{
    return left < UINT_MAX ? (uInt)left : UINT_MAX;
}

// Fills the available room; Z_OK if more may come, Z_STREAM_END at a part's end.
static int inflate_some(z_stream *stream, const unsigned char *packed, size_t packed_count, size_t *taken,
                        char *to, size_t room, size_t *given)
{
    int result;

    stream->next_in = (Bytef *)(uintptr_t)(packed + *taken);
    stream->avail_in = piece(packed_count - *taken);
    stream->next_out = (Bytef *)(to + *given);
    stream->avail_out = piece(room - *given);
    result = inflate(stream, Z_NO_FLUSH);
    *taken = (size_t)(stream->next_in - packed);
    *given = (size_t)((char *)stream->next_out - to);
    return result;
}

static kn_status unpacking_failed(const char *name, int result, const char *why, kn_error *err)
{
    if (result == Z_MEM_ERROR)
        return ki_fail_memory(err, 0, name);
    if (result == Z_BUF_ERROR || result == Z_OK)
        return ki_fail_at(err, KN_ERROR_INPUT, name, 0,
                          "its compressed data end early; is the file complete?");
    return ki_fail_at(err, KN_ERROR_INPUT, name, 0, "its compressed data are damaged (%s)",
                      why ? why : "zlib refuses them");
}

static bool make_room(struct gzip_file *file, size_t *room)
{
    char *grown = realloc(file->bytes, 2 * *room + GZIP_MARGIN);

    if (grown) {
        file->bytes = grown;
        *room *= 2;
    }
    return grown;
}

// Decompresses the parts of `packed`, one after the other, into `file`.
static kn_status unpack(const unsigned char *packed, size_t packed_count, struct gzip_file *file,
                        kn_error *err)
{
    z_stream stream = {.next_in = NULL};
    size_t room = packed_count < FIRST_ROOM / 4 ? FIRST_ROOM : 4 * packed_count, taken = 0;
    int result = inflateInit2(&stream, GZIP_HEAD);
    kn_status status = KN_OK;

    if (result != Z_OK)
        return unpacking_failed(file->name, result, stream.msg, err);
    file->bytes = malloc(room + GZIP_MARGIN);
    while (file->bytes) {
        result = inflate_some(&stream, packed, packed_count, &taken, file->bytes, room, &file->count);
        if (result == Z_STREAM_END) {
            if (!is_packed(packed + taken, packed_count - taken))
                break;
            inflateReset(&stream);
        } else if ((result != Z_OK && result != Z_BUF_ERROR) ||
                   (taken == packed_count && file->count < room)) {
            status = unpacking_failed(file->name, result, stream.msg, err);
            break;
        }
        if (file->count == room && !make_room(file, &room)) {
            status = ki_fail_memory(err, 2 * room, file->name);
            break;
        }
    }
    inflateEnd(&stream);
    return file->bytes ? status : ki_fail_memory(err, room, file->name);
}

// The file as it is, with its margin.
static kn_status read_all(FILE *stream, struct gzip_file *file, kn_error *err)
{
    size_t have = 0;
    void *data = NULL;
    char *grown;
    // A regular file is shorter than that: then nothing is read, and `have` is its length.
    kn_status status = ki_input_read(stream, file->name, SIZE_MAX / 2, &data, &have, err);

    if (!status && have > 0 && !feof(stream)) {
        size_t count = have;

        free(data);
        status = ki_input_read(stream, file->name, count, &data, &have, err);
    }
    if (status)
        return status;
    grown = realloc(data, have + GZIP_MARGIN);
    if (!grown) {
        free(data);
        return ki_fail_memory(err, have, file->name);
    }
    file->bytes = grown;
    file->count = have;
    return KN_OK;
}

kn_status gzip_read(const char *path, struct gzip_file *file, kn_error *err)
{
    bool is_input = strcmp(path, "-") == 0;
    FILE *stream = is_input ? stdin : fopen(path, "rb");
    kn_status status;

    *file = (struct gzip_file){.name = is_input ? "standard input" : path};
    if (!stream)
        return ki_fail_errno(err, KN_ERROR_INPUT, path, errno, "cannot be read");
    status = read_all(stream, file, err);
    if (!is_input)
        fclose(stream);
    if (!status && is_packed((unsigned char *)file->bytes, file->count)) {
        unsigned char *packed = (unsigned char *)file->bytes;
        size_t count = file->count;

        file->bytes = NULL;
        file->count = 0;
        status = unpack(packed, count, file, err);
        free(packed);
    }
    if (status)
        gzip_free(file);
    else
        memset(file->bytes + file->count, 0, GZIP_MARGIN);
    return status;
}

kn_status gzip_inflate(const char *name, const void *packed, size_t packed_count, void *bytes, size_t count,
                       kn_error *err)
{
    z_stream stream = {.next_in = NULL};
    size_t taken = 0, given = 0;
    char none; // zlib needs a pointer even for nothing
    int result = inflateInit2(&stream, NO_HEAD);
    kn_status status = KN_OK;

    while (result == Z_OK)
        result = inflate_some(&stream, packed, packed_count, &taken, count ? bytes : &none, count, &given);
    if (result != Z_STREAM_END)
        status = unpacking_failed(name, given == count ? Z_DATA_ERROR : result, stream.msg, err);
    else if (given != count)
        status = ki_fail_at(err, KN_ERROR_INPUT, name, 0, "decompresses to %zu bytes instead of %zu", given,
                            count);
    inflateEnd(&stream);
    return status;
}

void gzip_free(struct gzip_file *file)
{
    free(file->bytes);
    *file = (struct gzip_file){.bytes = NULL};
}
