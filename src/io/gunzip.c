// SPDX-License-Identifier: Apache-2.0
#include "gunzip.h"

#include <config.h>
#include <stdint.h>
#include <stdlib.h>

#if HAVE_ISAL
#include <isa-l/igzip_lib.h>

struct gunzip {
    struct inflate_state stream;
};

struct gunzip *gunzip_open(void)
{
    struct gunzip *gunzip = malloc(sizeof *gunzip);

    if (!gunzip)
        return NULL;
    isal_inflate_init(&gunzip->stream);
    gunzip->stream.crc_flag = ISAL_GZIP;
    return gunzip;
}

void gunzip_close(struct gunzip *gunzip)
{
    free(gunzip);
}

static const char *reason(int result)
{
    switch (result) {
    case ISAL_INVALID_BLOCK:
        return "invalid block";
    case ISAL_INVALID_SYMBOL:
        return "invalid symbol";
    case ISAL_INVALID_LOOKBACK:
        return "invalid distance";
    case ISAL_INVALID_WRAPPER:
        return "invalid head";
    case ISAL_UNSUPPORTED_METHOD:
        return "unknown method of compression";
    case ISAL_INCORRECT_CHECKSUM:
        return "incorrect checksum";
    default:
        return "ISA-L refuses them";
    }
}

kn_status gunzip_some(struct gunzip *gunzip, struct gunzip_step *step)
{
    struct inflate_state *stream = &gunzip->stream;
    int result;

    stream->next_in = (uint8_t *)(uintptr_t)step->from;
    stream->avail_in = (uint32_t)step->packed;
    stream->next_out = (uint8_t *)step->to;
    stream->avail_out = (uint32_t)step->room;
    result = isal_inflate(stream);
    step->taken = step->packed - stream->avail_in;
    step->written = step->room - stream->avail_out;
    step->part_ends = result >= 0 && stream->block_state == ISAL_BLOCK_FINISH;
    step->why = result < 0 ? reason(result) : NULL;
    if (step->part_ends)
        isal_inflate_reset(stream); // the checksum after a part consumed all that was read ahead
    return result < 0 ? KN_ERROR_INPUT : KN_OK;
}

#else
#include <zlib.h>

struct gunzip {
    z_stream stream;
};

struct gunzip *gunzip_open(void)
{
    enum { GZIP_HEAD = 16 + MAX_WBITS };
    struct gunzip *gunzip = calloc(1, sizeof *gunzip);

    if (gunzip && inflateInit2(&gunzip->stream, GZIP_HEAD) != Z_OK) {
        free(gunzip);
        return NULL;
    }
    return gunzip;
}

void gunzip_close(struct gunzip *gunzip)
{
    if (gunzip)
        inflateEnd(&gunzip->stream);
    free(gunzip);
}

kn_status gunzip_some(struct gunzip *gunzip, struct gunzip_step *step)
{
    z_stream *stream = &gunzip->stream;
    int result;

    stream->next_in = (Bytef *)(uintptr_t)step->from;
    stream->avail_in = (uInt)step->packed;
    stream->next_out = (Bytef *)step->to;
    stream->avail_out = (uInt)step->room;
    result = inflate(stream, Z_NO_FLUSH);
    step->taken = step->packed - stream->avail_in;
    step->written = step->room - stream->avail_out;
    step->part_ends = result == Z_STREAM_END;
    step->why = NULL;
    if (result == Z_MEM_ERROR)
        return KN_ERROR_MEMORY;
    if (result == Z_STREAM_END)
        inflateReset(stream);
    else if (result != Z_OK && result != Z_BUF_ERROR)
        step->why = stream->msg ? stream->msg : "zlib refuses them";
    return step->why ? KN_ERROR_INPUT : KN_OK;
}
#endif
