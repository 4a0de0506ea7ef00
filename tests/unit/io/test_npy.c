// SPDX-License-Identifier: Apache-2.0
// .npy files: what is read, what is refused, with the file and the place, and arrays that are written and
// read back.
#include "support/support.h"

#include "io/array/npy.h"
#include "support/run.h"

enum { HEADER_ROOM = 4096 };

static char *folder;
static char path[4200];

static void set_up(void)
{
    folder = test_folder();
    snprintf(path, sizeof path, "%s/a.npy", folder);
}

static void tear_down(void)
{
    test_remove(folder);
}

// Writes a file of format version `major` with this header and these numbers.
static void write_file(int major, const char *header, const void *data, size_t bytes)
{
    unsigned char all[HEADER_ROOM];
    size_t length = strlen(header), at = 0;

    memcpy(all, "\x93NUMPY", 6);
    at = 6;
    all[at++] = (unsigned char)major;
    all[at++] = 0;
    all[at++] = (unsigned char)length;
    all[at++] = (unsigned char)(length >> 8);
    if (major > 1) {
        all[at++] = 0;
        all[at++] = 0;
    }
    memcpy(all + at, header, length);
    memcpy(all + at + length, data, bytes);
    test_write(path, all, at + length + bytes);
}

// Expects the file to be refused with these words in the message.
static void expect_refused(const char *words)
{
    struct npy array;
    kn_error err = KN_ERROR_INIT;

    ck_assert_int_eq(npy_read(path, &array, &err), KN_ERROR_INPUT);
    ck_assert_msg(strstr(err.text, words) != NULL, "'%s' is not in: %s", words, err.text);
    ck_assert_msg(strstr(err.text, "a.npy") != NULL, "no file in: %s", err.text);
    ck_assert_ptr_null(array.data);
}

static void refuse(const char *header, const char *words)
{
    write_file(1, header, "\0\0\0\0\0\0\0\0", 8);
    expect_refused(words);
}

START_TEST(read_versions)
{
    const float numbers[] = {1.5f, -2, 3, 4, 5, 6};

    for (int major = 1; major <= 3; major++) {
        struct npy array;
        kn_error err = KN_ERROR_INIT;

        write_file(major, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", numbers,
                   sizeof numbers);
        ck_assert_msg(npy_read(path, &array, &err) == KN_OK, "%s", err.text);
        ck_assert_int_eq(array.type, KN_F32);
        ck_assert_uint_eq(array.dims, 2);
        ck_assert_uint_eq(array.shape[0], 2);
        ck_assert_uint_eq(array.shape[1], 3);
        ck_assert_uint_eq(array.count, 6);
        ck_assert_mem_eq(array.data, numbers, sizeof numbers);
        npy_free(&array);
    }
    write_file(4, "{}", numbers, 0);
    expect_refused("version 4.0");
}
END_TEST

