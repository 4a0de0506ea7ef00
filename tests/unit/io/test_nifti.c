// SPDX-License-Identifier: Apache-2.0
// NIfTI files: header and voxels, byte for byte, at the offsets of the format's definition.
#include "io_support.h"

#include "io/array/nifti.h"
#include "support/run.h"

static int16_t short_at(const unsigned char *bytes, size_t at)
{
    int16_t value;

    memcpy(&value, bytes + at, sizeof value);
    return value;
}

static float float_at(const unsigned char *bytes, size_t at)
{
    float value;

    memcpy(&value, bytes + at, sizeof value);
    return value;
}

START_TEST(written_volume)
{
    // 5 x 4 x 3 voxels, x fastest, of 2 x 1.5 x 4 mm.
    static const double sides[] = {2, 1.5, 4};
    static const float wanted[3][4] = {{2, 0, 0, -4}, {0, -1.5f, 0, 3}, {0, 0, 4, -4}};
    static const int16_t dim[] = {3, 5, 4, 3, 1, 1, 1, 1};
    float voxels[60];
    const struct npy image = {.type = KN_F32, .dims = 3, .shape = {3, 4, 5}, .data = voxels};
    unsigned char bytes[1000];
    int32_t size;

    for (size_t i = 0; i < 60; i++)
        voxels[i] = (float)i - 7.5f;
    IO_OK(nifti_write(io_path("a.nii"), &image, sides, false, err));
    ck_assert_uint_eq(io_read("a.nii", bytes, sizeof bytes), 352 + 60 * 4);
    memcpy(&size, bytes, sizeof size);
    ck_assert_int_eq(size, 348);
    for (size_t i = 0; i < 8; i++)
        ck_assert_int_eq(short_at(bytes, 40 + 2 * i), dim[i]);
    ck_assert_int_eq(short_at(bytes, 70), 16); // DT_FLOAT32
    ck_assert_int_eq(short_at(bytes, 72), 32);
    for (size_t i = 0; i < 3; i++)
        ck_assert_float_eq(float_at(bytes, 80 + 4 * i), (float)sides[i]);
    ck_assert_float_eq(float_at(bytes, 108), 352);
    ck_assert_float_eq(float_at(bytes, 112), 1);
    ck_assert_float_eq(float_at(bytes, 116), 0);
    ck_assert_int_eq(bytes[123], 2); // millimetres
    ck_assert_int_eq(short_at(bytes, 252), 0);
    ck_assert_int_eq(short_at(bytes, 254), 1);
    // The voxel floor(N/2) of each axis is at the origin: (2, 2, 1).
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 4; j++)
            ck_assert_float_eq(float_at(bytes, 280 + 16 * i + 4 * j), wanted[i][j]);
    ck_assert_mem_eq(bytes + 344, "n+1\0\0\0\0\0", 8);
    ck_assert_mem_eq(bytes + 352, voxels, sizeof voxels);
}
END_TEST

START_TEST(written_plane)
{
    static const double pixels[] = {1, 0.1, -3, 4, 5, 6};
    const struct npy image = {.type = KN_F64, .dims = 2, .shape = {2, 3}, .data = (void *)pixels};
    unsigned char bytes[1000];

    IO_OK(nifti_write(io_path("a.nii"), &image, NULL, false, err));
    ck_assert_uint_eq(io_read("a.nii", bytes, sizeof bytes), 352 + 6 * 4);
    ck_assert_int_eq(short_at(bytes, 40), 2);
    ck_assert_int_eq(short_at(bytes, 42), 3);
    ck_assert_int_eq(short_at(bytes, 44), 2);
    ck_assert_int_eq(short_at(bytes, 46), 1);
    ck_assert_float_eq(float_at(bytes, 88), 1);
    for (size_t i = 0; i < 6; i++)
        ck_assert_float_eq(float_at(bytes, 352 + 4 * i), (float)pixels[i]);
    IO_REFUSED(nifti_write(io_path("a.nii"), &image, NULL, false, err), KN_ERROR_OUTPUT, "already exists");
}
END_TEST

START_TEST(refused)
{
    float voxels[4] = {0};
    struct npy image = {.type = KN_F32, .dims = 1, .shape = {4}, .data = voxels};

    image.is_complex = true;
    IO_REFUSED(nifti_write(io_path("a.nii"), &image, NULL, false, err), KN_ERROR_ARGUMENT, "complex64");
    image = (struct npy){.type = KN_I32, .dims = 1, .shape = {4}, .data = voxels};
    IO_REFUSED(nifti_write(io_path("a.nii"), &image, NULL, false, err), KN_ERROR_ARGUMENT, "int32");
    image = (struct npy){.type = KN_F32, .dims = 4, .shape = {1, 1, 1, 4}, .data = voxels};
    IO_REFUSED(nifti_write(io_path("a.nii"), &image, NULL, false, err), KN_ERROR_ARGUMENT, "not 4");
    image = (struct npy){.type = KN_F32, .dims = 1, .shape = {32768}, .data = voxels};
    IO_REFUSED(nifti_write(io_path("a.nii"), &image, NULL, false, err), KN_ERROR_ARGUMENT, "not 32768");
    image.shape[0] = 0;
    IO_REFUSED(nifti_write(io_path("a.nii"), &image, NULL, false, err), KN_ERROR_ARGUMENT, "not 0");
    ck_assert(!io_exists("a.nii"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {written_volume, written_plane, refused};

    return TEST_RUN_WITH("nifti", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}
