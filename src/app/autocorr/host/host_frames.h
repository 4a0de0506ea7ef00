// SPDX-License-Identifier: Apache-2.0
// Sums of frames on the host: of one by all threads, of several by as many threads at once, a frame each, so
// that none waits for another within a frame.
#ifndef KN_APP_AUTOCORR_HOST_HOST_FRAMES_H
#define KN_APP_AUTOCORR_HOST_HOST_FRAMES_H

#include "app/autocorr/methods.h"

// Whether the method is one of the host's.
bool ki_autocorr_host_has(kn_autocorr_method method);

// By the method that engine->ran names; adds to the engine's seconds, and its bound is the greatest of the
// frames'. KN_AUTOCORR_NAIVE takes one frame after the other, as it is the code of one thread. The sums are
// the same however they are spread. Errors: those of the method.
kn_status ki_autocorr_host_frames(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                                  size_t count, uint64_t *products, kn_error *err);
void ki_autocorr_host_rooms_free(struct autocorr_host_rooms *rooms); // NULL too

#endif