START_TEST(read_types)
{
    static const struct {
        const char *descr, *name;
        kn_type type;
        bool is_bool;
    } rows[] = {
        {"|b1", "bool", KN_U8, true},      {"|i1", "int8", KN_I8, false},
        {"|u1", "uint8", KN_U8, false},    {"<i2", "int16", KN_I16, false},
        {"<u2", "uint16", KN_U16, false},  {"<i4", "int32", KN_I32, false},
        {"<u4", "uint32", KN_U32, false},  {"<i8", "int64", KN_I64, false},
        {"<u8", "uint64", KN_U64, false},  {"<f4", "float32", KN_F32, false},
        {"<f8", "float64", KN_F64, false}, {">u1", "uint8", KN_U8, false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char header[200];
        struct npy array;
        kn_error err = KN_ERROR_INIT;

        // A dict may also have its keys in another order and use double quotes; the shape () is that of a
        // single number.
        snprintf(header, sizeof header, "{\"shape\":(), 'fortran_order':False,\"descr\": \"%s\"}\n",
                 rows[i].descr);
        write_file(1, header, "\1\2\3\4\5\6\7\10", kn_type_size(rows[i].type));
        ck_assert_msg(npy_read(path, &array, &err) == KN_OK, "%s", err.text);
        ck_assert_int_eq(array.type, rows[i].type);
        ck_assert_int_eq(array.is_bool, rows[i].is_bool);
        ck_assert_uint_eq(array.dims, 0);
        ck_assert_uint_eq(array.count, 1);
        ck_assert_str_eq(npy_type_name(&array), rows[i].name);
        npy_free(&array);
    }
}
END_TEST

START_TEST(refused_types)
{
    refuse("{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }\n", "floating-point type other than");
    refuse("{'descr': '<c32', 'fortran_order': False, 'shape': (1,), }\n", "complex type other than");
    refuse("{'descr': '<f44', 'fortran_order': False, 'shape': (1,), }\n", "floating-point type other than");
    refuse("{'descr': '=f4', 'fortran_order': False, 'shape': (1,), }\n", "expected bool");
    refuse("{'descr': '|f4', 'fortran_order': False, 'shape': (1,), }\n", "expected bool");
    refuse("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", "Python objects");
    refuse("{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }\n", "strings");
    refuse("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }\n",
           "records of several fields");
}
END_TEST

START_TEST(refused_headers)
{
    refuse("", "offset 10");
    refuse("[1]\n", "offset 10");
    refuse("{'descr': '<f4'}\n", "no 'fortran_order'");
    refuse("{'descr': '<f4', 'fortran_order': False}\n", "no 'shape'");
    refuse("{'fortran_order': False, 'shape': (2,)}\n", "no 'descr'");
    refuse("{'descr': '<f4', 'colour': 3}\n", "expected descr, fortran_order or shape");
    refuse("{'descr': '<f4', 'fortran_order': Maybe}\n", "offset 44: expected True or False");
    refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}\n", "expected a size");
    refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}\n", "expected ',' or ')'");
    refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (2", "expected ',' or ')'");
    refuse("{'descr': '<f4", "expected the type");
    refuse("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}\n", "fits in memory");
}
END_TEST

START_TEST(refused_files)
{
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
    struct npy array;
    kn_error err = KN_ERROR_INIT;

    write_file(1, header, "\0\0\0\0\0\0\0", 7);
    expect_refused("2 elements, 8 bytes, but only 7");
    write_file(1, header, "\0\0\0\0\0\0\0\0", 9);
    expect_refused("there is more after");
    // A header that declares 2^59 bytes does not make the reader allocate them.
    write_file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (576460752303423488,), }\n", "\0", 1);
    expect_refused("but only 1 follow");
    test_write(path, "", 0);
    expect_refused("expected a NumPy file");
    test_write(path, "\x93NUMPY\1", 7);
    expect_refused("expected a NumPy file");
    test_write(path, "PK\3\4 a zip archive", 18);
    expect_refused("expected a NumPy file (.npy)");
    test_write(path, "\x93NUMPY\1\0\xff\xff{", 11);
    expect_refused("ends within its header");
    test_write(path, "\x93NUMPY\2\0\xff\xff\xff\xff{", 13);
    expect_refused("header of 4294967295 bytes");
    ck_assert_int_eq(npy_read(folder, &array, &err), KN_ERROR_INPUT);
    ck_assert_int_eq(npy_read("/nonexistent/a.npy", &array, &err), KN_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/a.npy"));
}
END_TEST

