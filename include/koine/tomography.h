// SPDX-License-Identifier: Apache-2.0
// Tomography with parallel beams and fan beams: a geometry as a linear operator (forward projection and
// backprojection), computed on the fly or stored as a matrix; the head phantom and its exact sinogram;
// sinograms from a detector's counts; and filtered back-projection, of cone beams, too. `koine project` and
// `koine solve` use it for parallel:..., fan:... and cone:....
//
// A picture has size x size pixels of side 1; pixel x of line y (x to the right, y down, both from 0) is
// element y * size + x. A sinogram has angles x detectors numbers: detector k of projection t is element t *
// detectors + k. Detectors are 1 apart. In projection t, the pixel appears at
//
//     u = axis + (x - (size - 1) / 2) cos theta_t + (y - (size - 1) / 2) sin theta_t,
//
// counted in detectors from 0, and A is Joseph's projector (1982): along the ray of detector k it sums the
// picture, interpolated between the two nearest pixels of each line or of each column, whichever the ray
// crosses more steeply, times the length of a step. As a formula, with m = max(|cos theta_t|, |sin theta_t|):
//
//     A[t * detectors + k][y * size + x] = max(0, 1 - |k - u| / m) / m.
//
// A fan has its source at source_distance (-sin theta_t, cos theta_t) from the axis, x to the right and y
// down, and detectors at detector_distance on the other side; as the source goes away, its rays become those
// of the parallel beam. With L = source_distance + detector_distance, the ray of detector k has the angle
// gamma in the fan, tan gamma = (k - axis) / L if the detectors are a line (flat) and gamma = (k - axis) / L
// if they are an arc around the source (curved). It is summed as above, in steps from line to line or from
// column to column, whichever it crosses more steeply itself: where it crosses the line y (or the column x)
// of a pixel at p, the pixel has the weight max(0, 1 - |p - x|) times the length of a step.
//
// A cone has the source of a fan, and instead of the line of detectors a flat panel, lines x detectors of
// them, 1 apart in both directions; a volume has slices of size x size pixels, 1 apart along the axis of
// rotation. Slice z is seen from the source in the plane through the middle of panel and volume, at line
//
//     v = (lines - 1) / 2 + (z - (slices - 1) / 2) L / d,
//
// where d is the pixel's distance from the source along the ray through the axis; and at the detector of the
// fan. Projections are angles x lines x detectors numbers, a volume slices x size x size. Filtered
// back-projection takes cones; operators and all other functions refuse them (KN_ERROR_UNSUPPORTED).
//
// The adjoint, A^T, is the backprojection of a sinogram. If pixels and detectors have another size h, a sum
// is h times as large.
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

typedef enum kn_tomography_beam {
    KN_TOMOGRAPHY_PARALLEL = 0,
    KN_TOMOGRAPHY_FAN_FLAT = 1,   // a fan, and detectors 1 apart on a line
    KN_TOMOGRAPHY_FAN_CURVED = 2, // a fan, and detectors 1 apart on an arc around the source
    KN_TOMOGRAPHY_CONE = 3        // a cone, and a flat panel of detectors; the source goes around in a circle
} kn_tomography_beam;

typedef struct kn_tomography_geometry {
    size_t struct_size;  // set by KN_INIT
    size_t angles;       // projections, at most 2^20
    size_t detectors;    // at most 2^16, and fewer than 2^32 - 1 over all projections
    size_t size;         // pixels along each side of the picture, at most 2^15
    double axis_offset;  // the position of the axis of rotation, in detectors from their middle: axis =
                         // (detectors - 1) / 2 + axis_offset; at most twice the detectors
    const double *theta; // radians, one per projection, any finite numbers; NULL: evenly over 180 degrees,
                         // theta_t = pi t / angles, and of fans over 360 degrees, theta_t = 2 pi t / angles
    kn_tomography_beam beam;
    // Of fans and cones; 0 for parallel beams. From the axis, in pixels, at most 2^24. The source is outside
    // of a circle around the picture: source_distance > (size + 1) / sqrt(2). Detectors may be in the
    // picture, at the axis (0) or before it (negative), as rays do not end there, but at least 1 behind the
    // source; curved ones span less than 90 degrees on either side of the axis.
    double source_distance, detector_distance;
    // Of cones; 0 for others. `lines`: of the panel, at most 2^16; `slices`: of the volume, at most 2^15, 0:
    // as many as `size`.
    size_t lines, slices;
} kn_tomography_geometry;

