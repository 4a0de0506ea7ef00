// SPDX-License-Identifier: Apache-2.0
// What can be told of a trajectory (koine/recon.h) that comes from elsewhere, before samples are computed
// with it: how far it goes, whether it belongs to a matrix, and which unit it is likely to be in; and
// reconstructions that tell which stages ran and how long they took, keep F^H W F in files, work in parts of
// a given size, and are compared with other images. koine recon, koine phantom and koine trajectory are made
// of it. Not promised (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_RECON_H
#define KOINE_EXPERIMENTAL_RECON_H

#include <koine/recon.h>

#ifdef __cplusplus
extern "C" {
#endif

// How far a trajectory goes, in its own unit.
typedef struct kn_recon_range {
    double low[3], high[3]; // of kx, ky and kz; 0 where there is no sample
    size_t centre;          // samples at k = 0
} kn_recon_range;

// Of k[3 samples], finite numbers. All 0 for NULL and for no samples. Cost: reads k once.
KN_API kn_recon_range kn_recon_trajectory_get_range(const double *k, size_t samples);

// The unit in which a trajectory of such a range would be usual, where cycles per field of view are not:
// KN_RECON_UNIT_NORMALIZED if all of it is within 1/2 and KN_RECON_UNIT_RADIANS if it is within pi, of a
// matrix with an axis of 8 voxels or more; KN_RECON_UNIT_FOV if nothing is odd, and for NULL.
KN_API kn_recon_unit kn_recon_trajectory_guess_unit(const kn_recon_matrix *matrix,
                                                    const kn_recon_range *range);

// The least matrix of even sizes whose band holds a trajectory of such a range in cycles per field of view.
// False, with nothing written, for one that does not go beyond pi, since it may be in another unit, for one
// beyond 2^20, and for NULL.
KN_API bool kn_recon_trajectory_guess_matrix(const kn_recon_range *range, kn_recon_matrix *matrix);

// Whether k[3 samples] can be a trajectory of this matrix in cycles per field of view. `name` is what
// messages call it, such as the name of its file, or NULL. No samples are fine. Cost: reads k once. Errors:
// KN_ERROR_ARGUMENT for NULL; KN_ERROR_INPUT, with the name, the sample and the likely cause, for a k that is
// not finite, that is more than a cycle outside of the band N/2, or with two axes a kz that is not 0.
KN_API kn_status kn_recon_trajectory_check(const char *name, const kn_recon_matrix *matrix, const double *k,
                                           size_t samples, kn_error *err);

// ---- reconstructions ----

// What else may be asked of kn_recon_solve.
typedef struct kn_recon_extras {
    size_t struct_size; // KN_INIT sets it
    // Where the voxels are, [3 voxels] in fields of view, instead of the matrix's own places. Not with
    // gridding, and with least squares by both sums or Q neither: of the adjoint.
    const double *positions;
    bool beyond; // k need not be within the matrix's band
    // Files of Q, the eigenvalues of F^H W F as a convolution on a device, which least squares saves or
    // loads; NULL: none. One that is loaded must be of the same matrix, trajectory and weights.
    const char *save_q, *load_q;
    bool force;   // save_q may be there
    size_t slab;  // voxels of the adjoint at a time; 0: what fits the device
    size_t chunk; // samples of gridding at a time; 0: what fits the device
} kn_recon_extras;

// kn_recon_solve with these; NULL: none. Errors also: KN_ERROR_ARGUMENT for positions and files of Q where
// there is no use for them; KN_ERROR_OUTPUT for a file that is there, and KN_ERROR_INPUT for one that cannot
// be read, is something else, was changed, or was made for another scan.
KN_API kn_status kn_recon_solve_with(kn_queue *queue, const kn_recon_scan *scan,
                                     const kn_recon_solve_options *options, const kn_recon_extras *extras,
                                     kn_recon_solution **solution, kn_error *err);

// What KN_RECON_ADJOINT_AUTO takes for a scan, of a kernel that is named as well, which then says where and
// in what precision: the lecture's kernels have the direct sum alone, and so have positions of their own.
// Why, in words, goes to why[KN_RECON_WHY]. Errors: KN_ERROR_ARGUMENT for NULL and for what kn_recon_solve
// refuses of these.
enum { KN_RECON_WHY = 160 };
KN_API kn_status kn_recon_choose_adjoint(const kn_queue *queue, const kn_recon_scan *scan,
                                         const kn_recon_solve_options *options, const kn_recon_extras *extras,
                                         kn_recon_adjoint_method *method, char *why, kn_error *err);

// What the kernels of a stage did. Operations and loads are estimates: 13 additions and multiplications a
// pair of voxel and sample, besides sine and cosine (10 where data and basis are real); every number that a
// kernel asks global memory for, and those that a cache or local memory keeps once for all work-items that
// are there together.
typedef struct kn_recon_rate {
    double seconds; // of the kernels, by the device's clock; on the host of the call
    double pairs;   // voxels times samples
    double flops, loads;
} kn_recon_rate;

// Seconds are those a caller waited for, compiling left out; less than 0 of a stage that did not run.
typedef struct kn_recon_stage {
    double seconds;
    kn_recon_rate rate;
} kn_recon_stage;

typedef struct kn_recon_details {
    kn_recon_solve_memory memory; // as kn_recon_solve_measure has it
    kn_recon_stage density, q, fhd, gridding, solver;
    kn_recon_stage forward; // of the check of adjointness
    kn_recon_stage normal;  // F^H W F by both sums: a part of `solver`, all coils together
    double bound; // of least squares, in the scale asked for: the greatest eigenvalue of Q; NaN without
    const char *q_kernel; // which kernel computed Q, also of a file; NULL: there is no Q
    bool q_loaded;
    // |<F x, y> - <x, F^H y>| over the norms of F x and y, with y = F x of random x, at `checked` of the
    // samples; and what rounding may make of it. checked 0: nothing was checked.
    double check, check_bound;
    size_t checked;
    // Of KN_RECON_ADJOINT_NUFFT: the error of the first coil's F^H d against the exact sum, relative, in the
    // 2-norm, at so many voxels at random; what may be had of it. voxels 0: there was no NUFFT.
    double nufft_error, nufft_tolerance;
    size_t nufft_voxels;
} kn_recon_details;

// The solution's own; NULL for NULL.
KN_API const kn_recon_details *kn_recon_solution_get_details(const kn_recon_solution *solution);

// The terms, voxels times samples, of the normal operator: of KN_RECON_NORMAL_FORWARD in all iterations that
// there may be, and of the Q that KN_RECON_NORMAL_TOEPLITZ takes instead.
typedef struct kn_recon_terms {
    double forward, q;
} kn_recon_terms;

// Of least squares. All 0 for NULL.
KN_API kn_recon_terms kn_recon_solve_get_terms(const kn_recon_scan *scan,
                                               const kn_recon_solve_options *options);

// How far an image is from a reference.
typedef struct kn_recon_quality {
    double error_percent; // 100 |factor x - r| / |r|
    double psnr_db;       // 20 log10(max |r| / rms(factor x - r))
    double snr_db;        // 20 log10(|r| / |factor x - r|)
    double factor[2];     // a complex number
} kn_recon_quality;

// Compares image[2 voxels] with reference[2 voxels], with their phases, or where `magnitude` is set with the
// reference's magnitudes; where `scaled` is set after the complex factor that brings it nearest. Decibels are
// infinite where both are equal, and all are NaN where the reference is 0. Errors: KN_ERROR_ARGUMENT for NULL
// and no voxels; KN_ERROR_LIMIT for more than memory has addresses for; KN_ERROR_MEMORY.
KN_API kn_status kn_recon_compare(const double *image, const double *reference, size_t voxels, bool magnitude,
                                  bool scaled, kn_recon_quality *quality, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
