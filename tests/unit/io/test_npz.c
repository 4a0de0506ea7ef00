// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz archives: arrays and texts, stored and deflated; truncated archives, which are refused, and
// archives with a flipped byte, which are refused or read. Builds with sanitizers also find reads beyond the
// file here.
#include "npz_support.h"

#include "io/array/npz.h"
#include "support/run.h"

static const double numbers[] = {1.5, -2, 0.1};
static const int32_t whole[] = {0, 1, 3};

static void make(struct zip *zip, bool deflated)
{
    memset(zip, 0, sizeof *zip);
    zip_add_array(zip, "data.npy", "<f8", "(3,)", numbers, sizeof numbers, deflated);
    zip_add_array(zip, "indptr.npy", "<i4", "(3,)", whole, sizeof whole, deflated);
    zip_add_array(zip, "format.npy", "|S3", "()", "csr", 3, deflated);
    zip_add_array(zip, "wide.npy", "<U3", "()", "c\0\0\0s\0\0\0\xe9\0\0\0", 12, deflated);
}

START_TEST(arrays_and_texts)
{
    for (int deflated = 0; deflated < 2; deflated++) {
        struct zip zip;
        struct npz npz;
        struct npy array;
        char text[8];

        make(&zip, deflated);
        zip_write(&zip, "a.npz");
        IO_OK(npz_open(io_path("a.npz"), &npz, err));
        ck_assert_uint_eq(npz.count, 4);
        ck_assert(npz_has(&npz, "indptr") && !npz_has(&npz, "indptr.npy") && !npz_has(&npz, "ind"));
        IO_OK(npz_array(&npz, "data", &array, err));
        ck_assert_int_eq((int)array.type, KN_F64);
        ck_assert_uint_eq(array.count, 3);
        ck_assert_mem_eq(array.data, numbers, sizeof numbers);
        npy_free(&array);
        IO_OK(npz_array(&npz, "indptr", &array, err));
        ck_assert_mem_eq(array.data, whole, sizeof whole);
        npy_free(&array);
        IO_OK(npz_text(&npz, "format", text, sizeof text, err));
        ck_assert_str_eq(text, "csr");
        IO_OK(npz_text(&npz, "wide", text, sizeof text, err));
        ck_assert_str_eq(text, "cs?");
        IO_OK(npz_text(&npz, "format", text, 3, err));
        ck_assert_str_eq(text, "cs");
        IO_REFUSED(npz_text(&npz, "data", text, sizeof text, err), KN_ERROR_INPUT, "is not text");
        IO_REFUSED(npz_array(&npz, "format", &array, err), KN_ERROR_INPUT, "a.npz: format");
        IO_REFUSED(npz_array(&npz, "indices", &array, err), KN_ERROR_INPUT,
                   "has no array 'indices' among its 4");
        npz_close(&npz);
    }
}
END_TEST

// Opens an archive and reads all its members; returns whether everything succeeded.
static bool read_all(const char *name)
{
    struct npz npz;
    kn_error error = KN_ERROR_INIT;
    bool is_read = npz_open(io_path(name), &npz, &error) == KN_OK;

    if (!is_read) {
        ck_assert_int_eq(error.code, KN_ERROR_INPUT);
        ck_assert_ptr_null(npz.members);
        return false;
    }
    for (size_t i = 0; i < npz.count; i++) {
        struct npy array;
        char text[4], member[32];

        snprintf(member, sizeof member, "%.*s", (int)npz.members[i].length, npz.members[i].name);
        is_read = npz_array(&npz, member, &array, &error) == KN_OK && is_read;
        npy_free(&array);
        npz_text(&npz, member, text, sizeof text, &error);
    }
    npz_close(&npz);
    return is_read;
}

START_TEST(damaged_archives)
{
    static unsigned char bytes[1 << 16];
    size_t size, unnoticed = 0;
    struct zip zip = {.count = 0};

    zip_add_array(&zip, "data.npy", "<f8", "(3,)", numbers, sizeof numbers, true);
    zip_add_array(&zip, "indptr.npy", "<i4", "(3,)", whole, sizeof whole, false);
    zip_write(&zip, "d.npz");
    size = io_read("d.npz", bytes, sizeof bytes);
    ck_assert(read_all("d.npz"));
    for (size_t i = 0; i < size; i++) {
        io_write("t.npz", bytes, i);
        ck_assert(!read_all("t.npz"));
    }
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0xff;
        io_write("t.npz", bytes, size);
        unnoticed += read_all("t.npz");
        bytes[i] ^= 0xff;
    }
    // Versions, times, names, attributes and the local sizes are not checked, so that some changes go
    // unnoticed; the CRC of a member's bytes is.
    ck_assert_uint_lt(unnoticed, size - 100);
    bytes[40] ^= 0xff; // within the first member's local extra field
    bytes[zip.count - 3] ^= 1;
    io_write("t.npz", bytes, size);
    ck_assert(!read_all("t.npz"));
    io_write("t.npz", "PK", 2);
    ck_assert(!read_all("t.npz"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {arrays_and_texts, damaged_archives};

    return TEST_RUN_WITH("npz", CK_FORK, io_set_up, io_tear_down, tests);
}
