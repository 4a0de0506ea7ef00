// SPDX-License-Identifier: Apache-2.0
// .cfl/.hdr pairs: reading, refusals and their messages, pairs that are written and read back, and a file of
// BART's.
#include "io_support.h"

#include "io/array/cfl.h"
#include "support/run.h"

static const float numbers[] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};

// Writes the pair a.hdr and a.cfl.
static void write_pair(const char *header, size_t bytes)
{
    io_write("a.hdr", header, strlen(header));
    io_write("a.cfl", numbers, bytes);
}

static void refuse(const char *header, size_t bytes, const char *file, const char *words)
{
    struct npy array;

    write_pair(header, bytes);
    IO_REFUSED(cfl_read(io_path("a"), &array, err), KN_ERROR_INPUT, words);
    IO_REFUSED(cfl_read(io_path("a.cfl"), &array, err), KN_ERROR_INPUT, file);
    ck_assert_ptr_null(array.data);
    ck_assert_uint_eq(array.count, 0);
}

START_TEST(read_pairs)
{
    static const char *const headers[] = {
        "# Dimensions\n3 2\n",
        "# Dimensions\n3 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n",
        "# Command\nfft -u 3 in out \n# Dimensions\n 3\t2 1 \r\n# Files\n >out <in\n# Creator\nBART v0.8.00",
        "# Dimensions \n3 2", // no line end
        "# DimensionsOfSomethingElse\n7\n# Dimensions\n3 2\n",
    };
    static const char *const names[] = {"a", "a.cfl", "a.hdr"};

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            struct npy array;

            write_pair(headers[i], 48);
            IO_OK(cfl_read(io_path(names[n]), &array, err));
            ck_assert_str_eq(npy_type_name(&array), "complex64");
            ck_assert_uint_eq(array.dims, 2);
            ck_assert_uint_eq(array.shape[0], 2);
            ck_assert_uint_eq(array.shape[1], 3);
            ck_assert_uint_eq(array.count, 6);
            ck_assert_uint_eq(cfl_dim(&array, 0), 3);
            ck_assert_uint_eq(cfl_dim(&array, 1), 2);
            ck_assert_uint_eq(cfl_dim(&array, 2), 1);
            ck_assert_mem_eq(array.data, numbers, 48);
            npy_free(&array);
        }
}
END_TEST

START_TEST(refused_headers)
{
    refuse("", 48, "a.hdr", "offset 0: expected a line '# Dimensions'");
    refuse("3 2\n", 48, "a.hdr", "offset 0: expected a line '# Dimensions'");
    refuse("# Dimensions\n", 48, "a.hdr", "offset 13: expected the sizes");
    refuse("# Dimensions\n\n3 2\n", 48, "a.hdr", "offset 13: expected the sizes");
    refuse("# Dimensions\n3 0\n", 48, "a.hdr", "offset 15: expected sizes of at least 1");
    refuse("# Dimensions\n3 -2\n", 48, "a.hdr", "but found \"-2\"");
    refuse("# Dimensions\n3 2x\n", 48, "a.hdr", "but found \"2x\"");
    refuse("# Dimensions\n3 2.5\n", 48, "a.hdr", "expected sizes of at least 1");
    refuse("# Dimensions\n1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2\n", 48, "a.hdr", "at most 16 sizes");
    refuse("# Dimensions\n3 2\n# Data\nb.cfl\n", 48, "a.hdr", "offset 17: expected the numbers in the .cfl");
}
END_TEST

// Sizes that are absurd, or that the file is too short for, are refused before memory is allocated:
// allocating that much would fail.
START_TEST(refused_sizes)
{
    struct npy array;

    refuse("# Dimensions\n4294967296 4294967296\n", 48, "a.hdr", "fits in memory");
    refuse("# Dimensions\n99999999999999999999 1\n", 48, "a.hdr", "expected sizes of at least 1");
    refuse("# Dimensions\n1048576 1048576 65536\n", 48, "a.cfl",
           "ends at offset 48, but expected 576460752303423488 bytes");
    refuse("# Dimensions\n3 2\n", 47, "a.cfl", "ends at offset 47, but expected 48 bytes");
    refuse("# Dimensions\n3 2\n", 0, "a.cfl", "declares 6 complex numbers");
    refuse("# Dimensions\n5 1\n", 48, "a.cfl", "offset 40: there is more after the 5 complex numbers");
    ck_assert_int_eq(remove(io_path("a.cfl")), 0);
    IO_REFUSED(cfl_read(io_path("a"), &array, err), KN_ERROR_INPUT, "a.cfl");
    IO_REFUSED(cfl_read(io_path("nothing"), &array, err), KN_ERROR_INPUT, "nothing.hdr");
    IO_REFUSED(cfl_read(io_folder, &array, err), KN_ERROR_INPUT, "cannot be read");
}
END_TEST

