// SPDX-License-Identifier: Apache-2.0
// The subjects of koine tune.
#include "subjects.h"

const struct tune_subject *const tune_subjects[] = {&tune_recon,
                                                    &tune_gridding_2d,
                                                    &tune_gridding_3d,
                                                    &tune_sort_32bit,
                                                    &tune_sort_64bit,
                                                    &tune_sort_by_key_32bit,
                                                    &tune_sort_by_key_64bit,
                                                    &tune_gemm,
                                                    &tune_robust,
                                                    &tune_crossover_sort,
                                                    &tune_crossover_sort_64bit,
                                                    &tune_crossover_sort_alone,
                                                    &tune_crossover_sort_lines,
                                                    &tune_crossover_sort_differing,
                                                    &tune_crossover_sort_ahead,
                                                    &tune_crossover_sort_once,
                                                    &tune_crossover_select,
                                                    &tune_crossover_gemm,
                                                    &tune_crossover_robust,
                                                    &tune_crossover_separable,
                                                    &tune_crossover_fused,
                                                    &tune_crossover_whole,
                                                    &tune_crossover_tiled,
                                                    &tune_rates,
                                                    NULL};
