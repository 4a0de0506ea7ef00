// SPDX-License-Identifier: Apache-2.0
// Sparse systems from the command's readers as the structs of src/app/sparse, for tests that look inside.
#ifndef KN_TESTS_SUPPORT_SPARSE_INPUTS_H
#define KN_TESTS_SUPPORT_SPARSE_INPUTS_H

#include <stdlib.h>

#include "app/sparse/api/sparse_internal.h"
#include "app/sparse/tomography/parallel.h"
#include "cli/inputs/tomography_files.h"

// Right-hand sides or solutions: `count` columns of `rows` numbers, one after the other.
struct sparse_columns {
    size_t rows, count;
    double *values;
};

// The contents of a matrix; the caller frees it with ki_sparse_free.
static inline struct sparse_matrix sparse_take(kn_sparse *made)
{
    struct sparse_matrix matrix = made->matrix;

    free(made);
    return matrix;
}

// Like sparse_read_matrix; the caller frees it with ki_sparse_free.
static inline kn_status sparse_read(const char *path, struct sparse_matrix *matrix, kn_error *why)
{
    kn_sparse *read;
    kn_status status = sparse_read_matrix(path, &read, why);

    *matrix = status ? (struct sparse_matrix){.rows = 0} : read->matrix;
    free(read);
    return status;
}

// Like columns_read.
static inline kn_status sparse_read_columns(const char *path, struct sparse_columns *columns, kn_error *why)
{
    return columns_read(path, &columns->rows, &columns->count, &columns->values, why);
}

// Like geometry_parse.
static inline kn_status sparse_parse(const char *text, struct sparse_parallel *out, kn_error *why)
{
    kn_tomography_geometry geometry;
    kn_status status = geometry_parse(text, &geometry, why);

    *out = status ? (struct sparse_parallel){.angles = 0}
                  : (struct sparse_parallel){.angles = geometry.angles,
                                             .detectors = geometry.detectors,
                                             .size = geometry.size,
                                             .axis = geometry_axis(&geometry),
                                             .beam = geometry.beam,
                                             .source = geometry.source_distance,
                                             .detector = geometry.detector_distance};
    return status;
}

// Like sparse_read_measured, as one column, for a geometry, which gets the file's angles.
static inline kn_status sparse_read_slice(const char *path, size_t slice, struct sparse_parallel *geometry,
                                          struct sparse_columns *b, kn_error *why)
{
    struct sparse_sinogram sinogram;
    kn_status status =
        sparse_read_measured(path, slice, 1, geometry->angles, geometry->detectors, &sinogram, why);

    if (status)
        return status;
    *b = (struct sparse_columns){sinogram.angles * sinogram.detectors, 1, sinogram.values};
    free(geometry->theta);
    geometry->theta = sinogram.theta;
    return KN_OK;
}

#endif
