// SPDX-License-Identifier: Apache-2.0
// The images of a batch on their way to the device: packed by the host, or copied from those that stay there.
#ifndef KN_APP_AUTOCORR_SERIES_BATCH_IMAGES_H
#define KN_APP_AUTOCORR_SERIES_BATCH_IMAGES_H

#include "app/autocorr/device/device.h"

// Where they go, one after another without gaps.
struct autocorr_images {
    kn_queue *transfers;   // in which they are copied
    kn_buffer *to;         // room for all
    unsigned char *pinned; // the same in pinned memory; NULL: they go one by one, through
    unsigned char *packed; // room for one
    double *energies;      // of image i in 2 i; NULL: not wanted
    kn_event **events; // two: of the first copy that is not waited for, and of the last if there are several
    size_t sent;       // how many came from the host
};

// The tasks' first images, or their second ones, black outside the masks; copies may still run when this
// returns. An image with a copy (autocorr_copy) is taken from there, or kept there if it was not there yet.
kn_status ki_autocorr_images_bring(struct autocorr_images *images, const struct autocorr_task *tasks,
                                   size_t count, bool second, kn_error *err);

#endif
