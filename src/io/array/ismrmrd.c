// SPDX-License-Identifier: Apache-2.0
#include "ismrmrd.h"

#include <config.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

bool ismrmrd_is_noise(const struct ismrmrd_acquisition *acquisition)
{
    return acquisition->flags >> 18 & 1;
}

void ismrmrd_free(struct ismrmrd *scan)
{
    for (size_t i = 0; i < scan->count; i++) {
        free(scan->acquisitions[i].trajectory);
        free(scan->acquisitions[i].data);
    }
    free(scan->acquisitions);
    free(scan->xml);
    memset(scan, 0, sizeof *scan);
}

#if HAVE_HDF5

#include "base/array.h"
#include "hdf5_internal.h"

enum { ROWS = 256 };

// A row in memory, into which libhdf5 converts the file's types.
struct head {
    uint64_t flags;
    uint16_t samples, coils, centre, axes;
    float sample_time_us;
    uint16_t index[ISMRMRD_INDICES];
};

struct row {
    struct head head;
    hvl_t trajectory, data;
};

enum member_type { MEMBER_U16, MEMBER_U64, MEMBER_FLOAT };

struct member {
    const char *name;
    size_t offset; // in struct head; of a counter, in its array
    enum member_type type;
    bool needed; // other members are 0 if a file lacks them
};

static const struct member head_members[] = {
    {"flags", offsetof(struct head, flags), MEMBER_U64, true},
    {"number_of_samples", offsetof(struct head, samples), MEMBER_U16, true},
    {"active_channels", offsetof(struct head, coils), MEMBER_U16, true},
    {"trajectory_dimensions", offsetof(struct head, axes), MEMBER_U16, true},
    {"center_sample", offsetof(struct head, centre), MEMBER_U16, false},
    {"sample_time_us", offsetof(struct head, sample_time_us), MEMBER_FLOAT, false},
};

#define INDEX(name, i)                                                                                       \
    {                                                                                                        \
        name, sizeof(uint16_t) * (i), MEMBER_U16, false                                                      \
    }
static const struct member index_members[] = {
    INDEX("kspace_encode_step_1", ISMRMRD_STEP_1),
    INDEX("kspace_encode_step_2", ISMRMRD_STEP_2),
    INDEX("average", ISMRMRD_AVERAGE),
    INDEX("slice", ISMRMRD_SLICE),
    INDEX("contrast", ISMRMRD_CONTRAST),
    INDEX("phase", ISMRMRD_PHASE),
    INDEX("repetition", ISMRMRD_REPETITION),
    INDEX("set", ISMRMRD_SET),
    INDEX("segment", ISMRMRD_SEGMENT),
};

struct reader {
    const char *path, *group;
    hid_t file, table, space, type; // -1: not open; `type` is a row in memory
    size_t bytes;                   // of the file
    kn_error *err;
};

static kn_status failed(const struct reader *reader, const char *what)
{
    return hdf5_failed(reader->path, what, reader->err);
}

// ---- the file and its table ----

// What the file has instead of the group that was looked for.
static kn_status no_group(const struct reader *reader)
{
    struct ki_text names = KI_TEXT_INIT;
    kn_status status;

    hdf5_list_names(reader->file, &names);
    status = ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                        "has no '%s/data', where an ISMRMRD file has its acquisitions; it holds %s",
                        reader->group, ki_text_string(&names));
    ki_text_free(&names);
    return status;
}

static kn_status open_table(struct reader *reader)
{
    hid_t group = -1;

    if (H5Lexists(reader->file, reader->group, H5P_DEFAULT) > 0)
        group = H5Gopen2(reader->file, reader->group, H5P_DEFAULT);
    if (group >= 0 && H5Lexists(group, "data", H5P_DEFAULT) > 0)
        reader->table = H5Dopen2(group, "data", H5P_DEFAULT);
    if (group >= 0)
        H5Gclose(group);
    if (reader->table < 0)
        return no_group(reader);
    reader->space = H5Dget_space(reader->table);
    return reader->space >= 0 ? KN_OK : failed(reader, "its table");
}

