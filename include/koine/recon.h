// SPDX-License-Identifier: Apache-2.0
// Reconstruction of MRI scans: where samples lie, what a phantom's samples are, density compensation, a
// plan that takes images to samples and back, by the sums as they stand, by gridding, or by F^H W F as a
// convolution, and the image of a scan of several coils by least squares; on the host or on a device. What
// `koine recon`, `koine trajectory` and `koine phantom` compute.
//
// An image has N_x x N_y x N_z voxels, x fastest; voxel j of an axis of N is at r = (j - floor(N/2)) / N, in
// fields of view. k is in cycles per field of view: |k| <= N/2 on each axis. It has three numbers a sample,
// for x, y and z; of a matrix with two axes the last one is 0. With weights w (density compensation) and phi,
// the transform of a voxel's basis function at each sample, both 1 unless the options say otherwise,
//
//     forward   d_m   = phi_m sum_n rho_n exp(-i 2 pi k_m . r_n)                 d = F rho
//     adjoint   rho_n = sum_m conj(phi_m) w_m d_m exp(+i 2 pi k_m . r_n)         rho = F^H W d
//     normal    F^H W F
//
// None of them is scaled. In arrays a complex number is two doubles, the real part first; in buffers it is
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
//
// A function that fails with KN_ERROR_ARGUMENT has written nothing.
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

// An image's voxels. Functions that take one refuse, with KN_ERROR_ARGUMENT, other than 2 or 3 axes, an axis
// of 0 or of more than 2^29 - 1 voxels, and more voxels than memory has addresses for.
typedef struct kn_recon_matrix {
    size_t axes;    // 2 or 3
    size_t size[3]; // voxels along x, y and z; with two axes the last one is 0 or 1
} kn_recon_matrix;

// How much is done, from 0 to below 1: called at the beginning, before each coil and iteration, and between
// the pieces of what takes long, in the thread of the call; where it is not known how much that is, with the
// same number again. A device is some tenths of a second behind at most, if no launch takes longer. Returns
// false to stop: nothing more is launched or computed then, and the call fails with KN_ERROR_INTERRUPTED.
typedef bool kn_recon_progress(void *data, double done);

// ---- where samples lie ----

// With D samples a spoke, S spokes, P partitions, a matrix of N, and t = (j - floor(D/2)) N/D for sample j;
// in order partitions, in them spokes, in them samples. A sample of each diameter and line is at t = 0.
typedef enum kn_recon_trajectory_kind {
    KN_RECON_TRAJECTORY_RADIAL = 0, // diameters at angles pi s/S in the plane: (t cos, t sin)
    // The same at s pi (sqrt(5)-1)/2, 111.246 degrees apart (Winkelmann et al., IEEE TMI 26, 2007).
    KN_RECON_TRAJECTORY_GOLDEN = 1,
    // Archimedean arms, turned by 2 pi s/S: radius (N/2) u at N/(2S) u turns, u = sqrt(j/D), which is about
    // uniform along the arm; neighbouring arms are 1 apart.
    KN_RECON_TRAJECTORY_SPIRAL = 2,
    // Diameters of a ball by the two-dimensional golden means (Chan et al., MRM 61, 2009): cos(theta) =
    // frac(0.46557 s), phi = 2 pi frac(0.68233 s).
    KN_RECON_TRAJECTORY_KOOSHBALL = 3,
    KN_RECON_TRAJECTORY_STACK = 4,    // radial in each of P planes kz = p - floor(P/2)
    KN_RECON_TRAJECTORY_CARTESIAN = 5 // lines along kx at ky = s - floor(S/2), kz = p - floor(P/2)
} kn_recon_trajectory_kind;

// 0 stands for: as many as the others ask for (kn_recon_trajectory_settle).
typedef struct kn_recon_trajectory {
    size_t struct_size; // KN_INIT sets it
    kn_recon_trajectory_kind kind;
    size_t samples;    // of a spoke, a spiral's arm or a line
    size_t spokes;     // in a partition
    size_t partitions; // only stack and cartesian have more than 1
    size_t extent;     // the matrix's size N in the plane (kooshball: everywhere): k goes to N/2
} kn_recon_trajectory;

