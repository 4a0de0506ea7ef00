// SPDX-License-Identifier: Apache-2.0
// The algorithms that can be tuned, a file each.
#ifndef KN_TOOLS_TUNE_SUBJECTS_H
#define KN_TOOLS_TUNE_SUBJECTS_H

#include "tune.h"

extern const struct tune_subject tune_recon, tune_gridding_2d, tune_gridding_3d, tune_sort, tune_gemm;

// Numbers from -1 to 1, the same each time.
double subject_uniform(uint64_t *state);

// `count` of them as floats in a new buffer, the caller's.
kn_status subject_floats(kn_queue *queue, size_t count, uint64_t *state, kn_buffer **buffer, kn_error *err);

// A device whose work-items run one after another.
static inline bool subject_is_serial(const kn_queue *queue)
{
    return engine_is_serial(kn_context_get_device(kn_queue_get_context(queue)));
}

#endif