// ---- the type of a row ----

static hid_t native(enum member_type type)
{
    return type == MEMBER_U64 ? H5T_NATIVE_UINT64 : type == MEMBER_U16 ? H5T_NATIVE_UINT16 : H5T_NATIVE_FLOAT;
}

static kn_status no_member(const struct reader *reader, const char *name, const char *kind)
{
    return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                      "'%s/data' is not a table of acquisitions: expected a member '%s' (%s) in its rows",
                      reader->group, name, kind);
}

// The member of a file's compound type, if it exists and is of that class; otherwise -1. Close it with
// H5Tclose.
static hid_t member_of(hid_t compound, const char *name, H5T_class_t class)
{
    int index = compound >= 0 ? H5Tget_member_index(compound, name) : -1;

    if (index < 0 || H5Tget_member_class(compound, (unsigned)index) != class)
        return -1;
    return H5Tget_member_type(compound, (unsigned)index);
}

// Adds to a row the members that the file has.
static kn_status add_members(const struct reader *reader, hid_t file_type, hid_t type,
                             const struct member *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (H5Tget_member_index(file_type, members[i].name) >= 0) {
            if (H5Tinsert(type, members[i].name, members[i].offset, native(members[i].type)) < 0)
                return failed(reader, "its table");
        } else if (members[i].needed) {
            return no_member(reader, members[i].name, "of the head");
        }
    }
    return KN_OK;
}

// Adds the counters to a head, in which they are a compound.
static kn_status add_index(const struct reader *reader, hid_t file_head, hid_t head)
{
    hid_t file_index = member_of(file_head, "idx", H5T_COMPOUND), index;
    kn_status status;

    if (file_index < 0)
        return KN_OK;
    index = H5Tcreate(H5T_COMPOUND, sizeof(uint16_t) * ISMRMRD_INDICES);
    status = add_members(reader, file_index, index, index_members, KI_COUNT(index_members));
    if (!status && H5Tget_nmembers(index) > 0 &&
        H5Tinsert(head, "idx", offsetof(struct head, index), index) < 0)
        status = failed(reader, "its table");
    H5Tclose(index);
    H5Tclose(file_index);
    return status;
}

static kn_status add_head(const struct reader *reader, hid_t file_row)
{
    hid_t file_head = member_of(file_row, "head", H5T_COMPOUND), head;
    kn_status status;

    if (file_head < 0)
        return no_member(reader, "head", "a compound");
    head = H5Tcreate(H5T_COMPOUND, sizeof(struct head));
    status = add_members(reader, file_head, head, head_members, KI_COUNT(head_members));
    if (!status)
        status = add_index(reader, file_head, head);
    if (!status && H5Tinsert(reader->type, "head", offsetof(struct row, head), head) < 0)
        status = failed(reader, "its table");
    H5Tclose(head);
    H5Tclose(file_head);
    return status;
}

// Adds one of the two lists of floats.
static kn_status add_numbers(const struct reader *reader, hid_t file_row, const char *name, size_t offset)
{
    hid_t file_list = member_of(file_row, name, H5T_VLEN),
          base = file_list >= 0 ? H5Tget_super(file_list) : -1, list;
    kn_status status = KN_OK;

    if (base < 0 || H5Tget_class(base) != H5T_FLOAT) {
        status = no_member(reader, name, "floats, of variable length");
    } else {
        list = H5Tvlen_create(H5T_NATIVE_FLOAT);
        if (H5Tinsert(reader->type, name, offset, list) < 0)
            status = failed(reader, "its table");
        H5Tclose(list);
    }
    if (base >= 0)
        H5Tclose(base);
    if (file_list >= 0)
        H5Tclose(file_list);
    return status;
}