// Fills in what is 0: N = samples, and samples = N, 128 if both are; spokes that sample k-space densely up to
// its edge: pi/2 N (kooshball: pi/2 N^2), cartesian N; 16 partitions of a stack. A spiral has 16 arms and
// pi N^2 / (4 S) samples each, or the N that its samples are dense for. Tells the matrix that the trajectory
// is for, and its samples in all; either may be NULL. Errors: KN_ERROR_ARGUMENT for partitions where there
// are none, and for more samples than memory can have.
KN_API kn_status kn_recon_trajectory_settle(kn_recon_trajectory *trajectory, kn_recon_matrix *matrix,
                                            size_t *samples, kn_error *err);
// k[3 samples], of as many samples as the trajectory has once it is settled; it need not be. Errors:
// KN_ERROR_ARGUMENT, also for another number of samples.
KN_API kn_status kn_recon_trajectory_fill(const kn_recon_trajectory *trajectory, size_t samples, double *k,
                                          kn_error *err);

// What somebody else's trajectory may be in.
typedef enum kn_recon_unit {
    KN_RECON_UNIT_FOV = 0,       // cycles per field of view, as here and in BART: up to N/2
    KN_RECON_UNIT_RADIANS = 1,   // radians per voxel: up to pi
    KN_RECON_UNIT_NORMALIZED = 2 // cycles per voxel: up to 1/2
} kn_recon_unit;

// k[3 samples] from that unit to cycles per field of view, in place.
KN_API kn_status kn_recon_trajectory_convert(kn_recon_unit unit, const kn_recon_matrix *matrix,
                                             size_t samples, double *k, kn_error *err);

// ---- density compensation, and voxels that are no points ----

// How much of k-space each sample stands for. Ramp and Pipe-Menon have the image's scale: the adjoint with
// these weights is about the image itself. A weight is the area (volume) of k-space that its sample stands
// for, in cycles per field of view to the power of the axes, over the voxels; those of a full Cartesian grid
// are about 1/voxels.
typedef enum kn_recon_density {
    KN_RECON_DENSITY_NONE = 0, // 1 throughout: the unscaled sum
    // For diameters at even angles: |k|, or |k|^2 where three axes have more than a voxel; in all the disc
    // (ball) of the largest |k|. Samples at k = 0 share the disc (ball) that the next ones, at |k| = q,
    // leave: they count as |k| = q/4, or |k|^2 = q^2/12.
    KN_RECON_DENSITY_RAMP = 1,
    // w <- w / (C C^H w), 10 times, C the window of gridding (Pipe and Menon, MRM 41, 1999).
    KN_RECON_DENSITY_PIPE = 2
} kn_recon_density;

typedef struct kn_recon_weights_options {
    size_t struct_size;          // KN_INIT sets it
    kn_recon_progress *progress; // NULL: none
    void *progress_data;         // what it is called with
} kn_recon_weights_options;

// weights[samples]. Only KN_RECON_DENSITY_PIPE uses the queue, which may be NULL for the others: ten times it
// spreads and reads all samples by gridding with oversampling 2 and width 6, in single precision, and waits.
// `options` may be NULL. Errors: KN_ERROR_ARGUMENT for NULL, no samples, and a k that is not finite;
// KN_ERROR_UNSUPPORTED for KN_RECON_DENSITY_PIPE without a queue; KN_ERROR_LIMIT for a grid that the device
// cannot hold in one allocation; KN_ERROR_INTERRUPTED by `progress`, after which the weights are undefined.
KN_API kn_status kn_recon_weights(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                  size_t samples, kn_recon_density density, double *weights,
                                  const kn_recon_weights_options *options, kn_error *err);

// phi of a box as large as a voxel, for kn_recon_options: the product of sinc(k_i / N_i). basis[2 samples].
// KN_ERROR_ARGUMENT for NULL and a k that is not finite.
KN_API kn_status kn_recon_basis_box(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                    double *basis, kn_error *err);

// ---- phantoms ----

// The head phantom of Shepp and Logan with Toft's contrast (P. Toft, The Radon Transform, 1996, appendix B),
// and in three dimensions the ellipsoids that M. Schabel made of it (phantom3d). It spans the field of view
// on every axis. Rows run downwards, as in pictures: the forehead is at y < 0.
//
// image[voxels], real numbers from 0 to 1: the mean over `oversample` points (1 to 1024) along each axis in
// each voxel; 1 is the value at its middle. Where no edge is in a voxel, one point serves. KN_ERROR_ARGUMENT
// for NULL and other numbers of points.
KN_API kn_status kn_recon_phantom_image(const kn_recon_matrix *matrix, size_t oversample, double *image,
                                        kn_error *err);