// Makes an operator of angles * detectors rows and size^2 columns from a geometry, as
// kn_sparse_operator_create makes one from a matrix; kn_sparse_operator_get_format and its siblings work with
// it too. `theta` is copied. The formats on the fly store a few numbers per projection and compute the
// weights, on a device with positions in fixed point: the error of a weight is at most 5 * 2^-24, times up to
// 1.4143; without local memory, a device holds four times the picture and twice the sinogram for this. With
// and without local memory the results are bitwise identical. For a fan, 20 bytes per ray are stored on a
// device and 40 on the host, and there is no format with local memory. On the host these formats have KN_F64.
// All other formats store the matrix: see kn_tomography_count_nonzeros for its size. Cost of a product on the
// fly: about 2 * angles * size^2 multiplications for the adjoint, 2 * angles * detectors * size for A.
// Errors: as kn_sparse_operator_create; KN_ERROR_ARGUMENT for a geometry that is not as described above,
// and for a fan with local memory.
KN_API kn_status kn_tomography_operator_create(kn_queue *queue, const kn_tomography_geometry *geometry,
                                               const kn_sparse_operator_options *options, kn_operator **made,
                                               kn_error *err);

// The memory that the operator would hold, as in kn_sparse_estimate_memory; no operator is made. For formats
// that store the matrix, it computes the position of every pixel in every projection, and temporarily takes 8
// bytes per ray and per pixel.
KN_API kn_status kn_tomography_estimate_memory(kn_queue *queue, const kn_tomography_geometry *geometry,
                                               kn_sparse_memory *memory,
                                               const kn_sparse_operator_options *options, kn_error *err);

// The number of nonzeros of the geometry's matrix, which takes 12 bytes for each, and twice that while it is
// made. Takes 48 bytes per projection; computes the position of every pixel in every projection.
KN_API kn_status kn_tomography_count_nonzeros(const kn_tomography_geometry *geometry, size_t *nonzeros,
                                              kn_error *err);

// The matrix itself, to be freed by kn_sparse_free: some 2 * angles * size^2 nonzeros if the detectors cover
// the whole picture. Errors: KN_ERROR_ARGUMENT, KN_ERROR_MEMORY.
KN_API kn_status kn_tomography_matrix_create(const kn_tomography_geometry *geometry, kn_sparse **made,
                                             kn_error *err);

// One product of host arrays: `to` = A `from`, the sinogram of a picture, or with `adjoint` A^T `from`, the
// backprojection of a sinogram; `from` and `to` must not overlap. On the queue's device in single precision,
// in `format`; without a queue in double precision, on all threads, and then `format` must be KN_SPARSE_AUTO
// or KN_SPARSE_ON_THE_FLY. Waits; makes an operator for it, and takes memory for both vectors, in floats.
// Errors: as above; KN_ERROR_ARGUMENT for a number in `from` beyond the range of single precision, on a
// device; KN_ERROR_UNSUPPORTED for another format without a queue. `to` is written only on success.
KN_API kn_status kn_tomography_project(kn_queue *queue, const kn_tomography_geometry *geometry, bool adjoint,
                                       const double *from, double *to, kn_sparse_format format,
                                       kn_error *err);

// ---- filtered back-projection ----

// The factor of a frequency f, from 0 to 1/2 turns per detector: that of the ramp, |f|, band-limited by its
// samples in space (Kak and Slaney, Principles of Computerized Tomographic Imaging, 1988), times a window
// that suppresses noise.
typedef enum kn_tomography_filter {
    KN_TOMOGRAPHY_RAMP = 0,        // 1 (Ramachandran and Lakshminarayanan 1971)
    KN_TOMOGRAPHY_SHEPP_LOGAN = 1, // sin(pi f) / (pi f)
    KN_TOMOGRAPHY_COSINE = 2,      // cos(pi f)
    KN_TOMOGRAPHY_HAMMING = 3,     // 0.54 + 0.46 cos(2 pi f)
    KN_TOMOGRAPHY_HANN = 4         // (1 + cos(2 pi f)) / 2
} kn_tomography_filter;

typedef struct kn_tomography_fbp_options {
    size_t struct_size; // set by KN_INIT
    kn_tomography_filter filter;
    // KN_F64 or KN_F32; 0: KN_F64 on the host, KN_F32 on devices, which have only that.
    kn_type type;
    unsigned threads;    // of the host; 0: as many as OMP_NUM_THREADS says, otherwise one per processor
    kn_host_level level; // of the host
} kn_tomography_fbp_options;

typedef struct kn_tomography_fbp_plan kn_tomography_fbp_plan;

