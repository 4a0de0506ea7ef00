// SPDX-License-Identifier: Apache-2.0
// The windows' sums of a volume (struct autocorr_window): an overlap is the volume less k planes at one end
// of each axis. So each axis is cut into cells, of one voxel at both ends and of everything between; the sums
// of cells are added up once, and every window is eight of these sums.
#ifndef KN_APP_AUTOCORR_VOLUME_VOLUME_WINDOWS_H
#define KN_APP_AUTOCORR_VOLUME_VOLUME_WINDOWS_H

#include "volume_host.h"

// Sums of voxels and of their squares.
struct autocorr_cell {
    uint64_t s, q;
};

// Cells of an axis. A volume's slices: for each z the cells of y and x, cells[z][y][x].
size_t ki_autocorr_volume_cells(const struct autocorr_volume_axis *axis, bool periodic);
size_t ki_autocorr_volume_slices(const struct autocorr_volume_plan *plan);

// The first voxel of a cell, and behind the last cell the axis's size.
static inline size_t autocorr_cell_begin(size_t size, size_t cells, size_t cell)
{
    return cell <= cells / 2 || cells == size ? cell : size - (cells - cell);
}

// Adds up a volume, with all threads; `slices` has room for all of them.
void ki_autocorr_volume_add_up(const struct autocorr_volume_plan *plan, const struct autocorr_voxels *voxels,
                               struct autocorr_cell *slices);

// From the slices of both images (`second` NULL: of one) to the windows of all offsets, and that of the
// whole. Of periodic volumes all are the whole. KN_ERROR_MEMORY.
kn_status ki_autocorr_volume_windows(const struct autocorr_volume_plan *plan,
                                     const struct autocorr_cell *first, const struct autocorr_cell *second,
                                     struct ki_kept *kept, struct autocorr_window *windows,
                                     struct autocorr_window *whole, kn_error *err);

#endif