// The phantom's k-space without voxels: data[2 samples], the product of the matrix's sizes times the integral
// of phantom x exp(-i 2 pi k_m . r) over the field of view, which is what the forward sum tends to as voxels
// get smaller. KN_ERROR_ARGUMENT for NULL and a k that is not finite.
KN_API kn_status kn_recon_phantom_kspace(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                         double *data, kn_error *err);

// ---- plans ----

// What computes the sums. What is named runs or is refused, and nothing else takes its place. Devices compute
// in single precision, by the kernels of Stone et al., Accelerating advanced MRI reconstructions on GPUs, J.
// Parallel Distrib. Comput. 68 (2008); relative errors (2-norm) of the adjoint are 3e-6 for |k| <= 32, as the
// rounding of the phase makes them, and twice that for twice the band; of `tuned` 5e-7 whatever the band.
// The forward sum of a device has one kernel, and 5e-7, whatever is named. In a context of KN_POLICY_FAST
// errors may be larger.
typedef enum kn_recon_kernel {
    KN_RECON_KERNEL_AUTO = 0,            // `tuned` on a device, `host-double` on the host
    KN_RECON_KERNEL_NAIVE = 1,           // a device: a voxel a work-item, its sum in global memory
    KN_RECON_KERNEL_REGISTER = 2,        // in registers
    KN_RECON_KERNEL_COALESCED = 3,       // an array for each component
    KN_RECON_KERNEL_CONSTANT = 4,        // samples through constant memory, in chunks
    KN_RECON_KERNEL_CONSTANT_STRUCT = 5, // there as records
    KN_RECON_KERNEL_FAST_TRIG = 6,       // `constant` with native sine and cosine
    KN_RECON_KERNEL_TUNED = 7,           // as `koine tune` or the project's measurements say
    KN_RECON_KERNEL_HOST_DOUBLE = 8,     // the host, in double precision: 1e-14
    KN_RECON_KERNEL_HOST_SINGLE = 9      // in single precision with vectors: adjoint 1e-6, forward 3e-6
} kn_recon_kernel;

// How adjoint and forward sum are computed, and Q (KN_RECON_NORMAL_TOEPLITZ). `separable`: on a grid of
// voxels exp(i 2 pi k . r) is a product of a factor along x and one across it, and the sum a product of two
// matrices, with a sine and a cosine for an element of them and not for each voxel and sample. That is exact,
// too: relative errors (2-norm) are below 1e-6 in single precision, whatever the band, and 1e-14 in double.
typedef enum kn_recon_adjoint_method {
    // The one that ends first, by the model of costs (koine/experimental/cost.h), where the kernel is
    // KN_RECON_KERNEL_AUTO: of few voxels, above all along x, the direct sum. A kernel that is named is one
    // of direct sums.
    KN_RECON_ADJOINT_AUTO = 0,
    KN_RECON_ADJOINT_DIRECT = 1, // every voxel with every sample, by the kernel
    // By the product of matrices of the kernel's place and precision: of KN_RECON_KERNEL_AUTO, _TUNED,
    // _HOST_DOUBLE and _HOST_SINGLE alone.
    KN_RECON_ADJOINT_SEPARABLE = 2,
    // By a non-uniform fast Fourier transform, on the host (KN_RECON_KERNEL_HOST_DOUBLE and _SINGLE), whose
    // error is up to nufft_tolerance: relative, in the 2-norm, of adjoint, forward sum and Q each. Cost: a
    // window of some 4 to 14 cells an axis for each sample, and a transform of a grid of twice the matrix.
    // The same call gives the same bits, with any number of threads. Nobody gets it who does not name it.
    KN_RECON_ADJOINT_NUFFT = 3
} kn_recon_adjoint_method;

// How F^H W F is applied.
typedef enum kn_recon_normal_method {
    // As a convolution, on a grid of twice the matrix (Fessler et al., IEEE TSP 53, 2005). Its first use
    // computes as many terms as half of that grid has points, times samples; an application then costs two
    // transforms.
    KN_RECON_NORMAL_TOEPLITZ = 0,
    KN_RECON_NORMAL_FORWARD = 1 // by both sums each time: slower by far, with nothing to prepare and no grid
} kn_recon_normal_method;

