// SPDX-License-Identifier: Apache-2.0
// ISMRMRD files, written here with libhdf5: heads packed as by C++ writers, and heads aligned as by others,
// with the members in another order; files that are damaged, and other files. Without libhdf5: the refusal.
#include "io_support.h"

#include <config.h>

#include "io/array/ismrmrd.h"
#include "support/run.h"

#if HAVE_HDF5

#include "ismrmrd_support.h"

enum { LINES = 300 }; // more than are read at once

// The tests' scan: line i has 1 + i % 5 samples of 2 coils; every third line has no trajectory, and the first
// one is noise.
static size_t samples_of(size_t line)
{
    return 1 + line % 5;
}

static size_t axes_of(size_t line)
{
    return line % 3 ? 1 + line % 3 : 0;
}

static float number_of(size_t line, size_t i, bool is_data)
{
    return (float)(100 * line + i) * (is_data ? 0.5f : -0.25f);
}

static void fill_row(const struct layout *layout, size_t line, unsigned char *row, float numbers[2][32])
{
    struct written written = {.flags = line == 0 ? UINT64_C(1) << 18 : UINT64_C(1) << 40,
                              .samples = samples_of(line),
                              .coils = 2,
                              .centre = line % 7,
                              .axes = axes_of(line),
                              .time_us = 2.5f,
                              .trajectory = numbers[0],
                              .data = numbers[1]};

    for (size_t i = 0; i < 32; i++)
        for (size_t is_data = 0; is_data < 2; is_data++)
            numbers[is_data][i] = number_of(line, i, is_data);
    for (size_t i = 0; i < COUNTERS; i++)
        written.index[i] = 10 * line + i;
    put_row(layout, &written, row);
}

// `spoil`, if not NULL, changes the rows before they are written.
static void write_scan(const char *name, const char *group_name, const struct layout *layout, const char *xml,
                       void (*spoil)(const struct layout *layout, unsigned char *rows))
{
    unsigned char *rows = calloc(LINES, layout->row_bytes);
    float(*numbers)[2][32] = calloc(LINES, sizeof *numbers);

    ck_assert(rows && numbers);
    for (size_t line = 0; line < LINES; line++)
        fill_row(layout, line, rows + line * layout->row_bytes, numbers[line]);
    if (spoil)
        spoil(layout, rows);
    write_rows(io_path(name), group_name, layout, xml, rows, LINES);
    free(rows);
    free(numbers);
}

static void expect_line(const struct ismrmrd_acquisition *found, size_t line)
{
    ck_assert_uint_eq(found->samples, samples_of(line));
    ck_assert_uint_eq(found->coils, 2);
    ck_assert_uint_eq(found->axes, axes_of(line));
    ck_assert_uint_eq(found->centre, line % 7);
    ck_assert_double_eq(found->sample_time_us, 2.5);
    ck_assert_int_eq(ismrmrd_is_noise(found), line == 0);
    for (unsigned i = 0; i < ISMRMRD_INDICES; i++)
        ck_assert_uint_eq(found->index[i], 10 * line + i);
    for (size_t i = 0; i < found->samples * found->axes; i++)
        ck_assert_float_eq(found->trajectory[i], number_of(line, i, false));
    for (size_t i = 0; i < found->samples * 4; i++)
        ck_assert_float_eq(found->data[i], number_of(line, i, true));
    ck_assert(found->axes > 0 || !found->trajectory);
}

START_TEST(layouts)
{
    static const struct layout *const both[] = {&packed, &aligned};

    for (size_t i = 0; i < 2; i++) {
        struct ismrmrd scan;

        write_scan("a.h5", i ? "elsewhere" : "dataset", both[i],
                   i ? NULL : "<ismrmrdHeader>\xc3\xa4</ismrmrdHeader>", NULL);
        IO_OK(ismrmrd_read(io_path("a.h5"), i ? "elsewhere" : NULL, &scan, err));
        ck_assert_str_eq(scan.xml, i ? "" : "<ismrmrdHeader>\xc3\xa4</ismrmrdHeader>");
        ck_assert_uint_eq(scan.count, LINES);
        for (size_t line = 0; line < LINES; line++)
            expect_line(&scan.acquisitions[line], line);
        ismrmrd_free(&scan);
        ck_assert_ptr_null(scan.acquisitions);
    }
}
END_TEST

static void refuse(const char *name, const char *words)
{
    struct ismrmrd scan;

    IO_REFUSED(ismrmrd_read(io_path(name), NULL, &scan, err), KN_ERROR_INPUT, words);
    IO_REFUSED(ismrmrd_read(io_path(name), NULL, &scan, err), KN_ERROR_INPUT, name);
    ck_assert(!scan.acquisitions && !scan.xml && !scan.count);
}

