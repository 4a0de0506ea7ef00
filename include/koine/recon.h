// SPDX-License-Identifier: Apache-2.0
// Reconstruction of non-Cartesian MRI scans: k-space trajectories, phantoms and their samples, density
// compensation, a plan that computes forward and adjoint operators by direct sums, by gridding (NUFFT), or
// F^H W F as a convolution, and the image of a scan with several coils by least squares; on the host or on a
// device. `koine recon`, `koine trajectory` and `koine phantom` use it.
//
// An image has N_x x N_y x N_z voxels, x fastest; voxel j of an axis of N is at r = (j - floor(N/2)) / N, in
// fields of view. k is in cycles per field of view: |k| <= N/2 on each axis. It has three numbers per sample,
// for x, y and z; with a matrix of two axes the last one is 0. With weights w (density compensation) and phi,
// the Fourier transform of a voxel's basis function at each sample, both 1 unless the options say otherwise,
//
//     forward   d_m   = phi_m sum_n rho_n exp(-i 2 pi k_m . r_n)                 d = F rho
//     adjoint   rho_n = sum_m conj(phi_m) w_m d_m exp(+i 2 pi k_m . r_n)         rho = F^H W d
//     normal    F^H W F
//
// None of these is scaled. In arrays a complex number is two doubles, the real part first; in buffers it is
// two floats.
//
//     kn_recon_trajectory golden = KN_INIT(kn_recon_trajectory, .kind = KN_RECON_TRAJECTORY_GOLDEN,
//                                          .extent = 64);
//     kn_recon_matrix matrix;
//     size_t samples;
//
//     kn_recon_trajectory_settle(&golden, &matrix, &samples, &err);
//     kn_recon_trajectory_fill(&golden, samples, k, &err);
//     kn_recon_plan_create(queue, &matrix, k, samples, NULL, &plan, &err);
//     kn_recon_adjoint(plan, data, image, &err);
//     kn_recon_plan_free(plan);
// A function that fails with KN_ERROR_ARGUMENT has not written anything.
#ifndef KOINE_RECON_H
#define KOINE_RECON_H

#include <koine/buffer.h>
#include <koine/operator.h>
#include <koine/solve.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_recon_plan kn_recon_plan;

// The matrix size of an image. Functions that take one refuse with KN_ERROR_ARGUMENT a number of axes other
// than 2 or 3, an axis of 0 or of more than 2^29 - 1 voxels, and more voxels than the address space holds.
typedef struct kn_recon_matrix {
    size_t axes;    // 2 or 3
    size_t size[3]; // voxels along x, y and z; with two axes the last one is 0 or 1
} kn_recon_matrix;

// Receives the fraction that is done, from 0 to below 1: called in the calling thread at the beginning,
// before each coil and iteration, and between the pieces of long steps, with the same number again if the
// fraction is not known. A device lags behind by some tenths of a second at most, unless a launch takes
// longer. Returns false to stop: then nothing more is launched or computed, and the call fails with
// KN_ERROR_INTERRUPTED.
typedef bool kn_recon_progress(void *data, double done);

// ---- trajectories ----

// With D samples per spoke, S spokes, P partitions, a matrix of N, and t = (j - floor(D/2)) N/D for sample j.
// Samples run fastest, then spokes, then partitions. Each diameter and line has a sample at t = 0.
typedef enum kn_recon_trajectory_kind {
    KN_RECON_TRAJECTORY_RADIAL = 0, // diameters at angles pi s/S in the plane: (t cos, t sin)
    // The same at s pi (sqrt(5)-1)/2, 111.246 degrees apart (Winkelmann et al., IEEE TMI 26, 2007).
    KN_RECON_TRAJECTORY_GOLDEN = 1,
    // Archimedean arms, rotated by 2 pi s/S: radius (N/2) u at N/(2S) u turns, u = sqrt(j/D), which is about
    // uniform along the arm; neighbouring arms are 1 apart.
    KN_RECON_TRAJECTORY_SPIRAL = 2,
    // Diameters of a ball by the two-dimensional golden means (Chan et al., MRM 61, 2009): cos(theta) =
    // frac(0.46557 s), phi = 2 pi frac(0.68233 s).
    KN_RECON_TRAJECTORY_KOOSHBALL = 3,
    KN_RECON_TRAJECTORY_STACK = 4,    // radial in each of P planes kz = p - floor(P/2)
    KN_RECON_TRAJECTORY_CARTESIAN = 5 // lines along kx at ky = s - floor(S/2), kz = p - floor(P/2)
} kn_recon_trajectory_kind;

// A number of 0 stands for as many as the others require (kn_recon_trajectory_settle).
typedef struct kn_recon_trajectory {
    size_t struct_size; // set by KN_INIT
    kn_recon_trajectory_kind kind;
    size_t samples;    // of a spoke, a spiral's arm or a line
    size_t spokes;     // in a partition
    size_t partitions; // only stack and cartesian have more than 1
    size_t extent;     // the matrix size N in the plane (kooshball: on all axes): k reaches N/2
} kn_recon_trajectory;

// Replaces zeros by defaults: N = samples, or samples = N, or 128 if both are 0; as many spokes as sample
// k-space at the Nyquist rate up to its edge: pi/2 N (kooshball: pi/2 N^2), cartesian N; 16 partitions for a
// stack. A spiral has 16 arms of pi N^2 / (4 S) samples each, or the N for which its samples are dense. Also
// gives the matrix of the trajectory and its total number of samples; either may be NULL. Errors:
// KN_ERROR_ARGUMENT for partitions if the kind has none, and for more samples than fit in memory.
KN_API kn_status kn_recon_trajectory_settle(kn_recon_trajectory *trajectory, kn_recon_matrix *matrix,
                                            size_t *samples, kn_error *err);
