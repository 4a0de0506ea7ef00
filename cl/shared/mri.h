// SPDX-License-Identifier: Apache-2.0
// Constants shared by the kernels of the reconstruction (cl/app/mri) and their hosts.
#ifndef KN_SHARED_MRI_H
#define KN_SHARED_MRI_H

// The place of a launch among those that add to the same numbers; a sum of flags.
#define STAGE_FIRST 1u // nothing has been added yet
#define STAGE_LAST 2u  // the result is needed

// Width of the gridding window in cells of the grid, along each axis, unless another width is asked for.
#define GRIDDING_WIDTH 6
// Cells of a bin of samples along x, and the largest number of parts of a tile: more would have to wait to be
// folded.
#define GRIDDING_BIN 2
#define GRIDDING_PARTS 1024

#endif
