// SPDX-License-Identifier: Apache-2.0
// Coils with known sensitivities (Pruessmann et al., SENSE, MRM 42, 1999): coil c sees S_c x of an image x.
// One image for all coils is then the solution of
//
//     (sum_c S_c^H F^H W F S_c + lambda R) x = sum_c S_c^H F^H W d_c ,
//
// with the same F^H W F for every coil. kn_recon_sense_create (koine/recon.h) makes operators of this form.
#ifndef KN_APP_MRI_SENSE_SENSE_H
#define KN_APP_MRI_SENSE_SENSE_H

#include <koine/operator.h>

#include "app/mri/mri.h"

// ---- on the host ----

// Checks maps of `coils` x `voxels` numbers, one coil after another. KN_ERROR_ARGUMENT, with the coil and
// voxel, for a number that is not finite, and if all are 0.
kn_status ki_mri_maps_check(const double complex *maps, size_t coils, size_t voxels, kn_error *err);
// The greatest sum over coils of |S_c|^2 at a voxel: the operator above is at most F^H W F times that.
double ki_mri_maps_bound(const double complex *maps, size_t coils, size_t voxels);

// seen = S x, with one coil's map; and sum += S^H y.
void ki_mri_map_multiply(const double complex *map, const double complex *x, size_t voxels,
                         double complex *seen);
void ki_mri_map_add(const double complex *map, const double complex *y, size_t voxels, double complex *sum);

// ---- on a device ----

// The maps on a device, as pairs of floats, with one buffer per coil. Memory: 8 bytes per voxel and coil.
struct mri_maps;
// KN_ERROR_MEMORY; those of the engine.
kn_status ki_mri_maps_create(kn_queue *queue, const double complex *maps, size_t coils, size_t voxels,
                             struct mri_maps **made, kn_error *err);
// NULL is fine.
void ki_mri_maps_free(struct mri_maps *maps);

// As above, for buffers of `voxels` pairs, with one launch each, asynchronously. `begins`: sum = S^H y.
kn_status ki_mri_maps_multiply(kn_queue *queue, const struct mri_maps *maps, size_t coil, const kn_buffer *x,
                               kn_buffer *seen, kn_error *err);
kn_status ki_mri_maps_add(kn_queue *queue, const struct mri_maps *maps, size_t coil, const kn_buffer *y,
                          bool begins, kn_buffer *sum, kn_error *err);

// ---- operators ----

// The operator sum_c S_c^H A S_c for an operator A of an image; with `stacked`, A S_c for every coil, one
// below the other. `a` is held. Maps must be in host memory if A is, otherwise on the device. They must exist
// as long as the operator, or, with `owns`, are freed with it (but not if its creation fails). Memory: an
// image and a result of A. Errors: those of kn_operator_create; KN_ERROR_MEMORY.
struct mri_sense {
    kn_operator *a;
    bool stacked, owns;
    size_t coils;
    double complex *maps;
    struct mri_maps *there;
};
kn_status ki_mri_sense_begin(const struct mri_sense *sense, kn_operator **made, kn_error *err);

#endif
