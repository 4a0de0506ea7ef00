// SPDX-License-Identifier: Apache-2.0
// Images from PNG, TIFF and NumPy files, recognised by their first bytes, whatever their names. A file's
// declared size is checked before anything is allocated. Several threads may read at once, each with a
// separate image_file. A build without libtiff refuses TIFF files by name.
//
// PNG: all of them. 1, 2 and 4 bits of grey are spread over 8, palettes become RGB, a transparent colour
// becomes alpha. TIFF: one page or many, in strips or tiles, interleaved or planar; grey (also white-is-zero,
// which is inverted), RGB and palette of 8 or 16 bits, grey and RGB of 32-bit float; with or without alpha.
// Reduced copies of a page (NewSubfileType's bit 0) are not pages. Orientation and gamma are ignored: rows
// and levels are as stored. NumPy (.npy): (rows, columns), or (pages, rows, columns) for a stack; uint8,
// uint16 and float32 as they are, bool as 0 and 1, other real numbers as floats.
#ifndef KN_IO_IMAGE_IMAGE_H
#define KN_IO_IMAGE_IMAGE_H

#include <stddef.h>

#include <koine/types.h>

struct image {
    size_t width, height;
    unsigned channels; // 1 grey; 2 grey and alpha; 3 red, green, blue; 4 RGB and alpha
    kn_type type;      // of a sample: KN_U8, KN_U16, KN_F32
    void *samples;     // rows from top to bottom, the channels of a pixel together; the caller frees it
};

struct image_file;

enum { IMAGE_BYTES_MAX = 1 << 30 };

// Opens a file and reads its head. At most `bytes_max` bytes of samples are read for a page (0:
// IMAGE_BYTES_MAX). Errors, with the file, what was found and what was expected: KN_ERROR_INPUT;
// KN_ERROR_UNSUPPORTED for a TIFF in a build without libtiff; KN_ERROR_MEMORY.
kn_status image_open(const char *path, size_t bytes_max, struct image_file **file, kn_error *err);

// A file that was read whole. `name` is for errors, and is borrowed.
struct image_bytes {
    const char *name;
    void *data;
    size_t count;
};

// Reads standard input to its end, which can be done once; its name is "-". The caller frees `data`. Errors:
// KN_ERROR_INPUT, also for more than IMAGE_BYTES_MAX bytes; KN_ERROR_MEMORY.
kn_status image_read_input(struct image_bytes *bytes, kn_error *err);

// image_open for such a file, which must stay in memory.
kn_status image_open_bytes(const struct image_bytes *bytes, size_t bytes_max, struct image_file **file,
                           kn_error *err);

// At least 1; pages may differ in size and kind.
size_t image_pages(const struct image_file *file);

// Decodes page `page`, from 0; in any order, and repeatedly. Memory: the samples, and one strip or tile.
// Errors as above, and KN_ERROR_ARGUMENT for a page that does not exist; `image->samples` is then NULL.
kn_status image_read(struct image_file *file, size_t page, struct image *image, kn_error *err);

// NULL is fine.
void image_close(struct image_file *file);

#endif
