// SPDX-License-Identifier: Apache-2.0
// Tomography with parallel rays: a geometry as a linear operator, computed on the fly or kept as a matrix;
// the head phantom and its exact sinogram; sinograms from a detector's counts. It is what `koine project` and
// `koine solve parallel:...` work with.
//
// A picture has size x size pixels of side 1; pixel x of line y (x to the right, y down, both from 0) is
// element y * size + x. A sinogram has angles x detectors numbers: detector k of projection t is element t *
// detectors + k. Detectors are 1 apart. Projection t sees the pixel at
//
//     u = axis + (x - (size - 1) / 2) cos theta_t + (y - (size - 1) / 2) sin theta_t,
//
// counted in detectors from 0, and A is Joseph's projector (1982): along the ray of detector k it sums the
// picture, interpolated between the two nearest pixels of each line or of each column, whichever the ray
// crosses more steeply, times the length of a step. As a formula, with m = max(|cos theta_t|, |sin theta_t|):
//
//     A[t * detectors + k][y * size + x] = max(0, 1 - |k - u| / m) / m.
//
// The adjoint, A^T, smears a sinogram back over the picture. With pixels and detectors of another side h a
// sum is h times as large.
//
//     const kn_tomography_geometry geometry =
//         KN_INIT(kn_tomography_geometry, .angles = 180, .detectors = 256, .size = 256);
//     kn_operator *a = NULL;
//
//     kn_tomography_operator_create(queue, &geometry, NULL, &a, &err);
#ifndef KOINE_TOMOGRAPHY_H
#define KOINE_TOMOGRAPHY_H

#include <koine/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- the geometry ----

typedef struct kn_tomography_geometry {
    size_t struct_size;  // KN_INIT sets it
    size_t angles;       // projections, at most 2^20
    size_t detectors;    // at most 2^16, and fewer than 2^32 - 1 with all projections
    size_t size;         // pixels along each side of the picture, at most 2^15
    double axis_offset;  // where the axis of rotation is seen, in detectors from their middle: axis is
                         // (detectors - 1) / 2 and this, at most twice the detectors
    const double *theta; // radians, one a projection, any finite numbers; NULL: evenly over half a turn,
                         // theta_t = pi t / angles
} kn_tomography_geometry;

// The geometry as an operator of angles * detectors rows and size^2 columns, as kn_sparse_operator_create
// makes one of a matrix; kn_sparse_operator_get_format and the like tell of it too. `theta` is copied. The
// formats on the fly keep a few numbers a projection and compute the weights, in a device's case with
// positions in fixed point: a weight is off by 5 * 2^-24 at most, times up to 1.4143; without local memory a
// device holds four times the picture and twice the sinogram for it. With and without local memory the bits
// are the same. On the host these formats have KN_F64. All other formats keep the matrix: see
// kn_tomography_count_nonzeros for its size. Cost of a product on the fly: about 2 * angles * size^2
// multiplications for the adjoint, 2 * angles * detectors * size for A. Errors: as kn_sparse_operator_create;
// KN_ERROR_ARGUMENT for a geometry that is not as described above.
KN_API kn_status kn_tomography_operator_create(kn_queue *queue, const kn_tomography_geometry *geometry,
                                               const kn_sparse_operator_options *options, kn_operator **made,
                                               kn_error *err);

// What it will hold, as kn_sparse_estimate_memory; nothing is made. Of the formats that keep the matrix it
// computes the place of every pixel in every projection, and takes 8 bytes a ray and a pixel meanwhile.
KN_API kn_status kn_tomography_estimate_memory(kn_queue *queue, const kn_tomography_geometry *geometry,
                                               kn_sparse_memory *memory,
                                               const kn_sparse_operator_options *options, kn_error *err);

// The number of nonzeros of the geometry's matrix, which takes 12 bytes for each, and twice that while it is
// made. Takes 48 bytes a projection; computes the place of every pixel in every projection.
KN_API kn_status kn_tomography_count_nonzeros(const kn_tomography_geometry *geometry, size_t *nonzeros,
                                              kn_error *err);

// The matrix itself, to be freed by kn_sparse_free: some 2 * angles * size^2 nonzeros where detectors see the
// whole picture. Errors: KN_ERROR_ARGUMENT, KN_ERROR_MEMORY.
KN_API kn_status kn_tomography_matrix_create(const kn_tomography_geometry *geometry, kn_sparse **made,
                                             kn_error *err);

// One product of arrays of the host: `to` = A `from`, a sinogram of a picture, or with `adjoint` A^T `from`,
// a picture of a sinogram; `from` and `to` do not overlap. On the queue's device in single precision, in
// `format`; without a queue in double, on all threads, where `format` is KN_SPARSE_AUTO or
// KN_SPARSE_ON_THE_FLY. Waits; an operator is made for it, and memory taken for both vectors, in floats.
// Errors: as above; KN_ERROR_ARGUMENT for a number of `from` that single precision has not, on a device;
// KN_ERROR_UNSUPPORTED for another format without a queue. `to` is written on success alone.
KN_API kn_status kn_tomography_project(kn_queue *queue, const kn_tomography_geometry *geometry, bool adjoint,
                                       const double *from, double *to, kn_sparse_format format,
                                       kn_error *err);

// ---- the phantom ----

// The head phantom of Shepp and Logan with Toft's contrast (The Radon Transform, 1996, appendix B), which
// spans the picture: size x size numbers from 0 to 1, the forehead at the top. A pixel is the mean of
// oversample x oversample points in it; 1: the value at its centre. Cost: 10 ellipses a point. Errors:
// KN_ERROR_ARGUMENT for NULL, 0 or more than 2^15 pixels, 0 or more than 64 points.
KN_API kn_status kn_tomography_phantom(size_t size, size_t oversample, double *picture, kn_error *err);

// Its sinogram in this geometry, angles x detectors numbers, without pixels: the integral of the ellipses
// along each detector's ray, in pixels, which is what A times the phantom tends to as pixels get smaller.
// Errors: KN_ERROR_ARGUMENT.
KN_API kn_status kn_tomography_phantom_sinogram(const kn_tomography_geometry *geometry, double *sinogram,
                                                kn_error *err);

// ---- measured sinograms ----

// What a line of detectors counted, frame after frame. A field's frames are averaged.
typedef struct kn_tomography_counts {
    size_t struct_size; // KN_INIT sets it
    size_t angles, detectors;
    const double *counts; // angles x detectors
    const double *white;  // white_frames x detectors, without the object; NULL: the counts are -log already
    const double *dark;   // dark_frames x detectors, without the beam; NULL: 0
    size_t white_frames;  // 0: one
    size_t dark_frames;   // 0: one
    size_t bin; // so many neighbouring detectors become one, their counts added, and what is left over at the
                // end is left out; 0: 1
} kn_tomography_counts;

// A sinogram of angles x (detectors / bin) numbers: -log of the part of the beam that is left, (counts -
// dark) / (white - dark), which is the sum of the absorption along the ray. The part is at least 1e-6;
// detectors whose white field is no brighter than their dark one say nothing, and have 0. Counts that are
// -log already are averaged over a bin. Memory: a copy of the sinogram, and two lines. Errors:
// KN_ERROR_ARGUMENT for NULL, no angles or detectors, a bin wider than all detectors, a dark field without a
// white one, numbers that are not finite; KN_ERROR_LIMIT for more than memory has addresses for. `sinogram`
// is written on success alone.
KN_API kn_status kn_tomography_sinogram_from_counts(const kn_tomography_counts *counts, double *sinogram,
                                                    kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