// Writes k[3 samples], for as many samples as the trajectory has once its defaults are filled in; they need
// not be yet. Errors: KN_ERROR_ARGUMENT, also for another number of samples.
KN_API kn_status kn_recon_trajectory_fill(const kn_recon_trajectory *trajectory, size_t samples, double *k,
                                          kn_error *err);

// The unit of a trajectory from elsewhere.
typedef enum kn_recon_unit {
    KN_RECON_UNIT_FOV = 0,       // cycles per field of view, as here and in BART: up to N/2
    KN_RECON_UNIT_RADIANS = 1,   // radians per voxel: up to pi
    KN_RECON_UNIT_NORMALIZED = 2 // cycles per voxel: up to 1/2
} kn_recon_unit;

// Converts k[3 samples] from that unit to cycles per field of view, in place.
KN_API kn_status kn_recon_trajectory_convert(kn_recon_unit unit, const kn_recon_matrix *matrix,
                                             size_t samples, double *k, kn_error *err);

// ---- density compensation, and voxels as boxes ----

// Density compensation: how much of k-space each sample represents. Ramp and Pipe-Menon weights are scaled
// such that the adjoint with them approximates the image itself. A weight is the area (volume) of k-space
// that its sample represents, in cycles per field of view to the power of the number of axes, divided by the
// number of voxels; the weights of a full Cartesian grid are about 1/voxels.
typedef enum kn_recon_density {
    KN_RECON_DENSITY_NONE = 0, // all weights are 1: the unscaled sum
    // For diameters at equal angles: proportional to |k|, or to |k|^2 if three axes have more than one voxel;
    // they add up to the disc (ball) of the largest |k|. Samples at k = 0 share the disc (ball) inside the
    // next ones, at |k| = q: they count as |k| = q/4, or |k|^2 = q^2/12.
    KN_RECON_DENSITY_RAMP = 1,
    // w <- w / (C C^H w), 10 times, where C is the window of gridding (Pipe and Menon, MRM 41, 1999).
    KN_RECON_DENSITY_PIPE = 2
} kn_recon_density;

typedef struct kn_recon_weights_options {
    size_t struct_size;          // set by KN_INIT
    kn_recon_progress *progress; // NULL: none
    void *progress_data;         // what it is called with
} kn_recon_weights_options;

// Computes weights[samples]. Only KN_RECON_DENSITY_PIPE uses the queue, which may be NULL for the others: it
// grids and degrids all samples ten times with oversampling 2 and width 6, in single precision, and waits.
// `options` may be NULL. Errors: KN_ERROR_ARGUMENT for NULL, no samples, and a k that is not finite;
// KN_ERROR_UNSUPPORTED for KN_RECON_DENSITY_PIPE without a queue; KN_ERROR_LIMIT for a grid that the device
// cannot hold in one allocation; KN_ERROR_INTERRUPTED by `progress`, after which the weights are undefined.
KN_API kn_status kn_recon_weights(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                  size_t samples, kn_recon_density density, double *weights,
                                  const kn_recon_weights_options *options, kn_error *err);

// Computes basis[2 samples], the phi of a box as large as a voxel, for kn_recon_options: the product of
// sinc(k_i / N_i). KN_ERROR_ARGUMENT for NULL and a k that is not finite.
KN_API kn_status kn_recon_basis_box(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                    double *basis, kn_error *err);

// ---- phantoms ----

// The head phantom of Shepp and Logan with Toft's contrast (P. Toft, The Radon Transform, 1996, appendix B),
// and in three dimensions M. Schabel's ellipsoids (phantom3d). It spans the field of view on every axis. Rows
// run downwards, as in pictures: the forehead is at y < 0.
//
// Computes image[voxels], real numbers from 0 to 1: the mean over `oversample` points (1 to 1024) along each
// axis in each voxel; 1 is the value at its centre. A voxel without an edge needs only one point.
// KN_ERROR_ARGUMENT for NULL and other numbers of points.
KN_API kn_status kn_recon_phantom_image(const kn_recon_matrix *matrix, size_t oversample, double *image,
                                        kn_error *err);
// Computes the analytic k-space of the phantom, without voxels: data[2 samples], the product of the matrix
// sizes times the integral of phantom x exp(-i 2 pi k_m . r) over the field of view, to which the forward sum
// converges as voxels get smaller. KN_ERROR_ARGUMENT for NULL and a k that is not finite.
KN_API kn_status kn_recon_phantom_kspace(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                         double *data, kn_error *err);

// ---- plans ----

