// SPDX-License-Identifier: Apache-2.0
// The contents of a kn_recon_solution (koine/recon.h), and what the files of the reconstruction share:
// recon_request.c (checks the arguments), recon.c (the pipeline), recon_host.c and recon_device.c (its stages
// on the host and on a device), recon_maps.c (estimates maps of coils), recon_memory.c, recon_check.c (the
// adjoint check), solution.c (properties of solutions), recon_parts.c (reconstruction in parts), and below
// them recon_stages.c.
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
    double complex *image; // of `voxels` numbers
    size_t voxels;
    kn_recon_kernel kernel;
    kn_recon_adjoint_method adjoint; // AUTO for gridding
    char why[KN_RECON_WHY];
    kn_recon_sense sense; // not AUTO
    const char *sense_why;
    bool is_double;
    double lambda;                   // for least squares
    struct mri_solver_result *coils; // for least squares, `coil_count`; otherwise NULL
    size_t coil_count;
    kn_recon_details details;
};

struct recon {
    kn_queue *queue; // may be NULL on the host, where only density compensation uses it
    bool on_host;
    // The caller's scan and options: the matrix has three axes here, and `kernel` is filled in.
    kn_recon_scan scan;
    kn_recon_solve_options options;
    kn_recon_extras extras;
    size_t voxels;
    size_t images;             // number of systems to solve: one, or one for each coil
    bool joint;                // one image for all coils, with their maps
    double complex *made_maps; // estimated from the scan; NULL: those of the options
    enum mri_kernel kernel;
    char why[KN_RECON_WHY]; // the reason for the adjoint's method
    const char *sense_why;  // the reason for the combination of coils
    struct mri_gridding_options gridding;
    struct mri_solver_options ls; // with lambda for the unscaled sum
    double nufft_tolerance;       // for a NUFFT
    struct mri_host_nufft *nufft; // for all coils; NULL: the adjoint does not use one
    struct mri_nufft *device_nufft;
    double *weights;        // density compensation times the scan's weights; NULL: 1
    double *normal_weights; // weights times |phi|^2; NULL: 1
    double factor;          // the scale of the image
    size_t coil;            // the current coil
    struct ki_ask ask;      // whether to go on: called by the stages on the host, and by the queue
    kn_recon_solution *result;
};

// Checks the arguments, without reading arrays: `recon` is empty otherwise. Errors: as kn_recon_solve.
kn_status ki_recon_request(const char *function, const kn_queue *queue, const kn_recon_scan *scan,
                           const kn_recon_solve_options *options, const kn_recon_extras *extras,
                           struct recon *recon, kn_error *err);

// Checks the scan's matrix, which has three axes afterwards, and the numbers of samples and coils.
kn_status ki_recon_check_scan(struct recon *recon, kn_error *err);
// Refuses invalid numbers in a scan or its maps. KN_ERROR_ARGUMENT.
kn_status ki_recon_check_scan_arrays(const struct recon *recon, kn_error *err);
// A solution without results; NULL if there is no memory.
kn_recon_solution *ki_recon_solution_make(const struct recon *recon);
// Makes recon->weights and normal_weights, which the caller frees.
kn_status ki_recon_make_weights(struct recon *recon, kn_error *err);

// The most memory that the reconstruction takes. Errors: KN_ERROR_ARGUMENT for a grid that is too large.
kn_status ki_recon_measure(const struct recon *recon, kn_recon_solve_memory *memory, kn_error *err);
// KN_ERROR_MEMORY if the host or the device has less.
kn_status ki_recon_check_memory(const struct recon *recon, const kn_recon_solve_memory *memory,
                                kn_error *err);

// Measures the seconds since `began` without compilation: kn_context_get_build_seconds was `built` then.
struct recon_clock {
    double began, built;
};
struct recon_clock ki_recon_start(const struct recon *recon);
void ki_recon_stop(const struct recon *recon, const struct recon_clock *clock, kn_recon_stage *stage);

// Fills in the stage of F^H W F by both sums.
void ki_recon_set_normal(struct recon *recon, const kn_recon_rate *rate);

// A coil's samples and its start, and the map of the first coil; NULL: all 1, 0, and no maps.
const double complex *ki_recon_data(const struct recon *recon, size_t coil);
const double complex *ki_recon_maps(const struct recon *recon);
const double complex *ki_recon_start_of(const struct recon *recon, size_t coil);
// The sum for a coil's adjoint.
struct mri_sum ki_recon_sum(struct recon *recon, size_t coil);

// Adds one more coil's rate to that of a stage.
void ki_recon_add_rate(kn_recon_stage *stage, const kn_recon_rate *rate);

// Reconstruct all coils, each into its own part of `images` (voxels each), or into one; and the memory for
// that in addition to the scan, weights and images. On a device, direct sums process voxels and samples in
// pieces, and gridding processes samples in pieces, so that these may exceed its memory. `size`: for least
// squares with a convolution.
kn_status ki_recon_on_host(struct recon *recon, double complex *images, kn_error *err);
struct mri_bytes ki_recon_on_host_memory(const struct recon *recon, const struct mri_toeplitz_size *size);
kn_status ki_recon_on_device(struct recon *recon, double complex *images, kn_error *err);
struct mri_bytes ki_recon_on_device_memory(const struct recon *recon, const struct mri_toeplitz_size *size);
// Reports the part that is done, and the part after the stage that begins. KN_ERROR_INTERRUPTED if it must
// stop.
kn_status ki_recon_step(struct recon *recon, double done, double then, kn_error *err);

// The samples that gridding processes at a time.
size_t ki_recon_chunk(const struct recon *recon);

kn_status ki_recon_check(struct recon *recon, kn_error *err);
// Compares a NUFFT's image of a sum with the exact sum at some voxels.
kn_status ki_recon_check_nufft(struct recon *recon, const struct mri_sum *given, const double complex *image,
                               kn_error *err);
struct mri_bytes ki_recon_check_memory_of(const struct recon *recon);

// The memory that copies take, which the queue keeps; and copies between float2 on the device and complex
// double on the host.
struct mri_bytes ki_recon_copy_memory(void);
kn_status ki_recon_download(kn_queue *queue, kn_buffer *buffer, size_t count, double complex *values,
                            kn_error *err);
kn_status ki_recon_upload(kn_queue *queue, const double complex *values, size_t count, kn_buffer *buffer,
                          kn_error *err);

#endif
