// SPDX-License-Identifier: Apache-2.0
// The data from which maps of sensitivities are estimated: the centre of k-space, where samples are dense, as
// an image with few voxels for each coil.
#ifndef KN_APP_MRI_SENSE_CALIBRATION_H
#define KN_APP_MRI_SENSE_CALIBRATION_H

#include "app/mri/memory.h"
#include "app/mri/mri.h"
#include "base/ask.h"

struct mri_calibration {
    kn_recon_matrix
        matrix; // with the same field of view, and as many voxels along each axis as the centre has cycles
    size_t voxels, coils;
    double complex *images; // of every coil, one coil after another
};

// The R of the largest dense cube of 2 R cycles about k = 0, within `widest` (an even number) and the
// matrix's axes. It is dense if in each of its shells 9 of 10 cells of a cycle have a sample. 0: there is
// none. KN_ERROR_MEMORY.
kn_status ki_mri_calibration_radius(const kn_recon_scan *scan, size_t widest, size_t *radius, kn_error *err);
// Reconstructs the images of all coils in that cube, by least squares from the samples within it. The scan
// must have data. Cost: small relative to the reconstruction; on the host. Errors: KN_ERROR_ARGUMENT if there
// is no such cube; KN_ERROR_MEMORY; KN_ERROR_INTERRUPTED.
kn_status ki_mri_calibrate(const kn_recon_scan *scan, size_t widest, struct ki_ask *ask,
                           struct mri_calibration *made, kn_error *err);
void ki_mri_calibration_free(struct mri_calibration *calibration);

// to[] = the tensor product of the matrices[axis] (rows x columns, one row after another; NULL for 1) applied
// to from[], whose axes have columns[] elements, x fastest; those of `to` have rows[]. KN_ERROR_MEMORY.
kn_status ki_mri_along_axes(double complex *const matrices[MRI_AXES], const size_t rows[MRI_AXES],
                            const size_t columns[MRI_AXES], const double complex *from, double complex *to,
                            kn_error *err);

// Makes maps of the coils on the scan's matrix: their images at low resolution, divided by the root of the
// sum of their squares, and 0 where all images are 0. The images are those of the calibration, of up to
// MRI_CALIBRATION cycles along an axis, with a Hann window. Errors: those of ki_mri_calibrate;
// KN_ERROR_ARGUMENT if all images are 0.
enum { MRI_CALIBRATION = 24 };
kn_status ki_mri_maps_lowres(const kn_recon_scan *scan, struct ki_ask *ask, double complex *maps,
                             kn_error *err);
// The most memory that it takes in addition to the maps.
struct mri_bytes ki_mri_maps_lowres_memory(const kn_recon_scan *scan);

// The same by ESPIRiT (Uecker et al., MRM 71, 2014), with BART's settings: from a calibration region of 24
// cycles, and its patches of 6 cycles per axis and all coils. Their span is taken to be that of the
// eigenvectors of their Gram matrix with eigenvalues above 0.001 of the greatest. Since every patch of
// k-space is in that span, the coils' values at each voxel are an eigenvector, with the eigenvalue 1, of a
// matrix of coils x coils. Maps are that vector, of length 1, with the phase for which the coils' principal
// component is real, and 0 where the eigenvalue is below 0.8. Cost: n^3 for n = 6^axes coils, and 30 coils^2
// per voxel; on the host. Errors: as above, and KN_ERROR_ARGUMENT for a calibration region with fewer than 8
// cycles along an axis of more than one voxel.
enum { MRI_ESPIRIT_KERNEL = 6, MRI_ESPIRIT_LEAST = 8 };
kn_status ki_mri_maps_espirit(const kn_recon_scan *scan, struct ki_ask *ask, double complex *maps,
                              kn_error *err);
struct mri_bytes ki_mri_maps_espirit_memory(const kn_recon_scan *scan);

// Makes maps by the method KN_RECON_SENSE_LOWRES or _ESPIRIT.
kn_status ki_mri_maps_make(const kn_recon_scan *scan, kn_recon_sense sense, struct ki_ask *ask,
                           double complex *maps, kn_error *err);

// The choice of KN_RECON_SENSE_AUTO for a scan and a method, and the reason as a static string. If k is NULL,
// the scan is assumed to be dense. KN_ERROR_MEMORY.
kn_status ki_mri_sense_choose(const kn_recon_scan *scan, kn_recon_method method, kn_recon_sense *sense,
                              const char **why, kn_error *err);

#endif