typedef struct kn_recon_options {
    size_t struct_size; // KN_INIT sets it
    kn_recon_kernel kernel;
    kn_recon_normal_method normal;
    const double *weights; // w[samples], finite and not negative; NULL: 1
    const double *basis;   // phi[2 samples], finite; NULL: 1
    // Gridding, on a grid of oversampling x N cells with a window `width` cells wide
    // (kn_recon_gridding_adjoint).
    double oversampling; // 1.25 to 4; 0: 2
    unsigned width;      // 2 to 8; 0: 6
    // Of every operation of the plan and its operators, and of preparing them; NULL: none. With one, calls
    // with buffers wait for all but their last launches. What an operation that was stopped leaves in its
    // result is not said; the next one begins anew.
    kn_recon_progress *progress;
    void *progress_data; // what it is called with
    kn_recon_adjoint_method adjoint;
    double nufft_tolerance; // of KN_RECON_ADJOINT_NUFFT: 1e-12, in single precision 1e-6, to 0.1; 0: 1e-5
} kn_recon_options;

// Bytes that a plan takes at most beside the caller's own arrays and buffers, an estimate. `sums`, `normal`
// and `gridding` are of the plan's device, or of the host where it has none; what a call with arrays copies
// there is counted.
typedef struct kn_recon_memory {
    size_t plan;     // of the host, as long as there is the plan: its copies of k, weights and basis
    size_t sums;     // of forward and adjoint: from their first use on; on a device in part the queue's
    size_t normal;   // of the normal operator: from its first use on, and to prepare it
    size_t gridding; // from its first use on; 0 on the host
} kn_recon_memory;

// What a plan would take, before it is taken. `queue` is NULL for the host; options may be NULL. Numbers
// beyond SIZE_MAX are SIZE_MAX. Errors: KN_ERROR_ARGUMENT, as kn_recon_plan_create; arrays are not looked at.
KN_API kn_status kn_recon_measure(const kn_queue *queue, const kn_recon_matrix *matrix, size_t samples,
                                  const kn_recon_options *options, kn_recon_memory *memory, kn_error *err);

// Prepares the operations of samples at k[3 samples] and a matrix: on `queue`, which is borrowed and open at
// every call with the plan, or, where that is NULL, on the host, whose threads are as many as OMP_NUM_THREADS
// says. k, weights and basis are copied. Kernels are compiled, and memory is taken, by the first call that
// needs them, and kept for the next. A plan and its operators are to be used by one thread at a time, and on
// a device by commands of one queue at a time. Errors: KN_ERROR_ARGUMENT for NULL, no samples, a k that is
// not finite, that is more than a cycle outside of the band N/2, or with two axes a kz that is not 0; weights
// and basis that are no such numbers, an oversampling or a width out of range, and a kernel of the host with
// a queue or one that has no product of matrices with KN_RECON_ADJOINT_SEPARABLE; a nufft_tolerance out of
// range or of another method; KN_ERROR_UNSUPPORTED for a kernel of devices without a queue, and for
// KN_RECON_ADJOINT_NUFFT with one; KN_ERROR_LIMIT for more samples than memory has addresses for.
KN_API kn_status kn_recon_plan_create(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                      size_t samples, const kn_recon_options *options, kn_recon_plan **plan,
                                      kn_error *err);
// NULL is fine. The queue, the context and operators of the plan may be closed or freed before or after it.
KN_API void kn_recon_plan_free(kn_recon_plan *plan);

// Of a plan that is NULL these are 0, NULL, KN_RECON_KERNEL_AUTO and KN_RECON_ADJOINT_AUTO.
KN_API size_t kn_recon_plan_get_voxels(const kn_recon_plan *plan);
KN_API size_t kn_recon_plan_get_samples(const kn_recon_plan *plan);
KN_API kn_recon_kernel kn_recon_plan_get_kernel(const kn_recon_plan *plan);                 // what AUTO took
KN_API kn_recon_adjoint_method kn_recon_plan_get_adjoint_method(const kn_recon_plan *plan); // likewise
// Why, in words: "separable: about 0.31 s by estimate, direct 2.4 s", or that it was named. The plan's.
KN_API const char *kn_recon_plan_get_adjoint_why(const kn_recon_plan *plan);
// A bound on the norm of F^H W F: the greatest modulus of the convolution's eigenvalues, what `koine recon`
// counts a relative lambda in. 0 until the normal operator was prepared, and with KN_RECON_NORMAL_FORWARD,
// which has none.
KN_API double kn_recon_plan_get_bound(const kn_recon_plan *plan);

// ---- operations ----

