// SPDX-License-Identifier: Apache-2.0
// From a scan to its image: by least squares with the Toeplitz operator, by the adjoint alone, or by
// gridding; on a device, or with the kernels host-double and host-single on the host and without one. Coils
// are reconstructed one by one and combined by the root of the sum of their squares.
#ifndef KN_APP_MRI_RECON_RECON_H
#define KN_APP_MRI_RECON_RECON_H

#include "app/mri/density.h"
#include "app/mri/gridding/gridding.h"
#include "app/mri/reference.h"
#include "app/mri/scan.h"
#include "app/mri/solver/solver.h"
#include "app/mri/sum/sum.h"

enum mri_recon_solver { MRI_LS, MRI_ADJOINT, MRI_GRIDDING, MRI_RECON_SOLVERS };
extern const char
    *const ki_mri_recon_solver_names[MRI_RECON_SOLVERS + 1]; // "ls", "adjoint", "gridding", NULL

// What an image is multiplied by before it is compared. The adjoint sum grows
// with the number of samples, and gridding has the scale of its weights; least squares have that of the true
// image.
enum mri_reference_scale {
    MRI_REFERENCE_AUTO, // best for the adjoint and gridding, none for least squares
    MRI_REFERENCE_BEST, // the complex factor that brings it nearest to the reference
    MRI_REFERENCE_NONE
};
extern const char *const ki_mri_reference_scale_names[]; // "auto", "best", "none", NULL

struct mri_recon_options {
    enum mri_recon_solver solver;
    enum mri_kernel kernel; // of ls and adjoint; the host's do everything on the host, ls then with a solver
                            // in double
    kn_recon_normal_method normal; // of ls: F^H W F as a convolution with Q, or by both sums each time
    enum mri_scale scale;
    kn_recon_density density;
    const double *weights;       // density compensation of one's own, a number a sample; NULL: `density`
    const double complex *basis; // the transform of the voxel's basis at each sample; NULL: 1
    struct mri_solver_options ls;
    const double complex *start; // of ls: coils x voxels; NULL: 0
    struct mri_gridding_options gridding;
    const char *save_q, *load_q; // files of Q (toeplitz.h); NULL: none
    bool force;                  // save_q may be there
    size_t slab;                 // voxels of the adjoint at a time; 0: what fits the device
    size_t chunk;                // samples of gridding at a time; 0: what fits the device

    // How much is done, from 0 to 1, from time to time; NULL: nobody asks.
    void (*progress)(void *context, double done);
    void *context;
};

// What a stage took. `rate` is the kernels' own; seconds, less than 0 if it did not run, are those a caller
// waited for, compiling left out.
struct mri_stage {
    double seconds;
    struct mri_sum_rate rate;
};

struct mri_recon_memory {
    size_t host, device;         // bytes at most at a time, an estimate
    size_t host_has, device_has; // 0: no device takes part
};

struct mri_recon_result {
    double complex *image; // of the scan's voxels; of several coils combined, and without imaginary part
    bool is_double;        // computed in double precision
    struct mri_recon_memory memory;
    struct mri_stage density, q, fhd, gridding, solver, forward; // forward: of the adjoint check
    struct mri_stage normal;         // F^H W F by both sums: a part of `solver`, all coils together
    struct mri_solver_result *coils; // ls: what the solver says, for each coil; else NULL
    size_t coil_count;
    double lambda, bound; // ls: lambda in absolute terms, in the scale asked for; and max |C|, not-a-number
                          // without Q
    const char *q_kernel; // ls: which one computed Q, also of a file; NULL: there is no Q
    bool q_loaded;
    // The adjoint check: | <Fx, y> - <x, F^H y> | over the norms of Fx and y, with y = F x of random x, at
    // `checked` of the samples. `check_bound` is what rounding may make of it; checked 0: it was not made.
    double check, check_bound;
    size_t checked;
};

