// SPDX-License-Identifier: Apache-2.0
// Sums of frames on the host: a single frame by all threads, several frames by as many threads at once, a
// frame each, so that no thread waits for another within a frame.
#ifndef KN_APP_AUTOCORR_HOST_HOST_FRAMES_H
#define KN_APP_AUTOCORR_HOST_HOST_FRAMES_H

#include "app/autocorr/methods.h"

// Whether the method is one of the host's.
bool ki_autocorr_host_has(kn_autocorr_method method);

// With the method in engine->ran; adds to the engine's seconds, and its bound becomes the greatest of the
// frames'. KN_AUTOCORR_NAIVE takes one frame after the other, because its code has one thread. The sums do
// not depend on how frames are distributed. Errors: those of the method.
kn_status ki_autocorr_host_frames(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                                  size_t count, uint64_t *products, kn_error *err);
void ki_autocorr_host_rooms_free(struct autocorr_host_rooms *rooms); // NULL too

#endif
