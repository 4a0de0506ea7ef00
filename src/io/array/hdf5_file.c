// SPDX-License-Identifier: Apache-2.0
#include "hdf5_file.h"

#include <config.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#if HAVE_HDF5

#include <errno.h>
#include <sys/stat.h>

#include "base/text/quote.h"
#include "hdf5_internal.h"

enum { NAMES_SHOWN = 8, NAME = 64, PATH = 256, PACKED = 64 };

struct hdf5_file {
    char *path;
    hid_t file;
    size_t bytes;
};

// ---- what readers share ----

void hdf5_hush(struct hdf5_hush *hush)
{
    H5Eget_auto2(H5E_DEFAULT, &hush->print, &hush->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void hdf5_unhush(const struct hdf5_hush *hush)
{
    H5Eset_auto2(H5E_DEFAULT, hush->print, hush->data);
}

// libhdf5's innermost error message.
static herr_t keep_reason(unsigned depth, const H5E_error2_t *error, void *reason)
{
    if (depth == 0 && error->desc)
        ki_text_add(reason, error->desc);
    return 0;
}

kn_status hdf5_failed(const char *path, const char *what, kn_error *err)
{
    struct ki_text reason = KI_TEXT_INIT;
    kn_status status;

    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, &reason);
    status = ki_fail_at(err, KN_ERROR_INPUT, path, 0, "%s cannot be read (libhdf5: %s); is it damaged?", what,
                        reason.length ? ki_text_string(&reason) : "no reason given");
    ki_text_free(&reason);
    return status;
}

kn_status hdf5_open_plain(const char *path, const char *kind, hid_t *file, size_t *bytes, kn_error *err)
{
    struct stat info;
    htri_t is_hdf5;

    if (stat(path, &info) != 0)
        return ki_fail_errno(err, KN_ERROR_INPUT, path, errno, "cannot be read");
    *bytes = (size_t)info.st_size;
    is_hdf5 = S_ISREG(info.st_mode) ? H5Fis_hdf5(path) : 0;
    if (is_hdf5 == 0)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "expected an HDF5 file (%s, .h5), but it is not one",
                          kind);
    *file = is_hdf5 > 0 ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    return *file >= 0 ? KN_OK : hdf5_failed(path, "it", err);
}

void hdf5_list_names(hid_t group, struct ki_text *names)
{
    H5G_info_t info = {.nlinks = 0};

    H5Gget_info(group, &info);
    for (hsize_t i = 0; i < info.nlinks && i < NAMES_SHOWN; i++) {
        char name[NAME] = "", quoted[2 * NAME];

        if (H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT) < 0)
            break;
        ki_text_format(names, "%s%s", i ? ", " : "", ki_quote(quoted, sizeof quoted, name, strlen(name)));
    }
    if (!names->length)
        ki_text_add(names, "nothing");
    else if (info.nlinks > NAMES_SHOWN)
        ki_text_add(names, ", ...");
}

// ---- files ----

kn_status hdf5_open(const char *path, const char *kind, struct hdf5_file **file, kn_error *err)
{
    struct hdf5_file *made = calloc(1, sizeof *made);
    struct hdf5_hush hush;
    kn_status status;

    *file = NULL;
    if (!made || !(made->path = strdup(path))) {
        free(made);
        return ki_fail_memory(err, sizeof *made + strlen(path), path);
    }
    hdf5_hush(&hush);
    status = hdf5_open_plain(path, kind, &made->file, &made->bytes, err);
    hdf5_unhush(&hush);
    if (!status) {
        *file = made;
        return KN_OK;
    }
    free(made->path);
    free(made);
    return status;
}

void hdf5_close(struct hdf5_file *file)
{
    if (!file)
        return;
    H5Fclose(file->file);
    free(file->path);
    free(file);
}

// The length of a name up to a slash or the end; all of it if it has no slash.
static size_t find(const struct hdf5_file *file, const char *name)
{
    char part[PATH];
    size_t there = 0, length = strlen(name);

    for (size_t end = 1; end <= length && end < sizeof part; end++)
        if (name[end] == '/' || !name[end]) {
            memcpy(part, name, end);
            part[end] = '\0';
            if (H5Lexists(file->file, part, H5P_DEFAULT) <= 0)
                break;
            there = end;
        }
    return there;
}

bool hdf5_has(const struct hdf5_file *file, const char *name)
{
    struct hdf5_hush hush;
    bool has;

    hdf5_hush(&hush);
    has = find(file, name) == strlen(name);
    hdf5_unhush(&hush);
    return has;
}

static kn_status missing(const struct hdf5_file *file, const char *name, kn_error *err)
{
    struct ki_text names = KI_TEXT_INIT;
    size_t there = find(file, name);
    char group[PATH] = "/";
    hid_t id;
    kn_status status;

    if (there) {
        memcpy(group, name, there);
        group[there] = '\0';
    }
    id = H5Gopen2(file->file, group, H5P_DEFAULT);
    if (id >= 0) {
        hdf5_list_names(id, &names);
        H5Gclose(id);
    }
    status = ki_fail_at(err, KN_ERROR_INPUT, file->path, 0, "has no '%s'; '%s' holds %s", name, group,
                        names.length ? ki_text_string(&names) : "no names");
    ki_text_free(&names);
    return status;
}

// ---- arrays ----

struct array {
    hid_t set, space;
    hsize_t sizes[HDF5_DIMENSIONS];
};

static void close_array(const struct array *array)
{
    if (array->space >= 0)
        H5Sclose(array->space);
    if (array->set >= 0)
        H5Dclose(array->set);
}