// With arrays: image[2 voxels] and data[2 samples], which do not overlap. They wait. On a device numbers are
// rounded to float and brought there and back. What is not a number comes out as such. Cost of the first two:
// samples x voxels sines and cosines; of the adjoint as a product of matrices, as many times two
// multiplications and additions. Errors: KN_ERROR_ARGUMENT for NULL, and an array that is both; what
// programs and launches give.
KN_API kn_status kn_recon_forward(kn_recon_plan *plan, const double *image, double *data, kn_error *err);
KN_API kn_status kn_recon_adjoint(kn_recon_plan *plan, const double *data, double *image, kn_error *err);
// to = F^H W F from, both images. The error of a convolution, in the 2-norm and relative to
// kn_recon_plan_get_bound times |from|, is that of the kernel and of two transforms (koine/fft.h). Errors
// also: KN_ERROR_LIMIT for a grid that is more than one allocation of the device; KN_ERROR_ARGUMENT for
// weights that make eigenvalues beyond the range of float there.
KN_API kn_status kn_recon_normal(kn_recon_plan *plan, const double *from, double *to, kn_error *err);

// Forward and adjoint by gridding and FFT, in single precision on a device: the fast and approximate way.
// Samples lie on a finer grid of oversampling x N cells an axis; each is spread over `width` cells an axis,
// or read from them, with the window of Kaiser and Bessel and the parameter of Beatty, Nishimura and Pauly,
// IEEE TMI 24 (2005). The same call gives the same bits. Relative error of the adjoint, in the 2-norm, of a
// spiral scan of a brain (64 x 64), by oversampling and width; single precision leaves about 3e-7 where less
// is said:
//            3       4       5       6       7       8
//   1.25  2.4e-2  5.1e-3  1.2e-3  3.0e-4  6.5e-5  1.6e-5
//   1.5   7.4e-3  1.1e-3  2.2e-4  3.6e-5  5.6e-6  9.3e-7
//   2     2.4e-3  2.4e-4  2.5e-5  2.7e-6  2.9e-7  3.0e-8
// Of white noise, also in matrices of a few voxels, it is up to five times as much.
// Cost: the first one sorts the samples on the host; each then some five to eight passes over the grid.
// Errors: KN_ERROR_ARGUMENT as above; KN_ERROR_UNSUPPORTED for a plan of the host, and for one with a basis;
// KN_ERROR_LIMIT for a grid or samples that the device cannot hold in one allocation.
KN_API kn_status kn_recon_gridding_forward(kn_recon_plan *plan, const double *image, double *data,
                                           kn_error *err);
KN_API kn_status kn_recon_gridding_adjoint(kn_recon_plan *plan, const double *data, double *image,
                                           kn_error *err);

// The same with buffers of the queue's context, pairs of floats, which may be larger: by commands in the
// plan's queue, after what it was given before. They do not wait for these, but for what is prepared the
// first time: also k, weights and basis are then brought to the device, where they stay with the plan.
// Forward and adjoint of more than 2^20 samples, or of more than fit into a sixteenth of the device's memory
// at 20 bytes each, bring them in each call, and wait for these copies; so does the adjoint by another kernel
// than `tuned` with positions of more than 2^22 voxels, or as many. A buffer held in parts counts as too
// many. Errors: KN_ERROR_ARGUMENT also for a plan of the host, a buffer of another context, one that is too
// small, and one that is both; KN_ERROR_LIMIT for buffers held in parts, which only forward and adjoint take.
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

// For koine/solve.h. An encoding operator's adjoint has no weights.
typedef enum kn_recon_operator_kind {
    KN_RECON_OPERATOR_ENCODING = 0, // F, of samples rows and voxels columns, by the sums
    KN_RECON_OPERATOR_NORMAL = 1,   // F^H W F, of voxels rows and columns, its own adjoint
    KN_RECON_OPERATOR_GRIDDING = 2  // F by gridding
} kn_recon_operator_kind;

// An operator of complex numbers: on a device of KN_F32, with buffers of its context; on the host of KN_F64,
// in its memory. Free it with kn_operator_free, before the plan or after it. What it needs is prepared here,
// in the plan's queue; it is applied in the queue that the caller of kn_operator_apply gives. Errors: those
// of the operation.
KN_API kn_status kn_recon_operator_create(kn_recon_plan *plan, kn_recon_operator_kind kind,
                                          kn_operator **made, kn_error *err);

