// SPDX-License-Identifier: Apache-2.0
// The algorithms that can be tuned, each in its own file.
#ifndef KN_TOOLS_TUNE_SUBJECTS_H
#define KN_TOOLS_TUNE_SUBJECTS_H

#include "tune.h"

extern const struct tune_subject tune_recon, tune_gridding_2d, tune_gridding_3d, tune_sort_32bit,
    tune_sort_64bit, tune_sort_by_key_32bit, tune_sort_by_key_64bit, tune_gemm, tune_robust,
    tune_crossover_sort, tune_crossover_sort_64bit, tune_crossover_sort_alone, tune_crossover_sort_lines,
    tune_crossover_sort_differing, tune_crossover_sort_ahead, tune_crossover_sort_once, tune_crossover_select,
    tune_crossover_gemm, tune_crossover_robust, tune_crossover_separable, tune_crossover_fused,
    tune_crossover_whole, tune_crossover_tiled, tune_rates;

// Numbers from -1 to 1, the same each time.
double subject_uniform(uint64_t *state);

// `count` such numbers as KN_F32 or KN_F64 in a new buffer, owned by the caller; and as floats.
kn_status subject_numbers(kn_queue *queue, kn_type type, size_t count, uint64_t *state, kn_buffer **buffer,
                          kn_error *err);
kn_status subject_floats(kn_queue *queue, size_t count, uint64_t *state, kn_buffer **buffer, kn_error *err);

static inline const kn_device_info *subject_device(const kn_queue *queue)
{
    return kn_context_get_device(kn_queue_get_context(queue));
}

static inline bool subject_is_cpu(const kn_queue *queue)
{
    return subject_device(queue)->type == KN_DEVICE_CPU;
}

// A CPU whose work-items may run loops of any length.
static inline bool subject_is_serial(const kn_queue *queue)
{
    return subject_is_cpu(queue) && !subject_device(queue)->loop_limit;
}

#endif