static bool holds_numbers(hid_t set)
{
    hid_t type = H5Dget_type(set);
    H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;

    if (type >= 0)
        H5Tclose(type);
    return class == H5T_INTEGER || class == H5T_FLOAT;
}

static kn_status open_array(const struct hdf5_file *file, const char *name, size_t dimensions,
                            struct array *array, kn_error *err)
{
    int found;

    *array = (struct array){-1, -1, {0}};
    if (find(file, name) != strlen(name))
        return missing(file, name, err);
    array->set = H5Dopen2(file->file, name, H5P_DEFAULT);
    if (array->set < 0 || !holds_numbers(array->set))
        return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0, "'%s' is not an array of numbers", name);
    array->space = H5Dget_space(array->set);
    found = array->space >= 0 ? H5Sget_simple_extent_ndims(array->space) : -1;
    if (found < 0)
        return hdf5_failed(file->path, name, err);
    if ((size_t)found != dimensions || dimensions > HDF5_DIMENSIONS)
        return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0, "'%s' has %d dimensions, expected %zu", name,
                          found, dimensions);
    H5Sget_simple_extent_dims(array->space, array->sizes, NULL);
    return KN_OK;
}

kn_status hdf5_sizes(const struct hdf5_file *file, const char *name, size_t dimensions, size_t *sizes,
                     kn_error *err)
{
    struct hdf5_hush hush;
    struct array array;
    kn_status status;

    hdf5_hush(&hush);
    status = open_array(file, name, dimensions, &array, err);
    for (size_t i = 0; i < dimensions && !status; i++)
        sizes[i] = (size_t)array.sizes[i];
    close_array(&array);
    hdf5_unhush(&hush);
    return status;
}

static kn_status check_part(const struct hdf5_file *file, const char *name, const struct array *array,
                            size_t dimensions, const size_t *first, const size_t *counts, size_t *total,
                            kn_error *err)
{
    *total = 1;
    for (size_t i = 0; i < dimensions; i++) {
        if (first[i] > array->sizes[i] || counts[i] > array->sizes[i] - first[i])
            return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0,
                              "'%s' has %llu elements along dimension %zu; expected %zu from %zu on", name,
                              (unsigned long long)array->sizes[i], i + 1, counts[i], first[i]);
        if (counts[i] && *total > SIZE_MAX / sizeof(double) / counts[i])
            *total = SIZE_MAX / sizeof(double);
        else
            *total *= counts[i];
    }
    if (*total / PACKED > file->bytes)
        return ki_fail_at(err, KN_ERROR_INPUT, file->path, 0,
                          "'%s' declares %zu numbers, but the file has only %zu bytes", name, *total,
                          file->bytes);
    return KN_OK;
}

static kn_status read_part(const struct hdf5_file *file, const char *name, const struct array *array,
                           size_t dimensions, const size_t *first, const size_t *counts, double *values,
                           kn_error *err)
{
    hsize_t begin[HDF5_DIMENSIONS], length[HDF5_DIMENSIONS];
    hid_t memory;
    bool is_read;

    for (size_t i = 0; i < dimensions; i++) {
        begin[i] = first[i];
        length[i] = counts[i];
    }
    memory = H5Screate_simple((int)dimensions, length, NULL);
    is_read = H5Sselect_hyperslab(array->space, H5S_SELECT_SET, begin, NULL, length, NULL) >= 0 &&
              H5Dread(array->set, H5T_NATIVE_DOUBLE, memory, array->space, H5P_DEFAULT, values) >= 0;
    H5Sclose(memory);
    return is_read ? KN_OK : hdf5_failed(file->path, name, err);
}

kn_status hdf5_read(const struct hdf5_file *file, const char *name, size_t dimensions, const size_t *first,
                    const size_t *counts, double **values, kn_error *err)
{
    struct hdf5_hush hush;
    struct array array;
    size_t total = 0;
    kn_status status;

    *values = NULL;
    hdf5_hush(&hush);
    status = open_array(file, name, dimensions, &array, err);
    if (!status)
        status = check_part(file, name, &array, dimensions, first, counts, &total, err);
    if (!status && !(*values = malloc(total * sizeof **values + 1)))
        status = ki_fail_memory(err, total * sizeof **values, file->path);
    if (!status && total)
        status = read_part(file, name, &array, dimensions, first, counts, *values, err);
    close_array(&array);
    hdf5_unhush(&hush);
    if (status) {
        free(*values);
        *values = NULL;
    }
    return status;
}

#else

kn_status hdf5_open(const char *path, const char *kind, struct hdf5_file **file, kn_error *err)
{
    *file = NULL;
    return ki_fail_at(err, KN_ERROR_UNSUPPORTED, path, 0,
                      "HDF5 files (%s, .h5) need libhdf5, but this Koine was built without it: install "
                      "libhdf5-dev and build again, or convert the data to .npy",
                      kind);
}

void hdf5_close(struct hdf5_file *file)
{
    (void)file;
}

bool hdf5_has(const struct hdf5_file *file, const char *name)
{
    (void)file;
    (void)name;
    return false;
}

kn_status hdf5_sizes(const struct hdf5_file *file, const char *name, size_t dimensions, size_t *sizes,
                     kn_error *err)
{
    (void)file;
    (void)dimensions;
    (void)sizes;
    return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: no libhdf5", name);
}

kn_status hdf5_read(const struct hdf5_file *file, const char *name, size_t dimensions, const size_t *first,
                    const size_t *counts, double **values, kn_error *err)
{
    (void)file;
    (void)dimensions;
    (void)first;
    (void)counts;
    *values = NULL;
    return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: no libhdf5", name);
}

#endif
