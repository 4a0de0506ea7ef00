// SPDX-License-Identifier: Apache-2.0
// Tomography without a matrix: Joseph's projector of parallel rays or of fans, and its exact transpose as a
// gather.
//
// The picture has size x size pixels of side 1; pixel x of line y (x to the right, y down, both from 0) is
// element y * size + x of a vector, and its centre is at (x - (size - 1) / 2, y - (size - 1) / 2) from the
// axis of rotation. Detectors are 1 apart. A projection's angle theta turns the picture: the pixel's position
// on the detector is
// u = axis + (x - (size - 1) / 2) cos theta + (y - (size - 1) / 2) sin theta, counted in detectors from 0.
// Detector k of projection t is element t * detectors + k of a sinogram: it sums the picture along its ray,
// interpolated between the two nearest pixels of each line, or of each column, whichever the ray crosses more
// steeply (Joseph 1982), times the length of a step. A formula for both products:
//     A[t * detectors + k][y * size + x] = max(0, 1 - |k - u| / m) / m, m = max(|cos theta|, |sin theta|).
// Other lengths scale everything: with pixels and detectors of size h, sums are h times as large.
//
// A ray is a line on which x cos phi + y sin phi is its distance from the axis, x and y counted from there:
// of a parallel beam, phi = theta and the distance is k - axis. The rays of a fan (fan.h) have an angle and a
// distance each; the weight of a pixel is 1 - |p - x| times the length of a step, where p is the position at
// which the ray crosses the pixel's line (or column), x the pixel's.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_PARALLEL_H
#define KN_APP_SPARSE_TOMOGRAPHY_PARALLEL_H

#include <stdbool.h>

#include <koine/tomography.h>

#include "app/sparse/matrix.h"

// The limits of a geometry: edge of the picture, detectors, projections.
enum {
    SPARSE_PARALLEL_SIZE = 1 << 15,
    SPARSE_PARALLEL_DETECTORS = 1 << 16,
    SPARSE_PARALLEL_ANGLES = 1 << 20
};

struct sparse_parallel {
    size_t angles, detectors, size;
    double axis;   // position of the axis of rotation, in detectors from 0
    double *theta; // radians, one per projection; NULL: evenly over half a turn, pi t / angles, of fans over
                   // a whole one
    kn_tomography_beam beam;
    double source, detector; // of fans and cones: distances from the axis, in pixels
    size_t lines, slices;    // of cones: lines of detectors, and slices of the volume; otherwise not used
    // By which the rows of the matrix are multiplied, from 0 on, so that it is diag(factors) A; the caller's.
    // NULL: 1. Not for filtered back-projection.
    const double *factors;
};

// KN_ERROR_ARGUMENT: a size of 0, a size above the limits above, a matrix with more rows or columns than 32
// bits count (of a cone: more rays of one line), an axis further than twice the detectors from their middle,
// an angle that is not finite, or a fan that ki_sparse_fan_check refuses.
kn_status ki_sparse_parallel_check(const struct sparse_parallel *parallel, kn_error *err);

void ki_sparse_parallel_free(struct sparse_parallel *parallel); // only its angles, not the struct

// Rows and columns of the matrix: the elements of a sinogram and of a picture, or of a cone's projections and
// volume.
size_t ki_sparse_parallel_rows(const struct sparse_parallel *parallel);
size_t ki_sparse_parallel_columns(const struct sparse_parallel *parallel);

// The angle of a projection in radians.
double ki_sparse_parallel_theta(const struct sparse_parallel *parallel, size_t projection);

// A ray, by its positions at lines (steep) or columns: at line i it is at (start - i drift) / over.
struct sparse_ray {
    double start, drift, over;
    double greatest; // the inverse of a step's length
    bool steep;
};

// The numbers of a projection: u = origin + x cosine + y sine for pixel x of line y.
struct sparse_view {
    double cosine, sine, origin;
    double greatest;               // the greater of |cosine| and |sine|
    bool steep;                    // |cosine| is the greater: rays cross lines more steeply than columns
    const struct sparse_ray *rays; // of a fan: one for each detector; NULL: rays are parallel
};

// One for each projection, with the rays of fans behind them; the caller frees them. NULL if there is no
// memory.
struct sparse_view *ki_sparse_parallel_views(const struct sparse_parallel *parallel, kn_error *err);
// The same without rays.
struct sparse_view *ki_sparse_parallel_turns(const struct sparse_parallel *parallel, kn_error *err);

// The bytes of these and of the geometry's own angles.
size_t ki_sparse_parallel_memory(const struct sparse_parallel *parallel);

// The most detectors of a projection that may see one pixel.
double ki_sparse_parallel_seen(const struct sparse_parallel *parallel);

// The number of nonzeros of the matrix. Errors: as ki_sparse_parallel_check; KN_ERROR_MEMORY.
kn_status ki_sparse_parallel_nonzeros(const struct sparse_parallel *parallel, size_t *nonzeros,
                                      kn_error *err);

// The matrix and its transpose without their nonzeros: sizes and starts only; free them with ki_sparse_free.
// Errors: as ki_sparse_parallel_check; KN_ERROR_MEMORY.
kn_status ki_sparse_parallel_starts(const struct sparse_parallel *parallel, struct sparse_matrix *matrix,
                                    struct sparse_matrix *transposed, kn_error *err);

// The matrix itself; free it with ki_sparse_free. It has about 2 * rows * size nonzeros of 12 bytes, and
// takes as much again while it is made. Errors: as ki_sparse_parallel_check; KN_ERROR_MEMORY.
kn_status ki_sparse_parallel_matrix(const struct sparse_parallel *parallel, struct sparse_matrix *out,
                                    kn_error *err);

// y = A x, or y = A^T x with `transposed`, in double precision and on `threads` threads (0: all), computed
// from the geometry. Every sum has a fixed order, whatever the threads. Errors: KN_ERROR_ARGUMENT as
// ki_sparse_parallel_check; KN_ERROR_MEMORY. Cost: reads x about twice per projection; 2 * rows * size
// multiplications.
kn_status ki_sparse_parallel_multiply(const struct sparse_parallel *parallel, bool transposed,
                                      const double *x, double *y, unsigned threads, kn_error *err);
// The same with its views, for a geometry that has been checked.
void ki_sparse_parallel_multiply_by(const struct sparse_parallel *parallel, const struct sparse_view *views,
                                    bool transposed, const double *x, double *y, unsigned threads);

#endif
