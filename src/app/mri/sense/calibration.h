// SPDX-License-Identifier: Apache-2.0
// What maps of sensitivities are estimated from: the centre of k-space, where samples are dense, as an image
// of few voxels for each coil.
#ifndef KN_APP_MRI_SENSE_CALIBRATION_H
#define KN_APP_MRI_SENSE_CALIBRATION_H

#include "app/mri/memory.h"
#include "app/mri/mri.h"
#include "base/ask.h"

struct mri_calibration {
    kn_recon_matrix
        matrix; // of the same field of view, with as many voxels along each axis as the centre has cycles
    size_t voxels, coils;
    double complex *images; // of every coil, a coil's together
};

// R of the largest cube of 2 R cycles about k = 0, at most `widest` (an even number) and the matrix's own
// axes, that is dense: of the cells of a cycle of each of its shells 9 of 10 have a sample. 0: there is none.
// KN_ERROR_MEMORY.
kn_status ki_mri_calibration_radius(const kn_recon_scan *scan, size_t widest, size_t *radius, kn_error *err);
// That cube, and the images of every coil there, by least squares from the samples within. The scan has data.
// Cost: small beside the reconstruction's; on the host. Errors: KN_ERROR_ARGUMENT where there is no such
// cube; KN_ERROR_MEMORY; KN_ERROR_INTERRUPTED.
kn_status ki_mri_calibrate(const kn_recon_scan *scan, size_t widest, struct ki_ask *ask,
                           struct mri_calibration *made, kn_error *err);
void ki_mri_calibration_free(struct mri_calibration *calibration);

// to[] = the tensor product of the matrices[axis] (rows x columns, a row's together; NULL for 1) with from[],
// whose axes have columns[] elements, x fastest; those of `to` have rows[]. KN_ERROR_MEMORY.
kn_status ki_mri_along_axes(double complex *const matrices[MRI_AXES], const size_t rows[MRI_AXES],
                            const size_t columns[MRI_AXES], const double complex *from, double complex *to,
                            kn_error *err);

// Maps of the coils, of the scan's matrix: their images at low resolution, divided by the root of the sum of
// their squares, and 0 where all of them are. The images are the calibration's, of up to MRI_CALIBRATION
// cycles along an axis, with Hann's window. Errors: those of ki_mri_calibrate; KN_ERROR_ARGUMENT where all
// images are 0.
enum { MRI_CALIBRATION = 24 };
kn_status ki_mri_maps_lowres(const kn_recon_scan *scan, struct ki_ask *ask, double complex *maps,
                             kn_error *err);
// What it takes at most beside the maps.
struct mri_bytes ki_mri_maps_lowres_memory(const kn_recon_scan *scan);

// The same by ESPIRiT (Uecker et al., MRM 71, 2014), with the settings that BART has: from a calibration
// region of 24 cycles, and its patches of 6 cycles an axis of all coils, whose span is that of eigenvectors
// of their Gram matrix with eigenvalues above 0.001 of the greatest. Every patch of k-space is in it, so that
// at each voxel the coils' values are an eigenvector, of the eigenvalue 1, of a matrix of coils x coils. Maps
// are that vector, of length 1, with the phase at which the coils' principal component is real, and 0 where
// the eigenvalue is below 0.8. Cost: n^3 for n = 6^axes coils, and 30 coils^2 a voxel; on the host.
// Errors: as above, also KN_ERROR_ARGUMENT for a calibration region of fewer than 8 cycles along an axis of
// more than one voxel.
enum { MRI_ESPIRIT_KERNEL = 6, MRI_ESPIRIT_LEAST = 8 };
kn_status ki_mri_maps_espirit(const kn_recon_scan *scan, struct ki_ask *ask, double complex *maps,
                              kn_error *err);
struct mri_bytes ki_mri_maps_espirit_memory(const kn_recon_scan *scan);

// The maps that KN_RECON_SENSE_LOWRES or _ESPIRIT asks for.
kn_status ki_mri_maps_make(const kn_recon_scan *scan, kn_recon_sense sense, struct ki_ask *ask,
                           double complex *maps, kn_error *err);

// What KN_RECON_SENSE_AUTO is for a scan by a method, and why, in words that stay. Where k is NULL, as for a
// scan that is dense. KN_ERROR_MEMORY.
kn_status ki_mri_sense_choose(const kn_recon_scan *scan, kn_recon_method method, kn_recon_sense *sense,
                              const char **why, kn_error *err);

#endif
