// SPDX-License-Identifier: Apache-2.0
// ISMRMRD files, written here with libhdf5: heads packed as C++ writers do and aligned as others do, members
// in another order; and files that are damaged, or something else. Without libhdf5: the refusal.
#include "io_support.h"

#include <config.h>

#include "../../../src/io/ismrmrd.h"
#include "../run.h"

#if HAVE_HDF5

#include <hdf5.h>

enum { COUNTERS = 9, MEMBERS = 8, LINES = 300 }; // more lines than are read at once

static const char *const counter_names[COUNTERS] = {"kspace_encode_step_1",
                                                    "kspace_encode_step_2",
                                                    "average",
                                                    "slice",
                                                    "contrast",
                                                    "phase",
                                                    "repetition",
                                                    "set",
                                                    "segment"};

// How a writer lays out its rows.
struct layout {
    size_t head_bytes, flags_at, samples_at, coils_at, centre_at, axes_at, time_at, index_at;
    size_t head_at, traj_at, data_at, row_bytes;
    const char *leave_out; // a member that is not there
};

// The C++ library's packed head of 340 bytes, and an aligned one of 352, data before traj.
static const struct layout packed = {340, 2, 34, 38, 172, 176, 178, 242, 0, 340, 356, 372, NULL};
static const struct layout aligned = {352, 8, 40, 44, 180, 184, 188, 256, 32, 16, 0, 384, NULL};

static void insert(hid_t compound, const struct layout *layout, const char *name, size_t at, hid_t type)
{
    if (!layout->leave_out || strcmp(layout->leave_out, name) != 0)
        ck_assert_int_ge(H5Tinsert(compound, name, at, type), 0);
}

static hid_t row_type(const struct layout *layout)
{
    hid_t index = H5Tcreate(H5T_COMPOUND, 2 * COUNTERS + 16),
          head = H5Tcreate(H5T_COMPOUND, layout->head_bytes);
    hid_t row = H5Tcreate(H5T_COMPOUND, layout->row_bytes), floats = H5Tvlen_create(H5T_NATIVE_FLOAT);

    for (size_t i = 0; i < COUNTERS; i++)
        insert(index, layout, counter_names[i], 2 * i, H5T_NATIVE_UINT16);
    insert(head, layout, "flags", layout->flags_at, H5T_NATIVE_UINT64);
    insert(head, layout, "number_of_samples", layout->samples_at, H5T_NATIVE_UINT16);
    insert(head, layout, "active_channels", layout->coils_at, H5T_NATIVE_UINT16);
    insert(head, layout, "center_sample", layout->centre_at, H5T_NATIVE_UINT16);
    insert(head, layout, "trajectory_dimensions", layout->axes_at, H5T_NATIVE_UINT16);
    insert(head, layout, "sample_time_us", layout->time_at, H5T_NATIVE_FLOAT);
    insert(head, layout, "idx", layout->index_at, index);
    insert(row, layout, "head", layout->head_at, head);
    insert(row, layout, "traj", layout->traj_at, floats);
    insert(row, layout, "data", layout->data_at, floats);
    H5Tclose(index);
    H5Tclose(head);
    H5Tclose(floats);
    return row;
}

static void put_short(unsigned char *at, size_t value)
{
    uint16_t number = (uint16_t)value;

    memcpy(at, &number, sizeof number);
}

// What the tests' scan has: line i of 1 + i % 5 samples, 2 coils, every third without a trajectory, the first
// of noise.
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
    unsigned char *head = row + layout->head_at;
    uint64_t flags = line == 0 ? UINT64_C(1) << 18 : UINT64_C(1) << 40;
    float time = 2.5f;
    hvl_t lists[2] = {{samples_of(line) * axes_of(line), numbers[0]}, {samples_of(line) * 2 * 2, numbers[1]}};

    for (size_t i = 0; i < 32; i++)
        for (size_t is_data = 0; is_data < 2; is_data++)
            numbers[is_data][i] = number_of(line, i, is_data);
    memset(row, 0xee, layout->row_bytes); // what is in no member is not looked at
    memcpy(head + layout->flags_at, &flags, sizeof flags);
    put_short(head + layout->samples_at, samples_of(line));
    put_short(head + layout->coils_at, 2);
    put_short(head + layout->centre_at, line % 7);
    put_short(head + layout->axes_at, axes_of(line));
    memcpy(head + layout->time_at, &time, sizeof time);
    for (size_t i = 0; i < COUNTERS; i++)
        put_short(head + layout->index_at + 2 * i, 10 * line + i);
    memcpy(row + layout->traj_at, &lists[0], sizeof lists[0]);
    memcpy(row + layout->data_at, &lists[1], sizeof lists[1]);
}

static void write_header(hid_t group, const char *text)
{
    const hsize_t one = 1;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &one, NULL), set;

    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    set = H5Dcreate2(group, "xml", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text), 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
}

// `spoil` may change the rows before they are written.
static void write_scan(const char *name, const char *group_name, const struct layout *layout, const char *xml,
                       void (*spoil)(const struct layout *layout, unsigned char *rows))
{
    const hsize_t lines = LINES;
    hid_t file = H5Fcreate(io_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, group_name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = row_type(layout), space = H5Screate_simple(1, &lines, NULL), set;
    unsigned char *rows = calloc(LINES, layout->row_bytes);
    float(*numbers)[2][32] = calloc(LINES, sizeof *numbers);

    ck_assert(file >= 0 && group >= 0 && type >= 0 && rows && numbers);
    for (size_t line = 0; line < LINES; line++)
        fill_row(layout, line, rows + line * layout->row_bytes, numbers[line]);
    if (spoil)
        spoil(layout, rows);
    set = H5Dcreate2(group, "data", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows), 0);
    if (xml)
        write_header(group, xml);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    H5Gclose(group);
    ck_assert_int_ge(H5Fclose(file), 0);
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

// What a head may lack, and what it must have.
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

// Line 280's head has a sample more than its data; line 7's says that its trajectory has no dimension.
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
    // Cut short, at several places.
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
    // And one of numbers.
    group = H5Gcreate2(file, "numbers", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    space = H5Screate_simple(1, &one, NULL);
    set = H5Dcreate2(group, "data", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(chunks);
    H5Tclose(type);
    H5Gclose(group);
    H5Fclose(file);
    refuse("c.h5", "promises 1099511627776 acquisitions, but the file has only");
    IO_REFUSED(ismrmrd_read(io_path("c.h5"), "numbers", &scan, err), KN_ERROR_INPUT,
               "'numbers/data' is no table of acquisitions");
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