static kn_status make_type(struct reader *reader)
{
    hid_t file_row = H5Dget_type(reader->table);
    kn_status status;

    if (file_row < 0)
        return failed(reader, "its table");
    reader->type = H5Tcreate(H5T_COMPOUND, sizeof(struct row));
    status = H5Tget_class(file_row) == H5T_COMPOUND ? add_head(reader, file_row)
                                                    : no_member(reader, "head", "a compound");
    if (!status)
        status = add_numbers(reader, file_row, "traj", offsetof(struct row, trajectory));
    if (!status)
        status = add_numbers(reader, file_row, "data", offsetof(struct row, data));
    H5Tclose(file_row);
    return status;
}

// ---- the rows ----

static kn_status copy_numbers(const hvl_t *list, float **numbers, kn_error *err)
{
    size_t bytes = list->len * sizeof **numbers;

    if (!list->len)
        return KN_OK;
    *numbers = malloc(bytes);
    if (!*numbers)
        return ki_fail_memory(err, bytes, "an acquisition");
    memcpy(*numbers, list->p, bytes);
    return KN_OK;
}

static kn_status take_row(const struct reader *reader, size_t number, const struct row *row,
                          struct ismrmrd_acquisition *acquisition)
{
    const struct head *head = &row->head;
    size_t wanted = (size_t)head->coils * head->samples * 2, points = (size_t)head->samples * head->axes;
    kn_status status;

    if (row->data.len != wanted)
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "acquisition %zu: %d samples of %d coils are %zu numbers, but found %zu", number,
                          head->samples, head->coils, wanted, row->data.len);
    if (row->trajectory.len != points)
        return ki_fail_at(
            reader->err, KN_ERROR_INPUT, reader->path, 0,
            "acquisition %zu: a trajectory of %d samples in %d dimensions is %zu numbers, but found %zu",
            number, head->samples, head->axes, points, row->trajectory.len);
    *acquisition = (struct ismrmrd_acquisition){.flags = head->flags,
                                                .samples = head->samples,
                                                .coils = head->coils,
                                                .axes = head->axes,
                                                .centre = head->centre,
                                                .sample_time_us = (double)head->sample_time_us};
    for (size_t i = 0; i < ISMRMRD_INDICES; i++)
        acquisition->index[i] = head->index[i];
    status = copy_numbers(&row->trajectory, &acquisition->trajectory, reader->err);
    return status ? status : copy_numbers(&row->data, &acquisition->data, reader->err);
}

// Rows `first` to `first + count - 1`.
static kn_status read_rows(const struct reader *reader, size_t first, size_t count, struct row rows[ROWS],
                           struct ismrmrd_acquisition *acquisitions)
{
    const hsize_t start = first, length = count;
    hid_t memory = H5Screate_simple(1, &length, NULL);
    kn_status status = KN_OK;

    memset(rows, 0, ROWS * sizeof *rows);
    if (H5Sselect_hyperslab(reader->space, H5S_SELECT_SET, &start, NULL, &length, NULL) < 0 ||
        H5Dread(reader->table, reader->type, memory, reader->space, H5P_DEFAULT, rows) < 0)
        status = failed(reader, "its acquisitions");
    for (size_t i = 0; i < count && !status; i++)
        status = take_row(reader, first + i, &rows[i], &acquisitions[i]);
    H5Dvlen_reclaim(reader->type, memory, H5P_DEFAULT, rows);
    H5Sclose(memory);
    return status;
}