// What computes the sums. A choice that is named either runs or is refused; nothing is substituted for it.
// Devices compute in single precision, by the kernels of Stone et al., Accelerating advanced MRI
// reconstructions on GPUs, J. Parallel Distrib. Comput. 68 (2008); relative errors (2-norm) of the adjoint
// are 3e-6 for |k| <= 32, from the rounding of the phase, and twice that for twice the band; those of `tuned`
// are 5e-7 whatever the band. The forward sum on a device has one kernel, with an error of 5e-7, whatever is
// named. In a context of KN_POLICY_FAST errors may be larger.
typedef enum kn_recon_kernel {
    KN_RECON_KERNEL_AUTO = 0,            // `tuned` on a device, `host-double` on the host
    KN_RECON_KERNEL_NAIVE = 1,           // a device: one voxel per work-item, its sum in global memory
    KN_RECON_KERNEL_REGISTER = 2,        // its sum in registers
    KN_RECON_KERNEL_COALESCED = 3,       // also a separate array for each component
    KN_RECON_KERNEL_CONSTANT = 4,        // also samples in constant memory, in chunks
    KN_RECON_KERNEL_CONSTANT_STRUCT = 5, // `constant`, with samples as structs
    KN_RECON_KERNEL_FAST_TRIG = 6,       // `constant` with native sine and cosine
    KN_RECON_KERNEL_TUNED = 7,           // with values from `koine tune` or from the project's measurements
    KN_RECON_KERNEL_HOST_DOUBLE = 8,     // the host, in double precision: 1e-14
    KN_RECON_KERNEL_HOST_SINGLE = 9      // in single precision with vectors: adjoint 1e-6, forward 3e-6
} kn_recon_kernel;

// How adjoint, forward sum and Q (KN_RECON_NORMAL_TOEPLITZ) are computed. `separable`: on a grid of voxels,
// exp(i 2 pi k . r) is the product of a factor along x and one across it, and the sum becomes a product of
// two matrices, with one sine and cosine for each of their elements instead of for each voxel and sample.
// This is exact as well: relative errors (2-norm) are below 1e-6 in single precision, whatever the band, and
// 1e-14 in double.
typedef enum kn_recon_adjoint_method {
    // If the kernel is KN_RECON_KERNEL_AUTO: KN_RECON_ADJOINT_CARTESIAN where all samples lie on the grid,
    // else the faster one of the next two by the cost model (koine/experimental/cost.h), and, where a
    // nufft_tolerance is given, of the next three. For few voxels, above all along x, that is the direct
    // sum. A kernel that is named computes direct sums.
    KN_RECON_ADJOINT_AUTO = 0,
    KN_RECON_ADJOINT_DIRECT = 1, // every voxel with every sample, by the kernel
    // By a product of matrices where the kernel runs and in its precision: only with KN_RECON_KERNEL_AUTO,
    // _TUNED, _HOST_DOUBLE and _HOST_SINGLE.
    KN_RECON_ADJOINT_SEPARABLE = 2,
    // By a non-uniform fast Fourier transform, of the same kernels, with an error of up to nufft_tolerance:
    // the
    // relative error in the 2-norm of adjoint, forward sum and Q each. Cost: a window of 3 to 14 cells along
    // each axis per sample, and a transform of a grid of twice the matrix; of Q the same of twice the matrix.
    // On
    // a device samples are sorted there first, once. Results are bitwise repeatable, on the host with any
    // number
    // of threads. KN_RECON_ADJOINT_AUTO takes it only where a nufft_tolerance is given.
    KN_RECON_ADJOINT_NUFFT = 3,
    // By a Fourier transform of the matrix, of the same kernels, for samples that all lie on the grid of
    // whole cycles per field of view: a Cartesian scan, of whichever lines, in any order and any number of
    // times. A sample is on the grid within N 2^-24 of a cycle along each axis (a voxel alone on its axis
    // has none), which is what k / N is rounded by in single precision and as much again, and is computed as
    // if it were exactly there; otherwise the method is refused. F^H W F multiplies a transform of the
    // matrix, not of twice the matrix, by the sums of the weights at each point. Exact up to rounding.
    KN_RECON_ADJOINT_CARTESIAN = 4
} kn_recon_adjoint_method;

// How F^H W F is applied.
typedef enum kn_recon_normal_method {
    // As a convolution (Toeplitz embedding) on a grid of twice the matrix (Fessler et al., IEEE TSP 53,
    // 2005). The first use computes as many terms as half the points of that grid times the samples; each
    // application then costs two Fourier transforms.
    KN_RECON_NORMAL_TOEPLITZ = 0,
    // by both sums each time: much slower, but without preparation and without a grid
    KN_RECON_NORMAL_FORWARD = 1
} kn_recon_normal_method;

typedef struct kn_recon_options {
    size_t struct_size; // set by KN_INIT
    kn_recon_kernel kernel;
    kn_recon_normal_method normal;
    const double *weights; // w[samples], finite and not negative; NULL: 1
    const double *basis;   // phi[2 samples], finite; NULL: 1
    // Gridding, on a grid of oversampling x N cells with a window `width` cells wide
    // (kn_recon_gridding_adjoint).
    double oversampling; // 1.25 to 4; 0: 2
    unsigned width;      // 2 to 8; 0: 6
    // Called during every operation of the plan and its operators, and while they are prepared; NULL: none.
    // With one, calls with buffers wait for all but their last launches. The result of an operation that was
    // stopped is undefined; the next operation starts afresh.
    kn_recon_progress *progress;
    void *progress_data; // what it is called with
    kn_recon_adjoint_method adjoint;
    // Of KN_RECON_ADJOINT_NUFFT: 1e-12, in single precision 1e-6, to 0.1; 0: 1e-5. With KN_RECON_ADJOINT_AUTO
    // one that is not 0 allows a NUFFT, where a kernel has one.
    double nufft_tolerance;
} kn_recon_options;

// An estimate of the most bytes that a plan takes, besides the caller's arrays and buffers. `sums`, `normal`
// and `gridding` are memory of the plan's device, or of the host if it has none; copies of arrays made by a
// call are counted.
typedef struct kn_recon_memory {
    size_t plan;     // on the host, as long as the plan exists: its copies of k, weights and basis
    size_t sums;     // of forward and adjoint, from their first use on; on a device partly owned by the queue
    size_t normal;   // of the normal operator, from its first use on, and to prepare it
    size_t gridding; // from its first use on; 0 on the host
} kn_recon_memory;

