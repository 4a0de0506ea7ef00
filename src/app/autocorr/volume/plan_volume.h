// SPDX-License-Identifier: Apache-2.0
// Calls of plans whose frames are volumes.
#ifndef KN_APP_AUTOCORR_VOLUME_PLAN_VOLUME_H
#define KN_APP_AUTOCORR_VOLUME_PLAN_VOLUME_H

#include "app/autocorr/plan_internal.h"

// The plan's volumes.
struct autocorr_volume ki_autocorr_plan_volume(const kn_autocorr_plan *plan);

// `count` volumes, at least 1: in memory, as tasks (whose images have all rows of all slices); or `frames`,
// on the plan's device.
kn_status ki_autocorr_execute_volumes(kn_autocorr_plan *plan, const struct autocorr_task *tasks,
                                      const struct autocorr_frames *frames, size_t count,
                                      const kn_autocorr_results *results, kn_error *err);

#endif
