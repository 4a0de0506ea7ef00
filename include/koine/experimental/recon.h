// SPDX-License-Identifier: Apache-2.0
// Checks of a trajectory (koine/recon.h) that comes from elsewhere: its range, whether it fits a matrix, and
// its likely unit; and reconstructions that report which stages ran and how long they took, save F^H W F in
// files, work in parts of a given size, and are compared with other images. koine recon, koine phantom and
// koine trajectory use this. Unstable (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_RECON_H
#define KOINE_EXPERIMENTAL_RECON_H

#include <koine/recon.h>

#ifdef __cplusplus
extern "C" {
#endif

// The range of a trajectory, in its own unit.
typedef struct kn_recon_range {
    double low[3], high[3]; // of kx, ky and kz; 0 if there are no samples
    size_t centre;          // samples at k = 0
} kn_recon_range;

// The range of k[3 samples], finite numbers. All 0 for NULL and for no samples. Cost: reads k once.
KN_API kn_recon_range kn_recon_trajectory_get_range(const double *k, size_t samples);

// The likely unit of a trajectory of such a range: KN_RECON_UNIT_NORMALIZED if all of it is within 1/2 and
// KN_RECON_UNIT_RADIANS if it is within pi, for a matrix with an axis of 8 voxels or more; otherwise
// KN_RECON_UNIT_FOV, and for NULL.
KN_API kn_recon_unit kn_recon_trajectory_guess_unit(const kn_recon_matrix *matrix,
                                                    const kn_recon_range *range);

// The smallest matrix of even sizes whose band contains a trajectory of such a range in cycles per field of
// view. False, with nothing written, for a trajectory that does not exceed pi, since it may be in another
// unit, for one beyond 2^20, and for NULL.
KN_API bool kn_recon_trajectory_guess_matrix(const kn_recon_range *range, kn_recon_matrix *matrix);

// Whether k[3 samples] can be a trajectory of this matrix in cycles per field of view. `name` is what
// messages call it, such as the name of its file, or NULL. There may be no samples. Cost: reads k once.
// Errors: KN_ERROR_ARGUMENT for NULL; KN_ERROR_INPUT, with the name, the sample and the likely cause, for a k
// that is not finite, that is more than one cycle outside the band N/2, or with two axes a kz that is not 0;
// KN_ERROR_LIMIT for more samples than the address space holds.
KN_API kn_status kn_recon_trajectory_check(const char *name, const kn_recon_matrix *matrix, const double *k,
                                           size_t samples, kn_error *err);

// ---- reconstructions ----

// Further options of kn_recon_solve.
typedef struct kn_recon_extras {
    size_t struct_size; // set by KN_INIT
    // The positions of the voxels, [3 voxels] in fields of view, instead of those of the matrix. Only for the
    // adjoint, not for gridding or least squares.
    const double *positions;
    bool beyond; // k need not be within the matrix's band
    // Files of Q, the eigenvalues of F^H W F as a convolution on a device, which least squares saves or
    // loads; NULL: none. A file that is loaded must have been made for the same matrix, trajectory and
    // weights.
    const char *save_q, *load_q;
    bool force;   // save_q may exist, and is overwritten
    size_t slab;  // voxels of the adjoint at a time; 0: what fits the device
    size_t chunk; // samples of gridding at a time; 0: what fits the device
    // Of Q, for least squares on a device: all of kn_recon_compute_differences (2 floats each), in place of
    // computing them or a file. NULL: none.
    const float *differences;
} kn_recon_extras;

// kn_recon_solve with these; NULL: none. Errors also: KN_ERROR_ARGUMENT for positions and files of Q that the
// method does not use; KN_ERROR_OUTPUT for a file that already exists, and KN_ERROR_INPUT for one that cannot
// be read, is no such file, was modified, or was made for another scan.
KN_API kn_status kn_recon_solve_with(kn_queue *queue, const kn_recon_scan *scan,
                                     const kn_recon_solve_options *options, const kn_recon_extras *extras,
                                     kn_recon_solution **solution, kn_error *err);

// What KN_RECON_ADJOINT_AUTO chooses for a scan, also for a kernel that is named, which then decides where
// and in what precision: KN_RECON_KERNEL_NAIVE to _FAST_TRIG, and given positions, have only the direct sum.
// The reason, in words, is written to why[KN_RECON_WHY]. Errors: KN_ERROR_ARGUMENT for NULL and for what
// kn_recon_solve refuses of these.
enum { KN_RECON_WHY = 160 };
KN_API kn_status kn_recon_choose_adjoint(const kn_queue *queue, const kn_recon_scan *scan,
                                         const kn_recon_solve_options *options, const kn_recon_extras *extras,
                                         kn_recon_adjoint_method *method, char *why, kn_error *err);

// The work of the kernels of a stage. Operations and loads are estimates: 13 additions and multiplications
// per pair of voxel and sample, besides sine and cosine (10 if data and basis are real); every number that a
// kernel loads from global memory, where numbers that a cache or local memory holds count once for all
// work-items that run together.
typedef struct kn_recon_rate {
    double seconds; // of the kernels, by the device's clock; on the host, of the call
    double pairs;   // voxels times samples
    double flops, loads;
} kn_recon_rate;

// Seconds are those that a caller waited, without compiling; less than 0 for a stage that did not run.
typedef struct kn_recon_stage {
    double seconds;
    kn_recon_rate rate;
} kn_recon_stage;

typedef struct kn_recon_details {
    kn_recon_solve_memory memory; // as in kn_recon_solve_measure
    kn_recon_stage density, q, fhd, gridding, solver;
    kn_recon_stage forward; // of the adjoint check
    kn_recon_stage normal;  // F^H W F by both sums: a part of `solver`, all coils together
    double bound; // for least squares, in the scale asked for: the greatest eigenvalue of Q; NaN without Q
    const char *q_kernel; // the kernel that computed Q, also if it came from a file; NULL: there is no Q
    bool q_loaded;
    // |<F x, y> - <x, F^H y>| over the norms of F x and y, with y = F x of random x, at `checked` of the
    // samples; and the most that rounding explains. checked is 0 if nothing was checked.
    double check, check_bound;
    size_t checked;
    // Of KN_RECON_ADJOINT_NUFFT: the error of the first coil's F^H d against the exact sum, relative, in the
    // 2-norm, at so many voxels at random; what may be had of it. voxels 0: there was no NUFFT.
    double nufft_error, nufft_tolerance;
    size_t nufft_voxels;
} kn_recon_details;

// Owned by the solution; NULL for NULL.
KN_API const kn_recon_details *kn_recon_solution_get_details(const kn_recon_solution *solution);

// ---- in parts, which several devices compute ----

// Q comes of `*differences` differences of voxels, which are computed one by one; parts of them are best
// whole numbers of `*plane`. Errors: KN_ERROR_ARGUMENT for NULL and a matrix that cannot be.
KN_API kn_status kn_recon_measure_differences(const kn_recon_matrix *matrix, size_t *differences,
                                              size_t *plane, kn_error *err);
// Computes `count` of them from number `first` on into values[2 count], for kn_recon_extras.differences of
// any device: with the same scan but for its coils and data, options and extras as kn_recon_solve_with gets.
// Sums of a part may be rounded otherwise than those of all at once. `*stage` says what it took; NULL is
// fine. Errors: those of kn_recon_solve_with; KN_ERROR_ARGUMENT for differences that there are not, and where
// there is no Q on a device.
KN_API kn_status kn_recon_compute_differences(kn_queue *queue, const kn_recon_scan *scan,
                                              const kn_recon_solve_options *options,
                                              const kn_recon_extras *extras, size_t first, size_t count,
                                              float *values, kn_recon_stage *stage, kn_error *err);

// A solution as bytes, which another process of this library may read: `*size` of them, into `bytes` with
// `room` for so many, or, where that is NULL, none. kn_recon_solution_unpack makes a solution of them, which
// the caller frees. Errors: KN_ERROR_ARGUMENT for NULL, too little room, and what is none of them;
// KN_ERROR_MEMORY.
KN_API kn_status kn_recon_solution_pack(const kn_recon_solution *solution, void *bytes, size_t room,
                                        size_t *size, kn_error *err);
KN_API kn_status kn_recon_solution_unpack(const void *bytes, size_t size, kn_recon_solution **solution,
                                          kn_error *err);
// The solution of a scan from those of its coils, each of a scan of one coil: the root of the sum of squares,
// to the bits of kn_recon_solve, the details' seconds and rates added up, and to those of Q `q`, which may be
// NULL. The caller frees it. Errors: KN_ERROR_ARGUMENT for NULL, no coils, and coils that do not go together;
// KN_ERROR_MEMORY.
KN_API kn_status kn_recon_solution_join(const kn_recon_solution *const *coils, size_t count,
                                        const kn_recon_stage *q, kn_recon_solution **solution, kn_error *err);

// The terms, voxels times samples, of the normal operator: of KN_RECON_NORMAL_FORWARD over the maximum number
// of iterations, and of the Q that KN_RECON_NORMAL_TOEPLITZ uses instead.
typedef struct kn_recon_terms {
    double forward, q;
} kn_recon_terms;

// For least squares. All 0 for NULL.
KN_API kn_recon_terms kn_recon_solve_get_terms(const kn_recon_scan *scan,
                                               const kn_recon_solve_options *options);

// The difference between an image and a reference.
typedef struct kn_recon_quality {
    double error_percent; // 100 |factor x - r| / |r|
    double psnr_db;       // 20 log10(max |r| / rms(factor x - r))
    double snr_db;        // 20 log10(|r| / |factor x - r|)
    double factor[2];     // a complex number
} kn_recon_quality;

// Compares image[2 voxels] with reference[2 voxels]: with their phases, or, with `magnitude`, with the
// magnitudes of the reference; with `scaled`, after multiplication by the complex factor that fits best.
// Decibels are infinite if both are equal, and all are NaN if the reference is 0. Errors: KN_ERROR_ARGUMENT
// for NULL and no voxels; KN_ERROR_LIMIT for more than the address space holds; KN_ERROR_MEMORY.
KN_API kn_status kn_recon_compare(const double *image, const double *reference, size_t voxels, bool magnitude,
                                  bool scaled, kn_recon_quality *quality, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