// Estimates the memory that a plan would take, without allocating it. `queue` is NULL for the host; options
// may be NULL. Numbers beyond SIZE_MAX become SIZE_MAX. Errors: KN_ERROR_ARGUMENT, as kn_recon_plan_create;
// arrays are not read.
KN_API kn_status kn_recon_measure(const kn_queue *queue, const kn_recon_matrix *matrix, size_t samples,
                                  const kn_recon_options *options, kn_recon_memory *memory, kn_error *err);

// Prepares the operations for samples at k[3 samples] and a matrix: on `queue`, which is borrowed and must be
// open at every call with the plan, or, if that is NULL, on the host, with as many threads as OMP_NUM_THREADS
// says. k, weights and basis are copied. Kernels are compiled, and memory is allocated, by the first call
// that needs them, and kept for later calls. A plan and its operators may be used by one thread at a time,
// and on a device in one queue at a time. Errors: KN_ERROR_ARGUMENT for NULL, no samples, a k that is not
// finite, that is more than one cycle outside the band N/2, or with two axes a kz that is not 0; invalid
// weights or basis, an oversampling or a width out of range, a host kernel with a queue, and a kernel that
// has no product of matrices with KN_RECON_ADJOINT_SEPARABLE, _NUFFT or _CARTESIAN; a sample off the grid
// with _CARTESIAN; a nufft_tolerance out of range, or with a method that has none; KN_ERROR_UNSUPPORTED for a
// device kernel without a queue; KN_ERROR_LIMIT for more samples than the address space holds.
KN_API kn_status kn_recon_plan_create(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                      size_t samples, const kn_recon_options *options, kn_recon_plan **plan,
                                      kn_error *err);
// NULL is fine. The queue, the context and operators of the plan may be closed or freed before or after it.
KN_API void kn_recon_plan_free(kn_recon_plan *plan);

// For a plan that is NULL these return 0, NULL, KN_RECON_KERNEL_AUTO and KN_RECON_ADJOINT_AUTO.
KN_API size_t kn_recon_plan_get_voxels(const kn_recon_plan *plan);
KN_API size_t kn_recon_plan_get_samples(const kn_recon_plan *plan);
KN_API kn_recon_kernel kn_recon_plan_get_kernel(const kn_recon_plan *plan);                 // what AUTO chose
KN_API kn_recon_adjoint_method kn_recon_plan_get_adjoint_method(const kn_recon_plan *plan); // likewise
// Why, in words: "separable: about 0.31 s by estimate, direct 2.4 s", or that it was named. Owned by the
// plan.
KN_API const char *kn_recon_plan_get_adjoint_why(const kn_recon_plan *plan);
// A bound on the norm of F^H W F: the greatest modulus of the convolution's eigenvalues, the unit in which
// `koine recon` counts a relative lambda. 0 until the normal operator has been prepared, and with
// KN_RECON_NORMAL_FORWARD, which has no bound.
KN_API double kn_recon_plan_get_bound(const kn_recon_plan *plan);

// ---- operations ----

// With arrays: image[2 voxels] and data[2 samples], which must not overlap. These calls wait. On a device,
// numbers are rounded to float and copied there and back. NaN in the input appear in the output. Cost of the
// first two: samples x voxels sines and cosines; of the adjoint as a product of matrices, samples x voxels
// times two multiplications and additions. Errors: KN_ERROR_ARGUMENT for NULL, and if both arrays are the
// same; those of programs and launches.
KN_API kn_status kn_recon_forward(kn_recon_plan *plan, const double *image, double *data, kn_error *err);
KN_API kn_status kn_recon_adjoint(kn_recon_plan *plan, const double *data, double *image, kn_error *err);
// to = F^H W F from, both images. The error of a convolution, in the 2-norm and relative to
// kn_recon_plan_get_bound times |from|, is that of the kernel and of two transforms (koine/fft.h). Errors
// also: KN_ERROR_LIMIT for a grid larger than the device's largest allocation; KN_ERROR_ARGUMENT for weights
// that lead to eigenvalues beyond the range of float there.
KN_API kn_status kn_recon_normal(kn_recon_plan *plan, const double *from, double *to, kn_error *err);

// Forward and adjoint by gridding and FFT (NUFFT), in single precision on a device: fast and approximate.
// Samples lie on a finer grid of oversampling x N cells per axis; each is spread over `width` cells per axis,
// or interpolated from them, with a Kaiser-Bessel window and the parameter of Beatty, Nishimura and Pauly,
// IEEE TMI 24 (2005). Repeated calls give the same bits. Relative error of the adjoint, in the 2-norm, for a
// spiral scan of a brain (64 x 64), by oversampling and width; single precision limits it to about 3e-7 where
// the table has less:
//            3       4       5       6       7       8
//   1.25  2.4e-2  5.1e-3  1.2e-3  3.0e-4  6.5e-5  1.6e-5
//   1.5   7.4e-3  1.1e-3  2.2e-4  3.6e-5  5.6e-6  9.3e-7
//   2     2.4e-3  2.4e-4  2.5e-5  2.7e-6  2.9e-7  3.0e-8
// For white noise, also with matrices of a few voxels, it is up to five times as large. Cost: the first call
// sorts the samples there; each call takes some five to eight passes over the grid. Errors:
// KN_ERROR_ARGUMENT as above; KN_ERROR_UNSUPPORTED for a plan of the host, and for one with a basis;
// KN_ERROR_LIMIT for a grid or samples that the device cannot hold in one allocation.
KN_API kn_status kn_recon_gridding_forward(kn_recon_plan *plan, const double *image, double *data,
                                           kn_error *err);
