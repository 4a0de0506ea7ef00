// SPDX-License-Identifier: Apache-2.0
// Writes ISMRMRD files for tests with libhdf5, in two layouts: heads packed as by C++ writers, and heads
// aligned as by others, with the members in another order. Only for builds with HAVE_HDF5.
#ifndef KN_TESTS_UNIT_IO_ISMRMRD_SUPPORT_H
#define KN_TESTS_UNIT_IO_ISMRMRD_SUPPORT_H

#include "support/support.h"

#include <hdf5.h>

enum { COUNTERS = 9 };

static const char *const counter_names[COUNTERS] = {"kspace_encode_step_1",
                                                    "kspace_encode_step_2",
                                                    "average",
                                                    "slice",
                                                    "contrast",
                                                    "phase",
                                                    "repetition",
                                                    "set",
                                                    "segment"};

// Sizes and offsets, in bytes, of a writer's rows and of their heads.
struct layout {
    size_t head_bytes, flags_at, samples_at, coils_at, centre_at, axes_at, time_at, index_at;
    size_t head_at, traj_at, data_at, row_bytes;
    const char *leave_out; // the name of a member to omit, or NULL
};

// The C++ library's packed head of 340 bytes; and an aligned head of 352 bytes, with the data before the
// trajectory.
static const struct layout packed = {340, 2, 34, 38, 172, 176, 178, 242, 0, 340, 356, 372, NULL};
static const struct layout aligned = {352, 8, 40, 44, 180, 184, 188, 256, 32, 16, 0, 384, NULL};

static inline void insert(hid_t compound, const struct layout *layout, const char *name, size_t at,
                          hid_t type)
{
    if (!layout->leave_out || strcmp(layout->leave_out, name) != 0)
        ck_assert_int_ge(H5Tinsert(compound, name, at, type), 0);
}

static inline hid_t row_type(const struct layout *layout)
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

static inline void put_short(unsigned char *at, size_t value)
{
    uint16_t number = (uint16_t)value;

    memcpy(at, &number, sizeof number);
}

// One acquisition: `trajectory` has samples x axes numbers, `data` coils x samples complex numbers.
struct written {
    uint64_t flags;
    size_t samples, coils, centre, axes;
    float time_us;
    size_t index[COUNTERS];
    const float *trajectory, *data;
};

// Fills in its row, which points to the numbers of `written` instead of copying them.
static inline void put_row(const struct layout *layout, const struct written *written, unsigned char *row)
{
    unsigned char *head = row + layout->head_at;
    hvl_t lists[2] = {{written->samples * written->axes, (void *)(uintptr_t)written->trajectory},
                      {2 * written->coils * written->samples, (void *)(uintptr_t)written->data}};

    memset(row, 0xee, layout->row_bytes); // padding, which the reader must ignore
    memcpy(head + layout->flags_at, &written->flags, sizeof written->flags);
    put_short(head + layout->samples_at, written->samples);
    put_short(head + layout->coils_at, written->coils);
    put_short(head + layout->centre_at, written->centre);
    put_short(head + layout->axes_at, written->axes);
    memcpy(head + layout->time_at, &written->time_us, sizeof written->time_us);
    for (size_t i = 0; i < COUNTERS; i++)
        put_short(head + layout->index_at + 2 * i, written->index[i]);
    memcpy(row + layout->traj_at, &lists[0], sizeof lists[0]);
    memcpy(row + layout->data_at, &lists[1], sizeof lists[1]);
}

static inline void write_header(hid_t group, const char *text)
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

// Writes a file of `count` rows; `xml` NULL: without a header.
static inline void write_rows(const char *path, const char *group_name, const struct layout *layout,
                              const char *xml, const unsigned char *rows, size_t count)
{
    const hsize_t lines = count;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, group_name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = row_type(layout), space = H5Screate_simple(1, &lines, NULL), set;

    ck_assert(file >= 0 && group >= 0 && type >= 0);
    set = H5Dcreate2(group, "data", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows), 0);
    if (xml)
        write_header(group, xml);
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    H5Gclose(group);
    ck_assert_int_ge(H5Fclose(file), 0);
}

#endif
