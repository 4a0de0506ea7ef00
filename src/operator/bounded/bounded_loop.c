// SPDX-License-Identifier: Apache-2.0
// The loop over all iterations, for every method.
#include "bounded_internal.h"

#include "operator/cgnr/cgnr.h"

struct operator_loop ki_bounded_loop(const struct bounded *s)
{
    return (struct operator_loop){.iterate = s->options.method == KN_SOLVE_TV ? ki_bounded_iterate_tv
                                             : s->options.method == KN_SOLVE_WAVELET
                                                 ? ki_bounded_iterate_wavelet
                                                 : ki_bounded_iterate,
                                  .data = s,
                                  .count = s->options.iterations + 1,
                                  .recording = s->recording,
                                  .state = s->buffers[BOUNDED_STATE],
                                  .first = ki_bounded_cell(s, 0) + 3 * CGNR_CELL,
                                  .stride = CGNR_CELLS * CGNR_CELL,
                                  .progress = s->options.progress,
                                  .progress_data = s->options.progress_data};
}