// What several coils make of an operator A of an image, such as one of a plan's, with their sensitivities
// S_c, maps[2 voxels coils], a coil's together, which are copied: sum_c S_c^H A S_c, of SENSE's equations
// where A is F^H W F, or with `stacked` A S_c for every coil, one below the other, of coils x A's rows. It
// applies A once a coil, where A is: `queue` is of its context, and NULL for an operator of the host's
// memory. Memory: the maps, an image and what A makes of one. `a` may be freed before it or after it. Errors:
// KN_ERROR_ARGUMENT for NULL and no coils, an operator of real numbers, of another context or, without
// `stacked`, one that is not square, and for maps that are not finite or all 0; KN_ERROR_LIMIT;
// KN_ERROR_MEMORY; what programs and copies give.
KN_API kn_status kn_recon_sense_create(kn_queue *queue, kn_operator *a, bool stacked, const double *maps,
                                       size_t coils, kn_operator **made, kn_error *err);

// ---- from a scan to its image ----

// A scan of one or more coils. The arrays stay the caller's.
//
//     const kn_recon_scan scan = KN_INIT(kn_recon_scan, .matrix = matrix, .samples = samples, .coils = 8,
//                                        .k = k, .data = data);
//     const kn_recon_solve_options options = KN_INIT(kn_recon_solve_options, .iterations = 20);
//
//     kn_recon_solve(queue, &scan, &options, &solution, &err);
//     image = kn_recon_solution_get_image(solution);
typedef struct kn_recon_scan {
    size_t struct_size; // KN_INIT sets it
    kn_recon_matrix matrix;
    size_t samples, coils; // samples of each coil
    const double *k;       // [3 samples]
    // d[2 samples coils], the samples of a coil together; NULL: 1 throughout, whose adjoint, the only method
    // there is without data, is the point-spread function.
    const double *data;
    const double *weights; // w[samples], finite and not negative; NULL: 1
    const double *basis;   // phi[2 samples], finite; NULL: 1
} kn_recon_scan;

typedef enum kn_recon_method {
    // The solution of (F^H W F + lambda R) x = F^H W d by conjugate gradients (Hestenes and Stiefel 1952).
    KN_RECON_METHOD_LEAST_SQUARES = 0,
    KN_RECON_METHOD_ADJOINT = 1, // F^H W d by the sums; of more voxels than the device holds too
    // F^H W d by gridding, on a device: fast and approximate (kn_recon_gridding_adjoint). Samples may be more
    // than the device holds. It has no basis.
    KN_RECON_METHOD_GRIDDING = 2
} kn_recon_method;

// What forward and adjoint are multiplied by.
typedef enum kn_recon_scale {
    KN_RECON_SCALE_NONE = 0,   // 1
    KN_RECON_SCALE_UNITARY = 1 // 1 / sqrt(voxels): of a full Cartesian grid they are each other's inverse
} kn_recon_scale;

typedef enum kn_recon_regularizer {
    KN_RECON_REGULARIZER_TIKHONOV = 0,  // R = 1: a small image
    KN_RECON_REGULARIZER_DIFFERENCE = 1 // R = D^H D: small differences of neighbours along each axis
} kn_recon_regularizer;

// Of the differences: along an axis of N voxels (D x)_j = x_j - x_(j-1) for j = 1 ... N - 1.
typedef enum kn_recon_boundary {
    KN_RECON_BOUNDARY_ZERO = 0,    // none across the image's edge
    KN_RECON_BOUNDARY_PERIODIC = 1 // for j = 0 too, where x_-1 is x_(N-1)
} kn_recon_boundary;

// How several coils become one image.
typedef enum kn_recon_sense {
    // Of several coils by least squares, without maps: ESPIRIT where the scan has a dense centre for it, and
    // its matrix is of at most 1,024 rows; else LOWRES where that has one; else NONE. With maps MAPS.
    KN_RECON_SENSE_AUTO = 0,
    KN_RECON_SENSE_NONE = 1, // each by itself, and the root of the sum of their squares, which has no phase
    // By their sensitivities (Pruessmann et al., MRM 42, 1999), with the options' maps: least squares for all
    // coils together, (sum_c S_c^H F^H W F S_c + lambda R) x = sum_c S_c^H F^H W d_c.
    KN_RECON_SENSE_MAPS = 2,
    // With maps that are made of the scan: images of the centre of k-space, of up to 24 cycles along each
    // axis as far as its samples are dense, with Hann's window, divided by the root of the sum of their
    // squares. Weights have no part in it. It needs some dense cycles about k = 0 (KN_ERROR_ARGUMENT).
    KN_RECON_SENSE_LOWRES = 3,
    // With maps by ESPIRiT (Uecker et al., MRM 71, 2014): from the same centre, which has 8 cycles at least
    // along each axis that is not shorter, with patches of 6, singular values above sqrt(0.001) of the
    // greatest, and 0 where the eigenvalue is below 0.8. Cost, on the host: (6^axes coils)^3 multiplications,
    // and 30 coils^2 a voxel.
    KN_RECON_SENSE_ESPIRIT = 4
} kn_recon_sense;

