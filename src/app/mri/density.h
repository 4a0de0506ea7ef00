// SPDX-License-Identifier: Apache-2.0
// Density compensation: the share of k-space that each sample represents.
#ifndef KN_APP_MRI_DENSITY_H
#define KN_APP_MRI_DENSITY_H

#include <koine/koine.h>

#include "base/ask.h"
#include "memory.h"
#include "mri.h"

#define MRI_DENSITIES (KN_RECON_DENSITY_PIPE + 1)

extern const char *const ki_mri_density_names[MRI_DENSITIES + 1]; // "none", "ramp", "pipe"; ends with NULL

// Fills weights[] of `samples` numbers. Only KN_RECON_DENSITY_PIPE uses the queue, which may be NULL for the
// others: ten times it spreads and reads all samples by gridding with oversampling 2 and width 6. `ask`,
// which may be NULL, is called between pieces of the host's work; the queue calls its own. Errors:
// KN_ERROR_ARGUMENT for a matrix that ki_mri_matrix_count refuses and a k that is not finite; those of
// ki_mri_gridding_create; KN_ERROR_INTERRUPTED.
kn_status ki_mri_density(kn_queue *queue, const kn_recon_matrix *matrix, const double *k, size_t samples,
                         kn_recon_density density, double *weights, struct ki_ask *ask, kn_error *err);
struct mri_bytes ki_mri_density_memory(const kn_recon_matrix *matrix, size_t samples,
                                       kn_recon_density density);

#endif