// Files as NumPy writes them: a.T of a C array is in Fortran's order; a dtype that begins with '>' is
// big-endian.
START_TEST(fortran_order)
{
    enum { A = 2, B = 3, C = 4 };
    const char *const headers[] = {
        "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 4), }\n",
        "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 4), }\n",
    };
    int16_t stored[A * B * C];

    for (size_t swapped = 0; swapped < 2; swapped++) {
        struct npy array;
        kn_error err = KN_ERROR_INIT;

        for (int a = 0; a < A; a++)
            for (int b = 0; b < B; b++)
                for (int c = 0; c < C; c++) {
                    int16_t value = (int16_t)(100 * a + 10 * b + c + 300);
                    uint16_t bits = (uint16_t)value, turned = (uint16_t)((bits & 0xff) << 8 | bits >> 8);
                    int16_t other;

                    memcpy(&other, &turned, sizeof other);
                    stored[a + A * (b + B * c)] = swapped ? other : value;
                }
        write_file(1, headers[swapped], stored, sizeof stored);
        ck_assert_msg(npy_read(path, &array, &err) == KN_OK, "%s", err.text);
        ck_assert_uint_eq(array.count, A * B * C);
        for (int a = 0; a < A; a++)
            for (int b = 0; b < B; b++)
                for (int c = 0; c < C; c++)
                    ck_assert_int_eq(((int16_t *)array.data)[(a * B + b) * C + c],
                                     100 * a + 10 * b + c + 300);
        npy_free(&array);
    }
}
END_TEST

START_TEST(complex_numbers)
{
    // `big` is 1 - 2i and 0.5 + 3i, big-endian; `transposed` is `wide` read in Fortran's order.
    const unsigned char big[] = {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0, 0x3f, 0, 0, 0, 0x40, 0x40, 0, 0};
    const float wanted[] = {1, -2, 0.5f, 3};
    const double wide[] = {1, -2, 3, -4, 5, -6, 7, -8}, transposed[] = {1, -2, 5, -6, 3, -4, 7, -8};
    kn_error err = KN_ERROR_INIT;
    struct npy array;

    write_file(1, "{'descr': '>c8', 'fortran_order': False, 'shape': (2,), }\n", big, sizeof big);
    ck_assert_msg(npy_read(path, &array, &err) == KN_OK, "%s", err.text);
    ck_assert_str_eq(npy_type_name(&array), "complex64");
    ck_assert_uint_eq(array.count, 2);
    ck_assert_uint_eq(npy_element_size(&array), 8);
    ck_assert_mem_eq(array.data, wanted, sizeof wanted);
    npy_free(&array);
    write_file(1, "{'descr': '<c16', 'fortran_order': True, 'shape': (2, 2), }\n", wide, sizeof wide);
    ck_assert_msg(npy_read(path, &array, &err) == KN_OK, "%s", err.text);
    ck_assert_str_eq(npy_type_name(&array), "complex128");
    ck_assert_mem_eq(array.data, transposed, sizeof transposed);
    npy_free(&array);
    // In one dimension both orders are the same.
    write_file(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (8,), }\n", wide, sizeof wide);
    ck_assert_msg(npy_read(path, &array, &err) == KN_OK, "%s", err.text);
    ck_assert_mem_eq(array.data, wide, sizeof wide);
    npy_free(&array);
}
END_TEST

START_TEST(written_arrays)
{
    static const struct npy shapes[] = {
        {.type = KN_F64, .dims = 0},
        {.type = KN_I16, .dims = 1, .shape = {5}},
        {.type = KN_U8, .is_bool = true, .dims = 2, .shape = {2, 3}},
        {.type = KN_F32, .dims = 3, .shape = {1, 2, 3}},
        {.type = KN_U64, .dims = 2, .shape = {0, 4}},
        {.type = KN_F32, .is_complex = true, .dims = 1, .shape = {3}},
        {.type = KN_F64, .is_complex = true, .dims = 2, .shape = {2, 2}},
    };
    unsigned char data[64];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(3 * i + 1);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct npy array = shapes[i], back;
        kn_error err = KN_ERROR_INIT;
        char start[10];
        FILE *file;

        array.data = data;
        ck_assert_msg(npy_write(path, &array, i > 0, &err) == KN_OK, "%s", err.text);
        ck_assert_msg(npy_read(path, &back, &err) == KN_OK, "%s", err.text);
        ck_assert_int_eq(back.type, array.type);
        ck_assert_int_eq(back.is_bool, array.is_bool);
        ck_assert_int_eq(back.is_complex, array.is_complex);
        ck_assert_uint_eq(back.dims, array.dims);
        for (size_t d = 0; d < array.dims; d++)
            ck_assert_uint_eq(back.shape[d], array.shape[d]);
        ck_assert(memcmp(back.data, data, back.count * npy_element_size(&back)) == 0);
        npy_free(&back);
        // The numbers begin at a multiple of 64 bytes, as in NumPy's own files.
        file = fopen(path, "rb");
        ck_assert_ptr_nonnull(file);
        ck_assert_uint_eq(fread(start, 1, sizeof start, file), sizeof start);
        ck_assert_int_eq((10 + (unsigned char)start[8] + 256 * (unsigned char)start[9]) % 64, 0);
        ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
        ck_assert_uint_eq((size_t)ftell(file), npy_file_size(&array));
        fclose(file);
    }
    ck_assert_int_eq(npy_write(path, &(struct npy){.type = KN_U8, .dims = 0, .data = data}, false, NULL),
                     KN_ERROR_OUTPUT);
}
END_TEST

