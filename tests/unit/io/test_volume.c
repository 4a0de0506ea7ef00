// SPDX-License-Identifier: Apache-2.0
// Formats selected by the ending of a file's name: each known ending gives its format, and others are
// refused.
#include <math.h>
#include <sys/stat.h>

#include "io_support.h"

#include <config.h>

#include "io/image/image.h"
#include "io/image/png.h"
#include "io/array/volume.h"
#include "support/run.h"

// 3 x 2 x 3 voxels; the magnitudes in the middle slice are 5, 10, 15, 20, 0, 25.
static const float voxels[36] = {[12] = 3, 4, -6, 8, 0, 15, 20, 0, 0, 0, -25};
static const struct npy image = {
    .type = KN_F32, .is_complex = true, .dims = 3, .shape = {3, 2, 3}, .data = (void *)voxels};

static void write_image(const char *name)
{
    IO_OK(volume_try(io_path(name), VOLUME_IMAGE, false, err));
    IO_OK(volume_write(io_path(name), VOLUME_IMAGE, &image, false, err));
}

START_TEST(arrays)
{
    static const char *const names[] = {"a.npy", "b.cfl", "c.hdr", "d"};
    struct npy back;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_image(names[i]);
        IO_OK(volume_read(io_path(names[i]), &back, err));
        ck_assert_uint_eq(back.dims, 3);
        ck_assert_uint_eq(back.shape[2], 3);
        ck_assert_mem_eq(back.data, voxels, sizeof voxels);
        npy_free(&back);
    }
    ck_assert(io_exists("a.npy") && !io_exists("a.hdr"));
    for (char name = 'b'; name <= 'd'; name++) {
        ck_assert(io_exists((char[]){name, '.', 'c', 'f', 'l', 0}));
        ck_assert(io_exists((char[]){name, '.', 'h', 'd', 'r', 0}));
    }
}
END_TEST

START_TEST(images)
{
    static const float magnitudes[6] = {5, 10, 15, 20, 0, 25};
    uint8_t levels[6] = {51, 102, 153, 204, 0, 255};
    const struct ki_picture picture = {3, 2, 8, levels};
    unsigned char bytes[1000], wanted[1000];
    float found[6];
#if HAVE_TIFF
    struct image_file *file;
    struct image page;
#endif
    size_t count;

    write_image("a.nii");
    ck_assert_uint_eq(io_read("a.nii", bytes, sizeof bytes), 352 + 18 * 4);
    memcpy(found, bytes + 352 + 6 * 4, sizeof found);
    ck_assert_mem_eq(found, magnitudes, sizeof found);
#if HAVE_TIFF
    write_image("a.tif");
    IO_OK(image_open(io_path("a.tif"), 0, &file, err));
    ck_assert_uint_eq(image_pages(file), 3);
    IO_OK(image_read(file, 1, &page, err));
    ck_assert(page.type == KN_F32 && page.width == 3 && page.height == 2 && page.channels == 1);
    ck_assert_mem_eq(page.samples, magnitudes, sizeof magnitudes);
    free(page.samples);
    image_close(file);
#endif
    write_image("a.png");
    count = io_read("a.png", bytes, sizeof bytes);
    IO_OK(ki_png_write(io_path("b.png"), &picture, false, err));
    ck_assert_uint_eq(io_read("b.png", wanted, sizeof wanted), count);
    ck_assert_mem_eq(bytes, wanted, count);
    ck_assert_mem_eq(bytes, "\x89PNG\r\n\x1a\n", 8);
    ck_assert_mem_eq(bytes + 16, "\0\0\0\3\0\0\0\2\10\0", 10); // 3 x 2 pixels of 8-bit grey
}
END_TEST

struct listed {
    unsigned count, known; // files, and those whose size is known
};

static void list(void *data, const char *name, double bytes)
{
    struct listed *listed = data;
    struct stat facts;

    ck_assert_msg(stat(name, &facts) == 0, "%s", name);
    listed->count++;
    if (isnan(bytes))
        return;
    listed->known++;
    ck_assert_double_eq(bytes, (double)facts.st_size);
}

// The files and their sizes, of the form of an array alone.
START_TEST(files)
{
    static const struct {
        const char *name;
        struct listed files;
    } cases[] = {{"f.npy", {1, 1}}, {"f.nii", {1, 1}}, {"f.tif", {1, 1}}, {"g.tiff", {1, 1}},
                 {"f.png", {1, 0}}, {"f", {2, 1}},     {"g.cfl", {2, 1}}, {"h.hdr", {2, 1}}};
    struct npy form = image;

    form.data = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct listed found = {0};

        write_image(cases[i].name);
        ck_assert(volume_files(io_path(cases[i].name), &form, list, &found));
        ck_assert_uint_eq(found.count, cases[i].files.count);
        ck_assert_uint_eq(found.known, cases[i].files.known);
    }
}
END_TEST

START_TEST(refused)
{
    struct npy other = image;

    IO_REFUSED(volume_try(io_path("a.jpg"), VOLUME_IMAGE, false, err), KN_ERROR_ARGUMENT,
               ".cfl, .npy, .nii, .tif or .png");
    IO_REFUSED(volume_try(io_path("a.png"), VOLUME_ARRAY, false, err), KN_ERROR_ARGUMENT, "in .cfl or .npy");
    IO_REFUSED(volume_write(io_path("a.nii"), VOLUME_ARRAY, &image, false, err), KN_ERROR_ARGUMENT,
               ".cfl or .npy");
    IO_REFUSED(volume_try(io_path("nowhere/a.npy"), VOLUME_ARRAY, false, err), KN_ERROR_OUTPUT, "no folder");
    IO_REFUSED(volume_read(io_path("a.png"), &other, err), KN_ERROR_INPUT,
               "expected a .npy file or a .cfl/.hdr");
    io_write("b.hdr", "mine", 4);
    IO_REFUSED(volume_try(io_path("b"), VOLUME_ARRAY, false, err), KN_ERROR_OUTPUT,
               "b.hdr: already exists and is not overwritten");
    IO_OK(volume_try(io_path("b"), VOLUME_ARRAY, true, err));
    other = image;
    other.dims = 4;
    IO_REFUSED(volume_write(io_path("a.png"), VOLUME_IMAGE, &other, false, err), KN_ERROR_ARGUMENT, "has 4");
    other.dims = 3;
    other.shape[1] = 0;
    IO_REFUSED(volume_write(io_path("a.nii"), VOLUME_IMAGE, &other, false, err), KN_ERROR_ARGUMENT,
               "without voxels");
    other.type = KN_I16;
    other.is_complex = false;
    IO_REFUSED(volume_write(io_path("a.png"), VOLUME_IMAGE, &other, false, err), KN_ERROR_ARGUMENT, "int16");
    ck_assert(!io_exists("a.png") && !io_exists("a.nii") && !io_exists("b.cfl"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {arrays, images, files, refused};

    return TEST_RUN_WITH("volume", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}