typedef struct kn_recon_solve_options {
    size_t struct_size; // KN_INIT sets it
    kn_recon_method method;
    // Of least squares and the adjoint. One of the host computes there, least squares with a solver in double
    // precision, and whatever queue there is serves the density compensation alone.
    kn_recon_kernel kernel;
    kn_recon_scale scale;
    // The samples' weights are multiplied by it. KN_RECON_DENSITY_PIPE needs a queue.
    kn_recon_density density;
    // Of least squares.
    kn_recon_normal_method normal;
    size_t iterations;    // at most, on a device up to 2^20; 0: the image is the start
    double tolerance;     // stops once |F^H W d - A x| is at most this part of |F^H W d|, from 0 to below 1;
                          // 0: never
    double lambda;        // from 0 on
    bool relative_lambda; // it counts in units of kn_recon_plan_get_bound: not with KN_RECON_NORMAL_FORWARD
    kn_recon_regularizer regularizer;
    kn_recon_boundary boundary;
    const double *start; // [2 voxels coils], an image for each coil, with `sense` [2 voxels]; NULL: 0
    double oversampling; // of gridding, and its window's width, as in kn_recon_options
    unsigned width;
    kn_recon_progress *progress; // NULL: none
    void *progress_data;         // what it is called with
    kn_recon_adjoint_method adjoint;
    kn_recon_sense sense; // of least squares
    // S_c[2 voxels coils], a coil's together, of KN_RECON_SENSE_MAPS; they are taken as they are. A relative
    // lambda's unit is then kn_recon_plan_get_bound times the greatest sum over coils of |S_c|^2 at a voxel.
    const double *maps;
    double nufft_tolerance; // as in kn_recon_options
} kn_recon_solve_options;

// Bytes that a reconstruction takes at most at a time, an estimate, the scan's arrays among them; and how
// many there are.
typedef struct kn_recon_solve_memory {
    size_t host, device;         // device: 0 where none takes part
    size_t host_has, device_has; // likewise
} kn_recon_solve_memory;

// What kn_recon_solve would take of these, before it is taken, whether it is there or not. Numbers beyond
// SIZE_MAX are SIZE_MAX. Errors: KN_ERROR_ARGUMENT and KN_ERROR_UNSUPPORTED, as kn_recon_solve, of what can
// be told without looking at arrays.
KN_API kn_status kn_recon_solve_measure(const kn_queue *queue, const kn_recon_scan *scan,
                                        const kn_recon_solve_options *options, kn_recon_solve_memory *memory,
                                        kn_error *err);

typedef struct kn_recon_solution kn_recon_solution;

// What KN_RECON_SENSE_AUTO is for a scan and a method, and why, in words that stay (`why` may be NULL); k and
// data are looked at. Errors: KN_ERROR_ARGUMENT for NULL, also of k, no samples or coils, a matrix that is
// none; KN_ERROR_MEMORY.
KN_API kn_status kn_recon_sense_choose(const kn_recon_scan *scan, kn_recon_method method,
                                       kn_recon_sense *sense, const char **why, kn_error *err);

typedef struct kn_recon_maps_options {
    size_t struct_size;          // KN_INIT sets it
    kn_recon_progress *progress; // NULL: none
    void *progress_data;         // what it is called with
} kn_recon_maps_options;

// The maps that KN_RECON_SENSE_LOWRES or _ESPIRIT makes of a scan of any number of coils: maps[2 voxels
// coils], a coil's together, on the host. `options` may be NULL. Cost, and errors: as kn_recon_solve has them
// of these; KN_ERROR_ARGUMENT for NULL, another `sense`, and arrays that kn_recon_plan_create refuses. maps
// are undefined after one.
KN_API kn_status kn_recon_sense_maps(const kn_recon_scan *scan, kn_recon_sense sense, double *maps,
                                     const kn_recon_maps_options *options, kn_error *err);

