// SPDX-License-Identifier: Apache-2.0
// Frames that stay on a device while pairs with them are computed, so that each is sent only once.
#ifndef KN_APP_AUTOCORR_LAG_COPIES_H
#define KN_APP_AUTOCORR_LAG_COPIES_H

#include "app/autocorr/device/device.h"

struct autocorr_copies {
    kn_buffer *buffer;
    struct autocorr_copy *all;
    size_t count, next; // room for this many; where to look for the next free one
};

// Room for `wanted` frames like the task, or as many as fit into an eighth of the device's memory, and at
// most `most`; for none if there is no device (`queue` NULL) or its memory is used up: frames without a copy
// are sent whenever they are needed. KN_ERROR_MEMORY of the host.
kn_status ki_autocorr_copies_begin(const kn_queue *queue, const struct autocorr_task *like, size_t wanted,
                                   size_t most, struct autocorr_copies *copies, kn_error *err);
// Copies for frames in a caller's buffer, which is not written: `all` has one for each frame. They are not
// taken.
kn_status ki_autocorr_copies_of(const kn_buffer *buffer, const struct autocorr_task *like, size_t count,
                                struct autocorr_copies *copies, kn_error *err);
void ki_autocorr_copies_end(struct autocorr_copies *copies); // of zeros is fine

// A free copy, for a frame that is not on the device yet; NULL: there is none.
struct autocorr_copy *ki_autocorr_copies_take(struct autocorr_copies *copies);
// Frees it again, once no running work reads it. NULL is fine.
void ki_autocorr_copies_give(struct autocorr_copy *copy);

#endif