KN_API kn_status kn_recon_gridding_adjoint(kn_recon_plan *plan, const double *data, double *image,
                                           kn_error *err);

// The same with buffers of the queue's context, pairs of floats, which may be larger than needed: by commands
// in the plan's queue, after the earlier work in it. These calls are asynchronous, except for what is
// prepared the first time: k, weights and basis are then also copied to the device, where they stay with the
// plan. Forward and adjoint with more than 2^20 samples, or with more than fit into a sixteenth of the
// device's memory at 20 bytes each, copy them in each call, and wait for these copies; so does the adjoint by
// a kernel other than `tuned` for the positions of more than 2^22 voxels, or of more than fit likewise, and
// so do calls whose buffers are held in parts. Errors: KN_ERROR_ARGUMENT also for a plan of the host, for a
// buffer of another context or one that is too small, and if both buffers are the same; KN_ERROR_LIMIT for
// buffers held in parts, which only forward and adjoint take.
KN_API kn_status kn_recon_forward_buffers(kn_recon_plan *plan, const kn_buffer *image, kn_buffer *data,
                                          kn_error *err);
KN_API kn_status kn_recon_adjoint_buffers(kn_recon_plan *plan, const kn_buffer *data, kn_buffer *image,
                                          kn_error *err);
KN_API kn_status kn_recon_normal_buffers(kn_recon_plan *plan, const kn_buffer *from, kn_buffer *to,
                                         kn_error *err);
KN_API kn_status kn_recon_gridding_forward_buffers(kn_recon_plan *plan, const kn_buffer *image,
                                                   kn_buffer *data, kn_error *err);
KN_API kn_status kn_recon_gridding_adjoint_buffers(kn_recon_plan *plan, const kn_buffer *data,
                                                   kn_buffer *image, kn_error *err);

// ---- operators ----

// Operators for koine/solve.h. The adjoint of an encoding operator has no weights.
typedef enum kn_recon_operator_kind {
    KN_RECON_OPERATOR_ENCODING = 0, // F, with samples rows and voxels columns, by direct sums
    KN_RECON_OPERATOR_NORMAL = 1,   // F^H W F, with voxels rows and columns, self-adjoint
    KN_RECON_OPERATOR_GRIDDING = 2  // F by gridding
} kn_recon_operator_kind;

// Makes an operator of complex numbers: of KN_F32 with buffers of the plan's context on a device, or of
// KN_F64 in host memory. Free it with kn_operator_free, before or after the plan. What it needs is prepared
// here, in the plan's queue; it is applied in the queue that is given to kn_operator_apply. Errors: those of
// the operation.
KN_API kn_status kn_recon_operator_create(kn_recon_plan *plan, kn_recon_operator_kind kind,
                                          kn_operator **made, kn_error *err);

// Extends an operator A of an image, such as one of a plan, to several coils with sensitivities S_c, the maps
// [2 voxels coils], one coil after another, which are copied. The result is sum_c S_c^H A S_c, the operator
// of the SENSE equations if A is F^H W F; or, if `stacked`, A S_c of all coils, one below the other, with
// coils times the rows of A. It applies A once for each coil, and runs where A runs: `queue` belongs to the
// same context, and is NULL for an operator in host memory. Memory: the maps, an image and a result of A. `a`
// may be freed before or after it. Errors: KN_ERROR_ARGUMENT for NULL and no coils, an operator of real
// numbers, one in another context or, without `stacked`, one that is not square, and for maps that are not
// finite or all 0; KN_ERROR_LIMIT; KN_ERROR_MEMORY; those of programs and copies.
KN_API kn_status kn_recon_sense_create(kn_queue *queue, kn_operator *a, bool stacked, const double *maps,
                                       size_t coils, kn_operator **made, kn_error *err);

// ---- coils before they are reconstructed ----

// Data that a matrix of coils makes others of: d'[c] = sum of matrix[c][c'] d[c'], for samples, or maps of
// the coils, which then are those of the new ones. All matrices have rows of as many complex numbers as there
// are coils; all is on the host, in double precision. Where the noise of coils is the same, and of one not
// that of another, least squares weighs them as they deserve: whiten first, then compress.

// Psi = (1 / samples) sum of d d^H over samples, of coils' noise or of their data[2 samples coils], a coil's
// together: covariance[2 coils coils]. KN_ERROR_ARGUMENT for NULL, no coils or samples, and what is no
// number.
KN_API kn_status kn_recon_coils_covariance(const double *data, size_t samples, size_t coils,
                                           double *covariance, kn_error *err);
// L^-1, of Psi = L L^H: matrix[2 coils coils], which gives coils noise of variance 1 without correlations.
// Errors: KN_ERROR_ARGUMENT, also for a covariance that is not finite, not Hermitian (to 1e-5) or singular,
// with the coil whose noise those before it have (to 1e-12); KN_ERROR_MEMORY.
KN_API kn_status kn_recon_coils_whiten(const double *covariance, size_t coils, double *matrix, kn_error *err);
// The `kept` combinations of coils of most energy, by the singular value decomposition of the data whose
// covariance this is: matrix[2 kept coils], of orthonormal rows; and the part of the energy that they keep
// (may be NULL). Errors: as above but singular; KN_ERROR_ARGUMENT for a kept of 0 or of more than the coils.
KN_API kn_status kn_recon_coils_compress(const double *covariance, size_t coils, size_t kept, double *matrix,
                                         double *energy, kn_error *err);
