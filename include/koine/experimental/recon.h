// SPDX-License-Identifier: Apache-2.0
// What can be told of a trajectory (koine/recon.h) that comes from elsewhere, before samples are computed
// with it: how far it goes, whether it belongs to a matrix, and which unit it is likely to be in. koine
// recon, koine phantom and koine trajectory say so of the files that they read and write. Not promised
// (koine/experimental.h).
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

// Whether k[3 samples] can be a trajectory of this matrix in cycles per field of view. `name` is what
// messages call it, such as the name of its file, or NULL. No samples are fine. Cost: reads k once. Errors:
// KN_ERROR_ARGUMENT for NULL; KN_ERROR_INPUT, with the name, the sample and the likely cause, for a k that is
// not finite, that is more than a cycle outside of the band N/2, or with two axes a kz that is not 0.
KN_API kn_status kn_recon_trajectory_check(const char *name, const kn_recon_matrix *matrix, const double *k,
                                           size_t samples, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
