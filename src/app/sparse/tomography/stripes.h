// SPDX-License-Identifier: Apache-2.0
// Stripes of sinograms, which detectors with a gain of their own leave.
#ifndef KN_APP_SPARSE_TOMOGRAPHY_STRIPES_H
#define KN_APP_SPARSE_TOMOGRAPHY_STRIPES_H

#include <stddef.h>

#include <koine/error.h>

// Numbers that were checked, in place; `width` is odd. KN_ERROR_MEMORY, before anything is written.
kn_status ki_sparse_remove_stripes(size_t angles, size_t detectors, size_t width, double *sinogram,
                                   kn_error *err);

#endif
