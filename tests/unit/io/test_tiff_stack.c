// SPDX-License-Identifier: Apache-2.0
// Stacks are read back by libtiff: pages of random sizes, in TIFF and BigTIFF; which files need the latter.
#include <math.h>
#include <sys/stat.h>

#include "io_support.h"

#include <config.h>

#include "io/array/tiff_stack.h"
#include "io/image/image.h"
#include "support/random.h"
#include "support/run.h"

static void write_stack(const char *name, const struct tiff_stack *stack, const float *values)
{
    FILE *stream = fopen(io_path(name), "wb");

    ck_assert_ptr_nonnull(stream);
    tiff_stack_begin(stream, stack);
    for (size_t page = 0; page < stack->pages; page++)
        tiff_stack_page(stream, stack, page, values + page * stack->width * stack->height);
    ck_assert_int_eq(fclose(stream), 0);
}

#if HAVE_TIFF
static void check_pages(const char *name, const struct tiff_stack *stack, const float *values)
{
    const size_t pixels = stack->width * stack->height;
    struct image_file *file;
    struct image image;

    IO_OK(image_open(io_path(name), 0, &file, err));
    ck_assert_uint_eq(image_pages(file), stack->pages);
    for (size_t page = 0; page < stack->pages; page++) {
        IO_OK(image_read(file, page, &image, err));
        ck_assert(image.type == KN_F32 && image.channels == 1);
        ck_assert(image.width == stack->width && image.height == stack->height);
        ck_assert_mem_eq(image.samples, values + page * pixels, pixels * sizeof *values);
        free(image.samples);
    }
    image_close(file);
}
#endif

START_TEST(read_back)
{
    enum { MOST = 40, PAGES = 9 };
    static float values[MOST * MOST * PAGES];
    uint64_t state = test_seed("read_back");

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        values[i] = (float)(test_uniform(&state) - 0.5);
    values[0] = INFINITY;
    for (int i = 0; i < 40; i++) {
        const struct tiff_stack stack = {.width = 1 + test_random(&state) % MOST,
                                         .height = 1 + test_random(&state) % MOST,
                                         .pages = 1 + test_random(&state) % PAGES,
                                         .big = i % 2};
        struct stat facts;

        write_stack("a.tif", &stack, values);
        ck_assert_int_eq(stat(io_path("a.tif"), &facts), 0);
        ck_assert_uint_eq((uint64_t)facts.st_size, tiff_stack_bytes(&stack));
#if HAVE_TIFF
        check_pages("a.tif", &stack, values);
#endif
    }
}
END_TEST

START_TEST(larger_than_4_gib)
{
    ck_assert(!tiff_stack_needs_big(1, 1, 1));
    ck_assert(!tiff_stack_needs_big(1024, 1024, 1023));
    ck_assert(tiff_stack_needs_big(1024, 1024, 1024));
    ck_assert(tiff_stack_needs_big(40000, 40000, 1));
    ck_assert(tiff_stack_needs_big(1, 1, 1 << 30));
    ck_assert(tiff_stack_needs_big(65536, 65536, SIZE_MAX));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {read_back, larger_than_4_gib};

    return TEST_RUN_WITH("tiff_stack", CK_FORK, io_set_up, io_tear_down, tests);
}