// The image of a scan. Coils are reconstructed one by one, and several are combined by the root of the sum of
// their squares, unless the options' `sense` has one image of them all. `queue` is where a device computes,
// and is NULL for a kernel of the host (kn_recon_kernel; KN_RECON_KERNEL_AUTO is one then). Waits. Every time
// the adjointness of forward and adjoint is checked at some of the samples, at most 2^24 samples times voxels
// on a device and 2^22 on the host. Cost of least squares: what the normal operator's method costs to
// prepare, once; and for each coil an adjoint and the operator for each iteration, one more for the residual,
// and one for a start; with `sense` too. Errors: KN_ERROR_ARGUMENT for NULL, no samples or coils, arrays that
// kn_recon_plan_create refuses, options out of range, and what does not go together: no data or a start where
// the method has none, relative_lambda without a bound, maps without KN_RECON_SENSE_MAPS or that without
// maps, `sense` with another method than least squares; maps that are no numbers, or all 0, and a scan
// without a dense centre, or with zeros alone there, to make some of; data or a start that are no numbers, of
// least squares; KN_ERROR_UNSUPPORTED for what needs a device without a queue, and a basis with gridding;
// KN_ERROR_MEMORY, before anything is taken, where the host or the device has less than
// kn_recon_solve_measure says; KN_ERROR_LIMIT; KN_ERROR_INTERRUPTED by `progress`; what programs and launches
// give. `solution` is written only on success.
KN_API kn_status kn_recon_solve(kn_queue *queue, const kn_recon_scan *scan,
                                const kn_recon_solve_options *options, kn_recon_solution **solution,
                                kn_error *err);
// NULL is fine.
KN_API void kn_recon_solution_free(kn_recon_solution *solution);

// Of a solution that is NULL all of these are NULL, 0, false, KN_RECON_KERNEL_AUTO and KN_RECON_ADJOINT_AUTO.
// The image's [2 voxels], of the root of the sum of squares without imaginary parts. It is the solution's
// own.
KN_API const double *kn_recon_solution_get_image(const kn_recon_solution *solution);
KN_API size_t kn_recon_solution_get_voxels(const kn_recon_solution *solution);
KN_API kn_recon_kernel kn_recon_solution_get_kernel(const kn_recon_solution *solution); // what AUTO took
// How the adjoint and Q were computed, and why, in words, as of a plan.
KN_API kn_recon_adjoint_method kn_recon_solution_get_adjoint_method(const kn_recon_solution *solution);
KN_API const char *kn_recon_solution_get_adjoint_why(const kn_recon_solution *solution);
KN_API bool kn_recon_solution_get_is_double(const kn_recon_solution *solution); // or of single precision
// What it took, without compiling and the check of adjointness.
KN_API double kn_recon_solution_get_seconds(const kn_recon_solution *solution);
// Of least squares: lambda in absolute terms, in the scale that was asked for.
KN_API double kn_recon_solution_get_lambda(const kn_recon_solution *solution);

// How coils were combined, never KN_RECON_SENSE_AUTO but of a solution that is NULL, and why, in words that
// stay: "the centre of k-space is dense".
KN_API kn_recon_sense kn_recon_solution_get_sense(const kn_recon_solution *solution);
KN_API const char *kn_recon_solution_get_sense_why(const kn_recon_solution *solution);

// What least squares made of a coil, or with `sense` of all of them together.
typedef struct kn_recon_coil {
    size_t iterations;        // done
    kn_solve_stopped stopped; // KN_SOLVE_STOPPED_ITERATIONS, _TOLERANCE or _FLOOR
    double residual;          // |F^H W d - A x| / |F^H W d| of the image, computed anew
    double seconds;           // of the iterations
    // The same before the first and after each iteration, as the method carries it along, which goes on
    // falling where the true one has reached the precision's floor: iterations + 1 numbers, the solution's.
    const double *residuals;
} kn_recon_coil;

// All 0 for a coil that is not there, and for other methods.
KN_API kn_recon_coil kn_recon_solution_get_coil(const kn_recon_solution *solution, size_t coil);
// How many of these there are: the scan's coils of least squares, with `sense` 1, of other methods 0.
KN_API size_t kn_recon_solution_get_coils(const kn_recon_solution *solution);

// ---- names ----

// As `koine recon` has them: "radial", "golden", "spiral", "kooshball", "stack", "cartesian"; "fov",
// "radians", "normalized"; "none", "ramp", "pipe"; "auto", "naive", "register", "coalesced", "constant",
// "constant-struct", "fast-trig", "tuned", "host-double", "host-single"; "auto", "direct", "separable",
// "nufft"; "toeplitz", "forward"; "ls", "adjoint", "gridding"; "none", "unitary"; "tikhonov", "difference";
// "zero", "periodic"; "auto", "none", "maps", "lowres", "espirit". NULL for a number that is none.
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
