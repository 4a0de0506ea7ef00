// SPDX-License-Identifier: Apache-2.0
#include "share_bytes.h"

#include <stdlib.h>
#include <string.h>

void share_put(struct share_writer *writer, const void *bytes, size_t size)
{
    if (!writer->status && size)
        writer->status = kn_distribute_put(writer->result, bytes, size, writer->err);
}

void share_get(struct share_reader *reader, void *to, size_t size)
{
    memcpy(to, reader->at, size);
    reader->at += size;
}

void *share_get_array(struct share_reader *reader, size_t count, size_t size)
{
    void *array = count ? malloc(count * size) : NULL;

    reader->failed = reader->failed || (count && !array);
    if (array)
        memcpy(array, reader->at, count * size);
    reader->at += count * size;
    return array;
}