// Parts of a file, in either byte order, equal those of the whole array; a file that is too short or too long
// is refused.
START_TEST(parts)
{
    static const char *const orders[] = {"<u4", ">u4"};
    uint32_t numbers[20], more_numbers[21] = {0}, part[7];

    for (size_t i = 0; i < 20; i++)
        numbers[i] = (uint32_t)(1000003 * i);
    for (size_t o = 0; o < 2; o++) {
        char header[100];
        struct npy_file file;
        struct npy whole;
        kn_error err = KN_ERROR_INIT;

        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (20,), }",
                 orders[o]);
        write_file(1, header, numbers, sizeof numbers);
        ck_assert_msg(npy_read(path, &whole, &err) == KN_OK, "%s", err.text);
        ck_assert_msg(npy_open(fopen(path, "rb"), path, &file, &err) == KN_OK, "%s", err.text);
        ck_assert_uint_eq(file.array.count, 20);
        ck_assert_ptr_null(file.array.data);
        for (size_t first = 14; first <= 14; first -= 7) {
            ck_assert_msg(npy_read_part(&file, first, first == 14 ? 6 : 7, part, &err) == KN_OK, "%s",
                          err.text);
            ck_assert(memcmp(part, (uint32_t *)whole.data + first, (first == 14 ? 6 : 7) * sizeof *part) ==
                      0);
        }
        ck_assert_int_eq(npy_read_part(&file, 18, 3, part, &err), KN_ERROR_INPUT);
        npy_close(&file);
        npy_free(&whole);
        for (size_t more = 0; more < 2; more++) {
            write_file(1, header, more_numbers, more ? sizeof more_numbers : 3);
            ck_assert_int_eq(npy_open(fopen(path, "rb"), path, &file, &err), KN_ERROR_INPUT);
            ck_assert_msg(strstr(err.text, more ? "there is more after the 20 elements"
                                                : "is the file complete?") != NULL,
                          "%s", err.text);
            npy_close(&file);
        }
    }
}
END_TEST

START_TEST(scattered_parts)
{
    static const char header[] = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2), }";
    struct npy_file file;
    kn_error err = KN_ERROR_INIT;

    write_file(1, header, "abcd", 4);
    ck_assert_int_eq(npy_open(fopen(path, "rb"), path, &file, &err), KN_ERROR_INPUT);
    ck_assert_msg(strstr(err.text, "Fortran order") != NULL, "%s", err.text);
    npy_close(&file);
    ck_assert_int_eq(npy_open(fopen("/nowhere", "rb"), "/nowhere", &file, &err), KN_ERROR_INPUT);
    npy_close(&file);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {read_versions, read_types,     refused_types,   refused_headers,
                                  refused_files, fortran_order,  complex_numbers, written_arrays,
                                  parts,         scattered_parts};

    return TEST_RUN_WITH("npy", CK_FORK_GETENV, set_up, tear_down, tests);
}
