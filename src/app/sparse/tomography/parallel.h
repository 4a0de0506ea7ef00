// SPDX-License-Identifier: Apache-2.0
// Tomography with parallel rays, and no matrix: Joseph's projector, and its exact transpose as a gather.
//
// The picture has size x size pixels of side 1; pixel x of line y (x to the right, y down, both from 0) is
// element y * size + x of a vector, its centre at (x - (size - 1) / 2, y - (size - 1) / 2) from the axis of
// rotation. Detectors are 1 apart. A projection's angle theta turns the picture: the pixel is seen at
// u = axis + (x - (size - 1) / 2) cos theta + (y - (size - 1) / 2) sin theta, counted in detectors from 0.
// Detector k of projection t is element t * detectors + k of a sinogram: it sums along its line the picture
// interpolated between the two nearest pixels of each line, or of each column, whichever crosses it more
// steeply (Joseph 1982), times the length of a step. In a formula that serves both ways:
//     A[t * detectors + k][y * size + x] = max(0, 1 - |k - u| / m) / m, m = max(|cos theta|, |sin theta|).
// Of other lengths everything scales: with pixels and detectors of h, a sum is h times as large.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_PARALLEL_H
#define KN_APP_SPARSE_TOMOGRAPHY_PARALLEL_H

#include <stdbool.h>

#include "app/sparse/matrix.h"

// What a geometry has at most: an edge of the picture, detectors, projections.
enum {
    SPARSE_PARALLEL_SIZE = 1 << 15,
    SPARSE_PARALLEL_DETECTORS = 1 << 16,
    SPARSE_PARALLEL_ANGLES = 1 << 20
};

struct sparse_parallel {
    size_t angles, detectors, size;
    double axis;   // where the axis of rotation is seen, in detectors from 0
    double *theta; // radians, one a projection; NULL: evenly over half a turn, projection t at pi t / angles
};

// KN_ERROR_ARGUMENT: nothing of something, more than the numbers above, as many rows or columns of the matrix
// as 32 bits do not count, an axis further than twice the detectors from their middle, an angle that is not
// finite.
kn_status ki_sparse_parallel_check(const struct sparse_parallel *parallel, kn_error *err);

void ki_sparse_parallel_free(struct sparse_parallel *parallel); // its angles; the struct is the caller's

// Rows and columns of the matrix: elements of a sinogram and of a picture.
size_t ki_sparse_parallel_rows(const struct sparse_parallel *parallel);
size_t ki_sparse_parallel_columns(const struct sparse_parallel *parallel);

// The radians of a projection.
double ki_sparse_parallel_theta(const struct sparse_parallel *parallel, size_t projection);

// What a projection is made of: u = origin + x cosine + y sine of pixel x of line y.
struct sparse_view {
    double cosine, sine, origin;
    double greatest; // the greater of |cosine| and |sine|
    bool steep;      // the cosine is: rays cross lines more steeply than columns
};

// One a projection, which the caller frees; NULL where there is no memory.
struct sparse_view *ki_sparse_parallel_views(const struct sparse_parallel *parallel, kn_error *err);

// Bytes of these and of the geometry's own angles.
size_t ki_sparse_parallel_memory(const struct sparse_parallel *parallel);

// How many nonzeros the matrix has. Errors: as ki_sparse_parallel_check; KN_ERROR_MEMORY.
kn_status ki_sparse_parallel_nonzeros(const struct sparse_parallel *parallel, size_t *nonzeros,
                                      kn_error *err);

// The matrix and its transpose without their nonzeros: sizes and starts alone, which the caller frees by
// ki_sparse_free. Errors: as ki_sparse_parallel_check; KN_ERROR_MEMORY.
kn_status ki_sparse_parallel_starts(const struct sparse_parallel *parallel, struct sparse_matrix *matrix,
                                    struct sparse_matrix *transposed, kn_error *err);

// The matrix itself, which the caller frees by ki_sparse_free: about 2 * rows * size nonzeros of 12 bytes,
// and as much again while it is made. Errors: as ki_sparse_parallel_check; KN_ERROR_MEMORY.
kn_status ki_sparse_parallel_matrix(const struct sparse_parallel *parallel, struct sparse_matrix *out,
                                    kn_error *err);

// y = A x, or y = A^T x with `transposed`, in double precision and on `threads` threads (0: all), computed
// from the geometry. Every sum is in one order, whatever the threads. KN_ERROR_ARGUMENT as
// ki_sparse_parallel_check; KN_ERROR_MEMORY. Reads x about twice a projection; 2 * rows * size
// multiplications.
kn_status ki_sparse_parallel_multiply(const struct sparse_parallel *parallel, bool transposed,
                                      const double *x, double *y, unsigned threads, kn_error *err);
// The same by its views, of a geometry that was checked.
void ki_sparse_parallel_multiply_by(const struct sparse_parallel *parallel, const struct sparse_view *views,
                                    bool transposed, const double *x, double *y, unsigned threads);

#endif
