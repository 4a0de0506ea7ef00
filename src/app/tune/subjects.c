// SPDX-License-Identifier: Apache-2.0
#include "subjects.h"

const struct tune_subject *const tune_subjects[] = {&tune_recon, &tune_gridding_2d, &tune_gridding_3d, NULL};

// xorshift*
double subject_uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(int64_t)(*state * 0x2545f4914f6cdd1d) * 0x1p-63;
}
