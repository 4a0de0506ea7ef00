// SPDX-License-Identifier: Apache-2.0
// What the kernels of the reconstruction (cl/app/mri) and their hosts agree on.
#ifndef KN_SHARED_MRI_H
#define KN_SHARED_MRI_H

// What a launch is of those that add to the same numbers; a sum of flags.
#define STAGE_FIRST 1u // nothing is there yet
#define STAGE_LAST 2u  // the numbers are wanted

// Cells of the grid that the gridding window is wide, along each axis, unless another width is asked for.
#define GRIDDING_WIDTH 6
// Cells along x of a bin of samples, and parts that a tile is made in at most: more would wait for their fold.
#define GRIDDING_BIN 2
#define GRIDDING_PARTS 1024

#endif
