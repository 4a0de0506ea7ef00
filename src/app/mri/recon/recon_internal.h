// SPDX-License-Identifier: Apache-2.0
// What the files of the reconstruction share: recon.c (the pipeline), recon_host.c and recon_device.c (its
// stages in either place), recon_memory.c, recon_check.c (the adjoint check), and below them recon_stages.c.
#ifndef KN_APP_MRI_RECON_RECON_INTERNAL_H
#define KN_APP_MRI_RECON_RECON_INTERNAL_H

#include "recon.h"

#include <koine/experimental.h>

struct recon {
    kn_queue *queue; // may be NULL on the host, where only density compensation takes it
    bool on_host;
    const struct mri_scan *scan;
    const struct mri_recon_options *options;
    struct mri_solver_options ls; // with lambda in the unscaled sum's terms
    double *weights;              // density x the scan's; NULL: 1
    double *normal_weights;       // these x |phi|^2; NULL: 1
    double factor;                // what an image is multiplied by
    size_t coil;                  // that is being solved for
    struct mri_recon_result *result;
};

// The seconds since `began` that were not spent on compiling: kn_context_get_build_seconds was `built` then.
struct recon_clock {
    double began, built;
};
struct recon_clock ki_recon_start(const struct recon *recon);
void ki_recon_stop(const struct recon *recon, const struct recon_clock *clock, struct mri_stage *stage);

// The stage of F^H W F by both sums.
void ki_recon_set_normal(struct recon *recon, const struct mri_sum_rate *rate);

// A coil's adjoint as the sum wants it; `data` NULL: 1 throughout.
struct mri_sum ki_recon_sum(const struct recon *recon, size_t coil);

// A stage's rate grows by that of one more coil.
void ki_recon_add_rate(struct mri_stage *stage, const struct mri_sum_rate *rate);

// All coils, each into `images` (voxels each).
kn_status ki_recon_on_host(struct recon *recon, double complex *images, kn_error *err);
kn_status ki_recon_on_device(struct recon *recon, double complex *images, kn_error *err);
void ki_recon_step(struct recon *recon, double done);

// The voxels of a slab of the device's adjoint.
size_t ki_recon_slab(const struct recon *recon);
// The samples that gridding takes at a time.
size_t ki_recon_chunk(const struct recon *recon);

kn_status ki_recon_check(struct recon *recon, kn_error *err);

// float2 on the device, complex double on the host.
kn_status ki_recon_download(kn_queue *queue, kn_buffer *buffer, size_t count, double complex *values,
                            kn_error *err);
kn_status ki_recon_upload(kn_queue *queue, const double complex *values, size_t count, kn_buffer *buffer,
                          kn_error *err);

#endif
