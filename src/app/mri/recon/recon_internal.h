// SPDX-License-Identifier: Apache-2.0
// What a kn_recon_solution (koine/recon.h) is, and what the files of the reconstruction share:
// recon_request.c (what is asked for, checked), recon.c (the pipeline), recon_host.c and recon_device.c (its
// stages in either place), recon_maps.c (maps of coils for themselves), recon_memory.c, recon_check.c (the
// adjoint check), solution.c (what is told), recon_parts.c (in parts), and below them
// recon_stages.c.
#ifndef KN_APP_MRI_RECON_RECON_INTERNAL_H
#define KN_APP_MRI_RECON_RECON_INTERNAL_H

#include <koine/experimental.h>

#include "app/mri/gridding/gridding.h"
#include "app/mri/mri.h"
#include "app/mri/sense/calibration.h"
#include "app/mri/sense/sense.h"
#include "app/mri/solver/solver.h"
#include "app/mri/sum/sum.h"
#include "base/ask.h"

struct kn_recon_solution {
    double complex *image; // of `voxels`
    size_t voxels;
    kn_recon_kernel kernel;
    kn_recon_adjoint_method adjoint; // AUTO of gridding
    char why[KN_RECON_WHY];
    kn_recon_sense sense; // not AUTO
    const char *sense_why;
    bool is_double;
    double lambda;                   // of least squares
    struct mri_solver_result *coils; // of least squares, `coil_count`; else NULL
    size_t coil_count;
    kn_recon_details details;
};

struct recon {
    kn_queue *queue; // may be NULL on the host, where only density compensation takes it
    bool on_host;
    // What was asked for: its matrix has three axes, and its kernel is `kernel`.
    kn_recon_scan scan;
    kn_recon_solve_options options;
    kn_recon_extras extras;
    size_t voxels;
    size_t images;             // that are solved for: one, or one for each coil
    bool joint;                // the one of all coils, by their maps
    double complex *made_maps; // of the scan; NULL: the options'
    enum mri_kernel kernel;
    char why[KN_RECON_WHY]; // this method of the adjoint
    const char *sense_why;  // and this combination of coils
    struct mri_gridding_options gridding;
    struct mri_solver_options ls; // with lambda in the unscaled sum's terms
    double nufft_tolerance;       // of a NUFFT
    struct mri_host_nufft *nufft; // of all coils; NULL: the adjoint is by none
    struct mri_nufft *device_nufft;
    double *weights;        // density x the scan's; NULL: 1
    double *normal_weights; // these x |phi|^2; NULL: 1
    double factor;          // what an image is multiplied by
    size_t coil;            // that is being solved for
    struct ki_ask ask;      // whether to go on: by the stages of the host, and by the queue
    kn_recon_solution *result;
};

// What is asked for, without looking at arrays: `recon` is empty but for that. Errors: as kn_recon_solve.
kn_status ki_recon_request(const char *function, const kn_queue *queue, const kn_recon_scan *scan,
                           const kn_recon_solve_options *options, const kn_recon_extras *extras,
                           struct recon *recon, kn_error *err);

// The scan's matrix, with three axes then, and numbers of samples and coils.
kn_status ki_recon_check_scan(struct recon *recon, kn_error *err);
// Numbers that cannot be in a scan or its maps. KN_ERROR_ARGUMENT.
kn_status ki_recon_check_scan_arrays(const struct recon *recon, kn_error *err);
// One of which nothing is computed yet; NULL if there is no memory.
kn_recon_solution *ki_recon_solution_make(const struct recon *recon);
// recon->weights and normal_weights, which the caller frees.
kn_status ki_recon_make_weights(struct recon *recon, kn_error *err);

// What it takes at most. Errors: KN_ERROR_ARGUMENT for a grid that cannot be.
kn_status ki_recon_measure(const struct recon *recon, kn_recon_solve_memory *memory, kn_error *err);
// KN_ERROR_MEMORY where the host or the device has less.
kn_status ki_recon_check_memory(const struct recon *recon, const kn_recon_solve_memory *memory,
                                kn_error *err);

// The seconds since `began` that were not spent on compiling: kn_context_get_build_seconds was `built` then.
struct recon_clock {
    double began, built;
};
struct recon_clock ki_recon_start(const struct recon *recon);
void ki_recon_stop(const struct recon *recon, const struct recon_clock *clock, kn_recon_stage *stage);

// The stage of F^H W F by both sums.
void ki_recon_set_normal(struct recon *recon, const kn_recon_rate *rate);

// A coil's samples and its start, and the first one's map; NULL: 1 throughout, 0, and none.
const double complex *ki_recon_data(const struct recon *recon, size_t coil);
const double complex *ki_recon_maps(const struct recon *recon);
const double complex *ki_recon_start_of(const struct recon *recon, size_t coil);
// A coil's adjoint as the sum wants it.
struct mri_sum ki_recon_sum(struct recon *recon, size_t coil);

// A stage's rate grows by that of one more coil.
void ki_recon_add_rate(kn_recon_stage *stage, const kn_recon_rate *rate);

// All coils, each into `images` (voxels each), or into one; and what that takes beside the scan, weights and
// images. On a device direct sums go through voxels and samples in pieces, gridding through samples: of these
// there may be more than it holds. `size`: of least squares by a convolution.
kn_status ki_recon_on_host(struct recon *recon, double complex *images, kn_error *err);
struct mri_bytes ki_recon_on_host_memory(const struct recon *recon, const struct mri_toeplitz_size *size);
kn_status ki_recon_on_device(struct recon *recon, double complex *images, kn_error *err);
struct mri_bytes ki_recon_on_device_memory(const struct recon *recon, const struct mri_toeplitz_size *size);
// How much of all is done, and will be after the stage that begins. KN_ERROR_INTERRUPTED if it is to stop.
kn_status ki_recon_step(struct recon *recon, double done, double then, kn_error *err);

// The samples that gridding takes at a time.
size_t ki_recon_chunk(const struct recon *recon);

kn_status ki_recon_check(struct recon *recon, kn_error *err);
// The image that a NUFFT made of a sum, against the exact sum at some voxels.
kn_status ki_recon_check_nufft(struct recon *recon, const struct mri_sum *given, const double complex *image,
                               kn_error *err);
struct mri_bytes ki_recon_check_memory_of(const struct recon *recon);

// float2 on the device, complex double on the host; and what both take, which the queue keeps.
struct mri_bytes ki_recon_copy_memory(void);
kn_status ki_recon_download(kn_queue *queue, kn_buffer *buffer, size_t count, double complex *values,
                            kn_error *err);
kn_status ki_recon_upload(kn_queue *queue, const double complex *values, size_t count, kn_buffer *buffer,
                          kn_error *err);

#endif
