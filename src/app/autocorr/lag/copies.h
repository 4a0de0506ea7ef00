// SPDX-License-Identifier: Apache-2.0
// Frames that stay on a device while pairs with them are computed, so that each is sent once.
#ifndef KN_APP_AUTOCORR_LAG_COPIES_H
#define KN_APP_AUTOCORR_LAG_COPIES_H

#include "app/autocorr/device/device.h"

struct autocorr_copies {
    kn_buffer *buffer;
    struct autocorr_copy *all;
    size_t count, next; // that there is room for; where the next free one is looked for
};

// Room for `wanted` frames like the task, or as many as fit into an eighth of the device's memory, and no
// more than `most`; for none where there is no device (`queue` NULL) or its memory is taken: frames without a
// copy are sent whenever they are needed. KN_ERROR_MEMORY of the host's.
kn_status ki_autocorr_copies_begin(const kn_queue *queue, const struct autocorr_task *like, size_t wanted,
                                   size_t most, struct autocorr_copies *copies, kn_error *err);
// Those of frames that are in a buffer of the caller's, where nothing is written: `all` has each. They are
// not taken.
kn_status ki_autocorr_copies_of(const kn_buffer *buffer, const struct autocorr_task *like, size_t count,
                                struct autocorr_copies *copies, kn_error *err);
void ki_autocorr_copies_end(struct autocorr_copies *copies); // of zeros is fine

// One that is free, for a frame that is not there yet; NULL: there is none.
struct autocorr_copy *ki_autocorr_copies_take(struct autocorr_copies *copies);
// Free again, once nothing that is under way reads it. NULL is fine.
void ki_autocorr_copies_give(struct autocorr_copy *copy);

#endif
