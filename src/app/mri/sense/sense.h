// SPDX-License-Identifier: Apache-2.0
// Coils with known sensitivities (Pruessmann et al., SENSE, MRM 42, 1999): coil c sees S_c x of an image x.
// One image of all coils is then the solution of
//
//     (sum_c S_c^H F^H W F S_c + lambda R) x = sum_c S_c^H F^H W d_c ,
//
// with the same F^H W F for every coil. kn_recon_sense_create (koine/recon.h) makes operators of it.
#ifndef KN_APP_MRI_SENSE_SENSE_H
#define KN_APP_MRI_SENSE_SENSE_H

#include <koine/operator.h>

#include "app/mri/mri.h"

// ---- on the host ----

// Maps of `coils` x `voxels` numbers, a coil's together. KN_ERROR_ARGUMENT, with which, for one that is not
// finite, and where all are 0.
kn_status ki_mri_maps_check(const double complex *maps, size_t coils, size_t voxels, kn_error *err);
// The greatest sum over coils of |S_c|^2 at a voxel: the operator above is at most that times F^H W F.
double ki_mri_maps_bound(const double complex *maps, size_t coils, size_t voxels);

// seen = S x, with one coil's map; and sum += S^H y.
void ki_mri_map_multiply(const double complex *map, const double complex *x, size_t voxels,
                         double complex *seen);
void ki_mri_map_add(const double complex *map, const double complex *y, size_t voxels, double complex *sum);

// ---- on a device ----

// The maps there, as pairs of floats, a buffer a coil. Memory: 8 bytes a voxel and coil.
struct mri_maps;
// KN_ERROR_MEMORY; those of the engine.
kn_status ki_mri_maps_create(kn_queue *queue, const double complex *maps, size_t coils, size_t voxels,
                             struct mri_maps **made, kn_error *err);
// NULL is fine.
void ki_mri_maps_free(struct mri_maps *maps);

// As above, for buffers of `voxels` pairs, by one launch each, asynchronously. `begins`: sum = S^H y.
kn_status ki_mri_maps_multiply(kn_queue *queue, const struct mri_maps *maps, size_t coil, const kn_buffer *x,
                               kn_buffer *seen, kn_error *err);
kn_status ki_mri_maps_add(kn_queue *queue, const struct mri_maps *maps, size_t coil, const kn_buffer *y,
                          bool begins, kn_buffer *sum, kn_error *err);

// ---- operators ----

// sum_c S_c^H A S_c of an operator A of an image, in A's place; with `stacked` A S_c for every coil, one
// below the other. `a` is held. Maps are of the host's memory where A is, else the device's; they must stay,
// or, with `owns`, are freed with the operator, which a failure does not make. Memory: that of an image and
// of A's result. Errors: those of kn_operator_create; KN_ERROR_MEMORY.
struct mri_sense {
    kn_operator *a;
    bool stacked, owns;
    size_t coils;
    double complex *maps;
    struct mri_maps *there;
};
kn_status ki_mri_sense_begin(const struct mri_sense *sense, kn_operator **made, kn_error *err);

#endif