START_TEST(written_pairs)
{
    static const double wide[] = {1, -2, 3, -4};
    const struct npy arrays[] = {
        {.type = KN_F32, .is_complex = true, .dims = 3, .shape = {1, 2, 3}, .data = (void *)numbers},
        {.type = KN_F32, .is_complex = true, .dims = 0, .data = (void *)numbers},
        {.type = KN_F64, .is_complex = true, .dims = 1, .shape = {2}, .data = (void *)wide},
        {.type = KN_F64, .dims = 2, .shape = {2, 2}, .data = (void *)wide},
        {.type = KN_F32, .dims = 1, .shape = {4}, .data = (void *)numbers},
    };
    const size_t dims[][3] = {{3, 2, 1}, {1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {4, 1, 1}};
    char text[200] = "";

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        const struct npy *array = &arrays[i];
        struct npy back;

        IO_OK(cfl_write(io_path("b.cfl"), array, i > 0, err));
        IO_OK(cfl_read(io_path("b"), &back, err));
        for (size_t d = 0; d < 3; d++)
            ck_assert_uint_eq(cfl_dim(&back, d), dims[i][d]);
        for (size_t n = 0; n < back.count; n++) {
            const float *found = (const float *)back.data + 2 * n;
            const double *given = array->type == KN_F64 ? wide : NULL;
            size_t at = array->is_complex ? 2 * n : n;

            ck_assert_float_eq(found[0], given ? (float)given[at] : numbers[at]);
            ck_assert_float_eq(found[1], !array->is_complex ? 0
                                         : given            ? (float)given[at + 1]
                                                            : numbers[at + 1]);
        }
        npy_free(&back);
    }
    IO_OK(cfl_write(io_path("c"), &arrays[0], false, err));
    io_read("c.hdr", text, sizeof text - 1);
    ck_assert_ptr_nonnull(strstr(text, "# Dimensions\n3 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n# Creator\nKoine "));
}
END_TEST

START_TEST(refused_writing)
{
    const struct npy array = {
        .type = KN_F32, .is_complex = true, .dims = 1, .shape = {2}, .data = (void *)numbers};
    struct npy other = array;

    // If one file of the pair exists, the pair is refused and the other file is not created.
    io_write("d.hdr", "mine", 4);
    IO_REFUSED(cfl_write(io_path("d"), &array, false, err), KN_ERROR_OUTPUT, "d.hdr: already exists");
    ck_assert(!io_exists("d.cfl"));
    io_write("e.cfl", "mine", 4);
    IO_REFUSED(cfl_write(io_path("e"), &array, false, err), KN_ERROR_OUTPUT, "e.cfl: already exists");
    ck_assert(!io_exists("e.hdr"));
    other.type = KN_I32;
    other.is_complex = false;
    IO_REFUSED(cfl_write(io_path("f"), &other, false, err), KN_ERROR_ARGUMENT, "not int32");
    other = array;
    other.shape[0] = 0;
    IO_REFUSED(cfl_write(io_path("f"), &other, false, err), KN_ERROR_ARGUMENT, "size 0");
    other = array;
    other.dims = 17;
    for (size_t i = 0; i < 17; i++)
        other.shape[i] = 1;
    IO_REFUSED(cfl_write(io_path("f"), &other, false, err), KN_ERROR_ARGUMENT, "at most 16");
    ck_assert(!io_exists("f.cfl") && !io_exists("f.hdr"));
}
END_TEST

START_TEST(real_files)
{
    char path[4200];
    struct npy array;

    if (!test_data_path("mri/bart-brain-cartesian/ksp.cfl", path, sizeof path))
        return;
    IO_OK(cfl_read(path, &array, err));
    ck_assert_uint_eq(array.dims, 4);
    ck_assert_uint_eq(cfl_dim(&array, 0), 1);
    ck_assert_uint_eq(cfl_dim(&array, 1), 180);
    ck_assert_uint_eq(cfl_dim(&array, 2), 230);
    ck_assert_uint_eq(cfl_dim(&array, 3), 8);
    ck_assert_uint_eq(array.count, 180 * 230 * 8);
    npy_free(&array);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {read_pairs,    refused_headers, refused_sizes,
                                  written_pairs, refused_writing, real_files};

    return TEST_RUN_WITH("cfl", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}
