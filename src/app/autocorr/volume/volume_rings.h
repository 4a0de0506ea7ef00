// SPDX-License-Identifier: Apache-2.0
// The spherical average of a volume's correlation: shells as the rings of an image are (radial.h), with the
// same shares and errors, of which peak.c finds the same lengths.
#ifndef KN_APP_AUTOCORR_VOLUME_VOLUME_RINGS_H
#define KN_APP_AUTOCORR_VOLUME_VOLUME_RINGS_H

#include "app/autocorr/radial.h"

// The R + 1 shells of a correlation over the offsets of a volume with the same reach R on all axes. An offset
// with Z0 > 0 stands for two. All threads have planes of one Z0 each, and these are added up in their order,
// so that the shells do not depend on how many threads there are. `planes` is room for (R + 1)^2 shells.
void ki_autocorr_spherical(const double *values, size_t max_offset, struct autocorr_ring *planes,
                           struct autocorr_ring *rings);

// In which of twelve sectors of the same solid angle an offset of the half space lies: three bands of Z0 / r,
// and in each four quadrants about the axis. Of Z0 = 0 an offset and its opposite are in the same.
size_t ki_autocorr_solid_sector(ptrdiff_t x0, ptrdiff_t y0, size_t z0);

#endif