// What it takes at most, before it is taken. Direct sums go through voxels and samples in pieces, gridding
// through samples: of these there may be more than the device holds. KN_ERROR_MEMORY, with what would fit,
// where the host or the device has less; KN_ERROR_ARGUMENT for a matrix that cannot be. queue is NULL for the
// host.
kn_status ki_mri_recon_measure(kn_queue *queue, const struct mri_scan *scan,
                               const struct mri_recon_options *options, struct mri_recon_memory *memory,
                               kn_error *err);

// Whether options and scan go together; without reading anything.
kn_status ki_mri_recon_try(const kn_queue *queue, const struct mri_scan *scan,
                           const struct mri_recon_options *options, kn_error *err);

// The terms, voxels times samples, that the normal operator takes: of least squares by
// KN_RECON_NORMAL_FORWARD in all iterations that there may be, and those of the Q that
// KN_RECON_NORMAL_TOEPLITZ takes instead.
struct mri_recon_terms {
    double forward, q;
};
struct mri_recon_terms ki_mri_recon_terms(const struct mri_scan *scan,
                                          const struct mri_recon_options *options);

// Reconstructs. Free the result with ki_mri_recon_free, also after a failure. Errors: those of the two above;
// KN_ERROR_UNSUPPORTED for what needs a device where there is none; those of the parts.
kn_status ki_mri_recon(kn_queue *queue, const struct mri_scan *scan, const struct mri_recon_options *options,
                       struct mri_recon_result *result, kn_error *err);
void ki_mri_recon_free(struct mri_recon_result *result);

// The seconds of all stages together, the adjoint check left out.
double ki_mri_recon_seconds(const struct mri_recon_result *result);
// Thousands of millions of operations a second of what a caller waited for; 0 of a stage that did not run.
double ki_mri_stage_gflops(const struct mri_stage *stage);

// An image to compare with, of as many voxels.
struct mri_recon_reference {
    const double complex *image;
    enum mri_reference_scale scale;
};

// How far the image of `solver` is from a reference; where coils are combined, from its magnitude.
// KN_ERROR_MEMORY.
kn_status ki_mri_recon_quality(const struct mri_scan *scan, enum mri_recon_solver solver,
                               const struct mri_recon_result *result,
                               const struct mri_recon_reference *reference, struct mri_quality *quality,
                               kn_error *err);
// Whether it is compared after the best factor.
bool ki_mri_recon_is_scaled(enum mri_recon_solver solver, enum mri_reference_scale scale);

// ---- every variant (variants.c) ----

enum { MRI_VARIANTS = MRI_KERNELS + 1 };

struct mri_variant {
    const char *name; // one of ki_mri_kernel_names, or "gridding"
    struct mri_recon_options options;
    struct mri_recon_result result;
    struct mri_quality quality;
    double seconds, ratio; // ki_mri_recon_seconds; how often that goes into host-double's
};

struct mri_variants {
    struct mri_variant items[MRI_VARIANTS]; // host-double first
    size_t count;
};

// The reconstruction by every kernel, and by gridding, whose weights are Pipe and Menon's if `options` asks
// for least squares without weights; on the host (queue NULL) by its own two alone. Quality is against
// `reference`, or without one (NULL) against host-double's image as it is. Free with ki_mri_variants_free,
// also after a failure. Errors: those of ki_mri_recon; KN_ERROR_ARGUMENT with a file of Q.
kn_status ki_mri_variants_run(kn_queue *queue, const struct mri_scan *scan,
                              const struct mri_recon_options *options,
                              const struct mri_recon_reference *reference, struct mri_variants *variants,
                              kn_error *err);
void ki_mri_variants_free(struct mri_variants *variants);
// The one of this kernel; NULL if it did not run.
struct mri_variant *ki_mri_variant_of(struct mri_variants *variants, enum mri_kernel kernel);

bool ki_mri_kernel_is_host(enum mri_kernel kernel);

#endif
