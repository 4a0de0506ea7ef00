// SPDX-License-Identifier: Apache-2.0
// Images from .npy files: every type, in both byte orders and both index orders, as one image and as a stack,
// from files and from memory; and arrays that are not images, or are incomplete.
#include "io_support.h"

#include "base/array.h"
#include "io/image/image.h"
#include "support/run.h"

enum { PAGES = 3, HEIGHT = 4, WIDTH = 5, COUNT = PAGES * HEIGHT * WIDTH };

static const struct kind {
    const char *descr;
    size_t size;
    bool is_signed, is_float;
    kn_type type; // of the samples when read
} kinds[] = {
    {"|u1", 1, false, false, KN_U8},  {"|b1", 1, false, false, KN_U8},  {"<u2", 2, false, false, KN_U16},
    {">u2", 2, false, false, KN_U16}, {"|i1", 1, true, false, KN_F32},  {">i2", 2, true, false, KN_F32},
    {"<i4", 4, true, false, KN_F32},  {"<u4", 4, false, false, KN_F32}, {">i8", 8, true, false, KN_F32},
    {"<u8", 8, false, false, KN_F32}, {"<f4", 4, true, true, KN_F32},   {">f4", 4, true, true, KN_F32},
    {"<f8", 8, true, true, KN_F32},
};

// The value of pixel (x, y) of a page, within the range of the type.
static int level(const struct kind *kind, size_t page, size_t y, size_t x)
{
    int value = (int)(40 * page + 10 * y + x);

    return kind->descr[1] == 'b' ? value % 2 : kind->is_signed ? value - 60 : value;
}

static void put(const struct kind *kind, int value, unsigned char *to)
{
    union {
        int64_t whole;
        float single;
        double both;
        unsigned char bytes[8];
    } as = {.whole = value};

    if (kind->is_float && kind->size == 4)
        as.single = (float)value;
    else if (kind->is_float)
        as.both = value;
    for (size_t i = 0; i < kind->size; i++)
        to[i] = as.bytes[kind->descr[0] == '>' ? kind->size - 1 - i : i];
}

// Makes a whole file; returns its length.
static size_t make(const struct kind *kind, size_t pages, bool fortran, unsigned char *file)
{
    char shape[32];
    size_t at;
    int length;

    if (pages > 1)
        snprintf(shape, sizeof shape, "(%zu, %d, %d)", pages, HEIGHT, WIDTH);
    else
        snprintf(shape, sizeof shape, "(%d, %d)", HEIGHT, WIDTH);
    memcpy(file, "\x93NUMPY\1\0\x76\0", 10);
    length = snprintf((char *)file + 10, 119, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }",
                      kind->descr, fortran ? "True" : "False", shape);
    memset(file + 10 + length, ' ', 118 - (size_t)length);
    file[127] = '\n';
    at = 128;
    for (size_t page = 0; page < pages; page++)
        for (size_t y = 0; y < HEIGHT; y++)
            for (size_t x = 0; x < WIDTH; x++) {
                size_t c = (page * HEIGHT + y) * WIDTH + x, f = (x * HEIGHT + y) * pages + page;

                put(kind, level(kind, page, y, x), file + at + (fortran ? f : c) * kind->size);
            }
    return at + pages * HEIGHT * WIDTH * kind->size;
}

static void expect_page(const struct kind *kind, struct image_file *file, size_t page)
{
    struct image image;

    IO_OK(image_read(file, page, &image, err));
    ck_assert_uint_eq(image.width, WIDTH);
    ck_assert_uint_eq(image.height, HEIGHT);
    ck_assert_uint_eq(image.channels, 1);
    ck_assert_int_eq(image.type, kind->type);
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++) {
            size_t i = y * WIDTH + x;
            double found = image.type == KN_U8    ? ((uint8_t *)image.samples)[i]
                           : image.type == KN_U16 ? ((uint16_t *)image.samples)[i]
                                                  : (double)((float *)image.samples)[i];

            ck_assert_msg(found == level(kind, page, y, x), "%s, page %zu, (%zu, %zu): %g instead of %d",
                          kind->descr, page, x, y, found, level(kind, page, y, x));
        }
    free(image.samples);
}

START_TEST(every_kind)
{
    unsigned char bytes[128 + 8 * COUNT];

    for (size_t k = 0; k < KI_COUNT(kinds); k++)
        for (unsigned form = 0; form < 8; form++) {
            size_t pages = form & 1 ? PAGES : 1, count = make(&kinds[k], pages, form & 2, bytes);
            const struct image_bytes memory = {"-", bytes, count};
            struct image_file *file;

            if (form & 4)
                io_write("a.npy", bytes, count);
            IO_OK(form & 4 ? image_open(io_path("a.npy"), 0, &file, err)
                           : image_open_bytes(&memory, 0, &file, err));
            ck_assert_uint_eq(image_pages(file), pages);
            for (size_t page = pages; page-- > 0;)
                expect_page(&kinds[k], file, page);
            image_close(file);
        }
}
END_TEST

static void refuse(const char *head, size_t bytes, const char *words)
{
    unsigned char all[512] = "\x93NUMPY\1\0\x76";
    struct image_file *file;

    memset(all + 10, ' ', 118);
    memcpy(all + 10, head, strlen(head));
    io_write("a.npy", all, 128 + bytes);
    IO_REFUSED(image_open(io_path("a.npy"), 0, &file, err), KN_ERROR_INPUT, words);
    ck_assert_ptr_null(file);
}

#define HEAD(descr, shape) "{'descr': '" descr "', 'fortran_order': False, 'shape': " shape ", }"

START_TEST(no_image)
{
    refuse(HEAD("|u1", "(6,)"), 6, "has 1 dimensions; expected (rows, columns)");
    refuse(HEAD("|u1", "(1, 1, 2, 3)"), 6, "has 4 dimensions");
    refuse(HEAD("<c8", "(2, 3)"), 48, "is of complex64");
    refuse(HEAD("|u1", "(0, 3)"), 0, "is empty");
    refuse(HEAD("<u2", "(2, 3)"), 11, "the header declares 6 numbers, 12 bytes, but 11 follow it");
    refuse(HEAD("<u2", "(2, 3)"), 13, "but 13 follow it");
    refuse(HEAD("<f2", "(2, 3)"), 12, "a floating-point type other than float32 and float64");
}
END_TEST

START_TEST(too_large)
{
    unsigned char bytes[128 + 8 * COUNT];
    struct image_file *file;
    struct image image;

    io_write("a.npy", bytes, make(&kinds[0], PAGES, false, bytes));
    IO_OK(image_open(io_path("a.npy"), HEIGHT * WIDTH - 1, &file, err));
    IO_REFUSED(image_read(file, 0, &image, err), KN_ERROR_INPUT, "more than the limit of 19 bytes");
    image_close(file);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_kind, no_image, too_large};

    return TEST_RUN_WITH("image_npy", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}