// Prepares the filtered back-projection of sinograms of a geometry, which gives pictures at
// once, without iterations: each projection is convolved with the filter, and a pixel sums what the filtered
// projections are where it is seen, interpolated linearly between two detectors, times what each of them
// counts for: half the angle to its two neighbours, modulo 180 degrees, which is pi / angles where they are
// evenly spaced. A gap wider than four times the mean is taken for missing projections and not bridged. What
// lies beyond the first and the last detector counts as 0. The convolution is a product of Fourier transforms
// over the next power of two of at least twice the detectors, and 64.
//
// Of a fan (Kak and Slaney, 3.4), the numbers of detector k are first multiplied by cos(gamma); on an arc the
// samples of the ramp are those at equal angles; a pixel's sum is weighted by L source_distance / d^2, where
// d is its distance from the source, on flat detectors that along the ray through the axis; and a projection
// counts for a quarter of the angle to its two neighbours, modulo 360 degrees, which is pi / angles again.
// Projections are all around: a gap is an error. The host computes it without vectors.
//
// Of a cone (Feldkamp, Davis and Kress, Practical cone-beam algorithm, 1984): as of a flat fan, for each line
// of the panel; the cosine is that of a ray's angle to the one through the middle of the axis, and filtered
// projections are interpolated between four detectors. It is exact in the middle slice, and of objects that
// are the same in all slices; elsewhere it is an approximation, the better the smaller the cone's angle. What
// lies beyond the panel counts as 0: slices that not all projections see are darker at their edges.
// Projections are filtered some at a time.
//
// `queue` is where pictures are computed, and must stay open as long as the plan is used; NULL: the host.
// `options` may be NULL. `theta` is copied. Memory: about 5 times the sinogram, with rows a little longer; of
// a cone some 250 MB at most, and twice that in double precision, if a projection has no more than 2^20
// detectors.
// Errors: KN_ERROR_ARGUMENT for a geometry that is not as described above, and for options out of range;
// KN_ERROR_UNSUPPORTED for KN_F64 on a device; KN_ERROR_LIMIT, KN_ERROR_MEMORY; those of the device.
KN_API kn_status kn_tomography_fbp_plan_create(kn_queue *queue, const kn_tomography_geometry *geometry,
                                               const kn_tomography_fbp_options *options,
                                               kn_tomography_fbp_plan **plan, kn_error *err);
// The memory that such a plan would hold, beside arrays or buffers of projections and pictures; no plan is
// made. Errors: KN_ERROR_ARGUMENT and KN_ERROR_UNSUPPORTED, as above; projections that are not all around are
// not found here.
KN_API kn_status kn_tomography_fbp_estimate_memory(kn_queue *queue, const kn_tomography_geometry *geometry,
                                                   const kn_tomography_fbp_options *options,
                                                   kn_sparse_memory *memory, kn_error *err);
// NULL is fine.
KN_API void kn_tomography_fbp_plan_free(kn_tomography_fbp_plan *plan);

// One picture, or volume, of arrays of the plan's type that do not overlap. Waits. A plan may be used by one
// thread at a time. Bitwise reproducible on one device or host, whatever the number of threads. Cost: two
// transforms of each projection, and angles * size^2 interpolations. Errors: KN_ERROR_ARGUMENT for NULL and
// for numbers that are not finite, with their projection and detector; those of the device. `picture` is
// written only on success.
KN_API kn_status kn_tomography_fbp_execute(kn_tomography_fbp_plan *plan, const void *sinogram, void *picture,
                                           kn_error *err);
// The same of buffers of floats on the plan's device; asynchronous. Numbers that are not finite spoil all
// pixels that see their projection. Errors: KN_ERROR_ARGUMENT for a plan of the host, and for buffers that
// are too small or of another context.
KN_API kn_status kn_tomography_fbp_execute_buffers(kn_tomography_fbp_plan *plan, const kn_buffer *sinogram,
                                                   kn_buffer *picture, kn_error *err);

// "ramp", "shepp-logan", "cosine", "hamming", "hann"; NULL for any other value.
KN_API const char *kn_tomography_filter_name(kn_tomography_filter filter);

// ---- the phantom ----

// The head phantom of Shepp and Logan with Toft's contrast (The Radon Transform, 1996, appendix B), which
// spans the picture: size x size numbers from 0 to 1, the forehead at the top. A pixel is the mean of
// oversample x oversample points in it; 1: the value at its centre. Cost: 10 ellipses per point. Errors:
// KN_ERROR_ARGUMENT for NULL, 0 or more than 2^15 pixels, 0 or more than 64 points.
KN_API kn_status kn_tomography_phantom(size_t size, size_t oversample, double *picture, kn_error *err);

