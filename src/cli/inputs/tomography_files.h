// SPDX-License-Identifier: Apache-2.0
// Tomography as a command is told of it: a geometry in a word, measured sinograms in files, pictures out.
#ifndef KN_CLI_INPUTS_TOMOGRAPHY_FILES_H
#define KN_CLI_INPUTS_TOMOGRAPHY_FILES_H

#include "tools/solve/sinogram_files.h"
#include "sparse_files.h"

// Whether a text begins as geometry_parse reads it.
bool geometry_is(const char *text);
// "parallel:ANGLES,DETECTORS,SIZE[,AXIS]", angles evenly over half a turn, or
// "fan:ANGLES,DETECTORS,SIZE,SOURCE,DETECTOR[,AXIS]", evenly over a whole one: SOURCE and DETECTOR are
// distances from the axis in pixels, and detectors are a line; AXIS is the detector from 0 that sees the axis
// of rotation, (DETECTORS - 1) / 2 if it is not given or is the word "auto", of parallel rays; or
// "cone:ANGLES,ROWSxCOLUMNS,N[xNxSLICES],SOURCE,DETECTOR[,AXIS]", SLICES being SIZE if it is not
// given. Errors:
// KN_ERROR_ARGUMENT with the part that is none, and for what koine/tomography.h refuses. On failure
// `geometry` is empty.
kn_status geometry_parse(const char *text, kn_tomography_geometry *geometry, kn_error *err);

// Whether it is a cone's.
bool geometry_is_cone(const char *text);

// Whether AXIS is "auto": the caller finds it from a sinogram.
bool geometry_finds_axis(const char *text);

// What options say of a geometry beside its word; NULL: nothing.
struct geometry_options {
    const char
        *angles; // a file with the angle of each projection in degrees: .npy, .mtx, or a column of text
    const char *offset;   // by how many detectors the line of detectors is shifted, relative to the axis
    const char *detector; // of a fan: a word of geometry_detectors
    bool finds_axis;      // the caller finds the axis if AXIS is "auto", which is refused otherwise
    bool takes_cones;     // they are refused otherwise, as nothing projects them
};

extern const char *const geometry_detectors[]; // "flat", "curved", NULL

// Both together. `theta`, which the geometry borrows, is the caller's to free; NULL: angles are even. Errors:
// those of geometry_parse; KN_ERROR_ARGUMENT for an offset that is no number, or beside an AXIS, and for a
// detector that is neither word, or of parallel beams;
// KN_ERROR_INPUT, with the file, for angles that are not finite or not as many as projections; those of
// reading. On failure `geometry` is empty, and `theta` NULL.
kn_status geometry_read(const char *text, const struct geometry_options *options,
                        kn_tomography_geometry *geometry, double **theta, kn_error *err);
// Where its axis is seen, in detectors from 0.
double geometry_axis(const kn_tomography_geometry *geometry);

// The word for the detectors of a fan.
const char *geometry_shape(const kn_tomography_geometry *geometry);

// Whether a path ends as those of HDF5 do: .h5, .hdf5.
bool sparse_is_tomography(const char *path);

// `count` slices of a file, from one on (sinogram_files.h), for a geometry of so many projections and
// detectors, which may be a whole part of the file's (so many of the file's neighbours become one); 0
// `detectors`: as the file has them. Errors: those of sparse_read_sinogram; KN_ERROR_INPUT where the file has
// not as many projections and detectors.
kn_status sparse_read_measured(const char *path, size_t slice, size_t count, size_t angles, size_t detectors,
                               struct sparse_sinogram *sinogram, kn_error *err);

// Whether a solution of `columns` numbers, a column each for `count` right-hand sides, can be written under a
// name by its ending: .npy, .mtx; - (standard output, as .npy); .png, a square picture, of one column whose
// length is a square. KN_ERROR_ARGUMENT.
kn_status sparse_try_solutions(const char *path, size_t columns, size_t count, kn_error *err);
// Writes it, `count` columns of `rows` numbers; a picture is black from 0 down, and white at its greatest
// number. Errors as columns_write.
kn_status sparse_write_solutions(const char *path, size_t rows, size_t count, const double *x, bool force,
                                 kn_error *err);

#endif
