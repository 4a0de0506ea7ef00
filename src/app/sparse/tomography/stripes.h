// SPDX-License-Identifier: Apache-2.0
// Stripes in sinograms, which detectors with a deviating gain cause.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_STRIPES_H
#define KN_APP_SPARSE_TOMOGRAPHY_STRIPES_H

#include <stddef.h>

#include <koine/error.h>

// Corrects numbers that have been checked, in place; `width` is odd. KN_ERROR_MEMORY, before anything is
// written.
kn_status ki_sparse_remove_stripes(size_t angles, size_t detectors, size_t width, double *sinogram,
                                   kn_error *err);

#endif
