// SPDX-License-Identifier: Apache-2.0
// koine autocorr on several places, which share the frames (autocorr_share.c); and a place's results for
// frames, as bytes without pointers (autocorr_pack.c).
#ifndef KN_CLI_AUTOCORR_AUTOCORR_SHARE_H
#define KN_CLI_AUTOCORR_AUTOCORR_SHARE_H

#include "cmd_autocorr.h"

// Opens the places that were chosen. Errors: KN_ERROR_ARGUMENT for what is not shared; those of share_open.
kn_status autocorr_share_open(struct autocorr_run *run, const struct places *chosen, kn_error *err);
// All frames: run->pipeline is the sum over places, and autocorr_take gets each frame in order.
kn_status autocorr_share_execute(struct autocorr_run *run, kn_error *err);
void autocorr_share_close(struct autocorr_run *run);

// A result is frames, and then what they took. KN_ERROR_MEMORY.
kn_status autocorr_pack_frame(const struct autocorr_run *run, const kn_autocorr_analysis *frame,
                              kn_distribute_result *result, kn_error *err);
kn_status autocorr_pack_pipeline(const kn_autocorr_pipeline *pipeline, kn_distribute_result *result,
                                 kn_error *err);
// Passes them to autocorr_take, and adds the pipeline to the run's. Errors of autocorr_take.
kn_status autocorr_unpack(struct autocorr_run *run, const void *result, size_t size, kn_error *err);

#endif