// Its sinogram in this geometry, angles x detectors numbers, without pixels: the integral of the ellipses
// along each detector's ray, in pixels, to which A times the phantom converges as pixels get smaller. Errors:
// KN_ERROR_ARGUMENT.
KN_API kn_status kn_tomography_phantom_sinogram(const kn_tomography_geometry *geometry, double *sinogram,
                                                kn_error *err);

// ---- measured sinograms ----

// The counts of a line of detectors, one frame after another. The frames of a white or dark field are
// averaged.
typedef struct kn_tomography_counts {
    size_t struct_size; // set by KN_INIT
    size_t angles, detectors;
    const double *counts; // angles x detectors
    const double *white;  // white_frames x detectors, without the object; NULL: the counts are -log already
    const double *dark;   // dark_frames x detectors, without the beam; NULL: 0
    size_t white_frames;  // 0: one
    size_t dark_frames;   // 0: one
    size_t bin; // this many neighbouring detectors are binned into one, their counts added; detectors left
                // over at the end are dropped; 0: 1
} kn_tomography_counts;

// A sinogram of angles x (detectors / bin) numbers: -log of the transmission (counts - dark) / (white -
// dark), which is the absorption summed along the ray. The transmission is clipped to at least 1e-6;
// detectors whose white field is no brighter than their dark field get 0. Counts that are -log already are
// averaged over a bin. Memory: a copy of the sinogram, and two lines. Errors: KN_ERROR_ARGUMENT for NULL, no
// angles or detectors, a bin wider than all detectors, a dark field without a white one, numbers that are not
// finite; KN_ERROR_LIMIT for more than the address space holds. `sinogram` is written only on success.
KN_API kn_status kn_tomography_sinogram_from_counts(const kn_tomography_counts *counts, double *sinogram,
                                                    kn_error *err);

// Removes stripes from a sinogram, in place. A detector whose gain differs from its neighbours' leaves a line
// in a sinogram, and a ring in the picture. The numbers of each detector are sorted; each is replaced by the
// median of those of the same rank, of `width` neighbouring detectors, fewer at the ends; and they return to
// their projections (Vo, Atwood and Drakopoulos, Superior techniques for eliminating ring artifacts in X-ray
// micro-tomography, 2018, algorithm 3). `width` is odd and greater than the widest stripe twice; 0: a
// hundredth of the detectors, at least 5. Details narrower than half of it, seen by the same detectors in all
// projections, are lost as well. Memory: 16 bytes a number. Cost: sorting, and about width^2 / 4 comparisons
// a number. Errors: KN_ERROR_ARGUMENT for NULL, no angles or detectors, a width that is even or more than the
// detectors, and numbers that are not finite; KN_ERROR_LIMIT for more than the address space holds;
// KN_ERROR_MEMORY. Nothing is changed then.
KN_API kn_status kn_tomography_remove_stripes(size_t angles, size_t detectors, size_t width, double *sinogram,
                                              kn_error *err);

// ---- the axis of rotation ----

typedef struct kn_tomography_axis {
    double axis;     // the detector, from 0, that sees the axis of rotation
    double error;    // its standard error, estimated: half of the difference between the axes that every
                     // second projection gives, from the first and from the second on; NAN if there are fewer
                     // than 16
    double opposite; // the axis that opposite projections show, from which the search starts
    size_t pairs;    // of opposite projections that were compared, at most 64
    double residual; // |A x - b| / |b| of the binned sinogram at `axis`
} kn_tomography_axis;

// Finds the axis of rotation of a sinogram of parallel beams, in double precision on the host. It starts
// where projections that are half a turn apart, within the mean step between projections, are most like each
// other's mirror images; that is off by half of what the object moves within the step. From there it descends
// to where the picture of 12 iterations of conjugate gradients leaves the least |A x - b|, with detectors
// binned to at most 128 and a picture as wide as they are, which the object must not exceed; and takes the
// vertex of a parabola, twice. Of the geometry, `size`, `axis_offset` and distances are not used. Cost: about
// 12 such pictures. Memory: twice the binned sinogram, its matrix (kn_tomography_count_nonzeros), and what
// kn_solve_plan_create takes.
// Errors: KN_ERROR_ARGUMENT for NULL, a geometry that is not as described above or a fan, numbers that are
// not finite, a sinogram that is 0, without opposite projections, or whose residual has no minimum;
// KN_ERROR_MEMORY. `found` is written only on success.
KN_API kn_status kn_tomography_find_axis(const kn_tomography_geometry *geometry, const double *sinogram,
                                         kn_tomography_axis *found, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