// mixed[2 numbers rows] of data[2 numbers coils], which do not overlap, by matrix[2 rows coils].
// KN_ERROR_ARGUMENT for NULL, no rows or coils, and an array that is both.
KN_API kn_status kn_recon_coils_mix(const double *matrix, size_t rows, size_t coils, const double *data,
                                    size_t numbers, double *mixed, kn_error *err);

// ---- from a scan to its image ----

// A scan of one or more coils. The arrays are borrowed.
//
//     const kn_recon_scan scan = KN_INIT(kn_recon_scan, .matrix = matrix, .samples = samples, .coils = 8,
//                                        .k = k, .data = data);
//     const kn_recon_solve_options options = KN_INIT(kn_recon_solve_options, .iterations = 20);
//
//     kn_recon_solve(queue, &scan, &options, &solution, &err);
//     image = kn_recon_solution_get_image(solution);
typedef struct kn_recon_scan {
    size_t struct_size; // set by KN_INIT
    kn_recon_matrix matrix;
    size_t samples, coils; // samples of each coil
    const double *k;       // [3 samples]
    // d[2 samples coils], the samples of a coil together; NULL: all 1, whose adjoint, the only method that
    // works without data, is the point-spread function.
    const double *data;
    const double *weights; // w[samples], finite and not negative; NULL: 1
    const double *basis;   // phi[2 samples], finite; NULL: 1
} kn_recon_scan;

typedef enum kn_recon_method {
    // The solution of (F^H W F + lambda R) x = F^H W d by conjugate gradients (Hestenes and Stiefel 1952).
    KN_RECON_METHOD_LEAST_SQUARES = 0,
    KN_RECON_METHOD_ADJOINT = 1, // F^H W d by direct sums; also for more voxels than the device holds
    // F^H W d by gridding, on a device: fast and approximate (kn_recon_gridding_adjoint); also for more
    // samples than the device holds. It does not support a basis.
    KN_RECON_METHOD_GRIDDING = 2
} kn_recon_method;

// What forward and adjoint are multiplied by.
typedef enum kn_recon_scale {
    KN_RECON_SCALE_NONE = 0,   // 1
    KN_RECON_SCALE_UNITARY = 1 // 1 / sqrt(voxels): on a full Cartesian grid they are each other's inverse
} kn_recon_scale;

typedef enum kn_recon_regularizer {
    KN_RECON_REGULARIZER_TIKHONOV = 0, // R = 1 (ridge): favours a small norm of the image
    // R = D^H D: favours small differences of neighbours along each axis
    KN_RECON_REGULARIZER_DIFFERENCE = 1,
    // Total variation: the x of the least |F x - d|^2 / 2 + lambda TV(x) with the weights W, with `sense` the
    // sum of these squares over all coils, by the primal-dual method of KN_SOLVE_TV (koine/solve.h). TV is
    // isotropic, and takes the length of complex differences; there are none across the image's edge. It
    // favours images that are constant but for edges. Cost: an iteration applies F^H W F once; before the
    // first, 30 applications find its norm.
    KN_RECON_REGULARIZER_TV = 2,
    // The same with R(x) in place of TV(x), the sum of the moduli of the details of the orthogonal wavelet
    // transform of KN_SOLVE_WAVELET, by that method, accelerated proximal gradients. At least one axis of the
    // matrix must be even and at least 16 long (KN_ERROR_ARGUMENT). Cost: likewise.
    KN_RECON_REGULARIZER_WAVELET = 3
} kn_recon_regularizer;

// The boundary of the differences: along an axis of N voxels (D x)_j = x_j - x_(j-1) for j = 1 ... N - 1.
typedef enum kn_recon_boundary {
    KN_RECON_BOUNDARY_ZERO = 0, // none across the image's edge; _REGULARIZER_TV and _WAVELET have this alone
    KN_RECON_BOUNDARY_PERIODIC = 1 // for j = 0 too, where x_-1 is x_(N-1)
} kn_recon_boundary;

// How several coils are combined into one image.
typedef enum kn_recon_sense {
    // For several coils and least squares, without maps: ESPIRIT if the centre of k-space is sampled densely
    // enough for it and its matrix has at most 1,024 rows; else LOWRES if that is possible; else NONE. With
    // maps MAPS.
    KN_RECON_SENSE_AUTO = 0,
    KN_RECON_SENSE_NONE = 1, // each coil by itself, then the root of the sum of squares, which has no phase
    // SENSE (Pruessmann et al., MRM 42, 1999) with the maps in the options: least squares for all coils
    // together, (sum_c S_c^H F^H W F S_c + lambda R) x = sum_c S_c^H F^H W d_c.
    KN_RECON_SENSE_MAPS = 2,
    // SENSE with maps estimated from the scan: images of the centre of k-space, up to 24 cycles along each
    // axis as far as its samples are dense, with a Hann window, divided by the root of the sum of squares.
    // Weights are not used for the maps. Needs some densely sampled cycles about k = 0 (KN_ERROR_ARGUMENT).
    KN_RECON_SENSE_LOWRES = 3,
    // SENSE with maps by ESPIRiT (Uecker et al., MRM 71, 2014), from the same centre, which must have at
    // least 8 cycles along each axis of several voxels: patches of 6, singular values above sqrt(0.001) of
    // the largest, and 0 where the eigenvalue is below 0.8. Cost, on the host: (6^axes coils)^3
    // multiplications, and 30 coils^2 per voxel.
    KN_RECON_SENSE_ESPIRIT = 4
} kn_recon_sense;

