// SPDX-License-Identifier: Apache-2.0
#include "scan_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "cli/inputs/mri_files.h"

// ---- arrays with a trajectory ----

// Counts the coils of data with `samples` samples each: the last sizes of the shape are those of the
// trajectory, and at most one of the sizes before them differs from 1.
static kn_status count_coils(const char *path, const struct npy *shape, const char *trajectory,
                             size_t samples, size_t *coils, kn_error *err)
{
    size_t product = 1, dim = shape->dims;
    bool several = false;

    while (dim > 0 && (product < samples || shape->shape[dim - 1] == 1))
        product *= shape->shape[--dim];
    *coils = 1;
    while (dim > 0) {
        size_t size = shape->shape[--dim];

        several = several || (*coils > 1 && size > 1);
        *coils *= size;
    }
    if (product != samples)
        return ki_fail_at(
            err, KN_ERROR_INPUT, path, 0,
            "has %zu samples, but the trajectory %s has %zu; expected [1, samples, spokes, coils] "
            "(.cfl) or the shape (coils, spokes, samples) (.npy) of that trajectory",
            shape->count, trajectory, samples);
    if (several)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                          "has %zu times the trajectory's samples in more than one dimension; expected only "
                          "coils, for one image: cut it out of the array first",
                          *coils);
    return KN_OK;
}

static kn_status read_array(const struct mri_scan_request *request, struct mri_scan *scan, kn_error *err)
{
    struct mri_trajectory trajectory;
    struct npy shape;
    kn_status status;

    if (!request->trajectory)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s contains no trajectory: expected --trajectory FILE (.cfl or .npy), such as 'koine "
                       "trajectory' writes",
                       request->path);
    status = mri_trajectory_read(request->trajectory, &trajectory, err);
    if (status)
        return status;
    scan->k = trajectory.k;
    scan->samples = trajectory.samples;
    if (!scan->samples)
        return ki_fail_at(err, KN_ERROR_INPUT, request->trajectory, 0, "has no samples");
    status = mri_values_read(request->path, true, &shape, &scan->data, err);
    if (status)
        return status;
    return count_coils(request->path, &shape, request->trajectory, scan->samples, &scan->coils, err);
}

// ---- Parboil ----

// Position of voxel j on an axis of `size` voxels, in fields of view.
static double position(size_t j, size_t size)
{
    return ((double)j - (double)(size / 2)) / (double)size;
}

// The edge of the cube that its voxels form, if they form one in the expected order.
static size_t cube_edge(const struct parboil *file)
{
    size_t edge = (size_t)lrint(cbrt((double)file->voxels));

    if (edge * edge * edge != file->voxels)
        return 0;
    for (size_t n = 0; n < file->voxels; n++) {
        size_t rest = n;

        for (size_t axis = 0; axis < SCAN_AXES; axis++, rest /= edge)
            if (fabs((double)file->r[axis][n] - position(rest % edge, edge)) > 1e-6)
                return 0;
    }
    return edge;
}

static kn_status take_parboil(const struct parboil *file, struct mri_scan *scan, kn_error *err)
{
    size_t edge = cube_edge(file);

    scan->matrix =
        edge ? (kn_recon_matrix){3, {edge, edge, edge}} : (kn_recon_matrix){3, {file->voxels, 1, 1}};
    scan->matrix_from = edge ? "its voxels" : "its voxels, which lie anywhere";
    scan->voxels = file->voxels;
    scan->samples = file->samples;
    scan->coils = 1;
    scan->k = malloc(file->samples * SCAN_AXES * sizeof *scan->k);
    scan->weights = malloc(file->samples * sizeof *scan->weights);
    scan->positions = edge ? NULL : malloc(file->voxels * SCAN_AXES * sizeof *scan->positions);
    if (!scan->k || !scan->weights || (!edge && !scan->positions))
        return ki_fail_memory(err, (file->samples + file->voxels) * SCAN_AXES * sizeof(double), "a scan");
    for (size_t m = 0; m < file->samples; m++) {
        double real = (double)file->phi[0][m], imaginary = (double)file->phi[1][m];

        scan->weights[m] = real * real + imaginary * imaginary;
        for (size_t axis = 0; axis < SCAN_AXES; axis++)
            scan->k[SCAN_AXES * m + axis] = (double)file->k[axis][m];
    }
    for (size_t n = 0; !edge && n < file->voxels; n++)
        for (size_t axis = 0; axis < SCAN_AXES; axis++)
            scan->positions[SCAN_AXES * n + axis] = (double)file->r[axis][n];
    return KN_OK;
}

static kn_status read_parboil(const struct mri_scan_request *request, struct mri_scan *scan, kn_error *err)
{
    struct parboil file;
    kn_status status;

    if (request->matrix.axes)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s has its own voxels; --matrix is for other inputs",
                       request->path);
    status = parboil_read(request->path, request->order, &file, err);
    if (!status)
        status = take_parboil(&file, scan, err);
    parboil_free(&file);
    return status;
}

// ---- reading ----

static enum mri_scan_format format_of(const char *path)
{
    static const struct {
        const char *ending;
        enum mri_scan_format format;
    } formats[] = {{".h5", MRI_SCAN_ISMRMRD}, {".hdf5", MRI_SCAN_ISMRMRD}, {".bin", MRI_SCAN_PARBOIL}};
    const char *ending = strrchr(path, '.');

    for (size_t i = 0; ending && i < sizeof formats / sizeof *formats; i++)
        if (strcasecmp(ending, formats[i].ending) == 0)
            return formats[i].format;
    return MRI_SCAN_ARRAY;
}

static kn_status read_ismrmrd(const struct mri_scan_request *request, struct mri_scan *scan, kn_error *err)
{
    return mri_scan_ismrmrd(request->path, scan, err);
}

static kn_status read_input(const struct mri_scan_request *request, struct mri_scan *scan, kn_error *err)
{
    static kn_status (*const readers[])(const struct mri_scan_request *request, struct mri_scan *scan,
                                        kn_error *err) = {
        [MRI_SCAN_ARRAY] = read_array, [MRI_SCAN_ISMRMRD] = read_ismrmrd, [MRI_SCAN_PARBOIL] = read_parboil};

    scan->format = format_of(request->path);
    if (scan->format != MRI_SCAN_ARRAY && request->trajectory)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s has its own trajectory; --trajectory is for .cfl and .npy",
                       request->path);
    return readers[scan->format](request, scan, err);
}

kn_status mri_scan_read(const struct mri_scan_request *request, struct mri_scan *scan, kn_error *err)
{
    kn_status status;

    *scan = (struct mri_scan){.k = NULL};
    status = read_input(request, scan, err);
    if (!status)
        status = mri_scan_settle(request, scan, err);
    if (status)
        mri_scan_free(scan);
    return status;
}