static kn_status read_table(struct reader *reader, struct ismrmrd *scan)
{
    hssize_t points = H5Sget_simple_extent_npoints(reader->space);
    size_t count = points > 0 ? (size_t)points : 0;
    struct row *rows;
    kn_status status = KN_OK;

    if (H5Sget_simple_extent_ndims(reader->space) != 1)
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "'%s/data' has %d dimensions, expected 1", reader->group,
                          H5Sget_simple_extent_ndims(reader->space));
    if (count > reader->bytes)
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "'%s/data' declares %zu acquisitions, but the file has only %zu bytes",
                          reader->group, count, reader->bytes);
    scan->acquisitions = calloc(count + 1, sizeof *scan->acquisitions);
    rows = calloc(ROWS, sizeof *rows);
    if (!scan->acquisitions || !rows)
        status = ki_fail_memory(reader->err, count * sizeof *scan->acquisitions, reader->path);
    else
        scan->count = count;
    for (size_t first = 0; first < count && !status; first += ROWS)
        status = read_rows(reader, first, count - first < ROWS ? count - first : ROWS, rows,
                           scan->acquisitions + first);
    free(rows);
    return status;
}

// ---- the header ----

// The text of a dataset with one string, of fixed or variable length.
static kn_status read_string(const struct reader *reader, hid_t set, hid_t type, char **text)
{
    size_t size = H5Tget_size(type);
    char *string = NULL;

    if (size > reader->bytes)
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "its header declares %zu bytes, more than it has", size);
    if (H5Tis_variable_str(type) > 0) {
        if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &string) < 0)
            return failed(reader, "its header");
        *text = strdup(string ? string : "");
        H5free_memory(string);
    } else {
        *text = calloc(1, size + 1);
        if (*text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) < 0)
            return failed(reader, "its header");
    }
    return *text ? KN_OK : ki_fail_memory(reader->err, size, reader->path);
}

static kn_status read_header(const struct reader *reader, struct ismrmrd *scan)
{
    hid_t group = H5Gopen2(reader->file, reader->group, H5P_DEFAULT), set = -1, type = -1, space = -1;
    kn_status status = KN_OK;

    if (group >= 0 && H5Lexists(group, "xml", H5P_DEFAULT) > 0)
        set = H5Dopen2(group, "xml", H5P_DEFAULT);
    if (set >= 0) {
        type = H5Dget_type(set);
        space = H5Dget_space(set);
        if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1)
            status = ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0, "'%s/xml' is not one string",
                                reader->group);
        else
            status = read_string(reader, set, type, &scan->xml);
        H5Sclose(space);
        H5Tclose(type);
        H5Dclose(set);
    } else if (!(scan->xml = strdup(""))) {
        status = ki_fail_memory(reader->err, 1, reader->path);
    }
    if (group >= 0)
        H5Gclose(group);
    return status;
}

static kn_status read_scan(struct reader *reader, struct ismrmrd *scan)
{
    kn_status status = hdf5_open_plain(reader->path, "ISMRMRD", &reader->file, &reader->bytes, reader->err);

    if (!status)
        status = open_table(reader);
    if (!status)
        status = make_type(reader);
    if (!status)
        status = read_header(reader, scan);
    return status ? status : read_table(reader, scan);
}

kn_status ismrmrd_read(const char *path, const char *group, struct ismrmrd *scan, kn_error *err)
{
    struct reader reader = {path, group ? group : "dataset", -1, -1, -1, -1, 0, err};
    struct hdf5_hush hush;
    kn_status status;

    memset(scan, 0, sizeof *scan);
    hdf5_hush(&hush);
    status = read_scan(&reader, scan);
    if (reader.type >= 0)
        H5Tclose(reader.type);
    if (reader.space >= 0)
        H5Sclose(reader.space);
    if (reader.table >= 0)
        H5Dclose(reader.table);
    if (reader.file >= 0)
        H5Fclose(reader.file);
    hdf5_unhush(&hush);
    if (status)
        ismrmrd_free(scan);
    return status;
}

#else

kn_status ismrmrd_read(const char *path, const char *group, struct ismrmrd *scan, kn_error *err)
{
    (void)group;
    memset(scan, 0, sizeof *scan);
    return ki_fail_at(err, KN_ERROR_UNSUPPORTED, path, 0,
                      "ISMRMRD files (.h5) need libhdf5, but this Koine was built without it: install "
                      "libhdf5-dev and build again, or convert the data to .cfl or .npy");
}

#endif