typedef struct kn_recon_solve_options {
    size_t struct_size; // set by KN_INIT
    kn_recon_method method;
    // For least squares and the adjoint. With a host kernel, all is computed on the host, least squares with
    // a solver in double precision, and a queue is only used for density compensation.
    kn_recon_kernel kernel;
    kn_recon_scale scale;
    // Multiplied with the weights of the samples. KN_RECON_DENSITY_PIPE needs a queue.
    kn_recon_density density;
    // For least squares.
    kn_recon_normal_method normal;
    size_t iterations; // at most, on a device up to 2^20; 0: the image is the start
    // Stops once |F^H W d - A x| is at most this fraction of |F^H W d|, from 0 to below 1; 0: never. For
    // KN_RECON_REGULARIZER_TV and _WAVELET, once kn_recon_coil's residual is, which compares the changes in
    // an iteration.
    double tolerance;
    double lambda;        // from 0 on
    bool relative_lambda; // lambda is in units of kn_recon_plan_get_bound; not with KN_RECON_NORMAL_FORWARD
    kn_recon_regularizer regularizer;
    kn_recon_boundary boundary;
    const double *start; // [2 voxels coils], an image for each coil, with `sense` [2 voxels]; NULL: 0
    double oversampling; // of gridding, and the width of its window, as in kn_recon_options
    unsigned width;
    kn_recon_progress *progress; // NULL: none
    void *progress_data;         // what it is called with
    kn_recon_adjoint_method adjoint;
    kn_recon_sense sense; // for least squares
    // S_c[2 voxels coils], one coil after another, for KN_RECON_SENSE_MAPS, used as given. The unit of a
    // relative lambda is then kn_recon_plan_get_bound times the largest sum over coils of |S_c|^2 at a voxel.
    const double *maps;
    double nufft_tolerance; // as in kn_recon_options
} kn_recon_solve_options;

// An estimate of the most bytes that a reconstruction takes at a time, including the arrays of the scan; and
// how many bytes are available.
typedef struct kn_recon_solve_memory {
    size_t host, device;         // device: 0 if none is used
    size_t host_has, device_has; // likewise
} kn_recon_solve_memory;

// Estimates the memory that kn_recon_solve would take, without allocating it, whether it is available or not.
// Numbers beyond SIZE_MAX become SIZE_MAX. Errors: KN_ERROR_ARGUMENT and KN_ERROR_UNSUPPORTED, as
// kn_recon_solve, as far as they can be found without reading arrays.
KN_API kn_status kn_recon_solve_measure(const kn_queue *queue, const kn_recon_scan *scan,
                                        const kn_recon_solve_options *options, kn_recon_solve_memory *memory,
                                        kn_error *err);

typedef struct kn_recon_solution kn_recon_solution;

// Says what KN_RECON_SENSE_AUTO chooses for a scan and a method, and why, in a string constant (`why` may be
// NULL); it reads k and data. Errors: KN_ERROR_ARGUMENT for NULL, also for k, no samples or coils, an invalid
// matrix; KN_ERROR_MEMORY.
KN_API kn_status kn_recon_sense_choose(const kn_recon_scan *scan, kn_recon_method method,
                                       kn_recon_sense *sense, const char **why, kn_error *err);

typedef struct kn_recon_maps_options {
    size_t struct_size;          // set by KN_INIT
    kn_recon_progress *progress; // NULL: none
    void *progress_data;         // passed to progress
} kn_recon_maps_options;

// The maps that KN_RECON_SENSE_LOWRES or _ESPIRIT estimates from a scan with any number of coils: maps
// [2 voxels coils], one coil after another, on the host. `options` may be NULL. Cost and errors are those of
// kn_recon_solve for these; KN_ERROR_ARGUMENT for NULL, another `sense`, and arrays that kn_recon_plan_create
// refuses. After an error, maps are undefined.
KN_API kn_status kn_recon_sense_maps(const kn_recon_scan *scan, kn_recon_sense sense, double *maps,
                                     const kn_recon_maps_options *options, kn_error *err);

// Reconstructs the image of a scan. Coils are reconstructed one by one, and several are combined by the root
// of the sum of squares, unless `sense` in the options asks for one image of all coils together. `queue`
// selects the device that computes, and is NULL for a host kernel (kn_recon_kernel; KN_RECON_KERNEL_AUTO then
// takes one). Waits. Each call also checks at some of the samples that forward and adjoint match, with at
// most 2^24 samples times voxels on a device and 2^22 on the host. Cost of least squares, with `sense` too:
// the preparation of the normal operator, once; and for each coil an adjoint and one application of the
// operator per iteration, one more for the residual, and one for a start. Errors: KN_ERROR_ARGUMENT for NULL,
// no samples or coils, arrays that kn_recon_plan_create refuses, options out of range, and combinations that
// are not possible: missing data, or a start, with a method that does not allow it, relative_lambda without a
// bound, maps without KN_RECON_SENSE_MAPS or KN_RECON_SENSE_MAPS without maps, `sense` with a method other
// than least squares; maps that are not finite, or all 0; a scan from which no maps can be made, since its
// centre is not dense or holds only zeros; for least squares, data or a start that are not finite numbers;
// KN_ERROR_UNSUPPORTED for what needs a device if there is no queue, and for a basis with gridding;
// KN_ERROR_MEMORY, before anything is allocated, if the host or the device has less than
// kn_recon_solve_measure says; KN_ERROR_LIMIT; KN_ERROR_INTERRUPTED by `progress`; those of programs and
// launches. `solution` is written only on success.
KN_API kn_status kn_recon_solve(kn_queue *queue, const kn_recon_scan *scan,
                                const kn_recon_solve_options *options, kn_recon_solution **solution,
                                kn_error *err);
