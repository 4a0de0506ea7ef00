// SPDX-License-Identifier: Apache-2.0
// The format (TIFF Revision 6.0, Adobe 1992, and the BigTIFF of libtiff): a head, then for each page a
// directory of entries, sorted by their tags, and the numbers; little-endian, as the machine. In a BigTIFF
// counts and offsets have 8 bytes.
#include "tiff_stack.h"

#include <string.h>

#include "base/array.h"

enum {
    WIDTH = 256,
    LENGTH = 257,
    BITS_PER_SAMPLE = 258,
    COMPRESSION = 259,
    PHOTOMETRIC = 262,
    STRIP_OFFSETS = 273,
    SAMPLES_PER_PIXEL = 277,
    ROWS_PER_STRIP = 278,
    STRIP_BYTE_COUNTS = 279,
    SAMPLE_FORMAT = 339
};
enum { SHORT = 3, LONG = 4, LONG8 = 16, OFFSET = 0 }; // types; OFFSET: LONG, or LONG8 in a BigTIFF
enum { NONE = 1, BLACK_IS_ZERO = 1, IEEE_FLOAT = 3, SAMPLE_BITS = 32 }; // values
enum { ENTRIES = 10, HEAD_MOST = 256 };

// Bytes that are collected before they are written.
struct bytes {
    unsigned char data[HEAD_MOST];
    size_t count;
};

static void put(struct bytes *bytes, uint64_t value, size_t size)
{
    memcpy(bytes->data + bytes->count, &value, size);
    bytes->count += size;
}

static size_t word(const struct tiff_stack *stack)
{
    return stack->big ? 8 : 4;
}

static size_t head_bytes(const struct tiff_stack *stack)
{
    return stack->big ? 16 : 8;
}

// A count of entries, the entries, the offset of the next directory; what follows is aligned to 4 bytes.
static size_t directory_bytes(const struct tiff_stack *stack)
{
    return stack->big ? 8 + ENTRIES * 20 + 8 : 2 + ENTRIES * 12 + 4 + 2;
}

static uint64_t page_bytes(const struct tiff_stack *stack)
{
    return directory_bytes(stack) + (uint64_t)stack->width * stack->height * sizeof(float);
}

uint64_t tiff_stack_bytes(const struct tiff_stack *stack)
{
    return head_bytes(stack) + stack->pages * page_bytes(stack);
}

bool tiff_stack_needs_big(size_t width, size_t height, size_t pages)
{
    const struct tiff_stack small = {width, height, pages, false};

    return page_bytes(&small) > UINT32_MAX / (pages ? pages : 1) || tiff_stack_bytes(&small) > UINT32_MAX;
}

void tiff_stack_begin(FILE *stream, const struct tiff_stack *stack)
{
    struct bytes head = {.count = 0};

    put(&head, 'I' | 'I' << 8, 2);
    put(&head, stack->big ? 43 : 42, 2);
    if (stack->big)
        put(&head, 8, 4); // bytes of an offset; two that are 0
    put(&head, head_bytes(stack), word(stack));
    fwrite(head.data, 1, head.count, stream);
}

void tiff_stack_page(FILE *stream, const struct tiff_stack *stack, size_t page, const float *values)
{
    const uint64_t at = head_bytes(stack) + page * page_bytes(stack),
                   numbers = (uint64_t)stack->width * stack->height;
    const struct {
        unsigned tag, type;
        uint64_t value;
    } entries[ENTRIES] = {{WIDTH, LONG, stack->width},
                          {LENGTH, LONG, stack->height},
                          {BITS_PER_SAMPLE, SHORT, SAMPLE_BITS},
                          {COMPRESSION, SHORT, NONE},
                          {PHOTOMETRIC, SHORT, BLACK_IS_ZERO},
                          {STRIP_OFFSETS, OFFSET, at + directory_bytes(stack)},
                          {SAMPLES_PER_PIXEL, SHORT, 1},
                          {ROWS_PER_STRIP, LONG, stack->height},
                          {STRIP_BYTE_COUNTS, OFFSET, numbers * sizeof *values},
                          {SAMPLE_FORMAT, SHORT, IEEE_FLOAT}};
    const unsigned offset = stack->big ? LONG8 : LONG;
    struct bytes directory = {.count = 0};

    put(&directory, ENTRIES, stack->big ? 8 : 2);
    for (size_t i = 0; i < KI_COUNT(entries); i++) {
        put(&directory, entries[i].tag, 2);
        put(&directory, entries[i].type == OFFSET ? offset : entries[i].type, 2);
        put(&directory, 1, word(stack));
        put(&directory, entries[i].value, word(stack));
    }
    put(&directory, page + 1 < stack->pages ? at + page_bytes(stack) : 0, word(stack));
    directory.count = directory_bytes(stack);
    fwrite(directory.data, 1, directory.count, stream);
    fwrite(values, sizeof *values, numbers, stream);
}