// The members that a table must have, and those that may be missing.
START_TEST(members)
{
    static const char *const needed[] = {
        "flags", "number_of_samples", "active_channels", "trajectory_dimensions", "head", "traj", "data"};
    static const char *const optional[] = {"center_sample", "sample_time_us", "idx", "slice"};
    struct layout layout = packed;

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        char words[100];

        layout.leave_out = needed[i];
        snprintf(words, sizeof words, "expected a member '%s'", needed[i]);
        write_scan("a.h5", "dataset", &layout, NULL, NULL);
        refuse("a.h5", words);
    }
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) {
        struct ismrmrd scan;

        layout.leave_out = optional[i];
        write_scan("a.h5", "dataset", &layout, NULL, NULL);
        IO_OK(ismrmrd_read(io_path("a.h5"), NULL, &scan, err));
        ck_assert_uint_eq(scan.acquisitions[3].centre, i == 0 ? 0 : 3);
        ck_assert_double_eq(scan.acquisitions[3].sample_time_us, i == 1 ? 0 : 2.5);
        ck_assert_uint_eq(scan.acquisitions[3].index[ISMRMRD_STEP_1], i == 2 ? 0 : 30);
        ck_assert_uint_eq(scan.acquisitions[3].index[ISMRMRD_SLICE], i >= 2 ? 0 : 33);
        ck_assert_uint_eq(scan.acquisitions[3].index[ISMRMRD_CONTRAST], i == 2 ? 0 : 34);
        ismrmrd_free(&scan);
    }
}
END_TEST

// The head of line 280 states one sample more than its data have; that of line 7 states a trajectory without
// dimensions.
static void spoil_samples(const struct layout *layout, unsigned char *rows)
{
    put_short(rows + 280 * layout->row_bytes + layout->head_at + layout->samples_at, samples_of(280) + 1);
}

static void spoil_axes(const struct layout *layout, unsigned char *rows)
{
    put_short(rows + 7 * layout->row_bytes + layout->head_at + layout->axes_at, 0);
}

START_TEST(disagreement)
{
    write_scan("a.h5", "dataset", &packed, NULL, spoil_samples);
    refuse("a.h5", "acquisition 280: 2 samples of 2 coils are 8 numbers, but found 4");
    write_scan("a.h5", "dataset", &aligned, NULL, spoil_axes);
    refuse("a.h5", "acquisition 7: a trajectory of 3 samples in 0 dimensions is 0 numbers, but found 6");
}
END_TEST

START_TEST(other_files)
{
    static const hsize_t absurd = UINT64_C(1) << 40, one = 1;
    struct ismrmrd scan;
    unsigned char bytes[100000];
    size_t count;
    hid_t file, group, type, space, chunks, set;

    IO_REFUSED(ismrmrd_read(io_path("none.h5"), NULL, &scan, err), KN_ERROR_INPUT, "none.h5: cannot be read");
    io_write("a.h5", "no HDF5", 7);
    refuse("a.h5", "expected an HDF5 file");
    IO_REFUSED(ismrmrd_read(io_folder, NULL, &scan, err), KN_ERROR_INPUT, "expected an HDF5 file");
    write_scan("a.h5", "scan_1", &packed, NULL, NULL);
    refuse("a.h5", "has no 'dataset/data', where an ISMRMRD file has its acquisitions; it holds \"scan_1\"");
    // Truncated at several places.
    write_scan("a.h5", "dataset", &packed, NULL, NULL);
    count = io_read("a.h5", bytes, sizeof bytes);
    for (size_t part = 1; part < 8; part++) {
        io_write("b.h5", bytes, count * part / 8);
        refuse("b.h5", "b.h5: ");
    }
    // A table of 2^40 rows, none of them stored.
    file = H5Fcreate(io_path("c.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    group = H5Gcreate2(file, "dataset", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    type = row_type(&packed);
    space = H5Screate_simple(1, &absurd, NULL);
    chunks = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(chunks, 1, &one);
    set = H5Dcreate2(group, "data", type, space, H5P_DEFAULT, chunks, H5P_DEFAULT);
    ck_assert_int_ge(set, 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Gclose(group);
    // A table of integers, in another group.
    group = H5Gcreate2(file, "numbers", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    space = H5Screate_simple(1, &one, NULL);
    set = H5Dcreate2(group, "data", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(chunks);
    H5Tclose(type);
    H5Gclose(group);
    H5Fclose(file);
    refuse("c.h5", "declares 1099511627776 acquisitions, but the file has only");
    IO_REFUSED(ismrmrd_read(io_path("c.h5"), "numbers", &scan, err), KN_ERROR_INPUT,
               "'numbers/data' is not a table of acquisitions");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {layouts, members, disagreement, other_files};

    return TEST_RUN_WITH("ismrmrd", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}

#else

START_TEST(without)
{
    struct ismrmrd scan;

    ck_assert_msg(!test_require("hdf5"), "built without libhdf5 (KOINE_REQUIRE lists hdf5)");
    IO_REFUSED(ismrmrd_read(io_path("a.h5"), NULL, &scan, err), KN_ERROR_UNSUPPORTED, "install libhdf5-dev");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {without};

    return TEST_RUN_WITH("ismrmrd", CK_FORK_GETENV, io_set_up, io_tear_down, tests);
}

#endif