// NULL is fine.
KN_API void kn_recon_solution_free(kn_recon_solution *solution);

// For a solution that is NULL these return NULL, 0, false, KN_RECON_KERNEL_AUTO and KN_RECON_ADJOINT_AUTO.
// The image, [2 voxels]; the root of the sum of squares has imaginary parts of 0. Owned by the solution.
KN_API const double *kn_recon_solution_get_image(const kn_recon_solution *solution);
KN_API size_t kn_recon_solution_get_voxels(const kn_recon_solution *solution);
KN_API kn_recon_kernel kn_recon_solution_get_kernel(const kn_recon_solution *solution); // what AUTO chose
// How the adjoint and Q were computed, and why, in words, as for a plan.
KN_API kn_recon_adjoint_method kn_recon_solution_get_adjoint_method(const kn_recon_solution *solution);
KN_API const char *kn_recon_solution_get_adjoint_why(const kn_recon_solution *solution);
KN_API bool kn_recon_solution_get_is_double(const kn_recon_solution *solution); // false: single precision
// The time it took, without compiling and the adjoint check.
KN_API double kn_recon_solution_get_seconds(const kn_recon_solution *solution);
// For least squares: the absolute lambda, in the scale that was asked for.
KN_API double kn_recon_solution_get_lambda(const kn_recon_solution *solution);

// How coils were combined, never KN_RECON_SENSE_AUTO unless the solution is NULL, and why, in a string
// constant: "the centre of k-space is dense".
KN_API kn_recon_sense kn_recon_solution_get_sense(const kn_recon_solution *solution);
KN_API const char *kn_recon_solution_get_sense_why(const kn_recon_solution *solution);

// The result of least squares for a coil, or with `sense` for all coils together.
typedef struct kn_recon_coil {
    size_t iterations;        // done
    kn_solve_stopped stopped; // KN_SOLVE_STOPPED_ITERATIONS, _TOLERANCE or _FLOOR
    // |F^H W d - A x| / |F^H W d| of the image, recomputed. For KN_RECON_REGULARIZER_TV: by how much the last
    // iteration changes the image and the dual variables, weighed by their steps, as a fraction of what the
    // first one does; it is 0 at the solution. For KN_RECON_REGULARIZER_WAVELET the same of the image alone.
    double residual;
    double seconds; // of the iterations
    // The same before the first and after each iteration, as the method's recurrence has it, which goes on
    // decreasing when the true residual has reached the floor of the precision: iterations + 1 numbers, owned
    // by the solution.
    const double *residuals;
} kn_recon_coil;

// All 0 for a coil that does not exist, and for other methods.
KN_API kn_recon_coil kn_recon_solution_get_coil(const kn_recon_solution *solution, size_t coil);
// For KN_RECON_REGULARIZER_TV and _WAVELET: |F x - d|^2 / 2 + lambda TV(x), or R(x), in the scale that was
// asked for, with the weights W, and with `sense` the sum of these squares over the coils, before the first
// and after each iteration: iterations + 1 numbers, owned by the solution. In single precision 1e-7 of |d|^2
// / 2 may be missing. NULL for a coil that does not exist, and for other regularizers and methods.
KN_API const double *kn_recon_solution_get_objectives(const kn_recon_solution *solution, size_t coil);
// How many of these there are: the coils of the scan for least squares, 1 with `sense`, otherwise 0.
KN_API size_t kn_recon_solution_get_coils(const kn_recon_solution *solution);

// ---- names ----

// The names that `koine recon` uses: "radial", "golden", "spiral", "kooshball", "stack", "cartesian"; "fov",
// "radians", "normalized"; "none", "ramp", "pipe"; "auto", "naive", "register", "coalesced", "constant",
// "constant-struct", "fast-trig", "tuned", "host-double", "host-single"; "auto", "direct", "separable",
// "nufft"; "toeplitz", "forward"; "ls", "adjoint", "gridding"; "none", "unitary"; "tikhonov", "difference",
// "tv", "wavelet"; "zero", "periodic"; "auto", "none", "maps", "lowres", "espirit". NULL for any other value.
KN_API const char *kn_recon_trajectory_name(kn_recon_trajectory_kind kind);
KN_API const char *kn_recon_unit_name(kn_recon_unit unit);
KN_API const char *kn_recon_density_name(kn_recon_density density);
KN_API const char *kn_recon_kernel_name(kn_recon_kernel kernel);
KN_API const char *kn_recon_adjoint_method_name(kn_recon_adjoint_method method);
KN_API const char *kn_recon_normal_method_name(kn_recon_normal_method method);
KN_API const char *kn_recon_method_name(kn_recon_method method);
KN_API const char *kn_recon_scale_name(kn_recon_scale scale);
KN_API const char *kn_recon_regularizer_name(kn_recon_regularizer regularizer);
KN_API const char *kn_recon_boundary_name(kn_recon_boundary boundary);
KN_API const char *kn_recon_sense_name(kn_recon_sense sense);

#ifdef __cplusplus
}
#endif
#endif
