// SPDX-License-Identifier: Apache-2.0
// How the device's solver detects that A x - b is as white as it gets (ncp.h, cl/operator/cgnr_white.cl).
#ifndef KN_OPERATOR_CGNR_CGNR_WHITE_H
#define KN_OPERATOR_CGNR_CGNR_WHITE_H

#include <koine/fft.h>

#include "cgnr.h"

enum { WHITE_POWER, WHITE_JUDGE, WHITE_KEEP, WHITE_KERNELS };
// The numbers in `record` for each iteration: the distance of A x - b from white noise, the least distance so
// far, and the last iteration that is as white.
enum { WHITE_DISTANCE, WHITE_LEAST, WHITE_LAST, WHITE_NUMBERS };

struct cgnr_white {
    kn_fft_plan *plan; // NULL: the stop is not wanted, or there are too few rows
    kn_kernel *kernels[WHITE_KERNELS];
    kn_buffer *spectra, *power, *record;
    kn_buffer *scale; // factor of the residual, 1 / |b|, so that its squares are in the range of floats
    kn_buffer *x;     // x of the last iteration that is as white
    uint32_t segments, groups;
    size_t group;
    float margin, limit; // how much less white a residual may be; how far from white noise a white one may be
};

kn_status ki_cgnr_white_create(kn_queue *queue, struct cgnr *s, kn_error *err);
void ki_cgnr_white_free(struct cgnr_white *white);
// Called before the first iteration; `goal`: |b|^2.
kn_status ki_cgnr_white_begin(kn_queue *queue, const struct cgnr *s, double goal, kn_error *err);
// Called after cgnr_turn: judges the residual, and may end the iterations. Does nothing without a plan.
kn_status ki_cgnr_white_launch(kn_queue *queue, const struct cgnr *s, kn_error *err);
unsigned ki_cgnr_white_launches(const struct cgnr *s);
// The result of iterations that ended this way: that of the last iteration that was as white.
kn_status ki_cgnr_white_take_end(kn_queue *queue, const struct cgnr *s, struct cgnr_result *result,
                                 kn_error *err);

#endif
