// SPDX-License-Identifier: Apache-2.0
// TIFF stacks of grey float32 pages, as ImageJ, tifffile and tomography programs read them: uncompressed,
// a page in one strip behind its head, so that a stream need not be seekable; a BigTIFF from 4 GiB on.
// (libtiff, which reads them here, seeks while it writes.)
#ifndef KN_IO_ARRAY_TIFF_STACK_H
#define KN_IO_ARRAY_TIFF_STACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct tiff_stack {
    size_t width, height, pages; // at least 1 each; width and height below 2^32
    bool big;                    // a BigTIFF
};

// Bytes of the whole file.
uint64_t tiff_stack_bytes(const struct tiff_stack *stack);
// Whether the file is larger than a TIFF that is no BigTIFF can be.
bool tiff_stack_needs_big(size_t width, size_t height, size_t pages);

// What a file begins with; then its pages, in order, from 0: width x height numbers, rows from top to bottom.
// Errors stick in the stream.
void tiff_stack_begin(FILE *stream, const struct tiff_stack *stack);
void tiff_stack_page(FILE *stream, const struct tiff_stack *stack, size_t page, const float *values);

#endif
